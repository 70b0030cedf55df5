package lazy

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/ops"
	"ltc/ir/types"
)

// What is wrong with a row, a body or a gradient is the error of the calls, with the
// line of the definition or the call.
func TestBadDefinitions(t *testing.T) {
	x := operandsOf("x")
	id := func(x []*Tensor, _ Attrs) *Tensor { return x[0] }
	Define(Composite{Name: "test.taken", Operands: x}, id, nil)
	var other *Tensor
	for _, c := range []struct {
		row  Composite
		body func(x []*Tensor, a Attrs) *Tensor
		want string
	}{
		{Composite{Name: "bad", Operands: x}, id, `the name "bad" must be words of letters, digits and _ with points between, the first of them not ltc: see its definition at `},
		{Composite{Name: "ltc.bad", Operands: x}, id, `the first of them not ltc`},
		{Composite{Name: "test.taken", Operands: x}, id, `there is another composite of the name "test.taken": see its definition at `},
		{Composite{Name: "test.bad1"}, id, "it has no operands"},
		{Composite{Name: "test.bad2", Operands: operandsOf("x", "x")}, id, "operand 1 must have a name of its own"},
		{Composite{Name: "test.bad3", Operands: []ops.Operand{{Name: "x", Like: "y"}}}, id, `operand x is like "y", which is no operand before it`},
		{Composite{Name: "test.bad4", Operands: []ops.Operand{{Name: "x", Variadic: true}}}, id, "operand x is variadic"},
		{Composite{Name: "test.bad5", Operands: []ops.Operand{{Name: "x", Optional: true}, {Name: "y"}}}, id, "operand x is optional, which only the last can be"},
		{Composite{Name: "test.bad6", Operands: x, Attrs: []ops.Attr{{Name: "a", Kind: ops.Ints}}}, id, "attribute a is a list, which only inline composites can have: set Inline"},
		{Composite{Name: "test.bad12", Operands: x, Attrs: []ops.Attr{{Name: "a", Kind: ops.Perm}}}, id, "attribute a is of a kind that composites of other modules cannot have"},
		{Composite{Name: "test.bad7", Operands: x}, nil, "it has no body"},
		{Composite{Name: "test.bad8", Operands: x}, func([]*Tensor, Attrs) *Tensor { return nil }, "in its definition, there is no result"},
		{Composite{Name: "test.bad9", Operands: x}, func([]*Tensor, Attrs) *Tensor { return other }, "in its definition, the result is not computed from the operands"},
		{Composite{Name: "test.bad10", Operands: x}, func(x []*Tensor, _ Attrs) *Tensor { return x[0].Add(other) }, "another trace"},
		{Composite{Name: "test.bad11", Operands: x, Check: func([]*Tensor, Attrs) (string, string) { return "shape", "it is odd" }}, id, `it is odd; Check named the demand "shape", which Where does not have`},
	} {
		f := Define(c.row, c.body, nil)
		tr := evalTrace(t)
		other = From(tr, []float32{1}).Exp()
		y := f.Call(nil, From(tr, []float32{1, 2}))
		require.ErrorContains(t, y.Err(), c.want, c.row.Name)
		require.ErrorContains(t, y.Err(), "define_test.go:", c.row.Name)
	}
	for name, gradient := range map[string]func(x []*Tensor, y, ct *Tensor, a Attrs) []*Tensor{
		"test.grad1": func([]*Tensor, *Tensor, *Tensor, Attrs) []*Tensor { return nil },
		"test.grad2": func(_ []*Tensor, _, ct *Tensor, _ Attrs) []*Tensor { return []*Tensor{ct.Sum()} },
		"test.grad3": func(_ []*Tensor, _, ct *Tensor, _ Attrs) []*Tensor { return []*Tensor{ct.MatMul(ct)} },
	} {
		f := Define(Composite{Name: name, Operands: x}, id, gradient)
		tr := evalTrace(t)
		v := From(tr, []float32{1, 2})
		require.ErrorContains(t, Grad(f.Call(nil, v).Sum(), v)[0].Err(), "gradient of "+name, name)
	}
}

