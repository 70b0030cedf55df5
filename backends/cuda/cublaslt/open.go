package cublaslt

import (
	"errors"
	"fmt"
	"slices"

	"ltc/backends/cuda/libraries"
	"ltc/internal/env"
)

// ErrNotFound is wrapped by errors of [Open] where there is no library at all, or none
// is wanted.
var ErrNotFound = errors.New("no cuBLASLt")

// ErrVersion is wrapped by errors of [Open] and [Use] where a library is of a version
// that is not known, or that the driver is too old for.
var ErrVersion = errors.New("not a version of cuBLASLt that is known")

// Library is cuBLASLt.
type Library struct {
	fn      *libraries.Functions[entry, Status]
	version int
}

// Open opens the library that LTC_LIBCUBLASLT names or, without it, the first that can
// be used of the system's, of CUDA's toolkits and of Python's packages. newest is the
// major version of CUDA that the driver is for: a library for a later one is not used.
// The error wraps [ErrNotFound], or says of each that was found what is wrong with it.
func Open(newest int) (*Library, error) {
	return libraries.Open(sought(), newest, use)
}

// majors are the versions of the library that are known, the best first. What another
// means by the same numbers nobody has seen.
var majors = []int{13, 12}

func sought() libraries.Sought {
	s := libraries.Sought{Named: env.LibCUBLASLt.Value(), Variable: env.LibCUBLASLt.Name, Install: "pip install nvidia-cublas", NotFound: ErrNotFound}
	for _, major := range majors {
		s.Names = append(s.Names, fmt.Sprintf("libcublasLt.so.%d", major))
	}
	return s
}

// Use makes a library of functions that stand in for it. lookup returns the address of
// the function that one of [Entries] names, which follows the calling convention of C; 0 if
// there is none.
func Use(lookup func(name string) uintptr, newest int) (*Library, error) {
	return use("a table", lookup, newest)
}

func use(path string, lookup func(name string) uintptr, newest int) (*Library, error) {
	l := &Library{fn: libraries.Find[entry, Status]("cublasLt", path, entries[:], lookup)}
	if !l.fn.Has(getVersion) {
		return nil, fmt.Errorf("%w: %s has no %s", ErrVersion, path, entries[getVersion].Name)
	}
	l.version = l.fn.Number(getVersion)
	switch major := l.version / 10000; {
	case !slices.Contains(majors, major):
		return nil, fmt.Errorf("%w: %s is of version %s, and those from %d to %d are known", ErrVersion, path, l.Version(), slices.Min(majors), slices.Max(majors))
	case major > newest:
		return nil, fmt.Errorf("%w: %s is of version %s, and the driver is for CUDA %d: install a newer driver, or an older library", ErrVersion, path, l.Version(), newest)
	}
	if lacks := l.fn.Missing(); lacks != "" {
		return nil, fmt.Errorf("%w: %s is of version %s but has no %s", ErrVersion, path, l.Version(), lacks)
	}
	return l, nil
}

// Version returns the library's version, as in 13.10.0.
func (l *Library) Version() string {
	return fmt.Sprintf("%d.%d.%d", l.version/10000, l.version/100%100, l.version%100)
}

// Path says which library it is.
func (l *Library) Path() string { return l.fn.Path() }
