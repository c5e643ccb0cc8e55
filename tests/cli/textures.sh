#!/bin/bash
# Pictures on cloth: where they are in a picture of the world, on which side, and in binary glTF.
. "$(dirname "$0")/tap.bash"
. "$(dirname "$0")/window.bash"

export PYTHONPATH=$PWD/tests/cli PYTHONDONTWRITEBYTECODE=1
cd "$work" || exit 2 # scenes name files from here

python3 - <<'P'
from write_png import write_png
red, green, blue, yellow = b"\xe0\x50\x20", b"\x20\xc0\x20", b"\x20\x20\xe0", b"\xe0\xe0\x20"
for name, upper, lower in ("a", (red, green), (blue, yellow)), ("b", (yellow, blue), (green, red)):
    rows = [upper[0] * 32 + upper[1] * 32] * 32 + [lower[0] * 32 + lower[1] * 32] * 32
    write_png(name + ".png", 64, 64, 8, 2, rows)
P
ok $? "the pictures are written"

cat >scene.lua <<'L'
local muslin = require "muslin"
local how = ...
local world = muslin.world { fps = 30, duration = 0.1, gravity = {0, 0, 0}, air_density = 0, threads = 1 }
world:camera { from = {0, 0, (how == "behind" or how == "back_color") and -2.4 or 2.4}, to = {0, 0, 0}, fov = 0.5 }
local options = { name = "banner", texture = { picture = "a.png" }, mesh = muslin.mesh.grid { nodes = {9, 9}, size = {1, 1}, plane = "xy" } }
if how == "back_color" or how == "front" then options.back_color = "#d020d0" end
if how == "tiles" then options.texture.size, options.texture.origin = 0.5, {-0.5, -0.5} end
if how == "shifted" then options.texture.size, options.texture.origin = 1, {0, -0.5} end
if how == "two" then
  options.mesh = muslin.mesh.grid { nodes = {9, 9}, size = {0.5, 1}, center = {-0.25, 0, 0}, plane = "xy" }
  world:cloth { name = "second", texture = { picture = "b.png" }, mesh = muslin.mesh.grid { nodes = {9, 9}, size = {0.5, 1}, center = {0.25, 0, 0}, plane = "xy" } }
end
if how == "surface" then -- a mesh with texture coordinates of its own follows the cloth
  options.surface = muslin.mesh.grid { nodes = {4, 4}, size = {1, 1}, plane = "xy" }
end
if how == "patterns" then
  options.mesh = muslin.mesh.grid { nodes = {9, 9}, size = {0.4, 0.4}, center = {-0.25, 0, 0}, plane = "xy" }
  options.texture, options.texture_size, options.color, options.texture_color = "checker", 0.1, "red", "#20c020"
  world:cloth { name = "striped 100%", texture = "stripes", texture_size = 0.1, color = "blue", texture_color = "#e0e020", mesh = muslin.mesh.grid {
    nodes = {9, 9}, size = {0.4, 0.4}, center = {0.25, 0, 0}, plane = "xy" } }
  world:obstacle { name = "plate", shape = "box", size = {0.2, 0.1, 0.1}, at = {0, 0.4, 0}, color = "#804020" }
  local brief = world:cloth { name = "brief", mesh = muslin.mesh.grid { nodes = {3, 3}, center = {0, 9, 0} } }
  world:on("frame", function(w) if w.frame == 1 then w:remove(brief) end end)
end
if how == "bad" then options.texture = { picture = "a.png", size = {1, 1}, scale = 2 } end
if how == "origin" then options.texture = { picture = "a.png", origin = {0, 0} } end
if how == "pattern" then options.texture_size = 0.1 end
if how == "word" then options.texture = "picture" end
if how == "obstacle" then
  world:obstacle { name = "banner", mesh = options.mesh, texture = options.texture }
else
  world:cloth(options)
end
return world
L

# ---- glTF -------------------------------------------------------------------------------------------------------------
for how in plain tiles two; do
    run run scene.lua --frames 2 --format glb,animation.glb --out "$how" -- "$how"
    [ "$code" = 0 ] || break
