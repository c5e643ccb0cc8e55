#!/bin/bash
# Edits one line of the source at a time, and checks that the named test then fails: a test that passes with its subject
# broken tests nothing. From the repository root; works on a copy.
#   tests/mutations.sh [PATTERN]     PATTERN: only lines of tests/*/mutations.txt that contain it
#   tests/mutations.sh --check       only that every expression still changes one line: after changes of the source
# A line of a list: SOURCE FILE | SED EXPRESSION | TEST PROGRAM | TEST FUNCTION THAT MUST FAIL. The expression must change
# exactly one line of the file.
set -u
if [ "${1:-}" = --check ]; then
    bad=0
    while IFS='|' read -r file expression _; do
        changed=$(sed -E "$expression" "$file" | diff "$file" - | grep -c '^>')
        [ "$changed" -eq 1 ] && continue
        echo "$file: $expression: changes $changed lines"
        bad=1
    done < <(cat tests/*/mutations.txt | grep -v '^#' | sed 's/ *| */|/g')
    exit $bad
fi
pattern=${1:-}
copy=$(realpath -m "${MUTATIONS:-build-mutations}")
mkdir -p "$copy"
rm -rf "${copy:?}"/{src,tests,lua_api,.ci,Makefile}
cp -r src tests lua_api .ci Makefile "$copy" || exit 2
build() { make -s -C "$copy" BUILD=build OPT=-O1 CC="${CC:-gcc}" "$1" >"$copy/log" 2>&1; }
run() { CMOCKA_MESSAGE_OUTPUT=TAP timeout 60 "$copy/build/$1" 2>/dev/null; }

mapfile -t lines < <(cat tests/*/mutations.txt | grep -v '^#' | grep -F -- "$pattern")
for program in $(printf '%s\n' "${lines[@]}" | awk -F ' *[|] *' '{ print $3 }' | sort -u); do
    build "build/$program" || { cat "$copy/log"; exit 2; }
    run "$program" >"$copy/${program//\//.}.log"
done
count=0 bad=0
echo "1..${#lines[@]}"
for line in "${lines[@]}"; do
    count=$((count + 1))
    IFS='|' read -r file expression program name < <(sed 's/ *| */|/g' <<<"$line")
    passes="^ok [0-9]+ - $name\$" # a program that crashes or hangs does not pass
    sed -E -i "$expression" "$copy/$file"
    changed=$(diff "$file" "$copy/$file" | grep -c '^>')
    if ! grep -Eq "$passes" "$copy/${program//\//.}.log"; then
        why="the test does not pass without it"
    elif [ "$changed" -ne 1 ]; then
        why="the expression changes $changed lines"
    elif ! build "build/$program"; then
        why="it does not compile"
    elif run "$program" | grep -Eq "$passes"; then
        why="the test passes"
    else
        why=
    fi
    cp "$file" "$copy/$file" # with a new time: make compiles it again
    if [ -z "$why" ]; then
        echo "ok $count - $name: $file: $expression"
    else
        bad=$((bad + 1))
        echo "not ok $count - $name: $file: $expression: $why"
    fi
done
exit $((bad > 0))
