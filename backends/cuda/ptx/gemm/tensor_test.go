package gemm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/ptx"
	"ltc/backends/cuda/ptx/gemm"
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/tiles"
	"ltc/internal/test/ptxas"
	"ltc/internal/test/ptxsim"
	"ltc/ir/types"
)

// along are the strides of a factor: its rows, or columns, lie along K, or K lies
// along them, or no neighbours are known.
var along = map[string]string{"K": "*, 1", "rows": "1, *", "none": "*, *"}

// matrices is a product of matrices for tensor cores, of factors of a type that lie
// along K or not: of batches, with a bias, an activation and a residual behind it.
func matrices(t testing.TB, elements, a, b string) *kernel.Kernel {
	t.Helper()
	convert, product := "%2 = convert %0 : f32\n %3 = convert %1 : f32", "%2, %3"
	if elements == "f32" {
		convert, product = "", "%0, %1"
	}
	k, err := kernel.Parse(fmt.Sprintf(`kernel k(x0: %[1]s[n3, n0, n2] strides [*, %[2]s], x1: %[1]s[n3, n1, n2] strides [*, %[3]s], x2: f32[n1] strides [1], x3: f32[n3, n0, n1] strides [*, *, 1], out y: f32[n3, n0, n1] strides [*, *, 1]) {
  for b < n3
  for i < n0
  for j < n1
  stage k < n2 {
    %%0 = load x0[b, i, k]
    %%1 = load x1[b, j, k]
    %[4]s
    %%4 = multiply %[5]s : f32
    %%5 = reduce add %%4
  }
  stage {
    %%6 = load x2[j]
    %%7 = add %%5, %%6 : f32
    %%8 = constant 0.0 : f32
    %%9 = maximum %%7, %%8 : f32
    %%10 = load x3[b, i, j]
    %%11 = add %%9, %%10 : f32
    store y[b, i, j], %%11
  }
}`, elements, along[a], along[b], convert, product))
	require.NoError(t, err)
	require.NoError(t, kernel.Verify(k))
	return k
}

// whole fills operands with small integers, whose products and sums are exact.
func whole(m *kerneltest.Memory) {
	r := rand.New(rand.NewPCG(5, 6))
	for p := range m.Kernel.Params {
		values := m.Get(p)
		for i := range values {
			v := float64(r.IntN(9) - 4)
			switch m.Kernel.Params[p].DType {
			case types.F32:
				values[i] = uint64(math.Float32bits(float32(v)))
			case types.BF16:
				values[i] = uint64(types.ToBFloat16(v))
			case types.F16:
				values[i] = uint64(types.ToFloat16(v))
			}
		}
		m.Set(p, values)
	}
}

func evaluate(m *kerneltest.Memory) error {
	return kernel.Evaluate(m.Kernel, m.Sizes, m.Mem, m.Strides, tiles.Scalars{})
}

// compile makes kernels of a StableHLO text.
func compile(t testing.TB, text string, o fuse.Options) *plan.Program {
	t.Helper()
	l, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	p, err := kit.Compile(t.Context(), l, kit.Options{Eval: eval.New(), Fuse: o})
	require.NoError(t, err)
	return p
}

// planned returns the text and the schedule of a kernel for tensor cores.
func planned(t testing.TB, k *kernel.Kernel) (string, *gemm.Schedule) {
	t.Helper()
	return plannedFor(t, k, gemm.Options{TF32: true})
}

func plannedFor(t testing.TB, k *kernel.Kernel, o gemm.Options) (string, *gemm.Schedule) {
	t.Helper()
	s := gemm.Plan(k, o)
	require.NotNil(t, s)
	require.True(t, s.Tensor())
	var entries []string
	for n := range s.Variants() {
		e, err := s.Variant(asm.Launch{Variant: n}.Entry("k"), n)
		require.NoError(t, err)
		entries = append(entries, e)
	}
	return ptx.Options{Hopper: o.Hopper}.Module(entries...), s
}

