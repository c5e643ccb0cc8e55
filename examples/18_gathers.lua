-- 18_gathers.lua: a skirt is sewn around a body, gathered into a narrower waistband, and falls.
--
--   muslin view examples/18_gathers.lua       (m, kg, s; y is up)
--
-- A sewing pattern in Lua. The skirt's upper edges are 1.8 times as long as those of the band that they are sewn to: stitches
-- join them point by point, and the cloth between them has to go somewhere. muslin.dress sews without gravity, then drapes.
local muslin = require "muslin"

local BAND, SKIRT = { width = 0.34, height = 0.045 }, { width = 0.62, height = 0.4 } -- m, of half of each
local WAIST, APART = 0.95, 0.17 -- m: height of the seam between them; distance of the panels from the axis

-- A rectangle around the middle of its lower edge, from there counterclockwise: bottom, right, top, left.
local function rectangle(size, y, back)
  local w, h = size.width / 2, size.height
  return { vertices = { { -w, 0 }, { w, 0 }, { w, h }, { -w, h } }, translation = { 0, y, back and -APART or APART },
    rotation = { 0, back and 180 or 0, 0 },
    edges = { { endpoints = { 1, 2 } }, { endpoints = { 2, 3 } }, { endpoints = { 3, 4 } }, { endpoints = { 4, 1 } } } }
end
local BOTTOM, RIGHT, TOP, LEFT = 1, 2, 3, 4

local pattern = muslin.pattern {
  edge_length = 0.016,
  panels = {
    front_band = rectangle(BAND, WAIST), back_band = rectangle(BAND, WAIST, true),
    front = rectangle(SKIRT, WAIST - SKIRT.height), back = rectangle(SKIRT, WAIST - SKIRT.height, true),
  },
  stitches = {
    { { "front", TOP }, { "front_band", BOTTOM } }, { { "back", TOP }, { "back_band", BOTTOM } }, -- gathered
    { { "front_band", RIGHT }, { "back_band", LEFT } }, { { "front_band", LEFT }, { "back_band", RIGHT } },
    { { "front", RIGHT }, { "back", LEFT } }, { { "front", LEFT }, { "back", RIGHT } },
  },
}

local world = muslin.world { duration = 3, fps = 60 }
local hips = muslin.mesh.cone { radius = 0.155, top_radius = 0.085, length = 0.35, center = { 0, 0.86, 0 }, edge_length = 0.03 }
local body = world:obstacle { name = "hips", mesh = hips, color = "#c9b199" }
world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 }, at = { 0, 0.4, 0 } }
local skirt = muslin.dress(world, { pattern = pattern, body = body, name = "skirt", material = "cotton", closing_time = 1,
  friction = 0.5, stop = false })

world:camera { from = { 0.5, 1.1, 1.25 }, to = { 0, 0.7, 0 }, fov = math.rad(30) }
world:on("done", function(w, t)
  muslin.expect(w):penetration_free()
  if t < w.duration - 1e-6 then return end -- the checks below are for the last frame
  muslin.expect(skirt:gap(), "m, of the widest seam"):less_than(2e-3)
end)

return world
