-- response_test.lua: rules in Lua see honest contacts, act as they say, and cannot cause an intersection.
local muslin = require "muslin"

local function falling(options)
  local world = muslin.world { dt = 1 / 240, pipeline = options and options.pipeline }
  local sheet = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = { 8, 8 }, size = { 0.3, 0.3 }, center = { 0, 0.03, 0 } },
    velocity = { 0.5, -1, 0 },
  }
  local floor = world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 }, friction = 0.3 }
  return world, sheet, floor
end

scenario("a rule is called for every contact and sees its fields", function()
  local world <close>, sheet, floor = falling()
  local seen = 0
  local kept
  world:respond(muslin.response {
    trace = false,
    rule = function(c)
      seen = seen + 1
      kept = c
      expect(c.normal:length()):near(1, 1e-9)
      expect(c.gap):near(c.distance - 1e-3 / 2, 1e-12)
      assert(c.depth == math.max(0, -c.gap) and c.mass > 0 and c.dt > 0 and c.toi >= 0 and c.toi <= 1)
      assert(c.kind == "vertex_plane" or c.kind == "vertex_face" or c.kind == "edge_edge")
      local objects = c.objects
      assert(objects[1] == sheet and objects[2] == floor)
      local vertices, weights = c.vertices, c.weights
      local sum = 0
      for k, i in ipairs(vertices[1]) do
        assert(i >= 1 and i <= sheet.vertex_count)
        sum = sum + weights[1][k]
      end
      expect(sum):near(1, 1e-9)
      assert(tostring(c):find "contact")
      local vn = c.normal:dot(c.velocity)
      return muslin.max(-vn, 0) * c.mass * c.normal
    end,
    between = { sheet, "floor" },
  })
  for _ = 1, 20 do world:step() end
  assert(seen > 0)
  assert(kept.normal.y > 0.99, "a contact that was kept stays as it was")
  assert(world:audit().clean)
end)

scenario("a rule decides: without friction the sheet slides, with sticking it stops", function()
  local function run(rule)
    local world <close>, sheet = falling()
    world:respond { rule = rule }
    for _ = 1, 60 do world:step() end
    assert(world:audit().clean)
    local v = 0
    for i = 1, #sheet.v do v = v + sheet.v[i].x / #sheet.v end
    return v
  end
  local slide = run(function(c)
    return muslin.max(-c.normal:dot(c.velocity), 0) * c.mass * c.normal
  end)
  local stick = run(muslin.rule({ trace = false }, function(c)
    local vn = c.normal:dot(c.velocity)
    if vn >= 0 then return { 0, 0, 0 } end
    return -c.mass * c.velocity
  end))
  assert(slide > 0.35, slide)
  assert(stick < 0.5 * slide, stick)
end)

scenario("a rule that does nothing, or harm, still keeps cloths apart", function()
  for _, rule in ipairs {
    function() return { 0, 0, 0 } end,
    function(c) return -0.5 * c.mass * c.normal end,
  } do
    local world <close> = falling()
    world:respond { rule = rule }
    for _ = 1, 40 do
      world:step()
      assert(world:audit().intersections == 0)
    end
    assert(world:audit().clean)
  end
end)

scenario("a response between objects that are not there is refused, not passed over", function()
  local world <close> = muslin.world {}
  local function refused(between, message)
    expect(function() world:respond { rule = function(c) return 0 * c.normal end, between = between } end):raises(message)
  end
  refused({ "sheet" }, "response: field 'between': no cloth or obstacle is named 'sheet'")
  world:obstacle { name = "floor", shape = "plane" }
  world:obstacle { name = "ball", shape = "sphere", radius = 0.1, at = { 0, 1, 0 } }
  refused({ "floor", "bal" }, "response: field 'between': no cloth or obstacle is named 'bal' (did you mean 'ball'?)")
  refused({ "flor" }, "is named 'flor' (did you mean 'floor'?)")
end)

