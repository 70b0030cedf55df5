package lazy

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
			for i, r := range trials.First(a.Runs) {
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

// notVmapped are the ops that take one example at a time, and what the error says. Examples of
// results whose size follows from data would have one each. Functions of the host say so.
var notVmapped = map[string]string{
	"host_call": "the host function test.elements takes one example at a time",
	"counted":   "cannot be vectorised", "nonzero": "no size that follows from data", "masked_select": "no size that follows from data",
	"select_rows": "no size that follows from data", "unique": "no size that follows from data",
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
	if why := notVmapped[r.Call.Op]; why != "" {
		require.ErrorContains(t, got[0].Err(), why, name)
		return
	}
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
				if why := notVmapped[a.Op]; why != "" {
					require.ErrorContains(t, err, why)
					continue
				}
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
						call.Args = append(call.Args, all.View().Parts())
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
					if want.DType().IsComplex() {
						call.Results[0] = call.Results[0].OfParts()
					}
					got, err := optest.FromView(call.Results[0])
					require.NoError(t, err)
					require.Empty(t, optest.Differs(got, w, 4), "%v, %d examples", r.Call, n)
				}
			}
		})
	}
}

// randomCase is a call of an op that looks at more than one element, with operands of one
// example.
type randomCase struct {
	name     string
	operands []types.Type
	most     int // integers lie between -2 and most
	f        func(x []*Tensor) *Tensor
}

func randomCases(rng *rand.Rand) []randomCase {
	n := func(least, most int) int { return least + rng.IntN(most-least+1) }
	f64 := func(dims ...int) types.Type { return types.Of(types.F64, dims...) }
	groups, batches := n(1, 3), 1
	if rng.IntN(3) == 0 {
		groups, batches = 1, n(1, 3)
	}
	batch, in, out := n(1, 2)*batches, n(1, 2)*groups, n(1, 2)*groups*batches
	h, w, kh, kw := n(2, 5), n(2, 5), n(1, 2), n(1, 2)
	layout := []string{"NCHW,OIHW->NCHW", "NHWC,HWIO->NHWC", "HWNC,IOHW->CNHW"}[rng.IntN(3)]
	place := func(axes string, sizes map[rune]int) types.Type {
		var all []int
		for _, a := range axes {
			all = append(all, sizes[a])
		}
		return f64(all...)
	}
	o := ConvOptions{Strides: []int{n(1, 2), n(1, 2)}, Pad: n(0, 2), Dilation: []int{1, n(1, 2)}, Base: []int{n(1, 2), 1}, Groups: groups, Batches: batches, Layout: layout}
	if o.Pad == 0 { // there is room for the window
		o.Dilation = nil
	}
	conv := randomCase{fmt.Sprintf("conv %+v", o), []types.Type{place(layout[:4], map[rune]int{'N': batch, 'C': in, 'H': h, 'W': w}), place(layout[5:9], map[rune]int{'O': out, 'I': in / groups, 'H': kh, 'W': kw})}, 0,
		func(x []*Tensor) *Tensor { return x[0].Conv(x[1], o) }}
	rows, row, indices := n(1, 4), n(0, 3), []int{n(1, 3), n(0, 3)}[:n(0, 2)]
	index := types.Of([]types.DType{types.I8, types.I32, types.U64}[rng.IntN(3)], indices...)
	table := f64(rows, row)
	along := types.Of(index.DType, n(0, 3), row)
	d0, d1, s0, s1 := n(1, 4), n(1, 4), 0, 0
	s0, s1 = n(0, d0), n(0, d1)
	start := types.Of([]types.DType{types.I8, types.I64, types.U32}[rng.IntN(3)])
	low, high, interior := n(-1, 2), n(0, 2), n(0, 2)
	m, k, c := n(0, 3), n(1, 3), n(1, 3)
	return []randomCase{
		conv,
		{"pools", []types.Type{f64(1, 2, h, w)}, 0, func(x []*Tensor) *Tensor {
			return x[0].MaxPool([]int{kh, kw}, PoolOptions{Strides: []int{1, 2}}).Mul(x[0].AvgPool([]int{kh, kw}, PoolOptions{Strides: []int{1, 2}}))
		}},
		{"gather", []types.Type{table, index}, rows + 1, func(x []*Tensor) *Tensor { return x[0].Gather(x[1]) }},
		{"scatter_add", []types.Type{table, index, f64(append(slices.Clone(indices), row)...)}, rows + 1, func(x []*Tensor) *Tensor { return x[0].ScatterAdd(x[1], x[2]) }},
		{"gather_along", []types.Type{table, along}, rows + 1, func(x []*Tensor) *Tensor { return x[0].GatherAlong(x[1], 0) }},
		{"scatter_along", []types.Type{table, along, f64(along.Shape...)}, rows + 1, func(x []*Tensor) *Tensor { return x[0].ScatterAlong(x[1], x[2], 0) }},
		{"scatter_mul_along", []types.Type{table, along, f64(along.Shape...)}, rows + 1, func(x []*Tensor) *Tensor { return x[0].ScatterMulAlong(x[1], x[2], 0) }},
		{fmt.Sprintf("dynamic_slice %d %d", s0, s1), []types.Type{f64(d0, d1), start, start}, d0 + 1, func(x []*Tensor) *Tensor { return x[0].DynamicSlice([]int{s0, s1}, x[1], x[2]) }},
		{"dynamic_update_slice", []types.Type{f64(d0, d1), f64(s0, s1), start, start}, d0 + 1, func(x []*Tensor) *Tensor { return x[0].DynamicUpdateSlice(x[1], x[2], x[3]) }},
		{"pad", []types.Type{f64(d0, d1), f64()}, 0, func(x []*Tensor) *Tensor {
			return x[0].Pad(x[1], []int{low, 0}, []int{high, 1}, []int{0, interior})
		}},
		{"products", []types.Type{f64(c, m, k), f64(k, d0)}, 0, func(x []*Tensor) *Tensor { return x[0].MatMul(x[1]) }},
		{"batches of products", []types.Type{f64(c, m, k), f64(c, k, d0)}, 0, func(x []*Tensor) *Tensor { return x[0].MatMul(x[1]) }},
		{"product of vectors", []types.Type{f64(k), f64(k, d0)}, 0, func(x []*Tensor) *Tensor { return x[0].MatMul(x[1]) }},
	}
}

