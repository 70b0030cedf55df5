package llvm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/internal/samples"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// multiplied is a kernel of matrices whose second one can be packed.
const multiplied = `
kernel bias(x: f32[n0, n2] strides [*, 1], w: f32[n2, n1] strides [*, 1], b: f32[n1] strides [1], out y: f32[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage k < n2 {
    %0 = load x[i, k]
    %1 = load w[k, j]
    %2 = multiply %0, %1 : f32
    %3 = reduce add %2
  }
  stage {
    %4 = load b[j]
    %5 = add %3, %4 : f32
    store y[i, j], %5
  }
}
`

// multipliedOf is multiplied, of a matrix of narrow elements.
func multipliedOf(d types.DType) string {
	if d == types.F32 {
		return multiplied
	}
	return strings.NewReplacer("w: f32", "w: "+d.String(),
		"%2 = multiply %0, %1 : f32\n    %3 = reduce add %2", "%2 = convert %1 : f32\n    %3 = multiply %0, %2 : f32\n    %4 = reduce add %3",
		"%4 = load b[j]\n    %5 = add %3, %4 : f32\n    store y[i, j], %5", "%5 = load b[j]\n    %6 = add %4, %5 : f32\n    store y[i, j], %6").Replace(multiplied)
}

// Bound products read the packed matrix alone: the one that it was made of may
// change, and results have the same bits. It is packed once for all sizes, in as many
// bytes as its elements have, and preparing for another one allocates nothing.
func TestBoundProduct(t *testing.T) {
	trials.Sequential(t)
	for _, c := range compilers(t) {
		wide := boundProduct(t, c, types.F32)
		require.Equal(t, wide/2, boundProduct(t, c, types.BF16), c.machine.Level)
		require.Equal(t, wide/2, boundProduct(t, c, types.F16), c.machine.Level)
		require.Equal(t, wide/4, boundProduct(t, c, types.I8), c.machine.Level)
	}
}

// boundProduct returns how many bytes a matrix of elements d is packed to.
func boundProduct(t *testing.T, c *shared, d types.DType) (bytes int) {
	const most, n, k = 460, 601, 700
	parsed, err := kernel.Parse(strings.TrimSpace(multipliedOf(d)))
	require.NoError(t, err)
	plain := compile(t, c, parsed)[0].(kernel.Preparer)
	matrix := func(d types.DType, elements, seed int) soa.View {
		v, err := samples.Make(types.Of(d, elements), fmt.Sprint("rand:", seed))
		require.NoError(t, err)
		return v
	}
	x, w, b, y := matrix(types.F32, most*k, 1), matrix(d, k*n, 2), matrix(types.F32, n, 3), matrix(types.F32, most*n, 4)
	mem := []unsafe.Pointer{x.Base(), w.Base(), b.Base(), y.Base()}
	launch, strides := []int64{0, n, k}, []int64{k, n, n}
	prepare := func(code kernel.Code, m int64, last kernel.Code) kernel.Code {
		launch[0] = m
		code, err := code.(kernel.Preparer).Prepare(t.Context(), launch, strides, last)
		require.NoError(t, err)
		return code
	}
	run := func(code kernel.Code, m int64) []byte {
		sizes := []int64{m, n, k}
		work := soa.Make(types.Type{DType: types.U8, Shape: types.Shape{code.Scratch(sizes, 1)}})
		require.NoError(t, code.Run(&kernel.Call{Mem: mem, Sizes: sizes, Strides: []int64{k, n, n}, Scratch: work.Base(), Parts: 1}))
		return slices.Clone(unsafe.Slice((*byte)(y.Base()), 4*m*n))
	}
	sizes := []int64{most, 1, 90, most, 2, 200}
	var want [][]byte
	for _, m := range sizes {
		want = append(want, run(prepare(plain, m, nil), m))
	}
	kept := keeper{}
	require.Same(t, plain, plain.(kernel.Binder).Bind([]unsafe.Pointer{x.Base(), nil, b.Base(), nil}, kept), "nothing to pack")
	bound := plain.(kernel.Binder).Bind([]unsafe.Pointer{nil, w.Base(), nil, nil}, kept)
	code := prepare(bound, most, nil)
	require.Len(t, kept, 1)
	all := []int64{most, n, k}
	if d == types.F32 { // others convert a block at a time for many rows
		require.Less(t, code.Scratch(all, 1), prepare(plain, most, nil).Scratch(all, 1))
	}
	elements := unsafe.Slice((*byte)(w.Base()), w.Type.Bytes())
	saved := slices.Clone(elements)
	for i, m := range sizes {
		if code = prepare(bound, m, code); code.(*product).packed != nil {
			clear(elements)
		}
		require.Equal(t, want[i], run(code, m), "%v, %d rows", c.machine.Level, m)
		copy(elements, saved)
	}
	require.Len(t, kept, 1, "one for all sizes")
	require.Zero(t, testing.AllocsPerRun(3, func() {
		for _, m := range sizes {
			code = prepare(bound, m, code)
		}
	}))
	for _, v := range kept {
		bytes += v.Type.Bytes()
	}
	return bytes
}

