package cudafake

import (
	"unsafe"

	"ltc/backends/cuda/driver"
)

// pool is where memory in the order of streams comes from.
type pool struct {
	handle         uintptr
	device         *device
	access         map[*device]bool
	standard       bool
	keep           uint64
	used, usedHigh int64
	reserved       int64
	reservedHigh   int64
}

func (p *pool) leaked() string {
	if p.standard {
		return ""
	}
	return p.device.kept("pools")
}

// pools gives back what the device's pools do not keep, as synchronising does.
func (d *device) pools(f *Fake) {
	for _, h := range f.handles {
		if p, is := h.(*pool); is && p.device == d {
			p.trim(int64(min(p.keep, 1<<62)))
		}
	}
}

func (p *pool) trim(keep int64) { p.reserved = max(p.used, min(p.reserved, keep)) }

func (f *Fake) defaultPool(to *uintptr, device int32) driver.Code {
	d, code := f.device(device)
	if code == 0 {
		*to = d.pool.handle
	}
	return code
}

// poolProps is the beginning of NVIDIA's CUmemPoolProps.
type poolProps struct{ allocation, handles, location, id int32 }

func (f *Fake) newPool(to *uintptr, props *poolProps) driver.Code {
	d, code := f.device(props.id)
	switch {
	case code != 0:
		return code
	case props.allocation != 1 || props.location != 1:
		return driver.InvalidValue
	}
	p := &pool{device: d, access: map[*device]bool{}}
	p.handle = f.handle(p)
	*to = p.handle
	return driver.Success
}

func (f *Fake) destroyPool(h uintptr) driver.Code {
	p, code := find[*pool](f, h, "pool")
	switch {
	case code != 0:
		return code
	case p.standard:
		return driver.InvalidValue
	}
	f.handles[h] = destroyed{"cuMemPoolDestroy"}
	return driver.Success
}

func (f *Fake) setPool(h uintptr, attribute int32, value unsafe.Pointer) driver.Code {
	p, code := find[*pool](f, h, "pool")
	switch {
	case code != 0:
		return code
	case attribute != 4:
		return driver.InvalidValue
	}
	p.keep = *(*uint64)(value)
	return driver.Success
}

func (f *Fake) getPool(h uintptr, attribute int32, value unsafe.Pointer) driver.Code {
	p, code := find[*pool](f, h, "pool")
	if code != 0 {
		return code
	}
	v, known := map[int32]uint64{4: p.keep, 5: uint64(p.reserved), 6: uint64(p.reservedHigh), 7: uint64(p.used), 8: uint64(p.usedHigh)}[attribute]
	if !known {
		return driver.InvalidValue
	}
	*(*uint64)(value) = v
	return driver.Success
}

func (f *Fake) trimPool(h uintptr, keep uint64) driver.Code {
	p, code := find[*pool](f, h, "pool")
	if code == 0 {
		p.trim(int64(keep))
	}
	return code
}

// poolAccess is NVIDIA's CUmemAccessDesc.
type poolAccess struct{ location, id, flags int32 }

func (f *Fake) allowPool(h uintptr, list *poolAccess, n uint64) driver.Code {
	p, code := find[*pool](f, h, "pool")
	if code != 0 {
		return code
	}
	for _, a := range unsafe.Slice(list, n) {
		d, code := f.device(a.id)
		switch {
		case code != 0:
			return code
		case a.flags != 3 || f.o.NoPeers && d != p.device:
			return driver.InvalidValue
		}
		if d != p.device && !p.access[d] {
			p.access[d] = true
			f.admit(d, func(m *memory) bool { return m.pool == p })
		}
	}
	return driver.Success
}
