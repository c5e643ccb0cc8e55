-- rule_test.lua: traced rules: the same bits as called one contact after the other, parameters, what cannot be traced.
local muslin = require "muslin"
local once = require "once"

local raises = function(pattern, f) expect(f):raises(pattern) end

-- A sheet falls on a floor and onto another, sliding.
local function falling(rule, options)
  options = options or {}
  local world = muslin.world { dt = 1 / 240, pipeline = options.pipeline, threads = options.threads }
  local function sheet(name, y, v)
    return world:cloth {
      name = name,
      thickness = 4e-3,
      mesh = muslin.mesh.grid { nodes = { 9, 8 }, size = { 0.3, 0.27 }, center = { 0.01, y, 0.02 } },
      velocity = v,
    }
  end
  sheet("low", 0.04, { 0, 0, 0 })
  sheet("high", 0.06, { 0.5, -1, 0.1 })
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 }, friction = 0.3 }
  world:obstacle { name = "ball", shape = "sphere", radius = 0.02, at = { 0.05, 0.01, 0.03 } }
  if rule then world:respond { rule = rule, between = options.between } end
  return world
end

local function hashes(world, steps)
  local list = {}
  for k = 1, steps or 25 do
    world:step()
    list[k] = world:hash()
  end
  return table.concat(list, " ")
end

local mu = muslin.param("mu", 0.3)

local function sticky(c)
  local vn = c.normal:dot(c.velocity)
  local vt = c.velocity - vn * c.normal
  local jn = muslin.max(-vn, 0) * c.mass
  return jn * c.normal - muslin.min(mu * jn, vt:length() * c.mass) * vt:normalized()
end

-- Every field, operator and function that both kinds of numbers know.
local function everything(c)
  local v, n = c.velocity, c.normal
  local t = muslin.vec3(n.x, c.gap * 0, -n[3]):cross(v) + v:cross(n) - { 0, 0, 0 } + muslin.vec3(0, 0, 0)
  local s = muslin.smoothstep(-1e-3, 1e-3, c.gap) + muslin.step(0, c.depth) + c.thickness + c.distance ^ 2 + c.start_gap + 2 ^ c.toi
  s = s + muslin.sin(c.time) * muslin.cos(c.dt) + muslin.tan(s) - muslin.atan2(s, 2) + muslin.acos(0.5) - muslin.asin(0.1 * c.friction)
  s = s + muslin.exp(-s) * muslin.log(1 + muslin.abs(s)) + muslin.pow(muslin.abs(s), 1.5) + muslin.floor(s * 7) + (s * 9) // 2
  local word = muslin.eq(c.kind, "edge_edge") + 2 * muslin.ne(c.kind, "vertex_plane")
  local many = muslin.lt(s, 1) + muslin.le(s, 2) + muslin.gt(s, 3) + muslin.ge(c.gap, 0) + muslin.eq(s, s) + word
  local place = 30 * c.points[1]:lerp(c.points[2], 0.25)
  local noise = muslin.noise(place) + muslin.noise(place, 3) + muslin.noise({ s, c.time, many }, -4)
  local factor = muslin.select(many - 3, c.restitution + 1, 0.5) * muslin.clamp(noise, -0.1, 0.1)
  local j = muslin.max(-n:dot(v), 0, c.depth) * c.mass * muslin.select(muslin.gt(c.gap, 1), { 0, 0, 0 }, n)
  local side = muslin.sqrt(t:length2()) * (t / muslin.max(t:distance { 0, 1e-9, 0 }, 1e-9)):normalized()
  return j + 1e-7 * factor * -side - muslin.min(mu * 1e-9, s * s) * n, -j * (1 - 1e-3 * muslin.min(noise, 0))
end

scenario("a traced rule gives the bits of the plain one", function()
  for name, law in pairs { sticky = sticky, everything = everything } do
    for _, pipeline in ipairs { "robust", "sequential", law == sticky and "provot" or "bridson_source" } do
      local world = falling(muslin.rule({ trace = false }, law), { pipeline = once(pipeline) })
      local plain, met = hashes(world), #world:contacts()
      assert(met > 10 or pipeline == "provot", met)
      assert(plain ~= hashes(falling(nil, { pipeline = once(pipeline) })), "the rule does something")
      assert(hashes(falling(muslin.rule(law), { pipeline = once(pipeline) })) == plain, name .. " under " .. pipeline)
      assert(hashes(falling(muslin.rule({ check = true }, law), { pipeline = once(pipeline) })) == plain)
      assert(hashes(falling(law, { pipeline = once(pipeline), threads = 3 })) == plain, "a function is traced, too")
    end
  end
end)

