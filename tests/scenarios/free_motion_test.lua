-- free_motion_test.lua: cloth that touches nothing, against closed forms.
local muslin = require "muslin"

local G = 9.81

scenario.each { dt = { 1 / 60, 1 / 240, 1 / 1000 } } ("a free fall is g t^2/2 at every step of {dt} s", function(p)
  local world = muslin.world { dt = p.dt, fps = 1 / p.dt, air_density = 0 }
  local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = { 5, 5 }, center = { 0, 2, 0 } } }
  for _ = 1, 20 do
    world:step()
    expect(2 - sheet:centroid().y):near(G * world.time ^ 2 / 2, 1e-9)
  end
  expect(sheet):stretched_at_most(1e-9)
end)

scenario.each { "cotton", "silk", "11oz-black-denim" } ("without air {} falls like all else", function(material)
  local world = muslin.world { dt = 1 / 120, air_density = 0 }
  local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = { 6, 4 }, center = { 0, 1, 0 } }, material = material }
  world:advance(0.2)
  expect(1 - sheet:centroid().y):near(G * 0.02, 1e-6)
end)

scenario("air slows a sheet down to a speed at which it carries the weight", function()
  local world = muslin.world { dt = 1 / 60 }
  local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = { 4, 4 }, center = { 0, 50, 0 } } }
  world:advance(6)
  local before = sheet:centroid().y
  world:advance(0.5)
  local first = before - sheet:centroid().y
  before = sheet:centroid().y
  world:advance(0.5)
  expect(first):more_than(0.1)
  expect(before - sheet:centroid().y, "fall in the next half second"):near(first, 0.15 * first)
end)

scenario("what moves on without forces keeps its shape and its speed", function()
  local world = muslin.world { dt = 1 / 60, gravity = { 0, 0, 0 }, air_density = 0 }
  local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = { 6, 6 } }, velocity = { 1, 2, 3 } }
  local start = sheet.x:copy()
  world:advance(0.5)
  expect(sheet.x):near(start:add { 0.5, 1, 1.5 }, 1e-9)
end)

scenario("wind carries a sheet along, and never faster than itself", function()
  local world = muslin.world { dt = 1 / 60, gravity = { 0, 0, 0 }, wind = { 0, 3, 0 } }
  local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = { 6, 6 } } }
  local last = 0
  for _ = 1, 12 do
    world:advance(0.25)
    local speed = sheet.v:mean().y
    expect(speed):between(last - 1e-9, 3)
    last = speed
  end
  expect(last):more_than(1.5)
end)

scenario("forces of a hook move the center of mass by force over mass", function()
  local world = muslin.world { dt = 1 / 240, gravity = { 0, 0, 0 }, air_density = 0 }
  local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.4, 0.4 } } }
  local mass = sheet.m:sum()
  world:force(function(cloth) cloth.f:add { 0.01, 0, 0 } end) -- N, on each vertex
  world:advance(0.5)
  expect(sheet:centroid().x):near(25 * 0.01 / mass * 0.125, 1e-9)
end)
