package cuda

import (
	"unsafe"

	"ltc/backends/cuda/driver"
)

// bringTables queues copies of the tables that are others than in the run before.
func (r *runner) bringTables() error {
	for i := range r.Tables {
		t := &r.Tables[i]
		if !t.Stale || len(t.Entries) == 0 {
			continue
		}
		r.lock()
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(&t.Entries[0])), 8*len(t.Entries))
		if err := r.q.send(driver.Ptr(uintptr(t.Remote.Base())), bytes); err != nil {
			return err
		}
		t.Stale = false
	}
	return nil
}
