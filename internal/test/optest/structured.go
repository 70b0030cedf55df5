package optest

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// naiveOps are the ops that are not elementwise, and the composites.
var naiveOps map[string]naive

func init() {
	naiveOps = map[string]naive{
		"parameter":          func(_ Call, _ types.DType, args []*Tensor) (*Tensor, error) { return clone(args[0]), nil },
		"composite":          func(_ Call, _ types.DType, args []*Tensor) (*Tensor, error) { return doubled(args[0]), nil },
		"constant":           naiveConstant,
		"iota":               naiveIota,
		"broadcast":          naiveBroadcast,
		"reshape":            naiveReshape,
		"transpose":          naiveTranspose,
		"slice":              naiveSlice,
		"concatenate":        naiveConcatenate,
		"slice_scatter":      naiveSliceScatter,
		"as_strided":         naiveAsStrided,
		"as_strided_scatter": naiveAsStridedScatter,
		"select":             naiveSelect,
		"narrow":             naiveNarrow,
		"diagonal":           naiveDiagonal,
		"pad":                naivePad,
		"reverse":            naiveReverse,
		"conv":               naiveConv,
		"max_pool":           pooling(extremeOf("maximum")),
		"max_pool_grad":      naiveMaxPoolGrad,
		"sum_pool":           pooling(sum),
		"sum":                reduction(sum),
		"prod":               reduction(prod),
		"linear_scan":        naiveLinearScan,
		"max":                extreme("maximum"),
		"min":                extreme("minimum"),
		"mean": reduction(func(all []Elem) Elem {
			return Float(sum(all).F / float64(len(all)))
		}),
		"argmax":  naiveArgMax,
		"argsort": naiveArgSort,
		"sort":    naiveSort,
		"case": func(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
			i, err := c.ResultIndex()
			if args[0].Elems[0].Number() == 0 {
				i = 1 - i
			}
			return clone(args[1+i]), err
		},
		"while": func(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
			i, err := c.ResultIndex()
			if iterations := args[3].Elems[0].Number() - args[2].Elems[0].Number(); iterations > 0 && int(iterations)%2 == 1 {
				i = 1 - i
			}
			return clone(args[i]), err
		},
		"host_call":            func(_ Call, _ types.DType, args []*Tensor) (*Tensor, error) { return hostElements(args[0]), nil },
		"barrier":              func(_ Call, _ types.DType, args []*Tensor) (*Tensor, error) { return clone(args[0]), nil },
		"stop":                 func(_ Call, _ types.DType, args []*Tensor) (*Tensor, error) { return clone(args[0]), nil },
		"scan":                 naiveScan,
		"dynamic_slice":        naiveDynamicSlice,
		"dynamic_update_slice": naiveDynamicUpdateSlice,
		"top_k":                naiveTopK,
		"matmul":               naiveMatMul,
		"cholesky":             naiveCholesky,
		"triangular_solve":     naiveTriangularSolve,
		"gather":               naiveGather,
		"scatter":              naiveScatter,
		"index_select":         naiveIndexSelect,
		"index_add":            indexed("add"),
		"index_copy":           indexed("set"),
		"gather_along":         naiveGatherAlong,
		"scatter_along":        along("set"),
		"scatter_add_along":    along("add"),
		"scatter_mul_along":    along("mul"),
		"scatter_min_along":    along("minimum"),
		"scatter_max_along":    along("maximum"),
		"scatter_add":          naiveScatterAdd,
		"softmax":              alongAxis(func(x, total float64) float64 { return math.Exp(x) / total }),
		"log_softmax":          alongAxis(func(x, total float64) float64 { return x - math.Log(total) }),
		"cross_entropy":        naiveCrossEntropy,
		"layer_norm":           naiveLayerNorm,
		"attention":            naiveAttention,
		"one_hot":              naiveOneHot,
		"philox4x32":           naivePhilox,
		"normal":               naiveNormal,
		"gumbel":               naiveGumbel,
		"dropout":              naiveDropout,
	}
}

func clone(t *Tensor) *Tensor { return &Tensor{Type: t.Type, Elems: slices.Clone(t.Elems)} }

// hostElements is the host function that the archive calls.
func hostElements(t *Tensor) *Tensor {
	return build(types.F32, nil, func([]int) Elem { return Float(float64(t.Type.Elements())) })
}

