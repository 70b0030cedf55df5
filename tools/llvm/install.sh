#!/bin/sh
# Installs a libLLVM for the compiler for CPUs, unless there is one that works:
# Debian's package where this is root on something like Debian, or else the one
# inside of Python's llvmlite, into out/llvm. It says what it did. Without any,
# programs are slower and nothing else, so that this is no error.
cd "$(dirname "$0")/../.." || exit 1
: "${GO:=go}" "${PYTHON:=python3}"
lite=$PWD/out/llvm/libllvmlite.so

# works says on standard output which libLLVM works.
works() { "$GO" run ./tools/llvm 2>/dev/null; }

if [ "$LTC_LIBLLVM" = none ]; then
	echo "make llvm: nothing to do: LTC_LIBLLVM is none"
	exit 0
fi
if found=$(works); then
	echo "make llvm: nothing to do: $found"
	exit 0
fi
if [ -n "$LTC_LIBLLVM" ]; then
	echo "make llvm: nothing done: LTC_LIBLLVM names one that cannot be used"
	"$GO" run ./tools/llvm 2>&1 | grep -v '^exit status' | sed 's/^/make llvm: /'
	exit 0
fi

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	for package in libllvm19 libllvm22 libllvm21 libllvm20 libllvm18 libllvm17 libllvm16 libllvm15; do
		if [ -z "$updated" ] && ! apt-cache show "$package" >/dev/null 2>&1; then
			apt-get update -qq >/dev/null 2>&1
			updated=1
		fi
		if DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 &&
			found=$(works); then
			echo "make llvm: installed $package with apt-get: $found"
			exit 0
		fi
	done
fi

if command -v "$PYTHON" >/dev/null 2>&1; then
	packages=$(mktemp -d)
	trap 'rm -rf "$packages"' EXIT
	if "$PYTHON" -m pip install -q --disable-pip-version-check --no-deps --only-binary :all: --target "$packages" llvmlite >/dev/null 2>&1; then
		mkdir -p out/llvm && mv "$packages/llvmlite/binding/libllvmlite.so" "$lite"
		if found=$(LTC_LIBLLVM=$lite works); then
			echo "make llvm: installed llvmlite's with pip: $found"
			echo "make llvm: make uses it; elsewhere: export LTC_LIBLLVM=$lite"
			exit 0
		fi
		rm -f "$lite"
	fi
fi

echo "make llvm: no libLLVM could be installed; programs run without the compiler"
"$GO" run ./tools/llvm 2>&1 | grep -v '^exit status' | sed 's/^/make llvm: /'
exit 0
