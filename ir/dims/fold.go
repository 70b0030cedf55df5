package dims

// Op is an operation of an expression.
type Op uint8

// The operations. Floor divides and rounds down.
const (
	Plus Op = iota
	Times
	Floor
	Least
	Greatest
)

// Apply returns the size that an operation on sizes gives.
func Apply[N Int](op Op, a, b N) N {
	switch op {
	case Plus:
		return Add(a, b)
	case Times:
		return Mul(a, b)
	case Floor:
		return Div(a, b)
	case Least:
		return Min(a, b)
	}
	return Max(a, b)
}

// Fold computes d by the caller's functions: leaf gives the value of a number or a symbol, op
// that of an operation on two values.
func Fold[V any](d int64, leaf func(d int64) V, op func(op Op, x, y V) V) V {
	return foldSize(d, leaf, func(by Op, x, y V, _ *atom) V { return op(by, x, y) })
}

// foldSize is Fold. Op has the atom, too, whose operation it is; nil for sums and products.
func foldSize[V any](d int64, leaf func(d int64) V, op func(op Op, x, y V, of *atom) V) V {
	p := table.at(d)
	if p == nil {
		return leaf(d)
	}
	return foldPoly(p, leaf, op)
}

func foldPoly[V any](p *poly, leaf func(d int64) V, op func(op Op, x, y V, of *atom) V) (all V) {
	if len(p.terms) == 0 {
		return leaf(0)
	}
	for i, t := range p.terms {
		var x V
		if t.coef != 1 || len(t.atoms) == 0 {
			x = leaf(t.coef)
		}
		for k, a := range t.atoms {
			y := foldAtom(a, leaf, op)
			if k == 0 && t.coef == 1 {
				x = y
			} else {
				x = op(Times, x, y, nil)
			}
		}
		if i > 0 {
			x = op(Plus, all, x, nil)
		}
		all = x
	}
	return all
}

func foldAtom[V any](a *atom, leaf func(d int64) V, op func(op Op, x, y V, of *atom) V) V {
	if a.isSymbol() {
		return leaf(table.name(a.poly()))
	}
	return op(a.op, foldPoly(a.a, leaf, op), foldPoly(a.b, leaf, op), a)
}

// Replace returns d with other sizes in place of its symbols.
func Replace[N Int](d N, by func(symbol N) N) N {
	return Fold(int64(d), func(d int64) N {
		if IsExpr(d) {
			return by(N(d))
		}
		return N(d)
	}, Apply[N])
}

// Substitute returns d with a value in place of one symbol.
func Substitute[N Int](d, symbol, value N) N {
	return Replace(d, func(s N) N {
		if s == symbol {
			return value
		}
		return s
	})
}
