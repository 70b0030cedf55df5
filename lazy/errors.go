package lazy

import (
	"errors"
	"fmt"
	"strings"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// What an error of this package may wrap, for callers that branch on it.
var (
	// ErrStale: a computed tensor was used after the mark-step that it was not
	// a root of.
	ErrStale = errors.New("stale tensor")
	// ErrConflict: two traces assigned the same version of a variable.
	ErrConflict = errors.New("conflicting assignment")
	// ErrPlacement: tensors of different traces or devices, or of none, were
	// brought together.
	ErrPlacement = errors.New("tensors of different places")
	// ErrType: an operation broke a constraint of its type rule.
	ErrType = errors.New("type rule broken")
	// ErrFallback: the evaluator would run a program or an op of it, which [Compiled]
	// refuses.
	ErrFallback = backends.ErrFallback
	// ErrUsage: a call that the tensor's kind does not allow.
	ErrUsage = errors.New("not allowed")
)

// OpError is a mistake in a user's operation.
type OpError struct {
	Op       string       // mnemonic: matmul
	Operands []types.Type // as the user gave them
	Label    string       // of the constraint broken, as in docs/ops.md; may be empty
	Reason   string       // what is wrong and what to do
	File     string       // of the call; empty if unknown
	Line     int
	Scope    string // that the op was recorded in; see [Trace.Scope]
	Err      error  // one of the errors above
}

// Error prints train.go:41: matmul(f32[32,784], f32[512,10]): reason (label).
func (e *OpError) Error() string {
	var b strings.Builder
	if e.File != "" {
		fmt.Fprintf(&b, "%s:%d: ", e.File, e.Line)
	}
	if e.Scope != "" {
		b.WriteString(e.Scope + ": ")
	}
	b.WriteString(e.Op)
	b.WriteByte('(')
	for i, t := range e.Operands {
		if i > 0 {
			b.WriteString(", ")
		}
		if !t.DType.Valid() {
			b.WriteString("poisoned")
			continue
		}
		b.WriteString(t.String())
	}
	b.WriteString("): ")
	b.WriteString(e.Reason)
	if e.Label != "" {
		b.WriteString(" (" + e.Label + ")")
	}
	return b.String()
}

// Unwrap returns the sentinel that the error belongs to.
func (e *OpError) Unwrap() error { return e.Err }

// opError makes the error of an op at a line of the user's.
func opError(at callsite.Site, op string, kind error, operands []*Tensor, format string, args ...any) *OpError {
	e := &OpError{Op: op, Reason: fmt.Sprintf(format, args...), Err: kind}
	for _, t := range operands {
		switch {
		case t == nil:
		case t.err != nil && t.err.releases():
			e.Operands = append(e.Operands, t.err.Operands...)
		default:
			e.Operands = append(e.Operands, t.Type())
		}
	}
	e.at(at)
	return e
}

// typeError makes the error of a type rule.
func typeError(at callsite.Site, err error) *OpError {
	e := &OpError{Reason: err.Error(), Err: ErrType}
	if broken, ok := errors.AsType[*shapeinfer.Error](err); ok {
		e.Op, e.Operands, e.Label, e.Reason = broken.Op, broken.Operands, broken.Label, broken.Reason
	}
	e.at(at)
	return e
}

// nodeError makes the error of an op of a program.
func nodeError(n *ir.Node, kind error, reason string) *OpError {
	info := infoOf(n)
	e := &OpError{Op: info.Op, Operands: info.Operands, Reason: reason, Err: kind}
	e.at(n.Loc)
	return e
}

// at sets where the mistake was made.
func (e *OpError) at(s callsite.Site) {
	e.File, e.Line = s.Position()
	e.Scope = s.Scope()
}
