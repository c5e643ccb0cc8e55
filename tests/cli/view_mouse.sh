#!/bin/bash
# The mouse in the preview window: pulling cloth and rigid bodies.
. "$(dirname "$0")/tap.bash"
. "$(dirname "$0")/window.bash"
unset SDL_VIDEODRIVER
open_display

# The camera looks along -z from a distance of 3 m, at the height of 0.5 m in the middle of the picture. So in the plane of the
# origin a window of 360 points shows 2 * 3 * tan(0.25) = 1.5320 m: 4.2556 mm a point.
scene() { # scene NAME LUA
    cat >"$work/$1.lua" <<END
local muslin = require "muslin"
local world = muslin.world { duration = 1000, threads = 1, dt = 1/120, fps = 60 }
world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0} }
world:camera { from = {0, 0.5, 3}, to = {0, 0.5, 0}, fov = 0.5 }
$2
return world
END
}
# Of the last line with all its fields: the viewer may be writing.
last_of() { awk -F '\t' -v k="$1" 'NF > most {most = NF} NF == most {x = $k} END {print x}' "$work/viewer.out"; }
reached() { # reached FIELD LEAST MOST [TENTHS OF A SECOND]: of the last frame's line
    local i
    for ((i = 0; i < ${4:-200}; i++)); do
        awk -v x="$(last_of "$1")" -v a="$2" -v b="$3" 'BEGIN {exit !(x != "" && x >= a && x <= b)}' && return 0
        sleep 0.1
    done
    return 1
}
pointer() { xdotool mousemove $((X + $1)) $((Y + $2)); } # pointer X Y: in the window
mark_share() { "$picture" hue "$1" 250 266; } # of the grabbed point

# ---- Cloth --------------------------------------------------------------------------------------------------------------

# A curtain of 0.5 m; frames print their number, the place of the lower right corner, and intersections found so far.
scene curtain '
local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = {21, 21}, size = {0.5, 0.5}, plane = "xy",
  center = {0, 0.5, 0} } }
sheet:pin { edge = "top" }
local found = 0
world:on("frame", function(w)
  local p, report = sheet.x[21], w:audit()
  found = found + report.intersections + report.inside
  print(w.frame, p.x, p.y, p.z, found)
end)'
start "$work/curtain.lua" --size 640x360
xdotool key i # no figures over it
reached 1 20 100000
ok $? "a curtain hangs" "$(cat "$work/viewer.err")"
reached 3 0.24 0.26 && reached 2 0.24 0.26
ok $? "its corner at the lower right is where it was made" "$(tail -n 1 "$work/viewer.out")"
pointer 376 236 # 2.7 points inside of the corner
xdotool keydown ctrl mousedown 1
pointer 376 200
pointer 346 166 # 0.128 m to the left, 0.298 m up
sleep 1
reached 2 0.09 0.15 && reached 3 0.51 0.58
ok $? "with Ctrl and the left button down the corner follows the pointer" "$(tail -n 1 "$work/viewer.out")"
reached 4 -0.12 0.12
ok $? "in the plane of the picture" "$(tail -n 1 "$work/viewer.out")"
look "${PULLED:-$work/pulled.png}"
cp "${PULLED:-$work/pulled.png}" "$work/pulled.png" 2>/dev/null
less 0.004 "$(mark_share "$work/pulled.png")"
ok $? "the grabbed point is marked, where no fold hides it" "$(mark_share "$work/pulled.png") %"
pointer 376 90
sleep 1
reached 3 0.6 1
ok $? "it can be lifted above the pins" "$(tail -n 1 "$work/viewer.out")"
xdotool mouseup 1 keyup ctrl
reached 3 0.2 0.27 && reached 2 0.2 0.3
ok $? "releasing the button lets it fall" "$(tail -n 1 "$work/viewer.out")"
[ "$(last_of 5)" = 0 ]
ok $? "no frame of this has an intersection" "$(tail -n 1 "$work/viewer.out")"
look "$work/before.png"
less "$(mark_share "$work/before.png")" 0.004
ok $? "no point is marked any more" "$(mark_share "$work/before.png") %"

# Stepping back shows stored states, with the drag in them; what is played from there is computed without it.
xdotool key space
sleep 0.5
last=$(last_of 1)
high=$(awk '$3 > 0.6 {print $1}' "$work/viewer.out" | head -n 1)
for ((steps = 0; last - 4 * steps > high + 8; steps++)); do xdotool key Left; done
sleep 1
xdotool key n
sleep 0.7
[ "$(last_of 1)" -lt "$last" ] && reached 3 0.5 1 1
ok $? "a state within the drag can be gone back to" "$last, $high: $(tail -n 1 "$work/viewer.out")"
xdotool key space
reached 1 $((last + 5)) 100000 && reached 3 0.2 0.27
ok $? "frames played from there do not repeat the drag" "$(tail -n 1 "$work/viewer.out")"

