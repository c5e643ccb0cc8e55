#!/bin/sh
# Fuzzes the readers of files with clang's libFuzzer: tests/fuzz/run.sh [SECONDS], from the repository root. Finds are
# left under build/fuzz; without any the last line says so and the exit code is 0.
set -e
seconds=${1:-60}
dir=build/fuzz
clang=$(command -v clang || command -v clang-14)
mkdir -p $dir/corpus
$clang -std=c11 -D_GNU_SOURCE -ffp-contract=off -O1 -g -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=undefined -pthread -Isrc tests/fuzz/fuzz_readers.c src/base/*.c src/mesh/*.c src/io/*.c \
    -lxxhash -lm -o $dir/fuzz_readers

# One sound file of each format to begin with; the first byte is the target's choice of reader.
obj='o a\nv 0 0 0\nv 1 0 0 1\nv 1 1 -0.5e-3\nvt 0 0\nvt 1 0\nf 1/1 2/2 3/1\no b\nv 2 0 0\nf -1//1 \\\n 1//1 2//1\n'
vertex='element vertex 3\nproperty float x\nproperty double y\nproperty short z\n'
face='element face 1\nproperty list uchar int vertex_indices\nend_header\n'
printf "\\000$obj" >$dir/corpus/obj
printf "\\003$obj" >$dir/corpus/parts
printf "\\001ply\nformat ascii 1.0\n$vertex${face}0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n" >$dir/corpus/ply
printf "\\001ply\nformat binary_little_endian 1.0\n$vertex$face" >$dir/corpus/ply_binary
head -c 55 /dev/zero >>$dir/corpus/ply_binary
printf '\002solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid' \
    >$dir/corpus/stl
{ printf '\002'; head -c 80 /dev/zero; printf '\001\000\000\000'; head -c 50 /dev/zero; } >$dir/corpus/stl_binary
{ printf '\004POINTCACHE2\000\001\000\000\000\002\000\000\000'; head -c 8 /dev/zero; printf '\001\000\000\000'
    head -c 24 /dev/zero; } >$dir/corpus/pc2

nice -n 10 $dir/fuzz_readers -max_len=4096 -max_total_time="$seconds" -artifact_prefix=$dir/ $dir/corpus \
    >$dir/log 2>&1 || { tail -n 40 $dir/log; exit 1; }
tail -n 1 $dir/log
echo "nothing found in $seconds s"
