-- bridson.lua: Bridson, Fedkiw & Anderson 2002, "Robust treatment of collisions, contact and friction for cloth animation",
-- 7.2-7.4: inelastic impulses, spring repulsion to the thickness at proximity, Coulomb friction by their normal impulse.
--   muslin compare SCENE.lua --rule examples/rules/bridson.lua
local muslin = require "muslin"

local k = muslin.param("k", 1000) -- N/m, of the repulsion; the source takes the cloth's stretch stiffness

return muslin.rule(function(c)
  local vn = c.normal:dot(c.velocity)
  local vt = c.velocity - vn * c.normal
  local hit = muslin.gt(c.toi, 0)
  local d = muslin.max(-c.start_gap, 0)
  local dv = muslin.max(-(1 + hit * c.restitution) * vn, 0)
  dv = dv + muslin.max(muslin.min(c.dt * k * d / c.mass, 0.1 * d / c.dt - (vn + dv)), 0)
  return c.mass * (dv * c.normal - muslin.min(c.friction * dv, vt:length()) * vt:normalized())
end)
