package simplify

import (
	"slices"

	"ltc/backends"
	"ltc/backends/kit/simplify/program"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
)

// fold evaluates ops that depend on constants alone and puts constants in their
// place: of the whole module in one program, which Options.Fold runs. What is
// computed of constants that each repeat one element is computed for that one,
// whatever the size; all else must fit Options.FoldLimit, operands and results.
// A program that cannot be evaluated is left as it is.
func fold(s *state) bool {
	if s.Fold == nil {
		return false
	}
	f := &folding{state: s, known: map[*mlir.Value]extent{}}
	for _, b := range s.Functions() {
		program.Walk(b, f.note)
	}
	for _, b := range s.Functions() {
		program.Walk(b, f.ask)
	}
	return len(f.wanted) > 0 && f.evaluate()
}

// extent is what is known of a value that depends on constants alone.
type extent uint8

const (
	unknown extent = iota
	one            // an element that repeats
	all            // small enough to evaluate
)

type folding struct {
	*state
	known  map[*mlir.Value]extent
	wanted []*mlir.Op // by the text
	asked  map[*mlir.Op]bool
}

// note decides whether op can be evaluated; its operands have been.
func (f *folding) note(op *mlir.Op) {
	if len(op.Results) != 1 || !plain(op) || tensorOf(op.Results[0]).Elements() == 0 {
		return
	}
	r := op.Results[0]
	info := op.Code.Info()
	switch small := f.small(r); {
	case op.Code == stablehlo.Constant:
		if program.Element(r) != nil {
			f.known[r] = one
		} else if a := program.Literal(r); small && a != nil && a.Resource == "" {
			f.known[r] = all
		}
	case op.Code == stablehlo.Iota:
		if dims.AtMost(tensorOf(r).Elements(), maxCounted) {
			f.known[r] = all
		}
	case op.Code == stablehlo.BroadcastInDim:
		if f.known[op.Operands[0]] == one {
			f.known[r] = one
		}
	case info.Traits.Has(mlir.Elementwise) || opTable[op.Code].fold == moved:
		f.known[r] = f.extent(op, small)
	case opTable[op.Code].fold == evaluated && small && f.extent(op, small) != unknown && f.allSmall(op.Operands) && closed(op):
		f.known[r] = all
	}
}

// maxCounted is the most elements of an iota that counts as a constant: lists of
// indices do, what is as easily counted where it is used does not. For the same
// reason a constant is not repeated, unless it is a splat.
const maxCounted = 16

// extent returns what can be evaluated of an op of which an element depends on
// one of each operand.
func (f *folding) extent(op *mlir.Op, small bool) extent {
	x := one
	for _, v := range op.Operands {
		switch f.known[v] {
		case unknown:
			return unknown
		case all:
			x = all
		}
	}
	if x == all && !(small && f.allSmall(op.Operands)) {
		return unknown
	}
	return x
}

func (f *folding) allSmall(vs []*mlir.Value) bool {
	return !slices.ContainsFunc(vs, func(v *mlir.Value) bool { return !f.small(v) })
}

// closed reports whether the regions of op use no values from outside.
func closed(op *mlir.Op) bool {
	for range op.Captured() {
		return false
	}
	for inner := range op.Inner() {
		if len(inner.Regions) > 0 {
			return false
		}
	}
	return len(program.Bodies(op)) == len(op.Regions)
}

func (f *folding) small(v *mlir.Value) bool {
	t := tensorOf(v)
	size := mlir.ElementBytes(t.Elem)
	return size > 0 && dims.AtMost(t.Elements(), int64(f.FoldLimit/size))
}

// ask wants the operands of ops that cannot be evaluated themselves.
func (f *folding) ask(op *mlir.Op) {
	if len(op.Results) == 1 && f.known[op.Results[0]] != unknown {
		return
	}
	for _, v := range op.Operands {
		d := v.Def
		if f.known[v] == unknown || f.asked[d] || d.Code == stablehlo.Constant || d.Code == stablehlo.Iota || !mlir.DTypeOf(tensorOf(v).Elem).Valid() {
			continue
		}
		if f.asked == nil {
			f.asked = map[*mlir.Op]bool{}
		}
		f.asked[d] = true
		f.wanted = append(f.wanted, d)
	}
}

// evaluate runs the program of what is wanted and writes the constants.
func (f *folding) evaluate() bool {
	p := &evaluation{folding: f, values: map[*mlir.Value]*mlir.Value{}}
	var outs []mlir.Type
	ret := mlir.NewOp(mlir.OpReturn, nil)
	for _, op := range f.wanted {
		v := p.value(op.Results[0])
		ret.Operands = append(ret.Operands, v)
		outs = append(outs, v.Type)
	}
	main := mlir.NewFunc("main", "", nil, outs)
	main.Body().Ops = append(p.ops, ret)
	e, err := f.Fold.Compile(f.ctx, backends.NewModule(mlir.Print(&mlir.Module{Ops: []*mlir.Op{main}})), backends.Options{Name: "constants.mlir"})
	if err != nil {
		return false
	}
	call := &backends.Call{}
	var memory []*soa.Buffer
	for _, r := range e.Signature().Results {
		b := soa.New(r.Type.Bytes())
		memory = append(memory, b)
		call.Results = append(call.Results, b.View(r.Type))
	}
	if err := e.Execute(f.ctx, call); err != nil {
		return false
	}
	for i, op := range f.wanted {
		t := tensorOf(op.Results[0])
		var a *mlir.DenseAttr
		if f.known[op.Results[0]] == one {
			a = splatAttr(t, memory[i].Bytes())
		} else {
			a = mlir.Dense(t, memory[i].Bytes())
		}
		become(op, a)
	}
	return true
}

// evaluation is the program that is evaluated.
type evaluation struct {
	*folding
	ops    []*mlir.Op
	values map[*mlir.Value]*mlir.Value // of elements that repeat, the one
}

func (p *evaluation) append(op *mlir.Op) *mlir.Value {
	p.ops = append(p.ops, op)
	return op.Results[0]
}

// value returns what v is in the program.
func (p *evaluation) value(v *mlir.Value) *mlir.Value {
	if w := p.values[v]; w != nil {
		return w
	}
	w := p.compute(v)
	p.values[v] = w
	return w
}

func (p *evaluation) compute(v *mlir.Value) *mlir.Value {
	op, t := v.Def, tensorOf(v)
	if p.known[v] == one {
		if x := program.Element(v); x != nil {
			c := mlir.NewOp(stablehlo.Constant, nil, mlir.Tensor(t.Elem))
			c.Attrs = mlir.Dict{{Name: "value", Value: splatAttr(mlir.Tensor(t.Elem), x)}}
			return p.append(c)
		}
		if opTable[op.Code].fold == moved {
			return p.value(op.Operands[0])
		}
		t = mlir.Tensor(t.Elem)
	}
	x := copyOf(op, t)
	for _, in := range op.Operands {
		w := p.value(in)
		if p.known[v] == all && p.known[in] == one && len(tensorOf(in).Shape) > 0 {
			b := mlir.NewOp(stablehlo.BroadcastInDim, []*mlir.Value{w}, in.Type)
			b.Attrs = dimsAttr("broadcast_dimensions", nil)
			w = p.append(b)
		}
		x.Operands = append(x.Operands, w)
	}
	return p.append(x)
}
