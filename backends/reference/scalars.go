package reference

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Scalars says what the ops of kernels do to elements: what the evaluator does.
type Scalars struct{}

var _ kernel.Scalars = Scalars{}

// scalarOp is an op on elements of one type, with a value of another.
type scalarOp struct {
	op       kernel.Op
	from, to types.DType
}

// scalarKernels has those that were asked for: kernel1 and kernel2 by scalarOp.
var scalarKernels sync.Map

// Scalar computes one element. An op that does not take the type is an error.
func (Scalars) Scalar(op kernel.Op, t, from types.DType, args ...uint64) (uint64, error) {
	key := scalarOp{op, from, t}
	k, known := scalarKernels.Load(key)
	if !known {
		if op.Arity() == 1 {
			k = key.kernel1()
		} else {
			k = key.kernel2()
		}
		scalarKernels.Store(key, k)
	}
	var r uint64
	switch k := k.(type) {
	case kernel1:
		if k != nil && len(args) == 1 {
			k(unsafe.Pointer(&r), unsafe.Pointer(&args[0]), 1)
			return r, nil
		}
	case kernel2:
		if k != nil && len(args) == 2 {
			k(unsafe.Pointer(&r), unsafe.Pointer(&args[0]), unsafe.Pointer(&args[1]), 1)
			return r, nil
		}
	}
	return 0, fmt.Errorf("%v of %d values of %v to %v: there is no such op", op, len(args), from, t)
}

// kernel1 returns the loop of an op of one operand; nil if there is none.
func (o scalarOp) kernel1() kernel1 {
	from, to := internalTypes[o.from], internalTypes[o.to]
	switch o.op {
	case kernel.Convert:
		return convertKernel(from, to)
	case kernel.IsFinite:
		return finiteKernel(from)
	}
	return unaryKernel(codes[o.op], from)
}

// kernel2 returns the loop of an op of two operands; nil if there is none.
func (o scalarOp) kernel2() kernel2 {
	from := internalTypes[o.from]
	if direction, ok := strings.CutPrefix(o.op.String(), "compare_"); ok {
		return compareKernel(strings.ToUpper(direction), false, from)
	}
	return binaryKernel(codes[o.op], from)
}

// internalTypes has the evaluator's types of those that callers can hold.
var internalTypes = func() map[types.DType]dtype {
	all := map[types.DType]dtype{}
	for _, d := range types.DTypes() {
		all[d] = dtypeOf(mlir.ElementOf(d))
	}
	return all
}()

// codes has the op of the dialect that an op of kernels is on each element.
var codes = func() (all [kernel.NumOps]mlir.Code) {
	for _, op := range kernel.Ops() {
		all[op] = mlir.CodeOf("stablehlo." + op.String())
	}
	all[kernel.Erf] = stablehlo.CHLOErf
	return all
}()
