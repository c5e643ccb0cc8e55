-- world_test.lua: options, fields and methods of worlds, cloths, obstacles, meshes and materials.
local muslin = require "muslin"

scenario("a world's fields", function()
  local world <close> = muslin.world { dt = 1 / 100, fps = 25, duration = 2, gravity = { 0, -1, 0 }, seed = 7, threads = 1 }
  assert(world.dt == 1 / 100 and world.fps == 25 and world.duration == 2 and world.seed == 7 and world.threads == 1)
  assert(world.gravity.y == -1 and world.time == 0 and world.frame == 0 and world.steps_per_frame == 4)
  expect(world.step_size):near(1 / 100, 1e-15)
  world.gravity = { 1, 2, 3 }
  world.wind = muslin.vec3(4, 5, 6)
  assert(world.gravity == muslin.vec3(1, 2, 3) and world.wind == muslin.vec3(4, 5, 6))
  assert(world.pipeline.broad == "box_tree" and world.pipeline.integrator == "implicit_euler")
  local other <close> = muslin.world { pipeline = { preset = "robust", broad = "brute" } }
  assert(other.pipeline.broad == "brute" and other.pipeline.failsafe == "zones")
end)

scenario("every preset is made of stages that exist", function()
  local known = {}
  for _, stage in ipairs(muslin.stages()) do
    known[stage.kind .. " " .. stage.name] = true
    assert(#stage.doc > 0)
  end
  local count = 0
  for name, preset in pairs(muslin.pipelines) do
    count = count + 1
    assert(#preset.doc > 0)
    for kind, stage in pairs(preset) do
      assert(kind == "doc" or kind == "collision_step" or known[kind .. " " .. stage], name .. ": " .. stage)
    end
    local world <close> = muslin.world { pipeline = name }
    for kind, stage in pairs(world.pipeline) do
      expect(stage, name .. ": " .. kind):equals(preset[kind] or kind == "collision_step" and "step")
    end
  end
  assert(count >= 2)
  local default <close> = muslin.world()
  for kind, stage in pairs(default.pipeline) do assert((muslin.pipelines.robust[kind] or "step") == stage) end
end)

scenario("objects are found, listed and removed", function()
  local world <close> = muslin.world()
  local a = world:cloth { name = "a", mesh = muslin.mesh.grid { nodes = { 3, 3 } } }
  local b = world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 }, center = { 0, 1, 0 } } }
  local o = world:obstacle { name = "o", shape = "sphere", radius = 0.1, at = { 0, 5, 0 } }
  assert(#world.cloths == 2 and world.cloths[1] == a and world.cloths[2] == b and world.obstacles[1] == o)
  assert(world:find "a" == a and world:find "o" == o and world:find "none" == nil)
  assert(a.name == "a" and a.world == world and b.name == "cloth1" or b.name == "cloth2")
  world:step()
  world:remove(a)
  world:remove(o)
  assert(#world.cloths == 1 and world.cloths[1] == b and #world.obstacles == 0 and world:find "a" == nil)
  world:step()
end)

scenario("a cloth's fields", function()
  local world <close> = muslin.world()
  local mesh = muslin.mesh.grid { nodes = { 5, 4 }, size = { 1, 2 } }
  local cloth = world:cloth {
    mesh = mesh, material = muslin.material { preset = "cotton", density = 0.5 }, thickness = 2e-3, friction = 0.7,
    restitution = 0.1, velocity = { 1, 2, 3 },
  }
  assert(cloth.vertex_count == 20 and cloth.face_count == 24 and cloth.edge_count == #cloth:edges())
  assert(#cloth:faces() == 24 and #cloth:rest_lengths() == cloth.edge_count)
  assert(cloth.thickness == 2e-3 and cloth.friction == 0.7 and cloth.restitution == 0.1)
  assert(cloth.material.density == 0.5)
  expect(cloth.m:sum()):near(0.5 * 2, 1e-12)
  assert(cloth.v[7] == muslin.vec3(1, 2, 3))
  local low, high = cloth:bounds()
  assert(low == muslin.vec3(-0.5, 0, -1) and high == muslin.vec3(0.5, 0, 1))
  expect(cloth:centroid():length()):near(0, 1e-12)
  expect(math.abs(cloth.normal[1].y)):near(1, 1e-12)
  expect(cloth:strain().max):near(0, 1e-12)
  local copy = cloth:mesh()
  assert(copy.vertex_count == 20 and copy.grid_nodes[1] == 5 and copy.x[20] == cloth.x[20])
end)

scenario("normals follow writes", function()
  local world <close> = muslin.world()
  local cloth = world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 } } }
  local sign = cloth.normal[5].y
  cloth.x:transform { rotation = { math.cos(math.pi / 4), 0, 0, math.sin(math.pi / 4) } } -- a quarter about z
  expect(cloth.normal[5].x):near(-sign, 1e-9)
end)

