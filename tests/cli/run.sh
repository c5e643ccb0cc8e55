#!/bin/bash
# `muslin run`: frames, manifest, log, JSON, overrides, interrupts and limits.
. "$(dirname "$0")/tap.bash"
type python3 >/dev/null 2>&1 || { echo "1..0 # SKIP python3 reads the manifests of this test, and is missing"; exit 0; }

cat >"$work/helper.lua" <<'L'
return {height = 0.3}
L
cat >"$work/drop.lua" <<'L'
local muslin = require "muslin"
local helper = require "helper"
local frames = 0
local world = muslin.world {dt = 1/120, fps = 60, duration = 0.1, seed = 7, threads = 1}
local sheet = world:cloth {name = "sheet",
    mesh = muslin.mesh.grid {nodes = {6, 5}, size = {0.5, 0.4}, center = {0, helper.height, 0}}}
world:obstacle {name = "ball", shape = "sphere", radius = 0.1, at = {0, 0, 0}}
world:obstacle {name = "floor", shape = "plane", normal = {0, 1, 0}, at = {0, -0.5, 0}}
local lift = world:obstacle {name = "lift", shape = "box", size = {0.1, 0.1, 0.1}, at = {2, 0, 0}}
lift:move(function(t) return {2, t, 0} end)
world:on("frame", function(w, t)
    w:log("height", sheet.x:get(1) and select(2, sheet.x:get(1)))
    if arg[1] then w:log("given", tonumber((arg[1]))) end
end)
return world
L
scene=$work/drop.lua

run run "$scene"
exits 0 "a scene runs to its end"
prints out 'frames 0 to 6, 0.1 s' "its duration is played: 6 frames"
[ "$(cd "$work" && find . -newer drop.lua -type f ! -name '.out' ! -name '.err')" = "" ]
ok $? "nothing is written without --out"

run run "$scene" --out "$work/a/b" -- 4.5
exits 0 "--out"
n=$(find "$work/a/b" -name 'frame_*.obj' | wc -l)
[ "$n" = 7 ] && [ -f "$work/a/b/frame_000000.obj" ] && [ -f "$work/a/b/frame_000006.obj" ]
ok $? "frames 0 to 6 are files, in folders made for them" "$n frames"
[ "$(find "$work/a/b" -type f ! -name 'frame_*.obj' ! -name frames.mtl ! -name manifest.json ! -name log.csv)" = "" ]
ok $? "no other files stay" "$(ls -a "$work/a/b")"
[ "$(grep '^o ' "$work/a/b/frame_000003.obj" | tr '\n' ' ')" = "o cloth:sheet o obstacle:ball o obstacle:floor o obstacle:lift " ]
ok $? "every cloth and obstacle is a group" "$(grep '^o ' "$work/a/b/frame_000003.obj")"

