package plan

import (
	"errors"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/soa"
)

// Opening is a program that leaves sizes open: what it takes and gives, where the sizes stand in
// it, and which ones there can be.
type Opening struct {
	Sig     *backends.Signature
	Symbols []Symbol
}

// Symbol is an open size.
type Symbol struct {
	// Size is the expression of package dims: a symbol, or what the program says of others that
	// it has to be.
	Size int64
	backends.OpenSize
}

// Zeros is a set of symbols, by their numbers: those that are 0.
type Zeros uint64

// mostSymbols is how many symbols a set can have.
const mostSymbols = 64

// ZerosOf returns the symbols whose values are 0; none if there are more symbols than a set can have.
func ZerosOf(values []int64) (z Zeros) {
	if len(values) > mostSymbols {
		return 0
	}
	for i, n := range values {
		if n == 0 {
			z |= 1 << i
		}
	}
	return z
}

// Has reports whether symbol i is 0.
func (z Zeros) Has(i int) bool { return z>>i&1 == 1 }

// Sizes sets to to the values of the symbols in a call, in their order; see [backends.OpenSize.In].
func (o *Opening) Sizes(to []int64, c *backends.Call, bound []soa.View) error {
	for i := range to {
		n, err := o.Symbols[i].In(c, bound)
		if err != nil {
			return err
		}
		to[i] = int64(n)
	}
	return nil
}

// Holds reports whether a program of a family is for values of the symbols: no size is 0, or
// beyond what sizes that the text does not bound are taken for.
func (o *Opening) Holds(values []int64) bool {
	for i, n := range values {
		if lo, hi := dims.Bounds(o.Symbols[i].Size); n < lo || n > hi { // of a symbol, or of others
			return false
		}
	}
	return true
}

// Expressions returns the sizes that stand for the values of the symbols.
func (o *Opening) Expressions() []int64 {
	all := make([]int64, len(o.Symbols))
	for i, s := range o.Symbols {
		all[i] = s.Size
	}
	return all
}

// FitResults reports the first result of a call that is not of the size which p, of
// a family, is for: its arguments have told that.
func (p *Program) FitResults(c *backends.Call) error {
	return fitResults(c, p.Signature, func(j int) types.Type { return p.Signature.Results[j].Type })
}

// fitResults reports the first result of a call that is not of its type.
func fitResults(c *backends.Call, sig *backends.Signature, typ func(j int) types.Type) error {
	for j := range c.Results {
		if v := &c.Results[j]; !v.IsZero() {
			if err := backends.Fits(*v, typ(j)); err != nil {
				return fmt.Errorf("execute: result %s: %w", backends.Label(j, sig.Results[j].Name), err)
			}
		}
	}
	return nil
}

// CheckSizes is as [backends.Sizing] has it, of a call that fits the signature. Of sizes that f has no
// program for, it looks at the arguments alone. It makes no member of f.
func (f *Family) CheckSizes(c *backends.Call, bound []soa.View) error {
	values := make([]int64, len(f.Symbols))
	if err := f.Sizes(values, c, bound); err != nil || !f.Holds(values) {
		return err
	}
	all, err := f.ResultTypes(values)
	if errors.Is(err, ErrOtherSizes) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("execute: %w", err)
	}
	return fitResults(c, f.Sig, func(j int) types.Type { return all[j] })
}

// Shapes returns the shapes of the program's arguments, with the given sizes in the place of the
// symbols.
func (o *Opening) Shapes(sizes []int64) [][]int {
	all := make([][]int, len(o.Sig.Args))
	for i, a := range o.Sig.Args {
		all[i] = slices.Clone(a.Type.Shape)
	}
	for i, s := range o.Symbols {
		for _, d := range s.At {
			all[d.Arg][d.Axis] = int(sizes[i])
		}
	}
	return all
}
