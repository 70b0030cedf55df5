package kit_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/plan"
	"ltc/backends/reference"
	"ltc/backends/reference/eval"
	"ltc/soa"
	"ltc/stablehlo"
)

// planned returns what a text becomes on the backend cpu without a compiler.
func planned(t testing.TB, text string) *plan.Program {
	t.Helper()
	p, err := backends.Load(context.Background(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	r, err := kit.Compile(context.Background(), p, kit.Options{Eval: eval.New(), Claim: reference.Claim})
	require.NoError(t, err)
	return r
}

// texts returns the texts of programs of many kinds: loops, branches, sorts and triangular
// systems among them.
func texts(t testing.TB) map[string]string {
	all := map[string]string{
		"cholesky": `func.func @main(%a: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x4x4xf32>
  return %0 : tensor<2x4x4xf32>
}
`,
		"host": `func.func @main(%x: tensor<4xf32>, %i: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  %low = stablehlo.constant dense<0> : tensor<i64>
  %high = stablehlo.constant dense<3> : tensor<i64>
  %0 = stablehlo.custom_call @kit.encoded(%i, %i, %low, %low, %high) {has_side_effect = true} : (tensor<i32>, tensor<i32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<i32>
  %1 = stablehlo.add %x, %x : tensor<4xf32>
  return %1, %0 : tensor<4xf32>, tensor<i32>
}
`,
		"case": `func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.add %x, %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
`,
		"locations": `func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.sine %x : tensor<4xf32> loc(callsite("f"("a.py":3:4) at fused["b.py":5:6, unknown]))
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> loc("c.py":7:8 to 9:10)
  return %0, %1 : tensor<4xf32>, tensor<f32>
}
`,
	}
	for _, pattern := range []string{"testdata/workloads/*.mlir", "testdata/*.mlir", "../../testdata/exported/*.mlir"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			all[filepath.Base(file)] = string(text)
		}
	}
	return all
}

// hosts has the evaluator run ops of the host.
func hosts(text string) (backends.Executable, int, error) {
	run, err := eval.New().Compile(context.Background(), backends.NewModule(text), backends.Options{})
	return run, 0, err
}

// A program that is written and read is what it was, and so are its variants.
func TestEncode(t *testing.T) {
	require.NoError(t, backends.RegisterHost("kit.encoded", func(_ context.Context, c *backends.HostCall) error { return soa.Copy(c.Results[0], c.Args[0]) }))
	kinds := map[string]bool{}
	for name, text := range texts(t) {
		t.Run(name, func(t *testing.T) {
			p := planned(t, text)
			data, ok := p.Encode()
			composite := slices.ContainsFunc(p.HostSteps(), func(h *plan.Host) bool { return h.Op == stablehlo.Composite })
			require.Equal(t, len(p.Fallbacks()) == 0 && !composite, ok)
			if !ok {
				return
			}
			q, err := plan.Decode(data, plan.NewOrigin(0, func() (*plan.Program, error) { return planned(t, text), nil }), hosts)
			require.NoError(t, err)
			require.Equal(t, p.String(), q.String())
			require.Equal(t, p.Signature, q.Signature)
			require.Equal(t, p.Values, q.Values)
			for i := range p.Steps {
				require.Equal(t, p.Steps[i].Loc, q.Steps[i].Loc)
				require.Equal(t, p.Steps[i].Ordinal, q.Steps[i].Ordinal)
				if h := p.Steps[i].Host(); h != nil {
					kinds["host"] = true
					got := *q.Steps[i].Host()
					require.Equal(t, h.Run.Signature(), got.Run.Signature())
					got.Run = h.Run
					require.Equal(t, *h, got)
				} else if len(p.Steps[i].Regions()) == 0 {
					require.Equal(t, p.Steps[i].Work, q.Steps[i].Work)
				}
				switch p.Steps[i].Work.(type) {
				case *plan.Launch:
					kinds["launch"] = true
				case *plan.Sort:
					kinds["sort"] = true
				case *plan.Triangular:
					kinds["triangular"] = true
				case *plan.Loop:
					kinds["loop"] = true
				case *plan.Branch:
					kinds["branch"] = true
				}
			}
			again, ok := q.Encode()
			require.True(t, ok)
			require.Equal(t, data, again)
		})
	}
	require.Len(t, kinds, 6, "%v", kinds)
}

func TestVariantsOfDecoded(t *testing.T) {
	archives, err := filepath.Glob("testdata/variant/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	some := false
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		require.NoError(t, err)
		for _, f := range archive.Files {
			if filepath.Ext(f.Name) != ".mlir" {
				continue
			}
			text := string(f.Data)
			p := planned(t, text)
			args, results := layoutsIn(t, text)
			want, err := p.Variant(args, results)
			data, ok := p.Encode()
			if err != nil || !ok {
				continue
			}
			some = true
			q, err := plan.Decode(data, plan.NewOrigin(0, func() (*plan.Program, error) { return planned(t, text), nil }), nil)
			require.NoError(t, err)
			got, err := q.Variant(args, results)
			require.NoError(t, err)
			require.Equal(t, want.String(), got.String(), f.Name)
			kept := variants{}
			q.KeepVariants(kept, nil)
			_, err = q.Variant(args, results)
			require.NoError(t, err)
			q, err = plan.Decode(data, plan.NewOrigin(0, func() (*plan.Program, error) { return nil, errors.New("it is made again") }), nil)
			require.NoError(t, err)
			q.KeepVariants(kept, nil)
			got, err = q.Variant(args, results)
			require.NoError(t, err, f.Name)
			require.Equal(t, want.String(), got.String(), f.Name)
			require.Equal(t, want.Values, got.Values)
			for layouts, data := range kept {
				for n := range data {
					var log strings.Builder
					q.Logger = slog.New(slog.NewTextHandler(&log, nil))
					kept[layouts] = data[:n]
					_, err := q.Variant(args, results)
					require.ErrorContains(t, err, "made again")
					require.Equal(t, 1, strings.Count(log.String(), "cannot be read"), log.String())
				}
			}
			q, err = plan.Decode(data, plan.NewOrigin(0, func() (*plan.Program, error) { return planned(t, texts(t)["case"]), nil }), nil)
			require.NoError(t, err)
			_, err = q.Variant(args, results)
			require.ErrorContains(t, err, "LTC_CACHE")
		}
	}
	require.True(t, some)
}

// variants are those that are kept, in memory.
type variants map[string][]byte

func (v variants) Get(layouts string) ([]byte, bool) {
	data, ok := v[layouts]
	return data, ok
}

func (v variants) Keep(layouts string, data []byte) { v[layouts] = data }

// What is cut off is an error.
func TestDecodeCut(t *testing.T) {
	all := texts(t)
	for _, name := range []string{"case", "cholesky", "softmax.mlir", "train_mlp.mlir", "lstm.mlir"} {
		require.Contains(t, all, name)
		p := planned(t, all[name])
		data, ok := p.Encode()
		require.True(t, ok)
		for n := range data {
			_, err := plan.Decode(data[:n], nil, nil)
			require.Error(t, err)
		}
		_, err := plan.Decode(append(slices.Clone(data), 0), nil, nil)
		require.Error(t, err)
	}
}

// FuzzDecode decodes bytes. They are an error, or a program that has been written as others are.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"case", "cholesky", "locations"} {
		data, ok := planned(f, texts(f)[name]).Encode()
		require.True(f, ok)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := plan.Decode(data, nil, nil)
		if err != nil {
			return
		}
		again, ok := p.Encode()
		require.True(t, ok)
		q, err := plan.Decode(again, nil, nil)
		require.NoError(t, err)
		require.Equal(t, p.String(), q.String())
		exec.NewResults(p, p.LastFallible, false)
		_, _ = p.ResidentBytes(), p.Largest(3)
	})
}
