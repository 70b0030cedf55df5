package lapack_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/backends/reference"
	_ "ltc/integrations/lapack"
	"ltc/ir/types"
	"ltc/soa"
	"ltc/soa/npy"
)

// What JAX exports runs on each backend of the CPU, and gives what JAX does.
func TestExports(t *testing.T) {
	files, err := filepath.Glob("testdata/*.mlir")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range []string{"eval", "cpu"} {
		b, err := backends.Open(name)
		require.NoError(t, err)
		for _, file := range files {
			t.Run(name+"/"+strings.TrimSuffix(filepath.Base(file), ".mlir"), func(t *testing.T) {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				archive, err := npy.ReadArchive(strings.TrimSuffix(file, ".mlir") + ".npz")
				require.NoError(t, err)
				e, err := b.Compile(t.Context(), backends.NewModule(string(text)), backends.Options{Name: file})
				require.NoError(t, err)
				call := &backends.Call{}
				var want []soa.View
				for _, entry := range archive {
					if strings.HasPrefix(entry.Name, "arg") {
						call.Args = append(call.Args, entry.View)
					} else {
						want = append(want, entry.View)
					}
				}
				require.NoError(t, e.Execute(t.Context(), call))
				require.Len(t, call.Results, len(want))
				for i, w := range want {
					require.Equal(t, w.Type, call.Results[i].Type)
					requireNear(t, i, numbers(w), numbers(call.Results[i]), w.Type.DType)
				}
			})
		}
	}
}

// requireNear compares with a tolerance for the dtype. It grows with the largest number.
func requireNear(t *testing.T, result int, want, got []float64, d types.DType) {
	t.Helper()
	most := map[types.DType]float64{types.F32: 2e-5, types.F64: 1e-13}[d]
	largest := 1.0
	for _, x := range want {
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			largest = max(largest, math.Abs(x))
		}
	}
	for i, x := range want {
		same := x == got[i] || math.IsNaN(x) && math.IsNaN(got[i])
		require.True(t, same || math.Abs(x-got[i]) <= most*largest, "element %d of result %d is %v, but JAX's is %v", i, result, got[i], x)
	}
}

func numbers(v soa.View) []float64 {
	var all []float64
	switch v.Type.DType {
	case types.F64:
		return soa.Slice[float64](v)
	case types.F32:
		for _, x := range soa.Slice[float32](v) {
			all = append(all, float64(x))
		}
	case types.I32:
		for _, x := range soa.Slice[int32](v) {
			all = append(all, float64(x))
		}
	}
	return all
}

// call runs a function with operands of a shape, and returns its results.
func call(t *testing.T, name string, config string, in []types.Type, out []types.Type, fill func(arg int, data []float64)) ([]soa.View, error) {
	t.Helper()
	var params, ins, results, outs []string
	c := &backends.Call{}
	for i, x := range in {
		text := "tensor<" + strings.ReplaceAll(strings.Trim(x.Shape.String(), "[]"), ",", "x") + "x" + x.DType.String() + ">"
		text = strings.ReplaceAll(text, "<x", "<")
		a := "%a" + string(rune('0'+i))
		params, ins = append(params, a+": "+text), append(ins, text)
		v := soa.Make(x)
		if x.DType == types.F64 {
			fill(i, soa.Slice[float64](v))
		}
		c.Args = append(c.Args, v)
	}
	for i, x := range out {
		text := "tensor<" + strings.ReplaceAll(strings.Trim(x.Shape.String(), "[]"), ",", "x") + "x" + x.DType.String() + ">"
		text = strings.ReplaceAll(text, "<x", "<")
		results, outs = append(results, "%0#"+string(rune('0'+i))), append(outs, text)
	}
	args := regexp.MustCompile(`%a\d`).FindAllString(strings.Join(params, ", "), -1)
	count := ""
	if len(out) > 1 {
		count = ":" + string(rune('0'+len(out)))
	} else {
		results = []string{"%0"}
	}
	text := "func.func public @main(" + strings.Join(params, ", ") + ") -> (" + strings.Join(outs, ", ") + ") {\n  %0" + count +
		" = stablehlo.custom_call @" + name + "(" + strings.Join(args, ", ") + ") {mhlo.backend_config = {" + config + "}} : (" + strings.Join(ins, ", ") + ") -> (" + strings.Join(outs, ", ") + ")\n  return " +
		strings.Join(results, ", ") + " : " + strings.Join(outs, ", ") + "\n}\n"
	b, err := backends.Open("eval")
	require.NoError(t, err)
	e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err, text)
	err = e.Execute(context.Background(), c)
	return c.Results, err
}

