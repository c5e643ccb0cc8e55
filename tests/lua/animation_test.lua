-- animation_test.lua: obstacles whose vertices follow frames: where they are when, what cloth does, and what is kept.
local muslin = require "muslin"

local path = ".animation_test.muslin" -- in the folder that the tests run in
scenario.together()

local function still(mesh) return muslin.world { dt = 1 / 100, fps = 100, gravity = { 0, 0, 0 } }, mesh end

local function ball_and_frames()
  local mesh = muslin.mesh.sphere { radius = 0.3, subdivisions = 1 }
  local frames = {}
  for k = 0, 2 do frames[k + 1] = mesh:copy():transform { position = { k, 0, 0 } } end
  return mesh, frames
end

-- Where the first vertex is after each of `steps` steps, beside where it was in the mesh.
local function places(world, obstacle, mesh, steps)
  local list = {}
  for k = 1, steps do
    world:step()
    list[k] = obstacle:mesh().x[1].x - mesh.x[1].x
  end
  return list
end

local function expect_places(list, wanted)
  for k, x in ipairs(list) do expect(x):near(wanted(k), 1e-9) end
end

scenario("frames begin at start and stay at the last", function()
  local world <close> = still()
  local mesh, frames = ball_and_frames()
  local ball = world:obstacle { mesh = mesh }
  ball:animate { frames = frames, fps = 10, start = 0.1, interpolation = "linear" }
  expect_places(places(world, ball, mesh, 40), function(k) return math.max(0, math.min(2, (k / 100 - 0.1) * 10)) end)
  ball:animate { frames = frames, fps = 10, start = 0.25, interpolation = "linear" } -- the world is at 0.4 s: half way
  expect_places(places(world, ball, mesh, 10), function(k) return math.min(2, 1.5 + k / 10) end)
end)

scenario("a loop goes from the last frame back to the first", function()
  local world <close> = still()
  local mesh, frames = ball_and_frames()
  local ball = world:obstacle { mesh = mesh }
  ball:animate { frames = frames, fps = 10, loop = true, start = -0.3, interpolation = "linear" } -- a whole round before the world began
  expect_places(places(world, ball, mesh, 95), function(k)
    local at = k / 10 % 3
    return at <= 2 and at or 2 * (3 - at)
  end)
  ball:animate { frames = { frames[2] }, fps = 10, loop = true }
  expect_places(places(world, ball, mesh, 3), function() return 1 end)
end)

-- Of positions 0, 1, 2 m a tenth of a second apart: velocities are zero at the ends, and 1 m a frame in the middle.
scenario("motion is smooth by default, and begins and ends at rest", function()
  local world <close> = still()
  local mesh, frames = ball_and_frames()
  local ball = world:obstacle { mesh = mesh }
  ball:animate { frames = frames, fps = 10, start = 0.1 }
  expect_places(places(world, ball, mesh, 40), function(k)
    local at = math.max(0, math.min(2, (k / 100 - 0.1) * 10))
    if at <= 1 then return 2 * at ^ 2 - at ^ 3 end
    local s = at - 1
    return 1 + s + s ^ 2 - s ^ 3
  end)
end)

scenario("a smooth loop has no jump of velocity where it repeats", function()
  local world <close> = still()
  local mesh, frames = ball_and_frames()
  local ball = world:obstacle { mesh = mesh }
  ball:animate { frames = frames, fps = 10, loop = true }
  local list = places(world, ball, mesh, 95)
  local function hermite(a, v, b, w, s)
    return a * (2 * s ^ 3 - 3 * s ^ 2 + 1) + v * (s ^ 3 - 2 * s ^ 2 + s) + b * (3 * s ^ 2 - 2 * s ^ 3) + w * (s ^ 3 - s ^ 2)
  end
  expect_places(list, function(k)
    local at = k / 10
    local round, frame, s = at // 3, at % 3 // 1, at % 1
    if frame == 0 then return hermite(0, round == 0 and 0 or -0.5, 1, 1, s) end
    if frame == 1 then return hermite(1, 1, 2, -0.5, s) end
    return hermite(2, -0.5, 0, -0.5, s)
  end)
end)

-- From 0 to 1, without a velocity at either end.
local function rise(at)
  local s = math.max(0, math.min(1, at))
  return 3 * s ^ 2 - 2 * s ^ 3
end

scenario("a lead-in goes from the mesh to the first frame, and begins and ends at rest", function()
  local world <close> = still()
  local mesh, frames = ball_and_frames()
  local ball = world:obstacle { mesh = mesh }
  ball:animate { frames = { frames[2], frames[3] }, fps = 10, lead_in = 0.2 } -- the first frame at 0.2 s
  expect_places(places(world, ball, mesh, 40), function(k)
    return rise(k / 20) + rise((k - 20) / 10)
  end)
  ball:animate { frames = { frames[2] }, lead_in = 0.1, start = 0.6 } -- the world is at 0.4 s
  expect_places(places(world, ball, mesh, 30), function(k) return rise((k - 10) / 10) end)
end)

