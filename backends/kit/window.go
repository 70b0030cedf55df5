package kit

import (
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// cumulative makes a scan of windows whose body is any function of scalars, also of
// several values. It reports false where they are none: windows with another initial
// value than one that combined with itself is itself, since the padding counts as it.
// Along the dimension it combines what is carried with an element, in reverse an element
// with what is carried.
func (b *nodeBuilder) cumulative() (bool, error) {
	n := len(b.out)
	s, ok := scanningOf(stablehlo.AsReduceWindow(b.op), b.in[0].Shape, b.out[0].Shape)
	if !ok || len(capturedBy(b.op)) > 0 {
		return false, nil
	}
	for i := range n {
		if b.in[i].DType != b.out[i].DType || b.in[n+i].DType != b.out[i].DType {
			return false, nil
		}
	}
	body := pointwise(b.op.Regions[0])
	if body == nil {
		return false, nil
	}
	if itself, err := b.startsWithItself(body); !itself || err != nil {
		return false, err
	}
	f := &function{elements: n, carries: n, all: true, associative: true, carriedFirst: s.kind == kernel.ScanAxis}
	var err error
	if f.scalars, err = b.t.scalars(body, "combine"); f.scalars == nil || err != nil {
		return false, err
	}
	return true, b.carry(s, f, b.in[0].Shape)
}

// startsWithItself reports whether the initial values, combined with themselves by a
// body, are these again, to the bit.
func (b *nodeBuilder) startsWithItself(body *mlir.Region) (bool, error) {
	n := len(b.out)
	var initial []uint64
	for i := range n {
		s := b.splat(n + i)
		if s == nil {
			return false, nil
		}
		initial = append(initial, *s)
	}
	after, err := b.t.evaluated(body, slices.Concat(initial, initial))
	return slices.Equal(after, initial), err
}

// reduceWindow has the windows as parallel axes and a stage over the elements of
// one, or is a scan. What lies in the padding, or between elements that stand apart, counts
// as the initial value.
func reduceWindow(b *nodeBuilder) error {
	with, t := combiner(b.op.Regions[0]), b.out[0].DType
	switch {
	case with == kernel.Invalid || len(b.out) > 1:
		if done, err := b.cumulative(); done || err != nil {
			return err
		}
		if len(b.out) > 1 {
			return leave("windows of several values at once")
		}
		return leave("its body is not one op that kernels reduce with")
	case !with.Takes(t):
		return leave("elements of type %v", t)
	}
	rank := len(b.in[0].Shape)
	op := stablehlo.AsReduceWindow(b.op)
	if s, ok := scanningOf(op, b.in[0].Shape, b.out[0].Shape); ok && b.in[0].DType == t && (with.Idempotent() || b.beginsNeutral(with)) {
		b.scan(s, with)
		return nil
	}
	size := op.WindowDimensions()
	stride, base, dilation := op.WindowStrides(), op.BaseDilations(), op.WindowDilations()
	padding := op.Padding()
	outer := b.Axes(b.out[0].Shape)
	index := make([]kernel.Index, rank)
	var axes []kernel.Axis
	guard := false
	for d := range index {
		index[d] = affine(d, stride[d], dims.GoSub(0, padding[2*d]))
		if size[d] != 1 {
			index[d].Terms = append(index[d].Terms, kernel.Term{Axis: rank + len(axes), Factor: dilation[d]})
			axes = append(axes, kernel.Axis{Name: fmt.Sprintf("j%d", d), Size: kernel.Size(size[d])})
		}
		last := dims.GoMul(dims.GoSub(int64(b.out[0].Shape[d]), 1), stride[d])
		last = dims.GoAdd(last, dims.GoSub(dims.GoMul(dims.GoSub(size[d], 1), dilation[d]), padding[2*d]))
		guard = guard || !dims.GoAtMost(padding[2*d], 0) || base[d] > 1 || !dims.GoAtMost(dims.GoAdd(last, 1), int64(b.in[0].Shape[d]))
	}
	b.Stage(axes...)
	var v kernel.ID
	if guard {
		initial := b.load(1)
		for d := range index {
			if base[d] > 1 {
				index[d] = kernel.ByValue(b.apart(index[d], base[d]))
			}
		}
		if b.Type(initial) != b.in[0].DType {
			return leave("results of another type")
		}
		v = b.guarded(0, initial, index...)
	} else {
		v = b.load(0, index...)
	}
	v = b.As(wide(t), v)
	switch {
	case len(axes) > 0:
		v = b.Reduce(with, v)
	case with == kernel.Add && b.Type(v).IsFloat():
		v = b.Op(kernel.Add, b.Type(v), v, b.Bits(b.Type(v), 0)) // sums start from 0, that of one element, too
	}
	b.Stage()
	b.store(0, b.finish(with, v, t, b.initial(with)), outer...)
	return nil
}
