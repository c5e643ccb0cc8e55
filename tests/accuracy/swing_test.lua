-- swing_test.lua: a hanging sheet after a fast ball has hit it, with large time steps and with small ones.
local muslin = require "muslin"
local plot = require("kit.curves").plot("swing", "time, s", "mean deflection, m", "linear")

local SECONDS, EVERY = 1.8, 0.05

-- Mean deflection at times EVERY apart.
local function swing(pipeline, rate)
  local world = muslin.world { dt = 1/rate, fps = 1/EVERY, pipeline = pipeline, air_density = 0, threads = 1 }
  local sheet = world:cloth { material = "cotton", thickness = 1e-3, friction = 0.3,
    mesh = muslin.mesh.grid { nodes = {15, 22}, size = {0.4, 0.6}, plane = "xy" } }
  sheet:pin { edge = "top" }
  local ball = world:obstacle { shape = "sphere", radius = 0.08, at = {0, -0.2, -0.2}, friction = 0.3 }
  ball:move(function(t) return {0, -0.2, 2 * t - 0.2} end)
  local curve = {}
  while world.time < SECONDS - 1e-9 do
    world:advance(EVERY)
    curve[#curve + 1] = sheet.x:mean().z
    plot.add(("%s, 1/%d s"):format(pipeline, rate), world.time, curve[#curve])
  end
  return curve
end

-- Largest distance of two curves, of the largest deflection of the second.
local function off(curve, reference)
  local worst, largest = 0, 0
  for i = 1, #reference do
    worst = math.max(worst, math.abs(curve[i] - reference[i]))
    largest = math.max(largest, math.abs(reference[i]))
  end
  return worst / largest
end

scenario("a sheet swings as far after a blow with steps of 1/120 s as with 1/1000 s", function()
  local reference = swing("lively", 1000)
  for _, case in ipairs { { "robust", 120, 0.25 }, { "robust", 240, 0.2 }, { "lively", 120, 0.1 }, { "lively", 240, 0.05 } } do
    local pipeline, rate, most = table.unpack(case)
    local error = off(swing(pipeline, rate), reference)
    print(("swing %s 1/%d s: off by %.1f %%"):format(pipeline, rate, 100 * error))
    expect(error, ("deviation of %s with 1/%d s, of the amplitude"):format(pipeline, rate)):at_most(most)
  end
end)
