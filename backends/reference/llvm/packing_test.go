package llvm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/vector"
)

// packedProgram is a product or a convolution of %x and %w, whose kernel %w is an argument: it is
// not known before a run.
type packedProgram struct {
	name, text string
	flops      float64
}

// matmul returns x[m,k]·w, of a w that is [k,n], or [n,k] if transposed is set.
func matmul(of string, m, k, n int, transposed bool) packedProgram {
	w, contract, name := fmt.Sprintf("tensor<%dx%dx%s>", k, n, of), 0, "kn"
	if transposed {
		w, contract, name = fmt.Sprintf("tensor<%dx%dx%s>", n, k, of), 1, "nk"
	}
	text := fmt.Sprintf(`func.func @main(%%x: tensor<%[1]dx%[2]dx%[4]s>, %%w: %[5]s {ltc.constant}) -> tensor<%[1]dx%[3]dx%[4]s> {
  %%0 = stablehlo.dot_general %%x, %%w, contracting_dims = [1] x [%[6]d] : (tensor<%[1]dx%[2]dx%[4]s>, %[5]s) -> tensor<%[1]dx%[3]dx%[4]s>
  return %%0 : tensor<%[1]dx%[3]dx%[4]s>
}`, m, k, n, of, w, contract)
	return packedProgram{fmt.Sprintf("product %s %dx%dx%d %s", of, m, k, n, name), text, 2 * float64(m) * float64(k) * float64(n)}
}

// convolve is a convolution of n images of size² and in features with out windows of kernel², in
// the layouts of image and kernel.
type convolve struct {
	of                             string
	n, size, in, out, kernel, step int
	image, windows                 string
}

func (c convolve) program() packedProgram {
	places := (c.size-1)/c.step + 1
	xn, xt := layout(c.image, map[rune]int{'b': c.n, 'f': c.in, '0': c.size, '1': c.size}, c.of)
	wn, wt := layout(c.windows, map[rune]int{'i': c.in, 'o': c.out, '0': c.kernel, '1': c.kernel}, c.of)
	yn, yt := layout(c.image, map[rune]int{'b': c.n, 'f': c.out, '0': places, '1': places}, c.of)
	low := c.kernel / 2
	high := max((places-1)*c.step+c.kernel-c.size-low, 0)
	text := fmt.Sprintf(`func.func @main(%%x: %[1]s, %%w: %[2]s {ltc.constant}) -> %[3]s {
  %%0 = stablehlo.convolution(%%x, %%w) dim_numbers = %[4]sx%[5]s->%[6]s, window = {stride = [%[7]d, %[7]d], pad = [[%[8]d, %[9]d], [%[8]d, %[9]d]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%[1]s, %[2]s) -> %[3]s
  return %%0 : %[3]s
}`, xt, wt, yt, xn, wn, yn, c.step, low, high)
	name := fmt.Sprintf("conv%d %s %dx%dx%d^2 to %d %s %s", c.kernel, c.of, c.n, c.in, c.size, c.out, strings.ToUpper(c.image), strings.ToUpper(c.windows))
	if c.step > 1 {
		name += fmt.Sprint(" by ", c.step)
	}
	return packedProgram{name, text, 2 * float64(c.n*places*places) * float64(c.kernel*c.kernel*c.in) * float64(c.out)}
}

// gradientByData is the gradient by n images of a convolution of 64 features by windows of 3².
func gradientByData(n int) packedProgram {
	image := fmt.Sprintf("tensor<%dx64x56x56xf32>", n)
	return packedProgram{fmt.Sprintf("gradient by data of conv3 f32 %dx64x56^2", n), fmt.Sprintf(`func.func @main(%%x: %[1]s, %%w: tensor<64x64x3x3xf32> {ltc.constant}) -> %[1]s {
  %%0 = stablehlo.convolution(%%x, %%w) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%[1]s, tensor<64x64x3x3xf32>) -> %[1]s
  return %%0 : %[1]s
}`, image), 2 * float64(n*56*56) * 9 * 64 * 64}
}

// gradientByWeights is the gradient by the kernel of the same. What stands for it is the gradient of
// the result.
func gradientByWeights(n, features, size int) packedProgram {
	image, kernel := fmt.Sprintf("tensor<%dx%dx%dx%dxf32>", n, features, size, size), fmt.Sprintf("tensor<%dx%dx3x3xf32>", features, features)
	return packedProgram{fmt.Sprintf("gradient by weights of conv3 f32 %dx%dx%d^2", n, features, size), fmt.Sprintf(`func.func @main(%%x: %[1]s, %%w: %[1]s) -> %[2]s {
  %%0 = stablehlo.convolution(%%x, %%w) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%[1]s, %[1]s) -> %[2]s
  return %%0 : %[2]s
}`, image, kernel), 2 * float64(n*size*size*9*features*features)}
}