func doubled(t *Tensor) *Tensor {
	return build(t.Type.DType, t.Type.Shape, func(i []int) Elem { return Float(2 * t.get(i...).F) })
}

func naiveConstant(c Call, d types.DType, _ []*Tensor) (*Tensor, error) {
	d = dtypeAttr(c, d)
	e, err := ParseElem(d, c.Attr("value", d))
	return &Tensor{Type: types.Of(d), Elems: []Elem{e}}, err
}

func naiveIota(c Call, d types.DType, _ []*Tensor) (*Tensor, error) {
	shape, err := c.IntsAttr("shape")
	if err != nil {
		return nil, err
	}
	axis, err := c.IntAttr("axis")
	d = dtypeAttr(c, d)
	return build(d, shape, func(i []int) Elem { return converted(d, Int(int64(i[axis]))) }), err
}

func naiveBroadcast(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x := args[0]
	shape, err := c.IntsAttr("shape")
	if err != nil {
		return nil, err
	}
	axes, err := c.IntsAttr("axes")
	return build(x.Type.DType, shape, func(i []int) Elem {
		return x.at(func(a int) int { return min(i[axes[a]], x.Type.Shape[a]-1) })
	}), err
}

func naiveReshape(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x := clone(args[0])
	dims, err := c.IntsAttr("dims")
	for i, d := range dims {
		if d == -1 {
			dims[i] = -x.Type.Elements() / types.Shape(dims).Elements()
		}
	}
	x.Type.Shape = dims
	return x, err
}

func naiveTranspose(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x, rank := args[0], args[0].Type.Rank()
	perm, err := c.IntsAttr("perm")
	if len(perm) == 0 {
		for a := range rank {
			perm = append(perm, rank-1-a)
		}
	}
	shape := make([]int, rank)
	for i, p := range perm {
		perm[i] = (p + rank) % rank
		shape[i] = x.Type.Shape[perm[i]]
	}
	return build(x.Type.DType, shape, func(i []int) Elem {
		return x.at(func(a int) int { return i[slices.Index(perm, a)] })
	}), err
}

func naiveSlice(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	starts, err := c.IntsAttr("starts")
	if err != nil {
		return nil, err
	}
	limits, err := c.IntsAttr("limits")
	if err != nil {
		return nil, err
	}
	strides, err := c.IntsAttr("strides")
	shape := make([]int, len(starts))
	for a := range shape {
		for i := starts[a]; i < limits[a]; i += strides[a] {
			shape[a]++
		}
	}
	return build(args[0].Type.DType, shape, func(i []int) Elem {
		return args[0].at(func(a int) int { return starts[a] + i[a]*strides[a] })
	}), err
}

func naiveConcatenate(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	shape := slices.Clone(args[0].Type.Shape)
	axis, err := axisAttr(c, "axis", len(shape))
	for _, x := range args[1:] {
		shape[axis] += x.Type.Shape[axis]
	}
	return build(args[0].Type.DType, shape, func(i []int) Elem {
		i = slices.Clone(i)
		for _, x := range args {
			if n := x.Type.Shape[axis]; i[axis] >= n {
				i[axis] -= n
				continue
			}
			return x.get(i...)
		}
		return Elem{}
	}), err
}

func naivePad(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	low, err := c.IntsAttr("low")
	if err != nil {
		return nil, err
	}
	high, err := c.IntsAttr("high")
	if err != nil {
		return nil, err
	}
	interior, err := c.IntsAttr("interior")
	x := args[0]
	shape := make([]int, len(low))
	for a, n := range x.Type.Shape {
		shape[a] = low[a] + n + max(n-1, 0)*interior[a] + high[a]
	}
	return build(x.Type.DType, shape, func(i []int) Elem {
		for a, n := range x.Type.Shape {
			at := i[a] - low[a]
			if at < 0 || at%(interior[a]+1) != 0 || at/(interior[a]+1) >= n {
				return args[1].Elems[0]
			}
		}
		return x.at(func(a int) int { return (i[a] - low[a]) / (interior[a] + 1) })
	}), err
}

func sum(all []Elem) Elem {
	total := 0.0
	exact := new(big.Int)
	for _, e := range all {
		if e.I == nil {
			total += e.F
		} else {
			exact.Add(exact, e.I)
		}
	}
	if len(all) > 0 && all[0].I == nil {
		return Float(total)
	}
	return Elem{F: total, I: exact}
}

