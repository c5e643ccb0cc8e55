#!/bin/bash
# `muslin sweep`, `muslin run --case`, `muslin collect`: cases, engines, kills, exit codes.
. "$(dirname "$0")/tap.bash"
type python3 >/dev/null 2>&1 || { echo "1..0 # SKIP python3 reads the files of this test, and is missing"; exit 0; }

cat >"$work/drape.lua" <<'L'
local muslin = require "muslin"
local options = muslin.arguments { friction = 0.3, nodes = 6, drop = 0.05, ends = "well" }
local world = muslin.world { duration = 0.4, dt = 1/60 }
local sheet = world:cloth { name = "sheet", friction = options.friction,
  mesh = muslin.mesh.grid { nodes = {options.nodes, options.nodes}, size = {0.4, 0.4}, center = {0, 0.2 + options.drop, 0} } }
world:obstacle { shape = "sphere", radius = 0.2, friction = options.friction }
world:on("frame", function(w)
  w:log("height", sheet:centroid().y)
  if options.ends == "slowly" then local t = 0 for k = 1, 2e6 do t = t + k end end
  if options.ends == "late" and w.frame == 12 then error("broken on purpose") end
end)
world:on("done", function() if options.ends == "badly" then expect(1):equals(2) end end)
return world
L
cat >"$work/plan.lua" <<'L'
return {
  scene = "drape.lua",
  grid = { friction = {0.1, 0.5}, pipeline = {"robust", "offset"} },
  random = { samples = 2, seed = 4, over = { drop = {0.01, 0.1} } },
  frames = 20,
}
L

# What must agree: arguments, results and frames, but no times.
digest() { # folder of a sweep
    "$muslin" collect "$1/runs" --json | python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    del row["mean_ms"]
    print(json.dumps(row, sort_keys=True))'
    (cd "$1/runs" && cksum */frame_*.obj */log.csv)
}

# ---- A sweep, and the same again ----
run sweep "$work/plan.lua" --out "$work/whole"
exits 0 "a sweep of eight cases"
prints out '8 cases: 8 finished, 0 checks failed, 0 not complete .8 were run now' "its last line counts them"
python3 - "$work/whole/cases.jsonl" <<'P'
import json, sys
cases = [json.loads(line) for line in open(sys.argv[1])]
assert [c["case"] for c in cases] == list(range(1, 9))
assert all(c["scene"] == "../drape.lua" and c["options"]["frames"] == 20 for c in cases)
points = [(c["parameters"]["friction"], c["parameters"]["pipeline"]) for c in cases]
assert points == [(f, p) for f in (0.1, 0.5) for p in ("robust", "offset") for _ in range(2)], points
drops = [c["parameters"]["drop"] for c in cases]
assert drops == drops[:2] * 4 and drops[0] != drops[1] and all(0.01 <= d < 0.1 for d in drops), drops
P
ok $? "a case a line: the grid's combinations, each with the same samples" "$(cat "$work/whole/cases.jsonl")"
digest "$work/whole" >"$work/wanted"
[ "$(grep -c '"status": "finished"' "$work/wanted")" = 8 ]
ok $? "eight runs are complete" "$(cat "$work/wanted")"
before=$(stat -c '%Y %i %n' "$work"/whole/runs/*/manifest.json)
run sweep "$work/plan.lua" --out "$work/whole"
[ "$code" = 0 ] && [[ $out == *"0 were run now"* ]] && [ "$before" = "$(stat -c '%Y %i %n' "$work"/whole/runs/*/manifest.json)" ]
ok $? "again: nothing is run, nothing is touched" "$(state)"

# ---- In a folder whose name is no UTF-8 ----
odd=$work/$'caf\xe9'
mkdir "$odd" && cp "$work/drape.lua" "$odd" && echo 'return { scene = "drape.lua", grid = { nodes = {4, 5} }, frames = 2 }' >"$odd/plan.lua"
run sweep "$odd/plan.lua" --out "$odd/out" --jobs 2
exits 0 "a sweep in a folder whose name is no UTF-8"
json "$odd/out/runs/1/manifest.json" '"caf\\xE9/" in m["script"] and bytes.fromhex(m["files"][0]["path_bytes"]).endswith(b"caf\xe9/drape.lua")'
ok $? "its manifests hold the path" "$(grep -a -e script -e path "$odd/out/runs/1/manifest.json")"
run sweep "$odd/plan.lua" --out "$odd/out"
[ "$code" = 0 ] && [[ $out == *"(0 were run now)"* ]]
ok $? "given again it runs nothing again" "$(state)"
echo "-- changed" >>"$odd/drape.lua"
run sweep "$odd/plan.lua" --out "$odd/out"
[ "$code" = 0 ] && [[ $out == *"(2 were run now)"* ]]
ok $? "but what has changed" "$(state)"

