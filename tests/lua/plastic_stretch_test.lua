-- plastic_stretch_test.lua: cloth that is stretched beyond its elastic range stays longer, by the law.
local muslin = require "muslin"

scenario.together()

local path = ".plastic_stretch_test.muslin" -- in the folder that the tests run in
local columns, rows, pitch = 9, 4, 0.02
local length = pitch * (columns - 1)
local function vertex(column, row) return column + columns * (row - 1) end

local function strip(options)
  local world = muslin.world { dt = 1 / 120, gravity = { 0, 0, 0 }, threads = 1, air_density = 0, pipeline = options.pipeline,
    sleep = options.sleep }
  local mesh = muslin.mesh.grid { nodes = { columns, rows }, size = { length, pitch * (rows - 1) } }
  local material = { model = options.model, viscous_damping = 20, strain_limit = options.strain_limit or 0,
    yield_strain = options.yield_strain, stretch_hardening = options.hardening, recovery_time = options.recovery_time }
  if options.model == "mass_spring" then material.shear = 0 end -- yarns along the strip only: the law of single springs
  local sheet = world:cloth { name = "strip", mesh = mesh, material = material }
  local first, last = {}, {}
  for row = 1, rows do first[row], last[row] = vertex(1, row), vertex(columns, row) end
  sheet:pin { vertices = first }
  return world, sheet, last
end

-- Moves the last column to `stretch` times the length within 0.5 s, and releases it there; waits for `rest` seconds.
local function pull(world, sheet, last, stretch, rest)
  local from, start = {}, world.time
  for _, i in ipairs(last) do from[i] = sheet.x[i]:totable() end
  local along = sheet.x[vertex(1, 1)].x + stretch * length
  sheet:pin { vertices = last, path = function(t, i)
    local share, p = math.min((t - start) / 0.5, 1), from[i]
    return { p[1] + share * (along - p[1]), p[2], p[3] }
  end }
  world:advance(0.6)
  sheet:unpin { vertices = last }
  if rest ~= 0 then world:advance(rest or 2) end
end

local function length_of(sheet)
  local sum = 0
  for row = 1, rows do sum = sum + (sheet.x[vertex(columns, row)] - sheet.x[vertex(1, row)]):length() end
  return sum / rows
end

local function law(stretch, yield_strain, hardening) return (stretch / (1 + yield_strain)) ^ (1 / (1 + hardening)) end

-- The greatest ratio of an edge's lengths at rest: with plastic stretch, and as made.
local function kept(sheet)
  local now, made, most = sheet:unloaded_lengths(), sheet:rest_lengths(), 0
  for k = 1, #made do most = math.max(most, now[k] / made[k]) end
  return most
end

for _, pipeline in ipairs { "robust", "lively", "offset", "newton", "vbd" } do
  for _, model in ipairs { "stvk", "neo_hookean", "mass_spring" } do
    scenario("a strip pulled by 10 % keeps the length of the law: " .. pipeline .. ", " .. model, function()
      local world <close>, sheet, last = strip { pipeline = pipeline, model = model, yield_strain = 0.03, hardening = 0.2 }
      pull(world, sheet, last, 1.1)
      expect(length_of(sheet) / length):near(law(1.1, 0.03, 0.2), 5e-4)
    end)
  end
end

scenario("elastic cloth gets its length back, and so does cloth within its elastic range", function()
  for _, options in ipairs { { model = "stvk" }, { model = "stvk", yield_strain = 0.11 }, { model = "springs", yield_strain = 0.11 } } do
    local world <close>, sheet, last = strip(options)
    pull(world, sheet, last, 1.1)
    expect(length_of(sheet) / length):near(1, 2e-4)
    expect(kept(sheet)):near(1, 1e-12)
  end
end)

