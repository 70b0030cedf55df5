package dims

// Symbol returns the size that a symbol names, which is from lo to hi, both included, neither
// negative. Symbols of one name and one pair of bounds are one.
func Symbol(name string, lo, hi int64) int64 {
	return Declared(name, max(lo, 0), min(hi, Largest))
}

// Declared is [Symbol] for bounds that may be wrong: the symbol keeps them, for a check that prints them.
func Declared(name string, lo, hi int64) int64 {
	if hi = min(hi, Largest); lo == hi && lo >= 0 {
		return lo
	}
	return table.name(table.atom(&atom{name: name, lo: lo, hi: hi}).poly())
}

// result returns the size that p is; that of a size too large if p is nil.
func result[N Int](p *poly) N {
	if p == nil || len(p.terms) > manyTerms {
		return clamped[N](tooLarge)
	}
	n := table.name(p)
	if !IsExpr(n) && n != Unknown && (n > Largest || n < -Largest) {
		n = tooLarge
	}
	return clamped[N](n)
}

func clamped[N Int](n int64) N { return N(n) }

// operation applies f to sizes of which one may be an expression.
func operation[N Int](a, b N, f func(a, b *poly) *poly) N {
	if int64(a) == Unknown || int64(b) == Unknown {
		return clamped[N](Unknown)
	}
	x, ok := polyOf(int64(a))
	y, ok2 := polyOf(int64(b))
	if !ok || !ok2 {
		return clamped[N](tooLarge)
	}
	return result[N](f(x, y))
}

// plain reports whether a and b are numbers.
func plain[N Int](a, b N) bool { return int64(a) >= -Largest && int64(b) >= -Largest }

// number returns n, the result of an operation on numbers, which fits says is right.
func number[N Int](n N, fits bool) N {
	if !fits || int64(n) < -Largest {
		return clamped[N](tooLarge)
	}
	return n
}

// Add returns a + b.
func Add[N Int](a, b N) N {
	if plain(a, b) {
		n := a + b
		return number(n, (n > a) == (b > 0) || b == 0)
	}
	return operation(a, b, func(a, b *poly) *poly { return sum(a, b, 1) })
}

// Sub returns a - b.
func Sub[N Int](a, b N) N {
	if plain(a, b) {
		n := a - b
		return number(n, (n < a) == (b > 0) || b == 0)
	}
	return operation(a, b, func(a, b *poly) *poly { return sum(a, b, -1) })
}

// Mul returns a·b.
func Mul[N Int](a, b N) N {
	if plain(a, b) {
		n := a * b
		return number(n, a == 0 || n/a == b)
	}
	return operation(a, b, times)
}

// Product returns the product of sizes, 1 of none.
func Product[N Int](ds ...N) N {
	n := N(1)
	for _, d := range ds {
		n = Mul(n, d)
	}
	return n
}

// Div returns floor(a / b). Where b is 0 the expression has no value ([Evaluator.Eval]), but where
// b divides a as a polynomial: n·m / n is m.
func Div[N Int](a, b N) N {
	if plain(a, b) {
		if b == 0 {
			return clamped[N](tooLarge)
		}
		return N(floorDiv(int64(a), int64(b)))
	}
	return operation(a, b, quotientOf)
}

// quotientOf returns floor(a / b).
func quotientOf(a, b *poly) *poly {
	if len(b.terms) == 0 {
		return nil
	}
	if n, ok := b.constant(); ok && n < 0 {
		minus := constant(-1)
		a, b = times(a, minus), times(b, minus)
	}
	if a == nil || b == nil {
		return nil
	}
	q, r := divided(a, b)
	if q == nil {
		return nil
	}
	if len(r.terms) == 0 {
		return q
	}
	r, b = reduced(r, b) // (q·b + r) / b is q + r / b for every integer q
	lo, _ := r.bounds()
	if over := sum(b, r, -1); over != nil && lo >= 0 {
		if more, _ := over.bounds(); more >= 1 {
			return q
		}
	}
	lo, hi := r.bounds()
	least, most := b.bounds()
	least, most = max(least, 1), max(most, 1)
	lo, hi = min(floorDiv(lo, least), floorDiv(lo, most)), max(floorDiv(hi, least), floorDiv(hi, most))
	if lo == hi {
		return sum(q, constant(lo), 1)
	}
	return sum(q, table.atom(&atom{op: Floor, a: r, b: b, lo: lo, hi: hi}).poly(), 1)
}

