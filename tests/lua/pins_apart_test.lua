-- pins_apart_test.lua: pinned neighbors that are moved apart further than the strain limit of the edge between them. Neither
-- of its ends can be moved: the edge stays as long as the pins make it, and the rest of the cloth obeys its limit.
local muslin = require "muslin"
scenario.together()

-- A sheet whose upper border is pinned; the right half moves away, so that one edge becomes three times as long.
local function widened(pipeline, material)
  local world = muslin.world { dt = 1 / 120, threads = 1, pipeline = pipeline }
  local sheet = world:cloth { material = material,
    mesh = muslin.mesh.grid { nodes = { 9, 9 }, size = { 0.16, 0.16 }, plane = "xy" } }
  local start = {}
  for i = 1, sheet.vertex_count do start[i] = { x = sheet.x[i].x, y = sheet.x[i].y } end
  sheet:pin { edge = "top", path = function(t, i)
    return { start[i].x + (start[i].x > 0.01 and math.min(0.04, 0.2 * t) or 0), start[i].y, 0 }
  end }
  return world, sheet
end

for _, pipeline in ipairs { "robust", "lively", "offset", "newton", "vbd", "impulses", "bridson" } do
  scenario("neighbors pinned too far apart, " .. pipeline, function()
    for _, material in ipairs { "cotton", "jersey" } do
      local world <close>, sheet = widened(pipeline, material)
      for _ = 1, 60 do world:step() end
      for i = 1, sheet.vertex_count do
        local p = sheet.x[i]
        assert(math.abs(p.x) < 0.13 and p.y > -0.1 and p.y < 0.09 and math.abs(p.z) < 0.05,
          ("%s: vertex %d is at %g %g %g"):format(material, i, p.x, p.y, p.z))
      end
    end
  end)
end
