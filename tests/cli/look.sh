#!/bin/bash
# Camera, title, background, light and colors of a scene, in what other programs read: POV-Ray scenes and PNG.
. "$(dirname "$0")/tap.bash"
cat >"$work/scene.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/60, fps = 60, duration = 0.5, threads = 1, gravity = {0, -2, 0}, air_density = 0}
local sheet = world:cloth {name = "sheet", color = "#ff0000", back_color = "#ff0000", mesh = muslin.mesh.grid {nodes = {8, 8}, size = {0.5, 0.5}, center = {0, 1, 0}}}
world:obstacle {name = "ball", shape = "sphere", radius = 0.15, at = {0.6, 0.3, 0}, color = {0, 0, 1}}
world:obstacle {name = "floor", shape = "plane", color = {0, 0.5, 0}}
local eye, middle = {2, 1.5, 3}, {0.2, 0.5, 0}
local how = ({...})[1]
if how == "static" then world:camera {from = eye, to = middle, fov = 0.5} end
if how == "follow" then world:camera {from = eye, to = middle, follow = sheet} end
if how == "path" then world:camera {path = {{t = 0.1, from = {0, 1, 4}, to = middle}, {t = 0.3, from = {4, 1, 0}, to = middle, fov = 0.3}}} end
if how == "function" then world:camera(function(t) math.random() return {from = {4 * t, 1, 4}, to = middle} end) end
if how == "raises" then world:camera(function(t) return {from = {0, 0, 1}, to = t < 0.195 and middle or nil} end) end
if how == "writes" then world:camera(function() sheet.x[1] = {0, 0, 0} return {from = eye, to = middle} end) end
if how == "look" then
  world:camera {from = eye, to = middle}
  world:title "A title"
  world:background {top = "#102040", bottom = {0, 0, 0.5}}
  world:light {toward = {0, 1, 0}, color = "#ff8080"}
end
return world
L
field() { # FRAME NAME: the numbers of a line of the camera
    sed -n "s/^ *$2 <\([^>]*\)>.*/\1/p" "$work/$how/frame_$(printf %06d "$1").pov" | head -n 1
}
near() { # A B: lists of numbers
    awk -v a="$1" -v b="$2" 'BEGIN {n = split(a, p, /, */); if (n != split(b, q, /, */) || n == 0) exit 1
        for (k = 1; k <= n; k++) if ((p[k] - q[k]) ^ 2 > 1e-10) exit 1}'
}
for how in static follow path function; do run run "$work/scene.lua" --out "$work/$how" --format pov --frames 30 -- "$how"; [ "$code" = 0 ] || break; done
exits 0 "scenes with cameras"
how=static
near "$(field 0 location)" "2, 1.5, 3" && near "$(field 30 location)" "2, 1.5, 3"
ok $? "a camera stands where it is stated" "$(field 0 location); $(field 30 location)"
near "$(field 0 direction)" "-0.494685, -0.274825, -0.824475"
ok $? "and looks there" "$(field 0 direction)"
grep -q 'up .* \* 0.5106' "$work/static/frame_000000.pov"
ok $? "with the angle of view, 2 tan(fov/2)" "$(grep '  up' "$work/static/frame_000000.pov")"
how=follow
# Free fall by 2 m/s^2: g t^2 / 2.
near "$(field 0 location)" "2, 1.5, 3" && near "$(field 12 location)" "2, 1.46, 3"
ok $? "a camera that follows a falling sheet falls with it" "$(field 12 location)"
how=path
near "$(field 0 location)" "0, 1, 4" && near "$(field 6 location)" "0, 1, 4" && near "$(field 12 location)" "2, 1, 2" &&
    near "$(field 18 location)" "4, 1, 0" && near "$(field 30 location)" "4, 1, 0"
ok $? "a path stands before its first entry and after its last, and passes halfway between" "$(field 6 location); $(field 12 location); $(field 18 location)"
how=function
near "$(field 15 location)" "1, 1, 4"
ok $? "a function of time" "$(field 15 location)"
run run "$work/scene.lua" --format none --out "$work/none" -- function
hash=$(sed -n 's/.*state \([0-9a-f]*\).*/\1/p' <<<"$out")
run run "$work/scene.lua" --format pov --out "$work/drawn" -- function
[ -n "$hash" ] && [[ $out == *"state $hash"* ]]
ok $? "does not change the run, though it draws random numbers" "$hash; $out"
refuses 3 "world:camera: what its function returns: field 'to' is missing" "a function that fails" run "$work/scene.lua" --format pov --out "$work/bad" -- raises
[ -e "$work/bad/frame_000011.pov" ] && [ ! -e "$work/bad/frame_000012.pov" ]
ok $? "the frames before it are kept" "$(ls "$work/bad")"
refuses 3 "cloth.x: .*(draw|picture)" "a function that writes" run "$work/scene.lua" --format pov --out "$work/writes" -- writes
run run "$work/scene.lua" --out "$work/look" --format pov --frames 0 -- look
grep -q 'background { srgb <0, 0, 0.5> }' "$work/look/frame_000000.pov" && grep -q '0.6 srgb <0.0627[0-9]*, 0.1254[0-9]*, 0.2509[0-9]*>' "$work/look/frame_000000.pov"
ok $? "the background" "$(grep -n background "$work/look/frame_000000.pov")"
grep -q 'texture { pigment { srgb <1, 0, 0> }' "$work/look/frame_000000.pov" && grep -q 'texture { pigment { srgb <0, 0, 1> }' "$work/look/frame_000000.pov" &&
    grep -q 'checker srgb <0, 0.491, 0>' "$work/look/frame_000000.pov"
