-- 15_pleats.lua: a pleated skirt twirls, and its pleats open and close again.
--
--   muslin view examples/15_pleats.lua       (m, kg, s; y is up)
--
-- A sewing pattern in Lua: one panel with fold lines and a seam. The folds have angles at rest, as pleats that are pressed.
local muslin = require "muslin"

local PLEATS, FACET, LENGTH, WAIST = 18, 0.036, 0.36, 0.11 -- number; m: from fold to fold, of the skirt, mean radius of the waist
local TURNS, SPIN_UP, STOP = 2.4, 1, 1.9                   -- 1/s; s: up to full speed, until the twirl ends

-- Folds lie on two circles, a facet apart: the cross-section of the waist is a zigzag.
local share = 0.998 * math.pi / PLEATS -- rad, from fold to fold; the seam closes the rest
local depth = muslin.sqrt(FACET ^ 2 - 4 * WAIST ^ 2 * muslin.sin(share / 2) ^ 2) / muslin.cos(share / 2) / 2
local function corner(j) -- of the zigzag, from above
  local r = WAIST + (j % 2 == 0 and -depth or depth)
  return muslin.vec3(r * muslin.sin(j * share), 0, r * muslin.cos(j * share))
end

-- The panel, in m: the waist is the upper edge. Ridges turn away from the outside.
local count, vertices, edges, folds = 2 * PLEATS, {}, {}, {}
for j = 0, count do vertices[#vertices + 1] = { FACET * j, 0 } end
for j = count, 0, -1 do vertices[#vertices + 1] = { FACET * j, LENGTH } end
for k = 1, #vertices do edges[k] = { endpoints = { k, k % #vertices + 1 } } end
for j = 1, count - 1 do
  local a, b = corner(j) - corner(j - 1), corner(j + 1) - corner(j)
  local turn = muslin.acos(a:dot(b) / (a:length() * b:length()))
  folds[j] = { points = { { FACET * j, 0 }, { FACET * j, LENGTH } }, angle = j % 2 == 0 and turn or -turn }
end
local pattern = muslin.pattern { edge_length = 0.018, panels = { skirt = { vertices = vertices, edges = edges, folds = folds } },
  stitches = { { { "skirt", count + 1 }, { "skirt", #vertices } } } }

-- The panel starts as the zigzag, so that nothing is stretched.
local panel = pattern.panels[1]
local x, flat, waist = panel.mesh.x, panel.flat, {}
for i = 1, panel.mesh.vertex_count do
  local s = flat[i].x / FACET
  local j = math.tointeger(muslin.min(muslin.floor(s + 1e-9), count - 1))
  local p = corner(j) * (j + 1 - s) + corner(j + 1) * (s - j)
  x[i] = { p.x, flat[i].y + 0.6, p.z }
  if flat[i].y > LENGTH - 1e-9 then waist[#waist + 1] = i end
end

local world = muslin.world { duration = 2.8, fps = 60 }
local skirt = pattern:add(world, { cloth = { rest = "uv", color = "#2f5d50", back_color = "#8fb8a5", thickness = 0.001,
  material = { preset = "cotton", model = "stvk", density = 0.25, bending = 1.5e-4, bending_damping = 0.02 } } }).cloths.skirt
world:obstacle { name = "hips", shape = "sphere", radius = 0.088, at = { 0, 0.9, 0 }, color = "#c9b199" }
for side, x_of in pairs { left = -0.045, right = 0.045 } do
  world:obstacle { name = side .. " leg", shape = "capsule", radius = 0.04, length = 0.82, at = { x_of, 0.45, 0 }, color = "#c9b199" }
end

-- The waist turns: its angle is the integral of a smooth rise and fall of speed.
local function angle(t)
  local whole = 2 * math.pi * TURNS
  local function ramp(from, to) -- the integral of smoothstep
    local s = muslin.clamp((t - from) / (to - from), 0, 1)
    return (to - from) * (s ^ 3 - s ^ 4 / 2) + muslin.max(t - to, 0)
  end
  return whole * (ramp(0, SPIN_UP) - ramp(STOP - 0.5, STOP))
end
local start = skirt.x:copy()
skirt:pin { vertices = waist, path = function(t, i)
  local c, s, p = muslin.cos(angle(t)), muslin.sin(angle(t)), start[i]
  return { c * p.x + s * p.z, p.y, c * p.z - s * p.x }
end }

local function radius() -- m, mean distance of the hem from the axis
  local sum, number = 0, 0
  for i = 1, skirt.vertex_count do
    if flat[i].y < 1e-9 then sum, number = sum + muslin.sqrt(skirt.x[i].x ^ 2 + skirt.x[i].z ^ 2), number + 1 end
  end
  return sum / number
end

world:camera { from = { 0.75, 1.05, 0.95 }, to = { 0, 0.72, 0 }, fov = math.rad(30) }

local widest = 0
world:on("frame", function() widest = muslin.max(widest, radius()) end)
world:on("done", function(w, t)
  muslin.expect(w):penetration_free()
  if t < w.duration - 1e-6 then return end -- the checks below are for the last frame
  muslin.expect(widest, "m, radius of the hem while it twirls"):more_than(1.5 * WAIST)
  muslin.expect(radius(), "m, radius of the hem afterwards"):less_than(widest - 0.03)
end)

return world
