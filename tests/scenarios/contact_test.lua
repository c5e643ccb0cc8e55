-- contact_test.lua: cloth that meets obstacles, itself and others.
local muslin = require "muslin"

local function grid(options)
  return muslin.mesh.grid {
    nodes = options.nodes or { 8, 8 }, size = options.size or { 0.4, 0.4 }, center = options.center, plane = options.plane,
  }
end

local OBSTACLES = {
  { name = "plane", shape = "plane", normal = { 0, 1, 0 } },
  { name = "sphere", shape = "sphere", radius = 0.15 },
  { name = "box", shape = "box", size = { 0.2, 0.2, 0.2 } },
  { name = "capsule", shape = "capsule", radius = 0.1, length = 0.2 },
  { name = "mesh", mesh = muslin.mesh.icosahedron { radius = 0.15 } },
}

scenario.each(OBSTACLES) ("a sheet falls on a {name}", function(definition)
  local world = muslin.world { dt = 1 / 120 }
  local sheet = world:cloth { name = "sheet", mesh = grid { center = { 0.01, 0.22, 0.02 } } }
  local obstacle = world:obstacle(definition)
  for _ = 1, 24 do
    world:run_frame()
    expect(world):penetration_free()
  end
  expect(sheet):above(obstacle):stretched_at_most(0.15):finite()
  expect(world:stats().contacts):more_than(0)
end)

scenario.each { 5, 50, 300 } ("nothing passes a floor at {} m/s", function(speed)
  local world = muslin.world { dt = 1 / 120 }
  local sheet = world:cloth { mesh = grid { center = { 0, 0.3, 0 }, nodes = { 5, 5 } }, velocity = { 0, -speed, 0 } }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  for _ = 1, 10 do
    world:step()
    expect(sheet):above(0)
  end
end)

scenario("a thin wall stops a fast sheet", function()
  local world = muslin.world { dt = 1 / 120, gravity = { 0, 0, 0 } }
  local sheet = world:cloth { mesh = grid { plane = "xy", center = { 0.02, 0.01, -0.2 }, nodes = { 6, 6 } }, velocity = { 0, 0, 40 } }
  world:obstacle { name = "wall", mesh = muslin.mesh.grid { nodes = { 3, 3 }, size = { 2, 2 }, plane = "xy" } }
  for _ = 1, 12 do world:step() end
  expect(world):penetration_free()
  expect(select(2, sheet:bounds()).z):at_most(0)
end)

scenario("two sheets that fall lie upon each other, a thickness apart", function()
  local world = muslin.world { dt = 1 / 120 }
  local sheets = {}
  for k = 1, 2 do
    local mesh = grid { center = { 0.01 * k, 0.01 * k, 0 }, nodes = { 7, 6 + k } }
    sheets[k] = world:cloth { name = "sheet" .. k, mesh = mesh, thickness = 2e-3 }
  end
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  world:advance(0.6)
  expect(sheets[2]:centroid().y - sheets[1]:centroid().y):between(1.8e-3, 2.4e-3)
  expect(world):at_rest(0.05):penetration_free()
end)

scenario("a sheet that is folded over touches itself and not more", function()
  local world = muslin.world { dt = 1 / 120 }
  local sheet = world:cloth { mesh = grid { nodes = { 16, 5 }, size = { 0.6, 0.2 }, center = { 0, 0.02, 0 } } }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  local ends = {}
  for j = 0, 4 do ends[#ends + 1] = 16 * (j + 1) end
  local start = {}
  for k, i in ipairs(ends) do start[k] = sheet.x[i] end
  for k, i in ipairs(ends) do
    local c = start[k]
    sheet:pin { vertices = { i }, path = function(t)
      local angle = 2.4 * muslin.min(t / 0.5, 1)
      return { 0.3 * muslin.cos(angle), c.y + 0.3 * muslin.sin(angle), c.z }
    end }
  end
  world:advance(0.5)
  sheet:unpin()
  for _ = 1, 20 do
    world:run_frame()
    expect(world):penetration_free()
  end
  expect(sheet):stretched_at_most(0.15)
end)

scenario("a ball that moves displaces a sheet", function()
  local world = muslin.world { dt = 1 / 120, gravity = { 0, 0, 0 } }
  local sheet = world:cloth { mesh = grid { plane = "xy" } }
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.05, at = { 0, 0, -0.2 } }
  ball:move(function(t) return { 0, 0, -0.2 + t } end)
  for _ = 1, 24 do
    world:run_frame()
    expect(world):penetration_free()
  end
  expect(sheet:centroid().z):more_than(0.02)
end)

scenario("a sheet bounces by the restitution of the pair", function()
  local world = muslin.world { dt = 1 / 240, gravity = { 0, 0, 0 }, air_density = 0 }
  local sheet = world:cloth { mesh = grid { center = { 0, 0.05, 0 } }, velocity = { 0, -1, 0 }, restitution = 0.5 }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  world:advance(0.2)
  expect(sheet.v:mean().y):between(0.35, 0.6)
end)

scenario("ignored pairs and cloth without self-collision pass through each other", function()
  local world = muslin.world { dt = 1 / 120 }
  local sheet = world:cloth { name = "sheet", mesh = grid { center = { 0, 0.2, 0 } } }
  world:obstacle { name = "ball", shape = "sphere", radius = 0.1 }
  world:ignore { "sheet", "ball" }
  world:advance(0.5)
  expect(sheet:centroid().y):less_than(-0.3)
end)

scenario("a pair of names has its own response", function()
  local world = muslin.world { dt = 1 / 120, gravity = { 0, -5, 0 }, air_density = 0 }
  local calls = { floor = 0, ball = 0 }
  world:cloth { name = "sheet", mesh = grid { center = { 0, 0.12, 0 } } }
  world:obstacle { name = "ball", shape = "sphere", radius = 0.1 }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  for name in pairs(calls) do
    world:respond { trace = false, between = { "sheet", name }, rule = function(c)
      calls[name] = calls[name] + 1
      expect(c.objects[2].name):equals(name)
      return muslin.max(-c.normal:dot(c.velocity), 0) * c.mass * c.normal
    end }
  end
  world:advance(0.5)
  expect(calls.floor):more_than(0)
  expect(calls.ball):more_than(0)
  expect(world):penetration_free()
end)
