package kit

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// scanning is what a reduce_window does whose windows end, or begin, at each
// element and have all before it, or behind it: a scan along one dimension. The
// cumulative ops of JAX and PyTorch are exported as such.
type scanning struct {
	dim       int
	kind      kernel.AxisKind
	exclusive bool
}

// scanningOf returns the scan that windows along the dimensions of a shape are.
func scanningOf(op stablehlo.ReduceWindowOp, in, out types.Shape) (s scanning, ok bool) {
	size := op.WindowDimensions()
	stride, base, dilation := op.WindowStrides(), op.BaseDilations(), op.WindowDilations()
	padding := op.Padding()
	s.dim = -1
	for d, n := range in {
		low, high := padding[2*d], padding[2*d+1]
		switch {
		case stride[d] != 1 || base[d] != 1 || out[d] != n:
			return s, false
		case size[d] == 1 && low == 0 && high == 0:
			continue
		case s.dim >= 0 || dims.GoAtMost(n, 1) || dilation[d] != 1:
			return s, false
		}
		s.dim = d
		// The window of element i is i-low to i-low+size-1.
		switch w := size[d]; {
		case dims.GoAtMost(int64(n), w) && low == dims.GoSub(w, 1):
			s.kind = kernel.ScanAxis
		case dims.GoAtMost(int64(n), w) && low == 0:
			s.kind = kernel.ReverseAxis
		case dims.GoAtMost(dims.GoSub(int64(n), 1), w) && low == w:
			s.kind, s.exclusive = kernel.ScanAxis, true
		case dims.GoAtMost(dims.GoSub(int64(n), 1), w) && low == -1:
			s.kind, s.exclusive = kernel.ReverseAxis, true
		default:
			return s, false
		}
	}
	return s, s.dim >= 0
}

// scan has the other dimensions as parallel axes and a stage along the one that is
// scanned.
func (b *nodeBuilder) scan(s scanning, with kernel.Op) {
	t := b.out[0].DType
	outer, index := b.scanned(s, b.out[0].Shape)
	b.Stage(kernel.Axis{Name: kernel.StageAxisName(0), Size: kernel.Size(b.out[0].Shape[s.dim]), Kind: s.kind})
	v := b.Scan(with, b.As(wide(t), b.load(0, index...)), s.exclusive)
	initial := kernel.None
	if !b.beginsNeutral(with) {
		initial = b.load(1, outer[:len(b.in[1].Shape)]...)
	}
	b.store(0, b.finish(with, v, t, initial), index...)
}

// scanned has the dimensions of a shape but the one that is scanned as parallel axes. It
// returns where what does not run along that is, and what does.
func (b *nodeBuilder) scanned(s scanning, shape types.Shape) (outer, index []kernel.Index) {
	index = make([]kernel.Index, len(shape))
	for d, n := range shape {
		if d != s.dim {
			index[d] = kernel.Along(b.Axis(kernel.AxisName(len(outer)), kernel.Size(n)))
			outer = append(outer, index[d])
		}
	}
	index[s.dim] = kernel.Along(len(outer))
	return outer, index
}

// function is what a scan makes, at each point, of what it carries and of the elements
// there: any function of scalars.
type function struct {
	*scalars
	elements, carries int
	// carriedFirst says that its arguments are what is carried, then the elements.
	carriedFirst bool
	// outputs is how many of what it gives are elements of results, before what it
	// carries; with all set, what it carries is.
	outputs int
	all     bool
	// associative says that what it carries may be of elements in another grouping.
	associative bool
}

// call computes the function.
func (b *nodeBuilder) call(f *function, carried, elements []kernel.ID) (outputs, next []kernel.ID) {
	args := slices.Concat(elements, carried)
	if f.carriedFirst {
		args = slices.Concat(carried, elements)
	}
	all := b.applyAll(f.scalars, args)
	return all[:f.outputs], all[f.outputs:]
}

// scansPoints reports whether a chlo.scan is a kernel: its body computes each element by
// itself, and there is what it scans.
func scansPoints(op *mlir.Op) bool {
	_, carries, _, ok := stablehlo.ScanSegments(op)
	return op.Code == stablehlo.CHLOScan && ok && carries > 0 && len(op.Operands) > carries && pointwise(op.Regions[0]) != nil
}

