package llvm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/internal/trials"
)

// layout is the text of dimension numbers and of a tensor type whose dimensions are
// letters, which have sizes.
func layout(letters string, sizes map[rune]int, of string) (numbers, tensor string) {
	list := strings.Split(letters, "")
	shape := ""
	for _, l := range letters {
		shape += fmt.Sprintf("%dx", sizes[l])
	}
	return "[" + strings.Join(list, ", ") + "]", "tensor<" + shape + of + ">"
}

// permutations returns all orders of letters.
func permutations(letters string) (all []string) {
	if letters == "" {
		return []string{""}
	}
	for i := range letters {
		for _, rest := range permutations(letters[:i] + letters[i+1:]) {
			all = append(all, letters[i:i+1]+rest)
		}
	}
	return all
}

// Convolutions whose image, kernel and result have their dimensions in any order
// are blocked products, with padding, strides, dilations and reversed windows. What is
// packed of the larger factor is packed in the order in which it lies.
func TestConvolutionsOfAnyLayoutAreProducts(t *testing.T) {
	trials.Sequential(t)
	if _, err := libllvm.Open(); err != nil {
		t.Skipf("what libLLVM compiles is tested, and there is none: %v", err)
	}
	c := compilers(t)[0]
	var last *spread
	productsOf := func(text string, first bool) (n int) {
		p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err, text)
		prog, err := kit.Compile(t.Context(), p, kit.Options{Eval: eval.New(), ChannelsFirst: first})
		require.NoError(t, err, text)
		for i := range prog.Steps {
			step := prog.Steps[i].Launch()
			require.NotNil(t, step, text)
			if _, ok := kernel.AsContraction(prog.Kernels[step.Kernel]); !ok {
				continue
			}
			preparer, ok := compile(t, c, prog.Kernels[step.Kernel])[0].(kernel.Preparer)
			require.True(t, ok, "%s\n%v", text, prog.Kernels[step.Kernel])
			code, err := preparer.Prepare(t.Context(), step.Sizes, step.Strides, nil)
			require.NoError(t, err)
			switch code := code.(type) {
			case *spread:
				require.Nil(t, code.own, text)
				last = code
			case *product:
				require.Nil(t, code.own, text)
			}
			n++
		}
		return n
	}
	products := func(text string) int {
		n := productsOf(text, false)
		require.Equal(t, n, productsOf(text, true), text)
		return n
	}
	images, kernels := permutations("bf01"), permutations("oi01")
	for i, k := range kernels {
		for j, form := range []string{
			"pad = [[1, 1], [1, 1]]",
			"stride = [2, 1]",
			"pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2], reverse = [true, true]",
			"rhs_dilate = [2, 1]",
		} {
			x, y := images[(7*i+5*j)%len(images)], images[(11*i+j)%len(images)]
			out := [][2]int{{14, 13}, {6, 11}, {27, 25}, {10, 11}}[j]
			xn, xt := layout(x, map[rune]int{'b': 2, 'f': 5, '0': 14, '1': 13}, "f32")
			kn, kt := layout(k, map[rune]int{'i': 5, 'o': 19, '0': 3, '1': 3}, "f32")
			yn, yt := layout(y, map[rune]int{'b': 2, 'f': 19, '0': out[0], '1': out[1]}, "f32")
			text := fmt.Sprintf(`func.func @main(%%x: %[1]s, %%w: %[2]s) -> %[3]s {
  %%0 = stablehlo.convolution(%%x, %%w) dim_numbers = %[4]sx%[5]s->%[6]s, window = {%[7]s} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%[1]s, %[2]s) -> %[3]s
  return %%0 : %[3]s
}`, xt, kt, yt, xn, kn, yn, form)
			require.Equal(t, []int{1, 1, 4, 1}[j], products(text), text) // zeros between elements are four phases
		}
	}
	require.Equal(t, 1, products(`func.func @main(%x: tensor<1x32x3x3xf32>, %w: tensor<64x32x3x3xf32>) -> tensor<1x64x3x3xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x32x3x3xf32>, tensor<64x32x3x3xf32>) -> tensor<1x64x3x3xf32>
  return %0 : tensor<1x64x3x3xf32>
}`))
	require.Nil(t, last.plan.Problem.GatherB, "a kernel that is larger than the image is packed in the order in which it lies")
}

