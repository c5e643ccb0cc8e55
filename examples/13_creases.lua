-- 13_creases.lua: two sheets are folded, pressed and released. One is elastic and opens; the other keeps a crease.
--
--   muslin view examples/13_creases.lua      (m, kg, s; y is up)
--
-- yield_curvature is the elastic range of bending: what is bent further stays bent. Everything else is the same.
local muslin = require "muslin"

local LENGTH, WIDTH, PITCH = 0.2, 0.12, 0.2 / 30 -- m: of the sheets and of their grids
local FOLD, PRESS, RELEASE = 0.8, 1.2, 1.6    -- s: the upper half has arrived; the plate is down; the plate is up
local GAP = 0.006                             -- m, between the halves

local world = muslin.world { dt = 1/240, fps = 60, duration = 3 }
world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0} }

local columns, rows = math.floor(LENGTH / PITCH + 1.5), math.floor(WIDTH / PITCH + 1.5)
local sheets = {}
for k, kind in ipairs { { "elastic", nil, "#4f6d8f" }, { "creased", 80, "#c8553d" } } do
  local z = 0.09 * (2 * k - 3)
  local sheet = world:cloth { name = kind[1], color = kind[3], thickness = 0.001,
    mesh = muslin.mesh.grid { nodes = {columns, rows}, size = {LENGTH, WIDTH}, center = {0, 0.002, z} },
    material = { model = "stvk", density = 0.15, bending = 2e-4, bending_damping = 0.02, yield_curvature = kind[2] } }
  -- The edge at +x is carried over the edge at -x on half an ellipse.
  sheet:pin { where = function(x) return x < -LENGTH / 2 + 1e-6 end }
  sheet:pin { where = function(x) return x > LENGTH / 2 - 1e-6 end, path = function(t, i)
    local turn = math.pi * muslin.smoothstep(0, FOLD, t)
    local row = (i - 1) // columns
    return {LENGTH / 2 * muslin.cos(turn), 0.002 + 0.8 * LENGTH / 2 * muslin.sin(turn) + GAP * (1 - muslin.cos(turn)) / 2,
      z - WIDTH / 2 + row * PITCH}
  end }
  sheets[k] = sheet
end

-- A plate presses on the folds, which lie at +x.
local plate = world:obstacle { name = "plate", shape = "box", size = {0.12, 0.01, 0.36}, at = {0.03, 0.5, 0}, color = "#8a8f94" }
plate:move(function(t)
  local down = muslin.smoothstep(FOLD, PRESS, t) - muslin.smoothstep(PRESS, RELEASE, t)
  return {0.03, 0.5 - down * (0.495 - GAP - 0.003), 0}
end)

world:on("before_step", function(_, t)
  if t < PRESS + 0.1 or not sheets[1]:pinned(columns) then return end
  for _, sheet in ipairs(sheets) do sheet:unpin { where = function(_, y) return y > 0.002 + GAP / 2 end } end
end)

world:camera { from = {0.22, 0.3, 0.48}, to = {0.01, 0.01, 0}, fov = math.rad(32) }

world:on("done", function(w, t)
  muslin.expect(w):penetration_free()
  if t < w.duration - 1e-6 then return end -- the checks below are for the last frame
  local function reach(sheet) -- m, from the pinned edge to the free one: LENGTH where flat
    return (sheet.x[columns] - sheet.x[1]):length()
  end
  muslin.expect(reach(sheets[1]), "the elastic sheet"):more_than(0.95 * LENGTH)
  muslin.expect(reach(sheets[2]), "the creased sheet"):less_than(0.3 * LENGTH)
end)

return world