// A matrix that takes more memory than the constants that it is computed from is packed in
// each run.
func TestBoundProductOfFewBytes(t *testing.T) {
	trials.Sequential(t)
	const m, n, k = 200, 601, 700
	text := strings.NewReplacer("w: f32[n2, n1] strides [*, 1]", "w: f32[n2] strides [1]", "%1 = load w[k, j]", "%1 = load w[k]",
		"    %2 = multiply %0, %1 : f32\n    %3 = reduce add %2\n", "    %2 = load b[j]\n    %3 = add %1, %2 : f32\n    %4 = multiply %0, %3 : f32\n    %5 = reduce add %4\n",
		"%4 = load b[j]\n    %5 = add %3, %4", "%6 = load b[j]\n    %7 = add %5, %6", "], %5", "], %7").Replace(multiplied)
	parsed, err := kernel.Parse(strings.TrimSpace(text))
	require.NoError(t, err)
	for _, c := range compilers(t) {
		plain := compile(t, c, parsed)[0].(kernel.Preparer)
		x, w, b, y := soa.Make(types.Of(types.F32, m*k)), soa.Make(types.Of(types.F32, k)), soa.Make(types.Of(types.F32, n)), soa.Make(types.Of(types.F32, m*n))
		for _, v := range []soa.View{x, w, b} {
			for i, e := 0, soa.Slice[float32](v); i < len(e); i++ {
				e[i] = float32(i%13) - 6
			}
		}
		mem := []unsafe.Pointer{x.Base(), w.Base(), b.Base(), y.Base()}
		sizes, strides := []int64{m, n, k}, []int64{k, n}
		run := func(code kernel.Code) []byte {
			code, err := code.(kernel.Preparer).Prepare(t.Context(), sizes, strides, nil)
			require.NoError(t, err)
			require.True(t, code.(*product).plan.Packs(), "each run packs")
			work := soa.Make(types.Of(types.U8, code.Scratch(sizes, 1)))
			require.NoError(t, code.Run(&kernel.Call{Mem: mem, Sizes: sizes, Strides: strides, Scratch: work.Base(), Parts: 1}))
			return slices.Clone(unsafe.Slice((*byte)(y.Base()), 4*m*n))
		}
		kept := keeper{}
		want := run(plain)
		require.Equal(t, want, run(plain.(kernel.Binder).Bind([]unsafe.Pointer{nil, mem[1], mem[2], nil}, kept)))
		require.Empty(t, kept)
	}
}

// keeper is a [kernel.Keeper].
type keeper map[string]soa.View

func (k keeper) Keep(f kernel.Form) unsafe.Pointer {
	key := fmt.Sprint(f.Key, " ", f.Of)
	v, ok := k[key]
	if !ok {
		v = soa.Make(types.Of(types.U8, f.Bytes))
		f.Write(v.Base())
		k[key] = v
	}
	return v.Base()
}

