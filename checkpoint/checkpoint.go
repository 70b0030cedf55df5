// Package checkpoint has the weights of models in files. [Open] reads safetensors, also in shards,
// PyTorch's files and GGUF, as a [File] of named tensors where they lie. [LoadInto] gives variables
// the values of a file. [Save] and [SaveSharded] write safetensors, whole or not at all, and [Load]
// goes on from such a file. [SaveProgram] and [OpenProgram] keep an exported program and its
// constants. The central type is [State]: an ordered list of named tensors, and small values next
// to them.
//
// The package imports only ltc/checkpoint/gguf, ltc/checkpoint/torch, ltc/internal/diag,
// ltc/internal/files, ltc/ir/types, ltc/lazy, ltc/soa and ltc/soa/safetensors.
package checkpoint

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"ltc/checkpoint/gguf"
	"ltc/checkpoint/torch"
	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
	"ltc/soa/safetensors"
)

// Tensor is a named tensor of a state.
type Tensor struct {
	Name    string
	Type    types.Type // f32 if the elements are quantized blocks
	Strides []int      // in elements
	// Storage is the number of the memory that holds the elements. Tensors of a PyTorch file that
	// share memory have the same number.
	Storage int
	// Blocks has the elements of a GGUF tensor, which may be quantized; nil of other files.
	Blocks *gguf.Tensor

	view func() (soa.View, error)
}

// Quantized reports whether the elements are blocks, which no view shows: see Blocks.
func (t *Tensor) Quantized() bool { return t.Blocks != nil && t.Blocks.DType.Plain() == types.Invalid }

// View returns the elements, in place where the file has them aligned. View returns an error if
// they are quantized, are no elements of the dtype, or the file is closed.
func (t *Tensor) View() (soa.View, error) {
	if t.Quantized() {
		return soa.View{}, fmt.Errorf("tensor %s has blocks of %v: take its Blocks, as they are or dequantized", t.Name, t.Blocks.DType)
	}
	v, err := t.view()
	if err == nil && v.Released() {
		err = fmt.Errorf("tensor %s: %w", t.Name, soa.ErrReleased)
	}
	return v, err
}

// State is an ordered list of tensors with different names, and small values. The zero State is
// empty and ready for use.
type State struct {
	// Metadata has small values by name: see [Metadata.Value].
	Metadata Metadata

	name    string // of the file, for errors
	tensors []*Tensor
	index   map[string]int
}

// ByName returns variables with their own names, such as those of an optimizer's State. Those of a
// network are module.State.
func ByName(variables ...*lazy.Tensor) iter.Seq2[string, *lazy.Tensor] {
	return func(yield func(string, *lazy.Tensor) bool) {
		for _, v := range variables {
			if !yield(v.Name(), v) {
				return
			}
		}
	}
}

