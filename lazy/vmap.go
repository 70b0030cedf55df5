package lazy

import (
	"math"
	"slices"
	"strings"

	"ltc/batching"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy/internal/region"
)

// Unbatched stands for an axis in [VmapOptions]: of a tensor that is the same for all examples.
const Unbatched = math.MinInt

// VmapOptions says where [Vmap] has its examples. The zero value is right for most.
type VmapOptions struct {
	// In has for each of xs the axis of its examples, or [Unbatched]. A negative axis counts from
	// the end. Without In, axis 0 is that of all.
	In []int
	// Out has for each result the axis that its examples are to have, or [Unbatched] if the
	// result is the same for all. Without Out, axis 0 is that of all.
	Out []int
}

// Vmap returns f for all examples at once: xs have examples along their first axis, f is written
// for one of them, and its results are stacked along theirs. What f records becomes ops on all
// examples: a product with a matrix from outside is one product of them all.
//
// f is called once, now, with tensors that stand for those of one example. What it may use
// otherwise is as for [If]; tensors from outside are the same for all examples. Its results are
// those of [Map], and each example draws random numbers of its own, as there. A Vmap can be in
// another one, and gradients be taken of it and in it. The tensors returned are poisoned when
// something is wrong.
func Vmap(f func(tr *Trace, xs []*Tensor) []*Tensor, xs []*Tensor, o VmapOptions) []*Tensor {
	l, bad := newLoop("vmap", xs)
	if bad != nil {
		return failed(bad, 1)
	}
	tr, m := l.tr, &vmap{loop: l}
	if f == nil {
		return m.fail(l.usage("the function is nil"), 1)
	}
	if err := m.axes(o.In); err != nil {
		return m.fail(err, 1)
	}
	c := l.closure("the function")
	var ys []*Tensor
	_, err := tr.recordClosure(c, func() []*Tensor {
		given := make([]*Tensor, len(xs))
		for i, x := range xs {
			t := x.Type()
			if m.in[i] != Unbatched {
				t.Shape = slices.Delete(slices.Clone(t.Shape), m.in[i], m.in[i]+1)
			}
			given[i] = c.formalParameter(tr, t, x)
		}
		ys = f(tr, given)
		return ys
	})
	if err == nil {
		err = m.places(c, o.Out)
	}
	if err != nil {
		return m.fail(err, len(ys))
	}
	return m.record(c)
}

// vmap is a call that is being recorded.
type vmap struct {
	*loop
	size    int   // the number of examples
	in, out []int // the axes, counted from the front
}

func (m *vmap) fail(err *OpError, results int) []*Tensor { return failed(m.tr.poisoned(err), results) }

// axes finds the axes of the operands and the number of examples.
func (m *vmap) axes(in []int) *OpError {
	xs := m.init
	if in != nil && len(in) != len(xs) {
		return opError(m.site, m.op, ErrUsage, xs, "In has %s for %s: give one for each of xs, or none", diag.Count(len(in), "axis"), diag.Count(len(xs), "tensor"))
	}
	m.in = make([]int, len(xs))
	copy(m.in, in)
	var first *Tensor
	for i, x := range xs {
		if m.in[i] == Unbatched {
			continue
		}
		axis, ok := fromFront(m.in[i], x.Rank())
		if !ok {
			return opError(m.site, m.op, ErrType, xs, "operand %d, of %v, is %v and has no axis %d: name the axis of its examples in VmapOptions.In, or Unbatched if all examples share it", i, x.madeAt(), x.Type(), m.in[i])
		}
		m.in[i] = axis
		switch n := x.OpenDim(axis); {
		case first == nil:
			first, m.size = x, n
		case n != m.size:
			return opError(m.site, m.op, ErrType, xs, "the numbers of examples differ: %s, of %v, and %s, of %v", dims.String(m.size), first.madeAt(), dims.String(n), x.madeAt())
		}
	}
	if first == nil {
		return opError(m.site, m.op, ErrUsage, xs, "all of xs are Unbatched, and there are no examples: call the function without Vmap")
	}
	return nil
}

// fromFront counts an axis from the front; false if there is none.
func fromFront(axis, rank int) (int, bool) {
	if axis < 0 {
		axis += rank
	}
	return axis, axis >= 0 && axis < rank
}

