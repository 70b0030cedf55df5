package cuda

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"ltc/backends"
	"ltc/backends/cuda/ptx"
	"ltc/backends/kit"
	"ltc/backends/kit/stages"
	"ltc/ir/types"
	"ltc/soa"
)

func init() { backends.Register("cuda", open) }

// Backend runs programs on a GPU. Besides the host's, its programs reach the
// memory of its device: see [Device.Make] and [backends.Call.Resident].
type Backend struct {
	backends.NotImplemented
	dev *Device
}

// On returns the backend of a device.
func On(d *Device) *Backend { return &Backend{dev: d} }

// open opens the backend of the device of a number; the first, if there is none.
func open(device string) (backends.Backend, error) {
	n := 0
	if device != "" {
		var err error
		if n, err = strconv.Atoi(device); err != nil {
			return nil, fmt.Errorf("no device %q: want the number of a GPU, as in cuda:0", device)
		}
	}
	d, err := Open(n)
	if err != nil {
		return nil, err
	}
	return On(d), nil
}

// Name is cuda.
func (b *Backend) Name() string { return "cuda" }

// Device returns the device that programs run on.
func (b *Backend) Device() *Device { return b.dev }

// Capabilities are memory of the device, with the queue that it is copied in, and artifacts.
func (b *Backend) Capabilities() backends.Capabilities {
	return backends.Capabilities{Allocator: b, Queue: b.dev.home, Loader: b}
}

// Make returns memory of the device: see [Device.Make].
func (b *Backend) Make(t types.Type) (soa.View, error) { return b.dev.Make(t) }

// Devices lists the driver's GPUs, that of the backend first.
func (b *Backend) Devices() []backends.Device {
	all := list(b.dev.ctx.Driver())
	n := b.dev.ctx.Device().Ordinal()
	return slices.Concat(all[n:n+1], all[:n], all[n+1:])
}

// Compile makes kernels of the program, and of these one module of PTX. What there
// is no kernel for, the host runs as a step: see [Compiled]. A text that leaves one
// size open is one program for all sizes. Where that cannot be, and of programs that
// nothing can be compiled of, the host runs all.
func (b *Backend) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	ctx = backends.WithLogger(ctx, &o)
	p, err := backends.LoadOpen(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if len(p.Lacking) > 0 {
		return b.target(m, o).Whole(ctx)
	}
	c, err := compileModule(ctx, m, p, o, b.dev.targetOf(o))
	switch {
	case err == nil:
		return b.load(ctx, c, m)
	case !errors.Is(err, kit.ErrNotCompiled):
		return nil, err
	}
	x, left, err := stages.CompileFallback(ctx, b.target(m, o), m, o, err)
	if err == nil {
		err = backends.ReportFallbacks(b.Name(), m, o, left)
	}
	if err != nil {
		return nil, err
	}
	return x, nil
}

// target is what a program that has no plan as a whole is compiled for.
func (b *Backend) target(m backends.Module, o backends.Options) stages.Target {
	on := b.dev.machine()
	whole := func(ctx context.Context) (backends.Executable, error) {
		x, err := b.dev.hosted(ctx, m, o)
		if err != nil {
			return nil, err
		}
		return x, nil
	}
	return stages.Target{Backend: b, On: &on, Whole: whole}
}

// load makes a program runnable, and reports what of it the host runs.
func (b *Backend) load(ctx context.Context, c *compilation, m backends.Module) (backends.Executable, error) {
	if err := backends.ReportFallbacks(b.Name(), m, c.o, c.fallbacks()); err != nil {
		return nil, err
	}
	return c.load(ctx, b.dev)
}

// compileModule compiles a module, of which p was read. The error wraps
// [kit.ErrNotCompiled] if the host is to run all of it.
func compileModule(ctx context.Context, m backends.Module, p *backends.Program, o backends.Options, target ptx.Options) (*compilation, error) {
	if p.Signature.Open() {
		return newOpenCompilation(ctx, m, p, o, target)
	}
	return newCompilation(ctx, p, o, target)
}
