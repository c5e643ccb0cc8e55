#!/bin/bash
# `muslin test`: limits of single scenarios, files that go on behind a crash, states of failures, golden states, seeds.
. "$(dirname "$0")/tap.bash"

mkdir -p "$work/t"
test_all() { # arguments: runs the tests of the folder, with what fails under $work/failed
    run test "$work/t" --out "$work/failed" "$@"
}

# ---- Limits, and what comes behind ----
cat >"$work/t/limits_test.lua" <<'L'
local muslin = require "muslin"
scenario("first", function() end)
scenario("loops", { time_limit = 0.5 }, function() while true do end end)
scenario("catches nothing", { time_limit = 0.5 }, function() while true do pcall(function() while true do end end) end end)
scenario("hangs", { time_limit = 0.5 }, function() (("a"):rep(30)):find((".-"):rep(30) .. "b") end)
scenario("fills Lua", { memory_limit = 30 }, function() local t = {} for k = 1, 1e9 do t[k] = "text" .. k end end)
scenario("fills the core", { memory_limit = 1 }, function() muslin.mesh.grid { nodes = {600, 600} } end)
scenario("has room again", function() expect(muslin.mesh.grid { nodes = {600, 600} }.vertex_count):equals(360000) end)
scenario("kills", function() os.execute("kill -KILL $PPID") end)
scenario.each { 1, 2 } ("last {}", function() end)
L
test_all --trusted --quiet --junit "$work/junit.xml"
exits 1 "scenarios that exceed their limits"
prints out "not ok 2 - [^"$'\n'"]*: loops"$'\n'"#   [^"$'\n'"]*time limit of 0.5 s" "a loop fails by the scenario's own limit"
prints out "not ok 3 - [^"$'\n'"]*: catches nothing"$'\n'"#   [^"$'\n'"]*time limit of 0.5 s" "one that catches errors, too"
prints out "not ok 4 - [^"$'\n'"]*: hangs"$'\n'"#   [^"$'\n'"]*time limit of 0.5 s" "and code that does not return"
prints out "not ok 5 - [^"$'\n'"]*: fills Lua"$'\n'"#   [^"$'\n'"]*not enough memory" "memory of Lua"
prints out "not ok 6 - [^"$'\n'"]*: fills the core"$'\n'"#   [^"$'\n'"]*memory" "memory of meshes"
prints out $'\n'"ok 7 - [^"$'\n'"]*: has room again" "the next one has room again"
prints out "not ok 8 - [^"$'\n'"]*: kills"$'\n'"#   the process ended by signal 9" "a crash"
prints out $'\n'"ok 9 - [^"$'\n'"]*: last 1"$'\n'"ok 10 - [^"$'\n'"]*: last 2"$'\n'"1\.\.10"$'\n' "the file goes on behind each of them, in order, nothing twice"
if type python3 >/dev/null 2>&1; then
    python3 -c 'import sys, xml.etree.ElementTree as E
root = E.parse(sys.argv[1]).getroot()
assert root.get("tests") == "10" and root.get("failures") == "6" and len(root.findall(".//testcase")) == 10' "$work/junit.xml"
    ok $? "JUnit counts them" "$(cat "$work/junit.xml")"
else
    skip "JUnit counts them" "no python3"
