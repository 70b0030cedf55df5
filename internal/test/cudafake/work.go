package cudafake

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"ltc/backends/cuda/driver"
	"ltc/internal/diag"
	"ltc/internal/test/ptxsim"
)

// work is what a node of a graph, or something queued, does.
type work struct {
	kind driver.NodeKind
	call string
	// A kernel:
	fn          *function
	grid, block [3]int
	shared      int
	args        []uint64
	product     *product // or one of these
	// A copy or a fill of bytes at addresses:
	to, from uint64
	in, of   *device // whose they are; nil: the host's, or the stream's
	n        uint64
	staged   []byte // what is copied, if it was read already
	pattern  []byte // what is filled with
	// A call of the host:
	hostFn, hostArg uintptr
}

func (w *work) String() string {
	if w.fn != nil {
		return "kernel " + w.fn.name
	}
	return w.call
}

// perform does some work at its moment.
func (f *Fake) perform(d *device, w *work, when *moment) driver.Code {
	if w.product != nil {
		return f.multiply(d, w.product, when)
	}
	switch w.kind {
	case driver.KernelNode:
		return f.kernel(d, w, when)
	case driver.HostNode:
		f.hosting.Store(int64(thread()))
		defer f.hosting.Store(0)
		purego.SyscallN(w.hostFn, w.hostArg)
		return driver.Success
	case driver.FillNode:
		to, code := f.bytes(d, w.to, w.n, true, when)
		for i := range to {
			to[i] = w.pattern[i%len(w.pattern)]
		}
		if code == 0 {
			m := f.at(w.to)
			f.copied(m, int64(w.to-m.address), nil, 0, int64(w.n), when)
		}
		return code
	}
	var source *memory
	from := w.staged
	if from == nil {
		var code driver.Code
		if from, code = f.bytes(nil, w.from, w.n, false, when); code != 0 {
			return code
		}
		source = f.at(w.from)
	}
	to, code := f.bytes(nil, w.to, w.n, true, when)
	if code != 0 {
		return code
	}
	copy(to, from)
	m, off := f.at(w.to), int64(0)
	if source != nil {
		off = int64(w.from - source.address)
	}
	f.copied(m, int64(w.to-m.address), source, off, int64(w.n), when)
	return driver.Success
}

// kernel runs a kernel.
func (f *Fake) kernel(d *device, w *work, when *moment) driver.Code {
	if w.fn.module.gone {
		return f.bad(driver.IllegalInstruction, UseAfterFree, "%s runs after its module was unloaded", when.what)
	}
	var seen []ptxsim.Access
	_, err := w.fn.entry.Run(&d.memory, ptxsim.Launch{Grid: w.grid, Block: w.block, Shared: w.shared, Args: w.args, Steps: 1 << 30,
		Accessed: func(a ptxsim.Access) { seen = append(seen, a) }})
	if err != nil {
		return f.fault(d, err, when)
	}
	for _, a := range seen {
		if m := f.at(a.Address); m != nil {
			from := int64(a.Address - m.address)
			f.check(m, access{from, from + int64(a.Bytes), a.Write, when})
			if !a.Write {
				f.expect(m, from, from+int64(a.Bytes), when)
			} else if m.written != nil {
				m.written.add(from, from+int64(a.Bytes))
			}
		}
	}
	return driver.Success
}

// fault reports what the interpreter does, and says what a driver would.
func (f *Fake) fault(d *device, err error, when *moment) driver.Code {
	var in *ptxsim.Fault
	if !errors.As(err, &in) || in.Access == nil {
		return f.bad(driver.LaunchFailed, KernelFault, "%s: %v", when.what, err)
	}
	a := in.Access
	k, text := f.wrong(d, f.at(a.Address), a.Address, uint64(a.Bytes))
	if text == "" {
		k, text = KernelFault, in.Reason
	}
	f.violate(k, "%s: thread %d of block %d accesses %s, at line %d: %s", when.what, in.Thread, in.Block, text, in.Line, in.Instr)
	if a.Misaligned {
		return driver.MisalignedAddress
	}
	return driver.IllegalAddress
}

