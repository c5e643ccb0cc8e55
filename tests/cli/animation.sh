#!/bin/bash
# Obstacles that follow a point cache from a file: places read back from frames, resumed runs, mistakes, a real body.
. "$(dirname "$0")/tap.bash"
type python3 >/dev/null 2>&1 || { echo "1..0 # SKIP python3 writes the caches of this test, and is missing"; exit 0; }

# A box in millimeters with z up, five frames: it grows and moves. As an OBJ, and with some vertex too many.
python3 - "$work" <<'P'
import struct, sys
corners = [(x, y, z) for z in (-50, 50) for y in (-50, 50) for x in (-50, 50)]
faces = [(1, 3, 4), (1, 4, 2), (5, 6, 8), (5, 8, 7), (1, 2, 6), (1, 6, 5), (3, 7, 8), (3, 8, 4), (1, 5, 7), (1, 7, 3), (2, 4, 8), (2, 8, 6)]
frames = [[(x * (1 + 0.2 * k) + 10 * k, y * (1 + 0.1 * k), z - 5 * k) for x, y, z in corners] for k in range(5)]
def cache(name, frames):
    with open(sys.argv[1] + "/" + name, "wb") as out:
        out.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, len(frames[0]), 0, 1, len(frames)))
        for frame in frames:
            for point in frame:
                out.write(struct.pack("<fff", *point))
with open(sys.argv[1] + "/box.obj", "w") as out:
    for c in corners: out.write("v %g %g %g\n" % c)
    for f in faces: out.write("f %d %d %d\n" % f)
cache("box.pc2", frames)
cache("more.pc2", [frame + [(0, 0, 0)] for frame in frames])
flat = [[struct.unpack("<f", struct.pack("<f", c))[0] for point in frame for c in point] for frame in frames]  # as float32 has them
with open(sys.argv[1] + "/box.npy", "wb") as out:  # as numpy.save writes float64
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 8, 3), }".ljust(117) + "\n"
    out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<120d", *sum(flat, [])))
import zipfile
for name, method in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)):  # as numpy.savez and savez_compressed do
    with zipfile.ZipFile(sys.argv[1] + "/%s.npz" % name, "w", method) as archive:
        archive.write(sys.argv[1] + "/box.npy", "verts.npy")
with open(sys.argv[1] + "/box.mdd", "wb") as out:
    out.write(struct.pack(">ii", 5, 8) + struct.pack(">5f", *[k / 20 for k in range(5)]) + struct.pack(">120f", *sum(flat, [])))
with open(sys.argv[1] + "/box.pc2", "rb") as whole, open(sys.argv[1] + "/short.pc2", "wb") as out:
    out.write(whole.read()[:-7])
P
cat >"$work/box.lua" <<'L'
local muslin = require "muslin"
local folder, cache, fps, start, loop = arg[1], arg[2], tonumber(arg[3]), tonumber(arg[4]), arg[5] == "loop"
local world = muslin.world {dt = 1/120, fps = 60, duration = 0.4, threads = 1}
world:cloth {name = "sheet", mesh = muslin.mesh.grid {nodes = {9, 9}, size = {0.3, 0.3}, center = {0.003, 0.3, 0.002}}}
world:obstacle {name = "floor", shape = "plane", normal = {0, 1, 0}, at = {0, -0.1, 0}}
world:obstacle {name = "box", mesh = muslin.mesh.load(folder .. "/box.obj", {scale = 1e-3, up = "z"}), at = {0, 0.1, 0},
    cache = folder .. "/" .. cache, cache_fps = fps, cache_start = start, cache_loop = loop, cache_interpolation = arg[6], cache_scale = 1e-3, cache_up = "z"}
return world
L
scene=$work/box.lua

run run "$scene" --audit --out "$work/a" -- "$work" box.pc2 20 0.05 loop linear
exits 0 "a cache that moves a box under a sheet: nothing intersects"
state_of() { sed -n 's/.*, state //p' <<<"$out"; }
first=$(state_of)
for file in box.npy box.mdd stored.npz deflated.npz; do
    run run "$scene" -- "$work" $file 20 0.05 loop linear
    [ "$code" = 0 ] && [ -n "$first" ] && [ "$(state_of)" = "$first" ]
    ok $? "the same motion from $file: the same bits" "$first $(state)"
