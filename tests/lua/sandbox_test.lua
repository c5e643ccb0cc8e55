-- sandbox_test.lua: what scripts find in a scene's state: less than in Lua, in a fixed order. What must end by the time
-- limit is in tests/cli/sandbox.sh.
local muslin = require "muslin"

-- With --trusted most of this does not hold.
local trusted = rawget(_G, "io") ~= nil

scenario("what is not there", function()
  if trusted then skip("trusted") end
  for _, name in ipairs { "io", "debug", "package", "dofile", "loadfile" } do
    expect(rawget(_G, name), name):is_nil()
    expect(function() return _G[name] end):raises("'" .. name .. "' is not available to scenes without --trusted")
  end
  local of_os = {}
  for name in pairs(os) do of_os[#of_os + 1] = name end
  expect(of_os):equals { "clock", "difftime", "time" }
  expect(string.dump):is_nil()
  for _, name in ipairs { "io", "debug", "socket", "../kit", "/etc/passwd" } do
    expect(function() require(name) end):raises("require: no module '" .. name .. "'")
  end
  expect(function() setmetatable({}, { __gc = print }) end):raises("__gc")
  expect(setmetatable({}, { __mode = "k", __close = print })):is_a("table")
end)

scenario("addresses are not shown", function()
  if trusted then skip("trusted") end
  for _, format in ipairs { "%p", "%%%p", "%-20p", "a%5.2fb%10p", "\0%p" } do
    expect(function() return format:format({}, {}) end):raises("%p prints an address")
  end
  expect(("%%p %d%%p"):format(1)):equals("%p 1%p")
  expect(function() return ("%"):format(1) end):raises("invalid conversion")
end)

scenario("calls of C within each other have an end", function()
  local inner
  for _ = 1, 2e5 do
    local mine = inner
    inner = coroutine.create(function()
      local _ <close> = setmetatable({}, { __close = function() if mine then assert(coroutine.close(mine)) end end })
      coroutine.yield()
    end)
    coroutine.resume(inner)
  end
  local ok, message = coroutine.close(inner)
  expect(ok):equals(false)
  expect(message):matches("C stack overflow: coroutines that close each other")
  -- Each of those that are closed may nest calls of its own.
  local function nest(n, f) return n == 0 and f() or select(2, pcall(nest, n - 1, f)) end
  local last
  for _ = 1, 300 do
    local mine = last
    last = coroutine.create(function()
      local _ <close> = setmetatable({}, { __close = function()
        if mine then nest(150, function() ("x"):gsub(".", function() assert(coroutine.close(mine)) end) end) end
      end })
      coroutine.yield()
    end)
    coroutine.resume(last)
  end
  expect(coroutine.close(last)):is_a("boolean")

  local function deep(n) return n == 0 or pcall(deep, n - 1) end
  expect(deep(1e5)):is_a("boolean")
  local function deeper(n) return n == 0 or xpcall(deeper, print, n - 1) end
  expect(deeper(1e5)):is_a("boolean")
  local depth = 0
  local function sorts(a, b)
    depth = depth + 1
    if depth < 1e5 then table.sort({ 3, 1, 2 }, sorts) end
    return a < b
  end
  expect(function() table.sort({ 3, 1, 2 }, sorts) end):raises("C stack overflow")
  local function replaces() return (("x"):gsub(".", replaces)) end
  expect(replaces):raises("C stack overflow")
  local lists = setmetatable({}, { __index = function(t) return t.x end })
  expect(function() return lists.x end):raises()
  local function wraps() return coroutine.wrap(wraps)() end
  expect(wraps):raises("C stack overflow")
end)

scenario("functions of C as keys have an order", function()
  local places, names = {}, {}
  for _, library in ipairs { "string", "math", "table" } do
    for name, f in pairs(_G[library]) do
      if type(f) == "function" then
        places[f] = true
        names[f] = library .. "." .. name
      end
    end
  end
  places[ipairs {}] = true
  for name, f in pairs(muslin) do
    if type(f) == "function" and not names[f] then places[f], names[f] = true, "muslin." .. name end
  end
  local ordered, last = {}, nil
  for f in pairs(places) do
    last = names[f] or "none"
    if last:find "^math%.[cd]" then ordered[#ordered + 1] = last end
  end
  expect(ordered):equals { "math.ceil", "math.cos", "math.cosh", "math.deg" }
  expect(last):equals("none") -- what no library holds comes last
end)

scenario("strings' methods cannot be replaced", function()
  if trusted then skip("trusted") end
  expect(getmetatable("")):equals(false)
  expect(function() setmetatable("", {}) end):raises()
  expect(("abc"):upper()):equals("ABC")
end)

scenario("libraries cannot be changed, by no way round", function()
  if trusted then skip("trusted") end
  for _, name in ipairs { "string", "table", "math", "utf8", "coroutine", "os" } do
    local library = _G[name]
    local function refused(f) expect(f):raises("the library '" .. name .. "' cannot be changed") end
    local field = next((function()
      local fields = {}
      for key in pairs(library) do fields[key] = true end
      return fields
    end)())
    refused(function() library[field] = nil end)
    refused(function() library.mine = print end)
    refused(function() rawset(library, field, print) end)
    refused(function() rawset(library, "mine", print) end)
    expect(function() setmetatable(library, {}) end):raises("protected metatable")
    expect(getmetatable(library)):equals(false)
    expect(require(name) == library):is_true()
    expect(rawget(library, "mine")):is_nil()
  end
  expect(function() table.insert(string, "x") end):raises("cannot be changed")
  expect(function() table.move({ 1 }, 1, 1, 1, math) end):raises("cannot be changed")
  expect(function() setmetatable(_G, {}) end):raises("protected metatable")
  expect(getmetatable(_G)):equals(false)
  for _, thing in ipairs { muslin.vec3(), muslin.array(1), muslin.world(), muslin.mesh.grid { nodes = { 2, 2 } }, muslin } do
    expect(getmetatable(thing)):equals(false)
  end
  local count = 0
  for _, f in pairs(string) do count = count + (type(f) == "function" and 1 or 0) end
  expect(count):equals(16)
  expect(rawset({}, "a", 1).a):equals(1)
  expect(function() rawset("x", 1, 2) end):raises("table expected")
end)

declared = nil -- luacheck: ignore 111
assigned = 1 -- luacheck: ignore 111

scenario("globals are declared before they are used", function()
  if trusted then skip("trusted") end
  -- luacheck: push ignore 111 113
  expect(function() return assinged end):raises("no variable 'assinged' (did you mean 'assigned'?)")
  expect(function() return prinnt end):raises("did you mean 'print'?")
  expect(function() return qwertyuiop end):raises("no variable 'qwertyuiop': neither a local nor a global")
  expect(function() assinged = 2 end):raises("assignment to the undeclared variable 'assinged' (did you mean 'assigned'?)")
  expect(function() return declared end).never:raises()
  assigned, declared = 2, 3
  expect(assigned + declared):equals(5)
  assigned, declared = nil, nil
  expect(assigned):is_nil()
  load("from_a_chunk = 4")()
  expect(from_a_chunk):equals(4)
  rawset(_G, "by_rawset", 1)
  expect(by_rawset):equals(1)
  expect(rawget(_G, "nothing")):is_nil()
  expect(_G[1]):is_nil()
  -- luacheck: pop
end)

scenario("the clock is the simulation's, the calendar begins at a fixed day", function()
  if trusted then skip("trusted") end
  local world <close> = muslin.world { dt = 1 / 100, fps = 50 }
  world:step()
  local before = os.clock()
  expect(before):near(0.01, 1e-12)
  expect(os.time()):equals(946684800)
  world:advance(2.5)
  expect(os.clock()):near(2.51, 1e-9)
  expect(os.time()):equals(946684802)
  expect(os.difftime(5, 3)):equals(2)
  expect(os.time { year = 1970, month = 1, day = 1, hour = 0 }):equals(0)
  expect(os.time { year = 2000, month = 1, day = 1, hour = 0 }):equals(946684800)
  expect(os.time { year = 2024, month = 2, day = 29 }):equals(1709208000)
  expect(os.time { year = 2023, month = 14, day = 30, min = -1 }):equals(os.time { year = 2024, month = 3, day = 1, hour = 11, min = 59 })
  expect(os.time { year = 1600, month = 3, day = 1, hour = 0 }):equals(-11670912000)
  expect(function() os.time { year = 2000, month = 1 } end):raises("field 'day' must be a whole number")
  expect(function() os.time { year = 2000, month = 1, day = 1.5 } end):raises("field 'day' must be a whole number")
  expect(function() os.time { year = 1e10, month = 1, day = 1 } end):raises("field 'year' is out of range")
end)

scenario("streams of random numbers do not disturb each other", function()
  math.randomseed(7)
  local a, b = muslin.random "a", muslin.random "b"
  local first = { a(), a(6), a:number(2, 3), a(-2, 2) }
  local of_b, plain = b(), math.random()
  math.randomseed(7)
  expect(b()):equals(of_b)
  expect(muslin.random("a") == a):is_true()
  for _ = 1, 100 do muslin.random "c"() end
  expect({ a(), a(6), a:number(2, 3), a(-2, 2) }):equals(first)
  expect(math.random()):equals(plain)
  expect(first[3]):between(2, 3)
  assert(of_b ~= first[1] and of_b ~= plain)
  math.randomseed(8)
  assert(a() ~= first[1])
  math.randomseed(42) -- these bits are the same on every machine
  expect(a(0)):equals(-2407925770027330588)
  expect(function() muslin.random() end):raises("the stream's name must be a string (got nil)")
  expect(function() a.number(3) end):raises("call it as stream(...) or stream:number(...)")
  expect(function() a(2, 1) end):raises("interval is empty")
  expect(muslin.type(a)):equals("stream")
end)

scenario("code is loaded from text only", function()
  if trusted then skip("trusted") end
  expect({ load("\27Lua") }):equals { nil, "attempt to load a binary chunk (mode is 't')" }
  expect(select(2, load("return 1", "x", "b"))):contains("bytecode")
  expect(load("return 1 + ...", "x", "bt")(2)):equals(3)
  expect(select(2, load("x ="))):equals('[string "x ="]:1: unexpected symbol near <eof>')
  expect(select(2, load("x =", "=name"))):equals("name:1: unexpected symbol near <eof>")
  expect(load("return a", "x", "t", { a = 5 })()):equals(5)
  expect(load("a = 1; return a", "x", "t", {})()):equals(1)
  expect(rawget(_G, "a")):is_nil()
  local pieces, k = { "return ", "1", "+1", "" }, 0
  expect(load(function()
    k = k + 1
    return pieces[k]
  end)()):equals(2)
  expect(function() load(function() return {} end) end):raises("must return a string")
  expect(function() load(function() error("inside") end) end):raises("inside")
end)

scenario("what would run or grow without an end is refused", function()
  if trusted then skip("trusted") end
  local endless = setmetatable({}, { __len = function() return 2 ^ 53 | 0 end })
  expect(function() return ("x"):rep(1e10) end):raises("string.rep: more than")
  expect(function() return (""):rep(1e18) end):raises("string.rep: more than")
  expect(function() return ("x"):rep(2 ^ 27, "xy") end):raises("string.rep: more than")
  expect(("ab"):rep(3, "-")):equals("ab-ab-ab")
  expect(("ab"):rep(-1)):equals("")
  expect(function() table.move({}, 1, 2e9, 2) end):raises("table.move: more than")
  expect(function() table.move({}, math.mininteger, math.maxinteger, 2) end):raises("table.move")
  expect(table.move({ 1, 2, 3 }, 1, 3, 2)):equals { 1, 1, 2, 3 }
  expect(function() table.insert(endless, 1, 1) end):raises("a list of more than")
  expect(function() table.remove(endless, 1) end):raises("a list of more than")
  expect(function() table.concat(endless) end):raises("a list of more than")
  expect(function() table.concat({}, "", 1, 2e9) end):raises("table.concat: more than")
  expect(function() table.unpack(endless) end):raises()
  expect(function() table.sort(endless) end):raises("too big")
  expect(function() return muslin.array(2 ^ 31) end):raises("number of rows")
end)

scenario("memory has a limit in tests, and hitting it can be survived", function()
  local ok, message = pcall(function()
    local pieces = {}
    for i = 1, 1e6 do pieces[i] = ("x"):rep(2 ^ 24) .. i end
    return pieces
  end)
  expect(ok):is_false()
  expect(message):equals("not enough memory")
  expect(#("x"):rep(2 ^ 20)):equals(2 ^ 20)
end)

-- The keys that pairs gives, as text.
local function order(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = type(key) == "table" and key.name or tostring(key) end
  return table.concat(keys, " ")
end

scenario("pairs goes by kind and value", function()
  local old = { name = "old" }
  local young = { name = "young" }
  local t = { [young] = 1, b = 1, [true] = 1, a = 1, [2.5] = 1, ab = 1, [-3] = 1, [old] = 1, [false] = 1, [7] = 1 }
  t[1], t[3], t[2] = 1, 1, 1
  expect(order(t)):equals("1 2 3 7 -3 2.5 a ab b false true old young")
  expect(order {}):equals("")
  expect(order { 1, 2, nil, 4 }):equals("1 2 4")
  local names, expected = {}, {}
  for i = 1, 500 do
    local name = "k" .. (i * 7919) % 100003
    names[name] = i
    expected[i] = name
  end
  table.sort(expected)
  expect(order(names)):equals(table.concat(expected, " "))
end)

scenario("objects come from the oldest to the youngest", function()
  local objects, set = {}, {}
  for i = 1, 200 do
    objects[i] = i % 3 == 0 and function() return i end or i % 3 == 1 and {} or coroutine.create(print)
  end
  for i = 200, 1, -1 do set[objects[i]] = i end
  local count = 0
  for _, i in pairs(set) do
    count = count + 1
    if i ~= count then expect(i):equals(count) end
  end
  expect(count):equals(200)
  local vectors = {}
  for i = 1, 20 do objects[i] = muslin.vec3(i, 0, 0) end
  for i = 20, 1, -1 do vectors[objects[i]] = i end
  count = 0
  for vector, i in pairs(vectors) do
    count = count + 1
    expect(i):equals(count)
    expect(vector.x):equals(i)
  end
end)

scenario("next goes as pairs does", function()
  local t = { 1, 2, nil, 4, x = 1, y = 2, [0] = 3, [1.5] = 1, [true] = 1 }
  local a, b = {}, {}
  for key in pairs(t) do a[#a + 1] = key end
  for key in next, t do b[#b + 1] = key end
  expect(b):equals(a)
  expect(next {}):is_nil()
  expect({ next({ 5 }) }):equals { 1, 5 }
  expect(next({ 5 }, 1.0)):is_nil()
  expect(function() next(3) end):raises("table expected")
end)

scenario("fields may be removed and changed on the way", function()
  local t = {}
  for i = 1, 50 do t[i], t["k" .. i] = i, i end
  local seen = 0
  for key, value in pairs(t) do
    seen = seen + 1
    t[key] = seen % 2 == 0 and value or nil
    if key == 10 then t[11], t.k7 = nil, nil end
  end
  expect(seen):equals(98)
  for key in next, t do t[key] = nil end
  expect(next(t)):is_nil()
end)

scenario("__pairs is honoured", function()
  local t = setmetatable({}, {
    __pairs = function(self)
      return function(_, k) if (k or 0) < 3 then return (k or 0) + 1, "v" end end, self, nil
    end,
  })
  expect(order(t)):equals("1 2 3")
  expect(function() pairs(nil) end):raises()
  expect(function() pairs(3) end):raises("table expected")
  local wrapped = coroutine.wrap(function()
    local yields = setmetatable({}, {
      __pairs = function(self)
        coroutine.yield("within")
        return next, self, nil
      end,
    })
    for _ in pairs(yields) do error("it is empty") end
    return "end"
  end)
  expect(wrapped()):equals("within")
  expect(wrapped()):equals("end")
end)

scenario("table.sort is stable and takes any comparison", function()
  local t = {}
  for i = 1, 1000 do t[i] = { key = (i * 7919) % 10, i = i } end
  table.sort(t, function(a, b) return a.key < b.key end)
  for i = 2, 1000 do
    local a, b = t[i - 1], t[i]
    if not (a.key < b.key or a.key == b.key and a.i < b.i) then expect(i):equals("in order") end
  end
  local words = { "pear", "apple", "fig" }
  table.sort(words)
  expect(words):equals { "apple", "fig", "pear" }
  local numbers = { 3, 1, 2 }
  table.sort(numbers, function(a, b) return a > b end)
  expect(numbers):equals { 3, 2, 1 }
  table.sort(numbers, function() return true end)
  table.sort(numbers)
  expect(numbers):equals { 1, 2, 3 }
  expect(function() table.sort({ 1, "x" }) end):raises("attempt to compare")
  expect(function() table.sort({ 1, 2 }, 3) end):raises("function expected")
  table.sort({})
end)

scenario("objects are called by number, not by address", function()
  local t, f = {}, function() end
  local name = tostring(t)
  expect(name):matches("^table: #%d+$")
  expect(tostring(t)):equals(name)
  expect(tostring(f)):matches("^function: #%d+$")
  expect(("%s %5d"):format(t, 3)):equals(name .. "     3")
  expect(tostring(setmetatable({}, { __tostring = function() return "mine" end }))):equals("mine")
  expect(tostring(setmetatable({}, { __name = "kind" }))):matches("^kind: #%d+$")
  expect(function() tostring() end):raises("value expected")
end)

scenario("random numbers come from the seed", function()
  math.randomseed(42)
  local a = { math.random(), math.random(6), math.random(-3, 3), math.random(0) }
  math.randomseed(42)
  expect({ math.random(), math.random(6), math.random(-3, 3), math.random(0) }):equals(a)
  math.randomseed(42) -- these bits are the same on every machine
  expect(math.random(0)):equals(1546998764402558742)
  local counts = { 0, 0, 0, 0, 0, 0 }
  for _ = 1, 6000 do
    local x = math.random()
    expect(x >= 0 and x < 1):is_true()
    local k = math.random(6)
    counts[k] = counts[k] + 1
  end
  for k = 1, 6 do expect(counts[k]):between(850, 1150) end
  expect(math.random(3, 3)):equals(3)
  expect(math.type(math.random(math.mininteger, math.maxinteger))):equals("integer")
  expect(function() math.random(2, 1) end):raises("interval is empty")
  expect(function() math.random(1, 2, 3) end):raises("wrong number of arguments")
end)

scenario("math is as good as the C library's", function()
  for i = -50, 50 do
    local x = i * 0.37
    expect(math.sin(x) ^ 2 + math.cos(x) ^ 2):near(1, 1e-14)
    expect(math.log(math.exp(x))):near(x, 1e-13)
    expect(math.atan(math.sin(x), math.cos(x))):near((x + math.pi) % (2 * math.pi) - math.pi, 1e-13)
  end
  expect(math.log(8, 2)):equals(3)
  expect(math.log(1000, 10)):equals(3)
  expect(math.log(81, 3)):equals(4)
  expect(math.log(0.125, 2)):equals(-3)
  expect(math.log(0)):equals(-1 / 0)
  expect(math.pow(2, 10)):equals(1024) -- luacheck: ignore 143
  expect(math.asin(1)):near(math.pi / 2, 1e-15)
  expect(math.acos(-1)):near(math.pi, 1e-15)
  expect(math.tan(0.5)):near(0.5463024898437905, 1e-15)
  expect(function() math.sin("x") end):raises("number expected")
end)

scenario("errors are caught as in Lua", function()
  expect({ pcall(error, "x") }):equals { false, "x" }
  expect({ pcall(error) }):equals { false }
  local t = {}
  expect(select(2, pcall(error, t)) == t):is_true()
  expect({ pcall(function(...) return ..., 4 end, 1, 2) }):equals { true, 1, 4 }
  expect({ xpcall(function(...) return ... end, print, 1, 2, 3) }):equals { true, 1, 2, 3 }
  expect({ xpcall(error, function(m) return m .. "!" end, "a") }):equals { false, "a!" }
  expect(function() pcall() end):raises("value expected")
  expect(function() xpcall(print) end):raises("function expected")
  expect(select(2, pcall(function() local function f() return f() + 1 end f() end))):contains("stack overflow")
end)

scenario("coroutines are as in Lua", function()
  local co = coroutine.create(function(a, b)
    local c = coroutine.yield(a + b)
    local d, e = coroutine.yield(c * 2)
    return d + e, "end"
  end)
  expect({ coroutine.resume(co, 1, 2) }):equals { true, 3 }
  expect(coroutine.status(co)):equals("suspended")
  expect({ coroutine.resume(co, 10) }):equals { true, 20 }
  expect({ coroutine.resume(co, 3, 4) }):equals { true, 7, "end" }
  expect(coroutine.status(co)):equals("dead")
  expect({ coroutine.resume(co) }):equals { false, "cannot resume dead coroutine" }
  local wrapped = coroutine.wrap(function()
    for i = 1, 3 do coroutine.yield(i) end
    error { code = 7 }
  end)
  expect({ wrapped(), wrapped(), wrapped() }):equals { 1, 2, 3 }
  local ok, err = pcall(wrapped)
  expect(ok):is_false()
  expect(err.code):equals(7)
  expect(pcall(wrapped)):is_false()
  expect(function() coroutine.wrap(function() error("inner") end)() end):raises("sandbox_test.lua:%d+: .*inner")
  local closed = false
  local pending = coroutine.create(function()
    local guard <close> = setmetatable({}, { __close = function() closed = true end }) -- luacheck: ignore guard
    coroutine.yield()
  end)
  coroutine.resume(pending)
  expect(coroutine.close(pending)):is_true()
  expect(closed):is_true()
  expect(coroutine.status(pending)):equals("dead")
  local failing = coroutine.create(function()
    local guard <close> = setmetatable({}, { __close = function() error("late", 0) end }) -- luacheck: ignore guard
    coroutine.yield()
  end)
  coroutine.resume(failing)
  expect({ coroutine.close(failing) }):equals { false, "late" }
  expect(function() coroutine.close(coroutine.running()) end):raises("cannot close a running coroutine")
  expect(function() coroutine.resume(3) end):raises("coroutine expected")
  -- A yield across pcall, xpcall and pairs' metamethod is fine, as in Lua.
  local across = coroutine.wrap(function()
    local fine, value = pcall(function() return coroutine.yield(1) end)
    local _, message = xpcall(function() error(coroutine.yield(fine and value), 0) end, function(m) return m .. "!" end)
    return message
  end)
  expect(across()):equals(1)
  expect(across("two")):equals("two")
  expect(across("three")):equals("three!")
end)

scenario("the collector can be controlled", function()
  expect(collectgarbage("count")):more_than(0)
  collectgarbage()
  collectgarbage("step")
  local weak = setmetatable({}, { __mode = "v" })
  weak[1] = {}
  collectgarbage()
  expect(weak[1]):is_nil()
end)
