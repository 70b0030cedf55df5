//go:build !amd64 && !arm64

package callsite

import "runtime"

func frames(pcs *[depth]uintptr, most int) int { return runtime.Callers(2, pcs[:most]) }
