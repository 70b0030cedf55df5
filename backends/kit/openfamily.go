package kit

import (
	"context"
	"errors"
	"fmt"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/stablehlo"
)

// FixSizes inlines the functions of a program that has just been loaded, and has by give
// all its types the sizes that follow from the shapes of main's arguments. Behind these main
// has others then, i32s that are the sizes returned ([plan.Program.SizeArgs]).
func FixSizes(ctx context.Context, by Evaluator, p *backends.Program, shapes [][]int) (eval.Sizes, error) {
	if err := Inline(ctx, p.Module); err != nil {
		return eval.Sizes{}, err
	}
	p.SizesFixed = true
	return by.FixSizes(ctx, p, shapes)
}

// OpenFamily returns one program for all sizes of a module that leaves one open, which p was
// loaded from, and where that size stands. Kernels makes kernels of the program for n
// elements. The error wraps [ErrNotCompiled] if it cannot be one program for all sizes.
func OpenFamily(ctx context.Context, by Evaluator, m backends.Module, o backends.Options, p *backends.Program, kernels func(n int, p *backends.Program) (*plan.Program, error)) (*plan.Family, plan.Opening, error) {
	at, bounds, err := openDims(p.Module)
	if err != nil {
		return nil, plan.Opening{}, errors.Join(ErrNotCompiled, plan.At(p.Module.Func("main"), err))
	}
	open := plan.Opening{Sig: p.Signature, At: at, Bounds: bounds}
	var f *plan.Family
	if err = growsEvenly(ctx, by, m, o, &open); err == nil {
		f, err = plan.CompileFamily(ctx, by, bounds, func(n int) (*plan.Program, error) {
			p, err := backends.LoadOpen(ctx, m, o)
			if err != nil {
				return nil, err
			}
			sizes, err := FixSizes(ctx, by, p, open.Shapes(n))
			if err != nil {
				return nil, err
			}
			k, err := kernels(n, p)
			if err == nil {
				k.SizeArgs = sizes.Args
			}
			return k, err
		})
	}
	if ctx.Err() != nil {
		return nil, plan.Opening{}, context.Cause(ctx)
	}
	if err != nil {
		return nil, plan.Opening{}, errors.Join(ErrNotCompiled, err)
	}
	return f, open, nil
}

// openDims returns where the one size stands that a module's arguments leave
// open, and its bounds: there is one such dimension, or all have one name
// (ltc.dim).
func openDims(m *mlir.Module) (at []plan.Teller, bounds [2]int, err error) {
	bounds = [2]int{0, int(^uint(0) >> 1)}
	main := m.Func("main")
	name, named := "", true
	for i, t := range main.FuncType().Ins {
		tt, ok := t.(*mlir.TensorType)
		if !ok {
			continue
		}
		if stablehlo.Bounds(tt) != nil {
			return nil, bounds, fmt.Errorf("argument %d is %v: a size that is only bounded is known of each value alone", i, tt)
		}
		for d, n := range tt.Shape {
			if n != mlir.Dynamic {
				continue
			}
			symbol := backends.DimName(main, i, d)
			if len(at) > 0 && (symbol != name || symbol == "") {
				named = false
			}
			name, at = symbol, append(at, plan.Teller{Index: i, Dim: d, Slope: 1})
		}
	}
	switch {
	case len(at) == 0:
		return nil, bounds, fmt.Errorf("no argument tells the sizes that the text leaves open")
	case !named:
		return nil, bounds, fmt.Errorf("more than one size is open: give those that are the same one name by ltc.dim")
	}
	if lo, hi, ok := backends.DimBounds(m, name); ok {
		bounds = [2]int{lo, hi}
	}
	return at, bounds, nil
}

// growsEvenly returns an error unless every size of a value grows linearly with the open
// size, from few elements on. It does not where a window is larger than its operand.
func growsEvenly(ctx context.Context, by Evaluator, m backends.Module, o backends.Options, open *plan.Opening) error {
	few := max(open.Bounds[0], 1)
	var at [3][]*mlir.TensorType
	var makes []*mlir.Op // of those for few elements
	for i, n := range []int{few, few + 100, few + 200} {
		p, err := backends.LoadOpen(ctx, m, o)
		if err != nil {
			return err
		}
		if _, err := FixSizes(ctx, by, p, open.Shapes(n)); err != nil {
			return err
		}
		p.Module.Walk(func(op *mlir.Op) bool {
			for _, r := range op.Results {
				if t, ok := r.Type.(*mlir.TensorType); ok {
					at[i] = append(at[i], t)
					if i == 0 {
						makes = append(makes, op)
					}
				}
			}
			return true
		})
	}
	if len(at[0]) != len(at[1]) || len(at[1]) != len(at[2]) {
		return errors.New("it has other ops for other sizes")
	}
	for k, t := range at[0] {
		for d, n := range t.Shape {
			if more, most := at[1][k].Shape[d], at[2][k].Shape[d]; most-more != more-n {
				return plan.At(makes[k], fmt.Errorf("a value is %v for %s, %v for %d and %v for %d", t, diag.Count(few, "element"), at[1][k], few+100, at[2][k], few+200))
			}
		}
	}
	return nil
}
