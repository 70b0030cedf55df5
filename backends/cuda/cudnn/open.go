package cudnn

import (
	"errors"
	"fmt"

	"ltc/backends/cuda/libraries"
	"ltc/internal/env"
)

// ErrNotFound is wrapped by errors of [Open] where there is no library at all, or none
// is wanted.
var ErrNotFound = errors.New("no cuDNN")

// ErrVersion is wrapped by errors of [Open] and [Use] where a library is of a version
// that is not known, or that the driver is too old for.
var ErrVersion = errors.New("not a version of cuDNN that is known")

// known is the major version that is known. What another means by the same numbers
// nobody has seen, or was otherwise: versions up to 8 have other statuses.
const known = 9

// Library is cuDNN.
type Library struct {
	fn      *libraries.Functions[entry, Status]
	version int
}

// Open opens the library that LTC_LIBCUDNN names or, without it, the first that can be
// used of the system's, of CUDA's toolkits and of Python's packages. newest is the major
// version of CUDA that the driver is for: a library for a later one is not used. The
// error wraps [ErrNotFound], or says of each that was found what is wrong with it.
func Open(newest int) (*Library, error) {
	return libraries.Open(sought(), newest, use)
}

func sought() libraries.Sought {
	return libraries.Sought{Named: env.LibCUDNN.Value(), Names: []string{fmt.Sprintf("libcudnn.so.%d", known)},
		Variable: env.LibCUDNN.Name, Install: "pip install nvidia-cudnn-cu13", NotFound: ErrNotFound}
}

// Use makes a library of functions that stand in for it. lookup returns the address of
// the function that one of [Entries] names, which follows the calling convention of C; 0
// if there is none.
func Use(lookup func(name string) uintptr, newest int) (*Library, error) {
	return use("a table", lookup, newest)
}

func use(path string, lookup func(name string) uintptr, newest int) (*Library, error) {
	l := &Library{fn: libraries.Find[entry, Status]("cudnn", path, entries[:], lookup)}
	if !l.fn.Has(getVersion) {
		return nil, fmt.Errorf("%w: %s has no %s", ErrVersion, path, entries[getVersion].Name)
	}
	if l.version = l.fn.Number(getVersion); l.version/10000 != known {
		return nil, fmt.Errorf("%w: %s is of version %s, and %d is known", ErrVersion, path, l.Version(), known)
	}
	if lacks := l.fn.Missing(); lacks != "" {
		return nil, fmt.Errorf("%w: %s is of version %s but has no %s", ErrVersion, path, l.Version(), lacks)
	}
	if of := l.fn.Number(getRuntime) / 1000; of > newest {
		return nil, fmt.Errorf("%w: %s is for CUDA %d, and the driver for CUDA %d: install a newer driver, or an older library", ErrVersion, path, of, newest)
	}
	return l, nil
}

// Version returns the library's version, as in 9.10.2.
func (l *Library) Version() string {
	major, rest := l.version/10000, l.version%10000
	if l.version < 10000*known { // up to version 8 a thousand was the major version
		major, rest = l.version/1000, l.version%1000
	}
	return fmt.Sprintf("%d.%d.%d", major, rest/100, rest%100)
}

// Path says which library it is.
func (l *Library) Path() string { return l.fn.Path() }