// bindable are programs with matrices that can be bound. The matrix is on the right, the
// same for all matrices of a batch or one for each, and in one order or the other. It is
// multiplied by a vector, twice, and through a loop.
var bindable = []string{`func.func @main(%x: tensor<3x130x70xf32>, %w: tensor<70x90xf32> {ltc.constant}, %b: tensor<90xf32> {ltc.constant}) -> tensor<3x130x90xf32> {
	%0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<3x130x70xf32>, tensor<70x90xf32>) -> tensor<3x130x90xf32>
	%1 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<90xf32>) -> tensor<3x130x90xf32>
	%2 = stablehlo.add %0, %1 : tensor<3x130x90xf32>
	return %2 : tensor<3x130x90xf32>
}`, `func.func @main(%x: tensor<4x130x64xbf16>, %w: tensor<4x90x64xbf16> {ltc.constant}) -> tensor<4x130x90xbf16> {
	%0 = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x130x64xbf16>, tensor<4x90x64xbf16>) -> tensor<4x130x90xbf16>
	return %0 : tensor<4x130x90xbf16>
}`, `func.func @main(%x: tensor<1x700xf32>, %w: tensor<700x90xf32> {ltc.constant}) -> tensor<1x90xf32> {
	%0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x700xf32>, tensor<700x90xf32>) -> tensor<1x90xf32>
	return %0 : tensor<1x90xf32>
}`, `func.func @main(%x: tensor<300x610xf32>, %w: tensor<610x610xf32> {ltc.constant}) -> tensor<300x610xf32> {
	%0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<300x610xf32>, tensor<610x610xf32>) -> tensor<300x610xf32>
	%1 = stablehlo.tanh %0 : tensor<300x610xf32>
	%2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [1] : (tensor<300x610xf32>, tensor<610x610xf32>) -> tensor<300x610xf32>
	return %2 : tensor<300x610xf32>
}`, `func.func @main(%x: tensor<200x64xf32>, %w: tensor<64x64xf32> {ltc.constant}) -> tensor<200x64xf32> {
	%c = stablehlo.constant dense<3> : tensor<i32>
	%one = stablehlo.constant dense<1> : tensor<i32>
	%r:2 = stablehlo.while(%i = %c, %y = %x) : tensor<i32>, tensor<200x64xf32>
	cond {
		%z = stablehlo.constant dense<0> : tensor<i32>
		%p = stablehlo.compare GT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
		stablehlo.return %p : tensor<i1>
	} do {
		%n = stablehlo.subtract %i, %one : tensor<i32>
		%d = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<200x64xf32>, tensor<64x64xf32>) -> tensor<200x64xf32>
		%e = stablehlo.tanh %d : tensor<200x64xf32>
		stablehlo.return %n, %e : tensor<i32>, tensor<200x64xf32>
	}
	return %r#1 : tensor<200x64xf32>
}`, `func.func @main(%x: tensor<130x70xf32>, %w: tensor<70x90xbf16> {ltc.constant}) -> tensor<130x90xf32> {
	%0 = stablehlo.convert %w : (tensor<70x90xbf16>) -> tensor<70x90xf32>
	%1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (tensor<130x70xf32>, tensor<70x90xf32>) -> tensor<130x90xf32>
	return %1 : tensor<130x90xf32>
}`, `func.func @main(%x: tensor<300x610xf16>, %w: tensor<90x610xf16> {ltc.constant}, %s: tensor<610xf16> {ltc.constant}) -> tensor<300x90xf16> {
	%0 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<610xf16>) -> tensor<90x610xf16>
	%1 = stablehlo.multiply %w, %0 : tensor<90x610xf16>
	%2 = stablehlo.dot_general %x, %1, contracting_dims = [1] x [1] : (tensor<300x610xf16>, tensor<90x610xf16>) -> tensor<300x90xf16>
	return %2 : tensor<300x90xf16>
}`, `func.func @main(%x: tensor<2x20x20x16xf32>, %w: tensor<3x3x16x40xf16> {ltc.constant}) -> tensor<2x18x18x40xf32> {
	%0 = stablehlo.convert %w : (tensor<3x3x16x40xf16>) -> tensor<3x3x16x40xf32>
	%1 = stablehlo.convolution(%x, %0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x20x20x16xf32>, tensor<3x3x16x40xf32>) -> tensor<2x18x18x40xf32>
	return %1 : tensor<2x18x18x40xf32>
}`, strings.ReplaceAll(dequantised, "130x", "8x"), `func.func @main(%x: tensor<5x610xf16>, %w: tensor<90x610xi8> {ltc.constant}, %z: tensor<90x610xi8> {ltc.constant}, %s: tensor<90xf16> {ltc.constant}) -> tensor<5x90xf16> {
	%0 = stablehlo.subtract %w, %z : tensor<90x610xi8>
	%1 = stablehlo.convert %0 : (tensor<90x610xi8>) -> tensor<90x610xf16>
	%2 = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<90xf16>) -> tensor<90x610xf16>
	%3 = stablehlo.multiply %1, %2 : tensor<90x610xf16>
	%4 = stablehlo.dot_general %x, %3, contracting_dims = [1] x [1] : (tensor<5x610xf16>, tensor<90x610xf16>) -> tensor<5x90xf16>
	return %4 : tensor<5x90xf16>
}`, `func.func @main(%x: tensor<40x610xi8>, %w: tensor<610x90xi8> {ltc.constant}) -> tensor<40x90xi32> {
	%0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<40x610xi8>, tensor<610x90xi8>) -> tensor<40x90xi32>
	return %0 : tensor<40x90xi32>
}`, dequantised, strings.ReplaceAll(dequantised, "tensor<90xf32> {ltc.constant}", "tensor<90xf32>")}

