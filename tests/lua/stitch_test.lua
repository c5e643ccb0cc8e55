-- stitch_test.lua: seams: they close in time, stay closed, are penetrated by nothing, conserve momentum, come back with
-- snapshots, and mistakes are reported.
local muslin = require "muslin"
local once = require "once"

local path = ".stitch_test.muslin" -- in the folder that the tests run in
scenario.together()

local function line(first, step, count)
  local list = {}
  for k = 1, count do list[k] = first + (k - 1) * step end
  return list
end

--- An upper sheet of 9 x 7 nodes, hung by its upper edge unless `free`, and a lower one of 7 x 6 under it, sewn by lines of
--- 9 and 7 vertices.
local function two(options, free, seam)
  local world = muslin.world(options)
  local material = { bending = 9e-5 } -- stiff enough that top and low keep their shapes
  local top = world:cloth { name = "top", material = material,
    mesh = muslin.mesh.grid { nodes = {9, 7}, size = {0.2, 0.15}, plane = "xy", center = {0, 0.3, 0} } }
  local low = world:cloth { name = "low", material = material,
    mesh = muslin.mesh.grid { nodes = {7, 6}, size = {0.2, 0.15}, plane = "xy", center = {0, 0.1, 0.02} } }
  if not free then top:pin { vertices = line(55, 1, 9) } end
  seam = seam or {}
  seam.a, seam.b, seam.match = {low, line(36, 1, 7)}, {top, line(1, 1, 9)}, "length"
  return world, world:stitch(seam), top, low
end

local function momentum(world)
  local p, l = muslin.vec3(), muslin.vec3()
  for _, cloth in ipairs(world.cloths) do
    for i = 1, #cloth.x do
      local mv = cloth.m[i] * cloth.v[i]
      p = p + mv
      l = l + cloth.x[i]:cross(mv)
    end
  end
  return p, l
end

local gaps = { robust = 1.02, sequential = 1.02, offset = 1.02, newton = 1.02, vbd = 1.1, bridson = 1.02, bridson_source = 1.02,
  jung = 1.02, provot = 1.2, lively = 1.02, bigliani = 1.02, aabb = 1.02 }
-- As published: beside its seam this cloth may cross.
local name_without_audit = { aabb = "a seam closes in its time and holds: ", bigliani = "a seam closes in its time and holds: " }
for pipeline, most in pairs(gaps) do
  local name = name_without_audit[pipeline] or "a seam closes in its time and holds, nothing crosses: "
  scenario(name .. pipeline, function()
    local world, seam, top, low = two({ pipeline = once(pipeline), dt = 1 / 120, air_density = 0 }, false,
      { closing_time = 0.2 })
    expect(seam.count):equals(9)
    expect(seam.width):near(1e-3)
    expect(seam.gap):near(math.sqrt(0.05 ^ 2 + 0.02 ^ 2), 1e-9)
    assert(seam.closing and seam.valid and seam.a == top and seam.b == low)
    while world.time < 0.1 - 1e-6 do world:step() end
    expect(seam.gap):near((seam.width + math.sqrt(0.05 ^ 2 + 0.02 ^ 2)) / 2, 2e-3)
    while world.time < 1.25 - 1e-6 do
      world:run_frame()
      expect(world):finite()
      if not name_without_audit[pipeline] then expect(world):penetration_free() end
      if world.time > 0.25 then -- the upward swing at the end of closing is over
        assert(not seam.closing)
        expect(seam.gap):at_most(most * seam.width)
      end
    end
    expect(seam.pull):at_least(1e-3)
  end)
end

-- The lower sheet is blown to and fro about the seam that it hangs by: its rim is at either side of the other's faces.
for _, pipeline in ipairs { "robust", "sequential", "bigliani" } do
  scenario("a closed seam bends without being drawn open: " .. pipeline, function()
    local world, seam, _, low = two({ pipeline = once(pipeline), dt = 1 / 120 }, false, { closing_time = 0.1 })
    world:on("before_step", function(_, t) world.wind = {0, 0, t > 0.15 and 4 * muslin.sin(6 * t) or 0} end)
    local furthest = 0
    while world.time < 1.2 - 1e-6 do
      world:run_frame()
      if world.time > 0.15 then expect(seam.gap):at_most(1.2 * seam.width) end
      furthest = math.max(furthest, math.abs(low:centroid().z))
    end
    expect(furthest):at_least(0.1)
  end)
