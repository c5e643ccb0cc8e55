#!/bin/bash
# Builds every target of tests/fuzz, fuzz_*.c, and its seed corpus: for OSS-Fuzz, which gives CC, CFLAGS,
# LIB_FUZZING_ENGINE and OUT (and WORK), and for tests/fuzz/run.sh. From the repository root or anywhere.
#   tests/fuzz/build.sh [TARGET...]
# Without LIB_FUZZING_ENGINE the targets get tests/fuzz/driver.c, which needs no clang.
set -eu
cd "$(dirname "$0")/../.."
: "${CC:=cc}" "${CFLAGS:=}" "${OUT:=build/fuzz}" "${LIB_FUZZING_ENGINE:=}"
work=${WORK:-$OUT}/objects
work=${work#"$PWD"/} # the Makefile knows folders of the tree by this name alone
mkdir -p "$OUT" "$work"

targets=("$@")
if [ ${#targets[@]} = 0 ]; then
    for file in tests/fuzz/fuzz_*.c; do
        file=${file##*/}
        targets+=("${file%.c}")
    done
fi

touch "$work/.deps" # what is missing is the image's business
lua=
for target in "${targets[@]}"; do
    ! grep -q '^.*fuzz-links: lua' "tests/fuzz/$target.c" || lua="$work/muslin.so"
done
# shellcheck disable=SC2086 # words
make -s -j"${JOBS:-$(nproc)}" BUILD="$work" CC="$CC" OPT=-O1 CFLAGS="$CFLAGS" "$work/libmuslin.a" $lua >&2
flags="-std=c11 -D_GNU_SOURCE -ffp-contract=off -O1 -g -pthread -Isrc -Ilua_api $CFLAGS"
libraries="$work/libmuslin.a -lcxsparse -lminizip -lturbojpeg -ljansson -lxxhash -lm"

# shellcheck disable=SC2086 # words
$CC $flags tests/fuzz/make_seeds.c $libraries -o "$work/make_seeds"
for target in "${targets[@]}"; do
    engine=$LIB_FUZZING_ENGINE
    [ -n "$engine" ] || engine=tests/fuzz/driver.c
    extra=
    if grep -q '^.*fuzz-links: lua' "tests/fuzz/$target.c"; then
        extra="$(echo "$work"/obj/lua_api/*.o "$work"/obj/lua_api/*/*.o) $(pkg-config --cflags --libs lua5.4 jansson)"
    fi
    # shellcheck disable=SC2086 # words
    $CC $flags "tests/fuzz/$target.c" $engine $extra $libraries -o "$OUT/$target"
    rm -rf "$OUT/${target}_seeds"
    mkdir -p "$OUT/${target}_seeds"
    "$work/make_seeds" "$OUT/${target}_seeds" "$target"
    if [ -n "${FUZZING_ENGINE:-}" ]; then # OSS-Fuzz: a corpus is an archive beside its target
        (cd "$OUT/${target}_seeds" && zip -q -r "../${target}_seed_corpus.zip" .)
    fi
done
