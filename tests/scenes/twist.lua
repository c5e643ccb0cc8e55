-- Two sheets face to face are twisted by ten turns, while their ends come nearer as those of a rope do.
local torture = require "kit.torture"
local muslin = require "muslin"

-- Strain limit and contacts cannot both hold. How far each gives way depends on the last bits: with the friction varied by 1e-5 in
-- eight runs, stretch was 11 to 13 % (`sequential` 15 to 18 %), and no vertex was in a zone.
return function(size, threads, pipeline)
  local world = torture.world(size, threads, { short = 2.5, full = 5, gravity = { 0, 0, 0 }, pipeline = pipeline })
  local nu, nv, seconds = size and 16 or 7, size and 120 or 50, size and 4.5 or 2.3
  local turns = 10
  for k = 0, 1 do
    local sheet = world:cloth {
      name = "sheet" .. k + 1,
      mesh = torture.sheet(nu, nv, function(u, v) return { 0.1 * (u - 0.5), 0.006 * (k - 0.5), v - 0.5 } end),
      thickness = 1e-3, friction = 0.2,
    }
    for side = -1, 1, 2 do
      local ends, at = {}, {}
      for i = 1, nu do
        local vertex = i + (side > 0 and (nv - 1) * nu or 0)
        ends[i], at[vertex] = vertex, sheet.x[vertex]
      end
      sheet:pin {
        vertices = ends,
        path = function(t, i)
          local s = torture.ramp(t, 0, seconds)
          local angle = side * math.pi * turns * s
          local c, d, p = muslin.cos(angle), muslin.sin(angle), at[i]
          return { c * p.x - d * p.y, d * p.x + c * p.y, p.z * (1 - 0.35 * s) }
        end,
      }
    end
  end
  return torture.watch(world, { fastest = 20, stretch = 0.25, zones = 0, gap = not pipeline and 0.05 or nil })
end
