package cudafake

import (
	"slices"
	"unsafe"

	"ltc/backends/cuda/driver"
	"ltc/internal/diag"
)

// room finds n bytes of a device, if all that is queued has run where need be.
func (f *Fake) room(d *device, n uint64) bool {
	if d.used+int64(n) > f.o.Memory {
		for _, s := range slices.Clone(f.streams) {
			if s.device == d && s.last != nil {
				f.settle(s.last)
			}
		}
	}
	return n <= uint64(f.o.Memory) && d.used+int64(n) <= f.o.Memory
}

func (f *Fake) memInfo(free, total *uint64) driver.Code {
	d, code := f.context("cuMemGetInfo")
	if code == 0 {
		*free, *total = uint64(f.o.Memory-d.used), uint64(f.o.Memory)
	}
	return code
}

func (f *Fake) alloc(to *uint64, n uint64) driver.Code {
	d, code := f.context("cuMemAlloc")
	if code == 0 {
		code = f.unsafe("cuMemAlloc", nil)
	}
	switch {
	case code != 0:
		return code
	case n == 0:
		return f.bad(driver.InvalidValue, BadArgument, "cuMemAlloc of no bytes")
	case !f.room(d, n):
		return driver.OutOfMemory
	}
	m := f.allocate(d, nil, int64(n))
	f.open(m, f.now("cuMemAlloc"))
	*to = m.address
	return driver.Success
}

func (f *Fake) freeNow(address uint64) driver.Code {
	_, code := f.context("cuMemFree")
	if code == 0 {
		code = f.unsafe("cuMemFree", nil)
	}
	if code != 0 {
		return code
	}
	m, code := f.freeable("cuMemFree", address)
	if code != 0 {
		return code
	}
	f.free(m, f.now("cuMemFree"))
	return driver.Success
}

// freeable returns the allocation that a call is to free.
func (f *Fake) freeable(call string, address uint64) (*memory, driver.Code) {
	m := f.whole(address)
	switch {
	case m == nil:
		return nil, f.bad(driver.InvalidValue, BadArgument, "%s of %#x, where no memory begins", call, address)
	case m.freed != "":
		return nil, f.bad(driver.InvalidValue, UseAfterFree, "%s of %s that %s freed", call, diag.Count(m.size, "byte"), m.freed)
	}
	return m, driver.Success
}

func (f *Fake) allocAsync(to *uint64, n uint64, h uintptr) driver.Code {
	s, code := f.stream("cuMemAllocAsync", h)
	if code != 0 {
		return code
	}
	return f.allocIn("cuMemAllocAsync", to, n, s.device.pool, s)
}

func (f *Fake) allocFrom(to *uint64, n uint64, from, h uintptr) driver.Code {
	s, code := f.stream("cuMemAllocFromPoolAsync", h)
	if code != 0 {
		return code
	}
	p, code := find[*pool](f, from, "pool")
	if code != 0 {
		return code
	}
	return f.allocIn("cuMemAllocFromPoolAsync", to, n, p, s)
}

func (f *Fake) allocIn(call string, to *uint64, n uint64, p *pool, s *stream) driver.Code {
	switch {
	case s.capture != nil:
		return driver.CaptureUnsupported
	case n == 0:
		return f.bad(driver.InvalidValue, BadArgument, "%s of no bytes", call)
	case !f.room(p.device, n):
		return driver.OutOfMemory
	}
	m := f.allocate(p.device, p, int64(n))
	p.used += int64(n)
	p.usedHigh = max(p.usedHigh, p.used)
	p.reserved = max(p.reserved, p.used)
	p.reservedHigh = max(p.reservedHigh, p.reserved)
	*to = m.address
	f.enqueue(s, call, false, func(o *op) driver.Code {
		f.open(m, &o.moment)
		return driver.Success
	})
	return driver.Success
}

func (f *Fake) freeAsync(address uint64, h uintptr) driver.Code {
	s, code := f.stream("cuMemFreeAsync", h)
	switch {
	case code != 0:
		return code
	case s.capture != nil:
		return driver.CaptureUnsupported
	}
	m, code := f.freeable("cuMemFreeAsync", address)
	if code != 0 {
		return code
	}
	f.enqueue(s, "cuMemFreeAsync", false, func(o *op) driver.Code {
		if m.freed != "" {
			return f.bad(driver.Success, UseAfterFree, "%s of %s that %s freed", o.what, diag.Count(m.size, "byte"), m.freed)
		}
		if !m.there {
			return f.bad(driver.Success, Race, "%s of %s before what allocates them", o.what, diag.Count(m.size, "byte"))
		}
		f.free(m, &o.moment)
		if m.pool != nil {
			m.pool.used -= m.size
		}
		return driver.Success
	})
	return driver.Success
}

func (f *Fake) hostAlloc(to *unsafe.Pointer, n uint64, _ uint32) driver.Code {
	d, code := f.context("cuMemHostAlloc")
	if code == 0 {
		code = f.unsafe("cuMemHostAlloc", nil)
	}
	switch {
	case code != 0:
		return code
	case n == 0:
		return f.bad(driver.InvalidValue, BadArgument, "cuMemHostAlloc of no bytes")
	}
	b := make([]byte, n+4096)
	b = b[-uintptr(unsafe.Pointer(&b[0]))%4096:][:n]
	fill(b)
	*to = unsafe.Pointer(&b[0])
	f.lend(d, b, "Pinned memory")
	return driver.Success
}

// lend lets devices access memory of the host.
func (f *Fake) lend(d *device, b []byte, what string) {
	m := &memory{address: uint64(uintptr(unsafe.Pointer(&b[0]))), size: int64(len(b)), bytes: b, owner: d, what: what}
	f.hosts = append(f.hosts, m)
	f.open(m, f.now(what+" that was made"))
}

func (f *Fake) hostFree(p unsafe.Pointer) driver.Code {
	return f.hostGone("cuMemFreeHost", p, "Pinned memory", driver.InvalidValue)
}

func (f *Fake) hostRegister(p *byte, n uint64, _ uint32) driver.Code {
	d, code := f.context("cuMemHostRegister")
	if code != 0 {
		return code
	}
	if p == nil || n == 0 {
		return f.bad(driver.InvalidValue, BadArgument, "cuMemHostRegister of no bytes")
	}
	from := uint64(uintptr(unsafe.Pointer(p)))
	for _, m := range f.hosts {
		if m.address < from+n && from < m.address+uint64(m.size) {
			return driver.AlreadyRegistered
		}
	}
	f.lend(d, unsafe.Slice(p, n), "Registered memory")
	return driver.Success
}

func (f *Fake) hostUnregister(p unsafe.Pointer) driver.Code {
	return f.hostGone("cuMemHostUnregister", p, "Registered memory", driver.NotRegistered)
}

func (f *Fake) hostGone(call string, p unsafe.Pointer, what string, missing driver.Code) driver.Code {
	if _, code := f.context(call); code != 0 {
		return code
	}
	i := slices.IndexFunc(f.hosts, func(m *memory) bool { return m.address == uint64(uintptr(p)) && m.what == what })
	if i < 0 {
		return f.bad(missing, BadArgument, "%s of memory that is no %s, or not any more", call, lower(what))
	}
	m := f.hosts[i]
	keep := slices.Clone(m.bytes)
	f.free(m, f.now(call))
	if what == "Registered memory" {
		copy(m.bytes, keep) // it is the program's
	} else if f.gone = append(f.gone, m); len(f.gone) > 256 { // kept: a new one is elsewhere
		f.gone = f.gone[1:]
	}
	f.hosts = slices.Delete(f.hosts, i, i+1)
	return driver.Success
}
