-- potential_test.lua: contact energies of users in the potential and the coupled pipelines: the built-in one written in
-- Lua is the same, any other holds without an intersection, and what does not fit is named.
local muslin = require "muslin"

local function falling(pipeline, rule, between, threads)
  local world = muslin.world { dt = 1 / 120, pipeline = pipeline, threads = threads }
  local function sheet(name, y, v)
    return world:cloth { name = name, thickness = 6e-3, friction = 0.3, velocity = v,
      mesh = muslin.mesh.grid { nodes = { 8, 7 }, size = { 0.3, 0.27 }, center = { 0.01, y, 0.02 } } }
  end
  sheet("low", 0.06, { 0, -0.5, 0 })
  sheet("high", 0.075, { 0.3, -1, 0.1 })
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 }, friction = 0.3 }
  world:obstacle { name = "ball", shape = "sphere", radius = 0.03, at = { 0.05, 0.015, 0.03 } }
  if rule then world:respond { rule = rule, between = between } end
  return world
end

local k = muslin.param("k", 0.2 * muslin.material("cotton").stretch)

-- Chen et al. 2025: quadratic below the thickness r, logarithmic below half of it, twice continuous.
local function offset(c)
  local d, r = c.distance, c.thickness
  local tau = 0.5 * r
  local kl = k * tau * (r - tau)
  local b = 0.5 * k * (r - tau) ^ 2 + kl * muslin.log(tau)
  return muslin.select(muslin.ge(d, tau), 0.5 * k * (r - d) * (r - d), b - kl * muslin.log(d))
end

scenario("the built-in energy, written in Lua, is the built-in energy", function()
  -- `newton` finds the minimum, so rounding stays what it is; `offset` stops on the way, at other last digits
  for pipeline, steps in pairs { offset = 5, newton = 24 } do
    local built_in, own = falling(pipeline), falling(pipeline, muslin.potential(offset))
    local most, energy = 0, 0
    for _ = 1, steps do
      built_in:step()
      own:step()
      energy = math.max(energy, own:energy().contact)
      for i, cloth in ipairs(built_in.cloths) do most = math.max(most, (cloth.x - own.cloths[i].x):norm()) end
    end
    assert(energy > 0, "they met")
    expect(most):at_most(1e-8)
  end
  local off = falling("offset", muslin.potential(function(c) return 0.5 * offset(c) end))
  local wanted = falling "offset"
  for _ = 1, 24 do off:step() wanted:step() end
  assert(off:hash() ~= wanted:hash(), "another energy gives another motion")
end)

scenario("whatever the energy, nothing passes through", function()
  local laws = {
    cubic = function(c) return -1e4 * c.gap ^ 3 end,
    barrier = function(c) return -0.02 * c.gap * c.gap * muslin.log(c.distance / c.thickness) * 1e3 end,
    exponential = function(c) return 1e-6 * (muslin.exp(-c.gap * 2000) - 1 + c.gap * 2000) end,
    nothing = function() return 0 end,
    pulls = function(c) return -0.5 * c.gap ^ 2 end,
  }
  for name, law in pairs(laws) do
    for _, pipeline in ipairs { "offset", "robust", "lively" } do
      local world = falling(pipeline, muslin.potential(law))
      for _ = 1, 30 do world:step() end
      assert(world:audit().clean, name .. " under " .. pipeline)
    end
  end
end)

scenario("under robust no energy of a contact raises that of the world", function()
  for name, law in pairs {
    stiff = function(c) return 0.5 * k * c.gap ^ 2 end,
    soft = function(c) return 10 * c.gap ^ 2 end,
    barrier = offset,
  } do
    local world = falling("robust", muslin.potential(law))
    local start, most, contact = world:energy().total, 0, 0
    local least = start
    for _ = 1, 120 do
      world:step()
      local energy = world:energy()
      most, contact = math.max(most, energy.total - least), math.max(contact, energy.contact)
      least = math.min(least, energy.total)
    end
    assert(contact > 1e-5, name)
    assert(most < 1e-4 * (start - least), ("%s: rose by %g of %g J"):format(name, most, start - least))
  end
end)

