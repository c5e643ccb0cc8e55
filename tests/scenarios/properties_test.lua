-- properties_test.lua: what holds for every scene, on random ones.
local muslin = require "muslin"

local SMALL = { cloths = { 1, 2 }, obstacles = { 0, 2 }, nodes = { 3, 7 } }

property("nothing passes through anything", property.scene { cloths = { 1, 3 }, obstacles = { 0, 3 }, nodes = { 3, 8 } },
  { cases = 12 }, function(scene)
    local world = property.world(scene)
    for _ = 1, 5 do
      world:advance(0.1)
      expect(world):penetration_free():finite()
    end
  end)

property("threads change no bit", { scene = property.scene(SMALL), threads = property.integer(2, 8) }, { cases = 6 }, function(p)
  local one = property.world(p.scene, { dt = 1 / 120, threads = 1 })
  local more = property.world(p.scene, { dt = 1 / 120, threads = p.threads })
  one:advance(0.25)
  more:advance(0.25)
  expect(more:hash()):equals(one:hash())
end)

property("broad phases give the bits of brute force",
  { scene = property.scene(SMALL), broad = property.choice { "hash_grid", "octree", "partition_tree", "quad_tree" } }, { cases = 8 },
  function(p)
    local brute = property.world(p.scene, { dt = 1 / 120, pipeline = { preset = "robust", broad = "brute" } })
    local other = property.world(p.scene, { dt = 1 / 120, pipeline = { preset = "robust", broad = p.broad } })
    brute:advance(0.2)
    other:advance(0.2)
    expect(other:hash()):equals(brute:hash())
  end)

property("a step that fails changes no bit, and the next one goes on",
  { scene = property.scene(SMALL), at = property.integer(1, 30),
    event = property.choice { "before_step", "candidate", "contacts", "after_step" } },
  { cases = 8 }, function(p)
    local world, twin = property.world(p.scene), property.world(p.scene)
    for _ = 1, p.at do
      world:step()
      twin:step()
    end
    local armed = true
    local token = world:on(p.event, function() if armed then error "not this one" end end)
    local hash = world:hash()
    local failed = not pcall(world.step, world)
    armed = false
    if failed then -- the error is raised only where the hook is called: there may be no contacts
      expect(world:hash()):equals(hash)
      world:step()
    end
    world:off(token)
    twin:step()
    expect(world:hash()):equals(twin:hash())
  end)

property("cloths that meet in free space keep their momentum",
  { cloths = property.list({ nodes = { property.integer(3, 6), property.integer(3, 6) }, size = { 0.3, 0.3 },
      turn = property.number(0, 3), velocity = property.vector(-0.5, 0.5), thickness = property.number(1e-3, 4e-3) }, 2, 3) },
  { cases = 8 }, function(scene)
    local world = muslin.world { dt = 1 / 120, gravity = { 0, 0, 0 }, air_density = 0 }
    for k, c in ipairs(scene.cloths) do
      local mesh = muslin.mesh.grid { nodes = c.nodes, size = c.size }
      mesh:transform { rotation = { muslin.cos(c.turn / 2), 0, muslin.sin(c.turn / 2), 0 }, position = { 0, 0.02 * k, 0 } }
      world:cloth { name = "cloth" .. k, mesh = mesh, thickness = c.thickness,
        velocity = muslin.vec3(c.velocity) - { 0, 0.8 * k, 0 } }
    end
    local function momentum()
      local sum = muslin.vec3()
      for _, cloth in ipairs(world.cloths) do sum = sum + cloth.v:copy():mul(cloth.m):sum() end
      return sum
    end
    local start = momentum()
    world:advance(0.2)
    expect(momentum()):near(start, 1e-4)
    expect(world):penetration_free()
  end)

property("every sheet falls like all else where there is no air",
  { nodes = { property.integer(2, 9), property.integer(2, 9) }, size = { property.number(0.05, 2), property.number(0.05, 2) },
    material = property.choice { "cotton", "silk", "11oz-black-denim" }, dt = property.number(1 / 500, 1 / 60),
    velocity = property.vector(-3, 3) },
  { cases = 12 }, function(p)
    local world = muslin.world { dt = p.dt, fps = 1 / p.dt, air_density = 0 }
    local mesh = muslin.mesh.grid { nodes = p.nodes, size = p.size }
    local sheet = world:cloth { mesh = mesh, material = p.material, velocity = p.velocity }
    local start = sheet:centroid()
    for _ = 1, 10 do world:step() end
    local t = world.time
    expect(sheet:centroid()):near(start + t * muslin.vec3(p.velocity) + { 0, -9.81 * t * t / 2, 0 }, 1e-6)
  end)

