-- reentry_test.lua: functions of a script that run inside a call cannot change the world that the call works on.
local muslin = require "muslin"

local function scene()
  local world = muslin.world {}
  local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = { 4, 4 } } }
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.1, at = { 0, -2, 0 } }
  return world, sheet, ball
end

-- What a function might do to the world around it.
local function changes(world, sheet, ball)
  local mesh = muslin.mesh.grid { nodes = { 3, 3 } }
  return {
    ["world:close"] = function() world:close() end,
    ["world:remove"] = function() world:remove(sheet) end,
    ["world:remove "] = function() world:remove(ball) end,
    ["world:cloth"] = function() world:cloth { mesh = mesh } end,
    ["world:obstacle"] = function() world:obstacle { shape = "sphere", radius = 1 } end,
    ["world:step"] = function() world:step() end,
    ["world:advance"] = function() world:advance(0.1) end,
    ["world:run_frame"] = function() world:run_frame() end,
    ["world:start"] = function() world:start() end,
    ["cloth:pin"] = function() sheet:pin { vertices = { 1 } } end,
    ["cloth:unpin"] = function() sheet:unpin() end,
    ["cloth:pull"] = function() sheet:pull { vertices = { 1 }, stiffness = 1 } end,
    ["cloth:spring_law"] = function() sheet:spring_law(false) end,
    ["obstacle:move"] = function() ball:move(nil) end,
    ["obstacle:animate"] = function() ball:animate { frames = { mesh } } end,
    ["obstacle:apply_impulse"] = function() ball:apply_impulse { 1, 0, 0 } end,
    ["obstacle.velocity"] = function() ball.velocity = { 1, 0, 0 } end,
    ["world.gravity"] = function() world.gravity = { 0, 0, 0 } end,
    ["world.tolerance"] = function() world.tolerance = 0.1 end,
    ["world:respond"] = function() world:respond { rule = "provot" } end,
    ["world:between"] = function() world:between({ "sheet", "ball" }, { friction = 0.1 }) end,
    ["world:ignore"] = function() world:ignore { "sheet", "ball" } end,
    ["world:stitch"] = function() world:stitch { a = { sheet, { 1 } }, b = { sheet, { 2 } } } end,
    ["world:on"] = function() world:on("frame", print) end,
    ["world:force"] = function() world:force(print) end,
    ["world:script"] = function() world:script(print) end,
    ["world:save"] = function() world:save("reentry.muslin") end,
  }
end

-- Calls that run a function of the script, which does `act`.
local calls = {
  ["cloth:pin' calls the function 'where'"] = function(_, sheet, _, act) sheet:pin { where = act } end,
  ["cloth:unpin' calls the function 'where'"] = function(_, sheet, _, act) sheet:unpin { where = act } end,
  ["cloth:pull' calls the function 'where'"] = function(_, sheet, _, act) sheet:pull { where = act, stiffness = 1 } end,
  ["obstacle:move' calls the motion"] = function(_, _, ball, act)
    ball:move(function() act() return { 0, -2, 0 } end)
  end,
  ["world:step' calls a path of pins"] = function(world, sheet, _, act)
    sheet:pin { vertices = { 1 }, path = function() act() return sheet.x[1] end }
    world:step()
  end,
  ["world:step' calls the motion"] = function(world, _, ball, act)
    local moving = false
    ball:move(function() if moving then act() end return { 0, -2, 0 } end)
    moving = true
    world:step()
  end,
  ["world:between' calls the function that it traces"] = function(world, _, _, act)
    world:between({ "sheet", "ball" }, { friction = function() act() return 0.1 end })
  end,
  ["world:respond' calls the function that it traces"] = function(world, _, _, act)
    world:respond { rule = function() act() return { 0, 0, 0 } end }
  end,
  ["cloth:spring_law' calls the function that it traces"] = function(_, sheet, _, act)
    sheet:spring_law(function() act() return 0 end)
  end,
  ["world.tolerance' calls the function that it traces"] = function(world, _, _, act)
    world.tolerance = function() act() return 0.1 end
  end,
}

