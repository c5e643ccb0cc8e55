#!/bin/bash
# tests/bench/frames.lua, which `make bench` plays every example with: a row of figures for each, and a file of frames.
. "$(dirname "$0")/tap.bash"

for scene in examples/0[1-9]_*.lua; do
    name=$(basename "$scene" .lua)
    run run --trusted --quiet --threads 1 --out "$work/out" tests/bench/frames.lua -- "$scene" 2 "$work/frames.csv"
    # name, vertices, frames, four times (the last as a rate), contacts, MB, nine phases
    [ "$code" = 0 ] && awk -v name="$name" '
        NR == 1 { good = NF == 18 && $1 == name && $2 > 0 && $3 == 2 && $4 > 0 && $6 >= $4 && $9 > 1 }
        END { exit !(good && NR == 1) }' "$work/.out"
    ok $? "$name has its row" "$(state)"
    [ "$(grep -c "^$name," "$work/frames.csv")" = 2 ]
    ok $? "and a line for each frame" "$(cat "$work/frames.csv")"
done
run run --trusted --quiet tests/bench/frames.lua
[ "$code" = 3 ] && [[ $err == *"usage: frames.lua SCENE.lua"* ]]
ok $? "without a scene it tells how it is used" "$(state)"
tap_end
