-- property_test.lua: random cases, and how one that fails is reduced and reported.
local muslin = require "muslin"
local kit = require "muslin.kit"
local support = require "muslin.support"
local properties = require "muslin.property"

-- Plays a property and returns what it raised; nil when it holds.
local function outcome(...)
  local list = kit.list
  kit.list = {}
  local ok, problem = pcall(property, ...)
  local made = kit.list
  kit.list = list
  if not ok then error(problem, 0) end
  local passed, message = pcall(made[1].body)
  kit.release()
  return not passed and message or nil
end

local function draws(g, count)
  support.seed(3)
  local values = {}
  for k = 1, count do values[k] = g.draw() end
  return values
end

scenario("generators keep to their ranges", function()
  local low, high = false, false
  for _, n in ipairs(draws(property.integer(-2, 3), 400)) do
    expect(math.type(n)):equals("integer")
    expect(n):between(-2, 3)
    low, high = low or n == -2, high or n == 3
  end
  expect(low and high, "both ends are drawn"):is_true()
  for _, x in ipairs(draws(property.number(0.5, 0.75), 400)) do expect(x):between(0.5, 0.75) end
  for _, v in ipairs(draws(property.vector({ 0, 1, 2 }, { 1, 2, 3 }), 50)) do
    for k = 1, 3 do expect(v[k]):between(k - 1, k) end
  end
  local lengths = {}
  for _, list in ipairs(draws(property.list(property.choice { "a", "b" }, 1, 3), 100)) do lengths[#list] = true end
  expect(lengths):equals { true, true, true }
end)

scenario("a property that holds is played so many times", function()
  local count = 0
  expect(outcome("holds", { n = property.integer(1, 6) }, { cases = 40 }, function(p)
    count = count + 1
    expect(p.n):between(1, 6)
  end)):is_nil()
  expect(count):equals(40)
end)

scenario("a failure is made as small as it can be", function()
  local message = outcome("below 53", { n = property.integer(0, 1000), x = property.number(-1, 1), tag = property.choice { "a", "b" },
    l = property.list(property.integer(0, 9), 0, 6) }, function(p) expect(p.n):less_than(53) end)
  expect(message):contains("check failed: expected less than 53, got 53")
  expect(message):contains([[examples = { { l = {}, n = 53, tag = "a", x = 0.0 } }]])
  message = outcome("sums", property.list(property.number(0, 10), 0, 8), { cases = 200 }, function(l)
    local sum = 0
    for _, x in ipairs(l) do sum = sum + x end
    expect(sum):at_most(25)
  end)
  local items = select(2, message:match("examples = ([^\n]*)"):gsub("%d+%.?%d*", ""))
  expect(items, "three or four numbers, none of which can go"):between(3, 4)
  expect(message):matches "expected at most 25, got 25%.%d+\n"
end)

scenario("what is printed is Lua that fails again", function()
  local function body(p) expect(#p.words < 2 or p.v[2] <= 0.25):is_true() end
  local generators = { words = property.list(property.choice { "plain", 'a "quoted"\nline' }, 0, 4), v = property.vector(0, 1) }
  local message = outcome("found", generators, body)
  local examples = load("return { " .. message:match "examples = [^\n]*" .. " }")()
  examples.cases = 0
  expect(outcome("again", generators, examples, body)):contains("example 1 of 1")
  examples.examples[1].v[2] = 0.2
  expect(outcome("mended", generators, examples, body)):is_nil()
end)

scenario("literals", function()
  expect(properties.literal { 1, 2.5, 0.1, -3.0, "x\ny", true, { a = muslin.vec3(1, 2, 3) } })
    :equals([[{ 1, 2.5, 0.1, -3.0, "x\ny", true, { a = {1.0, 2.0, 3.0} } }]])
  for _, x in ipairs(draws(property.number(-1e6, 1e6), 200)) do expect(load("return " .. properties.literal(x))()):equals(x) end
end)

scenario("cases come from name, seed and number alone", function()
  local function seen(name, seed)
    local list = {}
    outcome(name, { x = property.number(0, 1) }, { seed = seed, cases = 5 }, function(p) list[#list + 1] = p.x end)
    return list
  end
  local first = seen("a", 1)
  math.random()
  expect(seen("a", 1)):equals(first)
  expect(seen("a", 2)).never:equals(first)
  expect(seen("b", 1)).never:equals(first)
end)

scenario("a smaller case fails in the same way, or it is not taken", function()
  local message = outcome("check", { n = property.integer(0, 100) }, { cases = 100 }, function(p)
    if p.n < 20 then error("too small to be looked at") end
    expect(p.n):less_than(60)
  end)
  expect(message):contains("got 60")
end)

scenario("skip, errors and worlds", function()
  expect(outcome("skips", {}, function() skip "no data" end)):contains("skipped: no data")
  expect(outcome("raises", {}, function() error "boom" end)):contains("boom")
  local made
  expect(outcome("closes", {}, { cases = 2 }, function()
    if made then expect(made.closed):is_true() end
    made = muslin.world {}
  end)):is_nil()
end)

scenario("mistakes are reported", function()
  local function refused(text, f, ...)
    local arguments = table.pack(...)
    expect(function() f(table.unpack(arguments, 1, arguments.n)) end):raises(text)
  end
  refused("property: unknown field 'case' (did you mean 'cases'?)", outcome, "x", {}, { case = 3 }, function() end)
  refused("property: field 'cases' must be a whole number >= 0 (got -1)", outcome, "x", {}, { cases = -1 }, function() end)
  refused("property: the second argument is a table of generators (got 3)", outcome, "x", 3, function() end)
  refused("property: the first argument is its name", outcome, nil, {}, function() end)
  refused("property.integer: give whole numbers from low to high (got 1.5)", property.integer, 1.5, 3)
  refused("property.number: low must be at most high", property.number, 2, 1)
  refused("property.choice: give a list of values (got {})", property.choice, {})
  refused("property.scene: unknown field 'cloth' (did you mean 'cloths'?)", property.scene, { cloth = { 1, 2 } })
end)

scenario("random scenes start without contact", function()
  for _, scene in ipairs(draws(property.scene { cloths = { 1, 4 }, obstacles = { 0, 3 } }, 12)) do
    local world = property.world(scene)
    expect(world):penetration_free()
    expect(#world.cloths):equals(#scene.cloths)
    expect(#world.obstacles):equals(#scene.obstacles + 1)
    world:step()
    world:close()
  end
end)
