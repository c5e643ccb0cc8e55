#!/bin/bash
# The presets of the sources on their own scenes, as tests/bench/sources plays them: with collisions detected at the
# preset's own step what the source claims comes out; with one detection a step, or without its distance, it does not.
. "$(dirname "$0")/tap.bash"

# scene, preset, [collision step]: one row of the table, its numbers as frames substeps strain worst last inside unresolved
row() {
    "$muslin" run --trusted --quiet --threads 1 tests/bench/sources.lua -- presets seconds=60 "scene=$1" "preset=$2" \
        ${3:+collision_step=$3} | awk -v scene="$1" -v preset="$2" '$1 == scene && $2 == preset {
            print "frames=" $3, "substeps=" $4, "strain=" $5, "worst=" $6, "last=" $7, "inside=" $8, "unresolved=" $9 }'
}
# name, row, awk condition of its numbers
expect() {
    local values
    values=$(tr ' ' '\n' <<<"$2" | sed 's/=/ = /; s/$/;/' | tr '\n' ' ')
    [[ -n $values ]] && awk "BEGIN { $values exit !($3) }"
    ok $? "$1" "$2"
}

expect "BIG-1: the node stays in the icosahedron for all 90 frames" "$(row big1_node bigliani)" \
    'frames == 90 && worst == 0 && substeps > 300 && strain < 0.02'
expect "BIG-1: with one detection a step it is out, or torn" "$(row big1_node bigliani step)" \
    'substeps == 1 && (frames < 90 || strain > 1)'
expect "PRO on BIG-1" "$(row big1_node provot)" 'frames == 90 && worst == 0 && substeps > 400'
expect "BRI on BIG-2: nothing crosses at 1 ms" "$(row big2_strip bridson_source)" \
    'frames == 60 && substeps == 9 && worst == 0 && inside == 0 && strain < 0.1'
expect "BRI on BIG-2: at 1/120 s it does" "$(row big2_strip bridson_source step)" 'frames == 60 && substeps == 1 && worst > 10'
expect "JUN-3: at the spheres' distance nothing crosses" "$(row jun3_hit jung)" \
    'frames == 36 && substeps > 50 && worst == 0 && inside == 0'
tap_end
