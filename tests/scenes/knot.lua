-- A ribbon in a loose overhand knot is pulled tight by its ends.
local torture = require "kit.torture"
local muslin = require "muslin"

-- A trefoil, cut open at one lobe, whose ends go on as tails that part, m: t in -3.4..3.4.
local function curve(t)
  local k = muslin.clamp(t, -2.6, 2.6)
  local side, tail = t < 0 and -1 or 1, math.abs(t - k)
  local x = muslin.sin(k) + 2 * muslin.sin(2 * k) + side * tail - 2 * side * tail * tail
  local y = muslin.cos(k) - 2 * muslin.cos(2 * k) - 4 * tail
  return muslin.vec3(x, y, -muslin.sin(3 * k) - side * 0.5 * tail) * 0.02
end

return function(size, threads, pipeline)
  local world = torture.world(size, threads, { short = 2, full = 5, gravity = { 0, 0, 0 }, pipeline = pipeline })
  local nu, nv, width = size and 6 or 4, size and 260 or 130, 0.012
  -- A spine with equal steps, and across it a direction carried along without twist.
  local spine, samples, length = {}, 4000, 0
  local last, lengths = curve(-3.4), { 0 }
  for k = 1, samples do
    local p = curve(3.4 * (2 * k / samples - 1))
    length = length + p:distance(last)
    lengths[k + 1], last = length, p
  end
  local k = 1
  for j = 0, nv - 1 do
    local wanted = length * j / (nv - 1)
    while k < samples and lengths[k + 1] < wanted do k = k + 1 end
    local s = (wanted - lengths[k]) / (lengths[k + 1] - lengths[k])
    spine[j] = curve(3.4 * (2 * (k - 1 + s) / samples - 1))
  end
  local across, direction = {}, muslin.vec3(0, 0, 1)
  for j = 0, nv - 1 do
    local tangent = (spine[math.min(j + 1, nv - 1)] - spine[math.max(j - 1, 0)]):normalized()
    direction = (direction - tangent * direction:dot(tangent)):normalized()
    across[j] = direction
  end
  local ribbon = world:cloth {
    name = "ribbon",
    mesh = torture.sheet(nu, nv, function(u, v)
      local j = math.floor(v * (nv - 1) + 0.5)
      return spine[j] + across[j] * (width * (u - 0.5))
    end),
    rest = torture.sheet(nu, nv, function(u, v) return { width * (u - 0.5), 0, length * v } end),
    thickness = 1e-3, friction = 0.2,
  }
  local seconds = world.duration
  for side = -1, 1, 2 do
    local ends, at = {}, {}
    local pull = muslin.vec3(-side * 0.12, 0.06, 0)
    for i = 1, nu do
      local vertex = i + (side > 0 and (nv - 1) * nu or 0)
      ends[i], at[vertex] = vertex, ribbon.x[vertex]
    end
    ribbon:pin {
      vertices = ends,
      path = function(t, i)
        return at[i] + pull * torture.ramp(t, 0, 0.9 * seconds)
      end,
    }
  end
  return torture.watch(world, { fastest = 10, stretch = pipeline and 0.12 or 0.25 })
end
