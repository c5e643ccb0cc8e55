-- crease_test.lua: plastic bending: a pressed fold keeps the angle of the law, creases recover, and angles at rest that are set.
local muslin = require "muslin"

scenario.together()

local path = ".crease_test.muslin" -- in the folder that the tests run in
local columns, rows, pitch, fold = 9, 3, 0.01, 5 -- the fold is the middle column
local function vertex(column, row) return column + columns * (row - 1) end

local function strip(options)
  local world = muslin.world { dt = 1 / 120, gravity = { 0, 0, 0 }, threads = 1, air_density = 0,
    pipeline = options.pipeline, sleep = options.sleep }
  local mesh = muslin.mesh.grid { nodes = { columns, rows }, size = { pitch * (columns - 1), pitch * (rows - 1) } }
  local sheet = world:cloth { name = "strip", mesh = mesh, material = { model = options.model, viscous_damping = 20,
    yield_curvature = options.yield_curvature, bending_hardening = options.hardening, recovery_time = options.recovery_time } }
  return world, sheet
end

-- Turns the half behind the fold about it from the angle `from` (0) to `angle` within 0.25 s, as a press does, and releases it
-- after `pause` seconds more.
local function press(world, sheet, angle, pause, from)
  local first, second, at = {}, {}, {}
  for row = 1, rows do
    for column = 1, columns do
      local list = column <= fold and first or second
      list[#list + 1] = vertex(column, row)
      at[vertex(column, row)] = sheet.x[vertex(column, row)]:totable()
    end
  end
  sheet:pin { vertices = first }
  local axis = at[vertex(fold, 1)]
  local start = world.time
  sheet:pin { vertices = second, path = function(t, i)
    local turn = (from or 0) + (angle - (from or 0)) * math.min((t - start) / 0.25, 1)
    local along = pitch * ((i - 1) % columns + 1 - fold)
    return { axis[1] + along * muslin.cos(turn), axis[2] + along * muslin.sin(turn), at[i][3] }
  end }
  world:advance(0.3 + (pause or 0))
  sheet:unpin { vertices = second }
end

-- The angle between the two halves, by three vertices of the middle row: independent of the program's own angles.
local function bend_of(sheet)
  local middle = sheet.x[vertex(fold, 2)]
  local from = middle - sheet.x[vertex(1, 2)]
  local to = sheet.x[vertex(columns, 2)] - middle
  local cosine = from:dot(to) / (from:length() * to:length())
  return math.deg(muslin.acos(muslin.clamp(cosine, -1, 1)))
end

for _, pipeline in ipairs { "robust", "offset", "newton" } do
  for _, model in ipairs { "springs", "stvk" } do
    local title = pipeline .. ", " .. model
    scenario("a fold pressed to 90 degrees keeps the angle of the law: " .. title, function()
      local yield_curvature, hardening = 20, 0.1
      for _, sign in ipairs { 1, -1 } do
        local world <close>, sheet = strip { pipeline = pipeline, model = model, yield_curvature = yield_curvature, hardening = hardening }
        press(world, sheet, sign * math.pi / 2)
        world:advance(2.5)
        local kept = math.deg((math.pi / 2 - yield_curvature * pitch) / (1 + hardening)) -- 71.4
        expect(bend_of(sheet)):near(kept, 1)
        local angle, rest = sheet:angle(vertex(fold, 1), vertex(fold, 2))
        expect(math.deg(rest)):near(-sign * kept, 0.01) -- the normals of a grid point down
        expect(math.deg(angle)):near(math.deg(rest), 1)
      end
    end)
    scenario("elastic cloth springs back: " .. title, function()
      local world <close>, sheet = strip { pipeline = pipeline, model = model }
      press(world, sheet, math.pi / 2)
      world:advance(2.5)
      expect(bend_of(sheet)):less_than(1)
      expect(select(2, sheet:angle(vertex(fold, 1), vertex(fold, 2)))):equals(0)
    end)
  end
end

scenario("creases recover with their time constant, and hardening shrinks what a second fold adds", function()
  local world <close>, sheet = strip { model = "stvk", yield_curvature = 20, recovery_time = 0.5 }
  press(world, sheet, math.pi / 2)
  local before, time = select(2, sheet:angle(vertex(fold, 1), vertex(fold, 2))), world.time
  world:advance(0.8)
  local after = select(2, sheet:angle(vertex(fold, 1), vertex(fold, 2)))
  expect(after / before):near(muslin.exp(-(world.time - time) / 0.5), 1e-6)
  world:advance(4)
  expect(bend_of(sheet)):less_than(1)
end)

scenario("a sleeping world wakes until its creases have recovered", function()
  local world <close>, sheet = strip { model = "springs", yield_curvature = 20, recovery_time = 2, sleep = true }
  press(world, sheet, math.pi / 2)
  world:advance(20)
  expect(math.abs(select(2, sheet:angle(vertex(fold, 1), vertex(fold, 2))))):less_than(2e-3)
end)

scenario("cloth:crease sets angles at rest along a path of vertices, to which the cloth folds", function()
  for _, model in ipairs { "springs", "stvk" } do
    local world <close>, sheet = strip { model = model }
    sheet:crease({ vertex(fold, 1), vertex(fold, 2), vertex(fold, 3) }, math.pi / 3)
    expect(sheet:angle(vertex(fold, 1), vertex(fold, 2))):equals(0)
    world:advance(3)
    expect(bend_of(sheet)):near(60, 1)
    expect(math.deg((sheet:angle(vertex(fold, 2), vertex(fold, 3))))):near(60, 1)
    sheet:crease({ vertex(fold, 1), vertex(fold, 2), vertex(fold, 3) }, 0)
    world:advance(3)
    expect(bend_of(sheet)):less_than(1)
  end
end)

scenario("a hinge at the limit of its angles hardens no further while it is pressed", function()
  local yield_curvature, hardening = 5, 0.05
  local world <close>, sheet = strip { model = "springs", yield_curvature = yield_curvature, hardening = hardening }
  press(world, sheet, math.rad(150), 1)
  local largest = 2 * math.atan(2)
  expect(math.abs(select(2, sheet:angle(vertex(fold, 1), vertex(fold, 2))))):near(largest, 1e-6)
  press(world, sheet, math.rad(-60), 0, largest)
  local over = (largest + math.rad(60)) / pitch - yield_curvature - hardening * largest / pitch
  local kept = largest - pitch * over / (1 + hardening) -- -0.739 rad
  expect(-select(2, sheet:angle(vertex(fold, 1), vertex(fold, 2)))):near(kept, 0.01)
end)

scenario("creases recover to the angle that was set", function()
  local world <close>, sheet = strip { model = "stvk", yield_curvature = 20, recovery_time = 0.2 }
  sheet:crease({ vertex(fold, 1), vertex(fold, 2), vertex(fold, 3) }, -math.pi / 6)
  world:advance(0.5)
  press(world, sheet, math.pi / 2)
  expect(math.deg(-select(2, sheet:angle(vertex(fold, 1), vertex(fold, 2))))):more_than(60)
  world:advance(4)
  expect(bend_of(sheet)):near(30, 1)
end)

scenario("a world read from a snapshot goes on with the same bits, creases and hardening included", function()
  for _, case in ipairs { { "springs", "robust" }, { "stvk", "robust" }, { "stvk", "offset" } } do
    local options = { model = case[1], pipeline = case[2], yield_curvature = 20, hardening = 0.2, recovery_time = 3 }
    local world <close>, sheet = strip(options)
    press(world, sheet, math.pi / 2)
    world:advance(0.1)
    world:save(path)
    local function go_on(w)
      local s = w.cloths[1]
      press(w, s, -0.6)
      w:advance(0.5)
      return w:hash()
    end
    local one = go_on(world)
    local other <close> = strip(options)
    other:restore(path)
    expect(go_on(other)):equals(one)
  end
end)

-- A sheet of 40 by 40 vertices, numbered along its rows or at random: the solver works on a reordered copy of the latter.
local function numbered_sheet(shuffle, radius, recovery_time)
  local world = muslin.world { dt = 1 / 120, gravity = { 0, 0, 0 }, threads = 1, air_density = 0 }
  local nodes = 40
  local grid = muslin.mesh.grid { nodes = { nodes, nodes }, size = { 0.39, 0.39 } }
  local place, x, faces, line = {}, {}, grid:faces(), {} -- 7 i modulo 1601 takes each value from 1 to 1600 once
  for i = 1, nodes * nodes do place[i] = shuffle and 7 * i % 1601 or i end
  for i = 1, nodes * nodes do
    local p = grid.x[i]:totable()
    if radius then p = { radius * muslin.sin(p[1] / radius), radius * muslin.cos(p[1] / radius), p[3] } end
    x[place[i]] = p
  end
  for _, f in ipairs(faces) do for k = 1, 3 do f[k] = place[f[k]] end end
  local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.new { vertices = x, faces = faces },
    material = { model = "stvk", viscous_damping = 20, yield_curvature = 15, bending_hardening = 0.3, recovery_time = recovery_time or 5 } }
  for row = 1, nodes do line[row] = place[20 + nodes * (row - 1)] end
  return world, sheet, line
