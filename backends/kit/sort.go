package kit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
	"ltc/mlir"
)

// Sort is a sort that the target has code for, as a step: all operands are of one
// shape, and rows along a dimension of them go to another order, the same for all,
// that a comparator says.
type Sort struct {
	Dim int
	// Less reports whether one of two places of a row is to come before the other: a
	// kernel without axes, of scalars, that computes a bool of the elements there. It
	// may be one that no order has.
	Less *kernel.Kernel
	Of   []Compared // by parameter of Less
	// Args and Outs are the operands and results; before there is a step, without
	// values.
	Args, Outs []HostArg
	// Work is memory that the step works in, of the types that [Options.Sort] asks for.
	Work []ValueID
}

// Compared is what a parameter of a comparator is: the element of an operand at the
// first place or the second; or the bool.
type Compared struct {
	Operand int // -1: the bool
	Second  bool
}

// Shape is that of all operands and results.
func (s *Sort) Shape() types.Shape { return s.Args[0].Type.Shape }

// sort adds a node for a sort that the target has code for.
func (t *translator) sort(op *mlir.Op) error {
	if carries(op) {
		return leave("elements that kernels do not have")
	}
	dim, known := mlir.Int(op.Attrs.Get("dimension"))
	if !known {
		dim = -1
	}
	s := &Sort{Dim: int(dim)}
	for i, v := range op.Operands {
		arg := t.graph.values[t.values[v]].typ
		s.Args = append(s.Args, HostArg{none, arg})
		out, err := backends.TypeOf(op.Results[i].Type)
		if err != nil {
			return leave("%v", err)
		}
		s.Outs = append(s.Outs, HostArg{none, out})
	}
	if s.Dim < 0 {
		s.Dim += len(s.Shape())
	}
	if err := t.comparator(op, s); err != nil {
		return err
	}
	work, ok := t.o.Sort(s)
	if !ok {
		return leave("a sort that the target has no code for")
	}
	n := &node{host: &hostOp{op: op, sort: s}, ordinal: op.Ordinal, loc: op.Loc}
	for _, v := range op.Operands {
		n.host.ins = append(n.host.ins, t.values[v])
	}
	if err := t.step(n, op); err != nil {
		return err
	}
	for _, w := range work {
		n.host.outs = append(n.host.outs, t.graph.newValue(w, n))
	}
	return nil
}

// comparator makes a kernel of the region of a sort: its text is compiled as a
// program, which is to be one step that reads elements and writes a bool.
func (t *translator) comparator(op *mlir.Op, s *Sort) error {
	if len(capturedBy(op)) > 0 {
		return leave("its comparator uses what is outside of it")
	}
	text, _ := regionText(op.Regions[0], nil, t.others, false)
	region, err := backends.Load(t.ctx, backends.NewModule(text), backends.Options{Name: t.file})
	if err != nil {
		return err
	}
	p, err := Compile(t.ctx, region, Options{Eval: t.o.Eval, Check: t.o.Check, comparator: true})
	switch {
	case errors.Is(err, ErrNotCompiled):
		return leave("its comparator is no kernel of scalars")
	case err != nil:
		return err
	}
	if !s.compares(p) {
		return leave("its comparator is no kernel of scalars")
	}
	return nil
}

// compares makes one kernel of the kernels of a comparator's program, if all of them
// are of scalars.
func (s *Sort) compares(p *Program) bool {
	b := kernel.NewBuilder("less")
	b.Stage()
	made := map[ValueID]kernel.ID{} // what was loaded or computed
	load := func(v ValueID) (kernel.ID, bool) {
		id, known := made[v]
		if known || p.Values[v].Kind != Argument {
			return id, known
		}
		i := p.Values[v].Index
		s.Of = append(s.Of, Compared{i / 2, i%2 == 1})
		made[v] = b.Load(b.Param(kernel.Param{Name: fmt.Sprint("xy"[i%2:i%2+1], i/2), DType: p.Values[v].Type.DType}))
		return made[v], true
	}
	for i := range p.Steps {
		step := &p.Steps[i]
		if step.Kernel < 0 || !ofScalars(p.Kernels[step.Kernel]) {
			return false
		}
		k := p.Kernels[step.Kernel]
		ids := make([]kernel.ID, len(k.Instrs))
		for n, in := range k.Instrs {
			known := true
			switch in.Op {
			case kernel.Load:
				ids[n], known = load(step.Operands[in.Mem.Param].Value)
			case kernel.Store:
				made[step.Operands[in.Mem.Param].Value] = ids[in.Args[0]]
			default:
				in.Args = slices.Clone(in.Args)
				for j, a := range in.Args {
					in.Args[j] = ids[a]
				}
				ids[n] = b.Emit(in)
			}
			if !known {
				return false
			}
		}
	}
	less, known := load(p.Results[0])
	if !known {
		return false
	}
	s.Of = append(s.Of, Compared{Operand: -1})
	b.Store(b.Param(kernel.Param{Name: "less", DType: types.Bool, Out: true}), less)
	s.Less = b.Kernel()
	return kernel.Verify(s.Less) == nil
}

// ofScalars reports whether a kernel computes scalars of scalars, that depend on
// nothing else.
func ofScalars(k *kernel.Kernel) bool {
	for i := range k.Params {
		if len(k.Params[i].Dims) > 0 {
			return false
		}
	}
	for i := range k.Instrs {
		switch op := k.Instrs[i].Op; {
		case op == kernel.Load, op == kernel.Store:
			if k.Instrs[i].Mem.Local || k.Instrs[i].Mem.Combine != kernel.Invalid {
				return false
			}
		case op != kernel.Constant && !op.Computes():
			return false
		}
	}
	return len(k.Axes) == 0
}

// sort fills in the step of a sort.
func (w *hostWriter) sort(n *node, s *Step) {
	c := *n.host.sort
	c.Args, c.Outs = w.args(n.host.ins), w.args(n.host.outs[:len(c.Outs)])
	for _, v := range n.host.outs[len(c.Outs):] {
		c.Work = append(c.Work, w.at(v))
	}
	s.Sort = &c
}

// print prints a step that is a sort.
func (s *Sort) print(b *strings.Builder) {
	var outs []ValueID
	for _, o := range s.Outs {
		outs = append(outs, o.Value)
	}
	fmt.Fprintf(b, "sort%s along %d gives %s works in %s\n", list(s.Args), s.Dim, listed(outs), listed(s.Work))
	for line := range strings.Lines(s.Less.String()) {
		b.WriteString("    " + line)
	}
}