scenario("a sheet at rest sinks in by its weight over the stiffness of its energy", function()
  local stiff = 40
  for _, pipeline in ipairs { "robust", "lively", "newton" } do
    local world = muslin.world { dt = 1 / 120, pipeline = pipeline, air_density = 0 }
    local sheet = world:cloth { thickness = 8e-3,
      mesh = muslin.mesh.grid { nodes = { 9, 9 }, size = { 0.2, 0.2 }, center = { 0, 4e-3, 0 } } }
    world:obstacle { shape = "plane", normal = { 0, 1, 0 } }
    world:respond { rule = muslin.potential(function(c) return 0.5 * stiff * c.gap ^ 2 end) }
    for _ = 1, 240 do world:step() end
    local sunk, wanted = 0, 0
    for i = 1, #sheet.x do sunk, wanted = sunk + 4e-3 - sheet.x[i].y, wanted + sheet.m[i] * 9.81 / stiff end
    expect(sunk / wanted):near(1, 1e-3) -- the sum: bending shares the load between vertices
  end
end)

scenario("a ball thrown into free cloth keeps their momentum, and rules act on other pairs", function()
  for _, pipeline in ipairs { "robust", "lively" } do
    local world = muslin.world { dt = 1 / 120, pipeline = pipeline, gravity = { 0, 0, 0 }, air_density = 0 }
    local sheet = world:cloth { name = "sheet", thickness = 4e-3, friction = 0.4,
      mesh = muslin.mesh.grid { nodes = { 13, 13 }, size = { 0.3, 0.3 } } }
    local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.05, at = { 0.02, 0.06, 0.01 }, motion = "dynamic",
      mass = 0.1, velocity = { 0.3, -1, 0 } }
    world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 }, at = { 0, -0.1, 0 } }
    world:respond { rule = muslin.potential(function(c) return 1000 * c.gap ^ 2 end), between = { "sheet", "ball" } }
    world:respond { between = { "sheet", "floor" },
      rule = function(c) return muslin.max(-c.normal:dot(c.velocity), 0) * c.mass * c.normal end }
    local function momentum()
      local sum = 0.1 * ball.velocity
      for i = 1, #sheet.v do sum = sum + sheet.m[i] * sheet.v[i] end
      return sum
    end
    local before, contact = momentum(), 0
    for _ = 1, 8 do
      world:step()
      contact = math.max(contact, world:energy().contact)
    end
    assert(contact > 1e-6, "they met: " .. contact)
    expect((momentum() - before):length()):at_most(1e-9)
    for _ = 1, 40 do world:step() end
    assert(world:audit().clean)
    local _, high = sheet:bounds()
    assert(high.y > -0.1 and momentum().y > before.y, "the rule has stopped it on the floor")
  end
end)

scenario("a run from a snapshot goes on with the same bits", function()
  local function resumed(other)
    local world, path = falling("robust", muslin.potential(offset)), ".potential_test.muslin"
    for _ = 1, 14 do world:step() end
    world:save(path)
    for _ = 1, 6 do world:step() end
    local hash = world:hash()
    if other then
      for _ = 1, 3 do world:step() end
      world:restore(path)
      for _ = 1, 6 do world:step() end
    end
    return hash, world:hash()
  end
  local first, second = resumed(true)
  assert(first == second)
end)