end

-- A limit of Bigliani's rule: a vertex that collides returns to where it was, each by itself, so a vertex on the ball is locked
-- there, and no stitch can move it. See examples/sources/README.md.
for _, pipeline in ipairs { "robust", "sequential", "bridson", "bigliani" } do
  local closed = pipeline ~= "bigliani"
  scenario("a seam over a ball " .. (closed and "holds: " or "is drawn open: ") .. pipeline, function()
    local world = muslin.world { pipeline = once(pipeline), dt = 1 / 120, air_density = 0 }
    local sheets, lines = {}, {}
    for k, side in ipairs { -1, 1 } do
      local nodes = side < 0 and {7, 6} or {9, 7}
      sheets[k] = world:cloth {
        mesh = muslin.mesh.grid { nodes = nodes, size = {0.2, 0.15}, plane = "xz", center = {0, 0.1, side * 0.0755} } }
      lines[k] = {}
      for i = 1, #sheets[k].x do
        if math.abs(sheets[k].x[i].z) < 1e-3 then table.insert(lines[k], i) end
      end
    end
    local seam = world:stitch { a = {sheets[1], lines[1]}, b = {sheets[2], lines[2]}, match = "length" }
    world:obstacle { shape = "sphere", radius = 0.05, at = {0.01, 0.03, 0.02} }
    expect(seam.gap):near(seam.width, 1e-6)
    local most = 0
    while world.time < 0.25 - 1e-6 do
      world:run_frame()
      most = math.max(most, seam.gap)
      if closed then expect(world):penetration_free() end
    end
    if closed then expect(most):at_most(3 * seam.width) else expect(most):at_least(5 * seam.width) end
  end)
end

-- Stitches and contacts are projected in turn: the impulses of a stitch on its two sides are opposite.
for _, pipeline in ipairs { "robust", "sequential", "bridson" } do
  scenario("a seam that is hit holds, and all momentum is kept: " .. pipeline, function()
    local world, seam = two({ pipeline = once(pipeline), gravity = {0, 0, 0}, air_density = 0, dt = 1 / 120 }, true,
      { closing_time = 0.1 })
    local third = world:cloth { mesh = muslin.mesh.grid { nodes = {6, 6}, size = {0.08, 0.08}, plane = "xy",
      center = {0.01, 0.2, 0.15} } }
    third.v:add {0, 0, -0.8}
    local before, turning = momentum(world)
    local scale, most = third.m:sum() * 0.8, 0
    while world.time < 0.5 - 1e-6 do
      world:run_frame()
      expect(world):penetration_free()
      if world.time > 0.12 then most = math.max(most, seam.gap) end
    end
    local after, turned = momentum(world)
    expect((after - before):length() / scale):at_most(1e-10)
    expect((turned - turning):length() / (0.2 * scale)):at_most(3e-3)
    expect(most):at_most(1.5 * seam.width)
    expect(third.v:mean().z):at_least(-0.2) -- it was stopped
  end)
end

scenario("seam closes under position_based too", function()
  local world, seam = two({ pipeline = { integrator = "position_based" }, dt = 1 / 120 }, false, { closing_time = 0.2 })
  world:advance(0.5)
  expect(seam.gap):at_most(1.2 * seam.width)
  expect(world):penetration_free()
end)

scenario("speed is how fast stitches shorten", function()
  local world, seam = two({ gravity = {0, 0, 0}, dt = 1 / 240 }, false, { speed = 0.2 })
  local start = seam.gap
  world:advance(0.1)
  expect(seam.gap):near(start - 0.02, 1e-3)
  assert(seam.closing)
end)

