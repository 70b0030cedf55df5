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

// Fold computes d by the caller's functions: leaf gives the value of a number or a symbol, op
// that of an operation on two values, the sizes of which are a and b.
func Fold[V any](d int64, leaf func(d int64) V, op func(op Op, a, b int64, x, y V) V) V {
	p := table.at(d)
	if p == nil {
		return leaf(d)
	}
	var all V
	sofar := int64(0)
	for i, t := range p.terms {
		n := t.coef
		x := leaf(n)
		for k, a := range t.atoms {
			name := table.name(a.poly())
			y := foldAtom(a, name, leaf, op)
			if k == 0 && t.coef == 1 {
				n, x = name, y
				continue
			}
			x = op(Times, n, name, x, y)
			n = Mul(n, name)
		}
		if i == 0 {
			all, sofar = x, n
			continue
		}
		all = op(Plus, sofar, n, all, x)
		sofar = Add(sofar, n)
	}
	return all
}

func foldAtom[V any](a *atom, name int64, leaf func(d int64) V, op func(op Op, a, b int64, x, y V) V) V {
	if a.kind == symbol {
		return leaf(name)
	}
	x, y := table.name(a.a), table.name(a.b)
	return op(map[kind]Op{quotient: Floor, minimum: Least, maximum: Greatest}[a.kind], x, y, Fold(x, leaf, op), Fold(y, leaf, op))
}
