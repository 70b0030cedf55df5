// Package gputext registers the backend gputext: the evaluator, but each program is
// compiled for GPUs first, of sm_80 and of sm_90, on drivers that stand in for NVIDIA's.
// So the assembler sees, in make ptxas, what examples and benchmarks emit that is too
// large for an interpreter of kernels. It is for tests. Its central type is [Backend].
//
// The package imports only ltc/backends, ltc/internal/test/cudafake, ltc/internal/test/cudasim and
// the standard library.
package gputext

import (
	"context"
	"fmt"
	"sync"

	"ltc/backends"
	"ltc/internal/test/cudafake"
	"ltc/internal/test/cudasim"
)

func init() {
	backends.Register("gputext", func(string) (backends.Backend, error) {
		gpus, err := drivers()
		if err != nil {
			return nil, err
		}
		eval, err := backends.Open("eval")
		if err != nil {
			return nil, err
		}
		return &Backend{eval, gpus}, nil
	})
}

// drivers opens one GPU of each kind, once: a process can have 16 drivers at most.
var drivers = sync.OnceValues(func() (all []*cudasim.Backend, err error) {
	for _, major := range []int{8, 9} {
		b, err := cudasim.Open(cudafake.Options{Major: major, Memory: 1 << 40})
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
})

// Backend runs programs by the evaluator.
type Backend struct {
	backends.Backend
	gpus []*cudasim.Backend
}

// Name is gputext.
func (b *Backend) Name() string { return "gputext" }

// Compile compiles a program for GPUs, and then for the evaluator, which runs it.
func (b *Backend) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	if err := b.Text(ctx, m, o); err != nil {
		return nil, err
	}
	return b.Backend.Compile(ctx, m, o)
}

// Text compiles a program for GPUs alone.
func (b *Backend) Text(ctx context.Context, m backends.Module, o backends.Options) error {
	for _, gpu := range b.gpus {
		if _, err := gpu.Compile(ctx, m, o); err != nil {
			return fmt.Errorf("for %s: %w", gpu.Devices()[0].Properties["target"], err)
		}
	}
	return nil
}
