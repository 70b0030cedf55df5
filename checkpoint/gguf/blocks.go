package gguf

import (
	"fmt"

	"ltc/ir/types"
	"ltc/soa"
)

// Blocks are the elements of a quantized tensor in place: a view for each part of its blocks. A
// row is the last dimension of the tensor. The views share the memory of the file. A part that the
// format does not have is the zero View. The functions dequantize_row_* of llama.cpp's ggml-quants.c have the formulas.
type Blocks struct {
	Scale  soa.View // f16[rows, blocks, 1]
	Min    soa.View // f16[rows, blocks, 1]; the scale of minima in Q4_K and Q5_K
	Scales soa.View // scales and minima of 8 sub-blocks, 6 bits each, as u8[rows, blocks, 12] (Q4_K, Q5_K); 16 scales as i8[rows, blocks, 16] (Q6_K)
	High   soa.View // upper bits of codes: u8[rows, blocks, 32] in Q5_K, u8[rows, blocks, 64] in Q6_K
	Codes  soa.View // u8[rows, blocks, n] with 4 bits each, n = 16 in Q4_0 and Q4_1, 128 in K formats; i8[rows, blocks, 32] in Q8_0
}

// part is a run of a block's bytes that a view shows.
type part struct {
	view     func(b *Blocks) *soa.View
	dtype    types.DType
	from, to int
}

func scaleOf(b *Blocks) *soa.View  { return &b.Scale }
func minOf(b *Blocks) *soa.View    { return &b.Min }
func scalesOf(b *Blocks) *soa.View { return &b.Scales }
func highOf(b *Blocks) *soa.View   { return &b.High }
func codesOf(b *Blocks) *soa.View  { return &b.Codes }

// parts lists the fields of each format's block, in file order: the structures block_* of ggml-common.h in llama.cpp.
var parts = map[DType][]part{
	Q4_0: {{scaleOf, types.F16, 0, 2}, {codesOf, types.U8, 2, 18}},
	Q4_1: {{scaleOf, types.F16, 0, 2}, {minOf, types.F16, 2, 4}, {codesOf, types.U8, 4, 20}},
	Q8_0: {{scaleOf, types.F16, 0, 2}, {codesOf, types.I8, 2, 34}},
	Q4_K: {{scaleOf, types.F16, 0, 2}, {minOf, types.F16, 2, 4}, {scalesOf, types.U8, 4, 16}, {codesOf, types.U8, 16, 144}},
	Q5_K: {{scaleOf, types.F16, 0, 2}, {minOf, types.F16, 2, 4}, {scalesOf, types.U8, 4, 16}, {highOf, types.U8, 16, 48}, {codesOf, types.U8, 48, 176}},
	Q6_K: {{codesOf, types.U8, 0, 128}, {highOf, types.U8, 128, 192}, {scalesOf, types.I8, 192, 208}, {scaleOf, types.F16, 208, 210}},
}

// BlockTypes are the types of [Blocks]. That of a part that the format does not have is the zero Type.
type BlockTypes struct{ Scale, Min, Scales, High, Codes types.Type }

// BlockTypes returns the types of what [Tensor.Blocks] returns for rows of so many blocks each: zero Types for a DType
// that it refuses.
func (d DType) BlockTypes(rows, blocks int) BlockTypes {
	var b Blocks
	for _, p := range parts[d] {
		p.view(&b).Type = types.Of(p.dtype, rows, blocks, (p.to-p.from)/p.dtype.Size())
	}
	return BlockTypes{b.Scale.Type, b.Min.Type, b.Scales.Type, b.High.Type, b.Codes.Type}
}

// Blocks returns the blocks of a tensor of Q4_0, Q4_1, Q8_0, Q4_K, Q5_K or Q6_K. It returns an
// error for other DTypes, and if the blocks do not begin at an even byte.
func (t *Tensor) Blocks() (b Blocks, err error) {
	const half = 2 // bytes of an f16
	all := parts[t.DType]
	if all == nil {
		return b, fmt.Errorf("tensor %s is %v: Blocks reads Q4_0, Q4_1, Q8_0, Q4_K, Q5_K and Q6_K alone; call Dequantize", t.Name, t.DType)
	}
	if t.raw.Released() {
		return b, fmt.Errorf("tensor %s: %w", t.Name, soa.ErrReleased)
	}
	if t.buffer == nil || t.at%half != 0 || uintptr(t.raw.Base())%half != 0 {
		return b, fmt.Errorf("tensor %s is empty or begins at an odd byte: dequantize it instead", t.Name)
	}
	block := t.DType.BlockBytes()
	rows, blocks := t.raw.Type.Shape[0], t.raw.Type.Shape[1]/block
	for _, p := range all {
		n := p.dtype.Size()
		v, err := t.buffer.ViewAt(t.at, types.Of(p.dtype, rows, blocks, block/n)).Slice(2, p.from/n, p.to/n, 1)
		if err != nil {
			return Blocks{}, fmt.Errorf("tensor %s: %w", t.Name, err)
		}
		*p.view(&b) = v
	}
	return b, nil
}