-- The force of a contact has no upper bound: gaps under a fast obstacle halved in each iteration until none was left.
scenario("a fast obstacle carries a pinned curtain along under newton", function()
  local world <close> = muslin.world { pipeline = "newton", dt = 1 / 240, fps = 60 }
  local ball = world:obstacle { shape = "sphere", radius = 0.08, at = { 0.03, 0.5, -0.2 } }
  ball:move(function(t) return { 0.03, 0.5, -0.2 + 2 * t } end)
  local curtain = world:cloth { mesh = muslin.mesh.strip { nodes = { 11, 11 }, size = { 1, 1 }, center = { 0, 0.5, 0 } } }
  curtain:pin { edge = "top" }
  for _ = 1, 5 do
    world:advance(1 / 30)
    local report = world:audit()
    expect(report.intersections):equals(0)
    expect(report.inside):equals(0)
  end
  local _, high = curtain:bounds()
  expect(high.z):more_than(0.2)
end)

scenario("friction follows the normal force of the energy, and a pair's own energy by between", function()
  local function slid(stiff)
    local world = falling("offset", muslin.potential(function(c) return 0.5 * stiff * c.gap ^ 2 end), { "high", "low" })
    for _ = 1, 40 do world:step() end
    return world:find("high"):centroid().x - world:find("low"):centroid().x
  end
  assert(slid(1) > slid(200) + 1e-3)
end)

scenario("a parameter changes between steps", function()
  local function run(change)
    k:set(40)
    local rule = muslin.potential(offset)
    local world = falling("offset", rule)
    for _ = 1, 10 do world:step() end
    if change then rule:set("k", 400) end
    for _ = 1, 10 do world:step() end
    return world:hash()
  end
  assert(run(true) ~= run(false))
end)

local function blocks(pipeline, rule, friction, speed)
  local world = muslin.world { dt = 1 / 240, pipeline = pipeline, air_density = 0 }
  local sheet = world:cloth { name = "sheet", thickness = 8e-3, friction = friction, velocity = { speed, 0, 0 },
    mesh = muslin.mesh.grid { nodes = { 4, 4 }, size = { 0.1, 0.1 }, center = { 0, 3.5e-3, 0 } } }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 }, friction = friction }
  world:respond { rule = rule }
  return world, sheet
end

scenario("friction of an energy slows by its share of the weight, and holds below that", function()
  for _, pipeline in ipairs { "newton", "robust", "lively" } do
    local law = muslin.potential(function(c) return 0.5 * 40 * c.gap ^ 2 end)
    local world, sheet = blocks(pipeline, law, 0.3, 0.5)
    for _ = 1, 6 do world:step() end -- sinks in
    local before = sheet.v:mean().x
    for _ = 1, 24 do world:step() end
    expect((before - sheet.v:mean().x) / (0.3 * 9.81 * 0.1)):near(1, 0.02)
    for _ = 1, 60 do world:step() end
    local at = sheet:centroid()
    for _ = 1, 60 do world:step() end
    expect((sheet:centroid() - at):length()):at_most(pipeline == "newton" and 1e-4 or 1e-6)
  end
end)

scenario("an energy of slip holds against it, with and without friction", function()
  local c = 2e-3 -- N s/m on each vertex, implicitly: v falls to v/(1 + c dt/m) in a step
  local function law(x) -- carries the weight at a gap of -0.25 mm; slope 0 where slip is 0
    return 0.5 * 40 * x.gap ^ 2 + 0.5 * c / x.dt * x.slip ^ 2
  end
  for _, pipeline in ipairs { "newton", "robust", "lively" } do
    local function speeds(f, friction)
      local world, sheet = blocks(pipeline, muslin.potential(f), friction, 0.05)
      local before = sheet.v:mean().x
      for _ = 1, 12 do world:step() end
      return before, sheet.v:mean().x, sheet
    end
    local before, after, sheet = speeds(law, 0)
    assert(after < 0.9 * before and after > 0, "it slows down")
    local least, most = (1 + c / sheet.m:min() / 240) ^ -12, (1 + c / sheet.m:max() / 240) ^ -12
    expect(after / before):between(least - 0.01, most + 0.01)
    local _, free = speeds(function(x) return 0.5 * 40 * x.gap ^ 2 end, 0)
    expect(free):near(before, 1e-4)
    local _, both = speeds(law, 0.05)
    local _, coulomb = speeds(function(x) return 0.5 * 40 * x.gap ^ 2 end, 0.05)
    assert(both < coulomb - 1e-3 and both < after - 1e-3, "friction and the hold add up")
  end
end)

