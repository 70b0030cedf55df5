package driver

import "unsafe"

// Pool is where streams' memory comes from and returns to.
type Pool struct {
	ctx    *Context
	handle uintptr
}

// PoolUsage is what a pool has, in bytes: of the device, and of that given to
// streams; now, and at most so far.
type PoolUsage struct{ Reserved, ReservedHigh, Used, UsedHigh int64 }

// Attributes of pools, by the numbers of NVIDIA's CUmemPool_attribute.
const (
	poolThreshold = 4 + iota
	poolReserved
	poolReservedHigh
	poolUsed
	poolUsedHigh
)

// poolProps is NVIDIA's CUmemPoolProps.
type poolProps struct {
	allocType, handleTypes int32
	location               location
	_                      uintptr
	maxSize                uint64
	_                      [56]byte
}

// location is NVIDIA's CUmemLocation.
type location struct{ kind, id int32 }

// access is NVIDIA's CUmemAccessDesc.
type access struct {
	location location
	flags    int32
}

const (
	pinned    = 1 // CU_MEM_ALLOCATION_TYPE_PINNED
	onDevice  = 1 // CU_MEM_LOCATION_TYPE_DEVICE
	readWrite = 3 // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
)

// DefaultPool returns the pool of [Stream.Alloc]. It is not destroyed.
func (c *Context) DefaultPool() (*Pool, error) {
	f := newFrame()
	defer f.free()
	if err := c.entered(cuDeviceGetDefaultMemPool, f, f.result(0), uintptr(c.device.id)); err != nil {
		return nil, err
	}
	return &Pool{c, f.handle(0)}, nil
}

// NewPool makes a pool of the device's memory.
func (c *Context) NewPool() (*Pool, error) {
	f := newFrame()
	defer f.free()
	p := &poolProps{allocType: pinned, location: location{onDevice, c.device.id}}
	if err := c.entered(cuMemPoolCreate, f, f.result(0), f.pin(0, unsafe.Pointer(p))); err != nil {
		return nil, err
	}
	return &Pool{c, f.handle(0)}, nil
}

// Destroy gives a pool up. What was allocated from it stays until it is freed.
func (p *Pool) Destroy() error {
	f := newFrame()
	defer f.free()
	return p.ctx.entered(cuMemPoolDestroy, f, p.handle)
}

// Keep sets how many bytes the pool keeps when streams are synchronised and not
// all are in use. At first it keeps none.
func (p *Pool) Keep(n int64) error {
	f := newFrame()
	defer f.free()
	f.out[0] = uint64(n)
	return p.ctx.entered(cuMemPoolSetAttribute, f, p.handle, poolThreshold, f.result(0))
}

// Trim gives back what is not in use, but for n bytes.
func (p *Pool) Trim(n int64) error {
	f := newFrame()
	defer f.free()
	return p.ctx.entered(cuMemPoolTrimTo, f, p.handle, uintptr(n))
}

// Usage tells what the pool has.
func (p *Pool) Usage() (PoolUsage, error) {
	var u PoolUsage
	f := newFrame()
	defer f.free()
	for attribute, at := range map[uintptr]*int64{poolReserved: &u.Reserved, poolReservedHigh: &u.ReservedHigh, poolUsed: &u.Used, poolUsedHigh: &u.UsedHigh} {
		if err := p.ctx.entered(cuMemPoolGetAttribute, f, p.handle, attribute, f.result(0)); err != nil {
			return PoolUsage{}, err
		}
		*at = int64(f.out[0])
	}
	return u, nil
}

// Allow lets another device access what is allocated from the pool.
func (p *Pool) Allow(other *Context) error {
	f := newFrame()
	defer f.free()
	a := &access{location{onDevice, other.device.id}, readWrite}
	return p.ctx.entered(cuMemPoolSetAccess, f, p.handle, f.pin(0, unsafe.Pointer(a)), 1)
}
