#!/bin/bash
# The command line itself: commands, options, help, and messages about mistakes.
. "$(dirname "$0")/tap.bash"

echo 'return nil' >"$work/empty.lua"
scene=$work/empty.lua

run --help
exits 0 "--help"
prints out 'muslin run|run SCENE.lua' "--help lists the commands"
[ -z "$err" ]
ok $? "--help goes to standard output only" "$(state)"
for command in view run test audit compare repl doc; do
    run $command --help
    [ "$code" = 0 ] && [[ $out == "usage: muslin $command"* ]] && [[ $out == *--help* ]]
    ok $? "$command --help" "$(state)"
done
run sweep --help
[[ $out == *"cases at a time"* ]] && [[ $out != *scenario* ]]
ok $? "the help of a command states what options mean to it, not to others" "$(state)"
run "$scene" --help
exits 0 "--help after a scene"
run --version
exits 0 "--version"
prints out 'muslin [0-9]+\.[0-9]+\.[0-9]+' "--version prints the version"
prints out 'Lua 5\.4' "--version prints Lua's"
MUSLIN_SIMD=baseline run --version
prints out $'\nsimd baseline\n' "MUSLIN_SIMD chooses the kernels"
MUSLIN_SIMD=mmx run --version
exits 2 "MUSLIN_SIMD=mmx"
prints err "MUSLIN_SIMD.*baseline, avx2 or avx512.*'mmx'" "and the message names what there is"

run
exits 2 "no arguments"
prints err 'usage: muslin' "no arguments: usage on standard error"

refuses 2 "unknown command 'rnu' \(did you mean 'run'\?\)" "a misspelt command is named with the nearest" rnu "$scene"
refuses 2 "unknown option '--thread-count'" "an unknown option" run "$scene" --thread-count 3
refuses 2 "unknown option '--junti' \(did you mean '--junit'\?\)" "a misspelt option is named with the nearest" test --junti x .
refuses 2 "unknown option '--frame' \(did you mean '--frames'\?\)" "the beginning of an option is not the option" run "$scene" --frame 3
refuses 2 "unknown option '--thr' \(did you mean '--threads'\?\)" "nor with a value behind =" run "$scene" --thr=3
refuses 2 "unknown option '--versio' \(did you mean '--version'\?\)" "nor of --version" --versio
refuses 2 "unknown option '--sweep'" "an option with a value is named without it" run --sweep=3 "$scene"
refuses 2 "unknown option '-z'" "an unknown short option" run -z "$scene"
refuses 2 "'--junit' is none of muslin run but of: test" "an option of another command" run --junit x "$scene"
refuses 2 "'--frames' needs a value" "an option without its value" run "$scene" --frames
refuses 2 "'--json' takes no value" "a value where none is taken" run "$scene" --json=yes
refuses 2 "'--frames' must be a whole number from 0 .*got 'ten'" "--frames ten" run "$scene" --frames ten
refuses 2 "'--frames' must be .*got '-1'" "--frames -1" run "$scene" --frames -1
refuses 2 "'--frames' must be .*got '1e3x'" "--frames 1e3x" run "$scene" --frames 1e3x
refuses 2 "'--seconds' must be a number >= 0 s \(got 'nan'\)" "--seconds nan" run "$scene" --seconds nan
refuses 2 "'--time-limit' must be a number > 0 s" "--time-limit 0" run "$scene" --time-limit 0
refuses 2 "'--threads' must be" "--threads -2" run "$scene" --threads=-2
refuses 2 "'--seed' must be" "--seed 99999999999999999999999" run "$scene" --seed 99999999999999999999999
refuses 2 "'--size' must be" "--size 0x0" run "$scene" --size 0x0 --format png --out "$work/o"
refuses 2 "'--frames' and '--seconds' exclude" "--frames with --seconds" run "$scene" --frames 3 --seconds 3
refuses 2 "unknown format 'fbx' \(there are: obj" "an unknown format" run "$scene" --format obj,fbx --out "$work/o"
refuses 2 "unknown format ''" "an empty word in --format" run "$scene" --format obj, --out "$work/o"
refuses 2 "'--format' needs '--out" "--format without --out" run "$scene" --format obj
refuses 2 "'--size' applies to pictures" "--size without pictures" run "$scene" --size 64x64 --out "$work/o"
refuses 2 "'--tolerance' applies to the audit" "--tolerance without --audit" run "$scene" --tolerance 1
refuses 2 "unknown pipeline 'robusst' \(did you mean 'robust'\?\)" "an unknown pipeline" run "$scene" --pipeline robusst
MUSLIN_SCRIPTS=$work/nowhere refuses 3 "folder in MUSLIN_SCRIPTS does not exist" "MUSLIN_SCRIPTS that is no folder" run "$scene"
[ ! -e "$work/o" ]
ok $? "a refused command line makes no folder"

refuses 2 "run needs a SCENE.lua" "run without a scene" run
refuses 2 "takes one SCENE.lua" "run with two scenes" run "$scene" "$scene"
refuses 2 "scene '.*nope.lua': not found" "a scene that is not there" run "$work/nope.lua"
refuses 2 "scene '.*nope.lua': not found" "a scene that is not there, without a command" "$work/nope.lua"
refuses 2 "is a folder" "a folder for a scene" run "$work"
refuses 2 "needs a PATH" "test without a path" test
refuses 2 "needs a FILE" "audit without a path" audit
refuses 2 "'.*nope': not found" "test of a path that is not there" test "$work/nope"
refuses 2 "'.*nope.obj': not found" "audit of a file that is not there" audit "$work/nope.obj"
refuses 2 "contains no \*_test.lua" "test of a folder without tests" test "$work"
refuses 2 "is not a Lua pattern" "a filter that is no pattern" test --filter '[a' "$scene"

for limit in 1.9e13 18446744073709.551615 1e300; do
    run run examples/01_hello.lua --frames 0 --memory-limit $limit --time-limit 1e300
    exits 0 "a limit that no count of bytes or seconds holds is none: $limit"
done

run -q run "$scene"
exits 0 "options before the command"
run "$scene" -q
exits 0 "a scene without a command, options after it"
POSIXLY_CORRECT=1 run run "$scene" --quiet
exits 0 "options after the scene under POSIXLY_CORRECT"
run run "$scene" -- --no-such-option
exits 0 "what follows -- is the script's"

DISPLAY=:987 WAYLAND_DISPLAY='' XDG_RUNTIME_DIR=$work run "$scene"
exits 3 "a scene without a command is viewed where DISPLAY is set"
prints err 'view: ' "and what is wrong with the display is reported"

"$muslin" --help | true
[ "${PIPESTATUS[0]}" = 0 ]
ok $? "a closed pipe is no mistake"
if [ -w /dev/full ]; then
    "$muslin" --help >/dev/full 2>"$work/.err"
    code=$?
    err=$(cat "$work/.err")
    exits 3 "standard output that cannot be written"
    prints err 'standard output: ' "and is reported"
fi
tap_end
