package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
)

// doubling is a program in which function i calls the one before twice: what
// main does takes 2^depth steps.
func doubling(depth int, typ string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "func.func public @main(%%a: %[2]s) -> %[2]s {\n  %%0 = call @f%[1]d(%%a) : (%[2]s) -> %[2]s\n  return %%0 : %[2]s\n}\n", depth, typ)
	fmt.Fprintf(&b, "func.func private @f0(%%a: %[1]s) -> %[1]s {\n  return %%a : %[1]s\n}\n", typ)
	for i := 1; i <= depth; i++ {
		fmt.Fprintf(&b, `func.func private @f%[1]d(%%a: %[3]s) -> %[3]s {
  %%0 = call @f%[2]d(%%a) : (%[3]s) -> %[3]s
  %%1 = call @f%[2]d(%%0) : (%[3]s) -> %[3]s
  return %%1 : %[3]s
}
`, i, i-1, typ)
	}
	return b.String()
}

var errLeaving = errors.New("the caller has left")

// cancelLate runs a program and cancels it a little later, and so again if that
// was before its first op, on a machine that has much else to do. It returns the
// program's error, and how long it went on.
func cancelLate(t *testing.T, e backends.Executable, c *backends.Call) (error, time.Duration) {
	t.Helper()
	for wait := 30 * time.Millisecond; ; wait *= 3 {
		err, late := cancelAfter(t, e, c, wait)
		if err != errLeaving || wait > 3*time.Second {
			return err, late
		}
	}
}

func cancelAfter(t *testing.T, e backends.Executable, c *backends.Call, wait time.Duration) (error, time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	done := make(chan error, 1)
	go func() { done <- e.Execute(ctx, c) }()
	select {
	case err := <-done:
		require.Failf(t, "not long enough", "it ended by itself: %v", err)
	case <-time.After(wait):
	}
	cancel(errLeaving)
	start := time.Now()
	select {
	case err := <-done:
		return err, time.Since(start)
	case <-time.After(10 * time.Second):
		require.Fail(t, "still running 10 s after it was cancelled")
	}
	return nil, 0
}

// A run ends soon after its context, wherever in a program it is. The error
// wraps the context's and tells the op.
func TestCancel(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/long.txtar")
	require.NoError(t, err)
	for _, typ := range []string{"tensor<2xf32>", "tensor<0xf32>", "tensor<?xf32>"} {
		archive.Files = append(archive.Files, txtar.File{Name: "calls " + typ, Data: []byte(doubling(40, typ))})
	}
	for _, file := range archive.Files {
		name, rest, _ := strings.Cut(file.Name, " [")
		t.Run(name, func(t *testing.T) {
			e := compile(t, string(file.Data))
			c := &backends.Call{}
			for _, a := range e.Signature().Args {
				if typ := a.Type; len(typ.Shape) == 1 && typ.Shape[0] == backends.AnySize {
					a.Type.Shape = []int{2}
				}
				c.Args = append(c.Args, soa.Make(a.Type))
			}
			err, late := cancelLate(t, e, c)
			t.Logf("ended %v late: %v", late, err)
			require.ErrorIs(t, err, errLeaving)
			var re *backends.RunError
			require.ErrorAs(t, err, &re)
			require.Equal(t, errLeaving, re.Reason)
			m, err := stablehlo.Parse("", string(file.Data))
			require.NoError(t, err)
			var at *mlir.Op
			m.Walk(func(op *mlir.Op) bool { at = op; return op.Ordinal != re.Op })
			require.Equal(t, re.Op, at.Ordinal)
			if op, given := strings.CutSuffix(rest, "]"); given {
				require.Equal(t, "stablehlo."+op, at.Name())
			}
		})
	}
}

// A run that is cancelled has written neither a result nor a donated argument,
// though where nobody can cancel it the last op writes them in place.
func TestCancelledRunWritesNothing(t *testing.T) {
	matrix := "tensor<3000x3000xf32>"
	if trials.Few() {
		matrix = "tensor<1200x1200xf32>"
	}
	e := compile(t, strings.ReplaceAll(`func.func public @main(%a: MATRIX {tf.aliasing_output = 0 : i32}) -> (MATRIX, MATRIX) {
  %0 = stablehlo.add %a, %a : MATRIX
  %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (MATRIX, MATRIX) -> MATRIX
  return %0, %1 : MATRIX, MATRIX
}`, "MATRIX", matrix))
	arg, out := soa.Make(e.Signature().Args[0].Type), soa.Make(e.Signature().Args[0].Type)
	for i := range soa.Slice[float32](arg) {
		soa.Slice[float32](arg)[i], soa.Slice[float32](out)[i] = 1, 2
	}
	err, _ := cancelLate(t, e, &backends.Call{Args: []soa.View{arg}, Results: []soa.View{{}, out}})
	require.ErrorIs(t, err, errLeaving)
	for i := range soa.Slice[float32](arg) {
		if soa.Slice[float32](arg)[i] != 1 || soa.Slice[float32](out)[i] != 2 {
			require.Failf(t, "written", "element %d", i)
		}
	}
}

// What can be cancelled and is not gives the results that it gives otherwise,
// also where it looks at its context in the midst of ops.
func TestWatchedRunsAreRight(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, text := range map[string]string{
		"chain": programs.Chain(40), "mlp": programs.MLPStep(64, 784, 512, 256, 10), "dot": programs.MatMul(301, 303, 299, "f32"),
		"row": `func.func public @main(%a: tensor<3000001xf32>, %s: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [0] : (tensor<3000001xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}`,
		"sum": `func.func public @main(%a: tensor<3x1500001xf32>, %s: tensor<f32>) -> (tensor<1500001x3xf32>, tensor<3x1500001xf32>, tensor<1500001xf32>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x1500001xf32>) -> tensor<1500001x3xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<3x1500001xf32>
  %2 = stablehlo.add %a, %1 : tensor<3x1500001xf32>
  %3 = stablehlo.reduce(%2 init: %s) applies stablehlo.add across dimensions = [0] : (tensor<3x1500001xf32>, tensor<f32>) -> tensor<1500001xf32>
  return %0, %2, %3 : tensor<1500001x3xf32>, tensor<3x1500001xf32>, tensor<1500001xf32>
}`,
	} {
		t.Run(name, func(t *testing.T) {
			e := compile(t, text)
			free, watched := &backends.Call{Args: arguments(e), Results: results(e)}, &backends.Call{Args: arguments(e), Results: results(e)}
			for j, r := range e.Signature().Results {
				if r.Alias >= 0 {
					free.Results[j], watched.Results[j] = soa.View{}, soa.View{}
				}
			}
			require.NoError(t, e.Execute(context.Background(), free))
			require.NoError(t, e.Execute(ctx, watched))
			for j := range free.Results {
				require.True(t, slices.Equal(soa.Slice[float32](free.Results[j]), soa.Slice[float32](watched.Results[j])), "result %d", j)
			}
		})
	}
}