// packedPrograms returns those whose packing is measured.
func packedPrograms() (all []packedProgram) {
	layouts := [][2]string{{"bf01", "oi01"}, {"bf01", "01io"}, {"b01f", "01io"}, {"b01f", "oi01"}}
	for _, l := range layouts {
		for _, s := range [][6]int{
			{1, 56, 64, 64, 3, 1}, {32, 56, 64, 64, 3, 1}, {1, 28, 128, 128, 3, 1}, {1, 14, 256, 256, 3, 1}, {1, 7, 512, 512, 3, 1}, {8, 7, 512, 512, 3, 1},
			{1, 224, 3, 64, 7, 2},
			{1, 56, 64, 256, 1, 1}, {1, 14, 1024, 256, 1, 1}, {1, 7, 2048, 512, 1, 1}, {1, 112, 16, 96, 1, 1}, {1, 7, 1152, 320, 1, 1},
		} {
			all = append(all, convolve{"f32", s[0], s[1], s[2], s[3], s[4], s[5], l[0], l[1]}.program())
		}
	}
	for _, of := range []string{"bf16", "f64"} {
		all = append(all, convolve{of, 1, 56, 64, 64, 3, 1, "bf01", "oi01"}.program(), convolve{of, 1, 56, 64, 64, 3, 1, "b01f", "01io"}.program())
	}
	all = append(all, packedProgram{"conv9 1-d f32 8x16x4000 to 32", `func.func @main(%x: tensor<8x16x4000xf32>, %w: tensor<32x16x9xf32> {ltc.constant}) -> tensor<8x32x4000xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[4, 4]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x16x4000xf32>, tensor<32x16x9xf32>) -> tensor<8x32x4000xf32>
  return %0 : tensor<8x32x4000xf32>
}`, 2 * 8 * 4000 * 16 * 9 * 32})
	for _, n := range []int{1, 32} {
		all = append(all, gradientByData(n), gradientByWeights(n, 64, 56))
	}
	for _, s := range [][2]int{{32, 112}, {128, 28}, {256, 14}, {512, 7}} {
		all = append(all, gradientByWeights(32, s[0], s[1]))
	}
	for _, s := range [][3]int{{1, 384, 1536}, {2, 384, 1536}, {3, 384, 1536}, {4, 384, 1536}, {8, 384, 1536}, {128, 384, 384}, {128, 384, 1536}, {128, 1536, 384}, {1024, 384, 1536}, {1024, 1536, 384}, {512, 512, 512}, {1024, 1024, 1024}} {
		for _, transposed := range []bool{false, true} {
			all = append(all, matmul("f32", s[0], s[1], s[2], transposed))
		}
	}
	for _, of := range []string{"bf16", "f64"} {
		for _, transposed := range []bool{false, true} {
			all = append(all, matmul(of, 128, 384, 1536, transposed), matmul(of, 512, 512, 512, transposed))
		}
	}
	all = append(all, packedProgram{"gradient by weights of conv3 by 2", `func.func @main(%x: tensor<32x64x56x56xf32>, %w: tensor<32x128x28x28xf32>) -> tensor<64x128x3x3xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {pad = [[0, 1], [0, 1]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<32x64x56x56xf32>, tensor<32x128x28x28xf32>) -> tensor<64x128x3x3xf32>
  return %0 : tensor<64x128x3x3xf32>
}`, 2 * 32 * 28 * 28 * 9 * 64 * 128})
	return all
}

// packing is what a program does with its kernel besides multiplying.
type packing struct {
	moves []int // the steps that depend on the kernel alone
	steps int
	isA   bool // the kernel is A of the problem
	asA   bool // and of the product that is computed
	plan  *gemm.Plan
}

// packingOf plans a program for the machine of a compiler.
func packingOf(t testing.TB, c *shared, text string) packing {
	p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	prog, err := kit.Compile(t.Context(), p, kit.Options{Eval: eval.New(), Launch: 1 << 14, ChannelsFirst: true, Claim: reference.Claim, Fuse: fuse.Options{
		Cut: reference.Cut, WindowBorders: true, Packs: func(k *kernel.Kernel, sizes, strides []int64) (a, b int) {
			return c.Packs(t.Context(), k, sizes, strides)
		}}})
	require.NoError(t, err)
	of := packing{steps: len(prog.Steps)}
	derived := make([]bool, len(prog.Values))
	for i, v := range prog.Values {
		derived[i] = v.Kind == plan.Argument && v.Index == 1
	}
	for i := range prog.Steps {
		reads, writes := prog.Access(i)
		if len(reads) > 0 && !slices.ContainsFunc(reads, func(v plan.ValueID) bool { return !derived[v] }) {
			of.moves = append(of.moves, i)
			for _, v := range writes {
				derived[v] = true
			}
			continue
		}
		step := prog.Steps[i].Launch()
		if step == nil || !slices.ContainsFunc(reads, func(v plan.ValueID) bool { return derived[v] }) {
			continue
		}
		e, ok := emit.AsProduct(prog.Kernels[step.Kernel], c.units.machine)
		require.True(t, ok, text)
		code := productKernel{Product: e, shared: c, units: c.units}
		q := newProduct(&code)
		problem, ok := q.locate(step.Sizes, step.Strides)
		if e.Spread {
			r := (&spreadKernel{code}).newSpread()
			problem, ok = r.locate(step.Sizes, step.Strides)
			q = &r.product
		}
		require.True(t, ok, text)
		require.NoError(t, q.replan(problem))
		of.plan, of.isA = q.plan, derived[step.Operands[q.factors[0].Param].Value]
		_, swapped := q.plan.OfFewRows()
		of.asA = of.isA != swapped
	}
	require.NotNil(t, of.plan, text)
	return of
}

