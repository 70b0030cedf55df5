package ltctest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference/eval"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/ltctest"
	"ltc/soa"
)

// recorder is a test whose errors are kept.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
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
		"  at ltctest_test.go:35, 2 ops: ltctest_test.go:35: parameter f32[2], was f32[1]; pad axis 0 to one size, or to few sizes that Warmup compiles beforehand, and mask the padding"}, r.errors)
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
		"  at ltctest_test.go:54, 2 times: item of exp"}, r.errors)
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

func TestBudgetCountsTransfers(t *testing.T) {
	tr := newTrace(t)
	twice := func() { mark(tr, 1); mark(tr, 1) }
	ltctest.Budget{Compiles: 1, Transfers: 2}.Check(t, tr, twice)
	var r recorder
	ltctest.Budget{Transfers: 1}.Check(&r, tr, twice)
	ltctest.Budget{Transfers: ltctest.None}.Check(&r, tr.Device(), twice)
	require.Equal(t, []string{
		"ltctest: 2 transfers, and 1 allowed: make host data once, and Set scalars that change",
		"ltctest: 2 transfers, and 0 allowed: make host data once, and Set scalars that change",
	}, r.errors)
	x := lazy.From(tr.Device(), []float32{1})
	scale := tr.Scalar("scale", 1)
	ltctest.Budget{Compiles: 1, Transfers: ltctest.None}.Check(t, tr.Device(), func() {
		scale.Set(2)
		require.NoError(t, tr.MarkStep(tr.Read(x).Mul(scale)))
	})
}

func TestBudgetHasAPeak(t *testing.T) {
	tr := newTrace(t)
	ltctest.Budget{Compiles: 1, PeakBytes: 1248}.Check(t, tr, func() { mark(tr, 100) })
	var r recorder
	ltctest.Budget{Compiles: 1, PeakBytes: 1247}.Check(&r, tr, func() { mark(tr, 10); mark(tr, 100) })
	require.Equal(t, []string{"ltctest: a program that was run takes 1.2 KiB of memory, and 1.2 KiB allowed: MemoryPlan tells what each step of it needs"}, r.errors)
	ltctest.Budget{PeakBytes: 144}.Check(t, tr, func() { mark(tr, 10) })
}

// A column that is not dense is copied, as the evaluator does.
func TestBudgetCountsCopies(t *testing.T) {
	tr := newTrace(t)
	view, err := soa.Strided([]float32{1, 2, 3, 4}, types.Of(types.F32, 2), 0, []int{2})
	require.NoError(t, err)
	x := lazy.FromView(tr, view)
	step := func() {
		require.NoError(t, tr.MarkStep(x.Exp()))
		require.NoError(t, tr.Wait(t.Context()))
	}
	ltctest.Budget{Compiles: 1, CopiedBytes: 8}.Check(t, tr, step)
	var r recorder
	ltctest.Budget{CopiedBytes: ltctest.None}.Check(&r, tr, step)
	require.Equal(t, []string{"ltctest: 8 B copied, and 0 B allowed: give dense memory, or layouts that the backend reads in place"}, r.errors)
	ltctest.Budget{Compiles: 1, CopiedBytes: ltctest.None}.Check(t, tr, func() { mark(tr, 1); mark(tr, 1) })
}

// Limits that mean nothing are an error, and the others hold.
func TestBudgetOfNoNumbers(t *testing.T) {
	var r recorder
	ltctest.Budget{Compiles: ltctest.None}.Check(&r, newTrace(t), func() {})
	require.Len(t, r.errors, 1)
	require.Contains(t, r.errors[0], "Any or None")
}
