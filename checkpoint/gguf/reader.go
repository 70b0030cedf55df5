package gguf

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// reader reads the head of a file. After an error it returns zeros.
type reader struct {
	data []byte
	at   int
	err  error
}

// fail notes the first error, with the offset at which it is.
func (r *reader) fail(at int, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("byte %d: "+format, append([]any{at}, args...)...)
	}
}

// take returns the next n bytes, which what names for the error if there are fewer.
func (r *reader) take(n uint64, what string) []byte {
	if r.err != nil {
		return nil
	}
	if left := len(r.data) - r.at; n > uint64(left) {
		r.fail(r.at, "the file is cut short: %s has %s, and %d follow", what, diag.Count(n, "byte"), left)
		return nil
	}
	b := r.data[r.at : r.at+int(n)]
	r.at += int(n)
	return b
}

func (r *reader) u32(what string) uint32 {
	if b := r.take(4, what); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64(what string) uint64 {
	if b := r.take(8, what); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// count reads a number of things that take at least so many bytes each.
func (r *reader) count(what string, least int) int {
	at := r.at
	n := r.u64(what)
	if left := len(r.data) - r.at; r.err == nil && n > uint64(left/least) {
		r.fail(at, "%s is %d, and %s follow", what, n, diag.Count(left, "byte"))
		return 0
	}
	return int(n)
}

// text reads a string, with its length before it.
func (r *reader) text(what string) string { return string(r.take(r.u64(what), what)) }

// ggufString and ggufArray are codes of metadata values.
const (
	ggufBool   = 7
	ggufString = 8
	ggufArray  = 9
)

// value reads a metadata value, with its code before it.
func (r *reader) value(key string) any { return r.valueOf(key, r.u32(key), 0) }

func (r *reader) valueOf(key string, code uint32, nested int) any {
	switch code {
	case ggufBool:
		return r.truth(key)
	case ggufString:
		return r.text(key)
	case ggufArray:
		return r.array(key, nested)
	}
	size, ok := scalarBytes[code]
	if !ok {
		r.fail(r.at, "metadata %q has the type %d: want one from 0 to 12", key, code)
		return nil
	}
	if b := r.take(uint64(size), key); b != nil {
		return scalar(code, b)
	}
	return nil
}

func (r *reader) truth(key string) bool {
	b := r.take(1, key)
	if b != nil && b[0] > 1 {
		r.fail(r.at-1, "metadata %q is the byte %#02x: a bool is 0 or 1", key, b[0])
	}
	return b != nil && b[0] == 1
}

// scalarBytes are the sizes of numbers by their code.
var scalarBytes = map[uint32]int{0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 10: 8, 11: 8, 12: 8}

func scalar(code uint32, b []byte) any {
	le := binary.LittleEndian
	switch code {
	case 0:
		return b[0]
	case 1:
		return int8(b[0])
	case 2:
		return le.Uint16(b)
	case 3:
		return int16(le.Uint16(b))
	case 4:
		return le.Uint32(b)
	case 5:
		return int32(le.Uint32(b))
	case 6:
		return math.Float32frombits(le.Uint32(b))
	case 10:
		return le.Uint64(b)
	case 11:
		return int64(le.Uint64(b))
	default:
		return math.Float64frombits(le.Uint64(b))
	}
}

// array reads an array: the code of its elements, their number, and they.
func (r *reader) array(key string, nested int) any {
	code := r.u32(key)
	least, scalars := scalarBytes[code]
	switch {
	case scalars:
	case code == ggufBool:
		least = 1
	case code == ggufString:
		least = 8
	case code == ggufArray:
		least = 4 + 8
	default:
		r.fail(r.at-4, "metadata %q is an array of type %d: want one from 0 to 12", key, code)
		return nil
	}
	n := r.count(fmt.Sprintf("the length of metadata %q", key), least)
	switch {
	case r.err != nil:
		return nil
	case code == ggufString:
		return r.texts(key, n)
	case code == ggufArray && nested == maxNested:
		r.fail(r.at, "metadata %q: arrays are nested deeper than %d", key, maxNested)
		return nil
	case scalars:
		return numbers(code, r.take(uint64(n)*uint64(least), key))
	case code == ggufBool:
		all := make([]bool, n)
		for i := range all {
			all[i] = r.truth(key)
		}
		return all
	}
	all := make([]any, 0, n)
	for range n {
		all = append(all, r.array(key, nested+1))
		if r.err != nil {
			return nil
		}
	}
	return all
}

// texts reads n strings, which share one allocation.
func (r *reader) texts(key string, n int) []string {
	begin := r.at
	for range n {
		r.take(r.u64(key), key)
	}
	if r.err != nil {
		return nil
	}
	block, at := string(r.data[begin:r.at]), 0
	all := make([]string, n)
	for i := range all {
		size := int(binary.LittleEndian.Uint64(r.data[begin+at:]))
		all[i] = block[at+8 : at+8+size]
		at += 8 + size
	}
	return all
}

func numbers(code uint32, b []byte) any {
	n := len(b) / scalarBytes[code]
	var all any
	switch code {
	case 0:
		all = make([]uint8, n)
	case 1:
		all = make([]int8, n)
	case 2:
		all = make([]uint16, n)
	case 3:
		all = make([]int16, n)
	case 4:
		all = make([]uint32, n)
	case 5:
		all = make([]int32, n)
	case 6:
		all = make([]float32, n)
	case 10:
		all = make([]uint64, n)
	case 11:
		all = make([]int64, n)
	default:
		all = make([]float64, n)
	}
	binary.Decode(b, binary.LittleEndian, all) // as many bytes as it takes: no error
	return all
}

// tensor reads an entry of the list of tensors: also the offset and the bytes of its elements.
func (r *reader) tensor() (t *Tensor, offset, size int) {
	t = &Tensor{Name: r.text("a tensor's name")}
	at := r.at
	rank := r.u32(t.Name)
	if rank > maxRank {
		r.fail(at, "tensor %s has %s, at most %d are read", t.Name, diag.Count(rank, "dimension"), maxRank)
		return
	}
	t.Shape = make(types.Shape, rank)
	total, hi := uint64(1), uint64(0)
	for i := range t.Shape {
		at = r.at
		n := r.u64(t.Name)
		if hi, total = bits.Mul64(total, max(n, 1)); hi != 0 || total > math.MaxInt/8 {
			r.fail(at, "tensor %s: its dimensions are too large", t.Name)
			return
		}
		t.Shape[len(t.Shape)-1-i] = int(n)
	}
	at = r.at
	t.DType = DType(r.u32(t.Name))
	if r.err == nil && t.DType.Block() == 0 {
		r.fail(at, "tensor %s has elements of %v, which is not read", t.Name, t.DType)
		return
	}
	where := r.at
	begin := r.u64(t.Name)
	if r.err != nil {
		return
	}
	if begin > uint64(len(r.data)) {
		r.fail(where, "tensor %s begins at byte %d of the elements, and the file has %d", t.Name, begin, len(r.data))
		return
	}
	n, block := t.Shape.Elements(), t.DType.Block()
	if row := lastDim(t.Shape); row%block != 0 {
		r.fail(at, "tensor %s: its rows have %s, no multiple of the %d of a block of %v", t.Name, diag.Count(row, "element"), block, t.DType)
		return
	}
	if hi, _ := bits.Mul64(uint64(n/block), uint64(t.DType.BlockBytes())); hi != 0 {
		r.fail(at, "tensor %s: its dimensions are too large", t.Name)
		return
	}
	return t, int(begin), n / block * t.DType.BlockBytes()
}

// lastDim returns the elements of a row.
func lastDim(s types.Shape) int {
	if len(s) == 0 {
		return 1
	}
	return s[len(s)-1]
}
