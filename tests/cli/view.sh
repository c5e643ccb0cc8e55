#!/bin/bash
# The preview window and its twin without a display: pictures, keys, reload on save, errors in the window.
# Window tests run in an X server without a screen (Xvfb) and look at what it shows.
. "$(dirname "$0")/tap.bash"
. "$(dirname "$0")/window.bash"
unset SDL_VIDEODRIVER

cloth_share() { "$picture" hue "$1" 5 30; } # the first cloth is terracotta
blue_share() { "$picture" hue "$1" 195 225; }
alarm_share() { "$picture" hue "$1" 0 2; }

# A sheet in waves over a ball, every vertex pinned: every frame shows the same.
still() { # still NAME [LUA]: more lines before the end
    cat >"$work/$1.lua" <<END
local muslin = require "muslin"
local world = muslin.world { duration = 1000, threads = 1, dt = 1/30, fps = 30 }
local function sheet(y)
  local vertices, faces, n = {}, {}, 31
  for j = 0, n - 1 do
    for i = 0, n - 1 do
      local x, z = i / (n - 1) - 0.5, j / (n - 1) - 0.5
      vertices[#vertices + 1] = {x, y + 0.04 * math.sin(20 * x + 4 * z), z}
      if i > 0 and j > 0 then
        local d = #vertices
        faces[#faces + 1] = {d - n - 1, d - n, d}
        faces[#faces + 1] = {d - n - 1, d, d - 1}
      end
    end
  end
  local cloth = world:cloth { mesh = muslin.mesh.new { vertices = vertices, faces = faces } }
  cloth:pin { where = function() return true end }
  return cloth
end
sheet(0.8)
world:obstacle { shape = "sphere", radius = 0.25, at = {0, 0.4, 0} }
world:obstacle { shape = "plane", normal = {0, 1, 0} }
${2:-}
return world
END
}

# ---- Without a display ------------------------------------------------------------------------------------------------

still still
run view "$work/still.lua"
exits 3 "view without a display"
prints err 'muslin run .*still.lua' "view without a display names the way without one"
DISPLAY=:98765 run view "$work/still.lua"
exits 3 "view with a display that is not there"
prints err 'no display.*muslin run .*still.lua' "reports it"

run run "$work/still.lua" --frames 1 --format png --size 640x360 --out "$work/a"
if [ $code != 0 ] && [[ $err == *libEGL* || $err == *'OpenGL 3.3'* ]]; then
    echo "# $err"
    echo "1..$tap_count # no OpenGL here: pictures are not tested"
    exit $((tap_failed != 0))
fi
exits 0 "pictures without a display"
[ "$("$picture" size "$work/a/frame_000000.png" 2>&1)" = "640 360" ]
ok $? "a picture has the size given"
share=$(cloth_share "$work/a/frame_000000.png") range=$("$picture" range "$work/a/frame_000000.png" 5 30)
less 5 "$share" && less "$share" 20
ok $? "a picture shows the cloth" "$share % of the pixels"
[ "$range" -ge 20 ]
ok $? "its waves are shaded" "light spans $range of 255"
cmp -s "$work/a/frame_000000.png" "$work/a/frame_000001.png"
ok $? "the same state twice is the same picture, byte for byte"
run run "$work/still.lua" --frames 0 --format png --size 640x360 --out "$work/b"
[ "$("$picture" diff "$work/a/frame_000000.png" "$work/b/frame_000000.png")" = 0.000 ]
ok $? "another process draws the same picture"
[ -z "$(find "$work/a" -name '*tmp*')" ]
ok $? "no temporary file is left"

__EGL_VENDOR_LIBRARY_DIRS=$work/nowhere run run "$work/still.lua" --frames 0 --format png --out "$work/none"
exits 3 "pictures without a driver for OpenGL"
prints err 'OpenGL 3.3.*libegl1' "name the packages that bring one"

still drawn 'world:on("draw", function(canvas)
  canvas:line({-0.5, 0.9, 0.5}, {0.5, 0.9, 0.5}, {color = {0, 0.7, 0, 1}, width = 6})
  canvas:point({0, 1, 0}, {color = {0.7, 0, 0.7, 1}, size = 30})
  canvas:text({40, 40, 0}, "WORDS", {color = {0, 0, 1, 1}, size = 60, screen = true})
end)'
run run "$work/drawn.lua" --frames 0 --format png --size 640x360 --out "$work/d"
exits 0 "a script draws"
less 0.3 "$("$picture" hue "$work/d/frame_000000.png" 110 130)"
ok $? "its line is seen" "$("$picture" hue "$work/d/frame_000000.png" 110 130) %"
less 0.1 "$("$picture" hue "$work/d/frame_000000.png" 295 305)"
ok $? "its point is seen" "$("$picture" hue "$work/d/frame_000000.png" 295 305) %"
less 0.3 "$("$picture" hue "$work/d/frame_000000.png" 235 245)"
ok $? "its text is seen" "$("$picture" hue "$work/d/frame_000000.png" 235 245) %"

SDL_VIDEODRIVER=offscreen run view "$work/still.lua" --frames 3 --size 320x200
exits 0 "a window of no screen plays its frames and closes"
still failing 'world:on("frame", function(w, t) if t > 0 then error("a wrong turn") end end)'
SDL_VIDEODRIVER=offscreen run view "$work/failing.lua" --frames 3 --size 320x200
exits 3 "an error with --frames ends the window"
prints err 'a wrong turn' "and is reported on standard error too"

# ---- In a window ------------------------------------------------------------------------------------------------------

open_display

cloth_seen() { less 5 "$(cloth_share "$work/now.png")"; }
cloth_and_blue_seen() { less 2 "$(cloth_share "$work/now.png")" && less 1.5 "$(blue_share "$work/now.png")"; }
alarm_seen() { less 0.02 "$(alarm_share "$work/now.png")"; }
alarm_gone() { ! alarm_seen; }
written() { [ -n "$(find "$work" -maxdepth 1 -name '*.png' -name 'scene_*')" ]; }

still scene 'world:on("key", function(name) if name == "j" then io.stderr:write("key j\n") return true end end)'
start "$work/scene.lua" --size 640x360 --trusted
ok $? "a window opens" "$(cat "$work/viewer.err")"
xdotool key i # no figures: they lie over the cloth of so small a window
until_seen cloth_seen
ok $? "it shows the cloth" "$(cloth_share "$work/now.png") %"
until_seen same_as "$work/a/frame_000000.png" 1
ok $? "it shows what the picture without a display shows" "$("$picture" diff "$work/now.png" "$work/a/frame_000000.png") % of the pixels differ"

xdotool key i
until_seen differs_from "$work/a/frame_000000.png" 3
ok $? "i shows the figures"
look_at_rest "$work/before.png"
xdotool key h
until_seen differs_from "$work/before.png" 3
ok $? "h shows the keys"
"$picture" cut "$work/now.png" 0 0 200 22 "$work/corner.png" && "$picture" cut "$work/before.png" 0 0 200 22 "$work/figures.png" &&
    less "$("$picture" diff "$work/corner.png" "$work/figures.png")" 1
ok $? "beside the figures, which stay" "$("$picture" diff "$work/corner.png" "$work/figures.png") %"
xdotool key h
until_seen same_as "$work/before.png" 1 && differs_from "$work/a/frame_000000.png" 3
ok $? "and hides them, but not the figures"
xdotool key i
until_seen same_as "$work/a/frame_000000.png" 1
ok $? "i hides these"
look_at_rest "$work/before.png"
xdotool key w
until_seen differs_from "$work/before.png" 0.8
ok $? "w shows the wireframe"
xdotool key w
until_seen same_as "$work/before.png" 1
ok $? "and hides it"
for key in "v normals" "p pins"; do
    read -r letter what <<<"$key"
    xdotool key "$letter"
    until_seen differs_from "$work/before.png" $([ "$letter" = v ] && echo 0.8 || echo 0.005)
    ok $? "$letter shows $what" "$("$picture" diff "$work/now.png" "$work/before.png") %"
    xdotool key "$letter"
    until_seen same_as "$work/before.png" 0.001
    ok $? "and hides them"
done
colored() { ! cloth_seen; }
xdotool key m
until_seen colored && differs_from "$work/before.png" 5
ok $? "m colors the cloth by a quantity" "$(cloth_share "$work/now.png") %"
xdotool key m m m m m m
until_seen same_as "$work/before.png" 1
ok $? "and in the end by its own color"

xdotool mousedown 1 mousemove_relative 120 20 mouseup 1
until_seen differs_from "$work/before.png" 5
ok $? "moving the mouse with the button down turns the view" "$("$picture" diff "$work/now.png" "$work/before.png") %"
xdotool click 4 click 4 click 4
share=$(cloth_share "$work/now.png")
nearer() { less "$(awk -v s="$share" 'BEGIN {print 1.15 * s}')" "$(cloth_share "$work/now.png")"; }
until_seen nearer
ok $? "the wheel comes nearer" "$share % before, $(cloth_share "$work/now.png") % after"
look_at_rest "$work/before.png"
xdotool mousedown 3 mousemove_relative 60 0 mouseup 3
until_seen differs_from "$work/before.png" 5
ok $? "moving with the right button down shifts the view"
look "$work/before.png"
xdotool key f
until_seen differs_from "$work/before.png" 5
ok $? "f shows everything again"
xdotool mousedown 1 mousemove_relative 30 10 mouseup 1 # from here on the camera is ours and follows nothing

xdotool key s
for ((i = 0; i < 50; i++)); do
    written && break
    sleep 0.2
done
sleep 0.3
shot=$(find "$work" -maxdepth 1 -name 'scene_*.png' | head -n 1)
[ -n "$shot" ] && [ "$("$picture" size "$shot")" = "640 360" ]
ok $? "s writes a picture of the window's size" "$(ls "$work")"
less 5 "$(cloth_share "$shot")"
ok $? "which shows the cloth"
xdotool key j
for ((i = 0; i < 50; i++)); do
    grep -q 'key j' "$work/viewer.err" && break
    sleep 0.1
done
grep -q 'key j' "$work/viewer.err"
ok $? "the script's key hook hears a key"

# ---- Saving the script ------------------------------------------------------------------------------------------------

sleep 4.5 # until the message about the picture has gone
look "$work/before.png"
still scene 'sheet(1.1)'
until_seen cloth_and_blue_seen
ok $? "saving the script shows the new scene" "blue $(blue_share "$work/now.png") %"
still scene
until_seen same_as "$work/before.png" 1
ok $? "the camera stays where it is" "$("$picture" diff "$work/now.png" "$work/before.png") %"
still scene 'local nothing = nil; nothing.here = 1'
until_seen alarm_seen
ok $? "a script that fails shows its error" "$(cat "$work/viewer.err")"
grep -q 'scene.lua:23' "$work/viewer.err"
ok $? "with its line" "$(cat "$work/viewer.err")"
less 3 "$(cloth_share "$work/now.png")"
ok $? "over the last scene that ran"
kill -0 "$viewer" 2>/dev/null
ok $? "and the window lives on"
printf 'this is no Lua' >"$work/scene.lua"
for ((i = 0; i < 50; i++)); do
    grep -q 'syntax error\|near' "$work/viewer.err" && break
    sleep 0.1
done
grep -q "scene.lua:1:" "$work/viewer.err" && kill -0 "$viewer"
ok $? "so it does with a syntax error" "$(cat "$work/viewer.err")"
still scene 'world:on("frame", function(w, t) if t > 0.1 then error("late trouble") end end)'
for ((i = 0; i < 100; i++)); do
    grep -q 'late trouble' "$work/viewer.err" && break
    sleep 0.1
done
grep -q 'late trouble' "$work/viewer.err" && until_seen alarm_seen
ok $? "an error in a hook stops the scene and is shown" "$(tail -n 4 "$work/viewer.err"); red $(alarm_share "$work/now.png") %"
printf 'return 0.8\n' >"$work/height.lua"
still scene 'local unused = require "height"'
until_seen alarm_gone
ok $? "a script that is mended runs again" "$(cat "$work/viewer.err")"
printf 'error("module trouble")\n' >"$work/height.lua"
until_seen alarm_seen
ok $? "saving a module that the script requires reloads it too" "$(cat "$work/viewer.err")"
printf 'return 0.9\n' >"$work/height.lua"
until_seen alarm_gone
ok $? "and mending it as well"
xdotool key q
ended 0
ok $? "q ends with exit code 0" "exit code $code"

# ---- Back in time -----------------------------------------------------------------------------------------------------

# A sheet that falls for ever, with a script beside it; what frames there are is printed.
fall() { # fall MARK [LUA]
    cat >"$work/fall.lua" <<END
local muslin = require "muslin"
local world = muslin.world { duration = 1000, threads = 1, dt = 1/30, fps = 30, gravity = {0, -0.01, 0} }
local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = {5, 5} } }
local count, gusts = 0, muslin.random "gusts"
local pull = muslin.param("pull", 0)
world:force(muslin.node_force(function(n) return n.mass * pull * muslin.vec3(0, 0, 1) end))
world:script(function(w)
  while true do
    w:wait(0.2)
    count = count + 1
    w.wind = {gusts(), 0, 0}
    pull:set(1e-3 * count)
  end
end)
world:on("frame", function(w)
  print(("$1 %d %.17g %d %g %.17g"):format(w.frame, sheet:centroid().y, count, pull:get(), sheet:centroid().z))
end)
${2:-}
return world
END
}
frames_of() { awk -v mark="$1" '$1 == mark {print $2}' "$work/viewer.out"; }
frame_of() { frames_of "$1" | tail -n 1; }
reached() { # reached MARK FRAME: within 20 s
    local i
    for ((i = 0; i < 200; i++)); do
        [ "$(frame_of "$1")" -ge "$2" ] 2>/dev/null && return 0
        sleep 0.1
    done
    return 1
}
reports() { # reports TEXT: on standard error, within 10 s
    local i
    for ((i = 0; i < 100; i++)); do
        grep -q "$1" "$work/viewer.err" && return 0
        sleep 0.1
    done
    return 1
}
# Is every frame of that mark that was made twice the same?
repeated() {
    awk -v mark="$1" '$1 == mark && ($2 in line) && line[$2] != $0 {bad = 1} $1 == mark {line[$2] = $0} END {exit bad}' \
        "$work/viewer.out"
}

