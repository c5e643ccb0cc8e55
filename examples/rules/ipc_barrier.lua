-- ipc_barrier.lua: the contact energy of Li et al. 2020, "Incremental potential contact", eq. 6, for distances instead of
-- their squares: it begins smoothly at a distance, and grows without bound as the sides come to touch.
--   muslin compare SCENE.lua --rule examples/rules/ipc_barrier.lua
local muslin = require "muslin"

local stiffness = muslin.param("stiffness", 200) -- N/m
local reach = muslin.param("reach", 1) -- distance at which it begins, in thicknesses, at most 1

return muslin.potential(function(c)
  local d, beginning = c.distance, reach * c.thickness
  local energy = -stiffness * (d - beginning) ^ 2 * muslin.log(d / beginning)
  return muslin.select(muslin.lt(d, beginning), energy, 0)
end)
