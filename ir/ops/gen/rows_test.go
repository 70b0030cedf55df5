package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/overlay"
	"ltc/ir/ops"
)

// A row that the generator has no methods for is an error with its place, and says what
// to write in it.
func TestMistakesInRows(t *testing.T) {
	require.NoError(t, checkRows(root, ops.Table, ops.Composites, ops.Packages))
	x := []ops.Operand{{Name: "x", Is: ops.Float}}
	for name, c := range map[string]struct {
		primitive bool
		row       ops.Op
		want      string
	}{
		"real":    {false, ops.Op{Attrs: []ops.Attr{{Name: "beta", Kind: ops.Real}}}, `attribute beta is of the kind Real, whose check needs words: add Where: []Demand{{"beta", "beta is finite"}}`},
		"axis":    {false, ops.Op{Attrs: []ops.Attr{{Name: "axis", Kind: ops.Axis}}, Where: []ops.Demand{{Name: "axsi"}}}, `add Where: []Demand{{"axis", "axis is one of those of x"}}`},
		"axes":    {false, ops.Op{Attrs: []ops.Attr{{Name: "axes", Kind: ops.Axes}}}, `attribute axes is of the kind Axes, whose check needs words: add Where: []Demand{{"axes", "axes are some of those of x"}}`},
		"word":    {false, ops.Op{Attrs: []ops.Attr{{Name: "mode", Kind: ops.String}}}, "attribute mode is of the kind word, which cannot be an argument of the method of a composite: use Int,"},
		"several": {false, ops.Op{Results: []string{"a", "b"}, Traits: ops.InPlace}, "remove them from Traits"},
		"number":  {true, ops.Op{Attrs: []ops.Attr{{Name: "beta", Kind: ops.Real}}}, "attribute beta is of the kind Real, which only composites have: move the row to ir/ops/composites.go"},
		"dialect": {true, ops.Op{HLO: "math.sinh"}, `HLO is "math.sinh", but has the name of an op of StableHLO without its prefix`},
		"nothing": {true, ops.Op{}, "it has no lowering: name the op of StableHLO in HLO, or add OwnLowering to Traits"},
		"family":  {false, ops.Op{}, "it has no Family"},
		"orphan":  {true, ops.Op{}, "it has no Family"},
		"unknown": {true, ops.Op{Family: "Others"}, `its Family "Others" is not in ops.Families`},
		"literal": {true, ops.Op{Attrs: []ops.Attr{{Name: "value", Kind: ops.Literal}}}, "add Internal to Traits"},
	} {
		c.row.Operands = x
		var err error
		if c.row.Name = "Softmax"; c.primitive {
			c.row.Name = "Floor"
			err = checkRows(root, []ops.Op{c.row}, nil, nil)
		} else {
			err = checkRows(root, nil, []ops.Op{c.row}, nil)
		}
		require.ErrorContains(t, err, c.want, name)
		file := map[bool]string{true: tableFile, false: compositesFile}[c.primitive]
		require.ErrorContains(t, err, fmt.Sprintf("%s:%d: row %s: ", file, lineOf(t, file, c.row.Name), c.row.Name), name)
	}
}

// A row of a package of functions has the mistakes of composites and a few more.
func TestMistakesInFunctions(t *testing.T) {
	for want, o := range map[string]ops.Op{
		"a function can have the traits OwnGradient, Inline, InPlace, Internal, Promotes, Floating, Loops, AutocastNarrow and AutocastWide alone": {Traits: ops.View},
		"attribute axes is of the kind axes, which only inline composites have: add Inline to Traits":                                             {Attrs: []ops.Attr{{Name: "axes", Kind: ops.Axes}}},
		`attribute beta is of the kind Real, whose check needs words: add Where: []Demand{{"beta", "beta`:                                         {Attrs: []ops.Attr{{Name: "beta", Kind: ops.Real}}},
	} {
		o.Name, o.Operands = "SiLU", []ops.Operand{{Name: "x", Is: ops.Float}}
		err := checkRows(root, nil, nil, []ops.Package{{Name: "nn", Rows: []ops.Op{o}}})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, fmt.Sprintf("ir/ops/nn.go:%d: row SiLU: ", lineOf(t, "ir/ops/nn.go", "SiLU")))
	}
}

func lineOf(t *testing.T, file, name string) int {
	text, err := os.ReadFile(root + "/" + file)
	require.NoError(t, err)
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, fmt.Sprintf("\t{Name: %q,", name)) {
			return i + 1
		}
	}
	t.Fatalf("%s has no row %s", file, name)
	return 0
}

// The generator ends with these errors, and without a trace of goroutines.
func TestGeneratorSaysWhatARowLacks(t *testing.T) {
	o := overlay.New(t)
	o.Insert("ir/ops/composites.go", `	{Name: "Softmax",`, `	{Name: "Swish", Family: Activations, Doc: "returns x sigmoid(beta x) elementwise.", Operands: one(Float), Attrs: []Attr{{"beta", Real}}},`)
	out, err := o.Go("run", "./ir/ops/gen", "-root", t.TempDir())
	require.Error(t, err)
	require.Contains(t, out, `gen: ir/ops/composites.go`)
	require.Contains(t, out, `row Swish: attribute beta is of the kind Real, whose check needs words: add Where: []Demand{{"beta", "beta is finite"}}`)
	require.NotContains(t, out, "goroutine")
}
