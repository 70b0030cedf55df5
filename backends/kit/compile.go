package kit

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/kit/simplify"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
)

// Options steer [Compile].
type Options struct {
	// Eval runs the ops that are no kernels, and folds constants. nil: [NewEvaluator].
	Eval backends.Backend
	// Dump, if set, is called with the name of each stage and the program at that stage.
	// Regions of loops and branches follow their program, each behind a line that says
	// so, but at the first and the last stage, whose texts have them.
	Dump func(stage, text string)
	// Check checks the module after each pass of package simplify, and the graph
	// of kernels after each pass of this package: that each kernel is right, and
	// that what it reads is there. A pass that goes wrong is an error that names it
	// then, and not wrong numbers. Programs are checked in the end in any case.
	Check bool
	// LocalBytes is the most that stages of a kernel hand on to later ones within
	// it, for one point of its parallel axes; kernels for which that would be more
	// are not merged. It is what one core, or one block of threads, keeps at hand.
	// 0: [LocalBytes].
	LocalBytes int

	// Packs returns how often a contraction, computed where the target runs it,
	// computes each element of its factors A and B, with sizes and strides: once
	// where it packs them for all that they meet, 0 if it does so each time that an
	// element is multiplied. What makes such a factor becomes part of the
	// contraction where that pays. nil: no target does.
	Packs func(k *kernel.Kernel, sizes, strides []int64) (a, b int)

	// Parts returns into how many parts the target wants a reduction cut, that a
	// kernel is, of so many elements for each of so many points, so that all of it is
	// busy; what they give is reduced by a kernel of its own. It must depend on nothing
	// else, so that results do not; strides are not known yet, operands are dense. nil:
	// fewer than 16 of at least 65,536 are cut into parts of at most 16,384.
	Parts func(k *kernel.Kernel, points, length int64) int64

	// ProductParts returns into how many parts the target wants the sums of a product
	// cut, that a kernel is: along the first of the axes that it sums over, which they
	// divide, so that all of the target is busy. What they give is added, in their order,
	// with what follows the product. It must depend on nothing but the kernel, whose sizes
	// are literal; strides are not known yet, operands are dense. nil, fewer than two or a
	// number that does not divide: they are not cut.
	ProductParts func(k *kernel.Kernel) int64

	// Cut returns which stages of a kernel are to begin one of their own, in order, of
	// those whose stages only store parts of one value; sizes are literals, and operands
	// dense. nil: none are.
	Cut func(k *kernel.Kernel) []int

	// Pitch returns, by operand of a product that a kernel is, of how many elements the
	// length of its rows, its last dimension, is to be a multiple; 0, or nothing: it stays.
	// Operands for which copied is set must be copied for that. It must depend on nothing
	// but the kernel, whose sizes are literal, and copied; operands are dense. nil: rows
	// stay as they are.
	Pitch func(k *kernel.Kernel, copied []bool) []int64

	// Borders says that the target's contractions, where they read what is around an
	// operand as 0, do so as fast as they read the operand: padding it becomes part of
	// them. False: it is written out, padded.
	Borders bool

	// Columns returns how many columns a product may have for the target to run it
	// row by row, with vectors along the rows, in one kernel with what it follows and
	// what follows it; 0: none. It is asked when there is such a product. nil: the
	// target runs each product by itself.
	Columns func() int

	// Claim reports whether the target runs w itself, as a step, and the types of the
	// memory that it works in besides operands and results. It is asked before w is
	// made kernels of: of a [*plan.Composite], in whose place is its decomposition if the
	// target declines, and of a [*plan.Sort], which is the evaluator's then. nil: it declines
	// all.
	Claim func(w plan.Work) (work []types.Type, ok bool)

	region     bool                              // it is one of a loop or a branch
	comparator bool                              // it is that of a sort
	watch      func(pass string, g *graph) error // of tests
}

// LocalBytes is what Options.LocalBytes is when it is 0: rows that the cache of
// one core of a CPU holds.
const LocalBytes = 256 << 10

// after is what is done after each pass.
func (o *Options) after(pass string, g *graph) error {
	if o.Dump != nil {
		text := g.String()
		if o.region {
			text = "// a region\n" + text
		}
		o.Dump(pass, text)
	}
	if o.Check {
		if err := g.check(); err != nil {
			return fmt.Errorf("kit: pass %s: %w", pass, err)
		}
	}
	if o.watch != nil {
		return o.watch(pass, g)
	}
	return nil
}

// ErrNotCompiled is what the error of [Compile] wraps for a module that no part
// of can be kernels: run all of it by the evaluator. The error says why.
var ErrNotCompiled = errors.New("not compiled")

// kept are the ops beyond StableHLO that kernels have, whatever they are of.
var kept = func() map[string]bool {
	all := map[string]bool{}
	for code := range mlir.Codes() {
		if _, ok := kernelOfCHLO(code); ok {
			all[code.String()] = true
		}
	}
	return all
}()

// Inline puts the bodies of functions and composites in the place of their
// calls, as [Compile] does first: for a module whose sizes are to be known before
// it can be compiled.
func Inline(ctx context.Context, m *mlir.Module) error {
	return simplify.Inline(ctx, m, simplify.Options{Keep: kept})
}

