#!/bin/bash
# The annotations for editors name what there is, neither more nor less.
. "$(dirname "$0")/tap.bash"

run run --trusted tests/lua/annotations.lua
exits 0 "muslin.d.lua has the names of the reference and of the kit"
sed 's/^function World:step/function World:advance_by/' lua_api/muslin.d.lua >"$work/changed.d.lua"
sed "s|lua_api/muslin.d.lua|$work/changed.d.lua|" tests/lua/annotations.lua >"$work/annotations.lua"
run run --trusted "$work/annotations.lua"
exits 3 "a name that differs is found"
prints out 'world:step is not annotated.*world:advance_by is annotated' "and both names are reported"
# Sentences: those of the reference, one for every function.
run run --trusted lua_api/annotate.lua -- lua_api/muslin.d.lua
exits 0 "muslin.d.lua has the sentences of the reference (make annotations)"
sed 's/^---One step of step_size.$/---Two steps./' lua_api/muslin.d.lua >"$work/changed.d.lua"
run run --trusted lua_api/annotate.lua -- "$work/changed.d.lua"
exits 3 "a sentence that differs is found"
prints err 'changed.d.lua:[0-9]+: differs from the reference: make annotations' "with its line and the remedy"
run run --trusted lua_api/annotate.lua -- "$work/changed.d.lua" "$work/mended.d.lua"
cmp -s "$work/mended.d.lua" lua_api/muslin.d.lua
ok $? "and mended"
bare=$(awk '/^function / && before !~ /^---/ {print $2} /^---[^@]/ {sentence = 1} !/^---/ {if (/^function / && !sentence) print $2; sentence = 0} {before = $0}' \
    lua_api/muslin.d.lua | sort -u)
[ -z "$bare" ] && [ "$(grep -c '^function ' lua_api/muslin.d.lua)" -gt 200 ]
ok $? "every function has a sentence" "without: $bare"
if command -v luac5.4 >/dev/null; then
    luac5.4 -p lua_api/muslin.d.lua
    ok $? "muslin.d.lua is Lua"
else
    skip "muslin.d.lua is Lua" "luac5.4 is not installed"
fi

tap_end
