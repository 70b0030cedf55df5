package kit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/backends/kit/simplify"
	"ltc/backends/reference/eval"
	"ltc/ir/dims"
	"ltc/mlir"
)

// OpenFamily returns one program for all sizes of a module that leaves some open. Kernels makes kernels of the program once its sizes are expressions. Zeros says
// which symbols are 0 in all runs; no other size of the program may be 0. Claim is that of [Options] for composites
// whose sizes are not open, nil for none. The error wraps [ErrNotCompiled] if it cannot be one program for all sizes.
func OpenFamily(ctx context.Context, by Evaluator, m backends.Module, o backends.Options, zeros plan.Zeros, claim Claim, kernels func(p *backends.Program) (*plan.Program, error)) (*plan.Family, error) {
	f, err := openFamily(ctx, by, m, o, zeros, claim, kernels)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, errors.Join(ErrNotCompiled, err)
	}
	return f, nil
}

func openFamily(ctx context.Context, by Evaluator, m backends.Module, o backends.Options, zeros plan.Zeros, claim Claim, kernels func(p *backends.Program) (*plan.Program, error)) (*plan.Family, error) {
	var p *backends.Program
	var open plan.Opening
	var fixed eval.Sizes
	for again := false; ; again = true {
		var err error
		if p, err = backends.LoadOpen(ctx, m, o); err != nil {
			return nil, err
		}
		if !again {
			if open, err = openDims(p, zeros); err != nil {
				return nil, plan.At(p.Module.Func("main"), err)
			}
		}
		if fixed, err = fixSizes(ctx, by, p, open, claim); err == nil {
			if exact := slices.DeleteFunc(slices.Clone(fixed.Guards), func(g eval.SizeGuard) bool { return g.Rule != dims.Equal }); unifyAll(&open, exact) {
				continue // an assertion needs no guard once symbols are what it says
			}
			break
		}
		unequal, ok := errors.AsType[*eval.NotEqual](err)
		if !ok || !unifyAll(&open, append([]eval.SizeGuard{unequal.SizeGuard}, unequal.More...)) {
			if ok && unequal.Op != nil {
				err = plan.At(unequal.Op, err)
			}
			return nil, err
		}
	}
	var guards []dims.Guard
	for _, g := range fixed.Guards {
		guards = append(guards, g.Guard)
	}
	for _, n := range positiveSizes(p.Module) {
		guards = append(guards, dims.Guard{Rule: dims.NotMore, A: 1, B: n})
	}
	k, err := kernels(p)
	if err != nil {
		return nil, err
	}
	k.SizeArgs = fixed.Args
	for _, n := range k.KernelSizes() {
		if !dims.Less(-1, n) {
			guards = append(guards, dims.Guard{Rule: dims.NotMore, A: 0, B: n})
		}
	}
	return plan.NewFamily(k, open, guards)
}

// fixSizes inlines the functions of a program that has just been loaded but for composites that the target claims, and
// has by give all its types the sizes that follow from those of main's arguments.
func fixSizes(ctx context.Context, by Evaluator, p *backends.Program, open plan.Opening, claim Claim) (eval.Sizes, error) {
	target := Options{Claim: claim}
	if err := simplify.Inline(ctx, p.Module, simplify.Options{Keep: kept, Composite: target.claims}); err != nil {
		return eval.Sizes{}, err
	}
	return by.FixSizes(ctx, p, open.Shapes(open.Expressions()))
}

// unifyAll has pairs of sizes be one each. It reports false if that is known of none.
func unifyAll(open *plan.Opening, pairs []eval.SizeGuard) bool {
	became := map[int64]int64{}
	var now func(d int64) int64
	now = func(d int64) int64 {
		for _, s := range dims.Symbols(d) {
			if to, ok := became[s]; ok {
				became[s] = now(to)
				d = dims.Substitute(d, s, became[s])
			}
		}
		return d
	}
	for _, p := range pairs {
		a, b := now(p.A), now(p.B)
		if a == b {
			continue
		}
		all := [][2]int64{{a, b}}
		if paired := inOrder(a, b); paired != nil {
			all = paired
		}
		for _, x := range all {
			if s, to, ok := unify(open, now(x[0]), now(x[1])); ok {
				became[s] = to
				if of, within, ok := bounded(open, s, to); ok {
					became[of] = within
				}
			}
		}
	}
	return len(became) > 0
}

// inOrder returns the symbols of two equal products in pairs, nil for other sizes. Those of one
// product have names, and those of the other are dimensions without: texts pass sizes on in the order
// of the dimensions that they are. The evaluator runs calls in which those of a pair differ.
func inOrder(a, b int64) (pairs [][2]int64) {
	x, y := dims.Symbols(a), dims.Symbols(b)
	apart := allNamed(x, true) && allNamed(y, false) || allNamed(x, false) && allNamed(y, true)
	if len(x) < 2 || len(x) != len(y) || !apart {
		return nil
	}
	by, of := dims.Product(x...), dims.Product(y...)
	factor := dims.Div(a, by)
	if dims.IsExpr(factor) || dims.Mul(factor, by) != a || dims.Mul(factor, of) != b {
		return nil
	}
	for i := range x {
		pairs = append(pairs, [2]int64{x[i], y[i]})
	}
	return pairs
}

