package soa

import (
	"errors"
	"fmt"
	"runtime/debug"
	"unsafe"

	"ltc/ir/types"
)

// Remote is memory that the host's instructions do not reach, such as a GPU's. The addresses of
// remote memory are distinct from those of the host's memory. Any goroutine may call the methods
// of a Remote.
type Remote interface {
	// Read copies len(dst) bytes from an address to dst, and returns when the copy is done. Read
	// sees the results of all work that a caller has waited for. It also sees the results of
	// work that callers started without naming a queue.
	Read(dst []byte, at uintptr) error
	// Write copies src to an address. When it returns, src may be changed, and later uses of
	// the memory see the copy.
	Write(at uintptr, src []byte) error
	// String returns the name of the device, as in cuda:0.
	String() string
}

// PeerCopier is a [Remote] that can copy from other remote memory without the host.
type PeerCopier interface {
	// CopyFrom copies n bytes from an address of src to the address `at` of this memory. Src may be this memory
	// itself. CopyFrom returns when the copy is done. An error that wraps [errors.ErrUnsupported]
	// says that the device cannot reach src.
	CopyFrom(at uintptr, src Remote, from uintptr, n int) error
}

// OfRemote returns a buffer of the n bytes at an address of m. The caller must keep the memory
// as long as the buffer and its views are reachable, and frees it by a cleanup
// ([runtime.AddCleanup]) of the buffer.
func OfRemote(m Remote, at uintptr, n int) *Buffer {
	return &Buffer{off: true, remote: m, at: at, n: n}
}

// RemoteAt returns a dense view of type t at an address of b's remote memory, inside of b or
// outside. RemoteAt is for backends, which plan their memory themselves. The view keeps b from
// being freed, and no other memory. If the address is outside of b, the size of the memory there
// is not known, and View.Check cannot check it: see [At].
func (b *Buffer) RemoteAt(at uintptr, t types.Type) View {
	v := View{Type: t, Strides: Dense(t.Shape), base: address(at), hold: b, bounds: unbounded}
	if n := int(at - b.at); at >= b.at && n < b.n {
		v.bounds = bounds{n, b.n - n}
	}
	return v
}

// address returns a remote address as a pointer, for a view. It is never dereferenced, and the
// garbage collector ignores it, since it is not in Go memory.
func address(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

// Remote returns the remote memory that v is in; nil if v is in the host's memory. Only [Copy]
// and programs of the device can access elements in remote memory.
func (v *View) Remote() Remote {
	if v.hold == nil { // the compiler inlines this part
		return nil
	}
	return v.hold.anyRemote()
}

// anyRemote returns the remote memory of b, or of a buffer of a table's columns.
func (b *Buffer) anyRemote() Remote {
	for _, also := range b.also {
		if also.remote != nil {
			return also.remote
		}
	}
	return b.remote
}

// onHost returns an error if the elements are in remote memory.
func (v View) onHost() error {
	if m := v.Remote(); m != nil {
		return fmt.Errorf("it is in the memory of %v: copy it to a buffer of New", m)
	}
	return nil
}

// copyDirect copies a dense view between remote memories that reach each other. It reports
// false if they do not, or a view is not dense.
func copyDirect(dst, src View) (done bool, err error) {
	to, is := dst.Remote().(PeerCopier)
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

// copyRemote is Copy for two views of which at least one is remote.
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
	if done, err := copyDirect(dst, src); done || err != nil {
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
		all, span, err := fetch(dst) // so that the bytes between the elements keep their values
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

// reached calls a method of m, which a backend implements. A panic is returned as an error.
func reached(m Remote, method func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the memory of %v panicked: %v\n%s", m, r, debug.Stack())
		}
	}()
	return method()
}

// fetch copies the remote memory from the lowest to the highest element of v to the host. It
// returns the copy as a view with the strides of v, and as bytes.
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
