package ir_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/internal/callsite"
	"ltc/internal/test/golden"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

func TestGoldensRoundTrip(t *testing.T) {
	for name, text := range goldens(t) {
		g := parse(t, text)
		require.Equal(t, text, g.String(), name)
		require.NoError(t, g.Verify(shapeinfer.Infer), name)
		c := g.Clone()
		require.Equal(t, text, c.String(), name)
		require.True(t, ir.Equal(g, c), name)
		require.NoError(t, c.Verify(shapeinfer.Infer), name)
	}
}

// What the goldens of ops do not have: locations, names with quotes, aliases,
// attributes of composites, literals of every kind.
const everything = `graph "ltc.double \"quoted\"" @0 {
  %0 = parameter {index = 0, name = ""} : f32[2]
  %1 = add %0, %0 : f32[2] loc("encoder.0/layer.1"("body.go":3))
  return %1
}
graph "outer" @1 {
  %0 = parameter {index = 0, name = ""} : f32[2]
  %1 = composite %0 @0 "ltc.double" {n = -3, eps = 1e-05, whole = 2.0} : f32[2]
  return %1
}
graph "both" @2 {
  %0 = parameter {index = 0, name = ""} : f32[2]
  %1 = parameter {index = 1, name = ""} : i64[2]
  %2 = sort %0 {axis = 0, descending = false} : (f32[2], i64[2])
  %3 = result %2 {index = 0} : f32[2]
  return %1, %3
}
graph "all\tthings" {
  %0 = parameter {index = 0, name = "w \u00e9"} : f32[2] loc("a b.go":1)
  %1 = parameter {index = 1, name = ""} : bool[]
  %2 = composite %0 @1 "test.outer" : f32[2] loc("train.go":41)
  %3 = composite %2 @0 "ltc.double" {n = 1} : f32[2]
  %4 = constant {dtype = f32, value = 0x7fc00001} : f32[]
  %5 = constant {dtype = f64, value = -Inf} : f64[]
  %6 = constant {dtype = bool, value = true} : bool[]
  %7 = constant {dtype = u64, value = 18446744073709551615} : u64[]
  %8 = constant {dtype = i64, value = -9223372036854775808} : i64[]
  %9 = constant {dtype = bf16, value = 1e-40} : bf16[]
  %10 = iota {dtype = f16, shape = [2, 0], axis = 1} : f16[2,0]
  %11 = and %1, %6 : bool[]
  %12 = sort %0 {axis = 0, descending = true} : (f32[2], i64[2])
  %13 = result %12 {index = 1} : i64[2]
  %14 = composite %0, %13 @2 "test.both" : (i64[2], f32[2]) loc("train.go":42)
  %15 = result %14 {index = 0} : i64[2]
  return %3 alias 0, %4, %5, %7, %8, %9, %10, %11 alias 1, %15
}
`

func TestTextHasEverything(t *testing.T) {
	g := parse(t, everything)
	require.NoError(t, g.Verify(shapeinfer.Infer))
	printed := g.String()
	// The small number is rounded to bf16 and é printed as itself; nothing else
	// changes.
	want := strings.NewReplacer("1e-40", ir.FormatLiteral(types.BF16, uint64(types.ToBFloat16(1e-40))), `\u00e9`, "é").Replace(everything)
	require.Empty(t, cmp.Diff(want, printed))
	require.Equal(t, printed, parse(t, printed).String())
	file, line := g.Nodes[2].Loc.Position()
	require.Equal(t, "train.go:41", callsite.At(file, line).String())
	require.Equal(t, []int{0, -1, -1, -1, -1, -1, -1, 1, -1}, g.Alias)
	require.Equal(t, "w é", g.Params[0].ParamName())
}

func TestEmptyGraphRoundTrips(t *testing.T) {
	const text = "graph \"\" {\n  return\n}\n"
	require.Equal(t, text, parse(t, text).String())
}

// testdata/errors.txtar has texts and the errors that reading or verifying them
// gives.
func TestErrors(t *testing.T) {
	golden.Archive(t, "testdata/errors.txtar", ".ir", func(t *testing.T, in txtar.File) []golden.Part {
		g, err := ir.Parse(in.Name, string(in.Data))
		if err == nil {
			err = g.Verify(shapeinfer.Infer)
		}
		require.Error(t, err)
		return []golden.Part{{Ext: "error", Text: err.Error()}}
	})
}

func TestParseWantsUTF8(t *testing.T) {
	_, err := ir.Parse("x.ir", "graph \"\xff\" {\n  return\n}\n")
	require.ErrorContains(t, err, "x.ir:1:1: error: the text is not UTF-8")
}

func FuzzParse(f *testing.F) {
	f.Add(everything)
	for name, text := range goldens(f) {
		if len(text) < 1500 && strings.HasSuffix(name, "s") {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ir.Parse("fuzz.ir", text)
		if err != nil {
			return
		}
		printed := g.String()
		back, err := ir.Parse("printed.ir", printed)
		require.NoError(t, err, "%q", printed)
		require.Equal(t, printed, back.String())
		require.True(t, ir.Equal(g, back))
		valid := g.Verify(shapeinfer.Infer)
		require.Equal(t, valid == nil, back.Verify(shapeinfer.Infer) == nil)
	})
}
