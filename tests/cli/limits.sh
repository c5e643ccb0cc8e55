#!/bin/bash
# Limits and signals where nothing comes to an end by itself: in a C function, in a draw hook, in ffmpeg, at a limit of
# the size of files. The program ends in time, reports the limit, and leaves a manifest that records it.
. "$(dirname "$0")/tap.bash"
type python3 >/dev/null 2>&1 || { echo "1..0 # SKIP python3 reads the manifests of this test, and is missing"; exit 0; }

cat >"$work/scene.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world { duration = 0.1, threads = 1 }
local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = {4, 4}, center = {0, 1, 0} } }
local function hang() local s = ("a"):rep(40) return s:find((".-"):rep(40) .. "b") end -- one call of C, for ages
if arg[1] == "frame" then world:on("frame", function(w) if w.frame == 2 then hang() end end) end
if arg[1] == "draw" then world:on("draw", function() hang() end) end
if arg[1] == "writes" then world:on("frame", function(w) for k = 1, 200 do w:log("value" .. k, k / 3) end end) end
return world
L
scene=$work/scene.lua

timed() { # timed SECONDS ARG...: run, stopped by SIGKILL after so many; how long it took in $took, ms
    local most=$1 start
    shift
    start=$(date +%s%N)
    timeout -s KILL "$most" "$muslin" "$@" >"$work/.out" 2>"$work/.err" </dev/null
    code=$?
    took=$((($(date +%s%N) - start) / 1000000))
    out=$(cat "$work/.out")
    err=$(cat "$work/.err")
}

ends_at_limit() { # ends_at_limit DIR NAME
    [ "$code" = 124 ] && [ "$took" -lt 14000 ] && [[ $err == *"time limit of "[16]" s"* ]] &&
        json "$1/manifest.json" 'm["exit"]["code"] == 124 and m["exit"]["reason"] == "time limit"' &&
        [ "$(find "$1" -name '.muslin-*')" = "" ]
    ok $? "$2" "after $took ms; $(state); $(ls -a "$1"); $(grep '"exit"' "$1/manifest.json")"
}

timed 40 run "$scene" --out "$work/frame" --time-limit 1 -- frame
ends_at_limit "$work/frame" "a hook in a C function that does not return ends at the time limit"

"$muslin" run "$scene" --out "$work/term" -- frame >"$work/.out" 2>"$work/.err" &
pid=$!
for _ in {1..100}; do [ -e "$work/term/frame_000001.obj" ] && break; sleep 0.1; done
sleep 0.5
start=$(date +%s%N)
kill -TERM $pid
( sleep 30; kill -KILL $pid 2>/dev/null ) & killer=$!
wait $pid
code=$? took=$((($(date +%s%N) - start) / 1000000)) err=$(cat "$work/.err") out=
kill $killer 2>/dev/null
[ $code = 130 ] && [ $took -lt 5000 ] && [[ $err == *"terminated after frame 1"* ]] &&
    json "$work/term/manifest.json" 'm["exit"]["code"] == 130 and m["exit"]["reason"] == "terminated" and len(m["frames"]) == 2'
ok $? "one SIGTERM ends it" "after $took ms; $(state); $(grep '"exit"' "$work/term/manifest.json")"

run run "$scene" --out "$work/png" --format png --frames 1 --size 64x64
if [ "$code" = 0 ] && [ -e "$work/png/frame_000001.png" ]; then
    timed 40 run "$scene" --out "$work/draw" --format obj,png --size 64x64 --time-limit 1 -- draw
    ends_at_limit "$work/draw" "a draw hook that does not return ends at the time limit"

    mkdir "$work/bin"
    cat >"$work/bin/ffmpeg" <<'S'
#!/bin/sh
trap '' TERM INT
for last; do :; done
echo begun >"$last"
sleep 300 &
echo "$$ $!" >"$FFMPEG_PIDS"
while :; do wait; done
S
    chmod +x "$work/bin/ffmpeg"
    export FFMPEG_PIDS=$work/pids
    gone() { # whether the processes of ffmpeg have ended
        local pids
        read -r -a pids <"$work/pids" || return 1
        [ ${#pids[@]} = 2 ] || return 1
        for _ in {1..20}; do kill -0 "${pids[@]}" 2>/dev/null || return 0; sleep 0.1; done
        return 1
    }
    PATH=$work/bin:$PATH timed 40 run "$scene" --out "$work/film" --format mp4 --size 64x64 --frames 1 --time-limit 6
    ends_at_limit "$work/film" "an ffmpeg that does not return ends at the time limit"
    [[ $err == *"in ffmpeg"* ]] && gone && [ -e "$work/film/frame_000001.png" ] && [ ! -e "$work/film/film.mp4" ]
    ok $? "and is reported and ended, with what it started; the pictures stay" "$(state); $(cat "$work/pids"); $(ls -a "$work/film")"

    rm "$work/pids"
    PATH=$work/bin:$PATH "$muslin" run "$scene" --out "$work/film2" --format mp4 --size 64x64 --frames 1 >"$work/.out" 2>"$work/.err" &
    pid=$!
    for _ in {1..100}; do [ -s "$work/pids" ] && break; sleep 0.1; done
    kill -INT $pid
    ( sleep 30; kill -KILL $pid 2>/dev/null ) & killer=$!
    wait $pid
    code=$? err=$(cat "$work/.err") out=
    kill $killer 2>/dev/null
    [ $code = 130 ] && gone && json "$work/film2/manifest.json" 'm["exit"]["reason"] == "interrupted"' &&
        [ "$(find "$work/film2" -name '.muslin-*')" = "" ]
    ok $? "as it is at Ctrl-C" "$(state); $(ls -a "$work/film2")"
else
    skip "draw hooks and ffmpeg" "no pictures here"
fi

# ---- ulimit -f ----------------------------------------------------------------------------------------------------------

limited() { # limited BLOCKS ARG...: with files of at most so many KB
    (ulimit -f "$1"; shift; "$muslin" "$@" >"$work/.out" 2>"$work/.err" </dev/null)
    code=$?
    out=$(cat "$work/.out") err=$(cat "$work/.err")
}
limited 1 run "$scene" --out "$work/small" --format obj
[ "$code" = 3 ] && [[ $err == *"File too large"* ]] && json "$work/small/manifest.json" 'm["exit"]["reason"] == "error"' &&
    [ "$(find "$work/small" -type f ! -name manifest.json)" = "" ]
ok $? "a frame that is larger than files may be is an error, reported in the manifest" "$(state); $(ls -la "$work/small"); $(cat "$work/small/manifest.json")"
limited 6 run "$scene" --out "$work/long" --format none -- writes
[ "$code" = 3 ] && [[ $err == *"File too large"* ]] &&
    json "$work/long/manifest.json" 'm["exit"]["reason"] == "error" and m["exit"]["code"] == 3 and m["incomplete"]' &&
    [ "$(find "$work/long" -type f ! -name manifest.json)" = "" ]
ok $? "a manifest that is, is written short" "$(state); $(ls -la "$work/long")"
tap_end
