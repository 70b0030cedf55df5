package checkpoint_test

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/checkpoint"
	"ltc/ir/types"
	"ltc/soa"
)

// expectation is what the script that made a file says of a tensor.
type expectation struct {
	DType   string
	Shape   types.Shape
	Strides []int
	Storage int
	Data    []byte
}

// expected returns what testdata/expected.json has of some files.
func expected(t *testing.T, files string) map[string]expectation {
	text, err := os.ReadFile("testdata/expected.json")
	require.NoError(t, err)
	var all map[string]map[string]expectation
	require.NoError(t, json.Unmarshal(text, &all))
	require.NotEmpty(t, all[files])
	return all[files]
}

func open(t testing.TB, path string) *checkpoint.File {
	f, err := checkpoint.Open(path)
	require.NoError(t, err)
	t.Cleanup(f.Close)
	return f
}

// content returns the bytes of the elements, row by row.
func content(t *testing.T, v soa.View) []byte {
	dense := soa.Make(v.Type)
	require.NoError(t, soa.Copy(dense, v))
	return slices.Clone(unsafe.Slice((*byte)(dense.Base()), v.Type.Bytes()))
}

var torchNames = map[string]types.DType{
	"float32": types.F32, "float64": types.F64, "float16": types.F16, "bfloat16": types.BF16, "bool": types.Bool,
	"int8": types.I8, "int16": types.I16, "int32": types.I32, "int64": types.I64,
	"uint8": types.U8, "uint16": types.U16, "uint32": types.U32, "uint64": types.U64,
	"complex64": types.C64, "complex128": types.C128,
	"float8_e4m3fn": types.F8E4M3FN, "float8_e5m2": types.F8E5M2,
}

// Tensors of PyTorch's files, of both formats, and of safetensors that Python wrote have the types,
// the strides, the elements and the shared storages that PyTorch says.
func TestTensorsOfPyTorch(t *testing.T) {
	for files, paths := range map[string][]string{
		"dtypes": {"dtypes.pt", "dtypes.legacy.pt"},
		"shapes": {"shapes.pt", "shapes.legacy.pt"},
		"nested": {"nested.pt", "nested.legacy.pt"},
		"tensor": {"tensor.pt", "tensor.legacy.pt"},
		"model":  {"model.safetensors.index.json"},
	} {
		want := expected(t, files)
		for _, path := range paths {
			t.Run(path, func(t *testing.T) {
				f := open(t, filepath.Join("testdata", path))
				require.Len(t, f.Names(), len(want))
				require.Equal(t, len(want), f.Len())
				storages := map[int]int{}
				for name, w := range want {
					x, err := f.Tensor(name)
					require.NoError(t, err)
					require.Equal(t, types.Type{DType: torchNames[w.DType], Shape: w.Shape}, x.Type, name)
					v, err := x.View()
					require.NoError(t, err)
					require.Equal(t, x.Type, v.Type)
					require.Equal(t, w.Data, content(t, v), name)
					if f.Format == checkpoint.Torch && x.Type.Elements() > 0 {
						require.Equal(t, w.Strides, v.Strides, name)
					}
					if have, ok := storages[w.Storage]; ok {
						require.Equal(t, have, x.Storage, name)
					}
					storages[w.Storage] = x.Storage
				}
				different := slices.Sorted(func(yield func(int) bool) {
					for _, s := range storages {
						if !yield(s) {
							return
						}
					}
				})
				require.Len(t, slices.Compact(different), len(storages), "tensors share storages that PyTorch has apart")
			})
		}
	}
}

func TestSafetensorsOfPython(t *testing.T) {
	f := open(t, "testdata/dtypes.safetensors")
	require.Equal(t, checkpoint.Safetensors, f.Format)
	require.Equal(t, checkpoint.Metadata{"format": "pt", "step": "12"}, f.Metadata)
	require.Len(t, f.Names(), 13)
	want := expected(t, "dtypes")
	for name, x := range f.All() {
		require.Equal(t, torchNames[want[name].DType], x.Type.DType)
		v, err := x.View()
		require.NoError(t, err)
		require.Equal(t, want[name].Data, content(t, v), name)
	}
}

// A write through one tensor shows in all that share its storage, also where it had to be copied.
func TestTensorsOfOneStorageAreOne(t *testing.T) {
	for _, path := range []string{"testdata/shapes.pt", "testdata/shapes.legacy.pt"} {
		f := open(t, path)
		view := func(name string) soa.View {
			x, err := f.Tensor(name)
			require.NoError(t, err)
			v, err := x.View()
			require.NoError(t, err)
			return v
		}
		whole := view("whole")
		soa.With(whole, func(s []float32) { s[13] = 77 }) // element (1, 0, 1)
		part := content(t, view("part"))                  // whole[1, :, 1:3]
		require.Equal(t, float32(77), math.Float32frombits(uint32(part[0])|uint32(part[1])<<8|uint32(part[2])<<16|uint32(part[3])<<24), path)
	}
}

// Numbers, texts and lists next to the tensors of a PyTorch file are metadata.
func TestMetadataOfPyTorch(t *testing.T) {
	for _, path := range []string{"testdata/nested.pt", "testdata/nested.legacy.pt"} {
		m := open(t, path).Metadata
		for name, want := range map[string]any{
			"epoch": int64(3), "loss": 0.125, "best": nil, "name": "smáll", "done": false, "minus": int64(-5), "medium": int64(70000),
			"numpy": 0.5, "index": int64(-7), "dtype": "torch.bfloat16", "device": "cuda:1",
			"size": []any{int64(2), int64(3)}, "losses": []any{1.5, 2.5},
			"optimizer.param_groups.0.lr": 0.01, "optimizer.param_groups.0.betas": []any{0.9, 0.999},
			"optimizer.param_groups.0.params": []any{int64(0), int64(1)},
		} {
			require.Contains(t, m, name)
			require.Equal(t, want, m[name], name)
		}
		big, err := json.Marshal(m["big"])
		require.NoError(t, err)
		require.Equal(t, "1180591620717411303424", string(big))
		var epoch int
		require.NoError(t, m.Value("epoch", &epoch))
		require.Equal(t, 3, epoch)
	}
}

