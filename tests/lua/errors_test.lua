-- errors_test.lua: every mistake is reported with object, field, value and remedy, and with the script's line in front.
local muslin = require "muslin"

local function small(options)
  local world = muslin.world(options)
  local cloth = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = { 4, 4 }, size = { 1, 1 } } }
  return world, cloth
end

local function raises(pattern, f)
  expect(f):raises("errors_test%.lua:%d+: .*" .. pattern)
end

scenario("options of a world", function()
  raises("world: field 'dt' must be > 0 s %(got %-1%)", function() muslin.world { dt = -1 } end)
  raises("world: field 'dt' must be > 0 s %(got 0%)", function() muslin.world { dt = 0 } end)
  raises("world: unknown field 'gravty' %(did you mean 'gravity'%?%)", function() muslin.world { gravty = { 0, 0, 0 } } end)
  raises("world: field 'gravity' must be three numbers", function() muslin.world { gravity = 9.81 } end)
  raises("world: field 'dt' must be a number %(got '1/240'%)", function() muslin.world { dt = "1/240" } end)
  raises("world: field 'dt' must be a finite number %(got not a number%)", function() muslin.world { dt = 0 / 0 } end)
  raises("world: field 'pipeline': no preset 'robst' %(did you mean 'robust'%?%)", function()
    muslin.world { pipeline = "robst" }
  end)
  raises("world.pipeline: unknown field 'brod' %(did you mean 'broad'%?%)", function()
    muslin.world { pipeline = { brod = "brute" } }
  end)
  raises("pipeline: field 'broad' names no stage 'brut'.*'brute'", function()
    muslin.world { pipeline = { broad = "brut" } }
  end)
  raises("world: field 'threads' must be", function() muslin.world { threads = -1 } end)
  raises("world: expected one table of options", function() muslin.world(3) end)
end)

scenario("options of cloth and obstacles", function()
  local world <close> = muslin.world()
  raises("cloth: field 'name' must not hold a zero byte %(got one at 2%)", function()
    world:cloth { name = "a\0b", mesh = muslin.mesh.grid { nodes = { 2, 2 } } }
  end)
  raises("world: ignore {a, b}: a must not hold a zero byte", function() world:ignore { "a\0b", "c" } end)
  raises("cloth: field 'mesh' is missing", function() world:cloth { name = "a" } end)
  raises("cloth: field 'mesh' must be a mesh", function() world:cloth { mesh = 3 } end)
  raises("cloth: unknown field 'tickness' %(did you mean 'thickness'%?%)", function()
    world:cloth { mesh = muslin.mesh.grid { nodes = { 2, 2 } }, tickness = 1 }
  end)
  raises("cloth: field 'thickness' must be > 0 m %(got 0%)", function()
    world:cloth { mesh = muslin.mesh.grid { nodes = { 2, 2 } }, thickness = 0 }
  end)
  raises("cloth: field 'thickness' must be less than the size of 'mesh', which is 5 m from corner to corner of the box around it "
    .. "%(got 5%); both are in meters", function()
    world:cloth { mesh = muslin.mesh.grid { nodes = { 2, 2 }, size = { 3, 4 } }, thickness = 5 }
  end)
  world:remove(world:cloth { mesh = muslin.mesh.grid { nodes = { 2, 2 }, size = { 3, 4 } }, thickness = 4.9 })
  world:remove(world:cloth { mesh = muslin.mesh.grid { nodes = { 2, 2 }, size = { 3, 3 } },
    rest = muslin.mesh.grid { nodes = { 2, 2 }, size = { 3, 4 } }, thickness = 4.9 })
  raises("material: .*'coton'.*'cotton'", function()
    world:cloth { mesh = muslin.mesh.grid { nodes = { 2, 2 } }, material = "coton" }
  end)
  raises("obstacle: give 'mesh', or 'shape'", function() world:obstacle {} end)
  raises("obstacle: field 'shape': no shape 'spher' %(did you mean 'sphere'%?%)", function()
    world:obstacle { shape = "spher" }
  end)
  raises("obstacle: field 'radius' is missing", function() world:obstacle { shape = "sphere" } end)
  raises("obstacle: field 'radius' does not belong to shape 'box'", function()
    world:obstacle { shape = "box", size = { 1, 1, 1 }, radius = 1 }
  end)
  raises("obstacle: field 'radius' must be > 0 m", function() world:obstacle { shape = "sphere", radius = -1 } end)
  raises("obstacle: field 'rotation' must be a unit quaternion", function()
    world:obstacle { shape = "box", size = { 1, 1, 1 }, rotation = { 1, 1, 0, 0 } }
  end)
  world:cloth { name = "same", mesh = muslin.mesh.grid { nodes = { 2, 2 } } }
  raises("'same'", function() world:obstacle { name = "same", shape = "sphere", radius = 1 } end)
end)