// Compile makes kernels of a module that [backends.Load] has read. It changes
// p.Module.
func Compile(ctx context.Context, p *backends.Program, o Options) (*plan.Program, error) {
	if o.Eval == nil {
		o.Eval = NewEvaluator()
	}
	if err := simplify.Run(ctx, p.Module, simplify.Options{Fold: o.Eval, Check: o.Check, Keep: kept, KeepOp: scansPoints, Composite: o.claims}); err != nil {
		return nil, err
	}
	if o.Dump != nil && !o.region {
		o.Dump("simplified", p.Module.String())
	}
	g, err := translate(ctx, p, o)
	if err != nil {
		var reason notCompiled
		if errors.As(err, &reason) {
			return nil, errors.Join(ErrNotCompiled, err)
		}
		return nil, err
	}
	if err := o.after("translated", g); err != nil {
		return nil, err
	}
	for _, pass := range passes {
		if err := g.run(pass.run); err != nil {
			return nil, err
		}
		if err := o.after(pass.name, g); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	r, err := finish(ctx, g, p, o)
	if err == nil && o.Dump != nil && !o.region {
		o.Dump("fused", r.String())
	}
	return r, err
}

// run runs a pass until it ends or the context does.
func (g *graph) run(pass func(*graph)) (err error) {
	defer g.Catch(&err)
	pass(g)
	return nil
}

// finish writes the graph down as a program.
func finish(ctx context.Context, g *graph, p *backends.Program, o Options) (r *plan.Program, err error) {
	defer g.Catch(&err)
	r = &plan.Program{Signature: p.Signature, Module: p.Module, LastFallible: -1, Logger: backends.LoggerOf(ctx)}
	place := make([]plan.ValueID, len(g.values))
	for v := range g.values {
		place[v] = plan.None
	}
	at := func(v plan.ValueID) plan.ValueID {
		root := g.root(v)
		if place[root] == plan.None {
			val := &g.values[root]
			place[root] = plan.ValueID(len(r.Values))
			w := plan.Value{Type: val.typ, First: -1, Last: -1}
			switch {
			case val.splat != nil:
				w.Kind, w.Data = plan.Constant, make([]byte, val.typ.DType.Size())
				kernel.StoreBits(w.Data, len(w.Data), *val.splat)
			case val.data != nil:
				w.Kind, w.Data = plan.Constant, val.data
			}
			r.Values = append(r.Values, w)
		}
		return place[root]
	}
	for i, v := range g.args {
		id := at(v)
		r.Values[id].Kind, r.Values[id].Index = plan.Argument, i
		r.Args = append(r.Args, id)
	}
	kernels := map[string]int{}
	repeated := 0 // bytes of such constants
	for _, n := range g.nodes {
		g.Look()
		step := plan.Step{Ordinal: n.ordinal, Loc: n.loc}
		if n.host != nil {
			if step.Work, err = (&hostWriter{ctx, g, p, o, at}).work(n); err != nil {
				return nil, err
			}
			reads, _ := step.Work.Access(r)
			for _, v := range reads {
				if err := repeat(r, v, &repeated); err != nil {
					return nil, fmt.Errorf("%s: the constants that %s reads whole: %w", p.File, n.host.op.Name(), err)
				}
			}
			if step.Work.Fallible() {
				r.LastFallible = len(r.Steps)
			}
		} else {
			k := g.normalise(n)
			text := k.kernel.String()
			i, ok := kernels[text]
			if !ok {
				i = len(r.Kernels)
				kernels[text] = i
				r.Kernels = append(r.Kernels, k.kernel)
			}
			l := &plan.Launch{Kernel: i, Copies: copies(k), Parts: n.parts, Pitches: n.pitches}
			writeLaunch(l, k, at)
			step.Work = l
		}
		r.Steps = append(r.Steps, step)
	}
	for j, v := range g.results {
		id := at(v)
		r.Values[id].Kind, r.Values[id].Index = plan.Result, j
		r.Results = append(r.Results, id)
	}
	r.From = &origin{g, place}
	g.findViews(r, place)
	g.forget()
	r.Plan()
	return r, r.Check()
}

// forget drops the nodes that passes have merged or inlined into others, and the other
// ways of those that are left: a program keeps its graph for [plan.Program.Variant], which
// makes kernels of nodes that stand for themselves.
func (g *graph) forget() {
	g.caller = caller{} // whose functions may hold the context
	for v := range g.values {
		g.values[v].def = nil
	}
	for _, n := range g.nodes {
		n.inParts = nil
		for _, v := range n.outs() {
			g.values[g.root(v)].def = n
		}
	}
}

// repeat makes a constant of one element for all one that has each: steps that are no
// kernels read memory that is dense. It adds to the bytes of all of them, for which there
// must be memory.
func repeat(r *plan.Program, id plan.ValueID, all *int) error {
	v := &r.Values[id]
	n := v.Type.Bytes()
	if v.Kind != plan.Constant || len(v.Data) >= n {
		return nil
	}
	if err := soa.Fits(*all + n); err != nil { // which takes what overflows for too much
		return err
	}
	*all += n
	v.Data = bytes.Repeat(v.Data, n/len(v.Data))
	return nil
}
