package cuda

import (
	"errors"
	"fmt"
	"runtime"

	"ltc/backends/cuda/cublaslt"
	"ltc/backends/cuda/driver"
)

// take finds cuBLASLt's algorithm for a product.
func (p *product) take(d *Device) (besides int, ok bool) {
	l := &d.products
	if p.work < l.least {
		return 0, false
	}
	h := l.on(d)
	if h == nil {
		return 0, false
	}
	err := d.home.do(func() (err error) {
		p.algorithm, err = h.Algorithm(p.problem, mostBesides)
		return err
	})
	if err != nil && !errors.Is(err, cublaslt.NotSupported) {
		l.own(d, err)
	}
	return aligned(p.algorithm.Workspace), err == nil
}

func (p *product) offer() string {
	if p.work < leastWork {
		return ""
	}
	return fmt.Sprintf("where cuBLASLt is found, that computes %v", &p.problem)
}

// multiplied is a product as a runner queues it.
type multiplied struct {
	of       *product
	product  *cublaslt.Product
	operands cublaslt.Operands
	// refused is set when the library has not queued it: it is not asked again.
	refused bool
}

func (p *product) describe(r *runner) queued {
	d := r.e.on.dev
	x, err := d.products.on(d).New(&p.problem, p.algorithm)
	if err != nil {
		d.products.own(d, err)
		return nil
	}
	runtime.AddCleanup(r, (*resource).drop, d.held.add(x.Destroy))
	return &multiplied{of: p, product: x}
}

func (x *multiplied) queue(r *runner, s *step) bool {
	if x.refused {
		return false
	}
	var at [5]uint64
	for i, p := range x.of.operands {
		if p.operand < 0 {
			continue
		}
		at[i] = uint64(r.address(s, p.operand) + driver.Ptr(p.at*int64(s.sizes[p.operand])))
		if at[i]%productAlign != 0 {
			return false
		}
	}
	x.operands = cublaslt.Operands{A: at[0], B: at[1], D: at[2], Bias: at[3], C: at[4], Workspace: uint64(r.besides)}
	r.lock()
	if err := x.product.Queue(r.q.stream.Handle(), &x.operands); err != nil {
		x.refused = true
		d := r.e.on.dev
		d.products.own(d, fmt.Errorf("%w: %v", err, &x.of.problem))
		return false
	}
	r.e.on.launches.products.Add(1)
	return true
}
