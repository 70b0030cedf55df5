package verify

import (
	"math"
	"math/big"

	"ltc/internal/diag"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// windows is how windows move over an operand, one entry a dimension. Sizes may
// be unknown; strides and dilations that are not given are 1, padding is 0.
type windows struct {
	sizes, strides, base, dilations []int64
	low, high                       []int64 // padding, Dynamic where unknown
	symbolic                        bool    // as of the verifier
}

// list reads an attribute of n positive numbers, each 1 if it is missing.
func (w *windows) list(v *verifier, op *mlir.Op, to *[]int64, name string, n int, sizeLabel, label string) {
	*to, w.symbolic = ones(n), v.symbolic
	a := op.Attrs.Get(name)
	if a == nil {
		return
	}
	list, ok := mlir.Ints(a)
	if !ok {
		v.missing(op, name, "a list of integers", a)
	}
	if op.Code == stablehlo.DynamicConv && name == "window_strides" && len(list) > n {
		list = list[:n] // exporters write two for one dimension
	}
	if len(list) != n {
		v.stop(op, sizeLabel, "%s has %s, but should have %d", name, diag.Count(len(list), "entry"), n)
	}
	for i, x := range list {
		if x <= 0 && !(v.symbolic && dims.IsExpr(x) && dims.Less(0, x)) {
			v.stop(op, label, "%s has %d for dimension %d, but should be positive", name, x, i)
		}
	}
	*to = list
}

// padding reads the attribute: n pairs of padding below and above.
func (w *windows) padding(v *verifier, op *mlir.Op, a mlir.Attribute, n int, label string) {
	w.low, w.high = make([]int64, n), make([]int64, n)
	if a == unknownPadding {
		w.low, w.high = unknown(n), unknown(n)
		return
	}
	if a == nil {
		return
	}
	d, list := v.dense(op, "padding", "dense<…> with two integers a dimension", a)
	if s := d.Type.Shape; len(s) != 2 || s[0] != int64(n) || s[1] != 2 {
		v.stop(op, label, "the padding is %s, but its shape should be %s", d.Type, shapeText([]int64{int64(n), 2}))
	}
	for i := range n {
		w.low[i], w.high[i] = list[2*i], list[2*i+1]
	}
}

// count returns how many windows there are along the i-th dimension of the
// window, over one of the given size: num_windows of the specification.
func (w *windows) count(i int, size int64) int64 {
	if size == mlir.Dynamic || w.sizes[i] == mlir.Dynamic || w.low[i] == mlir.Dynamic {
		return mlir.Dynamic
	}
	if w.symbolic && dims.HasExpr(size, w.sizes[i], w.low[i], w.high[i]) {
		padded := dims.Add(spanOf(size, w.base[i]), dims.Add(w.low[i], w.high[i]))
		return dims.Max(dims.Add(dims.Div(dims.Sub(padded, spanOf(w.sizes[i], w.dilations[i])), w.strides[i]), 1), 0)
	}
	padded := new(big.Int).Add(dilated(size, w.base[i]), big.NewInt(w.low[i]))
	padded.Add(padded, big.NewInt(w.high[i]))
	span := dilated(w.sizes[i], w.dilations[i])
	if padded.Sign() <= 0 || span.Cmp(padded) > 0 {
		return 0
	}
	n := padded.Sub(padded, span)
	if n.Quo(n, big.NewInt(w.strides[i])); n.IsInt64() && n.Int64() < math.MaxInt64 {
		return n.Int64() + 1
	}
	return math.MaxInt64 // more than any tensor has
}

// spanOf is dilated of a size that may be an expression.
func spanOf(size, by int64) int64 { return dims.Max(dims.Add(dims.Mul(dims.Sub(size, 1), by), 1), 0) }

// dilated returns the length of size elements that stand by apart, which need
// not fit 64 bits.
func dilated(size, by int64) *big.Int {
	n := new(big.Int)
	if size == 0 {
		return n
	}
	n.Mul(big.NewInt(size-1), big.NewInt(by))
	return n.Add(n, big.NewInt(1))
}