// What a block's memory may take, of all GPUs and of those of sm_90a.
const (
	mostShared       = 99 << 10
	mostHopperShared = 227 << 10
)

// of is a launch of a variant, whichever sizes would choose, in so many blocks.
func of(variant, blocks int) asm.Launch {
	return asm.Launch{Variant: variant, Grid: [3]int{blocks, 1, 1}, Shared: mostHopperShared}
}

// tensored runs a module, with operands aligned as devices' memory is, and words of
// more arguments.
func tensored(module string, l asm.Launch, more ...uint64) func(m *kerneltest.Memory) error {
	return counted(module, l, new(int), more...)
}

// counted is tensored that says how many instructions the threads took.
func counted(module string, l asm.Launch, steps *int, more ...uint64) func(m *kerneltest.Memory) error {
	return func(m *kerneltest.Memory) error {
		parsed, err := ptxsim.Parse(module)
		if err != nil {
			return err
		}
		entry, err := parsed.Entry(l.Entry("k"))
		if err != nil {
			return err
		}
		if l.Block[0] == 0 {
			l.Block = [3]int{entry.Threads, 1, 1}
		}
		var memory ptxsim.Memory
		var args []uint64
		for p := range m.Kernel.Params {
			b, first := m.Around(p)
			at := uint64(p+1) << 40
			memory.Map(at-uint64(first), b)
			args = append(args, at)
		}
		for _, list := range [][]int64{m.Sizes, m.Strides} {
			for _, n := range list {
				args = append(args, uint64(n))
			}
		}
		args = append(args, more...)
		*steps, err = entry.Run(&memory, ptxsim.Launch{Grid: l.Grid, Block: l.Block, Shared: l.Shared, Args: args, Steps: 1 << 30})
		return err
	}
}

// Tensor cores compute what the evaluator does, to the bit where sums are exact:
// factors of each type that lie in each way, aligned and not, by each tile, with
// and without remainders.
func TestTensor(t *testing.T) {
	type layouts []kerneltest.Layout
	both := layouts{kerneltest.Dense, kerneltest.Spread}
	for _, c := range []struct {
		elements, a, b       string
		variant              int
		rows, columns, depth int64
		batch                int64
		layouts              layouts
	}{
		{"bf16", "K", "K", 0, 136, 136, 72, 1, both},
		{"bf16", "rows", "rows", 0, 136, 136, 72, 1, both[:1]},
		{"f16", "K", "rows", 0, 128, 128, 64, 1, both[:1]},
		{"f32", "K", "rows", 0, 136, 72, 40, 1, both[:1]},
		{"bf16", "K", "K", 1, 64, 64, 64, 1, both},
		{"bf16", "K", "rows", 1, 72, 72, 328, 2, both},
		{"bf16", "rows", "K", 1, 72, 72, 72, 1, both},
		{"bf16", "rows", "rows", 1, 72, 72, 72, 1, both},
		{"bf16", "none", "K", 1, 9, 72, 24, 1, both},
		{"bf16", "rows", "none", 1, 72, 9, 24, 1, both},
		{"bf16", "none", "none", 1, 17, 18, 3, 2, both},
		{"bf16", "K", "rows", 1, 40, 40, 0, 1, both},
		{"bf16", "K", "rows", 1, 1, 1, 1, 1, both},
		{"f16", "K", "K", 1, 64, 72, 72, 1, both},
		{"f16", "rows", "rows", 1, 64, 72, 72, 1, both[:1]},
		{"f32", "K", "K", 1, 64, 72, 40, 1, both},
		{"f32", "rows", "K", 1, 64, 72, 40, 1, both[:1]},
		{"f32", "rows", "rows", 1, 72, 64, 40, 1, both},
		{"bf16", "K", "rows", 2, 3, 200, 136, 1, both},
		{"bf16", "rows", "K", 2, 16, 128, 72, 1, both[:1]},
		{"f32", "rows", "rows", 2, 7, 136, 40, 1, both[:1]},
		{"bf16", "rows", "rows", 3, 136, 8, 72, 2, both[:1]},
		{"bf16", "K", "K", 3, 136, 5, 72, 1, both[:1]},
		{"f32", "K", "rows", 3, 136, 8, 40, 1, both[:1]},
	} {
		t.Run(fmt.Sprintf("%s/%s %s/%d/%dx%dx%d by %d", c.elements, c.a, c.b, c.variant, c.rows, c.columns, c.depth, c.batch), func(t *testing.T) {
			k := matrices(t, c.elements, c.a, c.b)
			module, _ := planned(t, k)
			for i, layout := range c.layouts {
				product(t, k, tensored(module, of(c.variant, 3-i)), layout, c.rows, c.columns, c.depth, c.batch)
			}
		})
	}
}

