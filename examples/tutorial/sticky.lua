-- A response rule in ten lines: no restitution, and four times the friction of the pair.
--   muslin compare examples/tutorial/2_scene.lua --rule examples/tutorial/sticky.lua --pipelines robust,bridson
local muslin = require "muslin"

return muslin.rule(function(c)               -- one contact; normal: from side 2 to side 1; velocity: of side 1 against side 2
  local vn = c.normal:dot(c.velocity)        -- m/s, negative: they approach
  local vt = c.velocity - vn * c.normal      -- along the surface
  local normal = muslin.max(-vn, 0) * c.mass -- N s, the impulse that stops the approach
  local friction = muslin.min(4 * c.friction * normal, c.mass * vt:length())
  return normal * c.normal - friction * vt:normalized()
end)
