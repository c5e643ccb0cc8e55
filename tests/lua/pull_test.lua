-- pull_test.lua: cloth:pull, the pulling constraint of position-based dynamics: it disturbs cloth, moves it, gives way, works
-- with seams, snapshots and undone steps, and reports mistakes.
local muslin = require "muslin"
local once = require "once"

local path = ".pull_test.muslin" -- in the folder that the tests run in
scenario.together()

local function sheet(options)
  options = options or {}
  options.pipeline = options.pipeline or { integrator = "position_based" }
  options.dt, options.threads = options.dt or 1 / 120, 1
  local world = muslin.world(options)
  local cloth = world:cloth { name = "sheet",
    mesh = muslin.mesh.grid { nodes = {7, 7}, size = {0.3, 0.3}, plane = "xy", center = {0, 1, 0} } }
  return world, cloth
end

-- How far the cloth is from the plane that it started in.
local function depth(cloth)
  local most = 0
  for i = 1, #cloth.x do most = math.max(most, math.abs(cloth.x[i].z)) end
  return most
end

scenario("a hanging sheet lies in its plane until a pull disturbs it", function()
  local world, cloth = sheet { air_density = 0 }
  cloth:pin { vertices = {43, 49} }
  world:advance(0.2)
  expect(depth(cloth)):near(0, 1e-12)
  expect(cloth:pull { vertices = {4}, stiffness = 0.2, path = function() return {0, 0.85, 0.05} end }):equals(1)
  expect(cloth:pulled()):equals {4}
  expect(cloth:pulled(4)):equals(0.2)
  expect(cloth:pulled(5)):equals(0)
  expect(cloth:pinned()):equals {43, 49}
  world:advance(0.3)
  assert(depth(cloth) > 5e-3 and depth(cloth) < 0.06, depth(cloth))
  cloth:unpin { vertices = {4} }
  expect(cloth:pulled()):equals {}
  local before = cloth.x[4].z
  world:advance(0.1)
  assert(cloth.x[4].z ~= before)
end)

scenario("a pull gives way to what is in the way, where a pin may not be moved", function()
  local world, cloth = sheet()
  world:obstacle { name = "wall", shape = "plane", normal = {0, 0, 1}, at = {0, 0, -0.05} }
  local function to(t) return {0, 1, -0.3 * t} end
  cloth:pull { vertices = {25}, stiffness = 5, path = to }
  world:advance(0.4)
  expect(world):penetration_free()
  expect(cloth.x[25].z):near(-0.0495, 6e-4) -- half a thickness off
  cloth:pin { vertices = {25}, path = function(t) return {0, 1, -0.0495 - 0.3 * (t - 0.4)} end }
  expect(function() world:advance(0.1) end):raises("no safe step: the pin of vertex 25")
end)

scenario("a pull to an obstacle follows it", function()
  local world, cloth = sheet { gravity = {0, 0, 0}, air_density = 0 }
  local bar = world:obstacle { name = "bar", shape = "box", size = {0.4, 0.02, 0.02}, at = {0, 1.2, 0} }
  bar:move(function(t) return {0, 1.2 + 0.1 * t, 0} end)
  expect(cloth:pull { where = function(_, y) return y > 1.149 end, to = bar, stiffness = 50 }):equals(7)
  world:advance(0.5)
  for i = 43, 49 do expect(cloth.x[i].y):near(1.15 + 0.05, 2e-3) end
  expect(function() world:remove(bar) end):raises("pinned to obstacle 'bar'")
end)

scenario("pulls of cloth that is sewn", function()
  local world, cloth = sheet { gravity = {0, 0, 0}, air_density = 0 }
  local low = world:cloth { name = "low",
    mesh = muslin.mesh.grid { nodes = {7, 4}, size = {0.3, 0.15}, plane = "xy", center = {0, 0.774, 0} } }
  local ends = {}
  for k = 1, 7 do ends[k] = 21 + k end
  local seam = world:stitch { a = {low, ends}, b = {cloth, {1, 2, 3, 4, 5, 6, 7}} }
  cloth:pull { vertices = {43, 49}, stiffness = 5, path = function(t, i) return {i == 43 and -0.15 or 0.15, 1.15 + 0.2 * t, 0} end }
  world:advance(0.5)
  expect(cloth.x[43].y):near(1.25, 0.02)
  expect(low:centroid().y):near(0.874, 0.04)
  expect(seam.gap):at_most(2e-3)
end)

scenario("a step that is undone leaves pulls as they were", function()
  local world, cloth = sheet()
  cloth:pull { vertices = {4}, stiffness = 1 }
  world:on("after_step", function()
    cloth:pull { vertices = {4, 5}, stiffness = 3 }
    cloth:pin { vertices = {1} }
    error("no")
  end)
  expect(function() world:step() end):raises("no")
  expect(cloth:pulled()):equals {4}
  expect(cloth:pulled(4)):equals(1)
  expect(cloth:pinned()):equals {}
  expect(cloth.inverse_mass[1] * cloth.m[1]):near(1)
  expect(cloth.inverse_mass[4] * cloth.m[4]):near(1)
end)

