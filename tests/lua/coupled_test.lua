-- coupled_test.lua: the response "coupled" (preset "robust"): an impact adds no energy, taut cloth keeps the strain that its stiffness
-- gives, and rules, friction, rigid bodies and seams take part.
local muslin = require "muslin"

local function world_of(settings)
  settings.pipeline = settings.pipeline or "robust"
  settings.air_density = settings.air_density or 0
  return muslin.world(settings)
end

-- The largest total energy after the start, and after each step the rise over what there was before it, as shares of
-- what the scene has lost so far.
local function energies(world, seconds)
  local start = world:energy().total
  local least, most, rise = start, -math.huge, 0
  for _ = 1, math.floor(seconds / world.dt + 0.5) do
    world:step()
    local total = world:energy().total
    most = math.max(most, total)
    rise = math.max(rise, total - least)
    least = math.min(least, total)
  end
  return { start = start, most = most, rise = rise, lost = start - least }
end

local function sheet_over_box(pipeline, threads)
  local world = world_of { dt = 1/120, pipeline = pipeline, threads = threads or 1 }
  local mesh = muslin.mesh.grid { nodes = {25, 25}, size = {0.5, 0.5}, plane = "xz", center = {0, 0.23, 0} }
  local sheet = world:cloth { name = "sheet", mesh = mesh, material = "cotton", thickness = 1e-3, friction = 0.3 }
  world:obstacle { name = "box", shape = "box", size = {0.25, 0.2, 0.25}, at = {0, 0.1, 0}, friction = 0.3 }
  world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = 0.3 }
  return world, sheet
end

scenario("an impact adds no energy", function()
  local world = sheet_over_box "robust"
  local of = energies(world, 0.4)
  expect(of.most, "largest energy after the start"):at_most(of.start)
  expect(of.rise, "rise, J"):at_most(1e-3 * of.lost)
  expect(of.lost, "lost, J"):more_than(0.01)
  expect(world):penetration_free()
end)

