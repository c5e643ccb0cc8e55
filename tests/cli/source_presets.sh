#!/bin/bash
# The preset of each source on the source's own scenes, as tests/bench/sources plays them: with collisions detected at the
# preset's own step what the source claims comes out, and its flaws do. Counts have bounds on both sides, so that a change
# of a faithful flaw is seen too. With one detection a step, or without its distance, the claims fail.
#   SOURCES=long: the scenes that take longer (tests/cli/source_presets_long.sh)
. "$(dirname "$0")/tap.bash"

# scene, preset, frames, [collision step]: one row of the table as frames substeps strain worst last inside unresolved
row() {
    "$muslin" run --trusted --quiet --threads 1 tests/bench/sources.lua -- presets seconds=300 "scene=$1" "preset=$2" \
        "frames=$3" ${4:+collision_step=$4} | awk -v scene="$1" -v preset="$2" '$1 == scene && $2 == preset {
            print "frames=" $3, "substeps=" $4, "strain=" $5, "worst=" $6, "last=" $7, "inside=" $8, "unresolved=" $9 }'
}
# name, row, awk condition of its numbers
expect() {
    local values
    values=$(tr ' ' '\n' <<<"$2" | sed 's/=/ = /; s/$/;/' | tr '\n' ' ')
    [[ -n $values ]] && awk "BEGIN { $values exit !($3) }"
    ok $? "$1" "$2"
}
none='worst == 0 && inside == 0'

if [ "${SOURCES:-}" = long ]; then
    expect "BIG-3: single edges of the tablecloth cross, nothing is torn" "$(row big3_tablecloth bigliani 40)" \
        'frames == 40 && substeps > 120 && worst < 40 && strain < 0.06 && unresolved > 2e5 && unresolved < 3e6'
    expect "PRO-1: the panels close over the body without a crossing" "$(row pro1_garment provot 20)" \
        "frames == 20 && substeps > 30 && $none && strain < 0.2"
    expect "PRO-2: the ribbon rumples without a crossing" "$(row pro2_ribbon provot 60)" \
        "frames == 60 && substeps > 150 && $none && strain < 0.12"
    expect "JUN-1: the strip piles up without a crossing" "$(row jun1_pile jung 30)" \
        "frames == 30 && substeps > 90 && $none && strain < 0.15"
    expect "JUN-2: the sheet on the ball crosses nothing" "$(row jun2_sphere jung 60)" \
        "frames == 60 && substeps > 50 && $none && strain < 0.12"
    tap_end
    exit
fi

expect "BIG-1: the node stays in the icosahedron for all 90 frames" "$(row big1_node bigliani 90)" \
    'frames == 90 && worst == 0 && substeps > 300 && strain < 0.02'
expect "BIG-1: with one detection a step it is out, or torn" "$(row big1_node bigliani 90 step)" \
    'substeps == 1 && (frames < 90 || strain > 1)'
expect "BIG-2: layers cross at their edges, vertices are locked, nothing is torn" "$(row big2_strip bigliani 12)" \
    'frames == 12 && substeps > 250 && worst > 5 && worst < 150 && strain < 0.05 && unresolved > 1e5 && unresolved < 1e6'
expect "PRO on BIG-1" "$(row big1_node provot 90)" 'frames == 90 && worst == 0 && substeps > 400'
expect "JUN-1: at the spheres' distance the strip crosses nothing" "$(row jun1_pile jung 12)" \
    "frames == 12 && substeps > 90 && $none && strain < 0.15"
expect "JUN-3: nor does the sheet that is hit" "$(row jun3_hit jung 30)" "frames == 30 && substeps > 50 && $none"
expect "AAB-1: cloth is not inside the model; it is not tested against itself" "$(row aab1_model aabb 60)" \
    'frames == 60 && substeps > 30 && worst > 50 && worst < 1000 && last < 100 && inside == 0 && strain < 0.06'
expect "BRI-1: nothing crosses at 1 ms" "$(row bri1_folding bridson_source 72)" "frames == 72 && substeps == 9 && $none && strain < 0.1"
expect "BRI-2: nor on the balls" "$(row bri2_spheres bridson_source 60)" "frames == 60 && substeps == 9 && $none && strain < 0.1"
expect "BRI-3: the points pass" "$(row bri3_pointed bridson_source 60)" \
    'frames == 60 && worst > 30 && worst < 500 && inside < 30 && strain < 0.1'
expect "BRI-4: nothing crosses while the ball turns under the sheet" "$(row bri4_wringing bridson_source 120)" \
    "frames == 120 && substeps == 9 && $none && strain < 0.12"
expect "BRI on JUN-1: nothing crosses at 1 ms" "$(row jun1_pile bridson_source 60)" \
    "frames == 60 && substeps == 9 && $none && strain < 0.1"
expect "BRI on JUN-1: at 1/120 s it does" "$(row jun1_pile bridson_source 60 step)" 'frames == 60 && substeps == 1 && worst > 100'
tap_end
