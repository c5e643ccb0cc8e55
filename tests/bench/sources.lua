-- sources.lua: what the sources claim of their methods, measured on their own scenes (examples/sources), one thread.
-- muslin run --trusted --quiet --threads 1 tests/bench/sources.lua -- [jung | provot | bigliani | presets]... [short]
-- Times are CPU time of the process within steps. Counts do not hang on the machine, nor on what else runs there.
-- All presets have their own integrators, and detect collisions at their own steps.
local muslin = require "muslin"
local folder = "examples/sources/"

-- ---- Scenes under a pipeline of our choice ---------------------------------------------------------------------------

-- A scene's world with this pipeline in the place of its own, and the thickness that it has under the preset `like`
-- (nil: under the pipeline), or `like` m; its checks are no business of ours.
local function open(name, pipeline, arguments, like)
  local loaded, environment = {}, {}
  local check = setmetatable({}, { __index = function(self) return function() return self end end })
  loaded.muslin = setmetatable({
    expect = function() return check end,
    world = function(options)
      local copy = {}
      for key, value in pairs(options) do copy[key] = value end
      copy.pipeline, copy.threads = pipeline, 1
      return muslin.world(copy)
    end,
  }, { __index = muslin })
  function environment.require(module)
    if not loaded[module] then
      local path = folder .. module:gsub("%.", "/") .. ".lua"
      loaded[module] = assert(loadfile(path, "t", environment))()
      local thickness = loaded[module].thickness
      if like and thickness then
        loaded[module].thickness = function(_, ...)
          return type(like) == "number" and like or thickness({ pipeline = muslin.pipelines[like] }, ...)
        end
      end
    end
    return loaded[module]
  end
  setmetatable(environment, { __index = _G })
  return assert(loadfile(folder .. name .. ".lua", "t", environment))()(table.unpack(arguments))
end

