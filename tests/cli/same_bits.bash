# same_bits.bash: what determinism.sh and compilers.sh share: scenes played frame by frame, and their hashes compared.
# shellcheck disable=SC2034 # `frames`, `scenes` and `levels` are theirs
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKEOVERRIDES
count=0
frames=12
scenes="02_sphere 03_pile 02_sphere@bridson_source"
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
