package cuda

import (
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/cublaslt"
	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/mlir"
	"ltc/soa"
)

// taking has cuBLASLt compute what it can, however small: on a fake the one that stands
// in for it. On a GPU it is the machine's, and a test is skipped where there is none.
func taking(t testing.TB, d *Device, f *cudafake.Fake) {
	least := d.products.least
	d.products.least = 1
	t.Cleanup(func() { d.products.least = least })
	if f != nil {
		l, err := f.Products()
		require.NoError(t, err)
		d.UseLibrary(l)
	} else if d.products.on(d, slog.Default()) == nil {
		t.Skip("there is no cuBLASLt")
	}
}

// multiplying opens a backend whose products are cuBLASLt's, however small.
func multiplying(t testing.TB, o cudafake.Options) (*Backend, *cudafake.Fake) {
	b, f := backend(t.(*testing.T), o)
	taking(t, b.dev, f)
	return b, f
}

// mlirOf prints a type.
func mlirOf(t types.DType, shape ...int) string {
	s := "tensor<"
	for _, n := range shape {
		s += fmt.Sprint(n, "x")
	}
	return s + mlir.ElementOf(t).String() + ">"
}

// matmul is a product with the ops that follow it: lines of StableHLO, of which the last
// makes %y. In them %0 is the product, #D its type, %b a bias along its last dimension, and
// %r a value of its size.
type matmul struct {
	elements, out types.DType
	dims          string // of dot_general
	x, w, y       []int
	tail          string
}

func (m *matmul) text() string {
	x, w, y := mlirOf(m.elements, m.x...), mlirOf(m.elements, m.w...), mlirOf(m.out, m.y...)
	b := mlirOf(m.out, m.y[len(m.y)-1])
	tail, last := "", "%0"
	if m.tail != "" {
		tail, last = strings.NewReplacer("#D", y, "#B", b, "#N", fmt.Sprint(len(m.y)-1)).Replace(m.tail), "%y"
	}
	return fmt.Sprintf(`func.func public @main(%%x: %s, %%w: %s, %%b: %s, %%r: %s) -> %s {
  %%0 = stablehlo.dot_general %%x, %%w, %s : (%s, %s) -> %s
  %s
  return %s : %s
}`, x, w, b, y, y, m.dims, x, w, y, tail, last, y)
}

// integers returns a view of small integers.
func integers(r *rand.Rand, d types.DType, shape ...int) soa.View {
	v := soa.Make(types.Of(d, shape...))
	for i := range v.Type.Elements() {
		switch n := r.IntN(7) - 3; d {
		case types.F32:
			soa.Slice[float32](v)[i] = float32(n)
		case types.F64:
			soa.Slice[float64](v)[i] = float64(n)
		case types.BF16:
			soa.Slice[types.BFloat16](v)[i] = types.ToBFloat16(float64(n))
		case types.F16:
			soa.Slice[types.Float16](v)[i] = types.ToFloat16(float64(n))
		case types.I8:
			soa.Slice[int8](v)[i] = int8(n)
		case types.I32:
			soa.Slice[int32](v)[i] = int32(n)
		}
	}
	return v
}

func (m *matmul) args() []soa.View {
	r := rand.New(rand.NewPCG(3, 4))
	return []soa.View{integers(r, m.elements, m.x...), integers(r, m.elements, m.w...), integers(r, m.out, m.y[len(m.y)-1]), integers(r, m.out, m.y...)}
}

// numbersOf returns the elements of a view as f64.
func numbersOf(t testing.TB, v soa.View) []float64 {
	all := make([]float64, v.Type.Elements())
	for i := range all {
		switch v.Type.DType {
		case types.F32:
			all[i] = float64(soa.Slice[float32](v)[i])
		case types.F64:
			all[i] = soa.Slice[float64](v)[i]
		case types.BF16:
			all[i] = float64(soa.Slice[types.BFloat16](v)[i].Float32())
		case types.F16:
			all[i] = float64(soa.Slice[types.Float16](v)[i].Float32())
		case types.I32:
			all[i] = float64(soa.Slice[int32](v)[i])
		default:
			t.Fatal(v.Type)
		}
	}
	return all
}

