package kit_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/internal/test/golden"
	"ltc/internal/test/kittest"
)

// What some of the programs of the benchmark become.
func TestFused(t *testing.T) {
	for _, name := range []string{"softmax", "layernorm", "linear_gelu", "cross_entropy_grad", "train_mlp", "encoder", "step100_mix"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata/workloads", name+".mlir"))
			require.NoError(t, err)
			golden.Is(t, filepath.Join("testdata/fused", name+".txt"), kittest.Compile(t, string(text)).String())
		})
	}
}

// The sizes of windows are literals in the kernels of poolings. Between convolutions nothing is
// transposed, and what batch norm does with the numbers of a channel is done once for each.
func TestFusedWindows(t *testing.T) {
	for _, name := range []string{"pools", "mbconv"} {
		text, err := os.ReadFile(filepath.Join("testdata", name+".mlir"))
		require.NoError(t, err)
		golden.Is(t, filepath.Join("testdata/fused", name+".txt"), kittest.Compile(t, string(text)).String())
	}
}

// A network of 8 bits becomes products of bytes, whose epilogues quantize.
func TestQuantizedNetwork(t *testing.T) {
	text, err := os.ReadFile("testdata/quantized.mlir")
	require.NoError(t, err)
	golden.Is(t, "testdata/fused/quantized.txt", kittest.Same(t, string(text)).String())
}

// What texts become that leave a size open. The program is printed for a million
// elements, so that its numbers can be read: 3000002 is 3n + 2.
func TestFamilies(t *testing.T) {
	golden.Archives(t, "testdata/family/*.txtar", ".mlir", func(t *testing.T, in txtar.File) []golden.Part {
		m := backends.NewModule(string(in.Data))
		f, err := kit.OpenFamily(t.Context(), eval.New(), m, backends.Options{}, 0, nil, func(p *backends.Program) (*plan.Program, error) {
			return kernelsOf(t.Context(), p)
		})
		if err != nil {
			return []golden.Part{{Ext: "error", Text: err.Error()}}
		}
		million := f.Member()
		sizes := []int64{1_000_000, 1_000, 10}[:len(f.BaseSizes())]
		require.NoError(t, million.Resize(sizes))
		return []golden.Part{{Ext: "million", Text: million.Program.String()}}
	})
}

// kernelsOf makes kernels of a program.
func kernelsOf(ctx context.Context, p *backends.Program) (*plan.Program, error) {
	return kit.Compile(ctx, p, kit.Options{Eval: eval.New(), Check: true})
}

// What programs become for arguments and results that lie otherwise than dense: a
// line of the input says how for each of them.
func TestVariants(t *testing.T) {
	golden.Archives(t, "testdata/variant/*.txtar", ".mlir", func(t *testing.T, in txtar.File) []golden.Part {
		args, results := layoutsIn(t, string(in.Data))
		v, err := kittest.Compile(t, string(in.Data)).Variant(args, results)
		if err != nil {
			return []golden.Part{{Ext: "error", Text: err.Error()}}
		}
		return []golden.Part{{Ext: "variant", Text: v.String()}}
	})
}

// layoutsIn reads lines such as
//
//	// argument 0 strides table 1
//
// which give the class of the stride of each dimension.
func layoutsIn(t *testing.T, text string) (args, results []plan.Layout) {
	classes := map[string]kernel.Stride{"*": kernel.AnyStride, "1": kernel.UnitStride, "0": kernel.ZeroStride, "table": kernel.TableStride}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 4 || words[0] != "//" || words[3] != "strides" {
			continue
		}
		var l plan.Layout
		for _, w := range words[4:] {
			require.Contains(t, classes, w)
			l = append(l, classes[w])
		}
		i, err := strconv.Atoi(words[2])
		require.NoError(t, err)
		list := map[string]*[]plan.Layout{"argument": &args, "result": &results}[words[1]]
		require.NotNil(t, list, words[1])
		*list = append(*list, make([]plan.Layout, max(0, i+1-len(*list)))...)
		(*list)[i] = l
	}
	return args, results
}
