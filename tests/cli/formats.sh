#!/bin/bash
# `--format glb, usda, mp4, webm`: what stands in the files is what stands in the obj frames.
. "$(dirname "$0")/tap.bash"
cat >"$work/two.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/120, fps = 30, duration = 0.2, threads = 1}
world:cloth {name = "left \"one\"", mesh = muslin.mesh.grid {nodes = {12, 12}, size = {0.5, 0.5}, center = {-0.4, 0.5, 0}}}
world:cloth {name = "right", mesh = muslin.mesh.grid {nodes = {6, 9}, size = {0.3, 0.6}, plane = "xy", center = {0.5, 0.4, 0}}}
-- Two triangles with a seam along their common edge: six texture coordinates at four vertices.
world:cloth {name = "seam", color = "#ff8000", mesh = muslin.mesh.new {
  vertices = {{1, 0.5, 0}, {1.1, 0.5, 0}, {1.1, 0.6, 0}, {1, 0.6, 0}}, faces = {{1, 2, 3}, {1, 3, 4}},
  uv = {{0, 0}, {0.1, 0}, {0.1, 0.1}, {0.5, 0.5}, {0.6, 0.6}, {0.5, 0.6}}, uv_faces = {{1, 2, 3}, {4, 5, 6}}}}
world:obstacle {name = "ball", shape = "sphere", radius = 0.15, at = {-0.35, 0.3, 0}, color = {0, 1, 0.5}}
world:obstacle {name = "floor", shape = "plane", normal = {0, 1, 0}}
return world
L
run run "$work/two.lua" --out "$work/a" --planes --format obj,glb,usda
exits 0 "glb and usda frames"
cat >"$work/read.py" <<'P'
import json, re, struct, sys
# Parts: name, places, faces, the texture coordinates of every corner or [], color or None.
def obj(path):
    parts, start, coordinates = [], 0, []
    for line in open(path):
        word = line.split()
        if line.startswith("o "):
            if parts: start += len(parts[-1][1])
            parts.append((line[2:].strip(), [], [], [], None))
        elif line.startswith("vt "): coordinates.append([float(x) for x in word[1:3]])
        elif line.startswith("v "): parts[-1][1].append([float(x) for x in word[1:4]])
        elif line.startswith("f "):
            parts[-1][2].append([int(x.split("/")[0]) - 1 - start for x in word[1:4]])
            if "/" in word[1]: parts[-1][3].extend(coordinates[int(x.split("/")[1]) - 1] for x in word[1:4])
    return parts
def glb(path):
    data = open(path, "rb").read()
    magic, version, total, length, kind = struct.unpack("<4sIII4s", data[:20])
    assert (magic, version, total, kind) == (b"glTF", 2, len(data), b"JSON") and length % 4 == 0
    root = json.loads(data[20:20 + length])
    size, kind = struct.unpack("<I4s", data[20 + length:28 + length])
    assert kind == b"BIN\0" and size == root["buffers"][0]["byteLength"] == len(data) - 28 - length
    binary = data[28 + length:]
    def read(k):
        a = root["accessors"][k]
        view, width = root["bufferViews"][a["bufferView"]], {"VEC3": 3, "VEC2": 2, "SCALAR": 1}[a["type"]]
        assert view["byteLength"] == 4 * width * a["count"]
        raw = struct.unpack_from("<%d%s" % (width * a["count"], {5126: "f", 5125: "I"}[a["componentType"]]), binary, view["byteOffset"])
        group = 2 if width == 2 else 3
        rows = [list(raw[i:i + group]) for i in range(0, len(raw), group)]
        if "min" in a:
            for axis in range(3):
                assert abs(min(r[axis] for r in rows) - a["min"][axis]) < 1e-6 and abs(max(r[axis] for r in rows) - a["max"][axis]) < 1e-6
        return rows
    out = []
    for k in root["scenes"][root["scene"]]["nodes"]:
        node = root["nodes"][k]
        p = root["meshes"][node["mesh"]]["primitives"][0]
        assert all(abs(sum(x * x for x in n) - 1) < 1e-4 for n in read(p["attributes"]["NORMAL"]))
        places, faces, uv = read(p["attributes"]["POSITION"]), read(p["indices"]), []
        if "TEXCOORD_0" in p["attributes"]:
            each = read(p["attributes"]["TEXCOORD_0"])
            assert len(each) == len(places)
            uv = [[each[v][0], 1 - each[v][1]] for f in faces for v in f]
        color = root["materials"][p["material"]]["pbrMetallicRoughness"]["baseColorFactor"][:3]
        out.append((node["name"], places, faces, uv, color))
    return out
