package lazy_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
)

func TestRootsAreReadWithoutFurtherWork(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x := lazy.From(tr, []float32{1, 2, 3})
	y, z := x.AddScalar(1), x.MulScalar(2)
	require.NoError(t, tr.MarkStep(y, z, x, y))
	require.Equal(t, []float32{2, 3, 4}, floats(t, y))
	require.Equal(t, []float32{2, 4, 6}, floats(t, z))
	require.EqualValues(t, 1, tr.Report().Runs)
	require.Zero(t, tr.Report().Syncs())

	// Roots and host data go on in later steps, and as arguments: the second
	// step is the first one's program.
	for range 3 {
		y = y.AddScalar(1)
		require.NoError(t, tr.MarkStep(y.Keep()))
	}
	require.Equal(t, []float32{5, 6, 7}, floats(t, y))
}

// Equal ops are computed once, for whichever of their tensors are roots.
func TestEqualOpsAreOneNode(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x := lazy.From(tr, []float32{1, 2, 3})
	y, same := x.AddScalar(1), x.AddScalar(1)
	other := x.AddScalar(1)
	require.NoError(t, tr.MarkStep(y, same))
	require.Equal(t, floats(t, y), floats(t, same))
	require.Equal(t, 4, tr.Report().Compiles[0].Ops, "x, 1, 1 broadcast, one sum")
	_, err := other.Value()
	require.ErrorIs(t, err, lazy.ErrStale)
}

func TestKeepUntilRelease(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x := lazy.From(tr, []float32{1})
	kept, released := x.AddScalar(1).Keep(), x.AddScalar(2).Keep().Keep()
	released.Release() // however often it was kept
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{2}, floats(t, kept))
	_, err := released.Value()
	require.ErrorIs(t, err, lazy.ErrStale)
}

func TestImplicitSyncsLeaveAssignments(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	w := tr.Device().Variable("w", lazy.F32, 2)
	x := lazy.From(tr, []float32{1, 2})
	y := x.AddScalar(1)
	w.Add_(y)
	_, err := y.Value()
	require.NoError(t, err)
	require.Equal(t, []float32{2, 3}, floats(t, y))
	require.Equal(t, 1, tr.Report().Syncs())
	require.Contains(t, tr.Report().ImplicitSyncs[0].Site, "step_test.go:")
	require.Equal(t, []float32{0, 0}, floats(t, w), "an assignment waits for MarkStep")
	z := y.MulScalar(2)
	require.NoError(t, tr.MarkStep(z))
	require.Equal(t, []float32{4, 6}, floats(t, z))
	require.Equal(t, []float32{2, 3}, floats(t, w))
	require.Equal(t, []float32{2, 3}, floats(t, y), "what was read stays")
	require.Equal(t, 1, tr.Report().Syncs())
}

func TestReadsWithoutMarkStepCompileOnce(t *testing.T) {
	trials.Sequential(t)
	tr := lazy.NewTrace(open(t, "cpu"))
	x := lazy.From(tr, []float32{0})
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var early uint64
	const reads = 20_000
	for i := range reads {
		x = x.AddScalar(1)
		require.Equal(t, float64(i+1), x.Float())
		if i == reads/10 {
			early = heap()
		}
	}
	require.Less(t, heap(), early+early/10+100_000)
	require.Len(t, tr.Report().Compiles, 1)
}

func TestScalarsAreArguments(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2)
	lr, decay := tr.Scalar("lr", 0), lazy.NewScalar(dev, "decay", lazy.F32, 0.5)
	want := float32(0)
	for i := range 100 {
		require.NoError(t, lr.Set(float64(i)))
		w.Assign(tr.Read(w).Mul(decay).Add(lr))
		require.NoError(t, tr.MarkStep())
		want = want*0.5 + float32(i)
	}
	require.Equal(t, []float32{want, want}, floats(t, w))
	require.Len(t, tr.Report().Compiles, 1)
	text := tr.StableHLO()
	require.Contains(t, text, `ltc.name = "lr"`)
}

// The same operand twice and two operands are different programs; names of
// host data do not matter.
func TestRepeatedOperandsAreAnotherProgram(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	a, b := lazy.From(tr, []float32{1}), lazy.From(tr, []float32{10})
	for _, c := range []struct {
		x, y     *lazy.Tensor
		sum      float64
		compiles int
	}{{a, b, 11, 1}, {a, a, 2, 2}, {b, a, 11, 2}, {b, b, 20, 2}} {
		z := c.x.Add(c.y)
		require.NoError(t, tr.MarkStep(z))
		require.Equal(t, c.sum, z.Float())
		require.Len(t, tr.Report().Compiles, c.compiles)
	}
}