// Rows that are no multiple of 16 bytes are copied by words of four bytes: asynchronously
// where the rows begin at multiples of four, else by the words between their ends. No tile
// copies element by element.
func TestTensorCopiesWords(t *testing.T) {
	for _, c := range []struct {
		elements, a, b string
		options        gemm.Options
		variant        int
	}{
		{"bf16", "K", "rows", gemm.Options{}, 1},
		{"f16", "rows", "K", gemm.Options{}, 2},
		{"bf16", "K", "K", gemm.Options{}, 0},
		{"f16", "rows", "rows", gemm.Options{}, 1},
		{"f32", "K", "rows", gemm.Options{}, 1},
		{"f32", "K", "K", gemm.Options{TF32: true}, 1},
		{"bf16", "K", "rows", gemm.Options{Hopper: true}, 0},
	} {
		k := matrices(t, c.elements, c.a, c.b)
		module, _ := plannedFor(t, k, c.options)
		if c.elements != "f32" {
			require.NotContains(t, module, "st.shared.u16", "an element of a strip is stored")
		}
		took := func(sizes ...int64) float64 {
			var steps int
			product(t, k, counted(module, of(c.variant, 1), &steps), kerneltest.Dense, sizes...)
			return float64(steps)
		}
		// Of odd rows half are at odd places, and the last chunk goes element by element.
		aligned, even, odd := took(120, 120, 200, 1), took(122, 122, 202, 1), took(121, 121, 201, 1)
		t.Logf("%s %s %s by tile %d: %.2f times the instructions of aligned rows, odd ones %.2f", c.elements, c.a, c.b, c.variant, even/aligned, odd/aligned)
		require.Less(t, even, 2*aligned)
		require.Less(t, odd, 4*aligned)
	}
}

// product requires that a run computes a kernel of matrices to the bit.
func product(t *testing.T, k *kernel.Kernel, run func(*kerneltest.Memory) error, layout kerneltest.Layout, sizes ...int64) {
	t.Helper()
	want, got, err := products(t, k, run, layout, sizes)
	require.NoError(t, err)
	require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}))
}

// products returns what a kernel of matrices is to make of integers, and what a run
// makes.
func products(t *testing.T, k *kernel.Kernel, run func(*kerneltest.Memory) error, layout kerneltest.Layout, sizes []int64) (want, got *kerneltest.Memory, err error) {
	t.Helper()
	before := kerneltest.NewMemory(k, sizes, layout, 0x5A)
	whole(before)
	want, err = before.Run(multiply)
	require.NoError(t, err)
	got, err = before.Run(run)
	return want, got, err
}

