-- limit_map_test.lua: a strain limit that varies over a cloth.
local muslin = require "muslin"
local shuffled = require "shuffled"

scenario.together()

-- A soft strip under tension, pinned at its top and loaded at its lower edge until its edges are at their limits.
local SOFT = { preset = "cotton", stretch = 20, shear = 10, strain_limit = 0.1, viscous_damping = 5 }
local function strip(options)
  local world = muslin.world { pipeline = options.pipeline, air_density = 0, threads = 1 }
  local mesh = options.mesh or muslin.mesh.grid { nodes = { 5, 25 }, size = { 0.08, 0.48 }, plane = "xy", center = { 0, 1, 0 } }
  local top = 1.24
  local material = {}
  for key, value in pairs(SOFT) do material[key] = value end
  material.strain_limit = options.limit or 0.1
  local cloth = world:cloth { name = "strip", mesh = mesh, material = material, maps = { strain_limit = options.map } }
  cloth:pin { where = function(_, y) return y > top - 1e-6 end }
  local low = {}
  for i = 1, cloth.vertex_count do if cloth.x[i].y < 0.76 + 1e-6 then low[#low + 1] = i end end
  world:force(function() for _, i in ipairs(low) do cloth.f[i] = { 0, -0.5 / #low, 0 } end end)
  return world, cloth
end

-- Strains of the edges along the strip, by the height of their middle in the rest shape.
local function strains(cloth, rest)
  local list = {}
  local edges = cloth:edges()
  for k = 1, #edges do
    local a, b = edges[k][1], edges[k][2]
    local p, q = rest[a], rest[b]
    if math.abs(p[1] - q[1]) < 1e-9 then
      local length = math.sqrt((p[1] - q[1]) ^ 2 + (p[2] - q[2]) ^ 2 + (p[3] - q[3]) ^ 2)
      list[#list + 1] = { height = 0.5 * (p[2] + q[2]), strain = (cloth.x[a] - cloth.x[b]):length() / length - 1 }
    end
  end
  return list
end

scenario.each { "robust", "lively", "sequential", "bridson", "provot", "offset" } (
"a uniform map is the limit of the material, to the bit: {}", function(pipeline)
  local results = {}
  for k, options in ipairs { { limit = 0.04 }, { limit = 0.2, map = 0.04 }, { limit = 0, map = 0.04 }, { limit = 0.2 } } do
    options.pipeline = pipeline
    local world <close>, cloth = strip(options)
    world:advance(0.2)
    results[k] = cloth.x:totable()
  end
  expect(results[2]):equals(results[1])
  expect(results[3]):equals(results[1])
  if pipeline ~= "offset" then -- without a limit of its own
    expect(results[4][1][2] ~= results[1][1][2], "the limit matters"):is_true()
  end
end)

scenario.each { false, true } ("edges keep the limits of their places: {}", function(reordered)
  local nodes = reordered and { 12, 85 } or { 5, 25 } -- from 1000 vertices on the solver has an order of its own
  local mesh = muslin.mesh.grid { nodes = nodes, size = { 0.08, 0.48 }, plane = "xy", center = { 0, 1, 0 } }
  if reordered then mesh = shuffled(mesh) end
  local world <close>, cloth = strip { mesh = mesh, map = function(_, y) return y > 1 + 1e-6 and 0.04 or 0.2 end }
  local rest = cloth.x:totable()
  world:advance(reordered and 0.5 or 2)
  local above, between, below = 0, 0, 0
  for _, edge in ipairs(strains(cloth, rest)) do
    if edge.height > 1.02 then above = math.max(above, edge.strain) end
    if edge.height > 1 and edge.height < 1 + 0.48 / (nodes[2] - 1) then between = math.max(between, edge.strain) end
    if edge.height < 0.98 then below = math.max(below, edge.strain) end
  end
  expect(above, "strain where the limit is 0.04"):between(0.03, 0.046)
  expect(between, "strain where it is the mean"):between(0.1, 0.125)
  expect(below, "strain where it is 0.2"):between(0.15, 0.21)
  expect(world):penetration_free()
end)

scenario("the limits are in snapshots", function()
  local path = ".limit_map_test.muslin"
  local world <close>, cloth = strip { map = function(_, y) return y > 1 and 0.04 or 0.2 end }
  world:advance(0.1)
  world:save(path)
  world:advance(0.1)
  local expected = cloth.x:totable()
  local again <close>, other = strip { map = function(_, y) return y > 1 and 0.04 or 0.2 end }
  again:restore(path)
  again:advance(0.1)
  expect(other.x:totable()):equals(expected)
  local loaded <close> = muslin.load(path)
  expect(loaded:find("strip").vertex_count):equals(125)
  local differs <close> = strip { map = 0.3 }
  expect(function() differs:restore(path) end):raises "strain limit"
end)

scenario("what is no limit is refused", function()
  local world <close> = muslin.world {}
  local function refuses(map, pattern, material)
    expect(function()
      world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 } }, material = material, maps = { strain_limit = map } }
    end):raises(pattern)
    expect(#world.cloths):equals(0)
  end
  refuses(0, "cloth: map of strain_limit at vertex 1 must be within 0.001..10 %(got 0%)")
  refuses(11, "map of strain_limit at vertex 1 must be within 0.001..10")
  refuses(function(_, _, _, i) return i == 9 and 0 / 0 or 0.1 end, "map of strain_limit at vertex 9")
  refuses(0.1, "does not fit a material with limit_stiffness %(500 N/m%)",
    { model = "stvk", strain_limit = 0.05, limit_stiffness = 500 })
end)