scenario("for other systems' words the message has ours", function()
  local world <close>, sheet = small()
  local function names(word, ours, f)
    raises(("unknown field '%s' %%(did you mean '%s'%%?%%)"):format(word, ours), f)
  end
  for word, ours in pairs {
    position = "at", center = "at", orientation = "rotation", mu = "friction", Type = "shape", initial_velocity = "velocity",
  } do
    names(word, ours, function() world:obstacle { shape = "sphere", radius = 1, [word] = 1 } end)
  end
  for word, ours in pairs { timestep = "dt", time_step = "dt", end_time = "duration", integrator = "pipeline", g = "gravity" } do
    names(word, ours, function() muslin.world { [word] = 1 } end)
  end
  names("resolution", "nodes", function() muslin.mesh.grid { resolution = 10 } end)
  names("at", "center", function() muslin.mesh.grid { nodes = { 2, 2 }, at = { 0, 1, 0 } } end)
  names("position", "center", function() muslin.mesh.sphere { radius = 1, position = { 0, 1, 0 } } end)
  names("velocity0", "velocity", function() world:cloth { mesh = muslin.mesh.grid { nodes = { 2, 2 } }, velocity0 = { 0, 1, 0 } } end)
  raises("cloth: unknown field 'density': it is the material's, as in material = {density = ...}", function()
    world:cloth { mesh = muslin.mesh.grid { nodes = { 2, 2 } }, density = 0.2 }
  end)
  raises("cloth: unknown field 'at': the mesh has the place, as in muslin.mesh.grid {center = {x, y, z}, ...}", function()
    world:cloth { mesh = muslin.mesh.grid { nodes = { 2, 2 } }, at = { 0, 1, 0 } }
  end)
  raises("cloth: unknown field 'pinned': call cloth:pin", function()
    world:cloth { mesh = muslin.mesh.grid { nodes = { 2, 2 } }, pinned = true }
  end)
  raises("obstacle: field 'mass' is missing, motion = 'dynamic' needs it", function()
    world:obstacle { shape = "sphere", radius = 1, motion = "dynamic" }
  end)
  raises("must be a muslin.response or its options, as {rule = f} %(got a function%)", function() world:respond(function() end) end)
  raises("no field 'positions' %(did you mean 'x'%?%)", function() return sheet.positions end)
  raises("cloth:pin: expected one table of options: cloth:pin {corners = true} %(got 'corners'%)", function() sheet:pin "corners" end)
  raises("cloth:unpin: expected one table of options: cloth:unpin {corners = true}", function() sheet:unpin "corners" end)
  raises("cloth:pin: expected one table of options %(got 'edges'%)", function() sheet:pin "edges" end)
end)

scenario("meshes", function()
  raises("mesh.grid: field 'nodes' must be at least 2 x 2 %(got 1 x 5%)", function()
    muslin.mesh.grid { nodes = { 1, 5 } }
  end)
  raises("mesh.grid: field 'nodes' is missing", function() muslin.mesh.grid {} end)
  raises("mesh.grid: field 'nodes' must be two whole numbers", function() muslin.mesh.grid { nodes = { 2.5, 2 } } end)
  raises("mesh.new: field 'faces' %[1%] must be three whole numbers", function()
    muslin.mesh.new { vertices = { { 0, 0, 0 } }, faces = { { 0, 1, 2 } } }
  end)
  raises("mesh", function() muslin.mesh.new { vertices = { { 0, 0, 0 } }, faces = { { 1, 2, 3 } } } end)
  raises("no_such%.obj", function() muslin.mesh.load "no_such.obj" end)
  local folded = muslin.mesh.new {
    vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0, -1, 0 } },
    faces = { { 1, 2, 3 }, { 1, 2, 4 }, { 1, 2, 5 } },
  }
  raises("face 3", function() folded:check() end)
  local world <close> = muslin.world()
  raises("face 3", function() world:cloth { mesh = folded } end)
  local flat = muslin.mesh.new { vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 } }, faces = { { 1, 2, 3 } } }
  raises("face 1", function() world:cloth { mesh = flat } end)
  local holed = muslin.mesh.grid { nodes = { 3, 3 } }
  holed.x[5] = { 0 / 0, 0, 0 }
  raises("vertex 5 must be finite %(got {not a number, 0, 0}%)", function() world:cloth { mesh = holed } end)
