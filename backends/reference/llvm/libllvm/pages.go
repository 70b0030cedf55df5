//go:build linux && (amd64 || arm64)

package libllvm

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
	"unsafe"
)

// pages are the mappings of a library's file that nobody has written: tables of
// relocations, code and constants. The library must stay loaded.
type pages [][]byte

// unwritten returns the pages of a file; none if the system does not tell them.
func unwritten(file string) (all pages) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil
	}
	defer f.Close()
	var at []byte // the mapping that lines are about; nil if it is none of the file's
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) > 1 && !strings.HasSuffix(words[0], ":"):
			at = nil
			var from, to uintptr
			if _, err := fmt.Sscanf(words[0], "%x-%x", &from, &to); err == nil && words[len(words)-1] == file && words[1][1] == '-' {
				at = unsafe.Slice((*byte)(pointer(from)), to-from)
			}
		case at != nil && words[0] == "Anonymous:" && words[1] == "0": // no page was copied as it was written
			all = append(all, at)
		}
	}
	return all
}

// release gives the pages back to the system, which keeps the pages of files as long as it has
// room. An access to a page maps it again.
func (p pages) release() {
	for _, mapping := range p {
		_ = syscall.Madvise(mapping, syscall.MADV_DONTNEED)
	}
}
