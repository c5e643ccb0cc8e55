#!/bin/bash
# README.md: every block of Lua and every command is run as it stands, from a folder that holds nothing but what a reader has
# there: build/, examples/ and the files that the page itself names.
. "$(dirname "$0")/tap.bash"
command -v python3 >/dev/null || {
    echo "1..0 # SKIP python3 is not installed"
    exit 0
}
root=$PWD
mkdir "$work/page" && cp -r examples "$work/page" && ln -s "$(dirname "$muslin")" "$work/page/build"

# Blocks as files, in the order of the page: FILE\tpath of a whole file, PART\tpath of scene.lua with the lines of a block,
# RUN\tcommand, INLINE\tpath of scene.lua with a call from the text.
cat >"$work/blocks.py" <<'P'
import re, sys
text, folder = open("README.md", encoding="utf-8").read(), sys.argv[1]
count, scene = 0, None
def part(kind, code):
    global count
    count += 1
    name = f"part{count}.lua"
    head, tail = scene.rsplit("return world", 1)
    open(f"{folder}/{name}", "w").write(head + code + "\nreturn world" + tail)
    print(kind, name, sep="\t")
for language, body, inline in re.findall(r"^```(\w*)\n(.*?)^```$|`((?:world|sheet):\w+ ?[({][^`]*[)}])`", text, re.M | re.S):
    name = re.match(r"-- ([\w/]+\.lua)$", body.split("\n")[0])
    if inline: # `body` is any mesh with as many vertices as its cache
        mesh = "local body = muslin.mesh.icosahedron { radius = 0.1 }\n" if "body" in inline else ""
        part("INLINE", mesh + inline)
    elif language == "lua" and name:
        open(f"{folder}/{name[1]}", "w").write(body)
        if name[1] == "scene.lua": scene = body
        print("FILE", name[1], sep="\t")
    elif language == "lua":
        part("PART", body)
    elif not language:
        for line in body.splitlines():
            command = re.sub(r"\s+#.*", "", line).strip()
            if command: print("RUN", command, sep="\t")
    else:
        print("ODD", language, sep="\t")
P
python3 "$work/blocks.py" "$work/page" >"$work/blocks"
for kind in FILE:5 PART:4 RUN:12 INLINE:2; do
    [ "$(grep -c "^${kind%:*}" "$work/blocks")" -ge "${kind#*:}" ]
    ok $? "the page has at least ${kind#*:} blocks of kind ${kind%:*}" "$(cat "$work/blocks")"
done
! grep -q ^ODD "$work/blocks"
ok $? "and no others" "$(grep ^ODD "$work/blocks")"
! grep -nE '…|\.\.\. *(end|\)|\})' "$work"/page/*.lua >"$work/.out"
ok $? "nothing in them is left out" "$(cat "$work/.out")"

# The point cache that the text's obstacle follows.
cat >"$work/cache.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {}
world:cloth { name = "body", mesh = muslin.mesh.icosahedron { radius = 0.1 } }
return world
L
run run "$work/cache.lua" --frames 30 --format pc2 --out "$work/cache" --quiet
cp "$work/cache/cloth_body.pc2" "$work/page/walk.pc2"
cd "$work/page" || exit 2
export HOME=$work/home

execute() { # what is to be run, the command
    bash -c "$2" >"$work/.out" 2>"$work/.err" </dev/null
    code=$?
    out=$(tail -n 20 "$work/.out")
    err=$(tail -n 20 "$work/.err")
    exits 0 "$1"
}
while IFS=$'\t' read -r kind what; do
    case $kind in
    FILE)
        if command -v luac5.4 >/dev/null; then
            luac5.4 -p "$what" 2>"$work/.err"
            ok $? "$what is Lua" "$(cat "$work/.err")"
        fi
        ;;
    PART) execute "scene.lua with: $(diff scene.lua "$what" | sed -n '2s/^> //p')" "build/muslin run $what --quiet" ;;
    INLINE) execute "scene.lua with: $(diff scene.lua "$what" | sed -n 's/^> //p' | tail -1)" "build/muslin run $what --frames 5 --quiet" ;;
    RUN)
        case $what in
        "make install"*) # with the compiler of the build, or all would be built again
            build=$(dirname "$muslin")
            execute "$what" "make -s -C $root BUILD=$build CC='$(sed 's/ -std=c11 .*//' "$build/.flags")' ${what#make }"
            ;;
        make*)
            make -n -C "$root" "${what#make }" MAKE=true >/dev/null 2>"$work/.err"
            ok $? "$what is a target" "$(cat "$work/.err")"
            ;;
        export*)
            # shellcheck disable=SC2086,SC2163 # a line of the page
            eval "$what"
            ;;
        *) execute "$what" "${what/muslin view/muslin run}" ;; # there is no display here
        esac
        ;;
    esac
done <"$work/blocks"
[ "$(ls out/frame_*.obj | wc -l)" = 121 ] && [ "$(ls out/last/*.png)" = out/last/frame_000120.png ]
ok $? "frames and the last picture are where the page writes them" "$(ls out/last)"
[ "$(wc -l <out/friction/cases.jsonl)" = 12 ]
ok $? "the sweep has as many cases as the page states" "$(wc -l out/friction/cases.jsonl)"
env -u LD_LIBRARY_PATH ./drape >/dev/null
ok $? "the program in C finds its library"
cd "$root" || exit 2
tap_end
