package npy

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

// file builds a .npy file of version 1.0 around a dictionary.
func file(dict string, body ...byte) []byte {
	return append([]byte("\x93NUMPY\x01\x00"+string([]byte{byte(len(dict)), byte(len(dict) >> 8)})+dict), body...)
}

// What numpy 2.4 writes with numpy.save(f, numpy.array([[1, 2, 3], [4, 5, 6]], 'f4')).
var golden = []byte("\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" +
	strings.Repeat(" ", 58) + "\n" +
	"\x00\x00\x80?\x00\x00\x00@\x00\x00@@\x00\x00\x80@\x00\x00\xa0@\x00\x00\xc0@")

// aligned copies data to memory aligned to 64 bytes.
func aligned(data []byte) []byte {
	b := soa.New(len(data)).Bytes()
	copy(b, data)
	return b
}

func TestDecodeGolden(t *testing.T) {
	require.Zero(t, (len(golden)-24)%64)
	data := aligned(golden)
	v, err := Decode("a.npy", data)
	require.NoError(t, err)
	require.Equal(t, "f32[2,3]", v.Type.String())
	require.Equal(t, []float32{1, 2, 3, 4, 5, 6}, soa.Slice[float32](v))
	require.Equal(t, unsafe.Pointer(&data[128]), v.Base(), "viewed in place")

	var b bytes.Buffer
	require.NoError(t, Encode(&b, v))
	require.Equal(t, golden, b.Bytes())

	moved := append(make([]byte, 1, 1+len(golden)), golden...)[1:]
	v, err = Decode("a.npy", moved)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 2, 3, 4, 5, 6}, soa.Slice[float32](v), "copied, since not aligned")
}

func TestDecodeVersions(t *testing.T) {
	dict := "{'shape':(2L,),\"descr\":'|u1','fortran_order':False}\n"
	for version, size := range map[string]string{
		"\x01\x00": "\x34\x00", "\x02\x00": "\x34\x00\x00\x00", "\x03\x00": "\x34\x00\x00\x00",
	} {
		v, err := Decode("a.npy", []byte("\x93NUMPY"+version+size+dict+"\x07\x08"))
		require.NoError(t, err)
		require.Equal(t, []uint8{7, 8}, soa.Slice[uint8](v))
	}
}

// Elements in Fortran order are viewed, and written back in C order.
func TestFortran(t *testing.T) {
	v, err := Decode("f.npy", file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}", 1, 4, 2, 5, 3, 6))
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, v.Strides)
	require.Equal(t, []uint8{1, 2, 3, 4, 5, 6}, soa.Slice[uint8](again(t, v)))
}

// again writes v and reads it back.
func again(t *testing.T, v soa.View) soa.View {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Encode(&b, v))
	w, err := Decode("again.npy", b.Bytes())
	require.NoError(t, err)
	require.Equal(t, v.Type.String(), w.Type.String())
	return w
}

func TestRoundTrip(t *testing.T) {
	for _, d := range types.AllDTypes() {
		if d.IsFloat8() {
			require.EqualError(t, Encode(&bytes.Buffer{}, soa.Make(types.Of(d, 2))), "write array: NumPy has no type for "+d.String()+": convert it to f32, or write a file of safetensors")
			continue
		}
		for _, shape := range []types.Shape{{}, {1}, {0, 3}, {2, 3, 4}} {
			v := soa.Make(types.Type{DType: d, Shape: shape})
			mem := unsafe.Slice((*byte)(v.Base()), v.Type.Bytes())
			for i := range mem {
				mem[i] = byte(i * 7)
				if d == types.Bool {
					mem[i] = byte(i % 2)
				}
			}
			w := again(t, v)
			require.Equal(t, mem, unsafe.Slice((*byte)(w.Base()), w.Type.Bytes()), "%v", v.Type)
		}
	}
	deep := soa.Make(types.Of(types.U8, make([]int, 64)...))
	again(t, deep)
	deep = soa.Make(types.Of(types.U8, make([]int, 65)...))
	require.EqualError(t, Encode(&bytes.Buffer{}, deep), "write array: 65 dimensions: NumPy has at most 64")
}

// Views of any strides, and with a table of columns, are written in C order.
func TestEncodeStrided(t *testing.T) {
	base := make([]int32, 20000)
	for i := range base {
		base[i] = int32(i)
	}
	v, err := soa.Borrow(base, types.Of(types.I32, 100, 200))
	require.NoError(t, err)
	v.Type, v.Strides = types.Of(types.I32, 200, 100), []int{1, 200}
	got := soa.Slice[int32](again(t, v))
	for i := range 200 {
		for j := range 100 {
			require.Equal(t, int32(j*200+i), got[i*100+j])
		}
	}
	a, b := []int32{1, 2, 3}, []int32{4, 5, 6}
	cols := soa.View{Type: types.Of(types.I32, 3, 2), Strides: []int{1, 0}, TableAxis: 1,
		Table: []unsafe.Pointer{unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0])}}
	require.Equal(t, []int32{1, 4, 2, 5, 3, 6}, soa.Slice[int32](again(t, cols)))
}

