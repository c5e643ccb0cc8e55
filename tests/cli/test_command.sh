#!/bin/bash
# `muslin test`: TAP, JUnit, filters, processes, limits, crashes.
. "$(dirname "$0")/tap.bash"

mkdir -p "$work/t/deep"
cat >"$work/t/a_test.lua" <<'L'
print("printed by a")
scenario("passes", function() expect(1 + 1):near(2, 1e-9) end)
scenario("fails <&> here", function() expect(1):near(2, 0.1) end)
scenario("raises", function() local t; t.x = 1 end)
scenario("is skipped", function() skip("no data") end)
L
cat >"$work/t/deep/b_test.lua" <<'L'
scenario("also passes", function() expect(true):near(true, 0) end)
L
sed -i 's/expect(true):near(true, 0)/expect(3):near(3, 0)/' "$work/t/deep/b_test.lua"
echo 'error("not a test")' >"$work/t/deep/other.lua"
echo 'local x = = 1' >"$work/syntax_test.lua"
cat >"$work/scene.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {duration = 0.05}
world:cloth {mesh = muslin.mesh.grid {nodes = {4, 4}, size = {1, 1}}}
world:on("done", function(w, t) if arg[1] then error("arguments") end; expect(t):near(0.05, 1e-9) end)
return world
L
sed 's/0.05, 1e-9/0.07, 1e-9/' "$work/scene.lua" >"$work/scene_fails.lua"

run test "$work/t"
exits 1 "a failure gives exit code 1"
prints out $'^TAP version 13\n' "TAP's first line"
prints out $'\n1\\.\\.5\n' "the plan"
prints out "ok 1 - .*a_test.lua: passes" "a scenario that passes"
prints out "not ok 2 - .*a_test.lua: fails <&> here"$'\n'"#   .*a_test.lua:3: " "a check that fails, with its line"
prints out "not ok 3 - .*a_test.lua: raises"$'\n'"#   .*a_test.lua:4: " "an error, with its line"
prints out "ok 4 - .*a_test.lua: is skipped # SKIP no data" "a scenario that is skipped"
prints out "ok 5 - .*b_test.lua: also passes" "files in folders below"
[[ $out != *other.lua* ]]
ok $? "other files are no tests"
prints err "'.*/t': 1 script not named \*_test.lua skipped; a scene is run as a test if its file is named" \
    "and are reported"
prints out "#   printed by a" "what scripts print is a comment"
run test "$work/t/deep"
exits 0 "success gives exit code 0"
run test "$work/t" "$work/t/a_test.lua" --quiet
[ "$(grep -c 'a_test.lua: passes' "$work/.out")" = 1 ] && [[ $out != *printed* ]]
ok $? "a file named twice is tested once; --quiet drops what scripts print" "$out"

run test "$work/t" --filter 'b_test.lua: also'
[ "$code" = 0 ] && [[ $out == *$'\n1..1\n'* ]]
ok $? "--filter" "$(state)"
mkdir -p "$work/scenes"
cp "$work/scene.lua" "$work/scenes"
refuses 2 "contains no \*_test.lua; a scene is run as a test if its file is named" "a folder of scenes alone" \
    test "$work/scenes"
refuses 2 "matches the filter" "a filter that matches nothing" test "$work/t" --filter 'no such'
one=$("$muslin" test "$work/t" --quiet)
two=$("$muslin" test "$work/t" --quiet --jobs 3)
[ "$one" = "$two" ]
ok $? "--jobs 3 gives the same report in the same order" "$(diff <(echo "$one") <(echo "$two"))"

run test "$work/t" --junit "$work/junit.xml"
if type python3 >/dev/null 2>&1; then
    python3 - "$work/junit.xml" <<'P'
import sys, xml.etree.ElementTree as E
root = E.parse(sys.argv[1]).getroot()
assert root.tag == "testsuites" and root.get("tests") == "5" and root.get("failures") == "2" and root.get("skipped") == "1"
suites = root.findall("testsuite")
assert len(suites) == 2 and [c.get("name") for c in suites[0].findall("testcase")][1] == "fails <&> here"
assert len(root.findall(".//failure")) == 2 and "a_test.lua:3" in root.findall(".//failure")[0].text
assert "printed by a" in suites[0].find("system-out").text
P
    ok $? "--junit writes XML with the same counts" "$(cat "$work/junit.xml")"
else
    skip "--junit writes XML with the same counts" "no python3"
fi
refuses 3 "nowhere/junit.xml" "a JUnit file that cannot be written" test "$work/t/deep" --junit "$work/nowhere/junit.xml"

run test "$work/syntax_test.lua"
exits 1 "a file that does not load is a failed test"
prints out "not ok 1 - .*syntax_test.lua: loads" "named so"
run test "$work/scene.lua"
exits 0 "a scene without scenarios"
prints out "ok 1 - .*scene.lua: runs to its end" "is played to its end"
run test "$work/scene_fails.lua" --out "$work/failed"
exits 1 "a scene whose check fails"
prints out "scene_fails.lua:4: " "with the check's line"
[[ $out == *"$work/failed/scene_fails-runs-to-its-end.muslin"* ]] && [ -s "$work/failed/scene_fails-runs-to-its-end.png" ]
ok $? "its state and its picture are kept" "$(state)"
run run "$work/scene_fails.lua" --quiet
exits 1 "muslin run reports a failed check (1)"
sed 's/expect.*1e-9)/undefined()/' "$work/scene.lua" >"$work/scene_error.lua"
run run "$work/scene_error.lua" --quiet
exits 3 "from an error in the check (3)"

