#!/bin/bash
# USD: what `--format usda` writes as deformable surfaces, seen by Python and read by muslin.usd.load, and the files of others.
. "$(dirname "$0")/tap.bash"

cat >"$work/scene.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world { dt = 1 / 120, threads = 1 }
local function strip(name, x, material)
  return world:cloth { name = name, mesh = muslin.mesh.grid { nodes = { 5, 7 }, size = { 0.12, 0.18 }, center = { x, 0.5, 0 } },
    material = material, thickness = 2e-3, friction = 0.2 }
end
local a = strip("left", -0.062, { model = "stvk", density = 0.2, bending_warp = 3e-5, warp_angle = 0.3, yield_strain = 0.1 })
local b = strip("right", 0.062)
a:crease({ 3, 8, 13, 18, 23, 28, 33 }, 0.4)
strip("denim", 0.3, "11oz-black-denim")
local tube = muslin.mesh.cylinder { radius = 0.05, length = 0.1, segments = 9, center = { 0, 0.8, 0 } }
world:cloth { name = "tube", mesh = tube, material = { model = "neo_hookean", stretch_shear = 100 } }
local left, right = {}, {}
for row = 0, 6 do left[row + 1], right[row + 1] = 5 + 5 * row, 1 + 5 * row end
world:stitch { a = { a, left }, b = { b, right }, stiffness = 900 }
world:obstacle { name = "post", mesh = muslin.mesh.box { size = { 0.1, 0.2, 0.1 }, center = { 0, 0.1, 0 } }, friction = 0.7,
  restitution = 0.25 }
return world
L
cat >"$work/usd_test.lua" <<'L'
local muslin = require "muslin"

scenario.together()

local path = "square.usda"

local function write(text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

-- A square of two faces, with `properties` of the mesh and `material` of its material.
local function square(properties, material)
  write(([[
#usda 1.0
( metersPerUnit = 1 )
def Mesh "cloth" ( prepend apiSchemas = ["PhysicsDeformableBodyAPI", "PhysicsSurfaceDeformableSimAPI"] )
{
    int[] faceVertexCounts = [3, 3]
    int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]
    point3f[] points = [(0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 1, 0)]
    rel material:binding:physics = </fabric>
    %s
}
def Material "fabric" { %s }
]]):format(properties or "", material or ""))
  return muslin.usd.load(path)
end

local function world_of(stage, options)
  local world = muslin.world { dt = 1 / 120, gravity = { 0, 0, 0 }, air_density = 0 }
  return world, stage:add(world, options)
end

scenario("a material of another program becomes one of a membrane", function()
  local stage = square("", [[
    float physics:surfaceThickness = 0.002
    float physics:density = 150
    float physics:surfaceStretchStiffness = 800
    float physics:surfaceShearStiffness = 40
    float physics:surfaceBendStiffness = 3e-5
    float physics:poissonsRatio = 0.25
    float physics:dynamicFriction = 0.6
    float physics:restitution = 0.1]])
  local world <close>, added = world_of(stage)
  local material = stage.meshes[1].material
  expect(material.model):equals("stvk")
  expect(material.density):near(0.3, 1e-12)
  expect(material.stretch_warp):equals(800)
  expect(material.stretch_poisson):equals(200)
  expect(material.stretch_shear):equals(40)
  expect(material.bending):equals(3e-5)
  expect(added[1].thickness):equals(0.002)
  expect(stage.meshes[1].friction):equals(0.6)
  expect(stage.meshes[1].restitution):equals(0.1)
  expect(#added):equals(1)
end)

scenario("without a material it is the default; options override", function()
  local world <close>, added = world_of(square(), { thickness = 0.003, material = "silk" })
  expect(added[1].thickness):equals(0.003)
  local plain <close>, cloths = world_of(square())
  expect(plain.cloths[1].name):equals("cloth")
  expect(cloths[1].thickness):equals(1e-3)
end)

scenario("cloth without angles at rest is flat, or as its rest shape is", function()
  local bent = "point3f[] physics:restShapePoints = [(0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 2, 0)]"
  for _, case in ipairs { { "", 0 }, { 'uniform token physics:restBendAnglesDefault = "flatDefault"', 0 },
    { 'uniform token physics:restBendAnglesDefault = "restShapeDefault"', 1 } } do
    local world <close>, added = world_of(square(bent .. "\n    " .. case[1]))
    local angle, rest = added[1]:angle(1, 3)
    expect(angle):near(0, 1e-12)
    expect(math.abs(rest)):near(case[2] * muslin.acos(1 / math.sqrt(3)), case[2] == 0 and 1e-12 or 0.6)
    expect(math.abs(rest) > 0.1):equals(case[2] == 1)
    expect(added[1]:rest_lengths()[5]):near(math.sqrt(2), 1e-12)
  end
end)

scenario("rest triangles of their own, and creases in degrees", function()
  local world <close>, added = world_of(square([[
    point3f[] physics:restShapePoints = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (5, 5, 5), (7, 7, 5), (5, 7, 5)]
    int3[] physics:restTriVtxIndices = [(0, 1, 2), (3, 4, 5)]
    int2[] physics:restAdjTriPairs = [(0, 1)]
    float[] physics:restBendAngles = [45] ]]))
  local lengths = added[1]:rest_lengths()
  expect(lengths[1]):near(2, 1e-12)
  expect(lengths[4]):near(2, 1e-12) -- between corners 2 and 3 of the second face
  expect(select(2, added[1]:angle(1, 3))):near(math.pi / 4, 1e-9)
end)

