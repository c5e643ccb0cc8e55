-- array_test.lua: arrays against the same arithmetic written out in Lua; slices, views, mistakes.
local muslin = require "muslin"
local array, vec3 = muslin.array, muslin.vec3

-- A list of n rows with numbers in -1..1, and the array of them.
local function random_rows(n, components)
  local rows = {}
  for i = 1, n do
    if components == 1 then
      rows[i] = 2 * math.random() - 1
    else
      rows[i] = vec3(2 * math.random() - 1, 2 * math.random() - 1, 2 * math.random() - 1)
    end
  end
  return rows, array(rows)
end

-- The array's rows must be exactly f(i).
local function expect_rows(a, n, f)
  expect(#a):equals(n)
  for i = 1, n do
    if a[i] ~= f(i) then expect(a[i], "row " .. i):equals(f(i)) end
  end
end

local N = 613 -- more than two blocks of a sum, and no multiple of anything

scenario("an array is made from a count, a list or another array", function()
  expect(#array(0)):equals(0)
  expect_rows(array(3), 3, function() return vec3() end)
  expect_rows(array(3, 1), 3, function() return 0 end)
  expect(array { 1, 2, 3 }:totable()):equals { 1, 2, 3 }
  expect(array { { 1, 2, 3 }, { 4, 5, 6 } }:totable()):equals { { 1, 2, 3 }, { 4, 5, 6 } }
  local a = array { 1, 2 }
  local b = array(a)
  b[1] = 7
  expect(a[1]):equals(1)
  expect(function() array(-1) end):raises("number of rows")
  expect(function() array(1.5) end):raises("number of rows")
  expect(function() array("x") end):raises("got 'x'")
  expect(function() array { { 1, 2 } } end):raises("a row must be three numbers")
  expect(function() array { 1, "2" } end):raises("a row must be a number (got '2')")
  expect(function() array(2, 2) end):raises("components must be 1 or 3")
end)

scenario("rows are read and written", function()
  local a = array(3)
  a[2] = { 1, 2, 3 }
  a:set(3, 4, 5, 6)
  a:set(1, vec3(7, 8, 9))
  expect(a[2]):equals(vec3(1, 2, 3))
  expect({ a:get(3) }):equals { 4, 5, 6 }
  expect(a[1].y):equals(8)
  local s = array(2, 1)
  s[1] = 5
  s:set(2, 6)
  expect(s:get(1) + s[2]):equals(11)
  a[1] = { 0 / 0, 1 / 0, 0 } -- kept as it is: a world's next step judges it
  expect(a[1].x ~= a[1].x):is_true()
  for _, i in ipairs { 0, -1, 5, 2 ^ 53 } do expect(function() return a[i] end):raises("out of range 1..3") end
  expect(a[4]):is_nil() -- the end of ipairs
  expect(function() a[4] = { 1, 2, 3 } end):raises("index 4 is out of range 1..3")
  expect(function() a[1.5] = { 1, 2, 3 } end):raises("whole number (got 1.5)")
  expect(function() a[1] = 1 end):raises("a row must be three numbers")
  expect(function() s[1] = { 1, 2, 3 } end):raises("a row must be a number")
  expect(function() return a.lenth end):raises("no method 'lenth'")
  expect(function() return a:axpi() end):raises("did you mean 'axpy'?")
end)

scenario("ipairs and pairs walk over rows", function()
  local a, sum, count = array { 1, 2, 3 }, 0, 0
  for i, x in ipairs(a) do sum = sum + i * x end
  for i, x in pairs(a) do count = count + i * x end
  expect(sum):equals(14)
  expect(count):equals(14)
end)

scenario("operations in place equal the loop", function()
  for _, components in ipairs { 1, 3 } do
    local a, A = random_rows(N, components)
    local b, B = random_rows(N, components)
    local s, S = random_rows(N, 1)
    expect_rows(A:copy():add(B), N, function(i) return a[i] + b[i] end)
    expect_rows(A:copy():sub(B), N, function(i) return a[i] - b[i] end)
    expect_rows(A:copy():scale(0.3), N, function(i) return a[i] * 0.3 end)
    expect_rows(A:copy():scale(S), N, function(i) return a[i] * s[i] end)
    expect_rows(A:copy():div(S), N, function(i) return a[i] / s[i] end)
    expect_rows(A:copy():axpy(0.3, B), N, function(i) return a[i] + 0.3 * b[i] end)
    expect_rows(A:copy():axpy(S, B), N, function(i) return a[i] + s[i] * b[i] end)
    expect_rows(A:copy():lerp(B, 0.3), N, function(i) return 0.7 * a[i] + 0.3 * b[i] end)
    expect_rows(A:copy():fill(B), N, function(i) return b[i] end)
    expect_rows(-A, N, function(i) return -a[i] end)
    expect_rows(A + B, N, function(i) return a[i] + b[i] end)
    expect_rows(A - B, N, function(i) return a[i] - b[i] end)
    expect_rows(A * S, N, function(i) return a[i] * s[i] end)
    expect_rows(A / S, N, function(i) return a[i] / s[i] end)
    expect_rows(0.5 * A, N, function(i) return 0.5 * a[i] end)
    expect_rows(A, N, function(i) return a[i] end)
  end
end)

scenario("vectors and numbers are broadcast", function()
  local a, A = random_rows(N, 3)
  local s, S = random_rows(N, 1)
  local v = vec3(0.1, -2, 3)
  expect_rows(A:copy():add { 0.1, -2, 3 }, N, function(i) return a[i] + v end)
  expect_rows(A:copy():add(1), N, function(i) return a[i] + vec3(1, 1, 1) end)
  expect_rows(A:copy():axpy(S, v), N, function(i) return a[i] + s[i] * v end)
  expect_rows(A:copy():mul(v), N, function(i) return vec3(a[i].x * v.x, a[i].y * v.y, a[i].z * v.z) end)
  expect_rows(v + A, N, function(i) return v + a[i] end)
  expect_rows(v - A, N, function(i) return v - a[i] end)
  expect_rows(S * v, N, function(i) return s[i] * v end)
  expect_rows(v * S, N, function(i) return s[i] * v end)
  expect_rows(1 - S, N, function(i) return 1 - s[i] end)
  expect_rows(1 / S, N, function(i) return 1 / s[i] end)
end)

scenario("vector operations equal the loop", function()
  local a, A = random_rows(N, 3)
  local b, B = random_rows(N, 3)
  local v = vec3(0, 1, 2)
  expect_rows(A:copy():cross(B), N, function(i) return a[i]:cross(b[i]) end)
  expect_rows(A:copy():cross(v), N, function(i) return a[i]:cross(v) end)
  expect_rows(A:copy():normalize(), N, function(i) return a[i]:normalized() end)
  expect_rows(A:dot(B), N, function(i) return a[i]:dot(b[i]) end)
  expect_rows(A:dot(v), N, function(i) return a[i]:dot(v) end)
  expect_rows(A:lengths(), N, function(i) return a[i]:length() end)
  expect(array(1):normalize()[1]):equals(vec3())
  local c = A:copy():clamp(-0.5, { 0.5, 0.25, 1 })
  expect_rows(c, N, function(i)
    local p = a[i]
    return vec3(math.max(-0.5, math.min(p.x, 0.5)), math.max(-0.5, math.min(p.y, 0.25)), math.max(-0.5, p.z))
  end)
  expect_rows(A:copy():clamp(nil, 0), N, function(i)
    return vec3(math.min(a[i].x, 0), math.min(a[i].y, 0), math.min(a[i].z, 0))
  end)
end)

scenario("transform", function()
  local A = array { { 1, 2, 3 }, { -1, 0, 5 } }
  expect(A:copy():transform { position = { 10, 20, 30 } }):near({ { 11, 22, 33 }, { 9, 20, 35 } }, 0)
  expect(A:copy():transform { scale = 2, position = { 1, 0, 0 } }):near({ { 3, 4, 6 }, { -1, 0, 10 } }, 0)
  expect(A:copy():transform { scale = { 1, 2, 3 } }):near({ { 1, 4, 9 }, { -1, 0, 15 } }, 0)
  -- A quarter turn about y takes z to x; the quaternion need not have unit length.
  expect(A:copy():transform { rotation = { 2, 0, 2, 0 } }):near({ { 3, 2, -1 }, { 5, 0, 1 } }, 1e-14)
  expect(A:copy():transform { 0, 0, 1, 0, 1, 0, -1, 0, 0 }):near({ { 3, 2, -1 }, { 5, 0, 1 } }, 0)
  expect(A:copy():transform { 1, 0, 0, 7, 0, 1, 0, 8, 0, 0, 1, 9 }):near({ { 8, 10, 12 }, { 6, 8, 14 } }, 0)
  expect(function() A:transform { 1, 2 } end):raises("9 or 12 numbers")
  expect(function() A:transform { rotation = { 0, 0, 0, 0 } } end):raises("must not be zero")
  expect(function() A:transform { positon = { 0, 0, 0 } } end):raises("did you mean 'position'?")
  expect(function() array(2, 1):transform { scale = 2 } end):raises("array of vectors")
end)

scenario("reductions", function()
  local a, A = random_rows(N, 3)
  local s, S = random_rows(N, 1)
  local sum, norm2, low, high = vec3(), 0, vec3(1, 1, 1), vec3(-1, -1, -1)
  local longest, least = 1, 1
  for i = 1, N do
    sum = sum + a[i]
    norm2 = norm2 + a[i]:length2()
    low = vec3(math.min(low.x, a[i].x), math.min(low.y, a[i].y), math.min(low.z, a[i].z))
    high = vec3(math.max(high.x, a[i].x), math.max(high.y, a[i].y), math.max(high.z, a[i].z))
    if a[i]:length() > a[longest]:length() then longest = i end
    if s[i] < s[least] then least = i end
  end
  expect(A:sum()):near(sum, 1e-12)
  expect(A:mean()):near(sum / N, 1e-14)
  expect(A:norm()):near(math.sqrt(norm2), 1e-12)
  expect(A:min()):equals(low)
  expect(A:max()):equals(high)
  expect({ A:argmax() }):equals { longest, a[longest]:length() }
  expect({ S:argmin() }):equals { least, s[least] }
  expect(A:copy():sum()):equals(A:sum())
  expect(array(0):sum()):equals(vec3())
  expect(array(0, 1):norm()):equals(0)
  expect(function() array(0):mean() end):raises("of no rows")
  expect(function() array(0):argmax() end):raises("of no rows")
  local bad = array { 1, 0 / 0, 3 } -- NaN must not hide behind a maximum
  expect(bad:max() ~= bad:max()):is_true()
  expect(bad:min() ~= bad:min()):is_true()
  expect((bad:argmax())):equals(2)
  expect(array { 2, 7, 7 }:argmax()):equals(2)
end)

scenario("gather, scatter and where", function()
  local a, A = random_rows(N, 3)
  local high = A:where(function(x, y, z, i) return y > 0 and x + z < 1 and i > 10 end)
  for k, i in ipairs(high) do
    expect(a[i].y):more_than(0)
    expect(k == 1 or i > high[k - 1]):is_true()
  end
  local some = A:gather(high)
  expect_rows(some, #high, function(k) return a[high[k]] end)
  local B = array(N):scatter(high, some)
  local is_high = {}
  for _, i in ipairs(high) do is_high[i] = true end
  expect_rows(B, N, function(i) return is_high[i] and a[i] or vec3() end)
  expect(array(3, 1):scatter({ 1, 1, 3 }, array { 5, 6, 7 }):totable()):equals { 6, 0, 7 }
  expect(array(3, 1):scatter({ 1, 1, 3 }, array { 5, 6, 7 }, "add"):totable()):equals { 11, 0, 7 }
  expect(array(2):scatter(array { 2 }, { 1, 2, 3 })[2]):equals(vec3(1, 2, 3))
  local c = array(3, 1)
  expect(function() c:scatter({ 1, 2, 4 }, 9) end):raises("index 4 is out of range 1..3")
  expect(c:totable()):equals { 0, 0, 0 } -- all or nothing
  expect(function() c:scatter({ 1, 2 }, array { 1 }) end):raises("scatter needs 2 x 1 values (got 1 x 1)")
  expect(function() c:gather { 0 } end):raises("out of range")
  expect(function() c:gather { 1.5 } end):raises("whole number")
  expect(function() c:gather(3) end):raises("list of whole numbers (got 3)")
end)

scenario("slices share the memory", function()
  local a = array { 1, 2, 3, 4, 5 }
  local s = a:slice(2, 4)
  s:scale(10)
  expect(a:totable()):equals { 1, 20, 30, 40, 5 }
  s:slice(2)[1] = 0
  expect(a[3]):equals(0)
  expect(#a:slice(3, 2)):equals(0)
  expect(#a:slice(6)):equals(0)
  expect(function() return a:slice(0, 2) end):raises("out of range 1..5")
  expect(function() return a:slice(2, 6) end):raises("out of range 1..5")
  expect(function() return s[4] end).never:raises()
  expect(function() return s[5] end):raises("out of range 1..3")
  a = nil -- luacheck: ignore
  collectgarbage()
  expect(s:totable()):equals { 20, 0, 40 } -- it keeps its array alive
end)

scenario("an operand that overlaps is read as it was", function()
  local a = array { 1, 2, 3, 4, 5 }
  a:slice(2, 5):add(a:slice(1, 4))
  expect(a:totable()):equals { 1, 3, 5, 7, 9 }
  a = array { 1, 2, 3, 4, 5 }
  a:slice(1, 4):add(a:slice(2, 5))
  expect(a:totable()):equals { 3, 5, 7, 9, 5 }
  a:add(a)
  expect(a:totable()):equals { 6, 10, 14, 18, 10 }
  a:slice(1, 4):scatter({ 4, 3, 2, 1 }, a:slice(1, 4))
  expect(a:totable()):equals { 18, 14, 10, 6, 10 }
  local p = array { { 1, 2, 3 }, { 4, 5, 6 } }
  expect(p:cross(p):norm()):equals(0)
end)

scenario("shapes that do not fit are refused", function()
  local a, s = array(5), array(5, 1)
  expect(function() a:add(array(4)) end):raises("add needs arrays of one length (5 rows here, 4 given)")
  expect(function() s:add(a) end):raises("cannot put vectors into numbers")
  expect(function() s:add { 1, 2, 3 } end):raises("an array of the same length or a number (got a table)")
  expect(function() a:add() end):raises("(got nil)")
  expect(function() a:add("1") end):raises("(got '1')")
  expect(function() return a:cross(2) end):raises("cross needs vectors")
  expect(function() return a + array(4) end):raises("'+' needs arrays of one length")
  expect(function() a.add(3) end):raises("with a colon")
  expect(function() return s:normalize() end):raises("array of vectors")
end)

scenario("views of a cloth", function()
  local world = muslin.world { gravity = { 0, 0, 0 } }
  local cloth = world:cloth { name = "c", mesh = muslin.mesh.grid { nodes = { 4, 4 }, size = { 1, 1 } } }
  local x = cloth.x
  local first = x[1]
  x:add { 0, 2, 0 }
  expect(cloth.x[1]):equals(first + { 0, 2, 0 })
  expect(#cloth.m):equals(16)
  expect(cloth.m[1]):is_a("number"):more_than(0)
  expect(function() cloth.inverse_mass:scale(2) end):raises("cloth.inverse_mass")
  local mass = cloth.m:sum()
  cloth.m:scale(2)
  expect(cloth.m:sum()):near(2 * mass, 1e-12)
  expect(function() cloth.x[17] = { 0, 0, 0 } end):raises("cloth.x: index 17 is out of range 1..16")
  local own = x:copy()
  local corner = x:slice(1, 4)
  world:remove(cloth)
  for _, f in ipairs {
    function() return x[1] end, function() return #x end, function() x[1] = first end, function() x:add(1) end,
    function() return x:sum() end, function() return corner[1] end, function() return x:copy() end,
    function() own:add(x) end, function() return x + 1 end,
  } do
    expect(f):raises("cloth")
  end
  expect(tostring(x)):contains("cloth.x") -- to print a stale view must not fail
  expect(#own):equals(16)
  world:close()
  expect(function() return corner:sum() end):raises("closed")
end)

scenario("a view goes stale within where", function()
  local world = muslin.world {}
  local cloth = world:cloth { mesh = muslin.mesh.grid { nodes = { 4, 4 }, size = { 1, 1 } } }
  local x = cloth.x
  expect(function()
    x:where(function()
      world:close()
      return true
    end)
  end):raises("closed")
end)

scenario("a written NaN is caught by the next step, which names it", function()
  local world = muslin.world {}
  local cloth = world:cloth { name = "rag", mesh = muslin.mesh.grid { nodes = { 4, 4 }, size = { 1, 1 } } }
  cloth.x[5] = { 0, 0 / 0, 0 }
  expect(function() world:step() end):raises("rag")
end)

scenario("large arrays under an eager collector", function()
  collectgarbage("setpause", 100)
  for _ = 1, 30 do
    local a = array(20000):fill { 1, 2, 3 }
    expect((a + a):sum()):equals(vec3(40000, 80000, 120000))
  end
end)
