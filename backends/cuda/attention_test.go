package cuda

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/ptx"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
)

// attend is self-attention of tokens as networks have it, four heads of which two
// share keys and values. It returns the tokens that come out, in f32.
func attend(t *testing.T, dev *lazy.Device, d types.DType, o lazy.AttentionOptions, mask func(from func(dims ...int) *lazy.Tensor) *lazy.Tensor) []float32 {
	const batch, tokens, heads, groups, dim = 2, 70, 4, 2, 16
	tr := lazy.NewTrace(dev)
	from := func(dims ...int) *lazy.Tensor {
		n := 1
		for _, size := range dims {
			n *= size
		}
		data := make([]float32, n)
		for i := range data {
			data[i] = float32((i*37)%101)/101 - 0.5
		}
		return lazy.From(tr, data, dims...).Convert(d)
	}
	x := from(batch, tokens, 24)
	split := func(n int) *lazy.Tensor { // heads beside each other in what is a token's
		return x.MatMul(from(24, n*dim)).Reshape(batch, tokens, n, dim).Transpose(0, 2, 1, 3)
	}
	if mask != nil {
		o.Mask = mask(from)
	}
	y := split(heads).Attention(split(groups), split(groups), o)
	y = y.Transpose(0, 2, 1, 3).Reshape(batch*tokens, heads*dim).Convert(types.F32)
	require.NoError(t, tr.MarkStep(y))
	got, err := lazy.ToSlice[float32](y)
	require.NoError(t, err)
	return got
}

// Attention of 16-bit floats is one launch, which reads its operands where products
// left them; what there is no entry for is its decomposition. Both are what the
// evaluator computes, but for roundings.
func TestAttention(t *testing.T) {
	trials.Sequential(t)
	eval, err := lazy.Open("eval")
	require.NoError(t, err)
	type masked = func(from func(dims ...int) *lazy.Tensor) *lazy.Tensor
	padding := func(from func(dims ...int) *lazy.Tensor) *lazy.Tensor { // keys of the second sequence that are none, and all of the first
		return lazy.Concatenate(0, from(1, 1, 1, 70).MulScalar(0), from(1, 1, 1, 70).Floor()).Convert(types.Bool)
	}
	for _, c := range trials.First([]struct {
		name    string
		dtype   types.DType
		o       lazy.AttentionOptions
		mask    masked
		launch  bool
		near    float64
		kernels int
	}{
		{"bf16", types.BF16, lazy.AttentionOptions{}, nil, true, 0.02, 6},
		{"bf16 causal", types.BF16, lazy.AttentionOptions{Causal: true, Scale: 1.5}, nil, true, 0.02, 6},
		{"f16 causal", types.F16, lazy.AttentionOptions{Causal: true}, nil, true, 0.003, 6},
		{"f32", types.F32, lazy.AttentionOptions{Causal: true}, nil, false, 1e-5, 0},
		{"padding", types.BF16, lazy.AttentionOptions{}, padding, true, 0.02, 8},
		{"padding, causal", types.F16, lazy.AttentionOptions{Causal: true}, padding, true, 0.003, 8},
		{"a bias of heads", types.F16, lazy.AttentionOptions{}, func(from func(...int) *lazy.Tensor) *lazy.Tensor { return from(4, 70, 70).MulScalar(8) }, true, 0.003, 7},
		{"a bias in f32", types.BF16, lazy.AttentionOptions{}, func(from func(...int) *lazy.Tensor) *lazy.Tensor {
			return from(2, 1, 70, 70).Convert(types.F32).MulScalar(8)
		}, true, 0.02, 7},
		{"a bias transposed", types.F16, lazy.AttentionOptions{}, func(from func(...int) *lazy.Tensor) *lazy.Tensor {
			return from(70, 70).MulScalar(8).Transpose(1, 0)
		}, true, 0.003, 8},
		{"a mask of queries", types.BF16, lazy.AttentionOptions{}, func(from func(...int) *lazy.Tensor) *lazy.Tensor { return from(70, 1).Floor().Convert(types.Bool) }, true, 0.02, 8},
		{"scaled down below 0", types.BF16, lazy.AttentionOptions{Scale: -1}, nil, false, 0.02, 0},
	}) {
		t.Run(c.name, func(t *testing.T) {
			dev, _, _ := openLazy(t, cudafake.Options{}, lazy.Profiled())
			want, got := attend(t, eval, c.dtype, c.o, c.mask), attend(t, dev, c.dtype, c.o, c.mask)
			require.InDeltaSlice(t, want, got, c.near)
			launches, kernels := 0, 0
			for _, p := range dev.Profile() {
				for _, s := range p.Steps {
					require.True(t, s.Kernel, "%s is run by the host", s.What)
					kernels++
					if s.What == "ltc.attention" {
						launches++
					}
				}
			}
			if !c.launch {
				require.Zero(t, launches)
				return
			}
			require.Equal(t, 1, launches)
			require.LessOrEqual(t, kernels, c.kernels, "besides, the tokens and the result are converted")
		})
	}
}

