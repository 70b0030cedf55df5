package simplify

import (
	"context"
	"fmt"

	"ltc/backends"
	"ltc/backends/kit/simplify/program"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// Options steer [Run]. The zero value simplifies all that can be without an
// evaluator.
type Options struct {
	// Keep names the composites, such as ltc.softmax, and the ops of CHLO, such
	// as chlo.erf, that the target has itself. All others are replaced by what
	// they stand for. Where chlo.erf is kept, composites called ltc.erf become it.
	Keep map[string]bool
	// KeepOp reports whether the target has an op of CHLO itself that Keep does not name;
	// nil: none.
	KeepOp func(op *mlir.Op) bool
	// Composite reports whether the target runs a composite itself; nil: only those
	// of Keep.
	Composite func(op *mlir.Op) bool
	// Hosted returns the name of the function of the host that runs a composite, unless the target
	// does, or ""; nil: none.
	Hosted func(op *mlir.Op) string
	// Fold evaluates what depends on constants alone; nil: nothing is folded.
	Fold backends.Backend
	// FoldLimit is the most bytes of a constant that folding makes or reads;
	// 0: [FoldLimit]. A constant that repeats one element counts as that.
	FoldLimit int
	// Launch is how many multiplications take as long as a launch of a kernel. A transposed
	// convolution becomes several convolutions if these save more than their launches take.
	Launch int64
	// ChannelsFirst says that images of convolutions may have their features before the
	// spatial dimensions (NCHW). The target computes them as fast as those in normal form,
	// if windows are one or two elements apart along the last dimension.
	ChannelsFirst bool
	// SplitK is the least bytes of a matrix [k, n] for which the sum of a product with one row is cut
	// into pieces of k; 0: none is.
	SplitK int64
	// Dump, if set, is called with the module after each pass that changed it,
	// and with the pass's name.
	Dump func(pass string, m *mlir.Module)
	// Check verifies the module after each pass that changed it.
	Check bool
}

// FoldLimit is what Options.FoldLimit is when it is 0.
const FoldLimit = 64 << 10

// maxRounds bounds how often the passes that repeat are run: programs need two
// or three rounds. Rounds stop when every pass has run once since the last change.
const maxRounds = 12

// Run simplifies m in place. m must have passed [verify.Module]; what is left of
// it keeps its places, locations and ordinals, and a new op has those of the op
// whose failure it would report. The error is the context's, or says that a
// pass went wrong, which no program should bring about.
func Run(ctx context.Context, m *mlir.Module, o Options) error {
	if o.FoldLimit == 0 {
		o.FoldLimit = FoldLimit
	}
	s := newState(ctx, m, o)
	forgetNumbers(m)
	if err := s.rounds(); err != nil {
		return err
	}
	for _, p := range passes {
		if p.when != last {
			continue
		}
		if _, err := s.pass(p); err != nil {
			return err
		}
	}
	return nil
}

// rounds runs the passes but those that come last, until none of them changes the module.
func (s *state) rounds() error {
	latest := -1 // the pass that was the last to change the module
	for round := range maxRounds {
		changed := false
		for i, p := range passes {
			if p.when == last || round > 0 && p.when == once {
				continue
			}
			did, err := s.pass(p)
			switch {
			case err != nil:
				return err
			case did:
				changed, latest = true, i
			case round > 0 && i == latest: // all others have seen the module as it is
				return nil
			}
		}
		if !changed {
			break
		}
	}
	return nil
}

// Inline puts the bodies of functions and composites in the place of their
// calls, as [Run] does first, and nothing else: for a module whose sizes are to
// be known before it can be simplified.
func Inline(ctx context.Context, m *mlir.Module, o Options) error {
	_, err := newState(ctx, m, o).pass(pass{name: "inline", run: inline})
	return err
}

// inline inlines calls, and composites that the target does not run itself.
func inline(s *state) bool {
	return program.Inline(s.Program, s.kept, s.Keep[stablehlo.CHLOErf.String()])
}

// kept reports whether the target runs a composite itself.
func (s *state) kept(composite *mlir.Op) bool {
	name, _ := composite.Attrs.Get("name").(mlir.StringAttr)
	return s.Keep[string(name)] || s.Composite != nil && s.Composite(composite)
}

// Passes returns the names of the passes in the order in which they run.
func Passes() []string {
	names := make([]string, len(passes))
	for i, p := range passes {
		names[i] = p.name
	}
	return names
}

// state is the work on one module: what passes are given.
type state struct {
	*program.Program
	Options
	ctx context.Context

	quants map[string]*mlir.QuantType // by the text of the type; nil for those that [state.quantOf] has none for
}

func newState(ctx context.Context, m *mlir.Module, o Options) *state {
	return &state{Program: program.New(ctx, m), Options: o, ctx: ctx, quants: map[string]*mlir.QuantType{}}
}

// pass runs one pass, with all that goes around it.
func (s *state) pass(p pass) (changed bool, err error) {
	if s.ctx.Err() != nil {
		return false, context.Cause(s.ctx)
	}
	defer s.Catch(&err)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case nonsense:
			err = fmt.Errorf("simplify: pass %s: %s", p.name, string(r))
		default:
			panic(r)
		}
	}()
	if changed = p.run(s); !changed {
		return false, nil
	}
	if s.Dump != nil {
		s.Dump(p.name, s.Module)
	}
	if s.Check {
		if err := verify.ModuleContext(s.ctx, s.Module); err != nil {
			return true, fmt.Errorf("simplify: pass %s: %w", p.name, err)
		}
	}
	return true, nil
}

// nonsense is what a pass panics with when it meets what cannot be.
type nonsense string

// forgetNumbers takes from values the names that are numbers: they are numbered
// again when they are printed, in their order.
func forgetNumbers(m *mlir.Module) {
	m.Walk(func(op *mlir.Op) bool {
		for _, v := range op.Results {
			if isNumber(v.Name) {
				v.Name = ""
			}
		}
		return true
	})
}

// isNumber reports whether a name is one that a printer gave; no other begins
// with a digit.
func isNumber(name string) bool { return name != "" && name[0] <= '9' }
