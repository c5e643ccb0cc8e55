#!/bin/bash
# Scripts that never end or grow without an end, each stopped by the limits; runs that must repeat themselves.
. "$(dirname "$0")/tap.bash"

# Each line is a script that hangs a state with a plain count hook or none at all.
number=0
while IFS= read -r line; do
    [ -n "$line" ] || continue
    number=$((number + 1))
    echo "$line" >"$work/hang.lua"
    start=$(date +%s%N)
    timeout 20 "$muslin" run "$work/hang.lua" --time-limit 0.3 >"$work/.out" 2>"$work/.err" </dev/null
    code=$?
    took=$((($(date +%s%N) - start) / 1000000))
    out=$(cat "$work/.out")
    err=$(cat "$work/.err")
    [ "$code" = 124 ] && [[ $err == *"time limit"* ]] && [ "$took" -lt 8000 ]
    ok $? "ends by the time limit: $line" "after $took ms; $(state)"
done < <(sed "s/^WORLD/local m = require 'muslin' local w = m.world {} local s = w:cloth {mesh = m.mesh.grid {nodes = {4, 4}, center = {0, 1, 0}}} local b = w:obstacle {shape = 'sphere', radius = 0.1}/; s/HANG/while true do end/g" <<'END'
while true do end
while true do pcall(function() while true do end end) end
while true do pcall(error) end
while true do pcall(string.rep, 'x', 1e10) end
xpcall(function() while true do end end, function() while true do end end)
while true do xpcall(error, function() while true do end end) end
coroutine.wrap(function() while true do end end)()
while true do coroutine.resume(coroutine.create(function() while true do end end)) end
local c c = coroutine.wrap(function() while true do pcall(coroutine.yield) end end) while true do c() end
local x <close> = setmetatable({}, {__close = function() while true do end end}) while true do end
local c = coroutine.create(function() local x <close> = setmetatable({}, {__close = function() while true do end end}) coroutine.yield() end) coroutine.resume(c) coroutine.close(c)
table.sort({3, 2, 1, 5, 4}, function() while true do end end)
('x'):rep(100):gsub('.', function() while true do end end)
print(setmetatable({}, {__index = function() while true do end end}).x)
print(setmetatable({}, {__tostring = function() while true do end end}))
for k in pairs(setmetatable({}, {__pairs = function() while true do end end})) do end
local function f() return f() end f()
local function f() f() end while true do pcall(f) end
load(function() while true do end end)
while true do load('x = 1')() end
goto top ::top:: goto top
local a = require 'muslin'.array(1e5) while true do a:sum() end
local t = {} for i = 1, 1e5 do t[i] = i end while true do for k in pairs(t) do end end
local m = require 'muslin' local w = m.world {} while true do w:step() end
local m = require 'muslin' local w = m.world {} w:on('before_step', function() while true do end end) w:step()
local m = require 'muslin' local w = m.world {} w:on('before_step', function() while true do end end) while true do pcall(w.step, w) end
local m = require 'muslin' while true do pcall(m.world, {pipeline = 'x'}) end
local m = require 'muslin' m.array(10):where(function() while true do end end)
local s = ('a'):rep(30) s:find(('.-'):rep(30) .. 'b')
expect(function() while true do end end):raises()
while true do pcall(function() expect(function() while true do end end).never:raises() end) end
WORLD w:script(function() HANG end) w:step()
WORLD w:script(function(w) w:wait_until(function() HANG end) end) w:step() w:step()
WORLD w:force(function() HANG end) w:step()
WORLD w:on('candidate', function() HANG end) w:step()
WORLD w:on('frame', function() HANG end) w:start()
WORLD b:move(function(t) if t > 0 then HANG end return {0, 0, 0} end) w:step()
WORLD s:pin {where = function() HANG end}
WORLD w:respond(m.response {rule = m.rule({trace = false}, function(c) HANG end)}) s.v:add {0, -50, 0} w:advance(1)
require 'muslin'.rule(function(c) HANG end)
require 'muslin'.rule(function(c) while true do pcall(function() return c.gap + 1 end) end end)
require 'muslin'.node_force(function(n) return coroutine.wrap(function() HANG end)() end)
error(setmetatable({}, {__tostring = function() HANG end}))
END
)
[ $number = 43 ]
ok $? "all of them were tried" "$number"

