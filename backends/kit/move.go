package kit

import (
	"fmt"
	"math"
	"slices"

	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/stablehlo"
)

// broadcast repeats an operand along new dimensions, and along those where it
// has one element.
func broadcast(b *nodeBuilder) error {
	index := b.Axes(b.out[0].Shape)
	b.Stage()
	from := make([]kernel.Index, len(b.in[0].Shape))
	for d, r := range stablehlo.AsBroadcastInDim(b.op).BroadcastDimensions() {
		if from[d] = index[r]; b.in[0].Shape[d] == 1 {
			from[d] = kernel.At(0)
		}
	}
	b.store(0, b.load(0, from...), index...)
	return nil
}

func transpose(b *nodeBuilder) error {
	index := b.Axes(b.out[0].Shape)
	b.Stage()
	from := make([]kernel.Index, len(index))
	for d, p := range stablehlo.AsTranspose(b.op).Permutation() {
		from[p] = index[d]
	}
	b.store(0, b.load(0, from...), index...)
	return nil
}

// slice takes every strides-th element from start_indices on.
func slice(b *nodeBuilder) error {
	index := b.Axes(b.out[0].Shape)
	b.Stage()
	op := stablehlo.AsSlice(b.op)
	start, step := op.StartIndices(), op.Strides()
	from := make([]kernel.Index, len(index))
	for d := range from {
		from[d] = affine(d, step[d], start[d])
	}
	b.store(0, b.load(0, from...), index...)
	return nil
}

// affine is axis·factor + offset.
func affine(axis int, factor, offset int64) kernel.Index {
	return kernel.Index{Terms: []kernel.Term{{Axis: axis, Factor: factor}}, Value: kernel.None, Offset: offset}
}

func reverse(b *nodeBuilder) error {
	index := b.Axes(b.out[0].Shape)
	b.Stage()
	from := slices.Clone(index)
	for _, d := range stablehlo.AsReverse(b.op).Dimensions() {
		from[d] = affine(int(d), -1, dims.GoSub(int64(b.out[0].Shape[d]), 1))
	}
	b.store(0, b.load(0, from...), index...)
	return nil
}

// pad adds, or with a negative width takes away, elements at both ends, and adds
// some between elements.
func pad(b *nodeBuilder) error {
	op := stablehlo.AsPad(b.op)
	low, inner := op.EdgePaddingLow(), op.InteriorPadding()
	index := b.Axes(b.out[0].Shape)
	b.Stage()
	from := make([]kernel.Index, len(index))
	for d := range from {
		if from[d] = affine(d, 1, dims.GoSub(0, low[d])); inner[d] > 0 || dims.GoIsExpr(inner[d]) {
			from[d] = kernel.ByValue(b.apart(from[d], dims.GoAdd(inner[d], 1)))
		}
	}
	b.store(0, b.guarded(0, b.load(1), from...), index...)
	return nil
}

// apart is which element stands at an index when elements stand that far apart;
// -1 between them.
func (b *nodeBuilder) apart(at kernel.Index, distance int64) kernel.ID {
	v := b.Number(at)
	d := b.Extent(distance)
	between := b.Op(kernel.CompareNE, types.Bool, b.Op(kernel.Remainder, types.I64, v, d), b.Int(types.I64, 0))
	return b.Op(kernel.Select, types.I64, between, b.Int(types.I64, -1), b.Op(kernel.Divide, types.I64, v, d))
}

// guarded loads from operand i, or gives otherwise where the index is outside.
func (b *nodeBuilder) guarded(i int, otherwise kernel.ID, index ...kernel.Index) kernel.ID {
	return b.LoadOr(otherwise, b.param(i), index...)
}

// complexOf puts the real and the imaginary parts behind each other, as complex numbers
// are carried.
func complexOf(b *nodeBuilder) error {
	for part := range b.in {
		var axes []kernel.Axis
		var index []kernel.Index
		for d, n := range b.in[part].Shape {
			axes = append(axes, kernel.Axis{Name: fmt.Sprintf("j%d", d), Size: kernel.Size(n)})
			index = append(index, kernel.Along(d))
		}
		b.Stage(axes...)
		b.store(0, b.load(part, index...), append([]kernel.Index{kernel.At(int64(part))}, index...)...)
	}
	return nil
}

// partAt is the real or the imaginary part of complex numbers as they are carried: 0 or 1.
func partAt(part int64) rule {
	return func(b *nodeBuilder) error {
		if len(b.in[0].Shape) != len(b.out[0].Shape)+1 {
			return leave("elements that kernels do not have")
		}
		index := b.Axes(b.out[0].Shape)
		b.Stage()
		b.store(0, b.load(0, append([]kernel.Index{kernel.At(part)}, index...)...), index...)
		return nil
	}
}

