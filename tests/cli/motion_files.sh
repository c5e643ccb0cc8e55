#!/bin/bash
# `--format pc2, animation.glb, animation.usda, animation.abc, mdd, blender, vtp`: the motion of a whole run in one file, or in files that
# other programs open as a motion. Independent readers compare them with the obj frames.
. "$(dirname "$0")/tap.bash"
cat >"$work/motion.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/120, fps = 24, duration = 0.5, threads = 1}
world:cloth {name = "sheet \"a\"", color = "#ff8000", mesh = muslin.mesh.grid {nodes = {8, 9}, size = {0.5, 0.5}, center = {0, 0.35, 0}}}
local brief = world:cloth {name = "brief", mesh = muslin.mesh.grid {nodes = {3, 3}, size = {0.1, 0.1}, center = {2, 1, 0}}}
-- Two triangles with a seam along their common edge: six texture coordinates at four vertices.
world:cloth {name = "seam", mesh = muslin.mesh.new {
  vertices = {{1, 0.5, 0}, {1.1, 0.5, 0}, {1.1, 0.6, 0}, {1, 0.6, 0}}, faces = {{1, 2, 3}, {1, 3, 4}},
  uv = {{0, 0}, {0.1, 0}, {0.1, 0.1}, {0.5, 0.5}, {0.6, 0.6}, {0.5, 0.6}}, uv_faces = {{1, 2, 3}, {4, 5, 6}}}}
world:obstacle {name = "ball", shape = "sphere", radius = 0.15, at = {0, 0.1, 0}}
world:obstacle {name = "floor", shape = "plane", normal = {0, 1, 0}, at = {0, -0.2, 0}}
local box = world:obstacle {name = "box", shape = "box", size = {0.1, 0.1, 0.1}, at = {-1, 0, 0}}
box:move(muslin.motion(function(t) -- stands still, turns, stands still
  local turned = muslin.select(muslin.lt(t, 0.2), 0, muslin.select(muslin.lt(0.3, t), 0.1, t - 0.2))
  return {-1, turned, 0}, muslin.rotation.axis({0, 1, 0}, 5 * turned)
end))
world:camera {from = {0, 1, 3}, to = {0, 0.3, 0}, fov = 0.6}
world:on("frame", function(w)
  if w.frame == 3 then
    world:cloth {name = "late", mesh = muslin.mesh.grid {nodes = {3, 4}, size = {0.2, 0.2}, center = {0, 0.8, 1}}}
  elseif w.frame == 7 and not arg[1] then
    world:remove(brief)
  end
end)
return world
L
cat >"$work/read.py" <<'P'
import json, re, struct, sys
folder, last, fps = sys.argv[1], int(sys.argv[2]), 24
single = lambda numbers: list(struct.unpack("<%df" % len(numbers), struct.pack("<%df" % len(numbers), *numbers)))
# By name: the frame, the rounded positions of every vertex, the faces.
want = {}
for frame in range(last + 1):
    name, first, count = None, 0, 0
    for line in open("%s/frame_%06d.obj" % (folder, frame)):
        if line.startswith("o "):
            name, first, count = line[2:].rstrip("\n"), first + count, 0
            part = want.setdefault(name, {"frames": {}, "faces": []})
            part["frames"][frame], part["faces"] = [], []
        elif line.startswith("v "):
            part["frames"][frame] += map(float, line.split()[1:4])
            count += 1
        elif line.startswith("f "):
            part["faces"].append([int(x.split("/")[0]) - 1 - first for x in line.split()[1:]])
for part in want.values():
    part["frames"] = {k: single(x) for k, x in part["frames"].items()}
assert len(want) == 7 and sorted(want["cloth:late"]["frames"])[0] > 0 and max(want["cloth:brief"]["frames"]) < last
def same_frame(part, got, near, what):
    assert len(got) == len(part) and max(abs(a - b) for a, b in zip(got, part)) <= near, what

