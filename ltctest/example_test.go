package ltctest_test

import (
	"errors"
	"fmt"
	"log"
	"testing"

	"ltc/lazy"
	"ltc/ltctest"
)

// test stands for a *testing.T, which examples have none of.
type test struct {
	testing.TB
	ends []func()
}

func (*test) Helper()            {}
func (*test) Error(args ...any)  { fmt.Println(args...) }
func (t *test) Cleanup(f func()) { t.ends = append(t.ends, f) }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func ExampleBudget() {
	t := new(test)
	dev, err := lazy.Open("eval")
	check(err)

	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 4)
	step := func(batch int) {
		x := lazy.From(tr, make([]float32, 4*batch), batch, 4)
		w.Assign(tr.Read(w).Add(x.Mean(0)))
		check(tr.MarkStep())
	}
	ltctest.Budget{Compiles: 1, Transfers: 10, PeakBytes: 1 << 10}.Check(t, tr, func() {
		for range 10 {
			step(8)
		}
	})
	ltctest.NoRecompile(t, tr, func() { step(8) })
	ltctest.NoSync(t, tr, func() { step(8) })

	ltctest.NoRecompile(t, tr, func() { step(5) }) // the last batch of an epoch
	// Output:
	// ltctest: 1 compile, and 0 allowed:
	//   at example_test.go:39, 7 ops: example_test.go:37: parameter f32[5,4], was f32[8,4]; pad axis 0 to one size, or to few sizes that Warmup compiles beforehand, and mask the padding
}

func ExampleFreeze() {
	t := new(test)
	dev, err := lazy.Open("eval")
	check(err)

	tr := lazy.NewTrace(dev)
	score := func(n int) error { return tr.MarkStep(lazy.Ones(tr, lazy.F32, n).Exp()) }
	check(score(1))
	ltctest.Freeze(t, dev) // until the test ends
	fmt.Println(score(1), errors.Is(score(2), lazy.ErrFrozen))
	// Output: <nil> true
}
