#!/bin/bash
# `tests/soak`: parts are chosen, timed, kept, and played again when they failed or the build is another one.
. "$(dirname "$0")/tap.bash"
[ -x "${BUILD:-build}/tests/world/test_random_scenes" ] || { echo "1..0 # SKIP the tests are not built"; exit 0; }

# A build folder of its own: results lie in it, and its programs may be changed.
built=$work/build
mkdir -p "$built/tests/world"
cp "$muslin" "$built/muslin"
cp "${BUILD:-build}/tests/world/test_random_scenes" "$built/tests/world/"
export MUSLIN_SCRIPTS=$PWD/scripts
soak() {
    out=$(BUILD=$built SCENES=${SCENES-7:3} CHUNK=2 STEPS=2 tests/soak "$@" 2>"$work/err")
    code=$?
    err=$(<"$work/err")
}

line() { # line REGEX NAME: one line of the output is that
    grep -qE "$1" <<<"$out"
    ok $? "$2" "wanted a line '$1'; $(state)"
}

soak --list
exits 0 "parts are listed"
line '^resume: not played' "killed runs are one"
line '^scenes/stack: not played' "so is a scene in full size"
line '^sources/big1_node: not played' "and one of a source"
line '^random:7:2:2: not played' "random scenes are parts of CHUNK"
line '^random:9:1:2: not played' "the last of what is left"

soak random:7: big1_node
exits 0 "parts that are named are played"
line '^passed: random:7:2:2, [0-9]+ s$' "each prints its time"
line '^passed: sources/big1_node, [0-9]+ s$' "so does a scene"
line '^2 passed, 0 failed$' "and they are counted"

soak --list random
line '^random:7:2:2: passed, [0-9]+ s$' "what is done is listed with its time"
line '^random:9:1:2: not played$' "the others are not done"

soak random
exits 0 "one goes on with the rest"
line '^passed: random:7:2:2, [0-9]+ s, before$' "what is done is not played again"
line '^passed: random:9:1:2, [0-9]+ s$' "what is not is played"
soak --again random:7
line '^passed: random:7:2:2, [0-9]+ s$' "unless it is requested"

printf 'another build' >>"$built/tests/world/test_random_scenes"
soak --list random:7
line '^random:7:2:2: passed, [0-9]+ s, by another build$' "results of another build are distinguished"
soak random:7
line '^passed: random:7:2:2, [0-9]+ s$' "and do not count"

printf '#!/bin/bash\necho it crossed\nexit 1\n' >"$built/tests/world/test_random_scenes"
soak random:9
exits 1 "a part that fails fails the soak"
line '^failed: random:9:1:2, [0-9]+ s$' "it is named"
line '^    it crossed$' "with the end of what it printed"
line '^0 passed, 1 failed$' "and counted"
soak random:9
line '^failed: random:9:1:2, [0-9]+ s$' "what failed is played again"

soak nonsense
exits 2 "a name that no part has is refused"
prints err "no part's name contains nonsense; --list names them" "by name"
soak --nonsense
exits 2 "so is an unknown option"
SCENES=7 soak random
exits 2 "so is a range that is none"
prints err "SCENES must be FIRST:COUNT, two whole numbers \(got '7'\)" "with what it must be"

tap_end