scenario("rest shapes", function()
  local world <close> = muslin.world { gravity = { 0, 0, 0 } }
  local mesh = muslin.mesh.grid { nodes = { 3, 3 }, size = { 1, 1 } }
  local wide = mesh:copy():transform { scale = 1.05 }
  local cloth = world:cloth { mesh = wide, rest = mesh }
  expect(cloth:strain().max):near(0.05, 1e-9)
  local uv = world:cloth { mesh = wide:copy():transform { position = { 0, 1, 0 } }, rest = "uv" }
  expect(uv:strain().mean):near(0.05, 1e-9)
end)

scenario("pins hold", function()
  local world <close> = muslin.world()
  local cloth = world:cloth { mesh = muslin.mesh.grid { nodes = { 6, 6 }, center = { 0, 2, 0 } } }
  assert(cloth:pin { corners = true } == 4)
  assert(cloth:pinned(1) and cloth:pinned(6) and cloth:pinned(31) and cloth:pinned(36) and not cloth:pinned(2))
  local before = cloth.x[1]
  for _ = 1, 20 do world:step() end
  assert(cloth.x[1] == before and cloth.inverse_mass[1] == 0 and cloth.m[1] > 0)
  assert(cloth.x[15].y < 2)
  cloth:unpin { vertices = { 1, 6 } }
  assert(not cloth:pinned(1) and #cloth:pinned() == 2)
  assert(cloth:pin { where = function(x, y, z, i) return x > 0.49 and y and z and i end } == 6)
  cloth:unpin()
  assert(#cloth:pinned() == 0)
  cloth:pin { vertices = cloth.x:where(function(x) return x < -0.4 end) }
  assert(#cloth:pinned() > 0)
end)

scenario("pins follow obstacles and paths", function()
  local world <close> = muslin.world { dt = 1 / 240 }
  local cloth = world:cloth { mesh = muslin.mesh.grid { nodes = { 6, 6 }, center = { 0, 2, 0 } } }
  local bar = world:obstacle { shape = "box", size = { 1, 0.1, 0.1 }, at = { 0, 2.5, 0 } }
  bar:move(function(t) return { t, 2.5, 0 } end)
  local a, b = cloth.x[1], cloth.x[6]
  cloth:pin { vertices = { 1 }, to = bar }
  cloth:pin { vertices = { 6 }, path = function(t, i)
    assert(i == 6)
    return { b.x + t, b.y, b.z + 0.1 * t }
  end }
  for _ = 1, 12 do world:step() end
  local t = world.time
  expect(cloth.x[1]:distance(a + muslin.vec3(t, 0, 0))):near(0, 1e-9)
  expect(cloth.x[6]:distance(b + muslin.vec3(t, 0, 0.1 * t))):near(0, 1e-9)
  expect(bar.position.x):near(t, 1e-12)
  cloth:unpin { vertices = { 6 } }
  collectgarbage()
  for _ = 1, 3 do world:step() end
end)

scenario("paths that are replaced again and again are released", function()
  local world <close> = muslin.world()
  local cloth = world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 } } }
  local alive = setmetatable({}, { __mode = "k" })
  for k = 1, 400 do
    local x = cloth.x[1]
    local function path() return x end
    alive[path] = k
    cloth:pin { vertices = { 1 }, path = path }
    if k % 50 == 0 then world:step() end
  end
  world:step()
  collectgarbage()
  collectgarbage()
  local count = 0
  for _ in pairs(alive) do count = count + 1 end
  assert(count < 200, count .. " of 400 functions are kept")
end)

