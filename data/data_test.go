package data

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/soa"
)

func TestDigits(t *testing.T) {
	d, err := ReadCSVFile("digits/digits.csv.gz")
	require.NoError(t, err)
	require.Equal(t, 1797, d.Rows)
	require.Equal(t, 65, d.Cols)
	require.Equal(t, float32(16), slices.Max(d.Values))
	require.Equal(t, []float32{0, 0, 5, 13, 9, 1, 0, 0}, d.Row(0)[:8])
	require.Equal(t, []int32{0, 1, 2, 3}, Gather[int32](nil, d, []int{0, 1, 2, 3}, 64, 65))

	train, test := Holdout(d.Rows, 5)
	require.Len(t, test, 359)
	require.Equal(t, 1438, d.Select(train).Rows)
	require.Equal(t, d.Row(9), d.Select(test).Row(1))
	require.Equal(t, d.Row(7)[64], d.Column(64)[7])
}

func TestReadCSV(t *testing.T) {
	d, err := ReadCSV("a.csv", strings.NewReader("1,-2.5\n\n3e2,NaN\n"))
	require.NoError(t, err)
	require.Equal(t, []float32{1, -2.5, 300}, d.Values[:3])
	require.True(t, math.IsNaN(float64(d.Values[3])))
}

func TestReadCSVErrors(t *testing.T) {
	var zipped bytes.Buffer
	zw := gzip.NewWriter(&zipped)
	_, err := zw.Write([]byte("1,2\n3,4\n"))
	require.NoError(t, err)
	require.NoError(t, zw.Close())
	for _, c := range []struct{ text, want string }{
		{"", `a.csv: no rows`},
		{"a,b\n1,2\n", `a.csv:1:1: row 1, field 1: "a" is not a number; a line of names must be left out`},
		{"1,2\n3,\n", `a.csv:2:3: row 2, field 2: "" is not a number`},
		{"1,2\n3, 4x\n", `a.csv:2:3: row 2, field 2: " 4x" is not a number`},
		{"1,2\n3,1e39\n", `a.csv:2:3: row 2, field 2: "1e39" does not fit a float32`},
		{"1,2\n3\n", `a.csv:2:1: row 2 has 1 field, want 2 as in row 1`},
		{"1,\"2\n", `a.csv:1:6: extraneous or missing " in quoted-field`},
		{zipped.String()[:zipped.Len()-3], `a.csv: after row 2: unexpected EOF`},
		{zipped.String()[:5], `a.csv: gzip: unexpected EOF`},
	} {
		_, err := ReadCSV("a.csv", strings.NewReader(c.text))
		require.EqualError(t, err, c.want, "%q", c.text)
	}
	_, err = ReadCSV("a.csv", nil)
	require.EqualError(t, err, "a.csv: the reader is nil")
	_, err = ReadCSVFile("none.csv")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A zipped file may unpack to more than there is memory for, in rows or in one.
func TestReadCSVMemory(t *testing.T) {
	zipped := func(text string, times int) io.Reader {
		var b bytes.Buffer
		zw, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		require.NoError(t, err)
		for range times {
			_, err := zw.Write([]byte(text))
			require.NoError(t, err)
		}
		require.NoError(t, zw.Close())
		return &b
	}
	rows := strings.Repeat("1,2,3,4\n", 1<<14)
	d, err := ReadCSV("a.csv", zipped(rows, 16))
	require.NoError(t, err)
	require.Equal(t, 1<<18, d.Rows)
	limit := debug.SetMemoryLimit(4 << 20)
	_, err = ReadCSV("a.csv", zipped(rows, 16))
	debug.SetMemoryLimit(limit)
	require.ErrorIs(t, err, soa.ErrMemory)
	require.Regexp(t, `^a.csv:(\d+):1: row (\d+): not enough memory: 4.\d MiB are needed, there are 4.0 MiB$`, err.Error())

	if testing.Short() {
		t.Skip("a row of megabytes")
	}
	_, err = ReadCSV("a.csv", io.MultiReader(strings.NewReader("1\n2\n"), zeros{}))
	require.EqualError(t, err, "a.csv: after row 2: the next row takes more than 256.0 MiB")
}

// zeros is a row without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// nothing is what a device without end gives, and counts it.
type nothing struct{ read int }

func (e *nothing) Read(p []byte) (int, error) {
	clear(p)
	e.read += len(p)
	return len(p), nil
}

// What is no text is refused by its first bytes.
func TestReadCSVWantsText(t *testing.T) {
	e := &nothing{}
	_, err := ReadCSV("a.csv", io.MultiReader(strings.NewReader("1\n2\n"), e))
	require.EqualError(t, err, "a.csv: after row 2: byte 4 is 0: it is no text, or none in UTF-8")
	require.LessOrEqual(t, e.read, 1<<13)
}

// A mistake with rows and columns panics with the numbers that are wrong.
func TestOutside(t *testing.T) {
	d := &Table{Rows: 2, Cols: 3, Values: []float32{1, 2, 3, 4, 5, 6}}
	const size = " of a table of 2 rows and 3 columns"
	gather := func(t *Table, rows []int, lo, hi int) func() {
		return func() { Gather[float32](nil, t, rows, lo, hi) }
	}
	for want, f := range map[string]func(){
		"data: row 2" + size:                                              func() { d.Row(2) },
		"data: row -1" + size:                                             func() { d.Row(-1) },
		"data: column 3" + size:                                           func() { d.Column(3) },
		"data: column -1" + size:                                          func() { d.Column(-1) },
		"data: gather row 7 (rows[1])" + size:                             gather(d, []int{0, 7}, 0, 3),
		"data: gather columns 2 to 1 (exclusive)" + size:                  gather(d, []int{0}, 2, 1),
		"data: gather columns -1 to 1 (exclusive)" + size:                 gather(d, []int{0}, -1, 1),
		"data: gather columns 0 to 4 (exclusive)" + size:                  gather(d, nil, 0, 4),
		"data: gather row 2 (rows[0]) of a table of 2 rows and 3 columns": func() { d.Select([]int{2}) },
		"data: gather of a nil table":                                     gather(nil, nil, 0, 0),
		"data: row of a nil table":                                        func() { (*Table)(nil).Row(0) },
		"data: column of a nil table":                                     func() { (*Table)(nil).Column(0) },
		"data: select of a nil table":                                     func() { (*Table)(nil).Select(nil) },
		"data: row of a table of 2 rows and 2 columns that holds 3 values": func() {
			(&Table{Rows: 2, Cols: 2, Values: []float32{1, 2, 3}}).Row(0)
		},
	} {
		require.PanicsWithValue(t, want, f)
	}
	require.Equal(t, []float32{6, 3}, Gather[float32](nil, d, []int{1, 0}, 2, 3))
	require.Empty(t, Gather[float32](nil, d, []int{1}, 3, 3))
	empty := &Table{Cols: 3}
	require.Empty(t, empty.Column(2))
	require.Empty(t, empty.Select(nil).Values)
}

func TestBatches(t *testing.T) {
	b := Batches{Rows: 10, Size: 4, Seed: 7}
	collect := func(b Batches, epoch int) (rows []int, sizes []int) {
		for i, batch := range b.Epoch(epoch) {
			require.Equal(t, len(sizes), i)
			rows, sizes = append(rows, batch...), append(sizes, len(batch))
		}
		return rows, sizes
	}
	rows, sizes := collect(b, 0)
	require.Equal(t, []int{4, 4, 2}, sizes)
	require.Equal(t, 3, b.Len())
	// The order is a promise: the same on every machine, now and later.
	require.Equal(t, []int{7, 8, 6, 4, 3, 5, 1, 0, 9, 2}, rows)
	again, _ := collect(b, 0)
	require.Equal(t, rows, again)
	other, _ := collect(b, 1)
	require.NotEqual(t, rows, other)
	require.ElementsMatch(t, rows, other)

	b.DropLast = true
	_, sizes = collect(b, 0)
	require.Equal(t, []int{4, 4}, sizes)
	require.Equal(t, 2, b.Len())

	b.Size = 0
	_, sizes = collect(b, 0)
	require.Equal(t, []int{10}, sizes)

	_, sizes = collect(Batches{}, 0)
	require.Empty(t, sizes)
	for range (Batches{Rows: 9, Size: 2}).Epoch(0) {
		break // stops early without a panic
	}
}

// Every order of three rows comes up about as often.
func TestShuffleUniform(t *testing.T) {
	count := map[[3]int]int{}
	for seed := range uint64(6000) {
		rows := All(3)
		Shuffle(rows, seed, 0)
		count[[3]int(rows)]++
	}
	require.Len(t, count, 6)
	for order, n := range count {
		require.InDelta(t, 1000, n, 150, "%v", order) // five standard deviations
	}
}

func TestHoldoutNone(t *testing.T) {
	train, test := Holdout(3, 0)
	require.Equal(t, []int{0, 1, 2}, train)
	require.Empty(t, test)
	require.Empty(t, All(-1))
}

// idx is a file of the given head and elements.
func idx(kind byte, elements string, dims ...uint32) string {
	head := []byte{0, 0, kind, byte(len(dims))}
	for _, d := range dims {
		head = binary.BigEndian.AppendUint32(head, d)
	}
	return string(head) + elements
}

func gzipped(t testing.TB, text string) string {
	var b bytes.Buffer
	zw := gzip.NewWriter(&b)
	_, err := zw.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, zw.Close())
	return b.String()
}

