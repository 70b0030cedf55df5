package torch

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/soa"
)

// Storage is memory that tensors share.
type Storage struct {
	Key   string // in the file
	DType types.DType
	Bytes int

	buffer *soa.Buffer
	at     int // byte of buffer; -1 until the file said where
	align  int // of the elements, which an untyped storage does not say

	once sync.Once
	mem  *soa.Buffer // with the elements aligned
	from int         // of mem
}

// memory returns the buffer with the elements, and where they begin: the file in place, or a copy
// if they are not aligned, as in files of the legacy format.
func (s *Storage) memory() (*soa.Buffer, int) {
	s.once.Do(func() {
		s.mem, s.from = s.buffer, s.at
		data := s.buffer.Bytes()[s.at : s.at+s.Bytes]
		if at := uintptr(unsafe.Pointer(unsafe.SliceData(data))); (at|uintptr(s.at))%uintptr(s.align) != 0 {
			s.mem, s.from = soa.New(s.Bytes), 0
			copy(s.mem.Bytes(), data)
		}
	})
	return s.mem, s.from
}

// Tensor is a named tensor: a strided window of a storage.
type Tensor struct {
	Name    string
	Type    types.Type
	Strides []int // in elements
	Offset  int   // of element (0, 0, …) in the storage, in elements
	Storage *Storage

	unread string // the dtype, if tensors of it are not read
}

// View returns the elements. They are in place in the file if they are aligned there, else in a
// copy of the storage, which all its tensors share. View returns an error if an element of a bool
// tensor is neither 0 nor 1, or the file is closed.
func (t *Tensor) View() (soa.View, error) {
	if t.Storage.buffer.Released() {
		return soa.View{}, fmt.Errorf("tensor %s: %w", t.Name, soa.ErrReleased)
	}
	if t.Type.Elements() == 0 {
		return soa.Make(t.Type), nil
	}
	b, at := t.Storage.memory()
	n := t.Storage.Bytes / t.Type.DType.Size()
	if t.Type.DType == types.Bool {
		for i, x := range b.Bytes()[at : at+n] {
			if x > 1 {
				return soa.View{}, fmt.Errorf("tensor %s: byte %d of its storage %s is %#02x: a bool is 0 or 1", t.Name, i, t.Storage.Key, x)
			}
		}
	}
	v, err := b.ViewAt(at, types.Of(t.Type.DType, n)).Restride(t.Type, t.Offset, t.Strides)
	if err != nil {
		return soa.View{}, fmt.Errorf("tensor %s: %w", t.Name, err)
	}
	return v, nil
}

// tensorOf returns what torch._utils._rebuild_tensor_v2 gives: its arguments are a storage, an
// offset, sizes, strides, requires_grad, hooks, and in newer files a dict of further properties.
func tensorOf(args tuple, name dtypeName) (*Tensor, error) {
	if len(args) < 6 {
		return nil, fmt.Errorf("%s, want 6", diag.Count(len(args), "argument"))
	}
	s, ok := args[0].(*Storage)
	if !ok {
		return nil, fmt.Errorf("the storage is %s", describe(args[0]))
	}
	offset, ok := args[1].(int64)
	if !ok || offset < 0 {
		return nil, errors.New("the offset is no number from 0 on")
	}
	shape, err := numbers(args[2])
	if err != nil {
		return nil, fmt.Errorf("sizes: %w", err)
	}
	strides, err := numbers(args[3])
	if err != nil {
		return nil, fmt.Errorf("strides: %w", err)
	}
	if len(shape) != len(strides) {
		return nil, fmt.Errorf("%s and %s", diag.Count(len(shape), "size"), diag.Count(len(strides), "stride"))
	}
	if len(args) > 6 {
		if d, ok := args[6].(*dict); ok {
			for _, lazily := range []string{"conj", "neg"} {
				if d.get(lazily) == true {
					return nil, fmt.Errorf("a tensor with the lazy property %s: call its resolve_%s() before torch.save", lazily, lazily)
				}
			}
		}
	}
	t := &Tensor{Type: types.Type{DType: s.DType, Shape: shape}, Strides: strides, Offset: int(offset), Storage: s}
	if name != "" {
		d, ok := dtypes[name]
		if !ok {
			t.unread, d = string(name), types.U8
		}
		t.Type.DType = d
	}
	if err := t.Type.Check(); err != nil {
		return nil, err
	}
	if n := s.Bytes / t.Type.DType.Size(); !reaches(t, n) {
		return nil, fmt.Errorf("a tensor %v with strides %v from element %d on reaches outside of its storage %s, which has %s", t.Type, strides, offset, s.Key, diag.Count(n, "element"))
	}
	return t, nil
}

// reaches reports whether all elements of t are among n.
func reaches(t *Tensor, n int) bool {
	if slices.Contains(t.Type.Shape, 0) {
		return true
	}
	left := n - 1 - t.Offset
	if left < 0 {
		return false
	}
	for i, d := range t.Type.Shape {
		if d == 1 {
			continue
		}
		if t.Strides[i] > left/(d-1) {
			return false
		}
		left -= (d - 1) * t.Strides[i]
	}
	return true
}

// maxRank is more than PyTorch allows dimensions.
const maxRank = 64

// numbers returns a tuple of numbers from 0 on.
func numbers(x any) ([]int, error) {
	t, ok := x.(tuple)
	if !ok || len(t) > maxRank {
		return nil, fmt.Errorf("want a tuple of at most %s", diag.Count(maxRank, "number"))
	}
	all := make([]int, len(t))
	for i, x := range t {
		n, ok := x.(int64)
		if !ok || n < 0 {
			return nil, errors.New("want numbers from 0 on")
		}
		all[i] = int(n)
	}
	return all, nil
}
