#!/bin/bash
# examples/tutorial: every command of its text is run, and prints what the text shows.
. "$(dirname "$0")/tap.bash"
mkdir -p "$work/examples" && cp -r examples/tutorial "$work/examples"
cd "$work" || exit 2

# There is no display here: what would be viewed is played.
while read -r line; do
    read -r -a words <<<"${line/muslin view/muslin run}"
    run "${words[@]:1}"
    exits 0 "$line"
done < <(grep '^muslin ' examples/tutorial/README.md)
[ "$tap_count" -ge 10 ]
ok $? "the text has commands for five steps"

[ "$(grep -vc '^ *\(--.*\)\?$' examples/tutorial/1_hello.lua)" -le 10 ]
ok $? "the first step has ten lines at most"
[ -s out/hello/frame_000090.obj ] && [ -s out/hello/frame_000090.png ]
ok $? "it writes frames and pictures" "$(ls out/hello | tail -n 3)"
run collect out/sweep/runs
prints out 'left behind'$'\n'' *1 +0 +cotton .* 0\.3(60|5999)[0-9]*'$'\n' "without friction the sheet stays where it was"
prints out $'\n'' *7 +0\.4 +cotton .* [0-9.]*e-0[4-9]'$'\n' "with much it comes along"
sed -i 's/^world:respond/-- &/' examples/tutorial/3_rule.lua
run run examples/tutorial/3_rule.lua --quiet
exits 1 "the check of step 3 fails without the rule"
sed -i 's/min(4 \* /min(/' examples/tutorial/sticky.lua
run test examples/tutorial/4_tray_test.lua --quiet
[ "$code" = 1 ] && [[ $out == *"not ok 5 "*"takes along"*"out/failed/4_tray_test-"*".png"* ]]
ok $? "taking the 4 out of the rule fails a scenario, which names its picture" "$(state)"
tap_end
