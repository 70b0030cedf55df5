package plan

import (
	"fmt"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/soa"
)

// Opening is a program, or a region of one, that leaves one size open: what it takes
// and gives, where that size stands in it, and which ones there can be.
type Opening struct {
	Sig    *backends.Signature
	At     []Teller // where the size stands; of a region that no size changes, nowhere
	Bounds [2]int   // of the size, both included
}

// Size returns the size that a call is of, the one of base if nothing tells. Bound
// are arguments that the program was bound to; nil if there are none.
func (o *Opening) Size(c *backends.Call, bound []soa.View, base int) (int, error) {
	if len(o.At) == 0 {
		return base, nil
	}
	n := -1
	for _, d := range o.At {
		size := d.of(c, bound)
		m := (size - int(d.Base)) / int(d.Slope)
		if n >= 0 && m != n {
			first := o.At[0]
			return 0, fmt.Errorf("execute: %s is %d, and %s %d: they are one size", o.label(d), size, o.label(first), first.of(c, bound))
		}
		n = m
	}
	if n < o.Bounds[0] || n > o.Bounds[1] {
		return 0, fmt.Errorf("execute: %s: the program is for %d to %d", diag.Count(n, "element"), o.Bounds[0], o.Bounds[1])
	}
	return n, nil
}

// FitResults reports the first result of a call that is not of the size which p, of
// a family, is for: its arguments have told that.
func (p *Program) FitResults(c *backends.Call) error {
	for j := range c.Results {
		if v := &c.Results[j]; !v.IsZero() {
			r := &p.Signature.Results[j]
			if err := backends.Fits(*v, r.Type); err != nil {
				return fmt.Errorf("execute: result %s: %w", backends.Label(j, r.Name), err)
			}
		}
	}
	return nil
}

// CheckSizes is as [backends.Sizing] has it, of a call that fits o's signature, for a
// program of f. Of no elements, which are a program of their own, it looks at the
// arguments alone. It makes no member of f.
func (o *Opening) CheckSizes(c *backends.Call, bound []soa.View, f *Family) error {
	n, err := o.Size(c, bound, f.at)
	if err != nil || n == 0 {
		return err
	}
	lines := f.lines[rankSum(&backends.Signature{Args: f.base.Signature.Args}):]
	for j := range c.Results {
		v, r := &c.Results[j], &f.base.Signature.Results[j]
		t := types.Type{DType: r.Type.DType, Shape: make(types.Shape, r.Type.Rank())}
		for i := range t.Shape {
			t.Shape[i] = int(lines[i].At(n))
		}
		lines = lines[len(t.Shape):]
		if v.IsZero() {
			continue
		}
		if err := backends.Fits(*v, t); err != nil {
			return fmt.Errorf("execute: result %s: %w", backends.Label(j, r.Name), err)
		}
	}
	return nil
}

// of returns the dimension of a call that tells the size.
func (d Teller) of(c *backends.Call, bound []soa.View) int {
	var v *soa.View
	switch {
	case d.Result: // of a region, whose results have places
		v = &c.Results[d.Index]
	case bound != nil && !bound[d.Index].IsZero():
		v = &bound[d.Index]
	default:
		v = &c.Args[d.Index]
	}
	return v.Type.Shape[d.Dim]
}

func (o *Opening) label(d Teller) string {
	if d.Result {
		return fmt.Sprintf("dimension %d of result %s", d.Dim, backends.Label(d.Index, o.Sig.Results[d.Index].Name))
	}
	return fmt.Sprintf("dimension %d of argument %s", d.Dim, backends.Label(d.Index, o.Sig.Args[d.Index].Name))
}

// Shapes returns the shapes of the program's arguments for a size.
func (o *Opening) Shapes(n int) [][]int {
	all := make([][]int, len(o.Sig.Args))
	for i, a := range o.Sig.Args {
		for _, d := range a.Type.Shape {
			if d == backends.AnySize {
				d = n
			}
			all[i] = append(all[i], d)
		}
	}
	return all
}
