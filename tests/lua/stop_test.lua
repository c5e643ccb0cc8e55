-- stop_test.lua: world:stop() ends world:run after the frame in which it is called; named groups of faces.
local muslin = require "muslin"

local function falling(at)
  local world = muslin.world { dt = 1/60, fps = 60, duration = 1 }
  world:cloth { mesh = muslin.mesh.grid { nodes = { 2, 2 } } }
  local frames, done = {}, 0
  world:on("frame", function(w)
    frames[#frames + 1] = w.frame
    if w.frame == at then w:stop() end
  end)
  world:on("done", function() done = done + 1 end)
  return world, frames, function() return done end
end

scenario("world:stop ends a run after its frame, with the done hooks", function()
  for _, at in ipairs { 0, 1, 7 } do
    local world, frames, done = falling(at)
    world:run()
    expect(#frames):equals(at + 1)
    expect(done()):equals(1)
  end
end)

scenario("a stop in the middle of a frame completes it, and holds for one run", function()
  local world, frames = falling(-1)
  local token = world:on("after_step", function(w) if w.step_index == 2 then w:stop() end end)
  world:run()
  expect(frames[#frames]):equals(3)
  world:off(token)
  world:run(0.1)
  expect(frames[#frames]):equals(9)

  token = world:on("frame", function(w) if w.frame == 12 then w:stop() end end) -- the last frame of the next run
  world:run(0.05)
  world:off(token)
  world:run(0.1)
  expect(frames[#frames]):equals(18)
end)

scenario("world:stop takes no argument", function()
  local world = falling(-1)
  local ok, message = pcall(world.stop, world, 3)
  expect(ok):equals(false)
  expect(message:find("stop", 1, true) ~= nil):equals(true)
end)

scenario("groups of faces survive copies and files, and refuse what does not fit", function()
  local def = { vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } }, faces = { { 1, 2, 3 }, { 2, 4, 3 } },
    groups = { { "left", 1 }, { "right", 1 } } }
  local groups = muslin.mesh.new(def):copy():subdivide(1):groups()
  expect(#groups):equals(2)
  expect(groups[1][1] .. " " .. groups[2][1]):equals("left right")
  expect(groups[2][2]):equals(4)
  def.groups = nil
  expect(#muslin.mesh.new(def):groups()):equals(0)
  for _, wrong in ipairs { { "left", 1 }, { { "left" } }, { { "left", 1.5 } }, { { "left", 3 } }, { { 1, 2 } }, 7 } do
    def.groups = wrong
    local ok, message = pcall(muslin.mesh.new, def)
    expect(ok):equals(false)
    expect(message:find("group", 1, true) ~= nil):equals(true)
  end
end)
