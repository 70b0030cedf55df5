package cudafake

import (
	"fmt"
	"sort"
	"unsafe"

	"ltc/backends/cuda/driver"
	"ltc/internal/diag"
)

// memory is an allocation of a device or of the host.
type memory struct {
	address uint64
	size    int64
	bytes   []byte
	device  *device // nil: the host's
	owner   *device // of the host's: in whose context it was made
	pool    *pool   // nil: of none
	what    string  // Memory of device 0
	there   bool    // what is queued before it is accessed has made it
	freed   string  // by what; empty: it is not
	written bitset
	// accesses are those that may still matter to one that comes.
	accesses []access
}

// access is when some bytes were accessed.
type access struct {
	from, to int64
	write    bool
	when     *moment
}

// poison fills memory whose contents are undefined: NaNs in f16, bf16, f32 and
// f64, and large numbers.
const poison = 0xFF

func fill(b []byte) {
	for i := range b {
		b[i] = poison
	}
}

// apart is what lies between allocations at least; addresses are multiples of it.
const apart = 1 << 20

// allocate makes an allocation that nobody can access yet.
func (f *Fake) allocate(d *device, p *pool, n int64) *memory {
	m := &memory{address: f.next, size: n, bytes: make([]byte, n), written: make(bitset, (n+63)/64), device: d, pool: p, what: fmt.Sprintf("Memory of device %d", d.ordinal)}
	f.next += (uint64(n) + 2*apart - 1) / apart * apart
	fill(m.bytes)
	f.space = append(f.space, m)
	d.used += n
	return m
}

// open lets those access it that may.
func (f *Fake) open(m *memory, when *moment) {
	m.there = true
	m.note(access{0, m.size, true, when})
	for _, d := range f.devices {
		if d.may(m) {
			d.memory.Map(m.address, m.bytes)
		}
	}
}

// free takes an allocation away.
func (f *Fake) free(m *memory, when *moment) {
	f.check(m, access{0, m.size, true, when})
	m.freed = when.what
	for _, d := range f.devices {
		if d.may(m) {
			d.memory.Unmap(m.address)
		}
	}
	fill(m.bytes)
	if m.device != nil {
		m.bytes, m.written, m.accesses = nil, nil, nil
		m.device.used -= m.size
	}
}

// may reports whether a device can access memory.
func (d *device) may(m *memory) bool {
	switch {
	case m.device == nil, m.device == d:
		return true
	case m.pool != nil:
		return m.pool.access[d]
	}
	return d.peers[m.device]
}

// admit maps memory that a device may access from now on.
func (f *Fake) admit(d *device, which func(*memory) bool) {
	for _, m := range f.space {
		if m.there && m.freed == "" && which(m) {
			d.memory.Map(m.address, m.bytes)
		}
	}
}

// at returns the allocation that an address lies in, or behind; nil if none.
func (f *Fake) at(address uint64) *memory {
	for _, list := range [][]*memory{f.hosts, f.gone} {
		for _, m := range list {
			if address-m.address < uint64(m.size) {
				return m
			}
		}
	}
	i := sort.Search(len(f.space), func(i int) bool { return f.space[i].address > address }) - 1
	if i < 0 {
		return nil
	}
	return f.space[i]
}

// whole returns the allocation that begins at an address of a device's memory.
func (f *Fake) whole(address uint64) *memory {
	if m := f.at(address); m != nil && m.address == address && m.device != nil {
		return m
	}
	return nil
}

// pinned returns the memory of the host that holds n bytes at an address; nil if
// they are any bytes of the program's.
func (f *Fake) pinned(p unsafe.Pointer, n uint64) *memory {
	m := f.at(uint64(uintptr(p)))
	if m == nil || m.device != nil || m.freed != "" || uint64(uintptr(p))-m.address+n > uint64(m.size) {
		return nil
	}
	return m
}

// bytes returns n bytes at an address, for an access by a device at some moment.
// If they are not there, that is a violation, and what a driver says to it.
func (f *Fake) bytes(d *device, address, n uint64, write bool, when *moment) ([]byte, driver.Code) {
	m := f.at(address)
	if k, text := f.wrong(d, m, address, n); text != "" {
		return nil, f.bad(driver.IllegalAddress, k, "%s accesses %s", when.what, text)
	}
	from := int64(address - m.address)
	f.check(m, access{from, from + int64(n), write, when})
	return m.bytes[from:][:n], driver.Success
}

// wrong says what is wrong about an access, if anything is.
func (f *Fake) wrong(d *device, m *memory, address, n uint64) (Kind, string) {
	switch {
	case m == nil:
		return OutOfBounds, fmt.Sprintf("%s at %#x, where there is no memory", diag.Count(n, "byte"), address)
	case address-m.address+n > uint64(m.size):
		return OutOfBounds, fmt.Sprintf("%s at %d of %s of the %s", diag.Count(n, "byte"), address-m.address, diag.Count(m.size, "byte"), lower(m.what))
	case m.freed != "":
		return UseAfterFree, fmt.Sprintf("%s at %d of %s of the %s, which were freed by %s", diag.Count(n, "byte"), address-m.address, diag.Count(m.size, "byte"), lower(m.what), m.freed)
	case !m.there:
		return Race, fmt.Sprintf("%s of the %s before what allocates it", diag.Count(n, "byte"), lower(m.what))
	case d != nil && !d.may(m):
		return OutOfBounds, fmt.Sprintf("%s of the %s, which device %d may not access", diag.Count(n, "byte"), lower(m.what), d.ordinal)
	}
	return 0, ""
}

func lower(s string) string { return string(s[0]|0x20) + s[1:] }

// check reports accesses that may happen at the same time as one, and notes it.
func (f *Fake) check(m *memory, a access) {
	for i := range m.accesses {
		o := &m.accesses[i]
		if o.from < a.to && a.from < o.to && (o.write || a.write) && !o.when.before(a.when) {
			f.violate(Race, "%s %s bytes %d to %d of the %s, and %s %s bytes %d to %d of them: nothing says which is first",
				a.when.what, a.does(), a.from, a.to, lower(m.what), o.when.what, o.does(), o.from, o.to)
			break
		}
	}
	m.note(a)
}

func (a *access) does() string {
	if a.write {
		return "writes"
	}
	return "reads"
}

// note keeps an access, and forgets those that whatever races with them races with
// it, too.
func (m *memory) note(a access) {
	kept := m.accesses[:0]
	for _, o := range m.accesses {
		covered := a.from <= o.from && o.to <= a.to && (a.write || !o.write) && o.when.before(a.when)
		if !covered {
			kept = append(kept, o)
		}
	}
	m.accesses = append(kept, a)
}
