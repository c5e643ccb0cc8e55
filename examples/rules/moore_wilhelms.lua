-- moore_wilhelms.lua: Moore & Wilhelms 1988, "Collision detection and response for computer animation", 4.1: a stiff spring
-- at proximity, scaled by the restitution while the sides separate; friction by the normal force of the spring.
--   muslin compare SCENE.lua --rule examples/rules/moore_wilhelms.lua
local muslin = require "muslin"

local k = muslin.param("k", 200) -- N/m

return muslin.rule(function(c)
  local vn = c.normal:dot(c.velocity)
  local vt = c.velocity - vn * c.normal
  local normal = c.dt * k * c.depth * muslin.select(muslin.lt(vn, 0), 1, c.restitution)
  return normal * c.normal - muslin.min(c.friction * normal, c.mass * vt:length()) * vt:normalized()
end)
