package backends

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ltc/mlir"
)

// UnsupportedOp is one op of a module that a backend cannot run.
type UnsupportedOp struct {
	Op     string   // stablehlo.fft
	Pos    mlir.Pos // where it starts in the text
	Line   string   // that line of the text
	Reason string   // what is unsupported; for a custom_call it names the target
}

// UnsupportedError lists all ops of a module that a backend cannot run, in the order of the
// text. The error wraps [errors.ErrUnsupported].
type UnsupportedError struct {
	Backend string
	File    string // Options.Name
	Ops     []UnsupportedOp
}

func (e *UnsupportedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "backend %s cannot run %d of the program's ops:", e.Backend, len(e.Ops))
	for _, o := range e.Ops {
		fmt.Fprintf(&b, "\n%s:%d:%d: %s: %s", e.File, o.Pos.Line, o.Pos.Col, o.Op, o.Reason)
		if o.Line != "" {
			fmt.Fprintf(&b, "\n  %s", strings.TrimSpace(o.Line))
		}
	}
	return b.String()
}

// Unwrap returns [errors.ErrUnsupported].
func (e *UnsupportedError) Unwrap() error { return errors.ErrUnsupported }

// Unsupported returns the *[UnsupportedError] for ops of the program in file that a backend
// cannot run; nil if there are no such ops. Unsupported sorts ops into the order of the text.
func Unsupported(backend, file string, ops []UnsupportedOp) error {
	if len(ops) == 0 {
		return nil
	}
	slices.SortStableFunc(ops, func(a, b UnsupportedOp) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return &UnsupportedError{Backend: backend, File: file, Ops: ops}
}
