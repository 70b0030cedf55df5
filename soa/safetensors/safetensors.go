// Package safetensors reads and writes files of named tensors in the format
// safetensors: eight bytes with the length of a header, little-endian, the
// header, which is JSON, and the tensors' elements, row by row. Its central type
// is [File]. Elements are looked at where they lie in the file.
//
// The package imports only ltc/ir/types, ltc/soa, ltc/internal/files and ltc/internal/diag.
package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"unicode/utf8"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/soa"
)

// File is the content of a file.
type File struct {
	Tensors  []Tensor          // in the order in which their elements lie
	Metadata map[string]string // __metadata__

	name string // of the file, for errors; empty if there is none yet
}

// Tensor is a named tensor.
type Tensor struct {
	Name string
	View soa.View
}

// Lookup returns the tensor of the given name. The error, if there is none, names the file
// and lists the names.
func (f *File) Lookup(name string) (soa.View, error) {
	if f == nil {
		return soa.View{}, errors.New("the file is nil")
	}
	i := slices.IndexFunc(f.Tensors, func(t Tensor) bool { return t.Name == name })
	if i < 0 {
		names := make([]string, len(f.Tensors))
		for i, t := range f.Tensors {
			names[i] = t.Name
		}
		return soa.View{}, fmt.Errorf("%s has no tensor %s%s", cmp.Or(f.name, "the file"), name, diag.Meant(name, "tensor", names))
	}
	return f.Tensors[i].View, nil
}

// maxHeader is the most bytes of a header that other readers take.
const maxHeader = 100 << 20

// dtypes are the format's names.
var dtypes = map[string]types.DType{
	"BOOL": types.Bool, "U8": types.U8, "U16": types.U16, "U32": types.U32, "U64": types.U64,
	"I8": types.I8, "I16": types.I16, "I32": types.I32, "I64": types.I64,
	"F16": types.F16, "BF16": types.BF16, "F32": types.F32, "F64": types.F64, "C64": types.C64,
	"F8_E4M3": types.F8E4M3FN, "F8_E5M2": types.F8E5M2,
}

// entry is a tensor in the header.
type entry struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets []int  `json:"data_offsets"`
}

// Map returns the tensors of a file in place, read when they are looked at: see
// [soa.MapFile].
func Map(path string) (*File, error) {
	b, err := soa.MapFile(path)
	if err != nil {
		return nil, err
	}
	return Decode(path, b)
}

// Decode returns the tensors in b, in place; those that do not lie at a multiple
// of their element's size, which no writer of the format makes, are copied. The
// elements of all must fill the buffer without gaps, as the format says. name is
// the file's, for errors.
func Decode(name string, b *soa.Buffer) (*File, error) {
	if b == nil {
		return nil, fmt.Errorf("%s: the buffer is nil", name)
	}
	if b.Released() {
		return nil, fmt.Errorf("%s: %w", name, soa.ErrReleased)
	}
	defer runtime.KeepAlive(b)
	f, err := decode(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f.name = name
	return f, nil
}

func decode(b *soa.Buffer) (*File, error) {
	data := b.Bytes()
	if len(data) < 8 {
		return nil, fmt.Errorf("a file of %s is no safetensors file", diag.Count(len(data), "byte"))
	}
	size := binary.LittleEndian.Uint64(data)
	if size > maxHeader || size > uint64(len(data)-8) {
		return nil, fmt.Errorf("no safetensors file, or one cut short: its first 8 bytes say that a header of %s follows; %d follow, and a header has at most %d", diag.Count(size, "byte"), len(data)-8, maxHeader)
	}
	start := 8 + int(size)
	entries, metadata, err := header(data[8:start])
	if err != nil {
		return nil, err
	}
	f := &File{Metadata: metadata}
	type placed struct {
		name       string
		t          types.Type
		begin, end int
	}
	var all []placed
	for name, e := range entries {
		t, err := e.tensorType()
		if err != nil {
			return nil, fmt.Errorf("tensor %s: %w", name, err)
		}
		begin, end := e.Offsets[0], e.Offsets[1]
		if have := len(data) - start; begin >= 0 && end > have && end-begin == t.Bytes() {
			return nil, fmt.Errorf("the file is cut short: tensor %s, %v, ends at byte %d of the elements, and the file has %d", name, t, end, have)
		}
		if begin < 0 || end < begin || end > len(data)-start || end-begin != t.Bytes() {
			return nil, fmt.Errorf("tensor %s: %v at bytes %d to %d of %d", name, t, begin, end, len(data)-start)
		}
		all = append(all, placed{name, t, begin, end})
	}
	slices.SortFunc(all, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end), cmp.Compare(a.name, b.name))
	})
	at := 0
	for _, p := range all {
		if p.begin != at {
			return nil, fmt.Errorf("tensor %s: it begins at byte %d, and what is before it ends at %d", p.name, p.begin, at)
		}
		at = p.end
		if i := notBool(p.t, data[start+p.begin:start+p.end]); i >= 0 {
			return nil, fmt.Errorf("tensor %s: element %d of %v is the byte %#02x: want 0 or 1", p.name, i, p.t, data[start+p.begin+i])
		}
		f.Tensors = append(f.Tensors, Tensor{p.name, view(b, start+p.begin, p.t)})
	}
	if at != len(data)-start {
		return nil, fmt.Errorf("there is more behind the last tensor: %s", diag.Count(len(data)-start-at, "byte"))
	}
	return f, nil
}

