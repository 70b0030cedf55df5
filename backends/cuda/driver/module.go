package driver

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"unsafe"
)

// Module is code for the device.
type Module struct {
	ctx    *Context
	handle uintptr
}

// Options of the compiler in the driver, by the numbers of NVIDIA's CUjit_option.
const (
	jitErrorLog     = 5
	jitErrorLogSize = 6
)

// logSize is how much of what the compiler says is kept.
const logSize = 8 << 10

// jit is what the compiler is given, and where it says what is wrong.
type jit struct {
	options [2]int32
	values  [2]uintptr
	log     [logSize]byte
}

func newJIT() *jit {
	j := &jit{options: [2]int32{jitErrorLog, jitErrorLogSize}}
	j.values = [2]uintptr{uintptr(unsafe.Pointer(&j.log)), logSize}
	return j
}

// number is how many options there are.
func (j *jit) number() uintptr { return uintptr(len(j.options)) }

// failed is the error of a call that compiles an image.
func (j *jit) failed(c *Context, e entry, code Code, image []byte) error {
	err := c.fail(e, code, "a module for "+c.device.props.Target()+" on a driver for CUDA "+dotted(c.driver.version))
	said, _, _ := bytes.Cut(j.log[:], []byte{0})
	if e, ok := err.(*Error); ok {
		e.Log = explained(strings.TrimSpace(string(said)), image)
	}
	return err
}

// Load compiles PTX text, or takes machine code (a cubin), for the device. The
// error of a text that the driver rejects has the compiler's log, and the lines of
// the text that it speaks of.
func (c *Context) Load(image []byte) (*Module, error) {
	f := newFrame()
	defer f.free()
	if err := c.Enter(); err != nil {
		return nil, err
	}
	defer c.Leave()
	ended, j := append(bytes.Clone(image), 0), newJIT() // texts end in 0
	code := c.driver.set(cuModuleLoadDataEx, f, f.result(0), f.pin(0, unsafe.Pointer(&ended[0])), j.number(),
		f.pin(1, unsafe.Pointer(j)), uintptr(unsafe.Pointer(&j.values)))
	runtime.KeepAlive(j)
	if code == Success {
		return &Module{c, f.handle(0)}, nil
	}
	return nil, j.failed(c, cuModuleLoadDataEx, code, image)
}

// linkPTX is NVIDIA's CU_JIT_INPUT_PTX.
const linkPTX = 1

// Assemble compiles PTX text to machine code (a cubin) for the device, which
// [Context.Load] takes without compiling: also in another process, on a GPU of this
// kind. An error is as that of Load.
func (c *Context) Assemble(text []byte) (cubin []byte, err error) {
	f := newFrame()
	defer f.free()
	if err := c.Enter(); err != nil {
		return nil, err
	}
	defer c.Leave()
	ended, j := append(bytes.Clone(text), 0), newJIT()
	defer runtime.KeepAlive(j) // the linker writes there until it is destroyed
	at := f.pin(0, unsafe.Pointer(j))
	if code := c.driver.set(cuLinkCreate, f, j.number(), at, uintptr(unsafe.Pointer(&j.values)), f.result(0)); code != Success {
		return nil, j.failed(c, cuLinkCreate, code, text)
	}
	linker := f.handle(0)
	defer func() {
		if code := c.driver.set(cuLinkDestroy, f, linker); code != Success && err == nil {
			cubin, err = nil, c.fail(cuLinkDestroy, code, "")
		}
	}()
	if code := c.driver.set(cuLinkAddData, f, linker, linkPTX, f.pin(1, unsafe.Pointer(&ended[0])), uintptr(len(ended)), 0, 0, 0, 0); code != Success {
		return nil, j.failed(c, cuLinkAddData, code, text)
	}
	if code := c.driver.set(cuLinkComplete, f, linker, uintptr(unsafe.Pointer(&f.ptr)), f.result(1)); code != Success {
		return nil, j.failed(c, cuLinkComplete, code, text)
	}
	return bytes.Clone(unsafe.Slice((*byte)(f.ptr), f.out[1])), nil // it is the linker's
}

var inputLine = regexp.MustCompile(`(?i)\bline (\d+)`)

// explained adds the lines of a text to the lines of a log that name them.
func explained(log string, text []byte) string {
	if log == "" || bytes.HasPrefix(text, []byte("\x7fELF")) {
		return log
	}
	lines := strings.Split(string(text), "\n")
	var b strings.Builder
	for i, said := range strings.Split(log, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(said)
		if m := inputLine.FindStringSubmatch(said); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil && n >= 1 && n <= len(lines) {
				fmt.Fprintf(&b, "\n\t%d | %s", n, strings.TrimSpace(lines[n-1]))
			}
		}
	}
	return b.String()
}

// Unload gives the module up with all of its functions, none of which may be
// queued any more.
func (m *Module) Unload() error {
	f := newFrame()
	defer f.free()
	return m.ctx.entered(cuModuleUnload, f, m.handle)
}

// Global returns where a variable of the module is, and how many bytes it has. An
// error may wrap [NotFound].
func (m *Module) Global(name string) (Ptr, int, error) {
	f := newFrame()
	defer f.free()
	err := m.ctx.entered(cuModuleGetGlobal, f, f.result(0), f.result(1), m.handle, f.text(0, name))
	return Ptr(f.out[0]), int(f.out[1]), err
}

// Function is a kernel. It lasts as long as its module.
type Function struct {
	ctx    *Context
	handle uintptr
	name   string
}

// Function finds a kernel. An error may wrap [NotFound].
func (m *Module) Function(name string) (*Function, error) {
	f := newFrame()
	defer f.free()
	if err := m.ctx.entered(cuModuleGetFunction, f, f.result(0), m.handle, f.text(0, name)); err != nil {
		if e, ok := err.(*Error); ok {
			e.What = name
		}
		return nil, err
	}
	return &Function{m.ctx, f.handle(0), name}, nil
}

// Attributes of kernels, by the numbers of NVIDIA's CUfunction_attribute.
const (
	functionThreads   = 0
	functionShared    = 1
	functionLocal     = 3
	functionRegisters = 4
	functionDynamic   = 8
)

// Usage is what a kernel takes.
type Usage struct {
	Threads   int // at most, in a block
	Shared    int // bytes of a block's memory, besides what a launch asks for
	Local     int // bytes of a thread that are not in registers
	Registers int // of a thread
}

// Usage tells what the kernel takes.
func (k *Function) Usage() (Usage, error) {
	var u Usage
	f := newFrame()
	defer f.free()
	for attribute, at := range map[uintptr]*int{functionThreads: &u.Threads, functionShared: &u.Shared, functionLocal: &u.Local, functionRegisters: &u.Registers} {
		if err := k.ctx.entered(cuFuncGetAttribute, f, f.result(0), attribute, k.handle); err != nil {
			return Usage{}, err
		}
		*at = f.int(0)
	}
	return u, nil
}

// AllowShared lets launches ask for up to n bytes of a block's memory; without it
// for [Properties.SharedBlock].
func (k *Function) AllowShared(n int) error {
	f := newFrame()
	defer f.free()
	return k.ctx.entered(cuFuncSetAttribute, f, k.handle, functionDynamic, uintptr(n))
}

// Occupancy returns how many blocks of so many threads, with so much memory, run
// on a multiprocessor at the same time.
func (k *Function) Occupancy(threads, shared int) (int, error) {
	f := newFrame()
	defer f.free()
	err := k.ctx.entered(cuOccupancyMaxActiveBlocks, f, f.result(0), k.handle, uintptr(threads), uintptr(shared))
	return f.int(0), err
}
