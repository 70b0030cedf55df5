package lazy

import (
	"errors"
	"fmt"
	"hash/maphash"

	"ltc/internal/border"
	"ltc/internal/env"
	"ltc/soa"
)

// checking is whether the environment variable LTC_CHECK is 1: then every
// program is checked before it is compiled, borrowed data must not have changed
// between the op that borrowed it and the run that reads it, and runs that fail must
// have written nothing.
var checking = env.Checks.On()

var checkSeed = maphash.MakeSeed()

// checksum hashes the elements that a view shows.
func checksum(v soa.View) (uint64, error) {
	dense := soa.New(v.Type.Bytes())
	if err := soa.Copy(dense.View(v.Type), v); err != nil {
		return 0, err
	}
	return maphash.Bytes(checkSeed, dense.Bytes()), nil
}

// borrow remembers what borrowed data is.
func (v *value) borrow() {
	v.borrowed = true
	if checking {
		if sum, err := checksum(v.view); err == nil {
			v.sum = &sum
		}
	}
}

// intact reports whether borrowed data is still what it was.
func (v *value) intact() error {
	if v.sum == nil {
		return nil
	}
	now, err := checksum(v.view)
	if err != nil {
		return fmt.Errorf("%w: borrowed data %v: %w", ErrUsage, v.view.Type, err)
	}
	if now != *v.sum {
		return fmt.Errorf("%w: borrowed data %v was written before the step that reads it had run; use From, which copies", ErrUsage, v.view.Type)
	}
	return nil
}

// donated calls yield with the arguments whose memory the run may write, and their results.
func (f *flight) donated(yield func(v *value, result int)) {
	for i := range f.assigns {
		if a := &f.assigns[i]; !f.own[a.result] {
			yield(f.args[a.arg], a.result)
		}
	}
	for i := range f.donors {
		if o := &f.donors[i]; o.result >= 0 && !f.own[o.result] {
			yield(o.d.v, o.result)
		}
	}
}

// donatedSums returns the sums of what the run may write.
func (f *flight) donatedSums() []uint64 {
	var sums []uint64
	f.donated(func(v *value, _ int) {
		sum, _ := checksum(v.view)
		sums = append(sums, sum)
	})
	return sums
}

// checkUnwritten returns err, with which the run has failed, or says that it has written all
// the same. What was donated to it had the sums before.
func (f *flight) checkUnwritten(err error, before []uint64) error {
	if errors.Is(err, border.ErrBroken) { // of results that are refused
		return err
	}
	written := -1
	f.donated(func(v *value, result int) {
		if sum, _ := checksum(v.view); sum != before[0] {
			written = result
			if result < len(f.call.Results) {
				f.call.Results[result] = soa.View{}
			}
		}
		before = before[1:]
	})
	if written < 0 {
		return err
	}
	return fmt.Errorf("%w: a run that fails must write nothing, and this one has written over what was donated to result %d: %w", border.ErrBroken, written, err)
}
