#!/bin/bash
# The annotations for editors name what there is, neither more nor less.
. "$(dirname "$0")/tap.bash"

run run --trusted tests/lua/annotations.lua
exits 0 "muslin.d.lua has the names of the reference and of the kit"
sed 's/^function World:step/function World:stride/' lua_api/muslin.d.lua >"$work/changed.d.lua"
sed "s|lua_api/muslin.d.lua|$work/changed.d.lua|" tests/lua/annotations.lua >"$work/annotations.lua"
run run --trusted "$work/annotations.lua"
exits 3 "a name that differs is found"
says out 'world:step is not annotated.*world:stride is annotated' "and told from both sides"
if command -v luac5.4 >/dev/null; then
    luac5.4 -p lua_api/muslin.d.lua
    ok $? "muslin.d.lua is Lua"
else
    skip "muslin.d.lua is Lua" "luac5.4 is not installed"
fi

tap_end
