package soa

import (
	"errors"
	"fmt"
	"unsafe"

	"ltc/internal/diag"
)

// Move is a prepared copy between two strided windows of the same shape. Dimensions of one
// are dropped and neighbouring dimensions with matching strides are merged, so that the
// innermost loop is as long as it can be. A Move is immutable and may run on any goroutine.
type Move struct {
	size int // bytes of an element
	dims []moveDim
	none bool // no elements
}

type moveDim struct{ n, dst, src int } // strides in bytes

// NewMove prepares a copy of elements of size bytes (1, 2, 4, 8 or 16); strides
// are in elements and may be 0 or negative.
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

// Contiguous reports whether both sides are one block of memory in the same
// order, so that the move is a plain copy.
func (m *Move) Contiguous() bool {
	switch len(m.dims) {
	case 0:
		return true
	case 1:
		return m.dims[0].dst == m.size && m.dims[0].src == m.size
	}
	return false
}

// Run copies; dst and src point to the elements with all indices 0. The
// windows must not overlap unless they are equal.
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
		panic(fmt.Sprintf("soa: move of elements of %s", diag.Count(m.size, "byte")))
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

// moveTile copies two dimensions. When the inner one jumps in the source and
// the outer one does not (a transpose), it goes in tiles that stay in the
// first-level cache.
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

// Copy copies the elements of src to dst, whatever their strides and tables, to
// and from remote memory, too. The types must be equal and the memory must not
// overlap. Memory of a buffer that is to be read only ([OpenShared], [Foreign]) as dst
// is an error that wraps [ErrReadOnly]; a view does not know that its column was made
// [Column.Const], and is written. Memory off the Go heap that was released is an error
// that wraps [ErrReleased], unless something is running that still uses it.
func Copy(dst, src View) error {
	if !dst.Type.Equal(src.Type) {
		return fmt.Errorf("copy of %v to %v: types differ", src.Type, dst.Type)
	}
	if dst.IsZero() {
		return errors.New("copy of no view")
	}
	for _, v := range [...]*View{&src, &dst} {
		if v.hold != nil && v.hold.over() {
			return fmt.Errorf("copy of %v: %w", src.Type, ErrReleased)
		}
		if len(v.Strides) != v.Type.Rank() || v.Type.Elements() > 0 && !v.bounds.contain(v) {
			return fmt.Errorf("copy of %v: %v leaves its memory: its type or strides were changed since it was made", src.Type, *v)
		}
	}
	if dst.ReadOnly() {
		return fmt.Errorf("copy of %v to memory of a buffer: %w", src.Type, ErrReadOnly)
	}
	err := error(nil)
	if dst.Remote() != nil || src.Remote() != nil {
		err = copyRemote(dst, src)
	} else {
		copyView(dst, src)
	}
	KeepAlive(dst)
	KeepAlive(src)
	return err
}

// Zero sets the elements of a dense view to 0.
func Zero(v View) {
	if n := v.Type.Bytes(); n > 0 {
		if n > v.bounds.after {
			panic(fmt.Sprintf("soa: zeros for %v in memory of %s", v.Type, diag.Count(v.bounds.after, "byte")))
		}
		clear(unsafe.Slice((*byte)(v.base), n))
	}
	KeepAlive(v)
}

func copyView(dst, src View) {
	switch {
	case dst.Table != nil:
		for i := range dst.Table {
			copyView(dst.index(dst.TableAxis, i), src.index(dst.TableAxis, i))
		}
	case src.Table != nil:
		for i := range src.Table {
			copyView(dst.index(src.TableAxis, i), src.index(src.TableAxis, i))
		}
	default:
		NewMove(dst.Type.DType.Size(), dst.Type.Shape, dst.Strides, src.Strides).Run(dst.base, src.base)
	}
}