for _, pipeline in ipairs { "robust", "lively", "sequential", "offset", "explicit" } do
  scenario("a seam that pulls two free sheets together keeps their momentum: " .. pipeline, function()
    local slow = pipeline == "explicit"
    local stages = slow and { preset = "sequential", integrator = "semi_implicit_euler" } or pipeline
    local world, seam, top, low = two({ pipeline = stages, gravity = {0, 0, 0}, air_density = 0, dt = 1 / 120 }, true,
      { closing_time = 0.15 })
    low.v:add {0.1, 0, 0.05}
    local before, turning = momentum(world)
    local scale = low.m:sum() * 0.4 -- kg m/s: of a sheet at the speed of closing
    world:advance(slow and 0.1 or 0.4)
    local after, turned = momentum(world)
    expect((after - before):length() / scale):at_most(1e-7)
    -- of minima of implicit Euler angular momentum is kept to the order of the step only
    expect((turned - turning):length() / (0.1 * scale)):at_most(pipeline == "offset" and 0.1 or 2e-3)
    if not slow then expect(seam.gap):at_most(1.3 * seam.width) end
    expect(top.v:norm()):at_least(1e-3)
  end)
end

scenario("two sewn sheets fall as a stone does, and no stitch pulls", function()
  local world = muslin.world { dt = 1 / 120, air_density = 0 }
  local a = world:cloth { mesh = muslin.mesh.grid { nodes = {5, 5}, size = {0.1, 0.1}, plane = "xy", center = {0, 0, 0} } }
  local b = world:cloth { mesh = muslin.mesh.grid { nodes = {5, 5}, size = {0.1, 0.1}, plane = "xy", center = {0, -0.101, 0} } }
  local seam = world:stitch { a = {a, line(1, 1, 5)}, b = {b, line(21, 1, 5)} }
  world:advance(0.5)
  expect(a:centroid().y):near(-9.81 * 0.125, 1e-6)
  expect(seam.pull):at_most(1e-9)
end)

scenario("a stretched seam has the energy of its stitches", function()
  local world, seam, _, low = two({ gravity = {0, 0, 0} }, false, { stiffness = 50 })
  local before, wanted = world:energy().elastic, 0
  expect(before):near(0, 1e-12)
  low.x:add {0, -0.01, 0}
  local start = math.sqrt(0.05 ^ 2 + 0.02 ^ 2)
  local now = math.sqrt(0.06 ^ 2 + 0.02 ^ 2)
  for _ = 1, seam.count do wanted = wanted + 0.5 * 50 * (now - start) ^ 2 end
  expect(world:energy().elastic):near(wanted, 1e-9)
  expect(seam.pull):near(50 * (now - start), 1e-9)
  world:remove(seam)
  expect(world:energy().elastic):near(0, 1e-12)
end)

scenario("a stitch pulls with its strength at the most, and a seam waits for what is in its way", function()
  for _, pipeline in ipairs { "robust", "offset", "provot" } do
    local world, seam, top, low = two({ pipeline = once(pipeline), dt = 1 / 120 }, false, { closing_time = 0.05, strength = 0.02 })
    local bar = world:obstacle { shape = "box", size = {0.5, 0.02, 0.5}, at = {0, 0.2, 0}, friction = 0 }
    for _ = 1, pipeline == "provot" and 4 or 12 do
      world:run_frame()
      expect(world):penetration_free()
    end
    expect(seam.pull):near(0.02, 1e-12)
    expect(seam.gap):at_least(0.02)
    for i = 1, 9 do assert(top.x[i].y > 0.21 and low.x[35 + math.min(i, 7)].y < 0.19) end
    expect(low:strain().max):at_most(0.2)
    world:remove(bar)
  end
end)

scenario("a slack stitch does nothing, even when its ends come nearer", function()
  for _, pipeline in ipairs { "robust", "offset", { integrator = "position_based" }, { integrator = "verlet" } } do
    local world, seam, top, low = two({ pipeline = once(pipeline), gravity = {0, 0, 0}, air_density = 0, dt = 1 / 120 }, true,
      { width = 0.2 })
    low.v:add {0, 0.1, 0}
    for _ = 1, 5 do world:step() end
    assert(seam.pull == 0 and not seam.closing)
    expect(top.v:norm()):near(0, 1e-9)
    expect(low:centroid().y):near(0.1 + 0.1 * 5 / 120, 1e-9)
  end
end)