// unit returns the function that packs the kernel in each run; "" if it is read as it lies.
func (p *packing) unit() string {
	part := "_packb_"
	if p.asA {
		part = "_packa_"
	}
	for _, u := range p.plan.Units() {
		if _, name, ok := strings.Cut(u.Name, part); ok {
			return strings.Trim(name, "_")
		}
	}
	return ""
}

// elements returns how many elements of the kernel a run packs for each multiplication.
func (p *packing) elements() float64 {
	if p.unit() == "" {
		return 0
	}
	q := &p.plan.Problem
	a, b := p.plan.Packings()
	if p.isA {
		return float64(a) / float64(q.N)
	}
	return float64(b) / float64(q.M)
}

// planner returns a compiler that plans for a processor, and makes no code.
func planner(level vector.Level) *shared {
	s := &shared{units: &units{machine: gemm.Machine{Machine: vector.Machine{Level: level}, L2: 1 << 20}, has: func(context.Context, gemm.Unit) bool { return true }}}
	s.once.Do(func() {})
	return s
}

// Kernels that are arguments are not moved before the product, which packs them itself, in blocks
// that stay in the cache: each element once a run, or once for 256 products. Many are read as they
// lie, those that one row meets above all.
func TestPackingOfKernels(t *testing.T) {
	for _, level := range []vector.Level{vector.AVX512, vector.AVX2} {
		c := planner(level)
		got := map[string]string{}
		for _, p := range packedPrograms() {
			of := packingOf(t, c, p.text)
			require.Empty(t, of.moves, p.name)
			q := &of.plan.Problem
			met := q.M // how many products an element of the kernel is in
			if of.isA {
				met = q.N
			}
			require.LessOrEqual(t, of.elements(), max(1/float64(met), 1./256), "%s: packed elements for each product", p.name)
			got[p.name] = of.unit()
		}
		for name, want := range map[string]string{
			"conv3 f32 1x64x56^2 to 64 BF01 OI01":      "",
			"conv3 f32 32x64x56^2 to 64 BF01 OI01":     "",
			"conv3 f32 1x64x56^2 to 64 BF01 01IO":      "f32_any_gather",
			"conv3 f32 1x64x56^2 to 64 B01F 01IO":      "",
			"conv3 f32 1x64x56^2 to 64 B01F OI01":      "f32_any_gather",
			"conv3 f32 1x512x7^2 to 512 B01F 01IO":     "",
			"conv3 f32 1x512x7^2 to 512 BF01 OI01":     "",
			"conv7 f32 1x3x224^2 to 64 BF01 OI01 by 2": "",
			"gradient by weights of conv3 by 2":        "f32_along_gather",
			"conv1 f32 1x2048x7^2 to 512 BF01 OI01":    "",
			"conv1 f32 1x1152x7^2 to 320 BF01 OI01":    "",
			"conv1 f32 1x2048x7^2 to 512 BF01 01IO":    "",
			"conv1 f32 1x1152x7^2 to 320 BF01 01IO":    "",
			"conv1 f32 1x2048x7^2 to 512 B01F 01IO":    "",
			"conv1 f32 1x2048x7^2 to 512 B01F OI01":    "",
			"conv9 1-d f32 8x16x4000 to 32":            "",
			"product f32 1x384x1536 kn":                "",
			"product f32 1x384x1536 nk":                "",
			"product f32 2x384x1536 kn":                "",
			"product f32 2x384x1536 nk":                "",
			"product f32 8x384x1536 kn":                "",
			"product f32 8x384x1536 nk":                "",
			"product f32 128x384x384 kn":               "",
			"product f32 1024x384x1536 kn":             "f32_across",
			"product f32 1024x384x1536 nk":             "f32_along",
			"product f32 512x512x512 kn":               "",

			"gradient by weights of conv3 f32 1x64x56^2":  "f32_along",
			"gradient by weights of conv3 f32 32x64x56^2": "f32_along_gather",
			"gradient by weights of conv3 f32 32x512x7^2": "f32_along_gather",
		} {
			require.Contains(t, got, name)
			require.Equal(t, want, got[name], "%v: %s", level, name)
		}
		for _, n := range []int{1, 32} { // the columns of its product are read from copies of the image
			of := packingOf(t, c, gradientByData(n).text)
			require.Equal(t, 1, of.steps)
			require.True(t, of.plan.ReadsImage())
		}
	}
}