-- A strip of cotton, 6 cm wide, over a bar, pulled by F at both ends: its stiffness gives a strain of 2.35 % at 1 N. Returns
-- its world, itself, and a function that measures the strain along the 8 cm above one end.
local function taut_strip(force, dt, pipeline, limit)
  local R, nodes = 0.1006, {61, 7}
  local arc = math.pi * R
  local length = arc + 0.3
  local h = length / (nodes[1] - 1)
  local world = world_of { dt = dt, pipeline = pipeline, threads = 1 }
  local rest = muslin.mesh.grid { nodes = nodes, size = {length, (nodes[2] - 1) * h}, center = {0, 0, 0} }
  local mesh, ends = rest:copy(), {}
  for i = 1, mesh.vertex_count do
    local x, _, z = mesh.x:get(i)
    local angle = x / 0.1
    if math.abs(x) <= arc / 2 then
      mesh.x:set(i, 0.1 * muslin.sin(angle) * 1.006, 0.1006 * muslin.cos(angle), z)
    else
      mesh.x:set(i, (x > 0 and 1 or -1) * R, -(math.abs(x) - arc / 2), z)
    end
    if math.abs(x) > length / 2 - 1e-6 then ends[#ends + 1] = i end
  end
  local strip = world:cloth { name = "strip", mesh = mesh, rest = rest, friction = 0.3,
    material = { preset = "cotton", strain_limit = limit } }
  world:obstacle { name = "bar", shape = "capsule", radius = 0.1, length = 2, friction = 0.3,
    rotation = {math.sqrt(0.5), math.sqrt(0.5), 0, 0} }
  world:force(function(cloth, t)
    local each = -2 * math.min(1, t / 0.3) * force / #ends
    for _, i in ipairs(ends) do cloth.f[i] = cloth.f[i] + muslin.vec3(0, each, 0) end
  end)
  local function strain()
    local first, last = 3 * nodes[1] + 1, 3 * nodes[1] + 13
    local now = 0
    for k = first, last - 1 do now = now + (strip.x[k + 1] - strip.x[k]):length() end
    return now / (rest.x[last] - rest.x[first]):length() - 1
  end
  return world, strip, strain
end

local taut = {}
for _, pipeline in ipairs { "robust", "lively" } do
  for _, rate in ipairs { 60, 120, 240 } do
    for _, limit in ipairs { 0.1, 0 } do taut[#taut + 1] = { pipeline = pipeline, rate = rate, limit = limit } end
  end
end
scenario.each(taut) ("a taut strip keeps its strain and rests: {pipeline}, 1/{rate} s, strain limit {limit}", function(case)
  for _, force in ipairs { 0.1, 0.3, 1, case.limit > 0 and 3 or 6 } do
    local world, strip, strain = taut_strip(force, 1 / case.rate, case.pipeline, case.limit)
    world:advance(1.5)
    local weight = 0.06 * 0.2 * 9.81 * 0.04 -- N: of what hangs below the middle of the measured part
    expect(strain() / (0.0235 * (force + weight)), ("strain at %g N, of its stiffness'"):format(force)):between(0.9, 1.1)
    expect(strip.v:norm() / math.sqrt(strip.vertex_count), ("mean speed at %g N, m/s"):format(force)):at_most(2e-3)
    expect(world):penetration_free()
  end
end)

-- On a slope of 20 degrees a sheet slides by the friction of 0.2, and holds by that of 0.5.
local function slope(friction)
  local angle = math.rad(20)
  local normal = muslin.vec3(-muslin.sin(angle), muslin.cos(angle), 0)
  local world = world_of { dt = 1/120 }
  local mesh = muslin.mesh.grid { nodes = {12, 12}, size = {0.2, 0.2}, plane = "xz", center = {0, 0, 0} }
  for i = 1, mesh.vertex_count do
    local x, _, z = mesh.x:get(i)
    mesh.x:set(i, x * normal.y - 1.05e-3 * muslin.sin(angle), x * muslin.sin(angle) + 1.05e-3 * muslin.cos(angle), z)
  end
  local sheet = world:cloth { name = "sheet", mesh = mesh, material = "cotton", thickness = 1e-3, friction = friction }
  world:obstacle { name = "slope", shape = "plane", normal = {normal.x, normal.y, 0}, friction = friction }
  local before = sheet:centroid()
  world:advance(0.5)
  local way = sheet:centroid() - before
  return (way - way:dot(normal) * normal):length() -- it begins 0.5 mm above its place
end

scenario("friction holds a sheet on a slope, or lets it slide", function()
  expect(slope(0.5), "way of the sheet that sticks, m"):at_most(2e-4) -- while it falls into its place
  local wanted = 0.5 * 9.81 * (muslin.sin(math.rad(20)) - 0.2 * muslin.cos(math.rad(20))) * 0.25
  expect(slope(0.2) / wanted, "way of the sheet that slides, of a body's"):at_least(0.95)
  expect(slope(0.2) / wanted, "way of the sheet that slides, of a body's"):at_most(1.05)
end)

-- Until it rests a sheet that lands has got the normal impulse m (1.1 m/s + g t), and Coulomb's law takes 0.3 of that from its
-- motion along the floor. A residual that is small beside the blow, but not beside friction, lost 0.7 of it.
scenario.each { { rate = 60 }, { rate = 120 }, { rate = 240 } }
("friction of an impact is that of its normal impulse, at {rate} steps per second", function(case)
  local world = world_of { dt = 1 / case.rate }
  local sheet = world:cloth {
    name = "sheet", mesh = muslin.mesh.grid { nodes = {4, 4}, size = {0.2, 0.3}, plane = "xz", center = {0, 0.05, 0} },
    thickness = 4e-3, friction = 0.3, velocity = {0, -1.1, 1.475},
  }
  world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = 0.3 }
  world:advance(0.1)
  expect(sheet.v:lengths():max() - sheet.v:mean():length(), "motion of vertices by themselves, m/s"):at_most(0.01)
  local lost = (1.475 - sheet.v:mean().z) / (0.3 * (1.1 + 9.81 * 0.1))
  expect(lost, "what friction took, of Coulomb's"):at_least(0.94)
  expect(lost, "what friction took, of Coulomb's"):at_most(1.001)
end)

-- Two jaws close on the upper end of a sheet, its pins included, to 0.8 of its thickness; then they let it hang and carry it.
-- The force grew by 2,000 N each second and threw the sheet out after three, and edges between a pin and a vertex at which
-- a jaw touched the pin had effective masses of 1e18 vertices.
scenario("jaws that leave a sheet less than its thickness pinch it with a bounded force, and carry it without creep", function()
  local world = muslin.world { dt = 1/240, threads = 1 }
  local sheet = world:cloth { name = "sheet", material = "cotton", thickness = 1e-3, friction = 0.5,
    mesh = muslin.mesh.grid { nodes = {13, 13}, size = {0.3, 0.3}, plane = "xy" } }
  sheet:pin { edge = "top" }
  local function carried_by(t)
    local s = math.max(0, t - 1.5)
    return 0.05 * math.sin(0.8 * s), 0.04 * (1 - math.cos(0.6 * s))
  end
  local jaw
  for side = -1, 1, 2 do
    jaw = world:obstacle { shape = "box", size = {0.1, 0.06, 0.04}, at = {0, 0.12, side * 0.06}, friction = 0.5 }
    jaw:move(function(t)
      local s, x, y = math.max(0, math.min(1, (t - 0.1) / 0.7)), carried_by(t)
      return { x, 0.12 + y, side * (0.06 - 0.0396 * s * s * (3 - 2 * s)) }
    end)
  end
  local function force()
    local sum = 0
    for _, c in ipairs(world:contacts()) do sum = sum + c.impulse:length() / world.dt end
    return sum
  end
  world:advance(1.2)
  sheet:unpin()
  world:advance(2.3)
  local early, before = force(), {}
  for i = 1, #sheet.x do
    local x, y = sheet.x:get(i)
    local away = jaw.position
    if math.abs(x - away.x) < 0.045 and math.abs(y - away.y) < 0.025 then before[i] = { x - away.x, y - away.y } end
  end
  expect(next(before) ~= nil, "vertices between the jaws"):equals(true)
  world:advance(2.5)
  expect(force(), "force, N"):between(0.8 * early, 1.2 * early)
  expect(early, "force, N"):between(5, 200)
  for i, place in pairs(before) do
    local x, y = sheet.x:get(i)
    local slip = math.sqrt((x - jaw.position.x - place[1]) ^ 2 + (y - jaw.position.y - place[2]) ^ 2)
    expect(slip, "slip of vertex " .. i .. ", m"):at_most(5e-5)
  end
  expect(world:audit().clean):equals(true)
end)

scenario("a ball comes to rest in a hanging sheet", function()
  local world = world_of { dt = 1/120 }
  local mesh = muslin.mesh.grid { nodes = {21, 21}, size = {0.4, 0.4}, plane = "xz", center = {0, 0, 0} }
  local sheet = world:cloth { name = "sheet", mesh = mesh, material = "cotton", thickness = 1e-3, friction = 0.3 }
  sheet:pin { vertices = {1, 21, 421, 441} }
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.06, mass = 0.3, motion = "dynamic",
    at = {0.01, 0.15, 0}, friction = 0.3 }
  local of = energies(world, 1.5)
  expect(of.rise, "rise of the energy, J"):at_most(1e-2 * of.lost)
  expect(ball.position.y, "height of the ball"):at_least(-0.2)
  expect(ball.position.y, "height of the ball"):at_most(0.06)
  expect(world):penetration_free()
end)