def pc2(name):
    data = open("%s/%s.pc2" % (folder, name.replace(":", "_")), "rb").read()
    magic, version, count, begin, rate, total = struct.unpack_from("<12siiffi", data)
    assert (magic, version, rate, len(data)) == (b"POINTCACHE2\0", 1, 1, 32 + 12 * count * total)
    return int(begin), [list(struct.unpack_from("<%df" % (3 * count), data, 32 + 12 * count * k)) for k in range(total)]
def check_caches():
    for name, part in want.items():
        begin, frames = pc2(name)
        assert begin == min(part["frames"])
        for k, x in part["frames"].items(): # an obstacle's frames end with its motion
            assert frames[min(k - begin, len(frames) - 1)] == x, (name, k)
        if name.startswith("cloth:"): assert len(frames) == len(part["frames"])
    assert len(pc2("obstacle:ball")[1]) == len(pc2("obstacle:floor")[1]) == 1 < len(pc2("obstacle:box")[1]) < last

def check_mdd(): # the floats of the obj frames, and the time of each
    for name, part in want.items():
        data = open("%s/%s.mdd" % (folder, name.replace(":", "_")), "rb").read()
        total, count = struct.unpack_from(">ii", data)
        begin = min(part["frames"])
        assert len(data) == 8 + 4 * total + 12 * count * total, name
        assert total == (1 if name in ("obstacle:ball", "obstacle:floor") else len(part["frames"])), (name, total)
        times = struct.unpack_from(">%df" % total, data, 8)
        assert list(times) == single([(begin + k) / fps for k in range(total)]), name
        for k, x in part["frames"].items():
            at = 8 + 4 * total + 12 * count * min(k - begin, total - 1)
            assert list(struct.unpack_from(">%df" % (3 * count), data, at)) == x, (name, k)

def check_glb():
    data = open(folder + "/animation.glb", "rb").read()
    magic, version, total, length, kind = struct.unpack("<4sIII4s", data[:20])
    assert (magic, version, total, kind) == (b"glTF", 2, len(data), b"JSON")
    root, binary = json.loads(data[20:20 + length]), data[28 + length:]
    def read(k):
        a = root["accessors"][k]
        view, width = root["bufferViews"][a["bufferView"]], {"VEC3": 3, "VEC2": 2, "SCALAR": 1}[a["type"]]
        assert view["byteLength"] == 4 * width * a["count"]
        return list(struct.unpack_from("<%d%s" % (width * a["count"], {5126: "f", 5125: "I"}[a["componentType"]]), binary, view["byteOffset"]))
    animation, = root["animations"]
    moves = {}
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        times = read(sampler["input"])
        assert times == single([k / fps for k in range(last + 1)])
        moves[channel["target"]["node"], channel["target"]["path"]] = sampler["interpolation"], read(sampler["output"])
    names = [root["nodes"][k]["name"] for k in root["scenes"][0]["nodes"]]
    assert sorted(names) == sorted(want) and len(root["materials"]) == len(names)
    for number, node in enumerate(root["nodes"]):
        part, primitive = want[node["name"]], root["meshes"][node["mesh"]]["primitives"][0]
        base, normals = read(primitive["attributes"]["POSITION"]), read(primitive["attributes"]["NORMAL"])
        targets = [(read(t["POSITION"]), read(t["NORMAL"])) for t in primitive.get("targets", [])]
        kind, weights = moves.get((number, "weights"), ("LINEAR", []))
        assert kind == "LINEAR" and len(weights) == len(targets) * (last + 1)
        kind, scales = moves.get((number, "scale"), ("STEP", [1] * 3 * (last + 1)))
        assert kind == "STEP" and len(scales) == 3 * (last + 1)
        count = len(next(iter(part["frames"].values()))) // 3
        for k in range(last + 1):
            assert scales[3 * k:3 * k + 3] == [k in part["frames"]] * 3, (node["name"], k)
            if k not in part["frames"]: continue
            own = weights[k * len(targets):(k + 1) * len(targets)]
            assert all(w in (0, 1) for w in own) and sum(own) <= 1
            shown, turned = list(base), list(normals)
            for w, (move, turn) in zip(own, targets):
                if w: shown, turned = [a + b for a, b in zip(shown, move)], [a + b for a, b in zip(turned, turn)]
            same_frame(part["frames"][k], shown[:3 * count], 1e-6, (node["name"], k))
            assert all(abs(sum(x * x for x in turned[3 * v:3 * v + 3]) - 1) < 1e-4 for v in range(count))
        faces = read(primitive["indices"])
        if node["name"] == "cloth:seam": # the two vertices of the seam are doubled
            assert len(base) == 18 and faces == [0, 1, 2, 4, 5, 3] or sorted(faces) == [0, 1, 2, 3, 4, 5], faces
            assert base[12:15] in (base[0:3], base[6:9]) and len(read(primitive["attributes"]["TEXCOORD_0"])) == 12
        else:
            assert [faces[i:i + 3] for i in range(0, len(faces), 3)] == part["faces"]
        assert bool(targets) == (node["name"] not in ("obstacle:ball", "obstacle:floor"))

