-- start_test.lua: scenes whose cloth overlaps or touches before the first step.
local muslin = require "muslin"

local function crossed(overlap)
  local world = muslin.world { overlap = overlap }
  world:cloth { name = "flat", mesh = muslin.mesh.grid { nodes = { 11, 11 }, size = { 1, 1 } } }
  local tilted = muslin.mesh.grid { nodes = { 10, 10 }, size = { 1, 1 } }
  for i = 1, #tilted.x do
    local p = tilted.x[i]
    tilted.x[i] = { p.x, 0.1 * p.x + 0.01, p.z + 0.02 }
  end
  world:cloth { name = "tilted", mesh = tilted }
  return world
end

scenario("overlaps are named, with the remedy", function()
  local world <close> = crossed()
  assert(world.overlap == "refuse")
  expect(function() world:step() end):raises "overlap = \"untangle\""
  expect(function() world:validate() end):raises "of cloth 'flat' intersects face"
end)

scenario("overlaps are untangled, and what moved is reported", function()
  local world <close> = crossed "untangle"
  assert(world.overlap == "untangle")
  world:validate()
  expect(world):penetration_free()
  local report = world:start_report()
  assert(report.crossings > 10 and report.inside == 0 and report.moved > 10 and report.rounds > 0)
  expect(report.largest):between(0.001, 0.1)
  world:advance(0.05)
  expect(world):penetration_free()
  expect(world:start_report().moved):equals(report.moved)
  local pairs_moved = world:start_report().pairs
  expect(#pairs_moved):equals(1)
  local pair = pairs_moved[1]
  assert(pair.a == "flat" and pair.b == "tilted")
  assert(pair.crossings == report.crossings and pair.inside == 0)
  assert(pair.moved > 10 and pair.moved <= report.moved and pair.largest == report.largest)
end)

scenario("the former word for untangling is still read", function()
  local world <close> = crossed "repair"
  assert(world.overlap == "untangle")
  world:validate()
  expect(world):penetration_free()
end)

scenario("what does not overlap is left alone", function()
  local world <close> = muslin.world { overlap = "untangle" }
  local cloth = world:cloth { mesh = muslin.mesh.grid { nodes = { 4, 4 } } }
  local before = cloth.x:totable()
  world:validate()
  expect(cloth.x:totable()):equals(before)
  local report = world:start_report()
  assert(report.crossings == 0 and report.moved == 0 and report.largest == 0 and report.rounds == 0)
end)

scenario("overlaps are accepted until they have come apart", function()
  local world <close> = muslin.world { overlap = "allow", gravity = { 0, 0, 0 }, air_density = 0 }
  local sheet = world:cloth {
    mesh = muslin.mesh.grid { nodes = { 13, 13 }, size = { 0.6, 0.6 }, center = { 0, 0.15, 0 } }, velocity = { 0, 1, 0 },
  }
  world:obstacle { shape = "sphere", radius = 0.2, at = { 0.003, 0, 0.002 } }
  world:validate()
  local report = world:audit()
  assert(report.clean and report.allowed > 0 and report.inside == 0)
  assert(world:start_report().allowed == 1 and world:start_report().moved == 0)
  world:step()
  expect(world:stats().allowed):equals(1)
  world:advance(0.2)
  expect(world:stats().allowed):equals(0)
  expect(world:audit().allowed):equals(0)
  sheet.v:scale(0):add { 0, -2, 0 }
  world:advance(0.3)
  expect(world):penetration_free()
end)

-- Three pairs that overlap: two sheets that cross, and one of them and a ball.
local function three(words, default)
  local world = muslin.world { overlap = default, gravity = { 0, 0, 0 }, air_density = 0 }
  local function sheet(name, x, slope)
    local mesh = muslin.mesh.grid { nodes = { 11, 11 }, size = { 0.5, 0.5 } }
    for i = 1, #mesh.x do
      local p = mesh.x[i]
      mesh.x[i] = { p.x + x, slope * (p.x + 0.023), p.z + 0.02 * slope }
    end
    return world:cloth { name = name, mesh = mesh }
  end
  sheet("flat", 0, 0)
  sheet("tilted", 0.013, 0.1)
  sheet("far", 2, 0)
  world:obstacle { name = "ball", shape = "sphere", radius = 0.1, at = { 2.003, 0.05, 0.002 } }
  for _, w in ipairs(words) do world:between({ w[1], w[2] }, { overlap = w[3] }) end
  return world
end

scenario("what is done about an overlap may be set for a pair", function()
  do -- one pair is exempt, the other is separated
    local world <close> = three { { "tilted", "flat", "allow" }, { "far", "ball", "untangle" } }
    world:validate()
    local report, audit = world:start_report(), world:audit()
    assert(report.allowed > 0 and report.moved > 0 and report.rounds > 0)
    assert(audit.clean and audit.allowed > 0)
    for _, name in ipairs { "flat", "tilted" } do
      local now, before = world:find(name), three({}):find(name)
      expect(now.x:totable()):equals(before.x:totable())
    end
    world:advance(0.05)
    expect(world):penetration_free()
  end
  do -- the world's word holds for the others, the last one about a pair for it
    local world <close> = three({ { "flat", "tilted", "allow" }, { "flat", "tilted", "refuse" } }, "untangle")
    expect(function() world:validate() end):raises "of cloth 'flat' intersects face %d+ of cloth 'tilted'"
    local message = select(2, pcall(world.validate, world))
    assert(not tostring(message):find("ball", 1, true), message)
    assert(tostring(message):find("world:between", 1, true), message)
    world:between({ world:find "tilted", "flat" }, { overlap = "untangle" })
    world:validate()
    expect(world:audit().allowed):equals(0)
    expect(world):penetration_free()
    world:step()
    expect(function() world:between({ "flat", "tilted" }, { overlap = "allow" }) end):raises "before the first step"
  end
end)

scenario("a pair's word is kept in a snapshot", function()
  local world <close> = three { { "tilted", "flat", "allow" }, { "far", "ball", "allow" } }
  world:save ".start_test.muslin"
  local again <close> = muslin.load ".start_test.muslin"
  again:validate()
  expect(again:start_report().allowed):at_least(2)
end)

scenario("what is wrong with a pair's word is reported", function()
  local world <close> = three {}
  expect(function() world:between({ "flat" }, { overlap = "allow" }) end):raises "give the names of two"
  expect(function() world:between({ "flat", "flatt" }, { overlap = "allow" }) end):raises "named 'flatt'"
  expect(function() world:between({ "flat", "ball" }, {}) end):raises "'overlap' is missing"
  expect(function() world:between({ "flat", "ball" }, { overlap = "alow" }) end):raises "did you mean 'allow'"
  expect(function() world:between({ "flat", "ball" }, { overlapp = "allow" }) end):raises "did you mean 'overlap'"
end)

scenario("a misspelt word is reported", function()
  expect(function() muslin.world { overlap = "untangel" } end):raises "did you mean 'untangle'"
  expect(function() muslin.world { overlaps = "untangle" } end):raises "overlap"
end)

-- Two flat sheets, the lower of which is the outer layer.
local function layers(inner, outer)
  local world = muslin.world { gravity = { 0, -9.81, 0 } }
  local function sheet(name, height, nodes, layer)
    local mesh = muslin.mesh.grid { nodes = { nodes, nodes }, size = { 0.5, 0.5 }, center = { 0, height, 0 } }
    return world:cloth { name = name, mesh = mesh, layer = layer }
  end
  sheet("inner", 0, 11, inner)
  sheet("outer", -0.02, 12, outer)
  return world
end

scenario("an outer layer starts outside of the inner one", function()
  local world <close> = layers(1, 2)
  local inner, outer = world:find "inner", world:find "outer"
  assert(inner.layer == 1 and outer.layer == 2)
  local before = inner.x:totable()
  world:validate()
  expect(inner.x:totable()):equals(before)
  local low = outer:bounds()
  expect(low.y):between(0.0005, 0.01) -- of cloth that lies flat, the upper side is the outer one
  local report = world:start_report()
  assert(report.misplaced == 0 and report.crossings == 0 and report.moved == 144)
  expect(report.pairs[1].moved):equals(144)
  world:advance(0.2)
  expect(world):penetration_free()
  expect(outer:centroid().y):more_than(inner:centroid().y)
end)

scenario("cloths without a layer, or of one, stay where they are", function()
  for _, numbers in ipairs { { 0, 2 }, { 1 }, { 3, 3 }, { 2, 1 } } do
    local world <close> = layers(numbers[1], numbers[2])
    world:validate()
    expect(world:start_report().moved):equals(0)
    expect(#world:start_report().pairs):equals(0)
  end
end)

scenario("layers are in snapshots", function()
  local world <close> = layers(1, 2)
  world:save ".start_test.muslin"
  local again <close> = muslin.load ".start_test.muslin"
  assert(again:find("outer").layer == 2)
  world:validate()
  again:validate()
  expect(again:hash()):equals(world:hash())
  world:save ".start_test.muslin"
  local moved <close> = muslin.load ".start_test.muslin"
  expect(moved:start_report().pairs[1].moved):equals(144)
end)

scenario("what is wrong with a layer is reported", function()
  expect(function() layers(1, -1) end):raises "field 'layer' must be within 0..1000"
  expect(function() layers(1, 1.5) end):raises "layer"
  expect(function() layers(1, "top") end):raises "layer"
end)

-- Two sheets side by side in one plane, whose edges touch but for rounding.
scenario.each { "robust", "exhaustive", "offset", "sequential", "newton" }
("cloth that is added so that it touches is separated: {}", function(pipeline)
  local world <close> = muslin.world { dt = 1 / 100, pipeline = pipeline, threads = 1 }
  local one = world:cloth { mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.2, 0.2 } } }
  for _ = 1, 3 do world:step() end
  local other = world:cloth { velocity = one.v[1],
    mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.2, 0.2 }, center = { 0.2, one:centroid().y, 0 } } }
  local before = other.x:copy()
  world:validate()
  expect(before:sub(other.x):lengths():max(), "the way of a vertex"):between(1e-9, 3e-6)
  for _ = 1, 10 do world:step() end
  expect(world):penetration_free()
  expect(world:start_report().touches):equals(0)
  expect(world:start_report().moved):equals(0)
end)

scenario("a start may touch but for rounding", function()
  local world <close> = muslin.world { dt = 1 / 100 }
  world:cloth { mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.2, 0.2 } } }
  world:cloth { mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.2, 0.2 }, center = { 0.2 + 1e-16, 1e-17, 0 } } }
  for _ = 1, 5 do world:step() end
  expect(world):penetration_free()
end)
