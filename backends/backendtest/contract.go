package backendtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
)

type contractTest struct {
	name string
	test func(*testing.T, backends.Backend)
}

// contract is what package backends promises beyond the values of programs.
var contract = []contractTest{
	{"signature", testSignature},
	{"text_is_the_program", testText},
	{"parse_errors_have_positions", testParseErrors},
	{"type_errors_have_positions", testTypeErrors},
	{"unsupported_ops_all_at_once", testUnsupported},
	{"wrong_arguments", testWrongArguments},
	{"queue_of_another_backend", testQueue},
	{"strided_arguments", testStrided},
	{"pointer_tables", testTables},
	{"results_in_memory_of_the_caller", testResults},
	{"donated_argument", testDonated},
	{"donated_argument_kept", testDonatedKept},
	{"donations_exchanged", testExchanged},
	{"donated_argument_read_later", testReadAfterWrite},
	{"failed_run_writes_nothing", testFailure},
	{"cancelled_run_writes_nothing", testCancelled},
	{"contexts_are_let_go", testContexts},
	{"bind", testBind},
	{"host_functions", testHost},
	{"artifact", testArtifact},
	{"many_goroutines", testGoroutines},
	{"call_used_again", testCallAgain},
}

func f32s(t testing.TB, v []float32, dims ...int) soa.View {
	t.Helper()
	if dims == nil {
		dims = []int{len(v)}
	}
	w, err := soa.Borrow(v, types.Of(types.F32, dims...))
	require.NoError(t, err)
	return w
}

func floats(v soa.View) []float32 {
	d := soa.Make(v.Type)
	if err := soa.Copy(d, v); err != nil {
		panic(err) // equal types by construction
	}
	return soa.Slice[float32](d)
}

const update = `func.func public @main(%w: tensor<3xf32> {ltc.name = "w", tf.aliasing_output = 1 : i32},
    %g: tensor<3xf32> {ltc.name = "g"}, %lr: tensor<f32> {ltc.name = "lr", ltc.constant}) ->
    (tensor<f32> {ltc.name = "sum"}, tensor<3xf32> {ltc.name = "w"}) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%g init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.broadcast_in_dim %lr, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.multiply %g, %1 : tensor<3xf32>
  %3 = stablehlo.subtract %w, %2 : tensor<3xf32>
  return %0, %3 : tensor<f32>, tensor<3xf32>
}`

func testSignature(t *testing.T, b backends.Backend) {
	want := &backends.Signature{
		Args: []backends.Arg{
			{Name: "w", Type: types.Of(types.F32, 3), Alias: 1},
			{Name: "g", Type: types.Of(types.F32, 3), Alias: -1},
			{Name: "lr", Type: types.Type{DType: types.F32, Shape: types.Shape{}}, Alias: -1, Constant: true},
		},
		Results: []backends.Result{
			{Name: "sum", Type: types.Type{DType: types.F32, Shape: types.Shape{}}, Alias: -1},
			{Name: "w", Type: types.Of(types.F32, 3), Alias: 0},
		},
	}
	require.Equal(t, want, compile(t, b, update).Signature())
	for alias, want := range map[string]string{
		"2": "it has 2 results",
		"0": "the argument is f32[3], the result f32[]",
	} {
		text := replace(t, update, "aliasing_output = 1", "aliasing_output = "+alias)
		require.ErrorContains(t, compileError(b, text), want)
	}
}

func compileError(b backends.Backend, text string) error {
	_, err := b.Compile(context.Background(), backends.NewModule(text), backends.Options{Name: "test.mlir"})
	return err
}

// An edit of the text changes the result: nothing but the text is the program.
func testText(t *testing.T, b backends.Backend) {
	const text = `func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<3.0> : tensor<2xf32>
  %0 = stablehlo.add %a, %c : tensor<2xf32>
  return %0 : tensor<2xf32>
}`
	a := f32s(t, []float32{1, 2})
	require.Equal(t, []float32{4, 5}, floats(execute(t, compile(t, b, text), a)[0]))
	require.Equal(t, []float32{3, 6}, floats(execute(t, compile(t, b, replace(t, text, "add", "multiply")), a)[0]))
	require.Equal(t, []float32{11, 12}, floats(execute(t, compile(t, b, replace(t, text, "3.0", "10.0")), a)[0]))
	require.Equal(t, []float32{1, 2}, floats(execute(t, compile(t, b, replace(t, text, "return %0", "return %a")), a)[0]))
}

func testParseErrors(t *testing.T, b backends.Backend) {
	for _, c := range []struct {
		text      string
		line, col int
	}{
		{"func.func public @main() -> tensor<f32> {\n  %0 = stablehlo.constant dense<1.0 : tensor<f32>\n  return %0 : tensor<f32>\n}", 2, 0},
		{"func.func public @main(%a: tensor<f32>) -> tensor<f32> {\n  return %b : tensor<f32>\n}", 2, 10},
		{"func.func public @main(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f32>\n", 3, 0},
	} {
		err := compileError(b, c.text)
		var e *mlir.Error
		require.ErrorAs(t, err, &e, c.text)
		require.Equal(t, "test.mlir", e.File)
		require.Equal(t, c.line, e.Pos.Line, "%v", err)
		if c.col > 0 {
			require.Equal(t, c.col, e.Pos.Col, "%v", err)
		}
	}
	require.Error(t, compileError(b, "module {}"), "no function main")
}

func testTypeErrors(t *testing.T, b backends.Backend) {
	const text = `func.func public @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<4xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`
	var e *mlir.Error
	require.ErrorAs(t, compileError(b, text), &e)
	require.Equal(t, 2, e.Pos.Line)
}

