package soa_test

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// Views with a common element meet; views whose elements interleave do not.
func TestMeets(t *testing.T) {
	mem := make([]float32, 24)
	of := func(offset int, shape, strides []int) soa.View {
		v, err := soa.Strided(mem, types.Of(types.F32, shape...), offset, strides)
		require.NoError(t, err)
		return v
	}
	whole := of(0, []int{24}, []int{1})
	left, right := of(0, []int{6, 2}, []int{4, 1}), of(2, []int{6, 2}, []int{4, 1})
	column, next := of(0, []int{6}, []int{4}), of(1, []int{6}, []int{4})
	table, err := soa.NewTable(1, column, of(2, []int{6}, []int{4}))
	require.NoError(t, err)
	odd, err := soa.NewTable(0, next, of(3, []int{6}, []int{4}))
	require.NoError(t, err)
	for _, c := range []struct {
		a, b soa.View
		want bool
	}{
		{whole, whole, true}, {whole, left, true}, {left, right, false}, {left, left, true}, {column, next, false},
		{left, next, true}, {right, next, false}, {table, next, false}, {table, odd, false}, {table, column, true}, {table, right, true}, {odd, right, true},
		{of(0, []int{12}, []int{1}), of(12, []int{12}, []int{1}), false},
		{of(0, []int{0}, []int{1}), whole, false},
		{of(5, nil, nil), of(5, nil, nil), true}, {of(5, nil, nil), of(6, nil, nil), false},
		{of(0, []int{2, 4}, []int{12, 3}), of(1, []int{2, 4}, []int{12, 3}), false}, // channels of an image
		{of(0, []int{2, 4}, []int{12, 3}), of(3, []int{2, 3}, []int{12, 3}), true},
		{of(0, []int{2, 4, 2}, []int{12, 3, 1}), of(2, []int{8}, []int{3}), false},
	} {
		require.Equal(t, c.want, c.a.Meets(&c.b), "%v %v", c.a, c.b)
		require.Equal(t, c.want, c.b.Meets(&c.a), "%v %v", c.b, c.a)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	met, n := 0, trials.Of(3000)
	for range n {
		a, b := draw(rng, mem), draw(rng, mem)
		share := false
		all := places(b)
		for p := range places(a) {
			share = share || all[p]
		}
		if share {
			met++
		}
		if a.Meets(&b) != share || b.Meets(&a) != share {
			require.Equal(t, share, a.Meets(&b), "%v %v", a, b)
			require.Equal(t, share, b.Meets(&a), "%v %v", b, a)
		}
	}
	require.Greater(t, met, n/50)
}

// Elements of different sizes meet where they share a byte.
func TestMeetsOfOtherElements(t *testing.T) {
	records := make([]float64, 8) // of two float32 and a float64
	of := func(dtype types.DType, at, n, stride int) soa.View {
		v := soa.At(unsafe.Add(unsafe.Pointer(&records[0]), at), types.Of(dtype, n))
		v.Strides = []int{stride}
		return v
	}
	x, y, z := of(types.F32, 0, 4, 4), of(types.F32, 4, 4, 4), of(types.F64, 8, 4, 2)
	half := of(types.F16, 14, 4, 8)
	for _, c := range []struct {
		a, b soa.View
		want bool
	}{{x, y, false}, {x, z, false}, {y, z, false}, {z, half, true}, {y, half, false}, {of(types.F64, 0, 4, 2), y, true}} {
		require.Equal(t, c.want, c.a.Meets(&c.b), "%v %v", c.a, c.b)
		require.Equal(t, c.want, c.b.Meets(&c.a), "%v %v", c.b, c.a)
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { x.Meets(&z) }))
}

