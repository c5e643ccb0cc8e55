#!/bin/bash
# `muslin audit`: meshes and folders of frames, table and JSON, exit codes.
. "$(dirname "$0")/tap.bash"

# A triangle in y = 0, another that stands through it.
cat >"$work/cross.obj" <<'O'
o cloth:sheet
v 0 0 0
v 1 0 0
v 0 0 1
f 1 2 3
o obstacle:blade
v 0.2 -1 0.2
v 0.2 1 0.2
v 0.3 1 0.3
f 4 5 6
O
sed 's/^v 0.2 -1 0.2/v 0.2 0.5 0.2/' "$work/cross.obj" >"$work/clean.obj"
sed 's/cloth:sheet/obstacle:other/' "$work/cross.obj" >"$work/obstacles.obj"
{
    echo 'o cloth:sheet'
    printf 'v %s\n' '0.1 0.1 0.1' '0.3 0.1 0.1' '0.1 0.1 0.3'
    echo 'f 1 2 3'
    echo 'o obstacle:box'
    printf 'v %s\n' '0 0 0' '1 0 0' '1 1 0' '0 1 0' '0 0 1' '1 0 1' '1 1 1' '0 1 1'
    printf 'f %s\n' '4 6 5' '4 7 6' '8 9 10' '8 10 11' '4 5 9' '4 9 8' '5 6 10' '5 10 9' '6 7 11' '6 11 10' '7 4 8' '7 8 11'
} >"$work/inside.obj"

run audit "$work/clean.obj"
exits 0 "a clean mesh"
prints out '0 intersections' "and its count"
run audit "$work/cross.obj"
exits 1 "a mesh that intersects"
prints out "first: face 1 of 'cloth:sheet' and face 1 of 'obstacle:blade'" "the faces are named"
run audit "$work/obstacles.obj"
exits 0 "obstacles may overlap each other"
run audit "$work/inside.obj"
exits 1 "cloth inside a closed obstacle"
prints out "is 100 mm inside 'obstacle:box'" "with its depth"
run audit "$work/inside.obj" --tolerance 0.2
exits 0 "--tolerance accepts it"
run audit "$work/clean.obj" "$work/cross.obj" --quiet
[ "$code" = 1 ] && [ -z "$out$err" ]
ok $? "--quiet leaves the exit code" "$(state)"
run audit "$work/cross.obj" --json
exits 1 "--json"
if type python3 >/dev/null 2>&1; then
    python3 - "$work/.out" <<'P'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert rows[0]["intersections"] == 1 and rows[0]["findings"][0]["a"] == {"part": "cloth:sheet", "face": 1}
assert rows[1]["summary"] and rows[1]["bad_files"] == 1
P
    ok $? "an object a file and a summary" "$out"
fi

mkdir "$work/frames"
for k in 0 1 2; do cp "$work/clean.obj" "$work/frames/frame_00000$k.obj"; done
cp "$work/cross.obj" "$work/frames/other.obj"
run audit "$work/frames"
exits 0 "a folder of clean frames"
prints out '3 files' "all of its frames and nothing else"
cp "$work/cross.obj" "$work/frames/frame_000003.obj"
run audit "$work/frames"
exits 1 "a folder with a bad frame"
prints out 'frame_000003.obj' "which is named"
[[ $out != *frame_000001.obj* ]]
ok $? "and the clean ones are not"
mkdir "$work/none"
refuses 3 "contains no frames" "a folder without frames" audit "$work/none"
printf 'v 0 0 0\nv 1 0' >"$work/cut.obj"
refuses 3 "cut.obj" "a truncated file" audit "$work/cut.obj"
cp "$work/cross.obj" "$work/mesh.xyz"
refuses 3 "mesh.xyz" "an unknown kind of file" audit "$work/mesh.xyz"
# ---- Frames of an earlier run in another format --------------------------------------------------------------------------------
cat >"$work/stale.lua" <<'L'
local world = require "muslin".world { dt = 1/60, fps = 60, duration = 0.04, threads = 1, overlap = "allow" }
local mesh = require "muslin".mesh
world:cloth { name = "sheet", mesh = mesh.grid { nodes = {5, 5}, size = {0.2, 0.2}, center = {0, 0.5, 0} } }
world:cloth { name = "other", mesh = mesh.grid { nodes = {5, 5}, size = {0.2, 0.2}, plane = "xy",
  center = {0.01, (...) == "cross" and 0.51 or 0.9, 0.01} } }
return world
L
run run "$work/stale.lua" --quiet --out "$work/stale" --format obj
run audit "$work/stale"
exits 0 "a run without intersections"
run run "$work/stale.lua" --quiet --out "$work/stale" --format usda -- cross
run audit "$work/stale"
exits 1 "the frames of the last run are audited, not those of an earlier one in another format"
run run "$work/stale.lua" --quiet --out "$work/stale" --format ply
run audit "$work/stale" --quiet
exits 0 "also where a format comes first that the last run did not write"
run run "$work/stale.lua" --quiet --out "$work/stale" --format pc2
run audit "$work/stale"
exits 3 "a last run without meshes"
prints err "no frames \(frame_000000.obj and so on\) of its last run, whose format is pc2; name mesh files" "is reported"
tap_end