def check_usda():
    text = open(folder + "/animation.usda").read()
    assert text.startswith("#usda 1.0\n") and text.count("{") == text.count("}") and text.count("(") == text.count(")")
    head = text[:text.index("def Xform")]
    for line in ("startTimeCode = 0", "endTimeCode = %d" % last, "timeCodesPerSecond = 24", "framesPerSecond = 24", 'upAxis = "Y"'): assert line in head, line
    seen = set()
    for body in re.findall(r'def Mesh "[A-Za-z0-9_]+" \(.*?\)\s*\{(.*?)\n    \}', text, re.S):
        name = re.search(r'muslin:name = "((?:[^"\\]|\\.)*)"', body).group(1).replace('\\"', '"')
        seen.add(name)
        part = want[name]
        listed = lambda numbers: [float(x) for x in re.findall(r"[-+0-9.e]+", numbers)]
        faces = [int(x) for x in listed(re.search(r"faceVertexIndices = (\[.*?\])", body).group(1))]
        assert faces == [v for f in part["faces"] for v in f]
        samples = re.search(r"points\.timeSamples = \{(.*?)\n        \}", body, re.S)
        if samples:
            frames = {int(k): listed(x) for k, x in re.findall(r"\s+(\d+): (\[.*?\]),\n", samples.group(1) + "\n")}
            assert sorted(frames) == sorted(part["frames"]), (name, sorted(frames))
        else:
            frames = dict.fromkeys(part["frames"], listed(re.search(r"point3f\[\] points = (\[.*?\])(?:\n|$)", body).group(1)))
            assert name in ("obstacle:ball", "obstacle:floor")
        extents = re.search(r"extent\.timeSamples = \{(.*?)\n        \}", body, re.S)
        if extents: extents = {int(k): listed(x) for k, x in re.findall(r"\s+(\d+): (\[.*?\]),\n", extents.group(1) + "\n")}
        for k, x in part["frames"].items():
            assert single(frames[k]) == x, (name, k)
            if extents: assert single(extents[k]) == [min(x[a::3]) for a in range(3)] + [max(x[a::3]) for a in range(3)], (name, k)
        visible = {int(k): word for k, word in re.findall(r'(\d+): "(invisible|inherited)"', body)}
        first, after, expected = min(part["frames"]), max(part["frames"]) + 1, {}
        if first > 0: expected[0] = "invisible"
        if first > 0 or after <= last: expected[first] = "inherited"
        if after <= last: expected[after] = "invisible"
        assert visible == expected, (name, visible, expected)
        material = re.search(r"material:binding = </frame/materials/([A-Za-z0-9_]+)>", body).group(1)
        assert 'def Material "%s"' % material in text
    assert seen == set(want)