fall one
start "$work/fall.lua" --size 640x360
reached one 40
ok $? "a scene plays" "$(cat "$work/viewer.err"); $(tail -n 3 "$work/viewer.out")"
xdotool key space
sleep 0.7
last=$(frame_of one)
xdotool key Left Left Left Left Left
sleep 0.5
look "${PAST:-$work/past.png}"
[ "$(frame_of one)" = "$last" ]
ok $? "going back plays nothing"
xdotool key space
sleep 0.3
reached one $((last + 10))
second=$(frames_of one | awk 'NR > 1 && $1 <= before {print $1; exit} {before = $1}')
[ "$second" -gt 5 ] && [ "$second" -lt "$last" ]
ok $? "space plays on from there" "$last, then $second"
repeated one
ok $? "the same frames come again, bit for bit" "$(cat "$work/viewer.out")"
xdotool key Home
sleep 0.5
xdotool key n
sleep 0.7
[ "$(frame_of one)" = 1 ]
ok $? "Home goes to the beginning, n makes one frame" "$(tail -n 3 "$work/viewer.out")"
xdotool key space
sleep 0.3
reached one 30
xdotool key space
sleep 0.5
xdotool key Left Left
sleep 0.5
fall two 'world.gravity = {0, 0.02, 0}'
sleep 1.5
xdotool key space
reached two 40
first=$(frames_of two | sed -n 2p)
[ "$first" -gt 15 ] && [ "$first" -lt 40 ]
ok $? "a script saved in the past goes on from there, with the changed code" \
    "$(grep two "$work/viewer.out" | head -n 3); $(cat "$work/viewer.err")"
