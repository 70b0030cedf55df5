package cudnn

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"ltc/backends/cuda/libraries"
)

// Handle is the library on a device. It remembers which algorithms it has found.
type Handle struct {
	*Library
	handle uintptr
	// queuing is held while the handle's stream is one of them: it has one at a time.
	queuing sync.Mutex
	found   libraries.Answers[query, Algorithm]
}

// query is what is remembered.
type query struct {
	Problem
	workspace int
}

// Create makes a handle for the device whose context is current.
func (l *Library) Create() (*Handle, error) {
	f := new(libraries.Frame)
	if err := l.fn.Set(create, f, f.Result()); err != nil {
		return nil, err
	}
	return &Handle{Library: l, handle: uintptr(f.Out)}, nil
}

// Destroy gives the handle up, and waits for all that the device does.
func (h *Handle) Destroy() error { return h.fn.Set(destroy, new(libraries.Frame), h.handle) }

// Algorithm is how the library computes convolutions of a shape.
type Algorithm struct {
	number int32 // NVIDIA's cudnnConvolutionFwdAlgo_t
	// Workspace is how many bytes of the device's memory it takes besides.
	Workspace int
}

// performance is NVIDIA's cudnnConvolutionFwdAlgoPerf_t.
type performance struct {
	algorithm   int32
	status      Status
	time        float32
	_           int32
	memory      uint64
	determinism int32
	math        int32
	reserved    [3]int32
	_           int32
}

// Algorithms by NVIDIA's numbers: those up to direct add up products, one for each place
// of the window. Behind it are those by Fourier transforms and by Winograd's, which
// round otherwise, and for which an infinity, or a NaN, reaches results whose windows it
// is not in.
const (
	direct     = 3
	algorithms = 8

	deterministic = 1
)

// Algorithm returns the algorithm that the library takes to be the fastest for a
// convolution, of those that add up its products in the same order each time, with at
// most so many bytes of memory besides. It asks the library once for each. An error that
// wraps [NotSupported] says that there is none.
func (h *Handle) Algorithm(p Problem, workspace int) (Algorithm, error) {
	return h.found.To(query{p, workspace}, func() (Algorithm, error) { return h.ask(&p, workspace) })
}

func (h *Handle) ask(p *Problem, workspace int) (a Algorithm, err error) {
	x, err := h.New(p, Algorithm{})
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, x.Destroy()) }()
	// On the heap as one, as the library writes to both.
	here := new(struct {
		libraries.Frame
		all [algorithms]performance
	})
	f := &here.Frame
	err = h.fn.Set(getAlgorithms, f, h.handle, x.x, x.w, x.desc, x.y, algorithms, f.Result(), uintptr(unsafe.Pointer(&here.all)))
	if err != nil {
		return a, fmt.Errorf("%w: %v", err, p)
	}
	for _, r := range here.all[:min(int(int32(f.Out)), algorithms)] {
		if r.status != Success || r.determinism != deterministic || r.algorithm < 0 || r.algorithm > direct {
			continue
		}
		// What it takes with the numbers that p allows, which may not be r's.
		f.Out = 0
		switch err := h.fn.Set(getWorkspace, f, h.handle, x.x, x.w, x.desc, x.y, uintptr(r.algorithm), f.Result()); {
		case errors.Is(err, NotSupported):
			continue
		case err != nil:
			return a, fmt.Errorf("%w: %v", err, p)
		case f.Out <= uint64(workspace):
			return Algorithm{r.algorithm, int(f.Out)}, nil
		}
	}
	return a, h.fn.Failed(getAlgorithms, NotSupported, p.String())
}
