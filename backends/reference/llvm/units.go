package llvm

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"ltc/backends"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/llvm/vector"
)

// units is the functions that products are made of, by name: each is compiled
// when the first product needs it, for all that follow.
type units struct {
	machine gemm.Machine
	// compile returns the code of a unit.
	compile func(ctx context.Context, u gemm.Unit) (native.Kernel, error)
	// has reports whether compile needs no libLLVM for a unit, or there is one.
	has func(ctx context.Context, u gemm.Unit) bool
	// failed is told why a product runs without its functions.
	failed func(error)

	mu  sync.Mutex
	all map[string]*unit
}

// unit is a function that is there, or is being made until done is closed.
type unit struct {
	done chan struct{}
	code native.Kernel
	err  error
}

func newUnits(m vector.Machine, cpu native.CPU, compile func(context.Context, gemm.Unit) (native.Kernel, error), has func(context.Context, gemm.Unit) bool, failed func(error)) *units {
	m.Splats = false // the same text for any libLLVM
	wide := m.Level >= vector.AVX512 && m.Level <= vector.AVX512BF16
	return &units{
		machine: gemm.Machine{Machine: m, VNNI: wide && cpu.Has("avx512vnni"), L2: cpu.L2()},
		compile: compile, has: has, failed: failed,
		all: map[string]*unit{},
	}
}

// there reports whether a plan's functions are at hand or can be made.
func (s *units) there(ctx context.Context, q *gemm.Plan) bool {
	for _, u := range q.Units() {
		if !s.has(ctx, u) {
			return false
		}
	}
	return true
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
	x, ok := s.all[u.Name]
	if !ok {
		x = &unit{done: make(chan struct{})}
		s.all[u.Name] = x
	}
	s.mu.Unlock()
	if !ok {
		x.code, x.err = s.compile(ctx, u)
		if ctx.Err() != nil || errors.Is(x.err, backends.ErrExhausted) { // somebody else may have the time, or the room
			s.mu.Lock()
			delete(s.all, u.Name)
			s.mu.Unlock()
		}
		close(x.done)
		return x.code, x.err
	}
	select {
	case <-x.done:
		if errors.Is(x.err, context.Canceled) || errors.Is(x.err, context.DeadlineExceeded) {
			return s.get(ctx, u)
		}
		return x.code, x.err
	case <-ctx.Done():
		return native.Kernel{}, context.Cause(ctx)
	}
}

// made reports whether a function is there.
func (s *units) made(u gemm.Unit) bool {
	s.mu.Lock()
	x := s.all[u.Name]
	s.mu.Unlock()
	if x == nil {
		return false
	}
	select {
	case <-x.done:
		return x.err == nil
	default:
		return false
	}
}

// keep keeps a function that was made after nobody waited for it.
func (s *units) keep(u gemm.Unit, code native.Kernel) {
	x := &unit{done: make(chan struct{}), code: code}
	close(x.done)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[u.Name] == nil {
		s.all[u.Name] = x
	}
}

// ahead makes functions that most launches of these products need, while
// kernels are being compiled, if there is a thread for it. What goes wrong is
// told to those who need them.
func (s *units) ahead(ctx context.Context, products []*emit.Product) {
	if runtime.GOMAXPROCS(0) == 1 {
		return
	}
	var list []gemm.Unit
	for _, p := range products {
		if q, err := gemm.New(p.Nominal(), s.machine); err == nil {
			list = append(list, q.Units()...)
		}
	}
	if len(list) > 0 {
		go func() {
			for _, u := range list {
				_, _ = s.get(ctx, u)
			}
		}()
	}
}

// loadUnit returns the code of a unit in an object.
func loadUnit(object []byte, u gemm.Unit) (native.Kernel, error) {
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