fall three
reached three 1
[ "$(frames_of three | head -n 2 | xargs)" = "0 1" ]
ok $? "saved in the present it starts anew"
fall four 'world:keep()'
reached four 20
fall five 'world:keep() sheet:pin {vertices = {1}}'
reached five 25
first=$(frames_of five | sed -n 2p)
[ "$first" -gt 19 ]
ok $? "but with world:keep() it goes on" "$(grep five "$work/viewer.out" | head -n 3)"
fall six 'world:keep() error("a slip")'
reports 'a slip'
last=$(frame_of five)
reached five $((last + 5)) && until_seen alarm_seen
ok $? "while a saved script fails, its error is shown and the scene before it plays on" "$(tail -n 2 "$work/viewer.out")"
fall seven 'world:keep()'
reached seven $((last + 8))
ok $? "and mended it goes on from where that is" "$(tail -n 2 "$work/viewer.out")"
xdotool key r
sleep 1
[ "$(frames_of seven | grep -c '^0$')" = 2 ] && [ "$(frames_of seven | grep -c '^1$')" = 1 ]
ok $? "r starts anew all the same" "$(frames_of seven | xargs)"
fall eight 'world:on("after_step", function(w, t) if t > 1 then error("at a second") end end)'
reports 'at a second'
until_seen alarm_seen
xdotool key Left Left
until_seen alarm_gone
ok $? "an error can be gone back from" "$(alarm_share "$work/now.png")"
xdotool key q
ended 0
ok $? "and the window ends well" "exit code $code; $(cat "$work/viewer.err")"

