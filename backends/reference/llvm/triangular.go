package llvm

import (
	"context"
	"errors"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/llvm/triangular"
)

// CompileTriangular implements [kernel.TriangularCompiler]. Where there is no libLLVM, and no
// cached code, steps are left to plain Go.
func (s *shared) CompileTriangular(ctx context.Context, t kernel.Triangular) (kernel.Preparer, error) {
	if !s.canCompile(ctx) {
		return nil, nil
	}
	u := triangular.Of(&t, s.units.machine.Machine)
	entry, ok, err := s.claimedUnit(ctx, gemm.NewUnit(u.Name(), s.units.machine, u.Text))
	if !ok {
		return nil, err
	}
	return &triangularCode{t, u, entry}, nil
}

// canCompile starts the compiler, and reports whether there is one or cached code.
func (s *shared) canCompile(ctx context.Context) bool {
	if l := backends.LoggerOf(ctx); l != nil {
		s.logger.Store(l)
	}
	s.once.Do(s.start)
	return s.none == nil
}

// claimedUnit returns the function of a claimed step. Without it, plain Go is to run the step if err is nil.
func (s *shared) claimedUnit(ctx context.Context, u gemm.Unit) (entry native.Kernel, ok bool, err error) {
	entry, err = s.units.get(ctx, u)
	switch {
	case err == nil:
		return entry, true, nil
	case ctx.Err() != nil:
		return entry, false, context.Cause(ctx)
	case errors.Is(err, backends.ErrExhausted):
		return entry, false, err
	}
	s.warn(err)
	return entry, false, nil
}

// triangularCode is the machine code of a factor or a system.
type triangularCode struct {
	kernel.Triangular
	unit  triangular.Unit
	entry native.Kernel
}

// Prepare implements [kernel.Preparer].
func (c *triangularCode) Prepare(_ context.Context, sizes, _ []int64, last kernel.Code) (kernel.Code, error) {
	p, ok := last.(*triangularCode)
	if !ok {
		p = &triangularCode{c.Triangular, c.unit, c.entry}
	}
	p.Resize(sizes)
	return p, nil
}

// strips is how many strips of right sides a matrix has.
func (c *triangularCode) strips() int { return (c.Sides + c.unit.Lanes() - 1) / c.unit.Lanes() }

// items is how many matrices there are to factor, or strips of all of them to solve.
func (c *triangularCode) items() int64 {
	switch {
	case c.N == 0:
		return 0
	case c.Solve:
		return int64(c.Count) * int64(c.strips())
	}
	return int64(c.Count)
}

// cost is about how many nanoseconds an item takes.
func (c *triangularCode) cost() float64 {
	const flop, element = 0.03, 0.5
	n := float64(c.N)
	if c.Solve {
		return flop*n*n*float64(c.unit.Lanes()) + element*n*float64(c.unit.Lanes())
	}
	return flop*n*n*n/3 + element*n*n
}

// Parts returns how many parts of enough work there are.
func (c *triangularCode) Parts(_ []int64, threads int) int {
	if threads <= 1 {
		return 1
	}
	return partsOf(float64(c.items()), c.cost(), threads)
}

// partsOf returns how many parts of enough work there are of items that cost so much each.
func partsOf(items, cost float64, threads int) int {
	parts := min(items, float64(threads*partsPerThread), items*cost/partCost)
	if parts < fewParts && parts < items {
		return 1
	}
	return max(int(parts), 1)
}

// IsShort implements [kernel.ShortLauncher].
func (c *triangularCode) IsShort([]int64) bool { return float64(c.items())*c.cost() < wakeCost }

// argsBytes is the memory of an argument block.
const argsBytes = 128

// Scratch is for the arguments, and a matrix or a strip with rows and columns to spare.
func (c *triangularCode) Scratch([]int64, int) int {
	if c.items() == 0 {
		return 0
	}
	return argsBytes + c.unit.WorkBytes(c.N)
}

// ResidentBytes is what the description takes: the machine code is for all programs.
func (c *triangularCode) ResidentBytes() int { return scheduleBytes }

// Run factors the matrices of a part, or solves its strips.
func (c *triangularCode) Run(call *kernel.Call) error {
	from, to := call.Share(c.items())
	switch {
	case from == to:
		return nil
	case c.Solve:
		c.solve(call, from, to)
		return nil
	}
	size := c.N * c.N * c.DType.Size()
	args := (*triangular.Factor)(call.Scratch)
	*args = triangular.Factor{Work: uintptr(call.Scratch) + argsBytes, N: int64(c.N), Stride: int64(c.unit.Stride(c.N))}
	// A call takes at most some milliseconds.
	rows := max(int64(c.unit.Rows()), int64(mostCallCost/(c.cost()/float64(c.N)))/8*8)
	for ; from < to; from++ {
		args.A = uintptr(call.Mem[0]) + uintptr(int(from)*size)
		args.To = uintptr(call.Mem[1]) + uintptr(int(from)*size)
		for row := int64(0); row < int64(c.N); row += rows {
			args.FromRow, args.ToRow = row, min(row+rows, int64(c.N))
			if !c.call(call, unsafe.Pointer(args), float64(args.ToRow-row)/float64(c.N)) {
				return nil
			}
		}
	}
	return nil
}

// solve solves strips of all matrices.
func (c *triangularCode) solve(call *kernel.Call, from, to int64) {
	element, n, strips := c.DType.Size(), c.N, int64(c.strips())
	row, column := c.Strides()
	first := 0 // element of A in the order of solving
	args := (*triangular.System)(call.Scratch)
	*args = triangular.System{Work: uintptr(call.Scratch) + argsBytes, N: int64(n), Sides: int64(c.Sides)}
	if !c.Forward() {
		row, column, first, args.Backward = -row, -column, n*n-1, 1
	}
	if c.Unit {
		args.Unit = 1
	}
	args.Row, args.Column = int64(row), int64(column)
	most := max(1, int64(mostCallCost/c.cost()))
	for from < to {
		matrix, strip := from/strips, from%strips
		count := min(to-from, strips-strip, most)
		args.A = uintptr(call.Mem[0]) + uintptr((int(matrix)*n*n+first)*element)
		args.B = uintptr(call.Mem[1]) + uintptr(int(matrix)*n*c.Sides*element)
		args.X = uintptr(call.Mem[2]) + uintptr(int(matrix)*n*c.Sides*element)
		args.FromStrip, args.ToStrip = strip, strip+count
		if !c.call(call, unsafe.Pointer(args), float64(count)) {
			return
		}
		from += count
	}
}

// call runs so many items, and reports whether the run goes on.
func (c *triangularCode) call(call *kernel.Call, args unsafe.Pointer, items float64) bool {
	if items*c.cost() > mostCallCost {
		c.entry.Call(args)
	} else {
		c.entry.CallShort(args)
	}
	select {
	case <-call.Done:
		return false
	default:
		return true
	}
}
