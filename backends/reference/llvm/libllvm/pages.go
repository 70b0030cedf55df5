//go:build linux && (amd64 || arm64)

package libllvm

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"unsafe"
)

// pages are the mappings of a library's file that nobody has written: tables of
// relocations, code and constants. The library must stay loaded.
type pages [][]byte

// unwritten returns the pages of a file; none if the system does not tell them.
func unwritten(file string) pages {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil
	}
	defer f.Close()
	return unwrittenOf(f, file)
}

// unwrittenOf returns the pages of a file, of a process with these mappings. The linker has written
// some of every library: where no mapping tells that, as in QEMU's user mode, none are returned.
func unwrittenOf(smaps io.Reader, file string) pages {
	var all pages
	written := false
	var at mapping // the one that lines are about
	end := func() {
		switch {
		case !at.ours:
		case at.written:
			written = true
		case at.told && !at.writable:
			all = append(all, unsafe.Slice((*byte)(pointer(at.from)), at.to-at.from))
		}
	}
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) < 2:
		case !strings.HasSuffix(words[0], ":"):
			end()
			at = mapping{}
			if _, err := fmt.Sscanf(words[0], "%x-%x", &at.from, &at.to); err == nil {
				at.ours, at.writable = words[len(words)-1] == file, words[1][1] != '-'
			}
		case words[0] == "Anonymous:", words[0] == "Swap:": // copies of pages, made as they were written
			at.told = true
			at.written = at.written || words[1] != "0"
		}
	}
	end()
	if !written {
		return nil
	}
	return all
}

// mapping is one of a process.
type mapping struct {
	from, to uintptr
	ours     bool // it is of the file that is asked for
	writable bool
	told     bool // whether it was written
	written  bool
}

// release gives the pages back to the system, which keeps the pages of files as long as it has
// room. An access to a page maps it again.
func (p pages) release() {
	for _, mapping := range p {
		_ = syscall.Madvise(mapping, syscall.MADV_DONTNEED)
	}
}
