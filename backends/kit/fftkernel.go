package kit

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"ltc/backends/kit/fourier"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
)

// fourierNode is a node that is being written.
type fourierNode struct {
	fourier.Arithmetic
	f        *fourierNodes
	operands []plan.ValueID
}

func (f *fourierNodes) node(name string) *fourierNode {
	return &fourierNode{Arithmetic: fourier.Arithmetic{Builder: kernel.NewBuilder(name), DType: f.dtype}, f: f}
}

// value adds an operand, unless it has the value already, and returns its number.
func (k *fourierNode) value(v plan.ValueID, out bool) int {
	if at := slices.Index(k.operands, v); at >= 0 {
		return at
	}
	name := "x"
	if out {
		name = "y"
	}
	k.operands = append(k.operands, v)
	return k.Param(kernel.Dense(fmt.Sprint(name, len(k.operands)-1), k.f.t.graph.Type(v), out))
}

// table adds an operand with constants, and returns its number.
func (k *fourierNode) table(dims []int, values []float64) int {
	size := k.f.dtype.Size()
	data := make([]byte, 0, size*len(values))
	for _, v := range values {
		if size == 4 {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
		} else {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
	}
	return k.value(k.f.t.graph.Constant(types.Of(k.f.dtype, dims...), data), false)
}

// outer adds an axis for each dimension but one, along which the place is.
func (k *fourierNode) outer(shape types.Shape, d int) place {
	index := make([]kernel.Index, len(shape))
	for e, n := range shape {
		if e != d {
			index[e] = kernel.Along(k.Axis(kernel.AxisName(k.ParallelAxes()), kernel.Size(n)))
		}
	}
	return func(at kernel.Index) []kernel.Index {
		all := slices.Clone(index)
		all[d] = at
		return all
	}
}

// passes returns the passes of a transform.
func (k *fourierNode) passes(n int, inverse bool) *fourier.Passes {
	return &fourier.Passes{N: n, Radices: k.f.radices(n), Inverse: inverse, DType: k.f.dtype, Table: k.table}
}

// factor loads an element of a table of complex numbers; across, some are beyond its end.
func (k *fourierNode) factor(table int, r extent, at ...kernel.Index) fourier.Complex {
	return fourier.Complex{Re: k.load(table, r, part(0, at)), Im: k.load(table, r, part(1, at))}
}

// extent is which places of an axis of places are below a limit.
type extent uint8

const (
	inside  extent = iota // all
	outside               // none
	across                // some
)

// within returns which places of an index are from 0 on and below a limit; inside for limit 0.
func (k *fourierNode) within(at kernel.Index, limit int) extent {
	if limit == 0 {
		return inside
	}
	low, high := at.Offset, at.Offset
	for _, t := range at.Terms {
		last := t.Factor * (int64(k.Kernel().Axis(len(k.Kernel().Stages)-1, t.Axis).Size) - 1)
		low, high = low+min(last, 0), high+max(last, 0)
	}
	switch {
	case low >= 0 && high < int64(limit):
		return inside
	case high < 0 || low >= int64(limit):
		return outside
	}
	return across
}

func (k *fourierNode) load(from int, r extent, index []kernel.Index) kernel.ID {
	if r == across {
		return k.LoadOr(k.Bits(k.DType, 0), from, index...)
	}
	return k.Load(from, index...)
}

func (k *fourierNode) store(to int, v kernel.ID, r extent, index []kernel.Index) {
	id := k.Store(to, v, index...)
	k.Kernel().Instrs[id].Mem.Guard = r == across
}

// row is a complex signal in two locals.
type row struct {
	k     *fourierNode
	parts [2]int
}

// locals adds locals for a signal of n elements.
func (k *fourierNode) locals(n int) row {
	r := row{k: k}
	for i := range r.parts {
		r.parts[i] = k.Local(kernel.Local{Name: kernel.LocalName(len(k.Kernel().Locals)), DType: k.DType, Dims: []kernel.Size{kernel.Size(n)}})
	}
	return r
}

func (r row) load(at kernel.Index) fourier.Complex {
	return fourier.Complex{Re: r.k.LoadLocal(r.parts[0], at), Im: r.k.LoadLocal(r.parts[1], at)}
}

func (r row) store(at kernel.Index, v fourier.Complex) {
	r.k.StoreLocal(r.parts[0], v.Re, at)
	r.k.StoreLocal(r.parts[1], v.Im, at)
}

// otherwise has guarded loads give what was computed before, where an index is out of range.
func (k *fourierNode) otherwise(v, before fourier.Complex) fourier.Complex {
	for _, part := range [][2]kernel.ID{{v.Re, before.Re}, {v.Im, before.Im}} {
		if part[0] != kernel.None {
			k.Kernel().Instrs[part[0]].Args = []kernel.ID{part[1]}
		}
	}
	return v
}

// done adds the node.
func (k *fourierNode) done() {
	k.f.t.graph.AddKernel(k.f.op, fuse.Kernel{Kernel: k.Kernel(), Operands: k.operands}, nil)
}

// mirrored returns n minus an index.
func mirrored(x kernel.Index, n int) kernel.Index { return scaledBy(x, -1).Plus(int64(n)) }

// scaledBy returns an index times a number.
func scaledBy(x kernel.Index, by int) kernel.Index {
	x.Offset *= int64(by)
	x.Terms = slices.Clone(x.Terms)
	for i := range x.Terms {
		x.Terms[i].Factor *= int64(by)
	}
	return x
}

// sum returns the sum of two indices without values.
func sum(x, y kernel.Index) kernel.Index {
	return kernel.Index{Terms: []kernel.Term{{Axis: 0, Factor: 1}, {Axis: 1, Factor: 1}}, Value: kernel.None}.Over([]kernel.Index{x, y})
}