func testUnsupported(t *testing.T, b backends.Backend) {
	const text = `func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @ltc.test.missing1(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.add %0, %a : tensor<2xf32>
  %2 = stablehlo.custom_call @ltc.test.missing2(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = call @f(%2) : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @ltc.test.missing3(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}`
	if err := checkUnsupported(compileError(b, text)); err != nil {
		t.Fatal(err)
	}
}

// checkUnsupported reports what is missing in the error of compiling
// testUnsupported's text, which is test.mlir.
func checkUnsupported(err error) error {
	var u *backends.UnsupportedError
	switch {
	case err == nil:
		return errors.New("Compile accepts custom_calls to targets that nobody registered: return a *backends.UnsupportedError")
	case !errors.As(err, &u):
		return fmt.Errorf("Compile must return a *backends.UnsupportedError that lists all ops it lacks; got %T: %w", err, err)
	case u.File != "test.mlir":
		return fmt.Errorf("UnsupportedError.File must be Options.Name, %q; got %q", "test.mlir", u.File)
	case len(u.Ops) != 3:
		return fmt.Errorf("UnsupportedError.Ops must list all 3 custom_calls, also the one in @f, and nothing else; got %d: %w", len(u.Ops), err)
	}
	for i, line := range []int{2, 4, 9} {
		o, target := u.Ops[i], fmt.Sprintf("ltc.test.missing%d", i+1)
		switch {
		case o.Op != stablehlo.CustomCall.String():
			return fmt.Errorf("UnsupportedError.Ops[%d].Op must be the op's name, stablehlo.custom_call; got %q", i, o.Op)
		case o.Pos.Line != line || o.Pos.Col < 1:
			return fmt.Errorf("UnsupportedError.Ops[%d].Pos must be where the op starts (mlir.Op.Pos), in line %d; got %d:%d", i, line, o.Pos.Line, o.Pos.Col)
		case !strings.Contains(o.Line, "custom_call"):
			return fmt.Errorf("UnsupportedError.Ops[%d].Line must be line %d of the text; got %q", i, line, o.Line)
		case !strings.Contains(o.Reason, target):
			return fmt.Errorf("UnsupportedError.Ops[%d].Reason must name what is missing, the custom_call's target %s; got %q", i, target, o.Reason)
		}
	}
	return nil
}

func testWrongArguments(t *testing.T, b backends.Backend) {
	e := compile(t, b, update)
	w, g, lr := f32s(t, []float32{1, 2, 3}), f32s(t, []float32{1, 1, 1}), scalar(t, 2)
	wide, err := soa.Borrow([]float64{1, 2, 3}, types.Of(types.F64, 3))
	require.NoError(t, err)
	repeated, err := soa.Strided([]float32{1}, types.Of(types.F32, 3), 0, []int{0})
	require.NoError(t, err)
	for _, c := range []struct {
		name          string
		args, results []soa.View
		want          []string
	}{
		{"too few", []soa.View{w, g}, nil, []string{"2 arguments given, the program takes 3"}},
		{"shape", []soa.View{w, f32s(t, []float32{1, 1}), lr}, nil, []string{`argument 1 ("g")`, "want f32[3], got f32[2]"}},
		{"dtype", []soa.View{w, wide, lr}, nil, []string{`argument 1 ("g")`, "want f32[3], got f64[3]"}},
		{"none", []soa.View{w, g, {}}, nil, []string{`argument 2 ("lr")`, "want f32[]", "no view"}},
		{"no memory", []soa.View{w, {Type: types.Of(types.F32, 3), Strides: []int{1}}, lr}, nil, []string{`argument 1 ("g")`, "no memory"}},
		{"donated and repeated", []soa.View{repeated, g, lr}, nil, []string{`argument 0 ("w")`, "donated", "repeats"}},
		{"too many results", []soa.View{w, g, lr}, make([]soa.View, 3), []string{"3 results given, the program has 2"}},
		{"result's type", []soa.View{w, g, lr}, []soa.View{{}, wide}, []string{`result 1 ("w")`, "want f32[3], got f64[3]"}},
		{"result repeated", []soa.View{w, g, lr}, []soa.View{{}, repeated}, []string{`result 1 ("w")`, "repeats"}},
	} {
		err := e.Execute(context.Background(), &backends.Call{Args: c.args, Results: c.results})
		for _, want := range c.want {
			require.ErrorContains(t, err, want, c.name)
		}
	}
	require.Equal(t, []float32{1, 2, 3}, floats(w))
	require.NoError(t, e.Execute(context.Background(), &backends.Call{Args: []soa.View{w, g, lr}}))
	require.Equal(t, []float32{-1, 0, 1}, floats(w))
}

// foreign is a queue that no backend has made.
type foreign struct{}

func (foreign) Wait(context.Context) error { return nil }

// A queue that is not of the backend is refused: what it orders would run in no order.
func testQueue(t *testing.T, b backends.Backend) {
	e := compile(t, b, `func.func public @main(%a: tensor<3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<3xf32> {
  %0 = stablehlo.add %a, %a : tensor<3xf32>
  return %0 : tensor<3xf32>
}`)
	a := f32s(t, []float32{1, 2, 3})
	err := e.Execute(context.Background(), &backends.Call{Args: []soa.View{a}, Queue: foreign{}})
	require.Error(t, err, "Execute accepts a queue of another backend: return an error for each Call.Queue that the backend has not made")
	require.Equal(t, []float32{1, 2, 3}, floats(a))
}
