-- volino.lua: after Volino & Magnenat-Thalmann 2000, "Implementing fast cloth simulation with collision response": the
-- velocity is corrected, and with it the position at the end of the step, so that a share of the thickness is restored.
--   muslin compare SCENE.lua --rule examples/rules/volino.lua
local muslin = require "muslin"

local share = muslin.param("share", 0.2) -- of the missing distance, per step

return muslin.rule(function(c)
  local vn = c.normal:dot(c.velocity)
  local vt = c.velocity - vn * c.normal
  local wanted = muslin.select(muslin.gt(c.gap, 0), -c.gap, share * c.depth) / c.dt -- m/s along the normal
  local jn = c.mass * muslin.max(wanted - vn, 0)
  return jn * c.normal - muslin.min(c.friction * jn, c.mass * vt:length()) * vt:normalized()
end)
