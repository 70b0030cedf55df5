package attention_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/ptx"
	"ltc/backends/cuda/ptx/attention"
	"ltc/internal/test/ptxas"
	"ltc/internal/test/ptxsim"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// attentionCase is a call of attention: what its operands hold, and how they lie.
type attentionCase struct {
	attention.Op
	batch, heads, shared int // shared: how many heads have the same keys and values
	queries, keys        int
	// apart has rows of one head between those of others, as products of a token's
	// features leave them; shifted begins operands at no multiple of 16 bytes.
	apart, shifted bool
	boxed          bool // by tensor maps
	masked         *scoreMask
	span           int // keys of a part
}

func (c attentionCase) String() string {
	s := fmt.Sprintf("%v %dx%d of %d/%d by %dx%d", c.Type, c.queries, c.keys, c.Dim, c.Width, c.batch, c.heads)
	if c.shared > 1 {
		s += fmt.Sprintf("/%d", c.shared)
	}
	for _, x := range []struct {
		is   bool
		name string
	}{{c.Causal, "causal"}, {c.apart, "apart"}, {c.shifted, "shifted"}, {c.boxed, "boxes"}} {
		if x.is {
			s += " " + x.name
		}
	}
	if c.Split {
		s += fmt.Sprintf(" parts of %d", c.span)
	}
	return s + c.masked.String()
}

// operand is one of q, k, v and the result.
type operand struct {
	bytes                []byte
	batch, heads         int
	rows, features       int
	atBatch, atHead, row int // strides
	shift                int
}

func (c attentionCase) operand(heads, rows, features int) *operand {
	o := &operand{batch: c.batch, heads: heads, rows: rows, features: features}
	o.atBatch, o.atHead, o.row = heads*rows*features, rows*features, features
	if c.apart {
		o.atHead, o.row = features, heads*features
	}
	if c.shifted {
		o.shift = 1
	}
	o.bytes = make([]byte, 2*(o.shift+c.batch*o.atBatch))
	return o
}

func (o *operand) at(b, h, i, f int) []byte {
	return o.bytes[2*(o.shift+b*o.atBatch+h*o.atHead+i*o.row+f):][:2]
}

func (c attentionCase) number(b []byte) float64 {
	if bits := binary.LittleEndian.Uint16(b); c.Type == types.F16 {
		return float64(types.Float16(bits).Float32())
	} else {
		return float64(types.BFloat16(bits).Float32())
	}
}

func (c attentionCase) rounded(x float64) uint16 {
	if c.Type == types.F16 {
		return uint16(types.ToFloat16(x))
	}
	return uint16(types.ToBFloat16(x))
}

// operands makes them, of numbers that f says; operand 3 is the result.
func (c attentionCase) operands(f func(operand, row int) float64) [4]*operand {
	groups := c.heads / c.shared
	all := [4]*operand{c.operand(c.heads, c.queries, c.Dim), c.operand(groups, c.keys, c.Dim), c.operand(groups, c.keys, c.Width), c.operand(c.heads, c.queries, c.Width)}
	for n, o := range all {
		for b := range o.batch {
			for h := range o.heads {
				for i := range o.rows {
					for j := range o.features {
						v := uint16(0x5A5A)
						if n < 3 {
							v = c.rounded(f(n, i))
						}
						binary.LittleEndian.PutUint16(o.at(b, h, i, j), v)
					}
				}
			}
		}
	}
	return all
}

