// Package stridedcopy copies the elements of one strided array to another. Its central type
// is [Move].
//
// The package imports only ltc/internal/diag.
package stridedcopy

import (
	"fmt"
	"unsafe"

	"ltc/internal/diag"
)

// Move is a prepared copy between two strided arrays of the same shape. It drops dimensions
// of size 1 and merges neighbouring dimensions with matching strides, so that the innermost
// loop is as long as possible. A Move is immutable; any goroutine may run it.
type Move struct {
	size int // bytes of an element
	dims []moveDim
	none bool // no elements
}

type moveDim struct{ n, dst, src int } // strides in bytes

// NewMove prepares a copy of elements of size bytes (1, 2, 4, 8 or 16). Dst and src are the
// strides of both arrays, in elements; they may be 0 or negative.
func NewMove(size int, shape, dst, src []int) *Move {
	m := &Move{size: size}
	for i, n := range shape {
		switch {
		case n == 0:
			return &Move{size: size, none: true}
		case n == 1:
			continue
		}
		d := moveDim{n, dst[i] * size, src[i] * size}
		if k := len(m.dims) - 1; k >= 0 && m.dims[k].dst == n*d.dst && m.dims[k].src == n*d.src {
			d.n *= m.dims[k].n
			m.dims[k] = d
			continue
		}
		m.dims = append(m.dims, d)
	}
	return m
}

// Contiguous reports whether both arrays are contiguous blocks in the same order, so that the
// move is one copy of bytes.
func (m *Move) Contiguous() bool {
	switch len(m.dims) {
	case 0:
		return true
	case 1:
		return m.dims[0].dst == m.size && m.dims[0].src == m.size
	}
	return false
}

// Run copies from src to dst, the addresses of elements (0, 0, …). The arrays must not
// overlap unless they are equal.
func (m *Move) Run(dst, src unsafe.Pointer) {
	if m.none {
		return
	}
	switch m.size {
	case 1:
		moveDims[uint8](m.dims, dst, src)
	case 2:
		moveDims[uint16](m.dims, dst, src)
	case 4:
		moveDims[uint32](m.dims, dst, src)
	case 8:
		moveDims[uint64](m.dims, dst, src)
	case 16:
		moveDims[[2]uint64](m.dims, dst, src)
	default:
		panic(fmt.Sprintf("stridedcopy: move of elements of %s", diag.Count(m.size, "byte")))
	}
}

func moveDims[T any](dims []moveDim, dst, src unsafe.Pointer) {
	switch len(dims) {
	case 0:
		*(*T)(dst) = *(*T)(src)
	case 1:
		moveRow[T](dims[0], dst, src)
	case 2:
		moveTile[T](dims[0], dims[1], dst, src)
	default:
		d := dims[0]
		for i := range d.n {
			moveDims[T](dims[1:], unsafe.Add(dst, i*d.dst), unsafe.Add(src, i*d.src))
		}
	}
}

// moveTile copies two dimensions. For a transpose, where the outer dimension of the source is
// contiguous, it copies tiles that stay in the first-level cache.
func moveTile[T any](outer, inner moveDim, dst, src unsafe.Pointer) {
	const tile = 32
	var zero T
	size := int(unsafe.Sizeof(zero))
	if outer.src != size || inner.src == size || inner.src == 0 || inner.n < 8 || outer.n < 8 {
		for i := range outer.n {
			moveRow[T](inner, unsafe.Add(dst, i*outer.dst), unsafe.Add(src, i*outer.src))
		}
		return
	}
	for i0 := 0; i0 < outer.n; i0 += tile {
		for j0 := 0; j0 < inner.n; j0 += tile {
			row := moveDim{min(tile, inner.n-j0), inner.dst, inner.src}
			d, s := unsafe.Add(dst, j0*inner.dst), unsafe.Add(src, j0*inner.src)
			for i := i0; i < min(i0+tile, outer.n); i++ {
				moveRow[T](row, unsafe.Add(d, i*outer.dst), unsafe.Add(s, i*outer.src))
			}
		}
	}
}

func moveRow[T any](d moveDim, dst, src unsafe.Pointer) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	switch {
	case d.dst == size && d.src == size:
		copy(unsafe.Slice((*T)(dst), d.n), unsafe.Slice((*T)(src), d.n))
	case d.dst == size && d.src == 0:
		v := *(*T)(src)
		out := unsafe.Slice((*T)(dst), d.n)
		for i := range out {
			out[i] = v
		}
	case d.dst == size:
		out := unsafe.Slice((*T)(dst), d.n)
		for i := range out {
			out[i] = *(*T)(unsafe.Add(src, i*d.src))
		}
	default:
		for i := range d.n {
			*(*T)(unsafe.Add(dst, i*d.dst)) = *(*T)(unsafe.Add(src, i*d.src))
		}
	}
}
