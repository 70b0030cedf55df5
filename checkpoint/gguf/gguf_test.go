package gguf

import (
	"encoding/binary"
	"math"
	"os"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

func blocks(t testing.TB) []byte {
	data, err := os.ReadFile("../testdata/blocks.gguf")
	require.NoError(t, err)
	return data
}

// A file that is cut within the list of tensors or within their elements is refused.
func TestCut(t *testing.T) {
	data := blocks(t)
	f, err := Decode("whole", soa.Wrap(data))
	require.NoError(t, err)
	require.Equal(t, 3, f.Version)
	last := f.Tensors[len(f.Tensors)-1]
	end := len(data) - 32 + last.raw.Type.Bytes() // the file is filled up to a multiple of 32
	for n := range end {
		_, err := Decode("cut", soa.Wrap(data[:n]))
		require.Error(t, err, n)
	}
	_, err = Decode("cut", soa.Wrap(data[:end]))
	require.NoError(t, err)
}

// Blocks are in place; a plain tensor is, too, if its address is a multiple of an element's size.
func TestInPlace(t *testing.T) {
	for _, shift := range []int{0, 1} {
		mem := soa.New(4096).Bytes()
		n := copy(mem[shift:], blocks(t))
		f, err := Decode("m", soa.Wrap(mem[shift:shift+n]))
		require.NoError(t, err)
		for _, x := range f.Tensors {
			if x.DType == F64 {
				v := x.View()
				require.Equal(t, []float64{0.1}, soa.Slice[float64](v))
				require.Equal(t, shift == 0, v.Base() == x.raw.Base())
			}
			if x.DType == Q4_K {
				before := make([]float32, 256)
				require.NoError(t, x.Dequantize(before))
				raw := x.Raw()
				soa.Slice[uint8](raw)[16] ^= 15
				after := make([]float32, 256)
				require.NoError(t, x.Dequantize(after))
				require.NotEqual(t, before[0], after[0])
				require.Equal(t, before[1:], after[1:])
			}
		}
	}
}

func TestMistakes(t *testing.T) {
	f, err := Map("../testdata/blocks.gguf")
	require.NoError(t, err)
	x := f.Tensors[0]
	require.EqualError(t, x.Dequantize(make([]float32, 5)), "tensor Q4_0 has 128 elements, the slice has 5")
	require.PanicsWithValue(t, "gguf: 17 bytes of Q4_0 for 32 elements", func() { Dequantize(make([]float32, 32), Q4_0, make([]byte, 17)) })
	f.Close()
	require.ErrorIs(t, x.Dequantize(make([]float32, 128)), soa.ErrReleased)
	require.Equal(t, "type 99", DType(99).String())
	_, err = Map("none")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// The least and the greatest numbers of blocks, computed by hand from the formulas.
func TestExtremes(t *testing.T) {
	one := binary.LittleEndian.AppendUint16(nil, uint16(types.ToFloat16(0.5)))
	block := func(n int, fill byte, scales ...int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = fill
		}
		for _, at := range scales {
			copy(b[at:], one)
		}
		return b
	}
	for _, c := range []struct {
		d        DType
		fill     byte
		scales   []int
		min, max float32
	}{
		{Q4_0, 0x00, []int{0}, -4, -4}, {Q4_0, 0xff, []int{0}, 3.5, 3.5},
		{Q4_1, 0x00, []int{0, 2}, 0.5, 0.5}, {Q4_1, 0xff, []int{0, 2}, 8, 8},
		{Q5_0, 0x00, []int{0}, -8, -8}, {Q5_0, 0xff, []int{0}, 7.5, 7.5},
		{Q5_1, 0x00, []int{0, 2}, 0.5, 0.5}, {Q5_1, 0xff, []int{0, 2}, 16, 16},
		{Q8_0, 0x80, []int{0}, -64, -64}, {Q8_0, 0x7f, []int{0}, 63.5, 63.5},
		{Q4_K, 0x00, []int{0, 2}, 0, 0}, {Q4_K, 0xff, []int{0, 2}, 0.5*63*15 - 0.5*63, 0.5*63*15 - 0.5*63},
		{Q5_K, 0x00, []int{0, 2}, 0, 0}, {Q5_K, 0xff, []int{0, 2}, 0.5*63*31 - 0.5*63, 0.5*63*31 - 0.5*63},
		{Q6_K, 0x00, []int{208}, 0, 0}, {Q6_K, 0xff, []int{208}, 0.5 * -1 * 31, 0.5 * -1 * 31},
	} {
		y := make([]float32, c.d.Block())
		Dequantize(y, c.d, block(c.d.BlockBytes(), c.fill, c.scales...))
		low, high := float32(math.Inf(1)), float32(math.Inf(-1))
		for _, v := range y {
			low, high = min(low, v), max(high, v)
		}
		require.Equal(t, []float32{c.min, c.max}, []float32{low, high}, "%v %#x", c.d, c.fill)
	}
}

// What decodes can be read.
func FuzzDecode(f *testing.F) {
	f.Add(blocks(f))
	big, err := os.ReadFile("../testdata/refused_big_endian.gguf")
	require.NoError(f, err)
	f.Add(big)
	f.Add(append([]byte("GGUF\x03\x00\x00\x00"), make([]byte, 16)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode("fuzz", soa.Wrap(data))
		if err != nil {
			return
		}
		for _, x := range m.Tensors {
			dst := make([]float32, x.Shape.Elements()) // at least a bit of the file each
			require.NoError(t, x.Dequantize(dst))
			if v := x.View(); x.DType.Plain() != types.Invalid {
				require.NoError(t, soa.Copy(soa.Make(v.Type), v))
			}
		}
	})
}

func BenchmarkDequantize(b *testing.B) {
	for _, d := range []DType{F16, Q4_0, Q4_1, Q8_0, Q4_K, Q6_K} {
		b.Run(d.String(), func(b *testing.B) {
			const n = 1 << 16
			dst, src := make([]float32, n), make([]byte, n/d.Block()*d.BlockBytes())
			b.SetBytes(4 * n)
			for b.Loop() {
				Dequantize(dst, d, src)
			}
		})
	}
}

// The parts of blocks are views of the file's memory, whose numbers make up the dequantized elements.
func TestBlocks(t *testing.T) {
	mem := soa.New(4096).Bytes()
	n := copy(mem, blocks(t))
	f, err := Decode("m", soa.Wrap(mem[:n]))
	require.NoError(t, err)
	seen := 0
	for _, x := range f.Tensors {
		b, err := x.Blocks()
		if !slices.Contains([]DType{Q4_0, Q4_1, Q8_0, Q4_K, Q5_K, Q6_K}, x.DType) {
			require.ErrorContains(t, err, "Blocks reads Q4_0, Q4_1, Q8_0, Q4_K, Q5_K and Q6_K alone; call Dequantize")
			require.Zero(t, x.DType.BlockTypes(1, 1))
			continue
		}
		require.NoError(t, err)
		rows, n := x.raw.Type.Shape[0], x.raw.Type.Shape[1]/x.DType.BlockBytes()
		require.Equal(t, BlockTypes{b.Scale.Type, b.Min.Type, b.Scales.Type, b.High.Type, b.Codes.Type}, x.DType.BlockTypes(rows, n))
		if x.DType.Block() == 256 {
			continue // see TestSuperBlocks
		}
		seen++
		want := make([]float32, x.Shape.Elements())
		require.NoError(t, x.Dequantize(want))
		require.Equal(t, x.raw.Base(), b.Scale.Base())
		scales, codes := soa.Make(b.Scale.Type), soa.Make(b.Codes.Type)
		require.NoError(t, soa.Copy(scales, b.Scale))
		require.NoError(t, soa.Copy(codes, b.Codes))
		minima := make([]types.Float16, len(soa.Slice[types.Float16](scales)))
		if !b.Min.IsZero() {
			v := soa.Make(b.Min.Type)
			require.NoError(t, soa.Copy(v, b.Min))
			minima = soa.Slice[types.Float16](v)
		}
		for i, d := range soa.Slice[types.Float16](scales) {
			for j := range 32 {
				var q float32
				switch x.DType {
				case Q8_0:
					q = float32(soa.Slice[int8](codes)[i*32+j])
				case Q4_0:
					q = float32(soa.Slice[uint8](codes)[i*16+j%16]>>(j/16*4)&15) - 8
				default:
					q = float32(soa.Slice[uint8](codes)[i*16+j%16] >> (j / 16 * 4) & 15)
				}
				require.Equal(t, want[i*32+j], affine(d.Float32(), q, minima[i].Float32()))
			}
		}
	}
	require.Equal(t, 3, seen)

	odd := soa.New(4096).Bytes()[1:]
	f, err = Decode("odd", soa.Wrap(odd[:copy(odd, blocks(t))]))
	require.NoError(t, err)
	refused := 0
	for _, x := range f.Tensors {
		if x.DType == Q8_0 {
			_, err := x.Blocks()
			require.ErrorContains(t, err, "begins at an odd byte")
			refused++
		}
	}
	require.Positive(t, refused)
}

// The parts of super-blocks are all bytes of the blocks, in the order of the format, and are in place.
func TestSuperBlocks(t *testing.T) {
	mem := soa.New(4096).Bytes()
	f, err := Decode("m", soa.Wrap(mem[:copy(mem, blocks(t))]))
	require.NoError(t, err)
	order := map[DType]func(b Blocks) []soa.View{
		Q4_K: func(b Blocks) []soa.View { return []soa.View{b.Scale, b.Min, b.Scales, b.Codes} },
		Q5_K: func(b Blocks) []soa.View { return []soa.View{b.Scale, b.Min, b.Scales, b.High, b.Codes} },
		Q6_K: func(b Blocks) []soa.View { return []soa.View{b.Codes, b.High, b.Scales, b.Scale} },
	}
	seen := 0
	for _, x := range f.Tensors {
		if order[x.DType] == nil {
			continue
		}
		seen++
		b, err := x.Blocks()
		require.NoError(t, err)
		rows, of := x.raw.Type.Shape[0], x.raw.Type.Shape[1]/x.DType.BlockBytes()
		all := make([]byte, x.raw.Type.Bytes())
		at := 0
		for _, v := range order[x.DType](b) {
			require.Equal(t, unsafe.Add(x.raw.Base(), at), v.Base())
			dense := soa.Make(v.Type)
			require.NoError(t, soa.Copy(dense, v))
			n := v.Type.Bytes() / rows / of
			bytes := unsafe.Slice((*byte)(dense.Base()), v.Type.Bytes())
			for i := range rows * of {
				copy(all[i*x.DType.BlockBytes()+at:], bytes[i*n:][:n])
			}
			at += n
		}
		require.Equal(t, x.DType.BlockBytes(), at)
		require.Equal(t, soa.Slice[uint8](x.raw), all)
	}
	require.Equal(t, len(order), seen)
}
