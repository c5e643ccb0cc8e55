#!/bin/bash
# muslin dress: a tube of two panels around a capsule, from the pattern to the written garment; wrong command lines; real patterns.
. "$(dirname "$0")/tap.bash"

cat >"$work/tube.json" <<'J'
{"pattern": {"panels": {
   "front": {"vertices": [[-18, -15], [18, -15], [18, 15], [-18, 15]], "translation": [0, 0, 14], "rotation": [0, 0, 0],
             "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]},
   "back": {"vertices": [[-18, -15], [-18, 15], [18, 15], [18, -15]], "translation": [0, 0, -14], "rotation": [0, 0, 0],
            "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]}},
  "stitches": [[{"panel": "front", "edge": 1}, {"panel": "back", "edge": 2}], [{"panel": "front", "edge": 3}, {"panel": "back", "edge": 0}]]},
 "properties": {"units_in_meter": 100, "curvature_coords": "relative"}}
J
cat >"$work/body.lua" <<'L'
local muslin = require "muslin"
muslin.mesh.cone { radius = 0.16, length = 0.6, edge_length = 0.03 }:save(arg[1])
muslin.mesh.cylinder { radius = 0.13, length = 1.2, edge_length = 0.04 }:save(arg[2])
muslin.mesh.cylinder { radius = 0.1, length = 1.2, edge_length = 0.04 }:save(arg[3])
L
run run "$work/body.lua" -- "$work/body.obj" "$work/post.obj" "$work/pole.obj"
[ "$code" = 0 ]
ok $? "a body" "$(state)"

run dress "$work/tube.json" "$work/body.obj" --out "$work/out" --time-limit 300 -- edge_length=0.03 closing_time=0.6
[ "$code" = 0 ] && [[ $out =~ "at rest after "[0-9.]+" s: 2 panels, widest seam 0.0 mm, 0 points" ]] && [[ $out == *"no intersections in "* ]]
ok $? "a tube is sewn around a cone, rests, and no frame has an intersection" "$(state)"
ls "$work/out" | tr '\n' ' ' >"$work/files"
grep -q "draped.obj .*log.csv manifest.json .*sewn.obj" "$work/files"
ok $? "the meshes, the log and the manifest are written" "$(cat "$work/files")"
if command -v python3 >/dev/null; then
    python3 - "$work/out" >"$work/.out" 2>&1 <<'P'
import sys, math
def read(path):
    v, vt, f, groups, name = [], [], [], {}, None
    for line in open(path):
        w = line.split()
        if w[0] == "v": v.append(tuple(map(float, w[1:4])))
        elif w[0] == "vt": vt.append(tuple(map(float, w[1:3])))
        elif w[0] == "g": name = w[1]; groups[name] = []
        elif w[0] == "f":
            f.append([tuple(int(n) - 1 for n in c.split("/")) for c in w[1:4]]); groups[name].append(f[-1])
    return v, vt, f, groups
v, vt, f, groups = read(sys.argv[1] + "/draped.obj")
s, st, sf, sgroups = read(sys.argv[1] + "/sewn.obj")
assert f == sf and list(groups) == ["back", "front"] == list(sgroups)
one = {c[0] for t in groups["front"] for c in t}; two = {c[0] for t in groups["back"] for c in t}
assert len(one & two) == 22, len(one & two)              # two seams of ten edges: shared vertices
edges = {}
for t in f:
    for k in range(3):
        e = tuple(sorted((t[k][0], t[(k + 1) % 3][0]))); edges[e] = edges.get(e, 0) + 1
rim = [e for e, n in edges.items() if n == 1]
assert max(edges.values()) == 2 and len(rim) == 48, len(rim)          # a tube: hems of 2 x 12 edges at both ends
area = sum(abs((vt[b][0]-vt[a][0])*(vt[c][1]-vt[a][1]) - (vt[c][0]-vt[a][0])*(vt[b][1]-vt[a][1])) / 2 for (_, a), (_, b), (_, c) in f)
assert abs(area - 2 * 0.36 * 0.30) < 1e-9, area          # the flat pattern, in meters
assert all(math.hypot(p[0], p[2]) < 0.2 for p in v), "around the body"
assert abs(max(p[1] for p in s) - 0.15) < 1e-9           # the panels where they start
P
    ok $? "an independent reader finds panels as groups, shared vertices of seams, a tube, and the flat pattern" "$(cat "$work/.out")"
    python3 -c 'import sys, json; m = json.load(open(sys.argv[1])); assert m["exit"]["code"] == 0, m["exit"]' "$work/out/manifest.json" 2>"$work/.out"
    ok $? "the manifest has the outcome" "$(cat "$work/.out")"
fi
# At rest by its frames: of those of the last second under 1.5 % of the vertices move by more than 0.3 mm, and earlier more.
run dress "$work/tube.json" "$work/body.obj" --out "$work/frames" --format obj -q -- edge_length=0.03 closing_time=0.6
if command -v python3 >/dev/null; then
    python3 - "$work/frames" >"$work/.out" 2>&1 <<'P'
import glob, math, sys
files = sorted(glob.glob(sys.argv[1] + "/frame_*.obj"))
def garment(path):
    inside, points = False, []
    for line in open(path):
        if line.startswith("o "): inside = line.strip() == "o cloth:garment"
        elif inside and line.startswith("v "): points.append(tuple(map(float, line.split()[1:4])))
    return points
def share(k):
    a, b = garment(files[k - 30]), garment(files[k])
    assert len(a) == len(b) > 100
    return sum(math.dist(p, q) > 3e-4 for p, q in zip(a, b)) / len(a)
last = len(files) - 1
first = next(k for k in range(last) if garment(files[k]))
assert share(last) < 0.015, share(last)
assert share(first + 30) > 0.5, share(first + 30)
assert all(share(k) >= 0.015 for k in range(last - 30, first + 30, -30)), "it rested earlier"
P
    ok $? "the last second of the frames is at rest, and none before" "$(cat "$work/.out")"
fi
run audit "$work/out/draped.obj"
[ "$code" = 0 ]
ok $? "muslin audit finds no intersection in the draped mesh" "$(state)"
first=$(sha256sum <"$work/out/draped.obj")
run dress "$work/tube.json" "$work/body.obj" --out "$work/again" --threads 2 -q -- edge_length=0.03 closing_time=0.6
[ "$first" = "$(sha256sum <"$work/again/draped.obj")" ]
ok $? "two threads give the same bits" "$(state)"

refuses 2 "dress takes a PATTERN.json and a BODY.obj .got 1 file" "no body" dress "$work/tube.json" --out "$work/x"
refuses 2 "dress needs '--out DIR'" "no folder" dress "$work/tube.json" "$work/body.obj"
refuses 2 "body '.*none.obj': not found" "a body that is not there" dress "$work/tube.json" "$work/none.obj" --out "$work/x"
refuses 3 "arguments: .*'edge_lenght'.*edge_length" "an unknown argument" dress "$work/tube.json" "$work/body.obj" --out "$work/x" -- edge_lenght=0.1
[[ $err == "muslin: dress: arguments: "* && $err != *"stack traceback"* && $err != *".lua"* ]]
ok $? "by the command's name, without lines of muslin's own scripts" "$(state)"
for bad in seconds=0 seconds=-1 units=-1 attach_time=-2 body_scale=0; do
    refuses 3 "dress: ${bad%%=*} must be >=* 0 .got ${bad#*=}." "$bad" dress "$work/tube.json" "$work/body.obj" --out "$work/x" -- "$bad"
done
printf 'v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 3 2\nf 2 3 4\n' >"$work/flat.obj"
refuses 3 "the body of '.*flat.obj' is flat: .* body_up=z" "a flat body" dress "$work/tube.json" "$work/flat.obj" --out "$work/x"
refuses 3 "the body of .* is 60 m high: give its unit in meters" "a body in centimeters" dress "$work/tube.json" "$work/body.obj" --out "$work/x" -- body_scale=100
sed 's/-18, /-10, /g; s/\[18, /[10, /g' "$work/tube.json" >"$work/narrow.json"
refuses 3 "at 3.03 s the seams are still open by up to [0-9.]+ mm .stitch [01], of 'front' and 'back'.: is the garment too small there" \
    "a garment that is too small" dress "$work/narrow.json" "$work/post.obj" --out "$work/x" -q -- edge_length=0.03 closing_time=0.34
[ ! -e "$work/x/draped.obj" ]
ok $? "which writes no garment"

# The same from a scene, which goes on after the rest.
cat >"$work/scene.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world { dt = 1/120, fps = 30, duration = 6 }
world:advance(0.5) -- its times count from here
local garment = muslin.dress(world, { pattern = arg[1], body = arg[2], edge_length = 0.06, closing_time = 0.3, material = "cotton",
  rest_share = 0.5, rest_motion = 0.01, stop = false })
world:on("done", function(w)
  print(garment.phase, garment.cloth.name, w.frame, w.gravity.y, #garment:mesh():groups(), garment:mesh().uv_count)
end)
return world
L
run run "$work/scene.lua" --seconds 4 --audit -- "$work/tube.json" "$work/body.obj"
[ "$code" = 0 ] && [[ $out == *$'at rest\tgarment\t'*$'\t-9.81\t2\t'* ]]
ok $? "muslin.dress in a scene, which goes on" "$(state)"

# Elastic bands along the upper hem, of 0.72 m: it shortens by their share, and the lower one does not.
cat >"$work/elastic.lua" <<'L'
local muslin = require "muslin"
local bands = { { "front", 3, shrinkage = 0.4, width = 0.05 }, { "back", 2, 0.4, 0.05 } }
if arg[3] == "plain" then bands = nil end
local world = muslin.world { dt = 1/120, fps = 30, duration = 3, gravity = {0, 0, 0} }
local garment = muslin.dress(world, { pattern = arg[1], body = muslin.mesh.sphere { radius = 0.05, subdivisions = 2 },
  edge_length = 0.03, closing_time = 0.3, stop = false, elastic = bands })
world:on("done", function()
  local sewn, x, times, top, bottom = garment:mesh("sewn"), garment.cloth.x, {}, 0, 0
  for _, face in ipairs(sewn:faces()) do
    for k = 1, 3 do
      local i, j = face[k], face[k % 3 + 1]
      local key = math.min(i, j) * 65536 + math.max(i, j)
      times[key] = (times[key] or 0) + 1
    end
  end
  for key, n in pairs(times) do -- the hems are the edges of one face
    local i, j = key // 65536, key % 65536
    local length, y = (x[i] - x[j]):length(), sewn.x[i].y
    if n == 1 and y > 0.149 then top = top + length elseif n == 1 then bottom = bottom + length end
  end
  print(garment.phase, ("%.4f"):format(top), ("%.4f"):format(bottom))
end)
return world
L
run run "$work/elastic.lua" --audit -- "$work/tube.json" unused plain
read -r _ _ plain_top plain_bottom <<<"$(grep -a "draping\|at rest" <<<"$out" | sed 's/at rest/at_rest/; s/^/x /')"
run run "$work/elastic.lua" --audit -- "$work/tube.json" unused
read -r _ _ top bottom <<<"$(grep -a "draping\|at rest" <<<"$out" | sed 's/at rest/at_rest/; s/^/x /')"
[ "$code" = 0 ] && awk "BEGIN { exit !($top > 0.55 * 0.72 && $top < 0.65 * 0.72 && $plain_top > 0.7 && $bottom > 0.7 && $plain_bottom > 0.7) }"
ok $? "elastic bands gather an edge" "$(state); $plain_top $plain_bottom $top $bottom"
sed 's/"front", 3/"front", 9/' "$work/elastic.lua" >"$work/wrong.lua"
refuses 3 "dress: elastic, row 1: panel 'front' has edges 1 to 4 .got 9." "an edge that is not there" run "$work/wrong.lua" -- "$work/tube.json"
sed 's/"back", 2, 0.4/"back", 2, 4/' "$work/elastic.lua" >"$work/wrong.lua"
cat >"$work/over.lua" <<'L'
local muslin = require "muslin"
local world, options = muslin.world(), { pattern = arg[1], body = muslin.mesh.sphere { radius = 0.05 }, over = 3 }
if arg[2] then options.over, options.attach = nil, arg[2] == "true" or { arg[2] } end
muslin.dress(world, options)
return world
L
refuses 3 "dress: over must be a garment of muslin.dress .got 3." "a garment over none" run "$work/over.lua" -- "$work/tube.json"
refuses 3 "dress: attach: the pattern has no edge with the label 'waist' .none of its edges has a label." "a label in a scene" \
    run "$work/over.lua" -- "$work/tube.json" waist
refuses 3 "dress: elastic, row 2: shrinkage must be within 0..0.9 .got 4." "a share out of range" run "$work/wrong.lua" -- "$work/tube.json"

# The same by the command; edges are numbered from 0 there, as muslin pattern prints them. The upper hem is of edges 2 and 1.
run dress "$work/tube.json" "$work/body.obj" --out "$work/band" -- seconds=6 edge_length=0.03 closing_time=0.6 \
    elastic=front:2:0.4:0.05,back:1:0.4:0.05
[ "$code" = 0 ] && [[ $out == *"no intersections in "* ]]
ok $? "elastic bands on the command line" "$(state)"
if command -v python3 >/dev/null; then
    cat >"$work/hem.py" <<'P'
import math, sys
v, faces = [], []
for line in open(sys.argv[1]):
    w = line.split()
    if w[0] == "v": v.append(tuple(map(float, w[1:4])))
    elif w[0] == "f": faces.append([int(c.split("/")[0]) - 1 for c in w[1:4]])
uses = {}
for f in faces:
    for k in range(3):
        e = tuple(sorted((f[k], f[(k + 1) % 3]))); uses[e] = uses.get(e, 0) + 1
rim = [e for e, n in uses.items() if n == 1]
middle = sum(v[a][1] for a, b in rim) / len(rim)
top = [e for e in rim if v[e[0]][1] > middle]
print("%.4f %.4f" % (sum(math.dist(v[a], v[b]) for a, b in top), sum(v[a][1] for a, b in top) / len(top)))
P
    read -r length _ <<<"$(python3 "$work/hem.py" "$work/band/draped.obj")"
    awk "BEGIN { exit !($length > 0.4 && $length < 0.66) }"
    ok $? "which gather the upper hem" "$length m"
fi
refuses 3 "elastic: give PANEL:EDGE:SHRINKAGE .*got 'front.0.4'" "a band without an edge" dress "$work/tube.json" "$work/body.obj" --out "$work/x" -- elastic=front.0.4
refuses 3 "dress: elastic: give PANEL:EDGE:SHRINKAGE .*got 'front:1:0.3:-1'" "the whole value is in the message" dress "$work/tube.json" "$work/body.obj" --out "$work/x" -- elastic=front:1:0.3:-1
refuses 3 "elastic: no pattern has a panel 'fornt'" "a band of no panel" dress "$work/tube.json" "$work/body.obj" --out "$work/x" -- elastic=fornt:2:0.4
refuses 3 "elastic: panel 'front' has edges 0 to 3 .got 4." "a band of no edge" dress "$work/tube.json" "$work/body.obj" --out "$work/x" -- elastic=front:4:0.4

# Edges with a label stay where they are on the body: on a pole the tube, which is loose, falls without.
sed 's/\("endpoints": \[2, 3\]\)}, {"endpoints": \[3, 0\]}\]},/\1, "label": "lower_interface"}, {"endpoints": [3, 0]}]},/' "$work/tube.json" >"$work/labeled.json"
grep -q lower_interface "$work/labeled.json"
ok $? "a pattern with a label"
for attach in "" lower_interface true; do
    run dress "$work/labeled.json" "$work/pole.obj" --out "$work/pole_$attach" -- seconds=4 edge_length=0.03 closing_time=0.6 attach=$attach
    [[ $out == *"no intersections in "* ]]
    ok $? "a loose tube on a pole, attach=$attach" "$(state)"
done
if command -v python3 >/dev/null; then
    read -r _ free <<<"$(python3 "$work/hem.py" "$work/pole_/draped.obj")"
    read -r _ kept <<<"$(python3 "$work/hem.py" "$work/pole_lower_interface/draped.obj")"
    awk "BEGIN { exit !($free < -0.5 && $kept > 0.05) }"
    ok $? "the one whose hem has the label stays" "$free m, $kept m"
    cmp -s "$work/pole_lower_interface/draped.obj" "$work/pole_true/draped.obj"
    ok $? "true is for the labels of GarmentCode"
fi
run dress "$work/labeled.json" "$work/pole.obj" --out "$work/released" -- seconds=4 edge_length=0.03 closing_time=0.6 attach=true attach_time=0.5
if command -v python3 >/dev/null; then
    read -r _ free <<<"$(python3 "$work/hem.py" "$work/released/draped.obj")"
    awk "BEGIN { exit !($free < -0.5) }"
    ok $? "and falls when it is released" "$free m"
fi
refuses 3 "attach: no pattern has an edge with the label 'lower_interfaces'" "a label that is not there" \
    dress "$work/labeled.json" "$work/pole.obj" --out "$work/x" -- attach=lower_interfaces

# Two garments: the second one around the first.
sed 's/-18, /-22, /g; s/\[18, /[22, /g; s/-15\]/-12]/g' "$work/tube.json" >"$work/coat_specification.json"
run dress "$work/tube.json" "$work/coat_specification.json" "$work/body.obj" --out "$work/two" --time-limit 300 -- edge_length=0.03 closing_time=0.6
[ "$code" = 0 ] && [[ $out =~ "at rest after "[0-9.]+" s: 4 panels, widest seam 0.0 mm" ]] && [[ $out == *"no intersections in "* ]]
ok $? "a garment over another one, no frame with an intersection" "$(state)"
if command -v python3 >/dev/null; then
    python3 - "$work/two/tube_draped.obj" "$work/two/coat_draped.obj" >"$work/.out" 2>&1 <<'P'
import sys
def read(path):
    v, f = [], []
    for line in open(path):
        w = line.split()
        if w and w[0] == "v": v.append(tuple(map(float, w[1:4])))
        elif w and w[0] == "f": f.append([int(c.split("/")[0]) - 1 for c in w[1:4]])
    return v, f
(tube, _), (coat, faces) = map(read, sys.argv[1:3])
uses = {}
for t in faces:
    for k in range(3):
        e = tuple(sorted((t[k], t[(k + 1) % 3]))); uses[e] = uses.get(e, 0) + 1
hem = {i for e, n in uses.items() if n == 1 for i in e}
middle = sum(p[1] for p in coat) / len(coat)
low = max(coat[i][1] for i in hem if coat[i][1] < middle)
high = min(coat[i][1] for i in hem if coat[i][1] > middle)
inside = outside = 0
for x, y, z in tube:              # the coat's section at each height between its hems is a closed curve
    if not low < y < high: continue
    crossings = 0
    for t in faces:
        cut = []
        for k in range(3):
            p, q = coat[t[k]], coat[t[(k + 1) % 3]]
            if (p[1] < y) != (q[1] < y):
                s = (y - p[1]) / (q[1] - p[1])
                cut.append((p[0] + s * (q[0] - p[0]), p[2] + s * (q[2] - p[2])))
        if len(cut) == 2 and (cut[0][1] < z) != (cut[1][1] < z):
            s = (z - cut[0][1]) / (cut[1][1] - cut[0][1])
            crossings += cut[0][0] + s * (cut[1][0] - cut[0][0]) > x
    if crossings % 2: inside += 1
    else: outside += 1
assert inside > 50 and outside == 0, (inside, outside)
P
    ok $? "it is around the first" "$(cat "$work/.out")"
fi
sed 's/"translation": \[0, 0, 14\]/"translation": [0, 0, 1]/' "$work/coat_specification.json" >"$work/tight.json"
run dress "$work/tube.json" "$work/tight.json" "$work/body.obj" --out "$work/x" -- seconds=2 edge_length=0.03 closing_time=0.6
[[ $out == *"the panels of 'tight' started 0."[0-9]*" m farther from the body"* ]]
ok $? "panels that start in the first garment are moved away from the body" "$(state)"
run dress "$work/tube.json" "$work/tube.json" "$work/body.obj" --out "$work/same" -q -- seconds=0.2 edge_length=0.06
[ -e "$work/same/tube_draped.obj" ] && [ -e "$work/same/tube2_draped.obj" ]
ok $? "a pattern twice has two names" "$(state)"
refuses 2 "pattern '.*none.json': not found" "a second pattern that is not there" dress "$work/tube.json" "$work/none.json" "$work/body.obj" --out "$work/x"

patterns=$PWD/../shared/data/patterns
if [ ! -e "$patterns/shirt_mean_specification.json" ]; then
    skip "garments on a body" "../shared/data/patterns is not here"
    tap_end
fi
for name in shirt_mean dress_pencil js_mean_all; do
    run dress "$patterns/${name}_specification.json" "$patterns/f_smpl_average_A40.obj" --out "$work/$name" -- edge_length=0.03
    gap=$(sed -n 's/.*widest seam \([0-9.]*\) mm.*/\1/p' <<<"$out")
    [ "$code" = 0 ] && [[ $out == *"at rest after"*"no intersections in "* ]] && awk -v g="$gap" 'BEGIN { exit !(g != "" && g < 2) }'
    ok $? "$name: at rest, seams under 2 mm, no intersection in any frame" "$(state)"
done
[ "$(grep -c "placed around a limb: '[a-z]*_sleeve_[fb]', '[a-z]*_sleeve_[fb]', moved by" <<<"$out")" = 2 ]
ok $? "its sleeves, which start below the arms of this body, are placed around them" "$(state)"
tap_end
