package lazy

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/optest"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
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
	trials.Sequential(t)
	archives, err := optest.ReadAll(opsDir)
	require.NoError(t, err)
	const n = 3
	for _, a := range archives {
		t.Run(a.Op, func(t *testing.T) {
			for i, r := range a.Runs {
				shown, all := r.DTypes[r.Shown()], 1<<len(r.Operands)-1
				for batched := 1; batched < all; batched++ {
					vmapRun(t, r, shown, batched, n)
				}
				for _, d := range r.DTypes {
					if all > 0 && (i == 0 || d == shown) {
						vmapRun(t, r, d, all, n)
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
	var floats []int // operands with a gradient
	f := func(tr *Trace, xs []*Tensor) []*Tensor {
		y, err := apply(tr, r.Call, d, xs)
		require.NoError(t, err)
		ys := []*Tensor{y}
		if !y.DType().IsFloat() || y.err != nil {
			return ys
		}
		floats = nil
		loss := y.Mul(y).Sum()
		for k, x := range xs {
			if !x.DType().IsFloat() {
				continue
			}
			if g := Grad(loss, x)[0]; g.err == nil { // a loop has none
				ys, floats = append(ys, g), append(floats, k)
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
	for i, k := range floats { // the gradient of all examples, where it is not a sum of theirs
		if o.In[k] != Unbatched {
			got, want = append(got, Grad(got[0].Mul(got[0]).Sum(), xs[k])[0]), append(want, want[1+i])
		}
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

// Where the number of examples is open, one program computes every op for any number of them.
func TestVmapOpsOpenSizes(t *testing.T) {
	trials.Sequential(t)
	archives, err := optest.ReadAll(opsDir)
	require.NoError(t, err)
	b, err := backends.Open("eval")
	require.NoError(t, err)
	ctx := context.Background()
	for _, a := range archives {
		t.Run(a.Op, func(t *testing.T) {
			for _, r := range a.Runs {
				d := r.DTypes[r.Shown()]
				if len(r.Operands) == 0 {
					continue
				}
				dev, err := Open("eval", CheckIndices(false))
				require.NoError(t, err)
				f := Func(dev, func(tr *Trace, xs []*Tensor) []*Tensor {
					return Vmap(func(tr *Trace, xs []*Tensor) []*Tensor {
						y, err := apply(tr, r.Call, d, xs)
						require.NoError(t, err)
						return []*Tensor{y}
					}, xs, VmapOptions{})
				})
				var inputs []Input
				var operands []*optest.Tensor
				for k, o := range r.Operands {
					x, err := o.Tensor(d)
					require.NoError(t, err)
					operands = append(operands, x)
					inputs = append(inputs, Input{Name: fmt.Sprint("x", k), Type: types.Of(x.Type.DType, append([]int{Dim("batch", 1, 64)}, x.Type.Shape...)...)})
				}
				exported, err := f.Export(inputs)
				require.NoError(t, err, "%v", r.Call)
				exe, err := b.Compile(ctx, backends.NewModule(exported.Text), backends.Options{})
				require.NoError(t, err, "%v", r.Call)
				for _, n := range []int{1, 3} {
					tr := NewTrace(dev)
					call := &backends.Call{Results: make([]soa.View, 1)}
					each := make([][]*Tensor, n)
					for _, x := range operands {
						all := &optest.Tensor{Type: types.Of(x.Type.DType, append([]int{n}, x.Type.Shape...)...)}
						for e, y := range examples(x, n) {
							all.Elems = append(all.Elems, y.Elems...)
							each[e] = append(each[e], FromView(tr, y.View()))
						}
						call.Args = append(call.Args, all.View())
					}
					require.NoError(t, exe.Execute(ctx, call), "%v", r.Call)
					var rows []*Tensor
					for e := range n {
						y, err := apply(tr, r.Call, d, each[e])
						require.NoError(t, err)
						rows = append(rows, y.Unsqueeze(0))
					}
					want := Concatenate(0, rows...)
					require.NoError(t, tr.MarkStep(want))
					v, err := want.Value()
					require.NoError(t, err)
					w, err := optest.FromView(v)
					require.NoError(t, err)
					got, err := optest.FromView(call.Results[0])
					require.NoError(t, err)
					require.Empty(t, optest.Differs(got, w, 4), "%v, %d examples", r.Call, n)
				}
			}
		})
	}
}
