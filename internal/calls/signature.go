package calls

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
)

// of makes an op of a method of a tensor, or of a function of a package, whose name and parameters
// it takes from f. The names of the parameters are those in names, apart from a trace: tensors are
// operands, others attributes. A variadic operand may have two names, as x,more: it takes at least one
// tensor. An attribute named axis or axes counts those of the operands.
func of(f any, names, doc string, results ...string) Op {
	v := reflect.ValueOf(f)
	t := v.Type()
	pkg, name, static := named(v)
	o := Op{Op: &ops.Op{Package: pkg, Name: name, Doc: doc, Results: results}, Static: static}
	left := strings.Fields(names)
	tensors := !static || slices.ContainsFunc(slices.Collect(t.Ins()), isTensor)
	var arguments []argument
	for i := range t.NumIn() {
		in, variadic := t.In(i), t.IsVariadic() && i == t.NumIn()-1
		if in == reflect.TypeFor[*lazy.Trace]() {
			arguments = append(arguments, func(c *Call) any { return c.Trace })
			continue
		}
		if len(left) == 0 {
			panic(fmt.Sprintf("calls: %s has more parameters than the names %q", name, names))
		}
		arguments = append(arguments, o.parameter(in, left[0], variadic, tensors))
		left = left[1:]
	}
	if len(left) > 0 {
		panic(fmt.Sprintf("calls: %s has fewer parameters than the names %q", name, names))
	}
	o.call = calling(v, arguments)
	return o
}

// kept is a reduction whose axes stay. Its signature is that of the row without Keep.
func kept(f any) Op {
	v := reflect.ValueOf(f)
	_, name, _ := named(v)
	row := rowOf(strings.TrimSuffix(name, "Keep"))
	names := make([]string, 0, 1+len(row.Attrs))
	for _, x := range row.Operands {
		names = append(names, x.Name)
	}
	for _, a := range row.Attrs {
		names = append(names, a.Name)
	}
	o := of(f, strings.Join(names, " "), "returns "+row.Name+", whose axes stay with the dimension 1.", row.Results...)
	o.Operands, o.Attrs = row.Operands, row.Attrs
	if row.Text != "" {
		o.Text = row.Text + "_keep"
	}
	return o
}

// rowOf returns the row of package lazy with a name.
func rowOf(name string) *ops.Op {
	for _, row := range ops.All() {
		if row.Package == "" && row.Name == name {
			return row
		}
	}
	panic("calls: there is no row " + name)
}

// spelt gives an op a mnemonic that does not follow from its name.
func (o Op) spelt(text string) Op {
	o.Text = text
	return o
}

// named returns the package and the name of a function, and whether it is no method of a tensor.
func named(f reflect.Value) (pkg, name string, static bool) {
	full := runtime.FuncForPC(f.Pointer()).Name() // ltc/lazy.(*Tensor).Sum, ltc/lazy.Einsum, ltc/linalg.LU
	pkg, name, _ = strings.Cut(full[strings.LastIndexByte(full, '/')+1:], ".")
	if pkg == "lazy" {
		pkg = ""
	}
	method, is := strings.CutPrefix(name, "(*Tensor).")
	return pkg, method, !is
}

// argument returns what a call gives a parameter.
type argument func(c *Call) any

// isTensor reports whether a parameter is an operand.
func isTensor(t reflect.Type) bool {
	return t == reflect.TypeFor[*lazy.Tensor]() || t == reflect.TypeFor[[]*lazy.Tensor]()
}

// parameter adds a parameter to the op, which may have tensors, and returns its argument.
func (o *Op) parameter(t reflect.Type, name string, variadic, tensors bool) argument {
	if isTensor(t) {
		at := len(o.Operands)
		if !variadic {
			o.Operands = append(o.Operands, ops.Operand{Name: name})
			return func(c *Call) any { return c.X[at] }
		}
		first, more, two := strings.Cut(name, ",")
		if two {
			o.Operands = append(o.Operands, ops.Operand{Name: first})
			first = more
		}
		o.Operands = append(o.Operands, ops.Operand{Name: first, Variadic: true})
		return func(c *Call) any { return c.X[at:] }
	}
	a := ops.Attr{Name: name}
	axes := strings.HasPrefix(name, "ax") && tensors
	var x argument
	switch t {
	case reflect.TypeFor[int]():
		if a.Kind = ops.Int; axes {
			a.Kind = ops.Axis
		}
		x = func(c *Call) any { return c.Int(name) }
	case reflect.TypeFor[int64]():
		a.Kind, x = ops.Int, func(c *Call) any { return int64(c.Int(name)) }
	case reflect.TypeFor[float64]():
		a.Kind, x = ops.Real, func(c *Call) any { return c.Real(name) }
	case reflect.TypeFor[bool]():
		a.Kind, x = ops.Flag, func(c *Call) any { return c.Flag(name) }
	case reflect.TypeFor[string]():
		a.Kind, x = ops.String, func(c *Call) any { return c.Word(name) }
	case reflect.TypeFor[types.DType]():
		a.Kind, x = ops.DType, func(c *Call) any { return c.DType(name) }
	case reflect.TypeFor[[]int]():
		if a.Kind = ops.Ints; axes {
			a.Kind = ops.Axes
		}
		x = func(c *Call) any { return c.Ints(name) }
	case reflect.TypeFor[[][2]int]():
		a.Kind, o.check, x = ops.Ints, inPairs(name), func(c *Call) any { return c.pairs(name) }
	default:
		panic(fmt.Sprintf("calls: parameter %s of %s is a %v, which no attribute is", name, o.Name, t))
	}
	o.Attrs = append(o.Attrs, a)
	return x
}

// calling calls a function that returns one tensor, some or a list.
func calling(f reflect.Value, arguments []argument) func(c *Call) []*lazy.Tensor {
	call := f.Call
	if f.Type().IsVariadic() {
		call = f.CallSlice
	}
	return func(c *Call) []*lazy.Tensor {
		in := make([]reflect.Value, len(arguments))
		for i, of := range arguments {
			in[i] = reflect.ValueOf(of(c))
		}
		var all []*lazy.Tensor
		for _, y := range call(in) {
			switch y := y.Interface().(type) {
			case *lazy.Tensor:
				all = append(all, y)
			case []*lazy.Tensor:
				all = append(all, y...)
			}
		}
		return all
	}
}