scenario("motions", function()
  local world <close> = muslin.world { dt = 1 / 100, fps = 100 }
  world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 }, center = { 0, 9, 0 } } }
  local box = world:obstacle { shape = "box", size = { 1, 1, 1 }, at = { 0, 1, 0 } }
  expect(function() box:move(function() return { 0, 2, 0 } end) end):raises "1"
  expect(function() box:move(function() return 3 end) end):raises "must return a place"
  expect(function() box:move(function() error "oops" end) end):raises "oops"
  expect(function() box:move(function() return { 0, 1, 0 }, { 2, 0, 0, 0 } end) end):raises "unit quaternion"
  assert(box.position == muslin.vec3(0, 1, 0))
  assert(box:move(function(t)
    return { t, 1, 0 }, { math.cos(t / 2), 0, math.sin(t / 2), 0 }
  end) == box)
  for _ = 1, 50 do world:step() end
  expect(box.position.x):near(0.5, 1e-12)
  expect(box.rotation[3]):near(math.sin(0.25), 1e-9)
  box:move(nil)
  world:step()
  expect(box.position.x):near(0.5, 1e-12)
  box:move(function(t)
    if t > 0.6 then error "too late" end
    return { t - 0.01, 1, 0 }, box.rotation
  end)
  expect(function() for _ = 1, 50 do world:step() end end):raises "too late"
  expect(world.time):near(0.6, 0.02)
end)

scenario("animated obstacles", function()
  local world <close> = muslin.world { dt = 1 / 100, fps = 100, gravity = { 0, 0, 0 } }
  world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 }, center = { 0, 9, 0 } } }
  local mesh = muslin.mesh.sphere { radius = 0.3, subdivisions = 1 }
  local ball = world:obstacle { mesh = mesh }
  local frames = { mesh, mesh:copy():transform { position = { 1, 0, 0 } } }
  expect(function() ball:animate {} end):raises "give 'cache', the path of a file of positions, or 'frames' %(got neither%)"
  expect(function() ball:animate { cache = "none.pc2" } end):raises "none%.pc2"
  expect(function() ball:animate { frames = { 1 } } end):raises "frame 1 must be a mesh or an array"
  ball:animate { frames = frames, fps = 10 }
  local before = ball:mesh().x[1]
  for _ = 1, 5 do world:step() end
  expect(ball:mesh().x[1].x - before.x):near(0.5, 1e-9)
  for _ = 1, 10 do world:step() end
  expect(ball:mesh().x[1].x - before.x):near(1, 1e-9)
end)

scenario("obstacles know their shape", function()
  local world <close> = muslin.world()
  local capsule = world:obstacle {
    shape = "capsule", radius = 0.1, length = 0.5, at = { 1, 2, 3 }, friction = 0.9, thickness = 1e-3, restitution = 0.5,
  }
  assert(capsule.shape == "capsule" and capsule.radius == 0.1 and capsule.length == 0.5 and capsule.size == nil)
  assert(capsule.friction == 0.9 and capsule.thickness == 1e-3 and capsule.restitution == 0.5)
  assert(capsule.position == muslin.vec3(1, 2, 3) and capsule.rotation[1] == 1)
  assert(capsule:mesh().face_count > 100)
  local plane = world:obstacle { shape = "plane", normal = { 0, 2, 0 } }
  assert(plane.normal == muslin.vec3(0, 1, 0) and plane.shape == "plane")
  local q = { math.cos(0.3), 0, 0, math.sin(0.3) }
  local tilted = world:obstacle { shape = "plane", normal = { 0, 1, 0 }, rotation = q, at = { 0, -9, 0 } }
  expect(tilted.normal:distance { -math.sin(0.6), math.cos(0.6), 0 }):near(0, 1e-12)
end)