-- Ten times and a hundred times as heavy as the sheet, it gives way to the ball, which flies on: it loses the energy that the
-- sheet gains, 2 of 46.4 J and 2.3 of 298 J with steps of 1/480 s. What stiff penalties left of their impulses made it stop.
scenario.each { { mass = 2 }, { mass = 20 } }
("a ball of {mass} kg thrown through a hanging sheet loses what the sheet takes", function(case)
  local world = world_of { dt = 1/120, fps = 60 }
  local mesh = muslin.mesh.grid { nodes = {30, 30}, size = {1, 1}, plane = "xy", center = {0, 1, 0} }
  local sheet = world:cloth { name = "sheet", mesh = mesh, material = "cotton", thickness = 1e-3, friction = 0.1 }
  sheet:pin { corners = {"top_left", "top_right"} }
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.1, at = {0, 1, -0.3}, friction = 0.1,
    motion = "dynamic", mass = case.mass, velocity = {0, 1, 3} }
  local start = 0.5 * case.mass * 10 + case.mass * 9.81
  local of = energies(world, 1)
  expect(of.rise, "rise of the energy, J"):at_most(1e-2 * of.lost)
  expect(of.lost / start, "share of the ball's energy that is lost"):at_most(case.mass < 10 and 0.08 or 0.012)
  expect(ball.position.z, "way of the ball along the throw, m"):at_least(case.mass < 10 and 2.35 or 2.63)
  expect(ball.position.z, "way of the ball along the throw, m"):at_most(2.7)
  expect(world):penetration_free()
