package lazy_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// Assignments that no MarkStep has run when the device is closed are warned of, also of
// traces that are gone. Those that Discard has given up are not.
func TestCloseWarnsOfAssignmentsThatWaitForMarkStep(t *testing.T) {
	var log logged
	d := open(t, "eval", logTo(&log))
	tr, other, third := lazy.NewTrace(d), lazy.NewTrace(d), lazy.NewTrace(d)
	v, w, u := d.Variable("v", lazy.F32, 2), d.Variable("w", lazy.F32, 2), d.Variable("u", lazy.F32, 2)
	v.Add_(lazy.Ones(tr, lazy.F32, 2))
	require.NoError(t, tr.MarkStep())
	w.Add_(lazy.Ones(tr, lazy.F32, 2))
	v.Add_(lazy.Ones(tr, lazy.F32, 2))
	u.Add_(lazy.Ones(other, lazy.F32, 2))
	other.Discard()
	u.Add_(lazy.Ones(third, lazy.F32, 2))
	third = nil
	runtime.GC()
	require.NoError(t, d.Close())
	warned := log.of("WARN the device is closed")
	require.Len(t, warned, 2)
	require.Contains(t, warned[0], "assignments wait for MarkStep and are lost, the first is of u at closewarning_test.go:25")
	require.Contains(t, warned[1], "the first is of w at closewarning_test.go:21 device=eval do=call MarkStep before Close")
	require.NoError(t, d.Close())
	require.Len(t, log.of("WARN the device is closed"), 2, "once")
	runtime.KeepAlive(tr)
}
