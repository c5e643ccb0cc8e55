-- vec3_test.lua: vectors as values.
local muslin = require "muslin"
local vec3 = muslin.vec3

scenario("a vec3 is made from numbers, a list, named fields or another one", function()
  for _, v in ipairs { vec3(1, 2, 3), vec3 { 1, 2, 3 }, vec3 { x = 1, y = 2, z = 3 }, vec3(vec3(1, 2, 3)) } do
    expect(v):is_a("vec3"):equals(vec3(1, 2, 3))
  end
  expect(vec3()):equals(vec3(0, 0, 0))
  expect(function() vec3(1) end):raises("needs a vec3 or {x, y, z} (got 1)")
  expect(function() vec3(1, 2) end):raises("number expected")
  expect(function() vec3 { 1, 2 } end):raises("vec3")
  expect(function() vec3 { 1, 2, 3, 4 } end):raises("vec3")
end)

scenario("components are read by name and by number", function()
  local v = vec3(4, 5, 6)
  expect(v.x):equals(4)
  expect(v.y):equals(5)
  expect(v.z):equals(6)
  expect(v[1] + 10 * v[2] + 100 * v[3]):equals(654)
  expect(v[4]):is_nil()
  expect(v[0]):is_nil()
  expect(#v):equals(3)
  local sum = 0
  for _, c in ipairs(v) do sum = sum + c end
  expect(sum):equals(15)
  expect({ v:unpack() }):equals { 4, 5, 6 }
  expect(v:totable()):equals { 4, 5, 6 }
end)

scenario("operators", function()
  local a, b = vec3(1, 2, 3), vec3(10, 20, 30)
  expect(a + b):equals(vec3(11, 22, 33))
  expect(b - a):equals(vec3(9, 18, 27))
  expect(a + { 1, 1, 1 }):equals(vec3(2, 3, 4))
  expect({ 1, 1, 1 } - a):equals(vec3(0, -1, -2))
  expect(2 * a):equals(a * 2)
  expect(b / 10):equals(a)
  expect(-a):equals(vec3(-1, -2, -3))
  expect(a == vec3(1, 2, 3)):is_true()
  expect(a == b):is_false()
  expect(vec3(0 / 0, 0, 0) == vec3(0 / 0, 0, 0)):is_false()
  expect(tostring(vec3(1, 0.5, -2))):equals("(1, 0.5, -2)")
  expect("at " .. a):equals("at (1, 2, 3)")
  expect(function() return a * b end):raises("dot")
  expect(function() return a + 1 end):raises("vec3: '+' needs a vec3 or {x, y, z} (got 1)")
  expect(function() return 1 / a end):raises("divides a vec3 by a number")
end)

scenario("methods", function()
  local a, b = vec3(3, 4, 0), vec3(0, 0, 2)
  expect(a:dot { 1, 1, 1 }):equals(7)
  expect(a:cross(b)):equals(vec3(8, -6, 0))
  expect(a:length()):equals(5)
  expect(a:length2()):equals(25)
  expect(a:distance(vec3(3, 4, 12))):equals(12)
  expect(a:normalized()):near({ 0.6, 0.8, 0 }, 1e-15)
  expect(vec3():normalized()):equals(vec3())
  expect(a:lerp(b, 0)):equals(a)
  expect(a:lerp(b, 1)):equals(b)
  expect(a:lerp(b, 0.5)):equals(vec3(1.5, 2, 1))
end)

scenario("mistakes are reported", function()
  local v = vec3(1, 2, 3)
  expect(function() v.x = 2 end):raises("cannot be set")
  expect(function() v[1] = 2 end):raises("cannot be set")
  expect(function() return v.lenght end):raises("did you mean 'length'?")
  expect(function() return v.w end):raises("vec3: no field 'w'")
  expect(function() v.dot(1, v) end):raises("with a colon")
  expect(getmetatable(v)):equals(false)
end)