m=$work/a/b/manifest.json
json "$m" 'm["exit"] == {"code": 0, "reason": "finished", "message": None}'
ok $? "manifest: exit" "$(grep '"exit"' "$m")"
json "$m" '[f["frame"] for f in m["frames"]] == list(range(7))'
ok $? "manifest: every frame"
json "$m" 'len(m["frames"]) == 7 and all(set(("frame","time","step_ms","contacts","iterations","intersections","hash")) <= set(f) for f in m["frames"])'
ok $? "manifest: what is known of a frame"
json "$m" 'len(m["frames"]) == 7 and all(f["intersections"] is None for f in m["frames"])'
ok $? "manifest: intersections are null without --audit"
json "$m" 'abs(m["frames"][6]["time"] - 0.1) < 1e-12 and len(m["frames"][0]["hash"]) == 16'
ok $? "manifest: times and hashes"
json "$m" 'all(m[k] for k in ("muslin", "compiler", "cpu", "simd", "lua")) and m["seed"] == 7 and m["threads"] == 1'
ok $? "manifest: versions, seed, threads"
json "$m" '[f["path"].split("/")[-1] for f in m["files"]] == ["drop.lua", "helper.lua"] and all(f["hash"] for f in m["files"])'
ok $? "manifest: script and required files with hashes" "$(grep -A3 '"files"' "$m")"
json "$m" 'm["arguments"] == ["4.5"] and m["formats"] == ["obj"]'
ok $? "manifest: arguments and formats"
json "$m" '[o["shape"] for o in m["obstacles"]] == ["sphere", "plane", "box"] and m["obstacles"][0]["radius"] == 0.1 and m["obstacles"][1]["normal"] == [0, 1, 0] and m["obstacles"][1]["position"] == [0, -0.5, 0]'
ok $? "manifest: exact shapes" "$(grep -A4 '"obstacles"' "$m")"
json "$m" 'm["cloths"][0]["vertices"] == 30 and m["cloths"][0]["faces"] == 40 and m["cloths"][0]["material"]["density"] > 0'
ok $? "manifest: cloths"
sed 's/local sheet = world:cloth {/&material = {yield_curvature = 30, bending_hardening = 0.2, yield_strain = 0.04, stretch_hardening = 0.1, recovery_time = 4}, /' "$scene" >"$work/creased.lua"
run run "$work/creased.lua" --out "$work/creased" --format none
json "$work/creased/manifest.json" '[m["cloths"][0]["material"][k] for k in ("yield_curvature", "bending_hardening", "yield_strain", "stretch_hardening", "recovery_time")] == [30, 0.2, 0.04, 0.1, 4]'
ok $? "manifest: creases and plastic stretch" "$(grep '"material"' "$work/creased/manifest.json")"
json "$m" 'list(m["frames"][6]["poses"]) == ["lift"] and abs(m["frames"][6]["poses"]["lift"]["position"][1] - 0.1) < 1e-9 and "poses" not in m["frames"][0]'
ok $? "manifest: places of what moved"
json "$m" 'len(m["log"]["height"]) == 7 and m["log"]["given"][2][2] == 4.5'
ok $? "manifest: logged values" "$(grep '"log"' "$m")"
[ "$(head -1 "$work/a/b/log.csv")" = "frame,time,height,given" ] && [ "$(wc -l <"$work/a/b/log.csv")" = 8 ]
ok $? "log.csv: a column a name, a row a frame" "$(cat "$work/a/b/log.csv")"

run run "$scene" --out "$work/a/b" --frames 2
n=$(find "$work/a/b" -name 'frame_*.obj' | wc -l)
[ "$code" = 0 ] && [ "$n" = 3 ]
ok $? "a second run leaves no frames of the first" "$n frames; $(state)"
echo 'local x = = 1' >"$work/broken.lua"
run run "$work/broken.lua" --out "$work/a/b"
[ "$code" = 3 ] && [ "$(find "$work/a/b" -name 'frame_*.obj' | wc -l)" = 3 ] && grep -q '"finished"' "$work/a/b/manifest.json"
ok $? "a scene that does not load leaves an earlier run as it is" "$(state)"
mkdir "$work/foreign" && touch "$work/foreign/frame_000099.obj"
run run "$scene" --out "$work/foreign" --frames 1
[ -f "$work/foreign/frame_000099.obj" ]
ok $? "files in a folder without a manifest are left alone"

# A world that nobody returns.
sed 's/^return world$//' "$work/drop.lua" >"$work/forgets.lua"
while read -r wanted command; do
    # shellcheck disable=SC2086 # the command is words
    run $command "$work/forgets.lua"
    [ "$code" = "$wanted" ] && [[ $out$err == *"forgets.lua:"[56]": the script makes a world and does not return it"*"return world"* ]]
    ok $? "$command: a scene without 'return world' is an error" "$(state)"
