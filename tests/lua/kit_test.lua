-- kit_test.lua: each expectation passes where it should, and fails with a message that states what was seen.
local muslin = require "muslin"
local kit = require "muslin.kit"
local support = require "muslin.support"

-- f() must fail as a check, with the text in its message, on the line it stands in.
local function fails(f, text)
  local ok, message = pcall(f)
  expect(ok, "a check that must fail passed: " .. text):is_false()
  expect(message):matches("^[%w_/.-]*kit_test%.lua:%d+: check failed: ")
  expect(message):contains(text)
end

scenario("plain values", function()
  expect(1):equals(1):equals(1.0)
  expect("a"):equals("a"):is_a("string"):contains("a"):matches("^%a$")
  expect(nil):is_nil():equals(nil)
  expect(true):is_true()
  expect(false):is_false()
  expect { 1, { 2, x = 3 } }:equals { 1, { 2, x = 3 } }
  expect { 1, 2 }:contains(2)
  expect(3):at_least(3):at_most(3):less_than(4):more_than(2):between(3, 4)
  fails(function() expect(1):equals(2) end, "expected 2, got 1")
  fails(function() expect("a"):equals("b") end, "expected 'b', got 'a'")
  fails(function() expect(1):equals("1") end, "expected '1', got 1")
  fails(function() expect(0 / 0):equals(0 / 0) end, "got nan")
  fails(function() expect { 1, 2 }:equals { 1, 2, 3 } end, "expected {1, 2, 3}, got {1, 2}")
  fails(function() expect { a = 1 }:equals {} end, "expected {}, got {a = 1}")
  fails(function() expect {}:equals { a = 1 } end, "expected {a = 1}, got {}")
  fails(function() expect(1):is_true() end, "expected true, got 1")
  fails(function() expect(nil):is_false() end, "expected false, got nil")
  fails(function() expect(false):is_nil() end, "expected nil, got false")
  fails(function() expect(1):is_a("string") end, "expected a string, got a number")
  fails(function() expect("abc"):contains("x") end, "a text with 'x', got 'abc'")
  fails(function() expect { 1 }:contains(2) end, "a list with 2, got {1}")
  fails(function() expect("abc"):matches("^b") end, "a text like '^b'")
  fails(function() expect(3):at_most(2) end, "expected at most 2, got 3")
  fails(function() expect(3):at_least(4) end, "expected at least 4, got 3")
  fails(function() expect(3):less_than(3) end, "less than 3")
  fails(function() expect(3):more_than(3) end, "more than 3")
  fails(function() expect(3):between(4, 5) end, "between 4 and 5")
  fails(function() expect(0 / 0):at_most(2) end, "got nan")
  fails(function() expect(3, "the count"):equals(4) end, "the count: expected 4, got 3")
end)

scenario("near", function()
  expect(1.05):near(1, 0.1)
  expect(1 + 1e-10):near(1)
  expect(1e9 + 0.5):near(1e9)
  expect(1 / 0):near(1 / 0, 1)
  expect(muslin.vec3(1, 2, 3)):near({ 1, 2, 3.05 }, 0.1)
  expect { 1, 2, 3.05 }:near(muslin.vec3(1, 2, 3), 0.1)
  expect(muslin.array { 1, 2 }):near(muslin.array { 1, 2.05 }, 0.1)
  expect { { 1, 2, 3 }, { 4, 5, 6 } }:near({ { 1, 2, 3 }, { 4, 5, 6 } }, 0)
  fails(function() expect(1.2):near(1, 0.1) end, "expected 1 within 0.1, got 1.2")
  fails(function() expect(1 + 1e-8):near(1) end, "within 1e-09")
  fails(function() expect(0 / 0):near(0 / 0, 1) end, "got nan")
  fails(function() expect(0 / 0):near(1, 1 / 0) end, "got nan")
  fails(function() expect(muslin.vec3()):near({ 1, 0, 0 }, 0.1) end, "got (0, 0, 0)")
  fails(function() expect(muslin.array { 1, 2, 3 }):near({ 1, 9, 3 }, 0.1) end, "expected 9 within 0.1 at 2, got 2")
  fails(function() expect { 1, 2 }:near({ 1, 2, 3, 4 }, 1) end, "expected 4 items, got 2 items")
  fails(function() expect(nil):near(1, 1) end, "expected 1, got nil")
  fails(function() expect("1"):near(1, 1) end, "got '1'")
end)

