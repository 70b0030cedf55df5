package cudafake

import (
	"unsafe"

	"ltc/backends/cuda/driver"
	"ltc/internal/test/ptxsim"
)

// device is a device and its context.
type device struct {
	handle   uintptr // of the context
	ordinal  int
	retained int
	memory   ptxsim.Memory
	used     int64
	lost     driver.Code
	peers    map[*device]bool
	pool     *pool
}

func (d *device) leaked() string {
	if d.retained > 0 {
		return d.kept("contexts")
	}
	return ""
}

// kept names things of a device that are to be destroyed: none once it is lost.
func (d *device) kept(what string) string {
	if d != nil && d.lost != 0 {
		return ""
	}
	return what
}

// handle makes a handle of something.
func (f *Fake) handle(of any) uintptr {
	f.last += 0x10
	f.handles[0x51AB_0000_0000+f.last] = of
	return 0x51AB_0000_0000 + f.last
}

// destroyed is what a handle leads to after it was destroyed.
type destroyed struct{ what string }

// find returns what a handle stands for.
func find[T any](f *Fake, h uintptr, what string) (T, driver.Code) {
	var none T
	switch o := f.handles[h].(type) {
	case T:
		return o, driver.Success
	case destroyed:
		return none, f.bad(driver.InvalidHandle, UseAfterFree, "a %s that %s destroyed", what, o.what)
	default:
		return none, f.bad(driver.InvalidHandle, BadHandle, "%#x is no %s", h, what)
	}
}

// top returns the device whose context is current to the calling thread.
func (f *Fake) top() *device {
	s := f.current[thread()]
	if len(s) == 0 {
		return nil
	}
	return s[len(s)-1]
}

// context returns the device whose context a call is made in.
func (f *Fake) context(call string) (*device, driver.Code) {
	d := f.top()
	if d == nil {
		return nil, f.bad(driver.InvalidContext, WrongContext, "%s on a thread that no context is current to", call)
	}
	return d, d.lost
}

// same reports a call about something of another device than the current one.
func (f *Fake) same(call string, d *device, what string) driver.Code {
	now, code := f.context(call)
	switch {
	case code != 0:
		return code
	case now != d:
		return f.bad(driver.InvalidHandle, WrongContext, "%s: a %s of device %d in the context of device %d", call, what, d.ordinal, now.ordinal)
	}
	return d.lost
}

// lose loses a context: what is queued in it is dropped.
func (f *Fake) lose(d *device, code driver.Code) {
	if d.lost == 0 {
		d.lost = code
	}
	for _, s := range f.streams {
		if s.device == d {
			for _, o := range s.queue {
				o.done = true
			}
			s.queue = nil
		}
	}
}

func (f *Fake) init(uint32) driver.Code {
	if len(f.devices) == 0 {
		return driver.NoDevice
	}
	return driver.Success
}

func (f *Fake) driverVersion(to *int32) driver.Code {
	*to = int32(f.o.Version)
	return driver.Success
}

// texts are the strings that codes are called by; C's callers keep their address.
var texts = map[driver.Code][]byte{}

func (f *Fake) errorName(code int32, to *unsafe.Pointer) driver.Code {
	c := driver.Code(code)
	if c.Name() == "" {
		return driver.InvalidValue
	}
	if texts[c] == nil {
		texts[c] = append([]byte(c.Name()), 0)
	}
	*to = unsafe.Pointer(&texts[c][0])
	return driver.Success
}

func (f *Fake) device(i int32) (*device, driver.Code) {
	if i < 0 || int(i) >= len(f.devices) {
		return nil, driver.InvalidDevice
	}
	return f.devices[i], driver.Success
}

func (f *Fake) deviceGet(to *int32, ordinal int32) driver.Code {
	*to = ordinal
	_, code := f.device(ordinal)
	return code
}

func (f *Fake) deviceCount(to *int32) driver.Code {
	*to = int32(len(f.devices))
	return driver.Success
}

func (f *Fake) deviceName(to *byte, n, device int32) driver.Code {
	_, code := f.device(device)
	if code == 0 {
		b := unsafe.Slice(to, n)
		b[copy(b[:n-1], "ltc fake")] = 0
	}
	return code
}

