#!/bin/bash
# An example is a test: tests/example.sh examples/NN_name.lua, or examples/sources/NAME.lua, which is played in its short
# form. Plays it to its end, audited in every frame; its own closing checks decide, then its frames are searched for what is
# no number. Scenes of the sources are played once more, under bridson: their checks hold there too.
set -u
build=${BUILD:-build}
example=$1
pipeline=()
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
    local what=$1
    shift
    rm -rf "$work/out"
    "$build/muslin" run "$example" --out "$work/out" --format obj --audit --quiet "${pipeline[@]}" -- "$@" >"$work/log" 2>&1
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

play_mesh() { # name of a mesh, what stands before its path, arguments before that...
    local mesh=$1 path=../shared/data/meshes/$1.obj key=$2
    shift 2
    if [ -e "$path" ]; then
        play "$mesh" "$@" "$key$path"
    else
        count=$((count + 1))
        echo "ok $count - $mesh # SKIP $path is not there"
    fi
}
# The script must refuse to end well: its check is one that can fail.
fails() { # what, pattern of the message, script's arguments...
    local what=$1 pattern=$2
    shift 2
    "$build/muslin" run "$example" --quiet -- "$@" >"$work/log" 2>&1
    [ $? != 0 ] && grep -q "$pattern" "$work/log"
    report $? "$what"
}

keeps_gaps() {
    "$build/muslin" run --trusted --quiet tests/scenes/kit/at_rest.lua -- "$example" >"$work/log" 2>&1
    report $? "$name: at rest, 99 of 100 contacts keep half their thickness"
}

name=$(basename "$example" .lua)
case $example in
*/sources/*)
    play "$name" short
    pipeline=(--pipeline bridson)
    case $name in
    bri4_wringing) play "$name under bridson, which does not wind it" short size=1 friction=0.5 ;;
    *) play "$name under bridson" short ;;
    esac
    pipeline=()
    fails "a key that the scene has not is refused, with those it has" "key=value with the keys .*duration.*got 'lenght=1'\|key=value with the keys .*steps.*got 'lenght=1'" lenght=1
    ;;
*) play "$name" ;;
esac
case $name in
01_hello | 02_sphere | 03_pile | 05_tablecloth) keeps_gaps ;;
07_mesh)
    keeps_gaps
    play_mesh bunny3K ""
    play_mesh camel ""
    ;;
aab1_model) play_mesh bunny3K mesh= short ;;
big2_strip) fails "a strip that stays between its guides fails its check" "check failed" short duration=0.2 ;;
bri3_pointed) play_mesh camel mesh= short ;;
bri4_wringing)
    play "without friction" short friction=0
    play "a hem that hangs free" short size=1 friction=0.5
    fails "a sheet that is not wound fails its check" "turn of the cap" short duration=0.8
    ;;
jun3_hit)
    play "5 m/s" short speed=5
    play "500 m/s" short speed=500
    pipeline=()
    fails "a ball that has only touched the sheet fails its check" "displacement of the sheet's middle" short speed=5 duration=0.45
    ;;
pro2_ribbon) fails "a ribbon that stays rumpled fails its check" "folds left" short friction=2 bending=1e-5 ;;
esac
echo "1..$count"