// What a composite is must be as attention has it: all else is its decomposition.
func TestAttentionText(t *testing.T) {
	trials.Sequential(t)
	const text = `module {
  func.func public @main(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x2x9x16xbf16>, %v: tensor<2x2x9x8xbf16>) -> tensor<2x4x8x8xbf16> {
    %0 = stablehlo.composite "ltc.attention" %q, %k, %v {composite_attributes = {causal = 1 : i64, scale = 2.500000e-01 : f64}, decomposition = @d} : (tensor<2x4x8x16xbf16>, tensor<2x2x9x16xbf16>, tensor<2x2x9x8xbf16>) -> tensor<2x4x8x8xbf16>
    return %0 : tensor<2x4x8x8xbf16>
  }
  func.func private @d(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x2x9x16xbf16>, %v: tensor<2x2x9x8xbf16>) -> tensor<2x4x8x8xbf16> {
    %0 = stablehlo.constant dense<1.000000e+00> : tensor<2x4x8x8xbf16>
    return %0 : tensor<2x4x8x8xbf16>
  }
}`
	list := func(old, new string) string {
		changed := strings.ReplaceAll(text, old, new)
		require.True(t, old == new || changed != text)
		s, err := Listing(t.Context(), backends.NewModule(changed), backends.Options{})
		require.NoError(t, err)
		return s
	}
	require.Contains(t, list("ltc.attention", "ltc.attention"), "// step 0: k0: causal attention of bf16, 16 and 8 features, tiles of 128 queries and 64 keys, grid [8 1 1] of blocks [128 1 1] with 18432 bytes\n")
	require.Contains(t, list("2x2x9x", "2x2x2000x"), "16 and 8 features, keys in parts, tiles of 128 queries and 64 keys, grid [56 1 1] of blocks [128 1 1] with 18432 bytes, and a launch that combines the parts\n")
	for _, c := range [][2]string{
		{"ltc.attention", "ltc.attentive"}, {"causal = 1 : i64", "causal = 2 : i64"}, {"causal = 1 : i64", "causal = true"},
		{"causal = 1 : i64, ", ""}, {"2.500000e-01 : f64", "-2.500000e-01 : f64"}, {"scale = 2", "scaled = 2"},
		{"{causal", "{other = 1 : i64, causal"}, {"bf16", "f32"}, {"2x2x9x", "2x2x0x"}, {"2x2x9x", "2x2x7x"}, {"2x2x9x", "2x3x9x"}, {"x8xbf16>", "x300xbf16>"},
	} {
		require.NotContains(t, list(c[0], c[1]), "attention of", "%s instead of %s", c[1], c[0])
	}
}

// A mask is the fourth operand, which is read where it was before it was broadcast;
// one that the entry does not read is broadcast first.
func TestAttentionMaskText(t *testing.T) {
	trials.Sequential(t)
	const text = `module {
  func.func public @main(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x2x9x16xbf16>, %v: tensor<2x2x9x8xbf16>, %m: tensor<2x9xi1>) -> tensor<2x4x8x8xbf16> {
    %0 = stablehlo.broadcast_in_dim %m, dims = [0, 3] : (tensor<2x9xi1>) -> tensor<2x4x8x9xi1>
    %1 = stablehlo.composite "ltc.attention" %q, %k, %v, %0 {composite_attributes = {causal = 1 : i64, scale = 2.500000e-01 : f64}, decomposition = @d} : (tensor<2x4x8x16xbf16>, tensor<2x2x9x16xbf16>, tensor<2x2x9x8xbf16>, tensor<2x4x8x9xi1>) -> tensor<2x4x8x8xbf16>
    return %1 : tensor<2x4x8x8xbf16>
  }
  func.func private @d(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x2x9x16xbf16>, %v: tensor<2x2x9x8xbf16>, %m: tensor<2x4x8x9xi1>) -> tensor<2x4x8x8xbf16> {
    %0 = stablehlo.constant dense<1.000000e+00> : tensor<2x4x8x8xbf16>
    return %0 : tensor<2x4x8x8xbf16>
  }
}`
	for _, c := range []struct {
		changes []string
		want    string
		strides []int64 // of the mask; nil: attention is no step
		steps   int
	}{
		{nil, "causal attention of bf16, 16 and 8 features, masked by bool, tiles", []int64{9, 0, 0}, 1},
		{[]string{"i1>", "f32>"}, "masked by f32", []int64{9, 0, 0}, 1},
		{[]string{"i1>", "f16>"}, "masked by f16", []int64{9, 0, 0}, 1},
		{[]string{"i1>", "f64>"}, "", nil, 1},
		{[]string{"i1>", "i32>"}, "", nil, 1},
		{[]string{"2x9xi1", "4x8x9xi1", "[0, 3]", "[1, 2, 3]"}, "masked by bool", []int64{0, 72, 9}, 1},
		{[]string{"2x9xi1", "9xi1", "[0, 3]", "[3]"}, "masked by bool", []int64{0, 0, 0}, 1},
		{[]string{"2x9xi1", "2x1x8x9xi1", "[0, 3]", "[0, 1, 2, 3]"}, "masked by bool", []int64{72, 0, 9}, 1},
		{[]string{"2x9xi1", "8xi1", "[0, 3]", "[2]"}, "masked by bool", []int64{288, 72, 9}, 2},
	} {
		changed := text
		for i := 0; i < len(c.changes); i += 2 {
			changed = strings.ReplaceAll(changed, "<"+c.changes[i], "<"+c.changes[i+1])
			changed = strings.ReplaceAll(changed, c.changes[i], c.changes[i+1])
		}
		l, err := Listing(t.Context(), backends.NewModule(changed), backends.Options{})
		require.NoError(t, err, c.changes)
		if c.want == "" {
			require.NotContains(t, l, "attention of", c.changes)
			continue
		}
		require.Contains(t, l, c.want, c.changes)
		p, err := backends.Load(t.Context(), backends.NewModule(changed), backends.Options{})
		require.NoError(t, err)
		x, err := newCompilation(t.Context(), p, backends.Options{}, ptx.Options{})
		require.NoError(t, err)
		require.Len(t, x.main.steps, c.steps, c.changes)
		require.Equal(t, c.strides, x.main.steps[c.steps-1].Strides[12:], c.changes)
	}
}
