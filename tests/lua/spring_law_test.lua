-- spring_law_test.lua: springs that follow functions: constants and dashpots as functions equal those of the material, a chain
-- that stiffens hangs as its closed form states, and messages about mistakes.
local muslin = require "muslin"

local K, DAMPING = 500, 2e-3
local steppers = { "implicit_euler", "semi_implicit_euler", "verlet", "rk4", "explicit_euler", "position_based", "offset", "newton", "vbd" }
local potential = { offset = true, newton = true, vbd = true }

local function pipeline_of(name)
  return potential[name] and { preset = name, strain = "none" } or { preset = "robust", integrator = name, strain = "none" }
end

-- A sheet that hangs by its upper edge and swings.
local function curtain(stepper, laws, threads, damping, dt)
  local world = muslin.world { dt = dt or 1 / 240, pipeline = pipeline_of(stepper), threads = threads or 1 }
  local sheet = world:cloth { name = "sheet", velocity = { 0.2, 0, 0.5 },
    mesh = muslin.mesh.grid { nodes = { 5, 7 }, size = { 0.2, 0.3 }, plane = "xy" },
    material = muslin.material { model = "mass_spring", stretch = K, shear = K, bend = 2, compression = 1, strain_limit = 0,
      damping = damping or DAMPING } }
  sheet:pin { where = function(_, y) return y > 0.149 end }
  if laws then sheet:spring_law(laws) end
  for _ = 1, 24 do world:step() end
  return world, sheet
end

local function hooke(k) return function(s) return k * (s.length - s.rest) end end

scenario.each(steppers) ("constants as functions are the material's: {}", function(stepper)
  local by_material, a = curtain(stepper)
  local by_law, b = curtain(stepper, { structural = hooke(K), shear = hooke(K / 2), bend = hooke(2) })
  assert(a.v:norm() > 0.1)
  expect((a.x - b.x):norm()):at_most(1e-9)
  expect(by_law:energy().elastic):near(by_material:energy().elastic, 1e-9)
  assert(by_law:stats().iterations == by_material:stats().iterations)
  local _, strain = curtain(stepper, { structural = function(s) return K * s.rest * s.strain end })
  expect((a.x - strain.x):norm()):at_most(1e-7)
  local _, other = curtain(stepper, hooke(K / 4))
  assert((a.x - other.x):norm() > 1e-4)
  local back, c = curtain(stepper, hooke(K / 4))
  c:spring_law(false)
  local state = by_material:save(".spring_law_test.muslin")
  assert(state == nil)
  back:restore ".spring_law_test.muslin"
  by_material:step()
  back:step()
  assert(by_material:hash() == back:hash(), "the material's constants again")
end)

scenario.each(steppers) ("a dashpot is the material's damping: {}", function(stepper)
  if stepper == "explicit_euler" then skip "its parts go by the material's damping, which must be there" end
  local function dashed(k) return function(s) return k * (s.length - s.rest) + DAMPING * k * s.rate end end
  local _, a = curtain(stepper)
  local _, b = curtain(stepper, { structural = dashed(K), shear = dashed(K / 2), bend = dashed(2) }, 1, 0)
  expect((a.x - b.x):norm()):at_most(stepper == "vbd" and 1e-4 or 1e-6)
end)

scenario("the same bits for any number of threads", function()
  local law = muslin.spring_law(function(s) return K * (s.length - s.rest) * (1 + 40 * s.strain * s.strain) + 0.3 * s.rate end)
  for _, stepper in ipairs { "implicit_euler", "offset", "verlet" } do
    local one = curtain(stepper, law, 1):hash()
    for _, threads in ipairs { 2, 3, 8 } do assert(curtain(stepper, law, threads):hash() == one, stepper) end
  end
end)

-- Two chains of ten springs side by side: each spring carries the weight below it.
local hung = { "implicit_euler", "verlet", "position_based", "offset", "newton" }
scenario.each(hung) ("a chain that stiffens hangs as its closed form states: {}", function(stepper)
  local k1, k3, n, h = 0.5, 1e4, 10, 0.02
  local world = muslin.world { dt = 1 / 240, pipeline = pipeline_of(stepper), air_density = 0, threads = 1 }
  local chain = world:cloth { name = "chain", self_collision = false,
    mesh = muslin.mesh.grid { nodes = { 2, n + 1 }, size = { h, n * h }, plane = "xy" },
    material = muslin.material { model = "mass_spring", density = 0.4, stretch = 100, shear = 0, bend = 0, bending = 0,
      strain_limit = 0, damping = 0.02, viscous_damping = 6, compression = 1 } }
  chain:pin { where = function(_, y) return y > n * h / 2 - 1e-6 end }
  chain:spring_law(function(s)
    local e = s.length - s.rest
    return k1 * e + k3 * e ^ 3
  end)
  world:run(4)
  local below, elastic, lengths = 0, 0, {}
  for j = 1, n do -- from the lower end
    below = below + 9.81 * chain.m[2 * j - 1]
    local low, high = 0, 1
    for _ = 1, 60 do
      local e = 0.5 * (low + high)
      if k1 * e + k3 * e ^ 3 < below then low = e else high = e end
    end
    lengths[j], elastic = h + low, elastic + 2 * (k1 * low ^ 2 / 2 + k3 * low ^ 4 / 4)
  end
  expect(chain.v:norm()):at_most(1e-3)
  assert(lengths[n] > 1.3 * h, "it is far from Hooke's law")
  for j = 1, n do
    expect((chain.x[2 * j + 1] - chain.x[2 * j - 1]):length()):near(lengths[j], 1e-3 * lengths[j])
  end
  expect(world:energy().elastic):near(elastic, 1.2e-2 * elastic)
end)

scenario("explicit integrators go by what the law is", function()
  local stiff = hooke(60 * K)
  for _, stepper in ipairs { "semi_implicit_euler", "verlet", "rk4" } do
    local world, sheet = curtain(stepper, { structural = stiff }, 1, 1e-5)
    local before = curtain(stepper, nil, 1, 1e-5)
    assert(world:stats().iterations > 5 * before:stats().iterations)
    assert(sheet.v:norm() < 10 and sheet:strain().max < 0.05, stepper)
  end
end)

scenario("a law that softens is stable in the implicit step", function()
  for _, stepper in ipairs { "implicit_euler", "offset" } do
    local _, sheet = curtain(stepper, function(s)
      local e = s.strain
      return K * s.rest * e / (1 + (e / 0.002) ^ 2)
    end, 1, nil, 1 / 60)
    assert(sheet.x:norm() < 10 and sheet.v:norm() < 100)
  end
end)

scenario("parameters change it on the way, and come back with a snapshot", function()
  local stiffness = muslin.param("stiffness", K)
  local function law(s) return stiffness * (s.length - s.rest) end
  local world, sheet = curtain("implicit_euler", law)
  stiffness:set(4 * K)
  local path = ".spring_law_test.muslin"
  world:save(path)
  for _ = 1, 10 do world:step() end
  local hash = world:hash()
  stiffness:set(7)
  local again = curtain("implicit_euler", law)
  again:restore(path)
  assert(stiffness:get() == 4 * K)
  for _ = 1, 10 do again:step() end
  assert(again:hash() == hash)
  local loaded = muslin.load(path)
  expect(function() loaded:step() end):raises "cloth 'sheet': its structural springs followed a function in the saved world"
  loaded:find("sheet"):spring_law(law)
  for _ = 1, 10 do loaded:step() end
  assert(loaded:hash() == hash)
  local plain = curtain "implicit_euler"
  expect(function() plain:restore(path) end):raises "whether springs follow a function"
  assert(sheet:spring_law(false) == sheet)
end)

scenario("mistakes are named, with the line of the function, and undo the step", function()
  local function refuses(f, pattern)
    expect(function() muslin.spring_law(f) end):raises(pattern)
  end
  refuses(function(s) return { s.length, 0, 0 } end, "spring_law: it must return a tension, one number in N %(got a table%)")
  refuses(function() end, "spring_law: it must return a tension, one number in N %(got nil%)")
  refuses(function(s) return s.lenght end, "spring: no field 'lenght' %(did you mean 'length'")
  refuses(function(s) if s.strain > 0 then return 1 end return 0 end, "on a traced number")
  refuses(3, "spring_law: the spring_law must be a function")
  local _, sheet = curtain "implicit_euler"
  expect(function() sheet:spring_law(3) end):raises "f must be a function, a muslin.spring_law, false .* %(got 3%)"
  expect(function() sheet:spring_law {} end):raises "give 'structural', 'shear' or 'bend'"
  expect(function() sheet:spring_law { sheer = hooke(1) } end):raises "did you mean 'shear'"
  expect(function() sheet:spring_law(muslin.wind(function() return { 0, 0, 0 } end)) end):raises "got another traced one"
  expect(function() sheet.world:respond { rule = muslin.spring_law(hooke(1)) } end):raises "give it to cloth:spring_law"
  local membrane = muslin.world {}:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 }, size = { 1, 1 } },
    material = muslin.material { model = "stvk" } }
  expect(function() membrane:spring_law(hooke(1)) end):raises "its material is of the model 'stvk'"
  local _, here = pcall(function() error "" end)
  local where = "spring_law_test.lua:" .. math.tointeger(here:match ":(%d+):") + 2
  local function bad(s) return K * (s.length - s.rest) + muslin.select(muslin.lt(0, s.strain - s.strain), 0, (s.length - s.length) / 0) end
  for _, stepper in ipairs(steppers) do
    local world, cloth = curtain(stepper)
    local hash = world:hash()
    cloth:spring_law { shear = bad }
    expect(function() world:step() end):raises("^tests/lua/" .. where:gsub("%.", "%%.") .. ": spring law: the function" ..
      " must give a finite tension .*the shear spring between vertices %d+ and %d+ of cloth 'sheet', length")
    assert(world:hash() == hash, stepper)
    cloth:spring_law { shear = false }
    world:step()
  end
  local text = muslin.spring_law(function(s) return 3 * s.strain ^ 2 + s.rate end):explain()
  assert(text:find("law of springs", 1, true) and text:find("derivative: by length, N/m", 1, true) and text:find("rate", 1, true))
end)
