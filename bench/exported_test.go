package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
	"ltc/soa/npy"
)

// accumulate adds its second argument to the first, whose memory the result takes over.
const accumulate = `module @accumulate {
  func.func public @main(%arg0: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
`

// writeProgram writes a program as programs.py exports it and returns the directory.
func writeProgram(t *testing.T, text string, in, out [][]float32) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "accumulate.mlir"), []byte(text), 0o666))
	for file, arrays := range map[string][][]float32{"accumulate.npz": in, "accumulate.out.npz": out} {
		prefix := map[bool]string{true: "in", false: "out"}[file == "accumulate.npz"]
		var entries []npy.Entry
		for i, a := range arrays {
			v := soa.Make(types.Of(types.F32, len(a)))
			copy(soa.Slice[float32](v), a)
			entries = append(entries, npy.Entry{Name: fmt.Sprint(prefix, i), View: v})
		}
		require.NoError(t, npy.WriteArchive(filepath.Join(dir, file), entries))
	}
	return dir
}

func TestExportedProgramsAreCheckedAndTimed(t *testing.T) {
	in := [][]float32{{1, 2, 3}, {10, 20, 30}}
	for _, c := range []struct {
		name, text string
		in, out    [][]float32
		want       string
	}{
		{name: "right", text: accumulate, in: in, out: [][]float32{{11, 22, 33}}},
		{name: "wrong", text: accumulate, in: in, out: [][]float32{{11, 22, 34}}, want: "wrong result: result 0 at [2] is 33, want 34"},
		{name: "another shape", text: accumulate, in: in, out: [][]float32{{11, 22}}, want: "result 0: "},
		{name: "an argument is missing", text: accumulate, in: in[:1], out: in[:1], want: "accumulate.npz: there is no in1"},
		{name: "a result is missing", text: accumulate, in: in, want: "accumulate.out.npz: there is no out0"},
		{name: "no program", text: "module {", in: in, out: in, want: "accumulate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := withPrograms(writeProgram(t, c.text, c.in, c.out))
			require.NoError(t, err)
			w, err := named(all, "program_accumulate")
			require.NoError(t, err)
			r, err := w.measure(&env{backend: "cpu", threads: 1, quick: true, profile: true})
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.Positive(t, r.Median)
			require.Positive(t, r.FirstCall)
			require.Equal(t, []float64{3, 36}, []float64{r.Flops, r.Bytes}, "an addition each, two arguments and a result")
		})
	}
	dir := writeProgram(t, accumulate, in, [][]float32{{11, 22, 33}})
	x := wholeProgram{dir, "accumulate"}
	for said, want := range map[string]string{"1 2": "", "0 1": "an ltc.constant argument cannot be donated", "1 3": "weights from argument 1 to before 3: main has 2", "?": "accumulate.weights: "} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "accumulate.weights"), []byte(said), 0o666))
		r, err := x.measure(&env{backend: "cpu", threads: 1, quick: true})
		if want != "" {
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		require.Positive(t, r.Bound)
	}
	_, err := withPrograms(t.TempDir())
	require.ErrorContains(t, err, "there is no file whose name ends in .mlir")
}

// Tables that are only gathered from count as what is taken of them.
func TestTraffic(t *testing.T) {
	const table = `module @table {
  func.func public @main(%%arg0: tensor<1000x4xf32>, %%arg1: tensor<3x1xi32>) -> tensor<%s> {
    %%0 = func.call @rows(%%arg0, %%arg1) : (tensor<1000x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
    %s
  }
  func.func private @rows(%%arg0: tensor<1000x4xf32>, %%arg1: tensor<3x1xi32>) -> tensor<3x4xf32> {
    %%0 = "stablehlo.gather"(%%arg0, %%arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<1000x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
    return %%0 : tensor<3x4xf32>
  }
}
`
	read, written, err := traffic(fmt.Sprintf(table, "3x4xf32", "return %0 : tensor<3x4xf32>"))
	require.NoError(t, err)
	require.EqualValues(t, 48+12, read)
	require.EqualValues(t, 48, written)
	read, written, err = traffic(fmt.Sprintf(table, "3x1000xf32", "%1 = stablehlo.dot_general %0, %arg0, contracting_dims = [1] x [1] : (tensor<3x4xf32>, tensor<1000x4xf32>) -> tensor<3x1000xf32>\n    return %1 : tensor<3x1000xf32>"))
	require.NoError(t, err)
	require.EqualValues(t, 16000+12, read)
	require.EqualValues(t, 12000, written)
}

// A donated cache that is updated in place counts as read once if it is read, and as written
// where the update is; one that is not donated as copied.
func TestTrafficOfCaches(t *testing.T) {
	const step = `module @step {
  func.func public @main(%%arg0: tensor<256x64xf32>%s, %%arg1: tensor<1x64xf32>, %%arg2: tensor<i32>) -> (tensor<256x64xf32>, tensor<64xf32>) {
    %%c = stablehlo.constant dense<0> : tensor<i32>
    %%z = stablehlo.constant dense<0.0> : tensor<f32>
    %%0 = stablehlo.dynamic_update_slice %%arg0, %%arg1, %%arg2, %%c : (tensor<256x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<256x64xf32>
    %%1 = stablehlo.reduce(%%%s init: %%z) applies stablehlo.add across dimensions = [0] : (tensor<256x64xf32>, tensor<f32>) -> tensor<64xf32>
    return %%0, %%1 : tensor<256x64xf32>, tensor<64xf32>
  }
}
`
	const cache, row, at = 256 * 64 * 4, 64 * 4, 4
	for _, c := range []struct {
		attrs, of     string
		read, written float64
	}{
		{" {tf.aliasing_output = 0 : i32}", "0", cache + row + at, row + row},
		{" {tf.aliasing_output = 0 : i32}", "arg0", cache + row + at, row + row},
		{"", "0", cache + row + at, cache + row},
	} {
		read, written, err := traffic(fmt.Sprintf(step, c.attrs, c.of))
		require.NoError(t, err)
		require.Equal(t, c.read, read, c)
		require.Equal(t, c.written, written, c)
	}
}