// run runs a module's entry k on the operands.
func (c attentionCase) run(module string, all [4]*operand) error {
	m, err := ptxsim.Parse(module)
	if err != nil {
		return err
	}
	e, err := m.Entry("k")
	if err != nil {
		return err
	}
	var memory ptxsim.Memory
	var args []uint64
	for i, o := range all {
		at := uint64(i+1) << 40
		memory.Map(at, o.bytes)
		args = append(args, at+uint64(2*o.shift))
	}
	if c.masked != nil {
		memory.Map(5<<40, c.masked.bytes)
		args = append(args, 5<<40+uint64(c.masked.shift))
	}
	parts := c.keys
	if c.Split {
		parts = (c.keys + c.span - 1) / c.span
		for i, t := range c.Work(int64(c.batch*c.heads*c.queries), int64(parts)) {
			memory.Map(uint64(6+i)<<40, bytes.Repeat([]byte{0xFF}, t.Bytes())) // NaNs
			args = append(args, uint64(6+i)<<40)
		}
	}
	addresses := args[:len(args):len(args)]
	sizes := []int64{int64(c.queries), int64(c.keys), int64(c.heads), int64(c.shared)}
	var strides []int64
	for _, o := range all {
		strides = append(strides, int64(o.atBatch), int64(o.atHead), int64(o.row))
	}
	if c.masked != nil {
		strides = append(strides, c.masked.strides[:]...)
	}
	numbers := sizes[:4:4]
	if c.Split {
		numbers = append(numbers, int64(parts), int64(c.span))
	}
	for _, n := range append(numbers, strides...) {
		args = append(args, uint64(n))
	}
	l := c.Launch(int64(c.queries), int64(c.batch*c.heads))
	if c.boxed {
		var maps []ptx.Map
		var ok bool
		if l, maps, ok = c.MapLaunch(sizes, strides, int64(c.batch)); !ok {
			return errors.New("there are no tensor maps")
		}
		words, err := encoded(maps, func(operand int) uint64 { return args[operand] })
		if err != nil {
			return err
		}
		args = append(args, words...)
	}
	if c.Split {
		l.Grid[0] *= parts
	}
	_, err = e.Run(&memory, ptxsim.Launch{Grid: l.Grid, Block: l.Block, Shared: l.Shared, Args: args, Steps: 1 << 30})
	if err != nil || !c.Split {
		return err
	}
	if e, err = m.Entry("combine"); err != nil {
		return err
	}
	rows := int64(c.batch * c.heads * c.queries)
	for _, n := range append([]int64{int64(c.queries), int64(c.heads), int64(parts), rows}, strides[9:12]...) {
		addresses = append(addresses, uint64(n))
	}
	l = c.Combine(rows)
	_, err = e.Run(&memory, ptxsim.Launch{Grid: l.Grid, Block: l.Block, Shared: l.Shared, Args: addresses, Steps: 1 << 30})
	return err
}

// golden names what the assembler says of the module.
func (c attentionCase) golden() string {
	boxes := ""
	if c.boxed {
		boxes = "_boxes"
	}
	if c.masked != nil {
		boxes = fmt.Sprintf("_%v%s", c.Mask, boxes)
	}
	if c.Split {
		boxes += "_parts"
	}
	return fmt.Sprintf("attention/%v_%d_%d_%v%s", c.Type, c.Dim, c.Width, c.Causal, boxes)
}

func (c attentionCase) module(t testing.TB) string {
	t.Helper()
	entry := c.Entry
	if c.boxed {
		entry = c.MapEntry
	}
	text, err := entry("k")
	require.NoError(t, err)
	texts := []string{text}
	if c.Split {
		text, err := c.CombineEntry("combine")
		require.NoError(t, err)
		texts = append(texts, text)
	}
	return ptx.Options{Hopper: c.boxed}.Module(texts...)
}

// seen is how many keys a query sees.
func (c attentionCase) seen(i int) int {
	if c.Causal {
		return i + c.keys - c.queries + 1
	}
	return c.keys
}

// expect computes each query by itself, exactly: a result, and the same of the
// values without their signs, which says how much rounding them may matter.
func (c attentionCase) expect(all [4]*operand, each func(b, h, i, f int, y, size float64)) {
	for b := range c.batch {
		for h := range c.heads {
			for i := range c.queries {
				scores, most := make([]float64, c.seen(i)), math.Inf(-1)
				for j := range scores {
					for f := range c.Dim {
						scores[j] += c.Scale * c.number(all[0].at(b, h, i, f)) * c.number(all[1].at(b, h/c.shared, j, f))
					}
					if c.masked != nil {
						scores[j] = c.masked.apply(scores[j], c.Mask, b, h, i, j)
					}
					most = math.Max(most, scores[j])
				}
				total := 0.0
				for j := range scores {
					if !math.IsInf(scores[j], -1) {
						scores[j] = math.Exp(scores[j] - most)
						total += scores[j]
					} else {
						scores[j] = 0
					}
				}
				total = math.Max(total, 1) // it is that of none, if nothing is seen
				for f := range c.Width {
					y, size := 0.0, 0.0
					for j, w := range scores {
						v := c.number(all[2].at(b, h/c.shared, j, f))
						y, size = y+w/total*v, size+w/total*math.Abs(v)
					}
					each(b, h, i, f, y, size)
				}
			}
		}
	}
}

