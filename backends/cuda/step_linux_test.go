package cuda

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
)

// smallOps returns a function that records 100 small ops, of its result of the step before
// and a matrix, and marks the step. The ops are 25 times a sum, a product, ReLU and a
// product of matrices. The driver does nothing.
func smallOps(t testing.TB, reuse bool) func() error {
	b, _ := idling(t)
	dev := lazily(t, b, lazy.Threads(1)) // on this goroutine's thread, where the fake finds a context
	tr := lazy.NewTrace(dev)
	tr.Reuse(reuse)
	x := lazy.From(tr, make([]float32, 64), 8, 8)
	y := lazy.From(tr, make([]float32, 64), 8, 8)
	step := func() error {
		for range 25 {
			x = x.Add(y)
			x = x.Mul(y)
			x = x.ReLU()
			x = x.MatMul(y)
		}
		return tr.MarkStep(x)
	}
	for range 20 { // compiled, and one graph
		require.NoError(t, step())
	}
	require.LessOrEqual(t, len(tr.Report().Compiles), 2)
	return step
}

// A step of 100 ops that equals the one before allocates nothing for each op: handles
// come many to an allocation, and so do small results, for which the driver that stands in
// allocates, too.
func TestHotPathOfSteps(t *testing.T) {
	step := smallOps(t, true)
	run := func() { require.NoError(t, step()) }
	if trials.Race {
		run()
		return
	}
	least := math.Inf(1)
	for range 20 { // some of these few steps begin no block of small results
		least = min(least, testing.AllocsPerRun(4, run))
	}
	require.LessOrEqual(t, least, 1.0)
	require.LessOrEqual(t, testing.AllocsPerRun(500, run), 2.0)
}

// The host's work for a step of 100 ops as users write it, recorded anew each time, marked,
// and queued with a driver that does nothing. It is measured with the nodes of the step
// before, and with the step's own.
func BenchmarkMarkStep(b *testing.B) {
	for _, c := range []struct {
		name  string
		reuse bool
	}{{"reused", true}, {"anew", false}} {
		b.Run(c.name, func(b *testing.B) {
			step := smallOps(b, c.reuse)
			var took []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				if err := step(); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2]), "median-ns/op")
		})
	}
}