// places finds the axes of the results.
func (m *vmap) places(c *closure, out []int) *OpError {
	if len(c.Results()) == 0 {
		return m.usage("the function returns no tensor, must return one or more")
	}
	if out != nil && len(out) != len(c.Results()) {
		return opError(m.site, m.op, ErrUsage, m.init, "Out has %s for %s: give one for each, or none", diag.Count(len(out), "axis"), diag.Count(len(c.Results()), "result"))
	}
	m.out = make([]int, len(c.Results()))
	copy(m.out, out)
	for i, y := range c.Results() {
		if m.out[i] == Unbatched {
			continue
		}
		axis, ok := fromFront(m.out[i], 1+y.Type.Rank())
		if !ok {
			return opError(m.site, m.op, ErrType, m.init, "result %d, of %v, is %v for one example and has %s for all of them: VmapOptions.Out cannot name axis %d", i, y.Loc, y.Type, diag.Count(1+y.Type.Rank(), "axis"), m.out[i])
		}
		m.out[i] = axis
	}
	return nil
}

// record records the function's ops for all examples.
func (m *vmap) record(c *closure) []*Tensor {
	tr := m.tr
	defer tr.at(m.site)()
	m.takesStreams(c)
	body, captured := region.Graphs(c.Region)
	var args []batching.Value
	take := func(x *Tensor, batched bool) (bad *OpError) {
		n := tr.operand(x)
		if n == nil {
			return tr.refusal(m.op, x)
		}
		args = append(args, batching.Value{Node: n, Batched: batched})
		return nil
	}
	results := len(m.out)
	for i, x := range m.init {
		if axis := m.in[i]; axis != Unbatched && axis != 0 {
			x = tr.Read(x).Transpose(batching.Moved(x.Rank(), axis, 0)...)
		}
		if err := take(x, m.in[i] != Unbatched); err != nil {
			return m.fail(err, results)
		}
	}
	for _, s := range m.streams {
		if dims.IsExpr(m.size) {
			return m.fail(opError(m.site, m.op, ErrUsage, m.init, "the function draws random numbers, and the number of examples, %s, is open: draw them outside, and give them as a further one of xs", dims.String(m.size)), results)
		}
		if err := take(s.each(tr, m.op, m.size), true); err != nil {
			return m.fail(err, results)
		}
	}
	for _, n := range captured {
		args = append(args, batching.Value{Node: n})
	}
	if !tr.enter() {
		return m.fail(tr.crowded(m.op, m.init...), results)
	}
	defer tr.leave()
	want := make([]bool, results)
	for i, axis := range m.out {
		want[i] = axis != Unbatched
	}
	tr.b.SetLoc(m.site)
	found, err := batching.Vectorize(tr.b, body.Graph, args, tr.batched(m.size, want))
	if err != nil {
		return m.fail(opError(m.site, m.op, ErrType, m.init, "%v: Map runs the function for one example after the other", err), results)
	}
	for i, y := range found {
		if y.Batched && !want[i] {
			return m.fail(opError(m.site, m.op, ErrUsage, m.init, "result %d, of %v, differs from one example to the next, and cannot be Unbatched in VmapOptions.Out", i, c.Results()[i].Loc), results)
		}
	}
	ys := make([]*Tensor, results)
	for i, y := range found {
		if n, axis := y.Node, m.out[i]; axis != Unbatched && axis != 0 {
			perm := batching.Moved(n.Type.Rank(), 0, axis)
			ys[i] = tr.result(tr.b.Node(ir.OpTranspose, []*ir.Node{n}, []ir.Attr{ir.TransposePerm: {Ints: perm}}, nil))
		} else {
			ys[i] = tr.wrap(n)
		}
	}
	return ys
}

// each returns the states from which so many examples draw, one after the other.
func (s *loopStream) each(tr *Trace, op string, examples int) *Tensor {
	state := s.from.state(tr, op, 4*s.blocks*examples)
	counter := Iota(tr, types.U64, 0, examples, 1).Mul(Iota(tr, types.U64, 1, 1, 2)) // key and counter
	return state.Add(counter.Mul(tr.constant(types.U64, uint64(s.blocks))))
}

// batched says how so many examples are recorded, of whose results some are wanted batched.
func (tr *Trace) batched(size int, want []bool) batching.Options {
	return batching.Options{Size: size, Open: tr.anySize, Want: want, Composites: batching.Composites{Same: tr.sameComposite, Kept: keptComposite}}
}

