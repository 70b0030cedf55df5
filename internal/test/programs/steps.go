package programs

import (
	"fmt"
	"slices"
	"strings"
)

func list(v []int) string { return strings.ReplaceAll(fmt.Sprint(v), " ", ", ") }

// step writes an op or a few.
func (p *program) step() {
	if p.complex && p.IntN(4) == 0 {
		pickOne(p.Rand, p.complexOf, p.partOf)()
		return
	}
	pickOne(p.Rand, p.unary, p.binary, p.binary, p.binary, p.reshape, p.reshape, p.transpose, p.broadcast, p.broadcast,
		p.reduce, p.slice, p.concatenate, p.pad, p.compare, p.choose, p.convert, p.dot, p.dot, p.dynamic, p.branch, p.loop, p.clamp)()
}

func (p *program) unary() {
	v := p.any()
	names := []string{"negate", "abs", "sign"}
	switch {
	case isComplexElem(v.elem):
		names = []string{"negate", "negate", "negate", "cbrt"} // the last one has no rule
	case v.elem == "i1":
		names = []string{"not"}
	case isFloatElem(v.elem):
		names = append(names, "floor", "ceil", "round_nearest_even", "sqrt", "negate")
	case v.elem[0] == 'u':
		names = []string{"not", "popcnt", "negate"}
	default:
		names = append(names, "not", "negate")
	}
	p.emit(v.elem, v.shape, "%s %s : %s", pickOne(p.Rand, names...), v.name, v.typ())
}

func (p *program) binary() {
	v := p.any()
	w := p.like(v.elem, v.shape)
	names := []string{"add", "multiply", "maximum", "minimum"}
	switch {
	case v.elem == "complex<f32>": // products are rounded otherwise
		names = []string{"add", "subtract", "maximum", "minimum"}
	case v.elem == "complex<f64>":
		names = append(names, "subtract")
	case v.elem == "i1":
		names = append(names, "and", "or", "xor")
	case isFloatElem(v.elem):
		names = append(names, "subtract", "divide", "subtract", "divide")
	default:
		names = append(names, "subtract", "and", "or", "xor", "shift_left", "shift_right_logical", "divide", "remainder")
	}
	if p.IntN(2) == 0 {
		v, w = w, v
	}
	p.emit(v.elem, v.shape, "%s %s, %s : %s", pickOne(p.Rand, names...), v.name, w.name, v.typ())
}

// divisors are those of n, in any order.
func (p *program) divisors(n int) []int {
	var all []int
	for _, f := range p.Perm(min(n, 300)) {
		if f++; n%f == 0 {
			if all = append(all, f); n > 300 {
				all = append(all, n/f)
			}
		}
	}
	return all
}

// factored is another shape of n elements.
func (p *program) factored(n int) []int {
	if n == 0 {
		return p.without()
	}
	shape := []int{}
	for n > 1 || p.IntN(3) == 0 {
		d := 1
		for _, f := range p.divisors(n) {
			if n%f == 0 && (f > 1 || p.IntN(3) == 0) {
				d = f
				break
			}
		}
		shape, n = append(shape, d), n/d
		if len(shape) > 5 {
			return append(shape, n)
		}
	}
	return shape
}

func (p *program) reshape() {
	v := p.any()
	shape := p.factored(elements(v.shape))
	p.emit(v.elem, shape, "reshape %s : (%s) -> %s", v.name, v.typ(), tensorText(v.elem, shape))
}

func (p *program) transpose() {
	v := p.any()
	perm := p.Perm(len(v.shape))
	shape := make([]int, len(perm))
	for i, d := range perm {
		shape[i] = v.shape[d]
	}
	p.emit(v.elem, shape, "transpose %s, dims = %s : (%s) -> %s", v.name, list(perm), v.typ(), tensorText(v.elem, shape))
}

