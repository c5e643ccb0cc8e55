-- potential_test.lua: contact energies of users in the potential pipelines: the built-in one written in Lua is the same,
-- any other holds without an intersection, and what does not fit is named.
local muslin = require "muslin"

local function falling(pipeline, rule, between)
  local world = muslin.world { dt = 1 / 120, pipeline = pipeline }
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
    local most, pushed = 0, 0
    for _ = 1, steps do
      built_in:step()
      own:step()
      pushed = math.max(pushed, own:energy().contact)
      for i, cloth in ipairs(built_in.cloths) do most = math.max(most, (cloth.x - own.cloths[i].x):norm()) end
    end
    assert(pushed > 0, "they met")
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
    local world = falling("offset", muslin.potential(law))
    for _ = 1, 30 do world:step() end
    assert(world:audit().clean, name)
  end
end)

scenario("friction goes by the push of the energy, and a pair's own energy by between", function()
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

scenario("what does not fit is named", function()
  local energy = muslin.potential(offset)
  expect(function() falling("robust", energy) end):raises "field 'rule' is a potential, which impulse and classic pipelines"
  expect(function() falling("provot", energy) end):raises "choose a potential pipeline such as 'offset'"
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
  end):raises "potential: its energy, push and curvature must be finite %(got .* at a gap of"
  assert(world:hash() == hash)
  local text = energy:explain()
  assert(text:find "potential of a contact" and text:find "derivative: push" and text:find "curvature d2E/dgap2")
end)