scenario("a world with pulls goes on the same from a snapshot", function()
  local function fresh()
    local world, cloth = sheet()
    cloth:pull { vertices = {4}, stiffness = 1, path = function(t) return {0, 0.85 + t, 0.1} end }
    cloth:pull { vertices = {43, 49}, stiffness = 20 }
    cloth:pin { vertices = {46} }
    return world, cloth
  end
  local world, cloth = fresh()
  for _ = 1, 12 do world:step() end
  world:save(path)
  for _ = 1, 12 do world:step() end
  local wanted = world:hash()
  cloth:unpin()
  world:step()
  world:restore(path)
  expect(cloth:pulled()):equals {4, 43, 49}
  expect(cloth:pulled(49)):equals(20)
  for _ = 1, 12 do world:step() end
  expect(world:hash()):equals(wanted)
  local other = fresh()
  other:restore(path)
  for _ = 1, 12 do other:step() end
  expect(other:hash()):equals(wanted)
  -- a file holds no functions
  local loaded = muslin.load(path)
  expect(function() loaded:step() end):raises("vertex 4 followed a path")
  local again = loaded.cloths[1]
  again:pull { vertices = {4}, stiffness = 1, path = function(t) return {0, 0.85 + t, 0.1} end }
  for _ = 1, 12 do loaded:step() end
  expect(loaded:hash()):equals(wanted)
end)

scenario("by name: pulls to places come along, where there are any", function()
  local world, cloth = sheet()
  cloth:pull { vertices = {43, 49}, stiffness = 7 }
  for _ = 1, 30 do world:step() end
  world:save(path)
  for _ = 1, 10 do world:step() end
  local wanted = cloth.x:copy()
  local same, twin = sheet()
  twin:pin { vertices = {43} }
  twin:pull { vertices = {1}, stiffness = 1 }
  same:restore(path, { by_name = true })
  expect(twin:pulled()):equals {43, 49}
  expect(twin:pulled(43)):equals(7)
  expect(twin:pinned()):equals {}
  for _ = 1, 10 do same:step() end
  for i = 1, #wanted do expect((twin.x[i] - wanted[i]):length()):at_most(1e-6) end
  local robust, pinned_sheet = sheet { pipeline = "robust" }
  pinned_sheet:pin { vertices = {43} }
  robust:restore(path, { by_name = true })
  expect(pinned_sheet:pulled()):equals {43, 49}
  expect(pinned_sheet:pinned()):equals {}
end)

-- Weight of the cloth, N.
local function weight_of(cloth)
  local sum = 0
  for i = 1, #cloth.m do sum = sum + cloth.m[i] end
  return 9.81 * sum
end

for _, pipeline in ipairs { "robust", "offset", "newton", "sequential" } do
  scenario("soft pins carry the weight by their springs: " .. pipeline, function()
    local world, cloth = sheet { pipeline = once(pipeline), gravity = {0, -9.81, 0} }
    local stiffness, start = 2, { [43] = cloth.x[43].y, [49] = cloth.x[49].y }
    expect(cloth:pull { vertices = {43, 49}, stiffness = stiffness, damping = 0.05 }):equals(2)
    world:advance(6)
    local carried = 0
    for i, y in pairs(start) do carried = carried + stiffness * (y - cloth.x[i].y) end
    expect(carried / weight_of(cloth)):near(1, 0.01)
    expect(cloth:pinned()):equals {}
  end)

  scenario("a soft pin gives way to a wall, and its damping is of the velocity relative to the place: " .. pipeline, function()
    local world, cloth = sheet { pipeline = once(pipeline), gravity = {0, 0, 0}, air_density = 0 }
    world:obstacle { name = "wall", shape = "plane", normal = {0, 0, 1}, at = {0, 0, -0.05} }
    local all, from = {}, cloth.x:copy()
    for i = 1, #cloth.x do all[i] = i end
    -- with damping against the world at rest the sheet would lag by damping speed / stiffness, 0.05 m
    cloth:pull { vertices = all, stiffness = 0.2, damping = 0.1, path = function(t, i)
      return { from[i].x + 0.1 * t, from[i].y, from[i].z }
    end }
    world:advance(3)
    expect(cloth:centroid().x - from[25].x):near(0.3, 2e-3)
    cloth:unpin()
    cloth:pull { vertices = {25}, stiffness = 5, path = function(t) return {0.3, 1, -0.3 * (t - 3)} end }
    world:advance(0.4)
    expect(world):penetration_free()
    assert(cloth.x[25].z > -0.05 and cloth.x[25].z < -0.03, cloth.x[25].z)
  end)
end