// concatenate has a stage for each operand, over the dimension and those
// behind it.
func concatenate(b *nodeBuilder) error {
	dim := stablehlo.AsConcatenate(b.op).Dimension()
	outer := b.Axes(b.out[0].Shape[:dim])
	at := int64(0)
	for i, t := range b.in {
		b.t.graph.Look()
		index := slices.Clone(outer)
		to := slices.Clone(outer)
		var axes []kernel.Axis
		for d := int(dim); d < len(t.Shape); d++ {
			axes = append(axes, kernel.Axis{Name: fmt.Sprintf("j%d", d), Size: kernel.Size(t.Shape[d])})
			index = append(index, kernel.Along(d))
			to = append(to, kernel.Along(d))
		}
		to[dim].Offset = at
		at = dims.GoAdd(at, int64(t.Shape[dim]))
		b.Stage(axes...)
		b.store(0, b.load(i, index...), to...)
	}
	return nil
}

// start loads the scalar operand i as an i64 that is at least 0 and at most room.
func (b *nodeBuilder) start(i int, room int) kernel.ID {
	v := b.load(i)
	if b.Type(v) != types.U64 {
		v = b.As(types.I64, v)
	}
	return b.clamped(v, room)
}

// clamped brings an integer into the range from 0 to room. An integer that an i32 can be
// becomes an i32, of which a register holds twice as many as of i64; any other becomes an
// i64. Room follows from how many elements a dimension has: a kernel takes it as an
// argument, as it does sizes.
func (b *nodeBuilder) clamped(v kernel.ID, room int) kernel.ID {
	most := b.Emit(kernel.Instr{Op: kernel.SizeOf, Type: types.I64, Aux: int64(dims.Max(room, 0))})
	to := types.I64
	switch b.Type(v) {
	case types.U64: // large ones are not negative
		v = b.Op(kernel.Minimum, types.U64, v, b.Op(kernel.Convert, types.U64, most))
	case types.I8, types.U8, types.I16, types.U16, types.I32:
		to = types.I32
		most = b.As(to, b.Op(kernel.Minimum, types.I64, most, b.Int(types.I64, math.MaxInt32)))
	}
	return b.Op(kernel.Clamp, to, b.Int(to, 0), b.As(to, v), most)
}

// within returns where an index into a slice of a shape is in operand 0. Operands from the
// given one on say where the slice begins.
func (b *nodeBuilder) within(index []kernel.Index, start int, slice types.Shape) []kernel.Index {
	at := slices.Clone(index)
	for d := range at {
		if room := dims.GoSub(b.in[0].Shape[d], slice[d]); !dims.GoAtMost(room, 0) {
			at[d].Value = b.start(start+d, room)
		}
	}
	return at
}

func dynamicSlice(b *nodeBuilder) error {
	index := b.Axes(b.out[0].Shape)
	b.Stage()
	from := b.within(index, 1, b.out[0].Shape)
	b.store(0, b.load(0, from...), index...)
	return nil
}

func dynamicUpdateSlice(b *nodeBuilder) error {
	index := b.Axes(b.out[0].Shape)
	b.Stage()
	from := slices.Clone(index)
	for d := range from {
		if room := dims.GoSub(b.in[0].Shape[d], b.in[1].Shape[d]); !dims.GoAtMost(room, 0) {
			from[d].Value = b.Op(kernel.Negate, types.I64, b.start(2+d, room))
		}
	}
	old := b.load(0, index...)
	b.store(0, b.guarded(1, old, from...), index...)
	return nil
}

// inParts returns how else the op of a kernel with one result can be made; nil if there is no
// other way.
func (t *translator) inParts(of *nodeBuilder) (*fuse.Kernel, error) {
	run := opTable[of.op.Code].parts
	if run == nil {
		return nil, nil
	}
	b, err := t.builder(of.op, "update")
	if err == nil {
		err = run(b)
	}
	if err != nil {
		return nil, err
	}
	b.operands[b.outs[0]] = of.operands[of.outs[0]]
	return &fuse.Kernel{Kernel: b.Kernel(), Operands: b.operands}, nil
}

// updateInParts copies the operand, then writes the update over it.
func updateInParts(b *nodeBuilder) error {
	index, axes := stageAxes(b.out[0].Shape)
	b.Stage(axes...)
	b.store(0, b.load(0, index...), index...)
	from, axes := stageAxes(b.in[1].Shape)
	b.Stage(axes...)
	to := b.within(from, 2, b.in[1].Shape)
	b.store(0, b.load(1, from...), to...)
	return nil
}

// stageAxes returns axes of a stage, in a kernel without others, for the dimensions
// of a shape, and the indices that they are.
func stageAxes(shape []int) (index []kernel.Index, axes []kernel.Axis) {
	for d, n := range shape {
		index = append(index, kernel.Along(d))
		axes = append(axes, kernel.Axis{Name: kernel.StageAxisName(d), Size: kernel.Size(n)})
	}
	return index, axes
}