pointer 100 100
look "$work/before.png"
xdotool keydown ctrl mousedown 1 mousemove_relative 80 10 mouseup 1 keyup ctrl
until_seen differs_from "$work/before.png" 3
ok $? "where nothing can be grabbed the same turns the view"
xdotool key q
ended 0
ok $? "the window ends well" "exit code $code; $(cat "$work/viewer.err")"

# A pile of cloth on the floor, asleep: it is woken and lifted whole, at a large time step.
scene pile '
world.gravity = {0, -9.81, 0}
local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = {25, 25}, size = {0.6, 0.6}, center = {0, 0.1, 0} } }
world:on("frame", function(w)
  local low, high, fast = math.huge, -math.huge, 0
  for i = 1, #sheet.x do
    low, high, fast = math.min(low, sheet.x[i].y), math.max(high, sheet.x[i].y), math.max(fast, sheet.v[i]:length())
  end
  print(w.frame, low, high, fast, w:audit().intersections)
end)'
sed -i 's|dt = 1/120|dt = 1/60|' "$work/pile.lua"
start "$work/pile.lua" --size 640x360
xdotool key i
reached 2 0 0.001 && reached 4 0 0
ok $? "a sheet on the floor sleeps" "$(tail -n 1 "$work/viewer.out")"
pointer 320 297
xdotool keydown ctrl mousedown 1
for y in 280 250 220 190 160 130 100 70; do
    pointer 320 $y
    sleep 0.2
done
reached 2 0.2 2 && reached 3 0.85 1.05
ok $? "it is woken, and hangs from the pointer" "$(tail -n 1 "$work/viewer.out")"
reached 4 0 0.5
ok $? "where it comes to rest" "$(tail -n 1 "$work/viewer.out")"
awk '$4 > 30 || $5 > 0 {exit 1}' "$work/viewer.out"
ok $? "no frame is wild or has an intersection" "$(sort -g -k 4 "$work/viewer.out" | tail -n 1)"
xdotool mouseup 1 keyup ctrl
reached 3 0 0.3
ok $? "released it falls" "$(tail -n 1 "$work/viewer.out")"
xdotool key q
ended 0

# ---- The timeline -------------------------------------------------------------------------------------------------------

# A sheet that falls for 4 s; frames print their number and height. The bar is 500 points or more of 640.
scene fall '
world.gravity = {0, -0.1, 0}
local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = {5, 5}, size = {0.3, 0.3}, center = {0, 0.9, 0} } }
world:on("frame", function(w) print(w.frame, sheet:centroid().y) end)'
sed -i 's/duration = 1000/duration = 4/' "$work/fall.lua"
start "$work/fall.lua" --size 640x360
reached 1 240 240
ok $? "a scene plays to its end" "$(tail -n 1 "$work/viewer.out"); $(cat "$work/viewer.err")"
sleep 0.5
look "${BAR:-$work/bar.png}"
pointer 500 350 # about three quarters of the bar
xdotool mousedown 1
sleep 0.3
pointer 320 350
sleep 0.3
pointer 330 340
sleep 0.3
xdotool mouseup 1
sleep 0.5
look "$work/now.png"
[ "$(last_of 1)" = 240 ]
ok $? "moving along the timeline plays nothing" "$(last_of 1)"
xdotool key n
sleep 1
reached 1 80 130 1
ok $? "it shows the state of the middle, from which n makes a frame" "$(last_of 1)"
awk '($1 in y) && y[$1] != $2 {bad = 1} {y[$1] = $2} END {exit bad}' "$work/viewer.out"
ok $? "the same as before, bit for bit"
pointer 639 350
xdotool click 1
sleep 0.5
xdotool key n
sleep 0.7
reached 1 80 135 1
ok $? "what was played again ends the history" "$(last_of 1)"
pointer 0 200
xdotool mousedown 1
pointer 40 355 # ends on the timeline, but has begun above it
sleep 0.3
xdotool mouseup 1
frame=$(last_of 1)
xdotool key n
sleep 0.7
[ "$(last_of 1)" = $((frame + 1)) ]
ok $? "a motion that begins elsewhere turns the view and does not move in time" "$frame, $(last_of 1)"
xdotool key i
sleep 0.3
pointer 160 350
xdotool click 1
sleep 0.3
frame=$(last_of 1)
xdotool key n
sleep 0.7
[ "$(last_of 1)" = $((frame + 1)) ]
ok $? "i hides the timeline, which then takes no clicks" "$frame, $(last_of 1)"
xdotool key i
sleep 0.3
pointer 160 350
xdotool click 1
sleep 0.3
xdotool key n
sleep 0.7
[ "$(last_of 1)" -lt 60 ]
ok $? "shown again, a click moves to its place" "$(last_of 1)"
xdotool key q
ended 0

