package safetensors

import (
	"io"
	"unsafe"

	"ltc/internal/files"
	"ltc/soa"
)

// Write writes a file's tensors, whatever their strides.
func Write(w io.Writer, f *File) error {
	head, tensors, err := Encode(f)
	if err != nil {
		return err
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	for _, t := range tensors {
		if err := elements(w, t.View); err != nil {
			return err
		}
	}
	return nil
}

// WriteFile writes a file, which replaces one of that name when it is whole: that
// one may be mapped, by tensors of f too.
func WriteFile(path string, f *File) error {
	return files.Write(path, func(w io.Writer) error { return Write(w, f) })
}

func elements(w io.Writer, v soa.View) error {
	n := v.Type.Bytes()
	if n == 0 {
		return nil
	}
	if !v.IsDense() || v.Remote() != nil {
		dense := soa.Make(v.Type)
		if err := soa.Copy(dense, v); err != nil {
			return err
		}
		v = dense
	}
	_, err := w.Write(unsafe.Slice((*byte)(v.Base()), n))
	soa.KeepAlive(v)
	return err
}
