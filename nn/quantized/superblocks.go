package quantized

import (
	"ltc/checkpoint/gguf"
	"ltc/lazy"
)

// superRuns is the number of runs of 32 elements that a super-block of 256 has.
const superRuns = 8

// kFormat is a K format. The order and the bits are those of the functions dequantize_row_q4_K, q5_K and q6_K in
// llama.cpp's ggml-quants.c.
type kFormat struct {
	size int // elements of a sub-block, which share a scale: a run has 32/size sub-blocks
	// run records run j of the super-blocks.
	run func(p fields, j int) subBlocks
}

// subBlocks are a run of 32 elements of each super-block: (scale of the block)·scale·codes - (scale of minima)·min.
type subBlocks struct {
	codes      *lazy.Tensor // f32[rows, blocks, 32/size, size]
	scale, min *lazy.Tensor // f32[rows, blocks, 32/size, 1]; min is nil without minima
}

var kFormats = map[gguf.DType]kFormat{
	gguf.Q4_K: {size: 32, run: q4K},
	gguf.Q5_K: {size: 32, run: q4K},
	gguf.Q6_K: {size: 16, run: q6K},
}

// q4K records a run of Q4_K or Q5_K. A scale and a minimum have 6 bits each of 12 bytes. Those of runs 0 to 3 are
// the lower bits of bytes j and j + 4. Those of the others are the halves of byte j + 4, with the upper 2 bits
// of bytes j - 4 and j above.
func q4K(p fields, j int) subBlocks {
	at := func(i int) *lazy.Tensor { return bytesAt(p.scales, i, 1, 1) }
	var scale, minimum *lazy.Tensor
	if j < 4 {
		scale, minimum = bitField(at(j), 0, 6, 0), bitField(at(j+4), 0, 6, 0)
	} else {
		scale = bitField(at(j+4), 0, 4, 0).Or(bitField(at(j-4), 6, 2, 4))
		minimum = bitField(at(j+4), 4, 4, 0).Or(bitField(at(j), 6, 2, 4))
	}
	codes := bitField(bytesAt(p.codes, j/2, 1, 32), 4*(j%2), 4, 0)
	if p.high != nil {
		codes = codes.Or(bitField(bytesAt(p.high, 0, 1, 32), j, 1, 4))
	}
	return subBlocks{codes.Convert(lazy.F32), scale.Convert(lazy.F32), minimum.Convert(lazy.F32)}
}

// q6K records a run of Q6_K. Each half of a super-block has 4 runs: the lower halves of two times 32 bytes, and the
// upper halves. The upper 2 bits of the four are in the same bytes.
func q6K(p fields, j int) subBlocks {
	half, k := j/4, j%4
	codes := bitField(bytesAt(p.codes, 2*half+k%2, 2, 16), k/2*4, 4, 0).Or(bitField(bytesAt(p.high, half, 2, 16), 2*k, 2, 4))
	return subBlocks{codes: codes.AddScalar(-32).Convert(lazy.F32), scale: bytesAt(p.scales, j, 2, 1).Convert(lazy.F32)}
}

// bytesAt returns part i of the equal parts of x[rows, blocks, n] that have the given shape, as i32.
func bytesAt(x *lazy.Tensor, i int, dims ...int) *lazy.Tensor {
	return x.Unflatten(2, append([]int{-1}, dims...)...).Narrow(2, i, 1).Squeeze(2).Convert(lazy.I32)
}

// bitField returns n bits of bytes from bit from on, as bits from bit to on.
func bitField(x *lazy.Tensor, from, n, to int) *lazy.Tensor {
	switch {
	case from > to:
		x = x.ShiftRightScalar(int64(from - to))
	case from < to:
		x = x.ShiftLeftScalar(int64(to - from))
	}
	if to == 0 && from+n == 8 {
		return x // shifting has cleared all other bits
	}
	return x.AndScalar((1<<n - 1) << to)
}

// factor returns a number of each block as f32[rows, blocks, 1, 1].
func factor(x *lazy.Tensor) *lazy.Tensor { return x.Convert(lazy.F32).Unsqueeze(-1) }

// matMul records x·weightᵀ of x[…, features]. Sums of a block are scaled once. Minima meet the sum of x.
func (f kFormat) matMul(x *lazy.Tensor, p fields) *lazy.Tensor {
	shape := x.OpenShape()
	shape = append(append([]int{}, shape[:len(shape)-1]...), 1, p.codes.Dim(1), superRuns, 32/f.size, f.size)
	x = x.Convert(lazy.F32).Reshape(shape...)
	mean := x.Sum(-1).MulScalar(1 / float64(f.size)).Unsqueeze(-1) // so that size of them are the sum
	var sum, minima *lazy.Tensor
	for j := range superRuns {
		of := func(x *lazy.Tensor) *lazy.Tensor { return x.Narrow(-3, j, 1).Squeeze(-3) }
		r := f.run(p, j)
		sum = plus(sum, r.codes.Mul(of(x)).Mul(r.scale))
		if r.min != nil {
			minima = plus(minima, r.min.Mul(of(mean)))
		}
	}
	y := sum.Mul(factor(p.scale)).Sum(-3, -2, -1)
	if minima != nil {
		minima = minima.Mul(factor(p.min))
		y = y.Sub(minima.BroadcastTo(sum.OpenShape()...).Sum(-3, -2, -1))
	}
	return y
}

// plus returns x + y; y if x is nil.
func plus(x, y *lazy.Tensor) *lazy.Tensor {
	if x == nil {
		return y
	}
	return x.Add(y)
}

// dequantize records the elements, as f32[rows, blocks, 8, 32/size, size]. Products are exact in f32: a scale has 11 significant
// bits, that of a sub-block at most 7, a code 6.
func (f kFormat) dequantize(p fields) *lazy.Tensor {
	runs := make([]*lazy.Tensor, superRuns)
	for j := range runs {
		r := f.run(p, j)
		y := r.codes.Mul(factor(p.scale).Mul(r.scale))
		if r.min != nil {
			y = y.Sub(factor(p.min).Mul(r.min))
		}
		runs[j] = y.Unsqueeze(2)
	}
	return lazy.Concatenate(2, runs...)
}