def usda(path):
    text = open(path).read()
    assert text.startswith("#usda 1.0\n") and text.count("{") == text.count("}")
    out, seen = [], set()
    for prim, body in re.findall(r'def Mesh "([A-Za-z_][A-Za-z0-9_]*)"(?: \(.*?\))?\s*\{(.*?)\n    \}', text, re.S):
        assert prim not in seen
        seen.add(prim)
        name = re.search(r'muslin:name = "((?:[^"\\]|\\.)*)"', body).group(1).replace('\\"', '"')
        number = lambda what: json.loads(re.search(re.escape(what) + r" = (\[.*?\])(?:\n|$)", body).group(1).replace("(", "[").replace(")", "]"))
        corners = number("int[] faceVertexIndices")
        assert number("int[] faceVertexCounts") == [3] * (len(corners) // 3)
        uv, color = [], re.search(r"primvars:displayColor = \[\((.*?)\)\]", body).group(1)
        if "primvars:st" in body:
            listed = lambda what: json.loads(re.search(re.escape(what) + r" = (\[.*?\])", body).group(1).replace("(", "[").replace(")", "]"))
            each, index = listed("primvars:st"), listed("primvars:st:indices")
            assert len(index) == len(corners)
            uv = [each[k] for k in index]
        out.append((name, number("point3f[] points"), [corners[i:i + 3] for i in range(0, len(corners), 3)], uv,
                    [float(x) for x in color.split(",")]))
    return out
base = sys.argv[1]
want = obj(base + ".obj")
assert len(want) == 5
colors = {"cloth:seam": (1, 0.2158605, 0), "obstacle:ball": (0, 1, 0.2140411)} # linear, of sRGB 1, 128/255, 0 and 0, 1, 0.5
def close(a, b, near):
    return len(a) == len(b) and all(abs(p - q) <= near * max(1, abs(q)) for x, y in zip(a, b) for p, q in zip(x, y))
for reader, end, near in (glb, "glb", 1e-7), (usda, "usda", 0):
    got = reader(base + "." + end)
    assert [g[0] for g in got] == [w[0] for w in want], (end, [g[0] for g in got])
    for (name, gx, gf, guv, color), (_, wx, wf, wuv, _) in zip(got, want):
        if end == "glb" and name == "cloth:seam": # one texture coordinate a vertex: the seam's two vertices are doubled
            assert len(gx) == 6 and close(gx, wx + [wx[0], wx[2]], near), gx
            gf = [[{4: 0, 5: 2}.get(v, v) for v in f] for f in gf]
        else:
            assert close(gx, wx, near), (end, name)
        assert gf == wf, (end, name)
        assert len(guv) == (3 * len(gf) if name.startswith("cloth:") else 0) and close(guv, wuv, 1e-7), (end, name)
        if name in colors: assert close([color], [colors[name]], 1e-5), (end, color)
assert [w[3] for w in want if w[0] == "cloth:seam"] == [[[0, 0], [0.1, 0], [0.1, 0.1], [0.5, 0.5], [0.6, 0.6], [0.5, 0.6]]]
P
check_by_python() { # SCRIPT ARG NAME
    if ! python3 -c '' 2>/dev/null; then
        skip "$3" "python3 is not installed"
        return
    fi
    local text
    text=$(python3 "$1" "$2" "$(dirname "$0")" 2>&1)
    ok $? "$3" "$text"
}
check_by_python "$work/read.py" "$work/a/frame_000006" \
    "glb and usda: names, faces, places and texture coordinates of the obj frame, and the colors"

# Endless planes are not in files that other programs show.
run run "$work/two.lua" --out "$work/open" --frames 1 --format obj,glb,usda,vtp,ply,stl,animation.glb,animation.usda,animation.abc,mdd,blender
exits 0 "every format for other programs"
without=$(cd "$work/open" && grep -laF obstacle:ball *.obj *.glb *.usda *.vtp *.abc *.py | tr '\n' ' ')
with=$(cd "$work/open" && grep -laF obstacle:floor *.obj *.glb *.usda *.vtp *.abc *.py | tr '\n' ' ')
[ "$without" = "frame_000000.obj frame_000001.obj open_in_blender.obj animation.glb frame_000000.glb frame_000001.glb animation.usda frame_000000.usda frame_000001.usda animation.abc open_in_blender.py " ] &&
    [ "$with" = "frame_000000.obj frame_000001.obj frame_000000.usda frame_000001.usda " ] && [ ! -e "$work/open/obstacle_floor.mdd" ]
ok $? "of these, planes are in obj and usda only (vtp has codes of names)" "without: $without; with: $with; $(ls "$work/open")"
counts() { grep -a -m 1 "^element $1 " "$2" | grep -o "[0-9]*$"; }
run run "$work/two.lua" --out "$work/planes" --frames 0 --planes --format ply,stl
exits 0 "--planes"
[ $(($(counts vertex "$work/planes/frame_000000.ply") - $(counts vertex "$work/open/frame_000000.ply"))) = 4 ] &&
    [ $(($(grep -c "facet normal" "$work/planes/frame_000000.stl") - $(grep -c "facet normal" "$work/open/frame_000000.stl"))) = 2 ]
ok $? "a plane is two triangles there"
json "$work/planes/manifest.json" 'm["options"]["planes"] is True'
ok $? "the manifest states it"
cat >"$work/bare.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/120, fps = 30, duration = 0.1}
world:obstacle {name = "floor", shape = "plane", normal = {0, 1, 0}}
return world
L
run run "$work/bare.lua" --out "$work/bare" --frames 1 --format glb,animation.glb,animation.usda,animation.abc,blender
[ "$code" = 0 ] && [ "$(grep -lac '"scenes":\[{}\]' "$work"/bare/*.glb | wc -l)" = 3 ]
ok $? "a scene of a plane alone is an empty scene: glTF has no empty lists" "$(state); $(ls "$work/bare")"
refuses 2 "option '--planes' applies to formats that leave planes out" "--planes without such a format" \
    run "$work/two.lua" --out "$work/x" --planes --format obj,png

# Groups of faces, as panels of a garment are.
cat >"$work/panels.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/120, fps = 30, duration = 0.1}
local sheet = world:cloth {name = "shirt", mesh = muslin.mesh.new {
  vertices = {{0, 0.5, 0}, {0.1, 0.5, 0}, {0.1, 0.6, 0}, {0, 0.6, 0}, {0.2, 0.5, 0}}, faces = {{1, 2, 3}, {1, 3, 4}, {2, 5, 3}},
  groups = {{"front \"left\"", 2}, {"nothing", 0}, {"back", 1}}}}
world:cloth {name = "other", mesh = muslin.mesh.grid {nodes = {2, 2}, size = {0.1, 0.1}, center = {1, 1, 0}}}
world:on("done", function()
  local groups = sheet:mesh():groups()
  expect(#groups):equals(3)
  expect(groups[3][1]):equals("back")
end)
return world
L
run run "$work/panels.lua" --out "$work/panels" --format obj,vtp,glb,usda,animation.glb,animation.usda,animation.abc
exits 0 "frames and animations of a cloth with groups"
run audit "$work/panels/frame_000003.obj"
[ "$code" = 0 ] && [[ $out == *" 5  $work/panels/frame_000003.obj"* ]]
ok $? "the auditor reads them" "$(state)"
cat >"$work/panels.py" <<'P'
import json, re, struct, sys
folder = sys.argv[1]
lines = [line.split(None, 1) for line in open(folder + "/frame_000003.obj")]
order = [(w[0], w[1].strip() if w[0] in "og" else "") for w in lines if w[0] in ("o", "g", "f")]
f = ("f", "")
assert order == [("o", "cloth:shirt"), ("g", 'front "left"'), f, f, ("g", "nothing"), ("g", "back"), f,
                 ("o", "cloth:other"), ("g", "default"), f, f], order
for name in ("frame_000003.glb", "animation.glb"):
    data = open(folder + "/" + name, "rb").read()
    length = struct.unpack("<I", data[12:16])[0]
    root, binary = json.loads(data[20:20 + length]), data[28 + length:]
    def indices(primitive):
        a = root["accessors"][primitive["indices"]]
        return list(struct.unpack_from("<%dI" % a["count"], binary, root["bufferViews"][a["bufferView"]]["byteOffset"]))
    shirt, other = root["meshes"]
    front, back = shirt["primitives"]
    assert front["attributes"] == back["attributes"] and front.get("targets") == back.get("targets")
    assert bool(front.get("targets")) == (name == "animation.glb")
    assert indices(front) == [0, 1, 2, 0, 2, 3] and indices(back) == [1, 4, 2]
    named = [root["materials"][p["material"]].get("name") for p in shirt["primitives"] + other["primitives"]]
    assert named == ['front "left"', "back", None], named
    assert len(other["primitives"]) == 1 and len(root["materials"]) == 3
for name in ("frame_000003.usda", "animation.usda"):
    text = open(folder + "/" + name).read()
    assert text.count("{") == text.count("}") and text.count('familyType = "partition"') == 1
    subsets = re.findall(r'def GeomSubset "(\w+)"\s*\{\s*uniform token elementType = "face"\s*uniform token familyName = "groups"\s*'
                         r'custom string muslin:name = "(.*?)"\s*int\[\] indices = \[(.*?)\]\s*\}', text)
    assert subsets == [("group_1_front__left_", 'front \\"left\\"', "0, 1"), ("group_2_nothing", "nothing", ""),
                       ("group_3_back", "back", "2")], subsets
sys.path.insert(0, sys.argv[2])
import read_abc
found, step = read_abc.meshes(folder + "/animation.abc")
assert found["cloth:shirt"]["groups"] == [('front "left"', [0, 1]), ("nothing", []), ("back", [2])], found["cloth:shirt"]["groups"]
assert found["cloth:other"]["groups"] == [], found["cloth:other"]
data = open(folder + "/frame_000003.vtp", "rb").read()
head, appended = data.split(b'<AppendedData encoding="raw">\n_', 1)
head = head.decode()
def strings(name):
    codes = re.search('Name="%s" NumberOfTuples="(\\d+)" format="ascii">(.*?)</DataArray>' % name, head, re.S)
    words = bytes(int(x) for x in codes.group(2).split()).split(b"\0")
    assert len(words) == int(codes.group(1)) + 1 and words[-1] == b""
    return [word.decode() for word in words[:-1]]
def cells(name):
    offset = int(re.search('Name="%s" NumberOfComponents="1" format="appended" offset="(\\d+)"' % name, head).group(1))
    size, = struct.unpack_from("<Q", appended, offset)
    return list(struct.unpack_from("<%di" % (size // 4), appended, offset + 8))
assert strings("names") == ["cloth:shirt", "cloth:other"] and strings("group_names") == ['front "left"', "nothing", "back"]
assert cells("part") == [0, 0, 0, 1, 1] and cells("group") == [0, 0, 2, -1, -1]
offset = int(re.search('Name="stretch" NumberOfComponents="1" format="appended" offset="(\\d+)"', head).group(1))
assert struct.unpack_from("<Q", appended, offset) == (8 * 9,) and appended.endswith(b"\n</AppendedData>\n</VTKFile>\n")
P
check_by_python "$work/panels.py" "$work/panels" "groups of obj, primitives and materials of glb, a partition of usda, FaceSets of abc, fields of vtp"

# A mesh that follows a cloth stands in its place.
cat >"$work/surface.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/120, fps = 30, duration = 0.2}
local sheet = muslin.mesh.grid {nodes = {5, 5}, size = {0.4, 0.4}, center = {0, 1, 0}}
local cloth = world:cloth {name = "sheet", mesh = sheet, surface = sheet:subdivide(1), texture = "checker"}
cloth:pin {vertices = {1}}
world:on("done", function() cloth:surface():save(arg[1]) end)
return world
L
run run "$work/surface.lua" --out "$work/surface" --format obj,vtp,pc2,animation.glb,png --show stretch --trusted -- "$work/surface_end.ply"
exits 0 "frames, caches and pictures of a mesh that follows a cloth"
[ "$(grep -c "^v " "$work/surface/frame_000006.obj")" = 81 ] && [ "$(grep -c "^f " "$work/surface/frame_000006.obj")" = 128 ] &&
    grep -q 'NumberOfPoints="81"' "$work/surface/frame_000006.vtp" &&
    [ "$(od -An -tu4 -j16 -N4 "$work/surface/cloth_sheet.pc2" | tr -d ' ')" = 81 ]
ok $? "with all its vertices" "$(state)"
sed 's/, surface = sheet:subdivide(1)//; s/cloth:surface():save(arg\[1\])//' "$work/surface.lua" >"$work/plain.lua"
run run "$work/surface.lua" --trusted -- "$work/surface_end.ply"
state=$(grep -o "state [0-9a-f]\{16\}" <<<"$out")
run run "$work/plain.lua" --trusted
[ -n "$state" ] && [[ $out == *"$state"* ]]
ok $? "and the simulation has the bits that it has without it" "$state; $(state)"

path_is() { # PATH ARG...: as `run`, with another PATH
    local path=$1
    shift
    env PATH="$path" "$muslin" "$@" >"$work/.out" 2>"$work/.err" </dev/null
    code=$?
    out=$(cat "$work/.out")
    err=$(cat "$work/.err")
}
path_is "$work" run "$work/two.lua" --out "$work/b" --format mp4
exits 2 "a film without ffmpeg is refused before the run"
prints err "option '--format': mp4 needs the program ffmpeg, which is not in PATH .Debian package: ffmpeg." "names what is missing"
printf '#!/bin/sh\necho "no codec here" >&2\nexit 5\n' >"$work/ffmpeg"
chmod +x "$work/ffmpeg"
path_is "$work:$PATH" run "$work/two.lua" --out "$work/c" --format webm --frames 2 --size 64x64
if [ -e "$work/c/frame_000002.png" ]; then
    exits 3 "a film that fails"
    prints err "ffmpeg ended with code 5; the png frames are complete" "names what there is"
    [ "$(cd "$work/c" && ls -A | tr '\n' ' ')" = "frame_000000.png frame_000001.png frame_000002.png manifest.json " ]
    ok $? "leaves the frames and nothing else" "$(ls -A "$work/c")"
else
    skip "a film that fails" "no pictures here"
fi
rm "$work/ffmpeg"

# Single pictures: the simulation is whole, and so are other formats.
if [ -e "$work/c/frame_000002.png" ]; then
    pictures() { (cd "$work/$1" && printf '%s ' frame_*."$2"); }
    run run "$work/two.lua" --out "$work/only" --format obj,png,pov --size 64x64 --frames 5 --frames-only 1:4:2
    [ "$code" = 0 ] && [ "$(pictures only png)$(pictures only pov)" = "frame_000001.png frame_000003.png frame_000001.pov frame_000003.pov " ] &&
        [ "$(ls "$work"/only/frame_*.obj | wc -l)" = 6 ]
    ok $? "--frames-only writes pictures of the frames it chooses, and all frames in other formats" "$(ls "$work/only") $(state)"
    prints out "pictures of frames 1 to 4 by 2" "and reports it"
    run run "$work/two.lua" --out "$work/one" --format png --size 64x64 --frames 5 --frames-only 3
    [ "$code" = 0 ] && [ "$(pictures one png)" = "frame_000003.png " ]
    ok $? "one frame" "$(ls "$work/one") $(state)"
    run run "$work/two.lua" --out "$work/all" --format png --size 64x64 --frames 5
    cmp -s "$work/all/frame_000003.png" "$work/one/frame_000003.png"
    ok $? "with the bits it has among all"
    run run "$work/two.lua" --out "$work/again" --format png --size 64x64 --frames 4 --frames-only 0:9:2 --checkpoint-every 2
    run run "$work/two.lua" --out "$work/again" --format png --size 64x64 --frames 5 --frames-only 0:9:2 --checkpoint-every 2 --resume
    [ "$code" = 0 ] && [ "$(pictures again png)" = "frame_000000.png frame_000002.png frame_000004.png " ]
    ok $? "a run that is resumed wants no other pictures" "$(ls "$work/again") $(state)"
    refuses 3 "frame 9 is after the last frame of the run, 5" "a frame that the run has not" run "$work/two.lua" --out "$work/x" --format png --frames 5 --frames-only 9
    for words in --format=obj --format=png,mp4 ""; do
        # shellcheck disable=SC2086 # no word at all
        refuses 2 "'--frames-only' chooses pictures; it needs '--format png'" "--frames-only with '$words'" run "$work/two.lua" --out "$work/x" $words --frames-only 3
    done
    for wrong in x 3: :3 3:2 1:5:0 1:2:3:4 -1 1::2 " 3" 3.5 9999999999; do
        refuses 2 "'--frames-only' must be a frame, FIRST:LAST or FIRST:LAST:STEP" "--frames-only '$wrong'" run "$work/two.lua" --out "$work/x" --format png --frames-only="$wrong"
    done
else
    skip "single pictures" "no pictures here"
fi

if ! type ffmpeg ffprobe >/dev/null 2>&1; then
    skip "films" "ffmpeg is not installed"
    tap_end
fi
run run "$work/two.lua" --out "$work/d" --format mp4,webm --size 161x120
if [ ! -e "$work/d/frame_000006.png" ]; then
    skip "films" "no pictures here"
    tap_end
fi
exits 0 "films"
for kind in mp4:h264 webm:vp9; do
    seen=$(ffprobe -v error -count_frames -show_entries stream=codec_name,width,height,r_frame_rate,nb_read_frames \
        -of csv=p=0 "$work/d/film.${kind%:*}" 2>&1)
    [ "$seen" = "${kind#*:},162,120,30/1,7" ]
    ok $? "${kind%:*}: all frames, at the scene's rate, sides made even" "$seen"
done
run run "$work/two.lua" --out "$work/d" --format obj --frames 1
[ -e "$work/d/film.mp4" ] && [ -e "$work/d/film.webm" ] && [[ $err == *"other formats (png, mp4, webm), which stay"* ]]
ok $? "an earlier run's films stay where the next writes none" "$(state); $(ls "$work/d")"
run run "$work/two.lua" --out "$work/d" --format png --frames 1
[ ! -e "$work/d/frame_000006.png" ] && [ -e "$work/d/film.mp4" ]
ok $? "its pictures are replaced by pictures" "$(ls "$work/d")"

# ply and stl with z up: what an independent reader finds is the other file, turned; other formats stay.
run run "$work/two.lua" --out "$work/y_up" --format obj,ply,stl --frames 2
run run "$work/two.lua" --out "$work/z_up" --format obj,ply,stl --frames 2 --up z
exits 0 "--up z"
cat >"$work/up.py" <<'P'
import struct, sys
def ply(path):
    head, body = open(path, "rb").read().split(b"end_header\n", 1)
    lines = head.decode().split("\n")
    count = [int(line.split()[2]) for line in lines if line.startswith("element vertex")][0]
    kinds, here = "", False
    for line in lines:
        if line.startswith("element"): here = line.startswith("element vertex")
        elif here and line.startswith("property"): kinds += {"double": "d", "float": "f", "uchar": "B"}[line.split()[1]]
    assert "binary_little_endian" in head.decode() and kinds[:3] in ("ddd", "fff")
    return [row[:3] for row in struct.iter_unpack("<" + kinds, body[:count * struct.calcsize("<" + kinds)])]
def stl(path): # as text; the normals, too
    words = [line.replace("facet normal", "vertex").split() for line in open(path)]
    return [[float(x) for x in word[1:]] for word in words if word[0] == "vertex"]
for read, name in (ply, "ply"), (stl, "stl"):
    y = read(sys.argv[1] + "/y_up/frame_000002." + name)
    z = read(sys.argv[1] + "/z_up/frame_000002." + name)
    assert len(y) == len(z) > 200
    for p, q in zip(y, z): assert max(abs(a - b) for a, b in zip((p[0], -p[2], p[1]), q)) < 1e-6, (name, p, q)
P
python3 "$work/up.py" "$work" >"$work/up.out" 2>&1
ok $? "ply and stl are turned, with their normals" "$(cat "$work/up.out")"
cmp -s "$work/y_up/frame_000002.obj" "$work/z_up/frame_000002.obj"
ok $? "obj is not"
python3 -c 'import json, sys; sys.exit([json.load(open(f"{sys.argv[1]}/{k}_up/manifest.json"))["options"]["up"] for k in "yz"] != ["y", "z"])' "$work"
ok $? "the manifest states it"
cat >"$work/loads.lua" <<'L'
local muslin = require "muslin"
local y = muslin.mesh.load("y_up/frame_000002.ply")
local z = muslin.mesh.load("z_up/frame_000002.ply", { up = "z" })
assert(y.vertex_count == z.vertex_count)
for i = 1, y.vertex_count do assert((y.x[i] - z.x[i]):length() == 0) end
return muslin.world()
L
(cd "$work" && "$muslin" run loads.lua --quiet) >"$work/loads.out" 2>&1
ok $? "and it is read back with up = \"z\"" "$(cat "$work/loads.out")"
run run "$work/two.lua" --out "$work/parted" --format obj,ply --frames 1 --up z --checkpoint-every 1
refuses 3 "the frames before it have z up in ply and stl: give --up z" "a resumed run with another --up" \
    run "$work/two.lua" --out "$work/parted" --format obj,ply --frames 2 --resume
run run "$work/two.lua" --out "$work/parted" --format obj,ply --frames 2 --up z --resume
[ "$code" = 0 ] && cmp -s "$work/parted/frame_000002.ply" "$work/z_up/frame_000002.ply"
ok $? "and with the same one" "$(state)"
run run "$work/two.lua" --out "$work/parted" --format obj --frames 2 --resume
exits 0 "without such a format none is needed"
refuses 2 "'--up' applies to '--format ply' and 'stl'" "--up z of another format" run "$work/two.lua" --out "$work/x" --format obj --up z
refuses 2 "option '--up' must be y or z" "--up x" run "$work/two.lua" --out "$work/x" --format ply --up x

tap_end