scenario("networks and measured fabrics stay longer too, by less than their springs", function()
  for _, model in ipairs { "springs", "choi_ko" } do
    local world <close>, sheet, last = strip { model = model, yield_strain = 0.03 }
    pull(world, sheet, last, 1.1)
    expect(length_of(sheet) / length):more_than(1.03)
    expect(length_of(sheet) / length):less_than(kept(sheet))
    expect(kept(sheet)):more_than(1.06)
  end
  local world <close> = muslin.world { dt = 1 / 120, gravity = { 0, 0, 0 }, threads = 1, air_density = 0 }
  local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = { 9, 4 }, size = { 0.16, 0.06 } },
    material = { preset = "ivory-rib-knit", yield_strain = 0.02 } }
  local last = {}
  for row = 1, rows do
    sheet:pin { vertices = { vertex(1, row) } }
    last[row] = vertex(columns, row)
  end
  pull(world, sheet, last, 1.08, 0)
  expect(kept(sheet)):more_than(1.04)
end)

scenario("in two pulls as in one, and not more by repeating them", function()
  for _, model in ipairs { "stvk", "mass_spring" } do
    local world <close>, sheet, last = strip { model = model, yield_strain = 0.02, hardening = 0.5 }
    for _, stretch in ipairs { 1.06, 1.15, 1.15, 1.1 } do pull(world, sheet, last, stretch) end
    expect(length_of(sheet) / length):near(law(1.15, 0.02, 0.5), 1e-3)
  end
end)

scenario("cloth pulled along its bias stays longer along it", function()
  local world <close> = muslin.world { dt = 1 / 120, gravity = { 0, 0, 0 }, threads = 1, air_density = 0 }
  local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = { columns, rows }, size = { length, pitch * (rows - 1) } },
    material = { model = "stvk", viscous_damping = 20, strain_limit = 0, yield_strain = 0.03, warp_angle = math.pi / 4 } }
  local first, last = {}, {}
  for row = 1, rows do first[row], last[row] = vertex(1, row), vertex(columns, row) end
  sheet:pin { vertices = first }
  pull(world, sheet, last, 1.1)
  expect(length_of(sheet) / length):near(law(1.1, 0.03, 0), 2e-3)
end)

scenario("the strain limit bounds elastic and plastic stretch together", function()
  local world <close>, sheet, last = strip { model = "stvk", yield_strain = 0.02, strain_limit = 0.06 }
  local start = sheet.x:copy()
  sheet:pull { vertices = last, stiffness = 4, path = function(_, i) return { start[i].x + 0.5 * length, start[i].y, start[i].z } end }
  world:advance(2)
  expect(sheet:strain().max):less_than(0.06 + 1e-6)
  expect(kept(sheet)):between(1.02, 1.06)
end)

scenario("plastic stretch recovers with its time constant, and a sleeping world wakes until it has", function()
  for _, model in ipairs { "stvk", "springs" } do
    local world <close>, sheet, last = strip { model = model, yield_strain = 0.03, recovery_time = 1.5, sleep = true }
    pull(world, sheet, last, 1.1, 0.2)
    local before = kept(sheet) - 1
    world:advance(1)
    expect((kept(sheet) - 1) / before):near(muslin.exp(-1 / 1.5), 1e-6)
    world:advance(20)
    expect(kept(sheet)):near(1, 3e-5)
  end
end)

scenario("yielding takes energy: the cloth that was stretched and released has less than the elastic one", function()
  local energy = {}
  for k, yield_strain in ipairs { 0, 0.03 } do
    local world <close>, sheet, last = strip { model = "stvk", yield_strain = yield_strain }
    pull(world, sheet, last, 1.1, 0)
    energy[k] = world:energy().elastic
  end
  expect(energy[2] / energy[1]):near((0.03 / 0.1) ^ 2, 0.02)
end)

