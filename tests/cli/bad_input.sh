#!/bin/bash
# Bad input: each mistake is reported with field, value and remedy, has its exit code, and loses nothing.
. "$(dirname "$0")/tap.bash"

scene() { # scene NAME: from standard input
    cat >"$work/$1.lua"
}
# world_with BODY: a scene with a small sheet and BODY before `return world`
world_with() {
    printf '%s\n' 'local muslin = require "muslin"' 'local world = muslin.world {duration = 0.1}' \
        'local sheet = world:cloth {name = "sheet", mesh = muslin.mesh.grid {nodes = {4, 4}, size = {1, 1}}}' "$2" \
        'return world' >"$work/$1.lua"
}
bad() { # bad NAME LINE REGEX: a scene that must be refused with 3, naming its line ('' for none)
    local where=""
    [ -n "$2" ] && where="$1\.lua:$2: "
    refuses 3 "$where.*$3" "$1" run "$work/$1.lua" --quiet
}

echo 'local m = require "muslin"
return m.world {dtt = 1}' | scene unknown_key
bad unknown_key 2 "unknown field 'dtt' \(did you mean 'dt'\?\)"
echo 'return require "muslin".world {dt = "fast"}' | scene wrong_type
bad wrong_type 1 "field 'dt' must be .*got 'fast'"
echo 'return require "muslin".world {dt = 0}' | scene zero_dt
bad zero_dt 1 "world: field 'dt' must be > 0 s \(got 0\)"
echo 'return require "muslin".world {dt = -1}' | scene negative_dt
bad negative_dt 1 "world: field 'dt' must be > 0 s \(got -1\)"
echo 'return require "muslin".world {fps = 0/0}' | scene nan_fps
bad nan_fps 1 "world: field 'fps' .*nan"
echo 'return require "muslin".world {pipeline = "robusst"}' | scene pipeline
bad pipeline 1 "'robusst'.*'robust'"
world_with material 'world:cloth {mesh = muslin.mesh.grid {nodes = {3, 3}, size = {1, 1}, center = {0, 1, 0}}, material = "coton"}'
bad material 4 "'coton'.*'cotton'"
world_with nan_position 'sheet.x[3] = {0, 0/0, 0}'
bad nan_position 4 "cloth 'sheet': the position of vertex 3 is not finite"
world_with infinite_velocity 'world:on("before_step", function() sheet.x:get(1); sheet.v:set(2, 1/0, 0, 0) end)'
bad infinite_velocity 4 "cloth 'sheet': the velocity of vertex 2 is not finite.*hook before_step, .*infinite_velocity.lua:4"
world_with nan_wind 'world:force(muslin.wind(function(x, t) return x / (t - t) end))'
bad nan_wind 4 "wind: on face 1 of cloth 'sheet' it must be finite \(got \{-infinite, not a number, -infinite\} m/s, t = 0 s\); keep divisors and roots off 0"
world_with nan_force 'world:force(muslin.node_force(function(n) return n.normal / (n.mass - n.mass) end))'
bad nan_force 4 "node force: the force on vertex 1 of cloth 'sheet' must be finite"
world_with nan_plain_force 'world:force(muslin.node_force({trace = false}, function(n) return n.normal / (n.mass - n.mass) end))'
bad nan_plain_force 4 "node force: the force on vertex 1 of cloth 'sheet' must be finite"
world_with nan_friction 'world:obstacle {name = "floor", shape = "plane", normal = {0, 1, 0}, at = {0, -1e-3, 0}}
world:between({"sheet", "floor"}, {friction = function(c) return c.gap / (c.dt - c.dt) end})'
bad nan_friction 5 "friction: the function for 'sheet' and 'floor' must give a number >= 0 and finite"
world_with nan_spring 'sheet:spring_law(function(s) return s.strain / (s.rest - s.rest) end)'
bad nan_spring 4 "spring law: the function must give a finite tension .*got not a number for the structural spring"
world_with few_nodes 'muslin.mesh.grid {nodes = {1, 5}, size = {1, 1}}'
bad few_nodes 4 "mesh.grid: field 'nodes' must be at least 2 x 2 \(got 1 x 5\)"

