package growth

import (
	"slices"
	"testing"

	"ltc/internal/trials"
)

// refused is a test that fails.
type refused struct {
	testing.TB
	failed bool
}

func (r *refused) Helper()               {}
func (r *refused) Logf(string, ...any)   {}
func (r *refused) Fatalf(string, ...any) { r.failed = true; panic(r) }

func fails(t *testing.T, size int, prepare func(int) func()) bool {
	r := &refused{TB: t}
	func() {
		defer func() {
			if x := recover(); x != nil && x != any(r) {
				panic(x)
			}
		}()
		Linear(r, size, prepare)
	}()
	return r.failed
}

var sink [][]int

// A clock that counts many milliseconds at once finds no more in linear work than there is:
// both sides of the comparison do as much.
func TestBothSidesDoAsMuch(t *testing.T) {
	var done []int
	Linear(t, 5, func(size int) func() { return func() { done = append(done, size) } })
	if want := append(slices.Repeat([]int{5}, times), 5*times); !slices.Equal(done, want) {
		t.Errorf("works of sizes %v, want %v", done, want)
	}
}

// Work that is quadratic in memory, in allocations or in time is found.
func TestQuadraticWorkIsFound(t *testing.T) {
	lists := func(n int) func() {
		return func() {
			sink = nil
			for i := range n {
				sink = append(sink, make([]int, 10+i%2))
			}
		}
	}
	if fails(t, 2000, lists) {
		t.Error("linear work is taken for more")
	}
	if !fails(t, 200, func(n int) func() { return lists(n * n / 8) }) {
		t.Error("quadratic numbers of allocations are not found")
	}
	if !fails(t, 200, func(n int) func() {
		return func() {
			for range n {
				sink = [][]int{make([]int, 100*n)}
			}
		}
	}) {
		t.Error("quadratic memory is not found")
	}
	if trials.Few() {
		return
	}
	numbers := make([]int, 1<<20)
	if !fails(t, 4000, func(n int) func() {
		return func() {
			for range n {
				_ = slices.Index(numbers[:n], 1)
			}
		}
	}) {
		t.Error("quadratic time is not found")
	}
}