done
python3 - "$work/a" <<'P'
import sys
corners = [(x, y, z) for z in (-50, 50) for y in (-50, 50) for x in (-50, 50)]
def place(k):
    return [((x * (1 + 0.2 * k) + 10 * k) / 1e3, (z - 5 * k) / 1e3 + 0.1, -y * (1 + 0.1 * k) / 1e3) for x, y, z in corners]
for frame in range(25):
    at = max(0, (frame / 60 - 0.05) * 20) % 5
    k, share = int(at), at - int(at)
    a, b = place(k), place((k + 1) % 5)
    points, here = [], False
    for line in open("%s/frame_%06d.obj" % (sys.argv[1], frame)):
        if line.startswith("o "): here = line.split()[1] == "obstacle:box"
        if here and line.startswith("v "): points.append([float(x) for x in line.split()[1:]])
    assert len(points) == 8
    for p, q, r in zip(points, a, b):
        for x, y, z in zip(p, q, r):
            assert abs(x - ((1 - share) * y + share * z)) < 1e-7, (frame, p, q, r)
P
ok $? "every frame has it where the cache, scaled and turned, has it: start, speed, straight lines, round and round"
json "$work/a/manifest.json" 'max(f["contacts"] for f in m["frames"]) > 10'
ok $? "and the sheet has met it"

run run "$scene" --frames 10 --checkpoint-every 4 --out "$work/r" -- "$work" box.pc2 20 0.05 loop linear
run run "$scene" --resume --out "$work/r" -- "$work" box.pc2 20 0.05 loop linear
[ "$code" = 0 ] && [ "$(tail -c 200 "$work/r/frame_000024.obj")" = "$(tail -c 200 "$work/a/frame_000024.obj")" ] &&
    cmp -s "$work/r/frame_000024.obj" "$work/a/frame_000024.obj"
ok $? "a resumed run ends in the same frame, byte for byte" "$(state)"
run run "$scene" --resume --checkpoint-every 4 --frames 26 --out "$work/r" -- "$work" box.pc2 21 0.05 loop linear
[ "$code" = 3 ] && [[ $err == *'other arguments'* ]]
ok $? "one with another speed is not resumed" "$(state)"

refuses 3 "the point cache has 9 vertices, the mesh 8" "a cache of another mesh" run "$scene" -- "$work" more.pc2
refuses 3 "short.pc2: the header promises 5 frames of 8 vertices.*truncated" "a cache that was cut short" run "$scene" -- "$work" short.pc2
refuses 3 "none.pc2" "a cache that is not there" run "$scene" -- "$work" none.pc2
refuses 3 "is not a PC2 file" "a file that is none" run "$scene" -- "$work" box.obj
for case in "body.abc|Alembic and FBX are not read; export the motion as" "body.usdc|binary layers are not read; convert the file" \
    "|is a folder; the point caches in that of a run"; do
    refuses 3 "${case#*|}" "a cache of another kind: ${case%%|*}" run "$scene" -- "$work" "${case%%|*}"
done
refuses 3 "field 'cache_fps' must be > 0" "no speed" run "$scene" -- "$work" box.pc2 0

# ---- An animated body against a curtain ----------------------------------------------------------------------------------
data=../shared/data/meshes
if [ ! -e "$data/mannequin_kick.pc2" ]; then
    skip "a real body in motion" "its meshes are not here"
    tap_end
fi
cat >"$work/dance.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/200, fps = 50, duration = 0.24}
local sheet = world:cloth {name = "curtain", material = {bending = 9e-5},
    mesh = muslin.mesh.grid {nodes = {20, 20}, size = {0.9, 0.9}, plane = "yz", center = {1.38, 1, 1.3}}}
