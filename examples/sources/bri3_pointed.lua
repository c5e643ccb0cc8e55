-- BRI-3: a sheet wraps a mesh with points (figure 3 of the report that implements Bridson et al. 2002: a longhorn).
--
--   muslin run examples/sources/bri3_pointed.lua --out out/bri3 --format png [-- short] [mesh=camel.obj] [nodes=50]
--
-- Mesh: 50 x 50 nodes on a star with twelve spikes, 1,280 triangles, or on an OBJ, PLY or STL file, scaled to a height of half
-- a meter. 360 steps of 1/120 s.
-- Source: neither mesh nor cost stated.
local muslin = require "muslin"
local scene = require "kit.scene"
local bodies = require "kit.bodies"

return function(...)
  local o = scene.options({...}, { dt = 1 / 120, duration = 3, nodes = 50, friction = 0.3, mesh = "" },
    { duration = 1, nodes = 24 })
  local world = scene.world(o)
  local body = bodies.standing(o.mesh ~= "" and muslin.mesh.load(o.mesh) or bodies.star(3), 0.5)
  local low, high = body:bounds()
  local side, n = 0.4 + muslin.max(high.x - low.x, high.z - low.z), math.tointeger(o.nodes)
  local sheet = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = {n, n}, size = {side, side}, center = {0, high.y + 0.03, 0} },
    mass = scene.mass(world), material = scene.material(world, { strain_limit = 0.03 }), -- limits the stretch over the points
    friction = o.friction,
  }
  local obstacle = world:obstacle { name = "body", mesh = body, friction = o.friction }
  local floor = world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = o.friction }

  return scene.ends(world, function()
    muslin.expect(sheet):above(obstacle):above(floor)
    local bottom, top = sheet:bounds()
    muslin.expect(top.y, "it lies on the highest point, m"):between(high.y, high.y + 0.03)
    muslin.expect(bottom.y, "and hangs down around it, m"):at_most(0.6 * high.y)
    muslin.expect(sheet:strain().median, "median of the strain"):at_most(0.02)
    muslin.expect(sheet):stretched_at_most(0.25) -- on the points
    return ("from %.0f to %.0f mm"):format(1000 * bottom.y, 1000 * top.y)
  end)
end
