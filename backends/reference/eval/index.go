package eval

import (
	"fmt"
	"math/bits"
	"unsafe"

	"ltc/backends/reference/internal/loops"
)

// indexFunc reads one integer as an index. Values beyond an int's range become
// the nearest int.
type indexFunc func(unsafe.Pointer) int

// indexReader returns the reader of integers of type d; nil for other types.
func indexReader(d loops.DType) indexFunc {
	switch d {
	case loops.I8, loops.I2, loops.I4:
		return readIndex[int8]
	case loops.I16:
		return readIndex[int16]
	case loops.I32:
		return readIndex[int32]
	case loops.I64:
		return readIndex[int64]
	case loops.U8, loops.U2, loops.U4:
		return readIndex[uint8]
	case loops.U16:
		return readIndex[uint16]
	case loops.U32:
		return readIndex[uint32]
	case loops.U64:
		return readIndex[uint64]
	}
	return nil
}

func readIndex[T loops.Integer](p unsafe.Pointer) int {
	v := *(*T)(p)
	if i := int(v); v < 0 == (i < 0) {
		return i
	}
	return int(^uint(0) >> 1)
}

// odometer counts through the indices of a shape in row-major order.
type odometer struct {
	shape, at []int
}

// next steps to the next index; false after the last.
func (c *odometer) next() bool {
	for i := len(c.shape) - 1; i >= 0; i-- {
		if c.at[i]++; c.at[i] < c.shape[i] {
			return true
		}
		c.at[i] = 0
	}
	return false
}

// offsets is the function of that name, for a table that the executable holds.
func (b *builder) offsets(shape, strides []int) ([]int, error) {
	if err := b.table(shape); err != nil {
		return nil, err
	}
	return offsets(shape, strides), nil
}

// table reserves the memory of a table with a word for every index of a shape.
func (b *builder) table(shape []int) error {
	n := bits.UintSize / 8
	for _, s := range shape {
		n = loops.Times(n, s)
	}
	if err := b.reserve(n); err != nil {
		return fmt.Errorf("a table of the offsets of %v: %w", shape, err)
	}
	return nil
}

// offsets returns the offset of every index of a shape, in elements, in
// row-major order.
func offsets(shape, strides []int) []int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	if n == 0 {
		return nil
	}
	out := make([]int, 0, n)
	for c := (odometer{shape, make([]int, len(shape))}); ; {
		at := 0
		for i, x := range c.at {
			at += x * strides[i]
		}
		out = append(out, at)
		if !c.next() {
			return out
		}
	}
}