scenario("a soft pin to an obstacle follows it, and a snapshot goes on the same", function()
  local function fresh()
    local world, cloth = sheet { pipeline = "robust", gravity = {0, 0, 0}, air_density = 0 }
    local bar = world:obstacle { name = "bar", shape = "box", size = {0.4, 0.02, 0.02}, at = {0, 1.2, 0} }
    bar:move(function(t) return {0, 1.2 + 0.1 * t, 0} end)
    cloth:pull { where = function(_, y) return y > 1.149 end, to = bar, stiffness = 50, damping = 0.2 }
    return world, cloth
  end
  local world, cloth = fresh()
  world:advance(0.5)
  for i = 43, 49 do expect(cloth.x[i].y):near(1.15 + 0.05, 2e-3) end
  world:save(path)
  world:advance(0.2)
  local other = fresh()
  other:restore(path)
  other:advance(0.2)
  expect(other:hash()):equals(world:hash())
end)

scenario("soft pins to two obstacles follow each its own", function()
  local world, cloth = sheet { pipeline = "robust", gravity = {0, 0, 0}, air_density = 0 }
  local bars = {}
  for side = -1, 1, 2 do
    local function at(t) return {side * (0.4 + 0.02 * t), 1 + 0.05 * side * t, 0} end
    bars[side] = world:obstacle { shape = "box", size = {0.02, 0.4, 0.02}, at = at(0) }
    bars[side]:move(at)
    -- stiff beside the sheet's shear
    cloth:pull { where = function(x) return side * x > 0.149 end, to = bars[side], stiffness = 5000, damping = 1 }
  end
  world:advance(0.5)
  expect(cloth.x[22].y):near(1 - 0.025, 2e-3)
  expect(cloth.x[28].y):near(1 + 0.025, 2e-3)
end)

scenario("a world whose soft pins are at rest sleeps, and wakes with their place", function()
  local world, cloth = sheet { pipeline = "robust", sleep = true }
  local bar = world:obstacle { name = "bar", shape = "box", size = {0.4, 0.02, 0.02}, at = {0, 1.2, 0} }
  local moves = false
  bar:move(function(t) return {0, moves and 1.2 + 0.1 * (t - moves) or 1.2, 0} end)
  cloth:pull { where = function(_, y) return y > 1.149 end, to = bar, stiffness = 50, damping = 0.2 }
  world:advance(6)
  expect(world.asleep):is_true()
  local y = cloth.x[46].y
  moves = world.time
  world:advance(0.5)
  expect(world.asleep):is_false()
  expect(cloth.x[46].y - y):near(0.05, 3e-3)
end)

scenario("a slowly growing force on a vertex with a soft pin wakes it", function()
  local world, cloth = sheet { pipeline = "robust", sleep = true }
  cloth:pull { where = function(_, y) return y > 1.149 end, stiffness = 50, damping = 0.2 }
  local grows = false
  world:force(function(c, t)
    if grows then c.f[46] = {0, 0, 0.2 * (t - grows)} end -- 2 mN more in each step, which stretches the spring by 0.03 mm
  end)
  world:advance(3)
  expect(world.asleep):is_true()
  grows = world.time
  world:advance(1)
  assert(cloth.x[46].z > 2e-3, cloth.x[46].z)
end)

scenario("errors say what is wrong", function()
  local world, cloth = sheet()
  local function raises(options, pattern)
    expect(function() cloth:pull(options) end):raises(pattern)
  end
  raises({ vertices = {1} }, "pull_test.lua:%d+: cloth:pull: field 'stiffness' is missing")
  raises({ vertices = {1}, stiffness = 0 }, "'stiffness' must be > 0 N/m, and finite %(got 0%)")
  raises({ vertices = {1}, stiffness = math.huge }, "'stiffness' must be")
  raises({ vertices = {1}, stiffness = "much" }, "stiffness.*number")
  raises({ vertices = {50}, stiffness = 1 }, "cloth:pull: field 'vertices'.*1 to 49 %(got 50")
  raises({ stiffness = 1 }, "cloth:pull: say which vertices")
  raises({ vertices = {1}, stifness = 1 }, "stifness.*stiffness")
  raises({ vertices = {1}, stiffness = 1, to = cloth }, "cloth:pull: field 'to' must be an obstacle")
  raises({ vertices = {1}, stiffness = 1, path = 3 }, "cloth:pull: field 'path'")
  local ball = world:obstacle { shape = "sphere", radius = 0.05, motion = "dynamic", mass = 1 }
  raises({ vertices = {1}, stiffness = 1, to = ball, path = function() return {0, 0, 0} end }, "'to' or 'path', not both")
  raises({ vertices = {1}, stiffness = 1, to = ball }, "is dynamic")
  expect(function() cloth:pin { vertices = {1}, stiffness = 1 } end):raises("cloth:pin: unknown field 'stiffness'")
  expect(function() return cloth:pulled(50) end):raises("cloth:pulled%(i%): i must be a whole number from 1 to 49")
  expect(cloth:pulled()):equals {}
  raises({ vertices = {1}, stiffness = 1e16 }, "must be at most 1e%+15 %(got 1e%+16 and 0%)")
  raises({ vertices = {1}, stiffness = 1, damping = 0.1 }, "'position_based' projects pulls without damping")
  local _, other = sheet { pipeline = "robust" }
  expect(function() other:pull { vertices = {1}, stiffness = 1, damping = -1 } end):raises "damping.*>= 0.*got 1 and %-1"
end)
