package lower

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/optest"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/shapeinfer"
)

// The text is that of the program, not of the order that its nodes stand in.
func TestOrderOfNodesDoesNotShow(t *testing.T) {
	archives, err := optest.ReadAll("../testdata/ops")
	require.NoError(t, err)
	for _, a := range archives {
		for i, r := range a.Runs {
			g, err := ir.Parse("test.ir", a.IR[i])
			require.NoError(t, err)
			for seed := range uint64(3) {
				require.NoError(t, check(g, Text(g, true), seed), "%s/%s", a.Op, r.Name)
			}
		}
	}
}

const independent = `graph "g" {
  %0 = parameter {index = 0, name = "x"} : f32[2] loc("a.go":1)
  %1 = sin %0 : f32[2] loc("a.go":2)
  %2 = cos %0 : f32[2] loc("a.go":3)
  %3 = mul %1, %2 : f32[2] loc("a.go":4)
  return %3
}
`

// A lowering that looks at where a node stands is found, and the seed named.
func TestCheckFindsDependenceOnOrder(t *testing.T) {
	g, err := ir.Parse("test.ir", independent)
	require.NoError(t, err)
	old := lowerings[ir.OpCos]
	defer func() { lowerings[ir.OpCos] = old }()
	lowerings[ir.OpCos] = func(l *lowerer, n *ir.Node) *mlir.Value {
		v := old(l, n)
		l.loc = mlir.FileLoc{File: "id", Line: int(n.ID)}
		v.Def.Loc = l.loc
		return v
	}
	text, found := Text(g, true), 0
	for seed := range uint64(20) {
		if err := check(g, text, seed); err != nil {
			found++
			require.ErrorContains(t, err, fmt.Sprintf("(seed %d)", seed))
			require.ErrorContains(t, err, `from line 11 on: "#loc2 = loc(\"id\":1:0)", not "#loc2 = loc(\"id\":2:0)"`)
		}
	}
	require.Greater(t, found, 3)
	require.Less(t, found, 17)
}

func TestCheckComparesTheText(t *testing.T) {
	g, err := ir.Parse("test.ir", independent)
	require.NoError(t, err)
	text := Text(g, true)
	require.NoError(t, Check(g, text))
	for _, other := range []string{"", text + "x", strings.Replace(text, "cosine", "sine", 1)} {
		require.ErrorContains(t, Check(g, other), "the nodes in another order")
	}
}

// calls is a program of n calls of n bodies of one name.
func calls(t *testing.T, n int) *ir.Graph {
	b := ir.NewBuilder(shapeinfer.Infer)
	var results []*ir.Node
	for i := range n {
		typ := types.Of(types.F32, i)
		body := &ir.Graph{Name: "ltc.x"}
		inner := ir.NewBuilder(shapeinfer.Infer)
		neg, err := inner.Node(ir.OpNeg, []*ir.Node{inner.Parameter(typ, "", nil)}, nil, nil)
		require.NoError(t, err)
		inner.Capture(body, nil, []*ir.Node{neg}, nil)
		call, err := b.Node(ir.OpComposite, []*ir.Node{b.Parameter(typ, "", nil)}, nil, &ir.Composite{Name: "ltc.x", Graph: body})
		require.NoError(t, err)
		results = append(results, call)
	}
	g := &ir.Graph{Name: "g"}
	b.Capture(g, nil, results, nil)
	return g
}

// The hundredth body of a name does not try the ninety-nine names before.
func TestNamesOfManyBodies(t *testing.T) {
	work := func(n int) float64 {
		g := calls(t, n)
		require.Len(t, Module(g).Ops, n+1)
		return testing.AllocsPerRun(1, func() { Module(g) })
	}
	require.Less(t, work(2000), 4.4*work(500))
}