# The end of a scene pauses it; what is loaded then plays.
brief() { # brief MARK: a scene of six frames that prints each of them
    fall "$1"
    sed -i 's/duration = 1000/duration = 0.2/' "$work/fall.lua"
}
played() { # played MARK TIMES: its last frame was made so often, within 20 s
    local i
    for ((i = 0; i < 200; i++)); do
        [ "$(frames_of "$1" | grep -c '^6$')" -ge "$2" ] && return 0
        sleep 0.1
    done
    return 1
}
# world:stop() ends a scene as its duration does.
fall eight
sed -i 's/^return world/world:on("frame", function(w) if w.frame == 6 then w:stop() end end)\nreturn world/' "$work/fall.lua"
start "$work/fall.lua" --size 320x200
played eight 1 && sleep 1 && [ "$(frame_of eight)" = 6 ]
ok $? "a scene that stops itself is paused" "$(tail -n 3 "$work/viewer.out")"
xdotool key space
sleep 1
[ "$(frame_of eight)" -gt 8 ]
ok $? "and the space bar continues it" "$(tail -n 3 "$work/viewer.out")"
xdotool key q
ended 0
brief nine
start "$work/fall.lua" --size 320x200
played nine 1 && sleep 1 && [ "$(frame_of nine)" = 6 ]
ok $? "a scene that has ended is paused" "$(tail -n 3 "$work/viewer.out")"
xdotool key r
played nine 2
ok $? "r plays it again" "$(frames_of nine | xargs)"
sleep 0.5
brief ten
played ten 1
ok $? "and a script that is saved then plays at once" "$(frames_of ten | xargs)"
sleep 0.5
xdotool key space
sleep 0.5
xdotool key space r
sleep 1
[ "$(frames_of ten | grep -c '^6$')" = 1 ]
ok $? "but what a key has paused stays so" "$(frames_of ten | xargs)"
xdotool key space
sleep 0.3
xdotool key l
played ten 3
ok $? "l plays it again and again" "$(frames_of ten | xargs)"
xdotool key l
sleep 1
times=$(frames_of ten | grep -c '^6$')
sleep 1
[ "$(frames_of ten | grep -c '^6$')" = "$times" ]
ok $? "until it is pressed once more" "$(frames_of ten | xargs)"
xdotool key q
ended 0
brief eleven
start "$work/fall.lua" --size 320x200 --loop
played eleven 3
ok $? "--loop does so from the start" "$(frames_of eleven | xargs)"
xdotool key q
ended 0
refuses 2 "'--loop' and '--frames' exclude each other" "--loop with an end that closes the window is refused" view --loop --frames 3 x.lua

