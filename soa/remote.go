package soa

import (
	"errors"
	"fmt"
	"runtime/debug"
	"unsafe"

	"ltc/ir/types"
)

// Remote is memory that the host's instructions do not reach, such as a GPU's. Its
// addresses are those of no memory of the host. Its methods may be called from any
// goroutine.
type Remote interface {
	// Read copies what lies at an address to dst, and returns when it is there. It
	// comes after all that was waited for, and what was queued in no queue of the
	// caller's.
	Read(dst []byte, at uintptr) error
	// Write copies src to an address. When it returns, src has been read, and who
	// uses the memory then finds the copy there.
	Write(at uintptr, src []byte) error
	// String names the device, as in cuda:0.
	String() string
}

// Reaching is a [Remote] that copies from other remote memory without the host.
type Reaching interface {
	// CopyFrom copies n bytes from an address of another memory, or of its own, and
	// returns when they are there. An error that wraps [errors.ErrUnsupported] says that
	// it does not reach that memory.
	CopyFrom(at uintptr, of Remote, from uintptr, n int) error
}

// OfRemote returns a buffer of n bytes that begin at an address of m. They last as
// long as the buffer and its views: whoever made the memory frees it after them, by
// a cleanup of the buffer.
func OfRemote(m Remote, at uintptr, n int) *Buffer {
	return &Buffer{off: true, remote: m, at: at, n: n}
}

// RemoteAt returns a dense view of what lies at an address of b's remote memory,
// whether it is b's or not. It is for backends, whose own memory plans know how
// long it is there, and where it ends if it is not b's: see [At].
func (b *Buffer) RemoteAt(at uintptr, t types.Type) View {
	v := View{Type: t, Strides: Dense(t.Shape), base: address(at), hold: b, bounds: unbounded}
	if n := int(at - b.at); at >= b.at && n < b.n {
		v.bounds = bounds{n, b.n - n}
	}
	return v
}

// address is an address of remote memory as views have them. Nobody follows it: the
// collector knows that it is none of Go's memory.
func address(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

// Remote returns the memory that v shows if it is remote; nil if it is the host's.
// Only [Copy] reaches the elements of remote memory, and programs of its device do.
func (v *View) Remote() Remote {
	if v.hold == nil { // it is inlined as far as here
		return nil
	}
	return v.hold.anyRemote()
}

// anyRemote returns the remote memory of b, or of one of those of a table.
func (b *Buffer) anyRemote() Remote {
	for _, also := range b.also {
		if also.remote != nil {
			return also.remote
		}
	}
	return b.remote
}

// onHost reports that the elements are where only [Copy] reaches them.
func (v View) onHost() error {
	if m := v.Remote(); m != nil {
		return fmt.Errorf("it is in the memory of %v: copy it to a buffer of New", m)
	}
	return nil
}

// copyBeyond copies what is dense between remote memories that reach each other, and
// reports whether it has.
func copyBeyond(dst, src View) (done bool, err error) {
	to, is := dst.Remote().(Reaching)
	if !is || src.Remote() == nil || !dst.IsDense() || !src.IsDense() {
		return false, nil
	}
	err = reached(dst.Remote(), func() error {
		return to.CopyFrom(uintptr(dst.base), src.Remote(), uintptr(src.base), dst.Type.Bytes())
	})
	if errors.Is(err, errors.ErrUnsupported) {
		return false, nil
	}
	return err == nil, err
}

// copyRemote is Copy where one view at least is remote.
func copyRemote(dst, src View) error {
	if dst.Type.Elements() == 0 {
		return nil
	}
	for _, v := range []View{dst, src} {
		if v.Table == nil {
			continue
		}
		for i := range v.Table {
			if err := copyRemote(dst.index(v.TableAxis, i), src.index(v.TableAxis, i)); err != nil {
				return err
			}
		}
		return nil
	}
	if done, err := copyBeyond(dst, src); done || err != nil {
		return err
	}
	if src.Remote() != nil {
		var err error
		if src, _, err = fetch(src); err != nil {
			return err
		}
	}
	to := dst.Remote()
	switch {
	case to == nil:
		copyView(dst, src)
		return nil
	case !dst.IsDense():
		all, span, err := fetch(dst) // what lies between the elements stays as it is
		if err != nil {
			return err
		}
		copyView(all, src)
		lo, _ := dst.extent()
		return write(to, uintptr(dst.base)+uintptr(lo*dst.Type.DType.Size()), span)
	case !src.IsDense():
		dense := Make(src.Type)
		copyView(dense, src)
		src = dense
	}
	return write(to, uintptr(dst.base), unsafe.Slice((*byte)(src.base), src.Type.Bytes()))
}

func write(m Remote, at uintptr, src []byte) error {
	return reached(m, func() error { return m.Write(at, src) })
}

// reached calls a method of m, which is a backend's. Its panic is the error.
func reached(m Remote, method func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the memory of %v panicked: %v\n%s", m, r, debug.Stack())
		}
	}()
	return method()
}

// fetch returns a copy of the remote memory that v spans as a view of the same
// strides, and its bytes.
func fetch(v View) (View, []byte, error) {
	lo, hi := v.extent()
	size := v.Type.DType.Size()
	n := (hi - lo + 1) * size
	if err := Fits(n); err != nil {
		return View{}, nil, fmt.Errorf("copy of %v from %v: %w", v.Type, v.Remote(), err)
	}
	span := New(n).mem
	if err := reached(v.Remote(), func() error { return v.Remote().Read(span, uintptr(v.base)+uintptr(lo*size)) }); err != nil {
		return View{}, nil, err
	}
	w := View{Type: v.Type, Strides: v.Strides, base: unsafe.Pointer(&span[-lo*size]), bounds: bounds{-lo * size, n + lo*size}}
	return w, span, nil
}
