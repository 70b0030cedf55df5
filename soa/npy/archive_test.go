package npy

import (
	"archive/zip"
	"bytes"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

// entries is a small archive's content: names out of order, an empty array.
func entries(t testing.TB) []Entry {
	x, err := soa.Borrow([]float64{1, math.Inf(-1), 3}, types.Of(types.F64, 3))
	require.NoError(t, err)
	y, err := soa.Borrow([]bool{true, false}, types.Of(types.Bool, 2, 1))
	require.NoError(t, err)
	return []Entry{{"y", y}, {"a/x", x}, {"none", soa.Make(types.Of(types.I32, 0))}}
}

// encoded returns the bytes of an archive, aligned.
func encoded(t testing.TB, es []Entry) []byte {
	var b bytes.Buffer
	require.NoError(t, EncodeArchive(&b, es))
	return aligned(b.Bytes())
}

func TestArchive(t *testing.T) {
	data := encoded(t, entries(t))
	got, err := DecodeArchive("a.npz", data)
	require.NoError(t, err)
	require.Len(t, got, 3)
	require.Equal(t, []string{"y", "a/x", "none"}, []string{got[0].Name, got[1].Name, got[2].Name})
	require.Equal(t, []bool{true, false}, soa.Slice[bool](got[0].View))
	require.Equal(t, []float64{1, math.Inf(-1), 3}, soa.Slice[float64](got[1].View))
	require.Equal(t, "i32[0]", got[2].View.Type.String())

	off := uintptr(got[1].View.Base()) - uintptr(unsafe.Pointer(&data[0]))
	require.Less(t, off, uintptr(len(data)), "viewed in place")
	require.Zero(t, off%64, "aligned in the file")

	path := filepath.Join(t.TempDir(), "a.npz")
	require.NoError(t, WriteArchive(path, entries(t)))
	got, err = ReadArchive(path)
	require.NoError(t, err)
	require.Equal(t, []float64{1, math.Inf(-1), 3}, soa.Slice[float64](got[1].View))
	x, err := got.Lookup("a/x")
	require.NoError(t, err)
	require.Equal(t, got[1].View, x)
	_, err = got.Lookup("x")
	require.EqualError(t, err, "the archive has no array x; the arrays are y, a/x, none")
}

// zipped builds a zip file with one entry, changed as edit says.
func zipped(t testing.TB, name string, body []byte, method uint16, edit func(*zip.FileHeader)) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if edit == nil {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		require.NoError(t, err)
		_, err = f.Write(body)
		require.NoError(t, err)
	} else {
		plain := zipped(t, name, body, method, nil)
		whole, err := zip.NewReader(bytes.NewReader(plain), int64(len(plain)))
		require.NoError(t, err)
		h := whole.File[0].FileHeader
		h.Flags &^= 8 // sizes in the header
		edit(&h)
		f, err := w.CreateRaw(&h)
		require.NoError(t, err)
		r, err := whole.File[0].OpenRaw()
		require.NoError(t, err)
		raw, err := io.ReadAll(r)
		require.NoError(t, err)
		_, err = f.Write(raw)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestArchiveDeflated(t *testing.T) {
	got, err := DecodeArchive("a.npz", zipped(t, "x.npy", golden, zip.Deflate, nil))
	require.NoError(t, err)
	require.Equal(t, []float32{1, 2, 3, 4, 5, 6}, soa.Slice[float32](got[0].View))
}

// overlapping returns an archive of two entries, both of which are the same bytes.
func overlapping(t *testing.T) []byte {
	large := soa.Make(types.Of(types.U8, 1<<12))
	data := encoded(t, []Entry{{"x", large}, {"y", soa.Make(types.Of(types.U8))}})
	at := func(name string) int { return bytes.LastIndex(data, []byte(name)) - 46 } // its central header: APPNOTE.TXT 4.3.12
	x, y := at("x.npy"), at("y.npy")
	copy(data[y+16:y+28], data[x+16:x+28]) // checksum and sizes
	copy(data[y+42:y+46], data[x+42:x+46]) // where it is
	return data
}

func TestArchiveErrors(t *testing.T) {
	twice := encoded(t, []Entry{{"x", soa.Make(types.Of(types.U8))}, {"y", soa.Make(types.Of(types.U8))}})
	twice = bytes.ReplaceAll(twice, []byte("y.npy"), []byte("x.npy"))
	for _, c := range []struct {
		data []byte
		want string
	}{
		{golden, `a.npz: not an .npz archive: zip: not a valid zip file`},
		{encoded(t, entries(t))[:300], `a.npz: not an .npz archive: zip: not a valid zip file`},
		{zipped(t, "notes.txt", golden, zip.Store, nil), `a.npz: entry "notes.txt" is not an array: want a name that ends in .npy`},
		{zipped(t, "x.npy", golden[:140], zip.Store, nil), `a.npz: entry x.npy: truncated: f32[2,3] takes 24 bytes, found 12 after the header`},
		{zipped(t, "x.npy", golden, zip.Store, func(h *zip.FileHeader) { h.CRC32 = 1 }),
			`a.npz: entry "x.npy": corrupt: checksum is a2de9c7c, want 00000001`},
		{zipped(t, "x.npy", golden, zip.Store, func(h *zip.FileHeader) { h.UncompressedSize64++ }),
			`a.npz: entry "x.npy": stored, but takes 152 bytes for 153`},
		{zipped(t, "x.npy", golden, zip.Store, func(h *zip.FileHeader) { h.CompressedSize64, h.UncompressedSize64 = 1<<40, 1<<40 }),
			`a.npz: entry "x.npy": truncated: takes 1099511627776 bytes at 35 of a file of 288`},
		{zipped(t, "x.npy", golden[:140], zip.Deflate, func(h *zip.FileHeader) { h.UncompressedSize64 = 152 }),
			`a.npz: entry "x.npy": inflates to 140 bytes, want 152`},
		{zipped(t, "x.npy", golden[:40], zip.Deflate, func(h *zip.FileHeader) { h.UncompressedSize64 = 152 }),
			`a.npz: entry "x.npy": inflates to 40 bytes, want 152`},
		{zipped(t, "x.npy", slices.Concat(golden, []byte{0}), zip.Deflate, func(h *zip.FileHeader) { h.UncompressedSize64 = 152 }),
			`a.npz: entry "x.npy": inflates to more than the 152 bytes that the archive claims`},
		{zipped(t, "x.npy", golden, zip.Deflate, func(h *zip.FileHeader) { h.UncompressedSize64 = 7 }),
			`a.npz: entry "x.npy": truncated: ends before the format version`},
		{zipped(t, "x.npy", golden, zip.Deflate, func(h *zip.FileHeader) { h.UncompressedSize64 = 100 }),
			`a.npz: entry "x.npy": truncated: the header takes 118 bytes, found 90`},
		{zipped(t, "x.npy", golden, zip.Deflate, func(h *zip.FileHeader) { h.CompressedSize64 -= 20; h.CRC32++ }),
			`a.npz: entry "x.npy": inflates to 137 bytes, want 152`},
		{zipped(t, "x.npy", golden, zip.Store, func(h *zip.FileHeader) { h.Flags |= 1 }),
			`a.npz: entry "x.npy": encrypted: want a plain entry`},
		{zipped(t, "x.npy", golden, zip.Store, func(h *zip.FileHeader) { h.Method = 12 }),
			`a.npz: entry "x.npy": compression method 12: want stored or deflated`},
		{twice, `a.npz: entry "x.npy" is there twice`},
	} {
		_, err := DecodeArchive("a.npz", c.data)
		require.EqualError(t, err, c.want)
	}
	_, err := DecodeArchive("a.npz", overlapping(t))
	require.EqualError(t, err, `a.npz: entry "y.npy": it takes part of what others take: together they are longer than the file`)
	err = EncodeArchive(&bytes.Buffer{}, []Entry{{"x", soa.Make(types.Of(types.U8))}, {"x", soa.Make(types.Of(types.U8))}})
	require.EqualError(t, err, `write archive: entry "x" is there twice`)
}

// What a header does not ask for is not unpacked, however much the archive claims.
func TestArchiveHeaderFirst(t *testing.T) {
	for _, tt := range []struct {
		body []byte
		want string
	}{
		{slices.Concat(golden, make([]byte, 8<<20)), `a.npz: entry "x.npy": 8388608 bytes after the 24 that f32[2,3] takes: the header does not describe all of the file`},
		{make([]byte, 8<<20), `a.npz: entry "x.npy": not a .npy file: starts with "\x00\x00\x00\x00\x00\x00", want "\x93NUMPY"`},
		{append([]byte("\x93NUMPY\x02\x00\x00\x00\x00\x02"), make([]byte, 8<<20)...), `a.npz: entry "x.npy": a header of 33554432 bytes, which may be 1048576 where it does not lie in a file`},
		{file("{'descr': '<f4', 'fortran_order': False, 'shape': (1073741824,)}", make([]byte, 8<<20)...),
			`a.npz: entry "x.npy": truncated: f32[1073741824] takes 4294967296 bytes, found 8388608 after the header`},
	} {
		data := zipped(t, "x.npy", tt.body, zip.Deflate, nil)
		require.Less(t, len(data), 1<<18)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := DecodeArchive("a.npz", data)
		runtime.ReadMemStats(&after)
		require.EqualError(t, err, tt.want)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2<<20))
	}
}

// A small archive of large arrays is refused before anything is unpacked; what
// counts is all entries together.
func TestArchiveMemory(t *testing.T) {
	_, err := DecodeArchive("a.npz", zipped(t, "x.npy", golden, zip.Deflate, func(h *zip.FileHeader) { h.UncompressedSize64 = 1 << 40 }))
	require.ErrorContains(t, err, `a.npz: entry "x.npy": claims to inflate to 1099511627776 bytes: `)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"x.npy", "y.npy"} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		require.NoError(t, err)
		require.NoError(t, Encode(f, soa.Make(types.Of(types.U8, 4<<20))))
	}
	require.NoError(t, w.Close())
	require.Less(t, b.Len(), 1<<14)
	_, err = DecodeArchive("a.npz", b.Bytes())
	require.NoError(t, err)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(6 << 20))
	_, err = DecodeArchive("a.npz", b.Bytes())
	require.ErrorIs(t, err, soa.ErrMemory)
	require.EqualError(t, err, `a.npz: entry "y.npy": with the file and the entries before it: not enough memory: 8.0 MiB are needed, there are 6.0 MiB`)
}
