//go:build linux && (amd64 || arm64)

package native

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

var pageSize = os.Getpagesize()

// protect is replaced in tests.
var protect = syscall.Mprotect

// reserve returns n bytes of zeroed memory that can be written.
func reserve(n int) ([]byte, error) {
	mem, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("%d bytes of memory: %w", n, err)
	}
	return mem, nil
}

// seal makes code runnable and neither part writable any more. On arm64 the
// kernel makes the instruction caches see what was written when pages become
// executable.
func seal(code, rest []byte) error {
	if len(rest) > 0 {
		if err := protect(rest, syscall.PROT_READ); err != nil {
			return fmt.Errorf("protect %d bytes: %w", len(rest), err)
		}
	}
	err := protect(code, syscall.PROT_READ|syscall.PROT_EXEC)
	switch {
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return fmt.Errorf("%w: the system refuses it to this process (%w)", ErrNoExec, err)
	case err != nil:
		return fmt.Errorf("protect %d bytes of code: %w", len(code), err)
	}
	return nil
}

// release gives back what reserve returned.
func release(mem []byte) {
	if err := syscall.Munmap(mem); err != nil {
		panic("native: unmap: " + err.Error())
	}
}
