#!/bin/bash
# The preview on a display of high density, two pixels to a point: a Wayland compositor (weston) in the display without a
# screen gives the window such an output, and its input.
. "$(dirname "$0")/tap.bash"
. "$(dirname "$0")/window.bash"
open_display
if ! command -v weston >/dev/null; then
    skip "two pixels to a point" "weston is not installed"
    kill "$server"
    tap_end
fi

# The window fills the output of 480 x 340 points. 340 points show 2 * 3 * tan(0.25) = 1.5320 m in the plane of the origin,
# 4.506 mm a point.
cat >"$work/curtain.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world { duration = 1000, threads = 1, dt = 1/120, fps = 60 }
world:camera { from = {0, 0.5, 3}, to = {0, 0.5, 0}, fov = 0.5 }
local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = {21, 21}, size = {0.5, 0.5}, plane = "xy",
  center = {0, 0.5, 0} } }
sheet:pin { edge = "top" }
world:on("frame", function(w)
  local p = sheet.x[21]
  print(w.frame, p.x, p.y, p.z)
end)
return world
L
export XDG_RUNTIME_DIR=$work/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"
compositor=
show() { # show SCALE: the viewer in an output of 960 x 680 pixels; its place in $X $Y
    weston --no-config --backend=x11-backend.so --shell=kiosk-shell.so --idle-time=0 --socket="wl-$1" \
        --width=$((960 / $1)) --height=$((680 / $1)) --scale="$1" >"$work/weston.log" 2>&1 &
    compositor=$!
    for ((i = 0; i < 100; i++)); do
        [ -S "$XDG_RUNTIME_DIR/wl-$1" ] && break
        sleep 0.1
    done
    cd "$work" || exit 2
    : >viewer.out # not the lines of the viewer before
    SDL_VIDEODRIVER=wayland WAYLAND_DISPLAY=wl-$1 "$muslin" view curtain.lua >viewer.out 2>viewer.err </dev/null &
    viewer=$!
    cd - >/dev/null || exit 2
    for ((i = 0; i < 200; i++)); do
        [ "$(wc -l <"$work/viewer.out")" -gt 30 ] && break
        sleep 0.1
    done
    X=0 Y=0 WIDTH=960 HEIGHT=680
    eval "$(xdotool search --class weston 2>/dev/null | tail -n 1 | xargs -r xdotool getwindowgeometry --shell)"
}
leave() {
    kill "$viewer" && wait "$viewer" 2>/dev/null
    kill "$compositor" && wait "$compositor" 2>/dev/null
    viewer=
}
until_true() { # until_true COMMAND...: for 20 s
    local i
    for ((i = 0; i < 100; i++)); do
        "$@" && return 0
        sleep 0.2
    done
    return 1
}
marked() { # marked FROM TO: the mark's share of the picture, percent
    look "$work/now.png"
    awk -v x="$(mark_share)" -v a="$1" -v b="$2" 'BEGIN {exit !(x > a && x < b)}'
}
raised() { awk -v b="$(height_at)" 'BEGIN {exit !(b > 0.31 && b < 0.45)}'; }
height_at() { tail -n 2 "$work/viewer.out" | head -n 1 | cut -f 3; } # of the lower right corner, m
mark_share() { "$picture" hue "$work/now.png" 250 266; }

show 1
look "$work/one.png"
xdotool mousemove $((X + 480 + 108)) $((Y + 340 + 108)) # one pixel to a point: 680 points show the 1.5320 m
xdotool keydown ctrl mousedown 1
xdotool mousemove_relative -- -70 -70
# A mark of 10 points across has 79 pixels here, that of the pointer's place, 6 across, 28: 0.016 % without their soft edges,
# and four times that below. A line between them is there only until the cloth has followed.
until_true marked 0.004 0.018
small=$? marks=$(mark_share)
xdotool mouseup 1 keyup ctrl
leave
show 2
look "$work/two.png"
[ "$(wc -l <"$work/viewer.out")" -gt 30 ] && [ "$("$picture" size "$work/two.png")" = "$("$picture" size "$work/one.png")" ]
ok $? "the window fills outputs of one and of two pixels to a point" "$(cat "$work/viewer.err" "$work/weston.log")"
before=$(height_at)
xdotool mousemove $((X + 480 + 108)) $((Y + 340 + 108)) # 54 points from the middle: 2.6 mm inside of the corner
xdotool keydown ctrl mousedown 1
for ((i = 0; i < 7; i++)); do
    xdotool mousemove_relative -- -10 -10
    sleep 0.1
done
until_true raised
after=$(height_at)
awk -v a="$before" -v b="$after" 'BEGIN {exit !(a > 0.24 && a < 0.26 && b > 0.31 && b < 0.45)}'
ok $? "the pointer takes the point of the cloth below it" "from $before m to $after m; $(tail -n 2 "$work/viewer.out")"
until_true marked 0.025 0.075 && [ $small = 0 ]
ok $? "marks are twice as wide in pixels" "$marks % and $(mark_share) % of the picture"
share=$("$picture" diff "$work/one.png" "$work/two.png")
less 2 "$share"
ok $? "and so is the text" "$share % of the pixels differ"
[ -n "${DENSE:-}" ] && cp "$work/now.png" "$DENSE"
xdotool mouseup 1 keyup ctrl
leave
tap_end
