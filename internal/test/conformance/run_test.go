package conformance

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/eval"
	_ "ltc/internal/test/interpreter" // what processes exchange
	"ltc/mlir"
	"ltc/stablehlo"
)

// Values of every element type come back as they are: as the constants that
// they are, and not as the next ones.
func TestElementTypes(t *testing.T) {
	for _, c := range []struct{ elem, values, others string }{
		{"i1", "[true, false]", "[true, true]"},
		{"i2", "[-2, 1]", "[-2, -1]"}, {"ui2", "[3, 0]", "[3, 1]"},
		{"i4", "[-8, 7]", "[-8, -7]"}, {"ui4", "[15, 0]", "[15, 8]"},
		{"i8", "[-128, 127]", "[-128, -1]"}, {"ui8", "[255, 0]", "[255, 1]"},
		{"i16", "[-32768, 32767]", "[-32768, 1]"}, {"ui16", "[65535, 0]", "[65535, 1]"},
		{"i32", "[-2147483648, 1]", "[-2147483648, 2]"}, {"ui32", "[4294967295, 0]", "[4294967295, 1]"},
		{"i64", "[-9223372036854775808, 1]", "[-9223372036854775808, 2]"},
		{"ui64", "[18446744073709551615, 0]", "[18446744073709551615, 1]"},
		{"f64", "[1.0, 4.9e-324]", "[1.0, 9.9e-324]"}, {"f32", "[1.0, 1.0e-45]", "[1.0, 3.0e-45]"},
		{"f16", "[1.0, 0x0001]", "[1.0, 0x0002]"}, {"bf16", "[1.0, 0x0001]", "[1.0, 0x0002]"},
		{"f8E3M4", "[1.0, 0x01]", "[1.0, 0x02]"}, {"f8E4M3", "[1.0, 0x01]", "[1.0, 0x02]"},
		{"f8E4M3FN", "[1.0, 0x01]", "[1.0, 0x02]"}, {"f8E4M3FNUZ", "[1.0, 0x01]", "[1.0, 0x02]"},
		{"f8E4M3B11FNUZ", "[1.0, 0x01]", "[1.0, 0x02]"}, {"f8E5M2", "[1.0, 0x01]", "[1.0, 0x02]"},
		{"f8E5M2FNUZ", "[1.0, 0x01]", "[1.0, 0x02]"}, {"f8E8M0FNU", "[1.0, 0x00]", "[1.0, 0x01]"},
		{"f6E2M3FN", "[1.0, 0x01]", "[1.0, 0x02]"}, {"f6E3M2FN", "[1.0, 0x01]", "[1.0, 0x02]"},
		{"f4E2M1FN", "[1.0, 0x01]", "[1.0, 0x02]"},
		{"complex<f32>", "[(1.0, 2.0), (3.0, 4.0)]", "[(1.0, 2.0), (3.0, 5.0)]"},
		{"complex<f64>", "[(1.0, 2.0), (3.0, 4.0)]", "[(1.0, 2.0), (5.0, 4.0)]"},
	} {
		t.Run(c.elem, func(t *testing.T) {
			text := strings.NewReplacer("T", "tensor<2x"+c.elem+">", "V", c.values).Replace(`func.func @f() {
  %0 = stablehlo.constant dense<V> : T
  "check.expect_eq_const"(%0) <{value = dense<W> : T}> : (T) -> ()
  func.return
}
`)
			same := Run(t.Context(), eval.New(), split("a.mlir", strings.ReplaceAll(text, "W", c.values))[0])
			require.Equal(t, Passed, same.Outcome, same.Reasons)
			other := Run(t.Context(), eval.New(), split("a.mlir", strings.ReplaceAll(text, "W", c.others))[0])
			require.Equal(t, Failed, other.Outcome)
			require.Len(t, other.Reasons, 1)
			require.Contains(t, other.Reasons[0], "a.mlir:3:3: @f: check 0: expect_eq_const: [1]: expected ")
			require.Contains(t, other.Reasons[0], "(1 of 2 elements)")
		})
	}
}

// What a backend is given has no checks, and the places of failures are those
// of the file.
func TestLift(t *testing.T) {
	u := split("a.mlir", `// RUN: stablehlo-translate --interpret %s
func.func @other() {
  %0 = stablehlo.constant dense<1> : tensor<i8>
  check.expect_eq_const %0, dense<1> : tensor<i8>
  func.return
}
// -----
func.func @help() -> tensor<f8E4M3> {
  %0 = stablehlo.constant dense<1.0> : tensor<f8E4M3>
  func.return %0 : tensor<f8E4M3>
}
func.func @test() -> tensor<f8E4M3> {
  %0 = func.call @help() : () -> tensor<f8E4M3>
  %1 = stablehlo.custom_call @check.eq(%0, %0) : (tensor<f8E4M3>, tensor<f8E4M3>) -> tensor<i1>
  %2 = stablehlo.not %1 : tensor<i1>
  func.return %0 : tensor<f8E4M3>
}
func.func @another() {
  %0 = stablehlo.constant dense<1.0> : tensor<f8E4M3>
  check.expect_eq_const %0, dense<1.0> : tensor<f8E4M3>
  func.return
}`)[1]
	require.Equal(t, "a.mlir#1", u.Name())
	var got string
	r := Run(t.Context(), backend(func(_ context.Context, m backends.Module, _ string) error {
		if got == "" {
			got = m.Text()
		}
		return &backends.UnsupportedError{Backend: "mine", Ops: []backends.UnsupportedOp{{Op: "a.b", Reason: "no", Pos: pos(t, m.Text(), "stablehlo.not")}}}
	}), u)
	require.Equal(t, `module {
  func.func @help() -> tensor<f8E4M3> {
    %0 = stablehlo.constant dense<1.000000e+00> : tensor<f8E4M3>
    return %0 : tensor<f8E4M3>
  }
  func.func @main() -> tensor<ui8> {
    %0 = call @help() : () -> tensor<f8E4M3>
    %1 = stablehlo.constant dense<true> : tensor<i1>
    %2 = stablehlo.not %1 : tensor<i1>
    %3 = stablehlo.bitcast_convert %0 : (tensor<f8E4M3>) -> tensor<ui8>
    return %3 : tensor<ui8>
  }
}
`, got)
	require.Equal(t, "a.mlir#1: @test: backend mine lacks\n  a.mlir:15:8: a.b: no", r.Reasons[0])
}

