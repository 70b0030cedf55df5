package quantized_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference/llvm"
	"ltc/checkpoint"
	"ltc/checkpoint/gguf"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn/module"
	"ltc/nn/quantized"
)

// tensor is one of a file, of rows of blocks.
type tensor struct {
	name     string
	dtype    gguf.DType
	dims     [2]int
	elements []byte
}

// halves are where a block has its scale and its minimum of 16 bits.
var halves = map[gguf.DType][]int{gguf.Q4_0: {0}, gguf.Q4_1: {0, 2}, gguf.Q8_0: {0}, gguf.Q4_K: {0, 2}, gguf.Q5_K: {0, 2}, gguf.Q6_K: {208}}

// blocks returns pseudo-random blocks whose scales and minima are finite, and those of super-blocks small.
func blocks(name string, d gguf.DType, rows, features int) tensor {
	block := d.BlockBytes()
	data := make([]byte, rows*features/d.Block()*block)
	x := uint32(7)
	for i := range data {
		x = x*1664525 + 1013904223
		data[i] = byte(x >> 24)
	}
	exponent := byte(0x28)
	if d.Block() == 256 {
		exponent = 0x0c
	}
	for i := 0; i < len(data); i += block {
		for _, at := range halves[d] {
			data[i+at+1] = data[i+at+1]&0x83 | exponent
		}
	}
	return tensor{name, d, [2]int{rows, features}, data}
}

// open writes a GGUF file of tensors and opens it.
func open(t *testing.T, tensors ...tensor) *checkpoint.File {
	t.Helper()
	f, err := checkpoint.Open(write(t, tensors...))
	require.NoError(t, err)
	t.Cleanup(f.Close)
	return f
}

// write writes a GGUF file of tensors and returns its path.
func write(t *testing.T, tensors ...tensor) string {
	out := binary.LittleEndian.AppendUint32([]byte(gguf.Magic), 3)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(tensors)))
	out = binary.LittleEndian.AppendUint64(out, 0)
	at := 0
	for _, x := range tensors {
		out = binary.LittleEndian.AppendUint64(out, uint64(len(x.name)))
		out = append(out, x.name...)
		out = binary.LittleEndian.AppendUint32(out, 2)
		out = binary.LittleEndian.AppendUint64(out, uint64(x.dims[1]))
		out = binary.LittleEndian.AppendUint64(out, uint64(x.dims[0]))
		out = binary.LittleEndian.AppendUint32(out, uint32(x.dtype))
		out = binary.LittleEndian.AppendUint64(out, uint64(at))
		at += (len(x.elements) + 31) / 32 * 32
	}
	pad := func() { out = append(out, make([]byte, (32-len(out)%32)%32)...) }
	for _, x := range tensors {
		pad()
		out = append(out, x.elements...)
	}
	pad()
	path := filepath.Join(t.TempDir(), "m.gguf")
	require.NoError(t, os.WriteFile(path, out, 0o600))
	return path
}

// net has a layer of each kind.
type net struct {
	Embed quantized.Embedding
	Layer quantized.Linear
}

