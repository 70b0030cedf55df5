package programs

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Network returns the text of a network of dense layers on rows: their number, the
// layers' widths, what lies between them and the results differ.
func Network(r *rand.Rand) string {
	n := network{r: r, t: []string{"f32", "f64"}[r.IntN(5)/4], rows: []int{20 + r.IntN(200)}}
	if r.IntN(4) == 0 {
		n.rows = []int{1 + r.IntN(4), 20 + r.IntN(60)}
	}
	width := 1 + r.IntN(20)
	x := n.argument(append(n.rows[:len(n.rows):len(n.rows)], width)...)
	for range 1 + r.IntN(4) {
		x, width = n.layer(x, width, 1+r.IntN(40))
		if r.IntN(8) == 0 {
			n.results = append(n.results, x)
			n.types = append(n.types, n.tensor(n.with(width)...))
		}
	}
	for range 1 + r.IntN(2) {
		head, columns := n.layer(x, width, 1+r.IntN(4))
		if r.IntN(3) == 0 {
			head = n.shares(head, columns)
		}
		n.results = append(n.results, head)
		n.types = append(n.types, n.tensor(n.with(columns)...))
	}
	return fmt.Sprintf("func.func @main(%s) -> (%s) {\n  %%z = stablehlo.constant dense<0.0> : tensor<%s>\n%s  return %s : %s\n}",
		strings.Join(n.args, ", "), strings.Join(n.types, ", "), n.t, n.text.String(), strings.Join(n.results, ", "), strings.Join(n.types, ", "))
}

type network struct {
	r              *rand.Rand
	t              string // the dtype
	rows           []int
	args           []string
	text           strings.Builder
	next           int
	results, types []string
}

func (n *network) tensor(shape ...int) string {
	var b strings.Builder
	for _, d := range shape {
		fmt.Fprintf(&b, "%dx", d)
	}
	return "tensor<" + b.String() + n.t + ">"
}

// with returns the shape of rows of so many columns.
func (n *network) with(columns int) []int { return append(n.rows[:len(n.rows):len(n.rows)], columns) }

func (n *network) argument(shape ...int) string {
	name := fmt.Sprintf("%%a%d", len(n.args))
	n.args = append(n.args, name+": "+n.tensor(shape...))
	return name
}

// op adds an op and returns its result.
func (n *network) op(format string, args ...any) string {
	name := fmt.Sprintf("%%%d", n.next)
	n.next++
	fmt.Fprintf(&n.text, "  %s = stablehlo.%s\n", name, fmt.Sprintf(format, args...))
	return name
}

// layer adds a product with a matrix, and what may follow it.
func (n *network) layer(x string, in, out int) (string, int) {
	last := len(n.rows)
	from, to := n.tensor(n.with(in)...), n.tensor(n.with(out)...)
	var y string
	if n.r.IntN(2) == 0 {
		y = n.op("dot_general %s, %s, contracting_dims = [%d] x [0] : (%s, %s) -> %s", x, n.argument(in, out), last, from, n.tensor(in, out), to)
	} else {
		y = n.op("dot_general %s, %s, contracting_dims = [%d] x [1] : (%s, %s) -> %s", x, n.argument(out, in), last, from, n.tensor(out, in), to)
	}
	if n.r.IntN(3) > 0 {
		b := n.op("broadcast_in_dim %s, dims = [%d] : (%s) -> %s", n.argument(out), last, n.tensor(out), to)
		y = n.op("add %s, %s : %s", y, b, to)
	}
	switch n.r.IntN(5) {
	case 0:
		z := n.op("broadcast_in_dim %%z, dims = [] : (tensor<%s>) -> %s", n.t, to)
		y = n.op("maximum %s, %s : %s", y, z, to)
	case 1:
		y = n.op("tanh %s : %s", y, to)
	case 2:
		y = n.op("logistic %s : %s", y, to)
	case 3:
		if in == out {
			y = n.op("add %s, %s : %s", y, x, to)
		}
	}
	return y, out
}

// shares divides each row by what it sums to, of exponentials.
func (n *network) shares(x string, columns int) string {
	t, sums := n.tensor(n.with(columns)...), n.tensor(n.rows...)
	y := n.op("tanh %s : %s", x, t)
	y = n.op("exponential %s : %s", y, t)
	s := n.op("reduce(%s init: %%z) applies stablehlo.add across dimensions = [%d] : (%s, tensor<%s>) -> %s", y, len(n.rows), t, n.t, sums)
	dims := strings.Trim(strings.Join(strings.Fields(fmt.Sprint([]int{0, 1}[:len(n.rows)])), ", "), "[]")
	b := n.op("broadcast_in_dim %s, dims = [%s] : (%s) -> %s", s, dims, sums, t)
	return n.op("divide %s, %s : %s", y, b, t)
}