end)

scenario("fields that do not exist or cannot be set", function()
  local world <close>, cloth = small()
  raises("world: step%(%) plays one step of world.dt and takes no arguments %(got 3%)", function() world:step(3) end)
  raises("world: run_frame%(%) plays one frame of 1/fps s and takes no arguments %(got 0.5%)", function() world:run_frame(0.5) end)
  raises("wind: it takes a function .*world.wind = {x, y, z}", function() muslin.wind { 4, 0, 0 } end)
  raises("world: no field 'tim' %(did you mean 'time'%?%)", function() return world.tim end)
  raises("world: no field 'clot' %(did you mean 'cloth'%?%)", function() return world.clot end)
  raises("world: field 'dt' cannot be set", function() world.dt = 1 end)
  raises("cloth: no field 'pins' %(did you mean 'pin'%?%)", function() return cloth.pins end)
  raises("cloth: field 'x' is an array", function() cloth.x = 1 end)
  raises("muslin: no name 'wrld' %(did you mean 'world'%?%)", function() return muslin.wrld end)
  raises("world: call it as world:step", function() world.step() end)
  raises("world: no event 'after_stp' %(did you mean 'after_step'%?%)", function()
    world:on("after_stp", function() end)
  end)
  raises("world: on%(event, f%): f must be a function %(got nil%)", function() world:on "frame" end)
  raises("world: off%(token%)", function() world:off(99) end)
end)

scenario("pins", function()
  local world <close>, cloth = small()
  raises("cloth:pin: say which vertices", function() cloth:pin {} end)
  raises("whole numbers from 1 to 16 %(got 17%)", function() cloth:pin { vertices = { 1, 17 } } end)
  raises("whole numbers from 1 to 16 %(got 0%)", function() cloth:pin { vertices = { 0 } } end)
  raises("whole numbers from 1 to 16 %(got 1%.5%)", function() cloth:pin { vertices = { 1.5 } } end)
  raises("whole numbers from 1 to 16 %(got not a number%)", function() cloth:pin { vertices = { 0 / 0 } } end)
  raises("cloth:pin: give only one of", function() cloth:pin { vertices = { 1 }, corners = true } end)
  raises("cloth:pin: unknown field 'corner'", function() cloth:pin { corner = true } end)
  raises("cloth:pin: field 'to' must be an obstacle", function() cloth:pin { corners = true, to = cloth } end)
  local free = world:cloth { mesh = muslin.mesh.disc { radius = 0.1, center = { 0, 3, 0 } } }
  raises("cloth:pin: field 'corners' needs a mesh that is a grid", function() free:pin { corners = true } end)
end)

scenario("stale handles and closed worlds have errors of their own", function()
  local world, cloth = small()
  local x = cloth.x
  world:remove(cloth)
  raises("cloth 'sheet': it was removed from its world", function() return cloth.vertex_count end)
  raises("cloth 'sheet': it was removed from its world", function() return x[1] end)
  raises("cloth 'sheet': it was removed from its world", function() cloth:pin { vertices = { 1 } } end)
  raises("cloth 'sheet': it was removed from its world", function() world:remove(cloth) end)
  assert(not cloth.alive)
  local again = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = { 2, 2 } } }
  assert(again.alive and not cloth.alive, "a handle must not come to life again with a new object")
  local v = again.v
  world:close()
  world:close()
  raises("world: step: the world was closed", function() world:step() end)
  raises("world was closed", function() return world.time end)
  raises("cloth 'sheet': its world was closed", function() return again.vertex_count end)
  raises("cloth 'sheet': its world was closed", function() return v[1] end)
  assert(world.closed and tostring(world):find "closed")
