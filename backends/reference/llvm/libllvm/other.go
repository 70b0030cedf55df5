//go:build !(linux && (amd64 || arm64))

package libllvm

import (
	"errors"
	"fmt"
)

var errMissing = errors.New("there is none")

func search(bool) (*Library, error) {
	return nil, fmt.Errorf("%w: it is only looked for on Linux, on amd64 and arm64", ErrNotFound)
}

// Likely reports false: there is no libLLVM here.
func Likely() bool { return false }

func openOne(_ string, background bool) (*Library, error) { return search(background) }

// pages are those of a library. There are none here.
type pages struct{}

func (pages) release() {}

// work is one compilation. There are none here.
type work struct {
	library *Library
	done    chan outcome
}

type outcome struct {
	object []byte
	err    error
}

func (w *work) run(string, Options) { w.done <- outcome{err: ErrNotFound} }
