-- provot.lua: Provot 1997, "Collision and self-collision handling in cloth model dedicated to design garments", eq. 4:
-- friction and dissipation on each vertex by itself, in the frame of the colliding vertices.
--   muslin compare SCENE.lua --rule examples/rules/provot.lua
local muslin = require "muslin"

return muslin.rule({ per = "node" }, function(c)
  local vn = c.velocity:dot(c.normal) * c.normal
  local vt = c.velocity - vn
  local slides, limit = vt:length(), c.friction * vn:length() -- friction: kf; restitution: kd
  local kept = muslin.select(muslin.ge(slides, limit), 1 - limit / muslin.max(slides, 1e-300), 0)
  return kept * vt - c.restitution * vn
end)