// Random calls compute for all examples what they compute for each, whichever operands they differ
// in, and so do the gradients.
func TestVmapRandomOps(t *testing.T) {
	trials.Sequential(t)
	dev, err := Open("eval", CheckIndices(false))
	require.NoError(t, err)
	for seed := range trials.Soak(40, 2000) {
		rng := rand.New(rand.NewPCG(uint64(seed), 3))
		for _, c := range randomCases(rng) {
			name := fmt.Sprintf("seed %d: %s %v", seed, c.name, c.operands)
			tr, n := NewTrace(dev), 1+rng.IntN(3)
			xs, o := make([]*Tensor, len(c.operands)), VmapOptions{In: make([]int, len(c.operands))}
			each, batched := make([][]*Tensor, n), false
			for k, typ := range c.operands {
				data := make([]float64, n*typ.Elements())
				for i := range data {
					if data[i] = 4*rng.Float64() - 2; typ.DType.IsInteger() {
						data[i] = float64(rng.IntN(c.most+3) - 2)
						if !typ.DType.IsSigned() {
							data[i] = max(data[i], 0)
						}
					}
				}
				all := From(tr, data, append([]int{n}, typ.Shape...)...).Convert(typ.DType)
				xs[k] = all
				if o.In[k] = Unbatched; rng.IntN(3) > 0 || !batched && k == len(xs)-1 {
					o.In[k], batched = 0, true
				} else {
					xs[k] = all.Select(0, 0).Clone()
				}
				for e := range n {
					if each[e] = append(each[e], xs[k]); o.In[k] == 0 {
						each[e][k] = all.Select(0, e).Clone()
					}
				}
			}
			f := func(_ *Trace, xs []*Tensor) []*Tensor {
				y := c.f(xs)
				ys, loss := []*Tensor{y}, y.Mul(y).Sum()
				for _, x := range xs {
					if x.DType().IsFloat() {
						ys = append(ys, Grad(loss, x)[0])
					}
				}
				return ys
			}
			all := Vmap(f, xs, o)
			results := len(all)
			for k := range results {
				var rows []*Tensor
				for e := range n {
					rows = append(rows, f(tr, each[e])[k].Unsqueeze(0))
				}
				all = append(all, Concatenate(0, rows...))
			}
			require.NoError(t, tr.MarkStep(all...), name)
			for k := range results {
				got, err := ToSlice[float64](all[k])
				require.NoError(t, err, name)
				want, err := ToSlice[float64](all[results+k])
				require.NoError(t, err, name)
				require.Len(t, got, len(want), name)
				for i := range want {
					if math.Abs(want[i]-got[i]) > 1e-9*(1+math.Abs(want[i])) {
						require.Equal(t, want, got, "%s, axes %v, result %d", name, o.In, k)
					}
				}
			}
		}
	}
}
