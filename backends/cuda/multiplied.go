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

// multiplied is a product as it is queued.
type multiplied struct {
	of       *product
	product  *cublaslt.Product
	operands cublaslt.Operands
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

func (x *multiplied) place(r *runner, s *step, at *addresses) bool {
	for i, p := range x.of.operands {
		if p.operand < 0 {
			continue
		}
		at[i] = uint64(r.address(s, p.operand) + driver.Ptr(p.at*int64(s.sizes[p.operand])))
		if at[i]%productAlign != 0 {
			return false
		}
	}
	at[5] = uint64(r.besides)
	return true
}

func (x *multiplied) queueIn(in *driver.Stream, at *addresses, n *launches) error {
	x.operands = cublaslt.Operands{A: at[0], B: at[1], D: at[2], Bias: at[3], C: at[4], Workspace: at[5]}
	err := x.product.Queue(in.Handle(), &x.operands)
	if err == nil && n != nil {
		n.products.Add(1)
	}
	return err
}

func (x *multiplied) own(d *Device, why error) {
	d.products.own(d, fmt.Errorf("%w: %v", why, &x.of.problem))
}