func (p *program) broadcast() {
	v, ok := p.find(func(v value) bool { return len(v.shape) < p.dims() && elements(v.shape) < p.some()*2/3 })
	if !ok {
		return
	}
	shape := slices.Clone(v.shape)
	for range p.IntN(3) {
		shape = slices.Insert(shape, p.IntN(len(shape)+1), pickOne(p.Rand, 1, 2, 3, 4))
	}
	for i, d := range shape {
		if d == 1 && p.IntN(2) == 0 {
			shape[i] = pickOne(p.Rand, 1, 2, 3)
		}
	}
	if elements(shape) > 2*p.most {
		return
	}
	if to, ok := p.places(v.shape, shape); ok {
		p.emit(v.elem, shape, "broadcast_in_dim %s, dims = %s : (%s) -> %s", v.name, list(to), v.typ(), tensorText(v.elem, shape))
	}
}

func (p *program) reduce() {
	v := p.any()
	over, left := []int{}, []int{}
	for d := range v.shape {
		if p.IntN(2) == 0 {
			over = append(over, d)
		} else {
			left = append(left, v.shape[d])
		}
	}
	names := []string{"maximum", "minimum"}
	switch {
	case v.elem == "i1":
		names = append(names, "and", "or", "xor")
	case isIntElem(v.elem):
		names = append(names, "add", "multiply", "and", "or", "xor")
	}
	init := p.constant(v.elem, nil)
	p.emit(v.elem, left, "reduce(%s init: %s) applies stablehlo.%s across dimensions = %s : (%s, %s) -> %s",
		v.name, init.name, pickOne(p.Rand, names...), list(over), v.typ(), init.typ(), tensorText(v.elem, left))
}

func (p *program) slice() {
	v := p.any()
	shape := make([]int, len(v.shape))
	var parts []string
	for i, n := range v.shape {
		from, to := p.part(n)
		step := 1 + p.IntN(2)
		if p.IntN(2) == 0 {
			from, to, step = 0, n, 1
		}
		shape[i] = (to - from + step - 1) / step
		parts = append(parts, fmt.Sprintf("%d:%d:%d", from, to, step))
	}
	p.emit(v.elem, shape, "slice %s [%s] : (%s) -> %s", v.name, strings.Join(parts, ", "), v.typ(), tensorText(v.elem, shape))
}

func (p *program) concatenate() {
	v, ok := p.find(func(v value) bool { return len(v.shape) > 0 && elements(v.shape) < p.some() })
	if !ok {
		return
	}
	d := p.IntN(len(v.shape))
	shape := slices.Clone(v.shape)
	shape[d] = 0
	var names, types []string
	for range 1 + p.IntN(3) {
		w, ok := p.find(func(w value) bool {
			s := slices.Clone(w.shape)
			if len(s) == len(v.shape) {
				s[d] = v.shape[d]
			}
			return w.elem == v.elem && slices.Equal(s, v.shape)
		})
		if !ok {
			w = v
		}
		shape[d] += w.shape[d]
		names, types = append(names, w.name), append(types, w.typ())
	}
	p.emit(v.elem, shape, "concatenate %s, dim = %d : (%s) -> %s", strings.Join(names, ", "), d, strings.Join(types, ", "), tensorText(v.elem, shape))
}

func (p *program) pad() {
	v, ok := p.find(func(v value) bool { return elements(v.shape) < p.some() })
	if !ok {
		return
	}
	low, high, inner := make([]int, len(v.shape)), make([]int, len(v.shape)), make([]int, len(v.shape))
	shape := slices.Clone(v.shape)
	for i := range shape {
		low[i], high[i] = p.IntN(3)-1, p.IntN(3)-1
		if p.IntN(4) == 0 {
			inner[i] = 1
		}
		if shape[i] += low[i] + high[i] + max(shape[i]-1, 0)*inner[i]; shape[i] < 0 || shape[i] == 0 && !p.odd {
			return
		}
	}
	z := p.constant(v.elem, nil)
	p.emit(v.elem, shape, "pad %s, %s, low = %s, high = %s, interior = %s : (%s, %s) -> %s", v.name, z.name, list(low), list(high), list(inner), v.typ(), z.typ(), tensorText(v.elem, shape))
}

func (p *program) compare() {
	v := p.any()
	w := p.like(v.elem, v.shape)
	p.emit("i1", v.shape, "compare %s, %s, %s : (%s, %s) -> %s", pickOne(p.Rand, "EQ", "NE", "LT", "LE", "GT", "GE"), v.name, w.name, v.typ(), v.typ(), tensorText("i1", v.shape))
}