func prod(all []Elem) Elem {
	total, exact := 1.0, big.NewInt(1)
	for _, e := range all {
		if e.I == nil {
			total *= e.F
		} else {
			exact.Mul(exact, e.I)
		}
	}
	if len(all) > 0 && all[0].I == nil {
		return Float(total)
	}
	return Elem{F: total, I: exact}
}

// naiveLinearScan multiplies and adds from the first element, or the last, to each.
func naiveLinearScan(c Call, d types.DType, args []*Tensor) (*Tensor, error) {
	x, by := args[0], args[1]
	axis, err := axisAttr(c, "axis", x.Type.Rank())
	reverse := c.Attr("reverse", d) == "true"
	return build(x.Type.DType, x.Type.Shape, func(i []int) Elem {
		at, steps := slices.Clone(i), i[axis]
		if reverse {
			steps = x.Type.Shape[axis] - 1 - i[axis]
		}
		y := x.get(at...)
		for k := range steps + 1 {
			if at[axis] = k; reverse {
				at[axis] = x.Type.Shape[axis] - 1 - k
			}
			if k == 0 {
				y = x.get(at...)
				continue
			}
			y = sum([]Elem{prod([]Elem{by.get(at...), y}), x.get(at...)})
		}
		return y
	}), err
}

func reduction(f func(all []Elem) Elem) naive {
	return func(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
		axes, err := axesAttr(c, "axes", args[0].Type.Rank())
		return reduce(args[0], axes, f), err
	}
}

// extreme knows no extreme of nothing.
func extreme(op string) naive {
	return func(c Call, d types.DType, args []*Tensor) (*Tensor, error) {
		if len(args[0].Elems) == 0 {
			return nil, nil
		}
		return reduction(extremeOf(op))(c, d, args)
	}
}

func extremeOf(op string) func(all []Elem) Elem {
	return func(all []Elem) Elem {
		y := all[0]
		for _, x := range all[1:] {
			y = naiveElementwise[op].f(Call{}, 0, []Elem{y, x})
		}
		return y
	}
}

func naiveArgMax(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	axis, err := axisAttr(c, "axis", args[0].Type.Rank())
	t := reduce(args[0], map[int]bool{axis: true}, func(all []Elem) Elem {
		best := 0
		for i, x := range all {
			if b := all[best]; b.F == b.F && (x.F != x.F || cmpElem(x, b) > 0) {
				best = i
			}
		}
		return Int(int64(best))
	})
	t.Type.DType = types.I64
	return t, err
}

// naiveArgSort counts, for each element, those that go before it.
func naiveArgSort(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x := args[0]
	axis, err := axisAttr(c, "axis", x.Type.Rank())
	t := build(types.I64, x.Type.Shape, func(i []int) Elem {
		line := make([]Elem, x.Type.Shape[axis])
		for k := range line {
			j := slices.Clone(i)
			j[axis] = k
			line[k] = x.get(j...)
		}
		for k, a := range line {
			rank := 0
			for l, b := range line {
				order := cmpElem(b, a)
				if nan := b.F != b.F; nan || a.F != a.F {
					order = 0
					if !nan {
						order = -1
					} else if a.F == a.F {
						order = 1
					}
				}
				if order < 0 || order == 0 && l < k {
					rank++
				}
			}
			if rank == i[axis] {
				return Int(int64(k))
			}
		}
		return Elem{}
	})
	return t, err
}

// naiveSort sorts each line of the axis by insertion.
func naiveSort(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	axis, err := axisAttr(c, "axis", args[0].Type.Rank())
	if err != nil {
		return nil, err
	}
	return naiveSorted(c, args[0], axis, c.Attr("descending", 0) == "true", args[0].Type.Shape[axis])
}

func naiveTopK(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	axis, err := axisAttr(c, "axis", args[0].Type.Rank())
	k, err2 := c.IntAttr("k")
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	return naiveSorted(c, args[0], axis, true, k)
}

