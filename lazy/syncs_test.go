package lazy_test

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
)

// logged is a logger's records, one a line: level, message, attributes.
type logged struct {
	mu    sync.Mutex
	lines []string
}

func (l *logged) Enabled(context.Context, slog.Level) bool { return true }
func (l *logged) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *logged) WithGroup(string) slog.Handler            { return l }
func (l *logged) Handle(_ context.Context, r slog.Record) error {
	line := r.Level.String() + " " + r.Message
	r.Attrs(func(a slog.Attr) bool { line += " " + a.String(); return true })
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	return nil
}

// of returns the lines that start with prefix.
func (l *logged) of(prefix string) (all []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.HasPrefix(line, prefix) {
			all = append(all, line)
		}
	}
	return all
}

func logTo(l *logged) lazy.Option { return lazy.Logger(slog.New(l)) }

func counter(d *lazy.Device, name string) int64 {
	n, _ := d.Metrics().Counter(name)
	return n
}

// Each way to read a tensor in the midst of its step is a reason of its own,
// with the line; a line is warned of once, however often it reads.
func TestImplicitSyncsHaveReasonAndLine(t *testing.T) {
	var log logged
	d := open(t, "eval", logTo(&log))
	tr := lazy.NewTrace(d)
	x := lazy.From(tr, []float32{1, 2})
	for range 3 {
		_, err := x.Add(x).Value()
		require.NoError(t, err)
	}
	_, err := x.Sum().Item()
	require.NoError(t, err)
	_, err = lazy.ToSlice[float32](x.Mul(x))
	require.NoError(t, err)
	require.NoError(t, x.Exp().To(open(t, "eval")).Err())

	r := tr.Report()
	require.Equal(t, 6, r.Syncs())
	found := map[lazy.SyncReason]lazy.SyncSite{}
	for _, s := range r.ImplicitSyncs {
		require.Contains(t, s.Site, "syncs_test.go:")
		require.Positive(t, s.Took)
		found[s.Reason] = s
	}
	require.Equal(t, 3, found[lazy.SyncValue].Count)
	require.Equal(t, "add", found[lazy.SyncValue].Op)
	for reason, op := range map[lazy.SyncReason]string{lazy.SyncItem: "sum", lazy.SyncToSlice: "mul", lazy.SyncCopy: "exp"} {
		require.Equal(t, 1, found[reason].Count, reason)
		require.Equal(t, op, found[reason].Op)
		require.Equal(t, int64(1), counter(d, "ImplicitSync::"+reason.String()))
	}
	require.Equal(t, int64(6), counter(d, "ImplicitSync"))
	warnings := log.of("WARN implicit sync")
	require.Len(t, warnings, 4, "one for each line")
	require.Contains(t, warnings[0], "by=value of=add")
	require.Contains(t, warnings[0], "give the tensor to MarkStep as a root")
	require.Contains(t, warnings[0], found[lazy.SyncValue].Site)
	require.Contains(t, r.String(), found[lazy.SyncValue].Site+" (value of add), 3 times")
}

// A reading that cannot give what is asked for is refused before anything is computed.
func TestReadsOfAnotherTypeComputeNothing(t *testing.T) {
	d := open(t, "eval")
	tr := lazy.NewTrace(d)
	x := lazy.From(tr, []float32{1, 2}).Exp()
	_, err := lazy.ToSlice[int32](x)
	require.ErrorIs(t, err, lazy.ErrUsage)
	require.ErrorContains(t, err, "to_slice(f32[2]): its elements are f32, not i32; convert it with Convert")
	_, err = lazy.ToSlice[float32](x.BroadcastTo(1<<40, 2))
	require.ErrorContains(t, err, "to_slice(f32[1099511627776,2])")
	_, err = x.Item()
	require.ErrorIs(t, err, lazy.ErrUsage)
	require.True(t, math.IsNaN(x.Float()))
	require.Zero(t, tr.Report().Syncs())
	require.Empty(t, tr.Report().Compiles)
}

// What MarkStep has computed is read without a sync.
func TestRootsAreReadWithoutSync(t *testing.T) {
	var log logged
	d := open(t, "eval", logTo(&log))
	tr := lazy.NewTrace(d)
	y := lazy.From(tr, []float32{1, 2}).Sum()
	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, 3.0, y.Float())
	require.Zero(t, tr.Report().Syncs())
	require.Empty(t, log.of("WARN"))
}

