package lazy

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/optest"
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
		v.v.set(arg("1", "2", "3").View(), false, 0)
		operands := []*optest.Tensor{arg("1", "2", "3"), arg("2", "1", "3")}[:len(row.Operands)]
		var args []reflect.Value
		for _, o := range operands[1:] {
			args = append(args, reflect.ValueOf(FromView(tr, o.View())))
		}
		written := v
		if len(operands) == 1 {
			written = tr.View(v) // a variable alone does not say in which trace
		}
		m := reflect.ValueOf(written).MethodByName(row.Name + "_")
		require.True(t, m.IsValid(), "there is no method %s_", row.Name)
		require.Same(t, written, m.Call(args)[0].Interface(), "%s_ returns its receiver", row.Name)
		require.NoError(t, tr.MarkStep())
		view, err := v.Value()
		require.NoError(t, err)
		got, err := optest.FromView(view)
		require.NoError(t, err)
		want, known, err := optest.Naive(optest.Call{Op: row.Mnemonic()}, d, operands)
		require.NoError(t, err)
		require.True(t, known, "no function computes %s from its definition: add one to internal/test/optest/elementwise.go", row.Mnemonic())
		require.Empty(t, optest.Differs(got, want, 2), "%s_", row.Name)
	}
}

// The in-place variant of every composite that has one writes what the composite gives.
func TestInPlaceComposites(t *testing.T) {
	tr := evalTrace(t)
	for i := range ops.Composites {
		row := &ops.Composites[i]
		if !row.Traits.Has(ops.InPlace) {
			continue
		}
		x := From(tr, []float32{1, 2, 4})
		written := From(tr, []float32{1, 2, 4})
		var args []reflect.Value
		for _, o := range row.Operands[1:] {
			of := x
			if o.Is == ops.Integer {
				of = From(tr, []int32{2, 0, 2})
			}
			args = append(args, reflect.ValueOf(of))
		}
		for _, a := range row.Attrs {
			switch a.Kind {
			case ops.Axis:
				args = append(args, reflect.ValueOf(0))
			case ops.Real:
				args = append(args, reflect.ValueOf(0.5))
			case ops.Int: // of matrices
				args = append(args, reflect.ValueOf(0))
				x, written = From(tr, []float32{1, 2, 4}, 1, 3), From(tr, []float32{1, 2, 4}, 1, 3)
			default:
				t.Fatalf("%s: no value of kind %v", row.Name, a.Kind)
			}
		}
		want := reflect.ValueOf(x).MethodByName(row.Name).Call(args)[0].Interface().(*Tensor)
		got := reflect.ValueOf(written).MethodByName(row.Name + "_").Call(args)[0].Interface().(*Tensor)
		require.Same(t, written, got, "%s_ returns its receiver", row.Name)
		require.NoError(t, tr.MarkStep(want, got))
		require.Equal(t, must(ToSlice[float32](want)), must(ToSlice[float32](got)), "%s_", row.Name)
	}
}

func TestInPlaceOfOthersThanVariables(t *testing.T) {
	tr := evalTrace(t)
	x := From(tr, []float32{1, 2})
	y := x.AddScalar(1)
	require.Same(t, y, y.Mul_(x), "a result")
	require.Same(t, x, x.Exp_().Log_().Mul_(y), "host data")
	require.NoError(t, tr.MarkStep(y))
	require.InDeltaSlice(t, []float32{2, 6}, must(ToSlice[float32](y)), 1e-6)
	require.InDeltaSlice(t, []float32{2, 12}, must(ToSlice[float32](x)), 1e-5)
	x = From(tr, []float32{1, 2})
	dev := tr.Device()
	v := dev.Variable("v", F32, 2)
	require.Same(t, v, v.Add_(From(tr, []float32{1, 2, 3})))
	require.ErrorContains(t, tr.MarkStep(), "add_shapes")
	require.Same(t, v, v.Assign(From(tr, []float32{1, 2, 3})))
	require.ErrorContains(t, tr.MarkStep(), `variable "v" is f32[2] and cannot hold f32[3]`)
	require.NoError(t, tr.MarkStep(v.Add(x)), "the variable is as before")
}
