package dims

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