# ---- One case alone ----
run run --case "$work/whole/cases.jsonl:3" --out "$work/alone/3"
exits 0 "one case alone"
cmp -s "$work/alone/3/frame_000020.obj" "$work/whole/runs/3/frame_000020.obj"
ok $? "gives what the sweep gave"
(cd "$work/alone" && "$muslin" run --case ../whole/cases.jsonl:3 --out 3 >"$work/.out" 2>&1) && grep -q 'case 3: complete' "$work/.out"
ok $? "again, from another folder: it is complete" "$(cat "$work/.out")"
drop=$(python3 -c 'import json, sys; print(json.loads(open(sys.argv[1]).readlines()[2])["parameters"]["drop"])' "$work/whole/cases.jsonl")
run run "$work/drape.lua" --frames 20 --pipeline offset --out "$work/direct" --quiet -- friction=0.1 drop="$drop"
cmp -s "$work/direct/frame_000020.obj" "$work/whole/runs/3/frame_000020.obj"
ok $? "it is the scene with these words behind --" "$(state)"
run run --case "$work/whole/cases.jsonl:3" --out "$work/alone/3" --frames 22 --quiet
[ "$code" = 0 ] && [ -e "$work/alone/3/frame_000022.obj" ]
ok $? "the command line beats the case" "$(state)"
refuses 2 'there is no case 9; it has 8' "a case that is not there" run --case "$work/whole/cases.jsonl:9" --out "$work/x"
refuses 2 'FILE:K' "a case without a number" run --case "$work/whole/cases.jsonl" --out "$work/x"
refuses 2 "needs '--out DIR'" "a case without --out" run --case "$work/whole/cases.jsonl:1"
refuses 2 'names scene and arguments itself' "a case and a scene" run "$work/drape.lua" --case "$work/whole/cases.jsonl:1" --out "$work/x"
echo '{"scene": "drape.lua", "options": {"fames": 3}}' >"$work/odd.jsonl"
refuses 2 "option 'fames' is none of muslin run" "an option that is none" run --case "$work/odd.jsonl:1" --out "$work/x"
echo '["drape.lua"]' >"$work/odd.jsonl"
refuses 2 'line 1 is not a JSON object' "a line that is no case" run --case "$work/odd.jsonl:1" --out "$work/x"

# ---- What was changed is played anew ----
cp -r "$work/alone" "$work/changed"
run run --case "$work/whole/cases.jsonl:3" --out "$work/changed/3" --quiet
cp "$work/drape.lua" "$work/kept.lua"
sed -i 's/radius = 0.2,/radius = 0.15,/' "$work/drape.lua"
run run --case "$work/whole/cases.jsonl:3" --out "$work/changed/3"
[ "$code" = 0 ] && [[ $err == *"differs in '$work/drape.lua'; it starts at frame 0"* ]] && ! cmp -s "$work/changed/3/frame_000020.obj" "$work/whole/runs/3/frame_000020.obj"
ok $? "a scene that was changed since: the run begins anew, with a word" "$(state)"
cp "$work/kept.lua" "$work/drape.lua"