func of(d types.DType, shape ...int) types.Type { return types.Of(d, shape...) }

// No numbers, and no sizes, are an error: not those of an empty batch or matrix, NaNs,
// infinities, and numbers so large that squares overflow.
func TestAnyNumbers(t *testing.T) {
	f, i := types.F64, types.I32
	const mode = "mode = 65 : ui8"
	for _, value := range []float64{0, 1, math.NaN(), math.Inf(-1), 1e300, 5e-324} {
		fill := func(_ int, data []float64) {
			for k := range data {
				data[k] = value
				if k%3 == 1 {
					data[k] = 0.5
				}
			}
		}
		for _, count := range []int{0, 1, 2} {
			for _, m := range []int{0, 1, 2, 5} {
				for _, n := range []int{0, 1, 2, 5} {
					k := min(m, n)
					functions := map[string]struct {
						config  string
						in, out []types.Type
					}{
						"lapack_dgetrf_ffi": {"", []types.Type{of(f, count, m, n)}, []types.Type{of(f, count, m, n), of(i, count, k), of(i, count)}},
						"lapack_dgeqrf_ffi": {"", []types.Type{of(f, count, m, n)}, []types.Type{of(f, count, m, n), of(f, count, k)}},
						"lapack_dgeqp3_ffi": {"", []types.Type{of(f, count, m, n), of(i, count, n)}, []types.Type{of(f, count, m, n), of(i, count, n), of(f, count, k)}},
						"lapack_dgesdd_ffi": {mode, []types.Type{of(f, count, m, n)}, []types.Type{of(f, count, m, n), of(f, count, k), of(f, count, m, m), of(f, count, n, n), of(i, count)}},
						"lapack_dormqr_ffi": {"left = true, transpose = false", []types.Type{of(f, count, m, k), of(f, count, k), of(f, count, m, n)}, []types.Type{of(f, count, m, n)}},
						"lapack_dorgqr_ffi": {"", []types.Type{of(f, count, m, k), of(f, count, k)}, []types.Type{of(f, count, m, k)}},
						"lapack_dsyevd_ffi": {"mode = 86 : ui8, uplo = 85 : ui8", []types.Type{of(f, count, n, n)}, []types.Type{of(f, count, n, n), of(f, count, n), of(i, count)}},
						"lapack_dgehrd_ffi": {fmt.Sprintf("high = %d : i32, low = 1 : i32", n), []types.Type{of(f, count, n, n)}, []types.Type{of(f, count, n, n), of(f, count, max(0, n-1)), of(i, count)}},
						"lapack_dsytrd_ffi": {"uplo = 76 : ui8", []types.Type{of(f, count, n, n)}, []types.Type{of(f, count, n, n), of(f, count, n), of(f, count, max(0, n-1)), of(f, count, max(0, n-1)), of(i, count)}},
						"lapack_dgtsv_ffi":  {"", []types.Type{of(f, count, n), of(f, count, n), of(f, count, n), of(f, count, n, m)}, []types.Type{of(f, count, n), of(f, count, n), of(f, count, n), of(f, count, n, m), of(i, count)}},
					}
					for name, x := range functions {
						_, err := call(t, name, x.config, x.in, x.out, fill)
						require.NoError(t, err, "%s of %d matrices of %dx%d of %v", name, count, m, n, value)
					}
				}
			}
		}
	}
}

