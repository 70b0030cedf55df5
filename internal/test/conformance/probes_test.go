package conformance

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
)

// reasons runs a text's only test and returns what is wrong. The backend gets neither
// checks nor probes.
func reasons(t *testing.T, text string) []string {
	b := backend(func(_ context.Context, m backends.Module, _ string) error {
		require.NotContains(t, m.Text(), "check.")
		require.NotContains(t, m.Text(), "interpreter.probe")
		return nil
	})
	return Run(t.Context(), b, split("a.mlir", text)[0]).Reasons
}

const doubling = `func.func @f() {
  %n = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %x = stablehlo.constant dense<[1, 5]> : tensor<2xi8>
  BEFORE
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<2xi8>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.add %v, %v : tensor<2xi8>
    %even = stablehlo.remainder %i, %TWO : tensor<i32>
    %is = stablehlo.compare EQ, %even, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %p = interpreter.probe %w, probe_id = "a" : tensor<2xi8>
    %q = "stablehlo.if"(%is) ({
      %e = interpreter.probe %i, probe_id = "b" : tensor<i32>
      stablehlo.return %e : tensor<i32>
    }, {
      stablehlo.return %i : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    stablehlo.return %next, %p : tensor<i32>, tensor<2xi8>
  }
  CHECKS
  func.return
}`

func loop(before, checks string) string {
	two := "%TWO = stablehlo.constant dense<2> : tensor<i32>\n  "
	return strings.NewReplacer("BEFORE", two+before, "CHECKS", checks).Replace(doubling)
}

// expects is a check of what a probe has seen.
func expects(id, iter, value, typ string) string {
	name := "%" + id + iter
	return name + " = stablehlo.constant dense<" + value + "> : " + typ + "\n  check.expect_serialized_eq " + name +
		", probe_id = \"" + id + "\", iter = " + iter + " : " + typ + "\n  "
}

// A probe in a loop sees a value in each turn, and a check names the turn.
func TestProbesSeeEachIterationOfTheirLoop(t *testing.T) {
	const pair = "tensor<2xi8>"
	all := expects("a", "0", "[2, 10]", pair) + expects("a", "1", "[4, 20]", pair) + expects("a", "2", "[8, 40]", pair) +
		expects("b", "0", "0", "tensor<i32>") + expects("b", "1", "2", "tensor<i32>")
	require.Empty(t, reasons(t, loop("", all)))
	// One before the loop counts, too.
	const first = `%f = interpreter.probe %x, probe_id = "a" : tensor<2xi8>`
	require.Empty(t, reasons(t, loop(first, expects("a", "0", "[1, 5]", pair)+expects("a", "3", "[8, 40]", pair))))
	// And one behind it.
	const last = `%f = interpreter.probe %x, probe_id = "a" : tensor<2xi8>` + "\n  "
	require.Empty(t, reasons(t, loop("", last+expects("a", "2", "[8, 40]", pair)+expects("a", "3", "[1, 5]", pair))))
	for want, checks := range map[string]string{
		"[1]: expected 20, actual 21 (1 of 2 elements)":                          expects("a", "1", "[4, 21]", pair),
		`interpreter.probe "a" has no iteration 3: it ran 3 times before`:        expects("a", "3", "[8, 40]", pair),
		`interpreter.probe "b" has no iteration 2: it ran 2 times before`:        expects("b", "2", "2", "tensor<i32>"),
		`its value is of type tensor<2xi8>, that of the check of "a" is of type`: expects("a", "1", "[4, 20]", "tensor<2xui8>"),
		`check.expect_serialized_eq: no interpreter.probe "c" comes before it`:   expects("c", "0", "[4, 20]", pair),
	} {
		got := reasons(t, loop("", checks))
		require.Len(t, got, 1)
		require.Contains(t, got[0], want)
	}
}

