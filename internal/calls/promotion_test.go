package calls_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/calls"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
)

// Every row that converts its operands gives what it gives of operands that the program
// converts, of each pair of dtypes.
func TestRowsConvertTheirOperands(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	pairs := [][2]types.DType{{lazy.I32, lazy.F32}, {lazy.F16, lazy.F64}, {lazy.Bool, lazy.I64}, {lazy.U8, lazy.I8}, {lazy.BF16, lazy.F16}, {lazy.I64, lazy.I64}, {lazy.Bool, lazy.Bool}}
	rows, same := 0, 0
	for _, o := range calls.All() {
		if o.ByHand || !o.Traits.Converts() {
			continue
		}
		rows++
		tried := same
		for _, pair := range pairs {
			tr := lazy.NewTrace(dev)
			mixed, converted := &calls.Call{Trace: tr, Values: someValues(o.Op)}, &calls.Call{Trace: tr, Values: someValues(o.Op)}
			first := 0
			for i, p := range o.Operands {
				d := pair[(i+first)%2]
				if p.Is == ops.Bool {
					d, first = lazy.Bool, 1
				}
				mixed.X = append(mixed.X, lazy.From(tr, []float64{1, 2, 3, 0}).Convert(d))
			}
			for i, x := range mixed.X {
				converted.X = append(converted.X, x.Convert(convertedTo(o.Op, mixed.X, i)))
			}
			want, err := o.Record(converted)
			if err != nil {
				_, mixedErr := o.Record(mixed)
				require.Error(t, mixedErr, "%s of %v: %v", o.GoName(), pair, err)
				continue
			}
			got, err := o.Record(mixed)
			require.NoError(t, err, "%s of %v", o.GoName(), pair)
			for i := range want {
				require.Equal(t, want[i].Type(), got[i].Type(), "%s of %v", o.GoName(), pair)
				w, err := lazy.ToSlice[float64](want[i].Convert(lazy.F64))
				require.NoError(t, err)
				g, err := lazy.ToSlice[float64](got[i].Convert(lazy.F64))
				require.NoError(t, err)
				for k := range w {
					require.True(t, g[k] == w[k] || g[k] != g[k] && w[k] != w[k], "%s of %v: %v, want %v", o.GoName(), pair, g, w)
				}
			}
			same++
		}
		require.Greater(t, same, tried, "%s takes no pair", o.GoName())
	}
	require.Greater(t, rows, 70)
}

// convertedTo is the dtype that operand i is to be converted to.
func convertedTo(o *ops.Op, xs []*lazy.Tensor, i int) types.DType {
	leader := func(i int) string {
		if p := o.Operands[i]; p.Like != "" {
			return p.Like
		}
		return o.Operands[i].Name
	}
	var group []*lazy.Tensor
	for k := range xs {
		if leader(k) == leader(i) {
			group = append(group, xs[k])
		}
	}
	d := lazy.CommonDType(group...)
	switch is := o.Operands[i].Is; {
	case d.IsFloat() || is != ops.Float && is != ops.Number:
	case o.Traits.Has(ops.Floating):
		return lazy.F32
	case o.Traits.Has(ops.Widening):
		return lazy.I64
	}
	return d
}

// someValues are attributes that most ops take.
func someValues(o *ops.Op) calls.Values {
	v := calls.Values{}
	for _, a := range o.Attrs {
		switch a.Kind {
		case ops.Real:
			v[a.Name] = 0.5
		case ops.Int:
			v[a.Name] = 1
		case ops.Axis:
			v[a.Name] = 0
		}
	}
	return v
}