end)

scenario("a box on loose sheets and balls that collide gain no energy, and come to rest", function()
  local world = world_of { dt = 1/240 }
  world:obstacle { shape = "plane", normal = {0, 1, 0}, friction = 0.4 }
  for k = 0, 1 do
    world:cloth { mesh = muslin.mesh.grid { nodes = {8, 8}, size = {0.4, 0.4}, plane = "xz", center = {0, 0.002 + 0.004 * k, 0} } }
  end
  local box = world:obstacle { shape = "box", size = {0.15, 0.1, 0.12}, at = {0, 0.1, 0}, motion = "dynamic", mass = 2 }
  local of = energies(world, 0.6)
  expect(of.rise, "rise of energy"):at_most(1e-3 * of.lost)
  expect(box.velocity:length(), "speed"):at_most(2e-3)
  local free = world_of { dt = 1/240 }
  free:obstacle { shape = "sphere", radius = 0.1, at = {0, 0, 0} }
  free:obstacle { shape = "sphere", radius = 0.1, at = {0.02, 0.35, 0}, motion = "dynamic", mass = 2 }
  of = energies(free, 0.5)
  expect(of.rise, "rise of energy without cloth"):at_most(1e-3 * of.lost)
end)

scenario("a rule replaces the pipeline's response, and its impulse is kept", function()
  local world = world_of { dt = 1/240 }
  local mesh = muslin.mesh.grid { nodes = {8, 8}, size = {0.1, 0.1}, plane = "xz", center = {0, 0.05, 0} }
  local sheet = world:cloth { name = "sheet", mesh = mesh, material = "cotton", thickness = 1e-3 }
  local floor = world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0} }
  local calls = 0
  world:respond { name = "bounce", between = {sheet, floor}, rule = muslin.rule({ trace = false }, function(c)
    calls = calls + 1
    local vn = c.normal:dot(c.velocity)
    return muslin.max(-1.5 * vn, 0) * c.mass * c.normal
  end) }
  local fastest = -math.huge
  for _ = 1, 48 do
    world:step()
    fastest = math.max(fastest, sheet.v[30].y)
  end
  expect(calls, "calls"):at_least(64)
  expect(fastest, "speed upwards after the bounce, m/s"):at_least(0.3) -- about half of 0.98
end)

-- A rule's impulse is chosen for the masses of a contact alone; as one that moves stiff cloth as far, it is a thousand
-- times as large.
scenario("an inelastic rule adds no energy", function()
  local world = world_of { dt = 1/120 }
  local mesh = muslin.mesh.grid { nodes = {18, 12}, size = {0.9, 0.5}, center = {0, 0.81, 0} }
  local sheet = world:cloth { name = "sheet", mesh = mesh }
  local drum = world:obstacle { name = "drum", shape = "capsule", radius = 0.2, length = 0.6, at = {0, 0.6, 0},
    rotation = {math.sqrt(0.5), math.sqrt(0.5), 0, 0} }
  world:respond { between = {sheet, drum}, rule = function(c)
    return muslin.max(-c.normal:dot(c.velocity), 0) * c.mass * c.normal
  end }
  local of = energies(world, 0.7)
  print(("rule: loses %.3g J, rises by %.3g of it"):format(of.lost, of.rise / of.lost))
  expect(of.most, "largest energy after the start"):at_most(of.start)
  expect(of.rise, "rise, J"):at_most(1e-2 * of.lost)
  expect(world):penetration_free()
end)

