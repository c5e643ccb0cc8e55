-- out_of_range_test.lua: numbers that are finite and beyond what muslin.h allows are refused where they come in, by
-- object, field, value and bound, and by the script's line; what was there stays.
local muslin = require "muslin"

scenario.together()

local function falling(pipeline, obstacle, material)
  local world = muslin.world { dt = 1 / 240, pipeline = pipeline or "robust" }
  local sheet = world:cloth { name = "sheet", material = material,
    mesh = muslin.mesh.grid { nodes = { 6, 6 }, size = { 0.3, 0.3 }, center = { 0, 0.105, 0 } } }
  local ball = obstacle and world:obstacle(obstacle)
  return world, sheet, ball
end

-- f must raise a message of this file's with all parts in it.
local function refused(f, ...)
  local ok, message = pcall(f)
  assert(not ok, "nothing was refused")
  for _, part in ipairs { ... } do assert(message:find(part, 1, true), message) end
  return message
end

-- A step must fail with all parts in its message, and change nothing.
local function failing(world, ...)
  local before = world:hash()
  refused(function() world:step() end, ...)
  expect(world:hash()):equals(before)
end

scenario("fields of worlds, meshes, cloths and obstacles", function()
  local world <close> = muslin.world {}
  local box = muslin.mesh.box { size = { 1, 1, 1 } }
  local cases = {
    { "world: field 'dt' must be from 1e-30 to 1e+30 s (got 1e+300)", function() muslin.world { dt = 1e300 } end },
    { "world: field 'fps' must be from 1e-30 to 1e+30 frames a second (got 1e-300)", function() muslin.world { fps = 1e-300 } end },
    { "world: field 'gravity' must be three numbers within +-1e+30 m/s^2 (got 0, -1e+200, 0)",
      function() muslin.world { gravity = { 0, -1e200, 0 } } end },
    { "world: field 'air_density' must be from 0 to 1e+30 kg/m^3 (got 1e+31)", function() muslin.world { air_density = 1e31 } end },
    { "mesh.grid: field 'size' must be from 1e-15 to 1e+09 m (got 1e+154)",
      function() muslin.mesh.grid { nodes = { 3, 3 }, size = { 1e154, 1 } } end },
    { "mesh.polygon: field 'points': point 2 must lie within +-1e+09 m (got {1e+154, 0})",
      function() muslin.mesh.polygon { points = { { 0, 0 }, { 1e154, 0 }, { 0, 1 } }, edge_length = 0.1 } end },
    { "mesh.cone: field 'top_radius' must be 0, or from 1e-15 to 1e+09 m (got 1e+10)",
      function() muslin.mesh.cone { radius = 1, length = 1, top_radius = 1e10 } end },
    { "mesh: vertex 3 must lie within +-1e+09 m (got {0, 1e+154, 0})",
      function() muslin.mesh.new { vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1e154, 0 } }, faces = { { 1, 2, 3 } } } end },
    { "mesh: the transform takes vertex 1 to {", function() box:transform { scale = 1e200 } end },
    { "cloth: field 'thickness' must be from 1e-15 to 1e+09 m (got 1e+300)",
      function() world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 } }, thickness = 1e300 } end },
    { "cloth: field 'velocity' must be three numbers within +-1e+30 m/s (got 1e+300, 0, 0)",
      function() world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 } }, velocity = { 1e300, 0, 0 } } end },
    { "material: field 'density' must be from 1e-30 to 1e+30 kg/m^2 (got 1e-300)", function()
      world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 } }, material = muslin.material { density = 1e-300 } }
    end },
    { "material: field 'stretch' must lie within +-1e+30 (got 1e+300)", function()
      world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 } }, material = muslin.material { stretch = 1e300 } }
    end },
    { "obstacle: field 'thickness' must be 0, or from 1e-15 to 1e+09 m (got 1e+30)",
      function() world:obstacle { shape = "sphere", radius = 1, thickness = 1e30 } end },
    { "obstacle: field 'length' must be from 1e-15 to 1e+09 m (got 1.7e+308)",
      function() world:obstacle { shape = "capsule", radius = 1, length = 1.7e308 } end },
    { "obstacle: field 'radius' must be from 1e-15 to 1e+09 m (got 1e-300)",
      function() world:obstacle { shape = "sphere", radius = 1e-300 } end },
    { "obstacle: field 'size' must be from 1e-15 to 1e+09 m (got 1e+10)",
      function() world:obstacle { shape = "box", size = { 1, 1e10, 1 } } end },
    { "obstacle: field 'at' must be three numbers within +-1e+09 m (got 0, 0, 1e+10)",
      function() world:obstacle { shape = "plane", normal = { 0, 1, 0 }, at = { 0, 0, 1e10 } } end },
    { "obstacle: field 'mass' must be from 1e-30 to 1e+30 kg (got 1e+300)",
      function() world:obstacle { shape = "sphere", radius = 1, motion = "dynamic", mass = 1e300 } end },
  }
  for _, case in ipairs(cases) do refused(case[2], case[1], "out_of_range_test.lua:") end
  expect(#world.cloths):equals(0)
  expect(#world.obstacles):equals(0)
end)

scenario("arrays, by the line that wrote them", function()
  local world <close>, sheet = falling()
  world:on("before_step", function() sheet.x[7] = { 0, 1e200, 0 } end)
  failing(world, "cloth 'sheet': the position of vertex 7 must lie within +-1e9 m (got 0.0, 1e+200, 0.0)", "out_of_range_test.lua:")
  local other <close>, cloth = falling()
  cloth.v[2] = { 1e31, 0, 0 }
  failing(other, "the velocity of vertex 2 must lie within +-1e30 m/s")
  local third <close>, pulled = falling()
  third:force(function() pulled.f[1] = { 0, 0, 1e300 } end)
  failing(third, "the force on vertex 1 must lie within +-1e30 N")
end)

scenario("motions and paths", function()
  local world <close>, sheet, ball = falling("robust", { name = "ball", shape = "sphere", radius = 0.1 })
  ball:move(function(t) return { 0, t > 0 and 1e10 or 0, 0 } end)
  failing(world, "obstacle 'ball': its motion gives a place beyond +-1e+09 m at t = ")
  ball:move(nil)
  sheet:pin { vertices = { 1 }, path = function() return { 0, 1e300, 0 } end }
  failing(world, "pin: the path of vertex 1 of cloth 'sheet' gives a place beyond +-1e+09 m at t = ")
end)

scenario("frames of an animation that no index reaches", function()
  local box = muslin.mesh.box { size = { 0.1, 0.1, 0.1 }, center = { 0, -1, 0 } }
  local frames = { box, box:copy():transform { position = { 0.1, 0, 0 } } }
  local world <close> = muslin.world {}
  world:cloth { mesh = muslin.mesh.grid { nodes = { 4, 4 }, size = { 1, 1 } } }
  local obstacle = world:obstacle { mesh = box }
  refused(function() obstacle:animate { frames = frames, fps = 1e300, start = -1e300, loop = true } end,
    "': the time between frames must be from 1e-30 to 1e+30 s (got 1e-300)")
  for _, fps in ipairs { 1e29, 1e-29, 1e12 } do
    for _, start in ipairs { -1e30, 1e30, -1e12, 0 } do
      obstacle:animate { frames = frames, fps = fps, start = start, loop = true }
      world:step()
    end
  end
end)

scenario("an obstacle thicker than the cloth is large", function()
  local world <close> = falling("offset", { name = "ball", shape = "sphere", radius = 0.1, at = { 0, -1, 0 }, thickness = 1000 })
  failing(world, "obstacle 'ball': field 'thickness' must be less than the size of the largest cloth, which is 0.424264 m",
    "(got 1000)")
end)

scenario.each { { name = "provot" }, { name = "bigliani" }, { name = "aabb" } } ("steps without end, {name}", function(p)
  for _, material in ipairs { { density = 1e-29 }, { stretch = 1e12 }, { damping = 1e20 } } do
    local world <close> = falling(p.name, nil, muslin.material(material))
    failing(world, "cloth 'sheet': the integrator '", "' would need ", " substeps for a step of 0.00416667 s (at most 10000)")
  end
end)

-- Such stitches throw cloth about: a step fails by name, where it searched for contacts among all pairs for minutes.
scenario.each { { name = "bridson" }, { name = "offset" } } ("stitches damped beyond reason, {name}", function(p)
  local world <close> = muslin.world { pipeline = p.name }
  local sheets, row = {}, {}
  for k = 1, 2 do
    sheets[k] = world:cloth { mesh = muslin.mesh.grid { nodes = { 20, 20 }, size = { 0.6, 0.6 }, center = { 0, 0.2 + 0.05 * k, 0 } } }
  end
  for k = 1, 20 do row[k] = k end
  world:obstacle { shape = "sphere", radius = 0.15 }
  world:stitch { a = { sheets[1], row }, b = { sheets[2], row }, damping = 1e30 }
  local ok, message = true, nil
  for _ = 1, 4 do
    ok, message = pcall(world.step, world)
    if not ok then break end
  end
  assert(not ok and (message:find("would move", 1, true) or message:find("leave the coordinate range", 1, true)), message)
end)