// Threads give the bits that one gives, and a program says how many there are.
func TestThreads(t *testing.T) {
	const text = `func.func public @main(%a: tensor<40x60x60xf32>) -> (tensor<40x60x60xf32>, tensor<40x60xi32>, tensor<40xi32>) {
  %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<40x60x60xf32>) -> (tensor<40x60x60xf32>, tensor<40x60xi32>, tensor<40xi32>)
  %1 = stablehlo.custom_call @lapack.test.threads(%0#2) : (tensor<40xi32>) -> tensor<40xi32>
  return %0#0, %0#1, %1 : tensor<40x60x60xf32>, tensor<40x60xi32>, tensor<40xi32>
}`
	require.NoError(t, backends.RegisterHost("lapack.test.threads", func(_ context.Context, c *backends.HostCall) error {
		for i := range soa.Slice[int32](c.Results[0]) {
			soa.Slice[int32](c.Results[0])[i] = int32(c.Threads)
		}
		return nil
	}))
	a := soa.Make(types.Of(types.F32, 40, 60, 60))
	for i := range soa.Slice[float32](a) {
		soa.Slice[float32](a)[i] = float32(i*i%101) - 50
	}
	for _, name := range []string{"eval", "cpu"} {
		var first []soa.View
		for _, threads := range []int{1, 2, 3} {
			b, err := backends.Open(name)
			require.NoError(t, err)
			e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: threads})
			require.NoError(t, err)
			c := &backends.Call{Args: []soa.View{a}}
			require.NoError(t, e.Execute(t.Context(), c))
			require.EqualValues(t, threads, soa.Slice[int32](c.Results[2])[0])
			if first == nil {
				first = c.Results
			}
			require.Equal(t, soa.Slice[float32](first[0]), soa.Slice[float32](c.Results[0]))
			require.Equal(t, soa.Slice[int32](first[1]), soa.Slice[int32](c.Results[1]))
		}
	}
}

