package soa

import (
	"fmt"
	"os"

	"ltc/internal/diag"
)

// CreateShared creates a file of n zero bytes and returns it as a buffer off the Go heap. It is
// an error if the file exists. Other processes open the file with [OpenShared], and all
// processes see each other's writes: they must synchronise the writes. A file in /dev/shm never
// reaches a disk. The file's memory is allocated at once if the system can do so, and too little
// memory is an error. The file stays until it is removed. The file must not be truncated while
// in use: an access to the removed part ends the process.
func CreateShared(path string, n int) (*Buffer, error) {
	if n < 1 {
		return nil, fmt.Errorf("create %s: the size is %s: it must be at least 1", path, diag.Count(n, "byte"))
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

// OpenShared returns an existing file as a buffer off the Go heap: see [CreateShared]. The
// buffer is read-only unless write is set. Columns and [Copy] refuse to write a read-only
// buffer. Other writes to a read-only buffer, by [Buffer.Bytes] or a slice, do not reach the
// file.
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
