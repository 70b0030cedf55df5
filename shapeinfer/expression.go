package shapeinfer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ltc/ir/dims"
)

// mostNear is the largest number that counts as small beside an open size: a window's, say.
const mostNear = 8

// mostKnown is how many of the known sizes an expression is looked for among.
const mostKnown = 48

// fit returns the size that v is by one kind of expression of the known size e; false if it is none.
type fit func(v, e sample, n int) (int, bool)

// expression finds an expression of known sizes that has these values.
func (g *general) expression(v sample, n int) (int, bool) {
	if d, ok := g.simple(v, n); ok {
		return d, true
	}
	if d, ok := g.each(v, n, g.fraction); ok {
		return d, true
	}
	if d, ok := g.combination(v, n); ok {
		return d, true
	}
	return g.each(v, n, g.scaledQuotient)
}

// simple finds an expression of one or two operations. The simplest comes first, and products before
// expressions that fit two samples of any numbers.
func (g *general) simple(v sample, n int) (int, bool) {
	multiple := g.affine(func(_, and int) bool { return and == 0 })
	near := g.affine(func(by, and int) bool { return by == 1 && small(and) })
	complement := g.affine(func(by, and int) bool { return by == -1 && !dims.IsExpr(and) })
	if d, ok := g.each(v, n, multiple, near, g.product, g.sum, g.quotient, g.extreme, complement); ok {
		return d, true
	}
	if d, ok := g.scaledProduct(v, n); ok {
		return d, true
	}
	if d, ok := g.each(v, n, g.affine(func(by, and int) bool { return by > 0 && small(and) })); ok {
		return d, true
	}
	if !dims.HasExpr(v[:n]...) { // each attempt would be a new expression
		for by := 1; by <= mostNear; by++ {
			for _, c := range [...]int{by, -by} {
				w := v
				for k := range n {
					w[k] -= c
				}
				if d, ok := g.scaledProduct(w, n); ok {
					return dims.Add(d, c), true
				}
			}
		}
	}
	shifted := g.affine(func(by, _ int) bool { return by == 1 })
	return g.each(v, n, shifted, g.affine(func(by, _ int) bool { return by > 0 && !dims.IsExpr(by) }))
}

// small reports whether a number is small beside an open size.
func small(n int) bool { return !dims.IsExpr(n) && max(n, -n) <= mostNear }

// each tries kinds of expressions in order, each with all known sizes.
func (g *general) each(v sample, n int, kinds ...fit) (int, bool) {
	for _, try := range kinds {
		for _, e := range g.order[:min(len(g.order), mostKnown)] {
			if d, ok := try(v, e, n); ok {
				return d, true
			}
		}
	}
	return 0, false
}

// ErrNoExpression is the error of graphs of which a size, or a number, has no expression.
var ErrNoExpression = errors.New("follow from no sizes of the arguments")

// unknown is the error of a size that has no expression.
func (g *general) unknown(v sample, n int) error {
	var of []string
	for _, e := range g.order {
		d := g.known[e]
		name, _, _, ok := dims.SymbolOf(d)
		if place := g.places[d]; place != "" {
			name = place
		}
		if ok {
			of = append(of, name+" is "+listed(e[:n]))
		}
	}
	if of == nil {
		return fmt.Errorf("the sizes %s %w, which do not differ", listed(v[:n]), ErrNoExpression)
	}
	return fmt.Errorf("the sizes %s %w: %s", listed(v[:n]), ErrNoExpression, strings.Join(of, "; "))
}

// listed is sizes as errors list them: 3, 5 and 8.
func listed(sizes []int) string {
	var text strings.Builder
	for k, d := range sizes {
		switch {
		case k == 0:
		case k == len(sizes)-1:
			text.WriteString(" and ")
		default:
			text.WriteString(", ")
		}
		text.WriteString(dims.String(d))
	}
	return text.String()
}

// over returns v / e, if that has no remainder.
func over(v, e sample, n int) (q sample, ok bool) {
	for k := range n {
		if !dims.Divides(v[k], e[k]) {
			return q, false
		}
		q[k] = dims.Div(v[k], e[k])
	}
	return q, true
}

// less returns v - e.
func less(v, e sample, n int) (d sample) {
	for k := range n {
		d[k] = dims.Sub(v[k], e[k])
	}
	return d
}

// affine is a number times e, and another; good says which numbers are meant.
func (g *general) affine(good func(by, and int) bool) fit {
	return func(v, e sample, n int) (int, bool) {
		by, and, ok := line(v, e, n)
		if !ok || !good(by, and) {
			return 0, false
		}
		return dims.Add(dims.Mul(by, g.known[e]), and), true
	}
}

// line returns the numbers for which v is by times e, and another. Of sizes that are expressions it knows
// multiples, sums and differences.
func line(v, e sample, n int) (by, and int, ok bool) {
	if dims.HasExpr(v[:n]...) || dims.HasExpr(e[:n]...) {
		if q, whole := over(v, e, n); whole && constant(q, n) {
			return q[0], 0, true
		}
		if d := less(v, e, n); constant(d, n) {
			return 1, d[0], true
		}
		for k := range n {
			e[k] = dims.Add(v[k], e[k])
		}
		return -1, e[0], constant(e, n)
	}
	for k := 1; k < n; k++ {
		if e[k] == e[0] {
			continue
		}
		by = (v[k] - v[0]) / (e[k] - e[0])
		for j := range n {
			if v[j]-v[0] != by*(e[j]-e[0]) {
				return 0, 0, false
			}
		}
		return by, v[0] - by*e[0], true
	}
	return 0, 0, false
}

