package llvm

import (
	"context"
	"fmt"
	"sync"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/llvm/vector"
)

// units is the functions that products are made of, by name: each is compiled
// when the first product needs it, for all that follow.
type units struct {
	machine gemm.Machine
	// compile returns the object of a unit.
	compile func(ctx context.Context, u gemm.Unit) ([]byte, error)
	// failed is told why a product runs without its functions.
	failed func(error)

	mu   sync.Mutex
	all  map[string]native.Kernel
	errs map[string]error // why there is none
}

func newUnits(m vector.Machine, cpu native.CPU, compile func(context.Context, gemm.Unit) ([]byte, error), failed func(error)) *units {
	m.Splats = false // the same text for any libLLVM
	wide := m.Level >= vector.AVX512 && m.Level <= vector.AVX512BF16
	return &units{
		machine: gemm.Machine{Machine: m, VNNI: wide && cpu.Has("avx512vnni")},
		compile: compile, failed: failed,
		all: map[string]native.Kernel{}, errs: map[string]error{},
	}
}

// wrap lets the contractions among kernels run as products.
func (s *units) wrap(codes []kernel.Code, kernels []*kernel.Kernel) []kernel.Code {
	for i, c := range codes {
		if c == nil {
			continue
		}
		if p, ok := emit.AsProduct(kernels[i], s.machine); ok {
			codes[i] = &productKernel{c, p, s}
		}
	}
	return codes
}

// bind returns a plan with its functions.
func (s *units) bind(ctx context.Context, q *gemm.Plan) (*gemm.Product, error) {
	list := q.Units()
	return q.Bind(func(name string) (gemm.Code, error) {
		for _, u := range list {
			if u.Name == name {
				return s.get(ctx, u)
			}
		}
		return nil, fmt.Errorf("llvm: the plan has no unit %s", name)
	})
}

func (s *units) get(ctx context.Context, u gemm.Unit) (native.Kernel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.all[u.Name]; ok {
		return f, nil
	}
	if err, ok := s.errs[u.Name]; ok {
		return native.Kernel{}, err
	}
	f, err := s.load(ctx, u)
	switch {
	case err == nil:
		s.all[u.Name] = f
	case ctx.Err() == nil:
		s.errs[u.Name] = err
	}
	return f, err
}

func (s *units) load(ctx context.Context, u gemm.Unit) (native.Kernel, error) {
	object, err := s.compile(ctx, u)
	if err != nil {
		return native.Kernel{}, err
	}
	image, err := native.Load(object)
	if err != nil {
		return native.Kernel{}, err
	}
	f, ok := image.Kernel(u.Name)
	if !ok {
		return native.Kernel{}, fmt.Errorf("llvm: the object has no function %s", u.Name)
	}
	return f, nil
}
