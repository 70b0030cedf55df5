package soa

import (
	"errors"
	"fmt"
	"unsafe"

	"ltc/internal/diag"
	"ltc/internal/stridedcopy"
)

// Copy copies the elements of src to dst, for any strides and tables, also to and from remote
// memory. The types must be equal, and the memory must not overlap. Copy returns an error that
// wraps [ErrReadOnly] if the buffer of dst is read-only ([OpenShared], [Foreign]). The view of a
// [Column.Const] is not protected: Copy writes to it. Copy returns an error that wraps
// [ErrReleased] for released memory off the Go heap, unless a run still uses the memory.
func Copy(dst, src View) error {
	if !dst.Type.Equal(src.Type) {
		return fmt.Errorf("copy of %v to %v: types differ", src.Type, dst.Type)
	}
	if dst.IsZero() {
		return errors.New("copy: the views are zero Views")
	}
	for _, v := range [...]*View{&src, &dst} {
		if v.hold != nil && v.hold.anyFreed() {
			return fmt.Errorf("copy of %v: %w", src.Type, ErrReleased)
		}
		if len(v.Strides) != v.Type.Rank() || v.Type.Elements() > 0 && !v.bounds.contain(v) {
			return fmt.Errorf("copy of %v: %v reaches outside of its memory: its type or strides were changed since it was made", src.Type, *v)
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
			panic(fmt.Sprintf("soa: zero of %v: its memory has only %s", v.Type, diag.Count(v.bounds.after, "byte")))
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
		stridedcopy.NewMove(dst.Type.DType.Size(), dst.Type.Shape, dst.Strides, src.Strides).Run(dst.base, src.base)
	}
}
