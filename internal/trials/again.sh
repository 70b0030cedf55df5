#!/bin/sh
# Lists the packages that CI runs again in a configuration of again.txt, the
# longest first, as arguments of go test: internal/trials/again.sh race
cd "$(dirname "$0")" || exit 1
awk -v c="$1" '
	/^#/ { next }
	{ for (i = 2; i <= NF; i++) if ($i == c) has["./" $1] }
	END {
		n = split("./lazy ./backends/cuda ./backends/reference/llvm ./backends/reference/eval ./backends/reference ./examples/networks ./model", first)
		for (i = 1; i <= n; i++) if (first[i] in has) { print first[i]; delete has[first[i]] }
		for (p in has) print p
	}' again.txt
