package dims

// Solve returns the symbol that is value where a and b are one size, which depends on other
// symbols at most; false if there is none. Of two symbols it is the one of b.
func Solve(a, b int64) (of, value int64, ok bool) {
	p, known := polyOf(Sub(b, a))
	if !known {
		return 0, 0, false
	}
	best := -1
	for i, t := range p.terms {
		if len(t.atoms) == 1 && t.atoms[0].kind == symbol && p.once(t.atoms[0]) && (best < 0 || t.coef == 1 && p.terms[best].coef != 1) {
			best = i
		}
	}
	if best < 0 {
		return 0, 0, false
	}
	t := p.terms[best]
	rest := table.name(sum(p, &poly{terms: []term{{1, t.atoms}}}, -t.coef)) // t.coef·symbol + rest = 0
	if t.coef > 0 {
		rest = Sub(0, rest)
	} else {
		t.coef = -t.coef
	}
	if !Divides(rest, t.coef) {
		return 0, 0, false
	}
	return table.name(t.atoms[0].poly()), Div(rest, t.coef), true
}

// once reports whether a symbol is a factor of one term alone, and of no other atom.
func (p *poly) once(s *atom) bool {
	n := 0
	for _, t := range p.terms {
		for _, a := range t.atoms {
			if a == s {
				n++
			} else if a.kind != symbol && (a.a.has(s) || a.b.has(s)) {
				return false
			}
		}
	}
	return n == 1
}

// has reports whether p depends on a symbol.
func (p *poly) has(s *atom) bool {
	for _, t := range p.terms {
		for _, a := range t.atoms {
			if a == s || a.kind != symbol && (a.a.has(s) || a.b.has(s)) {
				return true
			}
		}
	}
	return false
}

// Substitute returns d where a symbol is a value.
func Substitute[N Int](d, symbol, value N) N {
	p := table.at(int64(d))
	s := table.at(int64(symbol))
	if p == nil || s == nil || s.atom() == nil {
		return d
	}
	return N(p.with(s.atom(), int64(value)))
}

// with returns the size that p is where a symbol is a value.
func (p *poly) with(s *atom, value int64) int64 {
	n := int64(0)
	for _, t := range p.terms {
		x := t.coef
		for _, a := range t.atoms {
			x = Mul(x, a.with(s, value))
		}
		n = Add(n, x)
	}
	return n
}

func (a *atom) with(s *atom, value int64) int64 {
	if a == s {
		return value
	}
	if a.kind == symbol {
		return table.name(a.poly())
	}
	x, y := a.a.with(s, value), a.b.with(s, value)
	switch a.kind {
	case quotient:
		return Div(x, y)
	case minimum:
		return Min(x, y)
	}
	return Max(x, y)
}