// An inline composite is recorded as the ops of its body, and takes lists.
func TestInlineDefinitions(t *testing.T) {
	row := Composite{Name: "test.centered", Operands: operandsOf("x"), Attrs: []ops.Attr{{Name: "axes", Kind: ops.Axes}}, Inline: true}
	f := Define(row, func(x []*Tensor, a Attrs) *Tensor { return x[0].Sub(x[0].MeanKeep(a.Ints("axes")...)) }, nil)
	tr := evalTrace(t)
	x := From(tr, []float32{1, 1, 1, 1}, 2, 2)
	y := f.Call(Attrs{"axes": []int{-1}}, x)
	v := tr.dev.Variable("v", types.F32, 2)
	z := f.Call(Attrs{"axes": []int{0}}, tr.Read(v))
	require.NoError(t, tr.MarkStep(y, z))
	got, err := ToSlice[float32](y)
	require.NoError(t, err)
	require.Equal(t, []float32{0, 0, 0, 0}, got)
	require.NotContains(t, tr.StableHLO(), "composite")
	x = From(tr, []float32{1, 1, 1, 1}, 2, 2)
	require.ErrorContains(t, f.Call(Attrs{"axes": []int{2}}, x).Err(), "test.centered(f32[2,2]): axis 2 is out of range: a tensor of shape [2,2] has axes 0 and 1")
	require.ErrorContains(t, f.Call(Attrs{"axes": 1}, x).Err(), "attribute axes is int, must be []int")
	g := Define(Composite{Name: "test.inline_gradient", Operands: operandsOf("x"), Inline: true}, func(x []*Tensor, _ Attrs) *Tensor { return x[0] }, func([]*Tensor, *Tensor, *Tensor, Attrs) []*Tensor { return nil })
	require.ErrorContains(t, g.Call(nil, x).Err(), "it is inline, whose gradient is that of its ops")
	h := DefineAll(Composite{Name: "test.inline_results", Operands: operandsOf("x"), Results: []string{"a", "b"}, Inline: true}, func(x []*Tensor, _ Attrs) []*Tensor { return x }, nil)
	require.ErrorContains(t, h.CallAll(nil, x)[1].Err(), "in its definition, the number of results is 1, must be 2")
}

// A value that a body closes over is no operand, and the call says so.
func TestBodiesUseOperandsOnly(t *testing.T) {
	tr := evalTrace(t)
	value := From(tr, []float32{3})
	require.NoError(t, tr.MarkStep(value))
	f := Define(Composite{Name: "test.closes_over", Operands: operandsOf("x")}, func(x []*Tensor, _ Attrs) *Tensor { return x[0].Mul(value) }, nil)
	require.ErrorContains(t, f.Call(nil, From(tr, []float32{1, 2})).Err(), "its definition uses a tensor that is no operand; make it one")
}

