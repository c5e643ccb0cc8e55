-- BIG-1: a node falls freely inside an icosahedron, bounces from its faces and never leaves it (Bigliani & Eischen, figure 6).
--
--   muslin run examples/sources/big1_node.lua [-- short] [speed=1.5] [restitution=0.8]
--
-- Mesh: 20 triangles, and a cloth of one triangle with edges of 4 mm for the node. 360 steps of 1/120 s.
-- Source: cost not stated; a node is inside a triangle if the angles about it sum to 2 pi within 2 pi/100.
-- The faces are a pinned cloth, since an obstacle's inside is solid. speed: at the start, m/s.
local muslin = require "muslin"
local scene = require "kit.scene"

return function(...)
  local o = scene.options({...}, { dt = 1 / 120, duration = 3, speed = 1.5, restitution = 0.8 }, { duration = 1.5 })
  local world = scene.world(o)
  local radius, thickness = 0.1, 1e-3

  local shell = world:cloth {
    name = "icosahedron", mesh = muslin.mesh.icosahedron { radius = radius, center = {0, radius, 0} },
    thickness = thickness, friction = 0, restitution = o.restitution, material = scene.material(world),
  }
  shell:pin { where = function() return true end }
  local node = world:cloth {
    name = "node",
    mesh = muslin.mesh.new {
      vertices = { {-0.002, radius, -0.0012}, {0.002, radius, -0.0012}, {0, radius, 0.0023} }, faces = { {1, 3, 2} },
    },
    thickness = thickness, friction = 0, restitution = o.restitution, material = scene.material(world),
    velocity = {0.8 * o.speed, 0.36 * o.speed, 0.48 * o.speed},
  }

  -- The plane of every face, with the normal to the outside.
  local planes, middle = {}, muslin.vec3(0, radius, 0)
  for _, face in ipairs(shell:faces()) do
    local a, b, c = shell.x[face[1]], shell.x[face[2]], shell.x[face[3]]
    local normal = (b - a):cross(c - a):normalized()
    if normal:dot(a - middle) < 0 then normal = -normal end
    planes[#planes + 1] = { normal = normal, offset = normal:dot(a) }
  end

  local nearest, bounces, way = math.huge, 0, nil
  world:on("after_step", function()
    local velocity = node.v[1]
    if way and (velocity - way):length() > 0.2 + 2 * 9.81 * world.step_size then bounces = bounces + 1 end
    way = velocity
    for i = 1, 3 do
      for k, plane in ipairs(planes) do
        local inside = plane.offset - plane.normal:dot(node.x[i])
        nearest = math.min(nearest, inside)
        if inside <= 0 then error(("the node has left through face %d"):format(k)) end
      end
    end
  end)

  return scene.ends(world, function()
    muslin.expect(bounces, "bounces"):at_least(5)
    return ("%d bounces, no nearer to a face than %.2f mm"):format(bounces, 1000 * nearest)
  end)
end
