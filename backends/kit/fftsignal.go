package kit

import (
	"slices"

	"ltc/backends/kit/fourier"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// signal is real or complex elements between nodes.
type signal struct {
	// re is the real parts, and im the imaginary ones: if it is [plan.None], they are 0. With
	// carried set, re is both, whose first dimension is that of the parts.
	re, im  plan.ValueID
	carried bool
}

// operand returns what a value of the text is.
func (f *fourierNodes) operand(v *mlir.Value) signal {
	switch {
	case !isCarried(v):
		return signal{re: f.t.values[v], im: plan.None}
	case v.Def == nil || v.Def.Code != stablehlo.Complex:
		return signal{re: f.t.values[v], im: plan.None, carried: true}
	}
	x := signal{re: f.t.values[v.Def.Operands[0]], im: f.t.values[v.Def.Operands[1]]}
	if zero := f.t.graph.Splat(x.im); zero != nil && *zero == 0 {
		x.im = plan.None
	}
	return x
}

// signal adds the value of a signal that nodes make.
func (f *fourierNodes) signal(shape types.Shape, complex bool) signal {
	shape = slices.Clone(shape)
	if complex {
		shape = slices.Insert(shape, 0, 2)
	}
	return signal{f.t.graph.Value(types.Of(f.dtype, shape...)), plan.None, complex}
}

// A place returns the index of an element by where it is along the dimension that is
// transformed. A source prepares a node to load elements, and a sink to store them. Of a limit
// that is not 0, elements from there on are 0, and are not stored.
type (
	place  func(at kernel.Index) []kernel.Index
	loader func(at kernel.Index) fourier.Complex
	storer func(at kernel.Index, v fourier.Complex)
	source func(k *fourierNode, p place, limit int) loader
	sink   func(k *fourierNode, p place, limit int) storer
)

// source is of a signal.
func (f *fourierNodes) source(x signal) source {
	return func(k *fourierNode, p place, limit int) loader {
		re, im := k.value(x.re, false), -1
		if x.im != plan.None {
			im = k.value(x.im, false)
		}
		return func(at kernel.Index) fourier.Complex {
			v := fourier.Complex{Re: kernel.None, Im: kernel.None}
			r := k.within(at, limit)
			switch {
			case r == outside:
			case x.carried:
				v.Re, v.Im = k.load(re, r, part(0, p(at))), k.load(re, r, part(1, p(at)))
			default:
				if v.Re = k.load(re, r, p(at)); im >= 0 {
					v.Im = k.load(im, r, p(at))
				}
			}
			return v
		}
	}
}

// part is the index of a part of a complex number.
func part(i int64, index []kernel.Index) []kernel.Index {
	return slices.Concat([]kernel.Index{kernel.At(i)}, index)
}

// halfSource is of the transform of a real signal of n elements, whose first half x has. An
// element of the other half is the conjugate of one of these.
func (f *fourierNodes) halfSource(x signal, n int) source {
	return func(k *fourierNode, p place, _ int) loader {
		load := f.source(x)(k, p, n/2+1)
		return func(at kernel.Index) fourier.Complex {
			switch k.within(at, n/2+1) {
			case inside:
				return load(at)
			case outside:
				return k.Conjugate(load(mirrored(at, n)))
			}
			other := k.Conjugate(load(mirrored(at, n)))
			return k.otherwise(load(at), other)
		}
	}
}

// sink is to a signal: one of real elements drops imaginary parts.
func (f *fourierNodes) sink(y signal) sink {
	return func(k *fourierNode, p place, limit int) storer {
		to := k.value(y.re, true)
		return func(at kernel.Index, v fourier.Complex) {
			r := k.within(at, limit)
			switch {
			case r == outside:
			case y.carried:
				k.store(to, v.Re, r, part(0, p(at)))
				k.store(to, v.Im, r, part(1, p(at)))
			default:
				k.store(to, v.Re, r, p(at))
			}
		}
	}
}

// scaled is a sink of elements times a number.
func scaled(into sink, by float64) sink {
	return func(k *fourierNode, p place, limit int) storer {
		store := into(k, p, limit)
		return func(at kernel.Index, v fourier.Complex) { store(at, k.Scale(v, by)) }
	}
}
