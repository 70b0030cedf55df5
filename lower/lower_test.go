package lower_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"ltc/internal/test/optest"
	"ltc/ir"
	"ltc/ir/ops"
	"ltc/lower"
	"ltc/mlir"
	"ltc/shapeinfer"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

func parse(t testing.TB, text string) *ir.Graph {
	t.Helper()
	g, err := ir.Parse("test.ir", text)
	require.NoError(t, err)
	require.NoError(t, g.Verify(shapeinfer.Infer))
	return g
}

// goldens are the graphs of testdata/ops.
func goldens(t testing.TB) map[string]string {
	texts, err := optest.Graphs("../testdata/ops")
	require.NoError(t, err)
	require.Greater(t, len(texts), 100)
	return texts
}

// requireText lowers g and requires what holds for every program: the text
// comes out the same twice, reads back, is valid, and prints the same.
func requireText(t testing.TB, g *ir.Graph) *mlir.Module {
	t.Helper()
	var m *mlir.Module
	for _, locations := range []bool{false, true} {
		text := lower.Text(g, locations)
		require.Equal(t, text, lower.Text(g, locations))
		var err error
		m, err = stablehlo.Parse("lowered.mlir", text)
		require.NoError(t, err)
		require.NoError(t, verify.Module(m))
		require.Empty(t, cmp.Diff(text, mlir.Print(m, mlir.PrintOptions{Locations: locations})))
		require.Equal(t, mlir.Print(lower.Module(g)), mlir.Print(m), "locations make another program")
	}
	return m
}

// vocabulary are the attributes of docs/mlir.md.
var vocabulary = map[string]bool{
	"ltc.version": true, "ltc.dims": true, "ltc.name": true, "ltc.constant": true, "ltc.dim": true, "tf.aliasing_output": true,
}

func TestGoldens(t *testing.T) {
	for name, text := range goldens(t) {
		t.Run(name, func(t *testing.T) {
			m := requireText(t, parse(t, text))
			requireVocabulary(t, m)
			m.Walk(func(op *mlir.Op) bool {
				if op.Code == stablehlo.Constant {
					require.Empty(t, op.Results[0].Type.(*mlir.TensorType).Shape, "data of the host is an argument, not a literal")
				}
				require.NotEqual(t, "stablehlo.rng_bit_generator", op.Name())
				return true
			})
		})
	}
}

// requireVocabulary requires that whatever is no attribute of an op's own is of
// the closed vocabulary.
func requireVocabulary(t *testing.T, m *mlir.Module) {
	t.Helper()
	require.Equal(t, "1 : i32", m.Attrs.Get("ltc.version").String())
	check := func(d mlir.Dict) {
		for _, a := range d {
			if strings.Contains(a.Name, ".") {
				require.True(t, vocabulary[a.Name], "attribute %s is not of the vocabulary", a.Name)
			}
		}
	}
	check(m.Attrs)
	public := 0
	for _, f := range m.Ops {
		check(f.Attrs)
		if args, ok := f.Attrs.Get("arg_attrs").(mlir.ArrayAttr); ok {
			for _, a := range args {
				check(mlir.Dict(a.(mlir.DictAttr)))
			}
		}
		if f.Attrs.Get("sym_visibility") == nil {
			require.Equal(t, "main", f.SymName())
			public++
		}
	}
	require.Equal(t, 1, public)
}

// Each row names an op of StableHLO or CHLO.
func TestRowsNameOpsOfStableHLO(t *testing.T) {
	for _, row := range ops.Table {
		if row.HLO != "" {
			require.NotZero(t, mlir.CodeOf(row.Target()), "row %s of ir/ops/table.go: there is no op %s; if it is of CHLO, write chlo.NAME", row.Name, row.Target())
		}
	}
}

