-- face_pin_test.lua: cloth:pin and cloth:pull to a mesh that is animated: places on its faces, what hangs from them, and what
-- is kept.
local muslin = require "muslin"
local once = require "once"

local path = ".face_pin_test.muslin" -- in the folder that the tests run in
scenario.together()

local function turned(mesh, angle)
  return mesh:copy():transform { rotation = { axis = { 0, 0, 1 }, angle = angle }, position = { 0.1 * angle, 0, 0 } }
end

-- A brick of 0.4 x 0.2 x 0.4 m, an animation that turns it by a radian in 0.2 s, and a sheet 3 mm above it.
local function brick_and_sheet(options)
  local height = options.height or 0.103
  options.height = nil
  options.dt, options.fps, options.threads = options.dt or 1 / 100, 100, 1
  options.gravity = options.gravity or { 0, 0, 0 }
  local world = muslin.world(options)
  local mesh, frames = muslin.mesh.box { size = { 0.4, 0.2, 0.4 } }, {}
  for k = 0, 20 do frames[k + 1] = turned(mesh, k / 20) end
  local brick = world:obstacle { name = "brick", mesh = mesh }
  local sheet = world:cloth { name = "sheet",
    mesh = muslin.mesh.grid { nodes = { 7, 7 }, size = { 0.3, 0.3 }, center = { 0, height, 0 } } }
  return world, sheet, brick, { frames = frames, fps = 100, interpolation = "linear" }
end

local function at_angle(p, angle)
  local c, s = math.cos(angle), math.sin(angle)
  return { c * p.x - s * p.y + 0.1 * angle, s * p.x + c * p.y, p.z }
end

local function places(cloth, chosen)
  local list = {}
  for k, i in ipairs(chosen) do list[k] = { x = cloth.x[i].x, y = cloth.x[i].y, z = cloth.x[i].z } end
  return list
end

scenario.each { "robust", "offset", "newton", "sequential", "exhaustive" } ("pins to faces turn with them: {}", function(pipeline)
  local world <close>, sheet, brick, animation = brick_and_sheet { pipeline = pipeline }
  brick:animate(animation)
  local corners = { 1, 7, 43, 49 }
  local before = places(sheet, corners)
  expect(sheet:pin { vertices = corners, to = brick }):equals(4)
  for k = 1, 10 do
    world:step()
    for c, i in ipairs(corners) do expect(sheet.x[i]):near(at_angle(before[c], k / 20), 1e-12) end
  end
  expect(world):penetration_free()
end)

scenario("a point stays the same part of a face that is stretched, at the same height", function()
  local world <close>, sheet, brick = brick_and_sheet {}
  local wide = muslin.mesh.box { size = { 0.4, 0.2, 0.4 } }
  for i = 1, #wide.x do wide.x[i] = { 1.5 * wide.x[i].x, wide.x[i].y, wide.x[i].z } end
  local x = sheet.x[9].x
  brick:animate { frames = { wide }, fps = 10, start = 0.1, lead_in = 0.1 }
  sheet:pin { vertices = { 9 }, to = brick }
  for _ = 1, 10 do world:step() end
  expect(sheet.x[9]):near({ 1.5 * x, 0.103, sheet.x[9].z }, 1e-12)
end)

scenario("pins that were set before the mesh was animated are fastened to it then", function()
  local function run(first)
    local world <close>, sheet, brick, animation = brick_and_sheet {}
    if first then sheet:pin { edge = "left", to = brick } end
    brick:animate(animation)
    if not first then sheet:pin { edge = "left", to = brick } end
    for _ = 1, 8 do world:step() end
    return world:hash()
  end
  expect(run(true)):equals(run(false))
end)

-- A weight m on a spring of stiffness k hangs m g/k lower; damping toward a moving place leaves it no lag.
scenario.each { "robust", "offset", "newton", "sequential", "vbd", "provot", "jung" } ("a pull to a face: {}", function(pipeline)
  local world <close>, sheet, brick = brick_and_sheet { pipeline = once(pipeline), gravity = { 0, -10, 0 },
    air_density = 0, height = 0.2 }
  local lifted = muslin.mesh.box { size = { 0.4, 0.2, 0.4 } }:transform { position = { 0, 1, 0 } }
  brick:animate { frames = { lifted }, fps = 10, lead_in = 1, start = 1 }
  sheet:pull { where = function() return true end, to = brick, stiffness = 0.4, damping = 0.02 }
  local sag = 0
  for i = 1, #sheet.x do sag = sag + sheet.m[i] * 10 / 0.4 / #sheet.x end
  for _ = 1, 100 do world:step() end -- the last frame has come, and stays
  for _ = 1, 100 do world:step() end
  local mean = 0
  for i = 1, #sheet.x do mean = mean + sheet.x[i].y / #sheet.x end
  expect(mean):near(1.2 - sag, 0.02 * sag)
end)

