package lazy

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/optest"
	"ltc/ir/ops"
	"ltc/ir/types"
)

// The in-place variant of every row that has one assigns what the op gives to
// the variable, whose value is that after the step, and only that.
func TestInPlace(t *testing.T) {
	dev, err := Open("eval")
	require.NoError(t, err)
	for i := range ops.Table {
		row := &ops.Table[i]
		if !row.Traits.Has(ops.InPlace) {
			continue
		}
		require.GreaterOrEqual(t, len(row.Operands), 2, "%s: a variable alone does not say in which trace", row.Name)
		d := F32
		if !row.Operands[0].Is.Allows(d) {
			d = I32
		}
		arg := func(texts ...string) *optest.Tensor {
			o := optest.Operand{Name: "x", Shape: types.Shape{3}, Texts: texts}
			return must(o.Tensor(d))
		}
		tr := NewTrace(dev)
		v := dev.Variable("v", d, 3)
		v.v.set(arg("1", "2", "3").View(), 0)
		operands := []*optest.Tensor{arg("1", "2", "3"), arg("2", "1", "3")}[:len(row.Operands)]
		var args []reflect.Value
		for _, o := range operands[1:] {
			args = append(args, reflect.ValueOf(FromView(tr, o.View())))
		}
		m := reflect.ValueOf(v).MethodByName(row.Name + "_")
		require.True(t, m.IsValid(), "there is no method %s_", row.Name)
		require.Same(t, v, m.Call(args)[0].Interface(), "%s_ returns its receiver", row.Name)
		require.NoError(t, tr.MarkStep())
		view, err := v.Value()
		require.NoError(t, err)
		got, err := optest.FromView(view)
		require.NoError(t, err)
		want, known, err := optest.Naive(optest.Call{Op: row.Mnemonic()}, d, operands)
		require.NoError(t, err)
		require.True(t, known)
		require.Empty(t, optest.Differs(got, want, 2), "%s_", row.Name)
	}
}

func TestInPlaceOfOthersThanVariables(t *testing.T) {
	tr := evalTrace(t)
	x := From(tr, []float32{1, 2})
	for _, y := range []*Tensor{x.Mul_(x), x.Exp().Add_(x)} {
		require.ErrorIs(t, y.Err(), ErrUsage)
		require.ErrorContains(t, y.Err(), "only a variable can be assigned")
	}
	require.ErrorContains(t, tr.MarkStep(), "only a variable can be assigned", "for who does not look at the result")
	dev := tr.Device()
	v := dev.Variable("v", F32, 2)
	require.Same(t, v, v.Add_(From(tr, []float32{1, 2, 3})))
	require.ErrorContains(t, tr.MarkStep(), "add_shapes")
	require.Same(t, v, v.Assign(From(tr, []float32{1, 2, 3})))
	require.ErrorContains(t, tr.MarkStep(), `variable "v" is f32[2] and cannot hold f32[3]`)
	require.NoError(t, tr.MarkStep(v.Add(x)), "the variable is as before")
}