// naiveSorted is the first k of each sorted line, or their indices.
func naiveSorted(c Call, x *Tensor, axis int, descending bool, k int) (*Tensor, error) {
	result, err := c.ResultIndex()
	shape, d := slices.Clone(x.Type.Shape), x.Type.DType
	if shape[axis] = k; result == 1 {
		d = types.I64
	}
	after := func(a, b Elem) bool { // strictly, in rising order
		if a.F != a.F || b.F != b.F {
			return a.F != a.F && b.F == b.F
		}
		return cmpElem(a, b) > 0
	}
	return build(d, shape, func(i []int) Elem {
		var line []Elem
		var places []int
		for p := range x.Type.Shape[axis] {
			j := slices.Clone(i)
			j[axis] = p
			e, at := x.get(j...), len(line)
			for at > 0 && (descending && after(e, line[at-1]) || !descending && after(line[at-1], e)) {
				at--
			}
			line, places = slices.Insert(line, at, e), slices.Insert(places, at, p)
		}
		if result == 1 {
			return Int(int64(places[i[axis]]))
		}
		return line[i[axis]]
	}), err
}

// naiveMatMul follows numpy.matmul: a vector is a row on the left and a column
// on the right, and batches broadcast.
func naiveMatMul(_ Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x, y := clone(args[0]), clone(args[1])
	var drop []int // axes from the end
	if x.Type.Rank() == 1 {
		x.Type.Shape = types.Shape{1, x.Type.Shape[0]}
		drop = append(drop, 2)
	}
	if y.Type.Rank() == 1 {
		y.Type.Shape = types.Shape{y.Type.Shape[0], 1}
		drop = append(drop, 1)
	}
	p, q := x.Type.Shape, y.Type.Shape
	k := p[len(p)-1]
	rank := max(len(p), len(q))
	shape := make([]int, rank)
	dim := func(s types.Shape, a int) int {
		if a -= rank - len(s); a < 0 {
			return 1
		}
		return s[a]
	}
	for a := range rank - 2 {
		shape[a] = max(dim(p, a), dim(q, a))
	}
	shape[rank-2], shape[rank-1] = p[len(p)-2], q[len(q)-1]
	at := func(t *Tensor, batch []int, row, col int) Elem {
		r := t.Type.Rank()
		return t.at(func(a int) int {
			switch a {
			case r - 2:
				return row
			case r - 1:
				return col
			}
			return min(batch[rank-r+a], t.Type.Shape[a]-1)
		})
	}
	z := build(x.Type.DType, shape, func(i []int) Elem {
		var terms []Elem
		for j := range k {
			terms = append(terms, naiveElementwise["mul"].f(Call{}, 0, []Elem{at(x, i, i[rank-2], j), at(y, i, j, i[rank-1])}))
		}
		return sum(terms)
	})
	for _, a := range drop {
		z.Type.Shape = slices.Delete(z.Type.Shape, z.Type.Rank()-a, z.Type.Rank()-a+1)
	}
	return z, nil
}

// naiveScan carries each row of the second operand to the next iteration.
func naiveScan(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	result, err := c.ResultIndex()
	if err != nil {
		return nil, err
	}
	carry, y := clone(args[0]), args[1]
	rows, n, size := clone(y), y.Type.Shape[0], len(carry.Elems)
	for i := range n {
		if c.Attr("reverse", 0) == "true" {
			i = n - 1 - i
		}
		copy(rows.Elems[i*size:], carry.Elems)
		copy(carry.Elems, y.Elems[i*size:])
	}
	return []*Tensor{carry, rows}[result], nil
}

// naiveStart is where a part of some sizes begins in x.
func naiveStart(x *Tensor, sizes []int, starts []*Tensor) []int {
	at := make([]int, len(sizes))
	for i, s := range starts {
		at[i] = int(min(max(s.Elems[0].Number(), 0), float64(x.Type.Shape[i]-sizes[i])))
	}
	return at
}

func naiveDynamicSlice(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	sizes, err := c.IntsAttr("sizes")
	if err != nil {
		return nil, err
	}
	x, at := args[0], naiveStart(args[0], sizes, args[1:])
	return build(x.Type.DType, sizes, func(i []int) Elem {
		j := slices.Clone(i)
		for a := range j {
			j[a] += at[a]
		}
		return x.get(j...)
	}), nil
}

