-- drape.lua: Cusick's drape test (BS 5058, ISO 9073-9): a disc of cloth on a smaller round table, seen from above.
local muslin = require "muslin"

local drape = { RADIUS = 0.15, TABLE = 0.09 }

local PIXEL = 1e-3

-- Area of the cloth's shadow on the ground, m^2, by squares of a millimeter whose middles it covers.
local function shadow_of(cloth, faces)
  local covered, count = {}, 0
  for _, face in ipairs(faces) do
    local a, b, c = cloth.x[face[1]], cloth.x[face[2]], cloth.x[face[3]]
    local ux, uz, vx, vz = b.x - a.x, b.z - a.z, c.x - a.x, c.z - a.z
    local area = ux * vz - vx * uz
    local first_x, last_x = math.min(a.x, b.x, c.x) // PIXEL, math.max(a.x, b.x, c.x) // PIXEL
    local first_z, last_z = math.min(a.z, b.z, c.z) // PIXEL, math.max(a.z, b.z, c.z) // PIXEL
    for i = first_x, area ~= 0 and last_x or first_x - 1 do
      for j = first_z, last_z do
        local x, z = (i + 0.5) * PIXEL - a.x, (j + 0.5) * PIXEL - a.z
        local u, v = (x * vz - vx * z) / area, (ux * z - x * uz) / area
        local key = i * 4096 + j
        if u >= 0 and v >= 0 and u + v <= 1 and not covered[key] then covered[key], count = true, count + 1 end
      end
    end
  end
  return count * PIXEL ^ 2
end

-- Number of folds: of the rim's lowest places, where they are lower than the places between by a tenth of its depth.
local function folds_of(heights)
  local low, high = math.huge, -math.huge
  for _, y in ipairs(heights) do low, high = math.min(low, y), math.max(high, y) end
  local margin, count, falls, last = 0.1 * (high - low), 0, true, heights[1]
  local start = 1
  for k, y in ipairs(heights) do if y == high then start = k end end
  for k = 0, #heights do -- around the rim, from its highest place
    local y = heights[(start + k - 1) % #heights + 1]
    if falls then
      last = math.min(last, y)
      if y > last + margin then count, falls, last = count + 1, false, y end
    else
      last = math.max(last, y)
      if y < last - margin then falls, last = true, y end
    end
  end
  return count
end

--- Drape coefficient, %, and number of folds of a material. options: material (a table), rings (of the mesh). Weight comes
--- gradually, as when a specimen's support is lowered: let go at once it falls into more and narrower folds.
function drape.measure(options)
  local material = { viscous_damping = 2 }
  for name, value in pairs(options.material) do material[name] = value end
  local world = muslin.world { dt = 1 / 60, fps = 60, air_density = 0, threads = 1 }
  local mesh = muslin.mesh.disc { radius = drape.RADIUS, rings = options.rings, plane = "xz" }
  local cloth = world:cloth { mesh = mesh, material = material, thickness = 0.5e-3 }
  local rim = {}
  cloth:pin { where = function(x, _, z) return x * x + z * z <= drape.TABLE ^ 2 * (1 + 1e-9) end }
  for i = 1, #cloth.x do
    local p = cloth.x[i]
    if p:length() > 0.999 * drape.RADIUS then rim[#rim + 1] = { angle = math.atan(p.z, p.x), vertex = i } end
    if p:length() > drape.TABLE * (1 + 1e-9) then cloth.x[i] = p + muslin.vec3(0, 1e-3 * (2 * math.random() - 1), 0) end
  end
  table.sort(rim, function(a, b) return a.angle < b.angle end)
  for step = 1, 240 do
    world.gravity = { 0, -9.81 * step / 240, 0 }
    world:step()
  end
  world:advance(1)
  local heights = {}
  for k, at in ipairs(rim) do heights[k] = cloth.x[at.vertex].y end
  local table_area = math.pi * drape.TABLE ^ 2
  local share = (shadow_of(cloth, mesh:faces()) - table_area) / (math.pi * drape.RADIUS ^ 2 - table_area)
  return 100 * share, folds_of(heights)
end

return drape
