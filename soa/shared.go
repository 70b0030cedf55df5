package soa

import (
	"fmt"
	"os"

	"ltc/internal/diag"
)

// CreateShared makes a file of n zero bytes, which must not be there yet, and returns it as
// a buffer off the Go heap that other processes open with [OpenShared]. All of them see
// what one writes to the buffer. Of files in memory, such as those in /dev/shm, nothing
// reaches a disk. Their memory is taken at once, where there is a way to do so: too little
// is an error. The file stays until it is removed. It must not be made shorter while in
// use: looking at the removed part ends the process. The processes have to agree on who
// writes when.
func CreateShared(path string, n int) (*Buffer, error) {
	if n < 1 {
		return nil, fmt.Errorf("create %s: %s", path, diag.Count(n, "byte"))
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err = reserve(f, n); err == nil {
		var b *Buffer
		if b, err = share(f, n, true); err == nil {
			return b, nil
		}
	}
	os.Remove(path)
	return nil, fmt.Errorf("create %s: %w", path, err)
}

// OpenShared returns a file as a buffer off the Go heap, to read only unless
// write is set: see [CreateShared]. Of a buffer that is to be read only, columns and
// [Copy] refuse to be written; what is written by another way ([Buffer.Bytes], a
// slice) does not reach the file.
func OpenShared(path string, write bool) (*Buffer, error) {
	mode := os.O_RDONLY
	if write {
		mode = os.O_RDWR
	}
	f, size, err := openRegular("open", path, mode)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size == 0 {
		return nil, fmt.Errorf("open %s: it is empty", path)
	}
	b, err := share(f, size, write)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return b, nil
}

func share(f *os.File, n int, write bool) (*Buffer, error) {
	mem, err := mapShared(f, n, write)
	if err != nil {
		return nil, err
	}
	b := mapped(mem, mem)
	b.readOnly, b.file = !write, true
	return b, nil
}
