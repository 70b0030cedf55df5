package llvm

import (
	"context"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/blockdot"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/native"
	"ltc/internal/halt"
)

// CompileBlockDot implements [kernel.BlockDotCompiler]. Where there is no libLLVM, and no
// cached code, steps are left to plain Go.
func (s *shared) CompileBlockDot(ctx context.Context, d kernel.BlockDot) (kernel.Code, error) {
	if !s.canCompile(ctx) {
		return nil, nil
	}
	u := blockdot.Of(d, s.units.machine)
	entry, ok, err := s.claimedUnit(ctx, gemm.NewUnit(u.Name(), s.units.machine, u.Text))
	if !ok {
		return nil, err
	}
	return &blockDotCode{d, entry}, nil
}

// blockDotCode is the machine code of a product with a quantized matrix.
type blockDotCode struct {
	kernel.BlockDot
	entry native.Kernel
}

// rowsAtOnce is how many rows of x a call takes at most: their digits and the blocks of a group fit the L2 cache.
const rowsAtOnce = 16

// cost is about how many nanoseconds a group of rows of the matrix takes. To read its blocks is half of the cost of the
// first row.
func (c *blockDotCode) cost() float64 {
	const perCode = 0.02 // of 4 bits: BenchmarkBlockDot
	return perCode * float64(c.Bits/4*c.Blocks*kernel.BlockDotCodes*kernel.BlockDotLanes) * float64(1+c.Rows) / 2
}

// Parts returns how many parts of enough work there are. Each part splits x into digits for itself.
func (c *blockDotCode) Parts(_ []int64, threads int) int {
	if threads <= 1 {
		return 1
	}
	return partsOf(float64(c.Groups), c.cost(), threads)
}

// IsShort implements [kernel.ShortLauncher].
func (c *blockDotCode) IsShort([]int64) bool { return float64(c.Groups)*c.cost() < wakeCost }

// Scratch is for the arguments, and what code makes of rows of x.
func (c *blockDotCode) Scratch([]int64, int) int {
	return argsBytes + blockdot.WorkBytes(min(c.Rows, rowsAtOnce), c.Blocks)
}

// ResidentBytes is what the description takes: the machine code is for all programs.
func (c *blockDotCode) ResidentBytes() int { return scheduleBytes }

// Run multiplies by the groups of a part.
func (c *blockDotCode) Run(call *kernel.Call) error {
	const f32 = 4 // bytes
	from, to := call.Share(int64(c.Groups))
	args := (*blockdot.Args)(call.Scratch)
	*args = blockdot.Args{
		Matrix: uintptr(call.Mem[1]), Work: uintptr(call.Scratch) + argsBytes,
		Blocks: int64(c.Blocks), Groups: int64(c.Groups), Offset: int64(c.Offset),
	}
	if halt.Closed(call.Done) { // between parts
		return nil
	}
	each := c.cost() * float64(min(c.Rows, rowsAtOnce)) / float64(max(c.Rows, 1))
	most := int64(max(1, min(mostCallCost/max(each, 1), float64(c.Groups))))
	for row := 0; row < c.Rows; row += rowsAtOnce {
		args.Rows = int64(min(rowsAtOnce, c.Rows-row))
		args.X = uintptr(call.Mem[0]) + uintptr(row*c.Blocks*kernel.BlockDotCodes*f32)
		args.Y = uintptr(call.Mem[2]) + uintptr(row*c.Groups*kernel.BlockDotLanes*f32)
		for first := from; first < to; first += most {
			args.From, args.To = first, min(first+most, to)
			if each > mostCallCost {
				c.entry.Call(unsafe.Pointer(args))
			} else {
				c.entry.CallShort(unsafe.Pointer(args))
			}
			if halt.Closed(call.Done) {
				return nil
			}
		}
	}
	return nil
}