sheet:pin {where = function(_, y) return y > 1.44 end}
world:obstacle {name = "body", mesh = muslin.mesh.load(arg[1] .. "/mannequin.obj"), cache = arg[1] .. "/mannequin_kick.pc2",
    cache_fps = 25, cache_start = -73 / 25}
world:on("done", function() expect(sheet.x:max().x > 1.55):equals(true) end) -- the foot has carried it along
return world
L
run run "$work/dance.lua" --audit -- "$data"
exits 0 "a body of 25472 triangles strikes a curtain: nothing passes through, and it is carried along"

# ---- A shirt on a body in fast motion --------------------------------------------------------------------------------------
# Worn, its sleeves around the arms; and as a tube around the chest, which the body pinches.
if [ -e "$data/../patterns/shirt_mean_specification.json" ]; then
    cat >"$work/shirt.lua" <<'L'
local muslin = require "muslin"
local data, shirt, rate = arg[1], arg[2], tonumber(arg[3])
local world = muslin.world {dt = 1/120, fps = 100, duration = 0.25 + 121 / rate, threads = 1}
local scale = 1.107
world:obstacle {name = "body", mesh = muslin.mesh.load(data .. "/mannequin.obj", {scale = scale}),
  cache = data .. "/mannequin_kick.pc2", cache_fps = rate, cache_start = 0.25, cache_scale = scale}
world:cloth {name = "shirt", mesh = muslin.mesh.load(shirt), rest = "uv", material = "jersey"}
world:between({"body", "shirt"}, {pinch = "release"})
world:on("done", function()
  print(("pinched at the end: %d"):format(world:stats().pinched))
end)
return world
L
    for way in true false; do
        run dress "$data/../patterns/shirt_mean_specification.json" "$data/mannequin.obj" --out "$work/shirt_$way" --threads 1 -- \
            edge_length=0.025 body_scale=1.107 placing=$way
        exits 0 "a shirt is dressed on the body, placing=$way"
    done
    run run "$work/shirt.lua" --trusted --audit -- "$data" "$work/shirt_true/draped.obj" 100
    exits 0 "the shirt goes through 121 frames in 1.21 s: nothing intersects"
    run run "$work/shirt.lua" --trusted --audit -- "$data" "$work/shirt_false/draped.obj" 240
    exits 0 "the tube goes through them in 0.50 s: nothing intersects but what the body pinches"
    [[ $out == *"pinched at the end: 0"* && $out == *"pinched: up to "* ]]
    ok $? "and it has pinched some of it, which is free at the end" "$(state)"
else
    skip "a shirt on a body in fast motion" "its pattern is not here"
fi

# ---- PRO-1 with a real pattern: panels are sewn around the body as it starts to move --------------------------------------
if [ ! -e "$data/garment_panels.obj" ]; then
    skip "a dress on a moving body" "its pattern is not here"
    tap_end
fi
cat >"$work/dress.lua" <<'L'
package.path = "examples/sources/?.lua;" .. package.path
local muslin = require "muslin"
local scene = assert(loadfile("examples/sources/pro1_garment.lua"))()
return function(data)
  local world = scene("pattern=" .. data .. "/garment_panels.obj", "body=" .. data .. "/mannequin.obj",
    "cache=" .. data .. "/mannequin_kick.pc2", "dt=0.0083333333333333", "duration=0.15", "closing=0.1", "sewn=0.125")
  local body, gap = world.obstacles[1], 0
  local _, high = body:mesh():bounds()
  world:on("done", function()
    local _, now = body:mesh():bounds()
    muslin.expect(now.z - high.z, "she has moved by, m"):at_least(0.05)
    for _, seam in ipairs(world.seams) do gap = math.max(gap, seam.gap) end
    muslin.expect(gap, "the widest gap of a seam, m"):at_most(0.08)
    print(("she moved by %.0f mm, seams are open by %.0f mm"):format(1000 * (now.z - high.z), 1000 * gap))
  end)
  return world
end
L
run run "$work/dress.lua" --trusted --audit --quiet --threads 1 --seconds 0.25 -- "$data"
exits 0 "a dress of 29456 triangles is sewn around a body that begins to move: nothing passes through in any frame"
tap_end