var attentions = []attentionCase{
	{Op: attention.Op{Type: types.BF16, Dim: 64, Width: 64}, batch: 1, heads: 2, shared: 1, queries: 128, keys: 128},
	{Op: attention.Op{Type: types.BF16, Dim: 128, Width: 128, Causal: true}, batch: 1, heads: 1, shared: 1, queries: 200, keys: 200},
	{Op: attention.Op{Type: types.F16, Dim: 64, Width: 64, Causal: true}, batch: 2, heads: 2, shared: 2, queries: 70, keys: 130, apart: true},
	{Op: attention.Op{Type: types.BF16, Dim: 256, Width: 256, Causal: true}, batch: 1, heads: 1, shared: 1, queries: 65, keys: 129},
	{Op: attention.Op{Type: types.F16, Dim: 16, Width: 16}, batch: 1, heads: 4, shared: 2, queries: 1, keys: 300},
	{Op: attention.Op{Type: types.BF16, Dim: 80, Width: 24, Causal: true}, batch: 1, heads: 2, shared: 1, queries: 33, keys: 65},
	{Op: attention.Op{Type: types.BF16, Dim: 40, Width: 96}, batch: 3, heads: 1, shared: 1, queries: 7, keys: 63, apart: true},
	{Op: attention.Op{Type: types.F16, Dim: 32, Width: 160}, batch: 1, heads: 1, shared: 1, queries: 64, keys: 1},
	{Op: attention.Op{Type: types.BF16, Dim: 32, Width: 32, Causal: true}, batch: 1, heads: 2, shared: 1, queries: 130, keys: 190, shifted: true},
	{Op: attention.Op{Type: types.F16, Dim: 3, Width: 5, Causal: true}, batch: 2, heads: 2, shared: 1, queries: 20, keys: 66, apart: true},
	{Op: attention.Op{Type: types.BF16, Dim: 33, Width: 42}, batch: 1, heads: 1, shared: 1, queries: 70, keys: 67},

	{Op: attention.Op{Type: types.BF16, Dim: 128, Width: 128, Causal: true}, batch: 1, heads: 1, shared: 1, queries: 200, keys: 500, boxed: true},
	{Op: attention.Op{Type: types.BF16, Dim: 64, Width: 64}, batch: 2, heads: 2, shared: 2, queries: 70, keys: 300, apart: true, boxed: true},
	{Op: attention.Op{Type: types.F16, Dim: 128, Width: 64, Causal: true}, batch: 1, heads: 2, shared: 1, queries: 140, keys: 140, boxed: true},
	{Op: attention.Op{Type: types.F16, Dim: 24, Width: 96}, batch: 2, heads: 1, shared: 1, queries: 1, keys: 129, boxed: true},
	{Op: attention.Op{Type: types.BF16, Dim: 80, Width: 8, Causal: true}, batch: 1, heads: 2, shared: 2, queries: 128, keys: 128, apart: true, boxed: true},
}