const (
	plainDims    = "contracting_dims = [1] x [0]"
	withBiasTail = "%1 = stablehlo.broadcast_in_dim %b, dims = [#N] : (#B) -> #D\n  %y = stablehlo.add %0, %1 : #D"
	// of a bias and what is as large
	withBiasResidual = "%1 = stablehlo.broadcast_in_dim %b, dims = [#N] : (#B) -> #D\n  %2 = stablehlo.add %0, %1 : #D\n  %y = stablehlo.add %2, %r : #D"
	reluTail         = "%z = stablehlo.constant dense<0.0> : #D\n  %y = stablehlo.maximum %0, %z : #D"
	withBiasReLU     = "%1 = stablehlo.broadcast_in_dim %b, dims = [#N] : (#B) -> #D\n  %2 = stablehlo.add %1, %0 : #D\n  %z = stablehlo.constant dense<0.0> : #D\n  %y = stablehlo.maximum %z, %2 : #D"
	geluTail         = `%h = stablehlo.constant dense<0.5> : #D
  %one = stablehlo.constant dense<1.0> : #D
  %k = stablehlo.constant dense<0.044715> : #D
  %s = stablehlo.constant dense<0.797884583> : #D
  %x2 = stablehlo.multiply %0, %0 : #D
  %x3 = stablehlo.multiply %x2, %0 : #D
  %x4 = stablehlo.multiply %x3, %k : #D
  %x5 = stablehlo.add %0, %x4 : #D
  %x6 = stablehlo.multiply %s, %x5 : #D
  %x7 = stablehlo.tanh %x6 : #D
  %x8 = stablehlo.add %x7, %one : #D
  %x9 = stablehlo.multiply %h, %x8 : #D
  %y = stablehlo.multiply %0, %x9 : #D`
)

// Products run through the binding as the library has matrices, whichever way they lie,
// and with the epilogues that it has: they are what the evaluator computes.
func TestProducts(t *testing.T) {
	trials.Sequential(t)
	for _, c := range []struct {
		name string
		matmul
		epilogue cublaslt.Epilogue
	}{
		{"f32", matmul{types.F32, types.F32, plainDims, []int{72, 40}, []int{40, 80}, []int{72, 80}, ""}, cublaslt.Plain},
		{"x transposed", matmul{types.F32, types.F32, "contracting_dims = [0] x [0]", []int{40, 72}, []int{40, 80}, []int{72, 80}, ""}, cublaslt.Plain},
		{"w transposed", matmul{types.BF16, types.BF16, "contracting_dims = [1] x [1]", []int{72, 40}, []int{80, 40}, []int{72, 80}, ""}, cublaslt.Plain},
		{"both transposed", matmul{types.F16, types.F32, "contracting_dims = [0] x [1]", []int{40, 72}, []int{80, 40}, []int{72, 80}, ""}, cublaslt.Plain},
		{"f64", matmul{types.F64, types.F64, plainDims, []int{72, 40}, []int{40, 80}, []int{72, 80}, ""}, cublaslt.Plain},
		{"i8", matmul{types.I8, types.I32, "contracting_dims = [1] x [1]", []int{72, 48}, []int{80, 48}, []int{72, 80}, ""}, cublaslt.Plain},
		{"result transposed", matmul{types.F32, types.F32, plainDims, []int{72, 40}, []int{40, 72}, []int{72, 72}, "%y = stablehlo.transpose %0, dims = [1, 0] : (#D) -> #D"}, cublaslt.Plain},
		{"batches", matmul{types.F32, types.F32, "batching_dims = [0] x [0], contracting_dims = [2] x [1]", []int{3, 72, 40}, []int{3, 40, 80}, []int{3, 72, 80}, ""}, cublaslt.Plain},
		{"two batches", matmul{types.BF16, types.F32, "batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3]", []int{2, 3, 64, 40}, []int{2, 3, 72, 40}, []int{2, 3, 64, 72}, ""}, cublaslt.Plain},
		{"rows of two", matmul{types.F32, types.F32, "contracting_dims = [2] x [0]", []int{3, 24, 40}, []int{40, 80}, []int{3, 24, 80}, ""}, cublaslt.Plain},
		{"bias", matmul{types.F32, types.F32, plainDims, []int{72, 40}, []int{40, 80}, []int{72, 80}, withBiasTail}, cublaslt.Bias},
		{"bias of batches", matmul{types.F32, types.F32, "batching_dims = [0] x [0], contracting_dims = [2] x [1]", []int{2, 72, 40}, []int{2, 40, 80}, []int{2, 72, 80}, withBiasTail}, cublaslt.Bias},
		{"residual", matmul{types.F32, types.F32, plainDims, []int{72, 40}, []int{40, 80}, []int{72, 80}, "%y = stablehlo.add %r, %0 : #D"}, cublaslt.Plain},
		{"residual of batches", matmul{types.F16, types.F32, "batching_dims = [0] x [0], contracting_dims = [2] x [1]", []int{2, 72, 40}, []int{2, 40, 80}, []int{2, 72, 80}, "%y = stablehlo.add %0, %r : #D"}, cublaslt.Plain},
		{"bias and residual", matmul{types.BF16, types.BF16, plainDims, []int{72, 40}, []int{40, 80}, []int{72, 80}, withBiasResidual}, cublaslt.Bias},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := multiplying(t, cudafake.Options{Seed: 7})
			e := compile(t, b, c.text(), backends.Options{})
			args := c.args()
			call := &backends.Call{Args: args}
			for range 2 {
				require.NoError(t, e.Execute(t.Context(), call))
			}
			require.Equal(t, Launches{Products: 2}, e.Launches())
			require.Equal(t, c.epilogue, e.steps[0].product.problem.Epilogue)
			require.Equal(t, strings.Contains(c.tail, "%r"), e.steps[0].product.problem.Adds)
			if exact := c.matmul; exact.elements == types.F32 { // tensor cores would have fewer bits
				s := &e.steps[0]
				require.Equal(t, cublaslt.ComputeTF32, productOf(s.Launch, s.entry.kernel, true).problem.Compute)
			}
			want, got := numbersOf(t, results(t, c.text(), args...)[0]), numbersOf(t, call.Results[0])
			if c.out == types.BF16 && c.epilogue == cublaslt.Bias {
				require.InEpsilonSlice(t, plusOne(want), plusOne(got), 1.0/128)
			} else {
				require.Equal(t, want, got)
			}
		})
	}
}

