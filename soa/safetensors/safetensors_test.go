package safetensors

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

// file returns the bytes of a file with the given header.
func file(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func content(t testing.TB) *File {
	x, err := soa.Borrow([]float64{1, 2, 3, 4, 5, 6}, types.Of(types.F64, 2, 3))
	require.NoError(t, err)
	y, err := soa.Strided([]int32{1, 2, 3, 4}, types.Of(types.I32, 2, 2), 0, []int{1, 2})
	require.NoError(t, err)
	z, err := soa.Borrow([]bool{true}, types.Of(types.Bool))
	require.NoError(t, err)
	return &File{Metadata: map[string]string{"format": "pt"}, Tensors: []Tensor{{"z", z}, {"y", y}, {"x", x}, {"none", soa.Make(types.Of(types.F16, 0, 3))}}}
}

func encoded(t testing.TB, f *File) []byte {
	var b bytes.Buffer
	require.NoError(t, Write(&b, f))
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	require.Equal(t, string(file(`{"__metadata__":{"format":"pt"},"none":{"dtype":"F16","shape":[0,3],"data_offsets":[64,64]},"x":{"dtype":"F64","shape":[2,3],"data_offsets":[0,48]},`+
		`"y":{"dtype":"I32","shape":[2,2],"data_offsets":[48,64]},"z":{"dtype":"BOOL","shape":[],"data_offsets":[64,65]}}    `)), string(encoded(t, content(t))[:8+264]))
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	require.NoError(t, WriteFile(path, content(t)))
	f, err := Map(path)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"format": "pt"}, f.Metadata)
	var names []string
	for _, e := range f.Tensors {
		names = append(names, e.Name+" "+e.View.Type.String())
	}
	require.Equal(t, []string{"x f64[2,3]", "y i32[2,2]", "none f16[0,3]", "z bool[]"}, names)
	x, err := f.Lookup("x")
	require.NoError(t, err)
	soa.With(x, func(s []float64) { require.Equal(t, []float64{1, 2, 3, 4, 5, 6}, s) })
	y, err := f.Lookup("y")
	require.NoError(t, err)
	soa.With(y, func(s []int32) { require.Equal(t, []int32{1, 3, 2, 4}, s) })
	_, err = f.Lookup("w")
	require.EqualError(t, err, path+" has no tensor w; the tensors are x, y, none, z")
	_, err = content(t).Lookup("nine")
	require.EqualError(t, err, "the file has no tensor nine; did you mean none? the tensors are z, y, x, none")
	c, err := soa.Gather("m", soa.ViewColumn("x", x).Component(1))
	require.ErrorContains(t, err, "its elements are not adjacent")
	require.Nil(t, c)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, encoded(t, f), data)
	_, err = Map(path + "2")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A complex number is two of f32, in every file that Python writes.
func TestComplex(t *testing.T) {
	f, err := Decode("m", soa.Wrap(file(`{"x":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}}  `, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0)))
	require.NoError(t, err)
	x, err := f.Lookup("x")
	require.NoError(t, err)
	soa.With(x, func(s []complex64) { require.Equal(t, []complex64{1 - 2i}, s) })
	require.Contains(t, string(encoded(t, f)), `"dtype":"C64"`)
	err = Write(&bytes.Buffer{}, &File{Tensors: []Tensor{{"z", soa.Make(types.Of(types.C128, 1))}}})
	require.EqualError(t, err, "tensor z: the format has no dtype for c128[1]")
}

// Floats of 8 bits have the format's names.
func TestFloat8(t *testing.T) {
	data := file(`{"x":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]},"y":{"dtype":"F8_E5M2","shape":[1],"data_offsets":[2,3]}}`, 0x38, 0x7e, 0x3c)
	f, err := Decode("m", soa.Wrap(data))
	require.NoError(t, err)
	x, err := f.Lookup("x")
	require.NoError(t, err)
	soa.With(x, func(s []types.Float8E4M3FN) {
		require.Equal(t, []float32{1, 448}, []float32{s[0].Float32(), s[1].Float32()})
	})
	y, err := f.Lookup("y")
	require.NoError(t, err)
	soa.With(y, func(s []types.Float8E5M2) { require.Equal(t, float32(1), s[0].Float32()) })
	again, err := Decode("again", soa.Wrap(encoded(t, f)))
	require.NoError(t, err)
	require.Equal(t, f.Tensors[0].View.Type, again.Tensors[0].View.Type)
}

