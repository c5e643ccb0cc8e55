#!/bin/bash
# `muslin doc`: the reference of Lua names, presets, stages and materials.
. "$(dirname "$0")/tap.bash"

run doc
exits 0 "the list of all there is"
for word in 'lua:' 'preset:' 'integrator:' 'response:' 'material:' 'cotton' 'box_tree' 'robust'; do
    says out "$word" "the list names $word"
done
run doc cotton
[ "$code" = 0 ] && [[ $out == "cotton (material)"* ]] && [[ $out == *"kg/m^2"* ]]
ok $? "a material with its figures and units" "$(state)"
run doc bridson
exits 0 "a stage"
says out 'bridson \(response\)' "with its kind"
run doc none
[ "$(grep -c '^none (' "$work/.out")" -ge 2 ]
ok $? "a name that several kinds share shows all of them" "$(state)"
run doc muslin.mesh.grid
exits 0 "a Lua name"
says out 'nodes' "with its fields"
run doc mesh.grid
says out 'nodes' "without the module's name too"
run doc world:step
exits 0 "a method"
run doc cotton silk
[ "$code" = 0 ] && [[ $out == *cotton* ]] && [[ $out == *silk* ]]
ok $? "several names" "$(state)"
refuses 2 "nothing is called 'coton' \(did you mean 'cotton'\?\)" "a misspelt name is told the nearest" doc coton
refuses 2 "nothing is called 'qqqqqqqqqq'; muslin doc lists" "a name that is near to none" doc qqqqqqqqqq
"$muslin" doc | head -1 >/dev/null
[ "${PIPESTATUS[0]}" = 0 ]
ok $? "a closed pipe is no mistake"
tap_end
