package attention_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
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

// scoreMask is a mask, and which of batches, heads and queries it has an axis for.
type scoreMask struct {
	axes    string // of "bhq"
	gap     int    // elements between rows
	shift   int    // bytes from where memory begins
	size    int    // of an element
	strides [3]int64
	bytes   []byte
}

func (m *scoreMask) String() string {
	if m == nil {
		return ""
	}
	return fmt.Sprintf(" mask %d of [%s] %d apart at %d", m.size, m.axes, m.gap, m.shift)
}

func (m *scoreMask) at(b, h, i, j int) []byte {
	n := int64(b)*m.strides[0] + int64(h)*m.strides[1] + int64(i)*m.strides[2] + int64(j)
	return m.bytes[m.shift+m.size*int(n):][:m.size]
}

// apply returns what a score is with the mask, rounded as scores are.
func (m *scoreMask) apply(score float64, t types.DType, b, h, i, j int) float64 {
	switch x := m.at(b, h, i, j); t {
	case types.Bool:
		if x[0] == 0 {
			return math.Inf(-1)
		}
		return score
	case types.F32:
		score += float64(math.Float32frombits(binary.LittleEndian.Uint32(x)))
	case types.F16:
		score += float64(types.Float16(binary.LittleEndian.Uint16(x)).Float32())
	default:
		score += float64(types.BFloat16(binary.LittleEndian.Uint16(x)).Float32())
	}
	return float64(float32(score))
}

// lowest returns the least finite number of a type.
func lowest(t types.DType) float64 {
	switch t {
	case types.F16:
		return -65504
	case types.BF16:
		return -0x1.FEp127
	}
	return -math.MaxFloat32
}

// mask makes a mask some of whose rows hide all. Some rows are as low as numbers are, which
// hides nothing, and the others hide a third of the keys. Of a mask of numbers, the amounts
// added to the other scores differ.
func (c attentionCase) mask(r *rand.Rand) *scoreMask {
	m := *c.masked
	m.size = c.Mask.Size()
	n, row := int64(1), int64(c.keys+m.gap)
	for d, size := range []int{c.queries, c.heads, c.batch} {
		if strings.Contains(m.axes, string("qhb"[d])) {
			m.strides[2-d] = n * row
			n *= int64(size)
		}
	}
	m.bytes = make([]byte, m.shift+m.size*int((n-1)*row+int64(c.keys)))
	put := func(at []byte, x float64) {
		switch c.Mask {
		case types.Bool:
			if at[0] = 0; x > -10 {
				at[0] = 1
			}
		case types.F32:
			binary.LittleEndian.PutUint32(at, math.Float32bits(float32(x)))
		case types.F16:
			binary.LittleEndian.PutUint16(at, uint16(types.ToFloat16(x)))
		default:
			binary.LittleEndian.PutUint16(at, uint16(types.ToBFloat16(x)))
		}
	}
	for k := range n {
		for j := range c.keys {
			x := r.NormFloat64()
			switch {
			case n > 4 && k%5 == 3 || r.IntN(3) == 0:
				x = math.Inf(-1)
			case n > 4 && k%5 == 1:
				x = lowest(c.Mask)
			}
			put(m.bytes[m.shift+m.size*int(k*row+int64(j)):], x)
		}
	}
	return &m
}