scenario("raises", function()
  local function boom() error("it is (3.5) wide", 0) end
  expect(boom):raises():raises("it is (3.5) wide"):raises("^it is .%d")
  expect(boom).never:raises("high")
  expect(function() end).never:raises()
  fails(function() expect(boom):raises("high") end, "an error with 'high', got 'it is (3.5) wide'")
  fails(function() expect(function() end):raises() end, "expected an error, got none")
  fails(function() expect(boom):raises("[") end, "an error with '['") -- no pattern, and not in the text
  fails(function() expect(boom).never:raises() end, "expected never an error, got 'it is (3.5) wide'")
end)

scenario("never turns what follows round", function()
  expect(1).never:equals(2).never:equals(1)
  fails(function() expect(1).never:equals(1) end, "expected never 1, got 1")
end)

local function sheet(options)
  local world = muslin.world { gravity = options.gravity or { 0, 0, 0 } }
  local cloth = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 1, 1 }, center = options.center },
    velocity = options.velocity,
  }
  return world, cloth
end

scenario("at_rest and finite", function()
  local world, cloth = sheet { velocity = { 0, 0.5, 0 } }
  expect(world):finite():at_rest(0.5)
  expect(cloth):finite():at_rest(0.5)
  fails(function() expect(world):at_rest(0.1) end, "speeds of at most 0.1 m/s, got 0.5 m/s at vertex 1 of sheet")
  fails(function() expect(world):at_rest() end, "at most 0.01 m/s")
  cloth.v[3] = { 0, 0 / 0, 0 }
  fails(function() expect(world):at_rest(1) end, "nan")
  fails(function() expect(world):finite() end, "sheet.v[3] = (0, ")
  cloth.v[3] = { 0, 0, 0 }
  cloth.x[7] = { 1 / 0, 0, 0 }
  fails(function() expect(cloth):finite() end, "sheet.x[7] = (inf, 0, 0)")
  expect(1):finite()
  expect(muslin.vec3()):finite()
  expect(muslin.array { 1e308, 1e308 }):finite()
  expect(muslin.array(0)):finite()
  fails(function() expect(1 / 0):finite() end, "got inf")
  fails(function() expect(muslin.array { 1, 0 / 0 }):finite() end, "expected finite numbers")
end)

scenario("stretched_at_most", function()
  local world, cloth = sheet {}
  expect(cloth):stretched_at_most(0)
  cloth.x:transform { scale = { 1.2, 1, 1 } }
  expect(world):stretched_at_most(0.2 + 1e-12)
  fails(function() expect(cloth):stretched_at_most(0.1) end, "at most 10 %, got 20 % at edge")
end)

scenario("above", function()
  local world, cloth = sheet { center = { 0, 1, 0 } }
  local floor = world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  local tilted = world:obstacle { name = "tilted", shape = "plane", normal = { 1, 0, 0 }, at = { -1, 0, 0 } }
  local turned = world:obstacle { -- a quarter turn about z: its normal points to -x
    name = "turned",
    shape = "plane",
    normal = { 0, 1, 0 },
    rotation = { math.sqrt(0.5), 0, 0, math.sqrt(0.5) },
    at = { 0.6, 0, 0 },
  }
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.1, at = { 0.3, 1, 0.2 } }
  expect(cloth):above(0):above(1):above(floor):above(tilted):above(turned)
  expect(world):above(floor)
  fails(function() expect(cloth):above(1.1) end, "below y = 1.1 m, got vertex 1 of sheet at y = 1 m")
  fails(function() expect(cloth):above(ball) end, "expected nothing inside of ball")
  fails(function() expect(world):penetration_free() end, "inside of ball")
  cloth.x:add { 0, -2, 0 }
  fails(function() expect(cloth):above(floor) end, "below floor, got vertex 1 of sheet at 1 m below it")
  cloth.x:add { 0.2, 2, 0 }
  fails(function() expect(cloth):above(turned) end, "of sheet at 0.1 m below it")
  cloth.x:add { -1.2, 0, 0 }
  fails(function() expect(cloth):above(tilted) end, "at 0.5 m below it")
end)

