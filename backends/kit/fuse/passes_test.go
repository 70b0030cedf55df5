package fuse_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/tiles"
	"ltc/internal/samples"
	"ltc/internal/test/golden"
	"ltc/internal/test/kittest"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/soa"
)

// Ops give the same as kernels, and each pass leaves what they give as it was:
// the kernels of the graph are run by their evaluator before the first pass and
// after each.
func TestPassesOfWorkloads(t *testing.T) {
	for _, file := range golden.Files(t, "../testdata/workloads/*.mlir") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".mlir"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			samePasses(t, string(text))
		})
	}
}

func TestPassesOfRandomPrograms(t *testing.T) {
	for seed := range trials.Of(100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			samePasses(t, programs.Random(rand.New(rand.NewPCG(uint64(seed), 2)), 4+seed%20))
		})
	}
}

func TestPassesOfRandomUpdates(t *testing.T) {
	for seed := range trials.Of(100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			samePasses(t, programs.Updates(rand.New(rand.NewPCG(uint64(seed), 8)), 4+seed%20))
		})
	}
}

func TestPassesOfNetworks(t *testing.T) {
	chained := 0
	for seed := range uint64(trials.Of(12)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			text := programs.Network(rand.New(rand.NewPCG(seed, 2)))
			samePasses(t, text)
			if len(kittest.Compile(t, text).Steps) > len(kittest.CompileFor(t, text, fuse.Options{Columns: few(64)}).Steps) {
				chained++
			}
		})
	}
	require.Positive(t, chained, "none is one kernel of its rows")
}

// fromTo returns a program's graph at two stages.
func fromTo(t *testing.T, text string, o fuse.Options, before, after string) string {
	t.Helper()
	_, graphs := compileGraphs(t, text, o)
	return "-- before --\n" + graphs[before] + "-- after --\n" + graphs[after]
}

// compileGraphs returns the program of a text, and its graph at each stage.
func compileGraphs(t *testing.T, text string, o fuse.Options) (p *plan.Program, graphs map[string]string) {
	t.Helper()
	l, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	graphs = map[string]string{}
	p, err = kit.Compile(t.Context(), l, kit.Options{Eval: eval.New(), Check: true, Fuse: o, Dump: func(stage string, program fmt.Stringer) {
		graphs[stage] = program.String()
	}})
	require.NoError(t, err)
	return p, graphs
}

// samePasses compares what a program gives by the evaluator with what its graph
// gives after each pass.
func samePasses(t *testing.T, text string) {
	t.Helper()
	eval := eval.New()
	exe, err := eval.Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	args := make([]soa.View, len(exe.Signature().Args))
	c := &backends.Call{}
	for i, a := range exe.Signature().Args {
		args[i], err = samples.Make(a.Type, fmt.Sprintf("rand:%d", i+1))
		require.NoError(t, err)
		own := soa.Make(a.Type) // results may take it over
		require.NoError(t, soa.Copy(own, args[i]))
		c.Args = append(c.Args, own)
	}
	require.NoError(t, exe.Execute(t.Context(), c))
	l, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	var passes []string
	last := ""
	o := fuse.Options{Packs: packsOnce, Columns: few(64), Pitch: everyRow}
	_, err = kit.Compile(t.Context(), l, kit.Options{Eval: eval, Check: true, Fuse: o, Dump: func(pass string, program fmt.Stringer) {
		g, ok := program.(*fuse.Graph)
		if !ok {
			return // the module, a region or what it becomes
		}
		passes = append(passes, pass)
		if g.String() == last {
			return // it has changed nothing
		}
		last = g.String()
		results, err := g.Evaluate(t.Context(), eval, tiles.Scalars{}, args)
		require.NoError(t, err, "%s\n%s", pass, text)
		for j, want := range c.Results {
			d, err := samples.Differ(results[j], want)
			require.NoError(t, err)
			require.LessOrEqual(t, d.Size, 1e-4, "after %s result %d differs at %v: %s, want %s\n%s", pass, j, d.At, d.Got, d.Want, text)
		}
	}})
	require.NoError(t, err)
	require.Equal(t, kit.Stages()[1:len(kit.Stages())-1], passes)
}

// The order of passes is as orders says.
func TestOrders(t *testing.T) {
	for _, o := range fuse.Orders() {
		before, after := slices.Index(kit.Stages(), o[0]), slices.Index(kit.Stages(), o[1])
		require.True(t, 0 <= before && before < after, "%s comes before %s: %s", o[0], o[1], o[2])
	}
}

// A pass that goes wrong is an error of the pass.
func TestCheckOfGraphs(t *testing.T) {
	const text = `func.func @main(%x: tensor<4xf32>, %y: tensor<4x4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.dot_general %y, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.dot_general %y, %0, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}`
	l, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	_, err = kit.Compile(t.Context(), l, kit.Options{Eval: eval.New(), Check: true, Dump: func(pass string, program fmt.Stringer) {
		if g, ok := program.(*fuse.Graph); ok && pass == "updated" {
			g.Reverse()
			require.ErrorContains(t, g.Check(), "before it is made")
		}
	}})
	require.ErrorContains(t, err, "kit: pass updated: node 0 reads v")
	require.ErrorContains(t, err, "before it is made")
}

// What is computed where it is used is kept there alone: each op of a chain takes over all
// before it, of which a long chain would have hundreds of copies until the nodes go.
func TestNodesThatAreInlinedKeepNothing(t *testing.T) {
	const n = 1000
	var text strings.Builder
	text.WriteString("func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {\n")
	for i := range n {
		fmt.Fprintf(&text, "  %%%d = stablehlo.sine %%%d : tensor<4xf32>\n", i+1, i)
	}
	fmt.Fprintf(&text, "  return %%%d : tensor<4xf32>\n}", n)
	p, err := backends.Load(t.Context(), backends.NewModule(text.String()), backends.Options{})
	require.NoError(t, err)
	var instrs func() int
	_, err = kit.Compile(t.Context(), p, kit.Options{Eval: eval.New(), Dump: func(_ string, program fmt.Stringer) {
		if g, ok := program.(*fuse.Graph); ok && instrs == nil {
			instrs = g.Instrs()
		}
	}})
	require.NoError(t, err)
	require.LessOrEqual(t, instrs(), 2*n)
}
