package attention_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/ptx/attention"
	"ltc/internal/test/ptxas"
	"ltc/internal/trials"
	"ltc/ir/types"
)

var attentionsInParts = []attentionCase{
	{Op: attention.Op{Type: types.BF16, Dim: 128, Width: 128, Causal: true, Split: true}, batch: 1, heads: 2, shared: 2, queries: 1, keys: 200, span: 32},
	{Op: attention.Op{Type: types.F16, Dim: 64, Width: 64, Split: true}, batch: 2, heads: 2, shared: 1, queries: 3, keys: 700, apart: true, span: 64},
	{Op: attention.Op{Type: types.BF16, Dim: 16, Width: 5, Causal: true, Split: true}, batch: 1, heads: 1, shared: 1, queries: 150, keys: 160, span: 64},
	{Op: attention.Op{Type: types.BF16, Dim: 256, Width: 256, Split: true}, batch: 1, heads: 1, shared: 1, queries: 2, keys: 97, shifted: true, span: 32},
	{Op: attention.Op{Type: types.F16, Dim: 64, Width: 40, Mask: types.F32, Split: true}, batch: 1, heads: 2, shared: 1, queries: 6, keys: 300, span: 64, masked: &scoreMask{axes: "hq"}},
	{Op: attention.Op{Type: types.BF16, Dim: 32, Width: 32, Mask: types.Bool, Causal: true, Split: true}, batch: 5, heads: 1, shared: 1, queries: 2, keys: 321, span: 128, masked: &scoreMask{axes: "b", shift: 1}},
}

// Keys in parts give what they give in one, but for the order of sums; of rows that hide
// all keys, 0.
func TestAttentionParts(t *testing.T) {
	for _, c := range trials.First(attentionsInParts) {
		t.Run(c.String(), func(t *testing.T) {
			c.Scale = 1 / math.Sqrt(float64(c.Dim))
			module := c.module(t)
			require.NoError(t, ptxas.Name(c.golden(), module))
			r := rand.New(rand.NewPCG(13, 14))
			if c.masked != nil {
				c.masked = c.mask(r)
			}
			all := c.operands(func(int, int) float64 { return r.NormFloat64() })
			require.NoError(t, c.run(module, all))
			u := map[types.DType]float64{types.BF16: 0x1p-8, types.F16: 0x1p-11}[c.Type]
			c.expect(all, func(b, h, i, f int, y, size float64) {
				require.InDelta(t, y, c.number(all[3].at(b, h, i, f)), (2*u+4e-5)*size, "batch %d head %d query %d feature %d", b, h, i, f)
			})
			before := bytes.Clone(all[3].bytes)
			require.NoError(t, c.run(module, all))
			require.Equal(t, before, all[3].bytes, "another run has other bits")
		})
	}
}

// Without scores each query gives the mean of what it sees: no key is left out or
// counted twice where parts meet. Sums of the parts are small integers.
func TestAttentionPartsAreMean(t *testing.T) {
	for _, c := range trials.First(attentionsInParts) {
		if c.masked != nil {
			continue
		}
		t.Run(c.String(), func(t *testing.T) {
			c.Scale = 1
			all := c.operands(func(n, row int) float64 {
				if n == 0 {
					return 0
				}
				return float64(1 + row%7)
			})
			require.NoError(t, c.run(c.module(t), all))
			for i := range c.queries {
				sum := float32(0)
				for j := range c.seen(i) {
					sum += float32(1 + j%7)
				}
				want := c.rounded(float64(sum * (1 / float32(c.seen(i)))))
				for b := range c.batch {
					for h := range c.heads {
						require.Equal(t, want, binary.LittleEndian.Uint16(all[3].at(b, h, i, c.Width-1)), "batch %d head %d query %d", b, h, i)
					}
				}
			}
		})
	}
}

// Keys are cut where there are few blocks and many keys, by sizes alone.
func TestAttentionCut(t *testing.T) {
	a := attention.Op{Type: types.BF16, Dim: 128, Width: 128, Scale: 1}
	for _, c := range []struct{ queries, keys, heads, parts, span int64 }{
		{1, 4096, 32, 8, 512},
		{1, 4097, 32, 8, 544},
		{128, 4096, 32, 8, 512},
		{129, 4096, 32, 4, 1024},
		{1, 1023, 1, 1, 1023},
		{1, 1024, 1, 4, 256},
		{1, 1 << 20, 1, 256, 4096},
		{1, 8192, 65, 1, 8192},
		{8192, 8192, 16, 1, 8192},
		{0, 8192, 16, 1, 8192},
	} {
		parts, span := a.Cut(c.queries, c.keys, c.heads)
		require.Equal(t, [2]int64{c.parts, c.span}, [2]int64{parts, span}, "%v", c)
		require.Less(t, (parts-1)*span, c.keys, "a part without keys")
	}
	a.Split = true
	_, _, ok := a.MapLaunch([]int64{1, 4096, 1, 1}, make([]int64, 12), 1)
	require.False(t, ok)
	_, err := a.MapEntry("k")
	require.ErrorContains(t, err, "parts")
}

// Mistakes planted in what cuts keys, and in what combines the parts, are found.
func TestAttentionPartsPlanted(t *testing.T) {
	t.Setenv(ptxas.Variable, "")
	c := attentionCase{Op: attention.Op{Type: types.BF16, Dim: 16, Width: 16, Causal: true, Split: true, Scale: 0.25}, batch: 1, heads: 2, shared: 1, queries: 21, keys: 300, span: 64}
	module := c.module(t)
	operands := func() [4]*operand {
		r := rand.New(rand.NewPCG(9, 10))
		return c.operands(func(int, int) float64 { return r.NormFloat64() })
	}
	good := operands()
	require.NoError(t, c.run(module, good))
	entry, combine, _ := strings.Cut(module, ".visible .entry combine")
	for _, p := range trials.First([]struct {
		name, old, new string
		combines       bool // it is in the second launch
		want           string
	}{
		{"which part it is", "rem.u32", "div.u32", false, "race"},
		{"rows behind the last", "setp.lt.s32", "setp.le.s32", false, "allocation"},
		{"lanes that store scores", "setp.eq.u32", "setp.ne.u32", false, ""},
		{"the largest of all", "max.f32", "min.f32", true, ""},
		{"parts that are left out", "setp.ge.s64", "setp.gt.s64", true, "allocation"},
		{"the sum of the weights", "+4]", "+0]", true, ""},
		{"elements behind the last", "setp.lt.s64", "setp.le.s64", true, "allocation"},
	}) {
		t.Run(p.name, func(t *testing.T) {
			bad := operands()
			text := strings.ReplaceAll(entry, p.old, p.new) + ".visible .entry combine" + combine
			if p.combines {
				text = entry + ".visible .entry combine" + strings.ReplaceAll(combine, p.old, p.new)
			}
			require.NotEqual(t, module, text)
			err := c.run(text, bad)
			if p.want == "" {
				require.True(t, err != nil || !bytes.Equal(good[3].bytes, bad[3].bytes))
				return
			}
			require.ErrorContains(t, err, p.want)
		})
	}
}
