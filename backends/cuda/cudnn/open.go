package cudnn

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/ebitengine/purego"

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
	fn      [count]uintptr
	version int
	path    string
}

// Open opens the library that LTC_LIBCUDNN names or, without it, the first that can be
// used of the system's, of CUDA's toolkits and of Python's packages. newest is the major
// version of CUDA that the driver is for: a library for a later one is not used. The
// error wraps [ErrNotFound], or says of each that was found what is wrong with it.
func Open(newest int) (*Library, error) {
	return libraries.Open(sought(), user(newest))
}

func sought() libraries.Sought {
	return libraries.Sought{Named: env.LibCUDNN.Value(), Names: []string{fmt.Sprintf("libcudnn.so.%d", known)},
		Variable: env.LibCUDNN.Name, Install: "pip install nvidia-cudnn-cu13", NotFound: ErrNotFound}
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
	if l.version = l.number(getVersion); l.version/10000 != known {
		return nil, fmt.Errorf("%w: %s is of version %s, and %d is known", ErrVersion, path, l.Version(), known)
	}
	for e, p := range l.fn {
		if p == 0 {
			return nil, fmt.Errorf("%w: %s is of version %s but has no %s", ErrVersion, path, l.Version(), entries[e].Name)
		}
	}
	if of := l.number(getRuntime) / 1000; of > newest {
		return nil, fmt.Errorf("%w: %s is for CUDA %d, and the driver for CUDA %d: install a newer driver, or an older library", ErrVersion, path, of, newest)
	}
	return l, nil
}

// number calls a function that returns a number and takes nothing.
func (l *Library) number(e entry) int {
	n, _, _ := purego.SyscallN(l.fn[e])
	return int(n)
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
func (l *Library) Path() string { return l.path }

// frame holds what a call passes and gets. It is on the heap: stacks move, and the
// library writes to addresses that it was given as numbers.
type frame struct {
	args [13]uintptr
	out  uint64 // where a handle or a number comes back
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
