-- snapshot_test.lua: world:save, world:restore and muslin.load: what continues the same, and which functions must be set again.
local muslin = require "muslin"

local path = ".snapshot_test.muslin" -- in the folder that the tests run in
scenario.together()
local function motion(t) return { 0.03 * math.sin(5 * t), 0.02, 0 } end
local function add_load(cloth) cloth.f:add { 0, 0, 1e-4 * math.random() } end
local function rule(c) return -0.5 * c.mass * math.min(0, c.normal:dot(c.velocity)) * c.normal end

local function make(functions, nodes)
  local world = muslin.world { dt = 1 / 120, seed = 9, threads = 1 }
  local sheet = world:cloth { name = "sheet", thickness = 4e-3, mesh = muslin.mesh.grid { nodes = { nodes or 10, 9 },
    size = { 0.3, 0.3 }, center = { 0, 0.09, 0 } } }
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.06, at = { 0, 0.02, 0 } }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  sheet:pin { vertices = { 1 } }
  if functions then
    ball:move(motion)
    world:force(add_load)
    world:on("after_step", function(w, t) w:log("height", w:find("sheet"):centroid().y + 0 * t) end)
    world:respond(muslin.response { rule = rule, trace = false, between = { "sheet", "ball" } })
  end
  return world
end

local function hashes(world, steps)
  local list = {}
  for k = 1, steps do
    world:step()
    list[k] = world:hash() .. " " .. world:random() .. " " .. world:stats().contacts
  end
  return table.concat(list, "\n")
end

scenario("a world that is saved goes on the same when it is restored", function()
  local world = make(true)
  hashes(world, 20)
  world:save(path)
  local at, count = world:hash(), #world:logged "height"
  local wanted = hashes(world, 20)
  assert(world:stats().contacts > 0 and #world:logged "height" == count + 20)
  world:restore(path)
  assert(world:hash() == at and #world:logged "height" == count, "state and log are back")
  assert(hashes(world, 20) == wanted, "and what follows is the same, random numbers included")
  local twin = make(true)
  hashes(twin, 3)
  twin:restore(path)
  assert(hashes(twin, 20) == wanted, "in another world of the script, too")
end)

for _, pipeline in ipairs { "offset", "newton", "vbd" } do
  scenario("the solver of pipeline " .. pipeline .. " goes on the same", function()
    local function fresh()
      local world = muslin.world { dt = 1 / 60, threads = 1, pipeline = pipeline }
      for k = 1, 2 do
        world:cloth { mesh = muslin.mesh.grid { nodes = { 7, 6 }, size = { 0.2, 0.17 }, center = { 0, 0.07 + 0.02 * k, 0 } } }
      end
      world:obstacle { name = "ball", shape = "sphere", radius = 0.06, at = { 0.01, 0.02, 0 } }
      return world
    end
    local world = fresh()
    hashes(world, 10)
    world:save(path)
    local wanted = hashes(world, 6)
    assert(world:stats().contacts > 0)
    local made = muslin.load(path)
    assert(hashes(made, 6) == wanted, "in a world made from the file")
    world:restore(path)
    assert(hashes(world, 6) == wanted, "in the world that was saved")
    local twin = fresh()
    hashes(twin, 4)
    twin:restore(path)
    collectgarbage()
    assert(hashes(twin, 6) == wanted, "in another one, whose solver was made elsewhere")
  end)
end

scenario("views and objects live on over a restore", function()
  local world = make(false)
  local sheet = world:find "sheet"
  local x = sheet.x
  world:save(path)
  local before = x:copy()
  world:advance(0.05)
  assert(x[50].y ~= before[50].y)
  world:restore(path)
  assert(x[50] == before[50] and sheet.alive and world:find "sheet" == sheet)
end)

scenario("a world from a file alone", function()
  local world = make(false)
  hashes(world, 20)
  world:log("seen", 4)
  world:save(path)
  local contacts = #world:contacts()
  local wanted = hashes(world, 20)
  local made = muslin.load(path)
  assert(#made.cloths == 1 and made.obstacles[1].name == "ball" and made.seed == 9 and made.step_index == 20)
  assert(#made:contacts() == contacts and contacts > 0 and made:logged("seen")[1] == 4)
  assert(hashes(made, 20) == wanted)
  made:find("sheet"):pin { corners = true }
  made:find("sheet"):unpin()
  made:advance(0.02)
  expect(made):penetration_free()
  made:close()
end)

scenario("a loaded world requires its functions, one after another", function()
  local world = make(true)
  hashes(world, 20)
  local _, _, z = world:find("sheet").x:get(81)
  world:find("sheet"):pin { vertices = { 90 }, path = function() return world:find("sheet").x[90] end }
  world:find("sheet"):unpin { vertices = { 90 } }
  assert(z)
  world:save(path)
  local wanted = hashes(world, 20)
  local made = muslin.load(path)
  local function step() made:step() end
  expect(step):raises "1 more function%(s%) of world:on, event after_step"
  made:on("after_step", function() end)
  expect(step):raises "1 more function%(s%) of world:force"
  made:force(add_load)
  expect(step):raises "obstacle 'ball': a function moved it"
  expect(function() made:find("ball"):move(function() return { 1, 0, 0 } end) end):raises "begins at"
  made:find("ball"):move(motion)
  expect(step):raises "response 'rule': its rule was a function"
  expect(function() muslin.load(path, { rules = { muslin.rule({ trace = false }, rule), rule } }) end):raises "1 %(got 2%)"

  made = muslin.load(path, { rules = { muslin.rule({ trace = false }, rule) }, hooks = false })
  made:force(add_load)
  made:find("ball"):move(motion)
  collectgarbage()
  assert(hashes(made, 20) == wanted, "with all of them it goes on the same")
end)

scenario("a pin's path is required, too", function()
  local world = make(false)
  world:find("sheet"):pin { vertices = { 10 }, path = function(t) return { 0.15, 0.09 + t, -0.15 } end }
  world:step()
  world:save(path)
  local made = muslin.load(path)
  expect(function() made:step() end):raises "cloth 'sheet': vertex 10 followed a path"
  made:find("sheet"):unpin { vertices = { 10 } }
  made:step()
end)

scenario("what does not fit is refused, and nothing changes", function()
  local world, other = make(true), make(true, 11)
  hashes(world, 5)
  world:save(path)
  local before = other:hash()
  expect(function() other:restore(path) end):raises "cloth 'sheet': the grid's nodes %(number 1%) is 10 in the snapshot and 11 here"
  expect(function() other:restore "no/such.file" end):raises "no/such.file: cannot be read"
  expect(function() other:restore(7) end):raises "path must be a string"
  expect(function() muslin.load(path, { rule = {} }) end):raises "did you mean 'rules'"
  expect(function() muslin.load(path, { rules = 3 }) end):raises "'rules' must be a list"
  expect(function() muslin.load(path, { rules = { 3 } }) end):raises "rules"
  expect(function() other:save "no/such/folder/x" end):raises "cannot be written"
  assert(other:hash() == before)
  other:on("after_step", function(w) w:save(path) end)
  expect(function() other:step() end):raises "not within a step"
  local moved = make(true)
  local lag = 0
  moved:find("ball"):move(function(t) lag = lag + 1e-3 return { 0.03 * math.sin(5 * t) + lag - 1e-3, 0.02, 0 } end)
  expect(function() moved:restore(path) end):raises "its motion differs"
end)

scenario("streams of random numbers go back with the world", function()
  local world <close> = muslin.world {}
  local gusts = muslin.random "gusts"
  gusts()
  world:save(path)
  local after = { gusts(), gusts(100) }
  local late = muslin.random "late"
  local of_late = late()
  world:restore(path)
  expect({ gusts(), gusts(100) }):equals(after)
  expect(late()):equals(of_late)
end)

-- Parameters of everything that a world's functions may be: a traced rule or energy, a traced force, a plain hook, a table.
local function with_params(pipeline)
  local world = muslin.world { dt = 1 / 120, threads = 1, seed = 4, pipeline = pipeline }
  world:cloth { name = "sheet", thickness = 4e-3, mesh = muslin.mesh.grid { nodes = { 7, 7 },
    size = { 0.3, 0.3 }, center = { 0, 0.07, 0 } } }
  world:obstacle { name = "ball", shape = "sphere", radius = 0.06, at = { 0, 0, 0 } }
  local stiff, lift, wind = muslin.param("stiff", 1), muslin.param("lift", 0), muslin.param("wind", 0)
  local law
  if pipeline == "offset" then
    law = muslin.potential(function(c) return stiff * 1e-3 * muslin.max(0, 1e-3 - c.gap) ^ 2 end)
  else
    law = muslin.rule(function(c) return muslin.max(0, -c.normal:dot(c.velocity)) * c.mass * stiff * c.normal end)
  end
  world:respond(muslin.response { rule = law })
  world:force(muslin.node_force(function(n) return n.mass * lift * muslin.vec3(0, 1, 0) end))
  local settings = { gusts = { wind } }
  world:on("before_step", function(w) w.wind = { settings.gusts[1] + 0, 0, 0 } end)
  return world, law, lift, wind, stiff
end

scenario.each { pipeline = { "robust", "offset" } } ("parameters changed on the way are restored, {pipeline}", function(p)
  local world, law, lift, wind, stiff = with_params(p.pipeline)
  hashes(world, 10)
  law:set("stiff", 1.2)
  lift:set(-3)
  wind:set(0.7)
  hashes(world, 10)
  world:save(path)
  local wanted = hashes(world, 10)
  assert(world:stats().contacts > 0)
  stiff:set(0.9)
  lift:set(2)
  wind:set(-5)
  assert(hashes(world, 10) ~= wanted)
  world:restore(path)
  expect({ law:get "stiff", lift:get(), wind:get() }):equals { 1.2, -3, 0.7 }
  assert(hashes(world, 10) == wanted, "the states that follow are the same")
  local twin, _, twin_lift = with_params(p.pipeline)
  twin:restore(path)
  assert(hashes(twin, 10) == wanted, "in another world of the script, too")
  twin_lift:set(8)
  expect(lift:get()):equals(-3)
end)

scenario("parameters of one name are distinguished, those of others are left alone", function()
  local function made(first, second)
    local world = muslin.world { threads = 1 }
    world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = { 3, 3 } } }
    local a, b = muslin.param("k", first), muslin.param("k", second)
    world:force(muslin.node_force(function(n) return n.mass * a * muslin.vec3(1, 0, 0) end))
    world:force(muslin.node_force(function(n) return n.mass * b * muslin.vec3(0, 0, 1) end))
    return world, a, b
  end
  local world, a, b = made(1, 2)
  local other = muslin.param("k", 7)
  a:set(3)
  b:set(4)
  world:save(path)
  a:set(5)
  b:set(6)
  other:set(8)
  world:restore(path)
  expect({ a:get(), b:get(), other:get() }):equals { 3, 4, 8 }
  local fresh, c, d = made(10, 20)
  fresh:restore(path, { by_name = true }) -- another world: its functions, and so its parameters, are its own
  expect({ c:get(), d:get() }):equals { 10, 20 }
  fresh:restore(path)
  expect({ c:get(), d:get() }):equals { 3, 4 }
  local bare = muslin.world { threads = 1 }
  bare:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = { 3, 3 } } }
  bare:restore(path) -- nothing there uses them any more
  expect(bare.step_index):equals(0)
end)

