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
if how == "bad" then options.texture = { picture = "a.png", size = {1, 1}, scale = 2 } end
if how == "origin" then options.texture = { picture = "a.png", origin = {0, 0} } end
if how == "pattern" then options.texture_size = 0.1 end
if how == "word" then options.texture = "picture" end
world:cloth(options)
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
shot front
colors front -80 80 red 80 80 green -80 -80 blue 80 -80 yellow
ok $? "with a color of the back it is on the front" "$seen"
shot back_color
colors back_color -80 80 purple 80 80 purple -80 -80 purple 80 -80 purple
ok $? "and the back has its color" "$seen"
tap_end
