#!/bin/bash
# The Makefile: what is built again and what is not; the message on a machine without the packages.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKEOVERRIDES
count=0
report() { # status, name
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        [ -s "$work/log" ] && tail -n 20 "$work/log" | sed 's/^/#   /'
    fi
}
object=$work/b/obj/src/base/rng.o
build() { make BUILD="$work/b" OPT=-O0 "$@" "$object" >"$work/log" 2>&1; }
compiled() { grep -q 'CC src/base/rng.c' "$work/log"; }

build && compiled
report $? "a first make compiles"
build && ! compiled
report $? "a second one has nothing to do"
build -W src/base/rng.h && compiled
report $? "a changed header compiles again what includes it"
build -W src/base/hash.h && ! compiled
report $? "and nothing else"
build CFLAGS=-DOTHER && compiled
report $? "changed flags compile again"
build CFLAGS=-DOTHER && ! compiled
report $? "once"

inside=build/make_test
rm -rf "$inside"
trap 'rm -rf "$work" "$inside"' EXIT
make BUILD="$PWD/$inside" OPT=-O0 "$inside/obj/src/base/rng.o" >"$work/log" 2>&1 &&
    make BUILD="$inside" OPT=-O0 -W src/base/rng.h "$inside/obj/src/base/rng.o" >"$work/log" 2>&1 && compiled
report $? "a folder of the tree is one folder, by its absolute and its relative name"

make BUILD="$work/l" OPT=-O0 -j2 "$work/l/libmuslin.a" >"$work/log" 2>&1 && touch -d '+1 hour' "$work/l/.sources" &&
    make BUILD="$work/l" OPT=-O0 "$work/l/libmuslin.a" >"$work/log" 2>&1 && grep -q 'AR ' "$work/log"
report $? "a source come or gone links the library again"

# A machine with make and the essential packages only.
mkdir "$work/bin"
for tool in make sh bash sed mkdir touch cmp dirname basename find id grep cat env; do
    ln -s "$(command -v $tool)" "$work/bin/$tool"
done
bare() { env -i PATH="$work/bin" HOME="$work" "$@" >"$work/log" 2>&1; }
bare make help && ! grep -qi 'not found' "$work/log" && grep -q 'make demo' "$work/log"
report $? "without any package the Makefile can still be read"
bare make BUILD="$work/bare" "$work/bare/obj/src/base/rng.o"
[ $? != 0 ] && grep -q 'missing packages:.* gcc .*make deps' "$work/log"
report $? "a build without the compiler names what is missing and the remedy"
bare .ci/deps build
[ $? = 1 ] && grep -q 'by their Debian names.* gcc ' "$work/log"
report $? "without apt-get the packages are named"

# It knows of three packages, of 1.5, 2 and 0.2 MB.
cat >"$work/bin/apt-get" <<END
#!/bin/sh
echo "apt-get \$*" >>$work/apt
case "\$*" in
*" -s "*) printf 'Inst gcc (12)\nInst cpp (12)\nInst libc6-dev (2)\nConf gcc (12)\n' ;;
*--print-uris*) printf "Reading...\n'http://a/gcc.deb' gcc.deb 1500000 MD5:1\n'http://a/cpp.deb' cpp.deb 2000000 MD5:2\n'http://a/c.deb' c.deb 200000 \n" ;;
esac
END
chmod +x "$work/bin/apt-get"
rm "$work/bin/id"
printf '#!/bin/sh\necho 1000\n' >"$work/bin/id"
chmod +x "$work/bin/id"
bare .ci/deps build
[ $? = 1 ] && [ ! -e "$work/apt" ] && grep -q 'apt-get update && apt-get install .* gcc' "$work/log"
report $? "without root and sudo the command is printed, and nothing is tried"
printf '#!/bin/sh\necho 0\n' >"$work/bin/id"
bare .ci/deps build && grep -q 'apt-get update' "$work/apt" && grep -q 'apt-get install -y .* gcc' "$work/apt"
report $? "as root they are installed"
[ "$(grep -n 'install -y --no-install' "$work/apt" | cut -d: -f1)" = "$(wc -l <"$work/apt")" ] &&
    grep -q 'about to install 3 packages, a download of 4 MB' "$work/log"
report $? "after the number of packages and the size of the download"
rm -f "$work/apt"
printf '#!/bin/sh\necho "sudo $*" >>%s/apt\n' "$work" >"$work/bin/sudo"
chmod +x "$work/bin/sudo"
printf '#!/bin/sh\necho 1000\n' >"$work/bin/id"
bare .ci/deps build && grep -q 'sudo .*apt-get install -y' "$work/apt"
report $? "through sudo where that works"
rm -f "$work/apt"
env PATH="$work/bin:$PATH" .ci/deps build test >"$work/log" 2>&1 && [ ! -e "$work/apt" ]
report $? "and no question when all is there"
# Without a number of jobs all processors are used; nproc alone obeys OpenMP's variables.
printf '#!/bin/sh\n[ -n "$OMP_NUM_THREADS" ] && echo 1 || echo 7\n' >"$work/bin/nproc"
chmod +x "$work/bin/nproc"
rm "$work/bin/env"
ln -s "$(command -v env)" "$work/bin/env"
printf '#!/bin/sh\necho "jobs: $*"\nexit 1\n' >"$work/bin/stop" # what follows the building is not run
chmod +x "$work/bin/stop"
for target in demo check test bench asan ""; do
    # shellcheck disable=SC2086 # no word at all
    OMP_NUM_THREADS=1 PATH="$work/bin:$PATH" BUILD="$work/none" make MAKE="$work/bin/stop" $target BUILD="$work/none" >"$work/log" 2>&1
    grep -q 'jobs: --no-print-directory -j7 .*all' "$work/log"
    report $? "make $target compiles on all processors"
done
OMP_NUM_THREADS=1 PATH="$work/bin:$PATH" make -j3 MAKE="$work/bin/stop" demo BUILD="$work/none" >"$work/log" 2>&1
grep -q 'jobs: --no-print-directory  *all' "$work/log"
report $? "and on as many as were given"
for target in check test; do
    PATH="$work/bin:$PATH" make MAKE="$work/bin/stop" $target BUILD="$work/none" >"$work/log" 2>&1
    grep -B9 'jobs:' "$work/log" | grep -q ' min\b\| minutes' && make help | grep "make $target " | grep -q ' min'
    report $? "make $target begins with how long it takes"
done
.ci/deps --check nonsense >"$work/log" 2>&1
[ $? = 2 ]
report $? "an unknown set is refused"
echo "1..$count"