scenario("what muslin writes is read with its rest shapes, creases, materials and seams", function()
  local first <close> = dofile "scene.lua"
  local second <close> = muslin.world { dt = 1 / 120, threads = 1 }
  local added = muslin.usd.load("out/frame_000000.usda"):add(second)
  expect(#added):equals(5)
  expect(#second.seams):equals(1)
  for k, cloth in ipairs(first.cloths) do
    local other = second.cloths[k]
    expect(other.name):equals(cloth.name)
    expect(other.thickness):equals(cloth.thickness)
    expect(other.x:copy():sub(cloth.x):lengths():max()):less_than(1e-15)
    local made, read = cloth:rest_lengths(), other:rest_lengths()
    for e = 1, #made do expect(read[e]):near(made[e], 1e-9 * made[e]) end
    expect(other.m[3]):near(cloth.m[3], 1e-12 * cloth.m[3])
  end
  expect(select(2, second.cloths[1]:angle(8, 13))):near(0.4, 1e-9)
  expect(second.obstacles[1].friction):equals(0.7)
  expect(second.obstacles[1].restitution):equals(0.25)
  first:advance(0.1)
  second:advance(0.1)
  for k, cloth in ipairs(first.cloths) do
    expect(second.cloths[k].x:copy():sub(cloth.x):lengths():max()):less_than(k <= 2 and 1e-4 or 1e-6) -- sewn, or not
  end
end)

scenario("bad input is named", function()
  expect(function() muslin.usd.load(3) end):raises "usd: load%(path%): a path %(got 3%)"
  expect(function() muslin.usd.load(path, { units = 1 }) end):raises "usd.load: unknown field 'units'"
  local stage = square()
  local world <close> = muslin.world {}
  expect(function() stage:add(world, { paint = 1 }) end):raises "stage:add: unknown field 'paint'"
  write "#usda 1.0\ndef Mesh \"a\" { }\n"
  expect(function() muslin.usd.load(path) end):raises "square.usda:2: mesh 'a': needs 'points'"
  stage = square("int2[] physics:restAdjTriPairs = [(0, 0)]\n float[] physics:restBendAngles = [10]")
  expect(function() stage:add(world) end):raises "a pair of restAdjTriPairs has no common edge"
  local grid = muslin.mesh.grid { nodes = { 2, 2 } }
  expect(function() world:cloth { mesh = grid, rest = { vu = grid } } end):raises "field 'rest': unknown field 'vu'"
  expect(function() world:cloth { mesh = grid, rest = {} } end):raises "field 'uv'"
end)
L
cd "$work" || exit 1
run run scene.lua --out out --frames 2 --format usda
exits 0 "a scene as usda"
run test --trusted usd_test.lua
exits 0 "cloths, materials, seams and obstacles of USD"
prints out "6 passed, 0 failed" "all scenarios ran"

cat >look.py <<'P'
import math, re
text = open("out/frame_000001.usda").read()
def prim(kind, name):
    at = text.index('def %s "%s"' % (kind, name))
    depth, end = 0, text.index("{", text.index(")\n", at) if "(" in text[at:text.index("{", at)] else at)
    for k in range(end, len(text)):
        depth += {"{": 1, "}": -1}.get(text[k], 0)
        if depth == 0: return text[at:k]
def value(body, name):
    return re.search(r"^ *[\w\[\] ]* %s = (.*)$" % re.escape(name), body, re.M).group(1)
def numbers(body, name): return [float(x) for x in re.findall(r"[-+.\de]+", value(body, name))]
left = prim("Mesh", "part_1_cloth_left")
assert '"PhysicsDeformableBodyAPI", "PhysicsSurfaceDeformableSimAPI", "PhysicsCollisionAPI"' in left
rest, faces = numbers(left, "physics:restShapePoints"), [int(x) for x in numbers(left, "physics:restTriVtxIndices")]
assert faces == [int(x) for x in numbers(left, "faceVertexIndices")] and len(rest) == 3 * 35
def length(a, b): return math.dist(rest[3 * a:3 * a + 3], rest[3 * b:3 * b + 3])
for f in range(0, len(faces), 3):
    sides = sorted(length(faces[f + k], faces[f + (k + 1) % 3]) for k in range(3))
    assert all(abs(a - b) < 1e-12 for a, b in zip(sides, (0.03, 0.03, 0.03 * math.sqrt(2)))), sides
pairs, angles = numbers(left, "physics:restAdjTriPairs"), numbers(left, "physics:restBendAngles")
assert len(pairs) == 2 * len(angles) == 12 and all(abs(a - math.degrees(0.4)) < 1e-9 for a in angles)
assert value(left, "material:binding:physics") == "</frame/materials/cloth_1_cloth_left>"
material = prim("Material", "cloth_1_cloth_left")
assert abs(numbers(material, "physics:density")[0] - 0.2 / 2e-3) < 1e-9 and numbers(material, "physics:surfaceThickness") == [2e-3]
assert numbers(material, "muslin:material:bending_warp") == [3e-5] and value(material, "muslin:material:model") == '"stvk"'
assert "muslin:material:stretch " not in material  # a constant of springs
tube = prim("Mesh", "part_4_cloth_tube")  # not flat: each face has points of its own
assert [int(x) for x in numbers(tube, "physics:restTriVtxIndices")] == list(range(len(numbers(tube, "faceVertexIndices"))))
seam = prim("PhysicsAttachment", "seam_1")
assert value(seam, "physics:src0") == "</frame/part_1_cloth_left>" and value(seam, "physics:src1") == "</frame/part_2_cloth_right>"
assert numbers(seam, "physics:indices0") == [5 * k + 4 for k in range(7)] and numbers(seam, "physics:stiffness") == [900]
post = prim("Mesh", "part_5_obstacle_post")
assert "PhysicsCollisionAPI" in post and "MaterialBindingAPI" in post and "Deformable" not in post
assert value(post, "material:binding:physics") == "</frame/materials/surface_5_obstacle_post>"
surface = prim("Material", "surface_5_obstacle_post")
assert numbers(surface, "physics:staticFriction") == numbers(surface, "physics:dynamicFriction") == [0.7]
assert numbers(surface, "physics:restitution") == [0.25]
P
if command -v python3 >/dev/null; then
    python3 look.py >.look 2>&1
    ok $? "rest shapes, angles, materials and seams of a frame" "$(cat .look)"
else
    skip "rest shapes, angles, materials and seams of a frame" "needs python3"
fi

# A body that moves, by its point cache and by the time samples of the same run.
cat >moving.lua <<'L'
local muslin = require "muslin"
local world = muslin.world { dt = 1 / 120, fps = 30, threads = 1, duration = 0.4 }
local box = muslin.mesh.box { size = { 0.1, 0.2, 0.1 }, center = { 0.03, 0.1, 0 } }
world:obstacle { name = "post", mesh = box, friction = 0.45 }:move(function(t)
  return { 0.1 * muslin.sin(5 * t), 0, 0 }, { axis = { 0, 1, 0 }, angle = 2 * t } end)
local grid = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.2, 0.2 }, center = { 0.5, 0.4, 0 } }
local flag = world:cloth { name = "flag", mesh = grid, material = "silk", thickness = 2e-3 }
local hem = world:cloth { name = "hem", mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.2, 0.2 }, center = { 0.8, 0.4, 0 } } }
world:stitch { a = { flag, { 5, 10 } }, b = { hem, { 1, 6 } } }
return world
L
run run moving.lua --out moved --format pc2,animation.usda
cat >body_test.lua <<'L'
local muslin = require "muslin"
scenario("the same places from animation.usda as from the point cache", function()
  local stage = muslin.usd.load "moved/animation.usda"
  expect(stage.fps):equals(30)
  expect(stage.meshes[3].name):equals "post"
  expect(stage.meshes[3].moves):is_true()
  local body, hashes = stage.meshes[3].mesh, {}
  for k, cache in ipairs { "moved/obstacle_post.pc2", "moved/animation.usda" } do
    local world <close> = muslin.world { dt = 1 / 120, threads = 1 }
    world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = { 9, 9 }, size = { 0.3, 0.3 }, center = { 0, 0.25, 0 } } }
    world:obstacle { name = "post", mesh = body, cache = cache, cache_animation = k == 2 and "post" or nil, cache_fps = 30 }
    world:advance(0.4)
    hashes[k] = world:hash()
  end
  expect(hashes[2]):equals(hashes[1])