scenario("a rule of nodes", function()
  local function settle(c)
    local vn = c.normal:dot(c.velocity) * c.normal
    return (1 - muslin.min(mu * c.mass * 1e3 + c.friction, 1)) * (c.velocity - vn) - (c.restitution + 0.1) * vn
  end
  for _, pipeline in ipairs { "robust", "sequential", "provot", "bridson_source" } do
    local function run(options) return hashes(falling(muslin.rule(options, settle), { pipeline = once(pipeline) })) end
    local plain = run { per = "node", trace = false }
    assert(plain ~= hashes(falling(nil, { pipeline = once(pipeline) })))
    assert(run { per = "node" } == plain and run { per = "node", check = true } == plain)
  end
  raises("it must return the node's new velocity", function() muslin.rule({ per = "node" }, function() end) end)
  local world = falling(muslin.rule({ per = "node", trace = false }, function() return 7 end))
  raises("it must return the node's new velocity, {x, y, z} in m/s %(got 7, " ..
    "between vertex %d+ of cloth 'low' and vertex %d+ of cloth 'high', t = ", function() world:run(1) end)
end)

scenario("with between, and beside plain rules", function()
  local function run(first, second)
    local world = falling(first, { between = { "high", "low" } })
    world:respond { rule = second, between = { "floor" } }
    return hashes(world)
  end
  local function slide(c) return muslin.max(-c.normal:dot(c.velocity), 0) * c.mass * c.normal end
  local traced, plain = muslin.rule(sticky), muslin.rule({ trace = false }, sticky)
  local slip, slow = muslin.rule(slide), muslin.rule({ trace = false }, slide)
  local wanted = run(plain, slow)
  assert(run(traced, slow) == wanted and run(plain, slip) == wanted and run(traced, slip) == wanted)
end)

scenario("parameters change between steps, without tracing again", function()
  local calls = 0
  local level = muslin.param("level", 0.1)
  local function law(c)
    calls = calls + 1
    return muslin.max(-c.normal:dot(c.velocity), 0) * c.mass * c.normal - level * c.mass * c.velocity
  end
  local rule = muslin.rule(law)
  local function run(r, change)
    level:set(0.1)
    local world = falling(r)
    local first = hashes(world, 20)
    change()
    return first .. hashes(world, 20)
  end
  local still = run(rule, function() end)
  local moved = run(rule, function() level:set(0.4) end)
  assert(calls == 1 and still ~= moved and still:sub(1, 100) == moved:sub(1, 100))
  assert(run(rule, function() rule:set("level", 0.4) end) == moved and level:get() == 0.4 and rule:get "level" == 0.4)
  assert(calls == 1)
  assert(run(muslin.rule({ trace = false }, law), function() level:set(0.4) end) == moved)
  assert(level * 2 == 0.8 and 1 - level == 0.6 and -level == -0.4 and level < 1 and not (level <= 0.1) and level ^ 2 == 0.4 ^ 2)
  assert(muslin.max(level, 0) == 0.4 and muslin.vec3(level, 0, 0).x == 0.4 and level * muslin.vec3(1, 0, 0) == muslin.vec3(0.4, 0, 0))
  assert(tostring(level):find "param 'level' = 0.4")
  raises("rule: no param 'levl' %(did you mean 'level'%?%)", function() rule:set("levl", 1) end)
  raises("param 'level': its value must be finite", function() level:set(1 / 0) end)
  raises("param 'level': its range must be two numbers, min and max %(got nil%)", function() muslin.param("level", 1, 0) end)
  raises("param 'level': its range must be two numbers, min and max %(got 'a'%)", function() muslin.param("level", 1, "a", 2) end)
  raises("param 'level': its range must be finite, with min < max %(got 2.0 and 1.0%)", function() muslin.param("level", 1, 2, 1) end)
  raises("param 'level': its range must be finite", function() muslin.param("level", 1, 0, 1 / 0) end)
  raises("param 'level': the value must be in its range 0.0..2.0 %(got 3.0%)", function() muslin.param("level", 3, 0, 2) end)
  assert(muslin.param("level", 1, 0, 2) * 2 == 2.0)
  raises("param 'level': set%(value%): it must be a number %(got 'x'%)", function() level:set "x" end)
  raises("rule: set%('level', value%): it must be a number", function() rule:set "level" end)
  raises("another one of this name", function()
    muslin.rule(function(c) return level * muslin.param("level", 2) * c.normal end)
  end)
end)

