package tiles

import (
	"fmt"
	"strings"
	"sync/atomic"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/internal/loops"
	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/mlir"
)

// Scalars says what the ops of kernels do to elements: what the evaluator does.
type Scalars struct{}

var _ kernel.Scalars = Scalars{}

// scalarOp is an op on elements of one type, with a value of another.
type scalarOp struct {
	op       kernel.Op
	from, to types.DType
}

// scalarLoop is the loop of an op of one operand, or of one of two; neither if there is no
// such op.
type scalarLoop struct {
	one loops.Loop1
	two loops.Loop2
}

// scalarLoops has those that were asked for, by op and by the types of its operands and of
// its value. Tests ask for each element of large operands.
var scalarLoops [kernel.NumOps][types.F64 + 1][types.F64 + 1]atomic.Pointer[scalarLoop]

// Scalar computes one element: ops of programs, and with [kernel.Float] those that only package
// expand makes. An op that does not take the type is an error, and so is one whose value depends
// on more than arguments: the caller computes that, as [kernel.Evaluate] does.
func (Scalars) Scalar(op kernel.Op, t, from types.DType, args ...uint64) (uint64, error) {
	switch op {
	case kernel.FMA, kernel.CopySign, kernel.Exponent, kernel.Mantissa, kernel.Scale:
		return kernel.Float(op, t, args...)
	}
	if !op.Computes() {
		return 0, fmt.Errorf("%v: its value depends on more than arguments: compute it as kernel.Evaluate does", op)
	}
	known := &scalarLoops[op][from][t]
	k := known.Load()
	if k == nil {
		k = new(scalarLoop)
		if o := (scalarOp{op, from, t}); op.Arity() == 1 {
			k.one = o.kernel1()
		} else {
			k.two = o.kernel2()
		}
		known.Store(k)
	}
	var r uint64
	switch {
	case k.one != nil && len(args) == 1:
		k.one(unsafe.Pointer(&r), unsafe.Pointer(&args[0]), 1)
		return r, nil
	case k.two != nil && len(args) == 2:
		k.two(unsafe.Pointer(&r), unsafe.Pointer(&args[0]), unsafe.Pointer(&args[1]), 1)
		return r, nil
	}
	return 0, fmt.Errorf("%v of %s of %v to %v: there is no such op", op, diag.Count(len(args), "value"), from, t)
}

// Loop1 returns the loop of an op of one operand; nil if there is none.
func (o scalarOp) kernel1() loops.Loop1 {
	from, to := loops.Of(o.from), loops.Of(o.to)
	switch o.op {
	case kernel.Convert:
		return loops.Convert(from, to)
	case kernel.IsFinite:
		return loops.Finite(from)
	}
	return loops.Unary(codes[o.op], from)
}

// Loop2 returns the loop of an op of two operands; nil if there is none.
func (o scalarOp) kernel2() loops.Loop2 {
	from := loops.Of(o.from)
	if direction, ok := strings.CutPrefix(o.op.String(), "compare_"); ok {
		return loops.Compare(strings.ToUpper(direction), false, from)
	}
	return loops.Binary(codes[o.op], from)
}

// codes has the op of the dialect that an op of kernels is on each element.
var codes = func() (all [kernel.NumOps]mlir.Code) {
	for _, op := range kernel.Ops() {
		if all[op] = mlir.CodeOf("stablehlo." + op.String()); all[op] == 0 {
			all[op] = mlir.CodeOf("chlo." + op.String())
		}
	}
	return all
}()