// Products and rows are those of the weights that package gguf dequantizes: of one row, and of several in one program.
// Compiled code copies no blocks.
func TestWeights(t *testing.T) {
	const rows = 40
	for _, backend := range []string{"eval", "cpu"} {
		for _, d := range append([]gguf.DType{gguf.Q4_0, gguf.Q4_1, gguf.Q8_0}, kFormats...) {
			t.Run(fmt.Sprint(backend, "/", d), func(t *testing.T) {
				features := 3 * d.Block()
				file := open(t, blocks("embed.weight", d, rows, features), blocks("layer.weight", d, rows, features))
				dev, err := lazy.Open(backend)
				require.NoError(t, err)
				defer dev.Close()
				n := &net{quantized.Embedding{Rows: rows, Features: features, Format: d}, quantized.Linear{In: features, Out: rows, Format: d}}
				require.NoError(t, module.Build(n, dev))
				require.NoError(t, quantized.LoadInto(n, &file.State, checkpoint.Options{}))

				w := make([]float32, rows*features)
				weight, err := file.Tensor("layer.weight")
				require.NoError(t, err)
				require.NoError(t, weight.Blocks.Dequantize(w))
				f := lazy.Func(dev, func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
					y := n.Embed.Forward(x[0])
					return []*lazy.Tensor{y, n.Layer.Forward(y), n.Layer.Forward(y.Narrow(0, 0, 1))}
				})
				programs := 2
				if backend == "cpu" { // the evaluator has no open sizes
					programs = 1
					require.NoError(t, f.Inputs(lazy.Input{Name: "ids", Type: types.Of(lazy.I32, lazy.Dim("n", 1, 8))}))
				}
				for _, ids := range [][]int32{{3}, {39, 0, 3}} {
					y, err := f.CallAll(t.Context(), lazy.From(dev, ids))
					require.NoError(t, err)
					var got [3][]float32
					for i := range got {
						got[i], err = lazy.ToSlice[float32](y[i])
						require.NoError(t, err)
					}
					for i, id := range ids {
						x := w[int(id)*features:][:features]
						require.InDeltaSlice(t, x, got[0][i*features:][:features], 1e-6)
						if d.Block() == 256 { // products of a scale, a factor of 6 bits and a code are exact in f32
							require.Equal(t, x, got[0][i*features:][:features])
						}
						for k := range rows {
							sum := 0.0
							for j := range x {
								sum += float64(x[j]) * float64(w[k*features+j])
							}
							require.InDelta(t, sum, got[1][i*rows+k], 1e-4)
							if i == 0 {
								require.InDelta(t, sum, got[2][k], 1e-4)
							}
						}
					}
				}
				r := f.Report()
				require.Len(t, r.Compiles, programs)
				require.Equal(t, backend == "cpu", r.CopiedBytes == 0)
			})
		}
	}
}

// kFormats are those of super-blocks.
var kFormats = []gguf.DType{gguf.Q4_K, gguf.Q5_K, gguf.Q6_K}

// Blocks of any bytes are the numbers that package gguf makes of them, to the bit. Row k adds 4k to all bytes but those
// of the factors, so that the seeds have every byte everywhere, and factors that are infinite, NaN, subnormal
// or zero. Products are near those of the numbers.
func FuzzSuperBlocks(f *testing.F) {
	dev, err := lazy.Open("cpu")
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, dev.Close()) })
	type layer struct {
		quantized.Embedding
		run *lazy.Function
	}
	layers := map[gguf.DType]*layer{}
	const rows = 64
	for _, d := range kFormats {
		l := &layer{Embedding: quantized.Embedding{Rows: rows, Features: 256, Format: d}}
		require.NoError(f, module.Build(&l.Embedding, dev))
		l.run = lazy.Func(dev, func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
			return []*lazy.Tensor{l.Forward(x[0]), l.Weight.MatMul(x[1])}
		})
		layers[d] = l
	}
	x, ids := make([]float32, 256), make([]int32, rows)
	for i := range ids {
		ids[i] = int32(i)
	}
	for i := range x {
		x[i] = float32(i*37%64)/32 - 1
	}
	for i, factor := range []uint16{0x3c00, 0xb800, 0x2001, 0x1000, 0, 0x8000, 1, 0x83ff, 0x7bff, 0x7c00, 0xfc00, 0x7e01} {
		block := make([]byte, 210)
		for at := range block {
			block[at] = byte(i%4 + at*16)
		}
		for _, at := range []int{0, 2, 208} {
			binary.LittleEndian.PutUint16(block[at:], factor)
		}
		f.Add(block)
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		if len(bytes) == 0 {
			return
		}
		for _, d := range kFormats {
			data := make([]byte, rows*d.BlockBytes())
			for i := range data {
				row, at := i/d.BlockBytes(), i%d.BlockBytes()
				data[i] = bytes[at%len(bytes)]
				if !slices.Contains(halves[d], at&^1) {
					data[i] += byte(4 * row)
				}
			}
			file := open(t, tensor{"weight", d, [2]int{rows, 256}, data})
			l := layers[d]
			require.NoError(t, quantized.LoadInto(&l.Embedding, &file.State, checkpoint.Options{}))
			y, err := l.run.CallAll(t.Context(), lazy.From(dev, ids), lazy.From(dev, x, 1, 256))
			require.NoError(t, err)
			got, err := lazy.ToSlice[float32](y[0])
			require.NoError(t, err)
			product, err := lazy.ToSlice[float32](y[1])
			require.NoError(t, err)
			want := make([]float32, rows*256)
			gguf.Dequantize(want, d, data)
			for i := range want {
				same := math.Float32bits(want[i]) == math.Float32bits(got[i]) || math.IsNaN(float64(want[i])) && math.IsNaN(float64(got[i]))
				require.True(t, same, "%v %d: %v and %v", d, i, want[i], got[i])
			}
			for k := range rows {
				sum, size := 0.0, 0.0
				for i, v := range x {
					p := float64(v) * float64(want[256*k+i])
					sum, size = sum+p, size+math.Abs(p)
				}
				if finite := !math.IsInf(size, 0) && !math.IsNaN(size); finite {
					require.InDelta(t, sum, product[k], 1e-4*size+1e-30, "%v row %d", d, k)
				}
			}
		}
	})
}

