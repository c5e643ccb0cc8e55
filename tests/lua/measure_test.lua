-- measure_test.lua: folds, turns and layers of shapes whose numbers are known.
local muslin = require "muslin"
local measure = muslin.measure

-- A strip of `nodes` by 3 vertices, bent along `shape`: arc length s (m) -> x, y; its middle line.
local function bent(nodes, length, shape)
  local mesh = muslin.mesh.grid { nodes = { 3, nodes }, size = { 0.02, length } }
  local line = {}
  for j = 0, nodes - 1 do
    local x, y = shape(length * j / (nodes - 1))
    for i = 1, 3 do mesh.x:set(i + 3 * j, x, y, 0.01 * (i - 2)) end
    line[j + 1] = 2 + 3 * j
  end
  return mesh, line
end

-- Pleats of the width w, 1 cm apart at their ends; the height rises by 2 mm a pleat.
local function pleated(w)
  return function(s)
    return w * muslin.abs((s / w + 1) % 2 - 1), 0.002 * s / w
  end
end

scenario.each { 1, 2, 3, 5, 8 } ("{} pleats have one fold fewer, and as many layers", function(n)
  local width = 0.1
  local mesh, line = bent(20 * n + 1, n * width, pleated(width))
  local folds, places = measure.folds(mesh, line)
  expect(folds):equals(n - 1)
  for k, place in ipairs(places) do expect(place):near(20 * k + 1, 1) end
  expect(measure.folds(mesh, line, { length = 0.03 })):equals(n - 1)
  local layers = measure.layers(mesh, { spacing = 7e-4 })
  expect(layers.area):near(width * 0.02, 0.04 * width * 0.02)
  expect(layers.most):equals(n)
  expect(layers.mean):near(n, 1e-3 * n)
  expect(layers.share[n]):near(1, 1e-3)
end)

scenario("cloth that is curved, but not folded, has no folds", function()
  local straight, line = bent(81, 0.8, function(s) return s, 0 end)
  expect(measure.folds(straight, line)):equals(0)
  expect(measure.folds(straight, line, { angle = 0.01 })):equals(0)
  -- A roll of radius 4 cm; over 2 x 2 cm it turns by half a radian.
  local roll, along = bent(81, 0.8, function(s) return 0.04 * muslin.cos(s / 0.04), 0.04 * muslin.sin(s / 0.04) end)
  expect(measure.folds(roll, along)):equals(0)
  expect(measure.folds(roll, along, { angle = 0.4 })):equals(1) -- curved by more than that from end to end
  local wave, middle = bent(201, 1, function(s) return s, 0.01 * muslin.sin(2 * math.pi * s / 0.2) end)
  expect(measure.folds(wave, middle)):equals(0)
  expect(measure.folds(wave, middle, { length = 0.05, angle = 0.3 })):equals(10)
end)

scenario("a right angle is a fold for those who count it", function()
  local mesh, line = bent(41, 0.4, function(s) return muslin.min(s, 0.2), muslin.max(0, s - 0.2) end)
  expect(measure.folds(mesh, line)):equals(0)
  local count, places = measure.folds(mesh, line, { angle = 1.5 })
  expect(count):equals(1)
  expect(places):equals { 21 }
end)

scenario("mesh vertices in one place are no folds", function()
  local mesh, line = bent(21, 0.2, function(s) return s, 0 end)
  for _, i in ipairs { line[9], line[10], line[11] } do mesh.x[i] = mesh.x[line[8]] end
  expect(measure.folds(mesh, line)):equals(0)
  for _, i in ipairs(line) do mesh.x[i] = { 0, 0, 0 } end
  expect(measure.folds(mesh, line)):equals(0)
end)

scenario("turns of a line about an axis", function()
  for _, wanted in ipairs { 0, 0.25, 0.75, 1, 2.5, -3.25 } do
    local mesh, line = bent(101, 1, function(s)
      local angle = 2 * math.pi * wanted * s
      return (0.1 + 0.2 * s) * muslin.cos(angle) + 0.3, -(0.1 + 0.2 * s) * muslin.sin(angle) + 0.1
    end)
    -- in x and y, clockwise: seen along -z counter-clockwise
    local options = { origin = { 0.3, 0.1, 5 }, axis = { 0, 0, -2 } }
    expect(measure.turns(mesh, line, options)):near(wanted, 1e-12)
    options.axis = { 0, 0, 1 }
    expect(measure.turns(mesh, line, options)):near(-wanted, 1e-12)
  end
  -- A circle that is not about the axis does not turn; a vertex on the axis is passed over.
  local mesh, line = bent(101, 1, function(s) return 1 + 0.5 * muslin.cos(2 * math.pi * s), 0.5 * muslin.sin(2 * math.pi * s) end)
  expect(measure.turns(mesh, line, { axis = { 0, 0, 1 } })):near(0, 1e-12)
  local spoke, along = bent(3, 1, function(s) return s, 0 end)
  expect(measure.turns(spoke, along, { axis = { 0, 0, 1 } })):equals(0)
end)

