package reference

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/plan"
	"ltc/backends/kit/stages"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/internal/spectral"
	"ltc/internal/env"
	"ltc/soa"
)

// name is the backend's.
const name = "cpu"

func init() {
	backends.Register(name, open)
	if err := spectral.Register(); err != nil {
		panic(err) // another package has the names
	}
}

// Backend is the CPU that the process runs on.
type Backend struct{ backends.NotImplemented }

func open(device string) (backends.Backend, error) {
	if device != "" && device != "0" {
		return nil, fmt.Errorf("no device %q: the only one is 0", device)
	}
	return new(Backend), nil
}

// Name is cpu.
func (b *Backend) Name() string { return name }

// Devices returns the one CPU, with the memory that the process may use. Its
// properties are its architecture, arch, and what makes code of kernels, compiler:
// "LLVM 19.1.7", or "none: plain Go".
func (b *Backend) Devices() []backends.Device {
	of := map[string]string{"arch": runtime.GOARCH, "compiler": compilerName()}
	return []backends.Device{{Name: name, Memory: soa.Limit(), Properties: of}}
}

// Compile makes kernels of the module. A program that cannot be compiled is the
// evaluator's.
func (b *Backend) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	compilers.Lock()
	use := compilers.fastest
	compilers.Unlock()
	defer releasePages(use)
	use = append(use[:len(use):len(use)], plainOf(use))
	ctx = backends.WithLogger(ctx, &o)
	if inexact := o.Tiers || env.Tiers.On(); inexact || env.Tiers.Value() == "" {
		ctx = withDeferral(ctx, &deferral{inexact: inexact})
	}
	plans := plansFor(m, o, use)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if kept := plans.get(ctx); kept != nil {
		return kept.compile(ctx, m, o, use)
	}
	p, err := backends.LoadOpen(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if len(p.Lacking) > 0 {
		return eval.Prepare(ctx, name, p)
	}
	var e backends.Executable
	if p.Signature.Open() {
		e, err = compileSized(ctx, m, o, p, use)
	} else {
		e, err = compileKernels(ctx, p, o, use)
	}
	var left []backends.Fallback
	switch {
	case err == nil:
		kernels := e.(kernelExecutable)
		left = kernels.Program().Fallbacks()
		plans.keep(kernels.kept())
	case errors.Is(err, kit.ErrNotCompiled):
		e, left, err = stages.CompileFallback(ctx, b.target(m, o), m, o, err)
	}
	if err == nil {
		err = backends.ReportFallbacks(name, m, o, left)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// kernelExecutable is an executable of kernels.
type kernelExecutable interface {
	Program() *plan.Program
	kept() keptPlan
}

// target is what a program that has no plan as a whole is compiled for.
func (b *Backend) target(m backends.Module, o backends.Options) stages.Target {
	whole := func(ctx context.Context) (backends.Executable, error) {
		p, err := backends.LoadOpen(ctx, m, o)
		if err != nil {
			return nil, err
		}
		return eval.Prepare(ctx, name, p)
	}
	return stages.Target{Backend: b, On: &machine, Whole: whole}
}
