package reference

import (
	"context"
	"sync"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/tiles"
)

// sortKernel names a kernel that a sort has for its keys: of [firstKeysKernel], or of [passesOf].
type sortKernel struct {
	block   int // elements of a block; 0: it is one of passes
	n, keep int // of passes: places of a row, 0 if a launch says how many, and how many are kept
}

// kernel returns the kernel, for keys in an order.
func (k sortKernel) kernel(o *sortOrder) *kernel.Kernel {
	if k.block > 0 {
		return firstKeysKernel(o, k.block)
	}
	return passesOf(o, k.n, k.keep)
}

// sizes sets the run-time sizes of the kernel, for so many rows of n elements, and returns them.
func (k sortKernel) sizes(to *[2]int64, rows, n int) []int64 {
	to[0], to[1] = int64(rows), int64(n)
	if k.block == 0 && k.n == 0 {
		return to[:]
	}
	return to[:1]
}

// sortKernels compiles the kernels of a sort, each when sizes first need it.
type sortKernels struct {
	compilers []kernel.Compiler
	mu        sync.Mutex
	codes     map[sortKernel]kernel.Code
}

// get returns the code of a kernel; nil where loops in Go are faster.
func (s *sortKernels) get(ctx context.Context, k sortKernel, o *sortOrder) (kernel.Code, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	code, ok := s.codes[k]
	if ok {
		return code, nil
	}
	code, err := s.compile(ctx, k, o)
	if err != nil {
		return nil, err
	}
	if s.codes == nil {
		s.codes = map[sortKernel]kernel.Code{}
	}
	s.codes[k] = code
	return code, nil
}

func (s *sortKernels) compile(ctx context.Context, k sortKernel, o *sortOrder) (kernel.Code, error) {
	for _, c := range s.compilers {
		if _, plain := c.(tiles.Compiler); plain {
			return nil, nil
		}
		codes, err := c.Compile(ctx, []*kernel.Kernel{k.kernel(o)})
		if err != nil {
			return nil, err
		}
		if codes[0] != nil {
			return codes[0], nil
		}
	}
	return nil, nil
}

// rowsCode is code of a kernel of rows, prepared for sizes.
type rowsCode struct {
	kernel.Code // nil: loops in Go are faster
	of          sortKernel
	size        [2]int64
	step        [1]int64
}

// fit prepares the code of kernel k for so many rows of n elements.
func (r *rowsCode) fit(ctx context.Context, all *sortKernels, k sortKernel, o *sortOrder, rows, n int) error {
	code, err := all.get(ctx, k, o)
	if err != nil {
		return err
	}
	last := r.Code
	if r.of != k {
		last = nil
	}
	r.of, r.Code = k, code
	if p, ok := code.(kernel.Preparer); ok {
		r.step[0] = int64(n)
		r.Code, err = p.Prepare(ctx, k.sizes(&r.size, rows, n), r.step[:], last)
	}
	return err
}

// scratch returns the bytes of scratch memory that a launch of so many rows of n elements needs.
func (r *rowsCode) scratch(rows, n int) int {
	var size [2]int64
	return r.Scratch(r.of.sizes(&size, rows, n), 1)
}
