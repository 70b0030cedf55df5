package cudafake

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"unsafe"

	"ltc/backends/cuda/driver"
	"ltc/internal/test/ptxsim"
)

// module is a text that was loaded.
type module struct {
	device *device
	ptx    *ptxsim.Module
	gone   bool
}

func (m *module) leaked() string { return m.device.kept("modules") }

// function is a kernel of a module.
type function struct {
	module  *module
	entry   *ptxsim.Entry
	name    string
	dynamic int // how much memory of a block a launch may ask for
}

var (
	versionLine = regexp.MustCompile(`(?m)^\.version (\d+)\.(\d+)`)
	targetLine  = regexp.MustCompile(`(?m)^\.target sm_(\d+)`)
	targetAlone = regexp.MustCompile(`(?m)^\.target sm_(\d+)a`)
)

// load is cuModuleLoadDataEx.
func (f *Fake) load(to *uintptr, image *byte, n uint32, options *int32, values *uintptr) driver.Code {
	d, code := f.context("cuModuleLoadDataEx")
	if code != 0 {
		return code
	}
	text := ""
	if begins(image, elf) {
		if text, code = f.machineCode(image); code != 0 {
			return code
		}
	} else {
		text = cString(image)
		if f.o.NoJIT {
			return driver.JITDisabled
		}
	}
	m, code := f.compile(text, n, options, values)
	if code == 0 {
		*to = f.handle(&module{device: d, ptx: m})
	}
	return code
}

// compile reads a text, and says in the log that options ask for what is wrong.
func (f *Fake) compile(text string, n uint32, options *int32, values *uintptr) (*ptxsim.Module, driver.Code) {
	if f.number(versionLine, text) > f.isa() {
		return nil, driver.UnsupportedPTX
	}
	own := f.o.Major*10 + f.o.Minor
	if only := f.number(targetAlone, text); f.number(targetLine, text) > own || only != 0 && only != own {
		return nil, driver.NoBinary
	}
	m, err := ptxsim.Parse(text)
	if err == nil {
		return m, driver.Success
	}
	// The values of the two options about the log: where it goes, and its size.
	size := uintptr(0)
	for i, o := range unsafe.Slice(options, n) {
		if o == 6 {
			size = unsafe.Slice(values, n)[i]
		}
	}
	for i, o := range unsafe.Slice(options, n) {
		if o == 5 && size > 0 {
			at := unsafe.Slice((**byte)(unsafe.Pointer(values)), n)[i]
			log := unsafe.Slice(at, size)
			log[copy(log[:size-1], said(err))] = 0
		}
	}
	return nil, driver.InvalidPTX
}

// said is an error in the compiler's form.
func said(err error) string {
	var e *ptxsim.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return fmt.Sprintf("ptxas application ptx input, line %d; error   : %s\nptxas fatal   : Ptx assembly aborted due to errors", e.Line, e.Message)
}

// isa is the newest version of PTX, times ten: that of CUDA 12.n is 8.n, of 13.n
// 9.n.
func (f *Fake) isa() int { return (f.o.Version/1000-4)*10 + f.o.Version%1000/10 }

// number reads the number that a directive names, 8.3 as 83.
func (f *Fake) number(directive *regexp.Regexp, text string) int {
	m := directive.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	digits := ""
	for _, d := range m[1:] {
		digits += d
	}
	n, _ := strconv.Atoi(digits)
	return n
}

// begins reports whether what ends in a 0 begins with a string.
func begins(p *byte, with string) bool {
	for i := range len(with) {
		if *(*byte)(unsafe.Add(unsafe.Pointer(p), i)) != with[i] {
			return false
		}
	}
	return true
}

func cString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

func (f *Fake) unload(h uintptr) driver.Code {
	m, code := find[*module](f, h, "module")
	if code == 0 {
		code = f.same("cuModuleUnload", m.device, "module")
	}
	if code == 0 {
		m.gone = true
		f.handles[h] = destroyed{"cuModuleUnload"}
		for h, o := range f.handles {
			if k, is := o.(*function); is && k.module == m {
				f.handles[h] = destroyed{"cuModuleUnload"}
			}
		}
	}
	return code
}

func (f *Fake) getFunction(to *uintptr, h uintptr, name *byte) driver.Code {
	m, code := find[*module](f, h, "module")
	if code != 0 {
		return code
	}
	e, err := m.ptx.Entry(cString(name))
	if err != nil {
		return driver.NotFound
	}
	*to = f.handle(&function{module: m, entry: e, name: cString(name), dynamic: shared})
	return driver.Success
}

// getGlobal finds nothing: the interpreter has no variables of modules.
func (f *Fake) getGlobal(_ *uint64, _ *uint64, h uintptr, name *byte) driver.Code {
	if _, code := find[*module](f, h, "module"); code != 0 {
		return code
	}
	return driver.NotFound
}

func (f *Fake) setFunction(h uintptr, attribute, value int32) driver.Code {
	k, code := find[*function](f, h, "function")
	switch {
	case code != 0:
		return code
	case attribute != 8 || value < 0 || int(value) > f.attributes()[97]:
		return driver.InvalidValue
	}
	k.dynamic = int(value)
	return driver.Success
}

// threads is how many a block may have.
func (k *function) threads() int {
	if k.entry.Threads > 0 {
		return k.entry.Threads
	}
	return 1024
}

// functionAttribute tells what the interpreter does not know: 32 registers, no
// memory.
func (f *Fake) functionAttribute(to *int32, attribute int32, h uintptr) driver.Code {
	k, code := find[*function](f, h, "function")
	if code == 0 {
		*to = map[int32]int32{0: int32(k.threads()), 4: 32}[attribute]
	}
	return code
}

func (f *Fake) occupancy(to *int32, h uintptr, threads int32, shared uint64) driver.Code {
	_, code := find[*function](f, h, "function")
	if code == 0 && threads > 0 {
		*to = min(32, 2048/threads)
		if shared > 0 {
			*to = min(*to, int32(228<<10/shared))
		}
	}
	return code
}
