package eval

import (
	"ltc/backends"
	"ltc/mlir"
)

// namedSize is a size that the text gives a name (ltc.dim), and bounds if it has any (ltc.dims).
type namedSize struct {
	at          []backends.Dimension
	bounded     bool
	least, most int
}

// namedSizes returns the named sizes of main's arguments.
func namedSizes(m *mlir.Module, main *mlir.Op, sig *backends.Signature) (all []namedSize) {
	index := map[string]int{}
	for i, a := range sig.Args {
		for axis := range a.Type.Shape {
			name := backends.DimName(main, i, axis)
			if name == "" {
				continue
			}
			k, ok := index[name]
			if !ok {
				k = len(all)
				index[name] = k
				s := namedSize{}
				s.least, s.most, s.bounded = backends.DimBounds(m, name)
				all = append(all, s)
			}
			all[k].at = append(all[k].at, backends.Dimension{Arg: i, Name: a.Name, Axis: axis})
		}
	}
	return all
}

// checkNamed returns an error if dimensions of a call that are one size differ, or are out of its
// bounds.
func (e *openExecutable) checkNamed(c *backends.Call) error {
	size := func(d backends.Dimension) int {
		if e.bound != nil && !e.bound[d.Arg].IsZero() {
			return e.bound[d.Arg].Type.Shape[d.Axis]
		}
		return c.Args[d.Arg].Type.Shape[d.Axis]
	}
	for _, s := range e.named {
		n := size(s.at[0])
		for _, d := range s.at[1:] {
			if m := size(d); m != n {
				return d.Differs(m, s.at[0], n)
			}
		}
		if s.bounded && (n < s.least || n > s.most) {
			return s.at[0].Outside(n, s.least, s.most)
		}
	}
	return nil
}