-- Rounding decides when a solve ends. What robust may leave of an impact is 2 % of the change of velocity, at most that of the
-- sheet as it lands, for the rest of 0.1 s (measured: 2.0 mm for a sheet that lands with 2.2 m/s, of 5.9 allowed).
property("what happens does not depend on where it happens",
  { scene = property.scene(SMALL), shift = property.vector(-4, 4) }, { cases = 6 }, function(p)
    local function play(shift, pipeline)
      local world = muslin.world { dt = 1 / 120, pipeline = pipeline }
      local c = p.scene.cloths[1]
      local mesh = muslin.mesh.grid { nodes = c.nodes, size = c.size, center = { 0, 0.05, 0 } }
      mesh:transform { position = shift }
      local sheet = world:cloth { mesh = mesh, velocity = c.velocity, thickness = c.thickness }
      world:obstacle { shape = "plane", normal = { 0, 1, 0 }, at = shift }
      world:advance(0.1)
      return sheet.x:copy():sub(shift)
    end
    expect(play(p.shift, "sequential")):near(play({ 0, 0, 0 }, "sequential"), 1e-5)
    local landing = muslin.vec3(p.scene.cloths[1].velocity):length() + 1 -- m/s: it falls 5 cm
    expect(play(p.shift, "robust")):near(play({ 0, 0, 0 }, "robust"), 0.02 * landing * 0.1)
  end)

property("pinned vertices stay, whatever falls on them",
  { scene = property.scene(SMALL), pin = property.integer(1, 9) }, { cases = 6 }, function(p)
    local world = property.world(p.scene)
    local sheet = world.cloths[1]
    local place = sheet.x[p.pin]
    sheet.v[p.pin] = { 0, 0, 0 }
    sheet:pin { vertices = { p.pin } }
    world:advance(0.3)
    expect(sheet.x[p.pin]):equals(place)
    expect(world):penetration_free()
  end)

property("subdivision keeps area and corners",
  { nodes = { property.integer(2, 7), property.integer(2, 7) }, size = { property.number(0.1, 3), property.number(0.1, 3) },
    times = property.integer(1, 3) }, function(p)
    local mesh = muslin.mesh.grid { nodes = p.nodes, size = p.size }
    local fine = mesh:subdivide(p.times)
    expect(fine:area()):near(mesh:area(), 1e-9 * mesh:area())
    expect(fine.face_count):equals(mesh.face_count * 4 ^ p.times // 1)
    for i = 1, mesh.vertex_count do expect(fine.x[i]):equals(mesh.x[i]) end
    expect(fine:check().components):equals(1)
  end)

-- 12 numbers of four places
local PLACES = property.list(property.number(-1, 1), 12, 12)

local function between(a, b, t)
  local places = {}
  for k = 1, 12 do places[k] = (1 - t) * a[k] + t * b[k] end
  return places
end

property("continuous detection is never later than the distance",
  { t0 = PLACES, t1 = PLACES, thickness = property.number(0.02, 0.2), kind = property.choice { "vertex_face", "edge_edge" } },
  { cases = 300 }, function(p)
    local hit = muslin.ccd[p.kind](p.t0, p.t1, p.thickness)
    if hit == 0 then return end -- near from the start
    for k = 0, 63 do -- what moves 2 m in a second crosses the thickness in no less than a hundredth
      local t = (hit or 1) * k / 64
      local distance = muslin.distance[p.kind](between(p.t0, p.t1, t))
      expect(distance, ("distance at t = %g, before the hit at %s"):format(t, hit)):at_least(p.thickness * (1 - 1e-9))
    end
  end)

property("whether triangles cross does not depend on their order, or on where they are",
  { a = property.list(property.number(-1, 1), 9, 9), b = property.list(property.number(-1, 1), 9, 9), power = property.integer(-3, 3) },
  { cases = 300 }, function(p)
    local crosses = muslin.intersects(p.a, p.b)
    local turned, grown = {}, { {}, {} }
    for k = 1, 9 do
      turned[k] = p.a[(k + 2) % 9 + 1] -- the corners in another order
      grown[1][k], grown[2][k] = p.a[k] * 2.0 ^ p.power, p.b[k] * 2.0 ^ p.power -- exact
    end
    expect(muslin.intersects(p.b, p.a)):equals(crosses)
    expect(muslin.intersects(turned, p.b)):equals(crosses)
    expect(muslin.intersects(grown[1], grown[2])):equals(crosses)
  end)
