-- Fifty sheets, one above the other, are dropped together on a box and a floor: layers that press on layers.
local torture = require "kit.torture"
local muslin = require "muslin"

return function(size, threads, pipeline)
  local world = torture.world(size, threads, { short = 1, full = 3, pipeline = pipeline })
  local n = size and 20 or 5
  for k = 1, 50 do
    world:cloth {
      name = "sheet" .. k,
      mesh = muslin.mesh.grid {
        nodes = { n, n }, size = { 0.3, 0.3 }, center = { 0.01 * muslin.sin(k), 0.1 + 0.004 * k, 0.01 * muslin.cos(2 * k) },
      },
      thickness = 1e-3, friction = 0.3,
    }
  end
  world:obstacle { name = "box", shape = "box", size = { 0.15, 0.08, 0.15 }, at = { 0, 0.04, 0 } }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  -- The lowest gaps are pressed (0.24 of the thickness); without rounds of detection 1,220 vertices were in zones. Under
  -- `sequential` sixty sweeps do not carry the floor's support up all the layers in full size: some hundred vertices move in
  -- zones, and gaps are pressed only there.
  local pressed = (size or not pipeline) and 0.1 or nil
  return torture.watch(world, { fastest = 3, stretch = 0.3, rest_stretch = 0.12, gap = pressed, zones = not size and 0 or nil })
end
