package driver

// ToDevice queues a copy of the host's memory to the device's. Out of memory that
// is no [Host] it returns when it has read src, and may wait for what is queued
// before. Otherwise src must not be changed, or freed, before it is done.
func (s *Stream) ToDevice(to Ptr, src []byte) error {
	s.args[0], s.args[1], s.args[2], s.args[3] = uintptr(to), s.bytes(src), uintptr(len(src)), s.handle
	return s.call(cuMemcpyHtoDAsync, 4)
}

// ToHost queues a copy of the device's memory to the host's. Into memory that is
// no [Host] it returns when the copy is done. Otherwise dst is not to be read, or
// freed, before it is.
func (s *Stream) ToHost(dst []byte, from Ptr) error {
	s.args[0], s.args[1], s.args[2], s.args[3] = s.bytes(dst), uintptr(from), uintptr(len(dst)), s.handle
	return s.call(cuMemcpyDtoHAsync, 4)
}

// Copy queues a copy of n bytes within the device's memory; they must not overlap.
func (s *Stream) Copy(to, from Ptr, n int) error {
	s.args[0], s.args[1], s.args[2], s.args[3] = uintptr(to), uintptr(from), uintptr(n), s.handle
	return s.call(cuMemcpyDtoDAsync, 4)
}

// CopyPeer queues a copy of n bytes between two devices' memory, in the stream of
// either. It needs no [Context.EnablePeer], but is faster with it.
func (s *Stream) CopyPeer(to Ptr, in *Context, from Ptr, of *Context, n int) error {
	s.args[0], s.args[1], s.args[2], s.args[3], s.args[4], s.args[5] = uintptr(to), in.handle, uintptr(from), of.handle, uintptr(n), s.handle
	return s.call(cuMemcpyPeerAsync, 6)
}

// Fill8 queues the setting of n bytes.
func (s *Stream) Fill8(to Ptr, v uint8, n int) error {
	return s.fill(cuMemsetD8Async, to, uintptr(v), n)
}

// Fill16 queues the setting of n values of 2 bytes.
func (s *Stream) Fill16(to Ptr, v uint16, n int) error {
	return s.fill(cuMemsetD16Async, to, uintptr(v), n)
}

// Fill32 queues the setting of n values of 4 bytes.
func (s *Stream) Fill32(to Ptr, v uint32, n int) error {
	return s.fill(cuMemsetD32Async, to, uintptr(v), n)
}

func (s *Stream) fill(e entry, to Ptr, v uintptr, n int) error {
	s.args[0], s.args[1], s.args[2], s.args[3] = uintptr(to), v, uintptr(n), s.handle
	return s.call(e, 4)
}
