#!/bin/bash
# `--format pov`: scenes of POV-Ray that it renders without a warning, and that show what the png frames show.
. "$(dirname "$0")/tap.bash"
cat >"$work/two.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/120, fps = 60, duration = 0.2, threads = 1}
local left = world:cloth {name = "left", mesh = muslin.mesh.grid {nodes = {12, 12}, size = {0.5, 0.5}, center = {-0.4, 0.5, 0}}}
world:cloth {name = "right", mesh = muslin.mesh.grid {nodes = {12, 12}, size = {0.3, 0.6}, plane = "xy", center = {0.5, 0.4, 0}}}
world:obstacle {name = "ball", shape = "sphere", radius = 0.15, at = {-0.35, 0.3, 0}}
world:obstacle {name = "floor", shape = "plane", normal = {0, 1, 0}}
left:pin {vertices = {1}}
return world
L
run run "$work/two.lua" --out "$work/a" --format pov,obj --size 320x240
exits 0 "pov frames need no OpenGL"
[ "$(cd "$work/a" && ls | tr '\n' ' ')" = "$(for k in $(seq 0 12); do printf 'frame_%06d.obj frame_%06d.pov ' "$k" "$k"; done)frames.mtl manifest.json " ]
ok $? "a scene a frame" "$(ls -a "$work/a")"
[ "$(grep -c '^mesh2 {' "$work/a/frame_000012.pov")" = 3 ] && [ "$(grep -c '^plane {' "$work/a/frame_000012.pov")" = 1 ]
ok $? "a mesh for each part, a plane for a plane"
run run "$work/two.lua" --out "$work/b" --format pov,obj --size 320x240 --frames 6 --checkpoint-every 3
run run "$work/two.lua" --out "$work/b" --format pov,obj --size 320x240 --resume
[ "$code" = 0 ] && cmp -s "$work/a/frame_000012.pov" "$work/b/frame_000012.pov"
ok $? "a resumed run has the same camera: the same scene, byte for byte" "$(state)"

if ! type povray >/dev/null 2>&1; then
    skip "what POV-Ray makes of it" "povray is not installed"
    tap_end
fi
(cd "$work/a" && povray +W320 +H240 -A -D +Oray.png frame_000012.pov) >"$work/ray.out" 2>&1
[ $? = 0 ] && [ -s "$work/a/ray.png" ] && ! grep -qE 'Warning:|Error' "$work/ray.out"
ok $? "POV-Ray renders it without a warning" "$(tail -n 30 "$work/ray.out")"
picture=$work/picture
if "${CC:-gcc}" -std=c11 -O1 -o "$picture" tests/app/picture.c -lm 2>/dev/null; then
    sed -E 's/interior_texture \{ pigment \{ srgb <[^>]*>/interior_texture { pigment { srgb <0, 1, 0>/' \
        "$work/a/frame_000000.pov" >"$work/a/sides.pov"
    (cd "$work/a" && povray +W160 +H120 -A -D sides.pov) >/dev/null 2>&1
    awk "BEGIN {exit !($("$picture" hue "$work/a/sides.png" 100 140) > 2 && $("$picture" hue "$work/a/sides.png" 5 30) < 0.1)}"
    ok $? "a flat grid has its back up, as in the png" "$("$picture" hue "$work/a/sides.png" 100 140) % and $("$picture" hue "$work/a/sides.png" 5 30) %"
fi
[ -x "$picture" ] && "$muslin" run "$work/two.lua" --out "$work/p" --format png --size 320x240 --quiet 2>/dev/null
if [ ! -e "$work/p/frame_000012.png" ]; then
    skip "the same picture as png" "no pictures here"
    tap_end
fi
"$picture" cut "$work/a/ray.png" 0 0 160 240 "$work/ray-left.png"
"$picture" cut "$work/p/frame_000012.png" 0 0 160 240 "$work/png-left.png"
near() { # two shares in percent: within a tenth of the second, and half a percent
    awk "BEGIN {d = $1 - $2; exit !(d * d < (0.1 * $2 + 0.5)^2)}"
}
for what in "terracotta 5 30" "blue 195 225"; do
    read -r name from to <<<"$what"
    for side in "" -left; do
        ray=$([ -z "$side" ] && echo "$work/a/ray.png" || echo "$work/ray-left.png")
        png=$([ -z "$side" ] && echo "$work/p/frame_000012.png" || echo "$work/png-left.png")
        one=$("$picture" hue "$ray" "$from" "$to") two=$("$picture" hue "$png" "$from" "$to")
        near "$one" "$two"
        ok $? "$name${side:+, left half}: as much of it as in the png, where it is there" "$one % and $two %"
    done
done
awk "BEGIN {exit !($("$picture" hue "$work/png-left.png" 5 30) > 4 && $("$picture" hue "$work/p/frame_000012.png" 195 225) > 4)}"
ok $? "both cloths are in the picture"
[ "$("$picture" diff "$work/a/ray.png" "$work/p/frame_000012.png" | cut -d. -f1)" -lt 40 ]
ok $? "light and ground are alike" "$("$picture" diff "$work/a/ray.png" "$work/p/frame_000012.png") % of the pixels differ clearly"
tap_end
