// Package torch reads files that PyTorch's torch.save wrote: zip archives, and pickles of the
// legacy format. Its central type is [File]. Tensors are views of the file where they lie. The
// pickles are interpreted by an own machine of few opcodes and few known names: a file cannot
// execute anything, and what is not known is refused by name.
//
// The package imports only ltc/ir/types, ltc/soa and ltc/internal/diag.
package torch

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strconv"

	"ltc/internal/diag"
	"ltc/soa"
)

// File is the content of a file. Names of nested dicts and lists are joined by dots, as in
// optimizer.state.0.exp_avg. A lone tensor has the name 0, as in a list.
type File struct {
	Tensors []*Tensor // in the order of the dicts
	// Metadata has the values that are no tensors: nil, bool, int64, *big.Int, float64, string,
	// and []any of them for lists and tuples. A dtype is a string such as torch.float32.
	Metadata map[string]any

	buffer *soa.Buffer
}

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

// Close ends the use of the file and of all views of its tensors that lie in it.
func (f *File) Close() { f.buffer.Release() }

// Zip and Legacy are what files of the two formats begin with.
const (
	Zip    = "PK\x03\x04"
	Legacy = "\x80" // and the protocol of the first pickle
)

// Decode returns the content of b in place. name is the file's, for errors.
func Decode(name string, b *soa.Buffer) (*File, error) {
	defer runtime.KeepAlive(b)
	data := b.Bytes()
	read := decodeLegacy
	switch {
	case bytes.HasPrefix(data, []byte(Zip)):
		read = decodeZip
	case len(data) > 262 && string(data[257:262]) == "ustar":
		return nil, fmt.Errorf("%s: a tar archive, which PyTorch wrote before version 0.1.10: load it and save it with a newer PyTorch", name)
	case !bytes.HasPrefix(data, []byte(Legacy)):
		return nil, fmt.Errorf("%s: it begins with %q: no file of torch.save", name, data[:min(len(data), 8)])
	}
	value, err := read(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &File{Metadata: map[string]any{}, buffer: b}
	if t, ok := value.(*Tensor); ok {
		value = &list{[]any{t}}
	}
	n := namer{file: f, taken: map[string]bool{}}
	if err := n.add("", value, 0); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// Bounds of nested values.
const (
	maxDepth     = 64
	maxNamed     = 1 << 20  // names, and values in lists
	maxNameBytes = 64 << 20 // of all names together
)

// namer gives names to the values of a pickle.
type namer struct {
	file  *File
	taken map[string]bool
	named int
	bytes int
}

// add adds the value x with its name, and what is in it.
func (n *namer) add(name string, x any, depth int) error {
	n.named++
	n.bytes += len(name)
	if n.named > maxNamed || n.bytes > maxNameBytes {
		return fmt.Errorf("it has more than %s, or their names more than %s: a value may be in the file once and be named many times", diag.Count(maxNamed, "value"), diag.Bytes(maxNameBytes))
	}
	if depth > maxDepth {
		return fmt.Errorf("%s: values are nested deeper than %d", clip(name), maxDepth)
	}
	switch x := x.(type) {
	case *dict:
		for i, key := range x.keys {
			if err := n.add(join(name, keyText(key)), x.values[i], depth+1); err != nil {
				return err
			}
		}
		return nil
	case *list:
		return n.items(name, x.items, depth)
	case tuple:
		return n.items(name, x, depth)
	case *Storage, global, *numpyType:
		return fmt.Errorf("%s is %s: want tensors, numbers and texts", clip(name), describe(x))
	}
	if n.taken[name] {
		return fmt.Errorf("two values have the name %s, which joins the keys of dicts by dots", clip(name))
	}
	n.taken[name] = true
	t, ok := x.(*Tensor)
	if !ok {
		n.file.Metadata[name] = plain(x)
		return nil
	}
	if t.unread != "" {
		return fmt.Errorf("tensor %s has elements of torch.%s, which are not read: convert it", clip(name), t.unread)
	}
	named := *t // a tensor may have several names
	named.Name = name
	n.file.Tensors = append(n.file.Tensors, &named)
	return nil
}

// items adds a list: one value if all its items are numbers or texts.
func (n *namer) items(name string, items []any, depth int) error {
	if !slices.ContainsFunc(items, compound) {
		n.named += len(items)
		all := make([]any, 0, min(len(items), maxNamed))
		for _, x := range items {
			all = append(all, plain(x))
			if len(all) > maxNamed {
				break // which add reports
			}
		}
		return n.add(name, all, depth+1)
	}
	for i, x := range items {
		if err := n.add(join(name, strconv.Itoa(i)), x, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// compound reports whether x has names of its own within a list.
func compound(x any) bool {
	switch x.(type) {
	case *dict, *list, tuple, *Tensor, *Storage, global, *numpyType:
		return true
	}
	return false
}

// plain returns the value of metadata that x is.
func plain(x any) any {
	switch x := x.(type) {
	case dtypeName:
		return "torch." + string(x)
	case encoded:
		return string(x)
	}
	return x
}

// keyText returns the part of a name that a dict's key is.
func keyText(key any) string {
	switch key := key.(type) {
	case string:
		return key
	case nil:
		return "None"
	}
	return fmt.Sprint(key)
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

// clip shortens a name for an error.
func clip(name string) string {
	if len(name) > diag.Shown {
		return name[:diag.Shown] + "…"
	}
	if name == "" {
		return "the whole"
	}
	return name
}
