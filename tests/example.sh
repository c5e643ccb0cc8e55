#!/bin/bash
# An example is a test: tests/example.sh examples/NN_name.lua. Plays it to its end, audited in every frame; its own
# closing checks decide, then its frames are searched for what is no number.
set -u
build=${BUILD:-build}
example=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
report() {
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        tail -n 30 "$work/log" | sed 's/^/#   /'
    fi
}
play() { # what, script's arguments...
    local what=$1 frames
    shift
    rm -rf "$work/out"
    "$build/muslin" run "$example" --out "$work/out" --format obj --audit --quiet -- "$@" >"$work/log" 2>&1
    report $? "$what: its checks pass, and the auditor finds nothing in any frame"
    frames=$(find "$work/out" -name 'frame_*.obj' 2>/dev/null | wc -l)
    [ "$frames" -gt 30 ] || echo "$frames frames" >>"$work/log"
    [ "$frames" -gt 30 ]
    report $? "$what: its frames are written"
    # Indices are words of digits, so a letter after a number's start can only be an exponent, nan or inf.
    grep -rliE '^v .*(nan|inf)' "$work/out" >"$work/log"
    [ $? = 1 ]
    report $? "$what: every coordinate is a number"
}

play "$(basename "$example" .lua)"
case $example in
*/07_mesh.lua)
    for mesh in bunny3K camel; do
        path=../shared/data/meshes/$mesh.obj
        if [ -e "$path" ]; then
            play "$mesh" "$path"
        else
            count=$((count + 1))
            echo "ok $count - $mesh # SKIP $path is not there"
        fi
    done
    ;;
esac
echo "1..$count"
