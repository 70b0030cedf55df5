package native

import (
	"debug/elf"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"
)

// Image is a loaded object: its code and constants in memory that can be run
// and read but not written. Any number of goroutines may use it.
type Image struct {
	mem     *span // off the Go heap
	kernels map[string]uintptr
	closed  atomic.Bool
	cleanup runtime.Cleanup
}

// Load maps an object that was compiled for this machine. It keeps nothing of
// the object's bytes. An object that is damaged, for another machine or in need
// of something from outside is an error; so is a system that forbids executable
// memory, with [ErrNoExec], or that has none left, with [ErrExhausted].
//
// The image's memory is given back by [Image.Close], or some time after neither
// the image nor a [Kernel] of it can be reached.
func Load(file []byte) (*Image, error) {
	if hostMachine == elf.EM_NONE {
		return nil, fmt.Errorf("native: %w", ErrUnavailable)
	}
	o, err := parse(file)
	if err != nil {
		return nil, fmt.Errorf("native: load object: %w", err)
	}
	if o.machine != hostMachine {
		return nil, fmt.Errorf("native: load object: it is for %v, this machine is %v", o.machine, hostMachine)
	}
	im, err := load(o)
	if err != nil {
		return nil, fmt.Errorf("native: load object: %w", err)
	}
	return im, nil
}

// load brings o into the arena.
func load(o *object) (*Image, error) {
	l, err := arrange(o, uint64(pageSize))
	if err != nil {
		return nil, err
	}
	if l.code == 0 {
		return nil, fmt.Errorf("it has no code")
	}
	mem, err := images.take(int(l.code), int(l.size-l.code))
	if err != nil {
		return nil, err
	}
	code, rest := blockOf(mem.code), blockOf(mem.rest)
	if err := l.relocate(code, rest); err != nil {
		images.give(mem)
		return nil, err
	}
	if err := seal(mem.code, mem.rest); err != nil {
		images.give(mem)
		return nil, err
	}
	im := &Image{mem: mem, kernels: map[string]uintptr{}}
	for _, s := range o.symbols {
		if s.bind == elf.STB_GLOBAL && s.kind == elf.STT_FUNC && s.section != 0 && o.sections[s.section].executable() {
			im.kernels[s.name] = uintptr(code.addr + l.offsets[s.section] + s.value)
		}
	}
	im.cleanup = runtime.AddCleanup(im, images.give, mem)
	return im, nil
}

func blockOf(mem []byte) block {
	return block{mem, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(mem))))}
}

// Kernel returns the function of that name, if the object has one that can be
// called from outside.
func (im *Image) Kernel(name string) (Kernel, bool) {
	entry, ok := im.kernels[name]
	return Kernel{entry: entry, image: im}, ok
}

// Names returns the names of all kernels, sorted.
func (im *Image) Names() []string { return slices.Sorted(maps.Keys(im.kernels)) }

// Bytes returns how much memory the image takes.
func (im *Image) Bytes() int { return len(im.mem.code) + len(im.mem.rest) }

// Close gives the image's memory back. No kernel of it may be running; calling
// one afterwards panics. Closing twice does nothing.
func (im *Image) Close() {
	if !im.closed.Swap(true) {
		im.cleanup.Stop()
		images.give(im.mem)
	}
}

// Kernel is a function of a loaded object. It keeps the object's image.
type Kernel struct {
	entry uintptr
	image *Image
}

// Call calls the kernel on the calling thread and returns its status. What args
// points to, which may lie on the caller's stack, is the kernel's own affair;
// memory that is named there by number alone must be kept alive by the caller.
// The stack that kernels run on is the thread's: 64 KiB are safe to use.
//
// A fault in the kernel ends the process: nothing can recover from it.
func (k Kernel) Call(args unsafe.Pointer) int32 {
	if k.image.closed.Load() {
		panic("native: kernel called after its image was closed")
	}
	status := call(k.entry, args)
	runtime.KeepAlive(k.image)
	return status
}

// CallShort is Call for a kernel that runs for no more than some milliseconds. Call gives
// the scheduler's processor away. After 20 µs the scheduler wakes a thread to see whether
// there is other work for the processor, and another thread that watches all calls stays
// awake. Both take time of the threads that compute. CallShort keeps the processor, as Go
// code does that does not call anything: the collector waits for it, and so do goroutines
// if there is no other.
func (k Kernel) CallShort(args unsafe.Pointer) int32 {
	if k.image.closed.Load() {
		panic("native: kernel called after its image was closed")
	}
	status := callShort(k.entry, args)
	runtime.KeepAlive(k.image)
	return status
}

// Bytes returns the kernel's share of its image.
func (k Kernel) Bytes() int { return k.image.Bytes() / max(len(k.image.kernels), 1) }

// Address returns where the kernel's code begins, for other kernels to call it
// by: these may run only as long as this one can be reached.
func (k Kernel) Address() uintptr { return k.entry }
