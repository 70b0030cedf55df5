package driver

import (
	"errors"
	"fmt"
	"sync"

	"ltc/internal/env"
)

// Oldest is the oldest version of the driver that will do, as the library counts:
// 1000 for each major version and 10 for each minor one, here CUDA 12.0, which
// came with driver 525.
const Oldest = 12000

// ErrNoDriver is wrapped by errors of [Open] where there is no driver.
var ErrNoDriver = errors.New("no CUDA driver")

// ErrOldDriver is wrapped by errors of [Open] and [Use] where it is too old.
var ErrOldDriver = errors.New("the CUDA driver is too old")

// Driver is the library with its devices.
type Driver struct {
	fn      [count]uintptr
	version int
	path    string
	devices []*Device
}

// Open opens the library that LTC_LIBCUDA names or, without it, that of the
// system, once in a process. The error wraps [ErrNoDriver], [ErrOldDriver] or a
// [Code], such as [NoDevice], and says what to do.
func Open() (*Driver, error) { return opened() }

var opened = sync.OnceValues(func() (*Driver, error) {
	names := []string{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}
	if named := env.LibCUDA.Value(); named != "" {
		names = []string{named}
	}
	return open(names)
})

func open(names []string) (*Driver, error) {
	if names[0] == "none" {
		return nil, fmt.Errorf("cuda: %w: LTC_LIBCUDA is none", ErrNoDriver)
	}
	var reasons []error
	for _, name := range names {
		lookup, err := library(name)
		if err == nil {
			return use(name, lookup)
		}
		reasons = append(reasons, err)
	}
	return nil, fmt.Errorf("cuda: %w: install NVIDIA's driver, or name its libcuda.so.1 in LTC_LIBCUDA: %w", ErrNoDriver, errors.Join(reasons...))
}

// Load loads a library that a file or a name of the system's names, for as long as the
// process runs, and returns what finds its functions: 0 for those that it has not.
// Another of NVIDIA's libraries may be one.
func Load(name string) (lookup func(name string) uintptr, err error) { return library(name) }

// Use makes a driver of functions that stand in for the library's. lookup returns
// the address of the function that an [Entry] names, which follows the calling
// convention of C; 0 if there is none.
func Use(lookup func(name string) uintptr) (*Driver, error) { return use("a table", lookup) }

func use(path string, lookup func(name string) uintptr) (*Driver, error) {
	d := &Driver{path: path}
	f := newFrame()
	defer f.free()
	for e := range d.fn {
		d.fn[e] = lookup(entries[e].Name)
	}
	if d.fn[cuInit] == 0 || d.fn[cuDriverGetVersion] == 0 {
		return nil, fmt.Errorf("cuda: %w: %s is no such library: it has no cuInit", ErrNoDriver, path)
	}
	// The version needs no device, and an old driver may not know the new ones.
	if code := d.set(cuDriverGetVersion, f, f.result(0)); code != Success {
		return nil, d.fail(cuDriverGetVersion, code)
	}
	if d.version = f.int(0); d.version < Oldest {
		return nil, fmt.Errorf("cuda: %w: %s is for CUDA %s, and %s is the oldest that will do: install a newer driver", ErrOldDriver, path, dotted(d.version), dotted(Oldest))
	}
	for e, p := range d.fn {
		if p == 0 {
			return nil, fmt.Errorf("cuda: %w: %s is for CUDA %s but has no %s", ErrOldDriver, path, dotted(d.version), entries[e].Name)
		}
	}
	if code := d.set(cuInit, f, 0); code != Success {
		return nil, d.fail(cuInit, code)
	}
	return d, d.list(f)
}

// Version returns the version of CUDA that the driver is for, as in 13000 for
// 13.0.
func (d *Driver) Version() int { return d.version }

// Path says which library it is.
func (d *Driver) Path() string { return d.path }

// dotted is a version in people's form.
func dotted(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }
