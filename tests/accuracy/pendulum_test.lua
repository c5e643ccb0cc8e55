-- pendulum_test.lua: period and amplitude half-life of a hanging sheet in its first mode (that of a chain), against
-- Bessel's closed form and the damping of the integrator.
local muslin = require "muslin"
local plot = require("kit.curves").plot("pendulum", "time, s", "amplitude, m", "linear")

local G, LENGTH, AMPLITUDE, ROOT, SECONDS = 9.81, 0.5, 0.02, 2.404825557695773, 6

-- Bessel's function J0, by its series.
local function bessel(x)
  local sum, term = 1, 1
  for k = 1, 30 do
    term = -term * x * x / (4 * k * k)
    sum = sum + term
  end
  return sum
end

scenario.each { pipeline = {"robust", "sequential", "lively"} }
  ("a sheet swings with the period of a chain under {pipeline}", function(case)
  local dt = 1/120
  local world = muslin.world { dt = dt, pipeline = case.pipeline, air_density = 0, threads = 1 }
  -- Two columns: a wider strip without bending stiffness curls by a centimeter under robust and newton, and is no chain.
  local mesh = muslin.mesh.grid { nodes = {2, 41}, size = {0.05, LENGTH}, plane = "xy", center = {0, -LENGTH / 2, 0} }
  local rest = mesh:copy()
  for i = 1, mesh.vertex_count do
    local x, y = mesh.x:get(i)
    mesh.x:set(i, x, y, AMPLITUDE * bessel(ROOT * math.sqrt(math.max(0, 1 + y / LENGTH))))
  end
  local sheet = world:cloth { mesh = mesh, rest = rest, self_collision = false, material = { preset = "cotton",
    bending = 0, damping = 0, bending_damping = 0, drag = 0 } }
  sheet:pin { edge = "top" }
  local peaks, peak = {}, { time = 0, size = 0 } -- the largest |z| between two changes of its sign
  local sign = 1
  while world.time < SECONDS do
    world:step()
    local z = sheet.x[1].z
    if z * sign < 0 then
      peaks[#peaks + 1] = peak
      peak, sign = { time = 0, size = 0 }, -sign
    end
    if math.abs(z) > peak.size then peak = { time = world.time, size = math.abs(z) } end
  end
  local first, final = peaks[2], peaks[#peaks]
  local omega = ROOT / 2 * math.sqrt(G / LENGTH)
  local period = 2 * (final.time - first.time) / (#peaks - 2)
  local half_life = (final.time - first.time) * math.log(2) / math.log(first.size / final.size)
  local euler = 2 * math.log(2) / (omega ^ 2 * dt)
  print(("pendulum %s: period %.4f s of %.4f, half-life %.2f s, implicit Euler's %.2f s"):format(case.pipeline, period,
    2 * math.pi / omega, half_life, euler))
  for _, each in ipairs(peaks) do plot.add(case.pipeline, each.time, each.size) end
  expect(period * omega / (2 * math.pi), "period, of a chain's"):between(0.98, 1.02)
  if case.pipeline == "lively" then
    -- that of generalized alpha is 1,400 s; the rest is the curl of the strip, which the other two damp
    expect(half_life, "half-life, s"):at_least(300)
  else
    expect(half_life / euler, "half-life, of implicit Euler's"):at_least(0.9)
  end
end)
