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
# Quick ones: what tests/quick names, and nothing that is not there.
printf '#!/bin/bash\necho 1..1; echo ok 1 - b\n' >"$work/tests/cli/b.sh"
printf '#!/bin/bash\necho 1..2; echo ok 1 - c; echo ok 2 - c\n' >"$work/tests/cli/c.sh"
printf '# a comment\ntests/cli/c.sh\n' >"$work/tests/quick"
BUILD=build "$work/tests/run" --quick >"$work/log" 2>&1
echo $? >"$work/status"
ends 0 "2 passed, 0 failed"
report $? "--quick runs what tests/quick names"
printf 'tests/cli/c.sh\ntests/cli/gone.sh\n' >"$work/tests/quick"
BUILD=build "$work/tests/run" --quick >"$work/log" 2>&1
echo $? >"$work/status"
ends 1 "2 passed, 1 failed" && grep -q 'tests/cli/gone.sh .*1 FAILED' "$work/log" && grep -q 'tests/quick names it, but it is not there' "$work/log"
report $? "a name that is not there is a failure"
# Long ones: left out, unless chosen.
printf 'tests/cli/c.sh\n' >"$work/tests/long"
rm "$work/tests/cli/a.sh"
for words in ":1" "--long:2" "c.sh:2"; do
    # shellcheck disable=SC2086 # words
    BUILD=build "$work/tests/run" ${words%:*} >"$work/log" 2>&1
    echo $? >"$work/status"
    grep -q "^${words#*:} passed, 0 failed" "$work/log"
    report $? "tests/run ${words%:*} has ${words#*:} results where tests/long names the other program"
done
# Those for sanitizers are programs in C and Lua scenarios, the long ones apart; a shell test never.
mkdir -p "$work/tests/part" "$work/build/tests/part"
for name in d:3 e:4; do
    touch "$work/tests/part/test_${name%:*}.c"
    printf '#!/bin/bash\necho 1..%d; for i in $(seq %d); do echo ok $i; done\n' "${name#*:}" "${name#*:}" \
        >"$work/build/tests/part/test_${name%:*}"
    chmod +x "$work/build/tests/part/test_${name%:*}"
done
printf 'tests/part/test_e\n' >>"$work/tests/long"
for words in "--fast:3" "--fast-long:4" "--fast test_e:4"; do
    # shellcheck disable=SC2086 # words
    (cd "$work" && BUILD=build tests/run ${words%:*}) >"$work/log" 2>&1
    grep -q "^${words#*:} passed, 0 failed" "$work/log"
    report $? "tests/run ${words%:*} has ${words#*:} results"
done
rm -r "$work/tests/long" "$work/tests/part"
grep '^[a-z]' tests/long | while read -r name; do
    [ -e "$name" ] || [ -e "$name.c" ] || [ -e "$name.lua" ] || echo "tests/long names $name"
done >"$work/log"
[ ! -s "$work/log" ]
report $? "tests/long names what is there"
for part in tests/*/; do
    if [ -n "$(find "$part" -maxdepth 1 \( -name 'test_*.c' -o -name '*_test.lua' -o -name '*.sh' \) ! -path '*/fuzz/*')" ]; then
        grep -q "^$part" tests/quick || echo "tests/quick has nothing of $part"
    fi
done >"$work/log"
[ ! -s "$work/log" ] && grep -q '^examples/' tests/quick && grep -q '^tests/check_' tests/quick
report $? "make check has something of every folder"
given 'echo 1..1; echo ok 1 - a; sleep 30'
ends 1 "1 passed, 1 failed" && grep -q "ended by 124" "$work/log"
report $? "so is one that hangs"
rm -f "$work"/tests/cli/*
"$work/tests/run" >"$work/log" 2>&1
echo $? >"$work/status"
ends 1 "0 passed, 1 failed"
report $? "so is a folder without tests"
echo "1..$count"
