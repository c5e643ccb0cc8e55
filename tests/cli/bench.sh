#!/bin/bash
# tests/bench/frames.lua, which `make bench` plays every example with: a row of figures for each, and a file of frames;
# and what build/bench prints of energies.
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
ok $? "without a scene it prints its usage" "$(state)"

# A sheet falls for four frames: it starts with as much under each pipeline, and gains nothing.
bench=$(dirname "$muslin")/bench
if [ -x "$bench" ]; then
    for pipeline in robust offset; do
        "$bench" --energy --frames 4 --pipeline $pipeline sphere >"$work/energy" 2>&1
        awk '/energy at the start/ {
                for (i = 1; i < NF; i++) if ($i == "before") rise = $(i + 1)
                good = $6 == "1.6677" && $11 > 0.99 && $11 <= 1 && rise != "" && rise < 1e-9
            }
            END { exit !good }' "$work/energy"
        ok $? "--energy under $pipeline: a fall gains none" "$(cat "$work/energy")"
    done
    "$bench" --energy --frames 20 --pipeline sequential sphere >"$work/energy" 2>&1
    awk '/most after it/ { seen = 1; exit !($11 > 1) } END { if (!seen) exit 1 }' "$work/energy"
    ok $? "and the energy that an impact gains under sequential is printed" "$(cat "$work/energy")"
    "$bench" --energy --frames 20 sphere >"$work/energy" 2>&1
    awk '/most after it/ { seen = 1; exit !($11 <= 1) } END { if (!seen) exit 1 }' "$work/energy"
    ok $? "under robust it gains none" "$(cat "$work/energy")"
    "$bench" sphere --frames 4 --energy >"$work/energy" 2>&1
    grep -q 'energy at the start' "$work/energy" && ! grep -q 'in frame [5-9]\|in frame [1-9][0-9]' "$work/energy"
    ok $? "options may follow their cases" "$(cat "$work/energy")"
    for wrong in '--frames 2x' '--threads 0' '--nosuch' 'nosuch'; do
        # shellcheck disable=SC2086 # an option and its value
        "$bench" $wrong sphere --frames 1 >"$work/out.txt" 2>"$work/wrong"
        [ $? = 2 ] && [ ! -s "$work/out.txt" ] && grep -qi "bench.*${wrong##*[ -]}" "$work/wrong"
        ok $? "$wrong is refused before anything is played" "$(cat "$work/wrong")"
    done
else
    skip "--energy" "$bench is not built"
fi
tap_end
