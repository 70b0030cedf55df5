package driver

import (
	"fmt"
	"runtime"
	"sync/atomic"
)

// Context is a device as this process uses it: the one that all of the process
// shares, NVIDIA's libraries too, which the driver calls the primary one.
type Context struct {
	driver *Driver
	device *Device
	handle uintptr
	lost   atomic.Pointer[LostError]
}

// Retain makes the device's context, or finds it, and keeps it until
// [Context.Release].
func (d *Device) Retain() (*Context, error) {
	f := newFrame()
	defer f.free()
	if code := d.driver.set(cuDevicePrimaryCtxRetain, f, f.result(0), uintptr(d.id)); code != Success {
		err := d.driver.fail(cuDevicePrimaryCtxRetain, code)
		err.What = fmt.Sprintf("device %d", d.ordinal)
		return nil, err
	}
	return &Context{driver: d.driver, device: d, handle: f.handle(0)}, nil
}

// Release gives up a context. The last one takes all of its memory with it.
func (c *Context) Release() error {
	f := newFrame()
	defer f.free()
	if code := c.driver.set(cuDevicePrimaryCtxRelease, f, uintptr(c.device.id)); code != Success {
		return c.fail(cuDevicePrimaryCtxRelease, code, "")
	}
	c.handle = 0
	return nil
}

// Device returns the device.
func (c *Context) Device() *Device { return c.device }

// Driver returns the driver that the device is of.
func (c *Context) Driver() *Driver { return c.driver }

// Handle is the library's own, for other libraries of NVIDIA's.
func (c *Context) Handle() uintptr { return c.handle }

// Err returns the [LostError] if the context was lost; nil otherwise.
func (c *Context) Err() error {
	if l := c.lost.Load(); l != nil {
		return l
	}
	return nil
}

// Enter makes the context the one that the calling goroutine's thread uses, and
// keeps the goroutine on that thread, until [Context.Leave]. Pairs of both nest,
// of different contexts, too. After an error nothing is to be left.
func (c *Context) Enter() error {
	if l := c.lost.Load(); l != nil {
		return l
	}
	f := newFrame()
	defer f.free()
	runtime.LockOSThread()
	f.args[0] = c.handle
	if code := c.driver.call(cuCtxPushCurrent, f, 1); code != Success {
		runtime.UnlockOSThread()
		return c.fail(cuCtxPushCurrent, code, "")
	}
	return nil
}

// Leave undoes what [Context.Enter] did.
func (c *Context) Leave() {
	f := newFrame()
	defer f.free()
	f.args[0] = f.result(0)
	c.driver.call(cuCtxPopCurrent, f, 1) // a lost context is popped, too
	runtime.UnlockOSThread()
}

// Synchronize returns when all that was queued in any stream of the context is
// done, with the first error of it.
func (c *Context) Synchronize() error {
	f := newFrame()
	defer f.free()
	return c.entered(cuCtxSynchronize, f)
}

// Priorities returns the least and the greatest priority of streams; greater ones
// are smaller numbers.
func (c *Context) Priorities() (least, greatest int, err error) {
	f := newFrame()
	defer f.free()
	err = c.entered(cuCtxGetStreamPriorityRange, f, f.result(0), f.result(1))
	return f.int(0), f.int(1), err
}

// EnablePeer lets kernels and copies of this context access the other's memory;
// once is enough.
func (c *Context) EnablePeer(other *Context) error {
	f := newFrame()
	defer f.free()
	if err := c.Enter(); err != nil {
		return err
	}
	defer c.Leave()
	switch code := c.driver.set(cuCtxEnablePeerAccess, f, other.handle, 0); code {
	case Success, PeerAlreadyEnabled:
		return nil
	default:
		return c.fail(cuCtxEnablePeerAccess, code, fmt.Sprintf("device %d to the memory of %d", c.device.ordinal, other.device.ordinal))
	}
}

// entered calls the library in the context.
func (c *Context) entered(e entry, f *frame, args ...uintptr) error {
	if err := c.Enter(); err != nil {
		return err
	}
	defer c.Leave()
	if code := c.driver.set(e, f, args...); code != Success {
		return c.fail(e, code, "")
	}
	return nil
}

// result is the error of a call; nil if there is none.
func (c *Context) result(e entry, code Code) error {
	if code == Success {
		return nil
	}
	return c.fail(e, code, "")
}

// fail makes the error of a call, and loses the context if it says so.
func (c *Context) fail(e entry, code Code, what string) error {
	err := c.driver.fail(e, code)
	err.What = what
	if code.Lost() {
		c.lost.CompareAndSwap(nil, &LostError{Device: c.device.ordinal, First: err})
	}
	return err
}
