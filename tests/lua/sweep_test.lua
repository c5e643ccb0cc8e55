-- sweep_test.lua: what a plan becomes, and how a scene reads its arguments.
local muslin = require "muslin"
local sweep = require "muslin.sweep"

local function parameters(plan)
  plan.scene = "scene.lua"
  local points = {}
  for k, case in ipairs(sweep.expand(plan)) do
    expect(case.case):equals(k)
    points[k] = case.parameters
  end
  return points
end

scenario("a plan of nothing but a scene is one case", function()
  expect(sweep.expand { scene = "s.lua", arguments = { "short", 3 }, frames = 4, threads = 2 }):equals { {
    case = 1, scene = "s.lua", arguments = { "short", "3" }, parameters = {},
    options = { frames = 4, threads = 2, checkpoint_every = 50 },
  } }
end)

scenario("grid, list and fixed multiply, the grid's first name slowest", function()
  expect(parameters { grid = { b = { 1, 2 }, a = { "x", "y" } }, list = { { c = 1, d = true }, { c = 2 } }, fixed = { e = 0.5 } })
    :equals {
      { a = "x", b = 1, c = 1, d = true, e = 0.5 }, { a = "x", b = 1, c = 2, e = 0.5 },
      { a = "x", b = 2, c = 1, d = true, e = 0.5 }, { a = "x", b = 2, c = 2, e = 0.5 },
      { a = "y", b = 1, c = 1, d = true, e = 0.5 }, { a = "y", b = 1, c = 2, e = 0.5 },
      { a = "y", b = 2, c = 1, d = true, e = 0.5 }, { a = "y", b = 2, c = 2, e = 0.5 },
    }
end)

scenario("names of the run's options go there, too", function()
  local case = sweep.expand { scene = "s.lua", fixed = { pipeline = "offset", seed = 3.0, seconds = 0.5, frame = 1 } }[1]
  expect(case.options):equals { pipeline = "offset", seed = 3, seconds = 0.5, threads = 1, checkpoint_every = 50 }
  expect(case.parameters.pipeline):equals("offset")
end)