// scan_ is a chlo.scan. The dimensions but the one that is scanned are parallel axes.
// One stage begins what is carried, a local for each value, one along the scanned
// dimension carries it on, and one stores what it comes to.
func scan_(b *nodeBuilder) error {
	inputs, carries, outputs, _ := stablehlo.ScanSegments(b.op)
	body := pointwise(b.op.Regions[0])
	if body == nil || inputs == 0 || carries == 0 {
		return leave("a scan whose body computes no element by itself")
	}
	dim, _ := mlir.Int(b.op.Attrs.Get("dimension"))
	s := scanning{dim: int(dim), kind: kernel.ScanAxis}
	if b.op.Attrs.Get("is_reverse") == mlir.Attribute(mlir.BoolAttr(true)) {
		s.kind = kernel.ReverseAxis
	}
	if with := b.combines(body); with != kernel.Invalid && inputs == 1 && carries == 1 {
		b.scan(s, with)
		for i := 1; i < outputs; i++ {
			b.outs[i] = b.outs[0]
		}
		return nil
	}
	f := &function{elements: inputs, carries: carries, outputs: outputs, associative: b.associative()}
	var err error
	if f.scalars, err = b.t.scalars(body, "scan"); err != nil {
		return err
	} else if f.scalars == nil {
		return leave("a scan whose body computes no element by itself")
	}
	return b.carry(s, f, b.in[0].Shape)
}

// associative reports whether the text of a chlo.scan says so.
func (b *nodeBuilder) associative() bool {
	return b.op.Attrs.Get("is_associative") == mlir.Attribute(mlir.BoolAttr(true))
}

// combines returns the op of a scan whose body combines the carried value with an
// element and returns nothing else. Nothing may use the carried value's last state, and
// the order must not matter: either values are exact, or the text says that the scan is
// associative. Invalid if the body is another.
func (b *nodeBuilder) combines(r *mlir.Region) kernel.Op {
	block := r.Blocks[0]
	end := block.Ops[len(block.Ops)-1]
	one := &mlir.Region{Blocks: []*mlir.Block{{Args: block.Args, Ops: []*mlir.Op{block.Ops[0], {Code: end.Code, Operands: end.Operands[:1]}}}}}
	if len(block.Ops) != 2 || len(end.Operands) != 2 || end.Operands[0] != end.Operands[1] || b.t.used[b.op.Results[1]] {
		return kernel.Invalid
	}
	with, t := combiner(one), b.out[0].DType
	exact := with.Exact() || !t.IsFloat() || b.associative()
	if with == kernel.Invalid || !with.Takes(t) || !exact {
		return kernel.Invalid
	}
	return with
}

// carry has the dimensions of a shape but the one that is scanned as parallel axes. The
// first operands are scanned, as many as there are before what carries begin with; what
// does not run along the axes is the same for all.
func (b *nodeBuilder) carry(s scanning, f *function, shape types.Shape) error {
	outer, index := b.scanned(s, shape)
	begin := func(i int) kernel.ID {
		i += len(b.in) - f.carries
		return b.load(i, outer[:len(b.in[i].Shape)]...)
	}
	axis := kernel.Axis{Name: kernel.StageAxisName(0), Size: kernel.Size(shape[s.dim]), Kind: s.kind}
	if length := b.partLength(s, f, shape); length > 0 {
		offsets, err := b.partOffsets(s, f, shape, length)
		if err != nil {
			return err
		}
		part := kernel.Along(b.Axis(kernel.AxisName(len(outer)), dims.Div(axis.Size, kernel.Size(length))))
		axis.Size, index[s.dim] = kernel.Size(length), ofLength(len(outer), length)
		begin = func(i int) kernel.ID { return b.Load(b.made(offsets[i]), append([]kernel.Index{part}, outer...)...) }
	}
	locals := b.begin(f, begin)
	b.Stage(axis)
	carried, outputs, next := b.carryOn(f, locals, func(i int) kernel.ID { return b.load(i, index...) })
	switch {
	case f.all && s.exclusive:
		outputs = carried
	case f.all:
		outputs = next
	}
	for i, v := range outputs {
		if b.t.used[b.op.Results[i]] {
			b.store(i, v, index...)
		}
	}
	last := false
	for i, l := range locals {
		if r := len(outputs) + i; r < len(b.out) && b.t.used[b.op.Results[r]] {
			if !last { // no stage is empty
				b.Stage()
			}
			b.store(r, b.LoadLocal(l), outer...)
			last = true
		}
	}
	return nil
}

// begin writes a stage that stores what is carried first. It returns the locals.
func (b *nodeBuilder) begin(f *function, first func(i int) kernel.ID) []int {
	b.Stage()
	locals := make([]int, f.carries)
	for i := range locals {
		v := first(i)
		locals[i] = b.Local(kernel.Local{Name: kernel.LocalName(i), DType: b.Type(v)})
		b.StoreLocal(locals[i], v)
	}
	return locals
}

// carryOn computes the function of what is carried and the elements of a point, and
// stores what it carries on.
func (b *nodeBuilder) carryOn(f *function, locals []int, element func(i int) kernel.ID) (carried, outputs, next []kernel.ID) {
	for _, l := range locals {
		carried = append(carried, b.LoadLocal(l))
	}
	elements := make([]kernel.ID, f.elements)
	for i := range elements {
		elements[i] = element(i)
	}
	outputs, next = b.call(f, carried, elements)
	for i, l := range locals {
		b.StoreLocal(l, next[i])
	}
	return carried, outputs, next
}
