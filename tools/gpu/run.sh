#!/bin/sh
# Runs the tests of the CUDA backend on the GPU of this machine. Flags are those of
# test programs, such as -test.v. What is about the fake driver alone is skipped.
cd "$(dirname "$0")" || exit 1
devices=$(./ltc-dump devices) || exit 1
echo "$devices"
if ! echo "$devices" | grep -q '^cuda *cuda:0'; then
	echo "SKIPPED: there is no GPU that the backend can use: see above" >&2
	exit 0
fi
LTC_TEST_GPU=1 ./cuda.test "$@"