world_with missing_mesh 'muslin.mesh.load("nothere.obj")'
bad missing_mesh 4 "nothere.obj"
printf 'v 0 0 0\nv 1 0 0\nv 0 1' >"$work/cut.obj"
world_with truncated_obj "muslin.mesh.load('$work/cut.obj')"
bad truncated_obj 4 "cut.obj:3: "
printf 'ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n1234567' >"$work/cut.ply"
world_with truncated_ply "muslin.mesh.load('$work/cut.ply')"
bad truncated_ply 4 "cut.ply"
head -c 100 /dev/zero >"$work/cut.stl"
printf '\377\000\000\000' | dd of="$work/cut.stl" bs=1 seek=80 conv=notrunc 2>/dev/null
world_with truncated_stl "muslin.mesh.load('$work/cut.stl')"
bad truncated_stl 4 "cut.stl"
printf 'v 0 0 0\nv 1 0 0\nv nan 1 0\nf 1 2 3\n' >"$work/nan.obj"
world_with nan_mesh "muslin.mesh.load('$work/nan.obj')"
bad nan_mesh 4 "nan.obj"
world_with non_manifold 'world:cloth {mesh = muslin.mesh.new {vertices = {{0,2,0},{1,2,0},{0,2,1},{0,3,0},{0,1,0}}, faces = {{1,2,3},{1,2,4},{1,2,5}}}}'
bad non_manifold 4 "face 3|faces .*3"
world_with zero_area 'world:cloth {mesh = muslin.mesh.new {vertices = {{0,2,0},{1,2,0},{2,2,0},{0,2,1}}, faces = {{1,2,4},{1,2,3}}}}'
bad zero_area 4 "face 2"
world_with bad_index 'muslin.mesh.new {vertices = {{0,2,0},{1,2,0},{2,2,0}}, faces = {{1,2,9}}}'
bad bad_index 4 "9"

echo 'local x = = 3' | scene syntax
bad syntax 1 "unexpected symbol"
printf '\033Luabytecode' | scene bytecode
bad bytecode "" "text|bytecode|binary"
printf '%s\n' 'local muslin = require "muslin"' 'return muslin.nothing.more' | scene nil_index
bad nil_index 2 "nothing|nil"
world_with hook_error 'world:on("before_step", function(w, t)
    local deep = nil
    return deep.field
end)'
bad hook_error 6 "attempt to index a nil value"
prints err 'stack traceback:' "hook_error: a traceback"
prints err "hook_error.lua:6: in " "hook_error: with the scene's line"
[[ $err != *"[C]: in ?"* ]]
ok $? "hook_error: without lines that say nothing" "$err"
world_with frame_error 'world:on("frame", function(w, t) if t > 0.05 then error("enough") end end)'
run run "$work/frame_error.lua" --out "$work/kept" --quiet
exits 3 "an error in frame 4"
n=$(find "$work/kept" -name 'frame_*.obj' | wc -l)
[ "$n" = 4 ] && grep -q '"reason": "error"' "$work/kept/manifest.json" && grep -q 'enough' "$work/kept/manifest.json"
ok $? "keeps the frames before it, and the manifest has the reason" "$n frames; $(grep '"exit"' "$work/kept/manifest.json")"

world_with endless_hook 'world:on("before_step", function() while true do end end)'
run run "$work/endless_hook.lua" --time-limit 1 --quiet --out "$work/endless"
exits 124 "a hook that never ends"
prints err 'time limit of 1 s' "endless_hook: and reports it"
prints err 'endless_hook.lua:4; ' "endless_hook: with the line that did not end"
grep -q '"reason": "time limit"' "$work/endless/manifest.json" && [ -f "$work/endless/frame_000000.obj" ]
ok $? "endless_hook: what was written is kept"
world_with endless_pcall 'world:on("before_step", function() while true do pcall(function() while true do end end) end end)'
run run "$work/endless_pcall.lua" --time-limit 1 --quiet
exits 124 "a hook that never ends within pcall"
echo 'while true do end' | scene endless_script
run run "$work/endless_script.lua" --time-limit 1 --quiet
exits 124 "a script that never ends"
echo 'local t = setmetatable({}, {__gc = function() while true do end end})' | scene endless_gc
run run "$work/endless_gc.lua" --time-limit 1 --quiet
[ "$code" = 124 ] || [ "$code" = 3 ]
ok $? "a finaliser that never ends" "$(state)"

