package plan

import (
	"slices"

	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
)

// Composite is a composite that the target has code for: a step with a name.
type Composite struct {
	Name  string
	Attrs mlir.Dict // its composite_attributes
	// Args and Outs are its operands and results; before there is a step, without
	// values.
	Args, Outs []Dense
	// Work is memory that the step works in, of the types that kit.Options.Claim asks
	// for.
	Work []ValueID
}

// Dense is a value of a composite, in dense memory. The elements of an operand that is
// transposed are there in another order than its shape's. An operand that is broadcast has
// strides of 0.
type Dense struct {
	Value   ValueID
	Type    types.Type
	Strides []int64 // in elements
}

// Arrays returns the operands and the results without their strides.
func (c *Composite) Arrays() (args, outs []HostArg) {
	of := func(all []Dense) (list []HostArg) {
		for _, a := range all {
			list = append(list, HostArg{Value: a.Value, Type: a.Type})
		}
		return list
	}
	return of(c.Args), of(c.Outs)
}

// RowMajor returns those of memory that is dense and row-major.
func RowMajor(shape types.Shape) []int64 {
	strides, n := make([]int64, len(shape)), int64(1)
	for d, size := range slices.Backward(shape) {
		strides[d] = n
		n = dims.Mul(n, int64(size))
	}
	return strides
}