scenario("a sheet sewn to itself is a tube; a cut seam opens again", function()
  for _, pipeline in ipairs { "robust", "offset" } do
    local world = muslin.world { pipeline = once(pipeline), dt = 1 / 120 }
    -- bent round most of the way, so that its edges face each other
    local n, m, r = 25, 5, 0.05
    local mesh = muslin.mesh.grid { nodes = {n, m}, size = {2 * math.pi * r, 0.08} }
    for j = 0, m - 1 do
      for i = 0, n - 1 do
        local angle = -0.45 * 2 * math.pi + 0.9 * 2 * math.pi * i / (n - 1)
        mesh.x:set(1 + i + n * j, r * muslin.cos(angle), 0.02 * j, r * muslin.sin(angle))
      end
    end
    local tube = world:cloth { mesh = mesh, rest = "uv", material = { preset = "cotton", bending = 1e-3 } }
    tube:pin { vertices = { (n + 1) // 2 } }
    local seam = world:stitch { a = {tube, line(1, n, m)}, b = {tube, line(n, n, m)}, closing_time = 0.2 }
    for _ = 1, 24 do
      world:run_frame()
      expect(world):penetration_free()
    end
    expect(seam.gap):at_most(1.05 * seam.width)
    world:remove(seam)
    assert(not seam.valid and #world.seams == 0)
    expect(function() return seam.gap end):raises "removed from its world"
    world:advance(0.2)
    expect(tube.x[1]:distance(tube.x[n])):at_least(3e-3)
  end
end)

scenario("seam partners may lie nearer than the thickness, others not", function()
  local world, seam = two({ dt = 1 / 120 }, false, { closing_time = 0.1, width = 2e-4 })
  for _ = 1, 20 do
    world:run_frame()
    expect(world):penetration_free()
  end
  expect(seam.gap):at_most(2.5e-4)
  expect(seam.mean_gap):at_least(1e-5)
end)

scenario("a world with seams goes on the same from a snapshot, cut or not", function()
  for _, pipeline in ipairs { "robust", "offset", "provot" } do
    local function fresh()
      local world, seam = two({ pipeline = once(pipeline), dt = 1 / 120, threads = 1 }, false, { closing_time = 0.1 })
      return world, seam
    end
    local world, seam = fresh()
    for _ = 1, 6 do world:step() end
    world:save(path)
    for _ = 1, 6 do world:step() end
    local wanted = world:hash()
    world:remove(seam)
    world:step()
    world:restore(path)
    assert(seam.valid, "what was cut is whole again")
    for _ = 1, 6 do world:step() end
    expect(world:hash()):equals(wanted)
    local loaded = muslin.load(path)
    expect(#loaded.seams):equals(1)
    for _ = 1, 6 do loaded:step() end
    expect(loaded:hash()):equals(wanted)
    expect(loaded.seams[1].gap):equals(fresh and seam.gap)
    local bare = muslin.world { pipeline = once(pipeline), dt = 1 / 120, threads = 1 }
    expect(function() bare:restore(path) end):raises "number of cloths"
    local other = two({ pipeline = once(pipeline), dt = 1 / 120, threads = 1 }, false, { closing_time = 0.2 })
    expect(function() other:restore(path) end):raises "closing_time"
  end
end)

scenario("seams go with their cloth, and are the same at any number of threads", function()
  local hashes = {}
  for k, threads in ipairs { 1, 3 } do
    local world, seam, _, low = two({ dt = 1 / 120, threads = threads }, false, { closing_time = 0.1 })
    for _ = 1, 20 do world:step() end
    hashes[k] = world:hash()
    world:remove(low)
    assert(not seam.valid and #world.seams == 0)
    world:step()
  end
  expect(hashes[2]):equals(hashes[1])
end)

scenario("edges and rows, and a mesh's own stitches", function()
  local world = muslin.world { dt = 1 / 120, gravity = {0, 0, 0} }
  local a = world:cloth { mesh = muslin.mesh.grid { nodes = {3, 2}, size = {0.2, 0.1}, center = {0, 0, 0} } }
  local b = world:cloth { mesh = muslin.mesh.grid { nodes = {3, 2}, size = {0.2, 0.1}, center = {0.02, 0.03, 0} } }
  local seam = world:stitch { a = {a, {2}}, b = {b, edges = { {1, 2, 0.8} }} }
  expect(seam.gap):near(0.03, 1e-9) -- (-0.08 + 0.8 * 0.1) lies over vertex 2
  local rows = { {1, 5, 6, 0.25}, {2, 4, 4, 0} }
  local mesh = muslin.mesh.new { vertices = { {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1} },
    faces = { {1, 2, 3}, {4, 5, 6} }, stitches = rows }
  expect(mesh:stitches()):equals(rows)
  expect(mesh:copy():stitches()):equals(rows)
  expect(mesh:subdivide(1):stitches()):equals(rows)
  local c = world:cloth { mesh = mesh:copy():transform { position = {3, 0, 0} } }
  local own = world:stitch { cloth = c, stitches = mesh }
  expect(own.count):equals(2)
  expect(own.gap):near(math.sqrt(2), 1e-9)
  expect(world:stitch { cloth = c, stitches = { {1, 6, 6, 0} } }.gap):near(math.sqrt(2), 1e-9)
  expect(#world.seams):equals(3)
  local file = ".stitch_test.obj"
  mesh:save(file)
  expect(muslin.mesh.load(file):stitches()):equals(rows)
end)

scenario("errors say which stitch and what is wrong", function()
  local world, _, top, low = two()
  local function raises(options, pattern)
    expect(function() world:stitch(options) end):raises(pattern)
  end
  raises({ a = {top, {1}}, b = {low, {43}} },
    "stitch_test.lua:%d+: stitch: side b: field 'vertices' must hold whole numbers from 1 to 42 %(got 43")
  raises({ cloth = top, stitches = { {1, 2, 64, 0.5} } }, "stitch 1 ends at vertex 64 of cloth 'top', which has vertices 1 to 63")
  raises({ cloth = top, stitches = { {1, 5, 6, 0}, {2, 3, 2, 0.5} } }, "stitch 2 sews vertex 2 of cloth 'top' to itself")
  raises({ a = {top, {7}}, b = {top, {7}} }, "sews vertex 7 of cloth 'top' to itself")
  raises({ cloth = top, stitches = { {1, 2, 3, 1.5} } }, "stitch 1 lies at 1.5 of its edge")
  raises({ a = {top, {1, 2}}, b = {low, {1}} }, "have 2 and 1 vertices.*match = \"length\"")
  raises({ a = {top, {1, 3}}, b = {low, {1, 2}}, match = "length" }, "no edge of cloth 'top' joins vertices 1 and 3")
  raises({ a = {top, {1}}, b = {low, {1}}, closing_tme = 1 }, "closing_tme.*closing_time")
  raises({ a = {top, {1}}, b = {low, {1}}, closing_time = 0 }, "'closing_time' must be > 0 s")
  raises({ a = {top, {1}}, b = {low, {1}}, closing_time = 1, speed = 1 }, "not both")
  raises({ a = {top, {1}}, b = {low, {1}}, stiffness = 0 }, "'stiffness' must be > 0 N/m")
  raises({ a = {top, {1}}, b = {low, {1}}, strength = 0 }, "'strength' must be > 0 N")
  raises({ a = {top, {1}}, b = {low, {1}}, width = -1 }, "'width' must be > 0 m")
  raises({ a = {top, {1}} }, "field 'b'")
  raises({ cloth = top, stitches = muslin.mesh.grid { nodes = {2, 2} } }, "the mesh has none")
  raises({ cloth = top, stitches = { {1, 2, 3} } }, "%[1%] must be a row")
  raises({ a = {top, {}}, b = {low, {1}} }, "side a has no vertices")
  raises({}, "give 'a' and 'b'")
  local other = muslin.world()
  raises({ a = {other:cloth { mesh = muslin.mesh.grid { nodes = {2, 2} } }, {1}}, b = {low, {1}} }, "another world")
  world:on("before_step", function() world:stitch { a = {top, {1}}, b = {low, {1}} } end)
  expect(function() world:step() end):raises "step"
  expect(#world.seams):equals(1)
end)