// A convolution between values that have their features before the spatial dimensions is a
// product whose columns are the places of an image, with what follows it. Nothing is
// transposed. Images are padded, and their rows are packed as vectors. Where rows are as long as
// a vector, parts of the image are copied instead, with their border.
func TestConvolutionsWithChannelsFirst(t *testing.T) {
	trials.Sequential(t)
	if _, err := libllvm.Open(); err != nil {
		t.Skipf("what libLLVM compiles is tested, and there is none: %v", err)
	}
	c := compilers(t)[0]
	for _, row := range []struct {
		name, window string
		columns      int
		out          [2]int
		packs        string
		copies       int
	}{
		{"padded", "pad = [[1, 1], [1, 1]]", 13, [2]int{14, 13}, "packb_f32_runs_gather", 1},
		{"dilated", "rhs_dilate = [2, 1]", 13, [2]int{10, 11}, "packb_f32_runs_gather", 0},
		{"every second", "stride = [1, 2]", 13, [2]int{12, 6}, "packb_f32_strides_gather", 0},
		{"long rows", "", 42, [2]int{12, 40}, "image_f32_runs", 0},
		{"long rows with a border", "pad = [[1, 1], [1, 1]]", 40, [2]int{14, 40}, "border_f32_runs", 0},
		{"every second of long rows", "stride = [1, 2]", 80, [2]int{12, 39}, "image_f32_strides", 0},
		{"every second of long rows with a border", "stride = [1, 2], pad = [[1, 1], [1, 1]]", 80, [2]int{14, 40}, "border_f32_strides", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			y := fmt.Sprintf("tensor<2x19x%dx%dxf32>", row.out[0], row.out[1])
			x := fmt.Sprintf("tensor<2x5x14x%dxf32>", row.columns)
			text := fmt.Sprintf(`func.func @main(%%x: %[3]s, %%w: tensor<19x5x3x3xf32>, %%b: tensor<19xf32>, %%r: %[1]s) -> %[1]s {
  %%0 = stablehlo.convolution(%%x, %%w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {%[2]s} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%[3]s, tensor<19x5x3x3xf32>) -> %[1]s
  %%1 = stablehlo.broadcast_in_dim %%b, dims = [1] : (tensor<19xf32>) -> %[1]s
  %%2 = stablehlo.add %%0, %%1 : %[1]s
  %%3 = stablehlo.add %%2, %%r : %[1]s
  return %%3 : %[1]s
}`, y, row.window, x)
			p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err)
			prog, err := kit.Compile(t.Context(), p, kit.Options{Eval: eval.New(), ChannelsFirst: true, Fuse: fuse.Options{Packs: func(k *kernel.Kernel, sizes, strides []int64) (a, b int) {
				return c.Packs(t.Context(), k, sizes, strides)
			}}})
			require.NoError(t, err)
			require.Len(t, prog.Steps, row.copies+1, "%v", prog)
			step := prog.Steps[row.copies].Launch()
			code, err := compile(t, c, prog.Kernels[step.Kernel])[0].(kernel.Preparer).Prepare(t.Context(), step.Sizes, step.Strides, nil)
			require.NoError(t, err)
			q := code.(*spread)
			require.Nil(t, q.own)
			require.Equal(t, []int{19, row.out[0] * row.out[1], 45, 2}, []int{q.plan.Problem.M, q.plan.Problem.N, q.plan.Problem.K, q.points})
			var packs []string
			for _, u := range q.plan.Units() {
				if strings.Contains(u.Name, "_pack") || strings.Contains(u.Name, "_image_") || strings.Contains(u.Name, "_border_") {
					packs = append(packs, u.Name)
				}
			}
			require.Equal(t, []string{"gemm_f32_" + row.packs}, packs, "kernels are read as they lie")
		})
	}
}

// Convolutions of images with features before the spatial dimensions may follow each other. Each
// is one step, which reads parts of its image with their border and computes what follows the
// convolution.
func TestConvolutionsThatFollowEachOther(t *testing.T) {
	trials.Sequential(t)
	if _, err := libllvm.Open(); err != nil {
		t.Skipf("what libLLVM compiles is tested, and there is none: %v", err)
	}
	c := compilers(t)[0]
	text := `func.func @main(%x: T, %w: W, %b: tensor<5xf32>) -> T {
  %0 = stablehlo.constant dense<0.0> : T
  %1 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (T, W) -> T
  %2 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<5xf32>) -> T
  %3 = stablehlo.add %1, %2 : T
  %4 = stablehlo.maximum %3, %0 : T
  %5 = stablehlo.convolution(%4, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (T, W) -> T
  %6 = stablehlo.add %5, %x : T
  %7 = stablehlo.maximum %6, %0 : T
  return %7 : T
}`
	text = strings.NewReplacer("T", "tensor<2x5x14x40xf32>", "W", "tensor<5x5x3x3xf32>").Replace(text)
	p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	prog, err := kit.Compile(t.Context(), p, kit.Options{Eval: eval.New(), ChannelsFirst: true, Fuse: fuse.Options{Packs: func(k *kernel.Kernel, sizes, strides []int64) (a, b int) {
		return c.Packs(t.Context(), k, sizes, strides)
	}}})
	require.NoError(t, err)
	require.Len(t, prog.Steps, 2, "%v", prog)
	for _, step := range prog.Steps {
		l := step.Launch()
		code, err := compile(t, c, prog.Kernels[l.Kernel])[0].(kernel.Preparer).Prepare(t.Context(), l.Sizes, l.Strides, nil)
		require.NoError(t, err)
		q := code.(*spread)
		require.Nil(t, q.own)
		require.True(t, q.plan.ReadsImage())
		require.False(t, q.border.whole)
	}
}