for locked, call in pairs(calls) do
  scenario("'" .. locked .. " is a locked world", function()
    for method in pairs(changes(scene())) do
      local world, sheet, ball = scene()
      local change, armed = changes(world, sheet, ball)[method], true
      local function act() if armed then change() end end
      local hash = world:hash()
      expect(function() call(world, sheet, ball, act) end):raises(
        "reentry_test%.lua:%d+: " .. method:gsub("%s", ""):gsub("%p", "%%%0") .. ": the world is locked while '"
        .. locked:gsub("%p", "%%%0"))
      expect(world:hash()):equals(hash)
      armed = false
      world:step() -- and it is whole
    end
  end)
end

scenario("a world may be changed while another one is locked", function()
  local world, sheet = scene()
  local other = muslin.world {}
  sheet:pin { where = function() other:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 } } } return true end }
  expect(#other.cloths):equals(16)
  other:close()
  world:step()
end)

scenario("an error within a locked world unlocks it", function()
  local world, sheet, ball = scene()
  expect(function() sheet:pin { where = function() error "no" end } end):raises "no"
  expect(function() ball:move(function() error "no" end) end):raises "no"
  expect(function() world:between({ "sheet", "ball" }, { friction = function() error "no" end }) end):raises "no"
  world:remove(ball)
  world:close()
end)

scenario("tables of options are plain", function()
  local world, sheet, ball = scene()
  local mesh = muslin.mesh.grid { nodes = { 3, 3 } }
  local function odd(options) return setmetatable(options, { __index = function() world:close() end }) end
  local calls_with_options = {
    world = function() muslin.world(odd {}) end,
    cloth = function() world:cloth(odd { mesh = mesh }) end,
    obstacle = function() world:obstacle(odd { shape = "sphere", radius = 1 }) end,
    ["cloth:pin"] = function() sheet:pin(odd { corners = true }) end,
    ["cloth:unpin"] = function() sheet:unpin(odd { corners = true }) end,
    ["cloth:pull"] = function() sheet:pull(odd { corners = true, stiffness = 1 }) end,
    ["obstacle:animate"] = function() ball:animate(odd { frames = { mesh } }) end,
    stitch = function() world:stitch(odd { cloth = sheet, stitches = {} }) end,
    response = function() world:respond(odd { rule = "provot" }) end,
    ["world: between"] = function() world:between({ "sheet", "ball" }, odd { friction = 0.1 }) end,
    material = function() muslin.material(odd { density = 0.1 }) end,
    ["mesh.grid"] = function() muslin.mesh.grid(odd { nodes = { 3, 3 } }) end,
    ["mesh:transform"] = function() mesh:transform(odd { position = { 0, 0, 0 } }) end,
  }
  for what, call in pairs(calls_with_options) do
    expect(call):raises("reentry_test%.lua:%d+: " .. what:gsub("%p", "%%%0") .. ": the options must be a table without a")
  end
  expect(world.closed):equals(false)
  expect(function() world:cloth { mesh = mesh, velocity = odd { 0, 0 } } end):raises "a table with a metatable"
  expect(world.closed):equals(false)
end)

scenario("a draw hook changes nothing", function()
  local world, sheet, ball = scene()
  local refused = 0
  world:on("draw", function()
    for method, change in pairs(changes(world, sheet, ball)) do
      expect(change):raises(method:match("%a+") == "world" and "world" or ".")
      refused = refused + 1
    end
    expect(function() sheet.x[1] = { 0, 0, 0 } end):raises "a draw hook cannot change a run"
    expect(function() sheet.v:scale(2) end):raises "a draw hook cannot change a run"
    expect(function() world:log("x", 1) end):raises "a draw hook cannot change a run"
    expect(function() world:random() end):raises "a draw hook cannot change a run"
    return math.random(), muslin.random("drawn")()
  end)
  require("muslin.support").draw(world)
  expect(refused > 20):equals(true)
  local other = muslin.random "drawn"
  math.randomseed(7)
  local first, streamed = math.random(), other()
  math.randomseed(7)
  require("muslin.support").draw(world)
  expect(math.random()):equals(first)
  math.randomseed(7)
  expect(other()):equals(streamed)
end)
