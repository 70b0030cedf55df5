package cuda

import (
	"errors"
	"log/slog"
	"sync"

	"ltc/backends/cuda/cublaslt"
)

// library is cuBLASLt on a device. It is looked for when the first product is compiled
// that is worth it.
type library struct {
	once   sync.Once
	open   func() (opener, error) // nil: there is none
	least  int64                  // multiplications: see leastWork
	handle *cublaslt.Handle       // nil: there is none
}

// opener is a library that can be opened on a device.
type opener interface {
	Create() (*cublaslt.Handle, error)
	Path() string
	Version() string
}

// search makes the library one that the system has, for a driver whose major version of CUDA
// is newest. It is looked for when it is needed.
func (l *library) search(newest int) {
	l.open = func() (opener, error) { return cublaslt.Open(newest) }
}

// mostBesides is how much memory a library's algorithms may take besides their operands:
// what NVIDIA advises for GPUs of sm_90, of which most take less.
const mostBesides = 32 << 20

// UseLibrary has large products that are compiled from now on computed by a library. It
// is to be called before anything is compiled.
func (d *Device) UseLibrary(l *cublaslt.Library) {
	d.products.open = func() (opener, error) { return l, nil }
}

// on returns the library; nil if there is none, as a line of the log has said.
func (l *library) on(d *Device, log *slog.Logger) *cublaslt.Handle {
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
			log.Info("each large product of matrices is computed by a kernel of the backend's own", "device", d, "reason", err)
		case err != nil:
			log.Warn("each large product of matrices is computed by a kernel of the backend's own: cuBLASLt cannot be used", "device", d, "reason", err)
		default:
			log.Debug("each large product of matrices is computed by cuBLASLt", "device", d, "path", lib.Path(), "version", lib.Version())
		}
	})
	return l.handle
}

// own says why a kernel of the backend's own computes what the library was to.
func (l *library) own(d *Device, log *slog.Logger, why error) {
	log.Warn("a product of matrices is computed by a kernel of the backend's own", "device", d, "reason", why)
}

// take has the library compute the steps that it has algorithms for and that are worth
// it.
func (x *code) take(d *Device) {
	x.besides = 0
	for i := range x.steps {
		s := &x.steps[i]
		if s.product == nil {
			continue
		}
		n, ok := s.product.take(d, x.of.o.Log())
		if s.taken = ok; ok {
			x.besides = max(x.besides, n)
		}
	}
}
