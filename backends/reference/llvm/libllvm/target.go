package libllvm

import (
	"runtime"
	"strings"
)

// triple returns the target's triple.
func (o Options) triple() string {
	switch {
	case o.Triple != "":
		return o.Triple
	case runtime.GOARCH == "arm64":
		return "aarch64-unknown-linux-gnu"
	}
	return "x86_64-unknown-linux-gnu"
}

// arch returns what LLVM calls the target's code generator.
func (o Options) arch() string {
	switch arch, _, _ := strings.Cut(o.triple(), "-"); arch {
	case "aarch64", "arm64":
		return "AArch64"
	case "x86_64", "i686":
		return "X86"
	default:
		return arch
	}
}