scenario("mistakes in a rule are reported and undo the step", function()
  local function run(rule, pattern)
    local world <close> = falling()
    world:respond { rule = rule, trace = false }
    local hash
    expect(function()
      for _ = 1, 40 do
        hash = world:hash()
        world:step()
      end
    end):raises(pattern)
    assert(world:hash() == hash)
  end
  run(function() end, "rule: it must return the impulse on side 1, {x, y, z} in N s %(got nil, " ..
    "between vertex %d+ of cloth 'sheet' and obstacle 'floor', t = ")
  run(function() return { 0 / 0, 0, 0 } end, "rule: the impulse on side 1 must be finite %(got not a number at 1, " ..
    "between vertex %d+ of cloth 'sheet'")
  run(function() return { 0, 0, 0 }, 7 end, "rule: it must return the impulse on side 2")
  run(function(c) return c.norml end, "contact: no field 'norml' %(did you mean 'normal'%?%)")
  run(function(c)
    c.normal = nil
    return c.normal
  end, "contact: field 'normal' cannot be set")
  run(function() error "no thanks" end, "response_test.lua:%d+: no thanks")
end)

scenario("the last response that fits decides, and it can be removed", function()
  local world <close> = falling()
  local first, second = 0, 0
  local function none(c) return muslin.max(-c.normal:dot(c.velocity), 0) * c.mass * c.normal end
  world:respond { trace = false, rule = function(c)
    first = first + 1
    return none(c)
  end }
  local r = muslin.response { trace = false, rule = function(c)
    second = second + 1
    return none(c)
  end, between = { "sheet" } }
  assert(world:respond(r) == r)
  expect(function() world:respond(r) end):raises "in the world already"
  for _ = 1, 20 do world:step() end
  assert(first == 0 and second > 0)
  world:remove(r)
  expect(function() world:remove(r) end):raises "not in this world"
  local before = second
  for _ = 1, 20 do world:step() end
  assert(first > 0 and second == before)
end)

scenario("the friction of a response replaces the pair's", function()
  local function run(friction)
    local world <close>, sheet = falling()
    if friction then world:respond { friction = friction } end
    for _ = 1, 60 do world:step() end
    return sheet:centroid().x
  end
  local none, some, much = run(0), run(), run(5)
  assert(none > some and some > much, ("%g %g %g"):format(none, some, much))
end)