# The same from within a run: it ends with exit code 3 and a message, and the frames before it are there.
while IFS='|' read -r message attack; do
    [ -n "$attack" ] || continue
    rm -rf "$work/out"
    cat >"$work/attack.lua" <<END
local m = require "muslin"
local w = m.world { duration = 0.2 }
local s = w:cloth { mesh = m.mesh.grid { nodes = {4, 4}, center = {0, 1, 0} } }
w:on("after_step", function(_, t) if t > 0.1 then $attack end end)
return w
END
    run run "$work/attack.lua" --out "$work/out" --quiet --memory-limit 100
    [ $code = 3 ] && [[ $err == *"$message"* ]] && [ "$(find "$work/out" -name 'frame_*.obj' | wc -l)" = 7 ] &&
        grep -q '"error"' "$work/out/manifest.json" && [ ! -e "$work/escape.muslin" ]
    ok $? "in a hook: $attack" "$(state); $(ls "$work/out")"
done <<'END'
string.rep: more than|local x = ("x"):rep(1e10)
not enough memory|local t = {} for i = 1, 1e6 do t[i] = coroutine.wrap(function() coroutine.yield() end) t[i]() end
not enough memory|m.rule(function(c) local t = {} for i = 1, 1e7 do t[i] = coroutine.create(print) end end)
more than 20000 operations|m.rule(function(c) local x = c.gap while true do x = x + c.gap end end)
attempt to load a binary chunk|assert(load("\27Lua"))
cannot be changed|string.rep = nil
protected metatable|setmetatable(_G, nil)
attempt to index a boolean|getmetatable("").__index = {}
attempt to index a boolean|getmetatable(s).__index = {}
outside of what a scene may read|m.mesh.load("/etc/passwd")
outside of what a scene may read|m.mesh.load("../../../../../../../../../../etc/passwd")
outside of what a scene may read|m.mesh.load("/nowhere/at/all.obj")
outside of what a scene may read|m.mesh.load("nothing/../../nowhere.obj")
outside of what a scene may read|m.mesh.load("missing/folder/mesh.obj")
stack overflow|local function f() return f() + 1 end f()
END

# And from scenarios and properties: each fails by itself, and what is behind them goes on.
cat >"$work/hostile_test.lua" <<'L'
local m = require "muslin"
local numbers = { n = property.integer(1, 9) }
local function hang() while true do pcall(function() while true do end end) end end
property("hangs", numbers, { time_limit = 0.5 }, hang)
property("hangs as it is made smaller", numbers, { time_limit = 0.5 }, function(c) if c.n < 9 then hang() end error "x" end)
scenario("hangs in a rule", { time_limit = 0.5 }, function() m.rule(function() hang() end) end)
scenario("10 GB", function() return ("x"):rep(1e10) end)
scenario("coroutines", { memory_limit = 20 }, function() local t = {} for i = 1, 1e6 do t[i] = coroutine.create(print) end end)
scenario("away", function() m.world {}:save "../escape.muslin" end)
scenario("goes on", function() end)
L
mkdir "$work/in" && mv "$work/hostile_test.lua" "$work/in"
(cd "$work/in" && timeout 120 "$muslin" test hostile_test.lua --quiet) >"$work/.out" 2>"$work/.err"
code=$? out=$(cat "$work/.out") err=$(cat "$work/.err")
[ $code = 1 ] && [ "$(grep -c '^not ok' "$work/.out")" = 6 ] && grep -q '^ok 7 .*goes on' "$work/.out" &&
    [ "$(grep -c 'time limit of 0.5 s' "$work/.out")" = 3 ] && grep -q 'string.rep: more than' "$work/.out" &&
    grep -q 'not enough memory' "$work/.out" && grep -q 'outside of where a scene may write' "$work/.out" &&
    [ ! -e "$work/escape.muslin" ]
