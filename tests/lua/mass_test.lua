-- Masses of vertices, written by a script.
local muslin = require "muslin"
local scenario, expect = muslin.scenario, muslin.expect

local function sheet(pipeline, mass)
  local world = muslin.world { pipeline = pipeline, threads = 1, dt = 1 / 240 }
  world:obstacle { shape = "sphere", radius = 0.1, at = { 0, -0.12, 0 } }
  return world, world:cloth { mesh = muslin.mesh.grid { nodes = { 9, 9 }, size = { 0.3, 0.3 } }, mass = mass }
end

for _, pipeline in ipairs { "robust", "sequential", "offset", "provot", "bridson_source" } do
  scenario(pipeline .. ": equal masses that are written are those of mass = \"equal\", bit for bit", function()
    local made <close>, equal = sheet(pipeline, "equal")
    local written <close>, cloth = sheet(pipeline)
    local by_area <close> = sheet(pipeline)
    assert(cloth.m[1] < cloth.m[41])
    cloth.m:fill(equal.m[1])
    expect(cloth.m:totable()):equals(equal.m:totable())
    expect(cloth.inverse_mass:totable()):equals(equal.inverse_mass:totable())
    for _ = 1, 24 do made:step() written:step() by_area:step() end
    assert(written:hash() == made:hash(), "the states differ")
    assert(by_area:hash() ~= made:hash(), "masses make no difference")
  end)
end

scenario("masses change between steps", function()
  local world <close> = muslin.world { gravity = { 0, 0, 0 }, air_density = 0, dt = 1 / 240 }
  local cloth = world:cloth { mesh = muslin.mesh.grid { nodes = { 4, 4 }, size = { 0.1, 0.1 } } }
  cloth:pin { vertices = { 1 } }
  world:step()
  local before = cloth.m[16]
  cloth.m[16] = 3 * before
  cloth.m[1] = 7
  assert(cloth.m[16] == 3 * before and cloth.inverse_mass[16] == 1 / cloth.m[16] and cloth.m[1] == 7)
  expect(cloth.inverse_mass[1], "pinned"):equals(0)
  cloth:unpin()
  expect(cloth.inverse_mass[1]):equals(1 / 7)
  local total = cloth.m:sum()
  world:force(function(c) c.f:add { 1, 0, 0 } end)
  for _ = 1, 24 do world:step() end
  local momentum = 0
  for i = 1, #cloth.x do momentum = momentum + cloth.m[i] * cloth.v[i].x end
  expect(momentum, "16 N for 0.1 s, N s"):near(1.6, 1e-9)
  expect(momentum / total, "m/s"):at_most(0.3)
  local path = ".mass_test.muslin" -- in the folder that the tests run in
  world:save(path)
  local again <close> = muslin.load(path, { hooks = false })
  expect(again.cloths[1].m:totable()):equals(cloth.m:totable())
end)

scenario("masses out of range, or written within a step, change nothing", function()
  local world <close> = muslin.world {}
  local cloth = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = { 3, 3 }, size = { 0.1, 0.1 } } }
  local before = cloth.m:totable()
  expect(function() cloth.m[5] = 0 end):raises "cloth.m[5] must be > 0 kg (got 0)"
  expect(function() cloth.m[5] = -1 end):raises "cloth.m[5] must be > 0 kg (got -1)"
  expect(function() cloth.m[2] = 0 / 0 end):raises "cloth.m[2]"
  expect(function() cloth.m:mul(1e40) end):raises "cloth.m[1]"
  expect(function() cloth.m[10] = 1 end):raises "10"
  expect(cloth.m:totable()):equals(before)
  local message
  world:on("after_step", function() message = select(2, pcall(function() cloth.m[5] = 1 end)) end)
  world:step()
  expect(tostring(message)):contains "cloth.m: not within a step"
  expect(cloth.m:totable()):equals(before)
end)
