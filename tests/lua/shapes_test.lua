-- Round meshes and polygons by their Lua names, as cloth and as obstacles. Their geometry: tests/mesh/test_shapes.c.
local muslin = require "muslin"

local function raises(pattern, f)
  expect(f):raises("shapes_test%.lua:%d+: .*" .. pattern)
end

scenario("a mesh that muslin does not make is an error with the nearest word", function()
  local words = { cylindre = "cylinder", cilinder = "cylinder", circle = "disc", ring = "annulus", ball = "sphere", plane = "grid",
    cube = "box", pipe = "tube", donut = "torus", poligon = "polygon", Cone = "cone" }
  for word, ours in pairs(words) do
    raises(("muslin.mesh: no function '%s' %%(did you mean '%s'%%?%%)"):format(word, ours), function()
      return muslin.mesh[word] { radius = 1 }
    end)
  end
  raises("muslin.mesh: no function 'zzz' %(known: annulus, box, .*tube%)", function() return muslin.mesh.zzz end)
end)

scenario("options of round meshes", function()
  raises("mesh.cylinder: field 'radius' is missing", function() muslin.mesh.cylinder {} end)
  raises("mesh.tube: field 'length' is missing", function() muslin.mesh.tube { radius = 1 } end)
  raises("mesh.tube: unknown field 'height' %(did you mean 'length'%?%)", function()
    muslin.mesh.tube { radius = 1, height = 1 }
  end)
  raises("mesh.torus: unknown field 'minor_radius' %(did you mean 'tube_radius'%?%)", function()
    muslin.mesh.torus { radius = 1, minor_radius = 1 }
  end)
  raises("mesh.cone: unknown field 'at' %(did you mean 'center'%?%)", function() muslin.mesh.cone { radius = 1, at = {} } end)
  raises("mesh.cone: give 'segments' or 'edge_length', not both", function()
    muslin.mesh.cone { radius = 1, length = 1, segments = 8, edge_length = 1 }
  end)
  raises("mesh.cone: field 'edge_length' must be > 0 m %(got 0.0%)", function()
    muslin.mesh.cone { radius = 1, length = 1, edge_length = 0 }
  end)
  raises("mesh.annulus: field 'inner_radius' must be > 0 m and less than 'radius', 1 m %(got 1%)", function()
    muslin.mesh.annulus { radius = 1, inner_radius = 1 }
  end)
  raises("mesh.polygon: field 'points' %[2%] must be a point of two numbers {x, y} %(got a table%)", function()
    muslin.mesh.polygon { points = { { 0, 0 }, { 1, 0, 0 }, { 0, 1 } }, edge_length = 1 }
  end)
  raises("mesh.polygon: field 'points' must be a list of points {x, y} %(got 3%)", function()
    muslin.mesh.polygon { points = 3, edge_length = 1 }
  end)
  raises("mesh.polygon: field 'holes' must be a list of outlines %(got an empty table", function()
    muslin.mesh.polygon { points = { { 0, 0 }, { 1, 0 }, { 0, 1 } }, holes = {}, edge_length = 1 }
  end)
  raises("sides 1 and 3 cross or touch", function()
    muslin.mesh.polygon { points = { { 0, 0 }, { 1, 1 }, { 1, 0 }, { 0, 1 } }, edge_length = 1 }
  end)
end)

scenario("flat sheets and tubes are at rest as they are made", function()
  local sheets = {
    muslin.mesh.tube { radius = 0.1, length = 0.3, segments = 24 },
    muslin.mesh.annulus { radius = 0.3, inner_radius = 0.1 },
    muslin.mesh.polygon { points = { { 0, 0 }, { 0.5, 0 }, { 0.3, 0.4 } }, holes = { { { 0.2, 0.1 }, { 0.3, 0.1 }, { 0.3, 0.2 } } },
      edge_length = 0.03 },
  }
  for _, mesh in ipairs(sheets) do
    local world <close> = muslin.world { gravity = { 0, 0, 0 }, air_density = 0 }
    local cloth = world:cloth { mesh = mesh, rest = "uv", thickness = 5e-4, material = { model = "stvk", bending = 0 } }
    local before = cloth.x:copy()
    world:step()
    expect((cloth.x - before):norm()):near(0, 1e-9)
  end
end)

scenario("cloth slides down a cone and a torus stops it", function()
  local world <close> = muslin.world { dt = 1 / 240 }
  local ring = world:cloth { mesh = muslin.mesh.annulus { radius = 0.25, inner_radius = 0.1, segments = 32, center = { 0, 0.62, 0 } } }
  world:obstacle { mesh = muslin.mesh.cone { radius = 0.3, length = 0.6, center = { 0, 0.3, 0 } } }
  world:obstacle { mesh = muslin.mesh.torus { radius = 0.32, tube_radius = 0.04, center = { 0, 0.04, 0 } } }
  world:advance(0.3)
  expect(world):penetration_free()
  expect(ring):stretched_at_most(0.12)
end)
