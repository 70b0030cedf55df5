package cublaslt

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// Handle is the library on a device. It remembers which algorithms it has found.
type Handle struct {
	*Library
	handle uintptr
	mu     sync.Mutex
	found  map[query]answer
}

// query is what is remembered, and answer what of it.
type query struct {
	Problem
	workspace int
}

type answer struct {
	a   Algorithm
	err error
}

// remembered is how many shapes a handle remembers: then it begins anew.
const remembered = 4096

// Create makes a handle for the device whose context is current.
func (l *Library) Create() (*Handle, error) {
	f := new(frame)
	if err := l.set(create, f, f.result()); err != nil {
		return nil, err
	}
	return &Handle{Library: l, handle: uintptr(f.out), found: map[query]answer{}}, nil
}

// Destroy gives the handle up.
func (h *Handle) Destroy() error { return h.set(destroy, new(frame), h.handle) }

func (f *frame) result() uintptr { return uintptr(unsafe.Pointer(&f.out)) }

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
	q := query{p, workspace}
	h.mu.Lock()
	defer h.mu.Unlock()
	x, known := h.found[q]
	if !known {
		x.a, x.err = h.ask(&p, workspace)
		if len(h.found) == remembered {
			clear(h.found)
		}
		h.found[q] = x
	}
	return x.a, x.err
}

func (h *Handle) ask(p *Problem, workspace int) (a Algorithm, err error) {
	x, err := h.New(p, Algorithm{})
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, x.Destroy()) }()
	// On the heap as one, as the library writes to both.
	here := new(struct {
		frame
		heuristic
	})
	f, r := &here.frame, &here.heuristic
	if err := h.set(preferenceCreate, f, f.result()); err != nil {
		return a, err
	}
	preference := uintptr(f.out)
	defer func() { err = errors.Join(err, h.set(preferenceDestroy, f, preference)) }()
	if err := f.attribute(h.Library, preferenceSet, preference, preferWorkspace, uint64(workspace), 8); err != nil {
		return a, err
	}
	for i := range 4 {
		if err := f.attribute(h.Library, preferenceSet, preference, preferAlignA+i, uint64(p.Align), 4); err != nil {
			return a, err
		}
	}
	if x.biased {
		// Preferences say nothing of the bias, and an address that is not set yet is a
		// multiple of everything: this one is what Align promises, and no more.
		if err := x.attribute(h.Library, descSet, x.desc, descBias, uint64(p.Align), 8); err != nil {
			return a, err
		}
	}
	f.out = 0
	err = h.set(getHeuristic, f, h.handle, x.desc, x.layouts[0], x.layouts[1], x.layouts[3], x.layouts[2], preference, 1, uintptr(unsafe.Pointer(r)), f.result())
	switch {
	case err != nil:
		return a, fmt.Errorf("%w: %v", err, p)
	case int32(f.out) < 1 || r.state == NotSupported:
		return a, &Error{Call: entries[getHeuristic].Name, Status: NotSupported, What: p.String()}
	case r.state != Success:
		return a, &Error{Call: entries[getHeuristic].Name, Status: r.state, What: p.String()}
	case r.workspace > uint64(workspace):
		return a, &Error{Call: entries[getHeuristic].Name, Status: NotSupported, What: fmt.Sprintf("%v takes %d bytes besides, of at most %d", p, r.workspace, workspace)}
	}
	return Algorithm{r.algo, int(r.workspace)}, nil
}

// attribute sets an attribute of some bytes.
func (f *frame) attribute(l *Library, e entry, of uintptr, number int, value uint64, bytes uintptr) error {
	f.in = value // numbers are little-endian on all processors that there are libraries for
	if err := l.set(e, f, of, uintptr(number), uintptr(unsafe.Pointer(&f.in)), bytes); err != nil {
		return fmt.Errorf("attribute %d: %w", number, err)
	}
	return nil
}
