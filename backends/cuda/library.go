package cuda

import (
	"errors"
	"log/slog"
	"sync"

	"ltc/backends/cuda/cublaslt"
	"ltc/backends/cuda/cudnn"
	"ltc/backends/cuda/driver"
)

// library is one of NVIDIA's on a device: cuBLASLt, or cuDNN. It is looked for when the
// first step is compiled that is worth it.
type library[H handle] struct {
	name, what string // the library, and what is one that it computes
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
	l.products.name, l.products.what, l.products.none, l.products.least = "cuBLASLt", "product of matrices", cublaslt.ErrNotFound, leastWork
	l.convolutions.name, l.convolutions.what, l.convolutions.none, l.convolutions.least = "cuDNN", "convolution", cudnn.ErrNotFound, leastWork
}

// search has the libraries looked for that go with a driver for some major version of
// CUDA.
func (l *libraries) search(newest int) {
	l.products.open = func() (opener[*cublaslt.Handle], error) { return cublaslt.Open(newest) }
	l.convolutions.open = func() (opener[*cudnn.Handle], error) { return cudnn.Open(newest) }
}

// mostBesides is how much memory a library's algorithms may take besides their operands:
// what NVIDIA advises for GPUs of sm_90, of which most take less.
const mostBesides = 32 << 20

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
			slog.Info("each large "+l.what+" is computed by a kernel of the backend's own", "device", d, "reason", err)
		case err != nil:
			slog.Warn("each large "+l.what+" is computed by a kernel of the backend's own: "+l.name+" cannot be used", "device", d, "reason", err)
		default:
			slog.Debug("each large "+l.what+" is computed by "+l.name, "device", d, "path", lib.Path(), "version", lib.Version())
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

// own says why a kernel of the backend's own computes what the library was to.
func (l *library[H]) own(d *Device, why error) {
	slog.Warn("a "+l.what+" is computed by a kernel of the backend's own", "device", d, "reason", why)
}

// libraryStep is a step that a library may compute.
type libraryStep interface {
	// take finds the library's algorithm for the step, and reports whether there is one
	// and the step is worth it, and how many bytes of memory it takes besides.
	take(*Device) (besides int, ok bool)
	// describe describes it to the library, for a runner; nil if it takes no such
	// description.
	describe(*runner) queued
	// offer says what which library would compute; "" if the step is not worth it.
	offer() string
}

// queued is such a step as it is queued.
type queued interface {
	// place finds out where the operands are, and whether the library can compute the
	// step there.
	place(*runner, *step, *addresses) bool
	// queueIn queues it, and counts what it queues unless that is nil.
	queueIn(*driver.Stream, *addresses, *launches) error
	// own says why the step's own kernel runs from now on.
	own(*Device, error)
}

// take has libraries compute the steps that they have algorithms for and that are worth
// it.
func (x *code) take(d *Device) {
	x.besides = 0
	for i := range x.steps {
		s := &x.steps[i]
		if s.library == nil {
			continue
		}
		n, ok := s.library.take(d)
		if s.taken = ok; ok {
			x.besides = max(x.besides, n)
		}
	}
}
