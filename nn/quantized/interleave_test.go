package quantized_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/checkpoint"
	"ltc/checkpoint/gguf"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn/module"
	"ltc/nn/quantized"
	"ltc/soa"
)

// Products of interleaved weights are those of the dequantized ones, as are products in place, and of weights whose rows are no
// groups. Programs name the composite of the first alone.
func TestInterleaved(t *testing.T) {
	const features = 96
	for _, backend := range []string{"eval", "cpu"} {
		for _, d := range []gguf.DType{gguf.Q4_0, gguf.Q4_1, gguf.Q8_0} {
			for _, c := range []struct {
				rows          int
				inPlace, many bool
			}{{48, false, false}, {48, true, false}, {48, false, true}, {40, false, false}} {
				t.Run(fmt.Sprintf("%s/%v/%d rows/in place %v/many %v", backend, d, c.rows, c.inPlace, c.many), func(t *testing.T) {
					dev, err := lazy.Open(backend)
					require.NoError(t, err)
					defer dev.Close()
					file := open(t, blocks("weight", d, c.rows, features))
					l := &quantized.Linear{In: features, Out: c.rows, Format: d}
					l.Weight.InPlace, l.Weight.ManyRows = c.inPlace, c.many
					require.NoError(t, module.Build(l, dev))
					require.NoError(t, quantized.LoadInto(l, &file.State, checkpoint.Options{}))
					tensor, err := file.Tensor("weight")
					require.NoError(t, err)
					w := make([]float32, c.rows*features)
					require.NoError(t, tensor.Blocks.Dequantize(w))
					f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return l.Forward(x) })
					for _, shape := range []types.Shape{{features}, {1, features}, {3, features}, {2, 4, features}, {9, features}} {
						x := make([]float32, shape.Elements())
						for i := range x {
							x[i] = float32(i*37%64)/32 - 1
						}
						y, err := f.Call(t.Context(), lazy.From(dev, x, shape...))
						require.NoError(t, err)
						require.Equal(t, append(shape[:len(shape)-1:len(shape)-1], c.rows), y.Shape())
						got, err := lazy.ToSlice[float32](y)
						require.NoError(t, err)
						for i := range got {
							sum, row := 0.0, w[i%c.rows*features:]
							for k, v := range x[i/c.rows*features:][:features] {
								sum += float64(v) * float64(row[k])
							}
							require.InDelta(t, sum, got[i], 1e-4)
						}
					}
					interleaved := c.rows%16 == 0 && !c.inPlace && !c.many
					require.Equal(t, interleaved, strings.Contains(f.Program(lazy.FormatStableHLO), "quantized.dot"))
				})
			}
		}
	}
}

// The backend cpu has code for the composite, also in a program that leaves a size of something else open.
func TestDotIsCompiled(t *testing.T) {
	const rows, features = 32, 64
	for _, d := range []gguf.DType{gguf.Q4_0, gguf.Q4_1, gguf.Q8_0} {
		for _, isOpen := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/open %v", d, isOpen), func(t *testing.T) {
				dev, err := lazy.Open("cpu", lazy.Profiled())
				require.NoError(t, err)
				defer dev.Close()
				l := &quantized.Linear{In: features, Out: rows, Format: d}
				require.NoError(t, module.Build(l, dev))
				file := open(t, blocks("weight", d, rows, features))
				require.NoError(t, quantized.LoadInto(l, &file.State, checkpoint.Options{}))
				f := lazy.Func(dev, func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
					return []*lazy.Tensor{l.Forward(x[0]), x[1].Sum()}
				})
				if isOpen {
					require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, 2, features)}, lazy.Input{Name: "y", Type: types.Of(lazy.F32, lazy.Dim("n", 1, 100))}))
				}
				for _, n := range []int{3, 5} {
					ys, err := f.CallAll(t.Context(), lazy.From(dev, make([]float32, 2*features), 2, features), lazy.From(dev, make([]float32, n)))
					require.NoError(t, err)
					_, err = lazy.ToSlice[float32](ys[0])
					require.NoError(t, err)
				}
				require.Contains(t, fmt.Sprint(dev.Profile()), "quantized.dot")
			})
		}
	}
}

// A network that is built anew has no copy of a load before: of the same format, or of one without copies.
func TestInterleavedAnew(t *testing.T) {
	const rows, features = 32, 256
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	defer dev.Close()
	l := &quantized.Linear{In: features, Out: rows, Format: gguf.Q4_0}
	product := func() []float32 {
		y, err := lazy.ToSlice[float32](l.Forward(lazy.Ones(lazy.NewTrace(dev), lazy.F32, 1, features)))
		require.NoError(t, err)
		return y
	}
	for _, d := range []gguf.DType{gguf.Q4_0, gguf.Q4_1, gguf.Q8_0, gguf.Q4_K, gguf.Q4_0} {
		l.Format, l.Weight.Format = d, d
		l.Weight.Scale, l.Weight.Min, l.Weight.Scales, l.Weight.High, l.Weight.Codes = nil, nil, nil, nil, nil
		require.NoError(t, module.Build(l, dev))
		require.Equal(t, make([]float32, rows), product(), "%v", d)
		file := open(t, blocks("weight", d, rows, features))
		require.NoError(t, quantized.LoadInto(l, &file.State, checkpoint.Options{}))
		got := product()
		l.Weight.InPlace = true
		require.InDeltaSlice(t, product(), got, 1e-3, "%v", d)
		l.Weight.InPlace = false
	}
}