// Attention is as far from the exact result as weights and results that are rounded once
// make it. With elements whose half unit in the last place is u, that is twice u of the
// mean size of the values, and the error of the weights.
func TestAttention(t *testing.T) {
	for _, c := range trials.First(attentions) {
		t.Run(c.String(), func(t *testing.T) {
			c.Scale = 1 / math.Sqrt(float64(c.Dim))
			module := c.module(t)
			require.NoError(t, ptxas.Name(c.golden(), module))
			r := rand.New(rand.NewPCG(7, 8))
			all := c.operands(func(int, int) float64 { return r.NormFloat64() })
			require.NoError(t, c.run(module, all))
			u := map[types.DType]float64{types.BF16: 0x1p-8, types.F16: 0x1p-11}[c.Type]
			worst := 0.0
			c.expect(all, func(b, h, i, f int, y, size float64) {
				got := c.number(all[3].at(b, h, i, f))
				require.InDelta(t, y, got, (2*u+4e-5)*size, "batch %d head %d query %d feature %d", b, h, i, f)
				worst = math.Max(worst, math.Abs(got-y)/size/u)
			})
			t.Logf("at most %.2f units", worst)
		})
	}
}

// Without scores each query gives the mean of what it sees, to the bit: no key is
// left out, counted twice or seen too early, whatever the tiles.
func TestAttentionIsMean(t *testing.T) {
	for _, c := range trials.First(attentions) {
		t.Run(c.String(), func(t *testing.T) {
			c.Scale = 1
			all := c.operands(func(n, row int) float64 {
				if n == 0 {
					return 0
				}
				return float64(1 + row%7)
			})
			require.NoError(t, c.run(c.module(t), all))
			for b := range c.batch {
				for h := range c.heads {
					for i := range c.queries {
						sum := float32(0)
						for j := range c.seen(i) {
							sum += float32(1 + j%7)
						}
						want := c.rounded(float64(sum * (1 / float32(c.seen(i)))))
						for f := range c.Width {
							require.Equal(t, want, binary.LittleEndian.Uint16(all[3].at(b, h, i, f)), "batch %d head %d query %d feature %d", b, h, i, f)
						}
					}
				}
			}
		})
	}
}

// Tiles that see most keys come first, of heads in groups, the last of which is smaller:
// no tile is left out, and each is of its own head.
func TestGroupsOfHeads(t *testing.T) {
	c := attentionCase{Op: attention.Op{Type: types.BF16, Dim: 16, Width: 16, Causal: true, Scale: 1}, batch: 1, heads: 5, shared: 1, queries: 300, keys: 300}
	attention.Cached(t, 2*c.keys*(c.Dim+c.Width)*2) // two heads
	r := rand.New(rand.NewPCG(5, 6))
	all := c.operands(func(int, int) float64 { return r.NormFloat64() })
	require.NoError(t, c.run(c.module(t), all))
	c.expect(all, func(b, h, i, f int, y, size float64) {
		require.InDelta(t, y, c.number(all[3].at(b, h, i, f)), (0x1p-7+4e-5)*size, "head %d query %d feature %d", h, i, f)
	})
}

// Scores that are far apart, infinite or not numbers.
func TestAttentionExtremes(t *testing.T) {
	c := attentionCase{Op: attention.Op{Type: types.BF16, Dim: 16, Width: 16, Scale: 1}, batch: 1, heads: 1, shared: 1, queries: 4, keys: 70}
	all := c.operands(func(n, row int) float64 {
		switch {
		case n == 0:
			return []float64{1, -1, math.Inf(1), math.NaN()}[row]
		case n == 1:
			return float64(row - 35)
		}
		return float64(row)
	})
	require.NoError(t, c.run(c.module(t), all))
	require.Equal(t, 69.0, c.number(all[3].at(0, 0, 0, 0)), "the last key has all the weight")
	require.InEpsilon(t, math.Exp(-16), c.number(all[3].at(0, 0, 1, 0)), 0x1p-8, "the first one has nearly all")
	require.True(t, math.IsNaN(c.number(all[3].at(0, 0, 2, 0))))
	require.True(t, math.IsNaN(c.number(all[3].at(0, 0, 3, 0))))
}

