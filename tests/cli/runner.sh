#!/bin/bash
# The runner itself: what it counts as failed. It is copied into a folder with tests made up for it.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tests/cli"
cp tests/run "$work/tests/run"
count=0
report() {
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        sed 's/^/#   /' "$work/log"
    fi
}
given() { # the body of the only test
    rm -f "$work"/tests/cli/*
    printf '#!/bin/bash\n%s\n' "$1" >"$work/tests/cli/a.sh"
    TIMEOUT=1 BUILD=build "$work/tests/run" >"$work/log" 2>&1
    echo $? >"$work/status"
}
ends() { # exit code, last line
    [ "$(cat "$work/status")" = "$1" ] && [ "$(tail -n 1 "$work/log")" = "$2" ]
}

given 'echo 1..2; echo ok 1 - a; echo ok 2 - b'
ends 0 "2 passed, 0 failed"
report $? "passing tests are counted"
given 'echo ok 1 - a; echo "ok 2 - b # SKIP no display"; echo 1..2'
ends 0 "1 passed, 0 failed, 1 skipped"
report $? "skipped ones apart"
given 'echo "1..0 # SKIP nothing here"'
ends 0 "0 passed, 0 failed, 1 skipped"
report $? "a program may skip as a whole"
given 'echo ok 1 - a; echo not ok 2 - b; echo "#   the reason"; echo 1..2; exit 1'
ends 1 "1 passed, 1 failed" && grep -q "the reason" "$work/log"
report $? "a failure is counted once, its output shown"
given 'echo ok 1 - a; echo not ok 2 - b; echo 1..2'
ends 1 "1 passed, 1 failed"
report $? "a failure counts though the exit code is 0"
given 'echo ok 1 - a; echo 1..1; exit 3'
ends 1 "1 passed, 1 failed" && grep -q "exit code 3" "$work/log"
report $? "so does an exit code without a failed result"
given 'echo 1..3; echo ok 1 - a; kill -SEGV $$'
ends 1 "1 passed, 1 failed" && grep -q "signal 11" "$work/log"
report $? "a crash is a failure"
given 'echo 1..3; echo ok 1 - a'
ends 1 "1 passed, 1 failed" && grep -q "3 results planned, 1 seen" "$work/log"
report $? "so is an end before the plan's"
given 'echo ok 1 - a'
ends 1 "1 passed, 1 failed"
report $? "so is a missing plan"
given 'echo hello'
ends 1 "0 passed, 1 failed"
report $? "so is a program without results"
given 'echo 1..1; echo ok 1 - a; sleep 30'
ends 1 "1 passed, 1 failed" && grep -q "ended by 124" "$work/log"
report $? "so is one that hangs"
rm -f "$work"/tests/cli/*
"$work/tests/run" >"$work/log" 2>&1
echo $? >"$work/status"
ends 1 "0 passed, 1 failed"
report $? "so is a folder without tests"
echo "1..$count"
