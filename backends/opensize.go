package backends

import (
	"math"

	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
)

// OpenSize is a size that a module leaves open: that of a dimension of an argument, or of all dimensions to
// which the text gives one name (ltc.dim).
type OpenSize struct {
	Name        string // that the text gives; "" if it gives none
	At          []Dimension
	Least, Most int // that the text gives (ltc.dims, or bounds of a type), both included; else 0 and the largest int
}

// OpenSizes returns the sizes that the arguments of a function of m leave open, in the order of arguments and
// their dimensions. A dimension of a fixed size bounds the open ones of its name.
func OpenSizes(m *mlir.Module, f *mlir.Op, args []Arg) (all []OpenSize) {
	named := map[string]int{}
	for i, a := range args {
		for axis, n := range a.Type.Shape {
			if n != AnySize {
				continue
			}
			name := dimName(f, i, axis)
			k, known := named[name]
			if !known {
				s := OpenSize{Name: name, Most: math.MaxInt}
				if least, most, ok := dimBounds(m, name); ok {
					s.Least, s.Most = least, most
				}
				k = len(all)
				if name != "" {
					named[name] = k
				}
				all = append(all, s)
			}
			if most := mostOf(f, i, axis); most >= 0 {
				all[k].Most = min(all[k].Most, most)
			}
			all[k].At = append(all[k].At, Dimension{Arg: i, Name: a.Name, Axis: axis})
		}
	}
	for i, a := range args {
		for axis, n := range a.Type.Shape {
			if k, open := named[dimName(f, i, axis)]; open && n != AnySize {
				all[k].Least, all[k].Most = max(all[k].Least, n), min(all[k].Most, n)
			}
		}
	}
	return all
}

// mostOf returns the bound that the type of an argument gives a dimension; -1 if it gives none.
func mostOf(f *mlir.Op, arg, dim int) int {
	t, ok := f.FuncType().Ins[arg].(*mlir.TensorType)
	if !ok {
		return -1
	}
	if bounds := stablehlo.Bounds(t); dim < len(bounds) && bounds[dim] != mlir.Dynamic {
		return int(min(bounds[dim], math.MaxInt))
	}
	return -1
}

// dimName returns the name that the attribute ltc.dim gives a dimension of an argument of a function;
// "" if the dimension has no name. Dimensions with the same name have the same size.
func dimName(f *mlir.Op, arg, dim int) string {
	names, _ := entry(f, "arg_attrs", arg).Get("ltc.dim").(mlir.ArrayAttr)
	if dim >= len(names) {
		return ""
	}
	return text(names[dim])
}

// dimBounds returns the least and the greatest size, both inclusive, that the module's attribute
// ltc.dims allows for dimensions with the given name. Ok is false if the module has no bounds
// for the name.
func dimBounds(m *mlir.Module, name string) (least, most int, ok bool) {
	dims, _ := m.Attrs.Get("ltc.dims").(mlir.DictAttr)
	b, _ := mlir.Dict(dims).Get(name).(mlir.ArrayAttr)
	if name == "" || len(b) != 2 {
		return 0, 0, false
	}
	lo, ok1 := b[0].(mlir.IntegerAttr)
	hi, ok2 := b[1].(mlir.IntegerAttr)
	return int(lo.Value), int(hi.Value), ok1 && ok2
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