-- Plays `frames` frames, or to the end: sums over steps of CPU seconds and counts, audits of frames, and where it failed.
local function play(world, frames, each, seconds)
  io.stdout:flush()
  frames = frames or math.floor(world.duration * world.fps + 0.5)
  local sum = { steps = 0, cpu = 0, box_tests = 0, ccd_tests = 0, candidates = 0, contacts = 0, unresolved = 0, worst = 0, last = 0,
    frames = 0, substeps = 0, strain = 0, inside = 0, quarter = {} }
  for frame = 1, frames do
    for _ = 1, world.steps_per_frame do
      local start = os.clock()
      local done, message = pcall(world.step, world)
      local spent = os.clock() - start
      if not done then
        sum.failed = tostring(message):match("^[^\n]*")
        return sum
      end
      local stats = world:stats()
      sum.steps, sum.cpu = sum.steps + 1, sum.cpu + spent
      sum.substeps, sum.strain = math.max(sum.substeps, stats.substeps), math.max(sum.strain, stats.max_strain)
      for _, key in ipairs { "box_tests", "ccd_tests", "candidates", "contacts", "unresolved" } do sum[key] = sum[key] + stats[key] end
      local q = sum.quarter[4 * (frame - 1) // frames + 1] or { steps = 0, cpu = 0, tests = 0 }
      q.steps, q.cpu, q.tests = q.steps + 1, q.cpu + spent, q.tests + stats.ccd_tests
      sum.quarter[4 * (frame - 1) // frames + 1] = q
      if each then each(world, stats) end
      if seconds and sum.cpu > seconds then
        sum.failed = "the time is up"
        return sum
      end
    end
    local report = world:audit()
    sum.frames, sum.last, sum.inside = frame, report.intersections, report.inside
    sum.worst = math.max(sum.worst, sum.last)
  end
  return sum
end

-- Positions, velocities of one world into another of the same scene.
local function follow(from, to)
  for k, cloth in ipairs(from.cloths) do
    local other = to.cloths[k]
    for i = 1, #cloth.x do
      other.x:set(i, cloth.x:get(i))
      other.v:set(i, cloth.v:get(i))
    end
  end
end

-- ---- JUN: spherical surfaces against the cubic -------------------------------------------------------------------------

-- Cost of one step of either test on the same states: the trajectory is that of the spherical test, and both make each
-- step of the world from its state.
local function from_same_states(name, arguments, seconds)
  local leader <close> = open(name, "jung", arguments)
  local twin <close> = open(name, { preset = "jung", narrow = "cubic_ccd" }, arguments, "jung")
  local sums = {}
  for _, narrow in ipairs { "spherical", "cubic_ccd" } do sums[narrow] = { steps = 0, cpu = 0, ccd_tests = 0, contacts = 0 } end
  for _ = 1, math.floor(leader.duration / leader.dt + 0.5) do
    follow(leader, twin)
    for narrow, world in pairs { spherical = leader, cubic_ccd = twin } do
      local sum = sums[narrow]
      local start = os.clock()
      world:step()
      local stats = world:stats()
      sum.steps, sum.cpu = sum.steps + 1, sum.cpu + os.clock() - start
      sum.ccd_tests, sum.contacts = sum.ccd_tests + stats.ccd_tests, sum.contacts + stats.contacts
    end
    if sums.spherical.cpu + sums.cubic_ccd.cpu > seconds then break end
  end
  return sums
end

-- scene: one of them; thickness (m), collision_step, integrator: in place of the source's.
local function jung(short, options)
  print "JUN: preset jung in the short form of its scenes, its spherical test against the cubic one; a step of the world: CPU ms,"
  print "     elementary tests, contacts; quarters: CPU ms a step in each quarter; crossing pairs of faces, worst and last frame"
  print(("%-22s %-10s %6s %8s %10s %9s %28s %8s %8s"):format("scene", "narrow", "steps", "ms", "tests", "contacts", "quarters",
    "worst", "last"))
  local seconds = tonumber(options.seconds or short and 10 or 300)
  local thickness = tonumber(options.thickness) or "jung"
  local own = thickness == "jung" and not options.collision_step and not options.integrator
  for _, scene in ipairs { { "jun1_pile" }, { "jun2_sphere" }, { "jun3_hit", "speed=5" }, { "jun3_hit", "speed=50" } } do
    local arguments, wanted = { "short", table.unpack(scene, 2) }, (options.scene or scene[1]) == scene[1]
    for _, narrow in ipairs(wanted and { "spherical", "cubic_ccd" } or {}) do
      local world <close> = open(scene[1], { preset = "jung", narrow = narrow, integrator = options.integrator,
        collision_step = tonumber(options.collision_step) or options.collision_step }, arguments, thickness)
      local s = play(world, nil, nil, seconds)
      local quarters = {}
      for k, q in ipairs(s.quarter) do quarters[k] = ("%.2f"):format(1e3 * q.cpu / q.steps) end
      print(("%-22s %-10s %6d %8.2f %10.0f %9.0f %28s %8d %8d%s"):format(scene[1] .. " " .. (scene[2] or ""), narrow, s.steps,
        1e3 * s.cpu / s.steps, s.ccd_tests / s.steps, s.contacts / s.steps, table.concat(quarters, " "), s.worst, s.last,
        s.failed and ", then: " .. s.failed or ""))
      io.stdout:flush()
    end
    local cost = wanted and own and from_same_states(scene[1], arguments, seconds)
    for _, narrow in ipairs(cost and { "spherical", "cubic_ccd" } or {}) do
      local s = cost[narrow]
      print(("%-22s %-10s %6d %8.2f %10.0f %9.0f  from the states of the spherical test"):format("", narrow, s.steps,
        1e3 * s.cpu / s.steps, s.ccd_tests / s.steps, s.contacts / s.steps))
    end
    io.stdout:flush()
  end
end

-- ---- PRO: normal cones --------------------------------------------------------------------------------------------------

-- The preset's stable step is the step of the world here, so that both worlds make each step from one state. dt (s),
-- integrator: in place of the source's.
local function provot(short, options)
  print "PRO-2: pipeline provot; pairs of a cloth's faces that normal cones rule out, of all such pairs, over the steps"
  local arguments = short and { "short", "duration=1" } or { "duration=3" }
  if options.dt then
    arguments[#arguments + 1] = "dt=" .. options.dt
  else
    local probe <close> = open("pro2_ribbon", "provot", arguments)
    probe:step()
    arguments[#arguments + 1] = ("dt=%.17g"):format(probe.dt / probe:stats().substeps)
  end
  -- Every step is made twice from one state: with cones, and without, whence the scene goes on.
  local world <close> = open("pro2_ribbon", { preset = "provot", collision_step = "step", broad = "partition_tree",
    integrator = options.integrator }, arguments)
  local cones <close> = open("pro2_ribbon", { preset = "provot", collision_step = "step", integrator = options.integrator },
    arguments)
  local ribbon = world.cloths[1]
  local pairs_in_all = ribbon.face_count * (ribbon.face_count - 1) / 2
  local shares, lost, seen, with, without = {}, 0, 0, 0, 0
  world:on("before_step", function()
    follow(world, cones)
    cones:step()
  end)
  local s = play(world, nil, function(_, stats)
    local culled = cones:stats()
    shares[#shares + 1] = culled.culled / pairs_in_all
    lost, seen = lost + stats.candidates - culled.candidates, seen + stats.candidates
    with, without = with + culled.box_tests, without + stats.box_tests
  end)
  table.sort(shares)
  local mean = 0
  for _, share in ipairs(shares) do mean = mean + share / #shares end
  print(("%d steps%s: mean %.4f, least %.4f, median %.4f, most %.4f"):format(s.steps, s.failed and " (" .. s.failed .. ")" or "",
    mean, shares[1], shares[#shares // 2 + 1], shares[#shares]))
  print(("box tests %.0f of %.0f a step (%.2f); lost, from the same states: %d of %d candidate pairs (%.4f)"):format(with / s.steps,
    without / s.steps, with / without, lost, seen, lost / math.max(1, seen)))
  print "crossing pairs of faces, where each goes its own way:"
  for _, broad in ipairs { "partition_tree_cones", "partition_tree" } do
    local own <close> = open("pro2_ribbon", { preset = "provot", collision_step = "step", broad = broad,
      integrator = options.integrator }, arguments)
    local f = play(own)
    print(("  %-22s worst frame %d, last %d; CPU %.2f ms a step%s"):format(broad, f.worst, f.last, 1e3 * f.cpu / f.steps,
      f.failed and ", then: " .. f.failed or ""))
  end
end

-- ---- BIG: cost against n -----------------------------------------------------------------------------------------------

-- Least squares of log y over log x.
local function exponent(x, y)
  local n, sx, sy, sxx, sxy = #x, 0, 0, 0, 0
  for k = 1, n do
    local a, b = math.log(x[k]), math.log(y[k])
    sx, sy, sxx, sxy = sx + a, sy + b, sxx + a * a, sxy + a * b
  end
  return (n * sxy - sx * sy) / (n * sxx - sx * sx)
end

local function bigliani(short)
  local frames = short and 4 or 12
  print(("BIG-3, %d frames: a detection's CPU ms, pairs of boxes compared, elementary tests, against the number of nodes"):format(frames))
  local ways = { { "sequential", "brute" }, { "sequential", "hash_grid" }, { "bigliani", "brute" }, { "bigliani", "hash_grid_source" } }
  for _, way in ipairs(ways) do
    local sizes, of = {}, { cpu = {}, box_tests = {}, ccd_tests = {} }
    for _, nodes in ipairs(short and { 9, 13, 17, 25 } or { 17, 25, 35, 49 }) do
      local world <close> = open("big3_tablecloth", { preset = way[1], broad = way[2] }, { "nodes=" .. nodes })
      local s = play(world, frames)
      local detections = s.steps * s.substeps
      sizes[#sizes + 1] = nodes * nodes
      for key, list in pairs(of) do list[#list + 1] = math.max(s[key], 1e-9) / detections end
      print(("%-9s %-17s %6d nodes %4d a step %9.3f ms %12.0f boxes %9.1f tests%s"):format(way[1], way[2], nodes * nodes, s.substeps,
        1e3 * s.cpu / detections, s.box_tests / detections, s.ccd_tests / detections, s.failed and ", then: " .. s.failed or ""))
      io.stdout:flush()
    end
    print(("%-9s %-17s exponents: CPU time %.2f, boxes %.2f, elementary tests %.2f"):format(way[1], way[2], exponent(sizes, of.cpu),
      exponent(sizes, of.box_tests), exponent(sizes, of.ccd_tests)))
  end
end

-- ---- The presets at their own steps ------------------------------------------------------------------------------------

local scenes = { "big1_node", "big2_strip", "big3_tablecloth", "pro1_garment", "pro2_ribbon", "jun1_pile", "jun2_sphere", "jun3_hit",
  "aab1_model", "bri1_folding", "bri2_spheres", "bri3_pointed", "bri4_wringing" }
local systems = { "bigliani", "provot", "jung", "aabb", "bridson_source" }

local function presets(short, options)
  local collision_step, seconds = options.collision_step, tonumber(options.seconds or short and 10 or 120)
  print("each scene in its short form under the preset of each source; collision_step " .. (collision_step or "the preset's own"))
  print "substeps of a step, each with detection, at most; largest strain; crossing pairs of faces in the worst and the last frame;"
  print "features inside obstacles in the last frame; pairs that a preset knows to collide in what it commits, in all steps; CPU s"
  print(("%-16s %-15s %7s %8s %8s %8s %8s %7s %10s %8s"):format("scene", "preset", "frames", "substeps", "strain", "worst", "last",
    "inside", "unresolved", "CPU s"))
  for _, scene in ipairs(scenes) do
    for _, preset in ipairs(systems) do
      if (options.scene or scene) == scene and (options.preset or preset) == preset then
        local world <close> = open(scene, { preset = preset, collision_step = tonumber(collision_step) or collision_step,
          integrator = options.integrator, internal = options.internal, broad = options.broad }, { "short" })
        local s = play(world, math.tointeger(options.frames), nil, seconds)
        print(("%-16s %-15s %7d %8d %8.3f %8d %8d %7d %10d %8.1f%s"):format(scene, preset, s.frames, s.substeps, s.strain, s.worst,
          s.last, s.inside, s.unresolved, s.cpu, s.failed and ", then: " .. s.failed or ""))
        io.stdout:flush()
      end
    end
  end
end

local which, short, options = {}, false, {}
for _, word in ipairs { ... } do
  local key, value = word:match "^([%l_]+)=(.+)$"
  if key then options[key] = value elseif word == "short" then short = true else which[#which + 1] = word end
end
local all = { jung = jung, provot = provot, bigliani = bigliani, presets = presets }
for _, name in ipairs(#which > 0 and which or { "provot", "bigliani", "jung", "presets" }) do
  assert(all[name], "sources.lua measures jung, provot, bigliani and presets")(short, options)
end
