package lazy

import (
	"sync"
	"sync/atomic"

	"ltc/internal/callsite"
	"ltc/soa"
)

// value is the data of a tensor: of host data, of a version of a variable, or
// of a root. It is written once, by the program that makes it.
type value struct {
	name string
	view soa.View
	// pins counts who may still read view: a step that read it as a variable,
	// a handle that users hold. While others do, its memory is not donated.
	pins atomic.Int32
	sum  *uint64 // of borrowed data, while checking

	pending sync.Mutex // held until the program that makes the value has ended
	// Written before pending is released, and with the variable's mu held.
	err    error         // of that program
	old    *value        // the version before, to return to when it failed
	before callsite.Site // where that was assigned
}

// wait returns when the value is there, or the error of the program that was
// to make it.
func (v *value) wait() error {
	v.pending.Lock()
	defer v.pending.Unlock()
	return v.err
}