done
exits 0 "cloths with pictures are written as glTF"
python3 - <<'P'
import struct
from write_png import read_glb

def numbers(gltf, data, accessor):
    a = gltf["accessors"][accessor]
    start = gltf["bufferViews"][a["bufferView"]]["byteOffset"]
    assert start % 4 == 0
    count = a["count"] * {"SCALAR": 1, "VEC2": 2, "VEC3": 3}[a["type"]]
    return struct.unpack_from("<%d%s" % (count, "f" if a["componentType"] == 5126 else "I"), data, start)

def check(path, expected):
    """`expected`: for each mesh the file of its picture and where the picture's coordinates begin and how large it is."""
    gltf, data = read_glb(path)
    assert gltf["extensionsUsed"] == ["KHR_texture_transform"]
    assert len(gltf["images"]) == len(set(name for name, _, _ in expected))
    for mesh, (name, origin, size) in zip(gltf["meshes"], expected):
        primitive, = mesh["primitives"]
        surface = gltf["materials"][primitive["material"]]["pbrMetallicRoughness"]
        assert surface["baseColorFactor"] == [1, 1, 1, 1]
        texture = surface["baseColorTexture"]
        image = gltf["images"][gltf["textures"][texture["index"]]["source"]]
        assert image["mimeType"] == "image/png"
        view = gltf["bufferViews"][image["bufferView"]]
        assert data[view["byteOffset"]:view["byteOffset"] + view["byteLength"]] == open(name, "rb").read()
        move = texture["extensions"]["KHR_texture_transform"]
        places, uvs = (numbers(gltf, data, primitive["attributes"][k]) for k in ("POSITION", "TEXCOORD_0"))
        for i in range(len(uvs) // 2):
            u, v = (move["offset"][k] + move["scale"][k] * uvs[2 * i + k] for k in range(2)) # v from the upper edge
            x, y = places[3 * i] - origin[0], places[3 * i + 1] - origin[1]
            assert abs(u - x / size[0]) < 1e-6 and abs(1 - v - y / size[1]) < 1e-6, (u, v, x, y)

for form in "/frame_000000.glb", "/animation.glb":
    check("plain" + form, [("a.png", (-0.5, -0.5), (1, 1))])
    check("tiles" + form, [("a.png", (-0.5, -0.5), (0.5, 0.5))])
    check("two" + form, [("b.png", (0, -0.5), (0.5, 1)), ("a.png", (-0.5, -0.5), (0.5, 1))])
P
ok $? "an independent reader finds the pictures' bytes, and their corners at the cloths'"

# ---- USD --------------------------------------------------------------------------------------------------------------
run run scene.lua --frames 2 --format usda,animation.usda --out usd -- two
exits 0 "cloths with pictures are written as USD"
cmp -s a.png usd/picture_2.png && cmp -s b.png usd/picture_1.png
ok $? "their pictures are beside the files" "$(ls usd)"
python3 - <<'P'
import re
for path in "usd/frame_000000.usda", "usd/animation.usda":
    text = open(path).read()
    for name, file, origin in ("part_1_cloth_second", "picture_1.png", (0, -0.5)), ("part_2_cloth_banner", "picture_2.png", (-0.5, -0.5)):
        mesh = text[text.index('def Mesh "%s"' % name):]
        material = text[text.index('def Material "%s"' % name):]
        material = material[:material.index("\n        }\n")]
        at = "</frame/materials/%s/" % name
        assert "diffuseColor.connect = %spicture.outputs:rgb>" % at in material
        assert "inputs:file = @./%s@" % file in material
        assert "inputs:st.connect = %splace.outputs:result>" % at in material
        assert "inputs:in.connect = %scoordinates.outputs:result>" % at in material
        assert 'inputs:varname = "st"' in material
        numbers = lambda key: [float(x) for x in re.search(key + r" = \(([^)]*)\)", material).group(1).split(",")]
        scale, move = numbers("inputs:scale"), numbers("inputs:translation")
        points = re.findall(r"\(([^()]*)\)", re.search(r"points(?:\.timeSamples)? = [^\[]*\[(.*?)\]", mesh, re.S).group(1))
        coordinates = re.findall(r"\(([^()]*)\)", re.search(r"primvars:st = \[(.*?)\]", mesh, re.S).group(1))
        assert len(points) == len(coordinates) == 81
        for p, t in zip(points, coordinates):
            for k in range(2):
                x, u = float(p.split(",")[k]), float(t.split(",")[k])
                assert abs(u * scale[k] + move[k] - (x - origin[k]) / (0.5, 1)[k]) < 1e-6
P
ok $? "and lie on the cloths by their texture coordinates"

# ---- Wavefront OBJ ----------------------------------------------------------------------------------------------------
cat >read_obj.py <<'P'
from write_png import read_png

def read(folder, frame):
    """Parts of an OBJ: name, material, corners as (vertex, texture coordinate). Materials: a dict of their lines."""
    parts, places, uvs, materials = [], [], [], {}
    for line in open("%s/frame_%06d.obj" % (folder, frame)):
        key, rest = line.split(None, 1)
        word = rest.split()
        if key == "mtllib":
            assert not parts and rest == "frames.mtl\n"
            for line in open("%s/%s" % (folder, rest.strip())):
                if line.startswith("#"): continue
                key, values = line.split(None, 1)
                if key == "newmtl":
                    assert len(values.split()) == 1 and values.strip() not in materials
                    material = materials[values.strip()] = {}
                else: material[key] = values.split()
        if key == "o": parts.append({"name": rest.strip(), "corners": []})
        if key == "usemtl": parts[-1]["material"] = rest.strip()
        if key == "v": places.append([float(x) for x in word])
        if key == "vt": uvs.append([float(x) for x in word])
        if key == "f":
            for corner in word:
                v, *t = corner.split("/")
                parts[-1]["corners"].append((places[int(v) - 1], uvs[int(t[0]) - 1] if t else None))
    return parts, materials

def seen(folder, material, uv):
    """The color of a material's picture at a texture coordinate."""
    o, o1, o2, o3, s, s1, s2, s3, name = material["map_Kd"]
    assert o == "-o" and s == "-s" and material["Kd"] == ["1"] * 3
    width, height, rows = read_png(folder + "/" + name)
    u, v = (float(a) + float(b) * c for a, b, c in zip((o1, o2), (s1, s2), uv))
    return rows[int((1 - v % 1) * height)][int(u % 1 * width)]
P
run run scene.lua --frames 2 --format obj --out obj -- two
exits 0 "cloths with pictures are written as OBJ"
python3 - <<'P'
from read_obj import read, seen
red, green, blue, yellow = (224, 80, 32), (32, 192, 32), (32, 32, 224), (224, 224, 32)
for frame in 0, 1:
    parts, materials = read("obj", frame)
    assert [p["name"] for p in parts] == [p["material"] for p in parts] == ["cloth:second", "cloth:banner"]
    for part, left, colors in zip(parts, (0, -0.5), ((yellow, blue, green, red), (red, green, blue, yellow))):
        for k in range(0, len(part["corners"]), 3): # the color at the middle of each triangle
            triangle = part["corners"][k:k + 3]
            x, y = (sum(p[i] for p, _ in triangle) / 3 for i in (0, 1))
            uv = [sum(t[i] for _, t in triangle) / 3 for i in (0, 1)]
            assert seen("obj", materials[part["material"]], uv) == colors[(x - left > 0.25) + 2 * (y < 0)]
P
ok $? "an independent reader finds the pictures on their triangles"
run run scene.lua --frames 3 --format obj,glb,usda --out patterns -- patterns
exits 0 "patterns are written as OBJ, glTF and USD, beside a box"
python3 - <<'P'
from read_obj import read, seen
from write_png import read_glb
everything = ["cloth:banner", "cloth:striped 100%", "cloth:brief", "obstacle:plate"]
for frame, names in (0, everything), (2, everything[:2] + everything[3:]):
    parts, materials = read("patterns", frame)
    assert sorted(p["name"] for p in parts) == sorted(names)
    assert sorted(materials) == ["cloth:banner", "cloth:brief", "cloth:striped%20100%25", "obstacle:plate"]
    assert all(p["material"] == p["name"].replace("%", "%25").replace(" ", "%20") for p in parts)
    assert [round(255 * float(x)) for x in materials["obstacle:plate"]["Kd"]] == [0x80, 0x40, 0x20]
    for name, material in ("cloth:banner", "cloth:banner"), ("cloth:striped 100%", "cloth:striped%20100%25"):
        squares = {(u, v): seen("patterns", materials[material], (0.1 * u + 0.05, 0.1 * v + 0.05)) for u in range(-4, 4) for v in range(-4, 4)}
        checker, one, other = name == "cloth:banner", squares[0, 0], squares[1, 0]
        assert one == ((0x20, 0xc0, 0x20) if checker else (0xe0, 0xe0, 0x20)), one
        assert all(c == (one if (u + v * checker) % 2 == 0 else other) for (u, v), c in squares.items()), squares
        assert other[0] > 150 > other[2] if checker else other[2] > 150 > other[0], other
gltf, data = read_glb("patterns/frame_000000.glb")
files = set()
for material in gltf["materials"]:
    texture = material["pbrMetallicRoughness"].get("baseColorTexture")
    if not texture: continue
    assert all(abs(x - 5) < 1e-5 for x in texture["extensions"]["KHR_texture_transform"]["scale"])
    view = gltf["bufferViews"][gltf["images"][gltf["textures"][texture["index"]]["source"]]["bufferView"]]
    files.add(data[view["byteOffset"]:view["byteOffset"] + view["byteLength"]])
assert files == set(open("patterns/picture_%d.png" % k, "rb").read() for k in (1, 2)) and len(files) == 2
P
ok $? "an independent reader finds squares and stripes, colors, and the material of a cloth that is no more"
run run scene.lua --frames 3 --format obj --out whole -- patterns
run run scene.lua --frames 2 --format obj --out parted --checkpoint-every 1 -- patterns
run run scene.lua --frames 3 --format obj --out parted --resume -- patterns
[ "$code" = 0 ] && cmp -s whole/frames.mtl parted/frames.mtl && cmp -s whole/frame_000002.obj parted/frame_000002.obj
ok $? "a resumed run keeps the materials of the frames before" "$(state); $(diff whole/frames.mtl parted/frames.mtl)"
run run scene.lua --frames 1 --format obj --out parted -- plain
[ "$code" = 0 ] && ! grep -q brief parted/frames.mtl
ok $? "a run from the start does not" "$(state)"

# A JPEG, here made of the picture by ffmpeg, is exported as the file it is.
if type ffmpeg >/dev/null 2>&1; then
    ffmpeg -v error -y -i a.png -q:v 1 -pix_fmt yuvj444p a.jpg && sed 's/"a.png"/"a.jpg"/' scene.lua >jpeg.lua
    run run jpeg.lua --frames 1 --format obj,glb,usda,pov --out jpeg -- plain
    [ "$code" = 0 ] && cmp -s a.jpg jpeg/picture_1.jpg && grep -q 'map_Kd .* picture_1.jpg$' jpeg/frames.mtl &&
        grep -q 'asset inputs:file = @./picture_1.jpg@' jpeg/frame_000000.usda &&
        grep -q 'image_map { jpeg "picture_1.jpg"' jpeg/frame_000000.pov && python3 - <<'P'
from write_png import read_glb
gltf, data = read_glb("jpeg/frame_000000.glb")
image, = gltf["images"]
view = gltf["bufferViews"][image["bufferView"]]
assert image["mimeType"] == "image/jpeg"
assert data[view["byteOffset"]:view["byteOffset"] + view["byteLength"]] == open("a.jpg", "rb").read()
P
    ok $? "a JPEG is in OBJ, glTF, USD and POV-Ray as it is" "$(state)"
else
    skip "a JPEG is in OBJ, glTF, USD and POV-Ray as it is" "ffmpeg is not installed"
fi

# ---- Blender ----------------------------------------------------------------------------------------------------------
if type blender >/dev/null 2>&1; then
    run run scene.lua --frames 2 --format blender --out blend -- tiles
    cat >read_blender.py <<'P'
import bpy, os, runpy, sys
folder = sys.argv[sys.argv.index("--") + 1]
runpy.run_path(os.path.join(folder, "open_in_blender.py"))
item = bpy.data.objects["cloth:banner"]
tree = item.material_slots[0].material.node_tree
def source(node, name):
    link, = node.inputs[name].links
    return link.from_node
image = source(tree.nodes["Principled BSDF"], "Base Color")
place = source(image, "Vector")
assert source(place, "Vector").uv_map == item.data.uv_layers[0].name and image.extension == "REPEAT"
assert open(bpy.path.abspath(image.image.filepath), "rb").read() == open("a.png", "rb").read()
move, scale = place.inputs["Location"].default_value, place.inputs["Scale"].default_value
for loop, uv in zip(item.data.loops, item.data.uv_layers[0].data):
    for k in range(2):
        x = item.data.vertices[loop.vertex_index].co[k]
        assert abs(move[k] + scale[k] * uv.uv[k] - (x + 0.5) / 0.5) < 1e-5
P
    text=$(timeout 120 blender --background --factory-startup --python-exit-code 1 --python read_blender.py -- "$PWD/blend" 2>&1)
    ok $? "Blender: the script lays the picture on the cloth" "$text"
else
    skip "Blender: the script lays the picture on the cloth" "blender is not installed"
fi

# ---- Refusals ---------------------------------------------------------------------------------------------------------
refuses 3 "cloth: field 'texture': unknown field 'scale'" "an unknown field of a picture" run scene.lua -- bad
refuses 3 "cloth: field 'texture': 'origin' needs 'size'" "an origin without a size" run scene.lua -- origin
refuses 3 "'texture_size' and 'texture_color' are of a pattern" "the size of a pattern" run scene.lua -- pattern
refuses 3 "must be one of none, weave, checker, stripes, or .picture = path. .got .picture" "the word" run scene.lua -- word

# ---- Pictures ---------------------------------------------------------------------------------------------------------
# The banner is 1 m in a view 2 * 2.4 m * tan(0.25) = 1.2256 m high: 326 pixels of 400. Its middle is the picture's.
shot() { run run scene.lua --frames 1 --format png --size 400x400 --out "$1" -- "$1"; }
shot plain
if [ $code != 0 ] && [[ $err == *libEGL* || $err == *'OpenGL 3.3'* ]]; then
    echo "# $err"
    skip "pictures on cloth" "no OpenGL here"
    tap_end
fi
exits 0 "a picture of the banner"
share() { # NAME X Y FROM TO: share of pixels of a hue around a point of the banner, of -163..163, right and up
    "$picture" cut "$1/frame_000000.png" $((200 + $2 - 12)) $((200 - $3 - 12)) 24 24 cut.png && "$picture" hue cut.png "$4" "$5"
}
colors() { # NAME X1 Y1 COLOR1 X2 Y2 COLOR2 ...: whether the banner is of the colors there
    local name=$1 from to worst=0
    shift
    seen=
    while [ $# -gt 0 ]; do
        case $3 in red) from=3 to=27 ;; green) from=108 to=132 ;; blue) from=228 to=252 ;; yellow) from=48 to=66 ;; purple) from=288 to=312 ;; esac
        local part
        part=$(share "$name" "$1" "$2" $from $to)
        seen+="$1 $2 $3: $part %; "
        less "$part" 95 && worst=1
        shift 3
    done
    return $worst
}
colors plain -80 80 red 80 80 green -80 -80 blue 80 -80 yellow
ok $? "the picture covers the banner, its upper edge above" "$seen"
if [ -e jpeg.lua ]; then
    run run jpeg.lua --frames 1 --format png --size 400x400 --out jpeg -- plain
    colors jpeg -80 80 red 80 80 green -80 -80 blue 80 -80 yellow
    ok $? "so does a JPEG" "$seen"
