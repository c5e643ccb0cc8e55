-- moore_wilhelms.lua: Moore & Wilhelms 1988, "Collision detection and response for computer animation", 4.1: a stiff spring
-- where things are too near, weaker by the restitution while they part; friction by the spring's push.
--   muslin compare SCENE.lua --rule examples/rules/moore_wilhelms.lua
local muslin = require "muslin"

local k = muslin.param("k", 200) -- N/m

return muslin.rule(function(c)
  local vn = c.normal:dot(c.velocity)
  local vt = c.velocity - vn * c.normal
  local push = c.dt * k * c.depth * muslin.select(muslin.lt(vn, 0), 1, c.restitution)
  return push * c.normal - muslin.min(c.friction * push, c.mass * vt:length()) * vt:normalized()
end)