done <<END
3 run
1 test
0 compare --pipelines robust
3 run --out $work/forgot --quiet
END
[ ! -e "$work/forgot/frame_000000.obj" ] && grep -q '"reason": "error"' "$work/forgot/manifest.json"
ok $? "and its manifest has it" "$(cat "$work/forgot/manifest.json")"
for line in 'world:step()' 'world:close()' 'print(world:audit().intersections)' 'world:advance(0.1)'; do
    { cat "$work/forgets.lua"; echo "$line"; } >"$work/itself.lua"
    run run "$work/itself.lua" --quiet
    exits 0 "one that ends with $line is just run"
done
run run "$work/helper.lua"
[ "$code" = 3 ] && [[ $err == *"must return its world"* ]]
ok $? "what is no world is reported as before" "$(state)"

# A manifest.json of another program is none of ours to replace, nor is anything beside it.
for text in '{"name": "a web page"}' '[1, 2]' 'no JSON' '' '{"muslin": "0.2.0"}'; do
    rm -rf "$work/stranger" && mkdir "$work/stranger"
    printf '%s' "$text" >"$work/stranger/manifest.json"
    touch "$work/stranger/frame_000099.obj" "$work/stranger/film.mp4" "$work/stranger/log.csv" "$work/stranger/checkpoint.muslin"
    before=$(cd "$work/stranger" && ls -la --time-style=full-iso && md5sum ./*)
    run run "$scene" --out "$work/stranger" --format obj --frames 1
    [ "$code" = 3 ] && [[ $err == *"manifest.json is not the manifest of a muslin run; nothing was changed"* ]] &&
        [ "$(cd "$work/stranger" && ls -la --time-style=full-iso && md5sum ./*)" = "$before" ]
    ok $? "a stranger's manifest.json is refused: $text" "$(state); $(ls -la "$work/stranger")"
done

# Frames of other formats stay, with a word.
run run "$scene" --out "$work/mixed" --format obj,stl --frames 4
run run "$scene" --out "$work/mixed" --format pov,obj --frames 1
[ "$code" = 0 ] && [ "$(find "$work/mixed" -name '*.stl' | wc -l)" = 5 ] && [ "$(find "$work/mixed" -name '*.obj' | wc -l)" = 2 ] &&
    [[ $err == *"also contains files of an earlier run in other formats (stl), which stay"* ]]
ok $? "frames that this run does not write are left alone" "$(state); $(ls "$work/mixed")"
sleep 0 & gone=$! # a process that is no more
wait $gone
left="frames.mtl.$gone.tmp picture_1.png.$gone.tmp picture_2.jpg.$gone.tmp manifest.json.$gone.tmp"
(cd "$work/mixed" && touch $left "frames.mtl.$$.tmp" frames.mtl.mine.tmp picture_1.png.tmp)
run run "$scene" --out "$work/mixed" --frames 1 --quiet
[ "$(cd "$work/mixed" && ls $left 2>/dev/null)" = "" ] && [ -e "$work/mixed/frames.mtl.$$.tmp" ] &&
    [ -e "$work/mixed/frames.mtl.mine.tmp" ] && [ -e "$work/mixed/picture_1.png.tmp" ]
ok $? "temporary files of a run that was killed are removed, and no others" "$(state); $(ls "$work/mixed")"

# Two at once.
cat >"$work/slow.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {duration = 100}
world:cloth {mesh = muslin.mesh.grid {nodes = {4, 4}, center = {0, 1, 0}}}
world:on("frame", function() local sum = 0 for k = 1, 1e6 do sum = sum + k end end)
return world
L
"$muslin" run "$work/slow.lua" --out "$work/both" --quiet &
first=$!
for _ in {1..100}; do [ -e "$work/both/frame_000002.obj" ] && break; sleep 0.1; done
run run "$scene" --out "$work/both" --format ply --frames 1
exits 3 "a second run into one folder at once"
prints err "output folder '.*both': another muslin run is writing to it" "gets the reason why it may not"
[ ! -e "$work/both/frame_000000.ply" ] && grep -q '"reason": "running"' "$work/both/manifest.json"
ok $? "and leaves the first one's files" "$(ls "$work/both")"
kill -TERM $first
wait $first
[ $? = 130 ] && grep -q '"terminated"' "$work/both/manifest.json"
ok $? "which ends as it would have" "$(grep exit "$work/both/manifest.json")"
run run "$scene" --out "$work/both" --frames 1
exits 0 "then the folder is free again"

run run "$scene" --seconds 0.05 --json
exits 0 "--json"
[ "$(wc -l <"$work/.out")" = 5 ] && python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert [r["frame"] for r in rows[:-1]] == [0, 1, 2, 3] and rows[-1]["summary"] and rows[-1]["code"] == 0
assert rows[-1]["hash"] == rows[-2]["hash"]' "$work/.out"
ok $? "--seconds 0.05 is 3 frames; a line each and a summary" "$(state)"
hash1=$(tail -1 "$work/.out" | sed 's/.*"hash": "\([0-9a-f]*\)".*/\1/')
run run "$scene" --frames 3 --json --threads 2
hash2=$(tail -1 "$work/.out" | sed 's/.*"hash": "\([0-9a-f]*\)".*/\1/')
[ ${#hash1} = 16 ] && [ "$hash1" != 0000000000000000 ] && [ "$hash1" = "$hash2" ]
ok $? "the same state by --frames and with two threads" "$hash1 $hash2"
run run "$scene" --frames 0 --out "$work/zero"
[ "$code" = 0 ] && [ "$(find "$work/zero" -name 'frame_*' | wc -l)" = 1 ]
ok $? "--frames 0 is the initial state" "$(state)"
run run "$scene" --out "$work/over" --frames 1 --seed 18446744073709551615 --threads 2
json "$work/over/manifest.json" 'm["threads"] == 2 and m["seed"] == "18446744073709551615" and m["options"]["threads"] == 2'
ok $? "the command line beats the script" "$(grep -E '"(seed|threads)"' "$work/over/manifest.json")"
# A sheet that lies still, and a scene that has the option itself.
cat >"$work/lie.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/60, fps = 60, duration = 1.5, threads = 1, sleep = arg[1] and arg[1] == "true"}
world:cloth {mesh = muslin.mesh.grid {nodes = {4, 4}, size = {0.1, 0.1}, center = {0, 0.001, 0}}}
world:obstacle {shape = "plane", normal = {0, 1, 0}}
world:on("done", function(w) print(w.sleep, w.asleep) end)
return world
L
run run "$work/lie.lua" --out "$work/lie" --format none
[ "$code" = 0 ] && [[ $out == *"true	true"* ]] && json "$work/lie/manifest.json" 'm["sleep"] is True and m["options"]["no_sleep"] is False'
ok $? "a scene that is played falls asleep at rest, and the manifest has it" "$(state)"
run run "$work/lie.lua" -- false
[ "$code" = 0 ] && [[ $out == *"false	false"* ]]
ok $? "the script may refuse" "$(state)"
run run "$work/lie.lua" --no-sleep --out "$work/awake" --format none -- true
[ "$code" = 0 ] && [[ $out == *"false	false"* ]] && json "$work/awake/manifest.json" 'm["sleep"] is False and m["options"]["no_sleep"] is True'
ok $? "--no-sleep beats the script" "$(state)"

run run "$scene" --quiet
[ "$code" = 0 ] && [ -z "$out$err" ]
ok $? "--quiet prints nothing" "$(state)"
run run "$scene" --out "$work/formats" --format stl,ply,obj,vtp --frames 1
[ "$code" = 0 ] && [ "$(find "$work/formats" -name 'frame_000001.*' | wc -l)" = 4 ]
ok $? "several formats" "$(state)"
python3 - "$work/formats/frame_000001" <<'P'
import struct, sys, xml.etree.ElementTree as tree
whole = open(sys.argv[1] + ".vtp", "rb").read()
head, mark, rest = whole.partition(b'<AppendedData encoding="raw">\n_')
assert mark and rest.endswith(b"\n</AppendedData>\n</VTKFile>\n")
root = tree.fromstring(head + b"</VTKFile>")
assert root.attrib == {"type": "PolyData", "version": "1.0", "byte_order": "LittleEndian", "header_type": "UInt64"}
arrays = {}
for a in root.iter("DataArray"):
    if a.get("format") != "appended": continue
    at = int(a.get("offset"))
    size, = struct.unpack_from("<Q", rest, at)
    letter, width = {"Float64": ("d", 8), "Int32": ("i", 4)}[a.get("type")]
    arrays[a.get("Name")] = struct.unpack_from("<%d%s" % (size // width, letter), rest, at + 8)
    end = at + 8 + size
assert end == len(rest) - len(b"\n</AppendedData>\n</VTKFile>\n")
points, corners, parts, names = [], [], [], []
for line in open(sys.argv[1] + ".obj"):
    word = line.split()
    if word[:1] == ["o"]: names.append(word[1])
    if word[:1] == ["v"]: points += map(float, word[1:])
    if word[:1] == ["f"]:
        corners += [int(w.split("/")[0]) - 1 for w in word[1:]]
        parts.append(len(names) - 1)
assert len(points) > 300 and arrays["Points"] == tuple(points)
assert arrays["connectivity"] == tuple(corners) and arrays["part"] == tuple(parts)
assert arrays["offsets"] == tuple(range(3, 3 * len(parts) + 1, 3))
piece = root.find("PolyData/Piece")
assert int(piece.get("NumberOfPoints")) == len(points) // 3 and int(piece.get("NumberOfPolys")) == len(parts)
field = root.find("PolyData/FieldData/DataArray")
codes = bytes(map(int, field.text.split()))
assert codes.endswith(b"\0") and codes[:-1].decode().split("\0") == names and int(field.get("NumberOfTuples")) == len(names)
P
ok $? "vtp: the same numbers, faces and parts as obj, to the last bit" "$(head -c 1200 "$work/formats/frame_000001.vtp" | tr -d '\000')"

cat >"$work/caches.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/120, fps = 60, duration = 0.2, threads = 1}
for k, name in ipairs {"sheet", "a/b ü"} do
    world:cloth {name = name, mesh = muslin.mesh.grid {nodes = {4, 3 + k}, center = {0, k, 0}}}
end
world:on("frame", function(w)
    if w.frame == tonumber(arg[1]) then world:cloth {name = arg[2], mesh = muslin.mesh.grid {nodes = {3, 3}, center = {0, 9, 0}}} end
end)
return world
L
run run "$work/caches.lua" --out "$work/pc" --format pc2,obj -- 5 late
[ "$code" = 0 ] && [ "$(cd "$work/pc" && ls *.pc2 | tr '\n' ';')" = "cloth_a_b ü.pc2;cloth_late.pc2;cloth_sheet.pc2;" ]
ok $? "pc2: a cache a cloth" "$(ls "$work/pc"); $(state)"
cat >"$work/caches.py" <<'P'
import struct, sys
folder, first = sys.argv[1], {"cloth:sheet": 0, "cloth:a/b ü": 0, "cloth:late": 5}
for name, start in first.items():
    frames = []
    for k in range(start, 13):
        here, points = False, []
        for line in open("%s/frame_%06d.obj" % (folder, k)):
            if line.startswith("o "): here = line[2:].strip() == name
            if here and line.startswith("v "): points += map(float, line.split()[1:])
        frames.append(points)
    if not frames[0] and name == "cloth:late": continue
    data = open(folder + "/" + name.replace(":", "_").replace("a/b", "a_b") + ".pc2", "rb").read()
    magic, version, count, begin, rate, total = struct.unpack_from("<12siiffi", data)
    assert (magic, version, begin, rate) == (b"POINTCACHE2\0", 1, start, 1) and total == len(frames), (name, begin, total)
    assert len(data) == 32 + 12 * count * total and 3 * count == len(frames[0])
    numbers = struct.unpack_from("<%df" % (3 * count * total), data, 32)
    flat = [struct.unpack("<f", struct.pack("<f", x))[0] for frame in frames for x in frame]
    assert list(numbers) == flat, name
P
python3 "$work/caches.py" "$work/pc"
ok $? "pc2: every frame as in obj, from the cloth's first on"
run run "$work/caches.lua" --out "$work/pr" --format pc2,obj --frames 8 --checkpoint-every 6
cp "$work/pr/checkpoint.muslin" "$work/at8"
run run "$work/caches.lua" --out "$work/pr" --format pc2,obj --frames 12
cp "$work/at8" "$work/pr/checkpoint.muslin" # of a run that went on and was killed behind it
printf 'left behind' >>"$work/pr/cloth_sheet.pc2"
run run "$work/caches.lua" --out "$work/pr" --format pc2,obj --resume
[ "$code" = 0 ] && python3 "$work/caches.py" "$work/pr"
ok $? "pc2: a resumed run goes on behind the checkpoint, and cuts off what was left" "$(state)"
cp "$work/at8" "$work/pr/checkpoint.muslin"
truncate -s 500 "$work/pr/cloth_sheet.pc2"
run run "$work/caches.lua" --out "$work/pr" --format pc2,obj --resume
[ "$code" = 3 ] && [[ $err == *"cloth_sheet.pc2', which the run has written, does not hold 16 vertices up to frame 8"* ]]
ok $? "pc2: a cache that lacks frames is not gone on with" "$(state)"
rm "$work/pr/cloth_sheet.pc2"
run run "$work/caches.lua" --out "$work/pr" --format pc2,obj --resume
[ "$code" = 3 ] && [[ $err == *"cloth_sheet.pc2', written by the run, is needed"* ]]
ok $? "pc2: nor one that is not there" "$(state)"
run run "$work/caches.lua" --out "$work/pr" --format obj
[ "$code" = 0 ] && [ "$(find "$work/pr" -name '*.pc2' | wc -l)" != 0 ] && [[ $err == *"(pc2), which stay"* ]]
ok $? "pc2: a run in another format leaves the caches of the earlier one" "$(state); $(ls "$work/pr")"
rm -f "$work/pr/cloth_sheet.pc2" && touch "$work/pr/cloth_gone.pc2"
run run "$work/caches.lua" --out "$work/pr" --format pc2 --frames 1
[ "$code" = 0 ] && [ ! -e "$work/pr/cloth_gone.pc2" ] && [ -e "$work/pr/cloth_sheet.pc2" ] && [ -e "$work/pr/frame_000012.obj" ]
ok $? "pc2: a run with caches takes those of the earlier one away" "$(state); $(ls "$work/pr")"
run run "$work/caches.lua" --out "$work/ps" --format pc2 -- 0 "a_b ü"
[ "$code" = 3 ] && [[ $err == *"cloths 'a_b ü' and 'a/b ü' would share this file"* ]]
ok $? "pc2: two cloths never share a file" "$(state)"

run run "$scene" --out "$work/pictures" --format png --size 64x48 --frames 1
if [ "$code" = 3 ] && [[ $err == *GL* ]]; then
    skip "pictures" "no OpenGL here: $err"
else
    [ "$code" = 0 ] && [ "$(head -c 8 "$work/pictures/frame_000001.png" | od -An -c | tr -d ' ')" = '211PNG\r\n032\n' ]
    ok $? "pictures" "$(state)"
fi

run run "$scene" --audit --out "$work/audited"
exits 0 "--audit of a clean scene"
prints out 'no intersections in 7 frames' "and its verdict"
json "$work/audited/manifest.json" 'len(m["frames"]) == 7 and all(f["intersections"] == 0 and f["inside"] == 0 for f in m["frames"])'
ok $? "manifest: audited frames"

# A hook that folds the sheet through itself in the frame shown: the audit sees it.
cat >"$work/fold.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {duration = 0.05}
local sheet = world:cloth {name = "sheet", mesh = muslin.mesh.grid {nodes = {6, 6}, size = {1, 1}}}
world:on("frame", function(w, t)
    if t > 0.04 then
        for i = 1, 36 do local x, y, z = sheet.x:get(i); if i > 18 then sheet.x:set(i, x, y + 0.3 * (x > 0 and 1 or -1), -z * 0.7) end end
    end
end)
return world
L
run run "$work/fold.lua" --audit --frames 3 --out "$work/folded"
exits 1 "--audit of a scene that intersects"
prints err "first in frame 3: face [0-9]+ of 'cloth:sheet' and face [0-9]+ of 'cloth:sheet'" "the first frame and faces are named"
json "$work/folded/manifest.json" 'm["exit"]["code"] == 1 and m["exit"]["reason"] == "intersections" and m["frames"][3]["intersections"] > 0 and m["frames"][2]["intersections"] == 0'
ok $? "manifest: where it intersects"
run audit "$work/folded"
exits 1 "muslin audit of those frames reports the same"
run audit "$work/audited"
exits 0 "muslin audit of the clean ones"

# Progress: a bar on a terminal, without color under NO_COLOR, gone at the end; nothing on a pipe for short runs.
progress() { # what a terminal gets, with NO_COLOR=$1
    NO_COLOR=$1 python3 - "$muslin" "$scene" <<'P'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[1], ["muslin", "run", sys.argv[2], "--seconds", "1000"])
got = b""
while True:
    try: part = os.read(fd, 4096)
    except OSError: break
    if not part: break
    got += part
os.waitpid(pid, 0)
sys.stdout.write(repr(got))
P
}
shown=$(progress '')
[[ $shown == *'[\x1b[36m#'*'/60000 frames'*'\r\x1b[K'*'frames 0 to 60000'* ]]
ok $? "progress on a terminal, cleared before the summary" "$shown"
shown=$(progress 1)
[[ $shown == *'[#'*'/60000 frames'* ]] && [[ $shown != *'x1b[36m'* ]]
ok $? "NO_COLOR" "$shown"
run run "$scene"
[ -z "$err" ]
ok $? "no progress on a pipe for a short run" "$(state)"

# Interrupts and limits.
cat >"$work/long.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {duration = 3600}
world:cloth {mesh = muslin.mesh.grid {nodes = {20, 20}, size = {1, 1}}}
return world
L
interrupted() { # interrupted SIGNAL NAME REASON
    rm -rf "$work/int"
    "$muslin" run "$work/long.lua" --out "$work/int" --quiet >"$work/.out" 2>"$work/.err" &
    local pid=$! k=0
    while [ ! -f "$work/int/frame_000003.obj" ] && [ $k -lt 400 ]; do sleep 0.05; k=$((k + 1)); done
    kill -"$1" $pid
    wait $pid
    code=$?
    err=$(cat "$work/.err")
    out=
    exits 130 "$2 ends a run with 130"
    json "$work/int/manifest.json" "m['exit']['reason'] == '$3' and m['exit']['code'] == 130 and len(m['frames']) >= 4"
    ok $? "$2: the manifest holds the frames and the reason" "$(tail -5 "$work/int/manifest.json")"
    local last
    last=$(json "$work/int/manifest.json" "print(len(m['frames'])) or True" 2>/dev/null)
    [ "$(find "$work/int" -name 'frame_*.obj' | wc -l)" = "$last" ] && [ "$(find "$work/int" -name '*tmp*' | wc -l)" = 0 ]
    ok $? "$2: as many frames as the manifest states, no temporary files" "$(ls "$work/int" | tail -5) $last"
}
set -m # background jobs keep SIGINT
interrupted INT "Ctrl-C" interrupted
interrupted TERM "SIGTERM" terminated

# The first Ctrl-C cannot reach a pattern that never ends; the second ends the process, with what was written.
cat >"$work/pattern.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {duration = 3600}
world:cloth {mesh = muslin.mesh.grid {nodes = {4, 4}, size = {1, 1}}}
world:on("frame", function(w, t)
    if t > 0.04 then (("a"):rep(30)):find((".-"):rep(30) .. "b") end
end)
return world
L
"$muslin" run "$work/pattern.lua" --out "$work/twice" --quiet 2>"$work/.err" &
pid=$!
for ((k = 0; k < 400; k++)); do [ -f "$work/twice/frame_000002.obj" ] && break; sleep 0.05; done
sleep 0.3
kill -INT $pid; sleep 0.5; kill -INT $pid
wait $pid
code=$?
err=$(cat "$work/.err")
exits 130 "a second Ctrl-C ends what does not end by itself"
json "$work/twice/manifest.json" "m['exit']['reason'] == 'interrupted' and len(m['frames']) == 3"
ok $? "and its manifest holds the frames" "$(tail -5 "$work/twice/manifest.json")"

run run "$work/pattern.lua" --out "$work/hung" --time-limit 1
exits 124 "--time-limit ends a pattern that never ends"
prints err 'time limit of 1 s' "and reports it"
json "$work/hung/manifest.json" "m['exit']['reason'] == 'time limit' and m['exit']['code'] == 124 and len(m['frames']) == 3"
ok $? "its manifest holds the frames" "$(tail -5 "$work/hung/manifest.json")"
run run "$work/long.lua" --out "$work/limited" --time-limit 1
exits 124 "--time-limit of a long run"
json "$work/limited/manifest.json" "m['exit']['reason'] == 'time limit' and len(m['frames']) > 1"
ok $? "its manifest holds the frames" "$(tail -5 "$work/limited/manifest.json")"

# Scripts.
echo 'local a, b = ...; assert(a == "x" and b == "y z" and arg[0]:find("args.lua") and arg[2] == b)' >"$work/args.lua"
run run "$work/args.lua" -- x "y z"
exits 0 "arguments as ... and arg; a script that returns nothing is run"
echo 'return function(n) assert(n == "3"); local m = require "muslin"; local w = m.world {duration = 0.02}; w:cloth {mesh = m.mesh.grid {nodes = {3, 3}, size = {1, 1}}}; return w end' >"$work/made.lua"
run run "$work/made.lua" -- 3
exits 0 "a function of the arguments that returns a world"
prints out 'frames 0 to 2' "is played"
refuses 3 "returns no world" "--frames for a script without a world" run "$work/args.lua" --frames 3 -- x "y z"
echo 'return 42' >"$work/number.lua"
refuses 3 "must return its world" "a script that returns a number" run "$work/number.lua"
"$muslin" run "$work/long.lua" --json --quiet 2>"$work/.err" | head -2 >"$work/.out"
code=${PIPESTATUS[0]}
[ "$code" = 3 ] && [ "$(wc -l <"$work/.out")" = 2 ]
ok $? "a closed pipe ends a run" "$code $(cat "$work/.err")"
cat >"$work/roll.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {duration = 0}
world:cloth {mesh = muslin.mesh.grid {nodes = {2, 2}, center = {0, 2, 0}}}
world:obstacle {name = "roll", shape = "cylinder", radius = 0.5, length = 0.75}
return world
L
run run "$work/roll.lua" --out "$work/roll"
exits 0 "a cylinder is written"
json "$work/roll/manifest.json" '[(o["shape"], o["radius"], o["length"]) for o in m["obstacles"]] == [("cylinder", 0.5, 0.75)]'
ok $? "manifest: a cylinder in its exact form" "$(grep -A4 '"obstacles"' "$work/roll/manifest.json")"
awk '/^o / {roll = /roll/} roll && /^v / {n++; if ($2*$2 + $4*$4 > 0.25 + 1e-15 || $3 > 0.375 || $3 < -0.375) bad++}
     END {exit !(n > 100 && !bad)}' "$work/roll/frame_000000.obj"
ok $? "its frames have a mesh that lies within it"

tap_end
