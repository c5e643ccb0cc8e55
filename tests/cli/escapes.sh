#!/bin/bash
# What a scene without --trusted must not get away with: files beyond its folders, memory without an end, changed
# libraries, bytecode. Each ends with its exit code and message, and what was written before stays whole.
. "$(dirname "$0")/tap.bash"

scene=$work/scene folder=$work/out away=$work/away
mkdir -p "$scene/data" "$away"
cat >"$away/far.obj" <<'END'
v 0 0 0
v 1 0 0
v 0 1 0
f 1 2 3
END
cp "$away/far.obj" "$scene/data/near.obj"
ln -s "$away/far.obj" "$scene/data/link.obj"
ln -s "$away" "$scene/data/door"
ln -s near.obj "$scene/data/beside.obj"

# ---- Files -------------------------------------------------------------------------------------------------------------

mkdir -p "$work/cwd"
try() { # try LUA [OPTION...]: runs it as a scene of the folder, from a working directory of its own
    local lua=$1
    shift
    echo "$lua" >"$scene/try.lua"
    (cd "$work/cwd" && "$muslin" run "$scene/try.lua" "$@" >"$work/.out" 2>"$work/.err" </dev/null)
    code=$?
    out=$(cat "$work/.out")
    err=$(cat "$work/.err")
}

read_from() { # read_from PATH: a line of Lua
    echo "print(require('muslin').mesh.load('$1').vertex_count)"
}

try "$(read_from "$scene/data/near.obj")"
[ "$code" = 0 ] && [ "$out" = 3 ]
ok $? "a mesh of the scene's folder is read" "$(state)"
try "$(read_from "$scene/data/beside.obj")"
exits 0 "also through a link that stays within it"
for path in "$away/far.obj" "$scene/../away/far.obj" "$scene/data/link.obj" "$scene/data/door/far.obj" /etc/passwd; do
    try "$(read_from "$path")"
    [ "$code" = 3 ] && [[ $err == *"try.lua:1: mesh.load(path): '$path' is outside of what a scene may read"* ]]
    ok $? "not ${path/$work/WORK}" "$(state)"
done
try "$(read_from "$away/far.obj")" --trusted
exits 0 "with --trusted it is"
try 'print(require("muslin").mesh.load(arg[1]).vertex_count)' -- "$away/far.obj"
exits 0 "what the command line names is the user's word"
try 'print(require("muslin").mesh.load(arg[1] .. "/far.obj").vertex_count)' -- "$away"
exits 0 "and what lies in a folder that it names"
try "print(require('muslin').mesh.load('$away/far.obj').vertex_count)" -- "mesh=$away/far.obj"
exits 0 "also behind a name and ="
try "print(require('muslin').mesh.load('$away/../away/far.obj').vertex_count)" -- "$away/other.obj"
exits 3 "but nothing beside it"
for call in "muslin.load('$away/far.obj')" "muslin.audit('$away/far.obj')" "muslin.world {}:restore('$away/far.obj')" \
    "muslin.world {}:obstacle {mesh = muslin.mesh.box {size = {1, 1, 1}}, cache = '$away/far.obj'}"; do
    try "local muslin = require 'muslin' local x = $call"
    [ "$code" = 3 ] && [[ $err == *"is outside of what a scene may read"* ]]
    ok $? "nor by ${call/$work/WORK}" "$(state)"
done

# The error about a missing file names its folder, unless the scene may not read there.
try "$(read_from nosuch.obj)"
[ "$code" = 3 ] && [[ $err == *"try.lua:1: nosuch.obj: cannot be read: No such file or directory (in the working directory $work/cwd)"* ]]
ok $? "a mesh that is not there is reported with the folder" "$(state)"
try "$(read_from data/near.obj)"
[ "$code" = 3 ] && [[ $err == *"mesh.load(path): 'data/near.obj' is not in the working directory ($work/cwd); beside the scene it is '$scene/data/near.obj'"* ]]
ok $? "one that is beside the scene, with its path" "$(state)"
cp "$away/far.obj" "$work/cwd/there.obj"
for path in there.obj not_there.obj nowhere/not_there.obj data/link.obj data/door/nothing.obj; do
    try "$(read_from $path)" --out "$folder"
    [ "$code" = 3 ] && [[ $err == *"try.lua:1: mesh.load(path): '$path' is outside of what a scene may read: its own folder ($scene/), the output folder ($folder)"* ]]
    ok $? "with --out, whether $path is in the working directory is not shown" "$(state)"
