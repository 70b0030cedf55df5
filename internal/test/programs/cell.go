package programs

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Cell returns the text of a recurrent network: steps of a cell, "gru" or "lstm", on
// rows of one input, with as many columns of state as of input.
func Cell(kind string, rows, columns, steps int) string {
	gates := map[string]int{"gru": 3, "lstm": 4}[kind]
	n := network{t: "f32", rows: []int{rows}}
	x, h, c := n.argument(rows, columns), n.argument(rows, columns), n.argument(rows, columns)
	w, u, b := n.argument(columns, gates*columns), n.argument(columns, gates*columns), n.argument(gates*columns)
	all, one := n.tensor(rows, gates*columns), n.tensor(rows, columns)
	product := func(x, w string) string {
		return n.op("dot_general %s, %s, contracting_dims = [1] x [0] : (%s, %s) -> %s", x, w, one, n.tensor(columns, gates*columns), all)
	}
	gate := func(p string, i int) string {
		return n.op("slice %s [0:%d, %d:%d] : (%s) -> %s", p, rows, i*columns, (i+1)*columns, all, one)
	}
	op := func(name string, args ...string) string {
		return n.op("%s %s : %s", name, strings.Join(args, ", "), one)
	}
	bias := n.op("broadcast_in_dim %s, dims = [1] : (%s) -> %s", b, n.tensor(gates*columns), all)
	for range steps {
		p, q := product(x, w), product(h, u)
		p = n.op("add %s, %s : %s", p, bias, all)
		if kind == "gru" {
			r := op("logistic", op("add", gate(p, 0), gate(q, 0)))
			z := op("logistic", op("add", gate(p, 1), gate(q, 1)))
			m := op("tanh", op("add", gate(p, 2), op("multiply", r, gate(q, 2))))
			h = op("add", m, op("multiply", z, op("subtract", h, m)))
			continue
		}
		p = n.op("add %s, %s : %s", p, q, all)
		c = op("add", op("multiply", op("logistic", gate(p, 1)), c), op("multiply", op("logistic", gate(p, 0)), op("tanh", gate(p, 2))))
		h = op("multiply", op("logistic", gate(p, 3)), op("tanh", c))
	}
	return fmt.Sprintf("func.func @main(%s) -> %s {\n%s  return %s : %s\n}", strings.Join(n.args, ", "), one, n.text.String(), h, one)
}

// Recurrent returns the text of one of cells of 1 to 40 columns, of up to three steps.
func Recurrent(r *rand.Rand) string {
	return Cell([]string{"gru", "lstm"}[r.IntN(2)], 20+r.IntN(100), 1+r.IntN(40), 1+r.IntN(3))
}
