#!/bin/bash
# The same scene gives the same bits: in two runs, for any number of threads, with any instruction set that the processor
# has. compilers.sh: unoptimised, and from the other compiler.
set -u
. "$(dirname "$0")/same_bits.bash"

frames=16
for scene in $scenes; do
    play "$build" $scene 1 >"$work/$scene" && [ "$(wc -l <"$work/$scene")" = $frames ]
    ok $? "$scene: $frames frames are played" "$(head -n 12 "$work/log")"
    # Or there was nothing to be different about.
    [ "$(cut -f 2 "$work/$scene" | sort -u | wc -l)" = $frames ] && grep -q contacts "$work/$scene"
    ok $? "$scene: every frame is another state, and there are contacts" "$(head -n 12 "$work/log")"
    same "$build" $scene 1 "a second run"
    for threads in 2 3 8; do same "$build" $scene $threads "$threads threads"; done
    for level in $levels; do MUSLIN_SIMD=$level same "$build" $scene 2 "kernels for $level"; done
done
tap_end