// A test that panics, or does not end, fails; the others run.
func TestGuarded(t *testing.T) {
	dir := t.TempDir()
	text := "func.func @%s() {\n  %%0 = stablehlo.constant dense<1> : tensor<i32>\n  check.expect_eq_const %%0, dense<1> : tensor<i32>\n  func.return\n}\n"
	for _, name := range []string{"a_panics", "b_hangs", "c_waits", "d_fine"} {
		body := strings.ReplaceAll(strings.Replace(text, "%s", name, 1), "%%", "%")
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".mlir"), []byte(body), 0o644))
	}
	stop := make(chan bool)
	defer close(stop)
	b := backend(func(ctx context.Context, _ backends.Module, name string) error {
		switch filepath.Base(name) {
		case "a_panics.mlir":
			panic("no such luck")
		case "b_hangs.mlir":
			<-stop
		case "c_waits.mlir":
			<-ctx.Done()
			return context.Cause(ctx)
		}
		return nil
	})
	files, err := Files([]string{dir})
	require.NoError(t, err)
	var all []Result
	err = RunFiles(t.Context(), b, files, Options{Workers: 3, Timeout: 20 * time.Millisecond}, func(r Result) { all = append(all, r) })
	require.NoError(t, err)
	require.Len(t, all, 4)
	require.Contains(t, all[0].Reasons[0], "a_panics.mlir: panic: no such luck\n")
	require.Equal(t, []string{files[1] + ": it takes more than 20ms"}, all[1].Reasons)
	require.Equal(t, []string{files[2] + ": @c_waits: it takes more than 20ms"}, all[2].Reasons)
	require.Equal(t, Passed, all[3].Outcome, all[3].Reasons)
}

// backend is the evaluator behind a function that may refuse a program.
type backend func(ctx context.Context, m backends.Module, name string) error

func (backend) Name() string               { return "mine" }
func (backend) Devices() []backends.Device { return nil }

func (backend) Capabilities() backends.Capabilities { return backends.Capabilities{} }

func (f backend) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	if err := f(ctx, m, o.Name); err != nil {
		return nil, err
	}
	return eval.New().Compile(ctx, m, o)
}

// pos is where op starts in text.
func pos(t *testing.T, text, op string) mlir.Pos {
	m, err := stablehlo.Parse("", text)
	require.NoError(t, err)
	var at mlir.Pos
	m.Walk(func(o *mlir.Op) bool {
		if o.Name() == op {
			at = o.Pos
		}
		return true
	})
	return at
}

// Families, chunks and RUN lines.
func TestSplit(t *testing.T) {
	for _, c := range []struct{ file, family string }{
		{"../x/interpret/math/a.mlir", "interpret/math"},
		{"/x/testdata/a.mlir", "testdata"},
		{"/x/testdata/a_chlo.mlir", "testdata, CHLO"},
		{"testdata/dynamic/a.mlir", "testdata/dynamic"},
		{"x/y/a.mlir", "y"},
	} {
		require.Equal(t, c.family, Unit{File: c.file}.Family())
	}
	units := split("a.mlir", "// RUN: x --interpret\n// -----\n\none\n// -----\ntwo\n// CHECK-DENSE{LITERAL}: dense<[[1]]>\n")
	require.Len(t, units, 2)
	require.Equal(t, "\none\n", units[0].part.Body())
	require.Equal(t, "two\n// CHECK-DENSE{LITERAL}: dense<[[1]]>\n", units[1].part.Body())
	require.Equal(t, 6, units[1].part.Line)
	require.Equal(t, "a.mlir#2", units[1].Name())
	require.True(t, units[1].runs)
	require.Equal(t, []string{"dense<[[1]]>"}, units[1].printed)

	skipped := Run(t.Context(), eval.New(), split("a.mlir", "// RUN-DISABLED(#1): a -inline | b --interpret\nx")[0])
	require.Equal(t, Result{Unit: skipped.Unit, Outcome: Skipped, Reasons: []string{"the suite disables it: #1"}}, skipped)
	read := Run(t.Context(), eval.New(), split("a.mlir", "// RUN-DISABLED(#1): stablehlo-opt\n// RUN: b\nmodule {}")[0])
	require.Equal(t, Passed, read.Outcome)
}
