#!/bin/bash
# tests/clean.sh SCENE PIPELINE FRAMES [ARGUMENTS...]: plays a scene under a pipeline to its last frame, which makes FRAMES of
# them with the first, and lets the auditor look at each: nothing may cross or be inside anything. What the scene's own
# checks report in the end does not count: they are the default pipeline's. Prints what was found; 0 is clean.
set -u
build=${BUILD:-build}
scene=$1 pipeline=$2 frames=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/muslin" compare "$scene" --pipelines "$pipeline" --fail-on-intersections --quiet --threads 1 \
    --time-limit "${TIMEOUT:-900}" --out "$work" -- "$@" >"$work/log" 2>&1
status=$?
value() { sed -n "s/.*\"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" "$work/compare.json" 2>/dev/null | tail -n 1; }
outcome=$(value outcome)
echo "$pipeline: $outcome, $(value frames) of $frames frames, $(value intersections_worst) crossings and" \
    "$(value inside_worst) inside at worst"
[ $status = 0 ] && [ "$(value frames)" = "$frames" ] && [[ $outcome = finished || $outcome = "check failed" ]] && exit 0
grep -v '^#' "$work/log"
value reason
exit 1
