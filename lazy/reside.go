package lazy

import (
	"slices"

	"ltc/soa"
)

// Marks of [value.there] in place of a copy.
var (
	readOnce = new(soa.View) // a run has read the value
	noRoom   = new(soa.View) // the device had no memory for a copy
)

// reside gives the run copies, in the device's memory, of host data that an earlier run
// has read, too: weights of a model, or data of all steps. A run that is the first to read
// a value copies it in pieces beside its kernels, and most values are read by one run only.
func (f *flight) reside() {
	for i, v := range f.args {
		if v.scalar || v.borrowed || v.view.Remote() != nil || slices.Contains(f.program.Graph.Alias, i) {
			continue
		}
		if there := v.copyFor(f.dev); there != nil {
			f.call.Args[i] = *there
		}
	}
}

// copyFor returns the copy of a value in the memory of a device; nil if there is none, as
// for the first run, and where the device has no room for one.
func (v *value) copyFor(d *Device) *soa.View {
	switch there := v.there.Load(); there {
	case nil:
		v.there.CompareAndSwap(nil, readOnce)
		return nil
	case readOnce:
		made := noRoom
		if c, err := d.memory.Resident(v.view.Type); err == nil && soa.Copy(c, v.view) == nil {
			made = &c
		}
		v.there.CompareAndSwap(readOnce, made) // the copy of a call beside this is as good
		return v.copyFor(d)
	case noRoom:
		return nil
	default:
		return there
	}
}
