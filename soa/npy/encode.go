package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unsafe"

	"ltc/internal/diag"
	"ltc/internal/files"
	"ltc/ir/types"
	"ltc/soa"
)

// Encode writes v, of any strides, as a .npy file in C order, format version
// 1.0. What [soa.View.Check] reports of v is an error.
func Encode(w io.Writer, v soa.View) error {
	head, err := encodeHeader(v.Type)
	if err != nil {
		return err
	}
	if err := v.Check(); err != nil {
		return fmt.Errorf("write array: %w", err)
	}
	if _, err := w.Write(head); err != nil {
		return fmt.Errorf("write array: %w", err)
	}
	if err := writeElements(w, v); err != nil {
		return fmt.Errorf("write array: %w", err)
	}
	return nil
}

// WriteFile writes v as a .npy file at path. A file of that name is replaced when
// the new one is whole: v may be of it ([Map]).
func WriteFile(path string, v soa.View) error {
	return writeFile(path, func(w io.Writer) error { return Encode(w, v) })
}

func writeFile(path string, write func(io.Writer) error) error {
	if err := files.Write(path, write); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// encodeHeader returns the preamble of a file with an array of type t, padded
// so that the elements start at a multiple of 64 bytes, as NumPy does.
func encodeHeader(t types.Type) ([]byte, error) {
	if err := t.Check(); err != nil {
		return nil, fmt.Errorf("write array: %w", err)
	}
	if descrs[t.DType] == "" {
		return nil, fmt.Errorf("write array: NumPy has no type for %v: convert it to f32, or write a file of safetensors", t.DType)
	}
	return Header(descrs[t.DType], t.Shape)
}

// Header returns what stands in a .npy file before the elements of an array in
// C order, whose type NumPy writes as code: for types that no tensor here has.
func Header(code string, shape []int) ([]byte, error) {
	if len(shape) > maxRank {
		return nil, fmt.Errorf("write array: %s: NumPy has at most %d", diag.Count(len(shape), "dimension"), maxRank)
	}
	var list strings.Builder
	for _, d := range shape {
		fmt.Fprintf(&list, "%d, ", d)
	}
	dims := strings.TrimSuffix(list.String(), " ")
	if len(shape) > 1 {
		dims = strings.TrimSuffix(dims, ",")
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", code, dims)
	const prefix = len(magic) + 4
	size := (prefix+len(dict)+1+63)/64*64 - prefix
	dict += strings.Repeat(" ", size-len(dict)-1) + "\n"
	b := append([]byte(magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(size))
	return append(b, dict...), nil
}

// writeElements writes the elements of v in C order.
func writeElements(w io.Writer, v soa.View) error {
	size, n := v.Type.DType.Size(), v.Type.Elements()
	if n == 0 {
		return nil
	}
	if v.IsDense() && v.Remote() == nil {
		_, err := w.Write(unsafe.Slice((*byte)(v.Base()), n*size))
		soa.KeepAlive(v)
		return err
	}
	dense := soa.Make(v.Type)
	if err := soa.Copy(dense, v); err != nil {
		return err
	}
	return writeElements(w, dense)
}
