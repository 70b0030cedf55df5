package kit

import (
	"errors"
	"strings"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/mlir"
)

// Why returns the reason of an error that wraps [ErrNotCompiled].
func Why(err error) string {
	return strings.TrimPrefix(strings.ReplaceAll(err.Error(), ErrNotCompiled.Error()+"\n", ""), "kit: ")
}

// WholeFallback returns the fallback that a program is for err, which wraps
// [ErrNotCompiled]; none if it is run by the evaluator to be watched.
func WholeFallback(err error) []backends.Fallback {
	if _, ok := errors.AsType[watched](err); ok {
		return nil
	}
	f := backends.Fallback{Reason: Why(err), Ordinal: -1}
	if x, ok := errors.AsType[*plan.Located](err); ok {
		f.Line, f.Ordinal = backends.LineOf(x.Loc), x.Ordinal
	}
	if placed, ok := errors.AsType[*mlir.Error](err); ok {
		f.Pos, f.Reason = placed.Pos, placed.Msg
	}
	return []backends.Fallback{f}
}

// why is the reason that a step of the evaluator gives its user; empty where the host is
// where the op belongs.
func why(op mlir.Code, reason string) string {
	row := &opTable[op]
	switch left := row.left; {
	case left == nil && row.replaced != "" && reason == noKernel:
		reason = "it is compiled where it becomes " + row.replaced
	case left == nil:
	case left.host:
		return ""
	case reason == noKernel || reason == noElements:
		reason = left.reason()
	}
	return strings.ReplaceAll(reason, "`", "")
}