scenario("a rule is called once for a pair in a step, also if the pair then collides", function()
  local world = world_of { dt = 1/240, gravity = {0, 0, 0} }
  local mesh = muslin.mesh.grid { nodes = {12, 12}, size = {0.2, 0.2}, plane = "xz", center = {0, 0.13, 0} }
  local sheet = world:cloth { name = "sheet", mesh = mesh, material = "cotton", thickness = 1e-3 }
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.1, at = {0, 0, 0} }
  for i = 1, sheet.vertex_count do sheet.v[i] = {0, -20, 0} end
  local seen, calls, repeated = {}, 0, 0
  world:respond { name = "none", between = {sheet, ball}, rule = muslin.rule({ trace = false }, function(c)
    local key = table.concat(c.vertices[1], ",") .. ":" .. table.concat(c.vertices[2], ",")
    calls, repeated = calls + 1, repeated + (seen[key] and 1 or 0)
    seen[key] = true
    return {0, 0, 0}
  end) }
  for _ = 1, 4 do
    seen = {}
    world:step()
  end
  expect(calls, "calls"):at_least(16)
  expect(repeated, "calls for a pair that the rule was called for in the step"):equals(0)
end)

-- The vertices of one side of a sheet, along it.
local function boundary(sheet, side)
  local low, high = sheet:bounds()
  local list = {}
  for i = 1, sheet.vertex_count do
    if math.abs(sheet.x[i].x - (side > 0 and high.x or low.x)) < 1e-6 then list[#list + 1] = i end
  end
  return list
end

scenario("sewn cloths fall and drape as one", function()
  local world = world_of { dt = 1/120 }
  local sheets = {}
  for k = 1, 2 do
    local center = {(k - 1.5) * 0.151, 0.16, 0}
    local mesh = muslin.mesh.grid { nodes = {9, 17}, size = {0.15, 0.3}, plane = "xz", center = center }
    sheets[k] = world:cloth { name = "sheet" .. k, mesh = mesh, material = "cotton", thickness = 1e-3, friction = 0.3 }
  end
  world:stitch { a = {sheets[1], boundary(sheets[1], 1)}, b = {sheets[2], boundary(sheets[2], -1)}, match = "length",
    closing_time = 0.05 }
  world:obstacle { name = "ball", shape = "sphere", radius = 0.1, at = {0, 0.05, 0}, friction = 0.3 }
  world:advance(0.5)
  expect(world):penetration_free()
end)

scenario.each { "robust", "lively" } ("threads and a snapshot change no bit: {}", function(pipeline)
  local path = (".coupled_test_%s.muslin"):format(pipeline) -- in the folder that the tests run in; scenarios run at once
  local hashes = {}
  for k, threads in ipairs { 1, 2, 4 } do
    local world = sheet_over_box(pipeline, threads)
    world:advance(0.15)
    world:save(path)
    world:advance(0.1)
    hashes[k] = world:hash()
    world:restore(path)
    world:advance(0.1)
    expect(world:hash()):equals(hashes[k])
  end
  expect(hashes[2]):equals(hashes[1])
  expect(hashes[3]):equals(hashes[1])
  local loaded = muslin.load(path)
  loaded:advance(0.1)
  expect(loaded:hash()):equals(hashes[1])
end)

scenario("an integrator that computes dynamics by itself is refused", function()
  local ok, message = pcall(muslin.world, { pipeline = { response = "coupled", integrator = "verlet" } })
  expect(ok):equals(false)
  expect(message:find("choose integrator 'implicit_euler'", 1, true) ~= nil):equals(true)
end)

scenario("a hook on predicted positions reads those of dynamics", function()
  local dt = 1/120
  local world = world_of { dt = dt }
  local mesh = muslin.mesh.grid { nodes = {4, 4}, size = {0.1, 0.1}, plane = "xz", center = {0, 1, 0} }
  local sheet = world:cloth { name = "sheet", mesh = mesh, material = "cotton", thickness = 1e-3 }
  local predicted
  world:on("candidate", function() predicted = sheet.x[6].y end)
  world:step()
  expect((1 - predicted) / (0.5 * 9.81 * dt * dt), "predicted fall, of a body's in a step from rest"):near(1, 1e-6)
  expect((1 - sheet.x[6].y) / (0.5 * 9.81 * dt * dt), "fall, of a body's in a step from rest"):near(1, 0.1)
end)
