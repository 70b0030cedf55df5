package dims

// Binding is the dimension of a shape that a symbol gets its value from: By times the symbol, plus Plus.
type Binding[N Int] struct {
	Of, Axis int // the shape, and the axis of it
	By, Plus N
}

// BindingOf returns the first dimension of shapes that is a symbol, else the first that is a number times
// it plus a number. By is 0 if there is none.
func BindingOf[N Int](symbol N, shapes [][]N) (t Binding[N]) {
	for i, shape := range shapes {
		for axis, d := range shape {
			if d == symbol {
				return Binding[N]{i, axis, 1, 0}
			}
			if t.By != 0 {
				continue
			}
			plus := Substitute(d, symbol, 0)
			if by, of, ok := Scaled(Sub(d, plus)); ok && of == symbol && !IsExpr(plus) {
				t = Binding[N]{i, axis, by, plus}
			}
		}
	}
	return t
}
