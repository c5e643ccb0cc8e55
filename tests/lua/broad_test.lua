-- broad_test.lua: broad phases that bring pairs in brute's order give brute's results, bit for bit.
local muslin = require "muslin"

-- A sheet of 15 x 15 nodes thrown at a ball and a peg over a box: it wraps, folds over itself and slides.
local function scene(pipeline)
  local world = muslin.world { dt = 1 / 120, threads = 1, pipeline = pipeline }
  world:cloth { mesh = muslin.mesh.grid { nodes = { 15, 15 }, size = { 0.5, 0.5 }, center = { 0, 0.16, 0 } },
                velocity = { 0.3, -2, 0 }, thickness = 4e-3 }
  world:cloth { mesh = muslin.mesh.disc { radius = 0.12, rings = 4, center = { 0.1, 0.2, 0 } }, thickness = 4e-3 }
  world:obstacle { shape = "sphere", radius = 0.1, at = { 0.02, 0, 0.01 } }
  world:obstacle { shape = "capsule", radius = 0.02, length = 0.2, at = { -0.2, 0, 0 } }
  world:obstacle { shape = "box", size = { 0.6, 0.1, 0.6 }, at = { 0, -0.2, 0 } }
  return world
end

local function hashes(pipeline)
  local list = {}
  local world <close> = scene(pipeline)
  local contacts = 0
  for k = 1, 24 do
    world:step()
    contacts = contacts + world:stats().contacts
    list[k] = world:hash()
  end
  assert(contacts > 100, "too few contacts to tell phases apart")
  assert(world:audit().intersections == 0)
  return list
end

local apart = {
  brute = "the oracle",
  box_tree = "an order of its own",
  hash_grid_source = "loses pairs",
  octree_source = "finds vertices with solids only",
  partition_tree_cones = "loses pairs",
  quad_tree_cones = "loses pairs",
  partition_tree_sound = "leaves out what does not meet",
}

for _, preset in ipairs { "robust", "offset", "vbd" } do
  scenario(preset .. ": results are those of brute force", function()
    local wanted = hashes { preset = preset, broad = "brute" }
    local count = 0
    for _, stage in ipairs(muslin.stages()) do
      if stage.kind == "broad" and not apart[stage.name] then
        local got = hashes { preset = preset, broad = stage.name }
        for k = 1, #wanted do
          assert(got[k] == wanted[k], ("%s parts from brute at step %d"):format(stage.name, k))
        end
        count = count + 1
      end
    end
    assert(count == 4, ("%d phases compared, 4 expected: a new one adds 1 here, or a reason in `apart`"):format(count))
  end)
end

scenario("sound cones rule out much, and change nothing where only contacts count", function()
  local classic = { preset = "provot", integrator = "implicit_euler", broad = "partition_tree" }
  local wanted = hashes(classic)
  classic.broad = "partition_tree_sound"
  local got = hashes(classic)
  for k = 1, #wanted do assert(got[k] == wanted[k], "step " .. k) end
  local world <close> = scene(classic)
  local culled = 0
  for _ = 1, 24 do
    world:step()
    culled = culled + world:stats().culled
  end
  assert(culled > 1000, culled)
  for _, narrow in ipairs { "proximity", "spherical", "segment_triangle" } do
    expect(function()
      muslin.world { pipeline = { preset = "aabb", broad = "partition_tree_sound", narrow = narrow } }
    end):raises("broad 'partition_tree_sound' leaves out .* and narrow '" .. narrow .. "' needs all distances")
  end
end)

scenario("phases that lose pairs are for classic pipelines only", function()
  for _, name in ipairs { "hash_grid_source", "octree_source", "partition_tree_cones", "partition_tree_sound", "quad_tree_cones" } do
    for _, preset in ipairs { "robust", "offset", "vbd" } do
      local ok, message = pcall(muslin.world, { pipeline = { preset = preset, broad = name } })
      assert(not ok and tostring(message):find("broad '" .. name .. "' and response"), message)
    end
    local world <close> = scene { preset = "provot", integrator = "implicit_euler", broad = name }
    for _ = 1, 24 do world:step() end
    assert(world:stats().contacts > 0)
  end
end)

scenario("brute force compares every face with every other, a grid and trees those that are near", function()
  local function tests(name)
    local world <close> = muslin.world { threads = 1, gravity = { 0, 0, 0 }, pipeline = { preset = "robust", broad = name } }
    world:cloth { mesh = muslin.mesh.grid { nodes = { 21, 21 }, size = { 0.4, 0.4 } } }
    world:obstacle { shape = "sphere", radius = 0.05, at = { 0, -1, 0 } } -- one leaf
    for _ = 1, 2 do world:step() end -- the first looks twice: for what is near, and for what meets
    return world:stats().box_tests
  end
  local faces = 2 * 20 * 20
  expect(tests "brute"):equals(faces * (faces - 1) / 2 + faces)
  for _, name in ipairs { "hash_grid", "octree", "partition_tree", "quad_tree" } do
    expect(tests(name), name):at_least(faces)
    expect(tests(name), name):at_most(50 * faces)
  end
  expect(tests "box_tree"):equals(0)
end)

scenario("a flat sheet is not tested with itself, a folded one is", function()
  local world <close> = muslin.world { threads = 1, gravity = { 0, 0, 0 }, pipeline = "provot" }
  local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = { 5, 9 }, size = { 0.1, 0.2 } } }
  world:step()
  local faces = 2 * 4 * 8
  expect(world:stats().culled):equals(faces * (faces - 1) / 2)
  expect(world:stats().candidates):equals(0)
  for k = 1, #sheet.x do
    local p = sheet.x[k]
    if p.z > 0.01 then sheet.x[k] = { p.x, p.y + 0.02, 0.04 - p.z } end
  end
  world:step()
  assert(world:stats().culled < faces * (faces - 1) / 2)
end)
