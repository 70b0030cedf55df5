//go:build linux && (amd64 || arm64)

package native

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"ltc/internal/diag"
)

var pageSize = os.Getpagesize()

// mmap and protect are replaced in tests.
var (
	mmap    = syscall.Mmap
	protect = syscall.Mprotect
)

// reserve returns n bytes of address space, which nobody may access yet.
func reserve(n int) ([]byte, error) {
	mem, err := mmap(-1, 0, n, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", diag.Count(n, "byte"), exhausted(err))
	}
	return mem, nil
}

// makeWritable makes memory readable and writable, and not executable.
func makeWritable(mem []byte) error {
	if len(mem) == 0 {
		return nil
	}
	if err := protect(mem, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		return fmt.Errorf("make %s writable: %w", diag.Count(len(mem), "byte"), exhausted(err))
	}
	return nil
}

// seal makes code runnable and neither code nor constants writable any more. On
// arm64 the kernel makes the instruction caches see what was written when pages
// become executable, if they are fresh: see empty.
func seal(code, rest []byte) error {
	if len(rest) > 0 {
		if err := protect(rest, syscall.PROT_READ); err != nil {
			return fmt.Errorf("protect %s: %w", diag.Count(len(rest), "byte"), exhausted(err))
		}
	}
	err := protect(code, syscall.PROT_READ|syscall.PROT_EXEC)
	switch {
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return fmt.Errorf("%w: the system refuses it to this process (%w)", ErrNoExec, err)
	case err != nil:
		return fmt.Errorf("protect %s of code: %w", diag.Count(len(code), "byte"), exhausted(err))
	}
	return nil
}

// empty gives pages back: those that come in their place are zero.
func empty(mem []byte) error {
	if len(mem) == 0 {
		return nil
	}
	return syscall.Madvise(mem, syscall.MADV_DONTNEED)
}

// release gives back what reserve returned.
func release(mem []byte) error { return syscall.Munmap(mem) }

// exhausted has the system's error for a lack of memory or mappings wrap
// [ErrExhausted].
func exhausted(err error) error {
	if errors.Is(err, syscall.ENOMEM) || errors.Is(err, syscall.EAGAIN) {
		return fmt.Errorf("%w: %w", ErrExhausted, err)
	}
	return err
}
