package llvm

import (
	"context"
	"fmt"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/env"
)

// Compiler makes machine code of kernels. Any number of goroutines may use it.
type Compiler struct {
	library *libllvm.Library
	machine vector.Machine
	units   *units
	// Verify has libLLVM check the code that it is given, for tests.
	Verify bool
}

var _ kernel.Compiler = (*Compiler)(nil)

// Open returns a compiler for this machine, with the libLLVM that is found.
func Open() (*Compiler, error) {
	l, err := libllvm.Open()
	if err != nil {
		return nil, err
	}
	cpu, err := host()
	if err != nil {
		return nil, err
	}
	return NewCompiler(l, cpu)
}

// host is the processor that code is made for: this one, or what a level that
// was asked for leaves of it.
func host() (native.CPU, error) {
	if level := env.CPULevel.Value(); level != "" {
		return native.Host().As(level)
	}
	return native.Host(), nil
}

// NewCompiler returns a compiler for a processor.
func NewCompiler(l *libllvm.Library, cpu native.CPU) (*Compiler, error) {
	m, err := MachineOf(cpu)
	if err != nil {
		return nil, err
	}
	m.Splats = l.Version().Major >= 19
	c := &Compiler{library: l, machine: m}
	c.units = newUnits(m, cpu, c.load, func(error) {})
	return c, nil
}

// load compiles a function of products for this process alone.
func (c *Compiler) load(ctx context.Context, u gemm.Unit) (native.Kernel, error) {
	object, err := c.unit(ctx, u)
	if err != nil {
		return native.Kernel{}, err
	}
	return loadUnit(object, u)
}

// unit compiles a function of products.
func (c *Compiler) unit(ctx context.Context, u gemm.Unit) ([]byte, error) {
	return c.library.Compile(ctx, u.Text(), libllvm.Options{Verify: c.Verify})
}

// MachineOf returns what code for a processor is written for.
func MachineOf(cpu native.CPU) (vector.Machine, error) {
	level, ok := vector.ParseLevel(cpu.Level())
	if !ok {
		return vector.Machine{}, fmt.Errorf("llvm: no code for processors of level %q", cpu.Level())
	}
	return vector.Machine{Level: level}, nil
}

// Compile returns the code of each kernel, nil for those that are left to
// slower ways. Equal kernels share their code.
func (c *Compiler) Compile(ctx context.Context, kernels []*kernel.Kernel) ([]kernel.Code, error) {
	object, schedules, err := c.object(ctx, kernels)
	if err != nil || object == nil {
		return make([]kernel.Code, len(kernels)), err
	}
	codes, err := LoadObject(object, kernels, schedules)
	if err != nil {
		return nil, err
	}
	return c.units.wrap(codes, kernels), nil
}

// object compiles kernels; nil if there is nothing to compile.
func (c *Compiler) object(ctx context.Context, kernels []*kernel.Kernel) ([]byte, []*emit.Schedule, error) {
	text, schedules := emit.Module(kernels, c.machine)
	if text == "" {
		return nil, nil, nil
	}
	object, err := c.library.Compile(ctx, text, libllvm.Options{Verify: c.Verify})
	return object, schedules, err
}

// Text returns the module that kernels are compiled as: what an object depends
// on besides the library. It is empty if there is nothing to compile.
func (c *Compiler) Text(kernels []*kernel.Kernel) string {
	text, _ := emit.Module(kernels, c.machine)
	return text
}

// LoadObject returns the code of kernels in an object that [Compiler.Compile]
// would make for them, with their schedules.
func LoadObject(object []byte, kernels []*kernel.Kernel, schedules []*emit.Schedule) ([]kernel.Code, error) {
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