// copyIn is cuMemcpyHtoDAsync. What is not pinned is read at once.
func (f *Fake) copyIn(to uint64, from unsafe.Pointer, n uint64, h uintptr) driver.Code {
	w := &work{kind: driver.CopyNode, to: to, from: uint64(uintptr(from)), n: n}
	if n > 0 && f.pinned(from, n) == nil {
		if code := f.pageable("cuMemcpyHtoDAsync", h); code != 0 {
			return code
		}
		w.staged = slices.Clone(unsafe.Slice((*byte)(from), n))
	}
	return f.copy("cuMemcpyHtoDAsync", h, w)
}

// copyOut is cuMemcpyDtoHAsync. To what is not pinned it waits.
func (f *Fake) copyOut(to unsafe.Pointer, from, n uint64, h uintptr) driver.Code {
	if n == 0 || f.pinned(to, n) != nil {
		return f.copy("cuMemcpyDtoHAsync", h, &work{kind: driver.CopyNode, to: uint64(uintptr(to)), from: from, n: n})
	}
	s, code := f.stream("cuMemcpyDtoHAsync", h)
	if code == 0 {
		code = f.pageable("cuMemcpyDtoHAsync", h)
	}
	if code != 0 {
		return code
	}
	f.wait(f.enqueue(s, "cuMemcpyDtoHAsync", true, func(o *op) driver.Code {
		b, code := f.bytes(nil, from, n, false, &o.moment)
		copy(unsafe.Slice((*byte)(to), n), b)
		if m := f.at(from); code == 0 {
			f.expect(m, int64(from-m.address), int64(from-m.address+n), &o.moment)
		}
		return code
	}))
	return s.device.lost
}

// pageable refuses copies of memory that is not pinned while they are captured.
func (f *Fake) pageable(call string, h uintptr) driver.Code {
	if s, code := f.stream(call, h); code != 0 || s.capture == nil {
		return code
	}
	return f.bad(driver.CaptureUnsupported, BadArgument, "%s of memory that is not pinned is captured", call)
}

func (f *Fake) copyWithin(to, from, n uint64, h uintptr) driver.Code {
	return f.copy("cuMemcpyDtoDAsync", h, &work{kind: driver.CopyNode, to: to, from: from, n: n})
}

func (f *Fake) copyPeer(to uint64, in uintptr, from uint64, of uintptr, n uint64, h uintptr) driver.Code {
	w := &work{kind: driver.CopyNode, to: to, from: from, n: n}
	for _, side := range []struct {
		device  **device
		handle  uintptr
		address uint64
	}{{&w.in, in, to}, {&w.of, of, from}} {
		d, code := find[*device](f, side.handle, "context")
		if code != 0 {
			return code
		}
		if m := f.at(side.address); m != nil && m.device != d {
			return f.bad(driver.InvalidValue, WrongContext, "cuMemcpyPeerAsync of the %s with the context of device %d", lower(m.what), d.ordinal)
		}
		*side.device = d
	}
	return f.copy("cuMemcpyPeerAsync", h, w)
}

func (f *Fake) copy(call string, h uintptr, w *work) driver.Code {
	if w.n == 0 {
		_, code := f.stream(call, h)
		return code
	}
	return f.queue(call, h, w)
}

func (f *Fake) fill8(to uint64, v uint8, n uint64, h uintptr) driver.Code {
	return f.fillWith("cuMemsetD8Async", to, []byte{v}, n, h)
}

func (f *Fake) fill16(to uint64, v uint16, n uint64, h uintptr) driver.Code {
	return f.fillWith("cuMemsetD16Async", to, []byte{byte(v), byte(v >> 8)}, n, h)
}

