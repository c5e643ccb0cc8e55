# window.bash: what the window's tests share: a display without a screen (Xvfb), the viewer in it, and what it shows. Source it
# behind tap.bash: it builds tests/app/picture.c as $picture, and ends the test where that is not possible.
# shellcheck disable=SC2154 # of tap.bash

picture=$work/picture
if ! "${CC:-gcc}" -std=c11 -O1 -o "$picture" tests/app/picture.c -lm 2>"$work/picture.err"; then
    sed 's/^/# /' "$work/picture.err"
    echo "1..0 # SKIP tests/app/picture.c does not build here (libstb-dev?)"
    exit 0
fi

less() { awk -v a="$1" -v b="$2" 'BEGIN {exit !(a < b)}'; }

open_display() { # starts the display, or ends the test with the reason
    if ! command -v Xvfb >/dev/null || ! command -v xdotool >/dev/null; then
        skip "window" "Xvfb or xdotool is not installed"
        tap_end
    fi

    mkdir "$work/screen"
    # Without -noreset the server starts anew whenever a viewer, its last client, has gone, and the next finds no display.
    Xvfb -displayfd 3 -screen 0 1000x700x24 -fbdir "$work/screen" -nolisten tcp -noreset 3>"$work/display" >/dev/null 2>&1 &
    server=$!
    trap stop_all EXIT
    for ((i = 0; i < 100; i++)); do
        [ -s "$work/display" ] && break
        sleep 0.1
    done
    if [ ! -s "$work/display" ]; then
        skip "window" "Xvfb does not start here"
        tap_end
    fi
    DISPLAY=:$(cat "$work/display")
    export DISPLAY
}

viewer=
stop_all() {
    [ -n "$viewer" ] && kill -KILL "$viewer" 2>/dev/null
    kill "$server" 2>/dev/null
    wait 2>/dev/null
    rm -rf "$work"
}

start() { # start ARG...: a viewer, once its window stands; its place in $X $Y $WIDTH $HEIGHT
    cd "$work" || exit 2
    "$muslin" view "$@" >"$work/viewer.out" 2>"$work/viewer.err" </dev/null &
    viewer=$!
    cd - >/dev/null || exit 2
    find_window
}

find_window() {
    local i id
    for ((i = 0; i < 150; i++)); do
        id=$(xdotool search --onlyvisible --name '^muslin ' 2>/dev/null | head -n 1)
        [ -n "$id" ] && break
        sleep 0.1
    done
    [ -n "$id" ] || return 1
    # A new window may still move to its place: it has one when five looks in a row agree.
    local place before='' same=0
    for ((i = 0; i < 50 && same < 5; i++)); do
        place=$(xdotool getwindowgeometry --shell "$id")
        if [ "$place" = "$before" ]; then same=$((same + 1)); else same=0; fi
        before=$place
        sleep 0.1
    done
    eval "$place"
    xdotool mousemove $((X + WIDTH / 2)) $((Y + HEIGHT / 2)) windowfocus "$id"
}

look() { # look OUT: what the window shows
    "$picture" cut "$work/screen/Xvfb_screen0" "$X" "$Y" "$WIDTH" "$HEIGHT" "$1"
}

look_at_rest() { # look_at_rest OUT: what the window shows when it no longer changes: drafts of what moves have become whole
    local i
    look "$1"
    for ((i = 0; i < 20; i++)); do
        sleep 0.5
        look "$work/again.png"
        cmp -s "$work/again.png" "$1" && return
        cp "$work/again.png" "$1"
    done
}

until_seen() { # until_seen COMMAND...: looks until the command agrees, for 20 s
    local i
    for ((i = 0; i < 100; i++)); do
        look "$work/now.png" && "$@" && return 0
        sleep 0.2
    done
    return 1
}

ended() { # ended CODE: the viewer's end within 15 s
    local i
    for ((i = 0; i < 75; i++)); do
        kill -0 "$viewer" 2>/dev/null || break
        sleep 0.2
    done
    kill -KILL "$viewer" 2>/dev/null && return 1
    wait "$viewer"
    code=$?
    viewer=
    [ "$code" = "$1" ]
}

differs_from() { less "$2" "$("$picture" diff "$work/now.png" "$1")"; }
same_as() { less "$("$picture" diff "$work/now.png" "$1")" "$2"; }
