package cuda

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"

	"ltc/backends/cuda/cublaslt"
	"ltc/backends/cuda/driver"
)

// take finds cuBLASLt's algorithm for a product, and reports whether there is one and the
// product is worth it, and how many bytes of memory it takes besides.
func (p *product) take(d *Device, log *slog.Logger) (besides int, ok bool) {
	l := &d.products
	if p.work < l.least {
		return 0, false
	}
	h := l.on(d, log)
	if h == nil {
		return 0, false
	}
	err := d.home.do(func() (err error) {
		p.algorithm, err = h.Algorithm(p.problem, mostBesides)
		return err
	})
	if err != nil && !errors.Is(err, cublaslt.NotSupported) {
		l.own(d, log, err)
	}
	return aligned(p.algorithm.Workspace), err == nil
}

// offer says that cuBLASLt would compute the product; "" if it is not worth it.
func (p *product) offer() string {
	if p.work < leastWork {
		return ""
	}
	return fmt.Sprintf("where cuBLASLt is found, that computes %v", &p.problem)
}

// libraryProduct is a product that cuBLASLt computes, as a runner queues it.
type libraryProduct struct {
	of       *product
	product  *cublaslt.Product
	operands cublaslt.Operands
}

// describe describes the product to the library, for a runner; nil if it takes no such
// description.
func (p *product) describe(r *runner) *libraryProduct {
	d, log := r.e.on.dev, r.e.of.o.Log()
	x, err := d.products.on(d, log).New(&p.problem, p.algorithm)
	if err != nil {
		d.products.own(d, log, err)
		return nil
	}
	runtime.AddCleanup(r, (*resource).drop, d.held.add(x.Destroy))
	return &libraryProduct{of: p, product: x}
}

// place finds out where the operands are, and whether the library can compute the
// product there.
func (x *libraryProduct) place(r *runner, s *step, at *addresses) bool {
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

// queueIn queues the product, and counts it unless n is nil.
func (x *libraryProduct) queueIn(in *driver.Stream, at *addresses, n *launches) error {
	x.operands = cublaslt.Operands{A: at[0], B: at[1], D: at[2], Bias: at[3], C: at[4], Workspace: at[5]}
	err := x.product.Queue(in.Handle(), &x.operands)
	if err == nil && n != nil {
		n.products.Add(1)
	}
	return err
}

// own says why the step's own kernel runs from now on.
func (x *libraryProduct) own(d *Device, log *slog.Logger, why error) {
	d.products.own(d, log, fmt.Errorf("%w: %v", why, &x.of.problem))
}