// StateOf returns a state of tensors with values, whose names differ. It waits for the steps that
// compute them.
func StateOf(tensors iter.Seq2[string, *lazy.Tensor]) (*State, error) {
	s := &State{}
	if tensors == nil {
		return nil, errors.New("there are no tensors, the iterator is nil: for a map use maps.All")
	}
	for name, t := range tensors {
		v, err := t.Value()
		if err != nil {
			return nil, fmt.Errorf("tensor %s: %w", name, err)
		}
		if err := s.Add(name, v); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Add adds a tensor. It returns an error if the state has a tensor of that name, or the view is
// not valid.
func (s *State) Add(name string, v soa.View) error {
	if err := v.Check(); err != nil {
		return fmt.Errorf("tensor %s: %w", name, err)
	}
	return s.add(&Tensor{Name: name, Type: v.Type, Strides: v.Strides, Storage: len(s.tensors), view: func() (soa.View, error) { return v, nil }})
}

func (s *State) add(t *Tensor) error {
	if _, twice := s.index[t.Name]; twice {
		return fmt.Errorf("tensor %s is there twice: names differ within a state", t.Name)
	}
	if s.index == nil {
		s.index = map[string]int{}
	}
	s.index[t.Name] = len(s.tensors)
	s.tensors = append(s.tensors, t)
	return nil
}

// Len returns the number of tensors.
func (s *State) Len() int { return len(s.tensors) }

// Bytes returns the size of all elements, as blocks where they are quantized. Tensors that share elements count each.
func (s *State) Bytes() (n int) {
	for _, t := range s.tensors {
		if t.Blocks != nil {
			n += t.Blocks.Raw().Type.Bytes()
		} else {
			n += t.Type.Bytes()
		}
	}
	return n
}

// Names returns the names in order.
func (s *State) Names() []string {
	names := make([]string, len(s.tensors))
	for i, t := range s.tensors {
		names[i] = t.Name
	}
	return names
}

// All returns the tensors in order, with their names.
func (s *State) All() iter.Seq2[string, *Tensor] {
	return func(yield func(string, *Tensor) bool) {
		for _, t := range s.tensors {
			if !yield(t.Name, t) {
				return
			}
		}
	}
}

// Tensor returns the tensor of the given name. The error, if there is none, names the file and the
// name that was probably meant.
func (s *State) Tensor(name string) (*Tensor, error) {
	i, ok := s.index[name]
	if !ok {
		return nil, fmt.Errorf("%s has no tensor %s%s", cmp.Or(s.name, "the state"), name, diag.Meant(name, "tensor", s.Names()))
	}
	return s.tensors[i], nil
}

// The formats of files.
const (
	Safetensors = "safetensors"
	Torch       = "torch"
	GGUF        = "gguf"
)

// File is the content of a file, which stays mapped.
type File struct {
	State
	Format string // Safetensors, Torch or GGUF

	buffers []*soa.Buffer
	closers []func()
}

// Close ends the use of the file and of the views of its tensors. Without Close, the mapping ends
// when no view of it is reachable. Variables keep the values that [LoadInto] copied into them. Those
// loaded with [Options].Share lose theirs: close the file when they have others.
func (f *File) Close() {
	for _, b := range f.buffers {
		b.Release()
	}
	for _, c := range f.closers {
		c()
	}
}

// Open maps a file, and recognizes its format by its content: safetensors, an index of shards
// (model.safetensors.index.json) with all its shards, PyTorch's torch.save, or GGUF. Open reads the
// head of the file; elements are read when they are used. The file must not be truncated while it
// is open: see [soa.MapFile].
func Open(path string) (*File, error) {
	head, err := beginning(path)
	if err != nil {
		return nil, err
	}
	is := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case len(head) > 8 && head[8] == '{' && binary.LittleEndian.Uint32(head[4:]) == 0: // a header's size, which may be any magic number
		return openSafetensors(path)
	case is(gguf.Magic):
		return openGGUF(path)
	case is(torch.Zip), is(torch.Legacy), len(head) > 262 && string(head[257:262]) == "ustar":
		return openTorch(path)
	case is("{"):
		return openIndex(path)
	}
	return nil, fmt.Errorf("%s: it begins with %q: want a file of safetensors, an index of such files, a file of torch.save, or GGUF", path, head[:min(len(head), 12)])
}

// beginning returns the first bytes of a regular file.
func beginning(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 263)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return head[:n], nil
}

func openSafetensors(path string) (*File, error) {
	f := &File{State: State{name: path, Metadata: Metadata{}}, Format: Safetensors}
	if err := f.addSafetensors(path, func(string) error { return nil }); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// addSafetensors adds the tensors and the metadata of a file. Accept says which names may be in it.
func (f *File) addSafetensors(path string, accept func(name string) error) error {
	b, err := soa.MapFile(path)
	if err != nil {
		return err
	}
	f.buffers = append(f.buffers, b)
	all, err := safetensors.Decode(path, b)
	if err != nil {
		return err
	}
	for _, t := range all.Tensors {
		if err := accept(t.Name); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := f.Add(t.Name, t.View); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	for key, text := range all.Metadata {
		if _, ok := f.Metadata[key]; !ok {
			f.Metadata[key] = text
		}
	}
	return nil
}

func openTorch(path string) (*File, error) {
	all, err := torch.Map(path)
	if err != nil {
		return nil, err
	}
	f := &File{State: State{name: path, Metadata: all.Metadata}, Format: Torch, closers: []func(){all.Close}}
	numbers := map[*torch.Storage]int{}
	for _, t := range all.Tensors {
		if _, ok := numbers[t.Storage]; !ok {
			numbers[t.Storage] = len(numbers)
		}
		if err := f.add(&Tensor{Name: t.Name, Type: t.Type, Strides: t.Strides, Storage: numbers[t.Storage], view: t.View}); err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return f, nil
}

func openGGUF(path string) (*File, error) {
	all, err := gguf.Map(path)
	if err != nil {
		return nil, err
	}
	f := &File{State: State{name: path, Metadata: all.Metadata}, Format: GGUF, closers: []func(){all.Close}}
	for i, t := range all.Tensors {
		d := t.DType.Plain()
		if d == types.Invalid {
			d = types.F32
		}
		x := &Tensor{Name: t.Name, Type: types.Type{DType: d, Shape: t.Shape}, Strides: soa.Dense(t.Shape), Storage: i, Blocks: t, view: func() (soa.View, error) { return t.View(), nil }}
		if err := f.add(x); err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return f, nil
}
