-- A hanging sheet is caught at its upper edge, so that nothing can stay lying over a jaw, between two jaws that leave it less
-- than its thickness, is carried off by them, and is released.
local torture = require "kit.torture"
local muslin = require "muslin"

return function(size, threads)
  local world = torture.world(size, threads, { short = 2, full = 4 })
  local n = size and 41 or 17
  local sheet = world:cloth {
    name = "sheet",
    mesh = torture.sheet(n, n, function(u, v)
      return { 0.4 * (u - 0.5), 0.4 * v + 0.3, 0.01 * muslin.sin(20 * u) }
    end),
    thickness = 2e-3, friction = 0.5,
  }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  sheet:pin { vertices = { (n - 1) * n + 1, n * n } }
  local released = false
  for side = -1, 1, 2 do
    -- The jaws leave 0.6 of the sheet's thickness.
    local shut, open = side * (0.05 + 0.6e-3), side * 0.2
    local jaw = world:obstacle {
      name = side < 0 and "back jaw" or "front jaw", shape = "box", size = { 0.1, 0.06, 0.1 }, at = { 0, 0.67, open },
    }
    jaw:move(function(t)
      local closed = torture.ramp(t, 0.1, 0.6) - torture.ramp(t, 1.3, 1.6)
      return { 0, 0.67 + 0.15 * torture.ramp(t, 0.7, 1.1), open + (shut - open) * closed }
    end)
  end
  world:on("before_step", function(_, t)
    if t < 0.65 or released then return end
    sheet:unpin()
    released = true
  end)
  local carried
  world:on("frame", function(_, t)
    if not carried and t > 1.2 then carried = sheet:centroid().y end
  end)
  world:on("done", function()
    muslin.expect(carried, "height at which the jaws hold it, m"):at_least(0.3)
    muslin.expect(sheet:centroid().y, "height after they let it go, m"):at_most(carried - 0.1)
  end)
  return torture.watch(world, { fastest = 8, stretch = 0.6 })
end