# ---- Sliders ------------------------------------------------------------------------------------------------------------

# A sheet under a force along x of "pull" m/s^2, which frames print, and another slider; the right end of the first is at x = 625.
scene sliders '
world.gravity = {0, 0, 0}
local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = {5, 5}, size = {0.3, 0.3}, center = {-0.5, 0.5, 0} } }
local pull, other = muslin.param("pull", 0, -1, 1), muslin.param("other", 2, 0, 4)
world:force(muslin.node_force(function(n) return n.mass * pull * muslin.vec3(1, 0, 0) end))
world:on("frame", function(w) print(w.frame, pull:get(), other:get(), sheet:centroid().x) end)'
start "$work/sliders.lua" --size 640x360
reached 1 60 100000 && reached 2 0 0 && reached 4 -0.51 -0.49
ok $? "a scene with params that have a range plays" "$(tail -n 1 "$work/viewer.out"); $(cat "$work/viewer.err")"
look "${SLIDERS:-$work/sliders.png}"
pointer 624 60
xdotool mousedown 1
sleep 0.3
reached 2 0.9 1
ok $? "a press on the slider sets the value" "$(tail -n 1 "$work/viewer.out")"
pointer 320 300
sleep 0.3
reached 2 -1 -1
ok $? "motion with the button down moves it to its end and no further" "$(tail -n 1 "$work/viewer.out")"
xdotool mouseup 1
reached 4 -100 -0.6
ok $? "the force follows" "$(tail -n 1 "$work/viewer.out")"
reached 3 2 2 1
ok $? "the other slider stays"
printf -- '-- saved\n' | cat - "$work/sliders.lua" >"$work/saved.lua" && cp "$work/saved.lua" "$work/sliders.lua"
sleep 2
reached 1 1 100000 && reached 2 -1 -1 5
ok $? "a saved script plays with it" "$(tail -n 1 "$work/viewer.out")"
look "${SLIDERS2:-$work/sliders.png}"
pointer 560 60
xdotool click 3
reached 2 0 0 20
ok $? "a right click restores the script's value" "$(tail -n 1 "$work/viewer.out")"
xdotool key i
sleep 0.3
pointer 624 60
xdotool click 1
sleep 0.5
reached 2 0 0 3
ok $? "i hides the sliders, which then take no clicks" "$(tail -n 1 "$work/viewer.out")"
xdotool key q
ended 0

# ---- Rigid bodies -------------------------------------------------------------------------------------------------------

scene ball '
local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.15, at = {0, 0.151, 0}, motion = "dynamic", mass = 2 }
world:obstacle { name = "wall", shape = "box", size = {0.1, 0.6, 0.6}, at = {-0.5, 0.3, 0} }
world:on("frame", function(w) print(w.frame, ball.position.x, ball.position.y, ball.position.z) end)'
start "$work/ball.lua" --size 640x360
xdotool key i
reached 1 20 100000
pointer 320 262
xdotool keydown ctrl mousedown 1
pointer 380 160 # 0.255 m to the right, 0.434 m up
sleep 0.5
reached 2 0.15 0.35 && reached 3 0.4 0.75
ok $? "a rigid body follows the pointer" "$(tail -n 1 "$work/viewer.out")"
pointer 120 250 # behind the wall
sleep 1.5
# It may go around the wall: in every frame its middle must be a radius away from the box.
nearest=$(awk 'function over(x) { return x > 0 ? x : 0 }
    { x = over(($2 < -0.5 ? -0.5 - $2 : $2 + 0.5) - 0.05); y = over($3 - 0.6); z = over(($4 < 0 ? -$4 : $4) - 0.3)
      d = sqrt(x * x + y * y + z * z); if (NR == 1 || d < least) least = d } END { print least }' "$work/viewer.out")
less "$nearest" 0.16 && less 0.1495 "$nearest"
ok $? "and not through a wall" "$nearest m from its middle to the wall"
xdotool mouseup 1 keyup ctrl
sleep 0.5
xdotool key q
ended 0
tap_end