// product is e times another.
func (g *general) product(v, e sample, n int) (int, bool) {
	q, ok := over(v, e, n)
	if !ok {
		return 0, false
	}
	other, ok := g.known[q]
	return dims.Mul(g.known[e], other), ok
}

// scaledProduct is a number times a product of known sizes. It is one of two or three symbols, else of
// any two known sizes, else of four symbols. If there are several it is one whose factors differ, then one whose number is
// nearest to 0.
func (g *general) scaledProduct(v sample, n int) (int, bool) {
	known := g.order[:min(len(g.order), mostKnown)]
	var symbols []sample
	for _, e := range known {
		if _, _, _, ok := dims.SymbolOf(g.known[e]); ok {
			symbols = append(symbols, e)
		}
	}
	for _, try := range [...]struct {
		of      []sample
		factors int
	}{{symbols, 2}, {symbols, 3}, {known, 2}, {symbols, 4}} {
		var best scaled
		best.search(v, n, try.of, scaled{}, 0, try.factors)
		if best.number == 0 {
			continue
		}
		d := best.number // a product that does not fit would be an expression for ever
		for _, e := range best.factors[:try.factors] {
			d = dims.Mul(d, g.known[e])
		}
		return d, true
	}
	return 0, false
}

// scaled is a number times a product.
type scaled struct {
	number  int // 0: none is found
	factors [4]sample
	powers  int // how many factors are equal to the one before
}

// search sets s to the best product that has the values v beside the first at factors of so. The
// further ones, up to factors, are of the list.
func (s *scaled) search(v sample, n int, of []sample, so scaled, at, factors int) {
	if at == factors {
		if dims.IsExpr(v[0]) || !constant(v, n) || v[0] == 0 {
			return
		}
		so.number = v[0]
		if s.number == 0 || so.powers < s.powers || so.powers == s.powers && max(v[0], -v[0]) < max(s.number, -s.number) {
			*s = so
		}
		return
	}
	for i, e := range of {
		q, ok := over(v, e, n)
		if !ok {
			continue
		}
		next := so
		next.factors[at] = e
		if i == 0 && at > 0 {
			next.powers++ // the list begins with the factor before
		}
		s.search(q, n, of[i:], next, at+1, factors)
	}
}

// sum is e and another, or e without another.
func (g *general) sum(v, e sample, n int) (int, bool) {
	if other, ok := g.known[less(v, e, n)]; ok {
		return dims.Add(g.known[e], other), true
	}
	other, ok := g.known[less(e, v, n)]
	return dims.Sub(g.known[e], other), ok
}

// extreme is e, or a number where e is more: one that no sample exceeds. Else it is e, or a number where
// e is less: one that every sample has at least.
func (g *general) extreme(v, e sample, n int) (int, bool) {
	if dims.HasExpr(v[:n]...) || dims.HasExpr(e[:n]...) {
		return 0, false
	}
	op, number := dims.Least, slices.Max(v[:n])
	for k := range n {
		if v[k] > e[k] {
			op, number = dims.Greatest, slices.Min(v[:n])
		}
	}
	for k := range n {
		if v[k] != dims.Apply(op, e[k], number) {
			return 0, false
		}
	}
	return dims.Apply(op, g.known[e], number), true
}

// mostDivisor is the largest number that sizes are tried to be divided by.
const mostDivisor = 64

// quotient is e divided by a number, rounded down or up, or by another.
func (g *general) quotient(v, e sample, n int) (int, bool) {
	if q, ok := over(e, v, n); ok {
		if other, ok := g.known[q]; ok {
			return dims.Div(g.known[e], other), true
		}
	}
	if dims.HasExpr(v[:n]...) || dims.HasExpr(e[:n]...) {
		return 0, false // each attempt would be a new expression
	}
	for by := 2; by <= mostDivisor; by++ {
		switch lo, hi := divided(v, e, n, 1, by); {
		case lo <= 0 && 0 <= hi:
			return dims.Div(g.known[e], by), true
		case lo < by && by <= hi+1:
			return dims.CeilDiv(g.known[e], by), true
		}
	}
	return 0, false
}

// scaledQuotient is a number times e divided by a number, rounded.
func (g *general) scaledQuotient(v, e sample, n int) (int, bool) {
	if dims.HasExpr(v[:n]...) {
		return 0, false
	}
	for by := 2; by <= mostNear; by++ {
		q, ok := v, true
		for k := range n {
			ok = ok && v[k]%by == 0
			q[k] = v[k] / by
		}
		if d, found := g.quotient(q, e, n); ok && found {
			return dims.Mul(by, d), true
		}
	}
	return 0, false
}

// divided returns the least and the largest number for which v is (times·e + number) / by, rounded down. There
// is none if the least is larger.
func divided(v, e sample, n, times, by int) (lo, hi int) {
	lo, hi = -dims.Largest, dims.Largest
	for k := range n {
		least := dims.Sub(dims.Mul(v[k], by), dims.Mul(times, e[k]))
		if dims.IsExpr(least) {
			return 1, 0 // beyond all sizes
		}
		lo, hi = max(lo, least), min(hi, least+by-1)
	}
	return lo, hi
}
