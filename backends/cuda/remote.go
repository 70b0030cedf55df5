package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"ltc/backends/cuda/driver"
	"ltc/ir/types"
	"ltc/soa"
)

var (
	_ soa.Remote     = (*Device)(nil)
	_ soa.PeerCopier = (*Device)(nil)
)

// Make returns a dense view of fresh memory of the device, whose contents are
// undefined. It is freed after the last view of it is gone. The error is a
// [MemoryError] if there is none.
func (d *Device) Make(t types.Type) (soa.View, error) {
	if err := t.Check(); err != nil {
		return soa.View{}, fmt.Errorf("%v: memory for %v: %w", d, t, err)
	}
	n := t.Bytes()
	p, err := d.home.allocHard(n)
	if err != nil {
		return soa.View{}, err
	}
	b := soa.OfRemote(d, uintptr(p), n)
	freed := d.held.add(func() error { return d.home.release(p, n) })
	runtime.AddCleanup(b, (*resource).drop, freed)
	return b.View(t), nil
}

// Read copies what is at an address of the device's memory, once all that was
// queued by runs that were given no queue is done.
func (d *Device) Read(dst []byte, at uintptr) error {
	return d.home.download(dst, driver.Ptr(at))
}

// Write copies to an address of the device's memory, for runs that are given no
// queue, or one that waits for this one.
func (d *Device) Write(at uintptr, src []byte) error { return d.home.upload(driver.Ptr(at), src) }

// CopyFrom copies within the device's memory, or from another GPU's, which need not be
// one that this one may access: the driver then goes through the host. What was queued
// on both by runs that were given no queue is done before.
func (d *Device) CopyFrom(at uintptr, of soa.Remote, from uintptr, n int) error {
	other, is := of.(*Device)
	if !is {
		return fmt.Errorf("%v: copy from %v: %w", d, of, errors.ErrUnsupported)
	}
	q := d.home
	if other == d {
		return q.doAndWait(func() error { return q.stream.Copy(driver.Ptr(at), driver.Ptr(from), n) })
	}
	if other.ctx.Driver() != d.ctx.Driver() {
		return fmt.Errorf("%v: copy from a device of another driver: %w", d, errors.ErrUnsupported)
	}
	if err := q.After(other.home); err != nil { // also if the other is lost, which is not to be called this one's loss
		return err
	}
	d.befriend(other)
	return q.doAndWait(func() error {
		return q.stream.CopyPeer(driver.Ptr(at), d.ctx, driver.Ptr(from), other.ctx, n)
	})
}

// befriend has copies from another device go straight to this one, if they can.
func (d *Device) befriend(other *Device) {
	if _, tried := d.friends.LoadOrStore(other, true); tried {
		return
	}
	if err := d.EnablePeer(other); err != nil {
		d.log().Info("copies between two GPUs go through the host", "from", other, "to", d, "reason", err)
	}
}

// resources are what the collector gives back.
type resources struct {
	mu  sync.Mutex
	all map[*resource]bool
}

// resource is something of a device that was made and is to be freed once.
type resource struct {
	of   *resources
	free func() error
}

func (r *resources) add(free func() error) *resource {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[*resource]bool{}
	}
	x := &resource{r, free}
	r.all[x] = true
	return x
}

// drop frees what nothing reaches any more. An error is that of a device that is
// lost, and its memory with it.
func (x *resource) drop() {
	x.of.mu.Lock()
	defer x.of.mu.Unlock()
	if x.of.all[x] {
		delete(x.of.all, x)
		_ = x.free()
	}
}