scenario("what cannot be traced is refused, with the line and the way out", function()
  local function refused(pattern, f)
    raises("^tests/lua/rule_test.lua:%d+: .*" .. pattern, function() muslin.rule(f) end)
  end
  refused("'<' on a traced number.*muslin.select%(muslin.lt%(a, b%), x, y%).*trace = false", function(c) return c.gap < 0 end)
  refused("'<' on a traced number", function(c) return c.gap > 0 end)
  refused("'<=' on a traced number", function(c) return 0 >= c.gap end)
  refused("'==' on a traced number", function(c) return c.gap == c.mass end)
  refused("'%%' on a traced number is not possible.*muslin.floor", function(c) return c.gap % 2 end)
  refused("comparing a traced number", function() return mu < 1 end)
  for name, ours in pairs { sin = "sin", cos = "cos", tan = "tan", asin = "asin", acos = "acos", exp = "exp", log = "log", abs = "abs",
    sqrt = "sqrt", floor = "floor", ceil = "floor", atan = "atan2" } do
    refused(("; a traced function calls muslin%%.%s instead of math%%.%s$"):format(ours, name),
      load(("local c = ... return math.%s(c.gap) * c.normal"):format(name), "@tests/lua/rule_test.lua"))
    assert(muslin[ours])
  end
  refused("text of a traced number", function(c) return "gap " .. c.gap end)
  refused("'#' on a traced number", function(c) return #c.normal end)
  refused("setting a component", function(c) c.normal.x = 1 end)
  refused("field 'gap' of its argument cannot be set", function(c) c.gap = 1 end)
  refused("no field 'norml' %(did you mean 'normal'%?%)", function(c) return c.norml end)
  refused("traced vector: no field 'lenght' %(did you mean 'length'%?%)", function(c) return c.normal:lenght() end)
  refused("field 'vertices' of a contact cannot be traced", function(c) return c.vertices end)
  refused("'%*' scales a vector", function(c) return c.normal * c.velocity end)
  refused("'%+' needs a vec3 or {x, y, z} %(got a traced number%)", function(c) return c.normal + c.gap end)
  refused("'/' divides by a number", function(c) return 1 / c.normal end)
  refused("got a traced number or vector, which has a value only while its rule runs", function(c)
    muslin.array(3, 3)[1] = c.normal end)
  refused("got traced number or vector", function(c) return math.sin(c.gap) end)
  refused("both choices must be numbers, or both vectors", function(c) return muslin.select(c.gap, 1, c.normal) end)
  refused("a contact has no kind 'edge_ege' %(did you mean 'edge_edge'%)", function(c) return muslin.eq(c.kind, "edge_ege") end)
  refused("needs a vec3", function(c) return c.normal:dot(3) end)
  refused("sqrt: it takes 1 number", function(c) return muslin.sqrt(c.gap, 2) end)
  refused("a function cannot be traced while another one is", function() return muslin.rule(function() end) end)
  refused("more than 20000 operations", function(c)
    local x = c.gap for _ = 1, 1e6 do x = muslin.sin(x) end end)
  raises("rule: it must return the impulse on side 1, {x, y, z} in N s %(got one number%)", function()
    muslin.rule(function(c) return c.gap end)
  end)
  raises("rule: it must return the impulse on side 1.*%(got nil%)", function() muslin.rule(function() end) end)
  raises("rule: it must return the impulse on side 2.*%(got 3%)", function()
    muslin.rule(function(c) return c.normal, 3 end)
  end)
  raises("no thanks", function() muslin.rule(function() error "no thanks" end) end)
  -- a trace that failed is over
  muslin.rule(function(c) return c.normal end)
  local kept, argument
  muslin.rule(function(c)
    kept, argument = c.gap, c
    return c.normal
  end)
  raises("has no value outside of it", function() return kept + 1 end)
  raises("its argument has no values outside the function", function() return argument.gap end)
  raises("belongs to another function", function() muslin.rule(function(c) return kept * c.normal end) end)
end)

scenario("check finds what tracing does not see", function()
  local function run(law)
    local world = falling(muslin.rule({ check = true }, law))
    local hash
    for _ = 1, 40 do
      hash = world:hash()
      local ok, message = pcall(world.step, world)
      if not ok then
        assert(world:hash() == hash, "the step is undone")
        return message
      end
    end
  end
  local calls = 0
  assert(not run(sticky))
  local message = run(function(c)
    calls = calls + 1
    return calls * sticky(c)
  end)
  local where = "between vertex %d+ of cloth 'low' and vertex %d+ of cloth 'high', t = "
  assert(message:find "traced it gives" and message:find(where) and message:find "use muslin.param", message)
  message = run(function(c) return (c.kind == "vertex_plane" and 2 or 1) * sticky(c) end)
  assert(message:find "depends on something that tracing does not see", message)
end)

scenario("a result that is no number undoes the step", function()
  local world = falling(function(c) return c.normal / (0 * c.mass) end)
  local hash
  raises("rule_test.lua:%d+: response rule: the impulse on side 1 must be finite %(got {", function()
    for _ = 1, 40 do
      hash = world:hash()
      world:step()
    end
  end)
  assert(world:hash() == hash)
end)

scenario("a rule explains itself, and can be called by hand", function()
  local rule = muslin.rule(function(c) return mu * (c.gap + c.gap) * c.normal end)
  local text = rule:explain()
  for _, word in ipairs { "rule of a contact: 5 operations", "cost: 1 add 4 mul", "reads: normal.x normal.y normal.z gap",
    "parameter: mu = ", "gap %+ gap", "impulse on side 1" } do
    assert(text:find(word), word .. " is not in " .. text)
  end
  raises("explain%(%) is for traced rules", function() muslin.rule({ trace = false }, print):explain() end)
  local v = rule { gap = 2, normal = muslin.vec3(0, 1, 0) }
  expect(v.y):near(4 * mu:get(), 1e-12)
end)

scenario("what is noise", function()
  local most, least, sum, jump, n = -1, 1, 0, 0, 0
  for x = -3, 3, 0.11 do
    for y = -2, 2, 0.13 do
      local a = muslin.noise({ x, y, 0.4 }, 2)
      most, least, sum, n = math.max(most, a), math.min(least, a), sum + a, n + 1
      jump = math.max(jump, math.abs(a - muslin.noise({ x + 1e-4, y, 0.4 }, 2)))
    end
  end
  assert(most < 1 and most > 0.4 and least > -1 and least < -0.4 and math.abs(sum / n) < 0.2 and jump < 1e-3)
  assert(muslin.noise { 1, 2, 3 } ~= muslin.noise({ 1, 2, 3 }, 1))
  raises("noise%(place, seed%): the place must be a vec3", function() muslin.noise(3) end)
  raises("the seed must be a whole number %(got 0.5%)", function() muslin.noise({ 0, 0, 0 }, 0.5) end)
end)

scenario("the functions of numbers as they are", function()
  assert(muslin.lt(1, 2) == 1 and muslin.le(2, 2) == 1 and muslin.gt(1, 2) == 0 and muslin.ge(2, 3) == 0)
  assert(muslin.eq(2, 2) == 1 and muslin.ne(2, 2) == 0 and muslin.eq("edge_edge", "edge_edge") == 1)
  assert(muslin.ne("edge_edge", "vertex_face") == 1)
  assert(muslin.select(true, "x", "y") == "x" and muslin.select(0, 1, 2) == 2 and muslin.select(0.5, 1, 2) == 1)
  assert(muslin.step(1, 0.9) == 0 and muslin.step(1, 1) == 1 and muslin.floor(-1.5) == -2)
  assert(muslin.smoothstep(1, 3, 0) == 0 and muslin.smoothstep(1, 3, 2) == 0.5 and muslin.smoothstep(1, 3, 9) == 1)
  raises("select: the condition must be a number or true or false %(got nil%)", function() muslin.select(nil, 1, 2) end)
  raises("select%(condition, x, y%): it takes three arguments %(got 2%)", function() muslin.select(1, 2) end)
  raises("clamp: x must be a number %(got 'a'%)", function() muslin.clamp("a", 0, 1) end)
end)