fi
shot behind
colors behind -80 80 green 80 80 red -80 -80 yellow 80 -80 blue
ok $? "from behind it is seen mirrored" "$seen"
shot tiles
colors tiles -120 120 red -40 120 green 40 120 red 120 120 green -120 40 blue 120 -40 green -120 -120 blue 40 -120 blue
ok $? "a picture of half the size is repeated" "$seen"
shot shifted
colors shifted -80 80 green 80 80 red -80 -80 yellow 80 -80 blue
ok $? "it begins at its origin" "$seen"
shot two
colors two -120 80 red -40 80 green 40 80 yellow 120 80 blue -120 -80 blue 120 -80 red
ok $? "two cloths have their own pictures" "$seen"
shot surface
colors surface -80 80 red 80 80 green -80 -80 blue 80 -80 yellow
ok $? "a mesh that follows the cloth has it on its own texture coordinates" "$seen"
shot obstacle
colors obstacle -80 80 red 80 80 green -80 -80 blue 80 -80 yellow
ok $? "so has an obstacle's mesh" "$seen"
run run scene.lua --frames 1 --format obj,usda,glb,animation.glb,animation.usda --out solid -- obstacle
[ "$code" = 0 ] && grep -q "map_Kd .*picture_1.png" solid/frames.mtl && [ "$(grep -c "^vt " solid/frame_000001.obj)" = 81 ] &&
    [ "$(grep -l "picture_1.png" solid/*.usda | wc -l)" = 3 ] && [ "$(grep -la '"textures"' solid/*.glb | wc -l)" = 3 ] && [ -e solid/picture_1.png ]
