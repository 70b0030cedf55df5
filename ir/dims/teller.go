package dims

// Teller is a dimension that tells a symbol: it is By times the symbol, and Plus more.
type Teller[N Int] struct {
	Of, Axis int // the shape, and the axis of it
	By, Plus N
}

// TellerOf returns the first dimension of shapes that is a symbol, else the first that is a number times
// it, and another more. By is 0 if there is none.
func TellerOf[N Int](symbol N, shapes [][]N) (t Teller[N]) {
	for i, shape := range shapes {
		for axis, d := range shape {
			if d == symbol {
				return Teller[N]{i, axis, 1, 0}
			}
			if t.By != 0 {
				continue
			}
			plus := Substitute(d, symbol, 0)
			if by, of, ok := Scaled(Sub(d, plus)); ok && of == symbol && !IsExpr(plus) {
				t = Teller[N]{i, axis, by, plus}
			}
		}
	}
	return t
}
