package lazy_test

import (
	"context"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// lineFrom is the line of the call, or one below, as errors give it.
func lineFrom(skip int) string {
	_, _, line, _ := runtime.Caller(1)
	return "messages_test.go:" + strconv.Itoa(line+skip) + ": "
}

// What the machine has no memory for is ErrMemory, not an op that the backend
// lacks.
func TestNoMemoryForAResult(t *testing.T) {
	for _, backend := range []string{"cpu", "eval"} {
		for _, opByOp := range []bool{false, true} {
			var options []lazy.Option
			if opByOp {
				options = append(options, lazy.OpByOp())
			}
			dev := open(t, backend, options...)
			tr := lazy.NewTrace(dev)
			at := lineFrom(1)
			err := tr.MarkStep(lazy.Ones(tr, lazy.F32, 1<<40))
			require.ErrorIs(t, err, lazy.ErrMemory)
			require.ErrorContains(t, err, at)
			require.ErrorContains(t, err, "f32[1099511627776]: not enough memory: 4.0 TiB are needed")
			require.NotContains(t, err.Error(), "cannot run")

			at = lineFrom(1)
			err = dev.Variable("w", lazy.F32, 1<<40).Err()
			require.ErrorIs(t, err, lazy.ErrMemory)
			require.ErrorContains(t, err, at+`variable(): "w" of f32[1099511627776]: not enough memory: 4.0 TiB are needed`)
		}
	}
}

// The error of a use of what was released is of the line of the use.
func TestUseAfterReleaseNamesBothLines(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x := lazy.From(tr, []float32{1, 2})
	released := lineFrom(1)
	x.Release()
	used := lineFrom(1)
	err := ones(tr, 2).Add(x).Err()
	require.ErrorIs(t, err, lazy.ErrReleased)
	require.ErrorContains(t, err, used+"add(f32[2], f32[2]): operand 1 was released at ")
	require.ErrorContains(t, err, released[:len(released)-2]+" and has no value")
}

// The error of a variable that was set meanwhile says where, and blames nobody
// else; the step can be recorded again.
func TestConflictWithTheHost(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2)
	assigned := lineFrom(1)
	w.Add_(ones(tr, 2))
	set := lineFrom(1)
	lazy.SetValues(w, []float32{3, 4})
	err := tr.MarkStep()
	require.ErrorIs(t, err, lazy.ErrConflict)
	require.ErrorContains(t, err, assigned)
	require.ErrorContains(t, err, "it was set at ")
	require.ErrorContains(t, err, set[:len(set)-2]+" since this step read it: record the step again")
	require.NotContains(t, err.Error(), "another trace")

	w.Add_(ones(tr, 2))
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{4, 5}, floats(t, w))
}

// What a closed device does not do any more is an error of the line that asks.
func TestClosedDeviceNamesTheLine(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Exp() })
	x := lazy.From(dev, []float32{1})
	require.NoError(t, dev.Close())
	const advice = "device cpu is closed: close it after its last use, or open another"

	at := lineFrom(1)
	err := tr.MarkStep(ones(tr, 2))
	require.ErrorIs(t, err, lazy.ErrClosed)
	require.ErrorContains(t, err, at+"mark_step(): "+advice)

	at = lineFrom(1)
	_, err = f.Call(context.Background(), x)
	require.ErrorIs(t, err, lazy.ErrClosed)
	require.ErrorContains(t, err, at+"call(f32[1]): "+advice)
}

// A report tells its compiles apart, and lists the latest of many.
func TestReportOfManyCompiles(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval", lazy.Threads(1)))
	for n := range 103 {
		require.NoError(t, tr.MarkStep(ones(tr, n+1).Exp()))
		if n == 1 {
			require.Regexp(t, `^2 compiles \(\d+ ops? in [^;,]+; \d+ ops? in [^;,]+\), 0 cached, `, tr.Report().String())
		}
	}
	require.EqualValues(t, 103, tr.Report().Compiled)
	require.Len(t, tr.Report().Compiles, 100)
}

func TestProgramCacheStatsPrint(t *testing.T) {
	s := lazy.ProgramCacheStats{Programs: 1, Bytes: 2048, Limit: 256 << 20}
	require.Equal(t, "1 program, 2.0 KiB of 256.0 MiB", s.String())
}

func TestReuseReturnsTheSettingBefore(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	on := tr.Reuse(false)
	require.False(t, tr.Reuse(true))
	require.True(t, tr.Reuse(on))
}