ok $? "hostile scenarios and properties fail one by one" "$(state)"

# And as a case of a sweep.
cat >"$work/case.lua" <<'L'
local m = require "muslin"
local o = m.arguments { hang = 0 }
local w = m.world { duration = 0.2 }
w:cloth { mesh = m.mesh.grid { nodes = {4, 4}, center = {0, 1, 0} } }
w:on("frame", function(_, t) while o.hang == 1 and t > 0.1 do pcall(error) end end)
return w
L
echo "return { scene = 'case.lua', grid = { hang = {0, 1} } }" >"$work/plan.lua"
run sweep "$work/plan.lua" --out "$work/sweep" --engine none
run run --case "$work/sweep/cases.jsonl:2" --out "$work/sweep/runs/2" --time-limit 2 --quiet
exits 124 "a case that hangs ends by its limit"
grep -q '"time limit"' "$work/sweep/runs/2/manifest.json"
ok $? "and its manifest has it" "$(state); $(ls "$work/sweep/runs/2")"

# A finalizer that loops, in a trusted script, which may have one.
echo 'setmetatable({}, {__gc = function() while true do end end})' >"$work/gc.lua"
timeout 20 "$muslin" run --trusted --time-limit 0.3 "$work/gc.lua" >"$work/.out" 2>"$work/.err" </dev/null
code=$? out='' err=$(cat "$work/.err")
[ "$code" != 124 ] || [[ $err == *"time limit"* ]]
ok $? "a looping finalizer ends" "$(state)"

# The same script prints the same in every run, although Lua's hash seed and all addresses differ.
cat >"$work/order.lua" <<'END'
local muslin = require "muslin"
local t, set = {}, {}
for i = 1, 200 do t["key" .. i * 7919 % 1009] = i end
for i = 1, 50 do set[{}] = i set[function() return i end] = -i end
for k, v in pairs(t) do print(k, v) end
for k, v in pairs(set) do print(k, v) end
for k, v in next, {x = 1, y = 2, [print] = 3, [{}] = 4} do print(k, v) end
print({}, print, coroutine.create(print), tostring(muslin.array(3)))
for _, library in ipairs {math, coroutine, utf8, muslin} do
    local keys, names = {}, {}
    for name, f in pairs(library) do if type(f) == "function" then keys[f] = true names[f] = name end end
    keys[ipairs {}] = true
    for f in pairs(keys) do print(names[f]) end
end
-- When a table grows, and so where a list with holes ends, hangs on which fields collide.
local state = 1
local function draw(n) state = (state * 1103515245 + 12345) % 2^31 return state // 65536 % n end
local lengths = {}
for n = 1, 2000 do
    local holes = {}
    for k = 1, 4 + draw(30) do
        local value = draw(3) > 0 and k or nil
        if draw(2) == 0 then holes["field" .. draw(10)] = value else holes[1 + draw(12)] = value end
    end
    lengths[n] = #holes
end
print(table.concat(lengths, " "))
for i = 1, 20 do print(math.random(), math.random(100), math.sin(i), 1.1 ^ i, i ^ 0.5) end
local bits = 0 -- of many powers: few of the C library's differ from one processor to another
for i = 1, 20000 do
    bits = bits * 31 + string.unpack("i8", string.pack("d", (0.5 + i / 7919) ^ (i % 97 / 9 - 4)))
end
print(bits)
local list = {}
for i = 1, 500 do list[i] = {i % 7, i} end
table.sort(list, function(a, b) return a[1] < b[1] end)
for i = 1, 500 do print(list[i][2]) end
END
run run "$work/order.lua"
exits 0 "a script that prints orders and numbers"
first=$out
same=0
for _ in {1..20}; do
    run run "$work/order.lua"
    [ "$out" = "$first" ] || same=1
done
ok $same "it prints the same in each of 20 further runs"
run run --trusted "$work/order.lua"
[ "$out" = "$first" ]
ok $? "and the same with --trusted"