end

scenario("the mesh may be numbered in any way", function()
  local angles = {}
  for case, shuffle in ipairs { false, true } do
    local world <close>, sheet, line = numbered_sheet(shuffle)
    sheet:crease(line, 1)
    world:advance(1)
    angles[case] = {}
    for row = 1, #line - 1 do angles[case][row] = { sheet:angle(line[row], line[row + 1]) } end
  end
  for row, plain in ipairs(angles[1]) do -- the solver's sums are in another order: its ends differ within its tolerance
    expect(angles[2][row][1]):near(plain[1], 0.02)
    expect(angles[2][row][2]):near(plain[2], 0.02)
  end
end)

scenario("a rest shape that is bent is no crease: it does not fade", function()
  for _, shuffle in ipairs { false, true } do
    local world <close>, sheet = numbered_sheet(shuffle, 0.1, 0.1)
    local x = sheet.x:copy()
    world:advance(0.5)
    expect(sheet.x:sub(x):lengths():max()):less_than(1e-6)
  end
end)

scenario.each { "springs", "stvk" } ("cloth that is bent at rest has elastic energy only where it leaves that shape: {}",
  function(model)
    local world <close> = muslin.world { dt = 1 / 240, gravity = { 0, 0, 0 }, air_density = 0, threads = 1 }
    local c, s = math.cos(1.5), math.sin(1.5)
    local mesh = muslin.mesh.new { vertices = { { 0, 0, 0 }, { 0, 0, 1 }, { -1, 0, 0.5 }, { c, s, 0.5 } },
      faces = { { 1, 2, 3 }, { 2, 1, 4 } } }
    local sheet = world:cloth { mesh = mesh, material = { preset = "cotton", model = model, bending = 1 } }
    world:step()
    expect(world:energy().elastic):near(0, 1e-12)
    sheet:crease({ 1, 2 }, -1.6)
    expect(world:energy().elastic):between(1e-4, 1e-1)
  end)

