-- A response rule in ten lines: no bounce, and four times the friction that was asked for.
--   muslin compare examples/tutorial/2_scene.lua --rule examples/tutorial/sticky.lua --pipelines robust,bridson
local muslin = require "muslin"

return muslin.rule(function(c)              -- one contact; normal: from side 2 to side 1; velocity: of side 1 against side 2
  local vn = c.normal:dot(c.velocity)       -- m/s, negative: they approach
  local vt = c.velocity - vn * c.normal     -- along the surface
  local push = muslin.max(-vn, 0) * c.mass  -- N s, just what stops them
  local grip = muslin.min(4 * c.friction * push, c.mass * vt:length())
  return push * c.normal - grip * vt:normalized()
end)
