package safetensors

import (
	"bufio"
	"io"
	"os"
	"unsafe"

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

// WriteFile writes a file under a name of its own, which it gets when it is
// whole: a file of the old name may be mapped.
func WriteFile(path string, f *File) (err error) {
	tmp := path + ".new"
	out, err := os.Create(tmp)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(tmp)
		}
	}()
	w := bufio.NewWriterSize(out, 1<<20)
	if err = Write(w, f); err == nil {
		err = w.Flush()
	}
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

func elements(w io.Writer, v soa.View) error {
	n := v.Type.Bytes()
	if n == 0 {
		return nil
	}
	if !v.IsDense() {
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