// sameComposite is a composite of this package on operands with an axis more, with its axes one
// further; nil if there is none.
func (tr *Trace) sameComposite(n *ir.Node, in []batching.Value) *ir.Composite {
	c := compositeOf(n.Body.Name)
	if c == nil || c.row == nil || c.name != n.Body.Name || !strings.HasPrefix(c.name, "ltc.") || !in[0].Batched {
		return nil
	}
	a := settingsOf(n.Body.Params)
	for i := range a {
		if c.row.Attrs[i].Kind == ops.Axis {
			a[i].int++
		}
	}
	nodes, xs := make([]*ir.Node, len(in)), make([]*Tensor, len(in))
	for i, x := range in {
		nodes[i], xs[i] = x.Node, &Tensor{tr: tr, node: x.Node, epoch: tr.epoch, dev: tr.dev}
	}
	if c.check != nil && c.check(xs, a) != nil {
		return nil
	}
	body, err := tr.dev.body(c, a, nodes)
	if err != nil {
		return nil
	}
	return body
}

// A composite that has a gradient of its own, and is not the same on operands with an axis more,
// gets a name behind vmapped: its gradient is that of each example. The parameter vmapBits, which
// is the last, says which operands are batched, a bit each.
const (
	vmapped  = "vmap."
	vmapBits = "batched"
)

// keptComposite is a composite with a gradient of its own for all examples, without its body; nil if n has none.
func keptComposite(n *ir.Node, in []batching.Value) *ir.Composite {
	if c := compositeOf(n.Body.Name); c == nil || c.vjp == nil {
		return nil
	}
	bits := 0
	for i, x := range in {
		bits |= flag(x.Batched) << i
	}
	return &ir.Composite{Name: vmapped + n.Body.Name, Params: append(slices.Clone(n.Body.Params), ir.Param{Name: vmapBits, Int: bits})}
}

// compositeOf returns the composite that a name stands for, also behind vmapped; nil if there is none.
func compositeOf(name string) *composite {
	base := name
	for strings.HasPrefix(base, vmapped) {
		base = base[len(vmapped):]
	}
	if base == ir.CustomGrad {
		return customGrads
	}
	composites.Lock()
	defer composites.Unlock()
	return composites.byName[base]
}

// vmappedVJP is the gradient of a composite with a name behind vmapped, n: for all examples the
// gradient of one.
func (tr *Trace) vmappedVJP(b *ir.Builder, n *ir.Node, y, ct []*ir.Node, wants func(operand int) bool) ([]*ir.Node, bool, error) {
	last := len(n.Body.Params) - 1
	c := tr.newClosure("gradient", "the body", n.Loc)
	c.closed = true
	tr.open(c)
	c.B.SetLoc(n.Loc)
	one := &ir.Node{Op: n.Op, Loc: n.Loc, Body: &ir.Composite{Name: n.Body.Name[len(vmapped):], Params: n.Body.Params[:last]}}
	var args []batching.Value
	parameter := func(x *ir.Node, batched bool) *ir.Node {
		if x == nil {
			return nil
		}
		t := x.Type
		if batched {
			t.Shape = t.Shape[1:]
		}
		args = append(args, batching.Value{Node: x.Current(), Batched: batched})
		p := c.B.Parameter(t, "", nil)
		c.Take(p)
		return p
	}
	for i, x := range n.In {
		one.In = append(one.In, parameter(x, n.Body.Params[last].Int>>i&1 != 0))
	}
	ys, cts := make([]*ir.Node, len(y)), make([]*ir.Node, len(y))
	for i := range y {
		ys[i], cts[i] = parameter(y[i], true), parameter(ct[i], true)
	}
	found, ok, err := func() ([]*ir.Node, bool, error) {
		defer tr.shut(c)
		return tr.vjp(c.B, one, ys, cts, wants)
	}()
	if !ok || err != nil {
		return nil, ok, err
	}
	var results []*ir.Node
	for _, g := range found {
		if g != nil {
			results = append(results, g)
		}
	}
	c.Return(results...)
	body, _ := region.Graphs(c.Region)
	all, err := batching.Vectorize(b, body.Graph, args, tr.batched(y[0].Type.Shape[0], nil))
	if err != nil {
		return nil, false, err
	}
	for i, g := range found {
		if g == nil {
			continue
		}
		found[i], all = all[0].Node, all[1:]
		if n.Body.Params[last].Int>>i&1 != 0 { // else the operand is that of all examples
			continue
		}
		if found[i], err = b.Node(ir.OpSum, []*ir.Node{found[i]}, []ir.Attr{ir.SumAxes: {Ints: []int{0}}}, nil); err != nil {
			return nil, false, err
		}
	}
	return found, true, nil
}