// dequantised is a program whose constant matrix is of bytes, with a scale for
// each column.
const dequantised = `func.func @main(%x: tensor<130x70xf32>, %w: tensor<70x90xui8> {ltc.constant}, %s: tensor<90xf32> {ltc.constant}) -> tensor<130x90xf32> {
	%0 = stablehlo.convert %w : (tensor<70x90xui8>) -> tensor<70x90xf32>
	%1 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<90xf32>) -> tensor<70x90xf32>
	%2 = stablehlo.multiply %0, %1 : tensor<70x90xf32>
	%3 = stablehlo.dot_general %x, %2, contracting_dims = [1] x [0] : (tensor<130x70xf32>, tensor<70x90xf32>) -> tensor<130x90xf32>
	return %3 : tensor<130x90xf32>
}`

// Bound programs give the bits of those that are not, for any number of threads.
func TestBoundPrograms(t *testing.T) {
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	for n, text := range bindable {
		var first []byte
		for _, threads := range []int{1, 2, 3} {
			e, err := cpu.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: threads})
			require.NoError(t, err)
			constants := map[int]soa.View{}
			var args []soa.View
			for i, a := range e.Signature().Args {
				v, err := samples.Make(a.Type, fmt.Sprint("rand:", i))
				require.NoError(t, err)
				args = append(args, v)
				if a.Constant {
					constants[i] = v
				}
			}
			run := func(e backends.Executable, args []soa.View) []byte {
				c := &backends.Call{Args: args}
				require.NoError(t, e.Execute(t.Context(), c))
				r := c.Results[0]
				return slices.Clone(unsafe.Slice((*byte)(r.Base()), r.Type.Bytes()))
			}
			want := run(e, args)
			if first == nil {
				first = want
			}
			require.Equal(t, first, want, "program %d, %d threads", n, threads)
			bound, err := e.Bind(t.Context(), constants)
			require.NoError(t, err)
			for i := range constants {
				args[i] = soa.View{}
			}
			require.Equal(t, want, run(bound, args), "program %d, %d threads", n, threads)
		}
	}
}