scenario("samples lie in their ranges, and are the same for the same seed", function()
  local over = {
    a = { 1, 3 }, b = { 0.01, 100, scale = "log" }, c = { 10, 20, step = 5 }, d = { choose = { "x", "y" } },
  }
  local points = parameters { random = { samples = 400, seed = 5, over = over } }
  expect(#points):equals(400)
  local counts, below, steps = { x = 0, y = 0 }, 0, {}
  for _, p in ipairs(points) do
    expect(p.a):between(1, 3)
    expect(p.b):between(0.01, 100)
    expect(tonumber(("%.9g"):format(p.b)), "nine digits"):equals(p.b)
    steps[p.c] = (steps[p.c] or 0) + 1
    counts[p.d] = counts[p.d] + 1
    below = below + (p.b < 1 and 1 or 0)
  end
  expect(steps[10] + steps[15] + steps[20]):equals(400)
  for _, count in pairs(steps) do expect(count):between(100, 170) end
  expect(counts.x):between(160, 240)
  expect(below, "the half of a logarithmic range"):between(160, 240)
  expect(parameters { random = { samples = 400, seed = 5, over = over } }):equals(points)
  expect(parameters { random = { samples = 400, seed = 6, over = over } }).never:equals(points)
  over.a = nil
  local fewer = parameters { random = { samples = 400, seed = 5, over = over } }
  expect(fewer[7].b, "a name keeps its numbers when another goes"):equals(points[7].b)
end)

scenario("latin samples take every part of a range once", function()
  local points = parameters { random = { samples = 50, method = "latin", over = { a = { 0, 50 }, b = { 100, 150 } } } }
  local seen, apart = { a = {}, b = {} }, 0
  for _, p in ipairs(points) do
    seen.a[math.floor(p.a)], seen.b[math.floor(p.b) - 100] = true, true
    if math.floor(p.a) ~= math.floor(p.b) - 100 then apart = apart + 1 end
  end
  for k = 0, 49 do expect(seen.a[k] and seen.b[k]):is_true() end
  expect(apart, "the two are not in step"):more_than(40)
end)

scenario("every point of a grid meets the same samples", function()
  local points = parameters { grid = { g = { 1, 2 } }, random = { samples = 3, over = { a = { 0, 1 } } } }
  for k = 1, 3 do expect(points[k].a):equals(points[k + 3].a) end
  expect(points[1].a).never:equals(points[2].a)
end)

scenario("mistakes in a plan are named", function()
  local function refused(plan, text)
    plan.scene = plan.scene or "s.lua"
    expect(function() sweep.expand(plan) end):raises(text)
  end
  refused({ gird = {} }, "sweep: unknown field 'gird' (did you mean 'grid'?)")
  refused({ random = { samples = 2, over = { a = { 2, 1 } } } }, "random.over.a[2] must be a finite number >= 2 (got 1)")
  refused({ random = { samples = 2, over = { a = { 0, 1, scale = "log" } } } }, "on the scale 'log' must be a finite number > 0")
  refused({ random = { samples = 2, over = { a = { 0, 1, stpe = 1 } } } }, "unknown field 'stpe' (did you mean 'step'?)")
  refused({ random = { samples = 2, method = "sobol", over = { a = { 0, 1 } } } }, "'uniform' or 'latin' (got 'sobol')")
  refused({ random = { samples = 0, over = { a = { 0, 1 } } } }, "random.samples must be a whole number of at least 1 (got 0)")
  refused({ list = { { a = 0 / 0 } } }, "list[1].a must be a finite number")
  refused({ list = { { ["a b"] = 1 } } }, "a parameter's name is a word")
  refused({ frames = 3, seconds = 1 }, "exclude each other")
  refused({ frames = 3, grid = { frames = { 1, 2 } } }, "frames and seconds are given twice")
  refused({ fixed = { seed = -1 } }, "parameter 'seed' must be a whole number of at least 0 (got -1)")
  refused({ grid = { a = { "two\nlines" } } }, "a string of UTF-8 on one line")
  local many = {}
  for k = 1, 101 do many[k] = k end
  refused({ grid = { a = many, b = many, c = many } }, "more than 1000000 points")
end)

scenario("a scene's arguments have the types of their defaults", function()
  local defaults = { friction = 0.3, nodes = 40, name = "x", pinned = false }
  expect(muslin.arguments(defaults, {})):equals(defaults)
  expect(muslin.arguments(defaults, { "nodes=3", "friction=1e-2", "name=a=b", "pinned=true" }))
    :equals { friction = 0.01, nodes = 3, name = "a=b", pinned = true }
  expect(math.type(muslin.arguments(defaults, { "nodes=3" }).nodes)):equals("integer")
  local function refused(word, text)
    expect(function() muslin.arguments(defaults, { word }) end):raises(text)
  end
  refused("frction=1", "sweep_test.lua:") -- the line of the scene
  refused("frction=1", "unknown argument 'frction' (did you mean 'friction'?)")
  refused("zzz=1", "known: friction, name, nodes, pinned")
  refused("nodes=many", "'nodes' must be a finite number, as its default 40 is (got 'many')")
  refused("nodes=nan", "must be a finite number")
  refused("pinned=yes", "'pinned' must be true or false (got 'yes')")
  refused("short", "give NAME=VALUE, with the names friction, name, nodes, pinned (got 'short')")
  expect(function() muslin.arguments(defaults, { "nodes=3", "nodes=4" }) end):raises("'nodes' is given twice")
  expect(function() muslin.arguments { place = {} } end):raises("the default of 'place' must be a number, a string or a boolean")
  expect(function() muslin.arguments() end):raises("give a table of defaults")
end)
