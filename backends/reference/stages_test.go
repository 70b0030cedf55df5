package reference

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/backends/kit/stages"
	"ltc/backends/reference/eval"
	"ltc/ir/types"
	"ltc/soa"
)

// countedTexts returns the programs in which sizes follow from data of which the goldens of
// package stages are.
func countedTexts(t testing.TB) map[string]string {
	a, err := txtar.ParseFile("../kit/stages/testdata/programs.txtar")
	require.NoError(t, err)
	texts := map[string]string{}
	for _, f := range a.Files {
		if name, ok := strings.CutSuffix(f.Name, ".mlir"); ok && !strings.Contains(name, "/") {
			texts[name] = string(f.Data)
		}
	}
	require.Contains(t, texts, "mask of a mask")
	return texts
}

func compileBoth(t *testing.T, text string) (want backends.Executable, got *stages.Executable) {
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	e, err := cpu.Compile(t.Context(), backends.NewModule(text), backends.Options{Compiled: true, Profile: true})
	require.NoError(t, err)
	require.IsType(t, &stages.Executable{}, e)
	want, err = eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	return want, e.(*stages.Executable)
}

// Programs in which sizes follow from data are compiled once, and give for all counts, none and
// all included, what the evaluator does.
func TestSizesThatFollowFromData(t *testing.T) {
	for name, text := range countedTexts(t) {
		t.Run(name, func(t *testing.T) {
			want, got := compileBoth(t, text)
			r := rand.New(rand.NewPCG(1, 2))
			for i := range 50 {
				share := r.Float32()
				if i < 2 {
					share = float32(i)
				}
				args := make([]soa.View, len(got.Signature().Args))
				for k, a := range got.Signature().Args {
					args[k] = soa.Make(a.Type)
					if a.Type.DType == types.I64 {
						v := soa.Slice[int64](args[k])
						v[0], v[1] = r.Int64N(13), r.Int64N(10)
						continue
					}
					for j := range soa.Slice[float32](args[k]) {
						v := r.Float32() + 0.01
						if r.Float32() >= share {
							v = -v
						}
						soa.Slice[float32](args[k])[j] = v
					}
				}
				same(t, want, got, args, fmt.Sprint("call ", i))
			}
			of := backends.MemoryPlanOf(got)
			require.NotEmpty(t, of.Steps)
			for _, v := range of.Values {
				switch v.Kind {
				case backends.ArgumentValue:
					require.Less(t, v.Index, len(got.Signature().Args))
				case backends.ResultValue:
					require.Less(t, v.Index, len(got.Signature().Results))
				}
			}
			profile := got.Profile()
			require.NotEmpty(t, profile)
			backends.LocateProfile(profile, got.Signature(), func(int) string { return "" })
			_, failed := got.Variants()
			require.Zero(t, failed)
		})
	}
}

// same requires both to give the same for args, of which each has its own.
func same(t *testing.T, want, got backends.Executable, args []soa.View, call string) {
	t.Helper()
	a, b := &backends.Call{}, &backends.Call{}
	for _, v := range args {
		for _, c := range []*backends.Call{a, b} {
			w := soa.Make(v.Type)
			require.NoError(t, soa.Copy(w, v))
			c.Args = append(c.Args, w)
		}
	}
	require.NoError(t, want.Execute(t.Context(), a), call)
	require.NoError(t, got.Execute(t.Context(), b), call)
	for j := range a.Results {
		require.Equal(t, a.Results[j].Type, b.Results[j].Type, call)
		if a.Results[j].Type.DType == types.I64 {
			require.Equal(t, soa.Slice[int64](a.Results[j]), soa.Slice[int64](b.Results[j]), call)
		} else {
			near(t, a.Results[j], b.Results[j], 100)
		}
		if at := got.Signature().Results[j].Alias; at >= 0 {
			require.Equal(t, b.Args[at].Base(), b.Results[j].Base())
		}
	}
}

// A size that is more than the program allows, or less than none, is the error of the op whose
// size it is, at its line, and no argument is written over.
func TestSizesOfDataBeyondBounds(t *testing.T) {
	const text = `
func.func public @main(%x: tensor<8xf32>, %n: tensor<1xi32>, %acc: tensor<f32> {tf.aliasing_output = 0 : i32}) -> tensor<f32> {
  %from = stablehlo.constant dense<0> : tensor<1xi32>
  %by = stablehlo.constant dense<1> : tensor<1xi32>
  %some = stablehlo.real_dynamic_slice %x, %from, %n, %by : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %sum = stablehlo.reduce(%some init: %acc) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  return %sum : tensor<f32>
}`
	want, got := compileBoth(t, text)
	for _, n := range []int32{9, -1, 1 << 30} {
		c := &backends.Call{Args: []soa.View{soa.Make(types.Of(types.F32, 8)), soa.Make(types.Of(types.I32, 1)), soa.Make(types.Of(types.F32))}}
		soa.Slice[int32](c.Args[1])[0] = n
		soa.Slice[float32](c.Args[2])[0] = 5
		err := got.Execute(t.Context(), c)
		require.ErrorContains(t, err, "module.mlir:5:")
		require.ErrorContains(t, want.Execute(t.Context(), c), "module.mlir:5:")
		var op, same *backends.RunError
		require.ErrorAs(t, err, &op)
		require.ErrorAs(t, want.Execute(t.Context(), c), &same)
		require.Equal(t, same.Op, op.Op)
		require.Equal(t, float32(5), soa.Slice[float32](c.Args[2])[0])
	}
}
