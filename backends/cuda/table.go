package cuda

import (
	"unsafe"

	"ltc/backends/cuda/driver"
	"ltc/ir/types"
	"ltc/soa"
)

// table is, of a view that has one, how many elements from the first each column
// begins, in the device's memory. A runner keeps it from run to run, and brings it
// there anew only when columns lie otherwise beside each other: a run of columns that
// are where they were, or all moved alike, copies nothing.
type table struct {
	there   soa.View // on the device
	entries []int64  // what the next kernels are to find there
	stale   bool     // they are not there yet
}

// first returns where the first element of a view of the device's memory is; 0 if it
// has none.
func first(v *soa.View) driver.Ptr {
	switch {
	case v.Table == nil:
		return driver.Ptr(uintptr(v.Base()))
	case len(v.Table) == 0:
		return 0
	}
	return driver.Ptr(uintptr(v.Table[0]))
}

// table returns where the device finds the table of a view once [runner.bringTables] has
// queued its copy. Arguments have the first numbers, then results.
func (r *runner) table(number int, v *soa.View) (driver.Ptr, error) {
	if r.tables == nil {
		r.tables = make([]table, len(r.e.program.Args)+len(r.e.program.Results))
		r.held = make([]soa.View, len(r.tables))
	}
	t, n := &r.tables[number], len(v.Table)
	if t.there.IsZero() || len(t.entries) != n {
		there, err := r.e.on.dev.Make(types.Of(types.I64, max(n, 1)))
		if err != nil {
			return 0, r.e.short(err)
		}
		t.there, t.entries, t.stale = there, make([]int64, n), true
		r.held[number] = there
	}
	size := v.Type.DType.Size()
	for i, p := range v.Table {
		at := (int64(uintptr(p)) - int64(uintptr(v.Table[0]))) / int64(size)
		if t.entries[i] != at {
			t.entries[i], t.stale = at, true
		}
	}
	return driver.Ptr(uintptr(t.there.Base())), nil
}

// bringTables queues copies of the tables that are others than in the run before.
func (r *runner) bringTables() error {
	for i := range r.tables {
		t := &r.tables[i]
		if !t.stale || len(t.entries) == 0 {
			continue
		}
		r.lock()
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(&t.entries[0])), 8*len(t.entries))
		if err := r.q.send(driver.Ptr(uintptr(t.there.Base())), bytes); err != nil {
			return err
		}
		t.stale = false
	}
	return nil
}