func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	v, err := soa.Borrow([]int64{-1, 2}, types.Of(types.I64, 2))
	require.NoError(t, err)
	require.NoError(t, WriteFile(path, v))
	w, err := ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, []int64{-1, 2}, soa.Slice[int64](w))
	_, err = ReadFile(path + "x")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Error(t, WriteFile(filepath.Join(path, "b.npy"), v))
	require.EqualError(t, Encode(&bytes.Buffer{}, soa.View{}), "write array: invalid dtype invalid")
}

func TestDecodeErrors(t *testing.T) {
	head := func(descr, shape string) []byte {
		return file("{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n")
	}
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, `not a .npy file: starts with "", want "\x93NUMPY"`},
		{[]byte("PK\x03\x04zip"), `not a .npy file: starts with "PK\x03\x04zi", want "\x93NUMPY"`},
		{golden[:6], `truncated: ends before the format version`},
		{golden[:9], `truncated: ends before the length of the header`},
		{[]byte("\x93NUMPY\x02\x00\x01\x00\x00"), `truncated: ends before the length of the header`},
		{golden[:50], `truncated: the header takes 118 bytes, found 40`},
		{golden[:140], `truncated: f32[2,3] takes 24 bytes, found 12 after the header`},
		{append(bytes.Clone(golden), 1), `1 byte after the 24 that f32[2,3] takes: the header does not describe all of the file`},
		{[]byte("\x93NUMPY\x04\x00\x01\x00"), `format version 4.0: want 1.0, 2.0 or 3.0`},
		{[]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), `truncated: the header takes 4294967295 bytes, found 0`},
		{head("'>f4'", "(2,)"), `dtype ">f4" is big-endian: want little-endian; in NumPy, a.astype(a.dtype.newbyteorder('<'))`},
		{head("'|O'", "(2,)"), `dtype "|O" holds Python objects: want numbers or bools`},
		{head("'<c8'", "(2,)"), `truncated: c64[2] takes 16 bytes, found 0 after the header`},
		{head("'<c32'", "(2,)"), `dtype "<c32": want one of "|b1", "|u1", "<u2", "<u4", "<u8", "|i1", "<i2", "<i4", "<i8", "<f2", "<V2", "<f4", "<f8", "<c8", "<c16"`},
		{head("''", "(2,)"), `header: dtype "": want an order and a type code, like "<f4"`},
		{head("[('a', '<f4')]", "(2,)"), `header: a structured dtype, with named fields: want one number or bool an element; in NumPy, save a field at a time`},
		{head("'<f4'", "(9223372036854775807, 3)"), `shape: f32[9223372036854775807,3] has more bytes than an int can count`},
		{head("'<f4'", "(4611686018427387905,)"), `shape: f32[4611686018427387905] has more bytes than an int can count`},
		{head("'<f4'", "(1000000000000,)"), `truncated: f32[1000000000000] takes 4000000000000 bytes, found 0 after the header`},
		{head("'<f4'", "(-2,)"), `header: shape: want a dimension, found "-2,), }\n"`},
		{head("'<f4'", "(99999999999999999999,)"), `header: shape: want a dimension, found "99999999999999999999"…`},
		{head("'<f4'", "(2 3)"), `header: shape: want ")", found "3), }\n"`},
		{head("'<f4'", "("+strings.Repeat("1,", 65)+")"), `header: shape: more than 64 dimensions`},
		{head("'<f4'", "2"), `header: shape: want "(", found "2, }\n"`},
		{head("2", "(2,)"), `header: want a string, found "2, 'fortran_order': "…`},
		{file("{'descr': '<f4', 'fortran_order': 0, 'shape': ()}"), `header: fortran_order: want True or False, found "0, 'shape': ()}"`},
		{file("{'descr': '<f4', 'shape': ()}"), `header: no key "fortran_order"`},
		{file("{'descr': '<f4', 'descr': '<f4'}"), `header: key "descr" is there twice`},
		{file("{'color': 1}"), `header: unknown key "color": want descr, fortran_order and shape`},
		{file("{'descr': '<f4', 'fortran_order': False, 'shape': ()"), `header: want "}", found end of header`},
		{file("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x"), `header: "x" after the dictionary`},
		{file(""), `header: want "{", found end of header`},
		{file("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", 1, 7), `element 1 of bool[2] is the byte 0x07: want 0 or 1`},
	} {
		_, err := Decode("x.npy", c.data)
		require.EqualError(t, err, "x.npy: "+c.want)
	}
}
