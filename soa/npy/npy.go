// Package npy reads and writes NumPy's .npy files and .npz archives as views
// of tensors' memory. Its central functions are [Decode], which views the bytes
// of a file where they lie, and [Encode].
//
// The dtypes of package types map to NumPy's as usual. NumPy has no bf16: its elements are
// written as `<V2`, two opaque bytes, as numpy.save writes the bfloat16 of ml_dtypes. `<V2`
// and `|V2` are read as bf16; in Python, a.view(ml_dtypes.bfloat16) gives such an array its
// type back. Floats of 8 bits are not written: ml_dtypes saves
// f8E4M3FN as `<V1`, as other formats of 8 bits, and f8E5M2 as `<f1`, which numpy.load refuses.
//
// Elements are viewed as the file has them, little-endian, which all machines
// are that this module builds for.
//
// Sizes in a header are checked against the bytes that are there before
// anything is allocated or viewed, so a header that lies costs nothing.
//
// The package imports only ltc/soa, ltc/ir/types, ltc/internal/files and ltc/internal/diag.
package npy

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"unsafe"

	"ltc/internal/diag"
	"ltc/internal/files"
	"ltc/ir/types"
	"ltc/soa"
)

// descrs gives the type code that NumPy's headers have for each dtype.
var descrs = map[types.DType]string{
	types.Bool: "|b1",
	types.U8:   "|u1",
	types.U16:  "<u2",
	types.U32:  "<u4",
	types.U64:  "<u8",
	types.I8:   "|i1",
	types.I16:  "<i2",
	types.I32:  "<i4",
	types.I64:  "<i8",
	types.F16:  "<f2",
	types.BF16: "<V2",
	types.F32:  "<f4",
	types.F64:  "<f8",
	types.C64:  "<c8",
	types.C128: "<c16",
}

// Decode returns the array in data, the content of a .npy file of format
// version 1.0, 2.0 or 3.0. The view shares data's memory, whatever order the
// array has, and has strides for Fortran order; only elements that are not
// aligned to their size are copied. name is the file's, for errors.
func Decode(name string, data []byte) (soa.View, error) {
	v, err := decode(data, viewOf)
	if err != nil {
		return soa.View{}, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

// decode views the elements with view, which gets as many bytes as t takes.
func decode(data []byte, view func(body []byte, t types.Type) (soa.View, error)) (soa.View, error) {
	h, body, err := splitHeader(data)
	if err != nil {
		return soa.View{}, err
	}
	t, err := h.typeFor(uint64(len(body)))
	if err != nil {
		return soa.View{}, err
	}
	if t.DType == types.Bool {
		for i, b := range body {
			if b > 1 {
				return soa.View{}, fmt.Errorf("element %d of %v is the byte %#02x: want 0 or 1", i, t, b)
			}
		}
	}
	v, err := view(body, t)
	if err != nil {
		return soa.View{}, err
	}
	if h.fortran {
		n := 1
		for i, d := range t.Shape {
			v.Strides[i] = n
			n *= d
		}
	}
	return v, nil
}

// viewOf views body as dense elements of t, in place if they are aligned.
func viewOf(body []byte, t types.Type) (soa.View, error) {
	if len(body) == 0 {
		return soa.Make(t), nil
	}
	p := unsafe.Pointer(unsafe.SliceData(body))
	if uintptr(p)%uintptr(t.DType.Align()) != 0 {
		b := soa.New(len(body))
		copy(b.Bytes(), body)
		return b.View(t), nil
	}
	return soa.Wrap(body).View(t), nil
}

// ReadFile reads a .npy file, or as many bytes of a pipe or device as its header
// says.
func ReadFile(path string) (soa.View, error) {
	data, err := readAligned(path, func(r io.Reader) ([]byte, error) { return readArray(path, r) })
	if err != nil {
		return soa.View{}, fmt.Errorf("read array: %w", err)
	}
	return Decode(path, data)
}

// Map is ReadFile without reading: the view is of the file itself, whose pages
// are loaded when they are looked at, where the system can do so. It is for
// arrays that are large, or of which a part is used. The file must not be made
// shorter as long as the view is in use ([soa.MapFile]); the elements are off
// the Go heap, so that [soa.With] takes the place of [soa.Slice].
func Map(path string) (soa.View, error) {
	buf, err := soa.MapFile(path)
	if err != nil {
		return soa.View{}, fmt.Errorf("map array: %w", err)
	}
	data := buf.Bytes()
	v, err := decode(data, func(body []byte, t types.Type) (soa.View, error) {
		offset := len(data) - len(body)
		if len(body) == 0 || offset%t.DType.Align() != 0 {
			return viewOf(slices.Clone(body), t)
		}
		return buf.ViewAt(offset, t), nil
	})
	runtime.KeepAlive(buf)
	if err != nil {
		return soa.View{}, fmt.Errorf("map array: %s: %w", path, err)
	}
	return v, nil
}

// readAligned is os.ReadFile into memory aligned like a buffer, so that what
// is aligned in the file is aligned in memory. What is no regular file is read by the
// function.
func readAligned(path string, endless func(r io.Reader) ([]byte, error)) ([]byte, error) {
	return files.Read(path, func(f *os.File, size int64) ([]byte, error) {
		if err := soa.Fits(int(size)); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		data := soa.New(int(size)).Bytes()
		if n, err := io.ReadFull(f, data); err != nil {
			return nil, fmt.Errorf("%s: read %d of %s: %w", path, n, diag.Count(len(data), "byte"), err)
		}
		return data, nil
	}, endless)
}

// readArray reads a .npy file that does not tell its size: its header, and then as
// much as that says.
func readArray(name string, r io.Reader) ([]byte, error) {
	head, err := readHeader(r, math.MaxUint64, func(err error, n int) error {
		switch err {
		case nil:
			return nil
		case io.EOF, io.ErrUnexpectedEOF:
			return fmt.Errorf("truncated: ends after %s, within the header", diag.Count(n, "byte"))
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	h, rest, err := splitHeader(head)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t, err := h.tensorType()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	size := len(head) - len(rest) + t.Bytes()
	if size < 0 || int64(size) > soa.Limit()/2 { // ReadDeclared takes it twice
		return nil, fmt.Errorf("%s: %w: %v of what is no regular file: write it to one", name, soa.ErrMemory, t)
	}
	return files.ReadDeclared(name, head, r, size)
}
