package gguf

import (
	"fmt"

	"ltc/ir/types"
	"ltc/soa"
)

// Blocks are the elements of a quantized tensor in place: a view for each part of its blocks. A
// row is the last dimension of the tensor. The views share the memory of the file.
type Blocks struct {
	Scale soa.View // f16[rows, blocks, 1]
	Min   soa.View // f16[rows, blocks, 1]; the zero View of formats without minima
	Codes soa.View // u8[rows, blocks, 16] of Q4_0 and Q4_1, i8[rows, blocks, 32] of Q8_0
}

// Blocks returns the blocks of a tensor of Q4_0, Q4_1 or Q8_0. It returns an error for other
// DTypes, and if the blocks do not begin at an even byte.
func (t *Tensor) Blocks() (b Blocks, err error) {
	const half = 2 // bytes of an f16
	block := t.DType.BlockBytes()
	codes, minimum := types.U8, false
	switch t.DType {
	case Q4_0:
	case Q4_1:
		minimum = true
	case Q8_0:
		codes = types.I8
	default:
		return b, fmt.Errorf("tensor %s is %v: Blocks reads Q4_0, Q4_1 and Q8_0 alone; call Dequantize", t.Name, t.DType)
	}
	if t.raw.Released() {
		return b, fmt.Errorf("tensor %s: %w", t.Name, soa.ErrReleased)
	}
	if t.buffer == nil || t.at%half != 0 || uintptr(t.raw.Base())%half != 0 {
		return b, fmt.Errorf("tensor %s is empty or begins at an odd byte: dequantize it instead", t.Name)
	}
	rows, blocks := t.raw.Type.Shape[0], t.raw.Type.Shape[1]/block
	part := func(d types.DType, from, to int) soa.View {
		n := d.Size()
		if err != nil {
			return soa.View{}
		}
		var v soa.View
		v, err = t.buffer.ViewAt(t.at, types.Of(d, rows, blocks, block/n)).Slice(2, from/n, to/n, 1)
		return v
	}
	at := half
	b.Scale = part(types.F16, 0, half)
	if minimum {
		b.Min, at = part(types.F16, half, 2*half), 2*half
	}
	b.Codes = part(codes, at, block)
	return b, err
}