func (f *Fake) deviceUUID(to *[16]byte, device int32) driver.Code {
	_, code := f.device(device)
	*to = [16]byte{0xFA, 15: byte(device)}
	return code
}

func (f *Fake) deviceMemory(to *uint64, device int32) driver.Code {
	_, code := f.device(device)
	*to = uint64(f.o.Memory)
	return code
}

// shared is how much memory a block has that asks for none.
const shared = 48 << 10

// attributes are those of a Hopper, but for how many multiprocessors it has, and, of
// older ones, how much memory blocks share and may ask for.
func (f *Fake) attributes() map[int32]int {
	hopper := f.o.Major >= 9
	yes := map[bool]int{true: 1}
	sharedTotal, sharedOptIn := 228<<10, 227<<10
	switch {
	case f.o.Major == 8 && f.o.Minor == 0:
		sharedTotal, sharedOptIn = 164<<10, 163<<10
	case f.o.Major == 8:
		sharedTotal, sharedOptIn = 100<<10, 99<<10
	}
	return map[int32]int{1: 1024, 8: shared, 10: 32, 12: 65536, 13: 1_980_000, 16: f.o.Processors, 32: 1, 36: 3_201_000, 37: 6144, 38: 60 << 20, 39: 2048, 40: 3, 41: 1,
		75: f.o.Major, 76: f.o.Minor, 81: sharedTotal, 97: sharedOptIn, 106: 32, 115: 1, 120: yes[hopper], 127: yes[hopper]}
}

func (f *Fake) deviceAttribute(to *int32, attribute, device int32) driver.Code {
	_, code := f.device(device)
	*to = int32(f.attributes()[attribute])
	if attribute == 33 { // the PCI bus
		*to = device + 1
	}
	return code
}

func (f *Fake) canAccessPeer(to *int32, device, peer int32) driver.Code {
	*to = 0
	if device != peer && !f.o.NoPeers {
		*to = 1
	}
	if _, code := f.device(device); code != 0 {
		return code
	}
	_, code := f.device(peer)
	return code
}

func (f *Fake) retain(to *uintptr, device int32) driver.Code {
	d, code := f.device(device)
	if code == 0 {
		code = d.lost
	}
	if code == 0 {
		d.retained++
		*to = d.handle
	}
	return code
}

func (f *Fake) release(device int32) driver.Code {
	d, code := f.device(device)
	if code == 0 && d.retained == 0 {
		return f.bad(driver.InvalidContext, UseAfterFree, "the context of device %d is released once more than it was retained", device)
	}
	if code == 0 {
		d.retained--
	}
	return code
}

func (f *Fake) push(h uintptr) driver.Code {
	d, code := find[*device](f, h, "context")
	if code == 0 && d.retained == 0 {
		return f.bad(driver.ContextDestroyed, UseAfterFree, "the context of device %d is used and not retained", d.ordinal)
	}
	if code == 0 {
		t := thread()
		f.current[t] = append(f.current[t], d)
	}
	return code
}

func (f *Fake) pop(to *uintptr) driver.Code {
	t := thread()
	s := f.current[t]
	if len(s) == 0 {
		return f.bad(driver.InvalidContext, WrongContext, "a context is popped on a thread that none is current to")
	}
	*to = s[len(s)-1].handle
	if f.current[t] = s[:len(s)-1]; len(s) == 1 {
		delete(f.current, t)
	}
	return driver.Success
}

func (f *Fake) priorities(least, greatest *int32) driver.Code {
	_, code := f.context("cuCtxGetStreamPriorityRange")
	*least, *greatest = 0, -5
	return code
}

func (f *Fake) enablePeer(h uintptr, flags uint32) driver.Code {
	d, code := f.context("cuCtxEnablePeerAccess")
	if code != 0 {
		return code
	}
	peer, code := find[*device](f, h, "context")
	switch {
	case code != 0:
		return code
	case f.o.NoPeers || peer == d:
		return driver.PeerUnsupported
	case d.peers[peer]:
		return driver.PeerAlreadyEnabled
	}
	d.peers[peer] = true
	f.admit(d, func(m *memory) bool { return m.device == peer && m.pool == nil })
	return driver.Success
}
