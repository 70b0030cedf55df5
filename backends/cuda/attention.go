package cuda

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"ltc/backends/cuda/ptx/attention"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
	"ltc/mlir"
)

// attentionCall is a composite that is one launch of attention.
type attentionCall struct {
	attention.Op
	operands []plan.Operand
	// sizes and strides are the entry's. Sizes are how many queries, keys, heads and heads
	// that share keys there are, and if keys are cut, how many parts, and keys of one part.
	// Strides are, of each operand, how far batches, heads and rows are apart.
	sizes, strides []int64
	batch          int64
}

// heads is how many there are, of all batches.
func (a *attentionCall) heads() int64 { return a.batch * a.sizes[2] }

// work returns the types of the memory that parts of keys are left in.
func (a *attentionCall) work() []types.Type {
	if !a.Split {
		return nil
	}
	return a.Work(a.sizes[0]*a.heads(), a.sizes[4])
}

// mostPlaces is how many queries or keys there may be: the entry counts them in 32
// bits.
const mostPlaces = 1 << 30

// attentionOf returns what a composite is, if it is attention that there is an entry
// for. All else is what its decomposition says: of other types, with attributes that
// say something else.
func attentionOf(c *plan.Composite) (a attentionCall, ok bool) {
	if c.Name != "ltc.attention" || len(c.Args) < 3 || len(c.Args) > 4 || len(c.Outs) != 1 || len(c.Attrs) != 2 {
		return a, false
	}
	causal, scale := c.Attrs.Get("causal"), c.Attrs.Get("scale")
	number, isFloat := scale.(mlir.FloatAttr)
	if causal == nil || !isFloat {
		return a, false
	}
	switch causal.String() {
	case mlir.I64Attr(0).String():
	case mlir.I64Attr(1).String():
		a.Causal = true
	default:
		return a, false
	}
	var err error
	if a.Scale, err = strconv.ParseFloat(number.Text, 64); err != nil {
		return a, false
	}
	all := []plan.Dense{c.Args[0], c.Args[1], c.Args[2], c.Outs[0]}
	q, k, v, y := all[0].Type, all[1].Type, all[2].Type, all[3].Type
	n := q.Rank()
	if n < 2 || k.Rank() != n || v.Rank() != n || y.Rank() != n || k.DType != q.DType || v.DType != q.DType || y.DType != q.DType {
		return a, false
	}
	queries, keys, heads, groups := q.Shape[n-2], k.Shape[n-2], 1, 1
	if n > 2 {
		heads, groups = q.Shape[n-3], k.Shape[n-3]
	}
	a.Type, a.Dim, a.Width = q.DType, q.Shape[n-1], v.Shape[n-1]
	if len(c.Args) > 3 {
		mask := c.Args[3]
		if a.Mask = mask.Type.DType; !slices.Equal(mask.Type.Shape, append(slices.Clone(q.Shape[:n-1]), keys)) {
			return a, false
		}
		all = append(all, mask)
	}
	switch {
	case k.Shape[n-1] != a.Dim || v.Shape[n-2] != keys || !slices.Equal(k.Shape[:n-2], v.Shape[:n-2]),
		n > 2 && !slices.Equal(q.Shape[:n-3], k.Shape[:n-3]),
		!slices.Equal(y.Shape, append(slices.Clone(q.Shape[:n-1]), a.Width)),
		keys < 1 || max(queries, keys) > mostPlaces || groups < 1 || heads%groups != 0,
		a.Causal && queries > keys,
		a.Check() != nil:
		return a, false
	}
	a.batch = 1
	for _, size := range q.Shape[:max(n-3, 0)] {
		a.batch *= int64(size)
	}
	if a.batch*int64(heads)*int64(queries) > math.MaxInt32 {
		return a, false
	}
	a.sizes = []int64{int64(queries), int64(keys), int64(heads), int64(max(heads/groups, 1))}
	if parts, span := a.Cut(a.sizes[0], a.sizes[1], a.heads()); parts > 1 {
		a.Split, a.sizes = true, append(a.sizes, parts, span)
	}
	for i, x := range all {
		strides, one := apart(&x)
		if !one || i < 3 && shared(&x) {
			return a, false
		}
		a.strides = append(a.strides, strides...)
		a.operands = append(a.operands, plan.Operand{Value: x.Value})
	}
	return a, true
}

// apart returns how far batches, heads and rows of an operand are apart, if batches
// are all as far apart as one another and rows are contiguous.
func apart(x *plan.Dense) (strides []int64, ok bool) {
	n := len(x.Strides)
	if x.Strides[n-1] != 1 && x.Type.Shape[n-1] > 1 {
		return nil, false
	}
	strides = []int64{0, 0, x.Strides[n-2]}
	if n > 2 {
		strides[1] = x.Strides[n-3]
	}
	for d := n - 4; d >= 0; d-- {
		if d == n-4 {
			strides[0] = x.Strides[d]
		} else if x.Strides[d] != x.Strides[d+1]*int64(x.Type.Shape[d+1]) {
			return nil, false
		}
	}
	return strides, true
}

// shared reports whether one element of memory stands for several of an operand.
func shared(x *plan.Dense) bool {
	for d, size := range x.Type.Shape {
		if size > 1 && x.Strides[d] == 0 {
			return true
		}
	}
	return false
}

// attention finds out how a step runs its composite, which is attention.
func (c *compilation) attention(s *step, of *plan.Composite) error {
	a, ok := attentionOf(of)
	if !ok {
		return fmt.Errorf("compile: a step of the composite %s, for which there is no code", of.Name)
	}
	s.Launch = &plan.Launch{Operands: a.operands, Sizes: a.sizes, Strides: a.strides}
	s.sizes = slices.Repeat([]int{a.Type.Size()}, len(a.operands))
	if a.Mask != types.Invalid {
		s.sizes[len(s.sizes)-1] = a.Mask.Size()
	}
	s.launch = a.Launch(a.sizes[0], a.heads())
	if a.Split {
		for _, v := range of.Work {
			s.Operands = append(s.Operands, plan.Operand{Value: v})
			s.sizes = append(s.sizes, types.F32.Size())
		}
		s.launch.Grid[0] *= int(a.sizes[4])
	}
	s.claimed, s.entry = a.Op, c.entry(fmt.Sprintf("%#v", a.Op))
	var err error
	if s.variant, err = c.entryVariant(s.entry, s.launch, a.Entry); err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	if a.Split && !s.empty() {
		rows := a.sizes[0] * a.heads()
		l := a.Combine(rows)
		v, err := c.entryVariant(s.entry, l, a.CombineEntry)
		if err != nil {
			return fmt.Errorf("compile: %w", err)
		}
		s.then = []relaunch{{variant: v, launch: l, sizes: append([]int64{a.sizes[0], a.sizes[2], a.sizes[4], rows}, a.strides[9:12]...)}}
	}
	if !c.target.Hopper {
		return nil
	}
	if l, maps, ok := a.MapLaunch(a.sizes, a.strides, a.batch); ok {
		c.needs.Hopper = true
		s.byMaps = &relaunch{launch: l, maps: maps}
		if s.byMaps.variant, err = c.entryVariant(s.entry, l, a.MapEntry); err != nil {
			return fmt.Errorf("compile: %w", err)
		}
	}
	return nil
}