scenario("meshes are made, measured and transformed", function()
  local grid = muslin.mesh.grid { nodes = { 3, 4 }, size = { 2, 3 }, plane = "xy", center = { 0, 1, 0 } }
  assert(grid.vertex_count == 12 and grid.face_count == 12 and grid.grid_nodes[1] == 3 and grid.grid_nodes[2] == 4)
  expect(grid:area()):near(6, 1e-12)
  local report = grid:check()
  assert(report.components == 1 and not report.closed and report.boundary_loops == 1 and report.orientable)
  assert(muslin.mesh.sphere { radius = 1, subdivisions = 2 }.face_count == 320)
  assert(muslin.mesh.icosahedron { radius = 1 }:check().closed)
  assert(muslin.mesh.box { size = { 1, 2, 3 } }.face_count == 12)
  expect(muslin.mesh.box { size = { 1, 2, 3 } }:area()):near(22, 1e-12)
  assert(muslin.mesh.capsule { radius = 1, length = 2 }:check().closed)
  assert(muslin.mesh.disc { radius = 1, rings = 3 }:check().boundary_loops == 1)
  local strip = muslin.mesh.strip { nodes = { 2, 9 }, size = { 0.1, 1 } }
  local low, high = strip:bounds()
  assert(low.y == -0.5 and high.y == 0.5 and low.z == 0)
  assert(grid:subdivide(2).face_count == 12 * 16)
  local one = muslin.mesh.new {
    vertices = { { 0, 0, 0 }, muslin.vec3(1, 0, 0), { 0, 1, 0 } },
    faces = { { 1, 2, 3 } },
    uv = { { 0, 0 }, { 1, 0 }, { 0, 1 } },
  }
  assert(one.uv_count == 3 and one:faces()[1][3] == 3)
  one:transform { scale = 2 }
  expect(one:area()):near(2, 1e-12)
  one.x[2] = { 4, 0, 0 }
  expect(one:area()):near(4, 1e-12)
end)

