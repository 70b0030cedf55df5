package kit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/plan"
	"ltc/backends/kit/simplify"
	"ltc/ir/types"
	"ltc/mlir"
)

// Claim reports whether the target runs w itself, as a step, and the types of the memory that it works in
// besides operands and results. It is asked before w is made kernels of: of a [*plan.Composite], in whose place is its
// decomposition if the target declines, and of a [*plan.Sort] or [*plan.Triangular], which is the evaluator's then. Sizes of
// these two may be expressions of package dims: such work is for all sizes.
type Claim func(w plan.Work) (work []types.Type, ok bool)

// Options steer [Compile].
type Options struct {
	// Eval runs the ops that are no kernels, and folds constants. nil: [NewEvaluator].
	Eval backends.Backend
	// Dump, if set, is called with the name of each stage and the program at that stage: a
	// module, a graph of package fuse or a program of package plan. It is as it was at that
	// stage until Dump returns.
	// Regions of loops and branches follow their program, each behind a line that says
	// so, but at the first and the last stage, whose texts have them.
	Dump func(stage string, program fmt.Stringer)
	// Check checks the module after each pass of package simplify, and the graph
	// of kernels after each pass of package fuse: that each kernel is right, and
	// that what it reads is there. A pass that goes wrong is an error that names it
	// then, and not wrong numbers. Programs are checked in the end in any case.
	Check bool
	// Launch is how many multiplications take as long as a launch: see [simplify.Options].
	Launch int64
	// ChannelsFirst says that images of convolutions may have their features before the
	// spatial dimensions: see [simplify.Options].
	ChannelsFirst bool
	// SplitK is the least bytes of a matrix that one row is multiplied by in pieces: see
	// [simplify.Options]. In regions, most of which are loops, it is four times as much, as their matrices come from caches.
	SplitK int64
	// Fuse is what the target says of kernels.
	Fuse fuse.Options

	// Claim is what the target says of work; nil: it declines all.
	Claim Claim
	// HostComposites says that composites which Claim declines are calls of the host, where
	// [backends.RegisterHostComposite] has a function for them.
	HostComposites bool

	region bool // it is one of a loop or a branch
}

// Stages returns the names that [Options.Dump] is called with, in order.
func Stages() []string {
	return slices.Concat([]string{"simplified", "translated"}, fuse.Passes(), []string{"fused"})
}

// after is what is done after each pass.
func (o *Options) after(pass string, g *fuse.Graph) error {
	switch {
	case o.Dump != nil && o.region:
		o.Dump(pass, region{g})
	case o.Dump != nil:
		o.Dump(pass, g)
	}
	if o.Check {
		if err := g.Check(); err != nil {
			return fmt.Errorf("kit: pass %s: %w", pass, err)
		}
	}
	return nil
}

// region is the graph of a region of a loop or a branch.
type region struct{ *fuse.Graph }

func (r region) String() string { return "// a region\n" + r.Graph.String() }

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
	splitK := o.SplitK
	if o.region {
		splitK *= 4
	}
	if err := simplify.Run(ctx, p.Module, simplify.Options{Fold: o.Eval, Check: o.Check, Keep: kept, KeepOp: scansPoints, Composite: o.claims, Hosted: o.hosted, Launch: o.Launch, ChannelsFirst: o.ChannelsFirst, SplitK: splitK}); err != nil {
		return nil, err
	}
	if o.Dump != nil && !o.region {
		o.Dump("simplified", p.Module)
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
	if err := g.Fuse(ctx, func(pass string) error { return o.after(pass, g) }); err != nil {
		return nil, err
	}
	r, err := g.Program(ctx, p)
	if err == nil && o.Dump != nil && !o.region {
		o.Dump("fused", r)
	}
	return r, err
}