// Warpgroups do, too.
func TestTensorGroups(t *testing.T) {
	for _, c := range []struct {
		elements, a, b       string
		variant              int
		rows, columns, depth int64
		batch                int64
		layout               kerneltest.Layout
	}{
		{"bf16", "K", "K", 0, 128, 128, 64, 1, kerneltest.Dense},
		{"bf16", "K", "rows", 0, 136, 72, 456, 1, kerneltest.Dense},
		{"f16", "rows", "rows", 0, 72, 136, 72, 2, kerneltest.Dense},
		{"bf16", "rows", "K", 0, 72, 72, 72, 1, kerneltest.Spread},
		{"bf16", "none", "rows", 0, 17, 18, 3, 1, kerneltest.Dense},
		{"bf16", "K", "K", 4, 136, 264, 328, 1, kerneltest.Dense},
		{"bf16", "K", "rows", 4, 128, 256, 72, 2, kerneltest.Dense},
		{"bf16", "rows", "rows", 4, 72, 136, 136, 1, kerneltest.Dense},
		{"f16", "rows", "K", 4, 72, 136, 72, 1, kerneltest.Spread},
		{"bf16", "K", "rows", 4, 40, 40, 0, 1, kerneltest.Dense},
	} {
		t.Run(fmt.Sprintf("%s/%s %s/%d/%dx%dx%d by %d", c.elements, c.a, c.b, c.variant, c.rows, c.columns, c.depth, c.batch), func(t *testing.T) {
			k := matrices(t, c.elements, c.a, c.b)
			module, _ := plannedFor(t, k, gemm.Options{Hopper: true})
			product(t, k, tensored(module, of(c.variant, 2)), c.layout, c.rows, c.columns, c.depth, c.batch)
		})
	}
}

// multiply computes what matrices makes, of integers, which the evaluator takes
// long for; small ones it leaves to it.
func multiply(m *kerneltest.Memory) error {
	k := m.Kernel
	rows, columns, depth, batch := int(m.Sizes[0]), int(m.Sizes[1]), int(m.Sizes[2]), int(m.Sizes[3])
	if rows*columns*depth*batch < 1<<14 {
		return evaluate(m)
	}
	number := func(p int) []float64 {
		var all []float64
		for _, bits := range m.Get(p) {
			switch k.Params[p].DType {
			case types.F32:
				all = append(all, float64(math.Float32frombits(uint32(bits))))
			case types.BF16:
				all = append(all, float64(types.BFloat16(bits).Float32()))
			default:
				all = append(all, float64(types.Float16(bits).Float32()))
			}
		}
		return all
	}
	a, b, bias, more, y := number(0), number(1), number(2), number(3), m.Get(4)
	for n := range batch {
		for i := range rows {
			for j := range columns {
				sum := bias[j]
				for l := range depth {
					sum += a[(n*rows+i)*depth+l] * b[(n*columns+j)*depth+l]
				}
				at := (n*rows+i)*columns + j
				y[at] = uint64(math.Float32bits(float32(max(sum, 0) + more[at])))
			}
		}
	}
	m.Set(4, y)
	return nil
}

// Sizes choose the tile.
func TestTensorTiles(t *testing.T) {
	_, s := planned(t, matrices(t, "bf16", "K", "rows"))
	for _, c := range []struct {
		rows, columns, batch int64
		variant, blocks      int
	}{
		{8192, 8192, 1, 0, 4096},
		{1536, 1408, 1, 0, 132},
		{1024, 1024, 1, 1, 256},
		{256, 256, 32, 0, 128},
		{128, 128, 1, 1, 4},
		{16, 4096, 1, 2, 32},
		{1, 4096, 12, 2, 384},
		{4096, 16, 1, 3, 32},
		{17, 17, 1, 1, 1},
		{64, 512, 128, 1, 1024},
		{0, 17, 1, 2, 0},
	} {
		l := s.Launch([]int64{c.rows, c.columns, 512, c.batch})
		require.Equal(t, c.variant, l.Variant, "%+v", c)
		require.Equal(t, c.blocks, l.Grid[0]*l.Grid[1]*l.Grid[2], "%+v", c)
		require.LessOrEqual(t, l.Shared, mostShared)
		require.Equal(t, [3]int{128, 1, 1}, l.Block)
	}
	_, s = plannedFor(t, matrices(t, "bf16", "K", "rows"), gemm.Options{Hopper: true})
	for _, c := range []struct {
		rows, columns            int64
		variant, blocks, threads int
	}{
		{8192, 8192, 4, 2048, 256},
		{1536, 1408, 0, 132, 256},
		{256, 256, 1, 16, 128},
		{8, 4096, 2, 32, 128},
	} {
		l := s.Launch([]int64{c.rows, c.columns, 512, 1})
		require.Equal(t, c.variant, l.Variant, "%+v", c)
		require.Equal(t, c.blocks, l.Grid[0]*l.Grid[1]*l.Grid[2], "%+v", c)
		require.Equal(t, c.threads, l.Block[0], "%+v", c)
		require.Equal(t, c.threads == 256, s.Hopper(l))
		require.LessOrEqual(t, l.Shared, mostHopperShared)
	}
}

// f32 is multiplied by tensor cores only where that is allowed; else threads do, to
// the bits of a sum of fma in order.
func TestTensorExact(t *testing.T) {
	for _, c := range []struct {
		a, b                 string
		variant              int
		rows, columns, depth int64
		batch                int64
		layout               kerneltest.Layout
	}{
		{"K", "K", 0, 136, 136, 40, 1, kerneltest.Dense},
		{"rows", "rows", 0, 128, 128, 72, 1, kerneltest.Dense},
		{"K", "rows", 1, 72, 72, 136, 2, kerneltest.Dense},
		{"K", "rows", 1, 17, 18, 3, 1, kerneltest.Spread},
		{"rows", "K", 1, 72, 72, 40, 1, kerneltest.Dense},
		{"K", "K", 2, 7, 136, 40, 1, kerneltest.Dense},
		{"rows", "rows", 2, 16, 128, 40, 1, kerneltest.Dense},
		{"K", "rows", 3, 136, 5, 40, 1, kerneltest.Dense},
		{"rows", "K", 3, 128, 16, 40, 1, kerneltest.Dense},
	} {
		t.Run(fmt.Sprintf("%s %s/%d/%dx%dx%d by %d", c.a, c.b, c.variant, c.rows, c.columns, c.depth, c.batch), func(t *testing.T) {
			k := matrices(t, "f32", c.a, c.b)
			module, _ := plannedFor(t, k, gemm.Options{})
			require.NotContains(t, module, "mma")
			product(t, k, tensored(module, of(c.variant, 2)), c.layout, c.rows, c.columns, c.depth, c.batch)
		})
	}
	module, _ := planned(t, matrices(t, "f32", "K", "K"))
	require.Contains(t, module, ".tf32.")
}

// Registers of the tiles, by how factors lie.
func TestTensorRegisters(t *testing.T) {
	for _, c := range [][3]string{{"bf16", "K", "K"}, {"bf16", "K", "rows"}, {"bf16", "rows", "rows"}, {"bf16", "none", "none"}, {"f32", "K", "rows"}, {"f32", "rows", "K"}} {
		module, _ := planned(t, matrices(t, c[0], c[1], c[2]))
		require.NoError(t, ptxas.Name("tensor/"+strings.Join(c[:], "/"), module))
	}
	for _, c := range [][2]string{{"K", "K"}, {"K", "rows"}, {"rows", "rows"}} {
		module, _ := plannedFor(t, matrices(t, "f32", c[0], c[1]), gemm.Options{})
		require.NoError(t, ptxas.Name("exact/"+strings.Join(c[:], "/"), module))
		module, _ = plannedFor(t, matrices(t, "bf16", c[0], c[1]), gemm.Options{Hopper: true})
		require.NoError(t, ptxas.Name("tensor/sm_90a/bf16/"+strings.Join(c[:], "/"), module))
	}
}