done
rm "$work/cwd/there.obj"

write_to() {
    echo "local muslin = require 'muslin' muslin.mesh.grid {nodes = {2, 2}}:save('$1.obj') muslin.world {}:save('$1.muslin')"
}
mkdir -p "$folder/deep"
ln -s "$away" "$folder/door"
ln -s "$away/target.obj" "$folder/link.obj"
ln -s "$away/far.obj" "$folder/far.obj"
try "$(write_to "$folder/deep/mesh")" --out "$folder"
exits 0 "a scene writes into the output folder"
[ -s "$folder/deep/mesh.obj" ] && [ -s "$folder/deep/mesh.muslin" ]
ok $? "and it is there"
try "$(write_to "mesh")"
[ "$code" = 0 ] && [ -s "$work/cwd/mesh.obj" ]
ok $? "without one, into the working directory" "$(state)"
before=$(find "$away" "$scene" -name 'mesh*' | sort; cksum "$away"/*)
for path in "$away/mesh" "$folder/../away/mesh" "$folder/door/mesh" "$folder/link" "$folder/far" "$scene/mesh" "../mesh" \
    "mesh" "nowhere/../../away/mesh"; do
    try "$(write_to "$path")" --out "$folder"
    [ "$code" = 3 ] && [[ $err == *"try.lua:1: mesh:save(path): '$path.obj' is outside of where a scene may write"* ]]
    ok $? "not to ${path/$work/WORK}" "$(state)"
done
try "require('muslin').world {}:save('$away/world.muslin')" --out "$folder"
[ "$code" = 3 ] && [[ $err == *"world: save(path): '$away/world.muslin' is outside of where a scene may write"* ]]
ok $? "nor a world" "$(state)"
after=$(find "$away" "$scene" -name 'mesh*' | sort; cksum "$away"/*)
[ "$before" = "$after" ] && [ "$(ls "$away")" = far.obj ]
ok $? "and nothing was written there" "$(ls -R "$away")"
try "require('muslin').world {}:save(arg[1])" --out "$folder" -- "$away/named.muslin"
[ "$code" = 0 ] && [ -s "$away/named.muslin" ]
ok $? "but a file that the command line names" "$(state)"

# ---- What is there already is overwritten only where muslin wrote it ------------------------------------------------------

cd "$work/cwd" || exit 1
printf 'v 1 2 3\n' >ours.obj && printf '# Blender\nv 1 2 3\n' >theirs.obj && printf 'ply\nformat ascii 1.0\n' >theirs.ply
printf 'a diary' >diary.muslin && : >empty.obj && printf 'notes' >notes.txt && mkdir folder.obj
saves() { # saves CODE TEXT LUA: from the scene's working directory
    try "local muslin = require 'muslin' local m, w = muslin.mesh.grid {nodes = {2, 2}}, muslin.world {} $3 w:close()"
    [ "$code" = "$1" ] && [[ $err == *"$2"* ]]
    ok $? "saves $3" "$(state)"
}
before=$(cksum theirs.* diary.muslin notes.txt)
saves 3 "mesh:save(path): 'theirs.obj' is there and is no file that muslin writes under such a name" "m:save('theirs.obj')"
saves 3 "'theirs.ply' is there and is no file that muslin writes" "m:save('theirs.ply')"
saves 3 "'diary.muslin' is there and is no file that muslin writes" "w:save('diary.muslin')"
saves 3 "world: save(path): the name must end in '.muslin' (got 'world.txt')" "w:save('world.txt')"
saves 3 "'notes.txt' is there and is no file that muslin writes" "w:save('notes.txt')"
saves 3 "'folder.obj' is there" "m:save('folder.obj')"
saves 3 "the path contains a zero byte (after 'new.obj')" "m:save('new.obj\\0.txt')"
saves 3 "the path contains a zero byte (after 'new')" "w:save('new\\0.muslin')"
saves 3 "the path contains a zero byte" "print(muslin.mesh.load('ours.obj\\0'))"
saves 3 "the path contains a zero byte" "print(muslin.audit('ours.obj\\0'))"
[ "$before" = "$(cksum theirs.* diary.muslin notes.txt)" ] && [ ! -e new ] && [ ! -e new.obj ] && [ ! -e world.txt ]
ok $? "and none of them was touched" "$(ls -la)"
saves 0 "" "m:save('ours.obj') m:save('ours.obj') m:save('empty.obj') w:save('w.muslin') w:save('w.muslin')"
for kind in ply stl vtp usda; do saves 0 "" "m:save('again.$kind') m:save('again.$kind')"; done
cp "$scene/try.lua" "$work/cwd/self.lua"
echo "require('muslin').world {}:save('self.lua')" >self.lua
"$muslin" run self.lua >"$work/.out" 2>"$work/.err"
code=$? err=$(cat "$work/.err") out=
[ "$code" = 3 ] && grep -q require self.lua
ok $? "a scene does not write over its own script" "$(state)"
cd "$OLDPWD" || exit 1

# Golden states lie beside the script, not at the target of a link in the repository.
mkdir -p "$work/golden/golden" && echo secret >"$work/secret.txt"
ln -s "$work/secret.txt" "$work/golden/golden/state_test.state.txt"
cat >"$work/golden/state_test.lua" <<'L'
scenario("state", function() print(pcall(require("muslin.support").golden_read, "state")) error("x") end)
L
run test "$work/golden/state_test.lua"
[[ $out == *"is a link to a file outside of the script's folder, and is not read"* ]] && [[ $out != *secret$'\n'* ]]
ok $? "a golden state that is a link is not read" "$(state)"
mkdir "$work/outside" && rm -r "$work/golden/golden" && ln -s "$work/outside" "$work/golden/golden"
sed -i 's/golden_read, "state"/golden_write, "state", "text"/' "$work/golden/state_test.lua"
run test --update-golden "$work/golden/state_test.lua"
[[ $out == *"outside of the script's folder, and is not written to"* ]] && [ "$(ls "$work/outside")" = "" ]
ok $? "nor is one written to the target of a link" "$(state)"

# A second process swaps a folder for a link, again and again: what was judged is what is used.
mkdir -p "$work/swap/data" "$work/swap/real" "$work/swap/aim"
cp "$scene/data/near.obj" "$work/swap/real/mesh.obj"
printf 'v 7 7 7\nv 8 7 7\nv 7 8 7\nv 8 8 7\nf 1 2 3\nf 2 4 3\n' >"$work/swap/aim/mesh.obj"
cat >"$work/swap/scene.lua" <<'L'
local muslin = require "muslin"
local mesh, seen = muslin.mesh.grid { nodes = {2, 2} }, {}
for k = 1, 4000 do
    local ok, text = pcall(muslin.mesh.load, (arg[0]:gsub("scene.lua", "data/mesh.obj")))
    seen[ok and "read" or text:match("outside") or "not there"] = true
    pcall(mesh.save, mesh, "deep/mesh.obj")
    if ok and text.vertex_count ~= 3 then print("OUTSIDE_READ") break end
end
for what in pairs(seen) do print(what) end
L
cat >"$work/swap.py" <<'P'
import os, sys
swap, out = sys.argv[1:3]
while not os.path.exists(swap + "/stop"):
    for name, targets in ((swap + "/scene/data", (swap + "/scene/real", swap + "/aim")), (out + "/deep", (out + "/inside", swap + "/away"))):
        for target in targets:
            try:
                os.symlink(target, name + ".new")
                os.rename(name + ".new", name)
            except OSError:
                pass
P
if type python3 >/dev/null 2>&1; then
    mkdir "$work/race" "$work/race/out"
    mkdir -p "$work/race/scene/real" "$work/race/out/inside" "$work/race/away" "$work/race/aim"
    cp "$work/swap/real/mesh.obj" "$work/race/scene/real" && cp "$work/swap/aim/mesh.obj" "$work/race/aim" && cp "$work/swap/scene.lua" "$work/race/scene"
    python3 "$work/swap.py" "$work/race" "$work/race/out" &
    swapper=$!
    for _ in {1..100}; do [ -L "$work/race/scene/data" ] && break; sleep 0.1; done
    (cd "$work/race/out" && "$muslin" run ../scene/scene.lua >"$work/.out" 2>"$work/.err")
    code=$? out=$(cat "$work/.out") err=$(cat "$work/.err")
    touch "$work/race/stop"
    wait $swapper
    [ "$code" = 0 ] && [[ $out == *outside* && $out == *read* && $out != *OUTSIDE_READ* ]] && [ "$(ls "$work/race/away")" = "" ]
    ok $? "a folder that becomes a link between check and use gives nothing away" "$(state); $(ls -R "$work/race")"
else
    skip "a folder that becomes a link" "python3 swaps it"
fi

# ---- Words of a case come from a plan or a file, and give no leave --------------------------------------------------------

mkdir -p "$work/plans"
cat >"$work/plans/reads.lua" <<'L'
local m = require "muslin"
local o = m.arguments { mesh = "", save = "" }
local w = m.world { duration = 0.02 }
w:cloth { mesh = m.mesh.load(o.mesh) }
if o.save ~= "" then w:save(o.save) end
return w
L
cat >"$work/plans/plan.lua" <<L
return { scene = "reads.lua", list = { { mesh = "$away/far.obj", save = "$away/saved.muslin" } } }
L
run sweep "$work/plans/plan.lua" --out "$work/plans/out" --quiet
[ "$code" = 3 ] && [[ $err == *"mesh.load(path): '$away/far.obj' is outside of what a scene may read"* ]]
ok $? "a plan's values name no files" "$(state)"
run run --case "$work/plans/out/cases.jsonl:1" --out "$work/plans/case" --quiet
[ "$code" = 3 ] && [[ $err == *"mesh.load(path): '$away/far.obj' is outside of what a scene may read"* ]]
ok $? "nor a line of cases.jsonl" "$(state)"
run run --case "$work/plans/out/cases.jsonl:1" --out "$work/plans/case" --quiet -- "$away/far.obj"
[ "$code" = 3 ] && [[ $err == *"world: save(path): '$away/saved.muslin' is outside of where a scene may write"* ]] && [ ! -e "$away/saved.muslin" ]
ok $? "but for what its own command line names" "$(state)"
(cd "$away" && "$muslin" sweep "$work/plans/plan.lua" --out "$work/plans/out" --quiet -- far.obj "save=saved.muslin") >"$work/.out" 2>"$work/.err"
code=$? out=$(cat "$work/.out") err=$(cat "$work/.err")
[ "$code" = 0 ] && [ -s "$away/saved.muslin" ] && grep -q '"finished"' "$work/plans/out/runs/1/manifest.json"
ok $? "and what the sweep's does" "$(state); $(cat "$work/plans/out/case.sh")"
rm -f "$away/saved.muslin"
run run --case "$work/plans/out/cases.jsonl:1" scene.lua --out "$work/plans/case"
exits 2 "a case has a scene of its own"

# ---- Limits: the frames so far stay, whole; the manifest has the reason -------------------------------------------------

story() { # story LUA OPTION...: a scene whose fourth frame does that
    local lua=$1
    shift
    cat >"$scene/story.lua" <<END
local muslin = require "muslin"
local world = muslin.world {dt = 1/60, fps = 60, duration = 1}
world:cloth {mesh = muslin.mesh.grid {nodes = {4, 4}}}
world:on("before_step", function(w) if w.step_index == 3 then $lua end end)
return world
END
    rm -rf "$folder"
    timeout 60 "$muslin" run "$scene/story.lua" --out "$folder" "$@" >"$work/.out" 2>"$work/.err" </dev/null
    code=$?
    out=$(cat "$work/.out")
    err=$(cat "$work/.err")
}

kept() { # kept CODE REASON MESSAGE NAME
    [ "$code" = "$1" ] && [[ $err == *"$3"* ]]
    ok $? "$4: exit code $1" "wanted '$3'; $(state)"
    [ "$(cd "$folder" && echo *)" = "frame_000000.obj frame_000001.obj frame_000002.obj frame_000003.obj frames.mtl manifest.json" ] &&
        [ "$(tail -n 1 "$folder/frame_000003.obj")" = "$(tail -n 1 "$folder/frame_000000.obj")" ] &&
        [ "$(grep -c '"frame":' "$folder/manifest.json")" = 4 ] &&
        grep -q "\"code\": $1, \"reason\": \"$2\"" "$folder/manifest.json"
    ok $? "$4: the frames so far and the reason" "$(ls "$folder"; head -c 400 "$folder/manifest.json")"
}

while IFS= read -r line; do
    story "$line" --time-limit 0.5
    kept 124 "time limit" "time limit of 0.5 s" "$line"
done <<'END'
while true do pcall(function() while true do end end) end
xpcall(error, function() while true do end end)
local x <close> = setmetatable({}, {__close = function() while true do end end})
local s = ('a'):rep(30) s:find(('.-'):rep(30) .. 'b')
while true do pcall(coroutine.wrap(function() while true do end end)) end
END
while IFS= read -r line; do
    message=${line##*-- }
    story "${line%-- *}" --memory-limit 100 --time-limit 50
    kept 3 error "$message" "${line%-- *}"
done <<'END'
table.move({}, 1, 2e9, 2) -- table.move: more than 16777216 items
return ('x'):rep(1e10) -- string.rep: more than 268435456 bytes
local s = 'x' while true do s = s .. s end -- the memory of Lua is limited to 100 MB here (option --memory-limit)
local t = {} for i = 1, 1e6 do t[i] = coroutine.create(print) end -- the memory of Lua is limited to 100 MB here (option --memory-limit)
local t = {} for i = 1, 1e9 do t[i] = i end -- the memory of Lua is limited to 100 MB here (option --memory-limit)
local a = muslin.array(2e8) -- the memory of Lua is limited to 100 MB here (option --memory-limit)
setmetatable({}, {__gc = function() while true do end end}) -- __gc is not available without --trusted
debug.sethook() -- 'debug' is not available to scenes without --trusted
load(string.dump(print)) -- attempt to call a nil value (field 'dump')
assert(load('\27Lua')) -- attempt to load a binary chunk
string.format = print -- the library 'string' cannot be changed
getmetatable('').__index = {} -- attempt to index a boolean value
rawset(table, 'insert', print) -- the library 'table' cannot be changed
getmetatable(w).__index = print -- attempt to index a boolean value
os.execute('touch outside') -- 'os.execute' is not available to scenes without --trusted
require '../away/module' -- require: no module '../away/module'
undeclared = 1 -- assignment to the undeclared variable 'undeclared'
END

run run --memory-limit -1 "$scene/story.lua"
exits 2 "a limit below zero is refused"
prints err "option '--memory-limit' must be a number >= 0 MB" "by name"
echo 'local t = {} for i = 1, 50 do t[i] = ("x"):rep(1e6) .. i end print(#t)' >"$scene/fifty.lua"
run run --memory-limit 20 "$scene/fifty.lua"
exits 3 "50 MB do not fit into 20"
run run --memory-limit 0 "$scene/fifty.lua"
exits 0 "and do where there is no limit"
run run "$scene/fifty.lua"
exits 0 "nor are they too much by default"
echo 'scenario("fifty", function() local t = {} for i = 1, 50 do t[i] = ("x"):rep(1e6) .. i end end)' >"$scene/fifty_test.lua"
echo 'print(pcall(require("muslin").mesh.grid, {nodes = {2000, 2000}}))' >"$scene/large.lua"
run run --memory-limit 100 "$scene/large.lua"
[ "$code" = 0 ] && [[ $out == *"false"*"out of memory: a block of "* ]]
ok $? "a mesh of 190 MB does not fit into 100, and that can be survived" "$(state)"
run run "$scene/large.lua"
[ "$code" = 0 ] && [[ $out == *"true"*"mesh (4000000 vertices"* ]]
ok $? "it does by default" "$(state)"
echo 'require("muslin").mesh.grid {nodes = {18000, 18000}}' >"$scene/huge.lua"
run run --memory-limit 2000 "$scene/huge.lua"
exits 3 "nor one of 20 GB into 2"
prints err "out of memory: a block of [0-9]+ bytes could not be allocated" "with its message"
run test --memory-limit 20 "$scene/fifty_test.lua"
exits 1 "the same for tests"
prints out "not enough memory" "with the reason"

# ---- The same script, the same bits -------------------------------------------------------------------------------------

cat >"$scene/same.lua" <<'END'
local muslin = require "muslin"
local world = muslin.world {dt = 1/120, fps = 60, duration = 0.3}
local cloths, order = {}, {}
for _, name in ipairs {"red", "green", "blue"} do
    cloths[name] = world:cloth {name = name, mesh = muslin.mesh.grid {nodes = {9, 9}, size = {0.3, 0.3},
        center = {math.random() * 0.1, 0.2 + 0.1 * #order, 0}}}
    order[#order + 1] = name
end
world:obstacle {shape = "sphere", radius = 0.1, at = {0, 0, 0}}
local gusts = muslin.random "gusts"
local weights = {} -- by object: pairs goes by age
for name, cloth in pairs(cloths) do weights[cloth] = math.random() + #name end
local beat = coroutine.wrap(function() while true do for k = 1, 3 do coroutine.yield(order[k]) end end end)
world:script(function(w)
    for name, cloth in pairs(cloths) do
        w:wait(gusts:number(0.01, 0.05))
        cloth.v:add {gusts(), 0, #name * 0.01}
    end
    w:wait_until(function() return cloths.red:centroid().y < 0.25 end)
    w.wind = {gusts(), 0, os.clock()}
end)
world:force(function(cloth) cloth.f:add {0, 0, 1e-4 * weights[cloth] * math.random()} end)
world:on("after_step", function()
    local cloth, sum = cloths[beat()], 0
    for key, value in pairs {a = 1, b = 2, [{}] = 3, [1] = 4} do
        sum = sum * 7 + value + (key == 1 and math.random(5) or 0)
    end
    cloth.v:scale(1 - 1e-6 * sum)
end)
return world
END
hashes() { # hashes OPTION...: of every frame
    run run "$scene/same.lua" --json --quiet "$@"
    hashes=$(sed -nE 's/.*"hash": "([0-9a-f]*)".*/\1/p' <<<"$out")
}
hashes
wanted=$hashes
[ "$code" = 0 ] && [ "$(wc -l <<<"$wanted")" = 20 ] && [ "$(sort -u <<<"$wanted" | wc -l)" = 19 ]
ok $? "a scene of pairs, random numbers, coroutines and scripts runs" "$(state)"
for how in "" "--threads 1" "--threads 2" "--threads 3" "--threads 8"; do
    # shellcheck disable=SC2086 # words
    hashes $how
    [ "$hashes" = "$wanted" ]
    ok $? "the same hash of every frame ${how:-again}" "$(state)"
done
MUSLIN_SIMD=baseline hashes
[ "$hashes" = "$wanted" ]
ok $? "and with the baseline's instructions"
hashes --seed 2
[ "$code" = 0 ] && [ "$hashes" != "$wanted" ]
ok $? "another seed gives another"

tap_end