// A network that does not fit the file is refused, with all that is wrong, and nothing is loaded.
func TestMistakes(t *testing.T) {
	file := open(t, blocks("embed.weight", gguf.Q4_0, 4, 32), blocks("layer.weight", gguf.Q8_0, 4, 64))
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	defer dev.Close()
	n := &net{quantized.Embedding{Rows: 4, Features: 32, Format: gguf.Q4_1}, quantized.Linear{In: 32, Out: 4, Format: gguf.Q8_0}}
	require.NoError(t, module.Build(n, dev))
	err = quantized.LoadInto(n, &file.State, checkpoint.Options{})
	require.ErrorContains(t, err, "no variable was changed")
	require.ErrorContains(t, err, "embed.weight: the weight is of Q4_1, the tensor of Q4_0")
	require.ErrorContains(t, err, "layer.weight: the weight is [4, 32], the tensor [4,64]")

	require.ErrorContains(t, quantized.LoadInto(nil, &file.State, checkpoint.Options{}), "quantized: load into: the network or the state is nil")
	require.ErrorContains(t, quantized.LoadInto(n, nil, checkpoint.Options{}), "quantized: load into: the network or the state is nil")
	x := lazy.Ones(lazy.NewTrace(dev), lazy.F32, 1, 32)
	require.ErrorContains(t, new(quantized.Weight).MatMul(x).Err(), "the weight of quantized.matmul is not built: call module.Build before")
	require.ErrorContains(t, new(quantized.Weight).Gather(x).Err(), "the weight of quantized.gather is not built: call module.Build before")

	err = quantized.LoadInto(n, &file.State, checkpoint.Options{Prefix: "other."})
	require.ErrorContains(t, err, "layer.weight: the file has no tensor of this name")

	err = quantized.LoadInto(n, &file.State, checkpoint.Options{Rename: func(string) string { return "layer.weight" }})
	require.ErrorContains(t, err, "layer.weight: tensors embed.weight and layer.weight have this name")

	err = module.Build(&quantized.Linear{In: 31, Out: 4, Format: gguf.Q8_0}, dev)
	require.ErrorContains(t, err, "a multiple of the elements of a block of Q8_0, 32")
	err = module.Build(&quantized.Linear{In: 288, Out: 4, Format: gguf.Q6_K}, dev)
	require.ErrorContains(t, err, "quantized.Weight is [4, 288]: sizes must be positive, and Features a multiple of the elements of a block of Q6_K, 256")
	err = module.Build(&quantized.Linear{In: 32, Out: 4, Format: gguf.Q5_0}, dev)
	require.ErrorContains(t, err, "Format is Q5_0: it must be Q4_0, Q4_1, Q8_0, Q4_K, Q5_K or Q6_K")

	tr := lazy.NewTrace(dev)
	for _, dims := range [][]int{{}, {2, 16}, {2, 64}} {
		x := lazy.Ones(tr, lazy.F32, dims...)
		require.ErrorContains(t, n.Layer.Forward(x).Err(), fmt.Sprintf("x is %v, its last dimension must be Features, 32", x.Type()))
	}
	require.ErrorContains(t, n.Layer.Forward(lazy.Ones(tr, lazy.C64, 1, 32)).Err(), "dtypes differ: x is c64 and the weight is f32; convert x with Convert")
}

