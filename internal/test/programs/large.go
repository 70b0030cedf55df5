package programs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Program is a random program, and how its runs can be compared.
type Program struct {
	Text string
	// Near says which results hold numbers that two right ways to compute them
	// give differently in their last digits: sums in any order, functions that
	// are not exact. Nothing that jumps is computed of these.
	Near []bool
	// Extreme asks for arguments with NaNs, infinities, the smallest and the
	// largest numbers.
	Extreme bool
}

// sizes are what dimensions of large programs have: around the widths of
// vectors, tiles and blocks, and odd ones.
var sizes = []int{1, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128, 129, 130, 255, 256, 257}

// Large returns a program of about n ops on tensors of all kinds of sizes, with
// more ops than [Random] has: gathers, scatters, windows, sums and products of
// floats, functions. Tensors have up to most elements, a few times 1000 at least.
func Large(r *rand.Rand, n, most int) Program {
	p := &program{Rand: r, most: most, large: true}
	extreme := r.IntN(3) == 0
	p.begin("f32", "f32", "f64", "i32", "i32", "i1", "bf16", "f16", "ui32", "i64", "ui8", "ui64", "i8", "i8", "i16", "ui16")
	for len(p.lines) < n {
		if r.IntN(3) == 0 {
			p.nearStep()
		} else {
			p.largeStep()
		}
	}
	var names, types []string
	var near []bool
	for range 1 + r.IntN(4) {
		v, isNear := p.any(), false
		if len(p.near) > 0 && r.IntN(2) == 0 {
			v, isNear = p.near[max(0, len(p.near)-1-r.IntN(4))], true
		}
		names, types, near = append(names, v.name), append(types, v.typ()), append(near, isNear)
	}
	return Program{p.text(names, types), near, extreme}
}

// largeStep writes an op or a few whose results are exact.
func (p *program) largeStep() {
	if p.IntN(4) > 0 {
		p.step()
		return
	}
	pickOne(p.Rand, p.gatherRows, p.scatterRows, p.window, p.reverse, p.choice, p.bits, p.exactReduce)()
}

// nearStep writes an op or a few whose results are near.
func (p *program) nearStep() {
	if len(p.near) == 0 || p.IntN(3) == 0 {
		pickOne(p.Rand, p.function, p.sum, p.sum, p.product, p.product, p.softmax, p.windowSum, p.scatterSum)()
		return
	}
	exact := p.values
	p.values, p.near = p.near, nil
	pickOne(p.Rand, p.reshape, p.transpose, p.broadcast, p.slice, p.concatenate, p.pad, p.reverse, p.smooth, p.smooth, p.smooth, p.smooth)()
	p.values, p.near = exact, p.values
}

// nearly counts what was written last as near.
func (p *program) nearly(v value) {
	p.values = slices.DeleteFunc(p.values, func(w value) bool { return w.name == v.name })
	if elements(v.shape) <= p.most {
		p.near = append(p.near, v)
	}
}

// float is an exact float between -8 and 8, or NaN.
func (p *program) float() (value, bool) {
	v, ok := p.find(func(v value) bool { return isFloatElem(v.elem) })
	if !ok {
		return v, false
	}
	lo := p.emit(v.elem, nil, "constant dense<-8.0> : tensor<%s>", v.elem)
	hi := p.emit(v.elem, nil, "constant dense<8.0> : tensor<%s>", v.elem)
	return p.emit(v.elem, v.shape, "clamp %s, %s, %s : (%s, %s, %s) -> %s", lo.name, v.name, hi.name, lo.typ(), v.typ(), hi.typ(), v.typ()), true
}

