package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/ir/types"
)

const (
	magic   = "\x93NUMPY"
	maxRank = 64 // of a NumPy array
)

// header is the Python dictionary at the start of a .npy file.
type header struct {
	descr   string
	fortran bool
	shape   types.Shape
}

// preambleBytes is the most that comes before the dictionary.
const preambleBytes = 12

// preamble returns how many bytes the dictionary of a .npy file has, and what data
// has from it on. Format: numpy.lib.format, magic, version, length of the dictionary
// (2 bytes in version 1.0, 4 in 2.0 and 3.0, little-endian), dictionary.
func preamble(data []byte) (size uint64, rest []byte, err error) {
	if !strings.HasPrefix(string(data[:min(len(data), len(magic))]), magic) {
		return 0, nil, fmt.Errorf("not a .npy file: starts with %q, want %q", data[:min(len(data), len(magic))], magic)
	}
	if len(data) < len(magic)+2 {
		return 0, nil, errors.New("truncated: ends before the format version")
	}
	major, minor, rest := data[6], data[7], data[8:]
	switch {
	case minor != 0 || major < 1 || major > 3:
		return 0, nil, fmt.Errorf("format version %d.%d: want 1.0, 2.0 or 3.0", major, minor)
	case major == 1 && len(rest) >= 2:
		size, rest = uint64(binary.LittleEndian.Uint16(rest)), rest[2:]
	case major > 1 && len(rest) >= 4:
		size, rest = uint64(binary.LittleEndian.Uint32(rest)), rest[4:]
	default:
		return 0, nil, errors.New("truncated: ends before the length of the header")
	}
	return size, rest, nil
}

// splitHeader parses the header of a .npy file and returns what follows it.
func splitHeader(data []byte) (header, []byte, error) {
	size, rest, err := preamble(data)
	if err != nil {
		return header{}, nil, err
	}
	if size > uint64(len(rest)) {
		return header{}, nil, fmt.Errorf("truncated: the header takes %s, found %d", diag.Count(size, "byte"), len(rest))
	}
	h, err := parseHeader(string(rest[:size]))
	if err != nil {
		return header{}, nil, fmt.Errorf("header: %w", err)
	}
	return h, rest[size:], nil
}

// typeFor is [header.tensorType] for so many bytes after the header, which have to be
// those of the elements.
func (h header) typeFor(found uint64) (types.Type, error) {
	t, err := h.tensorType()
	if err != nil {
		return types.Type{}, err
	}
	switch want := uint64(t.Bytes()); {
	case found < want:
		return types.Type{}, fmt.Errorf("truncated: %v takes %s, found %d after the header", t, diag.Count(want, "byte"), found)
	case found > want:
		return types.Type{}, fmt.Errorf("%s after the %d that %v takes: the header does not describe all of the file", diag.Count(found-want, "byte"), want, t)
	}
	return t, nil
}

// tensorType returns the type that the header describes, or why there is none.
func (h header) tensorType() (types.Type, error) {
	for d, descr := range descrs {
		// The order of single bytes does not matter, nor that of opaque ones.
		unordered := d.Size() == 1 || d == types.BF16 && h.descr[0] == '|'
		if h.descr != descr && !(unordered && h.descr[1:] == descr[1:]) {
			continue
		}
		t := types.Type{DType: d, Shape: h.shape}
		if err := t.Check(); err != nil {
			return types.Type{}, fmt.Errorf("shape: %w", err)
		}
		return t, nil
	}
	switch {
	case h.descr[0] == '>':
		return types.Type{}, fmt.Errorf("dtype %q is big-endian: want little-endian; in NumPy, a.astype(a.dtype.newbyteorder('<'))", h.descr)
	case h.descr[1] == 'O':
		return types.Type{}, fmt.Errorf("dtype %q holds Python objects: want numbers or bools", h.descr)
	}
	var want []string
	for _, d := range types.AllDTypes() {
		if s := descrs[d]; s != "" {
			want = append(want, strconv.Quote(s))
		}
	}
	return types.Type{}, fmt.Errorf("dtype %q: want one of %s", h.descr, strings.Join(want, ", "))
}

