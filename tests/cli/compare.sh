#!/bin/bash
# `muslin compare`: pipelines and rules side by side: table, CSV, JSON, report, picture, rows that fail, exit codes.
. "$(dirname "$0")/tap.bash"
type python3 >/dev/null 2>&1 || { echo "1..0 # SKIP python3 reads the files of this test, and is missing"; exit 0; }

cat >"$work/drop.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/120, fps = 60, duration = 0.2, threads = 1}
local sheet = world:cloth {name = "sheet",
    mesh = muslin.mesh.grid {nodes = {9, 9}, size = {0.3, 0.3}, center = {0.04, 0.115, 0}}}
world:obstacle {name = "ball", shape = "sphere", radius = 0.1}
leaked = (rawget(_G, "leaked") or 0) + 1
world:on("frame", function() assert(leaked == 1, "a row sees another row's globals") end)
world:on("draw", function(canvas)
    canvas:line({-0.15, 0.16, 0}, {0.15, 0.16, 0}, {color = {0, 1, 0}, width = 6})
end)
return world
L
cat >"$work/repel.lua" <<'L'
local muslin = require "muslin"
return muslin.rule(function(c)
  return (muslin.max(0, -c.normal:dot(c.velocity)) * c.mass + 1e-4) * c.normal
end)
L
scene=$work/drop.lua

# ---- A table of all that was measured ----------------------------------------------------------------------------------
run compare "$scene" --pipelines robust,offset,exhaustive --rule "$work/repel.lua" --out "$work/a/b" --report
exits 0 "presets and a rule"
[ "$(awk 'NR > 2 && !/^ / {print $1}' "$work/.out" | tr '\n' ' ')" = "robust offset exhaustive repel " ]
ok $? "the table has a row for each, in the order given" "$(state)"
[ "$(cd "$work/a/b" && ls -A | tr '\n' ' ')" = "compare.csv compare.json compare.md report.html " ]
ok $? "the files, and no others" "$(ls -A "$work/a/b")"

