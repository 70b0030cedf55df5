package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/optest"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

func f32(dims ...int) types.Type { return types.Of(types.F32, dims...) }

// maker makes nodes that are well typed.
type maker struct {
	t testing.TB
	b *ir.Builder
}

func newMaker(t testing.TB) maker { return maker{t, ir.NewBuilder(shapeinfer.Infer)} }

func (m maker) param(t types.Type) *ir.Node { return m.b.Parameter(t, "", nil) }

func (m maker) op(op ir.Op, in ...*ir.Node) *ir.Node {
	n, err := m.b.Node(op, in, nil, nil)
	require.NoError(m.t, err)
	return n
}

func (m maker) node(op ir.Op, attrs []ir.Attr, in ...*ir.Node) *ir.Node {
	n, err := m.b.Node(op, in, attrs, nil)
	require.NoError(m.t, err)
	return n
}

func (m maker) graph(name string, results ...*ir.Node) *ir.Graph {
	g := &ir.Graph{Name: name}
	m.b.Capture(g, nil, results, nil)
	require.NoError(m.t, g.Verify(shapeinfer.Infer))
	return g
}

func parse(t testing.TB, text string) *ir.Graph {
	t.Helper()
	g, err := ir.Parse("test.ir", text)
	require.NoError(t, err)
	return g
}

// goldens are the graphs of testdata/ops.
func goldens(t testing.TB) map[string]string {
	texts, err := optest.Graphs("../testdata/ops")
	require.NoError(t, err)
	require.Greater(t, len(texts), 100)
	return texts
}
