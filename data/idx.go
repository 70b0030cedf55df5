package data

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"ltc/internal/diag"
	"ltc/internal/files"
	"ltc/ir/types"
	"ltc/soa"
)

// idxType is a kind of element of an IDX file.
type idxType struct {
	dtype types.DType
	at    func(b []byte) float64
}

// idxTypes are the kinds by the third byte of a file, as LeCun's page of the MNIST data
// set defines them. Numbers are big-endian.
var idxTypes = map[byte]idxType{
	0x08: {types.U8, func(b []byte) float64 { return float64(b[0]) }},
	0x09: {types.I8, func(b []byte) float64 { return float64(int8(b[0])) }},
	0x0b: {types.I16, func(b []byte) float64 { return float64(int16(binary.BigEndian.Uint16(b))) }},
	0x0c: {types.I32, func(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) }},
	0x0d: {types.F32, func(b []byte) float64 { return float64(math.Float32frombits(binary.BigEndian.Uint32(b))) }},
	0x0e: {types.F64, func(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) }},
}

// ReadIDX reads an array in the IDX format of the MNIST data sets, plain or gzipped. Its
// first dimension is the table's rows, and a row has the elements of the others, the last
// one varying fastest. So 60,000 images of 28×28 are 60,000 rows of 784 columns, and their
// labels are rows of one column. Elements keep their values (a byte is 0 to 255); i32 and
// f64 are rounded to float32. name is the file's, for errors. A table that memory does not
// hold is an error that wraps [soa.ErrMemory].
func ReadIDX(name string, r io.Reader) (*Table, error) {
	if isNil(r) {
		return nil, fmt.Errorf("%s: the reader is nil", name)
	}
	plain, err := unzipped(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t, err := readIDX(plain)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

func readIDX(r *bufio.Reader) (*Table, error) {
	kind, dims, err := readIDXHead(r)
	if err != nil {
		return nil, err
	}
	t := &Table{Rows: dims[0], Cols: 1}
	for _, d := range dims[1:] {
		t.Cols *= d
	}
	return t, t.read(r, kind)
}

// readIDXHead reads the header. The elements of a row are at most 2³¹-1, and all have their bytes counted by an int.
func readIDXHead(r *bufio.Reader) (kind idxType, dims []int, err error) {
	var head [4]byte
	if n, err := readFull(r, head[:]); err != nil {
		return kind, nil, fmt.Errorf("truncated: the header of an IDX file begins with 4 bytes, found %d: %w", n, err)
	}
	kind, known := idxTypes[head[2]]
	switch {
	case head[0] != 0 || head[1] != 0:
		return kind, nil, fmt.Errorf("no IDX file: its first bytes are % x, and two zeros are wanted", head[:])
	case !known:
		return kind, nil, fmt.Errorf("there is no IDX element of type %#02x", head[2])
	case head[3] == 0:
		return kind, nil, errors.New("an IDX file of no dimensions has no rows")
	}
	row := 1
	for i := range int(head[3]) {
		var n [4]byte
		if k, err := readFull(r, n[:]); err != nil {
			return kind, nil, fmt.Errorf("truncated: the header of %s takes %s, found %d: %w", diag.Count(head[3], "dimension"), diag.Count(4+4*int(head[3]), "byte"), 4+4*i+k, err)
		}
		size := int(int32(binary.BigEndian.Uint32(n[:])))
		switch {
		case size < 0:
			return kind, nil, fmt.Errorf("dimension %d of %d is %d", i, head[3], size)
		case i > 0 && size > 0 && row > math.MaxInt32/size:
			return kind, nil, fmt.Errorf("%w: a row has more than %s", soa.ErrMemory, diag.Count(math.MaxInt32, "element"))
		case i > 0:
			row *= size
		}
		dims = append(dims, size)
	}
	if row > 0 && dims[0] > math.MaxInt/8/row {
		return kind, nil, fmt.Errorf("%w: %s of %s", soa.ErrMemory, diag.Count(dims[0], "row"), diag.Count(row, "element"))
	}
	return kind, dims, nil
}

// ReadIDXArray reads an array in the IDX format as [ReadIDX] does, with its dtype and its dimensions: the images of MNIST
// are u8[60000,28,28], their labels u8[60000].
func ReadIDXArray(name string, r io.Reader) (soa.View, error) {
	if isNil(r) {
		return soa.View{}, fmt.Errorf("%s: the reader is nil", name)
	}
	plain, err := unzipped(r)
	if err != nil {
		return soa.View{}, fmt.Errorf("%s: %w", name, err)
	}
	kind, dims, err := readIDXHead(plain)
	if err != nil {
		return soa.View{}, fmt.Errorf("%s: %w", name, err)
	}
	t := types.Of(kind.dtype, dims...)
	if err := t.Check(); err != nil { // of large dimensions beside one of 0
		return soa.View{}, fmt.Errorf("%s: %w", name, err)
	}
	bytes, err := files.ReadDeclared(name, nil, plain, t.Bytes())
	if err != nil {
		return soa.View{}, err
	}
	if err := soa.Fits(t.Bytes()); err != nil {
		return soa.View{}, fmt.Errorf("%s: %w", name, err)
	}
	v := soa.Make(t)
	switch kind.dtype.Size() { // numbers are big-endian
	case 1:
		copy(soa.Bits[uint8](v), bytes)
	case 2:
		bigEndian(soa.Bits[uint16](v), bytes, binary.BigEndian.Uint16)
	case 4:
		bigEndian(soa.Bits[uint32](v), bytes, binary.BigEndian.Uint32)
	case 8:
		bigEndian(soa.Bits[uint64](v), bytes, binary.BigEndian.Uint64)
	}
	return v, nil
}

func bigEndian[T uint16 | uint32 | uint64](to []T, bytes []byte, at func([]byte) T) {
	size := len(bytes) / max(len(to), 1)
	for i := range to {
		to[i] = at(bytes[i*size:])
	}
}

// ReadIDXArrayFile reads the file at path as [ReadIDXArray] does.
func ReadIDXArrayFile(path string) (soa.View, error) { return readFile(path, ReadIDXArray) }

// readFull fills p: the end of the file before is unexpected.
func readFull(r io.Reader, p []byte) (int, error) {
	n, err := io.ReadFull(r, p)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// read appends the elements of all rows, and wants the end after them. Memory grows with
// what there is to read and not with what the header says.
func (t *Table) read(r *bufio.Reader, kind idxType) error {
	const most = 1 << 13 // elements at a time
	size := kind.dtype.Size()
	var chunk [8 * most]byte
	for left := t.Rows * t.Cols; left > 0; {
		n := min(left, most)
		if err := t.grow(n); err != nil {
			return fmt.Errorf("row %d of %d: %w", len(t.Values)/t.Cols+1, t.Rows, err)
		}
		if k, err := readFull(r, chunk[:n*size]); err != nil {
			return fmt.Errorf("truncated: found %s after the header, want %d for %s of %s: %w", diag.Count(len(t.Values)*size+k, "byte"),
				t.Rows*t.Cols*size, diag.Count(t.Rows, "row"), diag.Count(t.Cols, "element"), err)
		}
		for k := range n {
			t.Values = append(t.Values, float32(kind.at(chunk[k*size:])))
		}
		left -= n
	}
	switch _, err := r.ReadByte(); err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("the file goes on after its %s of %s", diag.Count(t.Rows, "row"), diag.Count(t.Cols, "element"))
	default:
		return fmt.Errorf("after the last element: %w", err)
	}
}

// ReadIDXFile reads the file at path as [ReadIDX] does, or up to 1 GiB of a pipe or
// device.
func ReadIDXFile(path string) (*Table, error) { return readFile(path, ReadIDX) }
