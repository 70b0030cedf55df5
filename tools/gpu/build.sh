#!/bin/sh
# Builds what checks and measures the CUDA backend on a GPU into a folder: the
# backend's tests and gpu, which runs them; the benchmark, compare, which puts it beside
# others, and their scripts; ltc-dump. The machine with the GPU needs its driver, and
# Python with what is to be compared with; its processor is of this kind.
set -e
cd "$(dirname "$0")/../.."
: "${GO:=go}"
to=$1
rm -rf "$to"
mkdir -p "$to"
"$GO" test -c -trimpath -ldflags '-s -w' -o "$to/cuda.test" ./backends/cuda
"$GO" build -trimpath -ldflags '-s -w' -o "$to/" ./cmd/ltc-dump ./tools/gpu
at=$(cd "$to" && pwd)
(cd bench && "$GO" build -trimpath -ldflags '-s -w' -o "$at/" . ./compare)
cp bench/gpu/peers.py tools/gpu/bench.sh "$to/"
# What tests read lies where it is from the directory that they run in.
mkdir -p "$to/tests/cuda" "$to/tests/kit/testdata" "$to/tests/reference/testdata" "$to/testdata/ops"
cp -r backends/kit/testdata/family "$to/tests/kit/testdata/"
cp backends/reference/testdata/zerosized.txtar "$to/tests/reference/testdata/"
cp testdata/ops/philox4x32.txtar "$to/testdata/ops/"
du -sk "$to" | awk '{ printf "make gpu-tests: %d KiB in %s, of 61440 at most\n", $1, $2; exit ($1 > 61440) }'
