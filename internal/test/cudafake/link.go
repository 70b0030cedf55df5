package cudafake

import (
	"encoding/binary"
	"strings"
	"unsafe"

	"ltc/backends/cuda/driver"
)

// linker makes machine code. That of a fake is the text behind a head like that of an
// ELF file, which says for which GPUs it is, as NVIDIA's is for one generation.
type linker struct {
	device  *device
	n       uint32
	options *int32
	values  *uintptr
	text    string
	code    []byte
}

func (l *linker) leaked() string { return l.device.kept("linkers") }

// Of machine code: how it begins, then the GPU's number as in sm_90, the size of the
// text, and the text.
const (
	elf     = "\x7fELF"
	elfHead = len(elf) + 2 + 4
)

// machineCode returns the text of machine code that runs on the fake's GPUs: those of
// the generation that it was made for, and not before it.
func (f *Fake) machineCode(image *byte) (string, driver.Code) {
	of, own := int(binary.LittleEndian.Uint16(unsafe.Slice(image, elfHead-4)[len(elf):])), f.o.Major*10+f.o.Minor
	if of/10 != own/10 || of > own {
		return "", driver.NoBinary
	}
	size := binary.LittleEndian.Uint32(unsafe.Slice(image, elfHead)[elfHead-4:])
	return string(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(image), elfHead)), size)), driver.Success
}

func (f *Fake) newLinker(n uint32, options *int32, values *uintptr, to *uintptr) driver.Code {
	d, code := f.context("cuLinkCreate")
	if code == 0 {
		*to = f.handle(&linker{device: d, n: n, options: options, values: values})
	}
	return code
}

// addData is cuLinkAddData of a PTX text, whose size counts the 0 that ends it.
func (f *Fake) addData(h uintptr, kind int32, data *byte, size uint64, _ *byte, _ uint32, _ *int32, _ *uintptr) driver.Code {
	l, code := find[*linker](f, h, "linker")
	if code != 0 {
		return code
	}
	text := cString(data)
	if kind != 1 || l.text != "" || uint64(len(text))+1 != size {
		return driver.InvalidValue
	}
	if strings.Contains(text, "\n.target sm_90a\n") {
		panic("cudafake: cuLinkAddData of a module for sm_90a: relocatable code ignores setmaxnreg and waits for every wgmma")
	}
	if _, code = f.compile(text, l.n, l.options, l.values); code == 0 {
		l.text = text
	}
	return code
}

func (f *Fake) completeLinker(h uintptr, to *unsafe.Pointer, size *uint64) driver.Code {
	l, code := find[*linker](f, h, "linker")
	if code != 0 {
		return code
	}
	if l.text == "" {
		return driver.InvalidValue
	}
	l.code = binary.LittleEndian.AppendUint16([]byte(elf), uint16(f.o.Major*10+f.o.Minor))
	l.code = binary.LittleEndian.AppendUint32(l.code, uint32(len(l.text)))
	l.code = append(l.code, l.text...)
	*to, *size = unsafe.Pointer(unsafe.SliceData(l.code)), uint64(len(l.code))
	return code
}

// destroyLinker takes the machine code with it: who kept its address reads what is
// poisoned.
func (f *Fake) destroyLinker(h uintptr) driver.Code {
	l, code := find[*linker](f, h, "linker")
	if code == 0 {
		for i := range l.code {
			l.code[i] = 0xA5
		}
		f.handles[h] = destroyed{"cuLinkDestroy"}
	}
	return code
}