def check_abc():
    sys.path.insert(0, sys.argv[4])
    import read_abc
    found, step = read_abc.meshes(folder + "/animation.abc")
    assert step == 1 / fps and list(found) == list(want), (step, list(found))
    for name, part in want.items():
        mesh, shown = found[name], [int(k in part["frames"]) for k in range(last + 1)]
        assert mesh["faces"] == part["faces"] and not mesh["groups"], name
        assert mesh["visible"] == (None if all(shown) else shown), (name, mesh["visible"])
        still = name in ("obstacle:ball", "obstacle:floor")
        assert len(mesh["positions"]) == len(mesh["bounds"]) == (1 if still else last + 1), name
        for k, x in part["frames"].items():
            at = 0 if still else k
            assert mesh["positions"][at] == x, (name, k)
            assert mesh["bounds"][at] == [min(x[a::3]) for a in range(3)] + [max(x[a::3]) for a in range(3)], (name, k)
    assert found["cloth:seam"]["uvs"] == single([0, 0, 0.1, 0, 0.1, 0.1, 0.5, 0.5, 0.6, 0.6, 0.5, 0.6])
    assert found["cloth:seam"]["uv_faces"] == [[0, 1, 2], [3, 4, 5]] and found["obstacle:box"]["uvs"] is None

def check_pvd():
    import xml.etree.ElementTree as tree
    sets = tree.parse(folder + "/frames.pvd").getroot().find("Collection").findall("DataSet")
    assert [s.get("file") for s in sets] == ["frame_%06d.vtp" % k for k in range(last + 1)]
    assert all(abs(float(s.get("timestep")) - k / fps) < 1e-8 for k, s in enumerate(sets))

{"pc2": check_caches, "glb": check_glb, "usda": check_usda, "mdd": check_mdd, "pvd": check_pvd, "abc": check_abc}[sys.argv[3]]()
P
run run "$work/motion.lua" --out "$work/a" --planes --format obj,vtp,animation.glb,animation.usda,animation.abc,mdd,blender
exits 0 "the motion in one file"
prints out "13 frames as obj, pc2, vtp, animation.glb, animation.usda, animation.abc, mdd, blender" "names what was written, caches included"
[ -z "$(find "$work/a" -name '.muslin*' -o -name '*.tmp')" ]
ok $? "leaves no temporary files" "$(ls -A "$work/a")"
python=
type python3 >/dev/null 2>&1 && python=python3
for file in pc2 glb usda mdd pvd abc; do
    [ -n "$python" ] || { skip "$file: positions of every obj frame" "python3 is not installed"; continue; }
    text=$(python3 "$work/read.py" "$work/a" 12 $file "$(dirname "$0")" 2>&1)
    ok $? "$file: positions of every obj frame, and when each object exists" "$text"
done

# A run that is resumed writes the same files. Nothing is removed there: worlds that have changed have no checkpoints.
sed -i 's/if w.frame == 3 then/if w.frame == 3 and not arg[1] then/' "$work/motion.lua"
sed -i 's/^world:camera .*/world:camera(function(t) return {from = {0, 1, 3 + muslin.max(t - 0.1, 0)}, to = {0, 0.3, 0}} end)/' "$work/motion.lua"
run run "$work/motion.lua" --out "$work/whole" --format animation.glb,animation.usda,animation.abc,mdd,blender --frames 9 -- whole
run run "$work/motion.lua" --out "$work/parts" --format animation.glb,animation.usda,animation.abc,mdd,blender --frames 6 --checkpoint-every 4 -- whole
run run "$work/motion.lua" --out "$work/parts" --format animation.glb,animation.usda,animation.abc,mdd,blender --frames 9 --resume -- whole
same=0
for file in animation.glb animation.usda animation.abc obstacle_box.mdd obstacle_ball.mdd obstacle_box.pc2 obstacle_ball.pc2 open_in_blender.obj open_in_blender.py; do
    cmp -s "$work/whole/$file" "$work/parts/$file" || same=1
done
[ "$code" = 0 ] && [ $same = 0 ]
ok $? "a resumed run writes the bits of a whole one" "$(state); $(ls -l "$work/whole" "$work/parts")"
[ "$(grep -c '"fov"' "$work/parts/open_in_blender.py")" -gt 5 ]
ok $? "with the camera of all frames" "$(grep -A 3 '"frame"' "$work/parts/open_in_blender.py" | head -n 40)"

