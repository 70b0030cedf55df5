package lazy

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/optest"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// examples returns so many examples of an operand: the first is the one given, others have its
// elements in another order, or a number another value.
func examples(x *optest.Tensor, n int) []*optest.Tensor {
	all := make([]*optest.Tensor, n)
	for e := range all {
		y := &optest.Tensor{Type: x.Type, Elems: make([]optest.Elem, len(x.Elems))}
		for i := range y.Elems {
			y.Elems[i] = x.Elems[(i+e)%len(x.Elems)]
		}
		if x.Type.Rank() == 0 && x.Type.DType != types.Bool {
			more := optest.Float(x.Elems[0].Number() + float64(e))
			if x.Elems[0].I != nil {
				more = optest.Int(x.Elems[0].I.Int64() + int64(e))
			}
			y.Elems[0] = optest.Round(x.Type.DType, more)
		}
		all[e] = y
	}
	return all
}

// Every op of the archives computes for all examples at once what it computes for one, whichever of
// its operands the examples differ in, and so do the gradients.
func TestVmapOps(t *testing.T) {
	archives, err := optest.ReadAll(opsDir)
	require.NoError(t, err)
	const n = 3
	for _, a := range archives {
		t.Run(a.Op, func(t *testing.T) {
			for i, r := range a.Runs {
				dtypes := r.DTypes
				if trials.Few() || i > 0 {
					dtypes = dtypes[r.Shown():][:1]
				}
				for _, d := range dtypes {
					for batched := 1; batched < 1<<len(r.Operands); batched++ {
						vmapRun(t, r, d, batched, n)
					}
				}
			}
		})
	}
}

// vmapRun compares a call for all examples with one for each. Operand k has examples if bit k
// of batched is set.
func vmapRun(t *testing.T, r *optest.Run, d types.DType, batched, n int) {
	t.Helper()
	rec := newRecording(t)
	tr := rec.tr
	each := make([][]*Tensor, n) // by example: the operands
	xs, o := make([]*Tensor, len(r.Operands)), VmapOptions{In: make([]int, len(r.Operands))}
	for k, operand := range r.Operands {
		x, err := operand.Tensor(d)
		require.NoError(t, err)
		var rows []*Tensor
		for e, y := range examples(x, n) {
			if batched>>k&1 == 0 {
				y = x
			}
			value := rec.arg(y.View())
			each[e], rows = append(each[e], value), append(rows, value.Unsqueeze(0))
		}
		if xs[k] = Concatenate(0, rows...); batched>>k&1 == 0 {
			xs[k], o.In[k] = each[0][k], Unbatched
		}
	}
	f := func(tr *Trace, xs []*Tensor) []*Tensor {
		y, err := apply(tr, r.Call, d, xs)
		require.NoError(t, err)
		ys := []*Tensor{y}
		if !y.DType().IsFloat() || y.err != nil {
			return ys
		}
		loss := y.Mul(y).Sum()
		for _, x := range xs {
			if !x.DType().IsFloat() {
				continue
			}
			if g := Grad(loss, x)[0]; g.err == nil { // a loop has none
				ys = append(ys, g)
			}
		}
		return ys
	}
	name := fmt.Sprintf("%v, %v, operands %b", r.Call, d, batched)
	got := Vmap(f, xs, o)
	var want []*Tensor
	for k := range got {
		require.NoError(t, got[k].Err(), name)
		var rows []*Tensor
		for e := range n {
			rows = append(rows, f(tr, each[e])[k].Unsqueeze(0))
		}
		want = append(want, Concatenate(0, rows...))
	}
	require.NoError(t, tr.MarkStep(append(got, want...)...), name)
	for k := range got {
		var ts [2]*optest.Tensor
		for i, y := range []*Tensor{got[k], want[k]} {
			v, err := y.Value()
			require.NoError(t, err, name)
			ts[i], err = optest.FromView(v)
			require.NoError(t, err, name)
		}
		require.Empty(t, optest.Differs(ts[0], ts[1], 4), "%s, result %d", name, k)
	}
}