scenario("penetration_free", function()
  local world, cloth = sheet { center = { 0, 1, 0 } }
  expect(world):penetration_free()
  local other = world:cloth {
    name = "other",
    mesh = muslin.mesh.grid { nodes = { 3, 3 }, size = { 0.5, 0.5 }, plane = "xy", center = { 0.01, 3.03, 0.02 } },
  }
  expect(world):penetration_free()
  other.x:add { 0, -2, 0 }
  fails(function() expect(world):penetration_free() end, "expected no penetration, got ")
  fails(function() expect(world):penetration_free() end, "sheet face ")
  expect(world).never:penetration_free()
  expect(cloth):finite()
end)

scenario("misuse is no failed check", function()
  local function misused(f, text)
    local ok, message = pcall(f)
    expect(ok):is_false()
    expect(message):contains(text)
    expect(message).never:contains("check failed")
  end
  misused(function() expect() end, "expect: give a value")
  misused(function() expect(1):eqals(1) end, "no expectation 'eqals' (did you mean 'equals'?)")
  misused(function() expect(1):qqqqqqqq(1) end, "no expectation 'qqqqqqqq' (known: above, ")
  misused(function() expect("1"):at_most(2) end, "at_most is for numbers (got '1')")
  misused(function() expect(1):at_most("2") end, "at_most is for a bound that is a number (got '2')")
  misused(function() expect(1):at_rest() end, "at_rest is for worlds and cloths (got 1)")
  misused(function() expect(1):penetration_free() end, "penetration_free is for worlds (got 1)")
  misused(function() expect("x"):finite() end, "finite is for")
  misused(function() expect(select(2, sheet {})):above("floor") end, "above is for a height or an obstacle")
  misused(function() scenario("") end, "the first argument is its name")
  misused(function() scenario("x", 3) end, "the second argument is a function (got 3)")
  misused(function() scenario("plain values", function() end) end, "two of the name 'plain values'")
end)

scenario("a body seeds the random numbers and closes its worlds", function()
  -- Within a body already, so the list's entries are called as a host would.
  local list = kit.list
  local count, drawn, kept = #list, {}, nil
  for k = 1, 2 do
    scenario("inner " .. k, function()
      drawn[k] = math.random()
      kept = muslin.world {}
      if k == 2 then skip("enough") end
    end)
  end
  local made = muslin.world
  expect(list[count + 1].body).never:raises()
  expect(function() return kept.time end):raises("closed")
  local ok, message = pcall(list[count + 2].body)
  expect(ok):is_false()
  expect(message):matches("^[%w_/.-]*kit_test%.lua:%d+: skipped: enough$")
  expect(function() return kept.time end):raises("closed")
  expect(drawn[1]):equals(drawn[2])
  expect(muslin.world == made):is_true()
  list[count + 1], list[count + 2] = nil, nil
end)

scenario("run reports each scenario", function()
  local before = kit.list
  kit.list = {}
  local results = {}
  kit.scenario("good", function() end)
  kit.scenario("bad", function() expect(1):equals(2) end)
  kit.scenario("not today", function() skip("no data") end)
  kit.scenario("left out", function() error("must not run") end)
  local passed, failed, skipped = kit.run {
    filter = "o",
    report = function(result) results[#results + 1] = result end,
  }
  local all = { kit.run { filter = "a", report = function() end } }
  kit.list = before
  expect({ passed, failed, skipped }):equals { 1, 1, 1 }
  expect(all):equals { 0, 1, 1 }
  expect(results[1].name):equals("good")
  expect(results[1].ok):is_true()
  expect(results[1].seconds):at_least(0)
  expect(results[2].name):equals("not today")
  expect(results[2].skipped):equals("no data")
  expect(results[3].message):contains("must not run")
  expect(results[3].message):contains("stack traceback")
  expect(results[3].message).never:contains("muslin/kit.lua")
end)

scenario("the names are the same in the module and among the globals", function()
  expect(muslin.expect):is_a("function")
  muslin.expect(1):equals(1)
  expect(muslin.type(1)):equals("number")
  expect(muslin.type(muslin.vec3())):equals("vec3")
  expect(muslin.type(muslin.array(1))):equals("array")
  expect(muslin.type(muslin.world {})):equals("world")
  expect(muslin.type(nil)):equals("nil")
  expect(support.clock()):more_than(0)
end)
