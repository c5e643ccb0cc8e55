-- hunt_crossley.lua: Hunt & Crossley 1975, "Coefficient of restitution interpreted as damping in vibroimpact": a spring of
-- power 3/2 whose damping grows with the depth, so that the normal force is continuous and never attractive; Coulomb friction.
--   muslin compare SCENE.lua --rule examples/rules/hunt_crossley.lua
local muslin = require "muslin"

local k = muslin.param("k", 3000)     -- N/m^1.5
local alpha = muslin.param("alpha", 1) -- s/m: decrease of the restitution per m/s of impact speed

return muslin.rule(function(c)
  local vn = c.normal:dot(c.velocity)
  local vt = c.velocity - vn * c.normal
  local spring = k * c.depth * muslin.sqrt(c.depth)
  local normal = c.dt * muslin.max(spring * (1 - 1.5 * alpha * vn), 0)
  return normal * c.normal - muslin.min(c.friction * normal, c.mass * vt:length()) * vt:normalized()
end)