// In place where elements are aligned, a copy where they are not.
func TestDecodeInPlace(t *testing.T) {
	data := soa.New(1024).Bytes()
	for _, shift := range []int{0, 1} {
		n := copy(data[shift:], encoded(t, content(t)))
		f, err := Decode("m", soa.Wrap(data[shift:shift+n]))
		require.NoError(t, err)
		x, err := f.Lookup("x")
		require.NoError(t, err)
		require.Equal(t, []float64{1, 2, 3, 4, 5, 6}, soa.Slice[float64](x))
		in := uintptr(x.Base())-uintptr(unsafe.Pointer(&data[0])) < uintptr(len(data))
		require.Equal(t, shift == 0, in)
	}
}

func TestErrors(t *testing.T) {
	one := func(e string) []byte { return file(`{"x":`+e+`}`, 1, 2, 3, 4) }
	for want, data := range map[string][]byte{
		"m: a file of 3 bytes is no safetensors file": {1, 2, 3},
		"m: no safetensors file, or one cut short: its first 8 bytes say that a header of 9 bytes follows; 0 follow, and a header has at most 104857600": {9, 0, 0, 0, 0, 0, 0, 0},
		"m: header: unexpected end of JSON input":                                                        file("{"),
		"m: header: __metadata__: json: cannot unmarshal number into Go value of type map[string]string": file(`{"__metadata__":1}`),
		"m: header: tensor x: json: cannot unmarshal number into Go value of type safetensors.entry":     one(`1`),
		`m: tensor x: there is no dtype for elements of "F8_E8M0"`:                                       one(`{"dtype":"F8_E8M0","shape":[4],"data_offsets":[0,4]}`),
		"m: tensor x: it has 1 data_offsets":                                                             one(`{"dtype":"U8","shape":[4],"data_offsets":[0]}`),
		"m: tensor x: u8[4] at bytes 0 to 3 of 4":                                                        one(`{"dtype":"U8","shape":[4],"data_offsets":[0,3]}`),
		"m: tensor x: u8[4] at bytes -1 to 3 of 4":                                                       one(`{"dtype":"U8","shape":[4],"data_offsets":[-1,3]}`),
		"m: the file is cut short: tensor x, u8[5], ends at byte 5 of the elements, and the file has 4":  one(`{"dtype":"U8","shape":[5],"data_offsets":[0,5]}`),
		"m: tensor x: it begins at byte 1, and what is before it ends at 0":                              one(`{"dtype":"U8","shape":[3],"data_offsets":[1,4]}`),
		"m: tensor x: it has no shape":                                                                   one(`{"dtype":"F32","data_offsets":[0,4]}`),
		"m: tensor x: element 1 of bool[4] is the byte 0x02: want 0 or 1":                                one(`{"dtype":"BOOL","shape":[4],"data_offsets":[0,4]}`),
		"m: header: tensor x is there twice":                                                             file(`{"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\u0078":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}}`, 1),
		"m: header: want a JSON object, found [":                                                         file(`[]`),
		"m: header: invalid character '}' after top-level value":                                         file(`{}}`),
		"m: there is more behind the last tensor: 1 byte":                                                one(`{"dtype":"U8","shape":[3],"data_offsets":[0,3]}`),
	} {
		_, err := Decode("m", soa.Wrap(data))
		require.EqualError(t, err, want)
	}
	_, err := Decode("m", soa.Wrap(one(`{"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,0]}`)))
	require.Error(t, err)
	twice := &File{Tensors: []Tensor{content(t).Tensors[0], content(t).Tensors[0]}}
	require.EqualError(t, Write(&bytes.Buffer{}, twice), "tensor z: the name is taken: names differ within a file")
	require.ErrorContains(t, Write(&bytes.Buffer{}, &File{Tensors: make([]Tensor, 1)}), "tensor : ")
	require.ErrorContains(t, Write(&bytes.Buffer{}, &File{Tensors: []Tensor{{Name: "a\xff"}}}), `tensor "a\xff": the name is not UTF-8`)
	require.ErrorContains(t, Write(&bytes.Buffer{}, &File{Metadata: map[string]string{"a": "\xff"}}), `value "a": the name or the text is not UTF-8`)
}

// What decodes encodes, to something that decodes to the same.
func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, content(f)))
	f.Add(file(`{"x":{"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,0]}}`))
	f.Add(file(`{"x":{"dtype":"U8","shape":[1,2],"data_offsets":[0,2]},"y":{"dtype":"BF16","shape":[1],"data_offsets":[2,4]}}`, 1, 2, 3, 4))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode("fuzz", soa.Wrap(data))
		if err != nil {
			return
		}
		again := encoded(t, m)
		n, err := Decode("again", soa.Wrap(again))
		require.NoError(t, err)
		require.Equal(t, again, encoded(t, n))
	})
}