scenario("a reordered cloth goes on with the same bits after it is restored or loaded", function()
  local world <close>, sheet, line = numbered_sheet(true)
  sheet:crease(line, 1)
  world:advance(0.1)
  world:save(path)
  world:advance(0.1)
  local other <close> = numbered_sheet(true)
  other:restore(path)
  other:advance(0.1)
  expect(other:hash()):equals(world:hash())
  local loaded <close> = muslin.load(path)
  loaded:advance(0.1)
  expect(loaded:hash()):equals(world:hash())
  expect(select(2, loaded.cloths[1]:angle(line[3], line[4]))):equals(select(2, sheet:angle(line[3], line[4])))
end)

scenario("bad input is named", function()
  local world <close>, sheet = strip { model = "springs" }
  expect(function() sheet:crease({ 1 }, 1) end):raises "cloth:crease: needs two vertices or more along edges %(got 1%)"
  expect(function() sheet:crease({ 1, 2 }, 1) end):raises "nothing bends between vertices 1 and 2: it must be an edge of two faces"
  expect(function() sheet:crease({ 5, 14, 99 }, 1) end):raises "whole numbers from 1 to 27 %(got 99%)"
  expect(function() sheet:crease({ 5, 14 }, 3) end):raises "the angle of a crease must lie within %+%-2.214 rad %(got 3%)"
  expect(function() sheet:crease({ 5, 14 }, 0 / 0) end):raises "must lie within"
  expect(function() sheet:crease({ 5, 14 }) end):raises "the second argument must be an angle in rad %(got nil%)"
  expect(function() sheet:crease({ 5, 14, 1 }, 1) end):raises "nothing bends between vertices 14 and 1"
  expect(select(2, sheet:angle(5, 14))):equals(0) -- all or none
  expect(function() sheet:angle(5) end):raises "cloth:angle: needs two vertices from 1 to 27"
  local function material(t) return function() muslin.material(t) end end
  expect(material { yield_curvature = -1 }):raises "'yield_curvature' must be >= 0"
  expect(material { recovery_time = 1 }):raises "'recovery_time' needs yield_curvature > 0"
  expect(material { model = "choi_ko", yield_curvature = 1 }):raises "'yield_curvature' is of the models 'springs', 'stvk'"
  expect(material { model = "stvk", bending_model = "quadratic", yield_curvature = 1 }):raises "with bending_model = 'hinge'"
  world:on("before_step", function() sheet:crease({ 5, 14 }, 1) end)
  expect(function() world:step() end):raises "cloth:crease"
end)
