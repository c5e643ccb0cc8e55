-- A sheet is pulled over the sharp edge of a wedge by one of its sides. The steps are short: in a step of 1/120 s the sheet
-- slides eight thicknesses of its contact, which snags on the edge and stretches (nothing crosses even then).
local torture = require "kit.torture"
local muslin = require "muslin"

return function(size, threads)
  local world = torture.world(size, threads, { short = 1.5, full = 3, rate = 960 })
  local nu, nv = size and 30 or 12, size and 75 or 30
  local sheet = world:cloth {
    name = "sheet",
    mesh = torture.sheet(nu, nv, function(u, v) return { 0.3 * (u - 0.5), 0.3 + 1e-3, 0.8 * v - 0.2 } end),
    thickness = 1e-3, friction = 0.2,
  }
  -- 30 degrees at the edge, along x, which points up
  local wedge = muslin.mesh.new {
    vertices = { { -0.4, 0.3, 0 }, { 0.4, 0.3, 0 }, { -0.4, 0.1, -0.054 }, { 0.4, 0.1, -0.054 }, { -0.4, 0.1, 0.054 },
      { 0.4, 0.1, 0.054 } },
    faces = { { 1, 2, 3 }, { 2, 4, 3 }, { 1, 5, 2 }, { 2, 5, 6 }, { 3, 4, 5 }, { 4, 6, 5 }, { 1, 3, 5 }, { 2, 6, 4 } },
  }
  world:obstacle { name = "wedge", mesh = wedge, friction = 0.2 }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  local side, at = {}, {}
  for i = 1, nu do side[i], at[i] = i, sheet.x[i] end
  local seconds = world.duration
  sheet:pin {
    vertices = side,
    path = function(t, i)
      local s = torture.ramp(t, 0.1 * seconds, 0.9 * seconds)
      return { at[i].x, at[i].y - 0.15 * torture.ramp(t, 0, 0.4 * seconds), at[i].z - 0.35 * s }
    end,
  }
  world:on("done", function() muslin.expect(sheet:centroid().z, "how far friction moved it, m"):at_most(0) end)
  return torture.watch(world, { fastest = 5, stretch = 0.15, rest_stretch = 0.12 })
end