// Products of programs: what is computed before them and behind, convolutions,
// results that lie across.
func TestTensorPrograms(t *testing.T) {
	for name, text := range map[string]string{
		"computed factor": `
  func.func @main(%x: tensor<20x24xbf16>, %g: tensor<24xbf16>, %w: tensor<24x32xbf16>) -> tensor<20x32xbf16> {
    %0 = stablehlo.broadcast_in_dim %g, dims = [1] : (tensor<24xbf16>) -> tensor<20x24xbf16>
    %1 = stablehlo.add %x, %0 : tensor<20x24xbf16>
    %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<20x24xbf16>, tensor<24x32xbf16>) -> tensor<20x32xbf16>
    return %2 : tensor<20x32xbf16>
  }`,
		"batches and a transposed result": `
  func.func @main(%q: tensor<2x3x24x16xf16>, %k: tensor<2x3x40x16xf16>) -> tensor<2x3x40x24xf16> {
    %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x3x24x16xf16>, tensor<2x3x40x16xf16>) -> tensor<2x3x24x40xf16>
    %1 = stablehlo.transpose %0, dims = [0, 1, 3, 2] : (tensor<2x3x24x40xf16>) -> tensor<2x3x40x24xf16>
    return %1 : tensor<2x3x40x24xf16>
  }`,
		"several axes of K": `
  func.func @main(%x: tensor<20x3x24xbf16>, %w: tensor<24x3x32xbf16>) -> tensor<20x32xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1, 2] x [1, 0] : (tensor<20x3x24xbf16>, tensor<24x3x32xbf16>) -> tensor<20x32xf32>
    return %0 : tensor<20x32xf32>
  }`,
	} {
		t.Run(name, func(t *testing.T) {
			p := compile(t, text, fuse.Options{})
			products := 0
			for n := range p.Steps {
				st := p.Steps[n].Launch()
				if st == nil {
					continue
				}
				k := p.Kernels[st.Kernel]
				_, err := ptx.Options{}.Plan(k)
				require.NoError(t, err)
				if s := gemm.Plan(k, gemm.Options{}); s == nil || !s.Tensor() {
					continue
				}
				products++
				tensorRuns(t, k, st.Sizes)
			}
			require.Equal(t, 1, products)
		})
	}
}

// tensorRuns requires that tensor cores compute what the evaluator does, of
// integers, in memory of all layouts.
func tensorRuns(t *testing.T, k *kernel.Kernel, sizes []int64) {
	t.Helper()
	module, _ := planned(t, k)
	for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread, kerneltest.Reverse} {
		before := kerneltest.NewMemory(k, sizes, layout, 0x5A)
		whole(before)
		want, err := before.Run(evaluate)
		require.NoError(t, err)
		got, err := before.Run(tensored(module, of(1, 2)))
		require.NoError(t, err)
		require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%v", k)
	}
}

// A convolution is a product whose axes of rows and of K run along the same
// dimensions; channels are its inner axis.
func TestTensorConvolution(t *testing.T) {
	k, err := kernel.Parse(`kernel k(x: bf16[n0, n5, n6, n4] strides [*, *, *, 1], w: bf16[n7, n8, n4, n3] strides [*, *, *, 1], out y: bf16[n0, n1, n2, n3] strides [*, *, *, 1]) {
  for b < n0
  for h < n1
  for v < n2
  for o < n3
  stage r < n7 s < n8 c < n4 {
    %0 = load x[b, h + r, v + s, c]
    %1 = load w[r, s, c, o]
    %2 = convert %0 : f32
    %3 = convert %1 : f32
    %4 = multiply %2, %3 : f32
    %5 = reduce add %4
  }
  stage {
    %6 = convert %5 : bf16
    store y[b, h, v, o], %6
  }
}`)
	require.NoError(t, err)
	require.NoError(t, kernel.Verify(k))
	tensorRuns(t, k, []int64{2, 3, 18, 24, 8, 5, 20, 3, 3})
}