# Obstacles that had moved after the checkpoint: the resumed run truncates their caches, too.
run run "$work/motion.lua" --out "$work/back" --format pc2 --frames 4 --checkpoint-every 4 -- whole
cp "$work/back/checkpoint.muslin" "$work/at4"
run run "$work/motion.lua" --out "$work/back" --format pc2 --frames 9 -- whole
cp "$work/at4" "$work/back/checkpoint.muslin"
run run "$work/motion.lua" --out "$work/back" --format pc2 --frames 4 --resume -- whole
run run "$work/motion.lua" --out "$work/back4" --format pc2 --frames 4 -- whole
cp "$work/at4" "$work/back/checkpoint.muslin"
run run "$work/motion.lua" --out "$work/back" --format pc2 --frames 9 --resume -- whole
[ "$code" = 0 ] && cmp -s "$work/back/obstacle_box.pc2" "$work/whole/obstacle_box.pc2"
ok $? "an obstacle's cache is continued where its motion was" "$(state); $(ls -l "$work/back" "$work/whole")"

run run "$work/motion.lua" --out "$work/whole" --format obj --frames 1 -- whole
[ -e "$work/whole/animation.glb" ] && [[ $err == *"(pc2, animation.glb, animation.usda, animation.abc, mdd, blender), which stay"* ]]
ok $? "a run in another format leaves them" "$(state)"
touch "$work/whole/animation.mine.usda"
run run "$work/motion.lua" --out "$work/whole" --format animation.usda --frames 1 -- whole
[ -e "$work/whole/animation.mine.usda" ] && [ -e "$work/whole/animation.abc" ] && [ -e "$work/whole/animation.glb" ] && [ -e "$work/whole/open_in_blender.py" ] && grep -q "endTimeCode = 1" "$work/whole/animation.usda"
ok $? "a run in one of these formats replaces its own" "$(ls "$work/whole")"
cat >"$work/stops.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/120, fps = 60, duration = 1}
world:cloth {name = "sheet", mesh = muslin.mesh.grid {nodes = {4, 4}}}
world:on("frame", function(w) if w.frame == 5 then error("enough") end end)
return world
L
run run "$work/stops.lua" --out "$work/stops" --format animation.usda
[ "$code" = 3 ] && grep -q "endTimeCode = [45]" "$work/stops/animation.usda"
ok $? "a run that fails leaves the motion up to there" "$(state); $(ls "$work/stops")"

# ---- Other programs ----
if type abcecho >/dev/null 2>&1; then
    text=$(abcecho "$work/a/animation.abc" 2>&1)
    [ "$(grep -c "schema=AbcGeom_PolyMesh_v1" <<<"$text")" = 7 ] && [ "$(grep -c "name=P;.*numsamps=13" <<<"$text")" = 5 ]
    ok $? "the Alembic library reads animation.abc" "$text"
else
    skip "the Alembic library reads animation.abc" "abcecho is not installed (Debian: alembic-graphics, after bookworm)"
fi

if type node >/dev/null 2>&1 && node -e 'require("gltf-validator")' 2>/dev/null; then
    text=$(node -e 'require("gltf-validator").validateBytes(new Uint8Array(require("fs").readFileSync(process.argv[1]))).then(r => {
        console.log(JSON.stringify(r.issues.messages)); process.exit(r.issues.numErrors + r.issues.numWarnings == 0 ? 0 : 1) })' "$work/a/animation.glb" 2>&1)
    ok $? "gltf-validator: no errors and no warnings" "$text"
else
    skip "gltf-validator: no errors and no warnings" "npm's gltf-validator is not installed (set NODE_PATH)"
fi

vtk=
for python in python3 /usr/bin/python3; do "$python" -c 'import vtk' 2>/dev/null && vtk=$python; done
if [ -n "$vtk" ]; then
    cat >"$work/read_vtk.py" <<'P'
