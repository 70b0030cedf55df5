package kernel

import (
	"context"
	"fmt"
)

// BlockDot is a step that multiplies rows by the rows of a quantized matrix, whose blocks of 32 codes
// share a scale: the composite [BlockDotName]. Groups of [BlockDotLanes] rows of the matrix are interleaved. These are
// the operands of its code:
//
//	x      f32[Rows, Blocks, 32]
//	blocks u32[Groups, Blocks, Size]
//	y      f32[Rows, Groups, 16]
//
// It computes y. Of the indices, n is a row of x, g a group, r a lane, j a block and k a code.
//
//	y[n,g,r] = Σ_j scale[g,j,r]·Σ_k (code[g,j,k,r]+Offset)·x[n,j,k] + minimum[g,j,r]·Σ_k x[n,j,k]
//
// A block begins with the scales of its lanes as f16, two a word and the lower half first. Their minima follow if it has
// some, and then the codes: a word for each lane, and the next word of each. Word c of a lane has, with Bits 4,
// elements 4c+e and 16+4c+e of the block in the lower and the upper half of byte e; with Bits 8 element 4c+e in byte e.
//
// Code may round each x by at most 2^-22 of the largest magnitude of its block, or 2^-127 if that is more. The name
// stands for this formula: the body of the composite is not looked at.
type BlockDot struct {
	Rows, Groups, Blocks int
	Bits                 int // of a code: 4 or 8
	Offset               int // from -128 to 127
	Minima               bool
}

// Of a [BlockDot]: the name of its composite, the rows of a group, and the codes of a block.
const (
	BlockDotName  = "quantized.dot"
	BlockDotLanes = 16
	BlockDotCodes = 32
)

// BlockDotCompiler is a [Compiler] that has code for [BlockDot] steps.
type BlockDotCompiler interface {
	Compiler
	// CompileBlockDot returns the code of a step; nil if there is nothing to make it with.
	CompileBlockDot(ctx context.Context, d BlockDot) (Code, error)
}

// Words is how many words of codes a lane has in a block.
func (d *BlockDot) Words() int { return d.Bits * BlockDotCodes / 32 }

// Halves is how many scales and minima, of 16 bits each, a block has.
func (d *BlockDot) Halves() int {
	if d.Minima {
		return 2 * BlockDotLanes
	}
	return BlockDotLanes
}

// Size is how many words a block has.
func (d *BlockDot) Size() int { return d.Halves()/2 + d.Words()*BlockDotLanes }

// Flops is how many products and sums a step takes.
func (d *BlockDot) Flops() float64 {
	return 2 * float64(d.Rows) * float64(d.Groups*BlockDotLanes) * float64(d.Blocks*BlockDotCodes)
}

// String says what the step does.
func (d *BlockDot) String() string {
	return fmt.Sprintf("product of [%d, %d] and [%d, %d] in %d-bit blocks", d.Rows, d.Blocks*BlockDotCodes, d.Groups*BlockDotLanes, d.Blocks*BlockDotCodes, d.Bits)
}