// allNamed reports whether all symbols have a name of the text, or none has.
func allNamed(symbols []int64, named bool) bool {
	return !slices.ContainsFunc(symbols, func(s int64) bool {
		name, _, _, _ := dims.SymbolOf(s)
		return strings.HasPrefix(name, "arg") && strings.Contains(name, ".dim") == named
	})
}

// unify has two sizes be one, which the rules of types want to be the same: a symbol becomes what
// that makes of it, or a multiple of a number. It reports false if that is not known. The evaluator runs
// calls in which the sizes are not the same.
func unify(open *plan.Opening, a, b int64) (s, to int64, ok bool) {
	free := func(s int64) bool { // no other size depends on s
		return !slices.ContainsFunc(open.Symbols, func(x plan.Symbol) bool { return x.Size != s && dims.DependsOn(x.Size, s) })
	}
	if s, to, ok = solve(a, b, free); !ok {
		s, to, ok = dims.Guard{Rule: dims.Equal, A: a, B: b}.Multiple(free)
	}
	for k := range open.Symbols {
		if ok && open.Symbols[k].Size == s {
			open.Symbols[k].Size = to
		}
	}
	return s, to, ok
}

// bounded has the symbol that s became be within the bounds of s, too. It returns false if it is no symbol,
// or was within them.
func bounded(open *plan.Opening, s, to int64) (of, within int64, ok bool) {
	name, lo, hi, ok := dims.SymbolOf(to)
	least, most := dims.Bounds(s)
	if !ok || least <= lo && most >= hi || min(hi, most) <= max(lo, least) {
		return 0, 0, false
	}
	within = dims.Symbol(name, max(lo, least), min(hi, most))
	for k := range open.Symbols {
		open.Symbols[k].Size = dims.Substitute(open.Symbols[k].Size, to, within)
	}
	return to, within, true
}

// solve returns a symbol that may be solved for, and what it is where a = b.
func solve(a, b int64, free func(s int64) bool) (s, to int64, ok bool) {
	for _, p := range [][2]int64{{b, a}, {a, b}} {
		for _, s := range dims.Symbols(p[0]) {
			if to, ok := solved(s, p[0], p[1]); ok && free(s) {
				return s, to, true
			}
		}
	}
	return 0, 0, false
}

// solved returns what a symbol of a is where a = b: b less the rest of a, or b by the other
// factors of a.
func solved(s, a, b int64) (to int64, ok bool) {
	if dims.DependsOn(b, s) {
		return 0, false
	}
	if rest := dims.Sub(a, s); !dims.DependsOn(rest, s) {
		to = dims.Sub(b, rest)
	} else if by := dims.Div(a, s); dims.Mul(by, s) == a && !dims.DependsOn(by, s) && dims.Divides(b, by) {
		to = dims.Div(b, by)
	} else {
		return 0, false
	}
	_, most := dims.Bounds(to)
	return to, dims.Check(to) == nil && most > 0
}

// positiveSizes returns the sizes of a module's values that may be 0, which the program for all
// sizes has to be kept from.
func positiveSizes(m *mlir.Module) (all []int64) {
	m.Walk(func(op *mlir.Op) bool {
		for v := range op.Defines() {
			t, ok := v.Type.(*mlir.TensorType)
			if !ok {
				continue
			}
			for _, n := range t.Shape {
				if n != mlir.Dynamic && dims.IsExpr(n) && !dims.Less(0, n) && !slices.Contains(all, n) {
					all = append(all, n)
				}
			}
		}
		return true
	})
	return all
}

// unbounded is the largest value that sizes are taken for which the text does not bound: sizes
// are i32s where programs compute with them.
const unbounded = math.MaxInt32

// openDims returns the symbols of the sizes that a module's arguments leave open. Those of zeros are 0.
func openDims(p *backends.Program, zeros plan.Zeros) (open plan.Opening, err error) {
	open.Sig = p.Signature
	main := p.Module.Func("main")
	sizes := backends.OpenSizes(p.Module, main, p.Signature.Args)
	if len(sizes) == 0 {
		return open, fmt.Errorf("no argument tells the sizes that the text leaves open")
	}
	for i, s := range sizes {
		x := plan.Symbol{OpenSize: s}
		if !zeros.Has(i) {
			x.Size = symbolOf(s, sizes)
		}
		open.Symbols = append(open.Symbols, x)
	}
	return open, nil
}

// symbolOf returns the symbol of one of all sizes, which is not 0. One without a name is called by its
// dimension.
func symbolOf(s backends.OpenSize, all []backends.OpenSize) int64 {
	name := s.Name
	if name == "" {
		name = fmt.Sprintf("arg%d.dim%d", s.At[0].Arg, s.At[0].Axis)
		for slices.ContainsFunc(all, func(x backends.OpenSize) bool { return x.Name == name }) {
			name += "'"
		}
	}
	least, most := max(int64(s.Least), 1), int64(s.Most)
	if most == math.MaxInt {
		most = unbounded
	}
	return dims.Symbol(name, least, max(most, least+1)) // of one value it would be no symbol
}
