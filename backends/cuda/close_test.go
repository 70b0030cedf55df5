package cuda

import (
	"errors"

	"ltc/backends/cuda/driver"
	"ltc/ir/types"
	"ltc/soa"
)

// view shows what is at an address of the device's memory; it does not hold it.
func (d *Device) view(p driver.Ptr, t types.Type) soa.View { return d.space.RemoteAt(uintptr(p), t) }

// close gives the device up with all that is in its memory. Devices of programs stay, since
// others may use them.
func (d *Device) close() error {
	errs := []error{d.held.free()}
	if h := d.products.handle; h != nil {
		errs = append(errs, d.home.do(h.Destroy))
	}
	return errors.Join(append(errs, d.home.Close(), d.memory.pool.Destroy(), d.ctx.Release())...)
}

// free frees all: when it returns, nothing is being dropped either.
func (r *resources) free() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for x := range r.all {
		errs = append(errs, x.free())
	}
	r.all = nil
	return errors.Join(errs...)
}
