package cuda

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/exec"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// matrix returns a view of a device's memory of 2 rows and 3 columns that lies in some
// way in a larger one, and that.
func matrix(t testing.TB, b *Backend, way int, r *rand.Rand) (m, whole soa.View) {
	all := make([]float32, 60)
	for i := range all {
		all[i] = float32(r.IntN(19) - 9)
	}
	v := resident(t, b, all...)
	of := func(at int, strides ...int) soa.View {
		w, err := v.Restride(types.Of(types.F32, 2, 3), at, strides)
		require.NoError(t, err)
		return w
	}
	return []soa.View{of(0, 3, 1), of(5, 1, 2), of(1, 7, 1), of(3, 10, 3), of(20, 11, 2), of(2, 0, 1), of(4, 4, 0)}[way], v
}

const strided = `func.func public @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2x2xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.add %a, %b : tensor<2x3xf32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2xf32>, tensor<2x2xf32>
}`

// Views of the device's memory are read and written where they lie, however that is,
// and what lies between their elements stays.
func TestStrided(t *testing.T) {
	trials.Sequential(t)
	b, f := backend(t, cudafake.Options{Seed: 3})
	e := compile(t, b, strided, backends.Options{})
	r := rand.New(rand.NewPCG(5, 5))
	for range 60 {
		// Of x and y they lie in 3 ways each as far as kernels know, out in one of 2: more
		// than there are variants for.
		x, _ := matrix(t, b, []int{0, 3, 4, 5}[r.IntN(4)], r)
		y, _ := matrix(t, b, []int{1, 2, 6}[r.IntN(3)], r)
		out, whole := matrix(t, b, []int{1, 3, 4}[r.IntN(3)], r)
		before := slices.Clone(floats(t, whole))
		want := results(t, strided, x, y)
		ran := int64(0)
		if f != nil {
			ran = f.Calls("cuMemcpyDtoHAsync_v2") + f.Calls("cuMemcpyHtoDAsync_v2")
		}
		c := &backends.Call{Args: []soa.View{x, y}, Results: []soa.View{out, {}, {}}, Resident: true}
		require.NoError(t, e.Execute(t.Context(), c))
		if f != nil {
			require.Equal(t, ran, f.Calls("cuMemcpyDtoHAsync_v2")+f.Calls("cuMemcpyHtoDAsync_v2"), "%v, %v, %v", x, y, out)
		}
		for j := range want {
			require.Equal(t, floats(t, want[j]), floats(t, c.Results[j]), "%v, %v to %v", x, y, out)
		}
		changed := 0
		for i, v := range floats(t, whole) {
			if v != before[i] {
				changed++
			}
		}
		require.LessOrEqual(t, changed, 6)
	}
	require.Equal(t, exec.MostVariants, variantsOf(e))
	require.Zero(t, e.CopiedBytes())
	require.Positive(t, viewsOf(e), "of those that lie in further ways")
}

// Goroutines that come with views that lie in ways of their own have variants of
// their own.
func TestStridedAtOnce(t *testing.T) {
	b, _ := backend(t, cudafake.Options{Seed: 6})
	e := compile(t, b, strided, backends.Options{})
	var all sync.WaitGroup
	for g := range 3 {
		r := rand.New(rand.NewPCG(uint64(g), 9))
		x, _ := matrix(t, b, 1+2*g, r)
		y, _ := matrix(t, b, 0, r)
		want := results(t, strided, x, y)
		all.Go(func() {
			for range 6 {
				c := &backends.Call{Args: []soa.View{x, y}}
				if err := e.Execute(context.Background(), c); err != nil || !slices.Equal(soa.Slice[float32](want[0]), floats(t, c.Results[0])) {
					t.Errorf("%v: %v, want %v", err, c.Results, want)
				}
			}
		})
	}
	all.Wait()
	require.Equal(t, 3, variantsOf(e))
}

// What a program takes for views that lie in other ways counts.
func TestVariantsCount(t *testing.T) {
	b, _ := backend(t, cudafake.Options{Seed: 4})
	e := compile(t, b, strided, backends.Options{})
	r := rand.New(rand.NewPCG(1, 1))
	grown := e.Grown()
	for way, n := range []int{0, 1, 1, 2} { // variants after calls of each way, but for the third, which lies as the second
		x, _ := matrix(t, b, []int{0, 1, 1, 3}[way], r)
		y, _ := matrix(t, b, 0, r)
		before := grown.Load()
		require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: []soa.View{x, y}}))
		require.Equal(t, n, variantsOf(e))
		switch grew := grown.Load() - before; way {
		case 0: // a runner, and no variant
			require.Less(t, grew, int64(4<<10))
		case 2:
			require.Zero(t, grew)
		default:
			require.Greater(t, grew, int64(64<<10))
		}
		require.Less(t, grown.Load(), int64(1<<20))
	}
}

// variantsOf returns how many combinations of layouts e has come across.
func variantsOf(e *executable) int {
	made, failed := e.Variants()
	return made + failed
}

// What runs of a program work with counts, for as many at once as there are queues, and
// that of a size only while the size is kept.
func TestRunnersCount(t *testing.T) {
	b, _ := backend(t, cudafake.Options{Seed: 4})
	e := compile(t, b, strided, backends.Options{})
	r := rand.New(rand.NewPCG(1, 1))
	x, _ := matrix(t, b, 0, r)
	y, _ := matrix(t, b, 0, r)
	run := func(q backends.Queue) int64 {
		require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: []soa.View{x, y}, Queue: q}))
		return e.Grown().Load()
	}
	once := run(nil)
	require.GreaterOrEqual(t, once, int64(launchBytes))
	require.Equal(t, once, run(nil))
	q, err := b.dev.NewQueue()
	require.NoError(t, err)
	defer q.Close()
	require.Equal(t, 2*once, run(q))
	require.NoError(t, q.Wait(t.Context()))
	require.Equal(t, 2*once, run(nil))
}
