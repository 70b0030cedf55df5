//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package soa

import (
	"errors"
	"io"
	"os"
)

// canMap says that all buffers are on the Go heap on this system.
const canMap = false

func mapAnonymous(n int) ([]byte, error) { return New(n).mem, nil }

func mapFile(f *os.File, n int) ([]byte, error) {
	mem := New(n).mem
	_, err := io.ReadFull(f, mem)
	return mem, err
}

func mapShared(*os.File, int, bool) ([]byte, error) {
	return nil, errors.New("processes cannot share memory here")
}

func unmap([]byte) {}
