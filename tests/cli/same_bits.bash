# same_bits.bash: what determinism.sh and compilers.sh share: scenes played frame by frame, and their hashes compared.
# shellcheck disable=SC2034 # `frames`, `scenes` and `levels` are theirs
. "$(dirname "${BASH_SOURCE[0]}")/tap.bash"
build=${BUILD:-build}
unset MAKEFLAGS MFLAGS MAKEOVERRIDES
frames=12
scenes="02_sphere 03_pile 02_sphere@bridson_source"
play() { # build folder, scene or scene@pipeline, threads: hashes of frames on stdout
    LUA_CPATH="$1/?.so" LUA_PATH="scripts/?.lua;examples/?.lua" lua5.4 tests/cli/hashes.lua "examples/${2%@*}.lua" "$frames" "$3" \
        $([[ $2 == *@* ]] && echo "${2#*@}") 2>"$work/log"
}
same() { # build folder, scene, threads, name
    play "$1" "$2" "$3" >"$work/got" && diff "$work/$2" "$work/got" >"$work/log"
    ok $? "$2: $4" "$(head -n 12 "$work/log")"
}

levels=
for level in baseline avx2 avx512; do
    MUSLIN_SIMD=$level "$muslin" --version 2>"$work/log" | grep -qx "simd $level" && levels+=" $level"
done
[[ $levels == *baseline* ]]
ok $? "kernels can be chosen:$levels" "$(cat "$work/log")"
