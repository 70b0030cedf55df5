package driver

import (
	"fmt"
	"unsafe"

	"ltc/internal/diag"
)

// Host is memory of the host whose pages stay where they are, so that devices
// access it by themselves: copies from and to it run beside what the host does.
// Kernels of all contexts may access it at [Host.Address].
type Host struct {
	ctx        *Context
	bytes      []byte
	registered bool
}

const (
	portable = 1 // for all contexts
	mapped   = 2 // has an address for kernels
)

// AllocHost returns n bytes, which are not of Go's heap; they last until
// [Host.Free].
func (c *Context) AllocHost(n int) (*Host, error) {
	f := newFrame()
	defer f.free()
	if err := c.Enter(); err != nil {
		return nil, err
	}
	defer c.Leave()
	if code := c.driver.set(cuMemHostAlloc, f, uintptr(unsafe.Pointer(&f.ptr)), uintptr(n), portable|mapped); code != Success {
		return nil, c.fail(cuMemHostAlloc, code, fmt.Sprintf("%s of the host's memory", diag.Count(n, "byte")))
	}
	return &Host{ctx: c, bytes: unsafe.Slice((*byte)(f.ptr), n)}, nil
}

// Register makes memory such that there is, until [Host.Free]; b is not empty and
// stays the caller's. Memory of Go's heap may be registered: it does not move. No
// part of it may be registered twice.
func (c *Context) Register(b []byte) (*Host, error) {
	f := newFrame()
	defer f.free()
	if err := c.entered(cuMemHostRegister, f, f.pin(0, unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), portable|mapped); err != nil {
		return nil, err
	}
	return &Host{ctx: c, bytes: b, registered: true}, nil
}

// Bytes are the memory.
func (h *Host) Bytes() []byte { return h.bytes }

// Address is where kernels find it.
func (h *Host) Address() Ptr { return Ptr(uintptr(unsafe.Pointer(unsafe.SliceData(h.bytes)))) }

// Free gives the memory back, or up. Nothing that is queued may access it.
func (h *Host) Free() error {
	f := newFrame()
	defer f.free()
	e := cuMemFreeHost
	if h.registered {
		e = cuMemHostUnregister
	}
	if err := h.ctx.entered(e, f, f.pin(0, unsafe.Pointer(unsafe.SliceData(h.bytes)))); err != nil {
		return err
	}
	h.bytes = nil
	return nil
}
