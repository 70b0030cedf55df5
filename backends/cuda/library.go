package cuda

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"

	"ltc/backends/cuda/cublaslt"
	"ltc/backends/cuda/cudnn"
	"ltc/backends/cuda/driver"
)

// library is one of NVIDIA's on a device: cuBLASLt, or cuDNN. It is looked for when the
// first step is compiled that is worth it.
type library[H handle] struct {
	name, what string // the library, and what it computes
	none       error  // what an error of open wraps where there is none
	once       sync.Once
	open       func() (opener[H], error) // nil: there is none
	least      int64                     // multiplications: see leastWork
	handle     H                         // nil: there is none
}

// handle is a library that is open on a device.
type handle interface {
	comparable
	Destroy() error
}

// opener is a library.
type opener[H handle] interface {
	Create() (H, error)
	Path() string
	Version() string
}

// libraries are those of a device.
type libraries struct {
	products     library[*cublaslt.Handle]
	convolutions library[*cudnn.Handle]
}

func (l *libraries) init() {
	l.products.name, l.products.what, l.products.none, l.products.least = "cuBLASLt", "large products of matrices", cublaslt.ErrNotFound, leastWork
	l.convolutions.name, l.convolutions.what, l.convolutions.none, l.convolutions.least = "cuDNN", "large convolutions", cudnn.ErrNotFound, leastWork
}

// search has the libraries looked for that go with a driver for some major version of
// CUDA.
func (l *libraries) search(newest int) {
	l.products.open = func() (opener[*cublaslt.Handle], error) { return cublaslt.Open(newest) }
	l.convolutions.open = func() (opener[*cudnn.Handle], error) { return cudnn.Open(newest) }
}

// besides is how much memory a library's algorithms may take besides their operands:
// what NVIDIA advises for GPUs of sm_90, of which most take less.
const besides = 32 << 20

// UseLibrary has large products that are compiled from now on computed by a library. It
// is to be called before anything is compiled.
func (d *Device) UseLibrary(l *cublaslt.Library) {
	d.products.open = func() (opener[*cublaslt.Handle], error) { return l, nil }
}

// UseConvolutions has large convolutions that are compiled from now on computed by a
// library. It is to be called before anything is compiled.
func (d *Device) UseConvolutions(l *cudnn.Library) {
	d.convolutions.open = func() (opener[*cudnn.Handle], error) { return l, nil }
}

// on returns the library; nil if there is none, as a line of the log has said.
func (l *library[H]) on(d *Device) H {
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
		case errors.Is(err, l.none):
			slog.Info(l.what+" are computed by kernels of the backend's own", "device", d, "reason", err)
		case err != nil:
			slog.Warn(l.what+" are computed by kernels of the backend's own: "+l.name+" cannot be used", "device", d, "reason", err)
		default:
			slog.Debug(l.what+" are computed by "+l.name, "device", d, "path", lib.Path(), "version", lib.Version())
		}
	})
	return l.handle
}

func (l *library[H]) close(d *Device) error {
	var none H
	if l.handle == none {
		return nil
	}
	return d.home.do(l.handle.Destroy)
}

// taken reports whether a library computes a step.
func (s *step) taken() bool {
	return s.product != nil && s.product.taken || s.convolution != nil && s.convolution.taken
}

// take has libraries compute the steps that they have algorithms for and that are worth
// it, and finds out what follows.
func (x *code) take(d *Device) {
	x.besides = 0
	for i := range x.steps {
		s := &x.steps[i]
		if p := s.product; p != nil && p.work >= d.products.least {
			x.takeProduct(d, p)
		}
		if c := s.convolution; c != nil && c.work >= d.convolutions.least {
			x.takeConvolution(d, c)
		}
	}
	x.ready()
}

// takeProduct has the library compute a product, if it has an algorithm for it.
func (x *code) takeProduct(d *Device, p *product) {
	h := d.products.on(d)
	if h == nil {
		return
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
	x, err := d.products.on(d).New(&p.problem, p.algorithm)
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
