-- 09_fan.lua: a fan moves along a curtain; motion and wind are traced functions, which run without Lua.
-- muslin view examples/09_fan.lua      (m, kg, s; y is up)
--
-- The fan's position is a function of time, its jet one of position and time: both call the same function for the position.
local muslin = require "muslin"

local WIDTH, HEIGHT = 1.6, 0.8 -- m, of the curtain
local REACH = 0.16             -- m: half the width of the jet
local speed = muslin.param("speed", 7) -- m/s, on its axis; rule:set("speed", …) changes it during the run

local world = muslin.world { duration = 4, air_density = 1.2 }

local curtain = world:cloth {
  name = "curtain",
  mesh = muslin.mesh.grid { nodes = {41, 21}, size = {WIDTH, HEIGHT}, plane = "xy", center = {0, 1.2, 0} },
  material = { preset = "silk", drag = 1.2 },
}
curtain:pin { where = function(_, y) return y > 1.6 - 1e-6 end } -- the rail

local function fan_at(t)
  return muslin.vec3(0.5 * muslin.sin(1.2 * t), 1, -0.5)
end

local fan = world:obstacle { name = "fan", shape = "sphere", radius = 0.08, at = {0, 1, -0.5} }
fan:move(muslin.motion(fan_at))

world:force(muslin.wind(function(x, t)
  local off = x - fan_at(t)
  local aside = (off.x * off.x + off.y * off.y) / (REACH * REACH)
  return muslin.vec3(0, 0, speed * muslin.exp(-aside))
end), "jet")

-- The position of the curtain's largest deflection, and that of the fan.
local function bulge()
  local most, at = 0, 0
  for i = 1, curtain.vertex_count do
    local x = curtain.x[i]
    if x.z > most then most, at = x.z, x.x end
  end
  return most, at
end

local followed, counted = 0, 0
world:on("frame", function(_, t)
  local most, at = bulge()
  world:log("bulge", most)
  if t < 1 then return end
  counted = counted + 1
  if math.abs(at - fan.position.x) < 0.4 then followed = followed + 1 end
end)

world:on("done", function()
  expect(world):penetration_free():finite()
  expect(curtain):stretched_at_most(0.12)
  expect(bulge(), "the curtain flies out"):more_than(0.02)
  expect(followed / counted, "the bulge follows the fan"):more_than(0.8)
end)

return world
