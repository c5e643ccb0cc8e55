-- damping_map_test.lua: a map of damping over a cloth.
local muslin = require "muslin"
local motion = require "falling_sheet"
local shuffled = require "shuffled"

scenario.together()

local function expect_same(what, mesh, material, pipeline)
  local plain = motion(mesh, material, nil, pipeline)
  local damped, copy = muslin.material(material), {}
  for name, value in pairs(material) do copy[name] = value end
  copy.damping, copy.bending_damping = 4 * damped.damping, 4 * damped.bending_damping -- a power of two: products round alike
  local slow = motion(mesh, copy, nil, pipeline)
  expect(motion(mesh, material, { damping = 1 }, pipeline) == plain, what .. ", factor 1"):is_true()
  expect(motion(mesh, material, { damping = 4 }, pipeline) == slow, what .. ", 4 times the damping"):is_true()
  expect(slow ~= plain, what .. ": the map matters"):is_true()
end

local GRID = muslin.mesh.grid { nodes = { 9, 9 }, size = { 0.6, 0.6 } }

scenario.each { "springs", "mass_spring", "choi_ko", "stvk", "neo_hookean" } (
"a uniform factor is another material, to the bit: {}", function(model)
  local material = { preset = "cotton", model = model }
  if model == "choi_ko" then material.buckling = 100 end
  expect_same(model, GRID, material)
end)

scenario.each { "lively", "offset", "newton", "vbd", "sequential", "position_based", "provot" } (
"and in other pipelines: {}", function(preset)
  local pipeline = preset == "position_based" and { preset = "sequential", integrator = preset } or preset
  local material = { preset = "cotton", model = "springs" }
  expect_same(preset, GRID, material, pipeline)
end)

scenario("and with plates, bent quadratically or not, explicitly too", function()
  for _, bending in ipairs { "hinge", "quadratic" } do
    local material = { preset = "cotton", model = "stvk", bending_model = bending }
    expect_same("plates", GRID, material, { preset = "sequential" })
    expect_same("plates by Newton's method", GRID, material, "newton")
    expect_same("explicit plates", GRID, material, { preset = "sequential", integrator = "verlet" })
  end
end)

scenario("and in a mesh that is solved in another order", function()
  local mesh = shuffled(muslin.mesh.grid { nodes = { 33, 33 }, size = { 0.6, 0.6 } })
  expect_same("shuffled", mesh, { preset = "cotton", model = "springs" })
  expect_same("shuffled membrane", mesh, { preset = "cotton", model = "stvk" })
end)

local SOFT = {
  springs = { preset = "cotton", model = "springs", stretch = 20, strain_limit = 0, damping = 1e-3 },
  stvk = { preset = "cotton", model = "stvk", stretch_warp = 20, stretch_weft = 20, stretch_poisson = 0, stretch_shear = 8,
    strain_limit = 0, damping = 1e-3 },
}

-- A strip pinned at its middle whose halves start to stretch, and swing out and in: ends and motion after 0.2 s.
local function halves(model, nodes, map, reorder)
  local world <close> = muslin.world { gravity = { 0, 0, 0 }, air_density = 0, dt = 1 / 2000, pipeline = "lively" }
  local mesh = muslin.mesh.grid { nodes = nodes, size = { 0.8, 0.04 }, plane = "xy" }
  if reorder then mesh = shuffled(mesh) end
  local cloth = world:cloth { mesh = mesh, self_collision = false, maps = { damping = map },
    material = SOFT[model] }
  cloth:pin { where = function(x) return math.abs(x) < 0.041 end } -- so wide that no element is on both sides
  local v = cloth.v
  for i = 1, cloth.vertex_count do v[i] = { 0.5 * cloth.x[i].x, 0, 0 } end
  world:advance(0.2)
  local left, right, energy = 0, 0, { 0, 0 }
  for i = 1, cloth.vertex_count do
    local x = cloth.x[i].x
    left, right = math.min(left, x), math.max(right, x)
    local side = x < 0 and 1 or 2
    energy[side] = energy[side] + cloth.v[i].x ^ 2
  end
  return -left, right, energy
end

scenario.each { { model = "springs", reorder = false }, { model = "stvk", reorder = false }, { model = "springs", reorder = true } } (
"each element has the factor of its own vertices: {model}, reordered {reorder}",
function(case)
  local model, reorder = case.model, case.reorder
  local nodes = reorder and { 121, 9 } or { 41, 3 }
  local low, _, slight = halves(model, nodes, 0.1, reorder)
  local high, _, strong = halves(model, nodes, 16, reorder)
  expect(strong[1] / slight[1], "what 160 times the damping leaves of the motion"):less_than(0.2)
  local left, right, mixed = halves(model, nodes, function(x) return x < 0 and 0.1 or 16 end, reorder)
  local difference = math.abs(low - high)
  expect(difference, "the ends differ"):more_than(1e-5)
  expect(left, "end of the side with less damping"):near(low, 0.05 * difference)
  expect(right, "end of the other"):near(high, 0.05 * difference)
  expect(mixed[1]):near(slight[1], 0.05 * slight[1])
  expect(mixed[2]):near(strong[1], 0.05 * slight[1])
end)

scenario("the map is in snapshots", function()
  local path = ".damping_map_test.muslin"
  local function scene(map)
    local world = muslin.world { threads = 1 }
    local cloth = world:cloth { name = "flag", mesh = GRID, maps = { damping = map } }
    cloth:pin { corners = "top_left" }
    return world, cloth
  end
  local map = function(x) return 1 + 10 * x ^ 2 end
  local world <close>, cloth = scene(map)
  world:advance(0.1)
  world:save(path)
  world:advance(0.1)
  local expected = cloth.x:totable()
  local again <close>, other = scene(map)
  again:restore(path)
  again:advance(0.1)
  expect(other.x:totable()):equals(expected)
  local differs <close> = scene(3)
  expect(function() differs:restore(path) end):raises "damping"
  local plain <close> = scene(nil)
  expect(function() plain:restore(path) end):raises "flag"
end)

scenario("what is no factor is refused", function()
  local world <close> = muslin.world {}
  local function refuses(map, pattern, material)
    expect(function()
      world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 } }, material = material, maps = { damping = map } }
    end):raises(pattern)
    expect(#world.cloths):equals(0)
  end
  refuses(-1, "cloth: map of damping at vertex 1 must be within 0..1000 %(got %-1%)")
  refuses(1001, "map of damping at vertex 1 must be within 0..1000")
  refuses(function(_, _, _, i) return i == 9 and 0 / 0 or 1 end, "map of damping at vertex 9")
  refuses(2, "a map of damping needs another material model than \"square_network\"", { model = "square_network" })
  local explicit <close> = muslin.world { pipeline = { preset = "sequential", integrator = "explicit_euler" } }
  explicit:cloth { mesh = GRID, maps = { damping = function(x) return x < 0 and 0 or 1 end } }
  expect(function() explicit:step() end):raises "explicit_euler' gains energy at any step unless the material is damped"
end)
