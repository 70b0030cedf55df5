//go:build linux && (amd64 || arm64)

package libllvm

import (
	"bufio"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"ltc/internal/hostmem"
)

// pages are the parts of a loaded library's memory that show its file and that nobody writes:
// tables of relocations, code and constants. The library must stay loaded.
type pages [][]byte

// release gives the pages back to the system, which keeps the pages of files as long as it has
// room. An access to a page maps it again.
func (p pages) release() {
	for _, mapping := range p {
		_ = syscall.Madvise(mapping, syscall.MADV_DONTNEED)
	}
}

// setFaultAround is [hostmem.SetFaultAround] of all parts.
func (p pages) setFaultAround(on bool) {
	for _, mapping := range p {
		hostmem.SetFaultAround(mapping, on)
	}
}

// layout says where the parts of a library are, from the address at which the linker loads it.
type layout struct {
	fixed     [][2]uintptr // these are never written
	protected uintptr      // here begins what the linker protects when it has written it; 0: nothing
	needs     []string     // other libraries, by their names for the linker
}

// layoutOf returns the layout of a library. One whose code is relocated has no fixed parts.
func layoutOf(file string) layout {
	f, err := elf.Open(file)
	if err != nil {
		return layout{}
	}
	defer f.Close()
	if relocated, err := f.DynValue(elf.DT_TEXTREL); err != nil || len(relocated) > 0 {
		return layout{}
	}
	if flags, err := f.DynValue(elf.DT_FLAGS); err != nil || len(flags) > 0 && elf.DynFlag(flags[0])&elf.DF_TEXTREL != 0 {
		return layout{}
	}
	page := uintptr(os.Getpagesize())
	var all layout
	if all.needs, err = f.ImportedLibraries(); err != nil {
		return layout{}
	}
	first := true
	var last *[2]uintptr // ends before the next part begins
	for _, p := range f.Progs {
		from, to := uintptr(p.Vaddr)&^(page-1), (uintptr(p.Vaddr+p.Memsz)+page-1)&^(page-1)
		switch {
		case p.Type == elf.PT_GNU_RELRO:
			all.protected = from
		case p.Type == elf.PT_LOAD:
			if first && from != 0 {
				return layout{}
			}
			first = false
			if last != nil {
				last[1] = min(last[1], from)
			}
			if last = nil; p.Flags&elf.PF_W == 0 {
				all.fixed = append(all.fixed, [2]uintptr{from, to})
				last = &all.fixed[len(all.fixed)-1]
			}
		}
	}
	return all
}

// at returns the fixed parts of a library that is loaded at an address.
func (l layout) at(base uintptr) (all pages) {
	for _, part := range l.fixed {
		all = append(all, unsafe.Slice((*byte)(pointer(base+part[0])), part[1]-part[0]))
	}
	return all
}

// find returns where the linker has loaded a file, by the mappings of a process, and whether it has relocated
// it: then it has protected what it has written. The base is 0 as long as the parts are not mapped.
func (l layout) find(maps io.Reader, file string) (base uintptr, relocated bool) {
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		line := lines.Text()
		if !strings.HasSuffix(line, " "+file) {
			continue
		}
		var from, to, offset uintptr
		var access string
		if _, err := fmt.Sscanf(line, "%x-%x %s %x", &from, &to, &access, &offset); err != nil {
			continue
		}
		if offset == 0 && base == 0 {
			base = from
		}
		if base != 0 && from == base+l.protected {
			return base, access[:2] == "r-"
		}
	}
	return 0, false
}

// pace is how often the mappings are looked at of a library that is being loaded: some milliseconds
// pass until it is relocated, and as many until its functions have run.
const pace = time.Millisecond

// watchLoading looks for a library that the linker is loading, until the function that it returns is
// called. Fault-around is then off for the linker and the library's functions. When the library
// is relocated, and those functions run, the tables of relocations are given back. They are not before:
// the linker may fail, and other memory be where the library was.
func watchLoading(file string) (end func()) {
	l := layoutOf(file)
	if len(l.fixed) == 0 || l.protected == 0 {
		return func() {}
	}
	begun, stop, stopped := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(pace)
		defer tick.Stop()
		close(begun)
		for single := false; ; {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			maps, err := os.Open("/proc/self/maps")
			if err != nil {
				return
			}
			base, relocated := l.find(maps, file)
			maps.Close()
			if base != 0 && !single {
				l.at(base).setFaultAround(false)
				single = true
			}
			if relocated {
				l.at(base).release()
				return
			}
		}
	}()
	<-begun
	return func() { close(stop); <-stopped }
}
