#!/bin/sh
# Has the tests of what emits PTX keep every module, and NVIDIA's assembler look
# at all of them; so do those of other versions of CUDA that PTXAS_VERSIONS lists,
# and if it lists any, the disassembler looks at the machine code.
cd "$(dirname "$0")/../.." || exit 1
: "${GO:=go}"
case " $* " in
*" -update "*) PTXAS_VERSIONS= ;; # the table is of one version
esac
assembler=$(tools/ptxas/install.sh) || {
	echo "SKIPPED: make ptxas" >&2
	exit 0
}
skipped=0
for v in $PTXAS_VERSIONS; do
	if path=$(tools/ptxas/install.sh "$v"); then
		set -- "$@" -other "$v=$path"
	else
		skipped=$((skipped + 1))
		echo "SKIPPED: the assembler $v" >&2
	fi
done
if [ -n "$PTXAS_VERSIONS" ]; then
	if path=$(tools/ptxas/install.sh nvdisasm); then
		set -- "$@" -disassembler "$path"
	else
		skipped=$((skipped + 1))
		echo "SKIPPED: the disassembler" >&2
	fi
fi
# What all of these programs took is not looked at again: a run that is ended goes on.
if [ -n "$PTXAS_VERSIONS" ] && [ "$skipped" = 0 ]; then
	set -- "$@" -passed ".venv-ptxas/passed-$(echo "$PTXAS_VERSIONS" | cksum | cut -d' ' -f1)"
fi
modules=$(mktemp -d)
trap 'rm -rf "$modules"' EXIT
# The tests that run the interpreter, which keeps what it is given; not its own,
# which give it what is no kernel.
packages=$("$GO" list -f '{{.ImportPath}} {{join .Deps " "}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... |
	awk '$1 !~ /ptxsim$/ && /internal\/test\/(ptxsim|cudafake|gputext)/ { print $1 }')
export PTXAS_DIR=$modules
"$GO" test -count=1 $packages && for m in bench examples/digits; do "$GO" -C $m test -count=1 . || exit 1; done || exit 1
"$GO" run ./tools/ptxas -assembler "$assembler" "$@" "$modules" || exit 1
[ "$skipped" = 0 ] || echo "$skipped tools skipped"