// A product has no dequantized weight in memory. With ManyRows it has a tile at a time, for any number of rows in one program.
func TestManyRows(t *testing.T) {
	const features, n = 1024, 9
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	defer dev.Close()
	x := make([]float32, n*features)
	for i := range x {
		x[i] = float32(i*37%64)/32 - 1
	}
	type shaped struct {
		d    gguf.DType
		rows int
	}
	all := []shaped{{gguf.Q4_0, 509}, {gguf.Q6_K, 509}} // a prime number of rows: the last tile is shorter
	for _, d := range append([]gguf.DType{gguf.Q4_0, gguf.Q4_1, gguf.Q8_0}, kFormats...) {
		all = append(all, shaped{d, 512})
	}
	for _, of := range all {
		d, rows := of.d, of.rows
		tile := rows / 8 * features * 4 // bytes as f32
		l := &quantized.Linear{In: features, Out: rows, Format: d}
		require.NoError(t, module.Build(l, dev))
		file := open(t, blocks("weight", d, rows, features))
		require.NoError(t, quantized.LoadInto(l, &file.State, checkpoint.Options{}))
		results := map[bool][]float32{}
		for _, many := range []bool{false, true} {
			l.Weight.ManyRows = many
			f := lazy.Func(dev, func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
				return []*lazy.Tensor{l.Forward(x[0])}
			})
			y, err := f.Call(t.Context(), lazy.From(dev, x, n, features))
			require.NoError(t, err)
			results[many], err = lazy.ToSlice[float32](y)
			require.NoError(t, err)
			plan, err := f.MemoryPlan(t.Context(), lazy.From(dev, x, n, features))
			require.NoError(t, err)
			tiles := 0
			for _, v := range plan.Values {
				require.Less(t, v.Type.Bytes(), 4*rows*features/2, "%v: %v", d, v)
				if v.Type.DType == lazy.F32 && v.Type.Bytes() == tile {
					tiles++
				}
			}
			require.Equal(t, many, tiles > 0, "%v: %v", d, plan.Values)
			require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 1, 16), features)}))
			for _, m := range []int{1, n} {
				y, err := f.Call(t.Context(), lazy.From(dev, x[:m*features], m, features))
				require.NoError(t, err)
				got, err := lazy.ToSlice[float32](y)
				require.NoError(t, err)
				require.InDeltaSlice(t, results[many][:m*rows], got, 1e-3)
			}
			require.Len(t, f.Report().Compiles, 2) // one for n rows, one for all
		}
		require.InDeltaSlice(t, results[false], results[true], 1e-3)

		tr := lazy.NewTrace(dev)
		for _, shape := range []types.Shape{{features}, {3, 3, features}} {
			y := l.Forward(lazy.From(tr, x[:shape.Elements()], shape...))
			require.NoError(t, y.Err())
			require.Equal(t, append(slices.Clone(shape[:len(shape)-1]), rows), y.Shape())
			got, err := lazy.ToSlice[float32](y)
			require.NoError(t, err)
			require.InDeltaSlice(t, results[true][:len(got)], got, 1e-3)
		}
		require.ErrorContains(t, l.Forward(lazy.From(tr, x[:features], 2, features/2)).Err(), "x is f32[2,512], its last dimension must be Features, 1024")
	}
}

