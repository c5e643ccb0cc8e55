-- surface_test.lua: a mesh that follows a cloth.
local muslin = require "muslin"

local function coarse_grid(n) return muslin.mesh.grid { nodes = { n, n }, size = { 0.4, 0.4 }, center = { 0, 1, 0 } } end

-- A finer sheet, 3 mm above, and a small box on it.
local function fine_mesh()
  local sheet = muslin.mesh.grid { nodes = { 33, 33 }, size = { 0.4, 0.4 }, center = { 0, 1.003, 0 } }
  local box = muslin.mesh.box { size = { 0.02, 0.01, 0.02 }, center = { 0.1, 1.01, 0.05 } }
  local vertices, faces = {}, {}
  for _, part in ipairs { sheet, box } do
    local base = #vertices
    for i = 1, part.vertex_count do vertices[base + i] = part.x[i] end
    for _, f in ipairs(part:faces()) do faces[#faces + 1] = { base + f[1], base + f[2], base + f[3] } end
  end
  return muslin.mesh.new { vertices = vertices, faces = faces,
    groups = { { "sheet", sheet.face_count }, { "button", box.face_count } } }
end

local function largest_difference(a, b) return a.x:copy():sub(b.x):lengths():max() end

scenario("it starts as it was given, with its groups", function()
  local world <close> = muslin.world {}
  local fine = fine_mesh()
  local cloth = world:cloth { mesh = coarse_grid(7), surface = fine }
  local surface = cloth:surface()
  expect(surface.vertex_count):equals(fine.vertex_count)
  expect(largest_difference(surface, fine), "m"):at_most(1e-15)
  expect(surface:groups()[2][1]):equals("button")
  expect(world:cloth { mesh = coarse_grid(3) }:surface()):equals(nil)
end)

scenario("it follows a rigid motion exactly", function()
  local world <close> = muslin.world {}
  local fine = fine_mesh()
  local cloth = world:cloth { mesh = coarse_grid(7), surface = fine }
  local motion = { position = { 0.3, -0.2, 0.7 }, rotation = { axis = { 1, 2, -0.5 }, angle = 2.1 } }
  cloth.x:transform(motion)
  expect(largest_difference(cloth:surface(), fine:copy():transform(motion)), "m"):at_most(1e-14)
end)

scenario("on a bent cloth it keeps its distance, along normals that vary smoothly", function()
  local world <close> = muslin.world {}
  local radius, height = 0.2, 0.003
  local cloth = world:cloth { mesh = coarse_grid(15), surface = muslin.mesh.grid { nodes = { 57, 57 }, size = { 0.36, 0.36 },
    center = { 0, 1 + height, 0 } } }
  for i = 1, cloth.vertex_count do -- around a cylinder along z
    local p = cloth.x[i]
    cloth.x[i] = { radius * muslin.sin(p.x / radius), radius * muslin.cos(p.x / radius), p.z }
  end
  local surface = cloth:surface()
  local sagitta = radius * (1 - muslin.cos(0.5 * 0.4 / 14 / radius))
  for i = 1, surface.vertex_count do
    local p = surface.x[i]
    local r = muslin.sqrt(p.x * p.x + p.y * p.y)
    expect(r, "m from the axis"):between(radius + height - sagitta - 1e-4, radius + height + 1e-4)
  end
end)

scenario("its normals vary within faces", function()
  local world <close> = muslin.world {}
  local radius = 0.2
  local flat = muslin.mesh.grid { nodes = { 57, 57 }, size = { 0.36, 0.36 }, center = { 0, 1.1, 0 } }
  local cloth = world:cloth { mesh = coarse_grid(15), surface = flat }
  for i = 1, cloth.vertex_count do
    local p = cloth.x[i]
    cloth.x[i] = { radius * muslin.sin(p.x / radius), radius * muslin.cos(p.x / radius), p.z }
  end
  local surface = cloth:surface()
  for i = 1, surface.vertex_count do -- 0.1 m above, at its own angle: the normal of a face is up to 0.07 rad beside it
    local p, x = surface.x[i], flat.x[i].x
    if muslin.abs(x) < 0.15 and muslin.abs(flat.x[i].z) < 0.15 then
      expect(muslin.atan2(p.x, p.y), "rad"):near(x / radius, 0.01)
    end
  end
end)

scenario("it is of the state that the cloth has", function()
  local world <close> = muslin.world {}
  local cloth = world:cloth { mesh = coarse_grid(7), surface = fine_mesh() }
  cloth:pin { where = function(x) return x < -0.19 end }
  local path, first = ".surface_test.muslin", cloth:surface()
  world:save(path)
  for _ = 1, 30 do world:step() end
  local later = cloth:surface()
  expect(largest_difference(later, first), "it has moved, m"):at_least(0.05)
  world:restore(path)
  expect(largest_difference(cloth:surface(), first)):equals(0)
  local loaded <close> = muslin.load(path)
  expect(loaded.cloths[1]:surface(), "of a world read from a file"):equals(nil)
  later.x[1] = { 9, 9, 9 } -- a copy
  expect(largest_difference(cloth:surface(), first)):equals(0)
end)

scenario("what cannot follow is named, and adds nothing", function()
  local world <close> = muslin.world {}
  local function try(surface) return function() world:cloth { name = "sheet", mesh = coarse_grid(5), surface = surface } end end
  expect(try(fine_mesh():transform { scale = 100 })):raises("cloth 'sheet': field 'surface': its vertex 1, at .* m from the mesh")
  expect(try(3)):raises("cloth: field 'surface' must be a mesh")
  local broken = fine_mesh()
  broken.x[4] = { 0, 0 / 0, 0 }
  expect(try(broken)):raises("field 'surface': vertex 4 must be finite")
  expect(#world.cloths):equals(0)
end)
