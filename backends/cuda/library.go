package cuda

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"

	"ltc/backends/cuda/cublaslt"
	"ltc/backends/cuda/driver"
)

// library is cuBLASLt on a device. It is looked for when the first product is compiled
// that is worth it.
type library struct {
	once   sync.Once
	open   func() (*cublaslt.Library, error) // nil: there is none
	least  int64                             // multiplications: see leastWork
	handle *cublaslt.Handle                  // nil: there is none
}

// besides is how much memory the library's algorithms may take besides the matrices:
// what NVIDIA advises for GPUs of sm_90, of which most take less.
const besides = 32 << 20

// UseLibrary has large products that are compiled from now on computed by a library. It
// is to be called before anything is compiled.
func (d *Device) UseLibrary(l *cublaslt.Library) {
	d.products.open = func() (*cublaslt.Library, error) { return l, nil }
}

// library returns the library; nil if there is none, as a line of the log has said.
func (d *Device) library() *cublaslt.Handle {
	l := &d.products
	l.once.Do(func() {
		if l.open == nil {
			return
		}
		lib, err := l.open()
		if err == nil {
			err = d.home.do(func() error {
				l.handle, err = lib.Create()
				return err
			})
		}
		switch {
		case errors.Is(err, cublaslt.ErrNotFound):
			slog.Info("large products of matrices are computed by kernels of the backend's own", "device", d, "reason", err)
		case err != nil:
			slog.Warn("large products of matrices are computed by kernels of the backend's own: cuBLASLt cannot be used", "device", d, "reason", err)
		default:
			slog.Debug("large products of matrices are computed by cuBLASLt", "device", d, "path", lib.Path(), "version", lib.Version())
		}
	})
	return l.handle
}

func (l *library) close(d *Device) error {
	if l.handle == nil {
		return nil
	}
	return d.home.do(l.handle.Destroy)
}

// taken reports whether the library computes a step.
func (s *step) taken() bool { return s.product != nil && s.product.taken }

// takeProducts has the library compute the products that it has algorithms for and
// that are worth it, and finds out what follows.
func (x *code) takeProducts(d *Device) {
	x.besides = 0
	for i := range x.steps {
		p := x.steps[i].product
		if p == nil || p.work < d.products.least {
			continue
		}
		h := d.library()
		if h == nil {
			break
		}
		err := d.home.do(func() (err error) {
			p.algorithm, err = h.Algorithm(p.problem, besides)
			return err
		})
		switch {
		case err == nil:
			p.taken = true
			x.besides = max(x.besides, aligned(p.algorithm.Workspace))
		case !errors.Is(err, cublaslt.NotSupported):
			slog.Warn("a product of matrices is computed by a kernel of the backend's own", "device", d, "reason", err)
		}
	}
	x.ready()
}

// queued is a product as a runner queues it.
type queued struct {
	of       *product
	product  *cublaslt.Product
	operands cublaslt.Operands
	// refused is set when the library has not queued it: it is not asked again.
	refused bool
}

// newQueued describes a product to the library; nil if it takes no such description.
func (r *runner) newQueued(p *product) *queued {
	d := r.e.on.dev
	x, err := d.library().New(&p.problem, p.algorithm)
	if err != nil {
		slog.Warn("a product of matrices is computed by a kernel of the backend's own", "device", d, "reason", err)
		return nil
	}
	runtime.AddCleanup(r, (*resource).drop, d.held.add(x.Destroy))
	return &queued{of: p, product: x}
}

// multiply queues a product, if the library can at the addresses that its operands have.
func (r *runner) multiply(s *step, x *queued) bool {
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
		slog.Warn("a product of matrices is computed by a kernel of the backend's own", "device", r.e.on.dev, "reason", fmt.Errorf("%w: %v", err, &x.of.problem))
		return false
	}
	r.e.on.launches.products.Add(1)
	return true
}
