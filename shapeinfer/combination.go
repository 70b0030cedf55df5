package shapeinfer

import "ltc/ir/dims"

// Sizes that Go code computes in several operations, such as b*s - b/2 or n*3/4, are looked for last
// and in three samples or more: such expressions fit two samples of any numbers.

// mostParts is the largest number in a fraction.
const mostParts = 16

// fraction is a number times e and a small number, divided by another and rounded down. The least divisor
// comes first, then the least multiple.
func (g *general) fraction(v, e sample, n int) (int, bool) {
	if n == 2 || dims.HasExpr(v[:n]...) || dims.HasExpr(e[:n]...) {
		return 0, false
	}
	for by := 2; by <= mostParts; by++ {
		for times := 1; times <= mostParts; times++ {
			lo, hi := divided(v, e, n, times, by)
			if plus := max(lo, min(hi, 0)); lo <= hi && small(plus) {
				return dims.Div(dims.Add(dims.Mul(times, g.known[e]), plus), by), true
			}
		}
	}
	return 0, false
}

// termOf is a term of a combination: a known size, or a product or quotient of known sizes.
type termOf struct {
	v    sample
	size func() int // expressions are never forgotten: only the one that is used is made
}

// combination is the sum or the difference of two terms, and at most 1 more or less. Terms that come
// earlier in [general.terms] are preferred.
func (g *general) combination(v sample, n int) (int, bool) {
	if n == 2 || dims.HasExpr(v[:n]...) {
		return 0, false
	}
	terms := g.terms(n)
	by := make(map[sample]termOf, len(terms))
	for _, t := range terms {
		if _, ok := by[t.v]; !ok {
			by[t.v] = t
		}
	}
	for _, c := range [...]int{0, 1, -1} {
		w := v
		for k := range n {
			w[k] -= c
		}
		for _, t := range terms {
			if other, ok := by[less(w, t.v, n)]; ok {
				return dims.Add(dims.Add(t.size(), other.size()), c), true
			}
			if other, ok := by[less(t.v, w, n)]; ok {
				return dims.Add(dims.Sub(t.size(), other.size()), c), true
			}
		}
	}
	return 0, false
}

// terms returns the symbols, the products of two of them, and the quotients of both by small numbers.
// Many more terms would have a sum for any three numbers.
func (g *general) terms(n int) (all []termOf) {
	for _, e := range g.order {
		d := g.known[e]
		if _, _, _, ok := dims.SymbolOf(d); ok && !dims.HasExpr(e[:n]...) {
			all = append(all, termOf{e, func() int { return d }})
		}
	}
	for i, x := range all {
		for _, y := range all[i:] {
			all = append(all, combined(x, y, n, dims.Mul))
		}
	}
	for _, x := range all {
		for _, by := range [...]int{2, 3, 4, 8} {
			y := termOf{sample{by, by, by, by}, func() int { return by }}
			all = append(all, combined(x, y, n, dims.Div), combined(x, y, n, dims.CeilDiv))
		}
	}
	return all
}

// combined is an operation on two terms.
func combined(x, y termOf, n int, op func(a, b int) int) termOf {
	var v sample
	for k := range n {
		v[k] = op(x.v[k], y.v[k])
	}
	return termOf{v, func() int { return op(x.size(), y.size()) }}
}
