package gemm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/ptx/gemm"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/test/ptxas"
)

// convolution is a convolution of images that lie with their features behind each other,
// with a bias and a residual and a maximum behind it.
type convolution struct {
	elements              string
	batch                 int
	image, window         []int
	in, out               int
	stride, dilation, pad int
}

func (c *convolution) String() string {
	return fmt.Sprintf("%s/%dx%v %d to %d by %v stride %d dilation %d pad %d", c.elements, c.batch, c.image, c.in, c.out, c.window, c.stride, c.dilation, c.pad)
}

func (c *convolution) text() string {
	shape := func(all ...any) string {
		var parts []string
		for _, x := range all {
			switch x := x.(type) {
			case int:
				parts = append(parts, fmt.Sprint(x))
			case []int:
				for _, n := range x {
					parts = append(parts, fmt.Sprint(n))
				}
			}
		}
		return "tensor<" + strings.Join(parts, "x") + "x" + c.elements + ">"
	}
	var places []int
	var dims, strides, dilations, pads []string
	for i, n := range c.image {
		places = append(places, (n+2*c.pad-(c.window[i]-1)*c.dilation-1)/c.stride+1)
		dims = append(dims, fmt.Sprint(i))
		strides, dilations = append(strides, fmt.Sprint(c.stride)), append(dilations, fmt.Sprint(c.dilation))
		pads = append(pads, fmt.Sprintf("[%d, %d]", c.pad, c.pad))
	}
	list := func(all []string) string { return strings.Join(all, ", ") }
	x, w, y, b := shape(c.batch, c.image, c.in), shape(c.window, c.in, c.out), shape(c.batch, places, c.out), shape(c.out)
	return fmt.Sprintf(`func.func @main(%%x: %[1]s, %%w: %[2]s, %%b: %[4]s, %%r: %[3]s) -> %[3]s {
  %%0 = stablehlo.convolution(%%x, %%w) dim_numbers = [b, %[5]s, f]x[%[5]s, i, o]->[b, %[5]s, f], window = {stride = [%[6]s], pad = [%[7]s], rhs_dilate = [%[8]s]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%[1]s, %[2]s) -> %[3]s
  %%1 = stablehlo.broadcast_in_dim %%b, dims = [%[9]d] : (%[4]s) -> %[3]s
  %%2 = stablehlo.add %%0, %%1 : %[3]s
  %%3 = stablehlo.add %%2, %%r : %[3]s
  %%4 = stablehlo.maximum %%3, %%1 : %[3]s
  return %%4 : %[3]s
}`, x, w, y, b, list(dims), list(strides), list(pads), list(dilations), len(c.image)+1)
}

// kernel returns the one that the convolution is, and the sizes of its launch.
func (c *convolution) kernel(t *testing.T) (*kernel.Kernel, []int64) {
	t.Helper()
	p := compile(t, c.text(), fuse.Options{Borders: true})
	require.Len(t, p.Kernels, 1, "%v", p)
	require.Len(t, p.Steps, 1)
	return p.Kernels[0], p.Steps[0].Launch().Sizes
}

// A convolution is one launch, whose tiles go over rows of images and over images;
// what is outside of these is 0. It has the evaluator's bits where sums are exact, in
// memory that is aligned or not, by tensor cores and by threads.
func TestConvolution(t *testing.T) {
	wide := []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread}
	for _, c := range []struct {
		convolution
		options gemm.Options
		layouts []kerneltest.Layout
	}{
		{convolution{"bf16", 2, []int{5, 7}, []int{3, 3}, 64, 24, 1, 1, 1}, gemm.Options{}, wide},
		{convolution{"bf16", 3, []int{9, 6}, []int{3, 2}, 64, 24, 2, 1, 1}, gemm.Options{}, wide[:1]},
		{convolution{"f16", 1, []int{6, 9}, []int{2, 3}, 64, 24, 1, 2, 2}, gemm.Options{}, wide[:1]},
		{convolution{"bf16", 2, []int{5, 7}, []int{3, 3}, 12, 24, 1, 1, 0}, gemm.Options{}, wide[:1]},
		{convolution{"bf16", 2, []int{13}, []int{3}, 64, 24, 1, 1, 1}, gemm.Options{}, wide[:2]},
		{convolution{"bf16", 1, []int{30}, []int{5}, 64, 24, 1, 1, 2}, gemm.Options{}, wide[:1]},
		{convolution{"bf16", 2, []int{2, 3, 2}, []int{2, 2, 2}, 64, 24, 1, 1, 1}, gemm.Options{}, wide[:2]},
		{convolution{"bf16", 1, []int{4, 4}, []int{2, 2}, 264, 24, 1, 1, 1}, gemm.Options{}, wide[:1]},
		{convolution{"f32", 2, []int{5, 4}, []int{3, 2}, 32, 24, 1, 1, 1}, gemm.Options{}, wide},
		{convolution{"f32", 2, []int{5, 7}, []int{3, 3}, 32, 24, 2, 1, 1}, gemm.Options{TF32: true}, wide},
		{convolution{"bf16", 2, []int{5, 4}, []int{3, 2}, 64, 24, 1, 1, 1}, gemm.Options{Hopper: true}, wide[1:]},
	} {
		t.Run(fmt.Sprintf("%v %+v", &c.convolution, c.options), func(t *testing.T) {
			k, sizes := c.kernel(t)
			module, s := plannedFor(t, k, c.options)
			l := s.Launch(sizes)
			require.Greater(t, l.Variant, gemm.Plain(s), "a flat tile")
			require.LessOrEqual(t, l.Shared, mostShared)
			for i, layout := range c.layouts {
				before := kerneltest.NewMemory(k, sizes, layout, 0x5A)
				whole(before)
				want, err := before.Run(evaluate)
				require.NoError(t, err)
				l.Grid[0] = min(l.Grid[0], 2-i%2) // some blocks have several tiles
				got, err := before.Run(tensored(module, l))
				require.NoError(t, err)
				require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%v\n%v", layout, k)
			}
		})
	}
}

