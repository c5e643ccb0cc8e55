#!/bin/bash
# Files dropped on the preview window: a scene takes the place of the scene, what is none is refused, a scene that fails
# leaves the one before, and is loaded when it is saved.
. "$(dirname "$0")/tap.bash"
. "$(dirname "$0")/window.bash"
unset SDL_VIDEODRIVER

drop=$work/drop_file
if ! "${CC:-gcc}" -std=c11 -D_DEFAULT_SOURCE -O1 -o "$drop" tests/app/drop.c -lX11 2>"$work/drop.err"; then
    sed 's/^/# /' "$work/drop.err"
    echo "1..0 # SKIP tests/app/drop.c does not build here (libx11-dev?)"
    exit 0
fi
open_display

sheet() { # sheet NAME COLOR LUA: a sheet that fills the picture and prints the number of each frame
    cat >"$work/$1.lua" <<END
local muslin = require "muslin"
local world = muslin.world { duration = 1000, threads = 1, dt = 1/60, fps = 60, gravity = {0, 0, 0}, air_density = 0 }
world:camera { from = {0, 0, 2}, to = {0, 0, 0}, fov = 0.5 }
$3
world:cloth { mesh = muslin.mesh.grid { nodes = {5, 5}, size = {3, 3}, plane = "xy" }, color = "$2" }
world:on("frame", function(w) print("$1", w.frame, #arg) end)
return world
END
}
sheet first "#e05020" ''
sheet second "#2020e0" ''
sheet broken "#20c020" 'error("not yet")'
has_hue() { less 60 "$("$picture" hue "$work/now.png" "$1" "$2")"; }
printed() { # printed REGEX [FILE]: by the viewer, within 10 s
    local i
    for ((i = 0; i < 100; i++)); do
        grep -qE "$1" "${2:-$work/viewer.out}" && return 0
        sleep 0.1
    done
    return 1
}
place() { echo $((X + WIDTH / 2)) $((Y + HEIGHT / 2)); }
title() { xdotool getwindowname "$id"; }

start "$work/first.lua" --size 640x360 -- an argument
id=$(xdotool search --onlyvisible --name '^muslin ' | head -n 1)
xdotool key i # no figures over it
until_seen has_hue 3 27
ok $? "the first scene is shown" "$(cat "$work/viewer.err")"
printed $'^first\t[0-9]+\t2$'
ok $? "with the command line's arguments" "$(tail -n 1 "$work/viewer.out")"

# shellcheck disable=SC2046 # two numbers
"$drop" "$work/second.lua" $(place)
ok $? "the window takes a file"
until_seen has_hue 228 252
ok $? "the scene that was dropped is shown" "$(cat "$work/viewer.err")"
printed $'^second\t1\t0$'
ok $? "it plays from its start, without arguments" "$(tail -n 1 "$work/viewer.out")"
[ "$(title)" = "muslin  second.lua" ]
ok $? "the window has its name" "$(title)"

echo text >"$work/notes.txt"
# shellcheck disable=SC2046
"$drop" "$work/notes.txt" $(place)
sleep 0.5
until_seen has_hue 228 252 && [ "$(title)" = "muslin  second.lua" ]
ok $? "another file leaves the scene" "$(title)"

# shellcheck disable=SC2046
"$drop" "$work/broken.lua" $(place)
printed "broken.lua:4: not yet" "$work/viewer.err"
ok $? "a scene that fails is reported" "$(cat "$work/viewer.err")"
before=$(grep -c ^second "$work/viewer.out")
sleep 1
kill -0 "$viewer" 2>/dev/null && [ "$(grep -c ^second "$work/viewer.out")" -gt "$before" ]
ok $? "and the one before plays on" "$(tail -n 2 "$work/viewer.out")"
sheet broken "#20c020" ''
until_seen has_hue 108 132
ok $? "saved, it is shown" "$(cat "$work/viewer.err")"

# Trust is of the command line's scene: what is dropped runs in the sandbox.
sheet trusting "#e0e020" 'io.open("/etc/hostname")'
xdotool key q
ended 0
ok $? "q ends it" "$code"
start "$work/first.lua" --size 640x360 --trusted
until_seen has_hue 3 27
# shellcheck disable=SC2046
"$drop" "$work/trusting.lua" $(place)
printed "trusting.lua:4" "$work/viewer.err"
ok $? "a scene that is dropped is not trusted" "$(cat "$work/viewer.err")"
xdotool key q
ended 0
ok $? "and the window closes" "$code"
tap_end
