-- strip.lua: a level strip in a clamp, of a membrane with plates: a continuum material.
local muslin = require "muslin"

local strip = { LENGTH = 0.1, WIDTH = 0.005, DENSITY = 0.2 }

local CELLS, ACROSS, GRADING = 40, 4, 20 -- cells at the tip are 20 times as long as those at the clamp

-- Two columns of cells lie in the clamp, at x <= 0. `uneven` moves inner vertices within the plane.
local function make_mesh(uneven)
  local places = {}
  for i = 0, CELLS do places[i + 3] = strip.LENGTH * (GRADING ^ (i / CELLS) - 1) / (GRADING - 1) end
  places[2], places[1] = -places[4], -2 * places[4]
  local mesh = muslin.mesh.grid { nodes = {#places, ACROSS + 1}, size = {1, strip.WIDTH} }
  local vertices = {}
  for i = 1, mesh.vertex_count do
    local _, _, z = mesh.x:get(i)
    local column, row = (i - 1) % #places + 1, (i - 1) // #places
    local x = places[column]
    if uneven and column > 3 and column < #places and row > 0 and row < ACROSS then
      x = x + 0.3 * (x - places[column - 1]) * (2 * math.random() - 1)
      z = z + 0.3 * strip.WIDTH / ACROSS * (2 * math.random() - 1)
    end
    vertices[i] = {x, 0, z}
  end
  return muslin.mesh.new { vertices = vertices, faces = mesh:faces() }, #places
end

--- The strip's end at rest, along its clamp and down, in lengths. options: pipeline, bending (N m), gravity (m/s^2),
--- force (N, down at the end), uneven.
function strip.end_at_rest(options)
  local world = muslin.world { dt = 1/60, pipeline = options.pipeline, air_density = 0, threads = 1,
    gravity = {0, -options.gravity, 0} }
  local mesh, columns = make_mesh(options.uneven)
  local cloth = world:cloth { mesh = mesh, self_collision = false, material = { preset = "cotton", model = "stvk",
    density = strip.DENSITY, strain_limit = 0, viscous_damping = 20, damping = 0, bending_damping = 0,
    bending = options.bending, stretch_warp = 2000, stretch_weft = 2000, stretch_poisson = 0 } }
  cloth:pin { where = function(x) return x <= 1e-9 end }
  if options.force then
    world:force(function(c)
      for row = 0, ACROSS do
        local share = (row == 0 or row == ACROSS) and 0.5 / ACROSS or 1 / ACROSS
        local i = (row + 1) * columns
        c.f[i] = c.f[i] + muslin.vec3(0, -share * options.force, 0)
      end
    end)
  end
  local slow = 1e-5 * math.sqrt(cloth.vertex_count)
  repeat world:step() until world.time > 3 or world.time > 0.5 and cloth.v:norm() < slow
  local tip = cloth.x[(ACROSS // 2 + 1) * columns]
  return tip.x / strip.LENGTH, -tip.y / strip.LENGTH
end

return strip