func (f *Fake) fill32(to uint64, v uint32, n uint64, h uintptr) driver.Code {
	return f.fillWith("cuMemsetD32Async", to, []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}, n, h)
}

func (f *Fake) fillWith(call string, to uint64, pattern []byte, n uint64, h uintptr) driver.Code {
	if to%uint64(len(pattern)) != 0 {
		return f.bad(driver.InvalidValue, BadArgument, "%s at an address that is no multiple of %d", call, len(pattern))
	}
	return f.copy(call, h, &work{kind: driver.FillNode, to: to, n: n * uint64(len(pattern)), pattern: pattern})
}

// launch reads the arguments of a launch and checks its sizes.
func (f *Fake) launch(call string, fn uintptr, grid, block [3]uint32, shared uint32, params *unsafe.Pointer) (*work, driver.Code) {
	k, code := find[*function](f, fn, "function")
	if code == 0 {
		code = f.same(call, k.module.device, "function")
	}
	if code != 0 {
		return nil, code
	}
	w := &work{kind: driver.KernelNode, call: call, fn: k, shared: int(shared)}
	var wrong []string
	for i, most := range [3][2]uint32{{1<<31 - 1, 1024}, {65535, 1024}, {65535, 64}} {
		w.grid[i], w.block[i] = int(grid[i]), int(block[i])
		if grid[i] < 1 || grid[i] > most[0] || block[i] < 1 || block[i] > most[1] {
			wrong = append(wrong, fmt.Sprintf("a grid of %v blocks of %v threads", grid, block))
		}
	}
	if w.block[0]*w.block[1]*w.block[2] > k.threads() {
		wrong = append(wrong, fmt.Sprintf("blocks of %v threads: %d is the most", block, k.threads()))
	}
	if w.shared > k.dynamic {
		wrong = append(wrong, fmt.Sprintf("%s of a block's memory, and the kernel is allowed %d", diag.Count(shared, "byte"), k.dynamic))
	}
	if len(k.entry.Params) > 0 && params == nil {
		wrong = append(wrong, fmt.Sprintf("no arguments for %s", diag.Count(len(k.entry.Params), "parameter")))
	}
	if len(wrong) > 0 {
		return nil, f.bad(driver.InvalidValue, BadArgument, "%s of %s: %s", call, k.name, strings.Join(wrong, "; "))
	}
	for i, p := range unsafe.Slice(params, len(k.entry.Params)) {
		w.args = append(w.args, unsafe.Slice((*uint64)(p), k.entry.Params[i]/8)...)
	}
	return w, driver.Success
}

func (f *Fake) launchKernel(fn uintptr, gx, gy, gz, bx, by, bz, shared uint32, h uintptr, params *unsafe.Pointer, extra unsafe.Pointer) driver.Code {
	w, code := f.launch("cuLaunchKernel", fn, [3]uint32{gx, gy, gz}, [3]uint32{bx, by, bz}, shared, params)
	if code != 0 {
		return code
	}
	return f.queue("cuLaunchKernel", h, w)
}

// config is NVIDIA's CUlaunchConfig.
type config struct {
	grid, block [3]uint32
	shared      uint32
	stream      uintptr
	attributes  *attribute
	n           uint32
}

// attribute is NVIDIA's CUlaunchAttribute.
type attribute struct {
	id    uint32
	_     uint32
	value [16]uint32
}

func (f *Fake) launchConfigured(c *config, fn uintptr, params *unsafe.Pointer, extra unsafe.Pointer) driver.Code {
	w, code := f.launch("cuLaunchKernelEx", fn, c.grid, c.block, c.shared, params)
	if code != 0 {
		return code
	}
	for _, a := range unsafe.Slice(c.attributes, c.n) {
		if a.id != 4 || a.value[0]*a.value[1]*a.value[2] != 1 {
			return driver.NotSupported
		}
	}
	return f.queue("cuLaunchKernelEx", c.stream, w)
}