// notBool returns the first byte that is no element of t, which Go's bools of other
// values than 0 and 1 are not; -1 if there is none.
func notBool(t types.Type, data []byte) int {
	if t.DType != types.Bool {
		return -1
	}
	return slices.IndexFunc(data, func(b byte) bool { return b > 1 })
}

// header returns the entries of a header.
func header(text []byte) (map[string]entry, map[string]string, error) {
	raw, err := members(text)
	if err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	entries, metadata := map[string]entry{}, map[string]string(nil)
	for name, value := range raw {
		if name == "__metadata__" {
			if err := json.Unmarshal(value, &metadata); err != nil {
				return nil, nil, fmt.Errorf("header: __metadata__: %w", err)
			}
			continue
		}
		var e entry
		if err := json.Unmarshal(value, &e); err != nil {
			return nil, nil, fmt.Errorf("header: tensor %s: %w", name, err)
		}
		entries[name] = e
	}
	return entries, metadata, nil
}

// members returns the members of a JSON object, of which no two have one name.
func members(text []byte) (map[string]json.RawMessage, error) {
	if !json.Valid(text) { // says where it is not
		return nil, json.Unmarshal(text, &json.RawMessage{})
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("want a JSON object, found %v", t)
	}
	all := map[string]json.RawMessage{}
	for d.More() {
		var value json.RawMessage
		t, _ := d.Token()
		name := t.(string)
		if _, twice := all[name]; twice {
			return nil, fmt.Errorf("tensor %s is there twice", name)
		}
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		all[name] = value
	}
	return all, nil
}

func (e entry) tensorType() (types.Type, error) {
	d, ok := dtypes[e.DType]
	if !ok {
		return types.Type{}, fmt.Errorf("there is no dtype for elements of %q", e.DType)
	}
	if len(e.Offsets) != 2 {
		return types.Type{}, fmt.Errorf("it has %d data_offsets", len(e.Offsets))
	}
	if e.Shape == nil {
		return types.Type{}, errors.New("it has no shape")
	}
	t := types.Type{DType: d, Shape: types.Shape(e.Shape)}
	return t, t.Check()
}

// view returns the tensor at a byte of b.
func view(b *soa.Buffer, offset int, t types.Type) soa.View {
	n := t.Bytes()
	if n == 0 {
		return soa.Make(t)
	}
	if size := t.DType.Size(); offset%size == 0 {
		if v := b.ViewAt(offset, t); uintptr(v.Base())%uintptr(size) == 0 {
			return v
		}
	}
	own := soa.New(n)
	copy(own.Bytes(), b.Bytes()[offset:offset+n])
	return own.View(t)
}

// Encode returns the bytes of a file up to its first element, and the tensors in
// the order in which their elements follow: larger elements first, then by name,
// as other writers do. The header is filled up with blanks to a multiple of 8.
func Encode(f *File) (head []byte, tensors []Tensor, err error) {
	if f == nil {
		return nil, nil, errors.New("the file is nil")
	}
	names := make(map[types.DType]string, len(dtypes))
	for name, d := range dtypes {
		names[d] = name
	}
	tensors = slices.Clone(f.Tensors)
	slices.SortFunc(tensors, func(a, b Tensor) int {
		return cmp.Or(-cmp.Compare(a.View.Type.DType.Size(), b.View.Type.DType.Size()), cmp.Compare(a.Name, b.Name))
	})
	all, at := map[string]any{}, 0
	for name, text := range f.Metadata {
		if !utf8.ValidString(name) || !utf8.ValidString(text) {
			return nil, nil, fmt.Errorf("value %q: the name or the text is not UTF-8, which the format has: write bytes as base64", name)
		}
	}
	if len(f.Metadata) > 0 {
		all["__metadata__"] = f.Metadata
	}
	for _, t := range tensors {
		if !utf8.ValidString(t.Name) {
			return nil, nil, fmt.Errorf("tensor %q: the name is not UTF-8, which the format has: rename the tensor", t.Name)
		}
		if err := t.View.Check(); err != nil {
			return nil, nil, fmt.Errorf("tensor %s: %w", t.Name, err)
		}
		if _, twice := all[t.Name]; twice || t.Name == "__metadata__" {
			return nil, nil, fmt.Errorf("tensor %s: the name is taken: names differ within a file", t.Name)
		}
		if names[t.View.Type.DType] == "" {
			return nil, nil, fmt.Errorf("tensor %s: the format has no dtype for %v", t.Name, t.View.Type)
		}
		shape, n := append([]int{}, t.View.Type.Shape...), t.View.Type.Bytes()
		if n > math.MaxInt-at {
			return nil, nil, fmt.Errorf("tensor %s: %w", t.Name, soa.ErrMemory)
		}
		all[t.Name] = entry{names[t.View.Type.DType], shape, []int{at, at + n}}
		at += n
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, nil, err
	}
	text = append(text, bytes.Repeat([]byte(" "), -len(text)&7)...)
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), tensors, nil
}