// smooth is an elementwise op that does not jump.
func (p *program) smooth() {
	v := p.any()
	if !isFloatElem(v.elem) {
		return
	}
	switch p.IntN(5) {
	case 0:
		p.emit(v.elem, v.shape, "%s %s : %s", pickOne(p.Rand, "negate", "abs"), v.name, v.typ())
	case 1:
		c := p.emit(v.elem, v.shape, "constant dense<%s> : %s", pickOne(p.Rand, "0.5", "-1.0", "0.25"), v.typ())
		p.emit(v.elem, v.shape, "multiply %s, %s : %s", v.name, c.name, v.typ())
	case 2:
		to := pickOne(p.Rand, "f32", "f64", v.elem)
		p.emit(to, v.shape, "convert %s : (%s) -> %s", v.name, v.typ(), tensorText(to, v.shape))
	default:
		w := p.like(v.elem, v.shape)
		p.emit(v.elem, v.shape, "%s %s, %s : %s", pickOne(p.Rand, "add", "subtract", "maximum", "minimum"), v.name, w.name, v.typ())
	}
}

func (p *program) function() {
	v, ok := p.float()
	if !ok {
		return
	}
	if p.IntN(8) == 0 {
		p.nearly(p.raw(v.elem, v.shape, "chlo.erf %s : %s -> %s", v.name, v.typ(), v.typ()))
		return
	}
	if p.IntN(8) == 0 {
		w := p.like(v.elem, v.shape)
		p.nearly(p.emit(v.elem, v.shape, "atan2 %s, %s : %s", v.name, w.name, v.typ()))
		return
	}
	p.nearly(p.emit(v.elem, v.shape, "%s %s : %s", pickOne(p.Rand, "exponential", "log", "tanh", "logistic", "sine", "cosine", "log_plus_one",
		"rsqrt", "cbrt", "exponential_minus_one", "tan"), v.name, v.typ()))
}

// across chooses dimensions to reduce, and what is left.
func (p *program) across(v value) (over, left []int) {
	over, left = []int{}, []int{}
	for d := range v.shape {
		if p.IntN(2) == 0 {
			over = append(over, d)
		} else {
			left = append(left, v.shape[d])
		}
	}
	return over, left
}

func (p *program) reduceOf(v value, name string, init value, over, left []int) value {
	return p.emit(v.elem, left, "reduce(%s init: %s) applies stablehlo.%s across dimensions = %s : (%s, %s) -> %s",
		v.name, init.name, name, list(over), v.typ(), init.typ(), tensorText(v.elem, left))
}

func (p *program) zero(elem string) value {
	return p.emit(elem, nil, "constant dense<0.0> : tensor<%s>", elem)
}

// wide is a float of a type whose sums keep digits enough to be compared.
func (p *program) wide() (value, bool) {
	v, ok := p.float()
	if !ok || v.elem == "f32" || v.elem == "f64" {
		return v, ok
	}
	return p.emit("f32", v.shape, "convert %s : (%s) -> %s", v.name, v.typ(), tensorText("f32", v.shape)), true
}

func (p *program) sum() {
	if v, ok := p.wide(); ok {
		over, left := p.across(v)
		p.nearly(p.reduceOf(v, "add", p.zero(v.elem), over, left))
	}
}