// plusOne keeps numbers that are to be compared by their ratio away from 0.
func plusOne(all []float64) []float64 {
	for i := range all {
		if all[i] >= 0 {
			all[i]++
		} else {
			all[i]--
		}
	}
	return all
}

// A maximum keeps NaNs, as the library's ReLU does not: it is a kernel's.
func TestProductsReLUOfNaN(t *testing.T) {
	trials.Sequential(t)
	b, _ := multiplying(t, cudafake.Options{Seed: 9})
	for _, m := range []matmul{
		{types.F32, types.F32, plainDims, []int{72, 40}, []int{40, 80}, []int{72, 80}, reluTail},
		{types.BF16, types.BF16, plainDims, []int{72, 40}, []int{40, 80}, []int{72, 80}, withBiasReLU},
	} {
		e := compile(t, b, m.text(), backends.Options{})
		require.False(t, e.steps[0].taken)
		args := m.args()
		for i := range 40 { // of the first row
			if m.elements == types.F32 {
				soa.Slice[float32](args[0])[i] = float32(math.NaN())
			} else {
				soa.Slice[types.BFloat16](args[0])[i] = types.ToBFloat16(math.NaN())
			}
		}
		call := &backends.Call{Args: args}
		require.NoError(t, e.Execute(t.Context(), call))
		for i, v := range numbersOf(t, call.Results[0]) {
			require.Equal(t, i < 80, math.IsNaN(v), "element %d", i)
		}
	}
}

