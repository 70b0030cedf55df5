package ltctest_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"testing"

	"ltc/lazy"
	"ltc/ltctest"
)

// test stands for a *testing.T, which examples have none of.
type test struct {
	testing.TB
	ends []func()
}

func (*test) Helper()                           {}
func (*test) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (*test) Error(args ...any)                 { fmt.Println(args...) }
func (t *test) Cleanup(f func())                { t.ends = append(t.ends, f) }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// comparing lets Lock compare, as without LTC_UPDATE, until the function that it returns is called.
func comparing() (restore func()) {
	before := os.Getenv("LTC_UPDATE")
	os.Setenv("LTC_UPDATE", "0")
	return func() { os.Setenv("LTC_UPDATE", before) }
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
	//   at example_test.go:48, 7 ops: example_test.go:46: parameter f32[5,4], was f32[8,4]; pad axis 0 to one size, or to few sizes that Warmup compiles beforehand, and mask the padding
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

func ExampleLock() {
	t := new(test)
	dev, err := lazy.Open("eval")
	check(err)

	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1, 2, 3}).Named("x")
	check(tr.MarkStep(x.Exp().Mean()))
	ltctest.Lock(t, "testdata/programs.lock", "mean", tr)

	defer comparing()()
	check(tr.MarkStep(x.Log().Mean()))
	ltctest.Lock(t, "testdata/example.lock", "mean", tr) // which was written with Exp
	// Output:
	// ltctest: program "mean" is not the one of testdata/example.lock (5 ops now)
	//   the first op that differs, example_test.go:88
	//   - exp.1 = exp arg.1 : f32[3]
	//   - sum.1 = sum exp.1 {axes = [0]} : f32[]
	//   + log.1 = log arg.1 : f32[3]
	//   + sum.1 = sum log.1 {axes = [0]} : f32[]
	// if that is meant, run the test with LTC_UPDATE=1, and commit the file
}