// A file whose tensor of a K format has rows of no whole super-blocks, or is cut short, is refused: the error names
// the tensor and the rule.
func TestMisshapen(t *testing.T) {
	for _, d := range kFormats {
		whole := blocks("layer.weight", d, 4, 256)
		misshapen := whole
		misshapen.dims = [2]int{2, 384}
		_, err := checkpoint.Open(write(t, misshapen))
		require.ErrorContains(t, err, fmt.Sprintf("tensor layer.weight: its rows have 384 elements, no multiple of the 256 of a block of %v", d))
		whole.elements = whole.elements[:3*d.BlockBytes()]
		_, err = checkpoint.Open(write(t, whole))
		require.ErrorContains(t, err, fmt.Sprintf("the file is cut short: tensor layer.weight, %v[4,256], has %d bytes", d, 4*d.BlockBytes()))
	}
}

// Build takes sizes and formats from the file, where the layers do not have them.
func TestBuild(t *testing.T) {
	const rows, features = 40, 64
	file := open(t, blocks("embed.weight", gguf.Q8_0, rows, features), blocks("layer.weight", gguf.Q4_1, rows, features))
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	defer dev.Close()
	given := &net{quantized.Embedding{Rows: rows, Features: features, Format: gguf.Q8_0}, quantized.Linear{In: features, Out: rows, Format: gguf.Q4_1}}
	partly := &net{Layer: quantized.Linear{Out: rows}}
	var results [][]float32
	for _, n := range []*net{given, partly, {}} {
		require.NoError(t, quantized.Build(n, dev, &file.State, checkpoint.Options{Share: true}))
		require.Equal(t, []any{rows, features, gguf.Q8_0}, []any{n.Embed.Rows, n.Embed.Features, n.Embed.Format})
		require.Equal(t, []any{rows, features, gguf.Q4_1}, []any{n.Layer.Out, n.Layer.In, n.Layer.Format})
		require.False(t, n.Layer.Training())
		tr := lazy.NewTrace(dev)
		y := n.Layer.Forward(n.Embed.Forward(lazy.From(tr, []int32{3, 39})))
		require.NoError(t, tr.MarkStep(y))
		values, err := lazy.ToSlice[float32](y)
		require.NoError(t, err)
		results = append(results, values)
	}
	require.Equal(t, results[0], results[1])
	require.Equal(t, results[0], results[2])

	plain := open(t, blocks("embed.weight", gguf.F32, rows, features), blocks("other.weight", gguf.Q4_1, rows, features))
	for name, c := range map[string]struct {
		net  any
		from *checkpoint.State
		o    checkpoint.Options
		want string
	}{
		"none":         {nil, &file.State, checkpoint.Options{}, "the network or the state is nil"},
		"no file":      {&net{}, nil, checkpoint.Options{}, "the network or the state is nil"},
		"plain":        {&net{}, &plain.State, checkpoint.Options{}, "embed.weight: the tensor is f32[40,64], the weight has rows of blocks"},
		"missing":      {&net{}, &plain.State, checkpoint.Options{}, "layer.weight: the file has no tensor of this name"},
		"missing size": {&struct{ Layer quantized.Linear }{}, &plain.State, checkpoint.Options{AllowMissing: true, AllowExtra: true}, "layer.weight: the file has no tensor of this name"},
		"other size":   {&net{Layer: quantized.Linear{In: 32}}, &file.State, checkpoint.Options{}, "the weight is [40, 32], the tensor [40,64]"},
		"other format": {&net{Layer: quantized.Linear{Format: gguf.Q8_0}}, &file.State, checkpoint.Options{}, "the weight is of Q8_0, the tensor of Q4_1"},
	} {
		require.ErrorContains(t, quantized.Build(c.net, dev, c.from, c.o), c.want, name)
	}
}
