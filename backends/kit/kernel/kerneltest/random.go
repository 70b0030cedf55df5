package kerneltest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Random returns a random kernel with run-time sizes. It passes [kernel.Verify]
// and [kernel.Bounds], and what it computes does not depend on the order in
// which points run, reductions reduce and stores combine: sums of floats are of
// small integers. It has the ops on types that allow says; all, if that is nil.
func Random(r *rand.Rand, allow func(op kernel.Op, t types.DType) bool) (*kernel.Kernel, []int64) {
	return (&generator{Rand: r, Builder: kernel.NewBuilder("random"), allow: allow, uniform: pool{}}).kernel()
}

// RandomScan is Random of kernels some of whose stages scan.
func RandomScan(r *rand.Rand, allow func(op kernel.Op, t types.DType) bool) (*kernel.Kernel, []int64) {
	return (&generator{Rand: r, Builder: kernel.NewBuilder("random"), allow: allow, uniform: pool{}, scans: true}).kernel()
}

func (g *generator) kernel() (*kernel.Kernel, []int64) {
	g.extents()
	if g.scans && g.IntN(2) == 0 {
		g.carry()
	}
	stages := 1 + g.IntN(3)
	for s := range stages {
		g.stage(s == stages-1)
	}
	return g.Kernel(), g.sizes
}

// pool has values by type.
type pool map[types.DType][]kernel.ID

type generator struct {
	*rand.Rand
	*kernel.Builder
	allow   func(op kernel.Op, t types.DType) bool
	scans   bool
	sizes   []int64 // the run-time sizes
	long    bool    // one axis is longer than a tile, the others short
	axes    []extent
	outer   int // how many of axes are the kernel's
	uniform pool
	values  pool // of the stage
	locals  []local
}

// extent is an axis with its length.
type extent struct {
	axis kernel.Axis
	n    int64
}

// local is one that is stored to.
type local struct {
	number  int
	dims    []int64
	usable  bool      // by the stage that comes
	carried bool      // from point to point of stages that scan
	with    kernel.Op // what is carried is combined with
}

// size returns a size of n: a literal or a run-time size.
func (g *generator) size(n int64) kernel.Size {
	if i := slices.Index(g.sizes, n); i >= 0 && g.IntN(2) == 0 {
		return kernel.Sym(i)
	}
	if g.IntN(3) == 0 {
		return kernel.Size(n)
	}
	g.sizes = append(g.sizes, n)
	return g.Size()
}

var lengths = []int64{1, 1, 2, 3, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 64}

// extent returns an axis of at most the given length.
func (g *generator) extent(name string, most int64) extent {
	n := min(lengths[g.IntN(len(lengths))], most)
	switch {
	case g.long && most > 2000:
		n, g.long = 900+g.Int64N(1100), false
	case g.IntN(64) == 0:
		n = 0
	}
	return extent{kernel.Axis{Name: name, Size: g.size(n)}, n}
}

func points(axes []extent) int64 {
	n := int64(1)
	for _, a := range axes {
		n *= max(a.n, 1)
	}
	return n
}

// extents makes the kernel's axes.
func (g *generator) extents() {
	g.long = g.IntN(6) == 0
	for a := range g.IntN(4) {
		e := g.extent(fmt.Sprintf("p%d", a), 3000/points(g.axes))
		g.axes = append(g.axes, e)
		g.Axis(e.axis.Name, e.axis.Size)
	}
	g.outer = len(g.axes)
}

func (g *generator) stage(last bool) {
	g.axes, g.values = g.axes[:g.outer:g.outer], pool{}
	for a := range g.IntN(3) {
		g.axes = append(g.axes, g.extent(fmt.Sprintf("s%d", a), 6000/points(g.axes)))
	}
	var own []kernel.Axis
	for _, e := range g.axes[g.outer:] {
		own = append(own, e.axis)
	}
	scans := g.scans && len(own) == 1 && g.IntN(4) > 0
	if scans {
		own[0].Kind = pick(g, []kernel.AxisKind{kernel.ScanAxis, kernel.ReverseAxis})
	}
	g.Stage(own...)
	for range 1 + g.IntN(8) {
		g.op()
	}
	reductions := pool{}
	if scans {
		for range 1 + g.IntN(2) {
			op, v := g.combined()
			g.keep(g.Scan(op, v, g.IntN(3) == 0))
		}
		for range g.IntN(3) {
			g.op()
		}
		g.carryOn()
	}
	if len(own) > 0 && !scans {
		for range g.IntN(3) {
			v := g.reduction()
			reductions[g.Type(v)] = append(reductions[g.Type(v)], v)
		}
		if g.IntN(3) == 0 {
			g.storeLocal()
		}
	}
	for range 1 + g.IntN(2) {
		if last || g.IntN(3) == 0 {
			g.store()
		}
	}
	for i := range g.locals {
		g.locals[i].usable = true
	}
	if len(own) == 0 {
		reductions = g.values
	}
	for t, all := range reductions {
		g.uniform[t] = append(g.uniform[t], all...)
	}
}

// carry makes a stage that begins values which stages that scan carry on.
func (g *generator) carry() {
	g.values = pool{}
	g.Stage()
	for n := range 1 + g.IntN(2) {
		op, v := g.combined()
		if g.Type(v).IsFloat() { // which may be no small integer, or a sign
			v = g.Bits(g.Type(v), kernel.Neutral(op, g.Type(v)))
		}
		g.Local(kernel.Local{Name: fmt.Sprintf("l%d", n), DType: g.Type(v)})
		g.locals = append(g.locals, local{number: n, carried: true, with: op})
		g.StoreLocal(n, v)
	}
}