-- A body that bends, breathes and turns, and a skirt 8 mm off it, whose waist is pulled to it.
local function dressed(pipeline, attached)
  local world = muslin.world { dt = 1 / 100, fps = 50, threads = 1, pipeline = pipeline }
  local torso = muslin.mesh.cylinder { radius = 0.1, length = 0.4, edge_length = 0.05, center = { 0, 1, 0 } }
  local frames = {}
  for k = 0, 20 do
    local s = math.sin(k / 20 * 2 * math.pi)
    local frame = torso:copy()
    for i = 1, #frame.x do
      local p = torso.x[i]
      local bend, wide, turn = 0.15 * s * (p.y - 0.8) ^ 2 / 0.16, 1 + 0.06 * s, 0.5 * s
      local x, z = wide * p.x, wide * p.z
      frame.x[i] = { math.cos(turn) * x - math.sin(turn) * z + bend, p.y + 0.02 * s, math.sin(turn) * x + math.cos(turn) * z }
    end
    frames[k + 1] = frame
  end
  local body = world:obstacle { name = "body", mesh = torso }
  body:animate { frames = frames, fps = 25, loop = true }
  local skirt = world:cloth { name = "skirt",
    mesh = muslin.mesh.tube { radius = 0.108, length = 0.3, edge_length = 0.025, center = { 0, 0.95, 0 } } }
  local waist = 0
  if attached then
    waist = skirt:pull { where = function(_, y) return y > 1.095 end, to = body, stiffness = 30, damping = 0.05 }
  end
  return world, skirt, waist
end

scenario.each { "robust", "offset", "sequential" } ("a skirt stays where it is pulled to a moving body: {}", function(pipeline)
  local world <close>, skirt, waist = dressed(pipeline, true)
  expect(waist):at_least(20)
  local low, high = 2, 0
  world:on("after_step", function()
    for i = 1, #skirt.x do
      if skirt:pulled(i) > 0 then low, high = math.min(low, skirt.x[i].y), math.max(high, skirt.x[i].y) end
    end
  end)
  for _ = 1, 80 do
    world:step()
    if world.step_index % 8 == 0 then expect(world):penetration_free() end
  end
  expect(low, "the waist's lowest place"):at_least(1.06)
  expect(high, "its highest"):at_most(1.14)
  local loose <close>, other = dressed(pipeline, false)
  for _ = 1, 80 do loose:step() end
  local _, top = other:bounds()
  expect(top.y, "the top of one that is not attached"):at_most(1)
end)

scenario("pins to faces are kept by snapshots and undone with a step", function()
  local function fresh()
    local world, sheet, brick, animation = brick_and_sheet { gravity = { 0, -10, 0 } }
    brick:animate(animation)
    sheet:pin { edge = "left", to = brick }
    sheet:pull { edge = "right", to = brick, stiffness = 5, damping = 0.1 }
    return world, sheet, brick
  end
  local world <close>, sheet, brick = fresh()
  for _ = 1, 5 do world:step() end
  world:save(path)
  for _ = 1, 5 do world:step() end
  local wanted = world:hash()
  for _, to in ipairs { world, (fresh()) } do
    to:restore(path)
    for _ = 1, 5 do to:step() end
    expect(to:hash()):equals(wanted)
  end
  world:restore(path)
  local hook = world:on("after_step", function()
    sheet:pin { edge = "top", to = brick }
    sheet:unpin { edge = "left" }
    error("no")
  end)
  expect(function() world:step() end):raises("no")
  world:off(hook)
  for _ = 1, 5 do world:step() end
  expect(world:hash()):equals(wanted)
end)

scenario("an obstacle stays as long as cloth is pinned to its faces", function()
  local world <close>, sheet, brick, animation = brick_and_sheet {}
  brick:animate(animation)
  sheet:pin { corners = true, to = brick }
  expect(function() world:remove(brick) end):raises("cloth 'sheet' is pinned to obstacle 'brick'; unpin it first")
  sheet:unpin()
  world:remove(brick)
  world:step()
end)