// A name that is misspelt, wherever, is an error which says what names there are.
func TestMisspeltNames(t *testing.T) {
	attrs := []ops.Attr{{Name: "axis", Kind: ops.Axis}, {Name: "scale", Kind: ops.Real}}
	given := Attrs{"axis": 0, "scale": 2}
	id := func(x []*Tensor, _ Attrs) []*Tensor { return []*Tensor{x[0], x[0].Exp()} }
	type check = func([]*Tensor, Attrs) (string, string)
	for _, c := range []struct {
		name  string
		where []ops.Demand
		check check
		body  func(x []*Tensor, a Attrs) []*Tensor
		call  Attrs
		want  string
	}{
		{"call", nil, nil, id, Attrs{"axsi": 0, "scale": 2}, `there is no attribute "axsi"; did you mean axis? the attributes are axis, scale`},
		{"far", nil, nil, id, Attrs{"axis": 0, "scale": 2, "momentum": 1}, `there is no attribute "momentum"; the attributes are axis, scale`},
		{"none", nil, nil, id, Attrs{"axis": 0}, `attribute scale (finite number) is missing`},
		{"body", nil, nil, func(x []*Tensor, a Attrs) []*Tensor { return []*Tensor{x[0].MulScalar(a.Float("scael")), x[0]} }, given, `there is no attribute "scael"; did you mean scale? the attributes are axis, scale`},
		{"kind", nil, nil, func(x []*Tensor, a Attrs) []*Tensor { return []*Tensor{x[0].MulScalar(float64(a.Int("scale"))), x[0]} }, given, `attribute scale is float64, not int: read it with Float`},
		{"check", nil, func(_ []*Tensor, a Attrs) (string, string) { return "", strconv.Itoa(a.Int("axes")) }, id, given, `there is no attribute "axes"; did you mean axis?`},
		{"demand", []ops.Demand{{Name: "shape", Text: "x is square"}}, func([]*Tensor, Attrs) (string, string) { return "shaep", "it is not" }, id, given, `Check named the demand "shaep", which Where does not have; did you mean shape?`},
		{"where", []ops.Demand{{Name: "axsi", Text: "axis is the last"}}, nil, id, given, `nothing checks the demand "axsi" of Where: write Check, or name an attribute of the kinds Axis, DType and Real; did you mean axis? the attributes are axis, scale`},
	} {
		f := DefineAll(Composite{Name: "test.misspelt_" + c.name, Operands: operandsOf("x"), Attrs: attrs, Results: []string{"a", "b"}, Where: c.where, Check: c.check}, c.body, nil)
		x := From(evalTrace(t), []float32{1, 2})
		y := f.Call(c.call, x)
		require.ErrorContains(t, y.Err(), "test.misspelt_"+c.name, c.name)
		require.ErrorContains(t, y.Err(), c.want, c.name)
		require.ErrorContains(t, y.Err(), "define_test.go:", c.name)
		require.Len(t, f.CallAll(c.call, x), 2)
	}
	f := Define(Composite{Name: "test.misspelt_gradient", Operands: operandsOf("x"), Attrs: attrs}, func(x []*Tensor, _ Attrs) *Tensor { return x[0].Exp() },
		func(_ []*Tensor, _, ct *Tensor, a Attrs) []*Tensor { return []*Tensor{ct.MulScalar(a.Float("scal"))} })
	v := From(evalTrace(t), []float32{1, 2})
	err := Grad(f.Call(given, v).Sum(), v)[0].Err()
	require.ErrorContains(t, err, "gradient of test.misspelt_gradient")
	require.ErrorContains(t, err, `there is no attribute "scal"; did you mean scale?`)
}

// Errors of ops that a call is made of name the call and its operands, and those of the ops around it
// stay as they are, on the same line, too.
func TestRecordAs(t *testing.T) {
	tr := evalTrace(t)
	call := func(x, y *Tensor) *Tensor {
		return RecordAs("test.call", func() []*Tensor { return []*Tensor{x.Sum().Exp(), x.MatMul(y)} }, x, nil, y)[1]
	}
	x, y := Zeros(tr, types.F32, 2, 3), Zeros(tr, types.F32, 3, 2)
	require.NoError(t, call(x, y).Err())
	err := call(x, x).Err()
	require.ErrorContains(t, err, "test.call(f32[2,3], f32[2,3]): inner dimensions differ: 3 and 2 (matmul_c4)")
	require.ErrorContains(t, err, "define_test.go:")
	require.ErrorContains(t, call(x, x.Add(y)).Err(), ": add(f32[2,3], f32[3,2]): ")
	require.ErrorContains(t, call(x, y).Add(x).Err(), ": add(f32[2,2], f32[2,3]): ")
	require.ErrorContains(t, RecordAs("test.call", nil, x, nil)[0].Err(), "define_test.go:")
	require.ErrorContains(t, RecordAs("test.call", nil, x, nil)[0].Err(), "test.call(f32[2,3]): the function that records it is nil")
	require.ErrorContains(t, RecordAs("test.call", nil)[0].Err(), "test.call(): the function that records it is nil")
	require.Equal(t, []*Tensor{nil}, RecordAs("test.call", func() []*Tensor { return []*Tensor{nil} }, x))
}
