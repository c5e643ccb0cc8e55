#!/bin/bash
# `muslin run --checkpoint-every --resume`: a run that is killed at any moment and resumed writes the same files.
# KILLS: how many runs are killed (make soak kills more).
. "$(dirname "$0")/tap.bash"
type python3 >/dev/null 2>&1 || { echo "1..0 # SKIP python3 reads the manifests of this test, and is missing"; exit 0; }

cat >"$work/scene.lua" <<'L'
-- A sheet on a ball that moves, held on a path and by a pin, with forces, hooks, a rule, a log and random numbers.
local muslin = require "muslin"
local world = muslin.world {dt = 1/120, fps = 60, duration = 0.5, seed = 3, threads = 1}
local sheet = world:cloth {name = "sheet", thickness = 4e-3,
    mesh = muslin.mesh.grid {nodes = {16, 15}, size = {0.5, 0.4}, center = {0, 0.16, 0}}}
world:cloth {name = "patch", thickness = 4e-3, mesh = muslin.mesh.grid {nodes = {6, 6}, size = {0.1, 0.1}, center = {0.01, 0.18, 0}}}
world:obstacle {name = "floor", shape = "plane", normal = {0, 1, 0}}
local ball = world:obstacle {name = "ball", shape = "sphere", radius = 0.1, at = {0, 0.04, 0}}
ball:move(function(t) return {0.05 * math.sin(6 * t), 0.04, 0} end)
sheet:pin {vertices = {1}}
local x, y, z = sheet.x:get(16)
sheet:pin {vertices = {16}, path = function(t) return {x, y + 0.1 * t, z} end}
local level, lift = muslin.param("level", 0), muslin.param("lift", 0)
world:respond(muslin.response {rule = muslin.rule(function(c)
    local vn = c.normal:dot(c.velocity)
    return muslin.max(-vn, 0) * c.mass * c.normal - level * c.mass * (c.velocity - vn * c.normal)
end), between = {"patch"}})
local lifting = muslin.node_force(function(n) return lift * n.mass * (n.position - 2 * n.velocity) end)
world:force(lifting)
local asked = 0
world:force(muslin.node_force({trace = false}, function(n)
    asked = asked + 1
    return muslin.vec3(1e-9 * asked, 0, 0)
end))
world:force(function(cloth) cloth.f:add {0, 0, 1e-4 * (world:random() + math.random())} end)
-- What the script keeps in its variables between calls.
local frames, last, names, counts = 0, nil, {}, muslin.array(4, 1)
local Tally = {__index = {add = function(self, n) self.sum = self.sum + n return self.sum end}}
local tallies = {}
total = {calls = 0, self = nil}
total.self = total
world:on("after_step", function() total.self.calls = total.calls + 1 end)
world:on("frame", function(w, t)
    frames = frames + 1
    counts[1 + frames % 4] = counts[1 + frames % 4] + frames
    level:set(0.5 * level:get() + 0.01 * frames)
    lifting:set("lift", 0.9 * lifting:get("lift") + 0.1)
    names[#names + 1] = "frame " .. frames
    if frames % 5 == 0 then tallies[frames] = setmetatable({sum = 0, of = sheet, at = muslin.vec3(t, 0, 0)}, Tally) end
    for _, tally in pairs(tallies) do last = tally:add(frames) + tally.at.x end
    w:log("counted", frames + #names + total.calls + counts:sum() + (last or 0) + (rawequal(total.self, total) and 0 or 1e9))
    w:log("height", sheet:centroid().y)
    if w.frame % 3 == 0 then w:log("chance", math.random(100)) end
    if w.frame == 12 then sheet:unpin {vertices = {1}} w.wind = {0, 0, 1} end
end)
return world
L
scene=$work/scene.lua

# What must agree: every file of a frame, and its record in the manifest but for the time it took.
digest() { # folder
    (cd "$1" && cat frame_*.obj | cksum && cat log.csv && ls | grep -v checkpoint)
    python3 - "$1/manifest.json" <<'P'
import json, sys
m = json.load(open(sys.argv[1]))
for f in m["frames"]: del f["step_ms"]
print(json.dumps([m[k] for k in ("frames", "log", "exit", "cloths", "obstacles", "seed", "files")]))
P
}

run run "$scene" --out "$work/whole" --quiet
exits 0 "the scene runs without interruption"
digest "$work/whole" >"$work/wanted"
[ "$(grep -c . "$work/whole/log.csv")" = 32 ]
ok $? "it has 31 frames with logged values" "$(cat "$work/whole/log.csv")"

run run "$scene" --out "$work/parts" --quiet --frames 7 --checkpoint-every 3
exits 0 "a part of it, with checkpoints"
[ -f "$work/parts/checkpoint.muslin" ]
ok $? "the checkpoint is a file in the folder"
run run "$scene" --out "$work/parts" --quiet --frames 11 --resume --checkpoint-every 4
exits 0 "resumed, to a later frame"
run run "$scene" --out "$work/parts" --quiet --resume --threads 2
exits 0 "resumed again, with more threads, to the end"
digest "$work/parts" | diff "$work/wanted" - >"$work/diff"
ok $? "three parts write the same files as one run" "$(head -c 600 "$work/diff")"
json "$work/parts/manifest.json" 'm["resumed"] == [7, 11]'
ok $? "the manifest has where it was resumed" "$(grep resumed "$work/parts/manifest.json")"
json "$work/whole/manifest.json" 'm["resumed"] == []'
ok $? "and that another was not"

# ---- Killed at any moment: some time after some frame has come, which on a loaded machine is a moment like any other ----
kills=${KILLS:-4}
RANDOM=${SEED:-7}
killed=0 wrong=0 detail=
for ((k = 1; k <= kills; k++)); do
    rm -rf "$work/killed"
    for round in 1 2 3 last; do
        "$muslin" run "$scene" --out "$work/killed" --quiet --resume --checkpoint-every $((1 + k % 3)) 2>"$work/killed.err" &
        pid=$!
        if [ $round != last ]; then
            frame=$(printf 'frame_%06d.obj' $((RANDOM % 25)))
            while kill -0 $pid 2>/dev/null && [ ! -e "$work/killed/$frame" ]; do sleep 0.01; done
            sleep 0.0$((RANDOM % 4))$((RANDOM % 10))
            kill -9 $pid 2>/dev/null
        fi
        { wait $pid; } 2>/dev/null
        status=$?
        [ $status = 137 ] && killed=$((killed + 1))
    done
    digest "$work/killed" 2>&1 | diff "$work/wanted" - >"$work/diff" || { wrong=$((wrong + 1)); detail+=$(head -c 400 "$work/diff"; cat "$work/killed.err"); }
done
[ $wrong = 0 ]
ok $? "killed at any moment and resumed, $kills times over: the same frames, manifest and log, and no other files" "$detail"
[ $killed -ge $kills ]
ok $? "they were killed before their end" "$killed kills"

# ---- Refusals: nothing that is there is lost ----
keeps() { # name, message, arguments: refused, and the folder stays as it is
    local name=$1 message=$2 before
    shift 2
    before=$(cd "$work/parts" && cksum *)
    refuses 3 "$message" "$name" run --quiet --resume --out "$work/parts" "$@"
    [ "$before" = "$(cd "$work/parts" && cksum *)" ]
    ok $? "$name: the folder is as it was"
}
cp "$scene" "$work/scene.kept"
cp "$work/parts/checkpoint.muslin" "$work/kept"
sed -i 's/thickness = 4e-3,$/thickness = 5e-3,/' "$scene"
keeps "another script" "scene.lua' is not the file with which the run started" "$scene"
cp "$work/scene.kept" "$scene"
keeps "other arguments" 'other arguments' "$scene" -- 1
keeps "another seed" 'seed is 3 in the snapshot and 4 here' "$scene" --seed 4
keeps "fewer frames than there are" 'this run ends at frame 5' "$scene" --frames 5
printf 'x' | dd of="$work/parts/checkpoint.muslin" bs=1 seek=5000 conv=notrunc 2>/dev/null
keeps "a damaged checkpoint" 'checksum does not fit' "$scene"
head -c 3000 "$work/kept" >"$work/parts/checkpoint.muslin"
keeps "a truncated checkpoint" 'truncated, 3000 bytes' "$scene"
cp "$scene" "$work/parts/checkpoint.muslin"
keeps "a foreign file" 'is not a muslin snapshot' "$scene"
cp "$work/kept" "$work/parts/checkpoint.muslin"
mv "$work/parts/frame_000002.obj" "$work/frame"
keeps "a missing frame" "frame_000002.obj', written by the run, is needed" "$scene"
mv "$work/frame" "$work/parts/frame_000002.obj"
keeps "a format that was not written" "frame_000000.ply', written by the run" "$scene" --format obj,ply
echo 'require("muslin").world {}:save(arg[1])' >"$work/save.lua"
run run "$work/save.lua" -- "$work/parts/checkpoint.muslin"
keeps "a snapshot that is no checkpoint" 'not a checkpoint of muslin run' "$scene"

run run "$scene" --quiet --out "$work/parts" --frames 2
exits 0 "a run without --resume begins anew"
[ ! -e "$work/parts/checkpoint.muslin" ]
ok $? "and leaves no checkpoint of the earlier one"
run run "$scene" --out "$work/parts" --frames 1 --resume
exits 0 "--resume without a checkpoint begins at frame 0"
prints err 'no checkpoint in' "and reports it"

# ---- What a script run again does not make ----
cat >"$work/late.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/60, fps = 60, duration = 0.1, threads = 1}
world:cloth {mesh = muslin.mesh.grid {nodes = {4, 4}, size = {0.1, 0.1}}}
kept = 0
world:on("frame", function(w)
    if w.frame ~= 4 then return end
    if arg[1] == "object" then w:obstacle {shape = "sphere", name = "late", radius = 0.1, at = {5, 0, 0}} end
    if arg[1] == "force" then w:force(function() end) end
    if arg[1] == "closure" then kept = function() return w end end
    if arg[1] == "coroutine" then kept = coroutine.wrap(function() coroutine.yield() end) end
end)
return world
L
for what in object force closure coroutine; do
    run run "$work/late.lua" --out "$work/late" --checkpoint-every 2 --quiet -- $what
    exits 0 "a hook makes a new $what on the way"
    prints err 'no checkpoints from frame 4 on.*the last one is of frame 2' "which ends the checkpoints, with a word"
    cp -r "$work/late" "$work/late-$what"
    run run "$work/late.lua" --out "$work/late-$what" --resume --quiet -- $what
    [ "$code" = 0 ] && cmp "$work/late/frame_000006.obj" "$work/late-$what/frame_000006.obj"
    ok $? "from the last one the run makes it again" "$(state)"
done

refuses 2 "'--resume' needs '--out DIR'" "--resume needs --out" run "$scene" --resume
refuses 2 "'--checkpoint-every' needs '--out DIR'" "--checkpoint-every needs --out" run "$scene" --checkpoint-every 2
refuses 2 "whole number from 1" "--checkpoint-every is at least 1" run "$scene" --out "$work/x" --checkpoint-every 0
# A function of world:script is played again up to where it was; the manifest records the cost of hooks.
cat >"$work/story.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/120, fps = 30, duration = 1}
local sheet = world:cloth {name = "sheet", mesh = muslin.mesh.grid {nodes = {6, 6}, center = {0, 1, 0}}}
sheet:pin {corners = true}
local gusts = {}
world:script(function(w)
    w:wait(0.2)
    sheet:unpin {vertices = {1}}
    w:wait_until(function() return sheet:centroid().y < 0.95 end)
    for k = 1, 100 do
        local sum = 0
        for i = 1, #gusts do sum = sum + gusts[i] end
        gusts[k] = math.random()
        w.wind = {0, gusts[k] + sum / k, 0}
        w:log("gust", sum)
        w:wait(0.07)
    end
end, "story")
return world
L
run run "$work/story.lua" --out "$work/story" --quiet
digest "$work/story" >"$work/wanted"
json "$work/story/manifest.json" '[(h["event"], h["name"], h["calls"]) for h in m["hooks"]] == [("script", "story", 120)] and m["hooks"][0]["total_ms"] > 0'
ok $? "the manifest has what hooks cost" "$(grep -A3 hooks "$work/story/manifest.json")"
for frame in 4 9 19; do
    rm -rf "$work/again"
    "$muslin" run "$work/story.lua" --out "$work/again" --quiet --frames $frame --checkpoint-every 50 </dev/null
    run run "$work/story.lua" --out "$work/again" --quiet --resume
    digest "$work/again" | diff "$work/wanted" - >"$work/diff"
    ok $? "resumed at frame $frame, within a script, it writes the same files" "$(head -c 600 "$work/diff"); $(state)"
done
run run "$work/story.lua" --frames 2 --json
prints out '"hooks_ms": [0-9.e-]+' "frames of --json tell the time of hooks"
prints out '"hooks": \[.*"event": "script", "name": "story"' "and the summary each of them"

# A scene that stops itself: resumed before, or at its end, it ends with the same frame.
cat >"$work/stops.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/60, fps = 60, duration = 1}
world:cloth {mesh = muslin.mesh.grid {nodes = {4, 4}}}
world:on("frame", function(w) if w.frame == 8 then w:stop() end end)
return world
L
run run "$work/stops.lua" --checkpoint-every 4 --frames 4 --out "$work/stops"
for again in before at; do
    run run "$work/stops.lua" --checkpoint-every 4 --resume --out "$work/stops"
    [ "$code" = 0 ] && [ -e "$work/stops/frame_000008.obj" ] && [ ! -e "$work/stops/frame_000009.obj" ] &&
        [[ $out == *"frames 0 to 8,"* ]]
    ok $? "resumed $again its end, a scene that stops itself ends there" "$(ls "$work/stops" | tail -n 3); $(state)"
done

tap_end
