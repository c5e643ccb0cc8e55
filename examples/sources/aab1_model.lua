-- AAB-1: cloth on a solid model of triangles, under gravity and wind, in real time (the document on a hierarchy of axis-aligned boxes).
--
--   muslin view examples/sources/aab1_model.lua [-- mesh=bunny.obj] [nodes=32] [wind=1] [realtime=true]
--
-- Mesh: 32 x 32 nodes, 1,922 triangles; a ball with waves of 1,280 triangles, or an OBJ, PLY or STL file, scaled to a height
-- of half a meter. 240 steps of 1/120 s. realtime=true checks that frames take less wall-clock time than they last.
-- Source: "real time", neither mesh nor machine stated; its cloth has no self-collisions, this one has.
local muslin = require "muslin"
local scene = require "kit.scene"
local bodies = require "kit.bodies"

return function(...)
  local o = scene.options({...},
    { dt = 1 / 120, duration = 2, nodes = 32, friction = 0.3, mesh = "", realtime = false, air = 1.2, wind = 1 },
    { duration = 1, nodes = 16 })
  local world = scene.world(o)
  local body = bodies.standing(o.mesh ~= "" and muslin.mesh.load(o.mesh) or bodies.knobbly(3), 0.5)
  local low, high = body:bounds()
  local side, n = 0.3 + muslin.max(high.x - low.x, high.z - low.z), math.tointeger(o.nodes)
  local sheet = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = {n, n}, size = {side, side}, center = {0, high.y + 0.03, 0} },
    material = scene.material(world),
    friction = o.friction,
  }
  local obstacle = world:obstacle { name = "body", mesh = body, friction = o.friction }
  local floor = world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = o.friction }

  return scene.ends(world, function(ms)
    muslin.expect(sheet):above(obstacle):above(floor)
    muslin.expect(sheet:centroid().y, "the sheet has come down, m"):less_than(high.y)
    local shift = sheet:centroid().x
    if o.wind >= 1 then muslin.expect(shift, "shift of the sheet downwind, m"):at_least(0.01) end
    local share = ms * world.steps_per_frame * world.fps / 1000
    if o.realtime then muslin.expect(share, "time taken, as a share of the time played"):at_most(1) end
    return ("moved downwind by %.0f mm; %.2f of real time"):format(1000 * shift, share)
  end)
end
