package lazy

import (
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/null"
	_ "ltc/backends/reference"
)

func device(t testing.TB, name string) *Device {
	t.Helper()
	d, err := Open(name, Threads(1))
	require.NoError(t, err)
	return d
}

func values(t *testing.T, x *Tensor) []float32 {
	t.Helper()
	v, err := ToSlice[float32](x)
	require.NoError(t, err)
	return v
}

// A second step that is equal makes no nodes, and gets its program without a
// search; what it computes is its own data's.
func TestEqualStepsMakeNoNodes(t *testing.T) {
	tr := NewTrace(device(t, "eval"))
	w := SetValues(tr.dev.Variable("w", F32, 2), []float32{1, 2})
	var kept []*Tensor
	for i := range 6 {
		x := From(tr, []float32{float32(i), 1})
		y := x.Mul(w).AddScalar(1)
		w.Add_(x)
		if i > 0 {
			require.Zero(t, tr.b.Len(), "nodes made by step %d", i)
		}
		require.NoError(t, tr.MarkStep(y))
		kept = append(kept, y)
	}
	require.Len(t, tr.Report().Compiles, 1)
	require.EqualValues(t, 5, tr.Report().CachedRuns)
	at := func(i int) []float32 { // w before step i is (1 + 0 + 1 + … + i-1, 2 + i)
		return []float32{float32(i)*float32(1+i*(i-1)/2) + 1, float32(2+i) + 1}
	}
	for i, y := range kept {
		require.Equal(t, at(i), values(t, y), "results of earlier steps are not those of later ones")
	}
	require.Equal(t, []float32{16, 8}, values(t, w))
}

// Steps that take turns are both followed, and one that begins like another
// leaves it where it differs.
func TestStepsInTurnsAreReused(t *testing.T) {
	tr := NewTrace(device(t, "eval"))
	x := From(tr, []float32{3})
	one := func() float32 {
		y := x.AddScalar(1).Mul(x)
		require.NoError(t, tr.MarkStep(y))
		return values(t, y)[0]
	}
	two := func() float32 {
		y := x.AddScalar(1).Mul(x).Neg()
		require.NoError(t, tr.MarkStep(y))
		return values(t, y)[0]
	}
	for i := range 4 {
		require.EqualValues(t, 12, one())
		require.EqualValues(t, -12, two())
		y := x.AddScalar(1)
		if i > 0 {
			require.Zero(t, tr.b.Len())
		}
		same := x.AddScalar(1) // left the path: it must be found all the same
		z := y.Sub(same)
		require.NoError(t, tr.MarkStep(z))
		require.Equal(t, []float32{0}, values(t, z))
	}
	require.Len(t, tr.Report().Compiles, 3)
}

// f(a, b) and f(a, a) are two programs.
func TestReuseTellsOperandsApart(t *testing.T) {
	tr := NewTrace(device(t, "eval"))
	f := func(a, b *Tensor) float32 {
		y := a.Sub(b)
		require.NoError(t, tr.MarkStep(y))
		return values(t, y)[0]
	}
	for range 3 {
		a, b := From(tr, []float32{5}), From(tr, []float32{3})
		require.EqualValues(t, 2, f(a, b))
		require.EqualValues(t, 0, f(a, a))
	}
}

// Views of an earlier step's tensors, tensors written in place and tensors read
// in the midst of a step are those of the step they are used in.
func TestReuseFollowsViewsWritesAndReads(t *testing.T) {
	tr := NewTrace(device(t, "eval"))
	w := SetValues(tr.dev.Variable("w", F32, 4), []float32{0, 1, 2, 3})
	tail := tr.View(w).Narrow(0, 2, 2)
	x := From(tr, []float32{0, 0})
	for i := range 5 {
		tail.Copy_(tail.AddScalar(1))
		x.Copy_(tail.MulScalar(2))
		if i == 3 {
			require.Equal(t, []float32{12, 14}, values(t, x), "in the midst of a step")
		}
		require.NoError(t, tr.MarkStep())
		f := float32(i)
		require.Equal(t, []float32{3 + f, 4 + f}, values(t, tail))
		require.Equal(t, []float32{2 * (3 + f), 2 * (4 + f)}, values(t, x))
	}
	require.Equal(t, []float32{0, 1, 7, 8}, values(t, w))
}

// A step of 100 ops that equals the one before: handles and small values come
// many to an allocation.
func TestReusedStepsAllocateLittle(t *testing.T) {
	tr := NewTrace(device(t, "null"))
	x, y := From(tr, make([]float32, 64), 8, 8), From(tr, make([]float32, 64), 8, 8)
	step := func() {
		for range 25 {
			x = x.Add(y).Mul(y).ReLU().MatMul(y)
		}
		_ = tr.MarkStep(x)
	}
	for range 10 {
		step()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(200, step), 1.0)
	require.NoError(t, x.Err())
}

// Constants cost the list of what is broadcast to one shape, no more.
func TestStepsThatRepeatAllocateLittleForConstants(t *testing.T) {
	tr := NewTrace(device(t, "null"))
	x := From(tr, make([]float32, 64), 8, 8)
	step := func() {
		for range 25 {
			x = x.MulScalar(0.7).AddScalar(0.1)
		}
		_ = tr.MarkStep(x)
	}
	for range 10 {
		step()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(200, step), 51.0)
	require.NoError(t, x.Err())
}
