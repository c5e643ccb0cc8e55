-- pinch_test.lua: cloth between two surfaces of an animated mesh that leave no gap: refused, or released until they open.
local muslin = require "muslin"

local path = ".pinch_test.muslin" -- in the folder that the tests run in
scenario.together()

-- Two blocks as one mesh: the upper one comes down, through the face of the lower one, and opens again.
local function press()
  local lower = muslin.mesh.box { size = { 0.3, 0.1, 0.3 }, center = { 0, -0.05, 0 } }:subdivide(3)
  local upper = muslin.mesh.box { size = { 0.3, 0.1, 0.3 }, center = { 0.01, 0.1, 0.007 } }:subdivide(3)
  local x, faces, n = {}, lower:faces(), lower.vertex_count
  for i = 1, n do x[i] = lower.x[i]:totable() end
  for i = 1, upper.vertex_count do x[n + i] = upper.x[i]:totable() end
  for _, f in ipairs(upper:faces()) do faces[#faces + 1] = { f[1] + n, f[2] + n, f[3] + n } end
  local frames = {}
  for k, lift in ipairs { 0, -0.03, -0.056, -0.06, -0.06, -0.056, -0.03, 0 } do
    frames[k] = muslin.array(#x, 3)
    for i, p in ipairs(x) do frames[k][i] = { p[1], p[2] + (i > n and lift or 0), p[3] } end
  end
  return muslin.mesh.new { vertices = x, faces = faces }, frames
end

local function scene(pipeline, pinch)
  local world = muslin.world { dt = 1 / 120, fps = 60, threads = 1, pipeline = pipeline }
  local mesh, frames = press()
  local body = world:obstacle { name = "press", mesh = mesh }
  local sheet = world:cloth { name = "sheet", material = "cotton",
    mesh = muslin.mesh.grid { nodes = { 14, 14 }, size = { 0.5, 0.4 }, center = { 0, 0.004, 0 } } }
  if pinch then world:between({ body, sheet }, { pinch = pinch }) end
  body:animate { frames = frames, fps = 20, start = 0.1 }
  return world, sheet, body
end

-- Advances to `time`; the largest number of pinched vertices on the way.
local function advance(world, time)
  local most = 0
  while world.time < time - 1e-9 do
    world:step()
    most = math.max(most, world:stats().pinched)
  end
  return most
end

scenario("cloth without a gap between two surfaces is refused, and nothing has moved", function()
  for _, setting in ipairs { false, "refuse" } do
    local world <close>, sheet = scene(nil, setting or nil)
    expect(function() advance(world, 0.5) end):raises "no safe step: .*collide"
    local x, time = sheet.x:copy(), world.time
    expect(function() world:step() end):raises "no safe step"
    expect(sheet.x:sub(x):lengths():max()):equals(0)
    expect(world.time):equals(time)
    expect(sheet:pinned(1)):equals(false)
  end
end)

scenario("the error names the place, the speed of the mesh and the setting that releases the cloth", function()
  local world <close>, sheet = scene()
  local _, message = pcall(advance, world, 0.5)
  local x, y, z = message:match "; near %((%S+), (%S+), (%S+)%) m; "
  local nearest = math.huge
  for i = 1, sheet.vertex_count do nearest = math.min(nearest, (sheet.x[i] - muslin.vec3(x, y, z)):length()) end
  expect(nearest):less_than(1e-3)
  -- the frames at 0.15 and 0.2 s differ by 0.026 m; the motion within 0.05 s from any time between lies below 0.03 m
  local vertex, move, frame = message:match "; vertex (%d+) of obstacle 'press' moves (%S+) m within a frame %((%S+) s%)"
  local lower = muslin.mesh.box { size = { 0.3, 0.1, 0.3 } }:subdivide(3).vertex_count
  expect(tonumber(vertex)):more_than(lower)
  expect(tonumber(move)):between(0.002, 0.03)
  expect(tonumber(frame)):equals(0.05)
  expect(message):matches '; if the mesh pinches the cloth: world:between%({"press", "sheet"}, {pinch = "release"}%)'
end)

for _, case in ipairs { { "robust", 0 }, { "sequential", 0 }, { "offset", 8 }, { "newton", 8 } } do
  local pipeline, caught = table.unpack(case)
  -- The two potential pipelines leave up to `caught` vertices attached, whose faces hang on an edge of the upper block.
  scenario("with pinch = \"release\" it is released, collides again when they open, and is on its side: " .. pipeline, function()
    local world <close>, sheet = scene(pipeline, "release")
    expect(advance(world, 0.3), "vertices pinched"):at_least(9)
    local report = world:audit()
    expect(report.clean, "clean but for pinched cloth"):equals(true)
    expect(report.allowed, "what pinched cloth intersects"):at_least(1)
    advance(world, 0.6)
    expect(world:stats().pinched):at_most(caught)
    expect(world:audit().clean):equals(true)
    if caught == 0 then expect(world:audit().allowed):equals(0) end
    local low, high = math.huge, -math.huge
    for i = 1, sheet.vertex_count do
      local p = sheet.x[i]
      if math.abs(p.x) < 0.13 and math.abs(p.z) < 0.13 then low, high = math.min(low, p.y), math.max(high, p.y) end
    end
    expect(low, "above the lower block, m"):at_least(0)
    expect(high, "below the upper one, m"):at_most(0.05)
  end)
end

scenario("a world saved while it pinches goes on with the same bits in a world that has pinched nothing", function()
  local world <close>, sheet = scene(nil, "release")
  advance(world, 0.25)
  expect(world:stats().pinched):at_least(1)
  world:save(path)
  advance(world, 0.6)
  local other <close>, restored = scene(nil, "release")
  other:restore(path)
  expect(other:stats().pinched):at_least(1)
  advance(other, 0.6)
  expect(restored.x:sub(sheet.x):lengths():max()):equals(0)
end)

-- Soft pins to places, to a path and to a box fasten the middle of the sheet.
local function fastened()
  local world, sheet = scene(nil, "release")
  local start = sheet.x:totable()
  local box = world:obstacle { name = "bar", shape = "box", size = { 0.02, 0.02, 0.02 }, at = { 0, 0.5, 0 } }
  local function within(x0, x1) return function(x, _, z) return x > x0 and x < x1 and math.abs(z) < 0.1 end end
  sheet:pull { where = within(-0.12, -0.04), stiffness = 4 }
  sheet:pull { where = within(-0.04, 0.04), stiffness = 4, to = box }
  sheet:pull { where = within(0.04, 0.12), stiffness = 4,
    path = function(_, i) return { start[i][1], 0.004, start[i][3] } end }
  return world, sheet
end

scenario("soft pins wait while their vertices are pinched, and pull again afterwards", function()
  local world <close>, sheet = fastened()
  local pulled = sheet:pulled()
  expect(#pulled):at_least(20)
  local places, waiting = {}, 0
  for _, i in ipairs(pulled) do places[i] = sheet.x[i] end
  expect(advance(world, 0.25)):at_least(9)
  for _, i in ipairs(pulled) do waiting = waiting + (sheet:pinned(i) and 1 or 0) end
  expect(waiting, "pinched vertices with a soft pin"):at_least(9)
  expect(sheet:pulled()):equals(pulled)
  expect(sheet:pulled(pulled[1])):equals(4)
  expect(function() world:remove(world:find "bar") end):raises "pinned to obstacle 'bar'"
  world:save(path)
  advance(world, 1)
  expect(world:stats().pinched):equals(0)
  expect(world:audit().clean):equals(true)
  for _, i in ipairs(pulled) do
    expect(sheet:pinned(i)):equals(false)
    expect((sheet.x[i] - places[i]):length(), "way from its place, m"):less_than(0.004)
  end
  local other <close>, restored = fastened()
  other:restore(path)
  expect(restored:pulled()):equals(pulled)
  advance(other, 1)
  expect(restored.x:sub(sheet.x):lengths():max()):equals(0)
end)

scenario("a soft pin that is set or removed while its vertex is pinched", function()
  local world <close>, sheet = fastened()
  advance(world, 0.25)
  local first
  for _, i in ipairs(sheet:pulled()) do first = first or (sheet:pinned(i) and i) end
  sheet:pull { vertices = { first }, stiffness = 9 }
  expect(sheet:pinned(first), "still pinched"):equals(true)
  expect(sheet:pulled(first)):equals(9)
  sheet:unpin { vertices = { first } }
  expect(sheet:pulled(first)):equals(0)
  advance(world, 0.6)
  expect(sheet:pulled(first)):equals(0)
  expect(world:audit().clean):equals(true)
end)

scenario("a step that fails after a release has released nothing", function()
  local world <close>, sheet = scene(nil, "release")
  local fails, before = true, 0
  world:on("after_step", function()
    local pinned = 0
    for i = 1, sheet.vertex_count do pinned = pinned + (sheet:pinned(i) and 1 or 0) end
    if fails and pinned > 0 then error("an error of the script") end
  end)
  expect(function() advance(world, 0.5) end):raises "an error of the script"
  for i = 1, sheet.vertex_count do before = before + (sheet:pinned(i) and 1 or 0) end
  expect(before):equals(0)
  fails = false
  advance(world, 0.6)
  expect(world:stats().pinched):equals(0)
end)

scenario("a removed mesh lets its cloth go; wrong pairs and words are refused", function()
  local world <close>, sheet, body = scene(nil, "release")
  advance(world, 0.25)
  world:remove(body)
  expect(sheet:pinned(1)):equals(false)
  world:step()
  expect(world:stats().pinched):equals(0)
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.1, at = { 0, 3, 0 } }
  expect(function() world:between({ ball, sheet }, { pinch = "release" }) end)
    :raises "field 'pinch' is for a cloth and an obstacle that is a mesh %(got 'ball' and 'sheet'%)"
  expect(function() world:between({ sheet, sheet }, { pinch = "release" }) end):raises "a cloth and an obstacle"
  expect(function() world:between({ ball, sheet }, { pinch = "let" }) end)
    :raises "must be \"refuse\" or \"release\" %(got 'let'%)"
end)

scenario("unpin frees no pinched vertex, and a hard pin of one is refused", function()
  local world <close>, sheet = scene(nil, "release")
  sheet:pull { edge = "left", stiffness = 10 }
  advance(world, 0.35)
  expect(world:stats().pinched):more_than(0)
  expect(function() sheet:pin { where = function() return true end } end)
    :raises "pin: vertex %d+ of cloth 'sheet' is pinched by obstacle 'press'; pin it after that has opened"
  sheet:unpin()
  expect(sheet:pulled(1)):equals(0)
  expect(world:stats().pinched):more_than(0)
  while world.time < 0.9 do
    world:step()
    expect(world):penetration_free()
  end
  expect(world:stats().pinched):equals(0)
  expect(#sheet:pinned()):equals(0)
end)

for _, pipeline in ipairs { "robust", "offset" } do
  scenario("a mesh carries the cloth that it pinches into no plane: " .. pipeline, function()
    local world <close> = muslin.world { dt = 1 / 120, threads = 1, pipeline = pipeline }
    local sheet = world:cloth { name = "sheet",
      mesh = muslin.mesh.grid { nodes = { 11, 11 }, size = { 0.3, 0.3 }, center = { 0, 0.002, 0.002 } } }
    world:obstacle { name = "floor", shape = "plane" }
    local ball = muslin.mesh.sphere { radius = 0.06, subdivisions = 1, center = { 0, 0.07, 0 } }
    local body = world:obstacle { name = "body", mesh = ball }
    body:animate { frames = { ball, ball:copy():transform { position = { 0, -0.2, 0 } }, ball }, fps = 5, interpolation = "linear" }
    world:between({ sheet, body }, { pinch = "release" })
    expect(function() advance(world, 0.4) end):raises "no safe step: "
    expect(world):penetration_free()
  end)
end

-- A sheet folded over itself on the lower block; the upper one also slides, and both turn.
local function folded(turn, slide, from, fps)
  local world = muslin.world { dt = 1 / 120, fps = 60, threads = 1 }
  local mesh, frames = press()
  local n = #mesh.x // 2
  for k, frame in ipairs(frames) do
    local c, s = muslin.cos(turn * (k - 1)), muslin.sin(turn * (k - 1))
    for i = n + 1, 2 * n do
      local x, z = frame[i].x, frame[i].z
      frame[i] = { c * x - s * z + slide * (k - 1), frame[i].y, s * x + c * z }
    end
  end
  local body = world:obstacle { name = "press", mesh = mesh }
  local flat = muslin.mesh.grid { nodes = { 20, 14 }, size = { 0.6, 0.4 }, center = { 0, 0.004, 0 } }
  local start, radius = flat:copy(), 0.008
  for i = 1, #flat.x do
    local p, along = flat.x[i], flat.x[i].x - from
    local angle = math.min(along / radius, math.pi)
    if along > 0 then
      start.x[i] = { from + radius * muslin.sin(angle) - math.max(0, along - math.pi * radius),
        p.y + radius * (1 - muslin.cos(angle)), p.z }
    end
  end
  local sheet = world:cloth { name = "sheet", mesh = start, rest = flat }
  world:between({ body, sheet }, { pinch = "release" })
  body:animate { frames = frames, fps = fps, start = 0.1 }
  return world
end

-- Edges with two pinched ends are stretched beyond their strain limit, which nothing can correct.
for k, case in ipairs { { 0.0892, 0.00792, 0.1, 20 }, { 0.0673, 0.01047, 0.1, 40 } } do
  scenario("a fold is pinched by blocks that slide, " .. k, function()
    local world <close> = folded(table.unpack(case))
    for step = 1, 60 do
      world:step()
      if step % 5 == 0 then expect(world):finite():penetration_free() end
    end
  end)
end

-- What is released is stuck again at the fold: more of it is released after two halvings of the step (after six, 7 parts).
scenario("a stuck fold is released before the step is split far", function()
  local world <close> = folded(0, 0.0075796050132534, 0.05, 30)
  local most, pinched = 0, 0
  for _ = 1, 60 do
    world:step()
    most, pinched = math.max(most, world:stats().substeps), math.max(pinched, world:stats().pinched)
  end
  expect(world):penetration_free()
  expect(pinched):more_than(100)
  expect(most, "parts of a step"):at_most(4)
end)