func naiveDynamicUpdateSlice(_ Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x, update := args[0], args[1]
	at := naiveStart(x, update.Type.Shape, args[2:])
	return build(x.Type.DType, x.Type.Shape, func(i []int) Elem {
		j := slices.Clone(i)
		for a := range j {
			if j[a] -= at[a]; j[a] < 0 || j[a] >= update.Type.Shape[a] {
				return x.get(i...)
			}
		}
		return update.get(j...)
	}), nil
}

func naiveGather(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x, indices := args[0], args[1]
	axis, err := c.IntAttr("axis")
	r := indices.Type.Rank()
	return build(x.Type.DType, slices.Concat(indices.Type.Shape, x.Type.Shape[axis+1:]), func(i []int) Elem {
		row := min(max(indices.get(i[:r]...).Number(), 0), float64(x.Type.Shape[axis]-1))
		return x.get(slices.Concat(i[:axis], []int{int(row)}, i[r:])...)
	}), err
}

// naiveScatter combines by the elementwise op of the name.
func naiveScatter(c Call, d types.DType, args []*Tensor) (*Tensor, error) {
	axis, err := c.IntAttr("axis")
	if err != nil {
		return nil, err
	}
	return scatter(args, axis, strings.Trim(c.Attr("combine", d), `"`))
}

func naiveScatterAdd(_ Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	return scatter(args, 0, "add")
}

func scatter(args []*Tensor, axis int, combine string) (*Tensor, error) {
	x, indices, updates := clone(args[0]), args[1], args[2]
	r := indices.Type.Rank()
	var err error
	each(updates.Type.Shape, func(i []int) {
		x.combine(slices.Concat(i[:axis], []int{int(indices.get(i[:r]...).Number())}, i[r:]), updates.get(i...), combine)
	})
	if len(updates.Elems) != updates.Type.Elements() {
		err = fmt.Errorf("%s for %v", diag.Count(len(updates.Elems), "update"), updates.Type)
	}
	return x, err
}

func naiveIndexSelect(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x, indices := args[0], args[1]
	axis, err := axisAttr(c, "axis", x.Type.Rank())
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(x.Type.Shape)
	shape[axis] = indices.Type.Shape[0]
	return build(x.Type.DType, shape, func(i []int) Elem { return x.get(moved(i, axis, clamped(indices.get(i[axis]), x, axis))...) }), nil
}

func naiveGatherAlong(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x, indices := args[0], args[1]
	axis, err := axisAttr(c, "axis", x.Type.Rank())
	if err != nil {
		return nil, err
	}
	return build(x.Type.DType, indices.Type.Shape, func(i []int) Elem { return x.get(moved(i, axis, clamped(indices.get(i...), x, axis))...) }), nil
}

// clamped is an index that there is along an axis of x.
func clamped(index Elem, x *Tensor, axis int) int {
	return int(min(max(index.Number(), 0), float64(x.Type.Shape[axis]-1)))
}

// moved is i with another index along an axis.
func moved(i []int, axis, to int) []int {
	i = slices.Clone(i)
	i[axis] = to
	return i
}

// along combines x with updates at the places that GatherAlong takes.
func along(combine string) naive {
	return func(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
		x, indices, updates := clone(args[0]), args[1], args[2]
		axis, err := axisAttr(c, "axis", x.Type.Rank())
		if err != nil {
			return nil, err
		}
		each(indices.Type.Shape, func(i []int) { x.combine(moved(i, axis, int(indices.get(i...).Number())), updates.get(i...), combine) })
		return x, nil
	}
}

// indexed combines slices of x along an axis with those of updates.
func indexed(combine string) naive {
	return func(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
		x, indices, updates := clone(args[0]), args[1], args[2]
		axis, err := axisAttr(c, "axis", x.Type.Rank())
		if err != nil {
			return nil, err
		}
		each(updates.Type.Shape, func(i []int) {
			x.combine(moved(i, axis, int(indices.get(i[axis]).Number())), updates.get(i...), combine)
		})
		return x, nil
	}
}

// combine combines the element at i with another by the elementwise op of the name, or sets it.
// Nothing happens where there is none.
func (t *Tensor) combine(i []int, update Elem, name string) {
	at := 0
	for a, k := range i {
		if k < 0 || k >= t.Type.Shape[a] {
			return
		}
		at = at*t.Type.Shape[a] + k
	}
	if name != "set" {
		update = naiveElementwise[name].f(Call{}, 0, []Elem{t.Elems[at], update})
	}
	t.Elems[at] = update
}
