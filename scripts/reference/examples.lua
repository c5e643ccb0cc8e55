-- examples.lua: examples of the reference for the names that have none beside their text: { [name] = Lua }. Each is run by
-- tests/cli/examples.sh in a small world: `world` with the cloths `sheet` (named "sheet", a grid of 8 x 8 vertices at a height
-- of 0.8 m), `front` and `back`, a ball, a floor and so on. A line `expression  --> value` is compared with the value.
return {
  -- Materials, parameters, rules
  ["muslin.material.presets"] = [[for _, name in ipairs(muslin.material.presets()) do
  print(name, muslin.material(name).density)
end]],
  ["material:with"] = [[local heavy = muslin.material("cotton"):with { density = 0.6, strain_limit = 0.05 }]],
  ["material:totable"] = [[for name, value in pairs(muslin.material("silk"):totable()) do print(name, value) end]],
  ["param:set"] = [[local mu = muslin.param("mu", 0.1)
world:between({"sheet", "ball"}, { friction = muslin.coefficient(function() return mu end) })
world:script(function(w)
  w:wait(0.5)
  mu:set(0.6)  -- rough from now on
end)]],
  ["param:get"] = [[muslin.param("stiffness", 20):get()  --> 20.0]],
  ["rule:set"] = [[local drag = muslin.node_force(function(n) return -muslin.param("drag", 0.1) * n.velocity end)
world:force(drag)
drag:set("drag", 0.4)]],
  ["rule:get"] = [[local drag = muslin.node_force(function(n) return -muslin.param("drag", 0.1) * n.velocity end)
drag:get("drag")  --> 0.1]],
  ["rule:explain"] = [[print(muslin.rule(function(c) return c.mass * c.normal end):explain())]],

  -- Traced vectors
  ["expression:dot"] = [[local stop = muslin.rule(function(c)
  local vn = c.normal:dot(c.velocity)  -- a traced number, m/s
  return muslin.max(-vn, 0) * c.mass * c.normal
end)]],
  ["expression:cross"] = [[-- acts sideways, normal to the contact normal and the x axis
local aside = muslin.rule(function(c) return 1e-4 * c.normal:cross({1, 0, 0}) end)]],
  ["expression:length"] = [[local slower = muslin.coefficient(function(c) return 0.3 / (1 + c.velocity:length()) end)]],
  ["expression:length2"] = [[-- drag that grows with the square of the speed
local drag = muslin.node_force(function(n) return -0.01 * n.velocity:length2() * n.velocity:normalized() end)]],
  ["expression:distance"] = [[-- rough within 10 cm of a point, smooth elsewhere
local rough = muslin.coefficient(function(c)
  return muslin.select(muslin.lt(c.points[1]:distance({0, 0.5, 0}), 0.1), 0.8, 0.1)
end)]],
  ["expression:normalized"] = [[-- attracts all vertices to the y axis
local inward = muslin.node_force(function(n)
  return -0.01 * muslin.vec3(n.position.x, 0, n.position.z):normalized()
end)]],
  ["expression:lerp"] = [[-- wind that turns from x to z within 2 s
local turning = muslin.wind(function(x, t)
  return muslin.vec3(3, 0, 0):lerp({0, 0, 3}, muslin.min(t / 2, 1))
end)]],

  -- Queries
  ["muslin.ccd.edge_edge"] = [[-- an edge falls across another
local t0 = {-1, 1, 0,  1, 1, 0,  0, 0, -1,  0, 0, 1}
local t1 = {-1, -1, 0,  1, -1, 0,  0, 0, -1,  0, 0, 1}
muslin.ccd.edge_edge(t0, t1)  --> about 0.5]],
  ["muslin.distance.vertex_face"] = [[-- a vertex 2 m above a face
muslin.distance.vertex_face {0, 2, 0,  -1, 0, -1,  1, 0, -1,  0, 0, 1}  --> 2.0]],
  ["muslin.distance.edge_edge"] = [[muslin.distance.edge_edge {-1, 1, 0,  1, 1, 0,  0, 0, -1,  0, 0, 1}  --> 1.0]],
  ["muslin.intersects"] = [[local flat = {-1, 0, -1,  1, 0, -1,  0, 0, 1}
muslin.intersects(flat, {0, -1, 0,  0, 1, 0,  0, 1, 1})  --> true
muslin.intersects(flat, {0, 2, 0,  0, 3, 0,  0, 3, 1})  --> false]],
  ["muslin.audit"] = [[sheet:mesh():save("sheet.obj")
print(muslin.audit("sheet.obj").intersections)  --> 0]],

  -- About muslin
  ["muslin.stages"] = [[for _, stage in ipairs(muslin.stages()) do
  if stage.kind == "broad" then print(stage.name, stage.doc) end
end]],
  ["muslin.build"] = [[print(muslin.build().simd)  -- "baseline", "avx2" or "avx512"]],
  ["muslin.type"] = [[muslin.type(sheet)  --> cloth
muslin.type(sheet.x)  --> array
muslin.type({})  --> table]],

  -- Checks
  ["expectation:equals"] = [[expect(sheet.vertex_count):equals(64)
expect({1, 2, {3}}):equals {1, 2, {3}}]],
  ["expectation:is_true"] = [[expect(sheet.alive):is_true()]],
  ["expectation:is_false"] = [[expect(ball.dynamic):is_false()]],
  ["expectation:is_nil"] = [[expect(world:find("nobody")):is_nil()]],
  ["expectation:is_a"] = [[expect(world:find("sheet")):is_a("cloth")]],
  ["expectation:at_most"] = [[expect(sheet:strain().max):at_most(0.1)]],
  ["expectation:at_least"] = [[expect(sheet:bounds().y):at_least(0)]],
  ["expectation:less_than"] = [[world:advance(0.1)
expect(sheet:centroid().y):less_than(0.8)]],
  ["expectation:more_than"] = [[expect(sheet:mesh():area()):more_than(0.2)]],
  ["expectation:between"] = [[expect(ball.position.y):between(0.4, 0.6)]],
  ["expectation:contains"] = [[expect(muslin.material.presets()):contains("cotton")
expect(world:hash() .. "."):contains(".")]],
  ["expectation:matches"] = [[expect(world:hash()):matches("^%x+$")]],
  ["expectation:finite"] = [[world:on("frame", function(w) expect(w):finite() end)]],
  ["expectation:at_rest"] = [[world:on("done", function(w) expect(w):at_rest(0.05) end)]],
  ["expectation:stretched_at_most"] = [[world:on("done", function() expect(sheet):stretched_at_most(0.1) end)]],
  ["expectation:above"] = [[expect(sheet):above(floor)
expect(sheet):above(0.5)  -- a height, m]],
  ["expectation:golden"] = [[scenario("hangs as it did", function()
  local w = muslin.world { dt = 1/60 }
  local strip = w:cloth { mesh = muslin.mesh.strip { nodes = {3, 9}, size = {0.1, 0.4}, center = {0, 1, 0} } }
  strip:pin { where = function(_, y) return y > 1.19 end }
  w:advance(0.2)
  expect(strip):golden("hanging", { tolerance = 1e-4 })
end)]],

  -- Scenarios
  ["muslin.scenario.together"] = [[scenario.together()
scenario("writes a file", function() muslin.mesh.box { size = {1, 1, 1} }:save("shared.obj") end)
scenario("reads it", function() expect(muslin.mesh.load("shared.obj").face_count):equals(12) end)]],
  ["muslin.property.integer"] = [[property("a grid has as many vertices as nodes", { n = property.integer(2, 9) }, function(case)
  expect(muslin.mesh.grid { nodes = {case.n, 3} }.vertex_count):equals(3 * case.n)
end)]],
  ["muslin.property.number"] = [[property("a sphere stays within its radius", { r = property.number(0.1, 2) }, function(case)
  local _, high = muslin.mesh.sphere { radius = case.r }:bounds()
  expect(high.y):at_most(case.r * (1 + 1e-12))
end)]],
  ["muslin.property.vector"] = [[property("unit vectors", { v = property.vector(1, 5) }, { cases = 5 }, function(case)
  expect(muslin.vec3(case.v):normalized():length()):near(1, 1e-12)
end)]],
  ["muslin.property.choice"] = [[property("every fabric has a mass", { fabric = property.choice { "cotton", "silk" } }, function(case)
  expect(muslin.material(case.fabric).density):more_than(0)
end)]],
  ["muslin.property.list"] = [[local lists = property.list(property.number(-1, 1), 1, 9)
property("the greatest is in the list", { list = lists }, function(case)
  expect(case.list):contains(muslin.max(table.unpack(case.list)))
end)]],
  ["muslin.property.scene"] = [[local scenes = property.scene { cloths = {1, 2}, nodes = {3, 5} }
property("sheets stay apart", scenes, { cases = 2 }, function(scene)
  local w = property.world(scene)
  w:advance(0.2)
  expect(w):penetration_free()
end)]],
  ["muslin.property.world"] = [[property("what falls loses height", property.scene { cloths = {1, 1}, obstacles = {0, 0} }, { cases = 2 },
  function(scene)
  local w = property.world(scene, { gravity = {0, -1.62, 0} })  -- on the moon
  w:advance(0.1)
  expect(w):finite()
end)]],
  ["muslin.skip"] = [[scenario("with the large mesh", function()
  if not pcall(muslin.mesh.load, "large.obj") then skip("large.obj is not here") end
end)]],
  ["stream:number"] = [[local gusts = muslin.random("gusts")
local strength = gusts:number(0.5, 2)]],

  -- Numbers
  ["muslin.max"] = [[muslin.max(3, 7, 5)  --> 7.0]],
  ["muslin.min"] = [[muslin.min(3, 7, 5)  --> 3.0]],
  ["muslin.clamp"] = [[muslin.clamp(7, 0, 5)  --> 5.0]],
  ["muslin.lt"] = [[muslin.lt(1, 2)  --> 1.0
muslin.min(muslin.lt(0, 2), muslin.lt(2, 1))  --> 0.0]],
  ["muslin.le"] = [[muslin.le(2, 2)  --> 1.0]],
  ["muslin.gt"] = [[muslin.gt(1, 2)  --> 0.0]],
  ["muslin.ge"] = [[muslin.ge(2, 2)  --> 1.0]],
  ["muslin.eq"] = [[-- friction of edges only
local edges = muslin.coefficient(function(c) return muslin.select(muslin.eq(c.kind, "edge_edge"), 0.5, 0) end)]],
  ["muslin.ne"] = [[muslin.ne(1, 2)  --> 1.0]],
  ["muslin.step"] = [[muslin.step(0.5, 0.2)  --> 0.0
muslin.step(0.5, 0.5)  --> 1.0]],
  ["muslin.smoothstep"] = [[muslin.smoothstep(0, 2, 1)  --> 0.5
-- a wind that sets in between 1 s and 2 s
world:force(muslin.wind(function(x, t) return muslin.vec3(4 * muslin.smoothstep(1, 2, t), 0, 0) end))]],
  ["muslin.floor"] = [[muslin.floor(-1.5)  --> -2.0]],
  ["muslin.abs"] = [[muslin.abs(-2.5)  --> 2.5]],
  ["muslin.sqrt"] = [[muslin.sqrt(2)  --> about 1.41421356]],
  ["muslin.sin"] = [[muslin.sin(math.pi / 6)  --> about 0.5
ball:move(muslin.motion(function(t) return {0.1 * muslin.sin(6 * t), 0.5, 0} end))]],
  ["muslin.cos"] = [[muslin.cos(math.pi / 3)  --> about 0.5]],
  ["muslin.tan"] = [[muslin.tan(math.pi / 4)  --> about 1]],
  ["muslin.asin"] = [[muslin.asin(1)  --> about 1.570796327]],
  ["muslin.acos"] = [[muslin.acos(-1)  --> about 3.141592654]],
  ["muslin.atan2"] = [[muslin.atan2(1, -1)  --> about 2.356194490]],
  ["muslin.exp"] = [[muslin.exp(1)  --> about 2.718281828]],
  ["muslin.log"] = [[muslin.log(2)  --> about 0.693147181]],
  ["muslin.pow"] = [[muslin.pow(2, 0.5)  --> about 1.41421356]],

  -- Meshes
  ["muslin.mesh.strip"] = [[local ribbon = muslin.mesh.strip { nodes = {5, 41}, size = {0.1, 1}, center = {0, 1, 0} }]],
  ["muslin.mesh.disc"] = [[local round = muslin.mesh.disc { radius = 0.5, rings = 20, center = {0, 0.8, 0} }]],
  ["muslin.mesh.sphere"] = [[muslin.mesh.sphere { radius = 0.25, subdivisions = 2 }.face_count  --> 320]],
  ["muslin.mesh.icosahedron"] = [[local die = world:obstacle {
  mesh = muslin.mesh.icosahedron { radius = 0.05 }, at = {1, 0.3, 0}, motion = "dynamic", mass = 0.1,
}]],
  ["muslin.mesh.box"] = [[muslin.mesh.box { size = {0.4, 0.2, 0.4} }:area()  --> about 0.64]],
  ["muslin.mesh.capsule"] = [[local arm = world:obstacle { mesh = muslin.mesh.capsule { radius = 0.05, length = 0.3 }, at = {1, 0.3, 0} }]],
  ["mesh:save"] = [[sheet:mesh():save("draped.obj")
sheet:mesh():save("draped.ply")]],
  ["mesh:subdivide"] = [[mesh:subdivide(2).face_count == 16 * mesh.face_count  --> true]],
  ["mesh:copy"] = [[local raised = mesh:copy():transform { position = {0, 0.3, 0} }]],
  ["mesh:check"] = [[print(mesh:check().closed)  --> false
print(muslin.mesh.box { size = {1, 1, 1} }:check().closed)  --> true]],
  ["mesh:area"] = [[muslin.mesh.grid { nodes = {5, 5}, size = {2, 3} }:area()  --> about 6]],
  ["mesh:bounds"] = [[local low, high = mesh:bounds()
print("it is " .. high.y - low.y .. " m high")]],
  ["mesh:faces"] = [[for k, face in ipairs(muslin.mesh.box { size = {1, 1, 1} }:faces()) do print(k, face[1], face[2], face[3]) end]],
  ["mesh:stitches"] = [[local pattern = muslin.mesh.load("shirt.obj")  -- with lines `stitch i j k share`
local shirt = world:cloth { name = "shirt", mesh = pattern }
world:stitch { cloth = shirt, stitches = pattern:stitches() }]],

  -- Worlds
  ["world:remove"] = [[world:remove(world:find("ball"))]],
  ["world:find"] = [[world:find("sheet"):pin { vertices = {1} }]],
  ["world:ignore"] = [[world:ignore {"front", "back"}
world:ignore {"sheet", "sheet"}  -- no self-collision]],
  ["world:respond"] = [[world:respond { between = {"sheet", "ball"}, friction = 0.05 }]],
  ["world:wait"] = [[world:script(function(w)
  w:wait(0.5)  -- half a second later
  w.wind = {3, 0, 0}
end)]],
  ["world:off"] = [[local token = world:on("frame", function(w) print(w.time) end)
world:off(token)]],
  ["world:step"] = [[local before = world.time
world:step()
print(world.time > before)  --> true]],
  ["world:advance"] = [[world:advance(0.1)
print(world.time)  --> about 0.1]],
  ["world:start"] = [[world:start()  -- refuses what overlaps
print(world.frame)  --> 0]],
  ["world:run_frame"] = [[for _ = 1, 3 do world:run_frame() end
print(world.frame)  --> 3]],
  ["world:finish"] = [[world:on("done", function(_, t) print("played " .. t .. " s") end)
world:run_frame()
world:finish()]],
  ["world:stop"] = [[world:on("frame", function(w)
  if w.time > 1 and w:energy().kinetic < 1e-6 then w:stop() end
end)]],
  ["mesh:groups"] = [[local vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}
local mesh = muslin.mesh.new { vertices = vertices, faces = {{1, 2, 3}, {2, 4, 3}},
  groups = {{"left", 1}, {"right", 1}} }
print(mesh:groups()[2][1])  --> right]],
  ["world:run"] = [[world:run(0.1)
expect(world):penetration_free()]],
  ["world:validate"] = [[sheet.x:add {0, 0.01, 0}
world:validate()  -- raises where the change made faces intersect]],
  ["world:contacts"] = [[world:on("contacts", function(w) w:log("contacts", #w:contacts()) end)]],
  ["world:hash"] = [[local a = world:hash()
world:step()
print(world:hash() == a)  --> false]],
  ["world:save"] = [[world:save("half.muslin")
local again = muslin.load("half.muslin")
print(again:hash() == world:hash())  --> true]],
  ["world:stats"] = [[world:step()
print(world:stats().contacts, world:stats().phase_ms.broad)]],
  ["world:log"] = [[world:on("frame", function(w) w:log("height", sheet:centroid().y) end)]],
  ["world:logged"] = [[world:log("height", 0.5)
world:log("height", 0.4)
local values, times = world:logged("height")
values:max()  --> 0.5]],
  ["world:random"] = [[local turn = world:random(-0.1, 0.1)]],
  ["world:close"] = [[for _, friction in ipairs { 0, 0.5 } do
  local w <close> = muslin.world()
  w:cloth { mesh = muslin.mesh.grid { nodes = {4, 4} }, friction = friction }
  w:advance(0.1)
end]],

  -- Cloth and obstacles
  ["cloth:pulled"] = [[sheet:pulled(1)  --> 0.0]],
  ["cloth:unpin"] = [[sheet:pin { corners = true }
world:script(function(w)
  w:wait(0.5)
  sheet:unpin()
end)]],
  ["cloth:pinned"] = [[sheet:pin { vertices = {1, 8} }
sheet:pinned(1)  --> true
print(#sheet:pinned())  --> 2]],
  ["cloth:faces"] = [[local first = sheet:faces()[1]
print("face 1 has vertices", first[1], first[2], first[3])]],
  ["cloth:edges"] = [[#sheet:edges() == sheet.edge_count  --> true]],
  ["cloth:rest_lengths"] = [[print("longest edge at rest", sheet:rest_lengths():max())]],
  ["cloth:strain"] = [[world:log("strain", sheet:strain().max)]],
  ["cloth:bounds"] = [[local low, high = sheet:bounds()
world:log("height", high.y - low.y)]],
  ["cloth:centroid"] = [[sheet:centroid().y  --> about 0.8]],
  ["obstacle:mesh"] = [[ball:mesh():save("ball.obj")]],
  ["canvas:point"] = [[world:on("draw", function(canvas)
  canvas:point(sheet:centroid(), { color = {0.8, 0.1, 0.1}, size = 10 })
end)]],
  ["canvas:text"] = [[world:on("draw", function(canvas, w)
  canvas:text({20, 20, 0}, ("%.2f s"):format(w.time), { screen = true, size = 18 })
  canvas:text(sheet:centroid(), "sheet")
end)]],

  -- Arrays
  ["array:get"] = [[local x, y, z = sheet.x:get(1)
print(sheet.x[1].y == y)  --> true]],
  ["array:set"] = [[sheet.v:set(1, 0, 0.5, 0)  -- vertex 1 upwards, m/s
sheet.v[2] = {0, 0.5, 0}]],
  ["array:slice"] = [[sheet.v:slice(1, 8):fill {0, 0, 1}  -- the first row of the grid]],
  ["array:copy"] = [[local before = sheet.x:copy()
world:advance(0.1)
print(sheet.x:copy():sub(before):lengths():max() > 0)  --> true]],
  ["array:totable"] = [[muslin.array({4, 5, 6}):totable()[2]  --> 5.0]],
  ["array:gather"] = [[local corners = sheet.x:gather {1, 8, 57, 64}
print(#corners)  --> 4]],
  ["array:scatter"] = [[local marks = muslin.array(5, 1)
marks:scatter({2, 4, 4}, 1, "add")
print(marks[4])  --> 2.0]],
  ["array:where"] = [[local edge = sheet.x:where(function(x) return x < -0.24 end)
sheet:pin { vertices = edge }
print(#edge)  --> 8]],
  ["array:fill"] = [[sheet.v:fill {0, -1, 0}]],
  ["array:add"] = [[sheet.x:add {0, 0.1, 0}  -- 10 cm higher
print(muslin.array({1, 2}):add(1)[2])  --> 3.0]],
  ["array:sub"] = [[muslin.array({5, 7}):sub(muslin.array {1, 2})[2]  --> 5.0]],
  ["array:mul"] = [[muslin.array({5, 7}):mul(muslin.array {2, 3})[2]  --> 21.0]],
  ["array:div"] = [[muslin.array({8, 9}):div(2)[1]  --> 4.0]],
  ["array:scale"] = [[sheet.v:scale(0.5)]],
  ["array:lerp"] = [[muslin.array({0, 10}):lerp(muslin.array {1, 20}, 0.5)[2]  --> 15.0]],
  ["array:clamp"] = [[sheet.v:clamp(-5, 5)  -- no component faster than 5 m/s
print(muslin.array({1, 7}):clamp(nil, 5)[2])  --> 5.0]],
  ["array:cross"] = [[local turning = sheet.x:copy():cross({0, 1, 0})
sheet.v:axpy(2, turning)  -- about the y axis]],
  ["array:normalize"] = [[local directions = sheet.x:copy():normalize()
directions:lengths():max()  --> about 1]],
  ["array:transform"] = [[sheet.x:transform { position = {0, 0.2, 0}, rotation = {1, 0, 0, 0} }]],
  ["array:sum"] = [[sheet.m:sum()  -- kg, of all the cloth
muslin.array({1, 2, 3}):sum()  --> 6.0]],
  ["array:mean"] = [[muslin.array({1, 2, 3}):mean()  --> 2.0]],
  ["array:norm"] = [[muslin.array({3, 4}):norm()  --> 5.0]],
  ["array:min"] = [[sheet.x:min().y  -- the lowest height]],
  ["array:max"] = [[muslin.array({3, 9, 4}):max()  --> 9.0]],
  ["array:argmax"] = [[local i, speed = sheet.v:argmax()
print("vertex " .. i .. " is the fastest: " .. speed .. " m/s")]],
  ["array:argmin"] = [[local nearest = sheet.x:copy():sub(ball.position):argmin()
print("vertex " .. nearest .. " is nearest to the ball's center")]],
  ["array:dot"] = [[local heights = sheet.x:dot {0, 1, 0}
heights:min()  --> about 0.8]],
  ["array:lengths"] = [[local fastest = sheet.v:lengths():max()]],

  -- Vectors
  ["vec3:dot"] = [[muslin.vec3(1, 2, 3):dot({1, 0, 1})  --> 4.0]],
  ["vec3:cross"] = [[muslin.vec3(1, 0, 0):cross({0, 1, 0}).z  --> 1.0]],
  ["vec3:length"] = [[muslin.vec3(3, 4, 0):length()  --> 5.0]],
  ["vec3:length2"] = [[muslin.vec3(3, 4, 0):length2()  --> 25.0]],
  ["vec3:distance"] = [[muslin.vec3(1, 1, 1):distance({1, 1, 3})  --> 2.0]],
  ["vec3:normalized"] = [[muslin.vec3(0, 5, 0):normalized().y  --> 1.0]],
  ["vec3:lerp"] = [[muslin.vec3(0, 0, 0):lerp({10, 0, 0}, 0.3).x  --> 3.0]],
  ["vec3:unpack"] = [[local x, y, z = sheet:centroid():unpack()]],
  ["vec3:totable"] = [[#muslin.vec3(1, 2, 3):totable()  --> 3]],
}
