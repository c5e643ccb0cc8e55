#!/bin/bash
# The same scene gives the same bits: in two runs, for any number of threads, with any instruction set that the processor
# has, unoptimised, and from the other compiler.
set -u
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKEOVERRIDES
count=0
report() {
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        [ -s "$work/log" ] && head -n 12 "$work/log" | sed 's/^/#   /'
    fi
}
play() { # build folder, scene or scene@pipeline, threads: hashes of frames on stdout
    LUA_CPATH="$1/?.so" LUA_PATH="scripts/?.lua;examples/?.lua" lua5.4 tests/cli/hashes.lua "examples/${2%@*}.lua" "$frames" "$3" \
        $([[ $2 == *@* ]] && echo "${2#*@}") 2>"$work/log"
}
same() { # build folder, scene, threads, name
    play "$1" "$2" "$3" >"$work/got" && diff "$work/$2" "$work/got" >"$work/log"
    report $? "$2: $4"
}

levels=
for level in baseline avx2 avx512; do
    MUSLIN_SIMD=$level "$build/muslin" --version 2>"$work/log" | grep -qx "simd $level" && levels+=" $level"
done
[[ $levels == *baseline* ]]
report $? "kernels can be chosen:$levels"

frames=30
scenes="02_sphere 03_pile 02_sphere@bridson_source"
for scene in $scenes; do
    play "$build" $scene 1 >"$work/$scene" && [ "$(wc -l <"$work/$scene")" = $frames ]
    report $? "$scene: $frames frames are played"
    # Or there was nothing to be different about.
    [ "$(cut -f 2 "$work/$scene" | sort -u | wc -l)" = $frames ] && grep -q contacts "$work/$scene"
    report $? "$scene: every frame is another state, and there are contacts"
    same "$build" $scene 1 "a second run"
    for threads in 2 3 8; do same "$build" $scene $threads "$threads threads"; done
    for level in $levels; do MUSLIN_SIMD=$level same "$build" $scene 2 "kernels for $level"; done
done

variant() { # folder, name, make's variables...
    local folder=$1 name=$2
    shift 2
    make -s BUILD="$folder" "$@" "$folder/muslin.so" >"$work/log" 2>&1
    report $? "$name is built"
    for scene in $scenes; do
        for level in $levels; do MUSLIN_SIMD=$level same "$folder" $scene 2 "$name, kernels for $level"; done
    done
}
frames=12
for scene in $scenes; do
    head -n $frames "$work/$scene" >"$work/head" && mv "$work/head" "$work/$scene"
done
variant "$build/variant-O0" "gcc -O0" CC=gcc OPT=-O0
if command -v clang >/dev/null; then
    variant "$build/variant-clang" "clang -O3 -march=native" CC=clang OPT="-O3 -march=native"
else
    variant "$build/variant-O3" "gcc -O3 -march=native" CC=gcc OPT="-O3 -march=native"
fi
echo "1..$count"