ok $? "which exported files show, too" "$(state); $(ls solid)"
shot front
colors front -80 80 red 80 80 green -80 -80 blue 80 -80 yellow
ok $? "with a color of the back it is on the front" "$seen"
shot back_color
colors back_color -80 80 purple 80 80 purple -80 -80 purple 80 -80 purple
ok $? "and the back has its color" "$seen"

# ---- POV-Ray ----------------------------------------------------------------------------------------------------------
if type povray >/dev/null 2>&1; then
    ray() { # by POV-Ray, in the place of the frame's picture
        run run scene.lua --frames 1 --format pov --out "$1" -- "$1"
        (cd "$1" && povray +W400 +H400 -A -D +Oframe_000000.png frame_000000.pov) >ray.out 2>&1
        seen=$(tail -n 20 ray.out)
        ! grep -qE 'Warning:|Error' ray.out
    }
    ray plain && colors plain -80 80 red 80 80 green -80 -80 blue 80 -80 yellow
    ok $? "POV-Ray: the picture covers the banner" "$seen"
    ray shifted && colors shifted -80 80 green 80 80 red -80 -80 yellow 80 -80 blue
    ok $? "POV-Ray: it begins at its origin" "$seen"
    ray obstacle && colors obstacle -80 80 red 80 80 green -80 -80 blue 80 -80 yellow
    ok $? "POV-Ray: and an obstacle" "$seen"
    ray back_color && colors back_color -80 80 purple 80 80 purple -80 -80 purple 80 -80 purple
    ok $? "POV-Ray: the back has its color" "$seen"
    ray patterns && mv patterns rays
    shot patterns
    for kind in patterns rays; do "$picture" cut $kind/frame_000000.png 50 130 300 140 $kind/cut.png; done
    part=$("$picture" diff patterns/cut.png rays/cut.png)
    less "$part" 6
    ok $? "POV-Ray: patterns as in the png" "$part % of the pixels differ clearly"
else
    skip "what POV-Ray makes of pictures" "povray is not installed"
fi
tap_end