// Shapes and parameters that LAPACK's functions do not have are errors of the run.
func TestMisuse(t *testing.T) {
	f, i := types.F64, types.I32
	reflectors := []types.Type{of(f, 3, 2), of(f, 2), of(f, 3, 2)}
	for name, x := range map[string]struct {
		function, config string
		in, out          []types.Type
		want             string
	}{
		"no square":      {"lapack_dsyevd_ffi", "mode = 86 : ui8, uplo = 76 : ui8", []types.Type{of(f, 2, 3)}, []types.Type{of(f, 2, 3), of(f, 2), of(i)}, "a matrix of 2x3, but it should be square"},
		"no mode":        {"lapack_dsyevd_ffi", "uplo = 76 : ui8", []types.Type{of(f, 2, 2)}, []types.Type{of(f, 2, 2), of(f, 2), of(i)}, "lapack_dsyevd_ffi(f64[2,2]): the attribute mode is missing, but should be the code of a character of NV"},
		"few pivots":     {"lapack_dgetrf_ffi", "", []types.Type{of(f, 3, 3)}, []types.Type{of(f, 3, 3), of(i, 2), of(i)}, "the list of pivots has 2 elements, but should have 3"},
		"another batch":  {"lapack_dgetrf_ffi", "", []types.Type{of(f, 2, 3, 3)}, []types.Type{of(f, 2, 3, 3), of(i, 1, 3), of(i, 2)}, "is no batch of [2]"},
		"few results":    {"lapack_dgetrf_ffi", "", []types.Type{of(f, 3, 3)}, []types.Type{of(f, 3, 3), of(i, 3)}, "it takes 1 operand and gives 3 results, not 1 and 2"},
		"many columns":   {"lapack_dorgqr_ffi", "", []types.Type{of(f, 2, 3), of(f, 2)}, []types.Type{of(f, 2, 3)}, "2 reflectors for Q of 2x3"},
		"a small U":      {"lapack_dgesdd_ffi", "mode = 65 : ui8", []types.Type{of(f, 3, 2)}, []types.Type{of(f, 3, 2), of(f, 2), of(f, 3, 2), of(f, 2, 2), of(i)}, "U has 6 elements, but should have 9"},
		"no side":        {"lapack_dormqr_ffi", "", reflectors, []types.Type{of(f, 3, 2)}, "lapack_dormqr_ffi(f64[3,2], f64[2], f64[3,2]): the attribute left is missing, but should be true or false"},
		"no transpose":   {"lapack_dormqr_ffi", "left = true", reflectors, []types.Type{of(f, 3, 2)}, "the attribute transpose is missing, but should be true or false"},
		"a side of 1":    {"lapack_dormqr_ffi", "left = 1 : i32, transpose = true", reflectors, []types.Type{of(f, 3, 2)}, "the attribute left is 1 : i32, but should be true or false"},
		"no low":         {"lapack_dgehrd_ffi", "high = 3 : i32", []types.Type{of(f, 3, 3)}, []types.Type{of(f, 3, 3), of(f, 2), of(i)}, "the attribute low is missing, but should be an integer"},
		"a high of text": {"lapack_dgehrd_ffi", "high = \"3\", low = 1 : i32", []types.Type{of(f, 3, 3)}, []types.Type{of(f, 3, 3), of(f, 2), of(i)}, "the attribute high is \"3\", but should be an integer"},
		"a low of 0":     {"lapack_dgehrd_ffi", "high = 3 : i32, low = 0 : i32", []types.Type{of(f, 3, 3)}, []types.Type{of(f, 3, 3), of(f, 2), of(i)}, "the attributes low and high are 0 and 3, but should be rows of 3"},
		"another uplo":   {"lapack_dsytrd_ffi", "uplo = 65 : ui8", []types.Type{of(f, 2, 2)}, []types.Type{of(f, 2, 2), of(f, 2), of(f, 1), of(f, 1), of(i)}, "the attribute uplo is 65 : ui8, but should be the code of a character of LU"},
		"no matrices":    {"lapack_dgesdd_ffi", "", []types.Type{of(f, 0, 1, 1)}, []types.Type{of(f, 0, 1, 1), of(f, 0, 1), of(f, 0, 1, 1), of(f, 0, 1, 1), of(i, 0)}, "the attribute mode is missing"},
		"s of f64":       {"lapack_sgetrf_ffi", "", []types.Type{of(f, 3, 3)}, []types.Type{of(f, 3, 3), of(i, 3), of(i)}, "lapack_sgetrf_ffi(f64[3,3]): operand 0 is f64[3,3], but should have elements of f32"},
		"d of f32":       {"lapack_dgetrf_ffi", "", []types.Type{of(types.F32, 3, 3)}, []types.Type{of(types.F32, 3, 3), of(i, 3), of(i)}, "operand 0 is f32[3,3], but should have elements of f64"},
		"d of integers":  {"lapack_dgeqrf_ffi", "", []types.Type{of(f, 3, 3)}, []types.Type{of(f, 3, 3), of(i, 3)}, "result 1 is i32[3], but should have elements of f64"},
		"float pivots":   {"lapack_dgetrf_ffi", "", []types.Type{of(f, 3, 3)}, []types.Type{of(f, 3, 3), of(f, 3), of(i)}, "result 1 is f64[3], but should have elements of i32"},
		"a float info":   {"lapack_dgetrf_ffi", "", []types.Type{of(f, 3, 3)}, []types.Type{of(f, 3, 3), of(i, 3), of(f)}, "result 2 is f64[], but should have elements of i32"},
		"float columns":  {"lapack_dgeqp3_ffi", "", []types.Type{of(f, 3, 3), of(f, 3)}, []types.Type{of(f, 3, 3), of(i, 3), of(f, 3)}, "operand 1 is f64[3], but should have elements of i32"},
		"a vector":       {"lapack_dgeqrf_ffi", "", []types.Type{of(f, 3)}, []types.Type{of(f, 3), of(f, 3)}, "operand 0 is f64[3], but should have 2 dimensions or more"},
		"other diagonal": {"lapack_dgtsv_ffi", "", []types.Type{of(f, 3), of(f, 4), of(f, 4), of(f, 4, 1)}, []types.Type{of(f, 3), of(f, 4), of(f, 4), of(f, 4, 1), of(i)}, "operand 0 has 3 elements, but should have 4"},
	} {
		_, err := call(t, x.function, x.config, x.in, x.out, func(int, []float64) {})
		require.ErrorContains(t, err, x.want, name)
		require.NotContains(t, err.Error(), "panicked", name)
	}
}

// A function of complex matrices is an error that says so.
func TestComplex(t *testing.T) {
	b, err := backends.Open("cpu")
	require.NoError(t, err)
	_, err = b.Compile(t.Context(), backends.NewModule(`func.func public @main(%a: tensor<2x2xf32>) -> tensor<2xi32> {
  %0 = stablehlo.complex %a, %a : tensor<2x2xcomplex<f32>>
  %1:3 = stablehlo.custom_call @lapack_cgetrf_ffi(%0) : (tensor<2x2xcomplex<f32>>) -> (tensor<2x2xcomplex<f32>>, tensor<2xi32>, tensor<i32>)
  return %1#1 : tensor<2xi32>
}`), backends.Options{})
	require.ErrorContains(t, err, "ltc/integrations/lapack has functions of real matrices alone")
}
