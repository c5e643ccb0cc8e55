-- muslin.rotation, and rotations as options of obstacles, motions, meshes and arrays.
local muslin = require "muslin"
local rotation = muslin.rotation

local function raises(pattern, f)
  expect(f):raises("rotation_test%.lua:%d+: .*" .. pattern)
end

local function near(q, wanted, tolerance)
  for k = 1, 4 do expect(q[k]):near(wanted[k], tolerance or 1e-15) end
end

local function turned(q, v, wanted)
  expect((rotation.apply(q, v) - muslin.vec3(wanted)):length()):near(0, 2e-15)
end

scenario("axis and angle", function()
  local c, s = math.cos(math.pi / 12), math.sin(math.pi / 12)
  near(rotation.axis({ 0, 1, 0 }, math.rad(30)), { c, 0, s, 0 })
  near(rotation.axis(muslin.vec3(0, 0, -7), math.rad(30)), { c, 0, 0, -s })
  near(rotation.axis({ 1e-200, 0, 0 }, math.pi), { 0, 1, 0, 0 })
  turned(rotation.axis({ 0, 0, 1 }, math.rad(90)), { 1, 0, 0 }, { 0, 1, 0 })
  turned(rotation.axis({ 1, 1, 1 }, math.rad(120)), { 1, 2, 3 }, { 3, 1, 2 })
end)

scenario("Euler angles turn about the world's axes, the first letter first", function()
  local a, b, c = 0.3, -1.1, 2.5
  local turn = { x = rotation.axis({ 1, 0, 0 }, a), y = rotation.axis({ 0, 1, 0 }, b), z = rotation.axis({ 0, 0, 1 }, c) }
  for _, order in ipairs { "xyz", "xzy", "yxz", "yzx", "zxy", "zyx" } do
    local v = muslin.vec3(0.4, -0.7, 1.3)
    local wanted = v
    for letter in order:gmatch "." do wanted = rotation.apply(turn[letter], wanted) end
    local q = rotation.euler(a, b, c, order)
    turned(q, v, wanted)
    local product = rotation.multiply(turn[order:sub(3, 3)], rotation.multiply(turn[order:sub(2, 2)], turn[order:sub(1, 1)]))
    near(q, product)
  end
  near(rotation.euler(a, b, c), rotation.euler(a, b, c, "xyz"), 0)
  turned(rotation.euler(math.rad(90), math.rad(90), 0), { 0, 1, 0 }, { 1, 0, 0 }) -- y to z, then z to x
end)

scenario("between directions", function()
  local directions = { { 1, 0, 0 }, { 0, -2, 0 }, { 1, 2, 3 }, { -1, -2, -3 }, { 0, 0, 1e-9 }, { 1, 1e-9, 0 }, { -1, 1e-9, 0 },
    { -1, 0, 0 }, { -1, 1e-15, 0 }, { 1e200, 1e200, 0 } }
  for _, a in ipairs(directions) do
    for _, b in ipairs(directions) do
      local q = rotation.between(a, b)
      local u, v = muslin.vec3(a), muslin.vec3(b)
      u = u * (1 / math.max(math.abs(u.x), math.abs(u.y), math.abs(u.z)))
      v = v * (1 / math.max(math.abs(v.x), math.abs(v.y), math.abs(v.z)))
      turned(q, u:normalized(), v:normalized())
      expect(q[1] * q[1] + q[2] * q[2] + q[3] * q[3] + q[4] * q[4]):near(1, 1e-15)
      expect(q[1] >= 0):equals(true) -- no more than half a turn
    end
  end
end)

scenario("products and inverses", function()
  local a, b = rotation.axis({ 1, 2, 3 }, 0.7), rotation.axis({ -2, 0, 1 }, 2)
  local v = muslin.vec3(3, 1, 2)
  turned(rotation.multiply(a, b), v, rotation.apply(a, rotation.apply(b, v)))
  near(rotation.multiply(a, rotation.inverse(a)), { 1, 0, 0, 0 })
end)

