package kit

import (
	"fmt"
	"slices"

	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// A scan of an associative function that is none of the ops of kernels is cut, too, where
// it has few points and many elements for each. One node carries through each part, from
// its first element on. The next one carries through what parts come to. The last one
// carries through each part again, from what all before it come to. A reduce_window leaves
// the grouping open; a chlo.scan may say that its body is associative.

// partLength returns how many elements a part has, about as many as there are parts, which
// then fill the lanes of vectors and the threads of a device; 0: the scan is not cut.
func (b *nodeBuilder) partLength(s scanning, f *function, shape types.Shape) int {
	n, points := shape[s.dim], 1
	for d, m := range shape {
		if d != s.dim {
			points = dims.Mul(points, m)
		}
	}
	if !f.associative || f.elements != f.carries || !fuse.Long(int64(dims.Typical(points)), int64(dims.Typical(n))) {
		return 0
	}
	for i := range f.carries {
		if b.in[i].DType != b.in[f.elements+i].DType {
			return 0
		}
	}
	if !f.all {
		for _, r := range b.op.Results[f.outputs:] {
			if b.t.used[r] { // what the last part carries
				return 0
			}
		}
	}
	length := 1
	for 4*length*length <= dims.Typical(n) && dims.Divides(n, 2*length) {
		length *= 2
	}
	if length < fuse.ShortestPart {
		return 0
	}
	return length
}

// ofLength is the index of an element of a part: the part's number is axis x, and the one
// behind it runs along its elements.
func ofLength(x, length int) kernel.Index {
	return kernel.Index{Terms: []kernel.Term{{Axis: x, Factor: int64(length)}, {Axis: x + 1, Factor: 1}}, Value: kernel.None}
}

// partOffsets adds the nodes that compute what parts begin with. The first dimension of
// these values is the part's number, the others are those that are not scanned.
func (b *nodeBuilder) partOffsets(s scanning, f *function, shape types.Shape, length int) ([]plan.ValueID, error) {
	sums, err := b.partCarries(s, f, shape, length)
	if err != nil {
		return nil, err
	}
	p, err := b.t.builder(b.op, "offsets")
	if err != nil {
		return nil, err
	}
	outer, _ := p.scanned(s, shape)
	locals := p.begin(f, func(i int) kernel.ID {
		i += f.elements
		return p.load(i, outer[:len(p.in[i].Shape)]...)
	})
	p.Stage(kernel.Axis{Name: kernel.StageAxisName(0), Size: kernel.Size(dims.Div(shape[s.dim], length)), Kind: s.kind})
	index := append([]kernel.Index{kernel.Along(len(outer))}, outer...)
	carried, _, _ := p.carryOn(f, locals, func(i int) kernel.ID { return p.Load(p.made(sums[i]), index...) })
	offsets := make([]plan.ValueID, len(sums))
	for i, sum := range sums {
		offsets[i] = p.makes(i, b.t.graph.Type(sum))
		p.Store(len(p.operands)-1, carried[i], index...)
	}
	b.t.graph.AddKernel(b.op, fuse.Kernel{Kernel: p.Kernel(), Operands: p.operands}, nil)
	return offsets, nil
}

// partCarries adds the node that carries through each part, from its first element in the
// order of the scan on.
func (b *nodeBuilder) partCarries(s scanning, f *function, shape types.Shape, length int) ([]plan.ValueID, error) {
	p, err := b.t.builder(b.op, "partial")
	if err != nil {
		return nil, err
	}
	outer, index := p.scanned(s, shape)
	part := p.Axis(kernel.AxisName(len(outer)), kernel.Size(dims.Div(shape[s.dim], length)))
	first, others := kernel.Index{Terms: []kernel.Term{{Axis: part, Factor: int64(length)}}, Value: kernel.None}, ofLength(part, length)
	if s.kind == kernel.ReverseAxis {
		first.Offset = int64(length - 1)
	} else {
		others.Offset = 1
	}
	index[s.dim] = first
	locals := p.begin(f, func(i int) kernel.ID { return p.load(i, index...) })
	p.Stage(kernel.Axis{Name: kernel.StageAxisName(0), Size: kernel.Size(length - 1), Kind: s.kind})
	index = slices.Clone(index)
	index[s.dim] = others
	p.carryOn(f, locals, func(i int) kernel.ID { return p.load(i, index...) })
	p.Stage()
	sums := make([]plan.ValueID, f.carries)
	for i, l := range locals {
		t := types.Of(b.in[i].DType, dims.Div(shape[s.dim], length))
		for d, m := range shape {
			if d != s.dim {
				t.Shape = append(t.Shape, m)
			}
		}
		sums[i] = p.makes(i, t)
		p.Store(len(p.operands)-1, p.LoadLocal(l), append([]kernel.Index{kernel.Along(part)}, outer...)...)
	}
	b.t.graph.AddKernel(b.op, fuse.Kernel{Kernel: p.Kernel(), Operands: p.operands}, nil)
	return sums, nil
}

// made adds an operand that another node of the op makes, and returns its parameter.
func (b *nodeBuilder) made(v plan.ValueID) int {
	b.operands = append(b.operands, v)
	return b.Param(kernel.Dense(fmt.Sprintf("p%d", len(b.operands)-1), b.t.graph.Type(v), false))
}

// makes adds a value that a node of the op makes beside its results: the last operand.
func (b *nodeBuilder) makes(i int, t types.Type) plan.ValueID {
	v := b.t.graph.Value(t)
	b.operands = append(b.operands, v)
	b.Param(kernel.Dense(fmt.Sprintf("y%d", i), t, true))
	return v
}
