package ltctest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference/eval"
	"ltc/lazy"
	"ltc/ltctest"
)

// recorder is a test whose errors are kept.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper()           {}
func (r *recorder) Error(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }

func newTrace(t *testing.T) *lazy.Trace {
	dev, err := lazy.Open("eval", lazy.ImplicitSyncs(lazy.AllowSyncs))
	require.NoError(t, err)
	return lazy.NewTrace(dev)
}

func mark(tr *lazy.Trace, n int) {
	_ = tr.MarkStep(lazy.From(tr, make([]float32, n)).Exp())
}

func TestBudgetCountsCompiles(t *testing.T) {
	tr := newTrace(t)
	ltctest.Budget{Compiles: 1}.Check(t, tr, func() { mark(tr, 1); mark(tr, 1) })
	ltctest.NoRecompile(t, tr, func() { mark(tr, 1) })

	var r recorder
	ltctest.NoRecompile(&r, tr, func() { mark(tr, 2) })
	require.Equal(t, []string{"ltctest: 1 compile, and 0 allowed:\n" +
		"  at ltctest_test.go:30, 2 ops: ltctest_test.go:30: parameter f32[2], was f32[1]; pad axis 0 to one size, or to few sizes that Warmup compiles beforehand, and mask the padding"}, r.errors)
	r.errors = nil
	ltctest.Budget{Compiles: ltctest.Any}.Check(&r, tr, func() { mark(tr, 3) })
	require.Empty(t, r.errors)
}

func TestBudgetCountsSyncs(t *testing.T) {
	tr := newTrace(t)
	read := func() { lazy.From(tr, []float32{1}).Exp().Float() }
	read()
	ltctest.NoSync(t, tr, func() { mark(tr, 1) })
	ltctest.Budget{Syncs: 2}.Check(t, tr, func() { read(); read() })

	var r recorder
	ltctest.NoSync(&r, tr, func() { read(); read() })
	require.Equal(t, []string{"ltctest: 2 implicit syncs, and 0 allowed; give the tensors to MarkStep as roots, and read them afterwards:\n" +
		"  at ltctest_test.go:49, 2 times: item of exp"}, r.errors)
}

// A function is watched as a trace is, and a number that varies compiles twice.
func TestBudgetOfFunctions(t *testing.T) {
	tr := newTrace(t)
	f := lazy.Func(tr.Device(), func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Exp() })
	call := func() {
		_, err := f.Call(t.Context(), lazy.From(tr, []float32{1}))
		require.NoError(t, err)
	}
	call()
	ltctest.NoRecompile(t, f, call)

	number := func(v float64) { require.NoError(t, tr.MarkStep(lazy.From(tr, []float32{1}).MulScalar(v))) }
	ltctest.Budget{Compiles: 2}.Check(t, tr, func() { number(1); number(2) })
	ltctest.NoRecompile(t, tr, func() { number(3); number(4) })
}
