package hostmem

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"syscall"
	"unsafe"
)

// Of an entry of /proc/self/pagemap, which each page of the process has.
const (
	pageEntry   = 8       // bytes
	pageOfFile  = 1 << 61 // or of shared memory: a private copy is neither
	pageSwapped = 1 << 62
	pagePresent = 1 << 63
)

// Unload gives back the pages of a mapping that are wholly in mem and show its file. The next access to one reads it
// again, as a rule from the system's cache of the file.
func Unload(mem []byte) {
	page := uintptr(os.Getpagesize())
	at := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	from, to := (at+page-1)&^(page-1), (at+uintptr(len(mem)))&^(page-1)
	if from >= to {
		return
	}
	f, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return
	}
	defer f.Close()
	own := make([]byte, 2*page) // which is no file's, and resident
	own[page] = 1
	if known, ok := pageEntries(f, uintptr(unsafe.Pointer(&own[page]))&^(page-1), 1); !ok || known[0]&(pagePresent|pageOfFile) != pagePresent {
		return // the system does not tell, or tells of another process, as emulators do
	}
	const most = 4096 // pages at a time
	for ; from < to; from += most * page {
		pages, ok := pageEntries(f, from, int(min(most, (to-from)/page)))
		if !ok {
			return
		}
		first := 0
		for i := 0; i <= len(pages); i++ {
			if i < len(pages) && pages[i]&(pagePresent|pageOfFile|pageSwapped) == pagePresent|pageOfFile {
				continue
			}
			if i > first {
				begin := int(from-at) + first*int(page)
				_ = syscall.Madvise(mem[begin:begin+(i-first)*int(page)], syscall.MADV_DONTNEED)
			}
			first = i + 1
		}
	}
}

// pageEntries reads the entries of n pages.
func pageEntries(f *os.File, from uintptr, n int) ([]uint64, bool) {
	raw := make([]byte, n*pageEntry)
	if _, err := f.ReadAt(raw, int64(from/uintptr(os.Getpagesize()))*pageEntry); err != nil {
		return nil, false
	}
	all := make([]uint64, n)
	for i := range all {
		all[i] = binary.NativeEndian.Uint64(raw[i*pageEntry:])
	}
	return all, true
}

// UnloadExecutable gives back the pages of the process's executable and of the libraries that are loaded. From then on they are
// mapped singly: code and tables that only a start needs do not come back.
func UnloadExecutable() {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	code := map[string]bool{} // files with code
	for range 2 {
		for line := range strings.Lines(string(maps)) {
			var from, to uintptr
			var access string
			file := strings.IndexByte(line, '/')
			if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &access); err != nil || file < 0 {
				continue
			}
			switch name := line[file:]; {
			case access == "r-xp" && !code[name]:
				code[name] = true
			case access[:2] == "r-" && code[name]:
				mapping := unsafe.Slice((*byte)(pointer(from)), to-from)
				Unload(mapping)
				MapSingly(mapping, true)
			}
		}
	}
}

// pointer returns the address of memory that Go does not manage.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }
