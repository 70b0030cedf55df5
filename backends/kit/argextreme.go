package kit

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// An argExtreme is the normal form of argmax and argmin: a reduction of pairs of an
// element and an index to the pair with the extreme element. NaN wins over all other
// elements. Among pairs with equal elements, or with NaN, the reduction takes the least
// index or the first pair. An argExtreme is recognized by the results of its body in
// every case that such pairs can be in, not by the spelling of the body.
type argExtreme struct {
	value, index int       // operands
	with         kernel.Op // Maximum or Minimum
	// Of equal elements, of NaNs, it takes what comes first.
	firstEqual, firstNaN bool
}

// relation is how two numbers compare.
type relation uint8

const (
	less relation = iota
	equal
	greater
	leftNaN
	rightNaN
	bothNaN
)

// holds reports whether `left direction right` is true.
func (r relation) holds(direction string) bool {
	switch direction {
	case "LT":
		return r == less
	case "LE":
		return r == less || r == equal
	case "GT":
		return r == greater
	case "GE":
		return r == greater || r == equal
	case "EQ":
		return r == equal
	}
	return r != equal // NE
}

// turned is how the right one compares with the left one.
func (r relation) turned() relation {
	return [...]relation{greater, equal, less, rightNaN, leftNaN, bothNaN}[r]
}

// findArgExtreme returns what a region of two pairs searches for.
func findArgExtreme(r *mlir.Region, floats [2]bool, integers [2]bool) (argExtreme, bool) {
	for _, s := range []argExtreme{
		{value: 0, index: 1, with: kernel.Maximum}, {value: 0, index: 1, with: kernel.Minimum},
		{value: 1, index: 0, with: kernel.Maximum}, {value: 1, index: 0, with: kernel.Minimum},
	} {
		if integers[s.index] && (integers[s.value] || floats[s.value]) && s.is(r.Blocks[0], floats[s.value]) {
			return s, true
		}
	}
	return argExtreme{}, false
}

// is reports whether a body is that of s, and says what that takes first.
func (s *argExtreme) is(body *mlir.Block, float bool) bool {
	relations := []relation{less, equal, greater, leftNaN, rightNaN, bothNaN}
	if !float {
		relations = relations[:3]
	}
	lowest, first := map[bool]bool{true: true, false: true}, map[bool]bool{true: true, false: true} // by: of NaNs
	for _, v := range relations {
		for _, i := range []relation{less, equal, greater} {
			c := pairCase{s: s, body: body, value: v, index: i, known: map[*mlir.Value]any{}}
			value, index, ok := c.run()
			if !ok {
				return false
			}
			wins, decided := v == greater || v == leftNaN, v != equal && v != bothNaN
			if s.with == kernel.Minimum {
				wins = v == less || v == leftNaN
			}
			if decided {
				if value != wins || index != wins {
					return false
				}
				continue
			}
			if i != equal {
				nan := v == bothNaN
				lowest[nan] = lowest[nan] && index == (i == less)
				first[nan] = first[nan] && index
			}
		}
	}
	for _, nan := range []bool{false, true} {
		if !lowest[nan] && !first[nan] {
			return false
		}
	}
	s.firstEqual, s.firstNaN = !lowest[false], !lowest[true]
	return true
}

// pairCase runs a body on two pairs of which only is known how they compare.
type pairCase struct {
	s            *argExtreme
	body         *mlir.Block
	value, index relation
	known        map[*mlir.Value]any // a bool, or an argument that the value is
}

// run returns which element and which index the body gives: the left one's?
func (c *pairCase) run() (value, index, ok bool) {
	for _, a := range c.body.Args {
		c.known[a] = a
	}
	for _, op := range c.body.Ops[:len(c.body.Ops)-1] {
		if len(op.Results) != 1 {
			return false, false, false
		}
		v := c.op(op)
		if v == nil {
			return false, false, false
		}
		c.known[op.Results[0]] = v
	}
	end := c.body.Ops[len(c.body.Ops)-1]
	if len(c.body.Args) != 4 || len(end.Operands) != 2 {
		return false, false, false
	}
	value, ok1 := c.left(end.Operands[c.s.value], c.s.value)
	index, ok2 := c.left(end.Operands[c.s.index], c.s.index)
	return value, index, ok1 && ok2
}

// left reports whether v is the left pair's part of the given number; ok is
// false if it is neither pair's.
func (c *pairCase) left(v *mlir.Value, part int) (left, ok bool) {
	left = c.known[v] == any(c.body.Args[part])
	return left, left || c.known[v] == any(c.body.Args[2+part])
}

// op returns what an op gives; nil if that is not known.
func (c *pairCase) op(op *mlir.Op) any {
	in := make([]any, len(op.Operands))
	for i, v := range op.Operands {
		in[i] = c.known[v]
	}
	switch op.Code {
	case stablehlo.Compare:
		r, ok := c.compare(in[0], in[1])
		if !ok || stablehlo.AsCompare(op).CompareType() == "TOTALORDER" {
			return nil
		}
		return r.holds(stablehlo.AsCompare(op).ComparisonDirection())
	case stablehlo.Minimum, stablehlo.Maximum:
		r, ok := c.compare(in[0], in[1])
		switch {
		case !ok:
			return nil
		case r == leftNaN || r == bothNaN || r != rightNaN && r != greater && op.Code == stablehlo.Minimum || r == greater && op.Code == stablehlo.Maximum:
			return in[0]
		}
		return in[1]
	case stablehlo.Select:
		p, ok := in[0].(bool)
		switch {
		case !ok:
			return nil
		case p:
			return in[1]
		}
		return in[2]
	case stablehlo.Not:
		if p, ok := in[0].(bool); ok {
			return !p
		}
		return nil
	}
	if len(in) != 2 {
		return nil
	}
	p, ok1 := in[0].(bool)
	q, ok2 := in[1].(bool)
	switch {
	case !ok1 || !ok2:
	case op.Code == stablehlo.And:
		return p && q
	case op.Code == stablehlo.Or:
		return p || q
	case op.Code == stablehlo.Xor:
		return p != q
	}
	return nil
}