scenario("what cannot be animated is refused, and nothing is left of it", function()
  local world <close> = still()
  local mesh, frames = ball_and_frames()
  local ball = world:obstacle { mesh = mesh }
  local box = muslin.mesh.box { size = { 1, 1, 1 } }
  local function refused(options, pattern)
    expect(function() ball:animate(options) end):raises(pattern)
  end
  refused({ frames = { box } }, "8 vertices, the mesh 42")
  refused({ frames = frames, fps = 0 }, "field 'fps' must be > 0")
  refused({ frames = frames, start = 0 / 0 }, "field 'start'")
  refused({ frames = frames, scale = 2 }, "'scale', 'up', 'array' and 'animation' are for a cache from a file")
  refused({ frames = frames, cache = "x.pc2" }, "got both")
  refused({ frames = frames, array = "verts" }, "are for a cache from a file")
  refused({ frames = frames, interpolation = "cubic" }, "'interpolation' must be 'linear' or 'smooth' %(got 'cubic'%)")
  refused({ frames = frames, lead_in = -1 }, "the lead%-in of its animation must be >= 0 s %(got %-1%)")
  refused({ frames = frames, repeats = true }, "unknown field 'repeats'")
  local function unmade(options, pattern)
    expect(function() world:obstacle(options) end):raises(pattern)
    expect(#world.obstacles):equals(1)
  end
  unmade({ mesh = mesh, cache = "none.pc2" }, "none%.pc2")
  unmade({ mesh = mesh, cache_fps = 3 }, "field 'cache_fps' is about a cache, and there is no field 'cache'")
  unmade({ shape = "sphere", radius = 1, cache = "none.pc2" }, "'cache' does not belong to shape 'sphere'")
  unmade({ mesh = mesh, cache = "none.pc2", cache_scale = -1 }, "none%.pc2")
end)

-- A ball that breathes under a sheet: 0.2 to 0.3 m and back, 30 times a second.
local function breathing(pipeline)
  local world = muslin.world { dt = 1 / 240, fps = 60, threads = 1, pipeline = pipeline }
  local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = { 18, 18 }, size = { 0.8, 0.8 },
    center = { 0.01, 0.55, 0.02 } } }
  local mesh = muslin.mesh.sphere { radius = 0.25, subdivisions = 2 }
  local frames = {}
  for k = 0, 19 do
    frames[k + 1] = mesh:copy():transform { scale = 1 - 0.2 * math.cos(2 * math.pi * k / 20), position = { 0, 0.25, 0 } }
  end
  local ball = world:obstacle { name = "ball", mesh = mesh, friction = 0.6 }
  ball:animate { frames = frames, fps = 30, loop = true }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 }, at = { 0, -0.2, 0 } }
  return world, sheet, ball
end

for _, pipeline in ipairs { "robust", "offset", "vbd" } do
  scenario("cloth on a breathing ball: " .. pipeline, function()
    local world <close>, sheet, ball = breathing(pipeline)
    local contacts, highest = 0, 0
    for _ = 1, 70 do
      world:run_frame()
      contacts = math.max(contacts, world:stats().contacts)
      if world.time > 0.5 then highest = math.max(highest, sheet.x:max().y) end
      expect(world):penetration_free()
    end
    expect(world):finite()
    expect(contacts).never:equals(0)
    -- the ball lifted the sheet with it: its top reaches 0.55 m; a ball that stood would hold it at 0.45
    assert(highest > 0.535, highest)
    assert(ball:mesh().x:max().y < 0.56)
    assert(sheet:centroid().y > 0.2, "the sheet still lies over the ball")
  end)
end

scenario("a world that is saved amid an animation goes on the same", function()
  local world <close> = breathing("robust")
  for _ = 1, 45 do world:run_frame() end
  world:save(path)
  local wanted = {}
  for k = 1, 15 do
    world:run_frame()
    wanted[k] = world:hash()
  end
  local loaded <close> = muslin.load(path)
  local twin <close> = breathing("robust")
  twin:restore(path)
  for k = 1, 15 do
    loaded:run_frame()
    twin:run_frame()
    expect(loaded:hash()):equals(wanted[k])
    expect(twin:hash()):equals(wanted[k])
  end
  local other <close> = breathing("robust")
  local ball = other:find "ball"
  ball:animate { frames = { ball:mesh() }, fps = 30 }
  expect(function() other:restore(path) end):raises "animated frames"
end)