func TestAssignedVariablesTakeOverTheirMemory(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 3)
	step := func() {
		w.Add_(lazy.Ones(tr, lazy.F32, 3))
		require.NoError(t, tr.MarkStep())
		require.NoError(t, dev.Wait(t.Context())) // a copy counts when it is made
	}
	step()
	kept := value(t, w) // a reader from here on
	step()
	require.EqualValues(t, 1, tr.Report().DonationCopies)
	step()
	step()
	require.EqualValues(t, 1, tr.Report().DonationCopies, "the new memory has no other reader")
	again := value(t, w)
	require.NotEqual(t, kept.Base(), again.Base())
	step()
	require.EqualValues(t, 2, tr.Report().DonationCopies)

	// Another trace that has read the variable sees the version that it read.
	other := lazy.NewTrace(dev)
	seen := other.Read(w).MulScalar(1)
	step()
	require.NoError(t, other.MarkStep(seen))
	require.Equal(t, []float32{5, 5, 5}, floats(t, seen))
	require.Equal(t, []float32{6, 6, 6}, floats(t, w))
}

// A root that is the variable itself keeps the version it was.
func TestRootOfAVariableRead(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 1)
	before := tr.Read(w)
	w.Add_(lazy.Ones(tr, lazy.F32, 1))
	require.NoError(t, tr.MarkStep(before))
	w.Add_(lazy.Ones(tr, lazy.F32, 1))
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{0}, floats(t, before))
	require.Equal(t, []float32{2}, floats(t, w))
}

func TestVariablesSwap(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	a := lazy.SetValues(dev.Variable("a", lazy.F32, 2), []float32{1, 2})
	b := lazy.SetValues(dev.Variable("b", lazy.F32, 2), []float32{3, 4})
	x, y := tr.Read(a), tr.Read(b)
	a.Assign(y)
	b.Assign(x)
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{3, 4}, floats(t, a))
	require.Equal(t, []float32{1, 2}, floats(t, b))
	host := lazy.From(tr, []float32{5, 6})
	a.Assign(host)
	require.NoError(t, tr.MarkStep())
	a.Add_(host)
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{10, 12}, floats(t, a))
	require.Equal(t, []float32{5, 6}, floats(t, host), "a variable does not share host data")
}

func TestFailedRunChangesNothing(t *testing.T) {
	dev := open(t, "flaky")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2)
	step := func(by float32) error {
		w.Add_(lazy.From(tr, []float32{by, by}).MulScalar(1))
		if err := tr.MarkStep(); err != nil {
			return err
		}
		return tr.Wait(context.Background())
	}
	require.NoError(t, step(1))
	theFlaky.failures.Store(1)
	err := step(10)
	require.ErrorIs(t, err, errFlaky)
	require.Contains(t, err.Error(), "step_test.go:", "the failing op's line")
	require.Equal(t, []float32{1, 1}, floats(t, w))
	require.NoError(t, step(2))
	require.Equal(t, []float32{3, 3}, floats(t, w))
}

// Two models train side by side on one device, and one is read meanwhile.
func TestTracesSideBySide(t *testing.T) {
	dev := open(t, "cpu")
	const steps = 200
	var wg sync.WaitGroup
	shared := dev.Variable("shared", lazy.F32, 4).Init(lazy.Constant(1))
	models := make([]*lazy.Tensor, 2)
	for m := range models {
		w := dev.Variable("w", lazy.F32, 4)
		models[m] = w
		wg.Go(func() {
			tr := lazy.NewTrace(dev)
			for range steps {
				w.Add_(tr.Read(shared))
				if err := tr.MarkStep(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Go(func() {
		tr := lazy.NewTrace(dev)
		for range steps {
			v := tr.Read(models[0]).MulScalar(1)
			if err := tr.MarkStep(v); err != nil {
				t.Error(err)
				return
			}
			got, err := lazy.ToSlice[float32](v)
			if err != nil || got[0] != got[3] {
				t.Error("a half written version was read", got, err)
				return
			}
		}
	})
	wg.Wait()
	for _, w := range models {
		require.Equal(t, []float32{steps, steps, steps, steps}, floats(t, w))
	}
}

// Of two traces that assign one version, the first to mark wins, whoever that
// is, and the other can go on from the new version.
func TestConflictsUnderLoad(t *testing.T) {
	dev := open(t, "cpu")
	w := dev.Variable("w", lazy.F32, 2)
	const each = 100
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			tr := lazy.NewTrace(dev)
			for done := 0; done < each; {
				w.Add_(lazy.Ones(tr, lazy.F32, 2))
				if err := tr.MarkStep(); err == nil {
					done++
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, []float32{4 * each, 4 * each}, floats(t, w))
}

func TestTraceString(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	require.Equal(t, "trace on cpu, step 1", tr.String())
	require.NoError(t, tr.MarkStep())
	tr.NameStep("train")
	require.Equal(t, "trace on cpu, step 2 (train)", fmt.Sprint(tr))
}