fi
cp "$work/t/limits_test.lua" "$work/t/more_test.lua"
one=$("$muslin" test "$work/t" --quiet --trusted --filter ': l' --out "$work/failed")
two=$("$muslin" test "$work/t" --quiet --trusted --filter ': l' --out "$work/failed" --jobs 2)
[ "$one" = "$two" ]
ok $? "--jobs 2 gives the same report in the same order" "$(diff <(echo "$one") <(echo "$two"))"
rm "$work"/t/*

# ---- What a failure leaves ----
cat >"$work/t/state_test.lua" <<'L'
local muslin = require "muslin"
local function fall(name)
  local world = muslin.world { dt = 1/60 }
  world:cloth { name = name, mesh = muslin.mesh.grid { nodes = {4, 4}, center = {0, 1, 0} } }
  for _ = 1, 6 do world:run_frame() end
  return world
end
scenario("falls: too <far>", function() expect(fall "sheet"):above(1) end)
scenario("two worlds", function() fall "one" fall "two" expect(1):equals(2) end)
scenario("is skipped", function() fall "sheet" skip "enough" end)
scenario("is well", function() fall "sheet" end)
L
test_all
prints out "#   [^"$'\n'"]*state_test.lua:8: check failed: .*below y = 1 m, got vertex 1 of sheet at y = 0.9[0-9]* m .t = 0.1 s, step 6, frame 6." "what was expected and seen, where and when"
prints out "#   state, for muslin.load: $work/failed/state_test-falls-too-far.muslin"$'\n'"#   picture: $work/failed/state_test-falls-too-far.png"$'\n' "where state and picture are"
[ "$(cd "$work/failed" && echo *.muslin)" = "state_test-falls-too-far.muslin state_test-two-worlds-2.muslin state_test-two-worlds.muslin" ]
ok $? "a state of every world, of failures only" "$(ls "$work/failed")"
echo 'local w = require("muslin").load(arg[1]) print(w.frame, w:find("sheet"):centroid().y < 1) w:step()' >"$work/load.lua"
run run "$work/load.lua" -- "$work/failed/state_test-falls-too-far.muslin"
[ "$code" = 0 ] && [[ $out == $'6\ttrue' ]]
ok $? "it can be loaded, and goes on" "$(state)"
[ "$(head -c 4 "$work/failed/state_test-falls-too-far.png" | tail -c 3)" = PNG ]
ok $? "the picture is one"
touch "$work/file"
run test "$work/t" --out "$work/file" --filter far --quiet
[ "$code" = 1 ] && [[ $out == *"check failed"*"could not be saved: Not a directory"* ]]
ok $? "a folder that cannot be made is reported beside the failure" "$(state)"
rm -r "$work/t"/* "$work/failed"

# ---- Golden states ----
cat >"$work/t/golden_test.lua" <<'L'
local muslin = require "muslin"
local function fall()
  local world = muslin.world { dt = 1/60 }
  world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = {4, 4}, center = {0, 1, 0} }, material = "cotton" }
  world:advance(0.1)
  return world
end
scenario("to the bit", function() expect(fall()):golden("fall") end)
scenario("within five millimeters", function() expect(fall().cloths[1]):golden("near", { tolerance = 5e-3 }) end)
L
test_all --quiet
[ "$code" = 1 ] && [[ $out == *"golden/golden_test.fall.txt, got no such file; muslin test --update-golden writes it"* ]] && [ ! -e "$work/t/golden" ]
ok $? "a golden state that is not there fails" "$(state)"
test_all --quiet --update-golden
[ "$code" = 0 ] && [ "$(ls "$work/t/golden" | tr '\n' ' ')" = "golden_test.fall.txt golden_test.near.txt " ]
ok $? "--update-golden writes them beside the test" "$(state; ls -R "$work/t")"
[ "$(head -n 1 "$work/t/golden/golden_test.fall.txt")" = "muslin golden state 1" ] && [ "$(wc -l <"$work/t/golden/golden_test.fall.txt")" = 20 ]
ok $? "text with a version, a line a vertex" "$(cat "$work/t/golden/golden_test.fall.txt")"
for threads in 1 2; do
    test_all --quiet --threads $threads
    exits 0 "they hold with $threads threads"
done
sed -i 's/"cotton"/"silk"/' "$work/t/golden_test.lua"
test_all --quiet
prints out "not ok 1 .*expected the state of [^ ]*golden_test.fall.txt, hash [0-9a-f]*, got hash [0-9a-f]*: vertex [0-9]* of sheet is [^ ]* m away; muslin test --update-golden" "another material: hash and place of the difference"
prints out $'\n'"ok 2" "which is within the tolerance of the other"
sed -i 's/center = {0, 1, 0}/center = {0, 1.01, 0}/' "$work/t/golden_test.lua"
test_all --quiet
prints out "not ok 2 .*within 0.005 m, got vertex [0-9]* of sheet is 0.013[0-9]* m away" "until it is farther away"
sed -i 's/nodes = {4, 4}/nodes = {4, 3}/; s/0.1)/0.2)/' "$work/t/golden_test.lua"
test_all --quiet
prints out "not ok 1 .*got hash [0-9a-f]*: cloth sheet of 12 vertices, not sheet of 16" "other vertices"
prints out "not ok 2 .*at 0.1 s within 0.005 m, got a state at 0.2 s" "another time"
sed -i '5s/.*/1 2/' "$work/t/golden/golden_test.fall.txt"
test_all --quiet --filter bit
prints out "golden_test.fall.txt:5: malformed" "a malformed file is reported with its line"

# ---- Seeds ----
cat >"$work/t/golden_test.lua" <<'L'
scenario("draws", function() print("number", math.random()) end)
property("cases", { n = property.integer(1, 1000000) }, { cases = 1 }, function(p) print("case", p.n) end)
L
rm -r "$work/t/golden"
test_all && first=$out
test_all && [ "$out" = "$first" ]
ok $? "the same seed, the same cases" "$(diff <(echo "$first") <(echo "$out"))"
test_all --seed 2
[ "$(grep -c -e number -e case <<<"$out")" -ge 2 ] && [ -z "$(comm -12 <(grep -e 'number' -e '#   case' <<<"$out" | sort) <(grep -e 'number' -e '#   case' <<<"$first" | sort))" ]
ok $? "--seed gives others" "$(diff <(echo "$first") <(echo "$out"))"
cat >"$work/t/property_test.lua" <<'L'
local muslin = require "muslin"
property("no sheet is below half a meter", property.scene { cloths = {1, 2} }, { cases = 5 }, function(scene)
  local world = property.world(scene)
  world:advance(0.2)
  expect(world):above(0.5)
end)
L
rm "$work/t/golden_test.lua"
test_all --quiet
prints out "not ok 1 .*check failed: .*property: case 1 of 5, seed 1; after [0-9]* tries the smallest that fails is.*examples = . . cloths = . . friction = 0.0, material = .cotton., nodes = . 3, 3 ." "a random scene that fails, as small as it can be"
examples=$(sed -n 's/^#  *\(examples = .*\)/\1/p' "$work/.out")
sed -i "s/cases = 5/cases = 0, $examples/" "$work/t/property_test.lua"
test_all --quiet
prints out "property: example 1 of 1" "what it printed, pasted into the test, fails again"
[ -s "$work/failed/property_test-no-sheet-is-below-half-a-meter.muslin" ]
ok $? "its state is kept"
tap_end