ok $? "the colors of cloth, ball and floor" "$(grep -n 'srgb' "$work/look/frame_000000.pov")"

# ---- The automatic camera --------------------------------------------------------------------------------------------
# The share of the picture's height that the meshes take, percent, by projecting the vertices in the POV-Ray scenes.
cat >"$work/share.awk" <<'A'
function vector(text, v) { gsub(/.*</, "", text); gsub(/>.*/, "", text); split(text, v, /, */) }
$1 == "location" { vector($0, eye) }
$1 == "direction" { vector($0, along) }
$1 == "up" { vector($0, up); size = $0; sub(/.*\* */, "", size) }
/^mesh2/ { mesh = 1 }
/vertex_vectors/ { places = mesh; next }
/normal_vectors/ { places = 0 }
places && /^ *</ {
    vector($0, p); y = z = 0
    for (k = 1; k <= 3; k++) { y += (p[k] - eye[k]) * up[k]; z += (p[k] - eye[k]) * along[k] }
    y /= 0.5 * size * z
    if (!n++ || y < low) low = y
    if (n == 1 || y > high) high = y
}
END { printf "%d %d\n", 50 * (high - low) + 0.5, (low < -1 || high > 1) }
A
for name in 01_hello 02_sphere 05_tablecloth 07_mesh 08_hooks 09_fan 10_shapes; do
    run run "examples/$name.lua" --out "$work/$name" --format pov --frames-only 0:100000:10 --quiet
    shares=$(for f in "$work/$name"/*.pov; do awk -f "$work/share.awk" "$f"; done)
    [ "$code" = 0 ] && awk '$1 < 35 || $1 > 76 || $2 {bad = 1} END {exit bad || NR < 5}' <<<"$shares"
    ok $? "$name: what moves is in the picture, and takes a good part of its height" "$(cut -d' ' -f1 <<<"$shares" | tr '\n' ' ')"
done
[ "$(for f in "$work"/01_hello/*.pov; do sed -n '/location/p; / direction/p' "$f"; done | sort -u | wc -l)" = 2 ]
ok $? "the automatic camera stands still where nothing leaves the picture"

# ---- Pictures --------------------------------------------------------------------------------------------------------
picture=$work/picture
if ! "${CC:-gcc}" -std=c11 -O1 -o "$picture" tests/app/picture.c -lm 2>/dev/null; then
    skip "pictures" "tests/app/picture.c does not build here (libstb-dev?)"
    tap_end
fi
"$muslin" run "$work/scene.lua" --out "$work/png" --format png --frames 1 --frames-only 0 --size 400x300 --quiet -- static 2>/dev/null
"$muslin" run "$work/scene.lua" --out "$work/png2" --format png --frames 1 --frames-only 0 --size 400x300 --quiet -- look 2>/dev/null
if [ ! -e "$work/png/frame_000000.png" ]; then
    skip "pictures" "no OpenGL here"
    tap_end
fi
hues="$("$picture" hue "$work/png/frame_000000.png" 0 20) $("$picture" hue "$work/png/frame_000000.png" 220 260) $("$picture" hue "$work/png/frame_000000.png" 90 150)"
awk '{exit !($1 > 0.5 && $2 > 0.5 && $3 > 30)}' <<<"$hues"
ok $? "a picture has the red of the sheet, the blue of the ball and the green of the floor" "$hues"
"$picture" cut "$work/png2/frame_000000.png" 380 0 20 12 "$work/sky.png"
"$picture" cut "$work/png2/frame_000000.png" 8 4 100 20 "$work/title.png"
[ "$("$picture" hue "$work/sky.png" 205 260)" = 100.0 ] || [ "$("$picture" hue "$work/sky.png" 205 260 | cut -d. -f1)" = 100 ]
ok $? "the background is blue" "$("$picture" hue "$work/sky.png" 205 260)"
awk "BEGIN {exit !($("$picture" hue "$work/title.png" 205 260) < 97)}"
ok $? "and a title is written on it" "$("$picture" hue "$work/title.png" 205 260)"

# Colors of a quantity: free fall, so that all of the sheet has one speed, the largest.
run run "$work/scene.lua" --out "$work/show" --format png --frames 15 --frames-only 15 --size 400x300 --show speed --quiet -- static
hues="$("$picture" hue "$work/png/frame_000000.png" 0 20) $("$picture" hue "$work/show/frame_000015.png" 0 20) $("$picture" hue "$work/show/frame_000015.png" 45 95)"
awk '{exit !($2 < 0.05 && $3 > 0.5)}' <<<"$hues"
ok $? "--show speed colors the sheet by its speed, in place of its red" "$hues"
"$picture" cut "$work/show/frame_000015.png" 210 255 190 40 "$work/legend.png"
awk "BEGIN {exit !($("$picture" hue "$work/legend.png" 200 260) > 2 && $("$picture" hue "$work/legend.png" 45 95) > 2)}"
ok $? "and a scale from blue to yellow is at the lower right" "$("$picture" hue "$work/legend.png" 200 260) $("$picture" hue "$work/legend.png" 45 95)"
refuses 2 "'--show' must be stretch, speed, force, pressure, curvature or distance .got 'heat'" "another quantity" run "$work/scene.lua" --show heat
refuses 2 "'--show' applies to pictures and needs '--format png'" "no pictures" run "$work/scene.lua" --out "$work/x" --format obj --show speed
tap_end