end)

scenario("objects of another world are refused", function()
  local a <close>, cloth = small()
  local b <close> = small()
  raises("belongs to another world", function() b:remove(cloth) end)
  local ball = b:obstacle { shape = "sphere", radius = 0.1, at = { 0, 5, 0 } }
  raises("belongs to another world", function() cloth:pin { vertices = { 1 }, to = ball } end)
  assert(a.time == b.time)
end)

scenario("sheets that intersect at the start are both named", function()
  local world <close> = small()
  world:cloth {
    name = "other",
    mesh = muslin.mesh.grid { nodes = { 4, 4 }, size = { 1, 1 }, plane = "xy", center = { 0.01, 0, 0.013 } },
  }
  raises("sheet", function() world:step() end)
  raises("other", function() world:step() end)
end)

scenario("positions that are not finite are named at the next step", function()
  local world <close>, cloth = small()
  cloth.x[7] = { 0, 1 / 0, 0 }
  raises("vertex 7", function() world:step() end)
  assert(world.time == 0 and world.step_index == 0)
end)

-- The line below the one that calls it, as messages tell it.
local function below()
  local _, message = pcall(function() error("", 4) end) -- past itself, pcall and this function
  return ("errors_test.lua:%d:"):format(message:match ":(%d+):" + 1)
end

scenario("a number that is not finite is reported with the line that wrote it, when its hook ends", function()
  local line
  for _, event in ipairs { "before_step", "candidate", "after_step", "frame" } do
    local world <close>, cloth = small()
    world:on(event, function(_, t)
      line = below()
      cloth.v[5] = { 0, t > 0 and 0 / 0 or 0, 0 }
    end)
    local step = world.step_index
    local _, message = pcall(function() for _ = 1, 3 do world:run_frame() end end)
    assert(message:find(line .. " cloth 'sheet': the velocity of vertex 5 is not finite", 1, true), message)
    assert(message:find("(hook " .. event .. ", tests/lua/errors_test.lua:", 1, true), message)
    assert(event == "frame" or world.step_index <= step + 1)
  end
end)

scenario("whole arrays too: their line where only one wrote, else the hook and its lines", function()
  local world <close>, cloth = small()
  local line
  local token = world:on("after_step", function()
    line = below()
    cloth.v:scale(0 / 0)
  end)
  raises("the velocity of vertex 1 is not finite", function() world:step() end)
  local _, message = pcall(world.step, world)
  assert(message:find(line, 1, true), message)
  world:off(token)
  token = world:on("after_step", function()
    cloth.v:add { 0, 0, 0 }
    cloth.v:add { 1 / 0, 0, 0 }
  end, "the mill")
  raises("not finite; write numbers only %(hook after_step, the mill%); its arrays were written at "
    .. ".*errors_test.lua:%d+ and .*errors_test.lua:%d+", function() world:step() end)
  world:off(token)
  token = world:force(function(each)
    line = below()
    each.f:add { 0, 1 / 0, 0 }
  end)
  _, message = pcall(world.step, world)
  assert(message:find(line, 1, true) and message:find("the force on vertex 1.*%(force, "), message)
  world:off(token)
  world:step() -- every time the state was as before
  world:script(function(w)
    w:wait(1e-3)
    line = below()
    cloth.x:set(3, 0, 0 / 0, 0)
  end)
  _, message = pcall(world.advance, world, 0.1)
  assert(message:find(line, 1, true) and message:find("the position of vertex 3.*%(script, "), message)
end)

scenario("between steps the writing line is reported by the step; what was mended in time is not", function()
  local world <close>, cloth = small()
  cloth.v[2] = { 0 / 0, 0, 0 }
  cloth.v[2] = { 0, 0, 0 }
  world:step()
  local line = below()
  cloth.v[2] = { 0 / 0, 0, 0 }
  local _, message = pcall(world.step, world)
  assert(message:find(line, 1, true) and message:find("the velocity of vertex 2", 1, true), message)
end)