// softmax writes a softmax, a mean or a variance along a dimension.
func (p *program) softmax() {
	v, ok := p.wide()
	if !ok || len(v.shape) == 0 {
		return
	}
	d := len(v.shape) - 1
	if p.IntN(3) == 0 {
		d = p.IntN(len(v.shape))
	}
	left, dims := slices.Delete(slices.Clone(v.shape), d, d+1), []int{}
	for i := range v.shape {
		if i != d {
			dims = append(dims, i)
		}
	}
	spread := func(w value) value {
		return p.emit(v.elem, v.shape, "broadcast_in_dim %s, dims = %s : (%s) -> %s", w.name, list(dims), w.typ(), v.typ())
	}
	exact := len(p.values)
	if p.IntN(2) == 0 {
		low := p.emit(v.elem, nil, "constant dense<%s> : tensor<%s>", map[string]string{"f32": "0xFF800000", "f64": "0xFFF0000000000000"}[v.elem], v.elem)
		most := spread(p.reduceOf(v, "maximum", low, []int{d}, left))
		x := p.emit(v.elem, v.shape, "subtract %s, %s : %s", v.name, most.name, v.typ())
		exact = len(p.values)
		x = p.emit(v.elem, v.shape, "exponential %s : %s", x.name, v.typ())
		s := spread(p.reduceOf(x, "add", p.zero(v.elem), []int{d}, left))
		p.emit(v.elem, v.shape, "divide %s, %s : %s", x.name, s.name, v.typ())
	} else {
		s := p.reduceOf(v, "add", p.zero(v.elem), []int{d}, left)
		n := p.emit(v.elem, left, "constant dense<%d.0> : %s", v.shape[d], s.typ())
		m := spread(p.emit(v.elem, left, "divide %s, %s : %s", s.name, n.name, s.typ()))
		x := p.emit(v.elem, v.shape, "subtract %s, %s : %s", v.name, m.name, v.typ())
		p.emit(v.elem, v.shape, "multiply %s, %s : %s", x.name, x.name, v.typ())
	}
	p.near, p.values = append(p.near, p.values[exact:]...), p.values[:exact:exact]
}

// product multiplies floats: with batches, and with what is summed anywhere.
func (p *program) product() {
	elem := pickOne(p.Rand, "f32", "f32", "f64", "bf16", "f16")
	n := func() int {
		for {
			if s := pickOne(p.Rand, sizes...); s*s*s <= 64*p.most {
				return s
			}
		}
	}
	type dim struct {
		size int
		kind byte // b: batch, k: summed, m: left, n: right
	}
	var l, r []dim
	both := func(kind byte, size int) {
		l, r = slices.Insert(l, p.IntN(len(l)+1), dim{size, kind}), slices.Insert(r, p.IntN(len(r)+1), dim{size, kind})
	}
	if p.IntN(3) == 0 {
		both('b', pickOne(p.Rand, 1, 2, 3, 8))
	}
	if p.IntN(12) > 0 {
		both('k', n())
	}
	if p.IntN(12) > 0 {
		l = slices.Insert(l, p.IntN(len(l)+1), dim{n(), 'm'})
	}
	if p.IntN(12) > 0 {
		r = slices.Insert(r, p.IntN(len(r)+1), dim{n(), 'n'})
	}
	shape := func(dims []dim) []int {
		s := []int{}
		for _, d := range dims {
			s = append(s, d.size)
		}
		return s
	}
	at := func(dims []dim, kind byte) []int {
		i := slices.IndexFunc(dims, func(d dim) bool { return d.kind == kind })
		if i < 0 {
			return []int{}
		}
		return []int{i}
	}
	if elements(shape(l)) > p.most || elements(shape(r)) > p.most {
		return
	}
	a, b := p.floatLike(elem, shape(l)), p.floatLike(elem, shape(r))
	out := []int{}
	for _, i := range at(l, 'b') {
		out = append(out, l[i].size)
	}
	for _, i := range at(l, 'm') {
		out = append(out, l[i].size)
	}
	for _, i := range at(r, 'n') {
		out = append(out, r[i].size)
	}
	if elements(out) > p.most {
		return
	}
	dims := ""
	if len(at(l, 'b')) > 0 {
		dims = fmt.Sprintf("batching_dims = %s x %s, ", list(at(l, 'b')), list(at(r, 'b')))
	}
	to := elem
	if elem == "bf16" || elem == "f16" { // halves sum in f32
		to = "f32"
	}
	p.nearly(p.emit(to, out, "dot_general %s, %s, %scontracting_dims = %s x %s : (%s, %s) -> %s", a.name, b.name, dims,
		list(at(l, 'k')), list(at(r, 'k')), a.typ(), b.typ(), tensorText(to, out)))
}