world_with stale 'world:remove(sheet); local v = sheet.x[1]'
bad stale 4 "removed"
world_with closed 'world:close(); sheet:pin {vertices = {1}}'
bad closed 4 "closed"
world_with closed_world 'world:close()'
bad closed_world "" "closed"
world_with closed_later 'world:on("frame", function(w) w:close() end)'
bad closed_later "" "closed|clos"
world_with overlap 'world:cloth {name = "other", mesh = muslin.mesh.grid {nodes = {4, 4}, size = {1, 1}, plane = "xy"}}'
bad overlap "" "face [0-9]+ of .*'?sheet'?.*face [0-9]+ of .*'?other'?|face.*face"
prints err "muslin: [^ ]*overlap.lua: " "overlap: the script is named"
prints err "sheet" "overlap: the one is named"
prints err "other" "overlap: the other is named"
world_with inside 'world:obstacle {name = "ball", shape = "sphere", radius = 0.2}'
bad inside "" "ball"

echo 'return io.open("/etc/passwd")' | scene forbidden
bad forbidden 1 "io|passwd|attempt"
echo 'os.execute("true")' | scene execute
bad execute 1 "'os.execute' is not available to scenes without --trusted"
run run "$work/execute.lua" --trusted --quiet
exits 0 "--trusted gives it"

world_with fine ''
touch "$work/file"
refuses 3 "output folder '.*file': .*--out" "an output folder that is a file" run "$work/fine.lua" --out "$work/file"
refuses 3 "output folder '.*file/below': " "an output folder below a file" run "$work/fine.lua" --out "$work/file/below"
if [ -d /proc/self ]; then
    refuses 3 "output folder '/proc/muslin': " "an output folder that cannot be made" run "$work/fine.lua" --out /proc/muslin
fi
if [ "$(id -u)" != 0 ]; then
    mkdir "$work/closed" && chmod a-w "$work/closed"
    refuses 3 "closed" "an output folder that is not writable" run "$work/fine.lua" --out "$work/closed"
else
    # as root only a folder of the kernel's refuses files
    refuses 3 "output folder .*/proc/self. is not writable" "an output folder that is not writable" run "$work/fine.lua" --out /proc/self
fi

# A disk that fills up: frames written so far stay whole, no temporary file stays, the manifest records the failure.
disk=$work/disk
mkdir "$disk"
if mount -t tmpfs -o size=64k tmpfs "$disk" 2>/dev/null; then
    run run "$work/fine.lua" --out "$disk/run" --quiet --frames 100
    exits 3 "a full disk"
    prints err 'No space left' "full disk: reported"
    n=$(find "$disk/run" -name 'frame_*.obj' | wc -l)
    [ "$n" -gt 1 ] && [ "$n" -lt 101 ]
    ok $? "full disk: the frames before it are there" "$n"
    [ "$(find "$disk/run" -type f ! -name 'frame_*.obj' ! -name frames.mtl ! -name manifest.json)" = "" ]
    ok $? "full disk: no temporary files" "$(ls -la "$disk/run")"
    whole=$((n < 2))
    for frame in "$disk/run"/frame_*.obj; do
        cmp -s <(grep -c '^f ' "$frame") <(grep -c '^f ' "$disk/run/frame_000000.obj") || whole=1
    done
    ok $whole "full disk: every frame is whole"
    grep -q '"exit": {"code": 3, "reason": "error", "message": ".*No space' "$disk/run/manifest.json"
    ok $? "full disk: the manifest has it" "$(grep -h '"exit"' "$disk/run/manifest.json") $(ls -la "$disk/run" | tail -3)"
    umount "$disk"
else
    skip "a full disk" "no right to mount a small tmpfs"
fi
tap_end