// parseHeader reads the dictionary {'descr': …, 'fortran_order': …, 'shape': …},
// keys in any order.
func parseHeader(text string) (header, error) {
	var h header
	var seen []string
	p := parser{text: text}
	if err := p.want("{"); err != nil {
		return h, err
	}
	for !p.accept("}") {
		key, err := p.str()
		if err != nil {
			return h, err
		}
		if slices.Contains(seen, key) {
			return h, fmt.Errorf("key %q is there twice", key)
		}
		seen = append(seen, key)
		if err := p.want(":"); err != nil {
			return h, err
		}
		switch key {
		case "descr":
			h.descr, err = p.descr()
		case "fortran_order":
			h.fortran, err = p.boolean()
		case "shape":
			h.shape, err = p.shape()
		default:
			err = fmt.Errorf("unknown key %q: want descr, fortran_order and shape", key)
		}
		if err != nil {
			return h, err
		}
		if !p.accept(",") {
			if err := p.want("}"); err != nil {
				return h, err
			}
			break
		}
	}
	if p.space(); p.text != "" {
		return h, fmt.Errorf("%s after the dictionary", p.here())
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !slices.Contains(seen, key) {
			return h, fmt.Errorf("no key %q", key)
		}
	}
	return h, nil
}

// parser reads the few Python literals that headers have.
type parser struct{ text string }

func (p *parser) space() { p.text = strings.TrimLeft(p.text, " \t\r\n") }

// here quotes the next few characters, for errors.
func (p *parser) here() string {
	switch {
	case p.text == "":
		return "end of header"
	case len(p.text) > 20:
		return strconv.Quote(p.text[:20]) + "…"
	}
	return strconv.Quote(p.text)
}

func (p *parser) accept(tok string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.text, tok)
	if ok {
		p.text = rest
	}
	return ok
}

func (p *parser) want(tok string) error {
	if !p.accept(tok) {
		return fmt.Errorf("want %q, found %s", tok, p.here())
	}
	return nil
}

func (p *parser) str() (string, error) {
	p.space()
	if p.text != "" && (p.text[0] == '\'' || p.text[0] == '"') {
		if end := strings.IndexByte(p.text[1:], p.text[0]); end >= 0 {
			s := p.text[1 : 1+end]
			p.text = p.text[end+2:]
			return s, nil
		}
	}
	return "", fmt.Errorf("want a string, found %s", p.here())
}

func (p *parser) descr() (string, error) {
	if p.space(); strings.HasPrefix(p.text, "[") {
		return "", errors.New("a structured dtype, with named fields: want one number or bool an element; in NumPy, save a field at a time")
	}
	s, err := p.str()
	if err == nil && len(s) < 2 {
		err = fmt.Errorf("dtype %q: want an order and a type code, like \"<f4\"", s)
	}
	return s, err
}

func (p *parser) boolean() (bool, error) {
	switch {
	case p.accept("True"):
		return true, nil
	case p.accept("False"):
		return false, nil
	}
	return false, fmt.Errorf("fortran_order: want True or False, found %s", p.here())
}

func (p *parser) shape() (types.Shape, error) {
	if err := p.want("("); err != nil {
		return nil, fmt.Errorf("shape: %w", err)
	}
	s := types.Shape{}
	for !p.accept(")") {
		if len(s) == maxRank {
			return nil, fmt.Errorf("shape: more than %s", diag.Count(maxRank, "dimension"))
		}
		p.space()
		digits := len(p.text) - len(strings.TrimLeft(p.text, "0123456789"))
		n, err := strconv.Atoi(p.text[:digits])
		if err != nil {
			return nil, fmt.Errorf("shape: want a dimension, found %s", p.here())
		}
		s, p.text = append(s, n), p.text[digits:]
		p.accept("L") // Python 2 wrote 3L
		if !p.accept(",") {
			if err := p.want(")"); err != nil {
				return nil, fmt.Errorf("shape: %w", err)
			}
			break
		}
	}
	return s, nil
}
