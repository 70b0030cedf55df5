package cuda

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
)

// attend is self-attention of tokens as networks have it, four heads of which two
// share keys and values. It returns the tokens that come out, in f32.
func attend(t *testing.T, dev *lazy.Device, d types.DType, o lazy.AttentionOptions) []float32 {
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
	if o.Mask != nil {
		o.Mask = lazy.Iota(tr, lazy.I32, 1, tokens, tokens).LessEqual(lazy.Iota(tr, lazy.I32, 0, tokens, tokens))
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
	eval, err := lazy.Open("eval")
	require.NoError(t, err)
	for _, c := range trials.First([]struct {
		name    string
		dtype   types.DType
		o       lazy.AttentionOptions
		launch  bool
		near    float64
		kernels int
	}{
		{"bf16", types.BF16, lazy.AttentionOptions{}, true, 0.02, 6},
		{"bf16 causal", types.BF16, lazy.AttentionOptions{Causal: true, Scale: 1.5}, true, 0.02, 6},
		{"f16 causal", types.F16, lazy.AttentionOptions{Causal: true}, true, 0.003, 6},
		{"f32", types.F32, lazy.AttentionOptions{Causal: true}, false, 1e-5, 0},
		{"with a mask", types.BF16, lazy.AttentionOptions{Mask: new(lazy.Tensor)}, false, 0.02, 0},
		{"scaled down below 0", types.BF16, lazy.AttentionOptions{Scale: -1}, false, 0.02, 0},
	}) {
		t.Run(c.name, func(t *testing.T) {
			dev, _, _ := openLazy(t, cudafake.Options{}, lazy.Profiled())
			want, got := attend(t, eval, c.dtype, c.o), attend(t, dev, c.dtype, c.o)
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
	for _, c := range [][2]string{
		{"ltc.attention", "ltc.attentive"}, {"causal = 1 : i64", "causal = 2 : i64"}, {"causal = 1 : i64", "causal = true"},
		{"causal = 1 : i64, ", ""}, {"2.500000e-01 : f64", "-2.500000e-01 : f64"}, {"scale = 2", "scaled = 2"},
		{"{causal", "{other = 1 : i64, causal"}, {"bf16", "f32"}, {"2x2x9x", "2x2x0x"}, {"2x2x9x", "2x2x7x"}, {"2x2x9x", "2x3x9x"}, {"x8xbf16>", "x300xbf16>"},
	} {
		require.NotContains(t, list(c[0], c[1]), "attention of", "%s instead of %s", c[1], c[0])
	}
}
