#!/bin/bash
# Fuzzes the library: builds the targets of tests/fuzz (build.sh) under the address and undefined-behavior sanitizers
# and plays them, each from its seeds with a fixed random seed.
#   tests/fuzz/run.sh [--runs N] [--seconds S] [TARGET...]     N inputs or S seconds a target, whichever ends first
# With clang they are guided by coverage (libFuzzer), else by tests/fuzz/driver.c. Inputs that fail are left under
# build/fuzz. A line a target; the last is `N passed, N failed`.
set -u
cd "$(dirname "$0")/../.." || exit 2
runs=-1
seconds=60
targets=()
while [ $# -gt 0 ]; do
    case $1 in
    --runs) runs=$2 && shift ;;
    --seconds) seconds=$2 && shift ;;
    fuzz_*) targets+=("$1") ;;
    *)
        echo "usage: tests/fuzz/run.sh [--runs N] [--seconds S] [TARGET...]" >&2
        exit 2
        ;;
    esac
    shift
done
if [ ${#targets[@]} = 0 ]; then
    for file in tests/fuzz/fuzz_*.c; do
        file=${file##*/}
        targets+=("${file%.c}")
    done
fi

# float-cast-overflow: a number that becomes an index without mus_count_of (base/range.h).
# pointer-overflow: complains about NULL + 0, of lists that are empty.
sanitize="-fsanitize=address,undefined,float-cast-overflow -fno-sanitize=pointer-overflow -fno-sanitize-recover=all"
sanitize="$sanitize -fno-omit-frame-pointer"
clang_only=-Wno-pass-failed # loops that are not vectorized under sanitizers
OUT=$(realpath -m "${BUILD:-build}/fuzz") # a target may change its folder
export OUT
clang=$(command -v clang || command -v clang-14)
if [ -n "$clang" ] && echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n ? 0 : 0; }' |
    $clang -x c -fsanitize=fuzzer - -o /dev/null 2>/dev/null; then
    export CC=$clang CFLAGS="$sanitize $clang_only -fsanitize=fuzzer-no-link" LIB_FUZZING_ENGINE=-fsanitize=fuzzer
else
    export CC=${CC:-gcc} CFLAGS="$sanitize" LIB_FUZZING_ENGINE=
fi
if ! tests/fuzz/build.sh "${targets[@]}"; then
    echo "the fuzz targets could not be built"
    echo "0 passed, ${#targets[@]} failed"
    exit 1
fi

passed=0
failed=0
for target in "${targets[@]}"; do
    corpus=$OUT/${target}_corpus # what was found on the way; begun anew, so that runs are alike
    rm -rf "$corpus"
    mkdir -p "$corpus"
    log=$OUT/$target.log
    longest=$(stat -c %s "$OUT/${target}_seeds"/* | sort -n | tail -n 1)
    if nice -n 10 "$OUT/$target" -seed=1 -runs="$runs" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=4096 \
        -max_len=$((longest + 1024)) -print_final_stats=1 -artifact_prefix="$OUT/${target}_" "$corpus" "$OUT/${target}_seeds" \
        >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "ok: $target: $(grep -oE 'number_of_executed_units: *[0-9]+|Done [0-9]+ runs' "$log" | grep -oE '[0-9]+' | tail -n 1) inputs"
    else
        failed=$((failed + 1))
        echo "FAILED: $target ($log)"
        grep -vE '^#[0-9]+|^INFO' "$log" | head -n 60
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
