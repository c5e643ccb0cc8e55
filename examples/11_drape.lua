-- A silk sheet of 100 x 100 nodes falls over a ball on the floor and comes to rest in folds: the scene of `make demo`.
--
--   muslin view examples/11_drape.lua
--   muslin run  examples/11_drape.lua --out out/drape --format png --frames-only 0:140:20
--
-- Units: m, kg, s. The pipeline solves cloth and contacts as one system, so that the sheet comes to rest: about 45 s on one
-- core (AMD EPYC) for 2.4 s of simulated time.
local muslin = require "muslin"

local RADIUS, TURN = 0.22, 0.6 -- m; rad, about the y axis: no edge of the sheet is parallel to an axis

local world = muslin.world { dt = 1/60, fps = 60, duration = 2.4, pipeline = "offset" }
local mesh = muslin.mesh.grid { nodes = {100, 100}, size = {1.1, 1.1}, center = {0, 2 * RADIUS + 0.01, 0} }
mesh:transform { rotation = {muslin.cos(TURN / 2), 0, muslin.sin(TURN / 2), 0} }
local sheet = world:cloth { name = "sheet", mesh = mesh, material = "silk", friction = 0.6, color = "#8c2f39" }
world:obstacle { name = "ball", shape = "sphere", radius = RADIUS, at = {0, RADIUS, 0}, friction = 0.6 }
world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = 0.6 }

world:camera { from = {0.68, 0.72, 1.5}, to = {0, 0.18, 0}, fov = math.rad(32) }

world:on("done", function(w, t)
  muslin.expect(w):penetration_free()
  if t < w.duration - 1e-6 then return end -- the checks below are for the state at rest
  muslin.expect(w):at_rest(0.1)
  muslin.expect(sheet):stretched_at_most(0.1)
  local low, high = sheet:bounds()
  muslin.expect(low.y):less_than(0.005) -- its hem lies on the floor
  muslin.expect(high.y):between(2 * RADIUS, 2 * RADIUS + 0.01) -- its middle on the ball
  muslin.expect(high.x - low.x):less_than(1.2) -- and the rest in folds: 1.05 m wide, 1.53 m at the start
end)

return world
