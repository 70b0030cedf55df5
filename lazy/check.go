package lazy

import (
	"fmt"
	"hash/maphash"

	"ltc/internal/env"
	"ltc/soa"
)

// checking is whether the environment variable LTC_CHECK is 1: then every
// program is checked before it is compiled, and borrowed data must not have
// changed between the op that borrowed it and the run that reads it.
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
