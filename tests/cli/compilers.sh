#!/bin/bash
# The library gives the same bits unoptimised and from the other compiler, with any instruction set that the processor has.
set -u
. "$(dirname "$0")/same_bits.bash"

for scene in $scenes; do
    play "$build" $scene 1 >"$work/$scene" && [ "$(wc -l <"$work/$scene")" = $frames ]
    ok $? "$scene: $frames frames are played" "$(head -n 12 "$work/log")"
done
variant() { # folder, name, make's variables...
    local folder=$1 name=$2
    shift 2
    make -s BUILD="$folder" "$@" "$folder/muslin.so" >"$work/log" 2>&1
    ok $? "$name is built" "$(head -n 12 "$work/log")"
    for scene in $scenes; do
        for level in $levels; do MUSLIN_SIMD=$level same "$folder" $scene 2 "$name, kernels for $level"; done
    done
}
variant "$build/variant-O0" "gcc -O0" CC=gcc OPT=-O0
if command -v clang >/dev/null; then
    variant "$build/variant-clang" "clang -O3 -march=native" CC=clang OPT="-O3 -march=native"
else
    variant "$build/variant-O3" "gcc -O3 -march=native" CC=gcc OPT="-O3 -march=native"
fi
tap_end
