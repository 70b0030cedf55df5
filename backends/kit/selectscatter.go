package kit

import (
	"math/bits"

	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/stablehlo"
)

const (
	// mostFolded is how many elements a window may have, and of how many windows an
	// element may be part: a kernel has code for each.
	mostFolded = 64
	// mostFoldedInstrs is how many instructions it may have for all of them.
	mostFoldedInstrs = 1024
	// noPlace is the place in a window that none has selected: all in it is padding.
	noPlace = 255
	// nowhere is the place of what is not in a window.
	nowhere = 254
)

// windowed is a select_and_scatter whose windows may overlap. Two kernels make it,
// without atomic instructions: one goes through each window, in the order of its
// elements, and keeps the place in it of the one that is selected. The other goes, for
// each element of the result, through the windows that it may be in, in the order of
// the source, and combines the values of those that have selected it. So results have
// the bits of the evaluator's, whatever the regions are.
type windowed struct {
	*nodeBuilder
	size, stride, low []int64
	selects, combines *scalars
}

func selectAndScatter(b *nodeBuilder) error {
	rank := len(b.in[0].Shape)
	op := stablehlo.AsSelectAndScatter(b.op)
	w := &windowed{nodeBuilder: b, size: op.WindowDimensions(), stride: op.WindowStrides(), low: make([]int64, rank)}
	padding := op.Padding()
	for d := range w.low {
		w.low[d] = padding[2*d]
	}
	if err := w.regions(); err != nil {
		return err
	}
	elements, windows := int64(1), int64(1)
	for d := range rank {
		if w.size[d] > mostFolded/elements || w.candidates(d) > mostFolded/windows { // a product may be more than is counted
			return leave("its windows have too many elements")
		}
		elements, windows = elements*w.size[d], windows*w.candidates(d)
	}
	if elements*w.selects.length() > mostFoldedInstrs || windows*w.combines.length() > mostFoldedInstrs {
		return leave("its bodies have too many ops")
	}
	w.scatter(w.choose())
	return nil
}

// regions finds out what selects and what combines.
func (w *windowed) regions() (err error) {
	for i := range w.in {
		if w.in[i].DType != w.out[0].DType {
			return leave("results of another type")
		}
	}
	if len(capturedBy(w.op)) > 0 {
		return leave("its bodies use what is outside of them")
	}
	if w.selects, err = w.t.scalars(w.op.Regions[0], "select"); err != nil {
		return err
	}
	if w.combines, err = w.t.scalars(w.op.Regions[1], "combine"); err != nil {
		return err
	}
	if w.selects == nil || w.combines == nil {
		return leave("its bodies are no kernels of scalars")
	}
	return nil
}

// length is how many instructions stand for a region, with those around it.
func (s *scalars) length() int64 { return int64(len(s.kernel.Instrs)) + 4 }

// candidates is how many windows, one beside the other along a dimension, an element
// may be in.
func (w *windowed) candidates(d int) int64 { return (w.size[d]-1)/w.stride[d] + 1 }

// choose adds the node that goes through windows. It returns what that makes: for each
// window the place in it, counted along its rows, of the element that is selected.
func (w *windowed) choose() plan.ValueID {
	made := types.Of(types.U8, w.in[1].Shape...)
	v := &windowed{nodeBuilder: &nodeBuilder{Builder: kernel.NewBuilder("select"), t: w.t, op: w.op, in: w.in[:1], out: []types.Type{made}, params: []int{-1}, outs: []int{-1}},
		size: w.size, stride: w.stride, low: w.low, selects: w.selects}
	index := v.Axes(made.Shape)
	v.Stage()
	v.store(0, v.Op(kernel.Convert, types.U8, v.selected()), index...)
	id := w.t.graph.Value(made)
	v.operands[v.outs[0]] = id
	w.t.graph.AddKernel(w.op, fuse.Kernel{Kernel: v.Kernel(), Operands: v.operands}, nil)
	return id
}

// selected goes through a window.
func (w *windowed) selected() kernel.ID {
	inside := w.insides()
	place, best := w.Int(types.I32, noPlace), kernel.None
	found := kernel.None // has there been an element? None: there has
	never := true        // there cannot have been one
	eachPlace(w.size, func(n int64, at []int64) {
		index := make([]kernel.Index, len(at))
		in := kernel.None // is it one of the operand? None: it is
		for d, i := range at {
			index[d] = affine(d, w.stride[d], i-w.low[d])
			in = w.both(in, inside[d][i])
		}
		var x kernel.ID
		switch s := w.splat(0); {
		case s != nil || in == kernel.None:
			x = w.load(0, index...)
		default:
			x = w.guarded(0, w.Bits(w.in[0].DType, 0), index...)
		}
		here := w.Int(types.I32, n)
		switch {
		case never && in == kernel.None:
			place, best = here, x
		case never:
			place, best, found = w.Op(kernel.Select, types.I32, in, here, place), x, in
		default:
			stays := w.both(w.apply(w.selects, best, x), found)
			if in != kernel.None {
				stays = w.Op(kernel.Or, types.Bool, stays, w.Op(kernel.Not, types.Bool, in))
			}
			place, best = w.Op(kernel.Select, types.I32, stays, place, here), w.Op(kernel.Select, w.in[0].DType, stays, best, x)
			switch {
			case in == kernel.None:
				found = kernel.None
			case found != kernel.None:
				found = w.Op(kernel.Or, types.Bool, found, in)
			}
		}
		never = false
	})
	return place
}

