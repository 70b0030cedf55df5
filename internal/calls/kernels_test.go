package calls_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/plan"
	"ltc/backends/reference"
	"ltc/backends/reference/eval"
	"ltc/internal/calls"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// elementwiseAttrs are the values of the attributes of composites of elements.
var elementwiseAttrs = map[ops.AttrKind]any{ops.Int: 2, ops.Real: 0.5, ops.Extended: 2.0, ops.Flag: true}

// Each composite row that computes every element of its result from those at its place, of
// whatever package, is one kernel, for each dtype that it takes; none where it returns x itself. Rows
// with the trait Loops have a loop instead.
func TestElementwiseCompositesAreOneKernel(t *testing.T) {
	tr := lazy.NewTrace(open(t))
	tried := map[string]bool{}
	for _, o := range calls.All() {
		if !o.Composite || o.GoName() == "nn.LocalResponseNorm" || slices.ContainsFunc(o.Attrs, func(a ops.Attr) bool { return elementwiseAttrs[a.Kind] == nil }) {
			continue
		}
		for _, d := range []types.DType{types.F32, types.F16, types.I32, types.Bool, types.C64} {
			y := ofElements(tr, o, d)
			if y == nil {
				continue
			}
			tried[o.GoName()] = true
			text, err := tr.Dump(lazy.FormatStableHLO, y)
			require.NoError(t, err)
			if o.Traits.Has(ops.Loops) {
				require.Contains(t, text, "stablehlo.while", o.GoName())
				continue
			}
			p := planned(t, text)
			if len(p.Steps) > 1 || slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Launch() == nil }) {
				t.Errorf("%s of %v is not one kernel:\n%v", o.GoName(), d, p)
			}
		}
	}
	for _, o := range calls.All() {
		if o.Composite && o.Traits.Has(ops.Elementwise) {
			require.True(t, tried[o.GoName()], "%s takes none of the dtypes that were tried", o.GoName())
		}
	}
}

// ofElements records the composite of matrices of a dtype; nil if it does not take them, or
// has another shape.
func ofElements(tr *lazy.Trace, o *calls.Op, d types.DType) *lazy.Tensor {
	c := &calls.Call{Trace: tr, Values: calls.Values{}}
	for _, p := range o.Operands {
		of := d
		switch {
		case p.Optional:
			continue
		case p.Is == ops.Bool:
			of = types.Bool
		}
		c.X = append(c.X, lazy.FromView(tr, soa.Make(types.Of(of, 5, 7))))
	}
	for _, a := range o.Attrs {
		c.Values[a.Name] = elementwiseAttrs[a.Kind]
	}
	ys, err := o.Record(c)
	if err != nil || len(ys) != 1 || !slices.Equal(ys[0].Shape(), types.Shape{5, 7}) {
		return nil
	}
	return ys[0]
}

// planned returns what a text becomes on the backend cpu, before there is code.
func planned(t *testing.T, text string) *plan.Program {
	p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err, text)
	r, err := kit.Compile(t.Context(), p, kit.Options{Eval: eval.New(), Claim: reference.Claim})
	require.NoError(t, err, text)
	return r
}
