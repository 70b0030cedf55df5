package vector

import (
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// twoProduct returns a product and what rounding takes from it. It is exact where the product's parts neither overflow nor underflow;
// without FMA, factors of f64 must be below 2^996 (Veltkamp).
func (b *Builder) twoProduct(x, y value.Value) (product, rest value.Value) {
	product = b.fmul(x, y)
	if b.Machine.FMA() {
		return product, b.fma(x, y, b.fneg(product))
	}
	xh, xl := b.halvesOf(x)
	yh, yl := b.halvesOf(y)
	rest = b.fsub(b.fmul(xh, yh), product)
	rest = b.fadd(rest, b.fmul(xh, yl))
	rest = b.fadd(rest, b.fmul(xl, yh))
	return product, b.fadd(rest, b.fmul(xl, yl))
}

// halvesOf splits the bits of f64 lanes: products of the parts are exact.
func (b *Builder) halvesOf(x value.Value) (high, low value.Value) {
	c := b.fmuln(x, 1<<27+1)
	high = b.fsub(c, b.fsub(c, x))
	return high, b.fsub(x, high)
}

// inDouble runs f, which works on f64, on f32 lanes as well.
func inDouble(f func(b *Builder, single bool, x ...value.Value) value.Value) func(b *Builder, x ...value.Value) value.Value {
	return func(b *Builder, x ...value.Value) value.Value {
		t := x[0].Type()
		if width(t) == 64 {
			return f(b, false, x...)
		}
		wide := make([]value.Value, len(x))
		for i := range x {
			wide[i] = b.Block.NewFPExt(x[i], like(t, ll.Double))
		}
		return b.Block.NewFPTrunc(f(b, true, wide...), t)
	}
}