# ---- Killed, and given again ----
sed 's/frames = 20/frames = 20, checkpoint_every = 3, fixed = {ends = "slowly"}/' "$work/plan.lua" >"$work/slow.lua"
run sweep "$work/slow.lua" --out "$work/slow" --quiet
digest "$work/slow" >"$work/wanted_slow"
wait_for() { # command: until it succeeds, 20 s at the most
    local k
    for ((k = 0; k < 2000; k++)); do "$@" && return; sleep 0.01; done
    return 1
}
some_frames() { [ "$(find "$work/killed/runs" -name 'frame_000004.obj' 2>/dev/null | wc -l)" -ge "$1" ]; }
"$muslin" sweep "$work/slow.lua" --out "$work/killed" --jobs 2 --quiet &
pid=$!
wait_for some_frames 2
kill -9 $pid
{ wait $pid; } 2>/dev/null
"$muslin" sweep "$work/slow.lua" --out "$work/killed" --jobs 2 --quiet &
pid=$!
wait_for some_frames 4
kill -TERM $pid
wait $pid
status=$?
[ $status = 130 ]
ok $? "a sweep that gets a signal to end returns 130" "$status"
unfinished=$(grep -L '"reason": "finished"' "$work"/killed/runs/*/manifest.json | wc -l)
[ "$unfinished" -gt 0 ]
ok $? "with runs under way, which it has ended" "$unfinished"
run sweep "$work/slow.lua" --out "$work/killed"
exits 0 "given again, it goes on to the end"
digest "$work/killed" | diff "$work/wanted_slow" - >"$work/diff"
ok $? "killed, ended and given again: the results of one that was not" "$(head -c 800 "$work/diff")"
grep -q '"resumed": \[[0-9]' "$work"/killed/runs/*/manifest.json
ok $? "runs went on from their checkpoints" "$(grep -h '"resumed"' "$work"/killed/runs/*/manifest.json)"

# ---- Cases that fail ----
cat >"$work/fails.lua" <<'L'
return { scene = "drape.lua", list = { {ends = "badly"}, {ends = "late"}, {ends = "well"} }, format = "none", audit = true, seconds = 0.3 }
L
run sweep "$work/fails.lua" --out "$work/fails"
exits 3 "a case that raises gives exit code 3"
prints err 'case 1 .*check failed: .*expected 2, got 1' "a failed check is reported"
prints err 'case 2 .*error: .*broken on purpose' "an error, too"
prints out '3 cases: 1 finished, 1 checks failed, 1 not complete' "and the others are played"
! ls "$work"/fails/runs/3/frame_* >/dev/null 2>&1 && [ -s "$work/fails/runs/3/log.csv" ]
ok $? "format none: manifest and log alone"
sed 's/{ends = "late"}, //' "$work/fails.lua" >"$work/checks.lua"
run sweep "$work/checks.lua" --out "$work/checks" --quiet
exits 1 "a failed check alone gives 1"
run sweep "$work/checks.lua" --out "$work/checks"
[ "$code" = 1 ] && [[ $out == *"0 were run now"* ]]
ok $? "again: the check is known to have failed" "$(state)"

# ---- Engines ----
refuses 2 "did you mean 'parallel'" "an engine that is none" sweep "$work/plan.lua" --out "$work/x" --engine paralel
mkdir -p "$work/bin"
for engine in parallel slurm snakemake; do
    PATH=$work/bin "$muslin" sweep "$work/plan.lua" --out "$work/absent" --engine $engine >"$work/.out" 2>"$work/.err"
    code=$? out=$(<"$work/.out") err=$(<"$work/.err")
    [ $code = 3 ] && [[ $err == *"'$engine' needs the program"*"Debian package: "* ]] && [ ! -e "$work/absent" ]
    ok $? "$engine is not installed: its package is named, nothing is written" "$(state)"
done
run sweep "$work/plan.lua" --out "$work/none" --engine none
exits 0 "engine none"
[ -s "$work/none/cases.jsonl" ] && [ ! -e "$work/none/runs" ] && sh "$work/none/case.sh" 5 && cmp -s "$work/none/runs/5/frame_000020.obj" "$work/whole/runs/5/frame_000020.obj"
ok $? "writes the cases, and a script that runs one"
for engine in parallel snakemake; do
    if ! command -v $engine >/dev/null || { [ $engine = parallel ] && ! parallel --version 2>/dev/null | grep -q '^GNU parallel'; }; then
        skip "$engine gives the same" "$engine is not installed"
        continue
    fi
    run sweep "$work/plan.lua" --out "$work/$engine" --engine $engine --quiet
    [ "$code" = 0 ] && digest "$work/$engine" | sed "s|$engine/|whole/|" | diff "$work/wanted" - >"$work/diff"
    ok $? "$engine gives the same" "$(state; head -c 600 "$work/diff")"
    run sweep "$work/fails.lua" --out "$work/$engine-fails" --engine $engine
    [ "$code" = 3 ] && [[ $out == *"3 cases: 1 finished, 1 checks failed, 1 not complete"* ]]
    ok $? "$engine: cases that fail do not stop the others" "$(state)"
done

# ---- Plans ----
sed 's/{0.1, 0.5}/{0.1, 0.6}/' "$work/plan.lua" >"$work/other.lua"
refuses 3 'has other cases than the plan, from case 5 on' "other cases in a folder that holds runs" sweep "$work/other.lua" --out "$work/whole"
sed 's/{0.1, 0.5}/{0.1, 0.5, 0.9}/' "$work/plan.lua" >"$work/more.lua"
run sweep "$work/more.lua" --out "$work/whole"
[ "$code" = 0 ] && [[ $out == *"12 cases"*"4 were run now"* ]]
ok $? "cases may be added at the end" "$(state)"
plan() { # name, regex of the message, text of the plan, exit code
    printf '%s\n' "$3" >"$work/p.lua"
    refuses "${4:-3}" "$2" "$1" sweep "$work/p.lua" --out "$work/p"
    [ ! -e "$work/p/cases.jsonl" ]
    ok $? "$1: nothing is written"
}
plan "a plan that returns nothing" 'must return a table .*got nil' 'local x = 1'
plan "a key that is none" "unknown field 'grdi' .did you mean 'grid'" 'return {scene = "drape.lua", grdi = {}}'
plan "a plan without a scene" "field 'scene' must be the path" 'return {grid = {a = {1}}}'
plan "a scene that is not there" "drap.lua': No such file" 'return {scene = "drap.lua"}' 2
plan "a grid of one number" 'grid.a must be a list of values' 'return {scene = "drape.lua", grid = {a = 3}}'
plan "a name in two places" "parameter 'a' is in fixed and in grid" 'return {scene = "drape.lua", fixed = {a = 1}, grid = {a = {1}}}'
plan "a pipeline that is none" "case 1: unknown pipeline 'robst' .did you mean 'robust'" 'return {scene = "drape.lua", fixed = {pipeline = "robst"}}' 2
plan "samples without a number of them" 'random.samples is missing' 'return {scene = "drape.lua", random = {over = {a = {0, 1}}}}'
plan "a value that is a table" 'grid.a.2. must be a finite number, true, false or a string' 'return {scene = "drape.lua", grid = {a = {1, {}}}}'
run sweep "$work/p.lua" --out "$work/p" -- 1 2
cat >"$work/p.lua" <<'L'
return function(count) return {scene = "drape.lua", frames = 1, format = "none", grid = {nodes = {4, tonumber(count)}}} end
L
run sweep "$work/p.lua" --out "$work/p" -- 5
[ "$code" = 0 ] && [[ $out == *"2 cases: 2 finished"* ]]
ok $? "a plan may be a function of its own arguments" "$(state)"

# ---- The table ----
run collect "$work/fails/runs"
prints out 'run +ends +status +frames +time .s. +contacts +iterations +crossings +inside +frame .ms. +height' "the table's head"
prints out $'\n *3 +well +finished +18 +0.3 .* 0 +0 ' "a row of it, audited"
run collect "$work/fails/runs" --csv
prints out '^run,ends,status,frames,time,contacts,iterations,intersections,inside,mean_ms,code,hash,height,message' "CSV has a head"
prints out $'\n2,late,error,11,' "and a line a run"
[ "$(wc -l <"$work/.out")" = 4 ]
ok $? "messages with their first line" "$(state)"
run collect "$work/whole/runs" --json --out "$work/table"
[ "$code" = 0 ] && cmp -s "$work/.out" "$work/table/collect.jsonl" && [ "$(wc -l <"$work/table/collect.csv")" = 13 ] && python3 - "$work/.out" <<'P'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert [r["run"] for r in rows] == [str(k) for k in range(1, 13)]
height = rows[0]["log"]["height"]
assert height["least"] <= height["final"] <= height["greatest"] and rows[0]["parameters"]["friction"] == 0.1
P
ok $? "--json: an object a run, in the order of numbers; --out: both as files" "$(state)"
run collect "$work/direct"
prints out 'drop +friction +pipeline.*offset +finished +20' "a single run, by the words it was given"
mkdir -p "$work/broken/1" && echo '{' >"$work/broken/1/manifest.json"
refuses 3 "1/manifest.json' is not the manifest" "a manifest that is none" collect "$work/broken"
refuses 2 'contains no runs' "a folder without runs" collect "$work/bin"
refuses 2 'not found' "a folder that is not there" collect "$work/nowhere"
tap_end
