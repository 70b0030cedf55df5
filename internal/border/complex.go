package border

import (
	"context"

	"ltc/backends"
	"ltc/soa"
)

// Backends have no complex numbers in memory. Of a caller's they get the parts, as elements of
// a further dimension: the same memory, with as many arguments and results.

// complexBorder says which results of a program are complex numbers for its callers.
type complexBorder struct{ results []bool }

// inParts gives arguments and results of complex numbers the types that they have in the text.
// It returns nil if there are none.
func inParts(sig *backends.Signature) *complexBorder {
	some, x := false, &complexBorder{results: make([]bool, len(sig.Results))}
	for i := range sig.Args {
		t := &sig.Args[i].Type
		some, *t = some || t.DType.IsComplex(), t.Parts()
	}
	for j := range sig.Results {
		t := &sig.Results[j].Type
		x.results[j] = t.DType.IsComplex()
		some, *t = some || x.results[j], t.Parts()
	}
	if !some {
		return nil
	}
	return x
}

// partsOf returns the call with the parts of complex numbers.
func partsOf(c *backends.Call) backends.Call {
	of := *c
	of.Args, of.Results = partsOfAll(c.Args), partsOfAll(c.Results)
	return of
}

func partsOfAll(views []soa.View) []soa.View {
	all := make([]soa.View, len(views))
	for i := range views {
		all[i] = views[i].Parts()
	}
	return all
}

// executeParts runs a call with complex numbers.
func (x *Executable) executeParts(ctx context.Context, c *backends.Call) error {
	of := partsOf(c)
	if err := x.executeText(ctx, &of); err != nil {
		return err
	}
	if len(c.Results) < len(of.Results) {
		c.Results = append(c.Results, make([]soa.View, len(of.Results)-len(c.Results))...)
	}
	for j := range of.Results {
		if !c.Results[j].IsZero() {
			continue
		}
		if c.Results[j] = of.Results[j]; x.complex.results[j] {
			c.Results[j] = of.Results[j].OfParts()
		}
	}
	return nil
}
