package backends

import (
	"math"

	"ltc/mlir"
	"ltc/soa"
)

// OpenSize is a size that a module leaves open: that of a dimension of an argument, or of all dimensions to
// which the text gives one name (ltc.dim).
type OpenSize struct {
	Name        string // that the text gives; "" if it gives none
	At          []Dimension
	Least, Most int // that the text gives (ltc.dims), both included; else 0 and the largest int
}

// OpenSizes returns the sizes that the arguments of main leave open, in the order of arguments and their
// dimensions. The signature is that of m. A dimension of a fixed size bounds the open ones of its name.
func OpenSizes(m *mlir.Module, sig *Signature) (all []OpenSize) {
	main, named := m.Func("main"), map[string]int{}
	for i, a := range sig.Args {
		for axis, n := range a.Type.Shape {
			if n != AnySize {
				continue
			}
			name := DimName(main, i, axis)
			k, known := named[name]
			if !known {
				s := OpenSize{Name: name, Most: math.MaxInt}
				if least, most, ok := DimBounds(m, name); ok {
					s.Least, s.Most = least, most
				}
				k = len(all)
				if name != "" {
					named[name] = k
				}
				all = append(all, s)
			}
			all[k].At = append(all[k].At, Dimension{Arg: i, Name: a.Name, Axis: axis})
		}
	}
	for i, a := range sig.Args {
		for axis, n := range a.Type.Shape {
			if k, open := named[DimName(main, i, axis)]; open && n != AnySize {
				all[k].Least, all[k].Most = max(all[k].Least, n), min(all[k].Most, n)
			}
		}
	}
	return all
}

// In returns the size in a call that fits the signature. Bound are arguments that the program was bound to;
// nil if there are none. It is an error if dimensions that are one size differ, or if the size is out of its
// bounds.
func (s *OpenSize) In(c *Call, bound []soa.View) (int, error) {
	of := func(d Dimension) int {
		if bound != nil && !bound[d.Arg].IsZero() {
			return bound[d.Arg].Type.Shape[d.Axis]
		}
		return c.Args[d.Arg].Type.Shape[d.Axis]
	}
	n := of(s.At[0])
	for _, d := range s.At[1:] {
		if m := of(d); m != n {
			return 0, d.Differs(m, s.At[0], n)
		}
	}
	if n < s.Least || n > s.Most {
		return 0, s.At[0].Outside(n, s.Least, s.Most)
	}
	return n, nil
}
