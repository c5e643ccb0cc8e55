-- pipelines_test.lua: presets of the classic family by name and by table, what their worlds report, and what does not fit.
local muslin = require "muslin"
local once = require "once"

local function falling(pipeline)
  local world = muslin.world { dt = 1 / 240, air_density = 0, pipeline = pipeline }
  local sheet = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = { 8, 8 }, size = { 0.3, 0.3 }, center = { 0, 0.03, 0 } },
    velocity = { 0.5, -1, 0 },
  }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 }, friction = 0.3 }
  return world, sheet
end

local function raises(pattern, pipeline)
  local ok, message = pcall(muslin.world, { pipeline = pipeline })
  assert(not ok and tostring(message):find(pattern), ("wanted %s, got %s"):format(pattern, message))
end

scenario("the published systems are presets, whose stages can be listed", function()
  for name, stages in pairs {
    provot = { narrow = "cubic_ccd", response = "provot", failsafe = "provot_zones" },
    bridson = { narrow = "certified_ccd", response = "bridson_tested", failsafe = "zones" },
    bridson_source = { narrow = "cubic_ccd", response = "bridson_source", failsafe = "zones" },
    bigliani = { integrator = "rk4", narrow = "edge_plane", response = "bigliani", failsafe = "none" },
    jung = { narrow = "spherical", response = "jung", internal = "choi_ko" },
    aabb = { integrator = "verlet", narrow = "segment_triangle", response = "aabb", internal = "mass_spring" },
  } do
    local world <close> = muslin.world { pipeline = name }
    for kind, stage in pairs(stages) do assert(world.pipeline[kind] == stage, name) end
    assert(#muslin.pipelines[name].doc > 40)
  end
end)

scenario("a sheet ends on the floor under each", function()
  for _, pipeline in ipairs {
    { preset = "provot", integrator = "implicit_euler" },
    "bridson",
    "bridson_source",
    { preset = "bridson", broad = "brute" },
    { preset = "provot", integrator = "implicit_euler", narrow = "certified_ccd", failsafe = "zones", strain = "none" },
    { preset = "bridson", response = "bridson_source", narrow = "cubic_ccd", failsafe = "none" },
    { preset = "bigliani", integrator = "implicit_euler" },
    { preset = "bigliani", integrator = "implicit_euler", narrow = "edge_plane_crossing", response = "bigliani_at_q" },
    { preset = "jung", internal = "material" },
    { preset = "aabb", integrator = "implicit_euler", internal = "material" },
  } do
    local world <close>, sheet = falling(pipeline)
    for _ = 1, 60 do world:step() end
    local stats = world:stats()
    assert(stats.contacts > 0 and stats.unresolved == 0)
    expect(world):penetration_free()
    expect(sheet:centroid().y):at_most(0.01)
  end
end)

scenario("collisions are detected in each stable substep, at an interval, or once a step", function()
  local parts = {}
  for _, preset in ipairs { "provot", "bigliani", "aabb", "jung" } do
    for _, collision_step in ipairs { "stable", "step", 1 / 960, 0.1 } do
      local world <close> = falling { preset = preset, collision_step = collision_step }
      expect(world.pipeline.collision_step):equals(collision_step)
      world:step()
      local stats = world:stats()
      parts[collision_step] = stats.substeps
      -- the integrator's own substeps within the parts: all of them together are no fewer than the stable ones
      if collision_step == "stable" then
        expect(stats.iterations, preset):equals(1)
      else
        expect(stats.substeps * stats.iterations, preset):at_least(parts.stable)
      end
    end
    expect(parts.stable, preset):at_least(30)
    expect(parts.step):equals(1)
    expect(parts[1 / 960]):equals(4)
    expect(parts[0.1]):equals(1)
  end
  local own <close> = falling "bridson_source"
  own:step()
  expect(own:stats().substeps):equals(5) -- 1/240 s in parts of at most 1 ms
  local implicit <close> = falling { preset = "robust", collision_step = "stable" }
  implicit:step()
  expect(implicit:stats().substeps):equals(1) -- has no stable substep
end)

-- Parts of a step are steps of their own: with the same bits, also in a world that is restored between two of them.
scenario("a collision step is a time step, and is saved", function()
  local whole <close> = falling { preset = "bridson_source", collision_step = "step" }
  local parts <close> = falling "bridson_source"
  local path = ".pipelines_test.muslin" -- in the folder that the tests run in
  for _ = 1, 10 do parts:step() end
  parts:save(path)
  local other <close> = falling { preset = "bridson_source", collision_step = 1e-4 }
  local ok, message = pcall(other.restore, other, path)
  assert(not ok and message:find "collision_step", message)
  local copy <close> = falling "bridson_source"
  copy:restore(path)
  for _ = 1, 10 do
    parts:step()
    copy:step()
  end
  expect(copy:hash()):equals(parts:hash())
  for _ = 1, 20 do whole:step() end
  assert(whole:hash() ~= parts:hash())
end)

scenario("a collision step that is none is refused", function()
  local cases = { { 0, "got 0" }, { -1, "got %-1" }, { "often", 'got "often"' }, { {}, "got a table" }, { 0 / 0, "not a number" } }
  for _, case in ipairs(cases) do
    raises("world.pipeline: field 'collision_step' must be .*" .. case[2], { preset = "provot", collision_step = case[1] })
  end
  local world <close> = falling { preset = "provot", collision_step = 1e-9 }
  local y = world.cloths[1]:centroid().y
  local ok, message = pcall(world.step, world)
  assert(not ok and message:find "'collision_step' splits a step of 0.00416667 s into 4166667 substeps, at most 10000")
  expect(world.cloths[1]:centroid().y):equals(y)
end)

-- A face of 20 cm is found by the vertices near its middle, though none of its corners shares their cell.
scenario("the source's grid tests pinned faces that are larger than a cell against all cloth", function()
  local world <close> = muslin.world { dt = 1 / 240, air_density = 0, pipeline = "bigliani" }
  local plate = world:cloth { name = "plate", mesh = muslin.mesh.grid { nodes = { 2, 2 }, size = { 0.4, 0.4 } }, friction = 0 }
  plate:pin { where = function() return true end }
  local patch = world:cloth {
    name = "patch", mesh = muslin.mesh.grid { nodes = { 3, 3 }, size = { 0.02, 0.02 }, center = { 0.06, 0.01, 0.03 } }, friction = 0,
    material = { damping = 0, bending_damping = 0, viscous_damping = 1 },
  }
  for _ = 1, 60 do world:step() end
  expect(patch:bounds().y, "lowest point, m"):at_least(0)
end)

scenario("a node is stopped by the test of its own path, and by that of its edges", function()
  for _, narrow in ipairs { "node_plane", "edge_plane" } do
    local world <close> = muslin.world { dt = 1 / 240, air_density = 0, gravity = { 0, 0, 0 },
      pipeline = { preset = "bigliani", narrow = narrow } }
    local wall = world:cloth { name = "wall", mesh = muslin.mesh.grid { nodes = { 2, 2 }, size = { 0.4, 0.4 } } }
    wall:pin { where = function() return true end }
    local node = world:cloth {
      name = "node",
      mesh = muslin.mesh.new { vertices = { { 0, 0.01, 0 }, { 0.004, 0.01, 0 }, { 0, 0.01, 0.004 } }, faces = { { 1, 3, 2 } } },
      velocity = { 0, -1, 0 }, material = { damping = 0, bending_damping = 0 },
    }
    for _ = 1, 24 do world:step() end
    expect(node:bounds().y, narrow):at_least(0)
  end
end)

scenario("rules and hooks see the contacts of every round", function()
  local world <close>, sheet = falling "bridson_source"
  local calls, hooked = 0, 0
  world:on("contacts", function() hooked = hooked + 1 end)
  world:respond(muslin.response {
    trace = false,
    rule = function(c)
      calls = calls + 1
      expect(c.normal:length()):near(1, 1e-9)
      local vn, vt = c.normal:dot(c.velocity), c.velocity - c.normal:dot(c.velocity) * c.normal
      return c.mass * (muslin.max(-vn, 0) * c.normal - vt)
    end,
    between = { sheet, "floor" },
  })
  for _ = 1, 60 do world:step() end
  assert(calls > 0 and hooked >= 60)
  assert(world:audit().clean)
  for i = 1, #sheet.v do expect(sheet.v[i].x):near(0, 1e-2) end -- it sticks
end)

scenario("what does not fit is named, with the reason", function()
  raises("field 'response' names no stage 'provott' %(did you mean 'provot'%?%)", { response = "provott" })
  raises("field 'narrow' names no stage 'cubic' %(did you mean 'cubic_ccd'%?%)", { preset = "provot", narrow = "cubic" })
  raises("field 'failsafe' names no stage 'sandwich' %(there are: zones, provot_zones,", { failsafe = "sandwich" })
  raises("no preset 'bridsen' %(did you mean 'bridson'%?%)", "bridsen")
  raises("narrow 'cubic_ccd' and response 'coupled' belong to different families %(classic and impulse%)",
    { narrow = "cubic_ccd" })
  raises("response 'provot' belong to different families %(potential and classic%)",
    { preset = "provot", failsafe = "truncation" })
  raises("failsafe 'provot_zones' checks whether anything still collides, which narrow 'proximity' cannot detect",
    { preset = "provot", narrow = "proximity" })
end)

scenario("without a response it follows from the integrator", function()
  local function response_of(pipeline)
    local world <close> = muslin.world { pipeline = pipeline }
    return world.pipeline.response
  end
  expect(response_of(nil)):equals "coupled"
  expect(response_of {}):equals "coupled"
  expect(response_of { integrator = "verlet" }):equals "bridson"
  expect(response_of { preset = "robust", integrator = "verlet" }):equals "bridson"
  expect(response_of { preset = "robust", integrator = "implicit_euler" }):equals "coupled"
  expect(response_of { preset = "sequential", broad = "brute" }):equals "bridson"
  expect(response_of { preset = "sequential", response = "coupled" }):equals "coupled"
  raises("choose integrator 'implicit_euler', or response 'bridson'", { integrator = "verlet", response = "coupled" })
  raises("choose integrator 'implicit_euler', or response 'bridson'",
    { preset = "robust", integrator = "verlet", response = "coupled" })
  raises("integrator 'incremental' and response 'bridson' belong to different families", { integrator = "incremental" })
end)

-- Two sheets fall on balls, 2 m apart: the smallest and the largest thickness of the contacts of each, how near each ends to
-- its ball, and the state after every step.
local function falls(tolerance, change)
  local world <close> = muslin.world { dt = 1 / 120, threads = 1, pipeline = once "jung", tolerance = tolerance }
  local calls, ends, hashes, sheets = { {}, {} }, {}, {}, {}
  for side = 1, 2 do
    local x = 2 * (side - 1)
    sheets[side] = world:cloth { thickness = 8e-3, self_collision = false, material = { bending = 3e-5 },
      mesh = muslin.mesh.grid { nodes = { 9, 9 }, size = { 0.15, 0.15 }, center = { x, 0.065, 0 } } }
    world:obstacle { mesh = muslin.mesh.sphere { radius = 0.05 }, at = { x, 0, 0 } }
  end
  world:on("before_step", function(w, t) if change then w.tolerance = change(t) end end)
  world:on("contacts", function(w)
    for _, c in ipairs(w:contacts()) do
      local a = calls[c.points[1].x > 1 and 2 or 1]
      a.least = math.min(a.least or math.huge, c.thickness)
      a.most = math.max(a.most or 0, c.thickness)
    end
  end)
  for k = 1, 60 do
    world:step()
    hashes[k] = world:hash()
  end
  for side = 1, 2 do
    ends[side] = math.huge
    for k = 1, #sheets[side].x do
      ends[side] = math.min(ends[side], (sheets[side].x[k] - muslin.vec3(2 * (side - 1), 0, 0)):length() - 0.05)
    end
  end
  return calls, ends, hashes
end

scenario("the spherical test's tolerance: a number, by the view, by time", function()
  local calls, usually, hashes = falls()
  for side = 1, 2 do
    expect(calls[side].least):near(4e-3, 1e-12)
    expect(calls[side].most):near(4e-3, 1e-12)
  end
  local finely, fine, fine_hashes = falls(1e-3)
  for side = 1, 2 do
    expect(finely[side].most):near(1e-3, 1e-12)
    assert(fine[side] < usually[side] - 1e-3, fine[side] .. " " .. usually[side])
  end
  -- an eye at 1 m from the first sheet, 2.24 m from the other
  local eye = { eye = { 0, 0, 1 }, pixel = 1e-3, least = 1e-5 }
  local seen, viewed, view_hashes = falls(eye)
  assert(0.9e-3 < seen[1].least and seen[1].least < seen[1].most and seen[1].most < 1.1e-3)
  assert(2.1e-3 < seen[2].least and seen[2].least < seen[2].most and seen[2].most < 2.4e-3)
  assert(viewed[1] < viewed[2] - 5e-4)
  -- from a hook the same; a view that is nowhere coarser than its least; what changes in time
  local _, _, set = falls(nil, function() return eye end)
  local _, _, near = falls { eye = { 0, 0, 0 }, pixel = 1e-9, least = 1e-3 }
  local _, _, number = falls(nil, function(t) return t < 0.1 and 0 or 1e-3 end)
  for k = 1, #hashes do
    assert(set[k] == view_hashes[k] and near[k] == fine_hashes[k])
    if k <= 12 then assert(number[k] == hashes[k]) end
  end
  assert(number[60] ~= hashes[60])
  local _, _, large = falls(1) -- never more than the thickness
  assert(large[60] == hashes[60])
end)

scenario("a tolerance without a value is refused, and kept in snapshots", function()
  local function with(tolerance, pipeline)
    return function() muslin.world { pipeline = pipeline or "jung", tolerance = tolerance } end
  end
  expect(with(1e-3, "robust")):raises("'tolerance' is for pipelines with narrow 'spherical'.*'certified_ccd'")
  expect(with(-1)):raises("'tolerance' must be >= 0 m %(got %-1%)")
  expect(with("fine")):raises("'tolerance' must be a number, m, {eye =, pixel =, least =} or a function of place")
  expect(with { eye = { 0, 0, 0 } }):raises("'eye'.*'pixel'.*> 0 rad")
  expect(with { eyes = { 0, 0, 0 }, pixel = 1 }):raises("eyes.*eye")
  local world <close> = muslin.world { pipeline = "jung" }
  expect(world.tolerance):equals(0)
  world.tolerance = { eye = { 1, 2, 3 }, pixel = 0.5 }
  expect(function() world.tolerance = { eye = { 0, 0, 0 }, pixel = -1 } end):raises("pixel")
  local path = ".pipelines_test.muslin" -- in the folder that the tests run in
  world:save(path)
  local again <close> = muslin.load(path)
  local t = again.tolerance
  expect(t.eye.z):equals(3)
  expect(t.pixel):equals(0.5)
  expect(t.least):equals(0)
end)

scenario("bigliani: cloth slides down a plane without friction, and sticks with friction above its slope", function()
  local slope = math.rad(30)
  for _, friction in ipairs { 0, 1 } do
    local world = muslin.world { dt = 1 / 240, air_density = 0, pipeline = "bigliani" }
    local mesh = muslin.mesh.grid { nodes = { 4, 4 }, size = { 0.1, 0.1 } }
    mesh:transform { rotation = muslin.rotation.axis({ 0, 0, 1 }, slope) }
    mesh:transform { position = { -1.2e-3 * math.sin(slope), 1.2e-3 * math.cos(slope), 0 } }
    local cloth = world:cloth { mesh = mesh, thickness = 1e-3, friction = friction,
      material = { damping = 0, bending_damping = 0, viscous_damping = 0 } }
    world:obstacle { shape = "plane", normal = { -math.sin(slope), math.cos(slope), 0 }, friction = friction }
    local start = cloth:centroid()
    for _ = 1, 48 do world:step() end -- 0.2 s
    local moved = (start - cloth:centroid()):dot { math.cos(slope), math.sin(slope), 0 }
    local free = 9.81 * math.sin(slope) * 0.2 ^ 2 / 2
    if friction == 0 then expect(moved):near(free, 0.03 * free) else expect(moved):at_most(0.1 * free) end
  end
end)

scenario("bigliani: vertices that keep colliding are not accelerated where they are", function()
  local world = muslin.world { dt = 1 / 120, air_density = 0, pipeline = "bigliani" }
  local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = { 14, 14 }, size = { 0.7, 0.7 }, center = { 0.1, 0.72, 0.05 } },
    material = { damping = 0, bending_damping = 0, viscous_damping = 1 }, friction = 0.3 }
  world:obstacle { shape = "sphere", radius = 0.2, at = { 0, 0.5, 0 } }
  world:obstacle { shape = "plane", normal = { 0, 1, 0 } }
  local fastest = 0
  for _ = 1, 120 do
    world:step()
    for i = 1, #sheet.v do fastest = math.max(fastest, sheet.v[i]:length()) end
  end
  expect(fastest, "m/s"):at_most(20) -- it falls by 0.7 m: 3.7 m/s
  expect(sheet:strain().max):at_most(0.2)
end)