var maskedAttentions = []attentionCase{
	{Op: attention.Op{Type: types.BF16, Dim: 64, Width: 64, Mask: types.Bool}, batch: 1, heads: 2, shared: 1, queries: 70, keys: 130, masked: &scoreMask{axes: "q"}},
	{Op: attention.Op{Type: types.BF16, Dim: 128, Width: 128, Mask: types.BF16, Causal: true}, batch: 1, heads: 1, shared: 1, queries: 66, keys: 100, masked: &scoreMask{axes: "bhq"}},
	{Op: attention.Op{Type: types.F16, Dim: 32, Width: 32, Mask: types.F32}, batch: 2, heads: 2, shared: 2, queries: 65, keys: 68, apart: true, masked: &scoreMask{axes: "hq"}},
	{Op: attention.Op{Type: types.F16, Dim: 16, Width: 16, Mask: types.F16, Causal: true}, batch: 6, heads: 1, shared: 1, queries: 9, keys: 31, masked: &scoreMask{axes: "b"}},
	{Op: attention.Op{Type: types.BF16, Dim: 256, Width: 256, Mask: types.F32, Causal: true}, batch: 1, heads: 1, shared: 1, queries: 33, keys: 66, masked: &scoreMask{axes: "q", shift: 4}},
	{Op: attention.Op{Type: types.BF16, Dim: 40, Width: 24, Mask: types.Bool, Causal: true}, batch: 2, heads: 3, shared: 3, queries: 40, keys: 80, masked: &scoreMask{axes: "bq", gap: 3}},
	{Op: attention.Op{Type: types.BF16, Dim: 16, Width: 16, Mask: types.Bool}, batch: 3, heads: 2, shared: 1, queries: 1, keys: 70, masked: &scoreMask{}},

	{Op: attention.Op{Type: types.BF16, Dim: 128, Width: 128, Mask: types.F32, Causal: true}, batch: 1, heads: 1, shared: 1, queries: 130, keys: 300, masked: &scoreMask{axes: "q"}, boxed: true},
	{Op: attention.Op{Type: types.BF16, Dim: 128, Width: 128, Mask: types.BF16}, batch: 1, heads: 2, shared: 2, queries: 70, keys: 129, masked: &scoreMask{axes: "bhq"}, boxed: true},
	{Op: attention.Op{Type: types.F16, Dim: 64, Width: 64, Mask: types.Bool}, batch: 5, heads: 1, shared: 1, queries: 3, keys: 140, masked: &scoreMask{axes: "b"}, boxed: true},
	{Op: attention.Op{Type: types.F16, Dim: 128, Width: 64, Mask: types.F16, Causal: true}, batch: 1, heads: 1, shared: 1, queries: 100, keys: 128, masked: &scoreMask{axes: "q", gap: 1}, boxed: true},
}

// Masks, of all types and of fewer axes than scores have, hide what they hide and add
// what they add. Of rows that hide all, results are 0.
func TestAttentionMasks(t *testing.T) {
	for _, c := range trials.First(maskedAttentions) {
		t.Run(c.String(), func(t *testing.T) {
			c.Scale = 1 / math.Sqrt(float64(c.Dim))
			module := c.module(t)
			require.NoError(t, ptxas.Name(c.golden(), module))
			r := rand.New(rand.NewPCG(11, 12))
			c.masked = c.mask(r)
			all := c.operands(func(int, int) float64 { return r.NormFloat64() })
			require.NoError(t, c.run(module, all))
			u := map[types.DType]float64{types.BF16: 0x1p-8, types.F16: 0x1p-11}[c.Type]
			hidden := 0
			c.expect(all, func(b, h, i, f int, y, size float64) {
				require.InDelta(t, y, c.number(all[3].at(b, h, i, f)), (2*u+4e-5)*size, "batch %d head %d query %d feature %d", b, h, i, f)
				if size == 0 {
					hidden++
				}
			})
			require.Equal(t, c.masked.axes != "", hidden > 0, "rows that see nothing")
		})
	}
}

// Mistakes planted in what reads a mask are found.
func TestAttentionMasksPlanted(t *testing.T) {
	t.Setenv(ptxas.Variable, "")
	c := attentionCase{Op: attention.Op{Type: types.BF16, Dim: 16, Width: 16, Mask: types.Bool, Scale: 0.25}, batch: 1, heads: 1, shared: 1, queries: 20, keys: 64, masked: &scoreMask{axes: "q"}}
	module := c.module(t)
	c.masked = c.mask(rand.New(rand.NewPCG(9, 10)))
	operands := func() [4]*operand {
		r := rand.New(rand.NewPCG(9, 10))
		return c.operands(func(int, int) float64 { return r.NormFloat64() })
	}
	good := operands()
	require.NoError(t, c.run(module, good))
	for _, p := range trials.First([]struct{ name, old, new, want string }{
		{"rows behind the last", ", -1;", ", 30;", "of allocation 4"},
		{"the largest of nothing", "0fFF7FFFFF", "0fFF800000", ""},
		{"the sum of nothing", "max.NaN.f32 %f", "min.NaN.f32 %f", ""},
		{"the second of two", ", 8;\n\tsetp.ne", ", 9;\n\tsetp.ne", ""},
		{"what is hidden", "0fFF800000, %p", "0f00000000, %p", ""},
	}) {
		t.Run(p.name, func(t *testing.T) {
			bad := operands()
			require.Contains(t, module, p.old)
			err := c.run(strings.ReplaceAll(module, p.old, p.new), bad)
			if p.want == "" {
				require.NoError(t, err)
				require.False(t, bytes.Equal(good[3].bytes, bad[3].bytes))
				return
			}
			require.ErrorContains(t, err, p.want)
		})
	}
}
