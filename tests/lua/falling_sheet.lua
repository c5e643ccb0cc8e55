-- falling_sheet.lua: where a sheet with maps falls, for tests of maps.
local muslin = require "muslin"

-- A sheet pinned at one edge that falls, over a ball unless the pipeline's contacts are as stiff as the material, as text.
return function(mesh, material, maps, pipeline)
  local world <close> = muslin.world { pipeline = pipeline, dt = 1 / 200 }
  local cloth = world:cloth { mesh = mesh, material = material, maps = maps }
  cloth:pin { where = function(x) return x < -0.29 end }
  cloth:pin { vertices = { 1 } } -- in every mesh at least one
  if pipeline ~= "offset" and pipeline ~= "newton" then
    world:obstacle { shape = "sphere", radius = 0.1, at = { 0.1, -0.12, 0 } }
  end
  world:advance(0.15)
  muslin.expect(world):penetration_free()
  local sum, x = {}, cloth.x
  for i = 1, cloth.vertex_count do sum[i] = ("%.17g %.17g %.17g"):format(x[i].x, x[i].y, x[i].z) end
  return table.concat(sum, "\n")
end
