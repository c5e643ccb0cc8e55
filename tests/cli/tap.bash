# tap.bash: what the command line's tests share. Source it; end with `tap_end`.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
muslin=$PWD/${BUILD:-build}/muslin
case ${BUILD:-build} in /*) muslin=$BUILD/muslin ;; esac
work=$(mktemp -d) || exit 2
trap 'chmod -R u+rwx "$work" 2>/dev/null; rm -rf "$work"' EXIT
unset DISPLAY WAYLAND_DISPLAY NO_COLOR POSIXLY_CORRECT
tap_count=0 tap_failed=0
code=0 out='' err=''

if [ ! -x "$muslin" ]; then
    echo "1..0 # SKIP $muslin is not built"
    exit 0
fi

ok() { # ok CONDITION-STATUS NAME [DETAIL]
    tap_count=$((tap_count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $tap_count - $2"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_count - $2"
        [ -n "${3:-}" ] && printf '%s\n' "$3" | sed 's/^/# /'
    fi
    return 0
}

skip() { # skip NAME REASON
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

run() { # run ARG...: the program's exit code in $code, its streams in $out and $err
    "$muslin" "$@" >"$work/.out" 2>"$work/.err" </dev/null
    code=$?
    out=$(cat "$work/.out")
    err=$(cat "$work/.err")
}

state() {
    printf 'exit code %s\nstdout: %s\nstderr: %s' "$code" "$out" "$err"
}

exits() { # exits CODE NAME: of the last run
    [ "$code" = "$1" ]
    ok $? "$2" "wanted exit code $1; $(state)"
}

prints() { # prints STREAM(out|err) REGEX NAME: of the last run
    local text=$err
    [ "$1" = out ] && text=$out
    [[ $text =~ $2 ]]
    ok $? "$3" "wanted '$2' in std$1; $(state)"
}

refuses() { # refuses CODE REGEX NAME ARG...: runs; wants the code, the message on stderr only, and its prefix
    local wanted=$1 regex=$2 name=$3
    shift 3
    run "$@"
    [ "$code" = "$wanted" ] && [[ $err =~ $regex ]] && [[ $err == muslin:* ]]
    ok $? "$name" "wanted exit code $wanted and '$regex'; $(state)"
}

json() { # json FILE PYTHON-EXPRESSION of `m`: true or false as a status; needs python3
    python3 -c 'import json, sys
m = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else 1)' "$1" "$2"
}

tap_end() {
    echo "1..$tap_count"
    [ $tap_failed = 0 ]
    exit
}