j=$work/a/b/compare.json
json "$j" '[c["name"] for c in m["columns"]] == ["robust", "offset", "exhaustive", "repel"]'
ok $? "json: the rows" "$(head -c 600 "$j")"
json "$j" 'all(c["outcome"] == "finished" and c["reason"] is None and c["frames"] == 13 and c["steps"] == 24 and abs(c["time_s"] - 0.2) < 1e-12 for c in m["columns"])'
ok $? "json: all played to the end, every step measured"
json "$j" 'all(0 < c["step_median_ms"] <= c["step_max_ms"] and c["step_mean_ms"] <= c["step_max_ms"] for c in m["columns"])'
ok $? "json: times of steps"
json "$j" 'all(c["intersections_worst"] == c["intersections_last"] == c["inside_worst"] == 0 for c in m["columns"])'
ok $? "json: the audit"
json "$j" 'all(0 < c["contacts_mean"] <= c["contacts_max"] and 0 < c["candidates_mean"] <= c["candidates_max"] and c["tests_max"] > 0 and c["stretch_max"] >= c["stretch"] > 0 and c["kinetic_energy_max_J"] >= c["kinetic_energy_J"] > 0 and c["iterations_mean"] > 0 for c in m["columns"])'
ok $? "json: pairs, tests, contacts, stretch, energy, iterations"
json "$j" 'all(c["energy_J"] > c["kinetic_energy_J"] - 1e-3 and c["energy_rise_J"] == 0 for c in m["columns"]) and m["columns"][3]["energy_J"] > m["columns"][0]["energy_J"] + 3e-4'
ok $? "json: total energy, which does not rise, and what the rule adds to it" "$(grep -E '"(name|kinetic_energy_J|energy_.*)"' "$j")"
run compare "$scene" --pipelines sequential --json
python3 -c 'import json, sys
c = json.loads(open(sys.argv[1]).read())
assert 1e-3 < c["energy_rise_J"] < 0.1, c["energy_rise_J"]' "$work/.out"
ok $? "json: an impact under sequential raises it" "$(state)"
json "$j" 'm["columns"][0]["response"] == "coupled" and m["columns"][1]["response"] == "ogc" and m["columns"][2]["broad"] == "brute" and m["columns"][3]["response"] == "coupled" and m["columns"][3]["rule"].endswith("repel.lua")'
ok $? "json: stages and the rule's file"
kinds=$(lua5.4 -e 'package.path = "scripts/?.lua"; for kind, name in pairs((require "pipelines").robust) do
    if kind ~= "doc" then print(("m[\"columns\"][0][\"%s\"] == \"%s\""):format(kind, name)) end end' | paste -sd '&' | sed 's/&/ and /g')
json "$j" "$kinds"
ok $? "json: a row has every stage of its pipeline" "$kinds"
json "$j" 'len(set(c["hash"] for c in m["columns"])) == 4'
ok $? "json: each ends in its own state"
json "$j" 'm["columns"][3]["hash"] != m["columns"][0]["hash"] and m["columns"][3]["kinetic_energy_J"] > 1.1 * m["columns"][0]["kinetic_energy_J"]'
ok $? "json: the rule changes what happens" "$(grep -E '"(name|kinetic_energy_J|hash)"' "$j")"
json "$j" 'all(20 <= c["momentum_steps"] <= 23 for c in m["columns"]) and m["columns"][0]["momentum_drift"] < 0.01'
ok $? "json: momentum of robust is explained by what acts on the cloth" "$(grep -E '"(name|momentum_.*)"' "$j")"
python3 - "$work/a/b" <<'P'
import csv, json, sys
folder = sys.argv[1]
rows = list(csv.DictReader(open(folder + "/compare.csv", newline="")))
columns = json.load(open(folder + "/compare.json"))["columns"]
assert len(rows) == len(columns) == 4
for row, column in zip(rows, columns):
    assert list(row) == list(column), (list(row), list(column))
    for key, value in column.items():
        text = row[key]
        same = text == "" if value is None else text == value if isinstance(value, str) else json.loads(text) == value
        assert same, (key, text, value)
P
ok $? "csv: the same fields and values as json" "$(cat "$work/a/b/compare.csv")"
python3 - "$work/a/b/compare.md" <<'P'
import sys
lines = open(sys.argv[1]).read().split("\n")
table = [line for line in lines if line.startswith("|")]
assert len(table) == 6 and len(set(line.count("|") for line in table)) == 1, table
assert [line.split("|")[1].strip() for line in table[2:]] == ["robust", "offset", "exhaustive", "repel"]
P
ok $? "report: a table of Markdown" "$(cat "$work/a/b/compare.md")"
"$muslin" run "$scene" --pipeline offset --quiet --json --frames 12 >"$work/run.json"
hash=$(python3 -c 'import json, sys; print(json.loads(sys.stdin.readlines()[-1])["hash"])' <"$work/run.json")
json "$j" "m['columns'][1]['hash'] == '$hash'"
ok $? "a row ends in the same bits as muslin run" "$hash"
cp "$j" "$work/first.json"
run compare "$scene" --pipelines robust,offset,exhaustive --rule "$work/repel.lua" --out "$work/a/b" --threads 2
python3 - "$work/first.json" "$j" <<'P'
import json, sys
one, two = (json.load(open(path))["columns"] for path in sys.argv[1:])
for a, b in zip(one, two):
    for key in a:
        assert key.endswith("_ms") or a[key] == b[key], (a["name"], key, a[key], b[key])
P
ok $? "a second comparison, with other threads, gives the same figures but for times"

run compare "$scene" --pipelines scene --frames 3 --json
[ "$code" = 0 ] && python3 -c 'import json, sys
c = [json.loads(line) for line in open(sys.argv[1])]
assert len(c) == 1 and c[0]["name"] == "scene" and c[0]["frames"] == 4' "$work/.out"
ok $? "--json: an object a line; --frames" "$(state)"
run compare "$scene" --rule "$work/repel.lua" --seconds 0.05 --json
python3 -c 'import json, sys
c = [json.loads(line) for line in open(sys.argv[1])]
assert [x["name"] for x in c] == ["scene", "repel"] and c[0]["frames"] == 4' "$work/.out"
ok $? "rules alone are compared with the scene's own pipeline; --seconds" "$(state)"
run compare "$scene" --frames 1 --json
presets=$(lua5.4 -e 'package.path = "scripts/?.lua"; local n = {} for k, p in pairs(require "pipelines") do
        n[#n + 1] = p.collision_step ~= "stable" and k or nil
    end
    table.sort(n) print(table.concat(n, " "))' 2>/dev/null)
[ "$code" = 0 ] && [ "$(python3 -c 'import json, sys
print(*[json.loads(line)["name"] for line in open(sys.argv[1])])' "$work/.out")" = "$presets" ]
ok $? "without --pipelines and --rule all presets are played that detect collisions once a step, or at an interval" "$presets; $(state)"

# ---- Rigid bodies --------------------------------------------------------------------------------------------------------
# without damping by stiffness, for which explicit integrators would take twenty times as many steps
sed 's/name = "sheet",/name = "sheet", material = {damping = 0, bending_damping = 0},/
s/radius = 0.1}/radius = 0.1, motion = "dynamic", mass = 0.3}\
world:obstacle {shape = "plane", normal = {0, 1, 0}, at = {0, -0.101, 0}}/' "$scene" >"$work/loose.lua"
run compare "$work/loose.lua" --pipelines robust,bridson,bridson_source,provot,bigliani,jung,aabb --out "$work/loose"
json "$work/loose/compare.json" 'len(m["columns"]) == 7 and all(c["outcome"] == "finished" and c["frames"] == 13 and c["contacts_max"] > 0 for c in m["columns"])'
ok $? "a scene with a rigid body has a row for every classic preset" "$(state)"
json "$work/loose/compare.json" 'all(c["intersections_worst"] == c["inside_worst"] == 0 for c in m["columns"][:2])'
ok $? "and where they promise it, nothing passes"

# ---- Momentum ------------------------------------------------------------------------------------------------------------
cat >"$work/meet.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/240, fps = 60, duration = 0.1, air_density = arg[1] == "air" and 100 or 0,
    pipeline = arg[1] == "pulled" and {integrator = "position_based"} or nil}
for k, y in ipairs {0, 0.02} do
    world:cloth {name = "sheet" .. k, velocity = {0, k == 1 and 0.3 or -0.3, 0},
        mesh = muslin.mesh.grid {nodes = {7, 7}, size = {0.2, 0.2}, center = {0.01 * k, y, 0}}}
end
if arg[1] == "pinned" then world.cloths[1]:pin {vertices = {1}} end
if arg[1] == "pulled" then world.cloths[1]:pull {vertices = {1}, stiffness = 1} end
if arg[1] == "viscous" then
    world:cloth {name = "third", velocity = {2, 0, 0}, material = muslin.material {viscous_damping = 9},
        mesh = muslin.mesh.grid {nodes = {7, 7}, size = {0.2, 0.2}, center = {0, 1, 0}}}
end
if arg[1] == "wind" then world:force(function(cloth) cloth.f:add {0.001, 0, 0} end) end
return world
L
echo 'local muslin = require "muslin"
return function(c)
    local jn = muslin.max(0, -c.normal:dot(c.velocity)) * c.mass
    return jn * c.normal
end' >"$work/balanced.lua"
sed 's/return jn \* c.normal/return jn * c.normal, muslin.vec3(0, 0, 0)/' "$work/balanced.lua" >"$work/lopsided.lua"
echo 'return {name = "named", between = {"sheet1", "sheet2"}, friction = 0}' >"$work/named.lua"
run compare "$work/meet.lua" --rule "$work/balanced.lua" --rule "$work/lopsided.lua" --rule "$work/named.lua" --json
python3 -c 'import json, sys
c = {x["name"]: x for x in map(json.loads, open(sys.argv[1]))}
drift = {name: x["momentum_drift"] for name, x in c.items()}
assert all(x["contacts_max"] > 0 and x["momentum_steps"] == 23 for x in c.values()), c
assert drift["scene"] < 1e-9 and drift["balanced"] < 1e-9 and drift["named"] < 1e-9, drift
assert drift["lopsided"] > 0.02, drift' "$work/.out"
ok $? "a rule whose sides do not balance shows as drift of momentum, a balanced one does not" "$(state)"
run compare "$work/meet.lua" --pipelines scene --json -- wind
python3 -c 'import json, sys
c = json.loads(open(sys.argv[1]).read())
assert c["momentum_drift"] < 1e-9, c["momentum_drift"]' "$work/.out"
ok $? "forces of hooks are known impulses; arguments reach the script" "$(state)"
run compare "$work/meet.lua" --pipelines scene --json -- air
python3 -c 'import json, sys
c = json.loads(open(sys.argv[1]).read())
assert c["momentum_drift"] < 0.02, c["momentum_drift"]' "$work/.out"
ok $? "so is drag, as far as contacts do not change velocities within a step" "$(state)"
run compare "$work/meet.lua" --pipelines scene --json -- viscous
python3 -c 'import json, sys
c = json.loads(open(sys.argv[1]).read())
assert c["momentum_drift"] < 1e-4, c["momentum_drift"]' "$work/.out"
ok $? "so is friction against the world" "$(state)"
for fixed_by in pinned pulled; do
    run compare "$work/meet.lua" --pipelines scene --json -- $fixed_by
    python3 -c 'import json, sys
c = json.loads(open(sys.argv[1]).read())
assert c["momentum_drift"] is None and c["momentum_steps"] == 0' "$work/.out"
    ok $? "with vertices that are $fixed_by the drift is unknown" "$(state)"
done

# ---- Rows that fail ------------------------------------------------------------------------------------------------------
cat >"$work/fails.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/120, fps = 60, duration = 0.1, pipeline = "robust"}
world:cloth {mesh = muslin.mesh.grid {nodes = {4, 4}}}
if world.pipeline.response == "impulses" then error "not with impulses" end
world:on("frame", function(w)
    if w.pipeline.integrator == "generalized_alpha" and w.frame == 2 then error "lively breaks here" end
end)
world:on("done", function(w) expect(w.pipeline.broad == "brute"):equals(false) end)
return world
L
echo 'return 5' >"$work/five.lua"
echo 'local x = = 1' >"$work/broken.lua"
echo 'return {rule = "bridsno"}' >"$work/unknown.lua"
run compare "$work/fails.lua" --pipelines impulses,lively,exhaustive,robust --rule "$work/five.lua" \
    --rule "$work/broken.lua" --rule "$work/unknown.lua" --out "$work/f"
exits 0 "rows that fail do not fail the comparison"
j=$work/f/compare.json
json "$j" '[c["outcome"] for c in m["columns"]] == ["error", "error", "check failed", "finished", "error", "error", "error"]'
ok $? "how each row ended" "$(grep -E '"(name|outcome|reason)"' "$j")"
json "$j" '"fails.lua:4: not with impulses" in m["columns"][0]["reason"] and m["columns"][0]["frames"] == 0 and m["columns"][0]["step_median_ms"] is None and m["columns"][0]["intersections_worst"] is None'
ok $? "a script that does not load: its line, and no figures"
json "$j" '"lively breaks here" in m["columns"][1]["reason"] and m["columns"][1]["frames"] == 2 and m["columns"][1]["step_median_ms"] > 0'
ok $? "a hook that raises: what was measured until then stays"
json "$j" 'm["columns"][2]["frames"] == 7 and "check failed" in m["columns"][2]["reason"]'
ok $? "a check that fails at the end"
json "$j" 'm["columns"][4]["reason"].startswith("'"$work"'/five.lua: it must return a rule") and "got 5" in m["columns"][4]["reason"] and "broken.lua:1:" in m["columns"][5]["reason"] and "bridsno" in m["columns"][6]["reason"]'
ok $? "rules that are none, do not load, or name nothing" "$(grep '"reason"' "$j")"
[[ $out == *$'\n  error: '*'not with impulses'* && $out == *$'\n  error after frame 1: '*'lively breaks here'* ]]
ok $? "the table has the reasons" "$(state)"
echo 'local muslin = require "muslin"; muslin.world {}' >"$work/none.lua"
run compare "$work/none.lua" --pipelines robust --rule "$work/five.lua" --json
[ "$code" = 0 ] && [[ $out == *'returns no world'* ]]
ok $? "a scene without a world" "$(state)"
cat >"$work/endless.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {duration = 0.05}
world:cloth {mesh = muslin.mesh.grid {nodes = {4, 4}}}
world:on("frame", function(w) while w.pipeline.broad == "brute" and w.frame == 1 do end end)
return world
L
run compare "$work/endless.lua" --pipelines exhaustive,robust --time-limit 1 --json
python3 -c 'import json, sys
c = [json.loads(line) for line in open(sys.argv[1])]
assert [x["outcome"] for x in c] == ["time limit", "finished"] and c[0]["frames"] == 1 and c[1]["frames"] == 4' "$work/.out"
ok $? "--time-limit is each row's own" "$(state)"
cat >"$work/stiff.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/10, fps = 10, duration = 0.1}
world:cloth {mesh = muslin.mesh.grid {nodes = {100, 100}, size = {7, 7}}, material = "denim"} -- thousands of substeps
return world
L
run compare "$work/stiff.lua" --pipelines provot,robust --time-limit 2 --json
python3 -c 'import json, sys
c = [json.loads(line) for line in open(sys.argv[1])]
assert [x["outcome"] for x in c] == ["time limit", "finished"], c' "$work/.out"
ok $? "a step of very many substeps is left in its midst, and the next row is played" "$(state)"
sed -i 's/while w.pipeline.broad == "brute" and w.frame == 1 do end/if w.frame == 1 and w.pipeline.broad == "brute" then (("x"):rep(30)):find(("x*"):rep(30) .. "y") end/' "$work/endless.lua"
run compare "$work/endless.lua" --pipelines robust,exhaustive,newton --time-limit 1 --out "$work/e"
[ "$code" = 124 ] && json "$work/e/compare.json" '[c["outcome"] for c in m["columns"]] == ["finished", "time limit", "not run"] and m["columns"][0]["frames"] == 4'
ok $? "code that cannot be interrupted ends the comparison; the rows before it are kept" "$(state)"

cat >"$work/long.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {duration = 1}
world:cloth {mesh = muslin.mesh.grid {nodes = {4, 4}}}
world:on("frame", function(w)
    if w.pipeline.broad == "brute" and w.frame == 1 then
        print "here"
        io.stdout:flush()
        while true do end
    end
end)
return world
L
"$muslin" compare "$work/long.lua" --trusted --pipelines robust,exhaustive,offset --out "$work/i" >"$work/long.out" 2>&1 &
pid=$!
for _ in $(seq 600); do
    grep -q here "$work/long.out" && break
    sleep 0.1
done
kill -INT $pid
wait $pid
[ $? = 130 ] && json "$work/i/compare.json" '[c["outcome"] for c in m["columns"]] == ["finished", "interrupted", "not run"] and m["columns"][0]["frames"] == 61'
ok $? "an interrupt ends the comparison; the rows before it are kept" "$(cat "$work/long.out")"

# ---- Intersections -------------------------------------------------------------------------------------------------------
cat >"$work/crossing.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {duration = 0.1, gravity = {0, 0, 0}, pipeline = "robust"}
world:cloth {name = "a", mesh = muslin.mesh.grid {nodes = {4, 4}, size = {0.1, 0.1}}}
local b = world:cloth {name = "b", mesh = muslin.mesh.grid {nodes = {4, 4}, size = {0.1, 0.1}, plane = "xy", center = {0.003, 0.2, 0.002}}}
local ball = world:obstacle {name = "ball", shape = "sphere", radius = 0.05, at = {0, -1, 0}}
world:on("frame", function(w)
    if w.frame == 2 then b.x:sub(arg[1] == "ball" and {0.003, 1.2, 0} or {0, 0.2, 0}) end
end)
return world
L
run compare "$work/crossing.lua" --pipelines robust --frames 1 --fail-on-intersections
exits 0 "--fail-on-intersections where nothing crosses"
run compare "$work/crossing.lua" --pipelines robust --fail-on-intersections --out "$work/x"
exits 1 "--fail-on-intersections"
json "$work/x/compare.json" 'm["columns"][0]["intersections_worst"] == m["columns"][0]["intersections_last"] > 0 and m["columns"][0]["intersections_worst_frame"] == 2 and m["columns"][0]["outcome"] == "error" and "face" in m["columns"][0]["reason"]'
ok $? "the worst frame, and the last before the step that refused it" "$(state)"
run compare "$work/crossing.lua" --pipelines robust --frames 2 --fail-on-intersections --json -- ball
exits 1 "--fail-on-intersections for what is inside an obstacle"
python3 -c 'import json, sys
c = json.loads(open(sys.argv[1]).read())
assert c["inside_worst"] > 0 and c["depth_max_m"] > 0.02 and c["outcome"] == "finished", c' "$work/.out"
ok $? "how many, and how deep" "$(state)"
run compare "$work/crossing.lua" --pipelines robust --frames 2 --fail-on-intersections --tolerance 1 -- ball
exits 0 "--tolerance is that of the audit"
run compare "$work/crossing.lua" --pipelines robust
exits 0 "without it crossings are only reported"

# ---- The command line ----------------------------------------------------------------------------------------------------
refuses 2 "unknown pipeline 'robsut' \(did you mean 'robust'\?\)" "an unknown pipeline names the nearest" \
    compare "$scene" --pipelines offset,robsut --out "$work/never"
[ ! -e "$work/never" ]
ok $? "and nothing was run or made"
refuses 2 "'robust' is given twice" "a pipeline twice" compare "$scene" --pipelines robust,robust
refuses 2 "unknown pipeline ''" "an empty word in the list" compare "$scene" --pipelines robust,
refuses 2 "rule '$work/nowhere.lua': not found" "a rule that is not there" compare "$scene" --rule "$work/nowhere.lua"
refuses 2 "needs '--out DIR'" "--png without --out" compare "$scene" --png
refuses 2 "needs '--out DIR'" "--report without --out" compare "$scene" --report
refuses 2 "needs '--png'" "--size without --png" compare "$scene" --out "$work/never" --size 32x32
refuses 2 "'--pipeline' is none of muslin compare" "--pipeline is another command's" compare "$scene" --pipeline robust
touch "$work/file"
refuses 3 "output folder '$work/file'" "an output folder that cannot be made" compare "$scene" --out "$work/file"

# ---- The picture ---------------------------------------------------------------------------------------------------------
picture=$work/picture
if ! "${CC:-gcc}" -std=c11 -O1 -o "$picture" tests/app/picture.c -lm 2>/dev/null; then
    skip "the picture" "tests/app/picture.c does not build here (libstb-dev?)"
    tap_end
fi
run compare "$scene" --pipelines robust,offset --rule "$work/repel.lua" --rule "$work/five.lua" --frames 12 \
    --out "$work/p" --png --report --size 320x240
if [ "$code" = 3 ] && [[ $err == *OpenGL* ]]; then
    skip "the picture" "no OpenGL here"
    tap_end
fi
exits 0 "--png"
[ "$("$picture" size "$work/p/compare.png")" = "640 480" ]
ok $? "four parts in two rows" "$("$picture" size "$work/p/compare.png")"
for tile in "robust 0 0" "offset 320 0" "repel 0 240" "five 320 240"; do
    read -r name x y <<<"$tile"
    "$picture" cut "$work/p/compare.png" "$x" "$y" 320 240 "$work/$name.png"
    "$picture" cut "$work/p/compare.png" "$((x + 4))" "$((y + 4))" 160 30 "$work/$name-label.png"
done
for name in robust offset repel; do
    cloth=$("$picture" hue "$work/$name.png" 5 30) line=$("$picture" hue "$work/$name.png" 110 130)
    awk "BEGIN {exit !($cloth > 3 && $line > 0.3)}"
    ok $? "$name: its part shows the cloth, and what its hook draws" "$cloth %, $line %"
done
awk "BEGIN {exit !($("$picture" hue "$work/five.png" 5 30) < 0.1 && $("$picture" hue "$work/five.png" 0 4) > 0.1)}"
ok $? "a row that failed has a part with the reason in red, and no cloth" "$("$picture" hue "$work/five.png" 0 4) %"
difference=$("$picture" diff "$work/robust-label.png" "$work/offset-label.png")
awk "BEGIN {exit !($difference > 1)}"
ok $? "every part shows its name" "$difference %"
awk "BEGIN {exit !($("$picture" diff "$work/robust.png" "$work/repel.png") > 1)}"
ok $? "what the rule changed is seen" "$("$picture" diff "$work/robust.png" "$work/repel.png") %"
grep -q '!\[.*\](compare.png)' "$work/p/compare.md"
ok $? "the report shows the picture"
tap_end