# And where a run is resumed.
cat >"$work/holes.lua" <<'END'
local m = require "muslin"
local w = m.world { duration = 1 }
w:cloth { mesh = m.mesh.grid { nodes = {3, 3}, center = {0, 1, 0} } }
local lists, text = {}, ""
w:on("frame", function()
    for n = 1, 200 do
        local list = lists[n] or {}
        lists[n] = list
        for k = 1, 3 do
            local value = math.random(1, 3) > 1 and k or nil
            if math.random(1, 2) == 1 then
                list["field" .. math.random(1, 10)] = value
            else
                list[math.random(1, 12)] = value
            end
        end
        text = text .. #list .. " "
    end
end)
w:on("done", function() print(text) end)
return w
END
run run "$work/holes.lua" --out "$work/holes" --frames 4 --checkpoint-every 2 --quiet
exits 0 "lists with holes are kept in a checkpoint"
cp -r "$work/holes" "$work/holes4"
resumed='' same=0
for _ in {1..20}; do
    rm -rf "$work/holes" && cp -r "$work/holes4" "$work/holes"
    run run "$work/holes.lua" --out "$work/holes" --frames 12 --resume --quiet
    resumed=${resumed:-$out}
    [ $code = 0 ] && [ -n "$out" ] && [ "$out" = "$resumed" ] || same=1
done
ok $same "20 runs that go on from it print the same" "$(state)"
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-FMA4_Usable,-AVX2,-FMA run run "$work/order.lua"
[ "$out" = "$first" ]
ok $? "and the same bits without the processor's fused operations"
run run --seed 7 "$work/order.lua"
[ "$out" != "$first" ]
ok $? "another seed gives other random numbers"

# Modules: Lua text under the script's folder, by whatever path the script was named; nothing else.
mkdir -p "$work/scene/lib/deep" "$work/outside"
echo 'return {name = ..., path = select(2, ...)}' >"$work/scene/lib/one.lua"
echo 'return "init"' >"$work/scene/lib/deep/init.lua"
echo 'x = ' >"$work/scene/lib/broken.lua"
echo 'local x = nil + 1' >"$work/scene/lib/fails.lua"
echo 'return "outside"' >"$work/outside/two.lua"
ln -s "$work/outside/two.lua" "$work/scene/link.lua"
printf '\033LuaT' >"$work/scene/bytes.lua"
cat >"$work/scene/main.lua" <<'END'
print(require "lib.one".name, require "lib.one" == require "lib.one", require "lib.deep")
for _, name in ipairs {"lib.broken", "lib.fails", "link", "../outside/two", "bytes", "nowhere"} do
    print(name, select(2, pcall(require, name)))
end
END
run run "$work/scene/main.lua"
prints out $'lib.one\ttrue\tinit' "modules beside the script, loaded once"
prints out 'lib.broken.*broken.lua:[12]: unexpected symbol' "a module with a syntax error names its line"
prints out 'lib.fails.*fails.lua:1: attempt to perform arithmetic' "a module that fails names its line"
prints out 'link.*outside of the script' "a link to the outside is refused"
prints out "two.*(no module|outside of)" "a path to the outside is refused"
prints out 'bytes.*binary chunk' "bytecode is refused"
prints out "nowhere.*no module 'nowhere'.*under the script's folder" "a missing module"
(cd "$work/scene" && "$muslin" run main.lua) >"$work/.out" 2>&1
out=$(cat "$work/.out")
prints out $'lib.one\ttrue\tinit' "the same with a script named without its folder"
run run --trusted "$work/scene/main.lua"
prints out $'link\t/?.*two|link\t' "with --trusted the link is followed"

echo 'print(io ~= nil, os.time() > 0, debug ~= nil, load(string.dump(function() return 5 end))())' >"$work/trusted.lua"
run run --trusted "$work/trusted.lua"
[ "$out" = $'true\ttrue\ttrue\t5' ]
ok $? "--trusted gives the whole of Lua" "$(state)"
refuses 3 "trusted.lua:1: 'io' is not available to scenes without --trusted" "without it there is none of that" run "$work/trusted.lua"

tap_end