cat >"$work/slow_test.lua" <<'L'
scenario("before", function() end)
scenario("loops", function() while true do end end)
L
run test "$work/slow_test.lua" --time-limit 1
exits 1 "a scenario that never ends"
prints out "ok 1 - .*: before" "those before it count"
prints out "not ok 2 - .*: loops"$'\n'"#.*time limit" "it fails by the time limit"
prints out "slow_test.lua:2: time limit" "with the line that did not end"
cat >"$work/hang_test.lua" <<'L'
scenario("hangs", function() (("a"):rep(30)):find((".-"):rep(30) .. "b") end)
L
run test "$work/hang_test.lua" "$work/t/deep/b_test.lua" --time-limit 1
exits 1 "a scenario that hangs in a pattern"
prints out "not ok 1 - .*: hangs"$'\n'"#.*time limit of 1 s" "fails by the time limit"
prints out "ok 2 - .*: also passes" "and the next file is tested"
cat >"$work/memory_test.lua" <<'L'
scenario("eats", function() local t = {}; for i = 1, 1e9 do t[i] = ("x"):rep(1e6) .. i end end)
scenario("goes on", function() end)
L
run test "$work/memory_test.lua"
prints out "not ok 1 - .*: eats"$'\n'"#.*not enough memory" "a scenario that eats memory fails"
cat >"$work/crash_test.lua" <<'L'
scenario("crashes", function() os.execute("kill -KILL $PPID") end)
L
run test "$work/crash_test.lua" "$work/t/deep/b_test.lua" --trusted
exits 1 "a crash"
prints out "not ok 1 - .*: crashes"$'\n'"#.*signal 9" "is a failed test, named"
prints out "ok 2 - .*: also passes" "and the next file is tested"

set -m
"$muslin" test "$work/slow_test.lua" --quiet >"$work/.out" 2>"$work/.err" &
pid=$!
sleep 0.7
kill -INT $pid
wait $pid
code=$? out=$(cat "$work/.out") err=$(cat "$work/.err")
exits 130 "Ctrl-C ends the tests"

# ---- The scenarios of one file over several processes ------------------------------------------------------------------

cat >"$work/many_test.lua" <<'L'
print "loading"
for k = 1, 12 do
  scenario("number " .. k, function()
    print("in " .. k, math.random())
    io.stderr:write("aside ", k, "\n")
    if k == 3 then error "no" end
    if k == 5 then skip "not today" end
    if k == 7 then os.exit(4) end
    for _ = 1, 2e5 * (k % 4) do end
    print("out " .. k)
  end)
end
L
for jobs in 1 2 5; do
    "$muslin" test "$work/many_test.lua" --trusted --jobs $jobs --junit "$work/$jobs.xml" --out "$work/failed" \
        >"$work/$jobs.txt" 2>"$work/.err"
    sed -i 's/time="[0-9.]*"//g' "$work/$jobs.xml"
done
grep -q '^# 9 passed, 2 failed, 1 skipped' "$work/1.txt" && [ "$(grep -c 'loading' "$work/1.txt")" = 1 ]
ok $? "a file of twelve scenarios, of which one ends its process" "$(cat "$work/1.txt" "$work/.err")"
cmp "$work/1.txt" "$work/2.txt" && cmp "$work/1.txt" "$work/5.txt"
ok $? "its report does not depend on the number of processes" "$(diff "$work/1.txt" "$work/5.txt")"
cmp "$work/1.xml" "$work/2.xml" && cmp "$work/1.xml" "$work/5.xml"
ok $? "nor does JUnit's" "$(diff "$work/1.xml" "$work/5.xml")"
cat >"$work/pids_test.lua" <<'L'
local file = assert(io.open("/proc/self/stat"))
local pid = file:read "n"
file:close()
for k = 1, 6 do
  scenario("of " .. k, function()
    for _ = 1, 3e7 do end
    print("pid " .. pid)
  end)
end
L
pids() { "$muslin" test "$work/pids_test.lua" --trusted --jobs 3 2>&1 | grep -o 'pid [0-9]*' | sort -u | wc -l; }
[ "$(pids)" -gt 1 ]
ok $? "--jobs spreads the scenarios of a file over processes" "$(pids)"
if [ "$(nproc)" -gt 1 ]; then
    default=$("$muslin" test "$work/pids_test.lua" --trusted 2>&1 | grep -o 'pid [0-9]*' | sort -u | wc -l)
    [ "$default" -gt 1 ]
    ok $? "without --jobs there is a process for each processor, as in muslin sweep" "$default"
else
    skip "without --jobs there is a process for each processor, as in muslin sweep" "there is one processor"
fi
sed -i '1i scenario.together()' "$work/pids_test.lua"
[ "$(pids)" = 1 ]
ok $? "but not where it has scenario.together()" "$(pids)"
tap_end