// compare returns how two arguments compare; false if they are not both
// elements or both indices.
func (c *pairCase) compare(x, y any) (relation, bool) {
	v, ok1 := x.(*mlir.Value)
	w, ok2 := y.(*mlir.Value)
	if !ok1 || !ok2 {
		return 0, false
	}
	i, j := slices.Index(c.body.Args, v), slices.Index(c.body.Args, w)
	if i%2 != j%2 {
		return 0, false
	}
	r := c.index
	if i%2 == c.s.value {
		r = c.value
	}
	switch nan := [...]bool{r == leftNaN || r == bothNaN, r == rightNaN || r == bothNaN}; {
	case i == j && nan[i/2]:
		return bothNaN, true
	case i == j:
		return equal, true
	case i < j:
		return r, true
	}
	return r.turned(), true
}

// reduceArgExtreme finds the extreme in one stage, in a second one the least of the
// indices at which it stands.
func reduceArgExtreme(b *nodeBuilder) error {
	t := [2]bool{b.out[0].DType.IsFloat(), b.out[1].DType.IsFloat()}
	s, ok := findArgExtreme(b.op.Regions[0], t, [2]bool{b.out[0].DType.IsInteger(), b.out[1].DType.IsInteger()})
	value, index := b.out[s.value].DType, b.out[s.index].DType
	switch {
	case !ok:
		return leave("it reduces several values at once")
	case (s.firstEqual || s.firstNaN) && !b.counts(s.index):
		return leave("the indices that it searches may be in any order")
	case value.IsFloat() && b.t.used[b.op.Results[s.value]]:
		return leave("it searches for a float besides its index")
	case b.in[s.value].DType != value || b.in[s.index].DType != index:
		return leave("results of another type")
	}
	outer, from, axes := b.reduced()
	same := func(x, m kernel.ID) kernel.ID {
		is := b.Op(kernel.CompareEQ, types.Bool, x, m)
		if value.IsFloat() {
			nans := b.Op(kernel.And, types.Bool, b.Op(kernel.CompareNE, types.Bool, x, x), b.Op(kernel.CompareNE, types.Bool, m, m))
			is = b.Op(kernel.Or, types.Bool, is, nans)
		}
		return is
	}
	b.Stage(axes...)
	extreme := b.Reduce(s.with, b.load(s.value, from...))
	b.Stage()
	init := b.load(2 + s.value)
	extreme = b.Op(s.with, value, init, extreme)
	b.Stage(axes...)
	none := b.Bits(index, kernel.Neutral(kernel.Minimum, index))
	at := b.Reduce(kernel.Minimum, b.Op(kernel.Select, index, same(b.load(s.value, from...), extreme), b.load(s.index, from...), none))
	b.Stage()
	start := b.load(2 + s.index)
	least := start
	if !s.firstEqual || !s.firstNaN {
		least = b.Op(kernel.Minimum, index, start, at)
	}
	switch {
	case s.firstEqual == s.firstNaN:
		start = least
	case s.firstNaN:
		start = b.Op(kernel.Select, index, b.Op(kernel.CompareNE, types.Bool, extreme, extreme), start, least)
	default:
		start = b.Op(kernel.Select, index, b.Op(kernel.CompareNE, types.Bool, extreme, extreme), least, start)
	}
	at = b.Op(kernel.Select, index, same(b.load(2+s.value), extreme), start, at)
	if b.t.used[b.op.Results[s.value]] {
		b.store(s.value, extreme, outer...)
	}
	b.store(s.index, at, outer...)
	return nil
}

// counts reports whether operand i rises along the one dimension that is
// reduced.
func (b *nodeBuilder) counts(i int) bool {
	over := stablehlo.AsReduce(b.op).Dimensions()
	if len(over) != 1 {
		return false
	}
	return dims.AtMost(b.in[i].Shape[over[0]], 1) || rises(b.in[i], b.op.Operands[i], int(over[0]))
}

// rises reports whether a value of integers of type t counts from 0 along a dimension.
func rises(t types.Type, v *mlir.Value, d int) bool {
	n := t.Shape[d]
	if def := v.Def; def != nil && def.Code == stablehlo.BroadcastInDim {
		to := stablehlo.AsBroadcastInDim(def).BroadcastDimensions()
		at := slices.Index(to, int64(d))
		if at < 0 {
			return false
		}
		d, v = at, def.Operands[0]
	}
	if v.Def == nil || v.Def.Code != stablehlo.Iota || stablehlo.AsIota(v.Def).IotaDimension() != int64(d) {
		return false
	}
	of, ok := v.Type.(*mlir.TensorType)
	return ok && of.Shape[d] == int64(n) && counts(t.DType, n)
}

// counts reports whether the numbers from 0 to n-1 are of type t, so that they
// do not wrap.
func counts(t types.DType, n int) bool {
	bits := 8 * t.Size()
	if t.IsSigned() {
		bits--
	}
	return bits >= 63 || dims.AtMost(n, 1<<bits)
}
