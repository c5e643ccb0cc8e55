-- dress.lua: the scene of `muslin dress`: a garment sewn around a body, draped and written when it is at rest.
local muslin = require "muslin"

local option = muslin.arguments({ edge_length = 0.02, material = "jersey", body_scale = 1, body_up = "y", units = 0,
  closing_time = 1.5, placing = true, seconds = 30 }, { table.unpack(arg, 4) })
local pattern_path, body_path, folder = arg[1], arg[2], arg[3]

local pattern = muslin.pattern.load(pattern_path, { edge_length = option.edge_length,
  units = option.units > 0 and option.units or nil })
local body = muslin.mesh.load(body_path, { scale = option.body_scale, up = option.body_up })
local low, high = body:bounds()
if high.y - low.y > 5 then
  error(("the body of '%s' is %.3g m high: give its unit in meters, -- body_scale=0.01 for centimeters"):format(body_path,
    high.y - low.y), 0)
end

local world = muslin.world { dt = 1 / 120, fps = 30, duration = option.seconds }
local middle, height = 0.5 * (low + high), high.y - low.y
world:camera { from = middle + 1.9 * height * muslin.vec3(0.4, 0.15, 0.9), to = middle }
local garment = muslin.dress(world, { pattern = pattern, body = body, material = option.material, closing_time = option.closing_time,
  placing = option.placing })
for _, row in ipairs(garment.placed) do
  print(("placed around a limb: '%s', moved by %.3g m and rotated by %.0f degrees"):format(table.concat(row.panels, "', '"), row.distance,
    math.deg(row.angle)))
end

world:on("frame", function(w)
  if w.frame % 30 == 0 then
    w:log("seam_gap", garment:gap())
    w:log("moving_share", garment.moving)
  end
end, "progress")

world:on("done", function(w)
  garment:mesh("sewn"):save(folder .. "/sewn.obj")
  garment:mesh():save(folder .. "/draped.obj")
  if garment.phase == "at rest" then
    print(("at rest after %.3g s: %d panels, widest seam %.1f mm, %d points joined by stitches"):format(garment.rest_time,
      #pattern.panels, 1e3 * garment:gap(), garment.apart))
  elseif w.frame > 0 then
    print(("not at rest after %.3g s (%s): %.1f %% of the vertices moved by more than 0.3 mm in the last second"):format(w.time,
      garment.phase, 100 * garment.moving))
  end
end, "result")

return world
