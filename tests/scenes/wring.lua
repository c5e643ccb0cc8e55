-- A tube of cloth is wrung: its two rims turn against each other until it has closed to a cord, and back again.
local torture = require "kit.torture"
local muslin = require "muslin"

local function tube(around, along, radius, length)
  local vertices, faces = {}, {}
  for j = 0, along - 1 do
    for i = 0, around - 1 do
      local angle = 2 * math.pi * i / around
      vertices[#vertices + 1] =
        { length * (j / (along - 1) - 0.5), radius * muslin.cos(angle), radius * muslin.sin(angle) }
      if j > 0 then
        local a, b = (j - 1) * around + i + 1, (j - 1) * around + (i + 1) % around + 1
        if (i + j) % 2 == 0 then
          faces[#faces + 1], faces[#faces + 2] = { a, b, a + around }, { b, b + around, a + around }
        else
          faces[#faces + 1], faces[#faces + 2] = { a, b, b + around }, { a, b + around, a + around }
        end
      end
    end
  end
  return muslin.mesh.new { vertices = vertices, faces = faces }
end

return function(size, threads)
  local world = torture.world(size, threads, { short = 2, full = 6, gravity = { 0, 0, 0 } })
  local around, along, length = size and 64 or 28, size and 60 or 24, 0.5
  local cloth = world:cloth { name = "tube", mesh = tube(around, along, 0.1, length), thickness = 1e-3, friction = 0.3 }
  local seconds = world.duration / 2
  for side = 0, 1 do
    local rim, at = {}, {}
    for i = 1, around do
      local vertex = i + side * (along - 1) * around
      rim[i], at[vertex] = vertex, cloth.x[vertex]
    end
    cloth:pin {
      vertices = rim,
      path = function(t, i)
        local s = torture.ramp(t, 0, 0.8 * seconds) - torture.ramp(t, 1.1 * seconds, 1.9 * seconds)
        local angle, p = (side * 2 - 1) * 2 * math.pi * s, at[i]
        local c, d = muslin.cos(angle), muslin.sin(angle)
        return { p.x * (1 - 0.35 * s), c * p.y - d * p.z, d * p.y + c * p.z }
      end,
    }
  end
  return torture.watch(world, { fastest = 20 })
end
