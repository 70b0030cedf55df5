package dims

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// poly is a polynomial: a sum of terms in order, each of another product of atoms, none with
// coefficient 0. It is not changed once it has a name.
type poly struct {
	terms  []term
	lo, hi int64  // once it has a name
	text   string // likewise
}

// term is a product of atoms, in order, and a coefficient.
type term struct {
	coef  int64
	atoms []*atom
}

// atom is what polynomials are over: a symbol, or an operation on polynomials that gives none. The divisor
// of a Floor is positive.
type atom struct {
	name   string // of a symbol
	op     Op     // of the others
	a, b   *poly  // likewise, the operands; nil: a symbol
	lo, hi int64
	key    string // that only this atom has
	text   string
}

func (a *atom) isSymbol() bool { return a.a == nil }

// manyTerms is how many terms an expression may have, longKey how long its key may be.
const (
	manyTerms = 64
	longKey   = 1 << 14
)

func constant(n int64) *poly {
	if n == 0 {
		return &poly{}
	}
	return &poly{terms: []term{{coef: n}}}
}

// poly returns the polynomial that is the atom alone.
func (a *atom) poly() *poly { return &poly{terms: []term{{coef: 1, atoms: []*atom{a}}}} }

// constant returns the number that p is; false if it is none.
func (p *poly) constant() (int64, bool) {
	switch {
	case len(p.terms) == 0:
		return 0, true
	case len(p.terms) == 1 && len(p.terms[0].atoms) == 0:
		return p.terms[0].coef, true
	}
	return 0, false
}

// atom returns the atom that p is; nil if it is none.
func (p *poly) atom() *atom {
	if len(p.terms) == 1 && p.terms[0].coef == 1 && len(p.terms[0].atoms) == 1 {
		return p.terms[0].atoms[0]
	}
	return nil
}

// order compares products of atoms: by degree, the larger first, then by their atoms. It is an
// order that products with a third respect, so polynomials can be divided by it.
func order(a, b []*atom) int {
	if c := cmp.Compare(len(b), len(a)); c != 0 {
		return c
	}
	return slices.CompareFunc(a, b, byKey)
}

func byKey(x, y *atom) int { return strings.Compare(x.key, y.key) }

// sum returns a and k times b; nil if a coefficient is too large.
func sum(a, b *poly, k int64) *poly {
	r := &poly{terms: make([]term, 0, len(a.terms)+len(b.terms))}
	x, y := a.terms, b.terms
	for len(x) > 0 || len(y) > 0 {
		c := -1
		switch {
		case len(x) == 0:
			c = 1
		case len(y) > 0:
			c = order(x[0].atoms, y[0].atoms)
		}
		t := term{}
		if c <= 0 {
			t, x = x[0], x[1:]
		}
		if c >= 0 {
			more, ok := product(k, y[0].coef)
			if t.coef += more; !ok || t.coef > Largest || t.coef < -Largest {
				return nil
			}
			t.atoms, y = y[0].atoms, y[1:]
		}
		if t.coef != 0 {
			r.terms = append(r.terms, t)
		}
	}
	return r
}

// times returns a·b; nil if a coefficient is too large, or there are too many terms.
func times(a, b *poly) *poly {
	if len(a.terms)*len(b.terms) > manyTerms {
		return nil
	}
	r := &poly{}
	for _, t := range a.terms {
		part := &poly{terms: make([]term, len(b.terms))}
		for i, u := range b.terms {
			c, ok := product(t.coef, u.coef)
			if !ok {
				return nil
			}
			part.terms[i] = term{c, merged(t.atoms, u.atoms)}
		}
		if r = sum(r, part, 1); r == nil {
			return nil
		}
	}
	return r
}

// merged returns the atoms of both lists in order.
func merged(a, b []*atom) []*atom {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, byKey)
	return all
}

// without returns a less the atoms of b; false if one of these is not there.
func without(a, b []*atom) ([]*atom, bool) {
	rest := make([]*atom, 0, len(a))
	for _, x := range a {
		if len(b) > 0 && b[0] == x {
			b = b[1:]
		} else {
			rest = append(rest, x)
		}
	}
	return rest, len(b) == 0
}

// product returns a·b; false if that is beyond Largest.
func product(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	c := a * b
	return c, c/b == a && c <= Largest && c >= -Largest
}

