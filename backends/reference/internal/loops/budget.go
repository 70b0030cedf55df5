package loops

import "math/bits"

// Work is counted in elements that an op as cheap as an addition computes: the
// fuel of a tank burns for less than a millisecond, that of a tank of
// transcendental functions for some.
const (
	Tank     = 1 << 18
	mostWork = 1 << 56 // sums and products of work end there
)

// LongWork is what a run whose caller wants to cancel it may do without looking:
// about 20 ms of additions.
const LongWork = 1 << 24

// Budget is the tank of fuel of a run whose context can be cancelled. Steps, and the
// loops within those that can take long, use it up by the work they do; when it
// is empty the run looks at the context, and fills it again or ends. A context
// without Done channel costs a comparison with nil.
type Budget struct {
	Done <-chan struct{} // nil: the run cannot be cancelled
	Fuel int             // work until the run looks at done next
}

// Due notes that work was done, and reports whether the run is cancelled: then
// the op returns at once, whatever its results are.
func (b *Budget) Due(work int) bool { return b.Done != nil && b.Spend(work) }

// Spend is due where the run can be cancelled.
func (b *Budget) Spend(work int) bool {
	b.Fuel -= work
	return b.Fuel < 0 && b.Cancelled()
}

// Cancelled looks at the context. Once it is done the tank stays empty.
func (b *Budget) Cancelled() bool {
	select {
	case <-b.Done:
		b.Fuel = -1
		return true
	default:
		b.Fuel = Tank
		return false
	}
}

// Times is the product of amounts of work.
func Times(a, b int) int {
	if n := Product(a, b); n >= 0 {
		return min(n, mostWork)
	}
	return mostWork
}

// Added is the sum of amounts of work.
func Added(a, b int) int { return min(a+b, mostWork) }

// Product returns a*b for numbers that are not negative; -1 beyond an int.
func Product(a, b int) int {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if a < 0 || b < 0 || hi != 0 || int(lo) < 0 {
		return -1
	}
	return int(lo)
}