scenario("a normal force that does not change with the gap is applied", function()
  local law = muslin.potential(function(c) return -0.1 * c.gap end) -- N; a vertex weighs 0.001
  for _, pipeline in ipairs { "newton", "robust" } do
    local world, sheet = blocks(pipeline, law, 0, 0)
    for _ = 1, 12 do
      world:step()
      expect(sheet.x:min().y):at_least(3.5e-3)
    end
  end
end)

scenario("any number of threads gives the same bits", function()
  for _, pipeline in ipairs { "offset", "robust" } do
    local function hash(threads)
      local law = muslin.potential(function(c) return offset(c) + c.gap ^ 2 * c.slip ^ 2 end)
      local world = falling(pipeline, law, nil, threads)
      for _ = 1, 12 do world:step() end
      return world:hash()
    end
    local one = hash(1)
    for _, threads in ipairs { 2, 3, 8 } do assert(hash(threads) == one, threads) end
  end
end)

scenario("energies that no solver can follow are refused at once", function()
  local stiff = 0.2 * muslin.material("cotton").stretch
  local function step(law, pipeline)
    local world = falling(pipeline or "newton", muslin.potential(law))
    for _ = 1, 8 do world:step() end
  end
  for _, pipeline in ipairs { "offset", "newton", "vbd", "robust" } do
    expect(function() step(function(c) return -0.5 * stiff * c.gap ^ 2 end, pipeline) end)
      :raises "potential: it pulls the sides together with .* N at a gap of .* change its sign, or make the attraction weaker than"
  end
  expect(function() step(function(c) return 0.5 * stiff * c.gap ^ 2 + c.slip * c.gap ^ 2 end) end)
    :raises "its slope by slip must be 0 where slip is 0 %(got .* N at a gap of"
  expect(function() step(function(c) return 0.5 * stiff * c.gap ^ 2 - c.slip ^ 2 end) end)
    :raises "it must not fall as slip grows %(dE/dslip is %-"
  expect(function() step(function(c) return 0.5 * stiff * c.gap ^ 2 + c.slip ^ 1.5 end) end)
    :raises "its derivatives by slip must be finite"
end)

scenario("what does not fit is named", function()
  local energy = muslin.potential(offset)
  expect(function() falling("sequential", energy) end):raises "field 'rule' is a potential, which impulse and classic pipelines"
  expect(function() falling("provot", energy) end):raises "choose 'robust', 'lively' or a potential pipeline such as 'offset'"
  expect(function() falling("offset", function(c) return c.normal end) end):raises "field 'rule' gives impulses.*give a muslin.potential"
  expect(function() falling("newton", muslin.rule({ trace = false }, print)) end):raises "field 'rule' gives impulses"
  expect(function() muslin.potential(function(c) return c.normal end) end):raises "contact: no field 'normal'"
  expect(function() muslin.potential(function(c) return { c.gap } end) end)
    :raises "it must return an energy, one number in J %(got a table%)"
  expect(function() muslin.potential({ trace = false }, offset) end):raises "potential: it is always traced"
  expect(function() muslin.potential({ per = "node" }, offset) end):raises "potential: unknown field 'per'"
  local world = falling("offset", muslin.potential(function(c) return muslin.log(c.gap) end))
  local hash
  expect(function()
    for _ = 1, 20 do
      hash = world:hash()
      world:step()
    end
  end):raises "potential: its energy, normal force and curvature must be finite %(got .* at a gap of"
  assert(world:hash() == hash)
  local text = energy:explain()
  assert(text:find "potential of a contact" and text:find "derivative: normal force" and text:find "curvature d2E/dgap2")
end)
