package kit

import (
	"bytes"
	"context"
	"errors"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/simplify"
)

// Options steer [Compile].
type Options struct {
	// Eval runs the ops that are no kernels, and folds constants.
	Eval backends.Backend
	// Body compiles the regions of loops and branches; nil leaves these to Eval.
	Body func(ctx context.Context, m backends.Module) (backends.Executable, error)
	// Dump, if set, is called with the name of each stage and what the program
	// then is.
	Dump func(stage, text string)
}

// ErrNotCompiled is what the error of [Compile] wraps for a module that no part
// of can be kernels: run all of it by the evaluator. The error says why.
var ErrNotCompiled = errors.New("not compiled")

// Compile makes kernels of a module that [backends.Load] has read. It changes
// p.Module.
func Compile(ctx context.Context, p *backends.Program, o Options) (*Program, error) {
	if err := simplify.Run(ctx, p.Module, simplify.Options{Fold: o.Eval, Keep: map[string]bool{"chlo.erf": true}}); err != nil {
		return nil, err
	}
	if o.Dump != nil {
		o.Dump("simplified", p.Module.String())
	}
	g, err := translate(ctx, p)
	if err != nil {
		var reason notCompiled
		if errors.As(err, &reason) {
			return nil, errors.Join(ErrNotCompiled, reason)
		}
		return nil, err
	}
	for _, pass := range passes {
		pass.run(g)
		if o.Dump != nil {
			o.Dump(pass.name, g.String())
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	var donated []ValueID
	for j, r := range p.Signature.Results {
		if r.Alias >= 0 {
			donated = append(donated, g.root(g.results[j]))
		}
	}
	delayDonated(g, donated)
	r, err := finish(ctx, g, p, o)
	if err == nil && o.Dump != nil {
		o.Dump("fused", r.String())
	}
	return r, err
}

// Stages returns the names that [Options.Dump] is called with, in order.
func Stages() []string {
	names := []string{"simplified"}
	for _, p := range passes {
		names = append(names, p.name)
	}
	return append(names, "fused")
}

// passes are what is done to a graph, in this order.
var passes = []struct {
	name string
	run  func(*graph)
}{
	{"translated", copyResults},
	{"unwrapped", unwrap},
	{"inlined", inline},
	{"split", split},
	{"merged", merge},
	{"private", privatise},
}

// copyResults gives each result memory of its own: one that is an argument, a
// constant, or a result already is copied.
func copyResults(g *graph) {
	g.sweep()
	seen := make([]bool, len(g.values))
	for j, v := range g.results {
		r := g.root(v)
		if g.values[v].splat == nil && g.values[r].def != nil && !seen[r] {
			seen[r] = true
			continue
		}
		t := g.values[v].typ
		b := kernel.NewBuilder("copy")
		from := b.Param(memory("x0", t))
		out := memory("y0", t)
		out.Out = true
		to := b.Param(out)
		index := make([]kernel.Index, len(t.Shape))
		for d, n := range t.Shape {
			index[d] = kernel.Along(b.Axis(axisName(d), kernel.Size(n)))
		}
		b.Stage()
		n := &node{operands: []ValueID{v, none}}
		if s := g.values[v].splat; s != nil {
			b.Store(to, b.Bits(t.DType, *s), index...)
		} else {
			b.Store(to, b.Load(from, index...), index...)
		}
		n.kernel = b.Kernel()
		n.operands[to] = g.newValue(t, n)
		seen = append(seen, true)
		g.results[j] = n.operands[to]
		cse(n)
		g.nodes = append(g.nodes, n)
	}
}

// finish writes the graph down as a program.
func finish(ctx context.Context, g *graph, p *backends.Program, o Options) (*Program, error) {
	r := &Program{Signature: p.Signature, Module: p.Module, LastFallible: -1}
	place := make([]ValueID, len(g.values))
	for v := range g.values {
		place[v] = none
	}
	at := func(v ValueID) ValueID {
		root := g.root(v)
		if place[root] == none {
			val := &g.values[root]
			place[root] = ValueID(len(r.Values))
			w := Value{Type: val.typ, First: -1, Last: -1}
			switch {
			case val.splat != nil:
				w.Kind, w.Data = Constant, splatBytes(*val.splat, val.typ.DType.Size())
			case val.data != nil:
				w.Kind, w.Data = Constant, val.data
			}
			r.Values = append(r.Values, w)
		}
		return place[root]
	}
	for i, v := range g.args {
		id := at(v)
		r.Values[id].Kind, r.Values[id].Index = Argument, i
		r.Args = append(r.Args, id)
	}
	kernels := map[string]int{}
	for _, n := range g.nodes {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		step := Step{Kernel: -1, Ordinal: n.ordinal, Loc: n.loc}
		if n.host != nil {
			if err := (&hostWriter{ctx, g, p, o, at}).step(n, &step); err != nil {
				return nil, err
			}
			reads, _ := step.hostAccess()
			for _, v := range reads {
				r.Values[v].repeat()
			}
			r.LastFallible = len(r.Steps)
		} else {
			k := g.normalise(n)
			text := k.kernel.String()
			i, ok := kernels[text]
			if !ok {
				i = len(r.Kernels)
				kernels[text] = i
				r.Kernels = append(r.Kernels, k.kernel)
			}
			step.Kernel, step.Sizes, step.Strides = i, k.sizes, k.strides
			for _, op := range k.operands {
				step.Operands = append(step.Operands, Operand{at(op.Value), op.Offset})
			}
		}
		r.Steps = append(r.Steps, step)
	}
	for j, v := range g.results {
		id := at(v)
		r.Values[id].Kind, r.Values[id].Index = Result, j
		r.Results = append(r.Results, id)
	}
	plan(r)
	return r, r.check()
}

// repeat makes a constant of one element for all one that has each: steps that
// are no kernels read memory that is dense.
func (v *Value) repeat() {
	if n := v.Type.Bytes(); v.Kind == Constant && len(v.Data) < n {
		v.Data = bytes.Repeat(v.Data, n/len(v.Data))
	}
}

func splatBytes(bits uint64, size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(bits >> (8 * i))
	}
	return b
}

// plan says when each value is written and read, and where temporaries are.
func plan(p *Program) {
	for v := range p.Values {
		p.Values[v].First = -1
		p.Values[v].Last = -1
	}
	for s := range p.Steps {
		reads, writes := p.access(s)
		for _, v := range writes {
			if p.Values[v].First < 0 {
				p.Values[v].First = s
			}
			p.Values[v].Last = s
		}
		for _, v := range reads {
			p.Values[v].Last = s
		}
	}
	placeTemporaries(p)
}

// access returns the values that a step reads and those that it writes.
func (p *Program) access(s int) (reads, writes []ValueID) {
	st := &p.Steps[s]
	if st.Kernel < 0 {
		return st.hostAccess()
	}
	for i, o := range st.Operands {
		if p.Kernels[st.Kernel].Params[i].Out {
			writes = append(writes, o.Value)
		} else {
			reads = append(reads, o.Value)
		}
	}
	return reads, writes
}