import json, math, sys, vtk
reader = vtk.vtkXMLPolyDataReader()
reader.SetFileName(sys.argv[1])
reader.Update()
data = reader.GetOutput()
fields = data.GetPointData()
sizes = {fields.GetArray(k).GetName(): fields.GetArray(k).GetNumberOfComponents() for k in range(fields.GetNumberOfArrays())}
assert sizes == {"stretch": 1, "contact_force": 1, "contact_distance": 1, "velocity": 3}, sizes
parts, owner = data.GetCellData().GetArray("part"), {}
for cell in range(data.GetNumberOfCells()):
    for k in range(3): owner[data.GetCell(cell).GetPointId(k)] = int(parts.GetValue(cell))
names = data.GetFieldData().GetAbstractArray("names")
cloth = [names.GetValue(owner[v]).startswith("cloth:") for v in range(data.GetNumberOfPoints())]
for name in sizes:
    finite = [all(map(math.isfinite, fields.GetArray(name).GetTuple(v))) for v in range(data.GetNumberOfPoints())]
    if name == "contact_distance": # also NaN at vertices of cloth without a contact
        assert any(finite) and not any(f and not c for f, c in zip(finite, cloth)), name
    else:
        assert finite == cloth, name
force, velocity = fields.GetArray("contact_force"), fields.GetArray("velocity")
assert max(force.GetValue(v) for v in range(72)) > 1e-4 # the sheet on the ball
late = [v for v in owner if names.GetValue(owner[v]) == "cloth:late"] # falls in the air
before = vtk.vtkXMLPolyDataReader()
before.SetFileName(sys.argv[2])
before.Update()
assert len(late) == 12
for v in late:
    speed = 24 * (data.GetPoint(v)[1] - before.GetOutput().GetPoint(v)[1])
    assert speed < -1 and abs(velocity.GetTuple(v)[1] - speed) < 0.05 and force.GetValue(v) == 0, (velocity.GetTuple(v), speed)
P
    text=$("$vtk" "$work/read_vtk.py" "$work/a/frame_000012.vtp" "$work/a/frame_000011.vtp" 2>&1)
    ok $? "VTK: fields of the cloths, none of the obstacles" "$text"
else
    skip "VTK: fields of the cloths, none of the obstacles" "no python3 with vtk (Debian package: python3-vtk9)"
fi

if type blender >/dev/null 2>&1; then
    cat >"$work/read_blender.py" <<'P'
import bpy, json, os, runpy, struct, sys
folder = sys.argv[sys.argv.index("--") + 1]
runpy.run_path(os.path.join(folder, "open_in_blender.py"))
scene = bpy.context.scene
assert (scene.frame_start, scene.frame_end, scene.render.fps / scene.render.fps_base) == (0, 12, 24)
def caches(name):
    data = open(os.path.join(folder, name.replace(":", "_") + ".pc2"), "rb").read()
    count, begin, rate, total = struct.unpack_from("<iffi", data, 16)
    return int(begin), [data[32 + 12 * count * k:32 + 12 * count * (k + 1)] for k in range(total)]
names = ["cloth:sheet \"a\"", "cloth:brief", "cloth:seam", "cloth:late", "obstacle:ball", "obstacle:floor", "obstacle:box"]
assert sorted(o.name for o in bpy.data.objects if o.type == "MESH") == sorted(names)
for frame in range(13):
    scene.frame_set(frame)
    for name in names:
        item = bpy.data.objects[name]
        begin, frames = caches(name)
        there = frame >= begin and (name.startswith("obstacle") or frame < begin + len(frames))
        assert item.hide_render == item.hide_viewport == (not there), (name, frame)
        if not there: continue
        mesh = item.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
        places = [0.0] * (3 * len(mesh.vertices))
        mesh.vertices.foreach_get("co", places)
        assert struct.pack("<%df" % len(places), *places) == frames[min(frame - begin, len(frames) - 1)], (name, frame)