// The copy is no variable of the network, outlives the file, and gets the values of a second load. Gradients reach x.
func TestInterleavedCopy(t *testing.T) {
	const rows, features = 32, 64
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	defer dev.Close()
	l := &quantized.Linear{In: features, Out: rows, Format: gguf.Q4_1}
	require.NoError(t, module.Build(l, dev))
	names := func() (all []string) {
		for name := range module.State(l) {
			all = append(all, name)
		}
		return all
	}
	built := names()
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return l.Forward(x) })
	product := func() []float32 {
		y, err := f.Call(t.Context(), lazy.From(dev, slices.Repeat([]float32{1}, features), 1, features))
		require.NoError(t, err)
		got, err := lazy.ToSlice[float32](y)
		require.NoError(t, err)
		return got
	}
	first, second := blocks("weight", gguf.Q4_1, rows, features), blocks("weight", gguf.Q4_1, rows, features)
	for i := 1; i < len(second.elements); i += 2 {
		second.elements[i] ^= 0x80 // signs of scales and minima, and bits of codes
	}
	var results [][]float32
	for _, x := range []tensor{first, second} {
		file, err := checkpoint.Open(write(t, x))
		require.NoError(t, err)
		require.NoError(t, quantized.LoadInto(l, &file.State, checkpoint.Options{}))
		weight, err := file.Tensor("weight")
		require.NoError(t, err)
		soa.With(weight.Blocks.Raw(), func(file []uint8) { require.Equal(t, x.elements, file) }) // its pages were given back
		file.Close()
		require.Equal(t, built, names())
		results = append(results, product())
	}
	require.NotEqual(t, results[0], results[1])

	// A checkpoint of the network has the blocks, and those alone.
	file, err := checkpoint.Open(write(t, second))
	require.NoError(t, err)
	defer file.Close()
	require.NoError(t, quantized.LoadInto(l, &file.State, checkpoint.Options{}))
	path := filepath.Join(t.TempDir(), "saved.safetensors")
	state, err := checkpoint.StateOf(module.State(l))
	require.NoError(t, err)
	require.NoError(t, checkpoint.Save(path, state))
	other := &quantized.Linear{In: features, Out: rows, Format: gguf.Q4_1}
	require.NoError(t, module.Build(other, dev))
	_, err = checkpoint.Load(path, module.State(other), checkpoint.Options{})
	require.NoError(t, err)
	y, err := lazy.ToSlice[float32](other.Forward(lazy.Ones(lazy.NewTrace(dev), lazy.F32, 1, features)))
	require.NoError(t, err)
	require.InDeltaSlice(t, results[1], y, 1e-3)

	values := make([]float32, 2*features)
	for i := range values {
		values[i] = float32(i*37%64)/32 - 1
	}
	x := lazy.From(lazy.NewTrace(dev), values, 2, features)
	require.NoError(t, lazy.GradCheck(func(x []*lazy.Tensor) *lazy.Tensor { return l.Forward(x[0]) }, x))
}

// A weight of several chunks, of which the last is smaller, has the products of its blocks in place.
func TestInterleavedChunks(t *testing.T) {
	const rows, features = 3600, 1024
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	defer dev.Close()
	file := open(t, blocks("weight", gguf.Q4_0, rows, features))
	l := &quantized.Linear{In: features, Out: rows, Format: gguf.Q4_0}
	require.NoError(t, module.Build(l, dev))
	require.NoError(t, quantized.LoadInto(l, &file.State, checkpoint.Options{}))
	x := make([]float32, features)
	for i := range x {
		x[i] = float32(i*37%64)/32 - 1
	}
	var results [2][]float32
	for i := range results {
		l.Weight.InPlace = i == 1
		results[i], err = lazy.ToSlice[float32](l.Forward(lazy.From(lazy.NewTrace(dev), x, 1, features)))
		require.NoError(t, err)
	}
	require.InDeltaSlice(t, results[1], results[0], 1e-3)
}

// A call of the composite with operands that do not fit says which, and how they must be.
func TestDotMistakes(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	defer dev.Close()
	tr := lazy.NewTrace(dev)
	of := func(d types.DType, dims ...int) *lazy.Tensor { return lazy.Zeros(tr, d, dims...) }
	x, blocks := of(lazy.F32, 2, 3, 32), of(lazy.U32, 5, 3, 80)
	for want, operands := range map[string][]*lazy.Tensor{
		"x is f64, must be f32":                       {of(lazy.F64, 2, 3, 32), blocks},
		"blocks are i32, must be u32":                 {x, of(lazy.I32, 5, 3, 80)},
		"x is [2,96], must be":                        {of(lazy.F32, 2, 96), blocks},
		"blocks are [5,240], must be":                 {x, of(lazy.U32, 5, 240)},
		"the number of blocks differs":                {x, of(lazy.U32, 5, 4, 80)},
		"blocks are [5,3,64], must be of 72, 80, 136": {x, of(lazy.U32, 5, 3, 64)},
	} {
		require.ErrorContains(t, quantized.Dot.Call(lazy.Attrs{"offset": 0}, operands...).Err(), want)
	}
	require.Equal(t, types.Shape{2, 5, 16}, quantized.Dot.Call(lazy.Attrs{"offset": -8}, x, blocks).Shape())
}
