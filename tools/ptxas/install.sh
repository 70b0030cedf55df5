#!/bin/sh
# Prints where one of NVIDIA's tools is, which pip puts below .venv-ptxas:
#
#	install.sh            the assembler that tables are of, and beside it the header of
#	                      the driver, cuda.h, which tests compare the table of its
#	                      functions with; a newer assembler takes what a driver may not
#	install.sh 12.4.131   the assembler of another version of CUDA
#	install.sh nvdisasm   the disassembler
#
# Without it, it says why on standard error and fails.
cd "$(dirname "$0")/../.." || exit 1
: "${PYTHON:=python3}"
venv=$PWD/.venv-ptxas
tool=ptxas
packages="nvidia-cuda-nvcc==13.0.88 nvidia-cuda-runtime==13.0.88"
into=$venv/13.0.88
case "$1" in
"") ;;
nvdisasm) tool=nvdisasm packages=nvidia-cuda-nvdisasm==13.5.37 into=$venv/nvdisasm ;;
12.*) packages=nvidia-cuda-nvcc-cu12==$1 into=$venv/$1 ;;
*) packages=nvidia-cuda-nvcc==$1 into=$venv/$1 ;;
esac

found() { ls "$into"/nvidia/*/bin/$tool 2>/dev/null; }
if [ "$(cat "$into/installed" 2>/dev/null)" != "$packages" ]; then
	if ! command -v "$PYTHON" >/dev/null 2>&1; then
		echo "no $PYTHON, whose pip installs $packages" >&2
		exit 1
	fi
	rm -rf "$into"
	if [ ! -x "$venv/bin/python" ]; then
		rm -rf "$venv"
		"$PYTHON" -m venv "$venv" >/dev/null 2>&1
	fi
	if ! "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary :all: --target "$into" $packages >/dev/null 2>&1 ||
		! found >/dev/null; then
		rm -rf "$into"
		echo "pip does not install $packages" >&2
		exit 1
	fi
	echo "$packages" >"$into/installed"
fi
found
