package lazy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Two goroutines in one trace: one of them gets an error, and so does the step;
// the next one is sound.
func TestTwoGoroutinesInOneTrace(t *testing.T) {
	tr := NewTrace(device(t, "eval"))
	x := From(tr, []float32{1})
	w, computed := tr.Device().Variable("w", F32, 1), x.Neg()
	for name, call := range map[string]func() error{
		"primitive": func() error { return x.Mul(x).Err() },
		"composite": func() error { return x.Softmax(0).Err() },
		"constant":  func() error { return Zeros(tr, F32, 1).Err() },
		"iota":      func() error { return Iota(tr, I32, 0, 3).Err() },
		"view":      func() error { return x.Reshape().Err() },
		"of all":    func() error { return tr.View(w).Err() },
		"read":      func() error { return tr.Read(w).Err() },
		"write":     func() error { return w.Assign(x).Err() },
		"mark_step": func() error { return tr.MarkStep(x) },
		"warmup":    func() error { return tr.Warmup(x) },
		"dump":      func() error { _, err := tr.Dump(FormatIR, x); return err },
		"keep":      func() error { return computed.Keep().Err() },
		"release":   func() error { computed.Release(); return tr.crowd.Load() },
		"discard":   func() error { tr.Discard(); return tr.crowd.Load() },
	} {
		var other error
		remove := tr.OnNode(func(NodeInfo) { // within Add
			done := make(chan struct{})
			go func() {
				defer close(done)
				other = call()
			}()
			<-done
		})
		require.NoError(t, x.Add(x).Err(), name)
		remove()
		require.ErrorIs(t, other, ErrUsage, name)
		err := tr.MarkStep()
		require.ErrorIs(t, err, ErrUsage, name)
		require.ErrorContains(t, err, "busy_test.go", name)
		require.ErrorContains(t, err, "another goroutine is using the trace", name)
		y := x.Add(x)
		require.NoError(t, tr.MarkStep(y), name)
		require.Equal(t, []float32{2}, values(t, y), name)
		w.Assign(x)
		tr.Discard()
		require.Equal(t, []float32{0}, values(t, w), name)
	}
}

// A closure that records in its own trace is told so, not that another
// goroutine is at work.
func TestClosureRecordsInItsTrace(t *testing.T) {
	tr := NewTrace(device(t, "null")) // closures run within MarkStep
	x := From(tr, []float32{1})
	var within error
	tr.AfterStep(func(error) { within = x.Add(x).Err() })
	require.NoError(t, tr.MarkStep())
	require.ErrorIs(t, within, ErrUsage)
	require.ErrorContains(t, within, "a step closure must not record in the trace that runs it")
	require.ErrorIs(t, tr.MarkStep(), ErrUsage, "the step that lost an op")
	require.NoError(t, tr.MarkStep(x.Add(x)))
}