start "$work/still.lua" --size 320x200 && sleep 0.5
kill -INT "$viewer"
ended 130
ok $? "an interrupt ends the window with exit code 130" "exit code $code"
still endless 'world:on("frame", function(w, t) while t > 0.02 do end end)'
start "$work/endless.lua" --size 320x200 && sleep 1.5
kill -INT "$viewer"
ended 130
ok $? "also from a hook that never ends" "exit code $code"
start "$work/still.lua" --size 320x200 --frames 20
ended 0
ok $? "with --frames the window closes by itself" "exit code $code; $(cat "$work/viewer.err")"

# ---- The prompt beside the window -------------------------------------------------------------------------------------

still prompt 'world:on("frame", function(w) if hang then while true do end end end) rawset(_G, "hang", false)'
printf 'view.w = 1\nworld.frame >= 0\n:pause\n:objects\nfor i = 2, 2 do\nprint(i) end\nexit\nprint("not read")\n' >"$work/lines"
SDL_VIDEODRIVER=offscreen "$muslin" view "$work/prompt.lua" --repl --size 320x200 <"$work/lines" >"$work/viewer.out" 2>"$work/viewer.err"
code=$?
[ $code = 0 ] && grep -q '^true$' "$work/viewer.out" && grep -q '^cloth1: cloth, 961 vertices' "$work/viewer.out" &&
    grep -q '^2$' "$work/viewer.out" && ! grep -q 'not read' "$work/viewer.out"