scenario("by name a state goes into a world that is another", function()
  local function made(options)
    local world = muslin.world { dt = 1 / 100, fps = 50, gravity = options.gravity }
    local sheet = world:cloth {
      name = "sheet", material = options.material or "cotton",
      mesh = muslin.mesh.grid { nodes = { options.nodes or 6, 6 }, size = { 0.4, 0.4 }, center = { 0, 0.5, 0 } },
    }
    sheet:pin { vertices = { 1, 6 } }
    local post = world:obstacle { name = "post", shape = "sphere", radius = 0.05, at = { 0, 0.3, 0 } }
    post:move(function(t) return { 0.1 * t, 0.3, 0 } end)
    local ball = world:obstacle {
      name = "ball", shape = "sphere", radius = 0.05, at = { 2, 0.3, 0 }, motion = "dynamic", mass = 0.1,
    }
    world:ignore { "post", "ball" }
    return world, sheet, post, ball
  end
  local first <close>, sheet, _, ball = made {}
  first:advance(0.2)
  sheet:unpin { vertices = { 6 } }
  sheet.v[20] = { 0, 0, 0.5 }
  first:save(path)
  local other <close>, changed, post, other_ball = made { material = "silk", gravity = { 0, -1, 0 } }
  expect(function() other:restore(path) end):raises "material"
  other:restore(path, { by_name = true })
  expect(other.time):equals(first.time)
  expect(other.step_index):equals(first.step_index)
  expect(changed.x):equals(sheet.x)
  expect(changed.v):equals(sheet.v)
  assert(changed:pinned(1) and not changed:pinned(6))
  expect(post.position.x):near(0.02, 1e-9)
  expect(other_ball.position):equals(ball.position)
  expect(other_ball.velocity):equals(ball.velocity)
  expect(other.gravity.y):equals(-1)
  other:advance(0.1)
  first:advance(0.1)
  expect(other):penetration_free()
  assert(other:hash() ~= first:hash() and changed.x[1] == sheet.x[1])

  local finer <close> = made { nodes = 7 }
  local hash = finer:hash()
  expect(function() finer:restore(path, { by_name = true }) end):raises "no cloth has the name and the number of vertices"
  expect(hash):equals(finer:hash())
  expect(function() finer:restore(path, { by_names = true }) end):raises "did you mean 'by_name'?"
  local blocked <close> = made {}
  blocked:obstacle { name = "wall", shape = "box", size = { 0.2, 0.2, 0.2 }, at = sheet:centroid() }
  hash = blocked:hash()
  expect(function() blocked:restore(path, { by_name = true }) end):raises "wall"
  expect(hash):equals(blocked:hash())
  expect(function() blocked:keep(3) end):raises "keep(whether): it must be true or false (got 3)"
  blocked:keep()
  blocked:keep(false)
end)