func TestRefusedSyncRunsNothing(t *testing.T) {
	for name, set := range map[string]func(*testing.T) *lazy.Trace{
		"option": func(t *testing.T) *lazy.Trace {
			return lazy.NewTrace(open(t, "eval", lazy.ImplicitSyncs(lazy.RefuseSyncs)))
		},
		"environment": func(t *testing.T) *lazy.Trace {
			t.Setenv("LTC_SYNC", "error")
			return lazy.NewTrace(open(t, "eval"))
		},
		"trace": func(t *testing.T) *lazy.Trace {
			tr := lazy.NewTrace(open(t, "eval"))
			require.Equal(t, lazy.WarnSyncs, tr.ImplicitSyncs(lazy.RefuseSyncs))
			return tr
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := set(t)
			y := lazy.From(tr, []float32{1, 2}).Sum()
			_, err := y.Item()
			var op *lazy.OpError
			require.ErrorAs(t, err, &op)
			require.ErrorIs(t, err, lazy.ErrSync)
			require.Equal(t, "item", op.Op)
			require.Contains(t, err.Error(), "the sum recorded at syncs_test.go:")
			require.Zero(t, tr.Report().Runs)
			require.Zero(t, counter(tr.Device(), "UncachedCompile"))
			require.Zero(t, tr.Report().Syncs())

			require.NoError(t, tr.MarkStep(y), "the step goes on")
			require.Equal(t, 3.0, y.Float())
		})
	}
}

func TestAllowedSyncIsQuietAndCounted(t *testing.T) {
	var log logged
	t.Setenv("LTC_SYNC", "allow")
	d := open(t, "eval", logTo(&log))
	tr := lazy.NewTrace(d)
	require.Equal(t, 3.0, lazy.From(tr, []float32{1, 2}).Sum().Float())
	require.Empty(t, log.of("WARN"))
	require.Equal(t, 1, tr.Report().Syncs())
}

// Printing a tensor executes nothing, whatever it is.
func TestStringExecutesNothing(t *testing.T) {
	d := open(t, "eval", lazy.ImplicitSyncs(lazy.RefuseSyncs))
	tr := lazy.NewTrace(d)
	w := d.Variable("w", lazy.F32, 2)
	x := lazy.From(tr, []float32{1, 2})
	y := x.Add(w)
	bad := y.MatMul(lazy.Ones(tr, lazy.F32, 3))
	for _, z := range []*lazy.Tensor{w, x, y, y.Reshape(2, 1), bad, nil} {
		for _, verb := range []string{"%v", "%+v", "%s"} {
			require.NotEmpty(t, fmt.Sprintf(verb, z))
		}
	}
	require.Contains(t, fmt.Sprint(y), "add f32[2] recorded at syncs_test.go:")
	require.Zero(t, tr.Report().Runs)
	require.Zero(t, counter(d, "UncachedCompile"))
}

// A loop without a mark-step is told of, with its line: nothing runs early.
func TestLongGraphsAreWarnedOf(t *testing.T) {
	trials.Sequential(t)
	var log logged
	d := open(t, "null", logTo(&log))
	tr := lazy.NewTrace(d)
	a, b := lazy.From(tr, []float32{1}), lazy.From(tr, []float32{2})
	for range 200_000 {
		a = a.Add(b)
	}
	require.Equal(t, int64(2), counter(d, "TrimIrGraph"))
	warnings := log.of("WARN a step grows without end")
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0], "syncs_test.go:")
	require.Contains(t, warnings[0], "nodes=100001 limit=100000")
	require.Zero(t, tr.Report().Runs)
	require.NoError(t, tr.MarkStep())
	for range 50_000 {
		a = b.Add(b)
	}
	require.Equal(t, int64(2), counter(d, "TrimIrGraph"), "a step starts anew")
}

func TestGraphSizeLimitIsSet(t *testing.T) {
	for _, c := range []struct {
		name, env string
		limit     *int
		want      int64
	}{
		{"option", "7", new(100), 9},
		{"environment", "250", nil, 3},
		{"none", "0", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("LTC_TRIM_GRAPH_SIZE", c.env)
			var log logged
			opts := []lazy.Option{logTo(&log)}
			if c.limit != nil {
				opts = append(opts, lazy.GraphLimit(*c.limit))
			}
			d := open(t, "null", opts...)
			tr := lazy.NewTrace(d)
			a := lazy.From(tr, []float32{1})
			b := a
			for range 950 {
				a = a.Add(b)
			}
			require.Equal(t, c.want, counter(d, "TrimIrGraph"))
			require.Len(t, log.of("WARN"), int(min(c.want, 1)), "once for each line")
		})
	}
}
