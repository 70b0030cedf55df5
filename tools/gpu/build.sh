#!/bin/sh
# Builds what checks the CUDA backend on a GPU into a folder: the backend's tests,
# ltc-dump, the benchmark, and run.sh. The machine with the GPU needs its driver and
# nothing else; its processor is of this kind.
set -e
cd "$(dirname "$0")/../.."
: "${GO:=go}"
to=$1
rm -rf "$to"
mkdir -p "$to"
"$GO" test -c -trimpath -ldflags '-s -w' -o "$to/cuda.test" ./backends/cuda
"$GO" build -trimpath -ldflags '-s -w' -o "$to/" ./bench ./cmd/ltc-dump
cp tools/gpu/run.sh "$to/"
du -sk "$to" | awk '{ printf "make gpu-tests: %d KiB in %s, of 61440 at most\n", $1, $2; exit ($1 > 61440) }'
