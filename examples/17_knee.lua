-- 17_knee.lua: a knee bends under two trousers' legs and is stretched again. One fabric is elastic; the other stays baggy.
--
--   muslin view examples/17_knee.lua      (m, kg, s; y is up)
--
-- yield_strain is the elastic range of stretching: what is stretched further stays longer. Everything else is the same.
local muslin = require "muslin"

local SIDE, NODES, LIFT = 0.24, 27, 0.055 -- m: of the sheets, which are clamped at their rims; how far the knee comes up
local UP, STAY, DOWN = 0.8, 1.1, 1.5       -- s: the knee is up, begins to go down, and is away

local world = muslin.world { dt = 1/120, fps = 60, duration = 2.5 }

local function height(t) return muslin.smoothstep(0, UP, t) - muslin.smoothstep(STAY, DOWN, t) end

local sheets = {}
for k, kind in ipairs { { "elastic", 0, "#4f6d8f" }, { "baggy", 0.02, "#c8553d" } } do
  local x = 0.14 * (2 * k - 3)
  local sheet = world:cloth { name = kind[1], color = kind[3], texture = "weave", texture_size = 0.004,
    mesh = muslin.mesh.grid { nodes = {NODES, NODES}, size = {SIDE, SIDE}, center = {x, 0.15, 0} },
    material = { preset = "jersey", strain_limit = 0.5, yield_strain = kind[2] } }
  sheet:pin { where = function(px, _, pz) return math.max(math.abs(px - x), math.abs(pz)) > SIDE / 2 - 1e-6 end }
  world:obstacle { name = "knee " .. k, shape = "sphere", radius = 0.04, at = {x, 0.1, 0}, color = "#c9a58a", friction = 0.1 }
    :move(function(t) return {x, 0.1 + (0.01 + LIFT) * height(t), 0} end)
  sheets[k] = sheet
end

world:camera { from = {0, 0.42, 0.52}, to = {0, 0.145, 0}, fov = math.rad(36) }

world:on("done", function(w, t)
  muslin.expect(w):penetration_free()
  if t < w.duration - 1e-6 then return end -- the checks below are for the last frame
  local function area(sheet) -- of its surface, as a ratio to that of the flat sheet
    local sum, x = 0, sheet.x
    for _, f in ipairs(sheet:faces()) do sum = sum + (x[f[2]] - x[f[1]]):cross(x[f[3]] - x[f[1]]):length() / 2 end
    return sum / SIDE ^ 2
  end
  muslin.expect(area(sheets[1]), "the elastic sheet"):less_than(1.01)
  muslin.expect(area(sheets[2]), "the baggy sheet"):more_than(1.02)
end)

return world