scenario("contacts as a list and as arrays", function()
  local world <close> = falling()
  local counted = 0
  world:on("contacts", function(w)
    local contacts = w:contacts()
    for i = 1, #contacts do
      assert(contacts[i].mass > 0)
      counted = counted + 1
    end
  end)
  for _ = 1, 20 do world:step() end
  assert(counted > 0)
  local contacts = world:contacts()
  assert(#contacts > 0 and contacts[#contacts + 1] == nil and contacts[0] == nil)
  local gaps, normals = contacts:array "gap", contacts:array "normal"
  assert(#gaps == #contacts and #normals == #contacts)
  for i = 1, #contacts do
    assert(gaps[i] == contacts[i].gap and normals[i] == contacts[i].normal)
  end
  expect(function() contacts:array "time" end):raises "no field 'time'"
  local total = contacts:array("impulse"):sum()
  assert(total.y > 0)
  world:step()
  expect(function() return #contacts end):raises "the state has changed"
end)

scenario("a rule may not read the list that it is making", function()
  local world <close> = falling()
  world:respond { rule = function() return #world:contacts() end, trace = false }
  expect(function() for _ = 1, 40 do world:step() end end):raises "contacts%(%) is not complete"
end)

scenario("a rule with both impulses acts on both sides", function()
  local world <close> = muslin.world { gravity = { 0, 0, 0 }, air_density = 0, dt = 1 / 240 }
  local function sheet(name, y, v)
    local mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.2, 0.2 }, center = { 0, y, 0 } }
    return world:cloth { name = name, mesh = mesh, velocity = { 0, v, 0 } }
  end
  local a, b = sheet("a", 0.01, -0.5), sheet("b", 0, 0)
  world:respond { between = { "a", "b" }, rule = function(c)
    local j = muslin.max(-c.normal:dot(c.velocity), 0) * c.mass * c.normal
    return j, -j
  end }
  local function momentum()
    local p = 0
    for _, cloth in ipairs { a, b } do
      for i = 1, #cloth.v do p = p + cloth.m[i] * cloth.v[i].y end
    end
    return p
  end
  local before = momentum()
  for _ = 1, 30 do world:step() end
  expect(momentum()):near(before, 1e-6 * math.abs(before))
  assert(b:centroid().y < -0.005, "the lower sheet was moved")
end)

scenario("the contacts of a step as columns", function()
  local world <close> = muslin.world { dt = 1 / 100 }
  local sheet = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = { 8, 8 }, size = { 0.4, 0.4 }, center = { 0, 0.3, 0 } },
    velocity = { 0, -1, 0 },
  }
  world:cloth {
    name = "other",
    mesh = muslin.mesh.grid { nodes = { 8, 8 }, size = { 0.4, 0.4 }, center = { 0.02, 0.29, 0.01 } },
  }
  world:obstacle { name = "wall", shape = "plane", normal = { 1, 0, 0 }, at = { -3, 0, 0 } }
  world:obstacle { name = "ball", shape = "sphere", radius = 0.1, at = { 0, 0.18, 0 } }
  local kinds, seen_in_hook, names = { "vertex_face", "edge_edge", "vertex_plane" }, 0, {}
  local function compare()
    local contacts = world:contacts()
    local columns = {}
    for _, field in ipairs { "normal", "velocity", "impulse", "gap", "distance", "depth", "mass", "friction", "restitution",
      "toi", "kind", "a", "b", "object_a", "object_b", "point1", "point2" } do
      columns[field] = contacts[field]
      assert(#columns[field] == #contacts, field)
      expect(contacts:array(field)):equals(columns[field])
    end
    for i, contact in ipairs(contacts) do
      for _, field in ipairs { "normal", "velocity", "impulse", "gap", "distance", "depth", "mass", "friction", "toi" } do
        assert(columns[field][i] == contact[field], field)
      end
      assert(columns.point1[i] == contact.points[1] and columns.point2[i] == contact.points[2])
      assert(kinds[columns.kind[i]] == contact.kind)
      for side, letter in ipairs { "a", "b" } do
        local at = columns["object_" .. letter][i]
        local object = at > 0 and world.cloths[at] or world.obstacles[-at]
        assert(object == contact.objects[side])
        names[object.name] = true
        local vertices, weights, best = contact.vertices[side], contact.weights[side], nil
        for k, w in ipairs(weights) do
          if not best or w > weights[best] then best = k end
        end
        assert(columns[letter][i] == (best and vertices[best] or 0))
      end
    end
    return contacts, columns
  end
  world:on("contacts", function() seen_in_hook = seen_in_hook + #compare() end)
  for _ = 1, 12 do world:step() end
  local contacts, columns = compare()
  assert(seen_in_hook > 0 and names.ball and names.sheet and names.other and not names.wall)
  assert(columns.gap == columns.gap and contacts.gap:min() > -1e-3)
  local load = muslin.array(#sheet.x, 1):scatter(contacts.a, contacts.depth, "add")
  assert(#load == 64 and #sheet.x:gather(contacts.a) == #contacts)
  expect(columns.normal:lengths()):near(muslin.array(#contacts, 1):fill(1), 1e-9)

  expect(function() contacts.gap = 1 end):raises "contacts: field 'gap' cannot be set"
  expect(function() columns.gap:scale(2) end):raises "contacts.gap: it cannot be written to"
  expect(function() return contacts.gaps end):raises "no field 'gaps' (did you mean 'gap'?)"
  local kept = contacts:array "gap"
  local slice = columns.gap:slice(1, 1)
  world:step()
  for _, stale in ipairs { columns.gap, slice } do
    expect(function() stale:sum() end):raises "contacts.gap: the state has changed since the contacts were returned"
  end
  expect(function() return contacts.normal end):raises "the state has changed since the call that returned them"
  assert(kept:sum() == kept:sum())
  contacts = world:contacts()
  columns = contacts.normal
  world:close()
  expect(function() columns:sum() end):raises "contacts.normal: the world was closed"
end)