// The vocabulary is the one that docs/mlir.md lists.
func TestVocabularyIsDocumented(t *testing.T) {
	docs, err := os.ReadFile("../docs/mlir.md")
	require.NoError(t, err)
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| (?:module|argument) \\| `([a-z._]+)").FindAllStringSubmatch(string(docs), -1) {
		documented[m[1]] = true
	}
	require.Empty(t, cmp.Diff(vocabulary, documented))
}

const step = `graph "train step" {
  %0 = parameter {index = 0, name = "w"} : f32[2] loc("train.go":38)
  %1 = parameter {index = 1, name = "lr"} : f32[] loc("train.go":39)
  %2 = broadcast %1 {shape = [2], axes = []} : f32[2] loc("train.go":41)
  %3 = mul %0, %2 : f32[2] loc("train.go":41)
  %4 = sub %0, %3 : f32[2] loc("sgd.go":7)
  return %4 alias 0, %3
}
`

func TestLocationsAreAliases(t *testing.T) {
	const want = `module @train_step attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<2xf32> {ltc.name = "w", tf.aliasing_output = 0 : i32} loc(#loc), %arg1: tensor<f32> {ltc.name = "lr"} loc(#loc1)) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2xf32> loc(#loc2)
    %1 = stablehlo.multiply %arg0, %0 : tensor<2xf32> loc(#loc2)
    %2 = stablehlo.subtract %arg0, %1 : tensor<2xf32> loc(#loc3)
    return %2, %1 : tensor<2xf32>, tensor<2xf32> loc(#loc3)
  }
}
#loc = loc("train.go":38:0)
#loc1 = loc("train.go":39:0)
#loc2 = loc("train.go":41:0)
#loc3 = loc("sgd.go":7:0)
`
	g := parse(t, step)
	require.Empty(t, cmp.Diff(want, lower.Text(g, true)))
	requireText(t, g)
	require.NotContains(t, lower.Text(g, false), "loc(")
}

func TestScopesAreNamesOfLocations(t *testing.T) {
	g := parse(t, strings.Replace(step, `loc("sgd.go":7)`, `loc("optim.0"("sgd.go":7))`, 1))
	text := lower.Text(g, true)
	require.Contains(t, text, "#loc3 = loc(\"sgd.go\":7:0)\n#loc4 = loc(\"optim.0\"(#loc3))\n")
	require.Equal(t, `sgd.go:7: optim.0: stablehlo.subtract: `, lower.Place(text, 3))
	require.True(t, ir.Equal(g, parse(t, step)), "programs do not depend on scopes")
}

const bodies = `graph "ltc.a" @0 {
  %0 = parameter {index = 0, name = ""} : f32[2]
  %1 = neg %0 : f32[2]
  return %1
}
graph "ltc.outer" @1 {
  %0 = parameter {index = 0, name = ""} : f32[2]
  %1 = composite %0 @0 "ltc.a" : f32[2]
  return %1
}
graph "ltc.a" @2 {
  %0 = parameter {index = 0, name = ""} : f32[2]
  %1 = neg %0 : f32[2]
  return %1
}
graph "ltc.a" @3 {
  %0 = parameter {index = 0, name = ""} : f32[2]
  %1 = exp %0 : f32[2]
  return %1
}
graph "g" {
  %0 = parameter {index = 0, name = ""} : f32[2]
  %1 = composite %0 @1 "ltc.outer" : f32[2]
  %2 = composite %1 @0 "ltc.a" {n = 3, by = 2.0} : f32[2]
  %3 = composite %2 @2 "ltc.a" : f32[2]
  %4 = composite %3 @3 "ltc.a" : f32[2]
  return %4
}
`

// Equal bodies share one private function; others of the name get a number.
func TestBodiesAreShared(t *testing.T) {
	m := requireText(t, parse(t, bodies))
	var names []string
	for _, f := range m.Ops {
		names = append(names, f.SymName())
	}
	require.ElementsMatch(t, []string{"main", "ltc.outer", "ltc.a", "ltc.a_1"}, names)
	var calls []string
	m.Walk(func(op *mlir.Op) bool {
		if op.Code == stablehlo.Composite {
			calls = append(calls, op.Attrs.Get("name").String()+" "+op.Attrs.Get("decomposition").String())
		}
		return true
	})
	require.ElementsMatch(t, []string{`"ltc.outer" @ltc.outer`, `"ltc.a" @ltc.a`, `"ltc.a" @ltc.a`, `"ltc.a" @ltc.a`, `"ltc.a" @ltc.a_1`}, calls)
	require.Contains(t, lower.Text(parse(t, bodies), false), "composite_attributes = {by = 2.000000e+00 : f64, n = 3 : i64}")
}

// Names that MLIR would not take stand as others, never as two functions of one
// name.
func TestNames(t *testing.T) {
	text := strings.NewReplacer(`"g"`, `"9 lives!"`, `"ltc.outer"`, `"main.x"`, `"ltc.a"`, `"_.1"`).Replace(bodies)
	m := requireText(t, parse(t, text))
	require.Equal(t, "__lives_", m.Name)
	seen := map[string]bool{}
	for _, f := range m.Ops {
		require.False(t, seen[f.SymName()])
		seen[f.SymName()] = true
	}
	require.NotNil(t, m.Func("main"))
	require.Nil(t, m.Func("main").Attrs.Get("sym_visibility"))
}

// Whatever graph is valid has a program.
func FuzzLower(f *testing.F) {
	f.Add(step)
	f.Add(bodies)
	for name, text := range goldens(f) {
		if len(text) < 700 && strings.HasSuffix(name, "s") {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ir.Parse("fuzz.ir", text)
		if err != nil || g.Verify(shapeinfer.Infer) != nil {
			return
		}
		requireText(t, g)
	})
}