func (p *program) choose() {
	c, ok := p.find(func(v value) bool { return v.elem == "i1" })
	if !ok {
		return
	}
	x, ok := p.find(func(v value) bool { return slices.Equal(v.shape, c.shape) || len(c.shape) == 0 })
	if !ok {
		return
	}
	y := p.like(x.elem, x.shape)
	if p.IntN(2) == 0 {
		x, y = y, x
	}
	p.emit(x.elem, x.shape, "select %s, %s, %s : %s, %s", c.name, x.name, y.name, c.typ(), x.typ())
}

func (p *program) convert() {
	v := p.any()
	if isComplexElem(v.elem) {
		return
	}
	elem := pickOne(p.Rand, "f32", "f64", "bf16", "f16", "i32", "i64", "ui8", "ui32", "ui64", "i8", "i16", "ui16", "i1")
	p.emit(elem, v.shape, "convert %s : (%s) -> %s", v.name, v.typ(), tensorText(elem, v.shape))
}

func (p *program) clamp() {
	v := p.any()
	shape := v.shape
	if p.IntN(2) == 0 {
		shape = nil
	}
	if v.elem == "i1" || isComplexElem(v.elem) {
		return
	}
	lo, hi := p.like(v.elem, shape), p.constant(v.elem, shape)
	p.emit(v.elem, v.shape, "clamp %s, %s, %s : (%s, %s, %s) -> %s", lo.name, v.name, hi.name, lo.typ(), v.typ(), hi.typ(), v.typ())
}

// dot multiplies integers, whose sums are the same in every order.
func (p *program) dot() {
	v, ok := p.find(func(v value) bool { return isIntElem(v.elem) && elements(v.shape) < p.some() })
	if !ok {
		return
	}
	kinds := make([]int, len(v.shape)) // 0: free, 1: contracted, 2: batch
	other := []int{}
	for i := range kinds {
		if kinds[i] = p.IntN(3); kinds[i] > 0 {
			other = append(other, v.shape[i])
		}
	}
	shape2 := append(slices.Clone(other), p.shape(2)...)
	if elements(shape2) > p.most {
		return
	}
	w := p.like(v.elem, shape2)
	w2 := w
	perm := p.Perm(len(w.shape))
	shape := make([]int, len(perm))
	at := make([]int, len(perm))
	for i, d := range perm {
		shape[i] = w.shape[d]
		at[d] = i
	}
	w2 = p.emit(w.elem, shape, "transpose %s, dims = %s : (%s) -> %s", w.name, list(perm), w.typ(), tensorText(w.elem, shape))
	var lb, rb, lc, rc []int
	k := 0
	for i, kind := range kinds {
		switch kind {
		case 1:
			lc, rc = append(lc, i), append(rc, at[k])
		case 2:
			lb, rb = append(lb, i), append(rb, at[k])
		}
		if kind > 0 {
			k++
		}
	}
	out := []int{}
	for _, d := range lb {
		out = append(out, v.shape[d])
	}
	for i, d := range v.shape {
		if kinds[i] == 0 {
			out = append(out, d)
		}
	}
	for i, d := range w2.shape {
		if !slices.Contains(rb, i) && !slices.Contains(rc, i) {
			out = append(out, d)
		}
	}
	if elements(out) > p.most {
		return
	}
	dims := ""
	if len(lb) > 0 {
		dims = fmt.Sprintf("batching_dims = %s x %s, ", list(lb), list(rb))
	}
	p.emit(v.elem, out, "dot_general %s, %s, %scontracting_dims = %s x %s : (%s, %s) -> %s", v.name, w2.name, dims, list(lc), list(rc), v.typ(), w2.typ(), tensorText(v.elem, out))
}