// What is not exactly an epilogue of the library's is fused in a kernel, which computes
// what the evaluator does, as are products that are too small.
func TestNoProducts(t *testing.T) {
	trials.Sequential(t)
	m := matmul{types.F32, types.F32, plainDims, []int{72, 40}, []int{40, 80}, []int{72, 80}, ""}
	for _, c := range []struct{ name, tail string }{
		{"GELU", geluTail},
		{"two residuals", "%1 = stablehlo.add %0, %r : #D\n  %2 = stablehlo.abs %r : #D\n  %y = stablehlo.add %1, %2 : #D"},
		{"a transposed residual", "%1 = stablehlo.reshape %r : (#D) -> tensor<80x72xf32>\n  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<80x72xf32>) -> #D\n  %y = stablehlo.add %0, %2 : #D"},
		{"a bias of rows", "%1 = stablehlo.slice %r [0:72, 0:1] : (#D) -> tensor<72x1xf32>\n  %2 = stablehlo.reshape %1 : (tensor<72x1xf32>) -> tensor<72xf32>\n  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<72xf32>) -> #D\n  %y = stablehlo.add %0, %3 : #D"},
		{"ReLU", reluTail},
		{"ReLU and a bias", withBiasReLU},
		{"a minimum", strings.Replace(reluTail, "maximum", "minimum", 1)},
		{"tanh", "%y = stablehlo.tanh %0 : #D"},
		{"a multiple", "%y = stablehlo.add %0, %0 : #D"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := multiplying(t, cudafake.Options{})
			m := m
			m.tail = c.tail
			e := compile(t, b, m.text(), backends.Options{TF32: true})
			for i := range e.steps {
				require.False(t, e.steps[i].taken, "step %d", i)
			}
			args := m.args()
			call := &backends.Call{Args: args}
			require.NoError(t, e.Execute(t.Context(), call))
			got := numbersOf(t, call.Results[0])
			for i, v := range numbersOf(t, results(t, m.text(), args...)[0]) {
				require.InDelta(t, v, got[i], 1e-5*max(math.Abs(v), 1), "element %d", i)
			}
		})
	}
	b, _ := multiplying(t, cudafake.Options{})
	b.dev.products.least = leastWork
	e := compile(t, b, m.text(), backends.Options{})
	require.NotNil(t, e.steps[0].product)
	require.False(t, e.steps[0].taken)
	require.Zero(t, e.besides)
}

// Where the library cannot be used, or says no, the backend's own kernels compute the
// same.
func TestProductsFallBack(t *testing.T) {
	trials.Sequential(t)
	aboutFake(t)
	m := matmul{types.F32, types.F32, plainDims, []int{72, 40}, []int{40, 80}, []int{72, 80}, withBiasTail}
	args := m.args()
	want := numbersOf(t, results(t, m.text(), args...)[0])
	for _, c := range []struct {
		call   string
		status cublaslt.Status
		taken  bool
	}{
		{"cublasLtCreate", cublaslt.NotInitialized, false},
		{"cublasLtMatmulAlgoGetHeuristic", cublaslt.NotSupported, false},
		{"cublasLtMatmulAlgoGetHeuristic", cublaslt.InternalError, false},
		{"cublasLtMatmulPreferenceCreate", cublaslt.AllocFailed, false},
		{"cublasLtMatmul", cublaslt.NotSupported, true},
		{"cublasLtMatmul", cublaslt.ExecutionFailed, true},
	} {
		t.Run(c.call+" "+c.status.Error(), func(t *testing.T) {
			b, f := multiplying(t, cudafake.Options{Seed: 1})
			f.Fail(c.call, 0, driver.Code(c.status))
			e := compile(t, b, m.text(), backends.Options{})
			require.Equal(t, c.taken, e.steps[0].taken)
			call := &backends.Call{Args: args}
			for range 2 { // the library is not asked again
				require.NoError(t, e.Execute(t.Context(), call))
				require.Equal(t, want, numbersOf(t, call.Results[0]))
			}
			require.Equal(t, Launches{Kernels: 2}, e.Launches())
		})
	}
	b, _ := multiplying(t, cudafake.Options{Seed: 1})
	b.dev.products.open = func() (opener, error) { return nil, cublaslt.ErrVersion }
	e := compile(t, b, m.text(), backends.Options{})
	call := &backends.Call{Args: args}
	require.NoError(t, e.Execute(t.Context(), call))
	require.Equal(t, want, numbersOf(t, call.Results[0]))
}

// Matrices that lie at addresses that the library is not promised are a kernel's.
func TestProductsMoved(t *testing.T) {
	trials.Sequential(t)
	b, _ := multiplying(t, cudafake.Options{Seed: 4})
	m := matmul{types.F32, types.F32, plainDims, []int{72, 40}, []int{40, 80}, []int{72, 80}, withBiasTail}
	e := compile(t, b, m.text(), backends.Options{})
	args := m.args()
	want := numbersOf(t, results(t, m.text(), args...)[0])
	for i, off := range []int{0, 16, 8, 32, 4} {
		for j, a := range m.args() {
			args[j] = moved(t, b, a, off)
		}
		call := &backends.Call{Args: args}
		require.NoError(t, e.Execute(t.Context(), call))
		require.Equal(t, want, numbersOf(t, call.Results[0]), "%d bytes off", off)
		require.Equal(t, []int64{1, 2, 2, 3, 3}[i], e.Launches().Products)
	}
}

