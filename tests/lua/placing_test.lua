-- placing_test.lua: panels that miss their limb are moved to it, and nothing else is; mesh:raycast.
local muslin = require "muslin"

-- A trunk along y, and an arm along x at y = 0.25 m.
local function make_body(with_arm)
  local parts = { muslin.mesh.cylinder { radius = 0.12, length = 1.2, edge_length = 0.05, center = { 0, -0.1, 0 } } }
  if with_arm then
    parts[2] = muslin.mesh.cylinder { radius = 0.035, length = 0.7, edge_length = 0.02, axis = "x", center = { 0.4, 0.25, 0 } }
  end
  local vertices, faces = {}, {}
  for _, part in ipairs(parts) do
    local base = #vertices
    for i = 1, part.vertex_count do vertices[base + i] = part.x[i] end
    for _, face in ipairs(part:faces()) do faces[#faces + 1] = { base + face[1], base + face[2], base + face[3] } end
  end
  return muslin.mesh.new { vertices = vertices, faces = faces }
end

-- A vest, and a sleeve to its armhole at the right, which starts at `translation`, rotated by `angle` degrees.
local function make_pattern(translation, angle, depth)
  local function loop(count)
    local edges = {}
    for k = 1, count do edges[k] = { endpoints = { k, k % count + 1 } } end
    return edges
  end
  local function sleeve(z)
    return { vertices = { { 0, -0.1 }, { 0.4, -0.1 }, { 0.4, 0.1 }, { 0, 0.1 } }, edges = loop(4), rotation = { 0, 0, angle },
      translation = { translation[1], translation[2], z } }
  end
  local function vest(z)
    return { vertices = { { -0.22, -0.2 }, { 0.22, -0.2 }, { 0.22, 0.15 }, { 0.22, 0.35 }, { -0.22, 0.35 } }, edges = loop(5),
      translation = { 0, 0, z } }
  end
  local function seam(p, i, q, j) return { { p, i }, { q, j }, same_way = true } end
  return muslin.pattern { edge_length = 0.04,
    panels = { front = vest(0.2), back = vest(-0.2), sleeve_f = sleeve(depth or 0.1), sleeve_b = sleeve(-0.1) },
    stitches = { seam("front", 2, "back", 2), seam("front", 5, "back", 5), seam("sleeve_f", 1, "sleeve_b", 1),
      seam("sleeve_f", 3, "sleeve_b", 3), { { "sleeve_f", 4 }, { "front", 3 } }, { { "sleeve_b", 4 }, { "back", 3 } } } }
end

local function places(pattern)
  local out = {}
  for _, panel in ipairs(pattern.panels) do out[panel.name] = panel.mesh.x:copy() end
  return out
end

-- How many seam lines between the sleeve's panels pass through the body, and how many lines through its middle.
local function count_lines(pattern, body)
  local seams, middle = 0, 0
  local by_name = {}
  for _, panel in ipairs(pattern.panels) do by_name[panel.name] = panel end
  local front, back = by_name.sleeve_f, by_name.sleeve_b
  for _, s in ipairs(pattern.stitches) do
    if s.a.panel == front and s.b.panel == back then
      for _, pair in ipairs(s.pairs) do
        if body:raycast(front.mesh.x[pair[1]], back.mesh.x[pair[2]]) then seams = seams + 1 end
      end
    end
  end
  for i = 1, front.mesh.vertex_count do
    local at = front.mesh.x[i]
    if muslin.abs(front.flat[i].y) < 0.02 and body:raycast(at, { at.x, at.y, -0.1 }) then middle = middle + 1 end
  end
  return seams, middle
end

scenario("a sleeve under the arm is moved to it, and only the sleeve", function()
  local body, pattern = make_body(true), make_pattern({ 0.25, 0.2 }, -40)
  local before, seams = places(pattern), count_lines(pattern, body)
  expect(seams, "seam lines through the arm"):at_least(1)
  local rows = pattern:place(body)
  expect(#rows):equals(1)
  expect(table.concat(rows[1].panels, " ")):equals("sleeve_b sleeve_f")
  expect(math.deg(rows[1].angle), "rotation, degrees"):near(40, 12)
  expect(rows[1].distance, "m"):between(0.05, 0.4)
  local through, middle = count_lines(pattern, body)
  expect(through):equals(0)
  expect(middle):at_least(9)
  local after = places(pattern)
  expect(after.front:sub(before.front):norm()):equals(0)
  expect(after.back:sub(before.back):norm()):equals(0)
  expect(#pattern:place(body), "moved again"):equals(0)
end)

scenario("a panel keeps its shape, its plane and its distance from its other side", function()
  local body, pattern = make_body(true), make_pattern({ 0.25, 0.2 }, -40)
  pattern:place(body)
  for _, panel in ipairs(pattern.panels) do
    local x, flat = panel.mesh.x, panel.flat
    for i = 2, panel.mesh.vertex_count do
      expect((x[i] - x[1]):length()):near((flat[i] - flat[1]):length(), 1e-12)
      expect(x[i].z):near(x[1].z, 1e-12)
    end
  end
end)

scenario("a panel that would lie in the arm is moved away from it", function()
  local body, pattern = make_body(true), make_pattern({ 0.25, 0.2 }, -40, 0.02) -- the arm reaches to z = 0.035
  expect(#pattern:place(body)):equals(1)
  for _, panel in ipairs(pattern.panels) do
    if panel.name == "sleeve_f" then expect(panel.mesh.x[1].z, "m"):between(0.035, 0.06) end
    if panel.name == "sleeve_b" then expect(panel.mesh.x[1].z, "m"):near(-0.1, 1e-12) end
  end
end)

scenario("a sleeve around the arm stays where it is, and one without a limb does", function()
  local fits = make_pattern({ 0.25, 0.25 }, 0)
  local before = places(fits)
  expect(#fits:place(make_body(true))):equals(0)
  for name, x in pairs(places(fits)) do expect(x:sub(before[name]):norm()):equals(0) end
  expect(#make_pattern({ 0.6, 0.25 }, 0):place(muslin.mesh.sphere { radius = 0.1, center = { 0, -5, 0 } })):equals(0)
end)

scenario("a dressed sleeve has the arm in it", function()
  local world = muslin.world { dt = 1 / 120, fps = 30, gravity = { 0, 0, 0 } }
  local pattern = make_pattern({ 0.25, 0.2 }, -40)
  local garment = muslin.dress(world, { pattern = pattern, body = make_body(true), closing_time = 0.8, stop = false })
  expect(#garment.placed):equals(1)
  expect(#garment.seams, "first the sleeve's own"):equals(2)
  world:on("frame", function(w) if garment.phase ~= "sewing" then w:stop() end end)
  world:run(5)
  expect(garment.phase):equals("draping")
  expect(garment:gap()):at_most(0.002)
  local sleeve = garment:mesh()
  for _, x in ipairs { 0.35, 0.45 } do
    for _, d in ipairs { { 0, 0.5, 0 }, { 0, -0.2, 0 }, { 0, 0, 0.5 }, { 0, 0, -0.5 } } do
      local from = muslin.vec3(x, 0.25, 0)
      expect(sleeve:raycast(from, from + muslin.vec3(d)) ~= nil, "cloth on that side of the arm"):is_true()
    end
  end
  expect(world:audit().clean):is_true()
end)

scenario("options and bodies that are none are named", function()
  local pattern = make_pattern({ 0.25, 0.25 }, 0)
  expect(function() pattern:place(3) end):raises("place%(body%): a mesh or an obstacle %(got 3%)")
  local world = muslin.world {}
  expect(function() muslin.dress(world, { pattern = pattern, body = make_body(true), placing = "no" }) end):raises(
    "placing must be true or false %(got 'no'%)")
  expect(function() pattern:sew(world, {}, { stiches = {} }) end):raises("stitches")
end)

-- ---- mesh:raycast ----------------------------------------------------------------------------------------------------

scenario("raycast: the first face, its fraction, and nil", function()
  local box = muslin.mesh.box { size = { 1, 1, 1 } }
  local fraction, face = box:raycast({ 2, 0.1, 0.2 }, { -2, 0.1, 0.2 })
  expect(fraction):equals(0.375)
  local corners = box:faces()[face]
  for _, i in ipairs(corners) do expect(box.x[i].x):equals(0.5) end
  expect(box:raycast({ 2, 2, 0 }, { -2, 2, 0 })):equals(nil)
  expect(box:raycast({ 0, 0, 0 }, { 0.4, 0, 0 }), "within"):equals(nil)
  expect((box:raycast({ 0.5, 0.5, 0.5 }, { 1, 1, 1 })), "from a corner"):equals(0)
end)

scenario("raycast: arrays give what places give", function()
  local ball, n = muslin.mesh.sphere { radius = 0.5 }, 200
  local from, to = muslin.array(n, 3), muslin.array(n, 3)
  local random = muslin.random "segments"
  for i = 1, n do
    from[i] = { random:number(-1, 1), random:number(-1, 1), random:number(-1, 1) }
    to[i] = { random:number(-1, 1), random:number(-1, 1), random:number(-1, 1) }
  end
  local fractions, faces = ball:raycast(from, to)
  local hits = 0
  for i = 1, n do
    local fraction, face = ball:raycast(from[i], to[i])
    expect(fractions[i]):equals(fraction or math.huge)
    expect(faces[i]):equals(face or 0)
    if face then hits = hits + 1 end
  end
  expect(hits):between(20, 180)
end)

scenario("raycast: wrong arguments are named", function()
  local ball = muslin.mesh.sphere { radius = 0.5 }
  local three, two = muslin.array(3, 3), muslin.array(2, 3)
  expect(function() ball:raycast(three, two) end):raises("equally many rows")
  expect(function() ball:raycast(three, { 0, 0, 0 }) end):raises("two places, or two arrays")
  expect(function() ball:raycast({ 0, 0 / 0, 0 }, { 0, 0, 0 }) end):raises("from must be finite")
  expect(function() ball:raycast({ 0, 0, 0 }, "up") end):raises("mesh:raycast: to")
  three[2] = { 0, 1e300, 0 }
  expect(function() ball:raycast(muslin.array(3, 3), three) end):raises("to %[2%]")
end)
