package cudafake

import (
	"fmt"

	"github.com/ebitengine/purego"

	"ltc/backends/cuda/driver"
)

// Stub returns the address of a function of C's that does nothing: it returns
// whether its first two arguments are equal, which those of a driver's calls never
// are, and so that all is well.
func Stub() (uintptr, error) { return purego.Dlsym(purego.RTLD_DEFAULT, "pthread_equal") }

// Stubbed returns the driver with the functions of the given names replaced by
// [Stub]: what remains is what the caller's own side takes. The functions of the fake
// itself find the first device's context current on this thread, until leave is
// called.
func (f *Fake) Stubbed(names ...string) (d *driver.Driver, leave func(), err error) {
	stub, err := Stub()
	if err != nil {
		return nil, nil, err
	}
	replaced := map[string]uintptr{}
	for _, name := range names {
		if f.Lookup(name) == 0 {
			return nil, nil, fmt.Errorf("cudafake: no function %s to replace", name)
		}
		replaced[name] = stub
	}
	own, err := f.Open()
	if err != nil {
		return nil, nil, err
	}
	first, err := own.Device(0)
	if err != nil {
		return nil, nil, err
	}
	ctx, err := first.Retain()
	if err != nil {
		return nil, nil, err
	}
	if err := ctx.Enter(); err != nil {
		return nil, nil, err
	}
	d, err = driver.Use(func(name string) uintptr {
		if at := replaced[name]; at != 0 {
			return at
		}
		return f.Lookup(name)
	})
	return d, ctx.Leave, err
}
