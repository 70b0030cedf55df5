package cublaslt

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/ebitengine/purego"

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
	fn      [count]uintptr
	version int
	path    string
}

// Open opens the library that LTC_LIBCUBLASLT names or, without it, the first that can
// be used of the system's, of CUDA's toolkits and of Python's packages. newest is the
// major version of CUDA that the driver is for: a library for a later one is not used.
// The error wraps [ErrNotFound], or says of each that was found what is wrong with it.
func Open(newest int) (*Library, error) {
	return libraries.Open(sought(), user(newest))
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

// user returns [use] for a driver.
func user(newest int) func(string, func(string) uintptr) (*Library, error) {
	return func(path string, lookup func(string) uintptr) (*Library, error) { return use(path, lookup, newest) }
}

// Use makes a library of functions that stand in for it. lookup returns the address of
// the function that an [Entry] names, which follows the calling convention of C; 0 if
// there is none.
func Use(lookup func(name string) uintptr, newest int) (*Library, error) {
	return use("a table", lookup, newest)
}

func use(path string, lookup func(name string) uintptr, newest int) (*Library, error) {
	l := &Library{path: path}
	for e := range l.fn {
		l.fn[e] = lookup(entries[e].Name)
	}
	if l.fn[getVersion] == 0 {
		return nil, fmt.Errorf("%w: %s has no %s", ErrVersion, path, entries[getVersion].Name)
	}
	version, _, _ := purego.SyscallN(l.fn[getVersion])
	l.version = int(version)
	switch major := l.version / 10000; {
	case !slices.Contains(majors, major):
		return nil, fmt.Errorf("%w: %s is of version %s, and those from %d to %d are known", ErrVersion, path, l.Version(), slices.Min(majors), slices.Max(majors))
	case major > newest:
		return nil, fmt.Errorf("%w: %s is of version %s, and the driver is for CUDA %d: install a newer driver, or an older library", ErrVersion, path, l.Version(), newest)
	}
	for e, p := range l.fn {
		if p == 0 {
			return nil, fmt.Errorf("%w: %s is of version %s but has no %s", ErrVersion, path, l.Version(), entries[e].Name)
		}
	}
	return l, nil
}

// Version returns the library's version, as in 13.10.0.
func (l *Library) Version() string {
	return fmt.Sprintf("%d.%d.%d", l.version/10000, l.version/100%100, l.version%100)
}

// Path says which library it is.
func (l *Library) Path() string { return l.path }

// frame holds what a call passes and gets. It is on the heap: stacks move, and the
// library writes to addresses that it was given as numbers.
type frame struct {
	args [16]uintptr
	out  uint64 // where a handle comes back
	in   uint64 // where the value of an attribute is
}

// call calls the library with the first n arguments of a frame.
func (l *Library) call(e entry, f *frame, n int) Status {
	r, _, _ := purego.SyscallN(l.fn[e], f.args[:n]...)
	return Status(int32(r))
}

// set is call with the arguments listed, as an error; for what is not called often.
func (l *Library) set(e entry, f *frame, args ...uintptr) error {
	copy(f.args[:], args)
	s := l.call(e, f, len(args))
	runtime.KeepAlive(f)
	if s != Success {
		return &Error{Call: entries[e].Name, Status: s}
	}
	return nil
}
