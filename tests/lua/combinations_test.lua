-- combinations_test.lua: features in random combinations: cloth of any mesh, material and map; obstacles that stand, move,
-- bend or are rigid; pins, soft pins, seams, wind; and changes between steps. Whatever the scene, a step succeeds or changes
-- nothing and gives the reason; positions are finite; the audit finds nothing; two threads and a resumed run give the same bits.
-- A scene is determined by its number.
--   MUSLIN_SCENES=1000:500 muslin test --trusted tests/lua/combinations_test.lua     plays 500 scenes from number 1000
local muslin = require "muslin"

local has_environment, getenv = pcall(function() return os.getenv end) -- with --trusted
local first, count = (has_environment and getenv "MUSLIN_SCENES" or "1:60"):match("^(%d+):(%d+)$")
local STEPS, RESUMED, GROUP = 30, 9, 20

local function number(low, high) return low + (high - low) * math.random() end
local function chance(share) return math.random() < share end
local function choose(list) return list[math.random(#list)] end
local function around(size) return { number(-size, size), number(-size, size), number(-size, size) } end

-- ---- Cloth ------------------------------------------------------------------------------------------------------------

local MESHES = {
  function(center)
    return muslin.mesh.grid { nodes = { math.random(2, 9), math.random(2, 9) }, size = { number(0.1, 0.4), number(0.1, 0.4) },
      plane = choose { "xz", "xy" }, center = center }
  end,
  function(center) return muslin.mesh.disc { radius = number(0.08, 0.2), rings = math.random(1, 4), center = center } end,
  function(center)
    return muslin.mesh.annulus { radius = number(0.15, 0.22), inner_radius = number(0.05, 0.1), segments = math.random(8, 24),
      center = center }
  end,
  function(center)
    return muslin.mesh.tube { radius = number(0.06, 0.12), length = number(0.1, 0.15), segments = math.random(6, 16),
      axis = choose { "x", "y", "z" }, center = center }
  end,
  function(center)
    return muslin.mesh.polygon { points = { { 0, 0 }, { 0.2, 0 }, { 0.25, 0.15 }, { 0.1, 0.25 } },
      edge_length = number(0.03, 0.08), plane = "xz", center = center }
  end,
  function(c)
    return muslin.mesh.new { vertices = { c, { c[1] + 0.1, c[2], c[3] }, { c[1], c[2], c[3] + 0.1 } }, faces = { { 1, 2, 3 } } }
  end,
}
local MAPS = { density = { 0.05, 0.8 }, shrinkage = { -0.1, 0.3 }, stiffness = { 0.1, 10 }, bending = { 0.1, 10 },
  damping = { 0.1, 10 }, friction = { 0, 1 }, strain_limit = { 0.02, 0.4 }, thickness = { 5e-4, 4e-3 } }
local MAP_NAMES = { "density", "shrinkage", "stiffness", "bending", "damping", "friction", "strain_limit", "thickness" }

local function add_cloth(world, k)
  local material = { preset = choose { "cotton", "silk", "jersey", "denim", "leather", "wool" } }
  if chance(0.2) then material.yield_strain = 0.02 end
  if chance(0.2) then material.yield_curvature = 20 end
  if chance(0.2) then material.strain_limit = choose { 0.03, 0.5 } end
  if chance(0.25) then material.model = choose { "springs", "stvk", "neo_hookean" } end
  local options = { name = "cloth " .. k, material = material, friction = number(0, 1), layer = chance(0.15) and k or nil,
    mesh = choose(MESHES) { number(-0.1, 0.1), 0.5 + 0.15 * k, number(-0.1, 0.1) },
    thickness = chance(0.3) and number(5e-4, 8e-3) or nil, velocity = chance(0.2) and around(3) or nil }
  if chance(0.25) then
    local name = choose(MAP_NAMES)
    local low, high = MAPS[name][1], MAPS[name][2]
    options.maps = { [name] = function(x, _, z, i)
      return low + (high - low) * (0.5 + 0.5 * muslin.sin(37 * x + 23 * z + i))
    end }
  end
  local made, cloth = pcall(world.cloth, world, options) -- it may be refused, as a thickness too large for the mesh
  return made and cloth or nil
end

-- ---- Obstacles ----------------------------------------------------------------------------------------------------------

local function shaped(options, shape)
  options.shape = shape
  if shape == "box" then
    options.size = { number(0.05, 0.3), number(0.05, 0.2), number(0.05, 0.3) }
  else
    options.radius = number(0.02, 0.1)
    options.length = shape ~= "sphere" and number(0.05, 0.3) or nil
  end
  return options
end

local function bending_frames(mesh)
  local frames = { mesh }
  for f = 2, 7 do
    local frame = mesh:copy()
    for i = 1, #frame.x do
      local p = frame.x[i]
      frame.x[i] = { p.x * (1 + 0.1 * muslin.sin(f - 1)), p.y + 0.03 * f - 0.03, p.z + 0.02 * muslin.sin(2 * f + 9 * p.x) }
    end
    frames[f] = frame
  end
  return frames
end

-- Returns it, if there was room, and whether something else than cloth moves it.
local function add_obstacle(world, k)
  local at = { number(-0.25, 0.25), number(0.15, 0.5), number(-0.25, 0.25) }
  local kind = choose { "sphere", "box", "capsule", "cylinder", "mesh", "animated", "dynamic", "dynamic" }
  local options = { name = "obstacle " .. k, at = at }
  if kind == "mesh" or kind == "animated" then
    options.mesh = muslin.mesh.box { size = { number(0.05, 0.3), number(0.05, 0.2), number(0.05, 0.3) } }
  elseif kind == "dynamic" then
    shaped(options, choose { "sphere", "box", "capsule" }).motion = "dynamic"
    options.mass = number(0.01, 1)
  else
    shaped(options, kind)
  end
  local obstacle = world:obstacle(options)
  if kind == "animated" then
    obstacle:animate { frames = bending_frames(options.mesh), fps = choose { 10, 25, 60 }, loop = chance(0.5) or nil }
    return obstacle, true
  elseif kind ~= "dynamic" and chance(0.6) then
    local v, rate = around(choose { 1, 1, 1, 8 }), number(-5, 5)
    obstacle:move(function(t)
      return { at[1] + v[1] * t, at[2] + v[2] * t, at[3] + v[3] * t }, { axis = { 0, 1, 0.3 }, angle = rate * t }
    end)
    return obstacle, true
  end
  return obstacle, false
end

-- ---- Pins and soft pins -----------------------------------------------------------------------------------------------------

local function some_vertices(cloth, most)
  local list, chosen = {}, {}
  for _ = 1, math.random(most) do
    local i = math.random(cloth.vertex_count)
    if not chosen[i] then list[#list + 1], chosen[i] = i, true end
  end
  return list
end

-- Odd vertices move one way and even ones the other: neighbors come apart, or through each other's place.
local function path_of(cloth)
  local start, speed, rate = {}, number(-1, 1) * choose { 0.2, 1, 5 }, number(1, 20)
  for i = 1, cloth.vertex_count do start[i] = cloth.x[i] end
  return function(t, i)
    local p = start[i]
    return { p.x + speed * t * (i % 2 * 2 - 1), p.y + 0.1 * muslin.sin(rate * t), p.z }
  end
end

-- Returns whether something moves by prescription.
local function fasten(cloth, obstacles)
  local list = some_vertices(cloth, choose { 2, 4, 20 })
  local way = choose { "pin", "all", "path", "path", "to", "pull", "pull to" }
  local to = obstacles[1] and choose(obstacles)
  local ok = true
  if way == "pin" then cloth:pin { vertices = list }
  elseif way == "all" then cloth:pin { where = function() return true end }
  elseif way == "path" then cloth:pin { vertices = list, path = path_of(cloth) }
  elseif way == "to" then ok = to and pcall(cloth.pin, cloth, { vertices = list, to = to }) -- not to a dynamic one
  else -- "vbd" has no soft pins to a rigid body
    ok = pcall(cloth.pull, cloth, { vertices = list, stiffness = 10 ^ number(-1, 4), damping = chance(0.5) and number(0, 5) or nil,
      to = way == "pull to" and to or nil })
  end
  return ok and (way == "path" or way == "to")
end

-- A change between steps: a function of the world.
local function change(cloths, obstacles)
  local cloth, obstacle = choose(cloths), obstacles[1]
  local i, v = math.random(cloth.vertex_count), around(4)
  return choose {
    function() cloth:unpin() end,
    function() cloth:pin { vertices = { i } } end,
    function() cloth:pull { vertices = { i }, stiffness = 100 } end,
    function() cloth.v[i] = v end,
    function(world) -- refused where cloth is pinned to it
      if obstacle and obstacle.alive then pcall(world.remove, world, obstacle) end
    end,
    function(world)
      world:cloth { mesh = muslin.mesh.grid { nodes = { 4, 4 }, size = { 0.15, 0.15 }, center = { 0, 1.5 + 0.1 * v[1], 0 } } }
    end,
  }
end

-- ---- Scenes ---------------------------------------------------------------------------------------------------------------

-- Returns the world, changes by step, and whether something moves by prescription, so that there may be no safe step.
local function build(seed, threads)
  math.randomseed(seed)
  local world = muslin.world { dt = choose { 1 / 30, 1 / 60, 1 / 120, 1 / 240 }, threads = threads,
    pipeline = choose { "robust", "robust", "robust", "robust", "lively", "offset", "newton", "vbd" },
    overlap = choose { "refuse", "untangle" }, gravity = chance(0.15) and { 0, 0, 0 } or nil }
  local cloths, obstacles, changes, moves = {}, {}, {}, false
  if chance(0.5) then world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } } end
  for k = 1, math.random(3) do cloths[#cloths + 1] = add_cloth(world, k) end
  for k = 1, math.random(0, 3) do
    local obstacle, moved = add_obstacle(world, k)
    obstacles[k], moves = obstacle, moves or moved
  end
  for _, cloth in ipairs(cloths) do
    for _ = 1, math.random(0, 2) do moves = fasten(cloth, obstacles) or moves end
  end
  if #cloths > 1 and chance(0.4) then
    local most, vertices = math.min(math.random(5), cloths[1].vertex_count, cloths[2].vertex_count), {}
    for i = 1, most do vertices[i] = i end
    world:stitch { a = { cloths[1], vertices }, b = { cloths[2], vertices }, closing_time = number(0.05, 0.5),
      strength = chance(0.5) and number(1, 30) or nil }
  end
  if chance(0.3) then world.wind = { number(-10, 10), 0, number(-10, 10) } end
  for _ = 1, cloths[1] and math.random(0, 3) or 0 do changes[math.random(2, 25)] = change(cloths, obstacles) end
  return world, changes, moves
end

-- Plays a scene; the hashes of its states, and the error that ended it. At step `resumed` it is saved and read again.
local function play(seed, threads, resumed)
  local world <close>, changes, moves = build(seed, threads)
  local path = (".combinations_test_%d.muslin"):format(seed // GROUP) -- in the folder that the tests run in
  local hashes = { world:hash() }
  for step = 1, STEPS do
    if changes[step] then changes[step](world) end
    if step == resumed then
      world:save(path)
      world:restore(path)
    end
    local before = world:hash()
    local done, message = pcall(world.step, world)
    if not done then
      expect(world:hash()):equals(before)
      local overlaps = (step == 1 or changes[step]) and message:find("overlap: ", 1, true)
      local has_no_way = moves and message:find("no safe step: ", 1, true)
      assert(overlaps or has_no_way, ("scene %d, step %d: %s"):format(seed, step, message))
      return hashes, message
    end
    hashes[step + 1] = world:hash()
    expect(world, "scene " .. seed):finite()
    if step % 3 == 1 then expect(world, ("scene %d, step %d"):format(seed, step)):penetration_free() end
  end
  return hashes
end

for from = tonumber(first), first + count - 1, GROUP do
  local to = math.min(from + GROUP - 1, first + count - 1)
  scenario(("scenes %d to %d"):format(from, to), function()
    local whole = 0
    for seed = from, to do
      local hashes, message = play(seed, 1)
      whole = whole + (message and 0 or 1)
      local other = ({ [1] = "resumed", [2] = "two threads" })[seed % 3]
      local again = other and play(seed, seed % 3, seed % 3 == 1 and RESUMED or nil)
      for k = 1, again and #hashes or 0 do
        assert(again[k] == hashes[k], ("scene %d: %s, step %d"):format(seed, other, k - 1))
      end
    end
    expect(whole, "scenes that go on to their end"):more_than(0.4 * (to - from + 1))
  end)
end