ok $? "lines from a pipe are run beside the window, and exit closes it" "exit code $code; $(cat "$work/viewer.out" "$work/viewer.err")"
grep -q "stdin:1: no variable 'view'" "$work/viewer.err"
ok $? "a mistake in one is reported and closes nothing" "$(cat "$work/viewer.err")"

if ! type script >/dev/null 2>&1; then
    skip "a prompt in a terminal" "script is not installed"
    tap_end
fi

type_in() { printf '%b' "$1" >&9; } # keys at the prompt
shown() { # shown REGEX: in the terminal, after what was shown last, within 20 s
    local i text
    for ((i = 0; i < 200; i++)); do
        text=$(tail -c +"$((seen + 1))" "$work/terminal" | tr -d '\r')
        if [[ $text =~ $1 ]]; then
            seen=$(stat -c %s "$work/terminal")
            return 0
        fi
        sleep 0.1
    done
    return 1
}
terminal() { tail -c 1500 "$work/terminal"; }

mkfifo "$work/keys"
exec 9<>"$work/keys"
: >"$work/terminal"
seen=0
MUSLIN_HISTORY=$work/history script -qfec "'$muslin' view --repl --size 640x360 '$work/prompt.lua'" "$work/terminal" \
    <"$work/keys" >/dev/null 2>&1 &
viewer=$!
find_window
ok $? "a window opens beside the prompt" "$(terminal)"
shown 'muslin> $'
ok $? "and the prompt stands" "$(terminal)"
until_seen cloth_seen
ok $? "the window draws while nothing is typed" "$(cloth_share "$work/now.png") %"
type_in 'world.frame > 3\n'
shown $'\ntrue'
ok $? "and plays" "$(terminal)"
type_in ':pa\t\n'
shown 'muslin> $'
type_in 'f = world.frame\n'
shown 'muslin> $'
sleep 0.3
type_in 'f == world.frame, world.step_in\t > 0\n'
shown $'\ntrue\ttrue'
ok $? ":pause holds it; Tab completes on the world" "$(terminal)"
type_in ':step 3\n'
shown 'frame [0-9]+, [0-9.]+ s, [0-9]+ contacts'
type_in 'world.frame - f\n'
shown $'\n3'
ok $? ":step makes frames" "$(terminal)"
xdotool key Left Left Left Left Left
sleep 0.5
type_in 'world.frame < f + 3\n'
shown $'\ntrue'
ok $? "which one can go back through in the window" "$(terminal)"
xdotool mousemove $((X + WIDTH / 2)) $((Y + HEIGHT / 3))
xdotool click 1
sleep 0.3
xdotool mousemove $((X + WIDTH / 2)) $((Y + HEIGHT + 100)) # away: now the click counts
type_in ':pick\n'
shown "cloth 'cloth1', face [0-9]+, vertex [0-9]+ at \("
ok $? ":pick prints what was clicked" "$(terminal)"
type_in 'it.name, face, (it.x[at] - muslin.vec3(0, 0.8, 0)):length() < 0.4\n'
shown $'cloth1\t[0-9]+\ttrue'
ok $? "and has it as it, face and at" "$(terminal)"
type_in 'error("a slip")\n'
shown 'stdin:1: a slip'
type_in 'half a line\003'
shown 'muslin> $'
type_in 'while true do end\n'
sleep 0.7
type_in '\003'
shown 'interrupted'
ok $? "errors are reported, Ctrl-C drops a line, or what runs" "$(terminal)"
type_in 'hang = true\n:play\n'
sleep 1
type_in '\003'
sleep 0.3
type_in '\003'
shown 'interrupted'
ok $? "a second one interrupts a frame that does not end" "$(terminal)"
until_seen alarm_seen
type_in 'hang = false print("still " .. "there")\n'
shown 'still there'
ok $? "the window reports it, and stays open" "$(terminal)"
still prompt 'sheet(1.1) rawset(_G, "mark", "saved anew")'
until_seen cloth_and_blue_seen
type_in 'mark, #world.cloths\n'
shown $'saved anew\t2'
ok $? "saving the script: the prompt works in the new scene" "$(terminal)"
type_in '\004'
ended 0
ok $? "Ctrl-D closes the window" "exit code $code; $(terminal)"
exec 9>&-
tap_end
