package gemm

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// Few rows meet a B as it lies whose elements of k are neighbours. Sums are right, touch nothing else, and
// have the same bits in any number of parts.
func TestFewRows(t *testing.T) {
	for _, on := range machines() {
		for _, kind := range kinds {
			if kind.a != kind.b || kind.b != kind.acc || kind.b == types.I64 {
				continue
			}
			t.Run(on.String()+"/"+kind.String(), func(t *testing.T) {
				for m := 2; m <= mostFewRows; m += 3 {
					x := trial{kind: kind, batch: 1 + m%2, m: m, n: 7*m + 3, k: 301 - m, ta: m % 3, tb: 1, tc: m % 2, fuse: m / 2 % 3, parts: 1, gap: m % 3, atEnd: m%2 == 0}
					if kind.acc == types.U32 { // the epilogue of the tests is for signed sums
						x.fuse = 0
					}
					o := x.run(t, on)
					require.LessOrEqual(t, x.worst(t, o), 1., "%v", x)
					x.parts = 3
					require.Equal(t, o.c.bytes, x.run(t, on).c.bytes, "%v", x)
				}
				if kind.acc != types.U32 { // batches whose sums wait for the epilogue, of several blocks of k
					x := trial{kind: kind, batch: 3, m: 8, n: 5, k: 3001, tb: 1, fuse: 2, parts: 1}
					o := x.run(t, on)
					require.LessOrEqual(t, x.worst(t, o), 1., "%v", x)
				}
				for m := 9; m <= mostSomeRows; m += 20 { // long sums, also of a gathered A
					x := trial{kind: kind, batch: 1, m: m, n: 37, k: 2060 + m, tb: 1, tc: m / 20 % 2, gather: m / 20 % 2, parts: 1}
					o := x.run(t, on)
					require.LessOrEqual(t, x.worst(t, o), 1., "%v", x)
					x.parts = 2
					require.Equal(t, o.c.bytes, x.run(t, on).c.bytes, "%v", x)
				}
			})
		}
	}
}

// A row has the same bits whatever other rows there are, and as a block of few rows.
func TestBlocksOfFewRows(t *testing.T) {
	on := best()
	const n, k = 37, 333
	p := Dense(types.F32, types.F32, types.F32, types.F32, 1, mostFewRows, n, k)
	p.StrideB = [3]int{0, 1, k}
	a, b := make([]float32, mostFewRows*k), make([]float32, n*k)
	for i := range a {
		a[i] = float32(i%101) / 7
	}
	for i := range b {
		b[i] = float32(i%97)/3 - 11
	}
	run := func(p Problem, from int) []float32 {
		product := bind(t, p, on)
		require.True(t, product.plan.few)
		require.False(t, product.plan.Packs())
		c := make([]float32, p.M*n)
		multiply(product, 1, Operands{A: unsafe.Pointer(&a[from*k]), B: unsafe.Pointer(&b[0]), C: unsafe.Pointer(&c[0])})
		return c
	}
	all := run(p, 0)
	for m := 2; m < mostFewRows; m++ {
		p := p
		p.M = m
		require.Equal(t, all[:m*n], run(p, 0))
	}
	for m := range mostFewRows {
		p := p
		p.M, p.Block, p.FewRows = 1, true, mostFewRows
		require.Equal(t, all[m*n:][:n], run(p, m))
	}
}

// What has few columns packs the other operand; many rows, short sums and rows of B pack B or have
// other kernels.
func TestPlansOfFewRows(t *testing.T) {
	on := Machine{Machine: vector.Machine{Level: vector.AVX512}, L2: 1 << 20}
	for _, c := range []struct {
		m, n, k    int
		along, few bool
	}{
		{2, 100, 384, true, true},
		{8, 100, 384, true, true},
		{9, 100, 384, true, false},
		{8, 100, 63, true, false},
		{8, 100, 384, false, false},
		{1, 100, 384, true, false},
	} {
		p := Dense(types.F32, types.F32, types.F32, types.F32, 1, c.m, c.n, c.k)
		if c.along {
			p.StrideB = [3]int{0, 1, c.k}
		}
		q, err := New(p, on)
		require.NoError(t, err)
		require.Equal(t, c.few, q.few, "%v", p)
		p.PackedB = true
		require.NoError(t, q.Replan(p))
		require.False(t, q.few)
	}
}
