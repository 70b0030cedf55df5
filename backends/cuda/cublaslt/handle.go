package cublaslt

import (
	"errors"
	"fmt"
	"unsafe"

	"ltc/backends/cuda/libraries"
	"ltc/internal/diag"
)

// Handle is the library on a device. It remembers which algorithms it has found.
type Handle struct {
	*Library
	handle uintptr
	found  libraries.Answers[query, Algorithm]
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

// Destroy gives the handle up.
func (h *Handle) Destroy() error { return h.fn.Set(destroy, new(libraries.Frame), h.handle) }

// Algorithm is how the library computes products of a shape.
type Algorithm struct {
	data [8]uint64 // NVIDIA's cublasLtMatmulAlgo_t
	// Workspace is how many bytes of the device's memory it takes besides.
	Workspace int
}

// heuristic is NVIDIA's cublasLtMatmulHeuristicResult_t.
type heuristic struct {
	algo      [8]uint64
	workspace uint64
	state     Status
	waves     float32
	reserved  [4]int32
}

// Attributes of preferences.
const (
	preferWorkspace = 1
	preferAlignA    = 5 // and B, C, D behind it
)

// Algorithm returns the algorithm that the library takes to be the fastest for a
// product, with at most so many bytes of memory besides. It asks the library once for
// each. An error that wraps [NotSupported] says that there is none.
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
		heuristic
	})
	f, r := &here.Frame, &here.heuristic
	if err := h.fn.Set(preferenceCreate, f, f.Result()); err != nil {
		return a, err
	}
	preference := uintptr(f.Out)
	defer func() { err = errors.Join(err, h.fn.Set(preferenceDestroy, f, preference)) }()
	if err := h.attribute(f, preferenceSet, preference, preferWorkspace, uint64(workspace), 8); err != nil {
		return a, err
	}
	for i := range 4 {
		if err := h.attribute(f, preferenceSet, preference, preferAlignA+i, uint64(p.Align), 4); err != nil {
			return a, err
		}
	}
	if x.biased {
		// Preferences say nothing of the bias, and an address that is not set yet is a
		// multiple of everything: this one is what Align promises, and no more.
		if err := h.attribute(&x.frame, descSet, x.desc, descBias, uint64(p.Align), 8); err != nil {
			return a, err
		}
	}
	f.Out = 0
	err = h.fn.Set(getHeuristic, f, h.handle, x.desc, x.layouts[0], x.layouts[1], x.layouts[3], x.layouts[2], preference, 1, uintptr(unsafe.Pointer(r)), f.Result())
	switch {
	case err != nil:
		return a, fmt.Errorf("%w: %v", err, p)
	case int32(f.Out) < 1 || r.state == NotSupported:
		return a, h.fn.Failed(getHeuristic, NotSupported, p.String())
	case r.state != Success:
		return a, h.fn.Failed(getHeuristic, r.state, p.String())
	case r.workspace > uint64(workspace):
		return a, h.fn.Failed(getHeuristic, NotSupported, fmt.Sprintf("%v takes %s besides, of at most %d", p, diag.Count(r.workspace, "byte"), workspace))
	}
	return Algorithm{r.algo, int(r.workspace)}, nil
}

// attribute sets an attribute of some bytes.
func (l *Library) attribute(f *libraries.Frame, e entry, of uintptr, number int, value uint64, bytes uintptr) error {
	f.In = value // numbers are little-endian on all processors that there are libraries for
	if err := l.fn.Set(e, f, of, uintptr(number), uintptr(unsafe.Pointer(&f.In)), bytes); err != nil {
		return fmt.Errorf("attribute %d: %w", number, err)
	}
	return nil
}
