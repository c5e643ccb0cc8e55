-- pipelines_test.lua: presets of the classic family by name and by table, what their worlds report, and what does not fit.
local muslin = require "muslin"

local function falling(pipeline)
  local world = muslin.world { dt = 1 / 240, air_density = 0, pipeline = pipeline }
  local sheet = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = { 8, 8 }, size = { 0.3, 0.3 }, center = { 0, 0.03, 0 } },
    velocity = { 0.5, -1, 0 },
  }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 }, friction = 0.3 }
  return world, sheet
end

local function raises(pattern, pipeline)
  local ok, message = pcall(muslin.world, { pipeline = pipeline })
  assert(not ok and tostring(message):find(pattern), ("wanted %s, got %s"):format(pattern, message))
end

scenario("the published systems are presets, whose stages are told", function()
  for name, stages in pairs {
    provot = { narrow = "cubic_ccd", response = "provot", failsafe = "provot_zones" },
    bridson = { narrow = "certified_ccd", response = "bridson_tested", failsafe = "zones" },
    bridson_source = { narrow = "cubic_ccd", response = "bridson_source", failsafe = "zones" },
    bigliani = { integrator = "rk4", narrow = "edge_plane", response = "bigliani", failsafe = "none" },
    jung = { narrow = "spherical", response = "jung", internal = "choi_ko" },
    aabb = { integrator = "verlet", narrow = "segment_triangle", response = "aabb", internal = "mass_spring" },
  } do
    local world <close> = muslin.world { pipeline = name }
    for kind, stage in pairs(stages) do assert(world.pipeline[kind] == stage, name) end
    assert(#muslin.pipelines[name].doc > 40)
  end
end)

scenario("a sheet ends on the floor under each", function()
  for _, pipeline in ipairs {
    { preset = "provot", integrator = "implicit_euler" },
    "bridson",
    "bridson_source",
    { preset = "bridson", broad = "brute" },
    { preset = "provot", integrator = "implicit_euler", narrow = "certified_ccd", failsafe = "zones", strain = "none" },
    { preset = "bridson", response = "bridson_source", narrow = "cubic_ccd", failsafe = "none" },
    { preset = "bigliani", integrator = "implicit_euler" },
    { preset = "bigliani", integrator = "implicit_euler", narrow = "edge_plane_crossing", response = "bigliani_at_q" },
    { preset = "jung", internal = "material" },
    { preset = "aabb", integrator = "implicit_euler", internal = "material" },
  } do
    local world <close>, sheet = falling(pipeline)
    for _ = 1, 60 do world:step() end
    local stats = world:stats()
    assert(stats.contacts > 0 and stats.unresolved == 0)
    expect(world):penetration_free()
    expect(sheet:centroid().y):at_most(0.01)
  end
end)

scenario("rules and hooks see the contacts of every round", function()
  local world <close>, sheet = falling "bridson_source"
  local asked, hooked = 0, 0
  world:on("contacts", function() hooked = hooked + 1 end)
  world:respond(muslin.response {
    trace = false,
    rule = function(c)
      asked = asked + 1
      expect(c.normal:length()):near(1, 1e-9)
      local vn, vt = c.normal:dot(c.velocity), c.velocity - c.normal:dot(c.velocity) * c.normal
      return c.mass * (muslin.max(-vn, 0) * c.normal - vt)
    end,
    between = { sheet, "floor" },
  })
  for _ = 1, 60 do world:step() end
  assert(asked > 0 and hooked >= 60)
  assert(world:audit().clean)
  for i = 1, #sheet.v do expect(sheet.v[i].x):near(0, 1e-2) end -- it sticks
end)

scenario("what does not fit is named, with the reason", function()
  raises("field 'response' names no stage 'provott' %(nearest: 'provot'%)", { response = "provott" })
  raises("field 'narrow' names no stage 'cubic' %(nearest: 'cubic_ccd'%)", { preset = "provot", narrow = "cubic" })
  raises("no preset 'bridsen' %(did you mean 'bridson'%?%)", "bridsen")
  raises("narrow 'cubic_ccd' and response 'bridson' belong to different families %(classic and impulse%)",
    { narrow = "cubic_ccd" })
  raises("response 'provot' belong to different families %(potential and classic%)",
    { preset = "provot", failsafe = "truncation" })
  raises("failsafe 'provot_zones' asks whether anything still meets, which narrow 'proximity' cannot tell",
    { preset = "provot", narrow = "proximity" })
end)