// What is added may be what is written over: a donated argument.
func TestProductsOver(t *testing.T) {
	trials.Sequential(t)
	b, _ := multiplying(t, cudafake.Options{Seed: 6})
	m := matmul{types.F32, types.F32, plainDims, []int{72, 40}, []int{40, 80}, []int{72, 80}, "%y = stablehlo.add %0, %r : #D"}
	text := strings.Replace(m.text(), "%r: tensor<72x80xf32>", "%r: tensor<72x80xf32> {tf.aliasing_output = 0 : i32}", 1)
	e := compile(t, b, text, backends.Options{})
	args := m.args()
	want := results(t, text, args...)[0]
	for i, a := range args {
		there, err := b.Make(a.Type)
		require.NoError(t, err)
		require.NoError(t, soa.Copy(there, a))
		args[i] = there
	}
	call := &backends.Call{Args: args, Resident: true}
	require.NoError(t, e.Execute(t.Context(), call))
	require.Equal(t, args[3].Base(), call.Results[0].Base(), "written in place")
	require.Equal(t, soa.Slice[float32](want), floats(t, call.Results[0]))
	require.Equal(t, Launches{Products: 1}, e.Launches())
}

// A program of all sizes has an algorithm for each, and what it takes besides is in its
// block.
func TestProductsOfOpenSizes(t *testing.T) {
	trials.Sequential(t)
	b, f := multiplying(t, cudafake.Options{Seed: 5})
	text := `func.func public @main(%x: tensor<?x40xf32>, %w: tensor<40x80xf32>) -> tensor<?x80xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x40xf32>, tensor<40x80xf32>) -> tensor<?x80xf32>
  return %0 : tensor<?x80xf32>
}`
	e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	asked := func() int64 { return f.Calls("cublasLtMatmulAlgoGetHeuristic") }
	for _, c := range []struct {
		n     int
		taken bool
	}{{72, true}, {100, true}, {16, false}, {72, true}} {
		m := matmul{types.F32, types.F32, plainDims, []int{c.n, 40}, []int{40, 80}, []int{c.n, 80}, ""}
		args := m.args()
		call := &backends.Call{Args: args[:2]}
		before := int64(0)
		if f != nil {
			before = asked()
		}
		require.NoError(t, e.Execute(t.Context(), call))
		require.Equal(t, numbersOf(t, results(t, m.text(), args...)[0]), numbersOf(t, call.Results[0]))
		on, err := e.(*openExecutable).Dense().at(t.Context(), []int64{int64(c.n)})
		require.NoError(t, err)
		require.Equal(t, c.taken, on.steps[0].taken)
		require.Equal(t, c.taken, on.besides > 0 || f == nil && c.taken)
		if f != nil && c.n == 100 {
			require.EqualValues(t, 1, asked()-before)
		}
	}
}

// A step of training whose products are the library's learns what the evaluator does.
func TestProductsTrain(t *testing.T) {
	if trials.Few() {
		t.Skip("the same as the others, and longer")
	}
	b, _ := multiplying(t, cudafake.Options{Seed: 8})
	cpu, err := lazy.Open("eval")
	require.NoError(t, err)
	n := network{rows: 64, in: 64, hidden: 72, out: 64, scale: 0.2}
	require.InDeltaSlice(t, n.train(t, cpu, 3), n.train(t, lazily(t, b), 3), 1e-5)
}

// What is logged of a program goes to the logger of its options.
func TestLogger(t *testing.T) {
	trials.Sequential(t)
	aboutFake(t)
	others := logged(t)
	b, _ := backend(t, cudafake.Options{Seed: 1})
	b.dev.products.least = 1
	b.dev.products.open = func() (opener, error) { return nil, cublaslt.ErrVersion }
	var said strings.Builder
	m := matmul{types.F32, types.F32, plainDims, []int{72, 40}, []int{40, 80}, []int{72, 80}, ""}
	compile(t, b, m.text(), backends.Options{Logger: slog.New(slog.NewTextHandler(&said, nil))})
	require.Contains(t, said.String(), "cuBLASLt cannot be used")
	require.Empty(t, others())
}