// carryOn combines what is carried with another value of the stage's, in the order of
// its points, and stores it for the next one.
func (g *generator) carryOn() {
	var next []kernel.ID
	var of []int
	for _, l := range g.locals {
		if !l.carried || g.IntN(4) == 0 {
			continue
		}
		before := g.LoadLocal(l.number)
		t := g.Type(before)
		v := before
		switch {
		case t.IsFloat() && l.with == kernel.Add:
			v = g.small(t)
		case t.IsFloat() && l.with == kernel.Multiply:
			v = g.sign(t)
		default:
			v = g.value(t)
		}
		after := g.Op(l.with, t, before, v)
		g.keep(before)
		g.keep(after)
		next, of = append(next, after), append(of, l.number)
	}
	for i, v := range next {
		g.StoreLocal(of[i], v)
	}
}

func pick[T any](g *generator, all []T) T { return all[g.IntN(len(all))] }

// may reports whether the kernel may have the op on a type.
func (g *generator) may(op kernel.Op, t types.DType) bool {
	return op.Takes(t) && (g.allow == nil || g.allow(op, t))
}

func (g *generator) keep(v kernel.ID) kernel.ID {
	t := g.Type(v)
	g.values[t] = append(g.values[t], v)
	return v
}

// value returns one of type t.
func (g *generator) value(t types.DType) kernel.ID {
	known := slices.Concat(g.values[t], g.uniform[t])
	if len(known) > 0 && g.IntN(6) > 0 {
		return pick(g, known)
	}
	switch g.IntN(8) {
	case 0:
		return g.keep(g.Bits(t, Value(g.Rand, t)))
	case 1:
		if len(g.axes) > 0 && g.may(kernel.Iota, t) {
			return g.keep(g.Emit(kernel.Instr{Op: kernel.Iota, Type: t, Aux: int64(g.IntN(len(g.axes)))}))
		}
	case 2:
		if len(g.sizes) > 0 && t == types.I64 {
			return g.keep(g.Emit(kernel.Instr{Op: kernel.SizeOf, Type: t, Aux: int64(kernel.Sym(g.IntN(len(g.sizes))))}))
		}
	case 3:
		if v := g.loadLocal(t); v != kernel.None {
			return g.keep(v)
		}
	}
	return g.keep(g.load(t))
}

// op emits one that computes.
func (g *generator) op() {
	for {
		op, t := pick(g, kernel.Ops()), pick(g, types.RealDTypes())
		if !op.Computes() || !g.may(op, t) {
			continue
		}
		result, args := t, []kernel.ID{}
		switch op {
		case kernel.Select:
			result = pick(g, types.RealDTypes())
			args = append(args, g.value(t), g.value(result), g.value(result))
		case kernel.Convert:
			result = pick(g, types.RealDTypes())
		case kernel.BitcastConvert:
			// From floats, the bits of NaNs would show in which order they came.
			if result = pick(g, types.RealDTypes()); t.IsFloat() || result == types.Bool || result.Size() != t.Size() {
				continue
			}
		case kernel.IsFinite, kernel.CompareEQ, kernel.CompareNE, kernel.CompareLT, kernel.CompareLE, kernel.CompareGT, kernel.CompareGE:
			result = types.Bool
		}
		for len(args) < op.Arity() {
			args = append(args, g.value(t))
		}
		g.keep(g.Op(op, result, args...))
		return
	}
}

// small returns a value of type t that is an integer from 0 to 15.
func (g *generator) small(t types.DType) kernel.ID {
	v := g.Op(kernel.And, types.I32, g.value(types.I32), g.Builder.Int(types.I32, 15))
	return g.Op(kernel.Convert, t, v)
}

// sign returns a value of a float type that is 1 or -1.
func (g *generator) sign(t types.DType) kernel.ID {
	return g.Op(kernel.Select, t, g.value(types.Bool), g.Bits(t, bitsOf(t, 1)), g.Bits(t, bitsOf(t, -1)))
}

var combining = []kernel.Op{kernel.Add, kernel.Multiply, kernel.Maximum, kernel.Minimum, kernel.And, kernel.Or, kernel.Xor}

// combined returns an op and a value to reduce or combine with it in any order.
func (g *generator) combined() (kernel.Op, kernel.ID) {
	for {
		op, t := pick(g, combining), pick(g, types.RealDTypes())
		switch {
		case !g.may(op, t):
		case op == kernel.Add && t.IsFloat():
			if t.Size() >= 4 {
				return op, g.small(t)
			}
		case op == kernel.Multiply && t.IsFloat():
			return op, g.sign(t)
		default:
			return op, g.value(t)
		}
	}
}

func (g *generator) reduction() kernel.ID {
	op, v := g.combined()
	return g.Reduce(op, v)
}

// Few makes literals of the kernel's run-time sizes of at most so many elements, as
// those of records' components are.
func Few(k *kernel.Kernel, sizes []int64, most int64) {
	few := func(s *kernel.Size) {
		if n := s.Of(sizes); n <= most {
			*s = kernel.Size(n)
		}
	}
	axes := func(all []kernel.Axis) {
		for i := range all {
			few(&all[i].Size)
		}
	}
	dims := func(all []kernel.Size) {
		for i := range all {
			few(&all[i])
		}
	}
	axes(k.Axes)
	for s := range k.Stages {
		axes(k.Stages[s].Axes)
	}
	for i := range k.Params {
		dims(k.Params[i].Dims)
	}
	for i := range k.Locals {
		dims(k.Locals[i].Dims)
	}
	for i := range k.Instrs {
		if k.Instrs[i].Op == kernel.SizeOf {
			s := kernel.Size(k.Instrs[i].Aux)
			few(&s)
			k.Instrs[i].Aux = int64(s)
		}
	}
}
