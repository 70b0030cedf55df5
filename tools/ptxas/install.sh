#!/bin/sh
# Prints where NVIDIA's assembler is: that of the pinned package, which pip puts
# into .venv-ptxas, with the header of the driver, cuda.h, which tests compare the
# table of its functions with. A newer assembler takes what a driver may not. Without
# it, it says why on standard error and fails.
cd "$(dirname "$0")/../.." || exit 1
: "${PYTHON:=python3}"
packages="nvidia-cuda-nvcc==13.0.88 nvidia-cuda-runtime==13.0.88"
venv=$PWD/.venv-ptxas

found() { ls "$venv"/lib/python*/site-packages/nvidia/*/bin/ptxas 2>/dev/null; }
if [ "$(cat "$venv/installed" 2>/dev/null)" != "$packages" ]; then
	if ! command -v "$PYTHON" >/dev/null 2>&1; then
		echo "no $PYTHON, whose pip installs the assembler" >&2
		exit 1
	fi
	rm -rf "$venv"
	if ! "$PYTHON" -m venv "$venv" >/dev/null 2>&1 ||
		! "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary :all: $packages >/dev/null 2>&1 ||
		! found >/dev/null; then
		rm -rf "$venv"
		echo "pip does not install $packages" >&2
		exit 1
	fi
	echo "$packages" >"$venv/installed"
fi
found