// A probe sees a value each time that its function is called, and where it stands twice.
func TestProbesSeeEachCallOfTheirFunction(t *testing.T) {
	const text = `func.func private @twice(%x: tensor<f8E8M0FNU>) -> tensor<f8E8M0FNU> {
  %0 = interpreter.probe %x, probe_id = "a" : tensor<f8E8M0FNU>
  %1 = stablehlo.multiply %0, %0 : tensor<f8E8M0FNU>
  %2 = func.call @same(%1) : (tensor<f8E8M0FNU>) -> tensor<f8E8M0FNU>
  func.return %2 : tensor<f8E8M0FNU>
}
func.func private @same(%x: tensor<f8E8M0FNU>) -> tensor<f8E8M0FNU> {
  func.return %x : tensor<f8E8M0FNU>
}
func.func @f() {
  %0 = stablehlo.constant dense<2.0> : tensor<f8E8M0FNU>
  %1 = func.call @twice(%0) : (tensor<f8E8M0FNU>) -> tensor<f8E8M0FNU>
  %2 = stablehlo.composite "my.op" %1 {decomposition = @twice} : (tensor<f8E8M0FNU>) -> tensor<f8E8M0FNU>
  check.expect_serialized_eq %0, probe_id = "a" : tensor<f8E8M0FNU>
  check.expect_serialized_eq %1, probe_id = "a", iter = 1 : tensor<f8E8M0FNU>
  check.expect_serialized_eq %ITER : tensor<f8E8M0FNU>
  func.return
}`
	require.Empty(t, reasons(t, strings.Replace(text, "ITER", `1, probe_id = "a", iter = 1`, 1)))
	require.Equal(t, []string{`a.mlir:16:3: check.expect_serialized_eq: interpreter.probe "a" has no iteration 2: it ran 2 times before`},
		reasons(t, strings.Replace(text, "ITER", `1, probe_id = "a", iter = 2`, 1)))
}

// What a reduction's region sees has no order, so that a check of it is an error.
func TestChecksOfProbesInReductionsAreErrors(t *testing.T) {
	const text = `func.func @f() {
  %x = stablehlo.constant dense<[1, 5]> : tensor<2xi8>
  %i = stablehlo.constant dense<0> : tensor<i8>
  %r = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<2xi8>, tensor<i8>) -> tensor<i8>
   reducer(%a: tensor<i8>, %b: tensor<i8>) {
    %s = stablehlo.add %a, %b : tensor<i8>
    %p = interpreter.probe %s, probe_id = "a" : tensor<i8>
    stablehlo.return %p : tensor<i8>
  }
  CHECK
  func.return
}`
	require.Empty(t, reasons(t, strings.Replace(text, "CHECK", "check.expect_eq_const %r, dense<6> : tensor<i8>", 1)))
	require.Equal(t, []string{"a.mlir:4:8: stablehlo.reduce: what a probe in its regions sees cannot be made a result of the program"},
		reasons(t, strings.Replace(text, "CHECK", `check.expect_serialized_eq %r, probe_id = "a" : tensor<i8>`, 1)))
}

// A function that another calls is no test of its own: its checks are those of each call.
func TestCalledFunctionsAreNoTests(t *testing.T) {
	const text = `func.func @main() {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  %1 = func.call @add(%0) : (tensor<i32>) -> tensor<i32>
  %2 = func.call @add(%1) : (tensor<i32>) -> tensor<i32>
  func.call @none() : () -> ()
  func.return
}
func.func @add(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %x, %x : tensor<i32>
  check.expect_eq_const %0, dense<2> : tensor<i32>
  func.return %0 : tensor<i32>
}
func.func @none() {
  %0 = stablehlo.constant dense<7> : tensor<i32>
  check.expect_eq_const %0, dense<8> : tensor<i32>
  func.return
}`
	require.Equal(t, []string{
		"a.mlir:10:3: @main: check 1: expect_eq_const: []: expected 2, actual 4 (1 of 1 element)",
		"a.mlir:15:3: @main: check 2: expect_eq_const: []: expected 8, actual 7 (1 of 1 element)",
	}, reasons(t, text))
	const parallel = `func.func @main() {
  %0:2 = "interpreter.run_parallel"() {programs = [[@one], [@one]]} : () -> (tensor<i32>, tensor<i32>)
  check.expect_eq %0#0, %0#1 : tensor<i32>
  func.return
}
func.func @one() -> tensor<i32> {
  %0 = stablehlo.constant dense<7> : tensor<i32>
  MORE
  func.return %0 : tensor<i32>
}`
	require.Empty(t, reasons(t, strings.Replace(parallel, "MORE", "%1 = interpreter.probe %0, probe_id = \"a\" : tensor<i32>", 1)))
	require.Contains(t, reasons(t, strings.Replace(parallel, "MORE", "check.expect_eq %0, %0 : tensor<i32>", 1))[0],
		"a.mlir:6:1: func.func: a check in a function that is not called, but run otherwise")
}
