package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

const unmarkedWarning = "WARN w is read while"

func TestReadsOfAssignmentsThatWaitForMarkStepAreWarnedOf(t *testing.T) {
	var log logged
	d := open(t, "eval", logTo(&log))
	tr := lazy.NewTrace(d)
	w := lazy.SetValues(d.Variable("w", lazy.F32, 2), []float32{1, 2})
	one := lazy.From(d, []float32{1, 1})
	read := func() []float32 { return floats(t, w) }

	read()
	w.Add_(tr.Read(one))
	w.Add_(tr.Read(one))
	for range 3 {
		got, err := lazy.ToSlice[float32](w)
		require.NoError(t, err)
		require.Equal(t, []float32{1, 2}, got)
	}
	warned := log.of(unmarkedWarning)
	require.Len(t, warned, 1)
	require.Contains(t, warned[0], "w is read while a trace has assigned it at unmarked_test.go:22 and has not marked a step device=eval at=unmarked_test.go:25 do=call MarkStep before")
	require.Equal(t, "w at unmarked_test.go:22", tr.Report().Unmarked)
	require.Contains(t, tr.Report().String(), "\nassignments wait for MarkStep, the first is of w at unmarked_test.go:22")
	_, err := w.Value()
	require.NoError(t, err)
	require.Len(t, log.of(unmarkedWarning), 2)

	// Another goroutine reads what is marked, as it should.
	done := make(chan struct{})
	go func() { defer close(done); w.Float(); _, _ = w.Value() }()
	<-done
	require.Len(t, log.of(unmarkedWarning), 2)

	// What is computed in the midst of the step says so, too.
	require.Equal(t, 7.0, tr.Read(w).Sum().Float())
	require.Len(t, log.of("WARN implicit sync"), 1)
	require.Contains(t, log.of("WARN implicit sync")[0], "assignments wait for MarkStep=w at unmarked_test.go:23")

	// Nothing of a step that is marked, failed or discarded.
	end := []func(){
		func() { require.NoError(t, tr.MarkStep()) },
		func() { tr.Discard() },
		func() { require.Error(t, tr.MarkStep(tr.Read(w).Reshape(3))) },
	}
	w.Assign(lazy.Ones(tr, lazy.F32, 3)) // of another type
	require.Error(t, tr.MarkStep())
	require.Empty(t, tr.Report().Unmarked)
	require.Equal(t, []float32{1, 2}, floats(t, w))
	require.Len(t, log.of(unmarkedWarning), 2)

	for _, end := range end {
		w.Add_(tr.Read(one))
		end()
		require.Empty(t, tr.Report().Unmarked)
		_, err := w.Value()
		require.NoError(t, err)
	}
	require.Len(t, log.of(unmarkedWarning), 2)

	f := lazy.Func(d, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { w.Add_(x); return x })
	_, err = f.Call(t.Context(), one)
	require.NoError(t, err)
	read()
	require.Len(t, log.of(unmarkedWarning), 2)

	// Nothing is computed, so that there is nothing to refuse.
	var refusing logged
	d = open(t, "eval", logTo(&refusing), lazy.ImplicitSyncs(lazy.RefuseSyncs))
	tr = lazy.NewTrace(d)
	w = d.Variable("w", lazy.F32, 2)
	w.Add_(lazy.Ones(tr, lazy.F32, 2))
	for range 2 {
		require.Equal(t, []float32{0, 0}, floats(t, w))
	}
	require.Len(t, refusing.of(unmarkedWarning), 1)
	require.Zero(t, tr.Report().Syncs())

	// Who allows implicit syncs is not warned.
	var quiet logged
	d = open(t, "eval", logTo(&quiet), lazy.ImplicitSyncs(lazy.AllowSyncs))
	tr = lazy.NewTrace(d)
	w = d.Variable("w", lazy.F32, 2)
	w.Add_(lazy.Ones(tr, lazy.F32, 2))
	read()
	require.Empty(t, quiet.of("WARN"))
}