// Mistakes planted in the text are found: by the interpreter, or by the numbers.
func TestTensorPlanted(t *testing.T) {
	k := matrices(t, "bf16", "K", "rows")
	module, s := planned(t, k)
	sizes := []int64{72, 72, 328, 1}
	l := s.Launch(sizes)
	require.Equal(t, 1, l.Variant)
	run := func(text string) func(*kerneltest.Memory) error { return tensored(text, l) }
	finds(t, k, module, l.Entry("k"), run, sizes, []mistake{
		{"no wait", "cp.async.wait_group 2;", "", "has not been waited for"},
		{"waits for too little", "cp.async.wait_group 2;", "cp.async.wait_group 3;", "has not been waited for"},
		{"no barrier", "cp.async.wait_group 2;\n\tbar.sync 0;", "cp.async.wait_group 2;", "race"},
		{"no barrier before the sums", "cp.async.wait_all;\n\tbar.sync 0;", "cp.async.wait_all;", "race"},
		{"no commit", "cp.async.commit_group;", "", "has not been waited for"},
		{"fragments the other way round", "x4.trans.shared.b16 {%r", "x4.shared.b16 {%r", ""},
		{"a transposed factor", "x4.shared.b16 {%r", "x4.trans.shared.b16 {%r", ""},
		{"wrong stride", "+2048], [", "+1024], [", "has not been waited for"},
		{"a ring that is too long", "setp.ge.u32", "setp.gt.u32", "of a block's memory, which has 65536"},
		{"a row too many", "setp.gt.u32", "setp.ge.u32", ""},
	})
}

// mistake is a change of the text of an entry, and what a run says of it; of none, its numbers are wrong.
type mistake struct{ name, old, new, want string }

// finds requires that runs of an entry of a module show each mistake in it.
func finds(t *testing.T, k *kernel.Kernel, module, entry string, run func(text string) func(*kerneltest.Memory) error, sizes []int64, mistakes []mistake) {
	t.Helper()
	for _, c := range mistakes {
		t.Run(c.name, func(t *testing.T) {
			shows(t, k, run(planted(t, module, entry, c.old, c.new)), c.want, sizes...)
		})
	}
}

// planted returns a module in whose entry the first of something is something else.
func planted(t *testing.T, module, entry, old, new string) string {
	t.Helper()
	at := strings.Index(module, ".entry "+entry+"(")
	require.Positive(t, at)
	i := strings.Index(module[at:], old)
	require.Positive(t, i)
	return module[:at+i] + new + module[at+i+len(old):]
}

// shows requires that a run of a kernel of matrices by a text with a mistake in it
// fails with what is said; of none, or that its numbers are wrong.
func shows(t *testing.T, k *kernel.Kernel, run func(*kerneltest.Memory) error, said string, sizes ...int64) {
	t.Helper()
	want, got, err := products(t, k, run, kerneltest.Dense, sizes)
	if said != "" {
		require.ErrorContains(t, err, said)
		return
	}
	require.True(t, err != nil || kerneltest.Same(want, got, kerneltest.Tolerance{}) != nil)
}

// The assembler warns of some of them, too.
func TestTensorGroupsPlanted(t *testing.T) {
	t.Setenv(ptxas.Variable, "")
	k := matrices(t, "bf16", "K", "rows")
	module, _ := plannedFor(t, k, gemm.Options{Hopper: true})
	run := func(text string) func(*kerneltest.Memory) error { return tensored(text, of(4, 1)) }
	finds(t, k, module, "k_4", run, []int64{72, 136, 456, 1}, []mistake{
		{"no wait for copies", "cp.async.wait_group 1;", "", "has not been waited for"},
		{"no fence of memory", "fence.proxy.async.shared::cta;", "", "no fence.proxy.async came since"},
		{"no wait for products", "wgmma.wait_group.sync.aligned 1;", "", "which a wgmma reads that has not been waited for"},
		{"waits for too few products", "wgmma.wait_group.sync.aligned 1;", "wgmma.wait_group.sync.aligned 2;", "which a wgmma reads that has not been waited for"},
		{"no wait for sums", "wgmma.wait_group.sync.aligned 0;", "", ""},
		{"no barrier", "bar.sync 0;", "", "race"},
		{"no fence of registers", "wgmma.fence.sync.aligned;", "", "no wgmma.fence"},
		{"a transposed factor", "1, 1, 1, 0, 1;", "1, 1, 1, 0, 0;", ""},
		{"wrong stride", "0x40000040", "0x40000041", ""},
		{"wrong next columns", "0x2000000", "0x1000000", ""},
	})
}