scenario("a view keeps its mesh", function()
  local x = muslin.mesh.grid { nodes = { 30, 30 } }.x
  for _ = 1, 3 do collectgarbage() end
  assert(#x == 900 and x[1].x == -0.5)
end)

scenario("materials", function()
  local names = muslin.material.presets()
  assert(#names >= 1)
  for _, name in ipairs(names) do assert(muslin.material(name).name == name) end
  local m = muslin.material { preset = names[1], name = "mine", stretch = 123 }
  assert(m.stretch == 123 and m.name == "mine" and m:totable().stretch == 123)
  local other = m:with { density = 0.3 }
  assert(other.density == 0.3 and other.stretch == 123 and m.density ~= 0.3)
  local stvk = m:with { model = "stvk", stretch_weft = 777 }
  assert(stvk.model == "stvk" and stvk.stretch_weft == 777 and stvk.stretch_warp > 0)
  local t = stvk:totable()
  assert(t.model == "stvk" and t.stretch_weft == 777 and t.stretch == nil and m:totable().stretch_weft == nil)
  assert(t.bending_model == "hinge" and t.bending_warp == stvk.bending and stvk.bending_bias == stvk.bending)
  t.name = nil
  assert(muslin.material(t).stretch_weft == 777)
end)

-- A sheet that hangs by two corners under its own weight, for each model and integrator: it holds, and hangs.
scenario("membranes hold their weight", function()
  local hung = {}
  for _, integrator in ipairs { "implicit_euler", "semi_implicit_euler", "rk4" } do
    for _, material in ipairs {
      { model = "stvk", damping = 1e-4, bending_damping = 1e-4 },
      { model = "neo_hookean", damping = 1e-4, bending_damping = 1e-4 },
    } do
      local world <close> = muslin.world { pipeline = { preset = "robust", integrator = integrator } }
      local sheet = world:cloth {
        mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.4, 0.4 }, plane = "xy", center = { 0, 0.2, 0 } },
        material = material,
      }
      sheet:pin { vertices = { 21, 25 } }
      world:advance(0.25)
      expect(world):finite()
      expect(sheet):stretched_at_most(0.05)
      hung[#hung + 1] = sheet.x[3].y
    end
  end
  for k = 1, 4 do expect(hung[k]):near(hung[(k - 1) % 2 + 3], 0.02) end -- one integrator as the other
end)

scenario("the stage internal gives cloth its model", function()
  local world <close> = muslin.world { pipeline = { internal = "choi_ko" } }
  expect(world.pipeline.internal):equals("choi_ko")
  local mesh = muslin.mesh.grid { nodes = { 3, 3 }, size = { 0.1, 0.1 } }
  expect(world:cloth({ mesh = mesh }).material.model):equals("choi_ko")
  expect(world:cloth({ mesh = mesh, material = "white-swim-solid" }).material.model):equals("measured")
  expect(world:cloth({ mesh = mesh, material = { model = "mass_spring" } }).material.model):equals("mass_spring")
  expect(muslin.world().pipeline.internal):equals("material")
  local square = muslin.material { model = "square_network", stretch_warp = 900, bending = 1e-4 }
  expect(square.bending_weft):equals(1e-4)
  expect(square:totable().stretch_poisson):is_nil()
  expect(square:totable().warp_angle):is_nil()
  expect(square:totable().bending_model):is_nil()
  expect(function() square:with { stretch = 1 } end):raises("stretch.*'springs', 'mass_spring' and 'choi_ko'")
  local disc = muslin.mesh.disc { radius = 0.1 }
  expect(function() world:cloth { mesh = disc, name = "round", material = square } end):raises("'round'.*grid")
  local choi = muslin.material { model = "choi_ko", stretch = 300 }
  expect(choi.buckling):equals(300)
  expect(choi:with({ buckling = 20 }).buckling):equals(20)
  expect(choi:totable().compression):is_nil()
  expect(function() choi:with { compression = 1 } end):raises("compression.*'mass_spring' and 'square_network'.*'choi_ko'")
  expect(function() muslin.material { buckling = 1 } end):raises("buckling.*'choi_ko'.*'springs'")
  expect(function() choi:with { buckling = -1 } end):raises("buckling.*>= 0 N/m")
  expect(function() choi:with { bending_model = "quadratic" } end):raises("bending_model.*'choi_ko'")
end)

scenario("strain limits hold in a pipeline", function()
  for _, strain in ipairs { "sweep", "bridson", "jung", "jung_direct" } do
    local world <close> = muslin.world { dt = 1 / 120, pipeline = { strain = strain } }
    local sheet = world:cloth {
      mesh = muslin.mesh.grid { nodes = { 9, 9 }, size = { 0.3, 0.3 } },
      material = { stretch = 5, shear = 5, strain_limit = 0.05 },
    }
    sheet:pin { vertices = { 1, 9 } }
    world:advance(1)
    expect(sheet):stretched_at_most(0.06)
  end
end)

-- What an integrator cannot serve it refuses by the cloth's name, at the first step.
scenario("integrators refuse what they cannot hold", function()
  local function first_step(integrator, material)
    local world <close> = muslin.world { pipeline = { integrator = integrator } }
    world:cloth { name = "sail", mesh = muslin.mesh.grid { nodes = { 3, 3 } }, material = material }
    world:step()
  end
  expect(function() first_step("explicit_euler", { damping = 0 }) end):raises("sail.*explicit_euler.*damping 0 s")
  first_step("explicit_euler", { damping = 0, viscous_damping = 1, stretch = 5, shear = 5, bending = 0 })
  expect(function() first_step("position_based", { model = "stvk" }) end):raises("sail.*position_based.*'stvk'")
  expect(function() muslin.material { viscous_damping = -1 } end):raises("viscous_damping.*>= 0")
  expect(muslin.material({ viscous_damping = 3 }).viscous_damping):equals(3)
end)

scenario("objects that ignore each other pass", function()
  local world <close> = muslin.world()
  local mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.2, 0.2 }, center = { 0, 0.02, 0 } }
  local cloth = world:cloth { name = "sheet", mesh = mesh }
  local floor = world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  world:ignore { "sheet", floor }
  expect(function() world:ignore { "sheet" } end):raises "give the names of two"
  expect(function() world:ignore { "sheet", "flor" } end):raises "no cloth or obstacle is named 'flor'"
  world:advance(0.3)
  assert(cloth:centroid().y < -0.1)