// Kernels that read a matrix alike share what it is packed to, whatever the other
// operand's layout, the epilogue and the order of the axes are; others do not.
func TestKernelsSharePackedOperands(t *testing.T) {
	trials.Sequential(t)
	const m, n, k = 200, 601, 601
	c := compilers(t)[0]
	w, x := soa.Make(types.Of(types.F32, n*k+k)), soa.Make(types.Of(types.F32, m*k))
	for i, e := range [][]float32{soa.Slice[float32](w), soa.Slice[float32](x)} {
		for j := range e {
			e[j] = float32((j+i)%13) - 6
		}
	}
	b, y := soa.Make(types.Of(types.F32, n)), soa.Make(types.Of(types.F32, m*n))
	mem := []unsafe.Pointer{x.Base(), w.Base(), b.Base(), y.Base()}
	kept := keeper{}
	for _, tt := range []struct {
		name string
		old  []string // and new, of the kernel's text
		x    []int64  // strides
		at   int      // the first element of w
		want int      // forms
	}{
		{name: "dense", want: 1},
		{name: "again", want: 1},
		{name: "columns", old: []string{"x: f32[n0, n2] strides [*, 1]", "x: f32[n0, n2] strides [1, *]"}, x: []int64{m}, want: 1},
		{name: "another epilogue", old: []string{"add %3, %4", "maximum %3, %4"}, want: 1},
		{name: "other numbers", old: []string{"%0 = load x[i, k]\n    %1 = load w[k, j]\n    %2 = multiply %0, %1", "%0 = load w[k, j]\n    %1 = load x[i, k]\n    %2 = multiply %1, %0"}, want: 1},
		{name: "transposed", old: []string{"w[k, j]", "w[j, k]", "w: f32[n2, n1]", "w: f32[n1, n2]"}, want: 2},
		{name: "elsewhere", at: k, want: 3},
		{name: "computed", old: []string{"    %2 = multiply %0, %1 : f32\n    %3 = reduce add %2\n", "    %2 = add %1, %1 : f32\n    %3 = multiply %0, %2 : f32\n    %4 = reduce add %3\n", "%4 = load b[j]\n    %5 = add %3, %4", "%5 = load b[j]\n    %6 = add %4, %5", "], %5", "], %6"}, want: 4},
		{name: "computed, columns", old: []string{"x: f32[n0, n2] strides [*, 1]", "x: f32[n0, n2] strides [1, *]", "    %2 = multiply %0, %1 : f32\n    %3 = reduce add %2\n", "    %2 = add %1, %1 : f32\n    %3 = multiply %0, %2 : f32\n    %4 = reduce add %3\n", "%4 = load b[j]\n    %5 = add %3, %4", "%5 = load b[j]\n    %6 = add %4, %5", "], %5", "], %6"}, x: []int64{m}, want: 4},
	} {
		text := multiplied
		for i := 0; i < len(tt.old); i += 2 {
			require.Contains(t, text, tt.old[i], tt.name)
			text = strings.ReplaceAll(text, tt.old[i], tt.old[i+1])
		}
		parsed, err := kernel.Parse(strings.TrimSpace(text))
		require.NoError(t, err, tt.name)
		plain := compile(t, c, parsed)[0].(kernel.Preparer)
		mem[1] = unsafe.Add(w.Base(), 4*tt.at)
		sizes, strides := []int64{m, n, k}, []int64{k, n, n}
		copy(strides, tt.x)
		run := func(code kernel.Code) []byte {
			code, err := code.(kernel.Preparer).Prepare(t.Context(), sizes, strides, nil)
			require.NoError(t, err)
			work := soa.Make(types.Of(types.U8, code.Scratch(sizes, 1)))
			require.NoError(t, code.Run(&kernel.Call{Mem: mem, Sizes: sizes, Strides: strides, Scratch: work.Base(), Parts: 1}))
			return slices.Clone(unsafe.Slice((*byte)(y.Base()), 4*m*n))
		}
		want := run(plain)
		require.Equal(t, want, run(plain.(kernel.Binder).Bind([]unsafe.Pointer{nil, mem[1], nil, nil}, kept)), tt.name)
		require.Len(t, kept, tt.want, tt.name)
	}
}