end)
scenario("stage:add lets obstacles follow their time samples", function()
  local world <close> = muslin.world { dt = 1 / 120, threads = 1, gravity = { 0, 0, 0 } }
  local stage = muslin.usd.load "moved/animation.usda"
  local post = stage:add(world)[3] -- behind the cloths
  local before = post:mesh().x[1]
  world:advance(0.2)
  expect((post:mesh().x[1] - before):length()):more_than(0.05)
end)
scenario("and cloths are cloths, of the material and the seams of the run", function()
  local stage = muslin.usd.load "moved/animation.usda"
  local world <close> = muslin.world { dt = 1 / 120, threads = 1 }
  local objects = stage:add(world)
  local kinds = {}
  for _, object in ipairs(objects) do kinds[object.name] = object end
  expect(kinds.flag.material.name):equals "silk"
  expect(kinds.flag.thickness):near(2e-3, 1e-12)
  expect(kinds.post.friction):near(0.45, 1e-9)
  local place = kinds.flag.x[1]
  expect((place - muslin.vec3(0.4, 0.4, -0.1)):length(), "from where it starts, m"):less_than(1e-6)
  expect(#stage.seams):equals(1)
end)
L
run test body_test.lua
exits 0 "bodies that move by the time samples of USD"

echo 'local m = require "muslin" for k, g in ipairs(m.mesh.load("out/frame_000001.usda"):groups()) do print(k, g[1]) end' >one.lua
run run one.lua
prints out "5[[:space:]]post" "the meshes of a frame as one, in groups"
run audit out/frame_000001.usda
exits 0 "a frame is audited"
cat >sunk.lua <<'L'
local muslin = require "muslin"
local world = muslin.world { dt = 1 / 120, overlap = "allow" }
world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.2, 0.2 }, center = { 0, 0.1, 0 } } }
world:obstacle { name = "box", mesh = muslin.mesh.box { size = { 0.4, 0.4, 0.4 } } }
return world
L
run run sunk.lua --frames 1 --format usda --out sunk
run audit sunk
[ "$code" = 1 ] && [[ $out == *"inside"* ]] && [[ $err != *"store no names"* ]]
ok $? "obstacles are obstacles in the audit of usda frames" "$(state)"
# ---- Cloth that has shrunk, and meshes of one name ----------------------------------------------------------------------------
cat >shrunk.lua <<'L'
local muslin = require "muslin"
local world = muslin.world { duration = 0.02, threads = 1 }
world:cloth { name = "shrunk", mesh = muslin.mesh.grid { nodes = { 6, 6 }, size = { 0.3, 0.3 }, center = { 0, 1, 0 } },
  material = { preset = "jersey", model = "stvk" }, maps = { shrinkage = 0.1 } }