// dynamic takes or replaces a part at a place that is a constant or not.
func (p *program) dynamic() {
	v, ok := p.find(func(v value) bool { return len(v.shape) > 0 })
	if !ok {
		return
	}
	part := make([]int, len(v.shape))
	var starts, types []string
	elem := "i32"
	if p.odd {
		elem = pickOne(p.Rand, intElems...)
	}
	for i, n := range v.shape {
		part[i] = p.length(n)
		if p.IntN(3) == 0 {
			part[i] = n
		}
		s := p.like(elem, nil)
		starts, types = append(starts, s.name), append(types, s.typ())
	}
	if p.IntN(2) == 0 {
		p.emit(v.elem, part, "dynamic_slice %s, %s, sizes = %s : (%s, %s) -> %s", v.name, strings.Join(starts, ", "), list(part), v.typ(), strings.Join(types, ", "), tensorText(v.elem, part))
		return
	}
	u := p.like(v.elem, part)
	p.emit(v.elem, v.shape, "dynamic_update_slice %s, %s, %s : (%s, %s, %s) -> %s", v.name, u.name, strings.Join(starts, ", "), v.typ(), u.typ(), strings.Join(types, ", "), v.typ())
}

// branch writes an if, the branches of which are a few ops.
func (p *program) branch() {
	c, ok := p.find(func(v value) bool { return v.elem == "i1" && len(v.shape) == 0 })
	if !ok {
		c = p.constant("i1", nil)
	}
	v := p.any()
	outer, values := p.lines, p.values
	var regions []string
	for range 2 {
		p.lines, p.values = nil, slices.Clone(values)
		for range p.IntN(3) {
			p.step()
		}
		w := p.like(v.elem, v.shape)
		regions = append(regions, fmt.Sprintf("{\n%s\n  stablehlo.return %s : %s\n  }", strings.Join(p.lines, "\n"), w.name, w.typ()))
	}
	p.lines, p.values = outer, values
	r := value{fmt.Sprintf("%%%d", p.next), v.elem, v.shape}
	p.next++
	p.lines = append(p.lines, fmt.Sprintf("  %s = \"stablehlo.if\"(%s) (%s) : (tensor<i1>) -> %s", r.name, c.name, strings.Join(regions, ", "), r.typ()))
	p.values = append(p.values, r)
}

// loop writes a while that turns up to three times. Some of its values the body
// hands on as they are, some nobody uses.
func (p *program) loop() {
	start, end, step := p.constant("i32", nil), pickOne(p.Rand, 0, 2, 3), p.next
	carried := []value{start}
	for range 1 + p.IntN(3) {
		carried = append(carried, p.any())
	}
	var args, types []string
	outer, values := p.lines, p.values
	p.lines, p.values = nil, slices.Clone(values)
	inner := make([]value, len(carried))
	for i, v := range carried {
		inner[i] = value{fmt.Sprintf("%%w%d_%d", step, i), v.elem, v.shape}
		if args, types = append(args, inner[i].name+" = "+v.name), append(types, v.typ()); i > 0 {
			p.values = append(p.values, inner[i])
		}
	}
	for range p.IntN(4) {
		p.step()
	}
	next := []string{"%t" + fmt.Sprint(step)}
	for _, v := range inner[1:] {
		next = append(next, pickOne(p.Rand, v, p.like(v.elem, v.shape)).name)
	}
	body := p.lines
	p.lines, p.values = outer, values
	r := fmt.Sprintf("%%%d", p.next)
	p.next++
	p.lines = append(p.lines, strings.ReplaceAll(fmt.Sprintf(`  %s:%d = stablehlo.while(%s) : %s
  cond {
    %%nID = stablehlo.constant dense<%d> : tensor<i32>
    %%cID = stablehlo.compare LT, %s, %%nID : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %%cID : tensor<i1>
  } do {
    %%oneID = stablehlo.constant dense<1> : tensor<i32>
    %%zeroID = stablehlo.constant dense<0> : tensor<i32>
    %%atID = stablehlo.maximum %s, %%zeroID : tensor<i32>
    %s = stablehlo.add %%atID, %%oneID : tensor<i32>
%s
    stablehlo.return %s : %s
  }`, r, len(carried), strings.Join(args, ", "), strings.Join(types, ", "), end, inner[0].name, inner[0].name, next[0],
		strings.Join(body, "\n"), strings.Join(next, ", "), strings.Join(types, ", ")), "ID", fmt.Sprint(step)))
	for i, v := range carried {
		p.values = append(p.values, value{fmt.Sprintf("%s#%d", r, i), v.elem, v.shape})
	}
}
