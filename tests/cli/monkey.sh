#!/bin/bash
# Random keys, clicks, moves of the mouse, sizes and saves in the window: the viewer stays, its memory does not grow, and it ends with 0.
#   MONKEY_SECONDS=20 MONKEY_SEED=1 tests/cli/monkey.sh     the same seed gives the same actions, but not the same times
. "$(dirname "$0")/tap.bash"
. "$(dirname "$0")/window.bash"

cat >"$work/scene.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world { fps = 30, duration = 2, threads = 1 }
local gust = muslin.param("gust", 2, 0, 8) -- m/s
local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = {16, 16}, size = {0.5, 0.5}, center = {0, 0.6, 0} } }
local band = world:cloth { name = "band", texture = "checker", mesh = muslin.mesh.grid { nodes = {4, 16}, size = {0.1, 0.5}, center = {0.4, 0.6, 0} } }
world:obstacle { name = "ball", shape = "sphere", radius = 0.15, at = {0, 0.3, 0} }
world:obstacle { name = "stone", shape = "box", size = {0.1, 0.1, 0.1}, at = {-0.1, 0.8, 0}, motion = "dynamic", mass = 0.05 }
world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0} }
sheet:pull { vertices = {1, 16}, stiffness = 40 }
band:pin { vertices = {64} }
world:stitch { a = {sheet, {240, 224}}, b = {band, {1, 5}} }
world:on("before_step", function(w) w.wind = {gust * math.sin(3 * w.time), 0, 0} end)
world:on("key", function(key) if key == "j" then world:keep() end end)
world:on("draw", function(canvas) canvas:text({0, 0.9, 0}, "above the sheet") end)
return world
L
sed 's/nodes = {16, 16}/nodes = {12, 20}/' "$work/scene.lua" >"$work/other.lua"
cp "$work/scene.lua" "$work/first.lua"
echo "return nowhere.at_all" >"$work/broken.lua"

"$muslin" run "$work/scene.lua" --frames 2 --quiet >"$work/.out" 2>"$work/.err"
ok $? "the scene runs" "$(cat "$work/.err")"

open_display
RANDOM=${MONKEY_SEED:-1}
keys=(space space period n l r r Left Left Right Prior Next Home End w c p v m m m f h i F1 a j z 1 Tab s)
pick() { echo $((X + RANDOM % WIDTH)) $((Y + RANDOM % HEIGHT)); }
drag() { # drag BUTTON
    xdotool mousemove $(pick) mousedown "$1" mousemove $(pick) sleep 0.05 mousemove $(pick) sleep 0.05 mouseup "$1"
}
act() {
    case $((RANDOM % 16)) in
    0 | 1 | 2 | 3 | 4 | 5) xdotool key "${keys[RANDOM % ${#keys[@]}]}" ;;
    6 | 7) drag 1 ;;
    8) drag 3 ;;
    9) xdotool mousemove $(pick) click $((4 + RANDOM % 2)) ;;
    10) xdotool mousemove $(pick) click $((1 + RANDOM % 3)) ;;
    11 | 12) xdotool keydown ctrl && drag 1 && xdotool keyup ctrl ;;
    13) xdotool mousemove $((X + RANDOM % WIDTH)) $((Y + HEIGHT - 8)) click 1 ;; # the timeline
    14) xdotool windowsize "$WINDOW" $((200 + RANDOM % 700)) $((150 + RANDOM % 500)) sleep 0.1 &&
        eval "$(xdotool getwindowgeometry --shell "$WINDOW")" ;;
    15) cp "$work/$(shuf -n 1 -e first other broken --random-source=<(yes $RANDOM)).lua" "$work/scene.lua" ;;
    esac
}
memory() { awk '/^VmRSS/ {print $2}' "/proc/$viewer/status" 2>/dev/null || echo 0; }

printf "leak:libdbus-1\nleak:libubsan\n" >"$work/leaks" # of SDL's connection to the desktop, and of the sanitizer
export LSAN_OPTIONS="suppressions=$work/leaks:print_suppressions=0"
start scene.lua --size 500x400
ok $? "the window opens" "$(cat "$work/viewer.err")"
duration=${MONKEY_SECONDS:-20}
begin=$SECONDS actions=0 early=0 last=
while [ $((SECONDS - begin)) -lt "$duration" ] && kill -0 "$viewer" 2>/dev/null; do
    act >/dev/null 2>&1
    actions=$((actions + 1))
    [ $early = 0 ] && [ $((SECONDS - begin)) -ge $((duration / 3)) ] && early=$(memory)
    rm -f "$work"/scene_*.png
done
last=$(memory)
kill -0 "$viewer" 2>/dev/null
ok $? "it lives after $actions actions in $duration s" "$(tail -n 30 "$work/viewer.err")"
[ "$last" -gt 0 ] && [ "$last" -lt $((early + early / 2 + 100000)) ]
ok $? "its memory does not grow without bound" "$early kB after a third of the time, $last kB at the end"
echo "# $early kB after a third of the time, $last kB at the end"
cp "$work/first.lua" "$work/scene.lua"
xdotool keyup ctrl windowfocus "$WINDOW" key q
ended 0
ok $? "q ends it with 0" "$code; $(tail -n 30 "$work/viewer.err")"
! grep -q "Sanitizer\|runtime error" "$work/viewer.err"
ok $? "no sanitizer has reported anything" "$(grep -A 20 "Sanitizer\|runtime error" "$work/viewer.err" | head -n 40)"
tap_end
