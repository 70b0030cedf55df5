package reference

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/tiles"
	"ltc/ir/types"
	"ltc/soa"
)

// onBoth runs a program on the evaluator and in plain Go.
func onBoth(t *testing.T, text string, o backends.Options, args func(sig *backends.Signature) []soa.View) (want, got []soa.View) {
	t.Helper()
	p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	oracle, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	e, err := compileKernels(t.Context(), p, o, []kernel.Compiler{tiles.Compiler{}})
	require.NoError(t, err)
	operands := args(e.Signature())
	a, b := &backends.Call{Args: operands}, &backends.Call{Args: operands}
	require.NoError(t, oracle.Execute(t.Context(), a))
	require.NoError(t, e.Execute(t.Context(), b))
	return a.Results, b.Results
}

// Factors and systems are steps, and give in plain Go what the evaluator does.
func TestTriangularSteps(t *testing.T) {
	for i, of := range kerneltest.Triangulars() {
		a, b := kerneltest.TriangularValues(of)
		want, got := onBoth(t, kerneltest.TriangularText(of), backends.Options{Threads: 1 + i%2}, func(sig *backends.Signature) []soa.View {
			var args []soa.View
			for i, arg := range sig.Args {
				args = append(args, filled(arg.Type, [][]float64{a, b}[i]))
			}
			return args
		})
		most := map[types.DType]float64{types.F32: 2e-6, types.F64: 4e-15}[of.DType]
		results := floats(got[0])
		for i, x := range floats(want[0]) {
			y := results[i]
			if !(math.Abs(x-y) <= most*max(1, math.Abs(x))) {
				require.Fail(t, fmt.Sprintf("element %d of %v is %v, but should be %v", i, &of, y, x), "%+v", of)
			}
		}
	}
}

// A step for which the backend has code counts as compiled, and of other elements does not.
func TestTriangularClaim(t *testing.T) {
	for elem, evaluated := range map[string]int{"f32": 0, "f64": 0, "f16": 1, "bf16": 1} {
		text := strings.ReplaceAll(kerneltest.TriangularText(kernel.Triangular{DType: types.F32, Count: 2, N: 3}), "f32", elem)
		p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
		e, err := compileKernels(t.Context(), p, backends.Options{}, []kernel.Compiler{tiles.Compiler{}})
		require.NoError(t, err)
		_, host := e.(*compiled).Compiled()
		require.Equal(t, evaluated, host, elem)
	}
}

// The order of the first minor that is not positive is the evaluator's, for whatever numbers.
func TestNotPositive(t *testing.T) {
	const n = 11
	const count = 2*n + 3
	text := fmt.Sprintf(`func.func public @main(%%a: tensor<%[1]dx%[2]dx%[2]dxf32>) -> tensor<%[1]dxi32> {
  %%0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<%[1]dx%[2]dx%[2]dxf32>) -> (tensor<%[1]dx%[2]dx%[2]dxf32>, tensor<%[1]dxi32>)
  return %%0#1 : tensor<%[1]dxi32>
}`, count, n)
	want, got := onBoth(t, text, backends.Options{}, func(*backends.Signature) []soa.View {
		a, _ := kerneltest.TriangularValues(kernel.Triangular{Lower: true, DType: types.F32, Count: count, N: n})
		at := func(m, i int) *float64 { return &a[m*n*n+i*n+i] }
		for i := range n {
			*at(i, i), *at(n+i, i) = -1, math.NaN()
		}
		*at(2*n, 3), *at(2*n+1, 3) = 0, math.Inf(1)
		return []soa.View{filled(types.Of(types.F32, count, n, n), a)}
	})
	info := soa.Slice[int32](got[0])
	require.Equal(t, soa.Slice[int32](want[0]), info)
	for i := range n {
		require.EqualValues(t, i+1, info[i])
		require.EqualValues(t, i+1, info[n+i])
	}
	require.EqualValues(t, []int32{4, 0, 0}, info[2*n:])
}

func filled(of types.Type, values []float64) soa.View {
	v := soa.Make(of)
	for i, x := range values {
		if of.DType == types.F32 {
			soa.Slice[float32](v)[i] = float32(x)
		} else {
			soa.Slice[float64](v)[i] = x
		}
	}
	return v
}

func floats(v soa.View) []float64 {
	if v.Type.DType == types.F64 {
		return soa.Slice[float64](v)
	}
	var all []float64
	for _, x := range soa.Slice[float32](v) {
		all = append(all, float64(x))
	}
	return all
}
