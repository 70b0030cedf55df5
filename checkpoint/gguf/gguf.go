// Package gguf reads files of the format GGUF, versions 2 and 3: metadata and named tensors, whose
// elements are plain numbers or quantized blocks. Its central type is [File]. Tensors are views of
// the file where they lie; [Tensor.Dequantize] makes float32 of them. The format is that of ggml:
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
//
// The package imports only ltc/ir/types, ltc/soa and ltc/internal/diag.
package gguf

import (
	"cmp"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"unsafe"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/soa"
)

// File is the content of a file.
type File struct {
	Version  int
	Tensors  []*Tensor      // in the order of the file's list
	Metadata map[string]any // numbers, bools, strings, and slices of these; []any of nested arrays

	buffer *soa.Buffer
}

// Tensor is a named tensor.
type Tensor struct {
	Name  string
	DType DType
	Shape types.Shape // outermost dimension first: the file has the reverse

	raw   soa.View
	plain soa.View

	buffer *soa.Buffer // of the file, which has the elements from byte at on; nil if there are none
	at     int
}

// Raw returns the bytes of the blocks in place, as u8[rows,bytes of a row]. A row is the last
// dimension, whose blocks do not continue in the next row.
func (t *Tensor) Raw() soa.View { return t.raw }

// View returns the elements in place; the zero View if they are quantized.
func (t *Tensor) View() soa.View { return t.plain }

// Map returns the content of a file in place, read when it is looked at: see [soa.MapFile].
func Map(path string) (*File, error) {
	b, err := soa.MapFile(path)
	if err != nil {
		return nil, err
	}
	f, err := Decode(path, b)
	if err != nil {
		b.Release()
		return nil, err
	}
	return f, nil
}

// Close ends the use of the file and of all views of its tensors.
func (f *File) Close() { f.buffer.Release() }

// Magic is what files begin with.
const Magic = "GGUF"

// Bounds of what the format allows: dimensions (GGML_MAX_DIMS is 4), nested arrays, and the
// alignment of tensors.
const (
	maxRank      = 8
	maxNested    = 4
	maxAlignment = 1 << 20
)

// Decode returns the content of b in place. name is the file's, for errors, which have the offset
// of what is wrong.
func Decode(name string, b *soa.Buffer) (f *File, err error) {
	defer runtime.KeepAlive(b)
	r := &reader{data: b.Bytes()}
	defer func() {
		if r.err != nil {
			f, err = nil, fmt.Errorf("%s: %w", name, r.err)
		}
	}()
	f = &File{Metadata: map[string]any{}, buffer: b}
	if magic := r.take(4, "the magic number"); string(magic) != Magic {
		r.fail(0, "it begins with %q: no GGUF file", magic)
		return
	}
	version := r.u32("the version")
	if v := bits.ReverseBytes32(version); r.err == nil && version > 0xffff && v <= 0xffff {
		r.fail(4, "a big-endian file of version %d: convert it to little-endian, as with gguf-py's gguf_convert_endian.py", v)
	} else if r.err == nil && version != 2 && version != 3 {
		r.fail(4, "version %d: versions 2 and 3 are read; convert the model anew", version)
	}
	f.Version = int(version)
	const leastTensor, leastPair = 8 + 4 + 4 + 8, 8 + 4 + 1
	tensors := r.count("the number of tensors", leastTensor)
	pairs := r.count("the number of metadata entries", leastPair)
	for range pairs {
		at := r.at
		key := r.text("a metadata key")
		if _, twice := f.Metadata[key]; twice {
			r.fail(at, "metadata key %q is there twice", key)
		}
		value := r.value(key)
		if r.err != nil {
			return
		}
		f.Metadata[key] = value
	}
	f.tensors(r, tensors)
	return f, nil
}

// place is where a tensor's elements are.
type place struct {
	t          *Tensor
	begin, end int
}

// tensors reads the list of tensors and places them.
func (f *File) tensors(r *reader, count int) {
	places, names := make([]place, 0, min(count, 1<<16)), map[string]bool{}
	for range count {
		at := r.at
		t, offset, n := r.tensor()
		if r.err == nil && names[t.Name] {
			r.fail(at, "tensor %s is there twice", t.Name)
		}
		if r.err != nil {
			return
		}
		names[t.Name] = true
		f.Tensors = append(f.Tensors, t)
		places = append(places, place{t, offset, n}) // the end is set below
	}
	align := f.alignment(r)
	if r.err != nil {
		return
	}
	start := (r.at + align - 1) / align * align
	for i := range places {
		p := &places[i]
		n, room := p.end, len(r.data)-start
		if p.begin%align != 0 {
			r.fail(start, "tensor %s begins at byte %d of the elements, no multiple of the alignment %d", p.t.Name, p.begin, align)
			return
		}
		if p.begin > room || n > room-p.begin {
			r.fail(start, "the file is cut short: tensor %s, %v%v, has %s from byte %d of the elements on, and there are %d", p.t.Name, p.t.DType, p.t.Shape, diag.Count(n, "byte"), p.begin, max(room, 0))
			return
		}
		p.begin, p.end = start+p.begin, start+p.begin+n
		p.t.place(f.buffer, p.begin, n)
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end)) })
	for i := 1; i < len(places); i++ {
		if a, b := places[i-1], places[i]; b.begin < a.end {
			r.fail(b.begin, "tensors %s and %s overlap", a.t.Name, b.t.Name)
			return
		}
	}
}

// alignment returns what offsets of tensors are multiples of.
func (f *File) alignment(r *reader) int {
	switch a := f.Metadata["general.alignment"].(type) {
	case nil:
		return 32
	case uint32:
		if a > 0 && a&(a-1) == 0 && a <= maxAlignment {
			return int(a)
		}
	}
	r.fail(0, "general.alignment is %v: want a power of two of type u32, at most %d", f.Metadata["general.alignment"], maxAlignment)
	return 1
}

// place makes the views of t at byte at of b.
func (t *Tensor) place(b *soa.Buffer, at, n int) {
	rowBytes := lastDim(t.Shape) / t.DType.Block() * t.DType.BlockBytes()
	rows := 0
	if rowBytes > 0 {
		rows = n / rowBytes
	}
	if n == 0 {
		t.raw = soa.Make(types.Of(types.U8, rows, rowBytes))
	} else {
		t.buffer, t.at = b, at
		t.raw = b.ViewAt(at, types.Of(types.U8, rows, rowBytes))
	}
	d := t.DType.Plain()
	if d == types.Invalid {
		return
	}
	typ := types.Type{DType: d, Shape: t.Shape}
	switch {
	case n == 0:
		t.plain = soa.Make(typ)
	case at%d.Align() == 0 && uintptr(t.raw.Base())%uintptr(d.Align()) == 0:
		t.plain = b.ViewAt(at, typ)
	default: // of a buffer that is not aligned, or a file whose alignment is less than an element
		t.plain = soa.Make(typ)
		copy(unsafe.Slice((*byte)(t.plain.Base()), n), b.Bytes()[at:at+n])
	}
}