scenario("covered area and layers of solids and sheets", function()
  local sheet = muslin.mesh.grid { nodes = { 9, 7 }, size = { 0.4, 0.3 }, center = { 3, 1, -2 } }
  local flat = measure.layers(sheet, { spacing = 1e-3 })
  expect(flat.area):near(0.12, 1e-3)
  expect(flat.most):equals(1)
  expect(flat.share):equals { 1 }
  expect(measure.layers(sheet, { axis = "x" })):equals { area = 0, mean = 0, most = 0, share = {} }
  -- Edges of faces on lines of the lattice: each face of the pair is hit or the other, never both, never none.
  local exact = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.5, 0.5 }, center = { 0.25, 0, 0.25 } }
  exact:transform { position = { 0.0625, 0, 0.0625 } }
  expect(measure.layers(exact, { spacing = 0.125 })):equals { area = 0.25, mean = 1, most = 1, share = { 1 } }

  -- Lines that meet edges within rounding; and far from the origin.
  local corner = muslin.mesh.grid { nodes = { 9, 7 }, size = { 0.4, 0.3 }, center = { 0.2, 1, 0.15 } }
  expect(measure.layers(corner, { spacing = 1e-3 }).share):equals { 1 }
  local far = sheet:copy():transform { position = { 2000, 0, -3000 } }
  expect(measure.layers(far, { spacing = 1e-3 }).area):near(0.12, 1e-3)
  expect(measure.layers(far, { spacing = 1e-3 }).share):equals { 1 }

  sheet:transform { rotation = { muslin.cos(math.pi / 6), 0, 0, muslin.sin(math.pi / 6) } } -- 60 degrees about z
  expect(measure.layers(sheet, { spacing = 1e-3 }).area):near(0.06, 1e-3)
  expect(measure.layers(sheet, { spacing = 1e-3, axis = "x" }).area):near(0.12 * muslin.sin(math.pi / 3), 1e-3)

  local ball = measure.layers(muslin.mesh.sphere { radius = 0.5, subdivisions = 5 }, { spacing = 5e-3, axis = "z" })
  expect(ball.area):near(math.pi / 4, 0.005)
  expect(ball.mean):equals(2)
  expect(ball.share):equals { 0, 1 }
  local torus = measure.layers(muslin.mesh.torus { radius = 0.3, tube_radius = 0.1, segments = 96 }, { spacing = 4e-3 })
  expect(torus.area):near(math.pi * (0.4 ^ 2 - 0.2 ^ 2), 0.004)
  expect(torus.most):equals(2)
end)

scenario("a cloth as well as a mesh", function()
  local world = muslin.world {}
  local cloth = world:cloth { mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 1, 1 }, center = { 0, 1, 0 } } }
  expect(measure.layers(cloth).area):near(1, 0.02)
  expect(measure.folds(cloth, { 1, 2, 3, 4, 5 })):equals(0)
  expect(measure.turns(cloth, { 1, 5, 25, 21, 1 })):near(-1, 1e-12)
end)

scenario("arguments that are wrong", function()
  local mesh = muslin.mesh.grid { nodes = { 3, 3 } }
  local function refused(text, f, ...)
    local ok, message = pcall(f, ...)
    expect(ok):is_false()
    expect(message):contains(text)
    expect(message):matches "measure_test%.lua:%d+: measure%."
  end
  refused("folds: the first argument is a cloth or a mesh (got 1)", measure.folds, 1, {})
  refused("at least two vertices (got {1})", measure.folds, mesh, { 1 })
  refused("item 2 of the line must be a vertex from 1 to 9 (got 10)", measure.turns, mesh, { 1, 10 })
  refused("field 'length' must be a number > 0 (got -1)", measure.folds, mesh, { 1, 2 }, { length = -1 })
  refused("field 'angle' must be a number between 0 and 3.142 (got 4)", measure.folds, mesh, { 1, 2 }, { angle = 4 })
  refused("field 'axis' must not be zero", measure.turns, mesh, { 1, 2 }, { axis = { 0, 0, 0 } })
  refused("field 'origin' must be three finite numbers (got 'here')", measure.turns, mesh, { 1, 2 }, { origin = "here" })
  refused("field 'axis' must be three finite numbers", measure.turns, mesh, { 1, 2 }, { axis = { 0, 0 / 0, 0 } })
  refused("must be \"x\", \"y\" or \"z\" (got 'up')", measure.layers, mesh, { axis = "up" })
  refused("field 'spacing' must be a number >", measure.layers, mesh, { spacing = 0 })
  refused("did you mean 'spacing'", measure.layers, mesh, { spaceing = 1 })
  mesh.x[5] = { 0, 1 / 0, 0 }
  refused("layers: the position of vertex 5 must be finite", measure.layers, mesh)
  refused("folds: the position of vertex 5 must be finite", measure.folds, mesh, { 4, 5, 6 })
end)