// Columns of a table repeat elements if they overlap, and not if they interleave.
func TestRepeats(t *testing.T) {
	mem := make([]float32, 64)
	of := func(offset int, shape, strides []int) soa.View {
		v, err := soa.Strided(mem, types.Of(types.F32, shape...), offset, strides)
		require.NoError(t, err)
		return v
	}
	for _, c := range []struct {
		shape, strides []int
		offsets        []int
		want           bool
	}{
		{[]int{8}, []int{1}, []int{0, 8, 16}, false},
		{[]int{8}, []int{1}, []int{0, 8, 0}, true},
		{[]int{8}, []int{1}, []int{0, 7}, true},
		{[]int{8}, []int{2}, []int{0, 1}, false},
		{[]int{8}, []int{2}, []int{0, 4}, true},
		{[]int{8}, []int{-2}, []int{14, 15}, false},
		{[]int{2, 3, 4}, []int{24, 8, 2}, []int{1, 0}, false}, // channels of an image
		{[]int{2, 3, 4}, []int{24, 8, 2}, []int{2, 0}, true},
		{[]int{1}, []int{5}, []int{3, 4, 3}, true},
		{nil, nil, []int{3, 4}, false},
		{nil, nil, []int{3, 3}, true},
		{[]int{0}, []int{1}, []int{3, 3}, false},
	} {
		columns := make([]soa.View, len(c.offsets))
		for i, at := range c.offsets {
			columns[i] = of(at, c.shape, c.strides)
		}
		for axis := range len(c.shape) + 1 {
			table, err := soa.NewTable(axis, columns...)
			require.NoError(t, err)
			require.Equal(t, c.want, table.Repeats(), "%v at %v", table, c.offsets)
		}
	}
	whole, square := of(0, []int{64}, []int{1}), of(0, []int{2, 2}, []int{1, 1})
	require.False(t, whole.Repeats())
	require.True(t, square.Repeats())
}

// draw returns a view of up to three dimensions within mem.
func draw(rng *rand.Rand, mem []float32) soa.View {
	for {
		shape, strides := make([]int, rng.IntN(4)), []int{rng.IntN(5), rng.IntN(9), rng.IntN(13) - 6}
		for i := range shape {
			shape[i] = rng.IntN(4)
		}
		if v, err := soa.Strided(mem, types.Of(types.F32, shape...), rng.IntN(len(mem)), strides[:len(shape)]); err == nil {
			return v
		}
	}
}

// places returns the addresses of the elements of v.
func places(v soa.View) map[uintptr]bool {
	all := map[uintptr]bool{}
	var walk func(axis int, at uintptr)
	walk = func(axis int, at uintptr) {
		if axis == v.Type.Rank() {
			all[at] = true
			return
		}
		for i := range v.Type.Shape[axis] {
			walk(axis+1, at+uintptr(i*v.Strides[axis])*4)
		}
	}
	walk(0, uintptr(v.Base()))
	return all
}

// A view that is read only stays so in all that is made of it, and nothing writes it.
func TestAsReadOnly(t *testing.T) {
	v, err := soa.Borrow(make([]float32, 6), types.Of(types.F32, 6))
	require.NoError(t, err)
	require.False(t, v.ReadOnly())
	r := v.AsReadOnly()
	require.False(t, v.ReadOnly())
	part, err := r.Slice(0, 1, 5, 2)
	require.NoError(t, err)
	turned, err := r.Restride(types.Of(types.F32, 2, 2), 1, []int{1, 2})
	require.NoError(t, err)
	none, err := r.Restride(types.Of(types.F32, 0), 0, []int{1})
	require.NoError(t, err)
	table, err := soa.NewTable(0, v, r)
	require.NoError(t, err)
	var located soa.View
	located.Type = r.Type
	located.Locate(&r)
	for _, w := range []soa.View{r, part, turned, none, table, located, r.Clone()} {
		require.True(t, w.ReadOnly(), "%v", w)
		require.NoError(t, w.Check())
		require.ErrorIs(t, soa.Copy(w, soa.Make(w.Type)), soa.ErrReadOnly)
		require.NoError(t, soa.Copy(soa.Make(w.Type), w))
	}
	require.False(t, r.Plain(&r.Type), "a plain view may be written")
	require.Equal(t, v.Base(), unsafe.Pointer(&soa.Slice[float32](r)[0]))
}
