package soa

import (
	"fmt"
	"os"
	"runtime"

	"ltc/internal/diag"
	"ltc/internal/hostmem"
)

// OffHeap returns a zeroed buffer of n bytes off the Go heap. On a system without such memory
// the buffer is on the Go heap. The memory is unmapped after the buffer and its last view are
// unreachable. A slice of [Buffer.Bytes] does not keep the memory mapped. Too little memory is
// an error that wraps [ErrMemory].
func OffHeap(n int) (*Buffer, error) {
	if n < 0 {
		return nil, fmt.Errorf("%w: map %s", ErrMemory, diag.Count(n, "byte"))
	}
	if n == 0 {
		return New(0), nil
	}
	hostmem.Press(n)
	mem, err := mapAnonymous(n)
	if err != nil {
		return nil, fmt.Errorf("%w: map %s: %w", ErrMemory, diag.Bytes(n), err)
	}
	hostmem.AdviseMapping(mem)
	return mapped(mem, mem), nil
}

// MapFile returns a buffer with the contents of a regular file. Pages are read on first
// access, if the system can do so. Writes to the buffer do not reach the file. The file must
// not be truncated while the buffer or a view is in use: an access to the removed part ends
// the process.
func MapFile(path string) (*Buffer, error) {
	f, size, err := openRegular("map", path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size == 0 {
		return New(0), nil
	}
	mem, err := mapFile(f, size)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", path, err)
	}
	b := mapped(mem, mem)
	b.file = true
	return b, nil
}

// openRegular opens a regular file and returns its size. Whatever else there is, it
// does not wait, as opening a pipe without a writer would.
func openRegular(what, path string, mode int) (*os.File, int, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	f := (*os.File)(nil)
	if info.Mode().IsRegular() {
		if f, err = os.OpenFile(path, mode, 0); err != nil {
			return nil, 0, err
		}
		info, err = f.Stat()
	}
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s %s: it is not a regular file: copy it to a regular file", what, path)
	case int64(int(info.Size())) != info.Size():
		err = fmt.Errorf("%s %s: %w: it has %s", what, path, ErrMemory, diag.Count(info.Size(), "byte"))
	default:
		return f, int(info.Size()), nil
	}
	if f != nil {
		f.Close()
	}
	return nil, 0, err
}

// Foreign returns a read-only buffer of memory that another owner frees. Release is called
// once, on a goroutine of its own, after the buffer and its last view are unreachable. The
// owner must keep the memory until then. [Buffer.Release] ends the use of the buffer, but
// does not call release earlier.
func Foreign(mem []byte, release func()) *Buffer {
	b := &Buffer{mem: mem[:len(mem):len(mem)], off: true, foreign: true, readOnly: true}
	hostmem.Press(len(mem))
	runtime.AddCleanup(b, func(release func()) { release() }, release)
	return b
}

// mapped returns a buffer of mem, a part of the mapping all. The buffer owns the mapping.
func mapped(mem, all []byte) *Buffer {
	if !canMap {
		return &Buffer{mem: mem}
	}
	b := &Buffer{mem: mem, off: true}
	runtime.AddCleanup(b, func(all []byte) {
		hostmem.AddOffHeap(-len(all))
		unmap(all)
	}, all)
	hostmem.AddOffHeap(len(all))
	return b
}

// KeepAlive keeps the memory of v alive until this call. Code that uses an address of
// [View.Base] calls it afterwards.
func KeepAlive(v View) { runtime.KeepAlive(v.hold) }

// Collect runs the garbage collector and waits, at most 20 ms, until unreachable memory is freed:
// memory off the Go heap is unmapped, and freed blocks are back in their pools.
func Collect() { hostmem.Collect() }
