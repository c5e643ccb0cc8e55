#!/bin/bash
# What `make install` puts in place is enough: for the host, for C programs by pkg-config, for stock lua5.4.
set -u
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/.define MUS_VERSION "\(.*\)"/\1/p' src/muslin/build.h)
prefix=$work/prefix
count=0
report() { # status, name
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        [ -s "$work/log" ] && tail -n 30 "$work/log" | sed 's/^/#   /'
    fi
}
try() { # name, command...
    local name=$1
    shift
    "$@" >"$work/log" 2>&1
    report $? "$name"
}

try "make install" make -s BUILD="$build" PREFIX="$prefix" install
for file in bin/muslin lib/libmuslin.a lib/libmuslin.so "lib/libmuslin.so.${version%.*}" include/muslin.h include/muslin/world.h include/muslin/host.h lib/lua/5.4/muslin.so \
    lib/pkgconfig/muslin.pc share/muslin/scripts share/muslin/muslin.d.lua share/lua/5.4/muslin/kit.lua; do
    [ -e "$prefix/$file" ]
    report $? "$file is there"
done

# Into a package's staging folder: nothing outside it, and nothing in it that names it.
try "make install under DESTDIR" make -s BUILD="$build" PREFIX=/usr DESTDIR="$work/stage" install
diff <(cd "$prefix" && find . -type f -o -type l | sort) <(cd "$work/stage/usr" && find . -type f -o -type l | sort) >"$work/log"
report $? "the same files under DESTDIR"
grep -rF "$work" "$work/stage/usr/lib/pkgconfig" >"$work/log"
[ $? = 1 ] && grep -q '^prefix=/usr$' "$work/stage/usr/lib/pkgconfig/muslin.pc"
report $? "muslin.pc names the prefix, not the staging folder"

# Away from the repository, so that nothing is found there by accident.
cp examples/c/drape.c examples/c/Makefile "$work"
root=$PWD
cd "$work" || exit 1
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
# A chapter alone, where it is installed: it finds the chapters that it needs beside itself.
printf '#include <muslin/%s.h>\n' cloth host math >chapters.c
echo 'int main(void) { return mus_cos(0) == 1 && mus_cloth_def_default().thickness > 0 ? 0 : 1; }' >>chapters.c
try "chapters of the header compile and link alone" \
    sh -c 'gcc -std=c11 -Wall -Wextra -Werror chapters.c $(pkg-config --cflags --libs muslin) -o chapters'
LD_LIBRARY_PATH=$prefix/lib ./chapters 2>"$work/log"
report $? "their functions are in the shared library"
try "the C example builds, shared" make -s drape CFLAGS="-O2 -Wall -Wextra -Werror"
try "the C example builds, static" make -s drape-static CFLAGS="-O2 -Wall -Wextra -Werror"
try "shared: it needs libmuslin.so.${version%.*}" sh -c "objdump -p drape | grep -q 'NEEDED *libmuslin.so.${version%.*}\$'"
objdump -p drape-static | grep "NEEDED *libmuslin" >"$work/log"
[ $? = 1 ]
report $? "static: it needs no libmuslin"
LD_LIBRARY_PATH=$prefix/lib ./drape 0.75 last.obj >shared.out 2>"$work/log"
report $? "shared: the sheet drapes and the audit is clean"
./drape-static 0.75 >static.out 2>"$work/log"
report $? "static: the sheet drapes and the audit is clean"
tail -n +2 shared.out >"$work/a"
tail -n +2 static.out >"$work/b"
grep -qE 'hash [0-9a-f]{16}$' "$work/a" && diff "$work/a" "$work/b" >"$work/log"
report $? "both give the same state, to the bit"
[ ! -s "$work/log" ] && [ "$(grep -c '^o ' last.obj)" = 2 ] && [ "$(grep -c '^v ' last.obj)" -gt 900 ]
report $? "the last state is written as a mesh of two parts"
# The ball holds it: after 0.75 s free fall alone would have it on the floor.
awk '/0.75 s/ {seen = 1; good = $5 > 0.7 && $5 < 0.8} END {exit !(seen && good)}' shared.out
report $? "the sheet hangs on the ball"
./drape-static nonsense >/dev/null 2>"$work/log"
[ $? = 2 ]
report $? "a wrong command line is refused"

cat >stock.lua <<'LUA'
local muslin = require "muslin"
local world = muslin.world { dt = 1/240 }
local sheet = world:cloth {
  mesh = muslin.mesh.grid { nodes = {12, 12}, size = {0.5, 0.5}, plane = "xz", center = {0, 0.3, 0} },
}
world:obstacle { name = "ball", shape = "sphere", radius = 0.1, at = {0, 0.15, 0} }
for _ = 1, 60 do world:step() end
local _, y = sheet.x:get(1)
assert(y < 0.2, "the corner has not fallen: " .. y)
assert(y > -0.01 - 9.81 * 0.25^2 / 2 + 0.3 - 0.05, "the corner fell faster than gravity: " .. y)
muslin.expect(world):penetration_free() -- the kit's Lua files are found beside the module
print(("%.6f"):format(y))
world:close()
LUA
LUA_CPATH="$prefix/lib/lua/5.4/?.so" LUA_PATH=";" lua5.4 stock.lua >"$work/lua.out" 2>"$work/log"
report $? "stock lua5.4 requires muslin and simulates"
cp "$root/examples/01_hello.lua" hello.lua 2>"$work/log" && "$prefix/bin/muslin" run hello.lua --frames 2 --out hello >"$work/log" 2>&1
report $? "the installed host runs a scene and finds its scripts"
try "the installed host prints its version" sh -c "'$prefix/bin/muslin' --version | grep -qE '[0-9]+\.[0-9]+\.[0-9]+'"

cd "$root" || exit 1
try "make uninstall" make -s BUILD="$build" PREFIX="$prefix" uninstall
left=$(find "$prefix" -type f -o -type l)
[ -z "$left" ] || echo "$left" >"$work/log"
report "$([ -z "$left" ] && echo 0 || echo 1)" "it takes everything away"
echo "1..$count"