scenario("a world read from a snapshot goes on with the same bits", function()
  for _, case in ipairs { { "springs", "robust" }, { "stvk", "robust" }, { "neo_hookean", "offset" } } do
    local options = { model = case[1], pipeline = case[2], yield_strain = 0.02, hardening = 0.2, recovery_time = 3 }
    local world <close>, sheet, last = strip(options)
    pull(world, sheet, last, 1.1, 0.05)
    world:save(path)
    local function go_on(w)
      pull(w, w.cloths[1], last, 1.14, 0.1)
      return w:hash()
    end
    local one = go_on(world)
    local other <close> = strip(options)
    other:restore(path)
    expect(kept(other.cloths[1])):more_than(1.02)
    expect(go_on(other)):equals(one)
    local loaded <close> = muslin.load(path)
    loaded:advance(0.05)
    world:restore(path)
    world:advance(0.05)
    expect(loaded:hash()):equals(world:hash())
  end
end)

-- A sheet of 40 by 40 vertices, numbered along its rows or at random: the solver works on a reordered copy of the latter.
local function numbered_sheet(shuffle, model)
  local world = muslin.world { dt = 1 / 120, gravity = { 0, 0, 0 }, threads = 1, air_density = 0 }
  local nodes = 40
  local grid = muslin.mesh.grid { nodes = { nodes, nodes }, size = { 0.39, 0.39 } }
  local place, x, faces = {}, {}, grid:faces() -- 7 i modulo 1601 takes each value from 1 to 1600 once
  for i = 1, nodes * nodes do place[i] = shuffle and 7 * i % 1601 or i end
  for i = 1, nodes * nodes do
    local p = grid.x[i]:totable()
    x[place[i]] = { 1.1 * p[1], p[2], p[3] }
  end
  for _, f in ipairs(faces) do for k = 1, 3 do f[k] = place[f[k]] end end
  local rest = {}
  for i = 1, nodes * nodes do rest[place[i]] = grid.x[i]:totable() end
  local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.new { vertices = rest, faces = faces },
    material = { model = model, viscous_damping = 20, yield_strain = 0.03, stretch_hardening = 0.3 } }
  for i = 1, #x do sheet.x[i] = x[i] end
  local sides = {}
  for row = 1, nodes do sides[row], sides[nodes + row] = place[1 + nodes * (row - 1)], place[nodes * row] end
  sheet:pin { vertices = sides }
  return world, sheet, place, sides
end

scenario("the mesh may be numbered in any way, and a reordered cloth restored or loaded", function()
  for _, model in ipairs { "springs", "stvk" } do
    local widths = {}
    for case, shuffle in ipairs { false, true } do
      local world <close>, sheet, place, sides = numbered_sheet(shuffle, model)
      world:advance(0.1)
      sheet:unpin { vertices = sides }
      world:advance(0.1)
      world:save(path)
      world:advance(0.3)
      widths[case] = (sheet.x[place[800]] - sheet.x[place[761]]):length()
      local other <close> = numbered_sheet(shuffle, model)
      other:restore(path)
      other:advance(0.3)
      expect(other:hash()):equals(world:hash())
      local loaded <close> = muslin.load(path)
      loaded:advance(0.3)
      expect(loaded:hash()):equals(world:hash())
    end
    expect(widths[1] / 0.39):between(1.01, 1.08)
    expect(widths[2] / widths[1]):near(1, 1e-3)
  end
end)

scenario("bad input is named", function()
  local function material(t) return function() muslin.material(t) end end
  expect(material { yield_strain = -1 }):raises "'yield_strain' must be >= 0"
  expect(material { stretch_hardening = 1 }):raises "'stretch_hardening' needs yield_strain > 0"
  expect(material { recovery_time = 1 }):raises "'recovery_time' needs yield_curvature > 0, 1/m, or yield_strain > 0"
  expect(material { model = "square_network", yield_strain = 0.1 }):raises "'yield_strain' is of all models but 'square_network'"
  expect(material { model = "stvk", yield_strain = 0.1, strain_limit = 0.1, limit_stiffness = 100 }):raises
    "'yield_strain' needs limit_stiffness = 0 %(got 100 N/m%)"
  expect(muslin.material { yield_strain = 0.1, recovery_time = 2 }.yield_strain):equals(0.1)
end)
