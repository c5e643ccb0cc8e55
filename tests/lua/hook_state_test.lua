-- Whatever a hook sees is one moment: cloth, obstacles, the clock and the audit agree.
local muslin = require "muslin"

-- A box rises at 2 m/s under a sheet; another body falls, and a third follows an animation.
local function scene(pipeline)
  local world = muslin.world { dt = 1 / 100, pipeline = pipeline, gravity = { 0, 0, 0 }, air_density = 0 }
  world:cloth { name = "sheet", velocity = { 0, 2, 0 },
    mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.5, 0.5 }, center = { 0, 0.111, 0 } } }
  local box = world:obstacle { name = "box", shape = "box", size = { 1, 0.2, 1 } }
  box:move(function(t) return { 0, 2 * t, 0 } end)
  world:obstacle { name = "body", shape = "sphere", radius = 0.1, at = { 5, 0, 0 }, motion = "dynamic", mass = 1,
    velocity = { 0, 2, 0 } }
  local frames = {}
  for k = 1, 20 do frames[k] = muslin.mesh.box { size = { 1, 1, 1 }, center = { 0, 2 * (k - 1) / 60 - 5, 0 } } end
  local animated = world:obstacle { name = "animated", mesh = frames[1] }
  animated:animate { frames = frames, fps = 60, start = 0, interpolation = "linear" }
  return world
end

local function heights(world)
  local sheet, box, body = world:find("sheet"), world:find("box"), world:find("body")
  local low = world:find("animated"):mesh():bounds()
  return { sheet = sheet.x[1].y - 0.111, box = box.position.y, body = body.position.y, animated = low.y + 5.5 }
end

for _, pipeline in ipairs { "robust", "sequential", "offset", "bridson" } do
  for _, event in ipairs { "before_step", "candidate", "contacts", "after_step", "frame" } do
    scenario(pipeline .. ": " .. event .. " sees one moment", function()
      local world = scene(pipeline)
      local calls = 0
      world:on(event, function(_, t)
        calls = calls + 1
        expect(world.time):near(t, 1e-12)
        for name, height in pairs(heights(world)) do
          expect(height, name .. " at " .. t):near(2 * t, 1e-9)
        end
        local found = world:audit()
        expect(found.intersections):equals(0)
        expect(found.inside):equals(0)
      end)
      for _ = 1, 5 do world:run_frame() end
      if event ~= "contacts" then expect(calls >= 5):equals(true) end
    end)
  end
end

scenario("the state after a candidate hook is the start's again", function()
  local world = scene("robust")
  local seen, motion = {}, nil
  world:on("candidate", function() seen.candidate = world:find("sheet").x[1].y end)
  world:on("contacts", function() seen.contacts = world:find("sheet").x[1].y end)
  world:respond { rule = function() motion = world:find("sheet").x[1].y return { 0, 0, 0 } end, trace = false }
  world:step()
  expect(seen.candidate):near(0.111 + 2 * world.step_size, 1e-9)
  expect(seen.contacts):near(0.111, 1e-12)
  if motion then expect(motion):near(0.111, 1e-12) end
end)

scenario("a step that fails in a hook leaves clock and obstacles", function()
  for _, event in ipairs { "candidate", "contacts", "after_step" } do
    local world = scene("robust")
    world:step()
    local hash = world:hash()
    local token = world:on(event, function() error("stop") end)
    expect(function() world:step() end):raises("stop")
    expect(world:hash()):equals(hash)
    expect(world:find("box").position.y):near(2 * world.step_size, 1e-12)
    expect(world.time):near(world.step_size, 1e-12)
    world:off(token)
    world:step()
  end
end)
