package quantized_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
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

// blocks returns pseudo-random blocks whose scales and minima are finite.
func blocks(name string, d gguf.DType, rows, features int) tensor {
	block := d.BlockBytes()
	data := make([]byte, rows*features/d.Block()*block)
	x := uint32(7)
	for i := range data {
		x = x*1664525 + 1013904223
		data[i] = byte(x >> 24)
	}
	for i := 0; i < len(data); i += block {
		data[i+1] = data[i+1]&0x83 | 0x28
		if d == gguf.Q4_1 {
			data[i+3] = data[i+3]&0x83 | 0x28
		}
	}
	return tensor{name, d, [2]int{rows, features}, data}
}

// open writes a GGUF file of tensors and opens it.
func open(t *testing.T, tensors ...tensor) *checkpoint.File {
	t.Helper()
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
	f, err := checkpoint.Open(path)
	require.NoError(t, err)
	t.Cleanup(f.Close)
	return f
}

// net has a layer of each kind.
type net struct {
	Embed quantized.Embedding
	Layer quantized.Linear
}

// Products and rows are those of the weights that package gguf dequantizes: of one row, and of several in one program. Compiled code copies no blocks.
func TestWeights(t *testing.T) {
	const rows, features = 40, 96
	for _, backend := range []string{"eval", "cpu"} {
		for _, d := range []gguf.DType{gguf.Q4_0, gguf.Q4_1, gguf.Q8_0} {
			t.Run(fmt.Sprint(backend, "/", d), func(t *testing.T) {
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

	err = quantized.LoadInto(n, &file.State, checkpoint.Options{Prefix: "other."})
	require.ErrorContains(t, err, "layer.weight: the file has no tensor of this name")

	err = quantized.LoadInto(n, &file.State, checkpoint.Options{Rename: func(string) string { return "layer.weight" }})
	require.ErrorContains(t, err, "layer.weight: tensors embed.weight and layer.weight have this name")

	err = module.Build(&quantized.Linear{In: 31, Out: 4, Format: gguf.Q8_0}, dev)
	require.ErrorContains(t, err, "a multiple of the elements of a block of Q8_0, 32")
	err = module.Build(&quantized.Linear{In: 256, Out: 4, Format: gguf.Q6_K}, dev)
	require.ErrorContains(t, err, "Format is Q6_K: it must be Q4_0, Q4_1 or Q8_0")

	tr := lazy.NewTrace(dev)
	require.ErrorContains(t, n.Layer.Forward(lazy.Ones(tr, lazy.F32, 2, 16)).Err(), "reshape")
}
