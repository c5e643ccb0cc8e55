-- bigliani.lua: Bigliani & Eischen, "Collision detection in cloth modeling", 3.2, eq. 11 and 17: the colliding vertex gets
-- the whole impulse (M much larger than m): restitution along the normal, Coulomb friction tangentially.
--   muslin compare SCENE.lua --rule examples/rules/bigliani.lua
local muslin = require "muslin"

return muslin.rule(function(c)
  local vn = c.normal:dot(c.velocity)
  local vt = c.velocity - vn * c.normal
  local change = -(1 + c.restitution) * vn
  local kept = muslin.max(1 - c.friction * muslin.abs(change) / muslin.max(vt:length(), 1e-300), 0)
  local j = c.mass * (change * c.normal + (kept - 1) * vt)
  return muslin.select(muslin.lt(vn, 0), j, { 0, 0, 0 }), { 0, 0, 0 }
end)
