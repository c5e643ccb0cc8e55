-- 19_dance.lua: a dancer turns on one leg; her circle skirt flares, wraps around her when she stops, and swings back.
--
--   muslin view examples/19_dance.lua      (m, kg, s; y is up)
--
-- A figure of exact shapes, each moved by a function of time; the skirt is cut as a flat ring and pinned to the hips.
local muslin = require "muslin"
local rotation, smoothstep, vec3 = muslin.rotation, muslin.smoothstep, muslin.vec3

local WAIST, BAND, LENGTH = 1.03, 0.108, 0.5 -- m: height and radius of the waistband; length of the skirt
local TURN, STOP = 1.0, 3.2                  -- s: the turn begins and ends

-- rad: she winds up by a quarter turn, then turns three times.
local function yaw(t)
  return -1.2 * smoothstep(0.4, TURN, t) + (1.2 + 6 * math.pi) * smoothstep(TURN - 0.2, STOP, t)
end

-- The joints in her own frame (x to her left, z forward); `up`: how far the free leg and the arms are raised, 0..1.
local function joints(t)
  local up = smoothstep(TURN - 0.3, TURN + 0.2, t) - smoothstep(STOP - 0.2, STOP + 0.4, t)
  local function between(low, high) return vec3(low) + (vec3(high) - vec3(low)) * up end
  local j = { hips = vec3(0, 0.92, 0), chest = vec3(0, 1.29, 0), chin = vec3(0, 1.47, 0), head = vec3(0, 1.59, 0.01) }
  j.hip, j.knee, j.ankle, j.toe = vec3(0.075, 0.9, 0), vec3(0.06, 0.5, 0.01), vec3(0.05, 0.09, 0), vec3(0.05, 0.05, 0.15)
  j.free_hip = vec3(-0.075, 0.9, 0)
  j.free_knee = between({ -0.09, 0.5, 0.01 }, { -0.34, 0.72, 0.2 })
  j.free_ankle = between({ -0.11, 0.09, -0.02 }, { -0.04, 0.46, 0.12 })
  j.free_toe = between({ -0.14, 0.05, 0.12 }, { 0.03, 0.38, 0.17 })
  for side, x in pairs { left = 1, right = -1 } do
    j[side .. "_shoulder"] = vec3(0.15 * x, 1.36, 0)
    j[side .. "_elbow"] = between({ 0.33 * x, 1.16, 0.05 }, { 0.3 * x, 1.57, 0.08 })
    j[side .. "_hand"] = between({ 0.47 * x, 1.28, 0.2 }, { 0.09 * x, 1.78, 0.1 })
  end
  return j
end

local world = muslin.world { dt = 1/120, fps = 60, duration = 4.8 }
world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }

-- A capsule between two joints, or a ball at one.
local function part(name, radius, from, to)
  local function pose(t)
    local j, turn = joints(t), rotation.axis({ 0, 1, 0 }, yaw(t))
    local a, b = j[from], j[to or from]
    local along = rotation.between({ 0, 1, 0 }, to and b - a or { 0, 1, 0 })
    return rotation.apply(turn, (a + b) * 0.5), rotation.multiply(turn, along)
  end
  local at, q = pose(0)
  local j = joints(0)
  local body = world:obstacle { name = name, shape = to and "capsule" or "sphere", radius = radius,
    length = to and (j[to] - j[from]):length() or nil, at = at, rotation = q, color = "#d9b99b" }
  return body:move(pose)
end

local hips = part("hips", 0.15, "hips")
part("chest", 0.098, "hips", "chest")
part("neck", 0.045, "chest", "chin")
part("head", 0.1, "head")
part("shoulders", 0.055, "left_shoulder", "right_shoulder")
part("thigh", 0.068, "hip", "knee")
part("calf", 0.05, "knee", "ankle")
part("foot", 0.035, "ankle", "toe")
part("free thigh", 0.068, "free_hip", "free_knee")
part("free calf", 0.05, "free_knee", "free_ankle")
part("free foot", 0.035, "free_ankle", "free_toe")
for _, side in ipairs { "left", "right" } do
  part(side .. " upper arm", 0.038, side .. "_shoulder", side .. "_elbow")
  part(side .. " forearm", 0.032, side .. "_elbow", side .. "_hand")
end

local skirt = world:cloth { name = "skirt", material = "silk", color = "#c43a5c", back_color = "#8c2542",
  mesh = muslin.mesh.annulus { radius = BAND + LENGTH, inner_radius = BAND, edge_length = 0.022, center = { 0, WAIST, 0 } } }
skirt:pin { where = function(x, _, z) return x * x + z * z < (BAND + 1e-3) ^ 2 end, to = hips }

local flare = 0 -- m: how far the skirt has come from her axis
world:on("after_step", function(_, t)
  for i = 1, t > TURN and skirt.vertex_count or 0 do flare = math.max(flare, math.sqrt(skirt.x[i].x ^ 2 + skirt.x[i].z ^ 2)) end
end)

world:camera { from = { 1.25, 1.55, 2.9 }, to = { 0, 0.94, 0 }, fov = math.rad(35) }
world:on("done", function(w, t)
  muslin.expect(w):penetration_free()
  if t < w.duration - 1e-6 then return end -- the checks below are for the last frame
  muslin.expect(flare, "m, the skirt's largest radius"):more_than(0.4)
  local low = skirt:bounds()
  muslin.expect(low.y, "m, the lowest point of the hem"):less_than(0.62)
end)

return world
