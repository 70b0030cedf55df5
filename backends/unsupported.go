package backends

import (
	"errors"
	"fmt"
	"strings"

	"ltc/mlir"
)

// UnsupportedOp is one op of a module that a backend cannot run.
type UnsupportedOp struct {
	Op     string   // stablehlo.fft
	Pos    mlir.Pos // where it starts in the text
	Line   string   // that line of the text
	Reason string   // what of it is unsupported; names the target of a custom_call
}

// UnsupportedError lists all ops of a module that a backend cannot run, in
// the order of the text. It wraps [errors.ErrUnsupported].
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
