// Package cudasim registers the backend cudasim: that of package cuda, on a GPU that
// is not there. Kernels run as the PTX that a driver would be given, in an
// interpreter that reports what does wrong: races, memory that is not there or was
// not written. It is for tests, and for looking at what the backend does. Its central
// type is [Backend].
//
// The package imports only ltc/backends, ltc/backends/cuda, ltc/internal/test/cudafake, ltc/soa and
// the standard library.
package cudasim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/cuda"
	"ltc/internal/test/cudafake"
	"ltc/soa"
)

func init() {
	backends.Register("cudasim", func(device string) (backends.Backend, error) {
		if device != "" && device != "0" {
			return nil, fmt.Errorf("no device %q: the only one is 0", device)
		}
		return machine()
	})
}

// machine is the one that the name cudasim opens, however often: a process has one
// GPU of that name, as it would have of cuda:0, and can have 16 fakes at most.
var machine = sync.OnceValues(func() (backends.Backend, error) { return Open(cudafake.Options{Memory: 8 << 30}) })

// Backend is the backend of package cuda on a fake's first device.
type Backend struct {
	*cuda.Backend
	Fake *cudafake.Fake
}

// Open opens the backend on a fake of its own, which lasts as long as the process.
func Open(o cudafake.Options) (*Backend, error) {
	f := cudafake.New(o)
	d, err := f.Open()
	if err != nil {
		return nil, err
	}
	dev, err := cuda.Use(d, 0)
	if err != nil {
		return nil, err
	}
	return &Backend{cuda.On(dev), f}, nil
}

// Name is cudasim.
func (b *Backend) Name() string { return "cudasim" }

// Compile compiles a program whose runs fail where they do what no program may.
func (b *Backend) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	x, err := b.Backend.Compile(ctx, m, o)
	if err != nil {
		return nil, err
	}
	return watched(x, b.Fake), nil
}

// Load is Compile, with the kernels of an artifact.
func (b *Backend) Load(ctx context.Context, m backends.Module, o backends.Options, artifact []byte) (backends.Executable, error) {
	x, err := b.Backend.Load(ctx, m, o, artifact)
	if err != nil {
		return nil, err
	}
	return watched(x, b.Fake), nil
}

type executable struct {
	backends.Executable
	fake *cudafake.Fake
}

// watched returns x with runs that report what was done wrong. What it can tell of
// itself, as those of package cuda can, it still can.
func watched(x backends.Executable, f *cudafake.Fake) backends.Executable {
	e := &executable{x, f}
	switch x := x.(type) {
	case interface {
		backends.Copying
		backends.Sizing
	}:
		return &struct {
			*executable
			backends.Copying
			backends.Sizing
		}{e, x, x}
	case interface {
		backends.Copying
		backends.Sized
	}:
		return &struct {
			*executable
			backends.Copying
			backends.Sized
		}{e, x, x}
	}
	return e
}

// Execute runs the program and reports what was done wrong, by whichever run.
func (e *executable) Execute(ctx context.Context, c *backends.Call) error {
	err := e.Executable.Execute(ctx, c)
	for _, v := range e.fake.Forgive() {
		err = errors.Join(err, v)
	}
	return err
}

// ResidentBytes is what the program of package cuda takes. What the fake keeps of its
// kernels is more than code on a GPU would be, and does not count. A program that runs on the host
// does not tell.
func (e *executable) ResidentBytes() int {
	if r, ok := e.Executable.(backends.Resident); ok {
		return r.ResidentBytes()
	}
	return 0
}

// Grown is that of the program of package cuda; nil for one that runs on the host.
func (e *executable) Grown() *atomic.Int64 {
	if g, ok := e.Executable.(backends.Growing); ok {
		return g.Grown()
	}
	return nil
}

// Bind fixes constants.
func (e *executable) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	x, err := e.Executable.Bind(ctx, constants)
	if err != nil {
		return nil, err
	}
	return watched(x, e.fake), nil
}

// Profile returns what the steps have taken, in the interpreter.
func (e *executable) Profile() []backends.StepProfile {
	if p, ok := e.Executable.(backends.Profiler); ok {
		return p.Profile()
	}
	return nil
}
