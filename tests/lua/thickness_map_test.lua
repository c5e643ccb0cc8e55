-- thickness_map_test.lua: a map of thickness over a cloth.
local muslin = require "muslin"
local shuffled = require "shuffled"

scenario.together()

local function grid(nodes, size, at)
  return muslin.mesh.grid { nodes = nodes, size = size, plane = "xz", center = at }
end

-- A crumpled sheet that falls over a ball onto a plane, and onto itself: places after 0.3 s, as text.
local function fall(options)
  local world <close> = muslin.world { pipeline = options.pipeline, dt = 1 / 200 }
  world:obstacle { shape = "plane" }
  world:obstacle { shape = "sphere", radius = 0.08, at = { 0.05, 0.08, 0 }, thickness = 0.002 }
  local mesh = options.mesh or grid({ 13, 13 }, { 0.3, 0.3 }, { 0, 0.18, 0 })
  local cloth = world:cloth { mesh = mesh, thickness = options.thickness, maps = { thickness = options.map } }
  world:advance(0.3)
  expect(world):penetration_free()
  local places = {}
  for i = 1, cloth.vertex_count do places[i] = ("%.17g %.17g %.17g"):format(cloth.x[i].x, cloth.x[i].y, cloth.x[i].z) end
  return table.concat(places, "\n")
end

scenario.each { "robust", "impulses", "offset", "vbd", "sequential", "bridson_source" } (
"a uniform map is the cloth's thickness, to the bit: {}", function(preset)
  local by_number = fall { pipeline = preset, thickness = 0.0037 }
  expect(fall { pipeline = preset, map = 0.0037 } == by_number, "the same bits"):is_true()
  expect(fall { pipeline = preset, map = 0.0037, thickness = 0.0005 } == by_number, "the map decides"):is_true()
  expect(fall { pipeline = preset, thickness = 0.0005 } ~= by_number, "thickness matters"):is_true()
end)

scenario("and in a mesh that is solved in another order", function()
  local function mesh() return shuffled(grid({ 33, 33 }, { 0.3, 0.3 }, { 0, 0.18, 0 })) end
  expect(fall { mesh = mesh(), map = 0.0037 } == fall { mesh = mesh(), thickness = 0.0037 }, "the same bits"):is_true()
end)

-- Heights (m) of the parts with x below -0.05 and above 0.05 over a surface, once they lie there.
local function heights(cloth, base)
  local sum, count = { 0, 0 }, { 0, 0 }
  for i = 1, cloth.vertex_count do
    local x = cloth.x[i].x
    local side = x < -0.05 and 1 or x > 0.05 and 2
    if side then sum[side], count[side] = sum[side] + cloth.x[i].y - base, count[side] + 1 end
  end
  return sum[1] / count[1], sum[2] / count[2]
end

-- 1 mm on one side, 6 on the other, and between them in proportion; vertices may be in any order.
local function wedge(x) return x < -0.03 and 0.001 or x > 0.03 and 0.006 or 0.0035 + x / 0.06 * 0.005 end

local GROUNDS = {
  plane = { shape = "plane", thickness = 0.001 },
  box = { shape = "box", size = { 0.5, 0.1, 0.3 }, at = { 0, -0.05, 0 }, thickness = 0.001 },
  mesh = { mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.5, 0.3 }, plane = "xz" }, thickness = 0.001 },
}

local function lies(ground, pipeline, mesh)
  local world <close> = muslin.world { pipeline = pipeline, gravity = { 0, -2, 0 } }
  world:obstacle(GROUNDS[ground])
  local cloth = world:cloth { mesh = mesh, maps = { thickness = wedge } }
  world:advance(0.6)
  expect(world):penetration_free()
  local thin, thick = heights(cloth, 0)
  expect(thin, "height of the thin part: half of 1 mm, and the obstacle's 1 mm"):near(0.0015, 0.00008)
  expect(thick, "height of the thick part"):near(0.004, 0.00008)
end

scenario.each { "robust", "offset", "newton", "vbd", "sequential" } (
"each part lies at its own height: {}", function(preset)
  for _, ground in ipairs { "plane", "box", "mesh" } do
    lies(ground, preset, grid({ 25, 9 }, { 0.24, 0.08 }, { 0, 0.006, 0 }))
  end
end)

scenario("also in a mesh that is solved in another order", function()
  lies("plane", "robust", shuffled(grid({ 45, 33 }, { 0.24, 0.16 }, { 0, 0.006, 0 })))
end)

scenario("a sheet lies on another by the thicknesses of both at each place", function()
  local world <close> = muslin.world { gravity = { 0, -2, 0 } }
  local below = world:cloth { mesh = grid({ 25, 9 }, { 0.24, 0.08 }, { 0, 0, 0 }), maps = { thickness = wedge } }
  below:pin { where = function() return true end }
  local above = world:cloth { mesh = grid({ 23, 8 }, { 0.22, 0.07 }, { 0, 0.009, 0 }), thickness = 0.002 }
  world:advance(0.8)
  local thin, thick = heights(above, 0)
  expect(thin, "over the thin part"):near(0.0015, 0.0001)
  expect(thick, "over the thick part"):near(0.004, 0.0001)
end)