// What there is no entry for is said.
func TestAttentionCheck(t *testing.T) {
	good := attention.Op{Type: types.BF16, Dim: 64, Width: 64, Scale: 1}
	require.NoError(t, good.Check())
	for _, change := range []func(a *attention.Op){
		func(a *attention.Op) { a.Type = types.F32 },
		func(a *attention.Op) { a.Dim = 0 },
		func(a *attention.Op) { a.Width = 257 },
		func(a *attention.Op) { a.Scale = 0 },
		func(a *attention.Op) { a.Scale = -1 },
		func(a *attention.Op) { a.Scale = math.NaN() },
		func(a *attention.Op) { a.Scale = math.Inf(1) },
		func(a *attention.Op) { a.Mask = types.I32 },
		func(a *attention.Op) { a.Mask = types.F64 },
	} {
		a := good
		change(&a)
		_, err := a.Entry("k")
		require.ErrorIs(t, err, errors.ErrUnsupported)
	}
}

// mistake is one to plant in a module's text.
type mistake struct {
	name     string
	nth      int // which occurrence of old
	old, new string
	want     string // "": the numbers are wrong
}

// planted requires that each mistake in the module of c is found.
func (c attentionCase) planted(t *testing.T, all []mistake) {
	module := c.module(t)
	operands := func() [4]*operand {
		r := rand.New(rand.NewPCG(9, 10))
		return c.operands(func(int, int) float64 { return r.NormFloat64() })
	}
	good := operands()
	require.NoError(t, c.run(module, good))
	for _, p := range trials.First(all) {
		t.Run(p.name, func(t *testing.T) {
			at := -1
			for range p.nth + 1 {
				next := strings.Index(module[at+1:], p.old)
				require.GreaterOrEqual(t, next, 0)
				at += 1 + next
			}
			bad := operands()
			err := c.run(module[:at]+p.new+module[at+len(p.old):], bad)
			if p.want == "" {
				require.NoError(t, err)
				require.False(t, bytes.Equal(good[3].bytes, bad[3].bytes))
				return
			}
			require.ErrorContains(t, err, p.want)
		})
	}
}

// Mistakes planted in the text are found: by what the interpreter watches, or by
// numbers.
func TestAttentionPlanted(t *testing.T) {
	c := attentionCase{Op: attention.Op{Type: types.BF16, Dim: 64, Width: 64, Causal: true, Scale: 0.125}, batch: 1, heads: 2, shared: 2, queries: 150, keys: 150}
	c.planted(t, []mistake{
		{"copies that are not waited for", 0, "cp.async.wait_all;", "", "has not been waited for"},
		{"the barrier of a tile", 0, "bar.sync 0;", "", "race"},
		{"the barrier before the result", 1, "bar.sync 0;", "", "race"},
		{"the barrier before it is stored", 2, "bar.sync 0;", "", "race"},
		{"one row more of queries", 1, "setp.lt.s32", "setp.le.s32", "of allocation 0"},
		{"how far rows are apart", 0, "mul.lo.s64 %rd37, %rd35, 2;", "mul.lo.s64 %rd37, %rd35, 4;", "of allocation 0"},
		{"a chunk too many", 0, ", 7;", ", 15;", "before allocation"},
		{"keys that are seen", 0, "setp.gt.s32", "setp.ge.s32", ""},
		{"the end of all keys", 21, "min.s32", "max.s32", ""},
		{"the head", 2, "rem.u32", "div.u32", "race"},
		{"the exponent", 0, ", 23;", ", 22;", ""},
		{"largest scores of half a row", 0, ", 2, 31, -1;", ", 1, 31, -1;", ""},
		{"sums that are not brought to the largest", 0, "setp.neu.f32", "setp.nan.f32", ""},
		{"values that are not transposed", 0, ".x4.trans.", ".x4.", ""},
		{"the half of a pair", 0, "cvt.rn.bf16x2.f32", "cvt.rn.f16x2.f32", ""},
	})
}

// encoded are maps as launches are given them, of operands at some addresses.
func encoded(maps []ptx.Map, address func(operand int) uint64) ([]uint64, error) {
	var words []uint64
	for _, x := range maps {
		d := ptxsim.MapOf(address(x.Operand), x.Type.Size(), x.Sizes, x.Strides, x.Box)
		if err := d.Check(); err != nil {
			return nil, err
		}
		w := d.Words()
		words = append(words, w[:]...)
	}
	return words, nil
}
