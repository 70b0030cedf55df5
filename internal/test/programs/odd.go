package programs

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Odd returns a program of about n ops whose results are exact, on tensors that few
// programs have. Tensors are without elements or of up to a dozen dimensions, most of which
// have one or two elements. Indices are of every integer type, and some arguments are
// extreme.
func Odd(r *rand.Rand, n int) Program {
	p := &program{Rand: r, most: 3000, odd: true}
	extreme := r.IntN(2) == 0
	p.begin(slices.Concat(floatElems, intElems, []string{"i1"})...)
	for len(p.lines) < n {
		if r.IntN(3) > 0 {
			p.step()
		} else {
			pickOne(r, p.gatherRows, p.scatterRows, p.window, p.reverse, p.choice, p.bits, p.exactReduce, p.sort, p.sort)()
		}
	}
	return Program{Text: p.end(), Extreme: extreme}
}

// oddShape is a shape of up to so many dimensions, now and then of no element.
func (p *program) oddShape(rank int) []int {
	s := make([]int, p.IntN(rank+1))
	for i := range s {
		if s[i] = pickOne(p.Rand, 1, 1, 2, 2, 3, 5); s[i]*elements(s[:i]) > p.most/4 {
			s[i] = 1
		}
	}
	if len(s) > 0 && p.IntN(6) == 0 {
		s[p.IntN(len(s))] = 0
	}
	return s
}

// without is a shape of no element.
func (p *program) without() []int {
	s := append(p.oddShape(4), 0)
	p.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	return s
}

// dims is how many dimensions a value has at most that is broadcast.
func (p *program) dims() int {
	if p.odd {
		return 10
	}
	return 4
}

// part chooses a range of n elements, of odd programs one that may be empty.
func (p *program) part(n int) (from, to int) {
	if p.odd {
		from = p.IntN(n + 1)
		return from, from + p.IntN(n-from+1)
	}
	from = p.IntN(n)
	return from, from + 1 + p.IntN(n-from)
}

// length is how long a part of n elements is, of odd programs perhaps 0.
func (p *program) length(n int) int {
	if p.odd {
		return p.IntN(n + 1)
	}
	return 1 + p.IntN(n)
}

// sort sorts integers, with the place that each was at, or keeps the first few: equal
// ones stay in order. Nobody says which NaN is computed, so floats are not sorted.
func (p *program) sort() {
	v, ok := p.find(func(v value) bool { return isIntElem(v.elem) && len(v.shape) > 0 })
	if !ok {
		return
	}
	d, n := p.IntN(len(v.shape)), p.next
	at := p.emit("i32", v.shape, "iota dim = %d : %s", d, tensorText("i32", v.shape))
	sorted := func(i int) value { return value{fmt.Sprintf("%%s%d#%d", n, i), []string{v.elem, "i32"}[i], v.shape} }
	p.lines = append(p.lines, fmt.Sprintf(`  %%s%[1]d:2 = "stablehlo.sort"(%[2]s, %[3]s) <{dimension = %[4]d : i64, is_stable = true}> ({
  ^bb0(%%sa%[1]d: tensor<%[5]s>, %%sb%[1]d: tensor<%[5]s>, %%sc%[1]d: tensor<i32>, %%sd%[1]d: tensor<i32>):
    %%sr%[1]d = stablehlo.compare %[6]s, %%sa%[1]d, %%sb%[1]d : (tensor<%[5]s>, tensor<%[5]s>) -> tensor<i1>
    stablehlo.return %%sr%[1]d : tensor<i1>
  }) : (%[7]s, %[8]s) -> (%[7]s, %[8]s)`, n, v.name, at.name, d, v.elem, pickOne(p.Rand, "LT", "GT"), v.typ(), at.typ()))
	for i := range 2 {
		w := sorted(i)
		p.values = append(p.values, w)
		if p.IntN(2) == 0 { // the first few
			p.values = p.values[:len(p.values)-1]
			shape, parts := slices.Clone(w.shape), ""
			shape[d] = p.IntN(shape[d] + 1)
			for _, size := range shape {
				parts += fmt.Sprintf(", 0:%d", size)
			}
			p.emit(w.elem, shape, "slice %s [%s] : (%s) -> %s", w.name, parts[2:], w.typ(), tensorText(w.elem, shape))
		}
	}
}