scenario("a rule is given the thickness of its contact", function()
  local least, most = math.huge, 0
  local world <close> = muslin.world { gravity = { 0, -2, 0 }, pipeline = "sequential" }
  world:obstacle { shape = "plane", thickness = 0.001 }
  world:cloth { mesh = grid({ 25, 9 }, { 0.24, 0.08 }, { 0, 0.005, 0 }), self_collision = false,
    maps = { thickness = wedge } }
  world:on("contacts", function()
    for _, c in ipairs(world:contacts()) do least, most = math.min(least, c.thickness), math.max(most, c.thickness) end
  end)
  world:advance(0.5)
  expect(least):near(0.0015, 1e-12)
  expect(most):near(0.004, 1e-12)
end)

scenario("layers start a thickness apart at each place", function()
  local world <close> = muslin.world { gravity = { 0, 0, 0 }, air_density = 0 }
  local inner = world:cloth { mesh = grid({ 25, 9 }, { 0.24, 0.08 }, { 0, 0, 0 }), layer = 1, thickness = 0.002 }
  local outer = world:cloth { mesh = grid({ 25, 9 }, { 0.24, 0.08 }, { 0, 0.0004, 0 }), layer = 2, maps = { thickness = wedge } }
  world:step()
  local thin, thick = heights(outer, 0)
  local thin_inner, thick_inner = heights(inner, 0)
  expect(thin_inner - thin, "m, at the thin part"):near(0.0015, 1e-5) -- to the side of the normals, downward
  expect(thick_inner - thick, "m, at the thick part"):near(0.004, 1e-5)
end)

scenario("a seam is as wide as the cloths are thick where they are sewn", function()
  local world <close> = muslin.world {}
  local function panel(x, map)
    return world:cloth { mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.2, 0.2 }, plane = "xy", center = { x, 0, 0 } },
      thickness = 0.001, maps = map and { thickness = map } }
  end
  local left = panel(0, function(x) return x > 0.05 and 0.0006 or 0.02 end)
  local right, plain = panel(0.21, function(x) return x < 0.15 and 0.001 or 0.02 end), panel(0.42)
  local function rim(column) -- of a grid of 5 x 5 vertices
    local list = {}
    for row = 0, 4 do list[#list + 1] = 5 * row + column end
    return list
  end
  local function seam(a, b) return world:stitch { a = { a, rim(5) }, b = { b, rim(1) } } end
  expect(seam(left, right).width):near(0.0008, 1e-15)
  expect(seam(right, plain).width):near((0.02 + 0.001) / 2, 1e-15)
end)

scenario("stacked sheets of any thickness stay free of penetration", function()
  local world <close> = muslin.world { seed = 3 }
  world:obstacle { shape = "sphere", radius = 0.08, at = { 0, 0, 0 }, thickness = 0.0005 }
  for k = 1, 3 do
    world:cloth { mesh = grid({ 25, 25 }, { 0.3, 0.3 }, { 0.01 * k, 0.08 + 0.012 * k, 0 }),
      maps = { thickness = function(x, _, z) return 0.0004 + 0.008 * (0.5 + 0.5 * muslin.sin(60 * x + k) * muslin.cos(50 * z)) end } }
  end
  for _ = 1, 10 do
    world:advance(0.05)
    expect(world):penetration_free()
  end
end)

scenario("the map is in snapshots", function()
  local path = ".thickness_map_test.muslin"
  local function scene(map)
    local world = muslin.world { threads = 1 }
    world:obstacle { name = "floor", shape = "plane" }
    local cloth = world:cloth { name = "sheet", mesh = grid({ 13, 13 }, { 0.24, 0.24 }, { 0, 0.01, 0 }), maps = { thickness = map } }
    return world, cloth
  end
  local world <close>, cloth = scene(wedge)
  world:advance(0.1)
  world:save(path)
  world:advance(0.1)
  local expected = cloth.x:totable()
  local again <close>, other = scene(wedge)
  again:restore(path)
  again:advance(0.1)
  expect(other.x:totable()):equals(expected)
  local loaded <close> = muslin.load(path)
  loaded:advance(0.1)
  expect(loaded:hash()):equals(world:hash())
  local differs <close> = scene(function(x) return wedge(x) + (x > 0.1 and 1e-4 or 0) end)
  expect(function() differs:restore(path) end):raises "thickness"
  local plain <close> = scene(nil)
  expect(function() plain:restore(path) end):raises "sheet"
  local thickest <close> = scene(0.006)
  thickest:save(path)
  local same <close> = muslin.world { threads = 1 }
  same:obstacle { name = "floor", shape = "plane" }
  same:cloth { name = "sheet", mesh = grid({ 13, 13 }, { 0.24, 0.24 }, { 0, 0.01, 0 }), thickness = 0.006 }
  expect(function() same:restore(path) end):raises "whether there is a map of thickness is 1 in the snapshot and 0 here"
end)

scenario("what is no thickness is refused", function()
  local world <close> = muslin.world {}
  local function refuses(map, pattern)
    expect(function() world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 } }, maps = { thickness = map } } end):raises(pattern)
    expect(#world.cloths):equals(0)
  end
  refuses(0, "cloth: map of thickness at vertex 1 must be")
  refuses(-0.001, "map of thickness at vertex 1")
  refuses(function(_, _, _, i) return i == 9 and 0 / 0 or 0.001 end, "map of thickness at vertex 9")
  refuses(function(_, _, _, i) return i == 4 and 2 or 0.001 end, "map of thickness at vertex 4 must be less than the size of 'mesh'.*got 2")
  refuses({ 0.001, 0.002 }, "map of thickness")
end)