// reduced returns two polynomials without the number and the atoms that all of their terms share.
func reduced(a, b *poly) (*poly, *poly) {
	common, shared := int64(0), []*atom(nil)
	for i, t := range append(append([]term(nil), b.terms...), a.terms...) {
		common = gcd(common, t.coef)
		if i == 0 {
			shared = t.atoms
			continue
		}
		var both []*atom
		rest := t.atoms
		for _, s := range shared {
			if left, ok := without(rest, []*atom{s}); ok {
				both, rest = append(both, s), left
			}
		}
		shared = both
	}
	if common <= 1 && len(shared) == 0 {
		return a, b
	}
	cut := func(p *poly) *poly {
		r := &poly{terms: make([]term, len(p.terms))}
		for i, t := range p.terms {
			left, _ := without(t.atoms, shared)
			r.terms[i] = term{t.coef / common, left}
		}
		return r
	}
	return cut(a), cut(b)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// Mod returns a - b·floor(a / b), which has the sign of b.
func Mod[N Int](a, b N) N { return Sub(a, Mul(b, Div(a, b))) }

// CeilDiv returns the least number that is not less than a / b, for a positive b.
func CeilDiv[N Int](a, b N) N {
	if plain(a, b) {
		return Add(Div(Sub(a, 1), b), 1)
	}
	return Div(Add(a, Sub(b, 1)), b)
}

// Divides reports whether b surely divides a.
func Divides[N Int](a, b N) bool { return b != 0 && Mod(a, b) == 0 }

// Min returns the lesser of a and b.
func Min[N Int](a, b N) N { return extreme(a, b, Least) }

// Max returns the greater of a and b.
func Max[N Int](a, b N) N { return extreme(a, b, Greatest) }

func extreme[N Int](a, b N, of Op) N {
	if AtMost(b, a) {
		a, b = b, a
	}
	if AtMost(a, b) {
		if of == Least {
			return a
		}
		return b
	}
	return operation(a, b, func(a, b *poly) *poly {
		if a.key() > b.key() {
			a, b = b, a
		}
		l, h := a.bounds()
		l2, h2 := b.bounds()
		m := &atom{op: of, a: a, b: b, lo: min(l, l2), hi: min(h, h2)}
		if of == Greatest {
			m.lo, m.hi = max(l, l2), max(h, h2)
		}
		return table.atom(m).poly()
	})
}

// AtMost reports whether a is surely not more than b: whatever the symbols are within their
// bounds. That it returns false says nothing.
func AtMost[N Int](a, b N) bool {
	if !IsExpr(a) && !IsExpr(b) {
		return a <= b
	}
	lo, _ := Bounds(Sub(b, a))
	return lo >= 0
}

// Less reports whether a is surely less than b.
func Less[N Int](a, b N) bool {
	if !IsExpr(a) && !IsExpr(b) {
		return a < b
	}
	lo, _ := Bounds(Sub(b, a))
	return lo >= 1
}

// Differ reports whether a and b are surely different numbers.
func Differ[N Int](a, b N) bool { return Less(a, b) || Less(b, a) }

// usual is how many elements a symbol is taken to have where a choice depends on its size.
const usual = 256

// Typical returns a number that d may well be, to choose by between programs that all are right:
// symbols count as 256, or the bound next to that. It is ±Largest where that is beyond it.
func Typical[N Int](d N) N {
	return N(Fold(int64(d), func(d int64) int64 {
		if lo, hi := Bounds(d); lo < hi {
			return min(max(usual, lo), hi)
		}
		return d
	}, func(op Op, x, y int64) int64 {
		switch op {
		case Times:
			return far(x, y)
		case Floor:
			y = max(y, 1)
		}
		return clip(Apply(op, x, y))
	}))
}
