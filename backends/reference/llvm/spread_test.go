package llvm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/native"
	"ltc/internal/trials"
)

// window is a convolution of groups with strides, to which what was there is added
// and a number that tells places apart.
const window = `kernel window(x: f32[n0, n1, n2, n3, n4] strides [*, *, *, *, 1], w: f32[n5, n6, n4, n3, n7] strides [*, *, *, *, 1], r: f32[n0, n8, n9, n3, n7] strides [*, *, *, *, 1], out y: f32[n0, n8, n9, n3, n7] strides [*, *, *, *, 1]) {
  for b < n0
  for h < n8
  for v < n9
  for g < n3
  for o < n7
  stage i < n5 j < n6 c < n4 {
    %0 = load x[b, 2*h + i, v + j, g, c]
    %1 = load w[i, j, c, g, o]
    %2 = multiply %0, %1 : f32
    %3 = reduce add %2
  }
  stage {
    %4 = load r[b, h, v, g, o]
    %5 = add %3, %4 : f32
    %6 = iota h : f32
    %7 = iota b : f32
    %8 = subtract %6, %7 : f32
    %9 = multiply %5, %8 : f32
    store y[b, h, v, g, o], %9
  }
}`

// Convolutions of all levels give the evaluator's results as products, to the bit for any
// number of parts. Their operands are dense and not dense, with the strides that they were
// prepared for and with others.
func TestSpreadProducts(t *testing.T) {
	trials.Sequential(t)
	k, err := kernel.Parse(window)
	require.NoError(t, err)
	require.NoError(t, kernel.Verify(k))
	sizes := func(images, groups, in, out, places, wide int64) []int64 {
		return []int64{images, 2*places + 1, wide + 1, groups, in, 3, 2, out, places, wide}
	}
	for _, c := range trials.First(compilers(t)) {
		p, ok := compile(t, c, k)[0].(*spreadKernel)
		require.True(t, ok)
		for _, s := range []struct {
			sizes []int64
			rows  int
		}{
			{sizes(2, 1, 8, 20, 5, 7), 2 * 5 * 7}, {sizes(2, 3, 5, 6, 4, 3), 2 * 4 * 3}, {sizes(2, 1, 40, 33, 7, 9), 2 * 7 * 9}, {sizes(1, 1, 3, 2, 1, 900), 900},
			{sizes(1, 1, 120, 20, 5, 7), 5 * 7}, // its sums are cut into blocks
		} {
			t.Run(fmt.Sprint(c.machine.Level, s.sizes), func(t *testing.T) {
				before := kerneltest.NewMemory(k, s.sizes, kerneltest.Dense, 0)
				numbers(before, rand.New(rand.NewPCG(1, 7)))
				want, err := before.Run(evaluate)
				require.NoError(t, err)
				var first *kerneltest.Memory
				for n, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread} {
					m := before.Like(layout, 0x5A)
					code, err := p.Prepare(t.Context(), m.Sizes, m.Strides, nil)
					require.NoError(t, err)
					q := code.(*spread)
					if n == 0 {
						require.Nil(t, q.own, "package gemm computes it")
						require.Equal(t, s.rows, q.plan.Problem.M, "all places are rows where C is dense")
						require.GreaterOrEqual(t, q.HeldBytes(), 8*3, "where the runs of three rows of the window are")
					}
					for parts := range 3 {
						got, err := before.Like(layout, 0x5A).Run(in(code, parts+1))
						require.NoError(t, err)
						require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{Relative: 1e-4, Absolute: 1e-3}))
						if q.own != nil {
							continue // another order of sums
						}
						if first == nil {
							first = got
						}
						require.NoError(t, kerneltest.Same(first, got, kerneltest.Tolerance{}))
					}
					other := before.Like([]kerneltest.Layout{kerneltest.Spread, kerneltest.Dense}[n], 0x5A)
					got, err := other.Run(in(code, 2))
					require.NoError(t, err)
					require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{Relative: 1e-4, Absolute: 1e-3}), "at other strides")
				}
			})
		}
	}
}

// The kernel of a convolution that is the same in all runs is packed once, where it
// is so large that each run would pack it.
func TestSpreadProductsKeepB(t *testing.T) {
	trials.Sequential(t)
	k, err := kernel.Parse(strings.NewReplacer("  for g < n3\n", "", "n3, ", "", "g, ", "", "*, *, *, *", "*, *, *").Replace(window))
	require.NoError(t, err)
	p := compile(t, compilers(t)[0], k)[0].(*spreadKernel)
	m := kerneltest.NewMemory(k, []int64{2, 25, 11, 1, 128, 3, 2, 1024, 12, 10}, kerneltest.Dense, 0)
	numbers(m, rand.New(rand.NewPCG(1, 7)))
	run := func(p kernel.Code) *kerneltest.Memory {
		code, err := p.(*spreadKernel).Prepare(t.Context(), m.Sizes, m.Strides, nil)
		require.NoError(t, err)
		require.Nil(t, code.(*spread).own)
		got, err := m.Run(in(code, 2))
		require.NoError(t, err)
		return got
	}
	kept := keeper{}
	bound := p.Bind([]unsafe.Pointer{nil, m.Mem[1], nil, nil}, kept)
	require.NoError(t, kerneltest.Same(run(p), run(bound), kerneltest.Tolerance{}))
	require.Len(t, kept, 1)
	for _, v := range kept {
		require.GreaterOrEqual(t, v.Type.Bytes(), 4*1024*6*128)
	}
}

