-- A sheet much wider than the mouth of a funnel slides into it and is drawn through by its middle.
local torture = require "kit.torture"
local muslin = require "muslin"

-- A cone from radius 0.35 m at the top to 0.05 m, and a pipe below it.
local function cone(sides)
  local rings = { { 0.35, 0.6 }, { 0.05, 0.3 }, { 0.05, 0.15 } }
  local vertices, faces = {}, {}
  for r, ring in ipairs(rings) do
    for k = 0, sides - 1 do
      local angle = 2 * math.pi * k / sides
      vertices[#vertices + 1] = { ring[1] * muslin.cos(angle), ring[2], ring[1] * muslin.sin(angle) }
      if r > 1 then
        local a, b = (r - 2) * sides + k + 1, (r - 2) * sides + (k + 1) % sides + 1
        faces[#faces + 1] = { a, b, a + sides }
        faces[#faces + 1] = { b, b + sides, a + sides }
      end
    end
  end
  return muslin.mesh.new { vertices = vertices, faces = faces }
end

return function(size, threads)
  local world = torture.world(size, threads, { short = 2.5, full = 5 })
  local n = size and 41 or 21
  local sheet = world:cloth {
    name = "sheet", mesh = muslin.mesh.grid { nodes = { n, n }, size = { 0.5, 0.5 }, center = { 0, 0.65, 0 } },
    thickness = 1e-3, friction = 0.1,
  }
  world:obstacle { name = "funnel", mesh = cone(24), friction = 0.1 }
  local middle = (n * n + 1) // 2
  sheet:pin { vertices = { middle }, path = function(t) return { 0, 0.65 - 0.75 * torture.ramp(t, 0.3, 2.2), 0 } end }
  world:on("done", function() muslin.expect(select(2, sheet:bounds()).y, "highest vertex, m"):at_most(0.6) end)
  return torture.watch(world, { fastest = 10, stretch = 0.5 })
end