// insides returns, for each place along each dimension of a window, whether it is one
// of the operand's; None where it is for all windows.
func (w *windowed) insides() [][]kernel.ID {
	all := make([][]kernel.ID, len(w.size))
	for d := range all {
		all[d] = make([]kernel.ID, w.size[d])
		for i := range all[d] {
			all[d][i] = kernel.None
			at := affine(d, w.stride[d], int64(i)-w.low[d])
			if at.Offset < 0 {
				all[d][i] = w.Op(kernel.CompareGE, types.Bool, w.Number(at), w.Int(types.I64, 0))
			}
			if last := dims.GoAdd(dims.GoMul(dims.GoSub(int64(w.out[0].Shape[d]), 1), w.stride[d]), at.Offset); dims.GoAtMost(dims.GoAdd(last, 1), int64(w.in[0].Shape[d])) {
				continue
			}
			end := w.Emit(kernel.Instr{Op: kernel.SizeOf, Type: types.I64, Aux: int64(kernel.Size(w.in[0].Shape[d]))})
			all[d][i] = w.both(all[d][i], w.Op(kernel.CompareLT, types.Bool, w.Number(at), end))
		}
	}
	return all
}

// scatter goes through the windows of each element of the result.
func (w *windowed) scatter(selected plan.ValueID) {
	index := w.Axes(w.out[0].Shape)
	w.Stage()
	param := w.Param(kernel.Dense("at", w.t.graph.Type(selected), false))
	w.operands = append(w.operands, selected)
	rank := len(index)
	windows, counts := make([][]candidate, rank), make([]int64, rank)
	for d := range rank {
		windows[d] = w.covering(d)
		counts[d] = int64(len(windows[d]))
	}
	none, zero := w.Int(types.U8, noPlace), w.Bits(w.in[1].DType, 0)
	sum := w.load(2)
	eachPlace(counts, func(_ int64, which []int64) {
		from := make([]kernel.Index, rank)
		place, fits := kernel.None, kernel.None
		for d, i := range which {
			c := windows[d][i]
			from[d] = c.window
			switch {
			case w.size[d] == 1: // the place is 0, if it fits
			case place == kernel.None:
				place = c.place
			default:
				place = w.Op(kernel.Add, types.I32, w.Op(kernel.Multiply, types.I32, place, w.Int(types.I32, w.size[d])), c.place)
			}
			fits = w.both(fits, c.fits)
		}
		if place == kernel.None {
			place = w.Int(types.I32, 0)
		}
		if fits != kernel.None {
			place = w.Op(kernel.Select, types.I32, fits, place, w.Int(types.I32, nowhere))
		}
		at := w.LoadOr(none, param, from...)
		mine := w.Op(kernel.CompareEQ, types.Bool, w.Op(kernel.Convert, types.I32, at), place)
		v := w.apply(w.combines, sum, w.guarded(1, zero, from...))
		sum = w.Op(kernel.Select, w.out[0].DType, mine, v, sum)
	})
	w.store(0, sum, index...)
}

// candidate is a window, along a dimension, that an element may be in.
type candidate struct {
	window kernel.Index
	place  kernel.ID // of the element in it
	fits   kernel.ID // is it in it? None: it is, if there is such a window
}

// covering returns the windows that an element may be in along a dimension, in
// ascending order: the last that begins at it or before it, and those before that one.
func (w *windowed) covering(d int) []candidate {
	all := make([]candidate, w.candidates(d))
	last := int64(len(all) - 1)
	if w.stride[d] == 1 {
		for i := range all {
			before := last - int64(i)
			all[i] = candidate{affine(d, 1, w.low[d]-before), w.Int(types.I32, before), kernel.None}
		}
		return all
	}
	stride := w.stride[d]
	up := (max(-w.low[d], 0) + stride - 1) / stride // so that what is divided is not negative
	begin := w.Number(affine(d, 1, w.low[d]+up*stride))
	window, rest := w.divided(begin, stride)
	for i := range all {
		before := last - int64(i)
		c := candidate{window: kernel.ByValue(window), place: rest, fits: kernel.None}
		c.window.Offset = -up - before
		if before > 0 {
			c.place = w.Op(kernel.Add, types.I64, rest, w.Int(types.I64, before*stride))
		}
		if (before+1)*stride > w.size[d] {
			c.fits = w.Op(kernel.CompareLT, types.Bool, c.place, w.Int(types.I64, w.size[d]))
		}
		c.place = w.Op(kernel.Convert, types.I32, c.place)
		all[i] = c
	}
	return all
}

// both reports whether two bools hold, of which None always does.
func (b *nodeBuilder) both(x, y kernel.ID) kernel.ID {
	switch kernel.None {
	case x:
		return y
	case y:
		return x
	}
	return b.Op(kernel.And, types.Bool, x, y)
}

// divided is a number that is not negative by a literal, and what is left.
func (b *nodeBuilder) divided(v kernel.ID, by int64) (quotient, rest kernel.ID) {
	if by&(by-1) == 0 {
		shift := b.Int(types.I64, int64(bits.TrailingZeros64(uint64(by))))
		return b.Op(kernel.ShiftRightLogical, types.I64, v, shift), b.Op(kernel.And, types.I64, v, b.Int(types.I64, by-1))
	}
	n := b.Int(types.I64, by)
	return b.Op(kernel.Divide, types.I64, v, n), b.Op(kernel.Remainder, types.I64, v, n)
}

// eachPlace goes through the indices of a shape in row-major order, counting.
func eachPlace(shape []int64, visit func(n int64, at []int64)) {
	total := int64(1)
	for _, size := range shape {
		total *= size
	}
	at := make([]int64, len(shape))
	for n := range total {
		left := n
		for d := len(shape) - 1; d >= 0; d-- {
			at[d], left = left%shape[d], left/shape[d]
		}
		visit(n, at)
	}
}
