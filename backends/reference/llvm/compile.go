package llvm

import (
	"context"
	"errors"
	"fmt"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/env"
	"ltc/internal/halt"
	"ltc/soa"
)

// compiler makes objects of kernels with a libLLVM. Any number of goroutines may
// use it.
type compiler struct {
	library *libllvm.Library
	machine vector.Machine
	// verify has libLLVM check the code that it is given, for tests.
	verify bool
}

// newCompiler returns a compiler for a machine, as [machineOf] returns it.
func newCompiler(l *libllvm.Library, m vector.Machine) *compiler {
	m.Splats = l.Version().Major >= 19
	return &compiler{library: l, machine: m}
}

// host is the processor that code is made for: this one, or what a level that
// was asked for leaves of it.
func host() (native.CPU, error) {
	if level := env.CPULevel.Value(); level != "" {
		cpu, err := native.Host().As(level)
		if err != nil {
			return cpu, fmt.Errorf("%s is %s: %w", env.CPULevel.Name, level, err)
		}
		return cpu, nil
	}
	return native.Host(), nil
}

// machineOf returns what code for a processor is written for.
func machineOf(cpu native.CPU) (vector.Machine, error) {
	level, ok := vector.ParseLevel(cpu.Level())
	if !ok {
		return vector.Machine{}, fmt.Errorf("llvm: no code for processors of level %q", cpu.Level())
	}
	return vector.Machine{Level: level}, nil
}

// object compiles kernels; nil if there is nothing to compile. A kernel that has
// no schedule is left to slower ways. late gets an object that is made after ctx ends.
func (c *compiler) object(ctx context.Context, kernels []*kernel.Kernel, late func([]byte)) (object []byte, schedules []*emit.Schedule, err error) {
	defer takePlace(ctx)()
	w := halt.On(ctx)
	defer w.Catch(&err)
	text, schedules := emit.Module(kernels, c.machine, func() {
		w.Look()
		collect(ctx)
	})
	if text == "" {
		return nil, nil, nil
	}
	object, err = c.compile(ctx, text, late)
	return object, schedules, err
}

// compile has libLLVM compile a text; late is as that of object.
func (c *compiler) compile(ctx context.Context, text string, late func([]byte)) ([]byte, error) {
	collect(ctx)
	return c.library.Compile(ctx, text, libllvm.Options{Verify: c.verify, Background: isBackground(ctx), Late: late})
}

// unit compiles a function of products; late is as that of object.
func (c *compiler) unit(ctx context.Context, u gemm.Unit, late func([]byte)) ([]byte, error) {
	defer takePlace(ctx)()
	return c.compile(ctx, u.Text(), late)
}

// load calls a function that loads an object. Where the system has no room for it,
// the code that is kept for programs to come is dropped and the function called
// again; the error then wraps [backends.ErrExhausted].
func load[T any](s *shared, do func() (T, error)) (T, error) {
	x, err := do()
	if !errors.Is(err, native.ErrExhausted) {
		return x, err
	}
	s.mu.Lock()
	clear(s.codes)
	s.mu.Unlock()
	soa.Collect()
	if x, err = do(); errors.Is(err, native.ErrExhausted) {
		err = fmt.Errorf("%w: %w", backends.ErrExhausted, err)
	}
	return x, err
}

// loadKernels returns the code of kernels in an object that a compiler made of
// them, with their schedules.
func loadKernels(object []byte, kernels []*kernel.Kernel, schedules []*emit.Schedule) ([]kernel.Code, error) {
	image, err := native.Load(object)
	if err != nil {
		return nil, err
	}
	codes := make([]kernel.Code, len(kernels))
	for i, k := range kernels {
		if schedules[i] == nil {
			continue
		}
		f, ok := image.Kernel(emit.Symbol(k))
		if !ok {
			return nil, fmt.Errorf("llvm: the object has no kernel %s", emit.Symbol(k))
		}
		codes[i] = &code{kernel: k, schedule: schedules[i], entry: f}
	}
	return codes, nil
}
