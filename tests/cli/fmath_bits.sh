#!/bin/bash
# The elementary functions give the same bits at every optimization level, for every processor level, from every
# compiler, and whatever variants the C library prefers.
set -u
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sources="tests/base/fmath_bits.c src/base/fmath_trig.c src/base/fmath_exp.c src/base/hash.c src/base/rng.c"
flags="-std=c11 -D_GNU_SOURCE -ffp-contract=off -Isrc -Itests/base"

count=0
report() { # status, name
    count=$((count + 1))
    if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

# shellcheck disable=SC2086 # lists of words
gcc $flags -O2 $sources -o "$work/plain" -lm && "$work/plain" >"$work/expected"
report $? "gcc -O2 builds and runs"
lines=$(wc -l <"$work/expected")
[ "$lines" = 9 ]
report $? "nine functions are hashed"

variant() { # name, compiler and flags...
    local name=$1
    shift
    # shellcheck disable=SC2086
    "$@" $flags $sources -o "$work/variant" -lm 2>"$work/log" && "$work/variant" >"$work/got" &&
        diff "$work/expected" "$work/got" >&2
    report $? "$name"
}
variant "gcc -O0" gcc -O0
variant "gcc -O3" gcc -O3
if grep -q -w fma /proc/cpuinfo && grep -q -w avx2 /proc/cpuinfo; then
    variant "gcc -O2 -march=haswell" gcc -O2 -march=haswell
else
    count=$((count + 1))
    echo "ok $count - gcc -O2 -march=haswell # SKIP the processor has no FMA"
fi
if command -v clang >/dev/null; then
    variant "clang -O0" clang -O0
    variant "clang -O2" clang -O2
else
    count=$((count + 1))
    echo "ok $count - clang # SKIP there is none"
fi

GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA,-FMA4 "$work/plain" >"$work/got" &&
    diff "$work/expected" "$work/got" >&2
report $? "without the C library's FMA variants"

# Nothing else of the C library's mathematics is called than these.
nm -u "$build"/obj/src/base/fmath_*.o | awk '$1 == "U" {print $2}' | grep -vxE 'sqrt|floor|memcpy|_GLOBAL_OFFSET_TABLE_' >&2
[ $? = 1 ]
report $? "only sqrt and floor come from the C library"
echo "1..$count"
