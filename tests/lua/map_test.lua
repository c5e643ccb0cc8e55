-- map_test.lua: maps of density and shrinkage over a cloth.
local muslin = require "muslin"

local MODELS = { "springs", "mass_spring", "choi_ko", "stvk", "neo_hookean" }

local function sheet(world, maps, material, options)
  options = options or {}
  options.mesh = options.mesh or muslin.mesh.grid { nodes = { 7, 5 }, size = { 0.6, 0.4 }, plane = "xy" }
  options.material, options.maps = material or "cotton", maps
  return world:cloth(options)
end

local function total_mass(cloth)
  local sum = 0
  for i = 1, cloth.vertex_count do sum = sum + cloth.m[i] end
  return sum
end

scenario("a map of density gives every vertex its mass", function()
  local world <close> = muslin.world {}
  local area = 0.6 * 0.4
  expect(total_mass(sheet(world, { density = 0.5 }))):near(0.5 * area, 1e-12)
  local function rising(x) return 0.2 + x end -- of x from -0.3 to 0.3: 0.2 in the mean
  local by_function = sheet(world, { density = function(x, y, z, i)
    assert(y >= -0.2 - 1e-12 and y <= 0.2 + 1e-12 and z == 0 and math.type(i) == "integer")
    return rising(x + 0.3)
  end })
  expect(total_mass(by_function)):near(0.5 * area, 1e-12)
  local numbers = {}
  for i = 1, by_function.vertex_count do numbers[i] = rising(by_function.x[i].x + 0.3) end
  local by_list, by_array = sheet(world, { density = numbers }), sheet(world, { density = muslin.array(numbers) })
  expect(by_list.m:totable()):equals(by_function.m:totable())
  expect(by_array.m:totable()):equals(by_function.m:totable())
  assert(by_function.m[7] > 3 * by_function.m[1])
  expect(total_mass(sheet(world, { density = numbers }, nil, { mass = "equal" }))):near(0.5 * area, 1e-12)
end)

scenario("without a map nothing changes", function()
  local world <close> = muslin.world {}
  local plain, same = sheet(world), sheet(world, { density = 0.15, shrinkage = 0 }, { preset = "cotton", density = 0.15 })
  local reference = sheet(world, nil, { preset = "cotton", density = 0.15 })
  expect(same.m:totable()):equals(reference.m:totable())
  assert(plain.vertex_count == same.vertex_count)
end)

scenario("cloth shrinks to the lengths of its map, in every model", function()
  for _, model in ipairs(MODELS) do
    local world <close> = muslin.world { gravity = { 0, 0, 0 }, air_density = 0 }
    local cloth = sheet(world, { shrinkage = 0.1 }, { preset = "cotton", model = model, viscous_damping = 20 })
    local mass = total_mass(cloth)
    cloth:pin { vertices = { 1 } }
    world:advance(1.5)
    local low, high = cloth:bounds()
    local slack = model == "choi_ko" and 0.02 or 2e-3 -- m: it has no stiffness in compression
    expect(high.x - low.x, model):between(0.54 - slack, 0.542)
    expect(high.y - low.y, model):between(0.36 - slack, 0.362)
    expect(total_mass(cloth)):equals(mass)
    expect(world):penetration_free()
  end
end)

scenario("an elastic band gathers the edge of a tube", function()
  local world <close> = muslin.world { gravity = { 0, 0, 0 }, air_density = 0 }
  local mesh = muslin.mesh.tube { radius = 0.1, length = 0.2, segments = 32 }
  local band = function(_, y) return y > 0.09 and 0.3 or 0 end
  local cloth = sheet(world, { shrinkage = band }, { preset = "cotton", viscous_damping = 20 }, { mesh = mesh })
  local function girth(of)
    local sum, count = 0, 0
    for i = 1, cloth.vertex_count do
      local p = cloth.x[i]
      if of(mesh.x[i].y) then sum, count = sum + math.sqrt(p.x ^ 2 + p.z ^ 2), count + 1 end
    end
    return sum / count
  end
  world:advance(1)
  expect(girth(function(y) return y > 0.099 end), "m, radius of the band"):between(0.065, 0.08)
  expect(girth(function(y) return y < -0.05 end), "m, radius of the rest"):between(0.095, 0.105)
  expect(world):penetration_free()
end)

scenario("a heavy border hangs lower, in the ratio of the weights", function()
  local world <close> = muslin.world { air_density = 0 }
  local lengths = {}
  for k, load in ipairs { 0, 4 } do
    local mesh = muslin.mesh.grid { nodes = { 3, 21 }, size = { 0.04, 0.4 }, plane = "xy", center = { 0.3 * k, 0, 0 } }
    local strip = sheet(world, { density = function(_, y) return 0.2 + (y < -0.19 and load or 0) end },
      { preset = "cotton", strain_limit = 0, viscous_damping = 10 }, { mesh = mesh })
    strip:pin { where = function(_, y) return y > 0.2 - 1e-9 end }
    lengths[k] = strip
  end
  world:advance(2)
  local stretch = {}
  for k, strip in ipairs(lengths) do
    local low = strip:bounds()
    stretch[k] = 0.2 - low.y - 0.4
  end
  -- strain of a strip under its own weight: rho g L^2 / 2E; with a load of mass per width m at the end: + m g L / E
  local load = 4 * 0.01 -- kg/m: half of the last row of faces
  expect(stretch[2] / stretch[1]):near(1 + load * 0.4 / (0.5 * 0.2 * 0.4 ^ 2), 0.25)
end)

scenario("maps are in snapshots, and in the same bits after loading", function()
  local world <close> = muslin.world {}
  local cloth = sheet(world, { density = function(x) return 0.3 + x ^ 2 end, shrinkage = function(_, y) return 0.1 * y end })
  cloth:pin { corners = { "top_left" } }
  world:advance(0.1)
  world:save ".map_test.muslin"
  local again <close> = muslin.load ".map_test.muslin"
  world:advance(0.1)
  again:advance(0.1)
  expect(again:hash()):equals(world:hash())
  expect(again.cloths[1].m:totable()):equals(cloth.m:totable())
end)

scenario("what is wrong with a map is reported, and no cloth is made", function()
  local world <close> = muslin.world {}
  local function refuses(maps, pattern, material)
    expect(function() sheet(world, maps, material) end):raises(pattern)
    expect(#world.cloths):equals(0)
  end
  refuses({ densty = 1 }, "did you mean 'density'")
  refuses({ density = { 1, 2 } }, "map of density must have a number for each of the mesh's 35 vertices %(got 2%)")
  refuses({ density = muslin.array(35) }, "35 rows of 3")
  refuses({ density = "heavy" }, "must be a number, an array, a list, a function")
  refuses({ density = function() return nil end }, "must return a number %(got nil for vertex 1%)")
  refuses({ density = function(_, _, _, i) return i - 3 end }, "map of density at vertex 1")
  refuses({ density = function() return 0 / 0 end }, "map of density at vertex 1")
  refuses({ shrinkage = 0.95 }, "map of shrinkage at vertex 1 must be within %-1..0.9 %(got 0.95%)")
  refuses({ shrinkage = 0.1 }, "square_network", { model = "square_network" })
  refuses({ density = function() world:step() end }, "map")
  refuses(3, "maps")
end)
