package lazy

import (
	"errors"
	"slices"
	"sync"
	"weak"

	"ltc/ir/types"
	"ltc/soa"
)

// Marks of [value.onDevice] in place of a copy.
var (
	readBefore  = new(soa.View) // a run has read the value
	outOfMemory = new(soa.View) // the device had no memory for a copy
)

// useDeviceCopies gives the run copies, in the device's memory, of host data that an earlier run
// has read, too: weights of a model, or data of all steps. A run that is the first to read
// a value copies it in pieces beside its kernels, and most values are read by one run only.
func (f *flight) useDeviceCopies() {
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
	switch there := v.onDevice.Load(); there {
	case nil:
		v.onDevice.CompareAndSwap(nil, readBefore)
		return nil
	case readBefore:
		made := outOfMemory
		if c, err := d.backend.Make(v.view.Type); err == nil && soa.Copy(c, v.view) == nil {
			made = &c
		}
		// Otherwise the copy of a call beside this is as good.
		if v.onDevice.CompareAndSwap(readBefore, made) && made != outOfMemory {
			d.copies.add(v)
		}
		return v.copyFor(d)
	case outOfMemory:
		return nil
	default:
		return there
	}
}

// hasCopy reports whether a device has a copy of v.
func (v *value) hasCopy() bool {
	there := v.onDevice.Load()
	return there != nil && there != readBefore && there != outOfMemory
}

// copies are the values that a device has copies of, which give way to other uses of its
// memory.
type copies struct {
	mu sync.Mutex
	of []weak.Pointer[value] // and of values that are gone or have none any more
}

func (c *copies) add(v *value) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.of) == cap(c.of) {
		c.of = slices.DeleteFunc(c.of, func(w weak.Pointer[value]) bool {
			x := w.Value()
			return x == nil || !x.hasCopy()
		})
	}
	c.of = append(c.of, weak.Make(v))
}

// giveUp gives up all copies if err says that there is no memory, and reports whether there
// were any: what has failed may succeed then. Their values get no other.
func (c *copies) giveUp(err error) (some bool) {
	if !errors.Is(err, ErrMemory) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.of {
		if v := w.Value(); v != nil && v.hasCopy() {
			v.onDevice.Store(outOfMemory)
			some = true
		}
	}
	c.of = nil
	return some
}

// deviceMemory is the memory of a device. Copies of host data are freed when it is full.
type deviceMemory struct{ *Device }

// Make returns memory of the device.
func (d deviceMemory) Make(t types.Type) (soa.View, error) {
	v, err := d.backend.Make(t)
	if d.copies.giveUp(err) {
		return d.backend.Make(t)
	}
	return v, err
}