func TestReadIDX(t *testing.T) {
	images := idx(0x08, "\x00\x01\x02\x03\xff\x05\x06\x07", 2, 2, 2)
	for _, c := range []struct {
		text string
		want *Table
	}{
		{images, &Table{2, 4, []float32{0, 1, 2, 3, 255, 5, 6, 7}}},
		{gzipped(t, images), &Table{2, 4, []float32{0, 1, 2, 3, 255, 5, 6, 7}}},
		{idx(0x09, "\xff\x01", 2), &Table{2, 1, []float32{-1, 1}}},
		{idx(0x0b, "\xff\xfe\x01\x00", 1, 2), &Table{1, 2, []float32{-2, 256}}},
		{idx(0x0c, "\xff\xff\xff\xfd", 1), &Table{1, 1, []float32{-3}}},
		{idx(0x0d, "\x3f\xc0\x00\x00", 1), &Table{1, 1, []float32{1.5}}},
		{idx(0x0e, "\xbf\xf8\x00\x00\x00\x00\x00\x00", 1), &Table{1, 1, []float32{-1.5}}},
		{idx(0x08, "", 0, 28, 28), &Table{0, 784, nil}},
		{idx(0x08, "", 3, 0), &Table{3, 0, nil}},
	} {
		d, err := ReadIDX("a.idx", strings.NewReader(c.text))
		require.NoError(t, err, "%q", c.text)
		require.Equal(t, c.want, d, "%q", c.text)
	}
	large := strings.Repeat("\x07\x08", 40000)
	d, err := ReadIDX("a.idx", strings.NewReader(idx(0x0b, large, 10000, 2, 2)))
	require.NoError(t, err)
	require.Len(t, d.Values, 40000)
	require.Equal(t, []float32{0x708, 0x708, 0x708, 0x708}, d.Row(9999))
}

func TestReadIDXErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "a.idx: truncated: the header of an IDX file begins with 4 bytes, found 0: unexpected EOF"},
		{"1,2,", "a.idx: no IDX file: its first bytes are 31 2c 32 2c, and two zeros are wanted"},
		{idx(0x0a, "", 1), "a.idx: there is no IDX element of type 0x0a"},
		{idx(0x08, ""), "a.idx: an IDX file of no dimensions has no rows"},
		{idx(0x08, "", 1, 2)[:9], "a.idx: truncated: the header of 2 dimensions takes 12 bytes, found 9: unexpected EOF"},
		{idx(0x08, "", 1<<31), "a.idx: dimension 0 of 1 is -2147483648"},
		{idx(0x08, "", 1, 1<<30, 4), "a.idx: not enough memory: a row has more than 2147483647 elements"},
		{idx(0x0e, "", 1<<31-1, 1<<31-1), "a.idx: not enough memory: 2147483647 rows of 2147483647 elements"},
		{idx(0x08, "123", 2, 2), "a.idx: truncated: found 3 bytes after the header, want 4 for 2 rows of 2 elements: unexpected EOF"},
		{idx(0x08, "", 1<<30, 1<<29), "a.idx: truncated: found 0 bytes after the header, want 576460752303423488 for 1073741824 rows of 536870912 elements: unexpected EOF"}, // takes no memory
		{idx(0x08, "12345", 2, 2), "a.idx: the file goes on after its 2 rows of 2 elements"},
		{gzipped(t, idx(0x08, "1234", 2, 2))[:30], "a.idx: after the last element: unexpected EOF"},
	} {
		_, err := ReadIDX("a.idx", strings.NewReader(c.text))
		require.EqualError(t, err, c.want, "%q", c.text)
	}
	_, err := ReadIDX("a.idx", nil)
	require.EqualError(t, err, "a.idx: the reader is nil")
	_, err = ReadIDXFile("none.idx")
	require.ErrorIs(t, err, os.ErrNotExist)

	limit := debug.SetMemoryLimit(4 << 20) // of a device without end
	_, err = ReadIDX("a.idx", io.MultiReader(strings.NewReader(idx(0x08, "", 1<<20, 1<<20)), &nothing{}))
	debug.SetMemoryLimit(limit)
	require.ErrorIs(t, err, soa.ErrMemory)
	require.Regexp(t, `^a.idx: row 1 of 1048576: not enough memory`, err.Error())
}

func FuzzReadCSV(f *testing.F) {
	f.Add("1,2\n3,4\n")
	f.Add("1,\"2\"\r\n-3,inf")
	f.Add("\x1f\x8b\x08\x00")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ReadCSV("fuzz.csv", strings.NewReader(text))
		if err == nil {
			require.Len(t, d.Values, d.Rows*d.Cols)
		}
	})
}

func FuzzReadIDX(f *testing.F) {
	f.Add([]byte(idx(0x08, "1234", 2, 2)))
	f.Add([]byte(gzipped(f, idx(0x0d, "1234", 1))))
	f.Fuzz(func(t *testing.T, file []byte) {
		d, err := ReadIDX("fuzz.idx", bytes.NewReader(file))
		if err == nil {
			require.Len(t, d.Values, d.Rows*d.Cols)
		}
	})
}