scenario("every form gives the same bits, everywhere a rotation is taken", function()
  local world <close> = muslin.world()
  local forms = { rotation.axis({ 0, 3, 0 }, 0.5), { axis = { 0, 3, 0 }, angle = 0.5 } }
  local eulers = { rotation.euler(0.1, 0.2, 0.3, "zxy"), { euler = { 0.1, 0.2, 0.3 }, order = "zxy" } }
  for _, pair in ipairs { forms, eulers } do
    local q, points = {}, {}
    for k, form in ipairs(pair) do
      local box = world:obstacle { shape = "box", size = { 0.1, 0.2, 0.3 }, at = { 3 * k, 0, 0 }, rotation = form }
      q[k] = box.rotation
      points[2 * k - 1] = muslin.mesh.box { size = { 1, 2, 3 } }:transform { rotation = form }.x:totable()
      local x = muslin.array { { 1, 2, 3 } }
      points[2 * k] = x:transform { rotation = form }:totable()
      world:remove(box)
    end
    near(q[1], q[2], 0)
    for i = 1, 8 do
      for c = 1, 3 do expect(points[1][i][c]):near(points[3][i][c], 0) end
    end
    for c = 1, 3 do expect(points[2][1][c]):near(points[4][1][c], 0) end
  end
end)

scenario("a motion may return any form, and a traced one computes with muslin.rotation", function()
  local function spin(f)
    local world = muslin.world { dt = 1 / 100, fps = 100 }
    local box = world:obstacle { shape = "box", size = { 0.1, 0.2, 0.3 } }
    box:move(f)
    world:advance(0.25)
    return box.rotation, world
  end
  local plain, w1 <close> = spin(function(t) return { 0, 0, 0 }, rotation.axis({ 0, 1, 0 }, 2 * t) end)
  local option, w2 <close> = spin(function(t) return { 0, 0, 0 }, { axis = { 0, 1, 0 }, angle = 2 * t } end)
  local traced, w3 <close> = spin(muslin.motion(function(t) return { 0, 0, 0 }, rotation.axis({ 0, 1, 0 }, 2 * t) end))
  near(plain, { math.cos(0.25), 0, math.sin(0.25), 0 })
  near(option, plain, 0)
  near(traced, plain, 0)
  local euler, w4 <close> = spin(function(t) return { 0, 0, 0 }, rotation.euler(t, 2 * t, 3 * t, "yzx") end)
  local traced_euler, w5 <close> = spin(muslin.motion(function(t)
    return { 0, 0, 0 }, rotation.inverse(rotation.inverse(rotation.euler(t, 2 * t, 3 * t, "yzx")))
  end))
  near(traced_euler, euler, 0)
  near(euler, rotation.euler(0.25, 0.5, 0.75, "yzx"))
  assert(w1 and w2 and w3 and w4 and w5)
end)

scenario("what is no rotation is an error that lists the forms", function()
  local world <close> = muslin.world()
  local function box(r) return function() world:obstacle { shape = "box", size = { 1, 1, 1 }, rotation = r } end end
  local forms = "must be a quaternion {w, x, y, z}, {axis = {x, y, z}, angle = rad} or {euler = {x, y, z}, order = 'xyz'}"
  raises("obstacle: field 'rotation' " .. forms .. " %(rad%) %(got 3%)", box(3))
  raises(forms .. " %(rad%) %(got a table%)", box { 0, 1, 0 })
  raises(forms .. " %(rad%) %(got a table%)", box { yaw = 1 })
  raises("'axis' and 'angle' stand alone; it " .. forms, box { axis = { 0, 1, 0 }, angle = 1, order = "xyz" })
  raises("'axis' and 'angle' stand alone; it " .. forms, box { axis = { 0, 1, 0 }, angel = 1 })
  raises("'angle' must be a finite number, rad %(got nil%)", box { axis = { 0, 1, 0 } })
  raises("'angle' must be a finite number, rad %(got infinite%)", box { axis = { 0, 1, 0 }, angle = 1 / 0 })
  raises("'axis' must not be zero", box { axis = { 0, 0, 0 }, angle = 1 })
  raises("'euler' must be three finite numbers {x, y, z} %(got nil%)", box { order = "xyz" })
  raises("the order must be 'xyz', .*, the first turn first %(got 'xyx'%)", box { euler = { 1, 2, 3 }, order = "xyx" })
  raises("must be a unit quaternion {w, x, y, z} %(its length is 2.0%)", box { 2, 0, 0, 0 })
  raises("mesh:transform: field 'rotation' must not be zero", function()
    muslin.mesh.box { size = { 1, 1, 1 } }:transform { rotation = { 0, 0, 0, 0 } }
  end)
  raises("rotation.axis%(axis, angle%): axis must not be zero", function() rotation.axis({ 0, 0, 0 }, 1) end)
  raises("rotation.axis%(axis, angle%): angle %(rad%) must be a number %(got nil%)", function() rotation.axis({ 0, 1, 0 }) end)
  raises("rotation.euler%(x, y, z, order%): the order must be .* %(got 'XYZ'%)", function() rotation.euler(1, 2, 3, "XYZ") end)
  raises("muslin.rotation: no function 'axes' %(did you mean 'axis'%?%)", function() return rotation.axes end)
end)
