package memory

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"ltc/ir/types"
	"ltc/soa"
)

// Marks of [DeviceCopy] in place of a copy.
var (
	readBefore  = new(soa.View) // a run has read the data
	outOfMemory = new(soa.View) // the device had no memory for a copy
)

// DeviceCopy is the copy of host data in the memory of a device, if there is one. The zero
// value is of data that no run has read.
type DeviceCopy struct{ view atomic.Pointer[soa.View] }

// Maker makes memory of a device.
type Maker interface {
	Make(types.Type) (soa.View, error)
}

// Of returns the copy, in the memory of a device, of data that host shows. It is nil for the first
// run that asks, and where the device has no room. All are the copies of the device.
func (c *DeviceCopy) Of(host *soa.View, d Maker, all *DeviceCopies) *soa.View {
	switch there := c.view.Load(); there {
	case nil:
		c.view.CompareAndSwap(nil, readBefore)
		return nil
	case readBefore:
		made := outOfMemory
		if v, err := d.Make(host.Type); err == nil && soa.Copy(v, *host) == nil {
			made = &v
		}
		// Otherwise the copy of a call beside this is as good.
		if c.view.CompareAndSwap(readBefore, made) && made != outOfMemory {
			all.add(c)
		}
		return c.Of(host, d, all)
	case outOfMemory:
		return nil
	default:
		return there
	}
}

// Forget drops the copy. The next run that reads the data counts as the first.
func (c *DeviceCopy) Forget() { c.view.Store(nil) }

// exists reports whether there is a copy.
func (c *DeviceCopy) exists() bool {
	there := c.view.Load()
	return there != nil && there != readBefore && there != outOfMemory
}

// DeviceCopies are the copies of a device, which give way to other uses of its memory.
type DeviceCopies struct {
	mu sync.Mutex
	of []weak.Pointer[DeviceCopy] // and some that are gone or have no view any more
}

func (all *DeviceCopies) add(c *DeviceCopy) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if len(all.of) == cap(all.of) {
		all.of = slices.DeleteFunc(all.of, func(w weak.Pointer[DeviceCopy]) bool {
			x := w.Value()
			return x == nil || !x.exists()
		})
	}
	all.of = append(all.of, weak.Make(c))
}

// GiveUp gives up all copies if err says that there is no memory, and reports whether there
// were any: what has failed may succeed then. Their data get no other copy.
func (all *DeviceCopies) GiveUp(err error) (some bool) {
	if !errors.Is(err, soa.ErrMemory) {
		return false
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, w := range all.of {
		if c := w.Value(); c != nil && c.exists() {
			c.view.Store(outOfMemory)
			some = true
		}
	}
	all.of = nil
	return some
}
