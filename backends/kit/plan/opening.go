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
	At      []Teller // in the order of arguments and their dimensions
	Symbols []Symbol
}

// Symbol is an open size.
type Symbol struct {
	// Size is the expression of package dims: a symbol, or what the program says of others that
	// it has to be.
	Size   int64
	Bounds [2]int // that the text gives, both included
}

// Zeros is a set of symbols, by their numbers: those that are 0.
type Zeros uint64

// mostSymbols is how many symbols a set can have.
const mostSymbols = 64

// ZerosOf returns the symbols whose values are 0. It reports false if the set cannot have them.
func ZerosOf(values []int64) (z Zeros, ok bool) {
	for i, n := range values {
		if n == 0 {
			z |= 1 << i
		}
	}
	return z, len(values) <= mostSymbols
}

// Has reports whether symbol i is 0.
func (z Zeros) Has(i int) bool { return z>>i&1 == 1 }

// Teller is a dimension of an argument that tells the value of a symbol.
type Teller struct{ Index, Dim, Symbol int }

// Sizes sets to to the values of the symbols in a call, in their order. Bound are arguments that
// the program was bound to; nil if there are none. It is an error if a value is none that the
// text allows, or if two dimensions that are one size differ.
func (o *Opening) Sizes(to []int64, c *backends.Call, bound []soa.View) error {
	for i := range to {
		to[i] = -1
	}
	for k, d := range o.At {
		n := int64(d.of(c, bound))
		if to[d.Symbol] >= 0 && n != to[d.Symbol] {
			first := o.At[slices.IndexFunc(o.At, func(e Teller) bool { return e.Symbol == d.Symbol })]
			return o.dimension(o.At[k]).Differs(int(n), o.dimension(first), first.of(c, bound))
		}
		to[d.Symbol] = n
	}
	for i, n := range to {
		if b := &o.Symbols[i].Bounds; n < int64(b[0]) || n > int64(b[1]) {
			return o.outside(i, int(n))
		}
	}
	return nil
}

// outside returns the error of a size that the text does not allow.
func (o *Opening) outside(i, n int) error {
	at := o.At[slices.IndexFunc(o.At, func(e Teller) bool { return e.Symbol == i })]
	b := o.Symbols[i].Bounds
	return o.dimension(at).Outside(n, b[0], b[1])
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

// CheckSizes is as [backends.Sizing] has it, of a call that fits o's signature, for a
// program of f. Of sizes that f has no program for, it looks at the arguments alone. It makes no
// member of f.
func (o *Opening) CheckSizes(c *backends.Call, bound []soa.View, f *Family) error {
	values := make([]int64, len(o.Symbols))
	if err := o.Sizes(values, c, bound); err != nil || !o.Holds(values) {
		return err
	}
	all, err := f.ResultTypes(values)
	if errors.Is(err, ErrOtherSizes) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("execute: %w", err)
	}
	return fitResults(c, o.Sig, func(j int) types.Type { return all[j] })
}

// of returns the dimension of a call that tells the size.
func (d Teller) of(c *backends.Call, bound []soa.View) int {
	v := &c.Args[d.Index]
	if bound != nil && !bound[d.Index].IsZero() {
		v = &bound[d.Index]
	}
	return v.Type.Shape[d.Dim]
}

func (o *Opening) dimension(d Teller) backends.Dimension {
	return backends.Dimension{Arg: d.Index, Name: o.Sig.Args[d.Index].Name, Axis: d.Dim}
}

// Shapes returns the shapes of the program's arguments, with the given sizes in the place of the
// symbols.
func (o *Opening) Shapes(sizes []int64) [][]int {
	all := make([][]int, len(o.Sig.Args))
	for i, a := range o.Sig.Args {
		all[i] = slices.Clone(a.Type.Shape)
	}
	for _, d := range o.At {
		all[d.Index][d.Dim] = int(sizes[d.Symbol])
	}
	return all
}