// floatLike is a float of a type between -8 and 8, or NaN: what there is in
// another shape, or numbers that differ from row to row and column to column.
func (p *program) floatLike(elem string, shape []int) value {
	v := p.like(elem, shape)
	if n := len(p.lines); n > 0 && strings.HasPrefix(p.lines[n-1], "  "+v.name+" = stablehlo.constant") && len(shape) > 0 {
		t := tensorText("i32", shape)
		x := p.emit("i32", shape, "iota dim = %d : %s", p.IntN(len(shape)), t)
		y := p.emit("i32", shape, "iota dim = %d : %s", p.IntN(len(shape)), t)
		three := p.emit("i32", shape, "constant dense<3> : %s", t)
		five := p.emit("i32", shape, "constant dense<%d> : %s", pickOne(p.Rand, 5, 7, 15), t)
		x = p.emit("i32", shape, "multiply %s, %s : %s", x.name, three.name, t)
		x = p.emit("i32", shape, "add %s, %s : %s", x.name, y.name, t)
		x = p.emit("i32", shape, "and %s, %s : %s", x.name, five.name, t)
		return p.emit(elem, shape, "convert %s : (%s) -> %s", x.name, t, tensorText(elem, shape))
	}
	lo := p.emit(elem, nil, "constant dense<-8.0> : tensor<%s>", elem)
	hi := p.emit(elem, nil, "constant dense<8.0> : tensor<%s>", elem)
	return p.emit(elem, v.shape, "clamp %s, %s, %s : (%s, %s, %s) -> %s", lo.name, v.name, hi.name, lo.typ(), v.typ(), hi.typ(), v.typ())
}

// exactReduce reduces by what gives the same in any order, the last dimension
// or the first.
func (p *program) exactReduce() {
	v, ok := p.find(func(v value) bool { return len(v.shape) > 0 })
	if !ok {
		return
	}
	d := pickOne(p.Rand, 0, len(v.shape)-1)
	name := pickOne(p.Rand, "maximum", "minimum")
	if isIntElem(v.elem) {
		name = pickOne(p.Rand, "add", "multiply", "maximum", "minimum", "and", "or", "xor")
	}
	p.reduceOf(v, name, p.constant(v.elem, nil), []int{d}, slices.Delete(slices.Clone(v.shape), d, d+1))
}

func (p *program) reverse() {
	v := p.any()
	over, _ := p.across(v)
	p.emit(v.elem, v.shape, "reverse %s, dims = %s : %s", v.name, list(over), v.typ())
}

// bits takes bits as those of another type, but not from floats, as nobody says
// which NaN is computed.
func (p *program) bits() {
	to := map[string][]string{"i32": {"f32", "ui32"}, "ui32": {"f32", "i32"}, "i64": {"f64", "ui64"}, "ui64": {"f64", "i64"},
		"i16": {"f16", "bf16", "ui16"}, "ui16": {"f16", "bf16", "i16"}, "i8": {"ui8"}, "ui8": {"i8"}}
	v, ok := p.find(func(v value) bool { return to[v.elem] != nil })
	if !ok {
		return
	}
	e := pickOne(p.Rand, to[v.elem]...)
	p.emit(e, v.shape, "bitcast_convert %s : (%s) -> %s", v.name, v.typ(), tensorText(e, v.shape))
}

// choice writes a case.
func (p *program) choice() {
	i := p.like("i32", nil)
	v := p.any()
	outer, values, near := p.lines, p.values, p.near
	var regions []string
	for range 1 + p.IntN(3) {
		p.lines, p.values = nil, slices.Clone(values)
		for range p.IntN(3) {
			p.step()
		}
		w := p.like(v.elem, v.shape)
		regions = append(regions, fmt.Sprintf("{\n%s\n  stablehlo.return %s : %s\n  }", strings.Join(p.lines, "\n"), w.name, w.typ()))
	}
	p.lines, p.values, p.near = outer, values, near
	p.raw(v.elem, v.shape, "\"stablehlo.case\"(%s) (%s) : (tensor<i32>) -> %s", i.name, strings.Join(regions, ", "), v.typ())
}
