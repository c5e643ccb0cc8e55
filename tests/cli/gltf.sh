#!/bin/bash
# glTF models as meshes and as animated obstacles: what is read is what an independent program computes from the file
# (tests/cli/make_gltf.py), in all three containers; and what is wrong is named.
. "$(dirname "$0")/tap.bash"

python3 tests/cli/make_gltf.py "$work"
ok $? "the models are written"

cat >"$work/read_test.lua" <<'L'
local muslin = require "muslin"
-- The corners of all triangles against those of a list, in order.
local function worst(mesh, list)
  local faces, x, most, k = mesh:faces(), mesh.x, 0, 0
  if 9 * #faces ~= #list then return math.huge end
  for _, face in ipairs(faces) do
    for corner = 1, 3 do
      local p = x[face[corner]]
      for c = 1, 3 do
        k = k + 1
        most = math.max(most, math.abs(p[c] - list[k]))
      end
    end
  end
  return most
end
local expected = { bend = require "bend", wave = require "wave" }

for _, file in ipairs { "limb.glb", "limb.gltf", "whole.gltf" } do
  scenario(file .. ": the pose of the nodes", function()
    local mesh = muslin.mesh.load(file)
    expect(worst(mesh, require("pose")[1]), "distance from the pose, m"):less_than(1e-6)
    -- Seams of texture coordinates are closed; a cap with other weights stays a vertex ring of its own.
    expect(mesh.vertex_count):equals(8 * 9 + 9 + 8)
    expect(mesh.uv_count):equals(9 * 9 + 10 + 8)
    local names = {}
    for _, group in ipairs(mesh:groups()) do names[#names + 1] = group[1] .. " " .. group[2] end
    expect(table.concat(names, ", ")):equals("skin 128, cap 8, banner 6")
    expect(muslin.mesh.load(file, { scale = 0.01, up = "z" }).x[1].z):near(-0.01 * mesh.x[1].y, 1e-12)
  end)
  for name, frames in pairs(expected) do
    scenario(file .. ": every frame of " .. name, function()
      local world = muslin.world { fps = 24, dt = 1 / 24, gravity = { 0, 0, 0 } }
      local mesh = muslin.mesh.load(file)
      local limb = world:obstacle { name = "limb", shape = "mesh", mesh = mesh, cache = file, cache_animation = name }
      local most = worst(limb:mesh(), frames[1])
      for k = 2, #frames + 3 do -- and then it stays
        world:run(1 / 24)
        most = math.max(most, worst(limb:mesh(), frames[math.min(k, #frames)]))
      end
      expect(most, "distance from the frames, m"):less_than(1e-6)
    end)
  end
end

scenario("frames of another rate end at the last key", function()
  local world = muslin.world { fps = 10, dt = 0.05, gravity = { 0, 0, 0 } } -- 1.25 s: 13 steps of 0.0962 s (12.5 rounds up)
  local limb = world:obstacle { name = "limb", shape = "mesh", mesh = muslin.mesh.load("limb.glb") }
  limb:animate { cache = "limb.glb", animation = "bend" }
  world:run(1.2)
  expect(worst(limb:mesh(), expected.bend[#expected.bend])):more_than(0.001)
  world:run(0.1)
  expect(worst(limb:mesh(), expected.bend[#expected.bend])):less_than(1e-6)
end)

scenario("a loop begins again at the time of the last key", function()
  local world = muslin.world { fps = 24, dt = 1 / 24, gravity = { 0, 0, 0 } }
  local limb = world:obstacle { name = "limb", shape = "mesh", mesh = muslin.mesh.load("limb.glb") }
  limb:animate { cache = "limb.glb", animation = "wave", loop = true }
  world:run(23 / 24)
  expect(worst(limb:mesh(), expected.wave[24])):less_than(1e-6)
  world:run(1 / 24)
  expect(worst(limb:mesh(), expected.wave[1])):less_than(1e-6)
  world:run(5 / 24)
  expect(worst(limb:mesh(), expected.wave[6])):less_than(1e-6)
end)

local function refused(name, call, ...)
  local message = select(2, pcall(call))
  for _, pattern in ipairs { ... } do expect(tostring(message), name):matches(pattern) end
end
scenario("what is wrong is named", function()
  for file, pattern in pairs {
    ["cycle.gltf"] = "nodes: a node is its own ancestor", ["twice.gltf"] = "nodes%[6%].*node 2 has another parent",
    ["joint.gltf"] = "primitives%[%d%]: vertex %d+ has the joint 1, and its skin 1",
    ["view.gltf"] = "accessors%[0%] %(meshes%[0%].primitives%[0%].POSITION%): does not fit into bufferViews%[0%] of 40 bytes",
    ["beyond.gltf"] = "bufferViews%[0%]: ends at byte %d+ of a buffer of %d+",
    ["draco.gltf"] = "KHR_draco_mesh_compression' is not supported; export without it, that is, without compression",
    ["old.gltf"] = "asset: field 'version' must be 2.0 %(got 1.0%)",
    ["folder.gltf"] = "buffers%[0%]: field 'uri' must be the name of a file in the folder of the document.*export as .glb",
    ["link.gltf"] = "link.bin: cannot be read", ["gone.gltf"] = "gone.bin: cannot be read",
    ["base64.gltf"] = "buffers%[0%]: field 'uri': character 3 is not base64",
    ["short.gltf"] = "buffers%[0%]: has %d+ bytes instead of 1000000: truncated",
    ["index.gltf"] = "accessors%[%d+%].*does not fit",
    ["type.gltf"] = "accessors%[0%].*must be of type VEC3 %(got VEC2%)",
    ["text.gltf"] = "nodes%[5%]: field 'mesh' must be an integer", ["nothing.gltf"] = "has no faces",
    ["cut.glb"] = "the file is truncated", ["title.glb"] = "the version must be 2",
    ["words.gltf"] = "words.gltf:1: is not JSON",
    ["spacing.gltf"] = "bufferViews%[1%]: field 'byteStride' must be from %d+, the size of an item, to 252 %(got 0%)",
    ["root.gltf"] = "scenes%[1%]: field 'nodes': item 3 must be the number of a node",
    ["list.gltf"] = "meshes%[1%].primitives%[0%]: field 'targets' must be a list",
    ["target.gltf"] = "meshes%[1%].primitives%[0%].targets%[2%]: must be an object",
    ["scenes.gltf"] = "document: field 'scenes' must be a list", ["node.gltf"] = "nodes%[7%]: must be an object",
    ["pipe.gltf"] = "buffers%[0%]: .*pipe.bin: cannot be read: it is not a regular file",
  } do
    refused(file, function() muslin.mesh.load(file) end, file:gsub("%p", "%%%0"), pattern)
  end
  local world = muslin.world {}
  local limb = world:obstacle { name = "limb", shape = "mesh", mesh = muslin.mesh.load("limb.glb") }
  for pattern, fields in pairs {
    ["animations%[1%].channels%[1%]: is the second channel for the weights of nodes%[5%]"] = { cache = "two.gltf", animation = "wave" },
    ["its animations: '[\xC3\xBC]+', 'wave'"] = { cache = "long.gltf", animation = "walk" },
    ["has 2 animations; give the name of one, animation = NAME: 'bend', 'wave'"] = { cache = "limb.glb" },
    ["has no animation 'walk'; its animations: 'bend', 'wave'"] = { cache = "limb.glb", animation = "walk" },
    ["still.gltf: has no animation, only a pose"] = { cache = "still.gltf" },
    ["animations%[0%].channels%[0%]: needs 8 numbers for 2 keys, and has 12"] = { cache = "keys.gltf", animation = "bend" },
    ["must be of type SCALAR %(got VEC3%)"] = { cache = "order.gltf", animation = "wave" },
    ["field 'array' is for .npz files"] = { cache = "limb.glb", array = "x" },
    ["field 'animation' is for .glb, .gltf and .usda files"] = { cache = "limb.npz", animation = "bend" },
    ["frames of 89 vertices are too many"] = { cache = "limb.glb", animation = "bend", fps = 1e9 },
  } do
    refused(pattern, function() limb:animate(fields) end, pattern)
  end
  expect(limb.alive):is_true()
  limb:animate { cache = "long.gltf", animation = ("\xC3\xBC"):rep(200) } -- by its whole name
  refused("far.gltf", function() muslin.mesh.load "far.gltf" end, "far.gltf: vertex %d+ must lie within")
  expect(muslin.mesh.load("mark.gltf").vertex_count):equals(limb:mesh().vertex_count)
end)

scenario("many nodes share a mesh in little time", function()
  local start = os.clock()
  expect(muslin.mesh.load("many.gltf").vertex_count):equals(20000 * 8)
  expect(os.clock() - start, "s"):less_than(5) -- quadratic: 200 s
end)
L
mkfifo "$work/pipe.bin"
cp "$work/limb bytes.bin" "$work/target.bin" && ln -s target.bin "$work/link.bin"
head -c 3000 "$work/limb.glb" >"$work/cut.glb"
printf 'glTF\1\0\0\0............' >"$work/title.glb"
echo 'hello' >"$work/words.gltf"
(cd "$work" && "$muslin" test read_test.lua) >"$work/log" 2>&1
code=$?
grep '^not ok' -A8 "$work/log" | sed 's/^/# /'
ok $code "meshes, frames and errors (read_test.lua)" "$(tail -n 3 "$work/log")"

# In a run without trust, too: its files are in the scene's folder.
cat >"$work/drape.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world { duration = 1.5, threads = 2 }
world:obstacle { name = "limb", shape = "mesh", mesh = muslin.mesh.load("limb.gltf"), thickness = 0.005,
  cache = "limb.gltf", cache_animation = "bend", cache_fps = 24 }
world:cloth { name = "towel", mesh = muslin.mesh.grid { nodes = {21, 21}, size = {0.5, 0.5}, center = {0, 1.33, 0} } }
return world
L
(cd "$work" && "$muslin" run -q drape.lua --audit --out "$work/drape" --format obj) >"$work/log" 2>"$work/err"
ok $? "a cloth on a skinned, bending limb intersects nothing" "$(tail -n 3 "$work/err")"
# What muslin writes it reads: an animation.glb of a run is an animated obstacle.
cat >"$work/fall.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world { duration = 0.4, threads = 2 }
world:obstacle { name = "ball", shape = "sphere", radius = 0.2, at = {0, 0.25, 0} }
world:cloth { name = "towel", mesh = muslin.mesh.grid { nodes = {21, 21}, size = {0.6, 0.6}, center = {0, 0.5, 0} } }
return world
L
cat >"$work/again_test.lua" <<'L'
local muslin = require "muslin"
scenario("the motion of a run", function()
  local world = muslin.world { fps = 60, dt = 1 / 60, gravity = { 0, 0, 0 } }
  local part = world:obstacle { name = "run", shape = "mesh", mesh = muslin.mesh.load("fall/animation.glb"),
    cache = "fall/animation.glb" }
  for frame = 0, 24, 6 do
    local mesh, worst = muslin.mesh.load(("fall/frame_%06d.obj"):format(frame)), 0
    world:run(frame / 60 - world.time)
    local x = part:mesh().x
    expect(#x):equals(mesh.vertex_count)
    for v = 1, mesh.vertex_count do worst = math.max(worst, (x[v] - mesh.x[v]):length()) end
    expect(worst, "distance from the OBJ of frame " .. frame .. ", m"):less_than(1e-6)
  end
end)
L
(cd "$work" && "$muslin" run -q fall.lua --out fall --format obj,animation.glb && "$muslin" test again_test.lua) >"$work/log" 2>&1
ok $? "animation.glb of a run is read back as an animated obstacle" "$(tail -n 5 "$work/log")"
run audit "$work/limb.glb"
exits 0 "audit reads glTF"

grep -q '"limb"' "$work/drape/manifest.json"
ok $? "and the run has written its frames"
tap_end