color = bpy.data.objects[names[0]].material_slots[0].material.diffuse_color
assert all(abs(a - b) < 1e-5 for a, b in zip(color, (1, 0.2158605, 0))), list(color)
uv = [0.0] * 12
bpy.data.objects["cloth:seam"].data.uv_layers[0].data.foreach_get("uv", uv)
assert all(abs(a - b) < 1e-6 for a, b in zip(uv, (0, 0, 0.1, 0, 0.1, 0.1, 0.5, 0.5, 0.6, 0.6, 0.5, 0.6))), uv
camera = scene.camera
assert all(abs(a - b) < 1e-5 for a, b in zip(camera.location, (0, -3, 1))) and abs(camera.data.angle - 0.6) < 1e-4, (list(camera.location), camera.data.angle)
P
    text=$(cd "$work" && timeout 120 blender --background --factory-startup --python-exit-code 1 --python "$work/read_blender.py" -- "$work/a" 2>&1)
    ok $? "Blender: every vertex of every frame to the bit, frame rate, visibility, color, texture coordinates, camera" "$text"
else
    skip "Blender: every vertex of every frame to the bit" "blender is not installed"
fi

# ---- Blender's importer of glTF ----
if type blender >/dev/null 2>&1; then
    cat >"$work/read_glb.py" <<'P'
import sys
try:
    import numpy
except ModuleNotFoundError:
    print("NO NUMPY")
    raise SystemExit
if not hasattr(numpy, "bool"): numpy.bool = bool # which Blender 3.4 uses, and numpy 1.24 no longer has
import bpy, os, struct
folder = sys.argv[sys.argv.index("--") + 1]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = 24
assert bpy.ops.import_scene.gltf(filepath=folder + "/animation.glb") == {"FINISHED"}
def cache(name):
    data = open(os.path.join(folder, name.replace(":", "_") + ".pc2"), "rb").read()
    count, begin, rate, total = struct.unpack_from("<iffi", data, 16)
    return int(begin), [struct.unpack_from("<%df" % (3 * count), data, 32 + 12 * count * k) for k in range(total)]
names = ["cloth:sheet \"a\"", "cloth:brief", "cloth:seam", "cloth:late", "obstacle:ball", "obstacle:floor", "obstacle:box"]
items = {o.name: o for o in scene.objects if o.type == "MESH"}
assert sorted(items) == sorted(names), sorted(items)
worst = 0
for frame in range(13):
    scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    for name in names:
        begin, frames = cache(name)
        there = frame >= begin and (name.startswith("obstacle") or frame < begin + len(frames))
        assert (max(items[name].scale) > 0.5) == there, (name, frame)
        if not there: continue
        mesh, want = items[name].evaluated_get(graph).to_mesh(), frames[min(frame - begin, len(frames) - 1)]
        # Blender is z up; the vertices of a seam are doubled behind all others.
        for v in range(len(want) // 3):
            x, y, z = mesh.vertices[v].co
            worst = max(worst, abs(x - want[3 * v]), abs(z - want[3 * v + 1]), abs(-y - want[3 * v + 2]))
assert worst < 1e-6, worst
material = items[names[0]].material_slots[0].material
color = material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value
assert all(abs(a - b) < 1e-5 for a, b in zip(color, (1, 0.2158605, 0, 1))), list(color)
uv = {tuple(round(x, 6) for x in corner.uv) for corner in items["cloth:seam"].data.uv_layers[0].data}
assert uv == {(0, 0), (0.1, 0), (0.1, 0.1), (0.5, 0.5), (0.6, 0.6), (0.5, 0.6)}, uv
print("WORST", worst)
P
    text=$(cd "$work" && timeout 120 blender --background --factory-startup --python-exit-code 1 --python "$work/read_glb.py" -- "$work/a" 2>&1)
    code=$?
    if [[ $text == *"NO NUMPY"* ]]; then
        skip "Blender imports animation.glb" "its importer needs python3-numpy"
    else
        [ $code = 0 ]
        ok $? "Blender imports animation.glb: every vertex of every frame within 1e-6 m, visibility, color, texture coordinates" "$text"
    fi
else
    skip "Blender imports animation.glb" "blender is not installed"
fi
tap_end
