package reference

import (
	"context"
	"math"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/internal/halt"
	"ltc/ir/types"
)

// blockDotCode is the code of a product with a quantized matrix.
type blockDotCode struct {
	kernel.Code
	of kernel.BlockDot
}

var _ claimedCode = (*blockDotCode)(nil)

// newBlockDotCode returns the code of the first compiler that has some, else plain Go.
func newBlockDotCode(ctx context.Context, d kernel.BlockDot, compilers []kernel.Compiler) (*blockDotCode, error) {
	for _, c := range compilers {
		if c, ok := c.(kernel.BlockDotCompiler); ok {
			code, err := c.CompileBlockDot(ctx, d)
			if err != nil {
				return nil, err
			}
			if code != nil {
				return &blockDotCode{code, d}, nil
			}
		}
	}
	return &blockDotCode{plainBlockDot{d}, d}, nil
}

// fit returns c: sizes of a composite are numbers.
func (c *blockDotCode) fit(context.Context, plan.Work, kernel.Code) (claimedCode, error) {
	return c, nil
}

// IsShort implements [kernel.ShortLauncher].
func (c *blockDotCode) IsShort(sizes []int64) bool {
	b, ok := c.Code.(kernel.ShortLauncher)
	return ok && b.IsShort(sizes)
}

// work counts products of elements.
func (c *blockDotCode) work() int { return int(min(c.of.Flops()/2, math.MaxInt32)) }

// plainBlockDot runs a step in plain Go: the groups of rows of the matrix one by one.
type plainBlockDot struct{ kernel.BlockDot }

// Parts cuts the groups so that each part has at least so many flops.
func (d plainBlockDot) Parts(_ []int64, threads int) int {
	const least = 1 << 16
	return max(1, min(threads, d.Groups, int(min(d.Flops()/least, math.MaxInt32))))
}

// Scratch is none.
func (plainBlockDot) Scratch([]int64, int) int { return 0 }

// Run multiplies by the groups of a part.
func (d plainBlockDot) Run(c *kernel.Call) error {
	const lanes, codes = kernel.BlockDotLanes, kernel.BlockDotCodes
	from, to := c.Share(int64(d.Groups))
	x := elements[float32](c.Mem[0], 0, d.Rows*d.Blocks*codes)
	y := elements[float32](c.Mem[2], 0, d.Rows*d.Groups*lanes)
	for g := int(from); g < int(to) && !halt.Closed(c.Done); g++ {
		blocks := elements[uint32](c.Mem[1], g*d.Blocks*d.Size(), d.Blocks*d.Size())
		for row := range d.Rows {
			var sums [lanes]float32
			for j := range d.Blocks {
				d.add(&sums, x[(row*d.Blocks+j)*codes:][:codes], blocks[j*d.Size():][:d.Size()])
			}
			copy(y[(row*d.Groups+g)*lanes:], sums[:])
		}
	}
	return nil
}

// add adds the products of a block.
func (d plainBlockDot) add(sums *[kernel.BlockDotLanes]float32, x []float32, block []uint32) {
	const lanes, codes = kernel.BlockDotLanes, kernel.BlockDotCodes
	total := float32(0)
	for _, v := range x {
		total += v
	}
	half := func(i int) float32 { return types.Float16(block[i/2] >> (i % 2 * 16)).Float32() }
	words := block[d.Halves()/2:]
	for lane := range sums {
		sum, offset := float32(0), int32(d.Offset)
		for c := range d.Words() {
			w := words[c*lanes+lane]
			for e := range 4 {
				if b := int32(w >> (8 * e) & 0xff); d.Bits == 8 {
					sum += float32(b+offset) * x[4*c+e]
				} else {
					sum += float32(b&15+offset)*x[4*c+e] + float32(b>>4+offset)*x[codes/2+4*c+e]
				}
			}
		}
		if sums[lane] += sum * half(lane); d.Minima {
			sums[lane] += half(lanes+lane) * total
		}
	}
}