// A struct gets the values that its tags name, and the error lists all that it does not get.
func TestMetadataStruct(t *testing.T) {
	type sizes struct {
		Blocks int     `metadata:"llama.block_count"`
		Base   float64 `metadata:"llama.rope.freq_base,optional"`
		Name   string  `metadata:"general.name"`
		Other  int
	}
	m := checkpoint.Metadata{"llama.block_count": uint32(30), "general.name": "small"}
	s := sizes{Base: 10_000, Other: 7}
	require.NoError(t, m.Struct(&s))
	require.Equal(t, sizes{30, 10_000, "small", 7}, s)
	m["llama.rope.freq_base"] = float32(1e5)
	require.NoError(t, m.Struct(&s))
	require.Equal(t, 1e5, s.Base)

	err := checkpoint.Metadata{"llama.block_count": "thirty"}.Struct(&s)
	require.ErrorContains(t, err, `value llama.block_count: "thirty" for a *int`)
	require.ErrorContains(t, err, "there is no value general.name")
	require.Equal(t, 30, s.Blocks)
	require.EqualError(t, m.Struct(s), "values are stored in a struct: give a pointer to one, not a checkpoint_test.sizes")
	require.EqualError(t, m.Struct(nil), "values are stored in a struct: give a pointer to one, not a <nil>")
}

// Embedded fields that a nil pointer leads to, fields that cannot be set and tags that are no tags are errors.
func TestFieldsOfMetadata(t *testing.T) {
	type Sizes struct {
		Blocks int `metadata:"blocks"`
	}
	m := checkpoint.Metadata{"blocks": 3}
	var below struct{ *Sizes }
	require.EqualError(t, m.Struct(&below), "value blocks: field Blocks: reflect: indirection through nil pointer to embedded struct field Sizes: set the embedded pointer first")
	below.Sizes = &Sizes{}
	require.NoError(t, m.Struct(&below))
	require.Equal(t, 3, below.Blocks)
	var hidden struct {
		blocks int `metadata:"blocks"`
	}
	require.EqualError(t, m.Struct(&hidden), `field blocks has the tag metadata:"blocks" and cannot be set: export it`)
	require.Zero(t, hidden.blocks)
	var option struct {
		Blocks int `metadata:"blocks,omitempty"`
	}
	require.EqualError(t, m.Struct(&option), `field Blocks has the tag metadata:"blocks,omitempty": want a name, or a name and the option optional`)
	require.Zero(t, option.Blocks)
	var name struct {
		Blocks int `metadata:",optional"`
	}
	require.ErrorContains(t, m.Struct(&name), `metadata:",optional"`)
}

// Each type of GGUF's elements has the values that gguf-py computes, and each type of metadata.
func TestTensorsOfGGUF(t *testing.T) {
	f := open(t, "testdata/blocks.gguf")
	want := expected(t, "blocks")
	require.Len(t, f.Names(), len(want))
	quantized := 0
	for name, w := range want {
		x, err := f.Tensor(name)
		require.NoError(t, err)
		require.Equal(t, w.DType, x.Blocks.DType.String())
		require.Equal(t, w.Shape, x.Type.Shape)
		got := make([]float32, x.Type.Elements())
		require.NoError(t, x.Blocks.Dequantize(got))
		require.Equal(t, base64.StdEncoding.EncodeToString(w.Data), base64.StdEncoding.EncodeToString(unsafe.Slice((*byte)(unsafe.Pointer(&got[0])), 4*len(got))), name)
		raw := x.Blocks.Raw()
		require.Equal(t, raw.Type.Elements(), x.Type.Elements()/x.Blocks.DType.Block()*x.Blocks.DType.BlockBytes())
		_, err = x.View()
		if x.Quantized() {
			quantized++
			require.EqualError(t, err, "tensor "+name+" has blocks of "+w.DType+": take its Blocks, as they are or dequantized")
		} else {
			require.NoError(t, err)
		}
	}
	require.Equal(t, 8, quantized)
	for name, want := range map[string]any{
		"u8": uint8(200), "i8": int8(-2), "u16": uint16(60000), "i16": int16(-300), "u32": uint32(4000000000), "i32": int32(-70000),
		"u64": uint64(1 << 60), "i64": int64(-1 << 60), "f32": float32(0.1), "f64": 0.1, "flag": true, "name": "smáll",
		"tokens": []string{"a", "", "ü"}, "scores": []float32{0.5, -1.5}, "merges": []int32{1, 2, 3}, "flags": []bool{true, false},
		"general.architecture": "test",
	} {
		require.Equal(t, want, f.Metadata[name], name)
	}
}

// Bytes is the size of elements as they are kept: two bytes of f16, and blocks of quantized tensors.
func TestBytes(t *testing.T) {
	s := &checkpoint.State{}
	require.Zero(t, s.Bytes())
	require.NoError(t, s.Add("x", soa.Make(types.Of(types.F16, 3, 2))))
	require.NoError(t, s.Add("y", soa.Make(types.Of(types.F64))))
	require.Equal(t, 3*2*2+8, s.Bytes())
	f, want := open(t, "testdata/blocks.gguf"), 0
	for _, x := range f.All() {
		d := x.Blocks.DType
		want += x.Type.Elements() / d.Block() * d.BlockBytes()
	}
	require.Equal(t, want, f.Bytes())
}