end)

scenario("audits", function()
  local world <close> = muslin.world()
  world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = { 4, 4 } } }
  local report = world:audit()
  assert(report.clean and report.intersections == 0 and #report.findings == 0)
  world:cloth { name = "other", mesh = muslin.mesh.grid { nodes = { 4, 4 }, plane = "xy", center = { 0.01, 0, 0.013 } } }
  report = world:audit { tolerance = 1e-3 }
  assert(not report.clean and report.intersections > 0)
  local one = report.findings[1]
  assert(one.kind == "crossing" and one.objects[1] == "sheet" and one.objects[2] == "other" and one.faces[1] >= 1)
end)

scenario("the same run gives the same hash", function()
  local function run(threads)
    local world <close> = muslin.world { threads = threads }
    world:cloth { mesh = muslin.mesh.grid { nodes = { 12, 12 }, size = { 0.5, 0.5 }, center = { 0, 0.6, 0 } } }
    world:obstacle { shape = "sphere", radius = 0.2, at = { 0, 0.35, 0 } }
    for _ = 1, 40 do world:step() end
    return world:hash()
  end
  local hash = run(1)
  assert(#hash == 16 and run(1) == hash and run(2) == hash and run(3) == hash)
end)

scenario("random numbers come from the seed", function()
  local a <close> = muslin.world { seed = 5 }
  local b <close> = muslin.world { seed = 5 }
  local c <close> = muslin.world { seed = 6 }
  local x = a:random()
  assert(x == b:random() and x ~= c:random() and x >= 0 and x < 1)
  local y = a:random(3, 4)
  assert(y >= 3 and y < 4)
end)

scenario("figures of a step", function()
  local world <close> = muslin.world()
  world:cloth { mesh = muslin.mesh.grid { nodes = { 4, 4 } } }
  world:step()
  local stats = world:stats()
  assert(stats.step_ms > 0 and stats.iterations >= 0 and stats.substeps >= 1 and stats.phase_ms.dynamics >= 0)
  expect(stats.kinetic_energy):near(0.5 * world.cloths[1].m:sum() * (9.81 / 240 / 2) ^ 2, 1e-5)
end)

scenario("queries", function()
  local t0 = { 0, 1, 0, -1, 0, -1, 1, 0, -1, 0, 0, 1 }
  local t1 = { 0, -1, 0, -1, 0, -1, 1, 0, -1, 0, 0, 1 }
  local t = muslin.ccd.vertex_face(t0, t1)
  assert(t <= 0.5 and t > 0.499)
  assert(muslin.ccd.vertex_face(t0, t0) == nil)
  local thick = muslin.ccd.vertex_face(t0, t1, 0.1)
  assert(thick <= 0.45 and thick > 0.449)
  local e0 = { -1, 1, 0, 1, 1, 0, 0, 0, -1, 0, 0, 1 }
  local e1 = { -1, -1, 0, 1, -1, 0, 0, 0, -1, 0, 0, 1 }
  assert(muslin.ccd.edge_edge(e0, e1) <= 0.5)
  local d, w = muslin.distance.vertex_face(t0)
  expect(d):near(1, 1e-12)
  expect(w[1] + w[2] + w[3]):near(1, 1e-12)
  expect((muslin.distance.edge_edge(e0))):near(1, 1e-12)
  local flat, upright = { 0, 0, 0, 1, 0, 0, 0, 0, 1 }, { { 0.2, -1, 0.2 }, { 0.2, 1, 0.2 }, { 0.3, 1, 0.2 } }
  local crosses, how = muslin.intersects(flat, upright)
  assert(crosses and how == "crossing")
  crosses, how = muslin.intersects(flat, { 0, 1, 0, 1, 1, 0, 0, 1, 1 })
  assert(not crosses and how == nil)
  assert(muslin.max(1, 3, 2) == 3 and muslin.min(1, 3, 2) == 1 and muslin.clamp(5, 0, 2) == 2)
  expect(muslin.sin(1)):near(math.sin(1), 1e-15)
end)

scenario("energies of a fall", function()
  local world <close> = muslin.world { dt = 1 / 120, air_density = 0, threads = 1 }
  world:cloth { mesh = muslin.mesh.grid { nodes = { 4, 4 }, size = { 0.1, 0.1 }, center = { 0, 1, 0 } } }
  local start = world:energy()
  assert(start.kinetic == 0 and start.contact == 0 and start.total == start.kinetic + start.elastic + start.gravitational)
  world:advance(0.2)
  local now = world:energy()
  expect(now.total):near(start.total, 1e-3 * start.total)
  expect(now.kinetic):near(start.gravitational - now.gravitational, 1e-3 * start.total)
  assert(now.kinetic > 0.1 * start.total and now.kinetic == world:stats().kinetic_energy)
end)

scenario("masses of vertices by area, or equal", function()
  local world = muslin.world {}
  local function cloth(mass, nodes)
    return world:cloth { mass = mass, mesh = muslin.mesh.grid { nodes = { nodes, nodes }, size = { 1, 1 } }, material = { density = 0.3 },
      self_collision = false }
  end
  for _, nodes in ipairs { 4, 40 } do -- 40 x 40: solved in another order
    local by_area, equal, default = cloth("area", nodes), cloth("equal", nodes), cloth(nil, nodes)
    local sum, least, most = 0, math.huge, 0
    for i = 1, #equal.m do
      sum, least, most = sum + by_area.m[i], math.min(least, by_area.m[i]), math.max(most, by_area.m[i])
      expect(equal.m[i]):near(0.3 / (nodes * nodes), 1e-15)
      expect(equal.inverse_mass[i]):near(nodes * nodes / 0.3, 1e-9)
      expect(default.m[i]):equals(by_area.m[i])
    end
    expect(sum):near(0.3, 1e-12)
    expect(most / least):at_least(3)
  end
  for text, value in pairs { ["(got 'even')"] = "even", ["(got 3)"] = 3 } do
    local ok, message = pcall(cloth, value, 4)
    expect(ok):is_false()
    expect(message):contains "field 'mass' must be \"area\" or \"equal\"":contains(text)
  end
end)

scenario("a rim of equal masses is more inert, and falls as the rest", function()
  local speed, fallen = {}, {}
  for k, mass in ipairs { "area", "equal" } do
    local world = muslin.world { dt = 1 / 240, air_density = 0 }
    local cloth = world:cloth { mass = mass, mesh = muslin.mesh.grid { nodes = { 5, 5 } }, self_collision = false,
      material = { stretch = 1e-6, shear = 1e-6, bending = 0 } }
    world:force(function() cloth.f[1] = { 1e-3, 0, 0 } end)
    world:step()
    speed[k], fallen[k] = cloth.v[1].x, cloth.v[13].y
  end
  local by_area, equal = muslin.world {}, 0.2 / 25 -- kg: cotton, 1 m^2
  local m = by_area:cloth { mesh = muslin.mesh.grid { nodes = { 5, 5 } } }.m[1]
  expect(speed[2] / speed[1]):near(m / equal, 1e-3)
  expect(fallen[2]):near(fallen[1], 1e-9)
  expect(fallen[1]):near(-9.81 / 480, 1e-6) -- velocities belong to the middle of the step
end)
