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

// pagesAtOnce is how many pages Unload looks at together.
const pagesAtOnce = 4096

// Unload gives back the pages of a mapping that are wholly in mem and show its file. The next access to one reads it
// again, as a rule from the system's cache of the file.
func Unload(mem []byte) {
	page := os.Getpagesize()
	mem = wholePages(mem)
	for ; len(mem) > 0; mem = mem[min(pagesAtOnce*page, len(mem)):] {
		pages, ok := FilePages(mem[:min(pagesAtOnce*page, len(mem))])
		if !ok {
			return
		}
		first := 0
		for i := 0; i <= len(pages); i++ {
			if i < len(pages) && pages[i] {
				continue
			}
			if i > first {
				_ = syscall.Madvise(mem[first*page:i*page], syscall.MADV_DONTNEED)
			}
			first = i + 1
		}
	}
}

// FilePages reports, for each page that is wholly in mem, whether it is in memory and shows the file of its
// mapping. It returns false where the system does not tell.
func FilePages(mem []byte) (pages []bool, ok bool) {
	f, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return nil, false
	}
	defer f.Close()
	page := os.Getpagesize()
	own := wholePages(make([]byte, 2*page))[:page] // of no file, and resident
	own[0] = 1
	if known, ok := pageEntries(f, own); !ok || known[0]&(pagePresent|pageOfFile) != pagePresent {
		return nil, false // the system does not tell, or tells of another process, as emulators do
	}
	entries, ok := pageEntries(f, wholePages(mem))
	if !ok {
		return nil, false
	}
	pages = make([]bool, len(entries))
	for i, e := range entries {
		pages[i] = e&(pagePresent|pageOfFile|pageSwapped) == pagePresent|pageOfFile
	}
	return pages, true
}

// wholePages returns the pages that are wholly in mem.
func wholePages(mem []byte) []byte {
	page := uintptr(os.Getpagesize())
	at := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	from, to := (at+page-1)&^(page-1), (at+uintptr(len(mem)))&^(page-1)
	if from >= to {
		return nil
	}
	return mem[from-at : to-at]
}

// pageEntries reads the entries of pages.
func pageEntries(f *os.File, pages []byte) ([]uint64, bool) {
	page := os.Getpagesize()
	raw := make([]byte, len(pages)/page*pageEntry)
	at := int64(uintptr(unsafe.Pointer(unsafe.SliceData(pages)))) / int64(page)
	if _, err := f.ReadAt(raw, at*pageEntry); err != nil {
		return nil, false
	}
	all := make([]uint64, len(raw)/pageEntry)
	for i := range all {
		all[i] = binary.NativeEndian.Uint64(raw[i*pageEntry:])
	}
	return all, true
}

// mapping is a line of /proc/self/maps.
type mapping struct {
	memory []byte
	access string // such as r-xp
	file   string
}

// fileMappings returns the mappings of files.
func fileMappings() (all []mapping) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		var access string
		file := strings.IndexByte(line, '/')
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &access); err == nil && file >= 0 {
			all = append(all, mapping{unsafe.Slice((*byte)(pointer(from)), to-from), access, line[file:]})
		}
	}
	return all
}

// unloadExecutable gives back the pages of the process's executable and of the libraries that are loaded,
// and turns fault-around off for them.
func unloadExecutable() {
	all, code := fileMappings(), map[string]bool{}
	for _, m := range all {
		if m.access == "r-xp" {
			code[m.file] = true
		}
	}
	for _, m := range all {
		if code[m.file] && strings.HasPrefix(m.access, "r-") {
			Unload(m.memory)
			SetFaultAround(m.memory, false)
		}
	}
}

// pointer returns the address of memory that Go does not manage.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }
