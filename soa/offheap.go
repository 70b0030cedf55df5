package soa

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	"ltc/internal/diag"
)

// offHeap counts the bytes that are mapped, now and at most.
var offHeap struct{ live, peak atomic.Int64 }

// OffHeapStats returns how many bytes off the Go heap are mapped now, and the
// most that have been.
func OffHeapStats() (live, peak int64) { return offHeap.live.Load(), offHeap.peak.Load() }

// OffHeap returns a zeroed buffer of n bytes that is not on the Go heap, where
// the system has such memory. It is unmapped after the buffer and its last
// view are gone; a slice of its [Buffer.Bytes] does not count.
func OffHeap(n int) (*Buffer, error) {
	if n < 0 {
		return nil, fmt.Errorf("%w: map %s", ErrMemory, diag.Count(n, "byte"))
	}
	if n == 0 {
		return New(0), nil
	}
	press(n)
	mem, err := mapAnonymous(n)
	if err != nil {
		return nil, fmt.Errorf("%w: map %s: %w", ErrMemory, bytes(n), err)
	}
	huge(mem)
	return mapped(mem, mem), nil
}

// MapFile returns the contents of a regular file as a buffer, read when they
// are looked at, where the system can do so. What is written to the buffer does
// not reach the file. The file must not be made shorter while the buffer or a
// view of it is in use: looking at what is gone ends the process.
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
		err = fmt.Errorf("%s %s: it is no regular file: write it to one", what, path)
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

// Foreign returns a buffer of memory that another owner keeps until release is
// called: once, from a goroutine of its own, when the buffer and its last view are
// gone. To [Buffer.Release] it ends their use, as that of any other, and does not
// give the memory back before. The buffer is to be read only.
func Foreign(mem []byte, release func()) *Buffer {
	b := &Buffer{mem: mem[:len(mem):len(mem)], off: true, foreign: true, readOnly: true}
	press(len(mem))
	runtime.AddCleanup(b, func(release func()) { release() }, release)
	return b
}

// mapped makes mem, which is within the pages of all that belong to no one
// else, a buffer.
func mapped(mem, all []byte) *Buffer {
	if !canMap {
		return &Buffer{mem: mem}
	}
	b := &Buffer{mem: mem, off: true}
	runtime.AddCleanup(b, func(all []byte) {
		offHeap.live.Add(-int64(len(all)))
		unmap(all)
	}, all)
	live := offHeap.live.Add(int64(len(all)))
	for peak := offHeap.peak.Load(); live > peak && !offHeap.peak.CompareAndSwap(peak, live); {
		peak = offHeap.peak.Load()
	}
	return b
}

// KeepAlive keeps the memory that v shows until here, for who has taken its
// address.
func KeepAlive(v View) { runtime.KeepAlive(v.hold) }