// divided returns a polynomial q and a rest r for which p = q·d + r: what a division by the first
// term of d leaves. They are nil if a coefficient is too large.
func divided(p, d *poly) (q, r *poly) {
	q, r = &poly{}, &poly{}
	first := d.terms[0]
	for len(p.terms) > 0 {
		t := p.terms[0]
		atoms, ok := without(t.atoms, first.atoms)
		n := floorDiv(t.coef, first.coef)
		if !ok || n == 0 || len(q.terms) > manyTerms {
			r.terms = append(r.terms, t)
			p = &poly{terms: p.terms[1:]}
			continue
		}
		part := &poly{terms: []term{{n, atoms}}}
		less := times(part, d)
		if less == nil {
			return nil, nil
		}
		if q, p = sum(q, part, 1), sum(p, less, -1); q == nil || p == nil {
			return nil, nil
		}
		if len(p.terms) > 0 && order(p.terms[0].atoms, t.atoms) == 0 { // the coefficient's rest
			r.terms = append(r.terms, p.terms[0])
			p = &poly{terms: p.terms[1:]}
		}
	}
	return q, r
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// key is a text that only equal polynomials have, whatever other programs the process has.
func (p *poly) key() string {
	var b []byte
	for _, t := range p.terms {
		b = strconv.AppendInt(append(b, '+'), t.coef, 10)
		for _, a := range t.atoms {
			b = append(append(b, '.'), a.key...)
		}
	}
	return string(b)
}

// describe sets the key and the text of an atom.
func (a *atom) describe() {
	if a.isSymbol() {
		a.key, a.text = fmt.Sprintf("%q[%d,%d]", a.name, a.lo, a.hi), a.name
		return
	}
	a.key = fmt.Sprintf("%d(%s)(%s)", a.op, a.a.key(), a.b.key())
	x, y := a.a.String(), a.b.String()
	switch a.op {
	case Floor:
		if len(a.a.terms) > 1 {
			x = "(" + x + ")"
		}
		if _, ok := a.b.constant(); !ok && a.b.atom() == nil {
			y = "(" + y + ")"
		}
		a.text = "floor(" + x + " / " + y + ")"
	case Least:
		a.text = "min(" + x + ", " + y + ")"
	case Greatest:
		a.text = "max(" + x + ", " + y + ")"
	}
}

// String returns p as users read it.
func (p *poly) String() string {
	var b strings.Builder
	for i, t := range p.terms {
		c := t.coef
		switch {
		case i > 0 && c < 0:
			b.WriteString(" - ")
			c = -c
		case i > 0:
			b.WriteString(" + ")
		}
		var parts []string
		if c == -1 && len(t.atoms) > 0 {
			b.WriteByte('-')
		} else if c != 1 || len(t.atoms) == 0 {
			parts = append(parts, strconv.FormatInt(c, 10))
		}
		for _, a := range t.atoms {
			parts = append(parts, a.text)
		}
		b.WriteString(strings.Join(parts, "*"))
	}
	if len(p.terms) == 0 {
		return "0"
	}
	return b.String()
}

// bounds returns the least and the largest number that p can be, as far as it is known. It is no
// closer than the bounds of each term tell, and those of the polynomial with divisions by numbers
// that are not rounded.
func (p *poly) bounds() (lo, hi int64) {
	lo, hi, _ = p.termBounds()
	if up, down, by, ok := p.unrounded(); ok {
		l, _, _ := down.termBounds()
		_, h, _ := up.termBounds()
		lo, hi = max(lo, -floorDiv(-l, by)), min(hi, floorDiv(h, by))
	}
	return lo, hi
}

// unrounded returns polynomials of which p times by is between: those where a division by a number
// that is a term of its own is a fraction, rounded to neither side. It returns false if p has no
// such term.
func (p *poly) unrounded() (up, down *poly, by int64, ok bool) {
	by = 1
	for _, t := range p.terms {
		if k, is := t.divisor(); is {
			var fits bool
			if by, fits = product(by, k); !fits || by > 1<<20 {
				return nil, nil, 0, false
			}
			ok = true
		}
	}
	if !ok {
		return nil, nil, 0, false
	}
	up, down = constant(0), constant(0)
	for _, t := range p.terms {
		most, least, times := &poly{terms: []term{{coef: 1, atoms: t.atoms}}}, (*poly)(nil), by
		if k, is := t.divisor(); is { // (x - k + 1) / k <= floor(x / k) <= x / k
			most, times = t.atoms[0].a, by/k
			least = sum(most, constant(1-k), 1)
		} else {
			least = most
		}
		coef, fits := product(t.coef, times)
		if !fits || least == nil {
			return nil, nil, 0, false
		}
		if coef < 0 {
			most, least = least, most
		}
		if up, down = sum(up, most, coef), sum(down, least, coef); up == nil || down == nil {
			return nil, nil, 0, false
		}
	}
	return up, down, by, true
}

// divisor returns the number that a term divides by which is only a division.
func (t *term) divisor() (int64, bool) {
	if len(t.atoms) != 1 || t.atoms[0].isSymbol() || t.atoms[0].op != Floor {
		return 0, false
	}
	k, is := t.atoms[0].b.constant()
	return k, is && k > 0
}

// termBounds returns the bounds that each term tells. It reports overflows if p, or what its terms are
// added up from, can be beyond Largest. The bounds do not tell that: the next term moves them back.
func (p *poly) termBounds() (lo, hi int64, overflows bool) {
	note := func(lo, hi int64) { overflows = overflows || lo <= -Largest || hi >= Largest }
	for _, t := range p.terms {
		l, h := t.coef, t.coef
		for _, a := range t.atoms {
			l, h = span(l, h, a.lo, a.hi)
			note(l, h)
		}
		lo, hi = clip(lo+l), clip(hi+h)
		note(lo, hi)
	}
	return lo, hi, overflows
}

// span returns the bounds of the product of two numbers with bounds.
func span(a, b, c, d int64) (lo, hi int64) {
	all := []int64{far(a, c), far(a, d), far(b, c), far(b, d)}
	return slices.Min(all), slices.Max(all)
}

// far is a·b, or ±Largest where that is beyond it.
func far(a, b int64) int64 {
	c, ok := product(a, b)
	switch {
	case ok:
		return c
	case (a < 0) != (b < 0):
		return -Largest
	}
	return Largest
}

func clip(n int64) int64 { return min(max(n, -Largest), Largest) }
