package backends

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// TypeOf returns the type of a view that holds a value of type t. Quantized elements are held
// as the integers that store them. An error is returned for dynamic shapes, and for element
// types that have no dtype.
func TypeOf(t mlir.Type) (types.Type, error) {
	r, err := typeOf(t)
	if err == nil && isOpen(r) {
		return types.Type{}, fmt.Errorf("%v has a dynamic shape", t)
	}
	return r, err
}

// isOpen reports whether a type has a dimension of [AnySize].
func isOpen(t types.Type) bool { return slices.Contains(t.Shape, AnySize) }

// Open reports whether the text leaves sizes of arguments or results open.
func (s *Signature) Open() bool {
	return slices.ContainsFunc(s.Args, func(a Arg) bool { return isOpen(a.Type) }) ||
		slices.ContainsFunc(s.Results, func(r Result) bool { return isOpen(r.Type) })
}

// String formats the signature as main(x: f32[?,784], w: f32[784,10] constant) -> y: f32[?,10].
// A dimension of [AnySize] is printed as ?. A result that takes over the memory of an argument
// is followed by "in" and the argument; without a name an argument or result is its number.
func (s *Signature) String() string {
	if s == nil {
		return "<nil>"
	}
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		args[i] = nameOr(i, a.Name) + ": " + TypeText(a.Type)
		if a.Constant {
			args[i] += " constant"
		}
	}
	results := make([]string, len(s.Results))
	for i, r := range s.Results {
		results[i] = nameOr(i, r.Name) + ": " + TypeText(r.Type)
		if r.Alias >= 0 && r.Alias < len(s.Args) {
			results[i] += " in " + nameOr(r.Alias, s.Args[r.Alias].Name)
		}
	}
	return "main(" + strings.Join(args, ", ") + ") -> " + strings.Join(results, ", ")
}

func nameOr(i int, name string) string {
	if name == "" {
		return strconv.Itoa(i)
	}
	return name
}

// typeOf is TypeOf with AnySize for dimensions that the text leaves open.
func typeOf(t mlir.Type) (types.Type, error) {
	tt, ok := t.(*mlir.TensorType)
	if !ok || tt.Unranked || tt.Encoding != nil && stablehlo.Bounds(tt) == nil {
		return types.Type{}, fmt.Errorf("%v is not a plain tensor", t)
	}
	d := mlir.DTypeOf(tt.Elem)
	if q, err := mlir.QuantOf(tt.Elem); err == nil && q != nil {
		d = mlir.DTypeOf(q.Storage)
	}
	if !d.Valid() {
		return types.Type{}, fmt.Errorf("a caller cannot hold elements of type %v", tt.Elem)
	}
	shape := make(types.Shape, len(tt.Shape))
	for i, n := range tt.Shape {
		shape[i] = AnySize
		if n >= 0 || dims.IsExpr(n) {
			shape[i] = int(n)
		}
	}
	r := types.Type{DType: d, Shape: shape}
	if isOpen(r) || !dims.Static(shape) {
		return r, nil
	}
	return r, r.CheckSizes()
}

// ReadSignature reads the signature of a module's function main. The error, an *[mlir.Error],
// is a mistake of the text. Arguments and results of a type that no view can have
// (see [TypeOf]) are listed as unsupported.
func ReadSignature(m *mlir.Module) (*Signature, []UnsupportedOp, error) {
	return readSignature(m, TypeOf)
}

// ReadOpenSignature is [ReadSignature] for a backend that runs programs with open sizes. An open
// size is [AnySize] in the types.
func ReadOpenSignature(m *mlir.Module) (*Signature, []UnsupportedOp, error) {
	return readSignature(m, typeOf)
}

func readSignature(m *mlir.Module, read func(mlir.Type) (types.Type, error)) (*Signature, []UnsupportedOp, error) {
	main := m.Func("main")
	if main == nil || main.FuncType() == nil || main.Body() == nil {
		return nil, nil, &mlir.Error{Msg: "the module has no function @main with a body of one block"}
	}
	sig, lacking := &Signature{}, []UnsupportedOp(nil)
	typeOf := func(kind string, i int, t mlir.Type) types.Type {
		r, err := read(t)
		if err != nil {
			lacking = append(lacking, UnsupportedOp{Op: main.Name(), Pos: main.Pos, Reason: fmt.Sprintf("%s %d of @main: %v", kind, i, err)})
		}
		return r
	}
	ft := main.FuncType()
	for j, t := range ft.Outs {
		attrs := entry(main, "res_attrs", j)
		sig.Results = append(sig.Results, Result{Name: text(attrs.Get("ltc.name")), Type: typeOf("result", j, t), Alias: -1})
	}
	for i, t := range ft.Ins {
		attrs := entry(main, "arg_attrs", i)
		a := Arg{Name: text(attrs.Get("ltc.name")), Type: typeOf("argument", i, t), Alias: -1, Constant: mlir.Flag(attrs.Get("ltc.constant"))}
		if v, ok := attrs.Get("tf.aliasing_output").(mlir.IntegerAttr); ok {
			if reason := alias(sig, &a, i, v.Value); reason != "" {
				return nil, nil, &mlir.Error{Pos: main.Pos, Msg: fmt.Sprintf("argument %d of @main: tf.aliasing_output = %d: %s", i, v.Value, reason)}
			}
		}
		sig.Args = append(sig.Args, a)
	}
	return sig, lacking, nil
}

// alias donates argument i to result v. It returns the reason if that is not possible, else
// "".
func alias(sig *Signature, a *Arg, i int, v int64) string {
	if v < 0 || v >= int64(len(sig.Results)) {
		return fmt.Sprintf("it has %s", diag.Count(len(sig.Results), "result"))
	}
	r := &sig.Results[v]
	switch {
	case !r.Type.Equal(a.Type):
		return fmt.Sprintf("the argument is %v, the result %v", a.Type, r.Type)
	case r.Alias >= 0:
		return fmt.Sprintf("argument %d is donated to it already", r.Alias)
	case a.Constant:
		return "an ltc.constant argument cannot be donated"
	}
	a.Alias, r.Alias = int(v), i
	return ""
}

// entry returns the attributes of argument or result i of a function.
func entry(fn *mlir.Op, list string, i int) mlir.Dict {
	all, _ := fn.Attrs.Get(list).(mlir.ArrayAttr)
	if i >= len(all) {
		return nil
	}
	d, _ := all[i].(mlir.DictAttr)
	return mlir.Dict(d)
}

func text(a mlir.Attribute) string {
	s, _ := a.(mlir.StringAttr)
	return string(s)
}
