// Package data feeds training: it reads tables of numbers, arrays, images and
// text, splits their rows and deals them out in shuffled batches. Its central
// type is [Loader], an iterator over batches that workers make ahead of it.
// [Arrays] are the usual data set, and a [Table] has numbers in rows.
//
// All that looks random here follows from a seed alone, on every machine and
// for every version of Go.
//
// The package imports only ltc/ir/types, ltc/soa, ltc/soa/npy, ltc/internal/files
// and ltc/internal/diag.
package data

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"ltc/internal/diag"
	"ltc/internal/files"
	"ltc/soa"
)

// Table is a table of numbers, row after row.
type Table struct {
	Rows, Cols int
	Values     []float32 // Values[r*Cols+c]
}

// ReadCSV reads comma-separated numbers, plain or gzipped, without a header
// line; all lines must have as many fields as the first. name is the file's,
// for errors, which give line and column counted from 1. A table that memory
// does not hold, however small it was zipped, is an error that wraps
// [soa.ErrMemory].
func ReadCSV(name string, r io.Reader) (*Table, error) {
	if isNil(r) {
		return nil, fmt.Errorf("%s: the reader is nil", name)
	}
	plain, err := unzipped(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	lines := &rowReader{r: files.Text(plain)}
	cr := csv.NewReader(lines)
	cr.FieldsPerRecord, cr.ReuseRecord = -1, true
	t := &Table{}
	for {
		lines.row = 0
		fields, err := cr.Read()
		var bad *csv.ParseError
		switch {
		case err == io.EOF && t.Rows == 0:
			return nil, fmt.Errorf("%s: no rows", name)
		case err == io.EOF:
			return t, nil
		case errors.As(err, &bad):
			return nil, fmt.Errorf("%s:%d:%d: %w", name, bad.Line, bad.Column, bad.Err)
		case err != nil:
			return nil, fmt.Errorf("%s: after row %d: %w", name, t.Rows, err)
		}
		if err := t.add(fields, cr.FieldPos); err != nil {
			return nil, fmt.Errorf("%s:%w", name, err)
		}
	}
}

// unzipped returns a reader of what r has, unzipped if it is a gzip file.
func unzipped(r io.Reader) (*bufio.Reader, error) {
	br := bufio.NewReader(r)
	if head, _ := br.Peek(2); string(head) != "\x1f\x8b" {
		return br, nil
	}
	zr, err := gzip.NewReader(br)
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	return bufio.NewReader(zr), nil
}

// mostRow is the most bytes of text that a row takes. The reader of lines holds all of a
// row at once, and a zipped file that fits a mail may unpack to one line that no memory
// holds.
const mostRow = 1 << 28

// rowReader ends with an error where a row is longer than mostRow. Of what is
// read ahead, the part of the next row is not counted.
type rowReader struct {
	r   io.Reader
	row int // bytes read since the row began
}

// Read implements io.Reader.
func (r *rowReader) Read(p []byte) (int, error) {
	if r.row > mostRow {
		return 0, fmt.Errorf("the next row takes more than %s", diag.Bytes(mostRow))
	}
	n, err := r.r.Read(p)
	r.row += n
	return n, err
}

// grow makes room for n values. While values move, those before and after lie in
// memory.
func (t *Table) grow(n int) error {
	if len(t.Values)+n <= cap(t.Values) {
		return nil
	}
	const size = 4 // bytes of a value
	room := max(2*cap(t.Values), 64*n)
	if soa.Fits(size*(cap(t.Values)+room)) != nil {
		room = cap(t.Values) + max(cap(t.Values)/8, n)
	}
	if err := soa.Fits(size * (cap(t.Values) + room)); err != nil {
		return err
	}
	values := make([]float32, len(t.Values), room)
	copy(values, t.Values)
	t.Values = values
	return nil
}

// add appends a row; pos gives the line and column of a field.
func (t *Table) add(fields []string, pos func(field int) (line, column int)) error {
	if t.Rows == 0 {
		t.Cols = len(fields)
	}
	if len(fields) != t.Cols {
		line, col := pos(len(fields) - 1)
		return fmt.Errorf("%d:%d: row %d has %s, want %d as in row 1", line, col, t.Rows+1, diag.Count(len(fields), "field"), t.Cols)
	}
	if err := t.grow(t.Cols); err != nil {
		line, col := pos(0)
		return fmt.Errorf("%d:%d: row %d: %w", line, col, t.Rows+1, err)
	}
	for i, f := range fields {
		x, err := strconv.ParseFloat(f, 32)
		if err != nil {
			reason := "is not a number"
			if t.Rows == 0 {
				reason += "; a line of names must be left out"
			}
			if errors.Is(err, strconv.ErrRange) {
				reason = "does not fit a float32"
			}
			line, col := pos(i)
			return fmt.Errorf("%d:%d: row %d, field %d: %q %s", line, col, t.Rows+1, i+1, f, reason)
		}
		t.Values = append(t.Values, float32(x))
	}
	t.Rows++
	return nil
}

// ReadCSVFile reads the file at path as [ReadCSV] does, or up to 1 GiB of a pipe or
// device.
func ReadCSVFile(path string) (*Table, error) { return readFile(path, ReadCSV) }

func readFile[T any](path string, read func(name string, r io.Reader) (T, error)) (t T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return t, fmt.Errorf("read table: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return t, fmt.Errorf("read table: %w", err)
	}
	var r io.Reader = f
	if !info.Mode().IsRegular() {
		r = files.Bounded(f, files.MostPiped)
	}
	return read(path, r)
}

// size describes t for panics.
func (t *Table) size() string {
	return fmt.Sprintf("a table of %s and %s", diag.Count(t.Rows, "row"), diag.Count(t.Cols, "column"))
}

// Row returns row r, which shares the table's memory. It panics when there is
// no such row.
func (t *Table) Row(r int) []float32 {
	t.check("row")
	if r < 0 || r >= t.Rows {
		panic(fmt.Sprintf("data: row %d of %s", r, t.size()))
	}
	return t.Values[r*t.Cols : (r+1)*t.Cols : (r+1)*t.Cols]
}

// Column returns a copy of column c. It panics when there is no such column.
func (t *Table) Column(c int) []float32 {
	t.check("column")
	if c < 0 || c >= t.Cols {
		panic(fmt.Sprintf("data: column %d of %s", c, t.size()))
	}
	return Gather[float32](nil, t, All(t.Rows), c, c+1)
}

// Select returns a table with copies of the given rows, in the given order. It
// panics when one of them does not exist.
func (t *Table) Select(rows []int) *Table {
	t.check("select")
	return &Table{Rows: len(rows), Cols: t.Cols, Values: Gather[float32](nil, t, rows, 0, t.Cols)}
}

// check panics when t is no table: nil, or with another number of values than
// its size says.
func (t *Table) check(what string) {
	if t == nil {
		panic("data: " + what + " of a nil table")
	}
	if t.Rows < 0 || t.Cols < 0 || len(t.Values) != t.Rows*t.Cols {
		panic(fmt.Sprintf("data: %s of %s that holds %s", what, t.size(), diag.Count(len(t.Values), "value")))
	}
}

// Number is what [Gather] can convert the elements of a table to.
type Number interface {
	~uint8 | ~int32 | ~int64 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Gather appends columns lo to hi-1 of the given rows of t to dst, row after
// row, converted to T as Go converts. It panics, with dst as it was, when a row
// or column does not exist or lo is above hi.
func Gather[T Number](dst []T, t *Table, rows []int, lo, hi int) []T {
	t.check("gather")
	if lo < 0 || hi < lo || hi > t.Cols {
		panic(fmt.Sprintf("data: gather columns %d to %d (exclusive) of %s", lo, hi, t.size()))
	}
	for i, r := range rows {
		if r < 0 || r >= t.Rows {
			panic(fmt.Sprintf("data: gather row %d (rows[%d]) of %s", r, i, t.size()))
		}
	}
	for _, r := range rows {
		for _, x := range t.Values[r*t.Cols+lo : r*t.Cols+hi] {
			dst = append(dst, T(x))
		}
	}
	return dst
}