return world
L
run run shrunk.lua --out shrunk --format usda --quiet
exits 0 "a frame of cloth that has shrunk"
cat >springs.lua <<'L'
local muslin = require "muslin"
local world = muslin.world { duration = 0.01, dt = 1 / 100, threads = 1 }
world:cloth { name = "net", mesh = muslin.mesh.grid { nodes = { 9, 7 }, size = { 0.3, 0.2 } },
  material = { preset = "cotton", model = "mass_spring", bend = 5 } }
return world
L
run run springs.lua --out springs --format usda --quiet
exits 0 "a frame of a grid of springs"
cat >heavy.lua <<'L'
local muslin = require "muslin"
local world = muslin.world { duration = 0.02, threads = 1 }
local function sheet(name, y, options)
  options.name, options.mesh = name, muslin.mesh.grid { nodes = { 7, 5 }, size = { 0.3, 0.2 }, center = { 0, y, 0 } }
  return world:cloth(options)
end
sheet("even", 0.2, { material = "silk" })
sheet("varied", 0.4, { maps = { density = function(x) return 0.1 + x ^ 2 end } })
sheet("equal", 0.6, { mass = "equal" })
sheet("button", 0.8, {}).m[12] = 0.01
return world
L
run run heavy.lua --out heavy --format usda --quiet
exits 0 "a frame of cloths whose mass varies"
[ "$(grep -c "custom double.. muslin:masses" heavy/frame_000000.usda)" = 3 ]
ok $? "masses are written where they are not those of one density"
sed 's/\(muslin:masses = \[\)[^,]*,/\1/' heavy/frame_000000.usda >few.usda
sed 's/\(muslin:masses = \[\)[^,]*,/\1-1,/' heavy/frame_000000.usda >negative.usda
cat >names.usda <<'U'
#usda 1.0
( metersPerUnit = 1 )
def Xform "left" {
    def Mesh "body" ( prepend apiSchemas = ["PhysicsCollisionAPI"] ) {
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        point3f[] points = [(0, 0, 0), (0, 0, 1), (1, 0, 0)]
    }
}
def Xform "right" {
    def Mesh "body" ( prepend apiSchemas = ["PhysicsCollisionAPI"] ) {
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        point3f[] points = [(3, 0, 0), (3, 0, 1), (4, 0, 0)]
    }
}
U
cat >more_test.lua <<'L'
local muslin = require "muslin"
scenario("cloth that has shrunk keeps its mass", function()
  local world <close> = muslin.world { threads = 1 }
  local first <close> = dofile "shrunk.lua"
  muslin.usd.load("shrunk/frame_000000.usda"):add(world)
  local made, read = first:find("shrunk"), world:find("shrunk")
  expect(read.m:sum() / made.m:sum()):near(1, 1e-9)
  expect(read:rest_lengths():sum() / made:rest_lengths():sum()):near(1, 1e-9)
end)
scenario("the masses of vertices are kept", function()
  local first <close> = dofile "heavy.lua"
  local stage = muslin.usd.load("heavy/frame_000000.usda")
  local world <close> = muslin.world { threads = 1 }
  stage:add(world)
  for _, name in ipairs { "even", "varied", "equal", "button" } do
    local made, read = first:find(name).m:totable(), world:find(name).m:totable()
    for i = 1, #made do expect(read[i] / made[i], name):near(1, 1e-9) end
  end
  local other <close> = muslin.world { threads = 1 }
  stage:add(other, { material = "silk" }) -- another density
  expect(other:find("button").m[12]):less_than(0.001)
  local scaled <close> = muslin.world { threads = 1 }
  muslin.usd.load("heavy/frame_000000.usda", { scale = 2 }):add(scaled)
  for _, name in ipairs { "even", "button" } do -- as much per area
    expect(scaled:find(name).m:sum() / first:find(name).m:sum()):near(4, 1e-6)
  end
  expect(function() muslin.usd.load("few.usda") end):raises "few.usda:%d+: mesh '.*varied': 'muslin:masses' needs a number for each point"
  expect(function() muslin.usd.load("negative.usda") end):raises "'muslin:masses' has a number that is no mass"
end)
scenario("springs of a grid are those of a grid", function()
  local first <close> = dofile "springs.lua"
  local world <close> = muslin.world { dt = 1 / 100, threads = 1 }
  muslin.usd.load("springs/frame_000000.usda"):add(world)
  local made, read = first:find("net"), world:find("net")
  for _, cloth in ipairs { made, read } do cloth:pin { corners = "top_left" } end
  first:advance(0.2)
  world:advance(0.2)
  local far = 0
  for i = 1, made.vertex_count do far = muslin.max(far, (made.x[i] - read.x[i]):length()) end
  expect(far, "largest distance between the two"):less_than(1e-4) -- m; 3.1e-3 with the springs of a free mesh
end)
scenario("meshes of one name are named by their paths", function()
  local world <close> = muslin.world { threads = 1 }
  local names = {}
  for k, body in ipairs(muslin.usd.load("names.usda"):add(world)) do names[k] = body.name end
  expect(names):equals { "left/body", "right/body" }
end)
L
run test more_test.lua --trusted
exits 0 "shrunk cloth and equal names"
prints out '4 passed, 0 failed' "all ran"
tap_end