scenario("materials", function()
  raises("material: field 'density' must be > 0", function() muslin.material { density = -1 } end)
  raises("material: unknown field 'strech' %(did you mean 'stretch'%?%)", function() muslin.material { strech = 1 } end)
  raises("material: field 'model' must be 'springs', 'mass_spring', 'choi_ko', 'square_network', 'stvk', "
    .. "'neo_hookean' or 'measured' %(got 'rubber'%)",
    function() muslin.material { model = "rubber" } end)
  raises("material: field 'stretch_warp' is of the models 'stvk'.*and the model is 'springs'",
    function() muslin.material { stretch_warp = 100 } end)
  raises("material: field 'stretch' is of the models 'springs', 'mass_spring' and 'choi_ko', and the model is 'stvk'",
    function() muslin.material { model = "stvk", stretch = 100 } end)
  raises("'stretch_poisson' must lie within .* 100 N/m %(got 200%)",
    function() muslin.material { model = "stvk", stretch_warp = 100, stretch_weft = 100, stretch_poisson = 200 } end)
  raises("'neo_hookean' needs stretch_warp and stretch_weft of at least .* 140 N/m %(got 100 and 300%)", function()
    muslin.material {
      model = "neo_hookean", stretch_warp = 100, stretch_weft = 300, stretch_poisson = 20, stretch_shear = 60,
    }
  end)
  raises("material: field 'bending_weft' must be >= 0 N m %(got %-1",
    function() muslin.material { model = "stvk", bending_weft = -1 } end)
  raises("'bending_bias' must be at most 0.95 of .* = 3.42 N m %(got 4%)",
    function() muslin.material { model = "stvk", bending_warp = 1, bending_weft = 9, bending_bias = 4 } end)
  raises("'bending_model' must be 'hinge' or 'quadratic' %(got 'cubic'%)",
    function() muslin.material { model = "stvk", bending_model = "cubic" } end)
  raises("'bending_model' is of membranes", function() muslin.material { bending_model = "hinge" } end)
  raises("'limit_stiffness' %(100 N/m%) needs a strain_limit > 0",
    function() muslin.material { model = "stvk", strain_limit = 0, limit_stiffness = 100 } end)
  raises("the model 'measured' needs a measured fabric; start from a preset such as '11oz%-black%-denim'",
    function() muslin.material { model = "measured" } end)
  raises("'bending' is of all models but 'measured', and the model is 'measured'",
    function() muslin.material { preset = "gray-interlock", bending = 1 } end)
  local world <close> = muslin.world()
  raises("cloth 's': the quadratic bending model needs a flat rest shape", function()
    world:cloth {
      name = "s", mesh = muslin.mesh.sphere { radius = 0.2 }, material = { model = "stvk", bending_model = "quadratic" },
    }
  end)
  raises("material: field 'stretch' cannot be set", function() muslin.material("cotton").stretch = 1 end)
end)

scenario("rules and responses", function()
  raises("response: field 'trace' must be true or false", function() muslin.response { rule = "provot", trace = "x" } end)
  raises("response: field 'trace' is for a function in field 'rule'", function()
    muslin.response { rule = "provot", trace = false }
  end)
  raises("rule: field 'trace' must be true or false", function() muslin.rule({ trace = 1 }, function() end) end)
  raises("rule: unknown field 'tarce' %(did you mean 'trace'%?%)", function() muslin.rule({ tarce = false }, print) end)
  raises("rule: field 'check' compares the traced function", function()
    muslin.rule({ check = true, trace = false }, print)
  end)
  raises("rule: field 'per' must be", function() muslin.rule({ per = "vertex" }, print) end)
  raises("rule: the rule must be a function %(got nil%)", function() muslin.rule(nil) end)
  raises("response: unknown field 'frction' %(did you mean 'friction'%?%)", function()
    muslin.response { frction = 1 }
  end)
  raises("response: field 'friction' must be >= 0", function() muslin.response { rule = "bridson", friction = -1 } end)
  raises("response: field 'restitution' must be from 0 to 1", function()
    muslin.response { rule = "bridson", restitution = 2 }
  end)
  raises("response: field 'between' must be a list of one or two", function()
    muslin.response { rule = "bridson", between = {} }
  end)
end)

scenario("queries", function()
  raises("ccd.vertex_face: t0 must be a list of 12 numbers, or of 4 places %(got 3 items%)", function()
    muslin.ccd.vertex_face({ 1, 2, 3 }, {})
  end)
  raises("intersects: the first triangle must be a list of 9 numbers", function() muslin.intersects(1, 2) end)
end)