// Code that a run for other strides needs is waited for no longer than the run goes on.
func TestSpreadProductsForOtherStridesEndWithTheRun(t *testing.T) {
	k, err := kernel.Parse(window)
	require.NoError(t, err)
	c := compilers(t)[0]
	p := compile(t, c, k)[0].(*spreadKernel)
	before := kerneltest.NewMemory(k, []int64{2, 11, 8, 1, 8, 3, 2, 20, 5, 7}, kerneltest.Dense, 0)
	code, err := p.Prepare(t.Context(), before.Sizes, before.Strides, nil)
	require.NoError(t, err)
	waits := make(chan struct{})
	p.known = new(functions)
	c.units.all = map[string]*unit{}
	c.units.compile = func(ctx context.Context, _ gemm.Unit) (native.Kernel, error) {
		close(waits)
		<-ctx.Done()
		return native.Kernel{}, context.Cause(ctx)
	}
	call, done, failed := before.Like(kerneltest.Spread, 0).Call(), make(chan struct{}), make(chan error)
	call.Done = done
	go func() { failed <- code.Run(call) }()
	<-waits
	close(done)
	require.ErrorIs(t, <-failed, context.Canceled)
}

// windowFirst is a convolution whose features are before the spatial dimensions, with what
// was there added.
const windowFirst = `kernel window(x: f32[n0, n1, n2, n3] strides [*, *, *, 1], w: f32[n4, n1, n5, n6] strides [*, *, *, 1], r: f32[n0, n4, n7, n8] strides [*, *, *, 1], out y: f32[n0, n4, n7, n8] strides [*, *, *, 1]) {
  for b < n0
  for o < n4
  for h < n7
  for v < n8
  stage c < n1 i < n5 j < n6 {
    %0 = load x[b, c, h + i, 2*v + j]
    %1 = load w[o, c, i, j]
    %2 = multiply %0, %1 : f32
    %3 = reduce add %2
  }
  stage {
    %4 = load r[b, o, h, v]
    %5 = iota o : f32
    %6 = subtract %4, %5 : f32
    %7 = add %3, %6 : f32
    store y[b, o, h, v], %7
  }
}`

// Columns of such products are the places of an image where all that is read and stored for
// them lies as along one dimension, and places of a row elsewhere. Results are the
// evaluator's, to the bit for any number of parts.
func TestSpreadProductsWithChannelsFirst(t *testing.T) {
	trials.Sequential(t)
	for _, form := range []struct {
		name, old, new string
		together       bool
	}{
		{"all places", "iota o", "iota o", true},
		{"rows, whose number is read", "iota o", "iota h", false},
		{"rows, whose places are read", "iota o", "iota v", false},
		{"rows, of which the first is read", "r[b, o, h, v]", "r[b, o, 0, v]", false},
		{"neighbours", "2*v + j", "v + j", true},
		{"far apart", "2*v + j", "3*v + j", true},
	} {
		k, err := kernel.Parse(strings.Replace(windowFirst, form.old, form.new, 1))
		require.NoError(t, err)
		require.NoError(t, kernel.Verify(k))
		for _, c := range trials.First(compilers(t)) {
			p, ok := compile(t, c, k)[0].(*spreadKernel)
			require.True(t, ok)
			for _, s := range [][]int64{{2, 5, 7, 25, 20, 3, 2, 5, 8}, {1, 120, 9, 45, 6, 3, 3, 7, 14}, {3, 1, 4, 130, 33, 2, 5, 3, 40}, {1, 40, 18, 10, 3, 3, 1, 16, 1}} {
				t.Run(fmt.Sprint(form.name, c.machine.Level, s), func(t *testing.T) {
					before := kerneltest.NewMemory(k, s, kerneltest.Dense, 0)
					numbers(before, rand.New(rand.NewPCG(1, 7)))
					want, err := before.Run(evaluate)
					require.NoError(t, err)
					for n, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread} {
						m := before.Like(layout, 0x5A)
						code, err := p.Prepare(t.Context(), m.Sizes, m.Strides, nil)
						require.NoError(t, err)
						q := code.(*spread)
						if n == 0 {
							require.Nil(t, q.own, "package gemm computes it")
							columns := int(s[8])
							if form.together {
								columns *= int(s[7])
							}
							require.Equal(t, columns, q.plan.Problem.N)
						}
						var first *kerneltest.Memory
						for parts := range 3 {
							got, err := before.Like(layout, 0x5A).Run(in(code, parts+1))
							require.NoError(t, err)
							require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{Relative: 1e-4, Absolute: 1e-3}))
							if first == nil {
								first = got
							}
							if q.own == nil {
								require.NoError(t, kerneltest.Same(first, got, kerneltest.Tolerance{}))
							}
						}
					}
				})
			}
		}
	}
}