// Each of the tiles computes it.
func TestConvolutionTiles(t *testing.T) {
	for _, o := range []gemm.Options{{}, {TF32: true}, {Hopper: true}} {
		for _, elements := range []string{"bf16", "f32"} {
			if elements == "f32" && o.Hopper || elements == "bf16" && o.TF32 {
				continue
			}
			c := convolution{elements, 2, []int{5, 6}, []int{2, 2}, 64, 20, 1, 1, 1}
			k, sizes := c.kernel(t)
			module, s := plannedFor(t, k, o)
			require.NoError(t, ptxas.Name(strings.TrimSuffix(fmt.Sprintf("tensor/window/%s/%s", elements, map[gemm.Options]string{{TF32: true}: "tf32", {Hopper: true}: "sm_90a"}[o]), "/"), module))
			before := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 0x5A)
			whole(before)
			want, err := before.Run(evaluate)
			require.NoError(t, err)
			for v := gemm.Plain(s); v < s.Variants(); v++ {
				t.Run(fmt.Sprintf("%s %+v %d", elements, o, v), func(t *testing.T) {
					got, err := before.Run(tensored(module, of(v, 2)))
					require.NoError(t, err)
					require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}))
				})
			}
		}
	}
}

// Which tiles are chosen: of all places of all images, unless those of one row fill
// tiles as well and nothing is around them.
func TestConvolutionShares(t *testing.T) {
	for _, c := range []struct {
		convolution
		tile   int
		flat   bool
		blocks int
	}{
		{convolution{"bf16", 32, []int{56, 56}, []int{3, 3}, 64, 64, 1, 1, 1}, 1, true, 1568},
		{convolution{"bf16", 32, []int{14, 14}, []int{3, 3}, 256, 256, 1, 1, 1}, 1, true, 392},
		{convolution{"bf16", 64, []int{28, 28}, []int{3, 3}, 128, 128, 1, 1, 1}, 0, true, 392},
		{convolution{"bf16", 32, []int{7, 7}, []int{3, 3}, 512, 512, 1, 1, 1}, 1, true, 200},
		{convolution{"bf16", 32, []int{57, 57}, []int{2, 2}, 64, 64, 1, 1, 0}, 1, true, 1568},
		{convolution{"bf16", 32, []int{65, 65}, []int{2, 2}, 64, 64, 1, 1, 0}, 1, false, 2048},
	} {
		k, sizes := c.kernel(t)
		s := gemm.Plan(k, gemm.Options{})
		require.NotNil(t, s)
		l := s.Launch(sizes)
		variant := c.tile
		if c.flat {
			variant += gemm.Plain(s)
		}
		require.Equal(t, variant, l.Variant, "%v", &c.convolution)
		require.Equal(t, c.blocks, l.Grid[0]*l.Grid[1]*l.Grid[2], "%v", &c.convolution)
	}
}

// Mistakes planted in the text are found: by the interpreter, or by the numbers.
func TestConvolutionPlanted(t *testing.T) {
	c := convolution{"bf16", 2, []int{4, 5}, []int{3, 3}, 64, 24, 1, 1, 1}
	k, sizes := c.kernel(t)
	module, s := plannedFor(t, k, gemm.Options{})
	l := s.Launch(sizes)
	before := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 0x5A)
	whole(before)
	want, err := before.Run(evaluate)
	require.NoError(t, err)
	for _, p := range []struct{ name, old, new, said string }{
		{"another image", "setp.lt.u64", "setp.ge.u64", ""},
		{"what is outside", "setp.ne.s64", "setp.eq.s64", ""},
		{"no barrier behind the rows", "bar.sync 0;", "", "that nobody has written"},
		{"a window that stands still", ", 1;\n\tmul.lo.s64", ", 0;\n\tmul.lo.s64", ""},
	} {
		t.Run(p.name, func(t *testing.T) {
			got, err := before.Run(tensored(planted(t, module, l.Entry("k"), p.old, p.new), l))
			if p.said != "" {
				require.ErrorContains(t, err, p.said)
				return
			}
			require.NoError(t, err)
			require.Error(t, kerneltest.Same(want, got, kerneltest.Tolerance{}))
		})
	}
}
