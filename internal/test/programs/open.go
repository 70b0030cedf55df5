package programs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// OpenProgram is a program that leaves sizes open.
type OpenProgram struct {
	Text string
	// Symbols are the names of the open sizes, Args, by argument and dimension, which of them a
	// dimension is; -1-n: it is of n elements.
	Symbols []string
	Args    [][]int
	// Degree is how many open sizes a value's number of elements is a product of at most.
	Degree int
}

// Open returns a program of about n ops, of up to three open sizes, whose results do not depend
// on how sums are rounded by more than a little. Some programs have a mistake for the least sizes.
func Open(r *rand.Rand, n int) OpenProgram {
	p := &opens{Rand: r, sizes: map[string]string{}, factors: map[string][2]string{}}
	for i := range 1 + r.IntN(3) {
		p.symbols = append(p.symbols, string(rune('a'+i)))
	}
	p.loose = r.IntN(4) == 0
	for i := range p.symbols {
		p.argument("i32", p.symbols[i], fmt.Sprint(2+r.IntN(5)))
	}
	p.argument(pickOne(r, "f32", "i32"), p.dim(), p.dim(), p.dim())
	p.argument("f32", p.dim(), p.dim())
	for len(p.lines) < n || p.made < 3 {
		p.step()
	}
	return p.end()
}

// openValue is a value: its dimensions are numbers, or texts that equal sizes share.
type openValue struct {
	name, elem string
	dims       []string
}

func (v openValue) typ() string { return openType(v.elem, v.dims) }

func openType(elem string, dims []string) string {
	t := "tensor<"
	for _, d := range dims {
		if !isNumber(d) {
			d = "?"
		}
		t += d + "x"
	}
	return t + elem + ">"
}

func isNumber(d string) bool { return d[0] >= '0' && d[0] <= '9' && !strings.ContainsAny(d, "+*/-(") }

type opens struct {
	*rand.Rand
	symbols []string
	loose   bool // sizes of one name are not told to be one
	args    []openValue
	values  []openValue
	lines   []string
	sizes   map[string]string    // the scalar that a size is
	factors map[string][2]string // of a product of two
	count   int
	made    int
	adds    bool // it calls @add
}

// dim returns a size: mostly an open one.
func (p *opens) dim() string {
	if p.IntN(3) == 0 {
		return fmt.Sprint(1 + p.IntN(5))
	}
	return p.symbols[p.IntN(len(p.symbols))]
}

func (p *opens) argument(elem string, dims ...string) {
	v := openValue{fmt.Sprintf("%%x%d", len(p.args)), elem, dims}
	p.args, p.values = append(p.args, v), append(p.values, v)
}

func (p *opens) name() string {
	p.count++
	return fmt.Sprintf("%%%d", p.count)
}

func (p *opens) line(format string, args ...any) string {
	n := p.name()
	p.lines = append(p.lines, n+" = "+fmt.Sprintf(format, args...))
	return n
}

// emit adds a value.
func (p *opens) emit(elem string, dims []string, format string, args ...any) openValue {
	v := openValue{p.line(format, args...), elem, slices.Clone(dims)}
	p.values = append(p.values, v)
	p.made++
	return v
}

func (p *opens) any() openValue {
	if p.IntN(3) > 0 {
		return p.values[max(len(p.values)-1-p.IntN(4), 0)]
	}
	return p.values[p.IntN(len(p.values))]
}

func (p *opens) find(ok func(openValue) bool) (openValue, bool) {
	var all []openValue
	for _, v := range p.values {
		if ok(v) {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return openValue{}, false
	}
	return all[p.IntN(len(all))], true
}

// size returns an i32 scalar of a size.
func (p *opens) size(d string) string {
	if s, ok := p.sizes[d]; ok {
		return s
	}
	s := ""
	if isNumber(d) {
		s = p.line("stablehlo.constant dense<%s> : tensor<i32>", d)
	} else if v, ok := p.find(func(v openValue) bool { return slices.Contains(v.dims, d) }); ok {
		s = p.line("stablehlo.get_dimension_size %s, dim = %d : (%s) -> tensor<i32>", v.name, slices.Index(v.dims, d), v.typ())
	} else {
		f := p.factors[d]
		s = p.line("stablehlo.multiply %s, %s : tensor<i32>", p.size(f[0]), p.size(f[1]))
	}
	p.sizes[d] = s
	return s
}

// list returns an i32 vector of scalars.
func (p *opens) list(scalars []string) string {
	if len(scalars) == 0 {
		return p.line("stablehlo.constant dense<[]> : tensor<0xi32>")
	}
	var ones, types []string
	for _, s := range scalars {
		ones, types = append(ones, p.line("stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>", s)), append(types, "tensor<1xi32>")
	}
	return p.line("stablehlo.concatenate %s, dim = 0 : (%s) -> tensor<%dxi32>", strings.Join(ones, ", "), strings.Join(types, ", "), len(ones))
}

func (p *opens) shape(dims []string) string {
	var all []string
	for _, d := range dims {
		all = append(all, p.size(d))
	}
	return p.list(all)
}

// number is a scalar constant.
func (p *opens) number(elem string, n int) string {
	if elem == "f32" {
		return p.line("stablehlo.constant dense<%d.0> : tensor<f32>", n)
	}
	return p.line("stablehlo.constant dense<%d> : tensor<%s>", n, elem)
}

func numbersText(list []int) string {
	var all []string
	for _, n := range list {
		all = append(all, fmt.Sprint(n))
	}
	return strings.Join(all, ", ")
}

func (p *opens) step() {
	steps := []func(){p.unary, p.binary, p.binary, p.transpose, p.reduce, p.reduce, p.broadcast, p.broadcast, p.merge, p.merge, p.split,
		p.concatenate, p.slice, p.pad, p.window, p.dot, p.dot, p.take, p.dynamicSlice, p.update, p.iota, p.reverse, p.choose, p.sized,
		p.loop, p.softmax, p.sort, p.convolve, p.branch, p.scatter, p.fourier, p.extreme, p.normalize, p.cumulate}
	steps[p.IntN(len(steps))]()
}

func (p *opens) unary() {
	v := p.any()
	if v.elem == "f32" {
		p.emit(v.elem, v.dims, "stablehlo.%s %s : %s", pickOne(p.Rand, "tanh", "logistic", "negate", "abs"), v.name, v.typ())
		return
	}
	p.emit(v.elem, v.dims, "stablehlo.%s %s : %s", pickOne(p.Rand, "negate", "not", "abs"), v.name, v.typ())
}

// tame bounds floats.
func (p *opens) tame(v openValue) openValue {
	if v.elem != "f32" {
		return v
	}
	p.values = slices.DeleteFunc(p.values, func(w openValue) bool { return w.name == v.name })
	return p.emit(v.elem, v.dims, "stablehlo.tanh %s : %s", v.name, v.typ())
}

// like returns a value of a shape: another one, or one that is repeated.
func (p *opens) like(elem string, dims []string) openValue {
	if v, ok := p.find(func(v openValue) bool { return v.elem == elem && slices.Equal(v.dims, dims) }); ok && p.IntN(4) > 0 {
		return v
	}
	v, ok := p.find(func(v openValue) bool { return v.elem == elem && subsequence(v.dims, dims) != nil })
	if !ok {
		v = openValue{p.number(elem, 1+p.IntN(3)), elem, nil}
	}
	return p.repeated(v, dims)
}

// subsequence returns where the sizes of a list are in another, in order; nil if they are not.
func subsequence(of, in []string) []int {
	at := []int{}
	k := 0
	for i, d := range in {
		if k < len(of) && of[k] == d {
			at = append(at, i)
			k++
		}
	}
	if k < len(of) {
		return nil
	}
	return at
}

func (p *opens) repeated(v openValue, dims []string) openValue {
	return p.emit(v.elem, dims, "stablehlo.dynamic_broadcast_in_dim %s, %s, dims = [%s] : (%s, tensor<%dxi32>) -> %s",
		v.name, p.shape(dims), numbersText(subsequence(v.dims, dims)), v.typ(), len(dims), openType(v.elem, dims))
}

func (p *opens) binary() {
	v := p.any()
	w := p.like(v.elem, v.dims)
	p.tame(p.emit(v.elem, v.dims, "stablehlo.%s %s, %s : %s", pickOne(p.Rand, "add", "subtract", "multiply", "maximum", "minimum"), v.name, w.name, v.typ()))
}

func (p *opens) transpose() {
	v := p.any()
	perm := p.Perm(len(v.dims))
	var dims []string
	for _, d := range perm {
		dims = append(dims, v.dims[d])
	}
	if len(perm) > 1 {
		p.emit(v.elem, dims, "stablehlo.transpose %s, dims = [%s] : (%s) -> %s", v.name, numbersText(perm), v.typ(), openType(v.elem, dims))
	}
}

// some returns some of the dimensions of a value, and the others.
func (p *opens) some(v openValue) (some []int, rest []string) {
	for d, n := range v.dims {
		if p.IntN(2) == 0 {
			some = append(some, d)
		} else {
			rest = append(rest, n)
		}
	}
	return some, rest
}

func (p *opens) reduced(v openValue, by string, over []int, rest []string) openValue {
	init := map[string]int{"add": 0, "maximum": -1 << 30, "minimum": 1 << 30}[by]
	if by == "add" && p.IntN(6) == 0 {
		init = 3
	}
	return p.emit(v.elem, rest, "stablehlo.reduce(%s init: %s) applies stablehlo.%s across dimensions = [%s] : (%s, tensor<%s>) -> %s",
		v.name, p.number(v.elem, init), by, numbersText(over), v.typ(), v.elem, openType(v.elem, rest))
}

func (p *opens) reduce() {
	v := p.any()
	if over, rest := p.some(v); len(over) > 0 {
		p.tame(p.reduced(v, pickOne(p.Rand, "add", "add", "maximum", "minimum"), over, rest))
	}
}

func (p *opens) broadcast() {
	v := p.any()
	dims := slices.Clone(v.dims)
	for len(dims) < 4 && (len(dims) == len(v.dims) || p.IntN(3) == 0) {
		d := p.dim()
		dims = slices.Insert(dims, p.IntN(len(dims)+1), d)
	}
	if at := subsequence(v.dims, dims); at != nil && p.volume(dims) {
		p.repeated(v, dims)
	}
}

// volume reports whether a shape does not have too many open sizes.
func (p *opens) volume(dims []string) bool {
	n := 0
	for _, d := range dims {
		if !isNumber(d) {
			n += 1 + strings.Count(d, "*")
		}
	}
	return n <= 4
}

// merge reshapes two dimensions into one.
func (p *opens) merge() {
	v := p.any()
	if len(v.dims) < 2 {
		return
	}
	d := p.IntN(len(v.dims) - 1)
	p.reshape(v, slices.Replace(slices.Clone(v.dims), d, d+2, p.product(v.dims[d], v.dims[d+1])))
}

func (p *opens) product(a, b string) string {
	if isNumber(a) && isNumber(b) {
		var x, y int
		fmt.Sscan(a, &x)
		fmt.Sscan(b, &y)
		return fmt.Sprint(x * y)
	}
	if a == "1" {
		return b
	}
	if b == "1" {
		return a
	}
	d := "(" + a + ")*(" + b + ")"
	p.factors[d] = [2]string{a, b}
	return d
}

func (p *opens) reshape(v openValue, dims []string) openValue {
	return p.emit(v.elem, dims, "stablehlo.dynamic_reshape %s, %s : (%s, tensor<%dxi32>) -> %s", v.name, p.shape(dims), v.typ(), len(dims), openType(v.elem, dims))
}

// split undoes a merge, of some value or of another, or adds a dimension of 1.
func (p *opens) split() {
	v := p.any()
	for d, n := range v.dims {
		if f, ok := p.factors[n]; ok {
			pair := f[:]
			if p.IntN(3) == 0 {
				pair = []string{f[1], f[0]}
			}
			p.reshape(v, slices.Replace(slices.Clone(v.dims), d, d+1, pair...))
			return
		}
	}
	if len(v.dims) < 4 {
		p.reshape(v, slices.Insert(slices.Clone(v.dims), p.IntN(len(v.dims)+1), "1"))
	}
}

func (p *opens) concatenate() {
	v := p.any()
	if len(v.dims) == 0 {
		return
	}
	d := p.IntN(len(v.dims))
	w, ok := p.find(func(w openValue) bool {
		return w.elem == v.elem && len(w.dims) == len(v.dims) && slices.Equal(slices.Delete(slices.Clone(w.dims), d, d+1), slices.Delete(slices.Clone(v.dims), d, d+1))
	})
	if !ok {
		w = v
	}
	dims := slices.Clone(v.dims)
	dims[d] = p.fresh("cat", v.dims[d], w.dims[d])
	if isNumber(v.dims[d]) && isNumber(w.dims[d]) {
		var x, y int
		fmt.Sscan(v.dims[d], &x)
		fmt.Sscan(w.dims[d], &y)
		dims[d] = fmt.Sprint(x + y)
	}
	p.emit(v.elem, dims, "stablehlo.concatenate %s, %s, dim = %d : (%s, %s) -> %s", v.name, w.name, d, v.typ(), w.typ(), openType(v.elem, dims))
}

// fresh returns the text of a size that follows from others.
func (p *opens) fresh(how string, of ...any) string { return how + fmt.Sprint(of...) }

func (p *opens) slice() {
	v := p.any()
	if len(v.dims) == 0 {
		return
	}
	d := p.IntN(len(v.dims))
	start, less, step := p.IntN(2), p.IntN(2), 1+p.IntN(2)
	if isNumber(v.dims[d]) {
		start, less = 0, 0
	}
	var from, to, by []string
	dims := slices.Clone(v.dims)
	zero, one := p.number("i32", 0), p.number("i32", 1)
	for i, n := range v.dims {
		a, b, c := zero, p.size(n), one
		if i == d {
			if start > 0 {
				a = p.number("i32", start)
			}
			if less > 0 {
				b = p.line("stablehlo.subtract %s, %s : tensor<i32>", b, p.number("i32", less))
			}
			if step > 1 {
				c = p.number("i32", step)
			}
		}
		from, to, by = append(from, a), append(to, b), append(by, c)
	}
	switch {
	case start == 0 && less == 0 && step == 1:
	case isNumber(dims[d]):
		var n int
		fmt.Sscan(dims[d], &n)
		dims[d] = fmt.Sprint((n-start-less-1)/step + 1)
	default:
		dims[d] = p.fresh("part", dims[d], " ", start, " ", less, " ", step)
	}
	t := fmt.Sprintf("tensor<%dxi32>", len(dims))
	p.emit(v.elem, dims, "stablehlo.real_dynamic_slice %s, %s, %s, %s : (%s, %s, %s, %s) -> %s",
		v.name, p.list(from), p.list(to), p.list(by), v.typ(), t, t, t, openType(v.elem, dims))
}

func (p *opens) pad() {
	v := p.any()
	if len(v.dims) == 0 {
		return
	}
	low, high, inner := make([]int, len(v.dims)), make([]int, len(v.dims)), make([]int, len(v.dims))
	dims := slices.Clone(v.dims)
	d := p.IntN(len(dims))
	low[d], high[d] = p.IntN(3), p.IntN(3)
	if p.IntN(4) == 0 {
		inner[d] = 1
	}
	if isNumber(dims[d]) {
		var n int
		fmt.Sscan(dims[d], &n)
		dims[d] = fmt.Sprint(n + (n-1)*inner[d] + low[d] + high[d])
	} else {
		if p.IntN(4) == 0 {
			low[d] = -1
		}
		dims[d] = p.fresh("pad", dims[d], " ", low[d]+high[d], " ", inner[d])
	}
	p.emit(v.elem, dims, "stablehlo.pad %s, %s, low = [%s], high = [%s], interior = [%s] : (%s, tensor<%s>) -> %s",
		v.name, p.number(v.elem, p.IntN(3)), numbersText(low), numbersText(high), numbersText(inner), v.typ(), v.elem, openType(v.elem, dims))
}

func (p *opens) window() {
	v := p.any()
	if len(v.dims) == 0 {
		return
	}
	n := len(v.dims)
	size, stride, pads := slices.Repeat([]int{1}, n), slices.Repeat([]int{1}, n), make([]int, 2*n)
	dims := slices.Clone(v.dims)
	d := p.IntN(n)
	size[d], stride[d], pads[2*d], pads[2*d+1] = 1+p.IntN(3), 1+p.IntN(3), p.IntN(2), p.IntN(2)
	if isNumber(dims[d]) {
		var have int
		fmt.Sscan(dims[d], &have)
		dims[d] = fmt.Sprint(max((have+pads[2*d]+pads[2*d+1]-size[d]+stride[d])/stride[d], 0))
		if have+pads[2*d]+pads[2*d+1] < size[d] {
			return
		}
	} else {
		dims[d] = p.fresh("win", dims[d], " ", size[d], " ", stride[d], " ", pads[2*d]+pads[2*d+1])
	}
	by, init := pickOne(p.Rand, "add", "maximum", "minimum"), 0
	if by != "add" {
		init = map[string]int{"maximum": -1 << 30, "minimum": 1 << 30}[by]
	}
	var padding []string
	for i := range n {
		padding = append(padding, fmt.Sprintf("[%d, %d]", pads[2*i], pads[2*i+1]))
	}
	t := "tensor<" + v.elem + ">"
	w := p.emit(v.elem, dims, `"stablehlo.reduce_window"(%s, %s) ({
    ^bb0(%%p: %s, %%q: %s):
      %%r = stablehlo.%s %%p, %%q : %s
      stablehlo.return %%r : %s
    }) {window_dimensions = array<i64: %s>, window_strides = array<i64: %s>, padding = dense<[%s]> : tensor<%dx2xi64>} : (%s, %s) -> %s`,
		v.name, p.number(v.elem, init), t, t, by, t, t, numbersText(size), numbersText(stride), strings.Join(padding, ", "), n, v.typ(), t, openType(v.elem, dims))
	p.tame(w)
}

// dot multiplies two values that share a dimension, or more.
func (p *opens) dot() {
	v := p.any()
	if len(v.dims) == 0 {
		return
	}
	d := p.IntN(len(v.dims))
	w, ok := p.find(func(w openValue) bool { return w.elem == v.elem && slices.Contains(w.dims, v.dims[d]) })
	if !ok {
		return
	}
	e := slices.Index(w.dims, v.dims[d])
	batch, out := "", []string{}
	bl, br := -1, -1
	if p.IntN(2) == 0 {
		for i, n := range v.dims {
			if k := slices.Index(w.dims, n); i != d && k >= 0 && k != e {
				bl, br = i, k
			}
		}
	}
	if bl >= 0 {
		batch = fmt.Sprintf("batching_dims = [%d] x [%d], ", bl, br)
		out = append(out, v.dims[bl])
	}
	for i, n := range v.dims {
		if i != d && i != bl {
			out = append(out, n)
		}
	}
	for i, n := range w.dims {
		if i != e && i != br {
			out = append(out, n)
		}
	}
	if len(out) > 4 || !p.volume(out) {
		return
	}
	p.tame(p.emit(v.elem, out, "stablehlo.dot_general %s, %s, %scontracting_dims = [%d] x [%d] : (%s, %s) -> %s", v.name, w.name, batch, d, e, v.typ(), w.typ(), openType(v.elem, out)))
}

// take gathers along a dimension by the elements of a vector of integers.
func (p *opens) take() {
	v := p.any()
	i, ok := p.find(func(v openValue) bool { return v.elem == "i32" && len(v.dims) == 1 })
	if !ok || len(v.dims) == 0 {
		return
	}
	d := p.IntN(len(v.dims))
	// Indices are those of elements: the rest by the size, made positive.
	n := p.repeated(openValue{p.size(v.dims[d]), "i32", nil}, i.dims)
	a := p.line("stablehlo.remainder %s, %s : %s", i.name, n.name, i.typ())
	b := p.line("stablehlo.add %s, %s : %s", a, n.name, i.typ())
	c := p.line("stablehlo.remainder %s, %s : %s", b, n.name, i.typ())
	dims := slices.Clone(v.dims)
	dims[d] = i.dims[0]
	p.emit(v.elem, dims, `"stablehlo.torch_index_select"(%s, %s) {dim = %d : i64, batch_dims = 0 : i64} : (%s, %s) -> %s`, v.name, c, d, v.typ(), i.typ(), openType(v.elem, dims))
}

// starts are scalars at which slices begin.
func (p *opens) starts(n int) (names, types string) {
	for i := range n {
		if i > 0 {
			names, types = names+", ", types+", "
		}
		names, types = names+p.number("i32", p.IntN(4)-1), types+"tensor<i32>"
	}
	return names, types
}

func (p *opens) dynamicSlice() {
	v := p.any()
	if len(v.dims) == 0 {
		return
	}
	dims := slices.Repeat([]string{"1"}, len(v.dims))
	for d, n := range v.dims {
		if isNumber(n) && p.IntN(2) == 0 {
			dims[d] = n
		}
	}
	names, types := p.starts(len(dims))
	p.emit(v.elem, dims, "stablehlo.dynamic_slice %s, %s, sizes = [%s] : (%s, %s) -> %s", v.name, names, strings.Join(dims, ", "), v.typ(), types, openType(v.elem, dims))
}

// update writes over a part of a value.
func (p *opens) update() {
	v := p.any()
	if len(v.dims) == 0 {
		return
	}
	dims := slices.Clone(v.dims)
	dims[p.IntN(len(dims))] = "1"
	w := p.like(v.elem, dims)
	names, types := p.starts(len(dims))
	p.emit(v.elem, v.dims, "stablehlo.dynamic_update_slice %s, %s, %s : (%s, %s, %s) -> %s", v.name, w.name, names, v.typ(), w.typ(), types, v.typ())
}

func (p *opens) iota() {
	dims := []string{p.dim()}
	if p.IntN(2) == 0 {
		dims = append(dims, p.any().dims...)
	}
	if len(dims) > 4 || !p.volume(dims) {
		return
	}
	p.emit("i32", dims, "stablehlo.dynamic_iota %s, dim = %d : (tensor<%dxi32>) -> %s", p.shape(dims), p.IntN(len(dims)), len(dims), openType("i32", dims))
}

func (p *opens) reverse() {
	v := p.any()
	if over, _ := p.some(v); len(over) > 0 {
		p.emit(v.elem, v.dims, "stablehlo.reverse %s, dims = [%s] : %s", v.name, numbersText(over), v.typ())
	}
}

func (p *opens) choose() {
	v, ok := p.find(func(v openValue) bool { return v.elem == "i32" })
	if !ok {
		return
	}
	w, a, b := p.like("i32", v.dims), p.like("f32", v.dims), p.like("f32", v.dims)
	c := p.line("stablehlo.compare %s, %s, %s : (%s, %s) -> %s", pickOne(p.Rand, "LT", "GE", "EQ"), v.name, w.name, v.typ(), v.typ(), openType("i1", v.dims))
	p.emit("f32", v.dims, "stablehlo.select %s, %s, %s : %s, %s", c, a.name, b.name, openType("i1", v.dims), a.typ())
}

// sized computes with a size.
func (p *opens) sized() {
	v := p.any()
	if len(v.dims) == 0 || v.elem != "i32" {
		return
	}
	n := p.repeated(openValue{p.size(v.dims[p.IntN(len(v.dims))]), "i32", nil}, v.dims)
	p.emit("i32", v.dims, "stablehlo.%s %s, %s : %s", pickOne(p.Rand, "add", "multiply"), v.name, n.name, v.typ())
}

// loop adds another value some times, and a product if there is one.
func (p *opens) loop() {
	v := p.any()
	w := p.like(v.elem, v.dims)
	zero, one, times := p.number("i32", 0), p.number("i32", 1), p.number("i32", 1+p.IntN(3))
	name := p.name()
	after := "negate %s : " + v.typ()
	if v.elem == "f32" {
		after = "tanh %s : " + v.typ()
	}
	p.lines = append(p.lines, fmt.Sprintf(`%s:2 = stablehlo.while(%%k = %s, %%h = %s) : tensor<i32>, %s cond {
      %%p = stablehlo.compare LT, %%k, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %%p : tensor<i1>
    } do {
      %%n = stablehlo.add %%k, %s : tensor<i32>
      %%s = stablehlo.add %%h, %s : %s
      %%t = stablehlo.%s
      stablehlo.return %%n, %%t : tensor<i32>, %s
    }`, name, zero, v.name, v.typ(), times, one, w.name, v.typ(), fmt.Sprintf(after, "%s"), v.typ()))
	p.values = append(p.values, openValue{name + "#1", v.elem, v.dims})
	p.made++
}

func (p *opens) branch() {
	v := p.any()
	c := p.line("stablehlo.compare LT, %s, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>", p.size(p.symbols[0]), p.number("i32", 5))
	w := p.like(v.elem, v.dims)
	name := p.name()
	p.lines = append(p.lines, fmt.Sprintf(`%s = "stablehlo.if"(%s) ({
      %%p = stablehlo.add %s, %s : %s
      stablehlo.return %%p : %s
    }, {
      %%q = stablehlo.maximum %s, %s : %s
      stablehlo.return %%q : %s
    }) : (tensor<i1>) -> %s`, name, c, v.name, w.name, v.typ(), v.typ(), v.name, w.name, v.typ(), v.typ(), v.typ()))
	p.values = append(p.values, openValue{name, v.elem, v.dims})
	p.made++
}

func (p *opens) softmax() {
	v, ok := p.find(func(v openValue) bool { return v.elem == "f32" && len(v.dims) > 0 })
	if !ok {
		return
	}
	d := p.IntN(len(v.dims))
	rest := slices.Delete(slices.Clone(v.dims), d, d+1)
	over := func(x openValue) openValue {
		var to []int
		for i := range v.dims {
			if i != d {
				to = append(to, i)
			}
		}
		return p.emit("f32", v.dims, "stablehlo.dynamic_broadcast_in_dim %s, %s, dims = [%s] : (%s, tensor<%dxi32>) -> %s",
			x.name, p.shape(v.dims), numbersText(to), x.typ(), len(v.dims), v.typ())
	}
	m := over(p.reduced(v, "maximum", []int{d}, rest))
	s := p.emit("f32", v.dims, "stablehlo.subtract %s, %s : %s", v.name, m.name, v.typ())
	e := p.emit("f32", v.dims, "stablehlo.exponential %s : %s", s.name, v.typ())
	sum := over(p.reduced(e, "add", []int{d}, rest))
	p.emit("f32", v.dims, "stablehlo.divide %s, %s : %s", e.name, sum.name, v.typ())
}

// sort is of integers, of those and what goes along with them, of floats, or of the first two of rows.
func (p *opens) sort() {
	how := p.IntN(4)
	elem := "i32"
	if how == 2 {
		elem = "f32"
	}
	v, ok := p.find(func(v openValue) bool { return v.elem == elem && len(v.dims) > 0 })
	if !ok {
		return
	}
	switch how {
	case 0:
		w, n := p.like("i32", v.dims), p.name()
		p.lines = append(p.lines, fmt.Sprintf(`%s:2 = "stablehlo.sort"(%s, %s) ({
    ^bb0(%%p: tensor<i32>, %%q: tensor<i32>, %%s: tensor<i32>, %%t: tensor<i32>):
      %%r = stablehlo.compare GT, %%p, %%q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %%r : tensor<i1>
    }) {dimension = %d : i64, is_stable = true} : (%s, %s) -> (%[5]s, %[6]s)`, n, v.name, w.name, p.IntN(len(v.dims)), v.typ(), w.typ()))
		p.values = append(p.values, openValue{n + "#0", v.elem, slices.Clone(v.dims)}, openValue{n + "#1", w.elem, slices.Clone(v.dims)})
		p.made++
		return
	case 1:
		dims := append(slices.Clone(v.dims[:len(v.dims)-1]), "2")
		if v.dims[len(v.dims)-1] == "1" {
			return
		}
		n, typ := p.name(), openType("i32", dims)
		p.lines = append(p.lines, fmt.Sprintf("%s:2 = chlo.top_k(%s, k = 2) : %s -> (%s, %s)", n, v.name, v.typ(), typ, typ))
		p.values = append(p.values, openValue{n + "#0", "i32", dims}, openValue{n + "#1", "i32", slices.Clone(dims)})
		p.made++
		return
	case 2:
		p.emit("f32", v.dims, `"stablehlo.sort"(%s) ({
    ^bb0(%%p: tensor<f32>, %%q: tensor<f32>):
      %%r = stablehlo.compare LT, %%p, %%q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %%r : tensor<i1>
    }) {dimension = %d : i64, is_stable = true} : (%s) -> %s`, v.name, p.IntN(len(v.dims)), v.typ(), v.typ())
		return
	}
	p.emit("i32", v.dims, `"stablehlo.sort"(%s) ({
    ^bb0(%%p: tensor<i32>, %%q: tensor<i32>):
      %%r = stablehlo.compare LT, %%p, %%q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %%r : tensor<i1>
    }) {dimension = %d : i64, is_stable = true} : (%s) -> %s`, v.name, p.IntN(len(v.dims)), v.typ(), v.typ())
}

// convolve is along one spatial dimension.
func (p *opens) convolve() {
	v, ok := p.find(func(v openValue) bool {
		return v.elem == "f32" && len(v.dims) == 3 && isNumber(v.dims[2]) && !isNumber(v.dims[1])
	})
	if !ok {
		return
	}
	k, stride, low, high := 1+p.IntN(3), 1+p.IntN(2), p.IntN(2), p.IntN(2)
	dims := []string{v.dims[0], p.fresh("win", v.dims[1], " ", k, " ", stride, " ", low+high), "3"}
	w := p.like("f32", []string{fmt.Sprint(k), v.dims[2], "3"})
	p.tame(p.emit("f32", dims, "stablehlo.convolution(%s, %s) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [%d], pad = [[%d, %d]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%s, %s) -> %s",
		v.name, w.name, stride, low, high, v.typ(), w.typ(), openType("f32", dims)))
}

// scatter adds rows of a value to those of another that a vector of integers says.
func (p *opens) scatter() {
	v, ok := p.find(func(v openValue) bool { return v.elem == "i32" && len(v.dims) > 0 })
	i, found := p.find(func(v openValue) bool { return v.elem == "i32" && len(v.dims) == 1 })
	if !ok || !found {
		return
	}
	dims := append([]string{i.dims[0]}, v.dims[1:]...)
	u := p.like("i32", dims)
	at := p.reshape(i, []string{i.dims[0], "1"})
	var window []int
	for d := 1; d < len(dims); d++ {
		window = append(window, d)
	}
	p.emit("i32", v.dims, `"stablehlo.scatter"(%s, %s, %s) ({
    ^bb0(%%p: tensor<i32>, %%q: tensor<i32>):
      %%r = stablehlo.add %%p, %%q : tensor<i32>
      stablehlo.return %%r : tensor<i32>
    }) {indices_are_sorted = false, unique_indices = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [%s], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (%s, %s, %s) -> %s`,
		v.name, at.name, u.name, numbersText(window), v.typ(), at.typ(), u.typ(), v.typ())
}

// fourier transforms along a last dimension of a known size.
func (p *opens) fourier() {
	v, ok := p.find(func(v openValue) bool { return v.elem == "f32" && len(v.dims) > 0 && isNumber(v.dims[len(v.dims)-1]) })
	if !ok {
		return
	}
	c := openType("complex<f32>", v.dims)
	a := p.line("stablehlo.complex %s, %s : (%s, %s) -> %s", v.name, v.name, v.typ(), v.typ(), c)
	b := p.line("stablehlo.fft %s, type = FFT, length = [%s] : (%s) -> %s", a, v.dims[len(v.dims)-1], c, c)
	p.tame(p.emit("f32", v.dims, "stablehlo.%s %s : (%s) -> %s", pickOne(p.Rand, "real", "imag"), b, c, v.typ()))
}

// extreme finds where the largest integer is along a dimension.
func (p *opens) extreme() {
	v, ok := p.find(func(v openValue) bool { return v.elem == "i32" && len(v.dims) > 0 })
	if !ok {
		return
	}
	d := p.IntN(len(v.dims))
	i := p.line("stablehlo.dynamic_iota %s, dim = %d : (tensor<%dxi32>) -> %s", p.shape(v.dims), d, len(v.dims), v.typ())
	low, zero := p.number("i32", -1<<30), p.number("i32", 0)
	rest := slices.Delete(slices.Clone(v.dims), d, d+1)
	t := openType("i32", rest)
	name := p.name()
	p.lines = append(p.lines, fmt.Sprintf(`%s:2 = "stablehlo.reduce"(%s, %s, %s, %s) ({
    ^bb0(%%a: tensor<i32>, %%i: tensor<i32>, %%b: tensor<i32>, %%j: tensor<i32>):
      %%g = stablehlo.compare GT, %%a, %%b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %%e = stablehlo.compare EQ, %%a, %%b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %%l = stablehlo.compare LT, %%i, %%j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %%f = stablehlo.and %%e, %%l : tensor<i1>
      %%w = stablehlo.or %%g, %%f : tensor<i1>
      %%v = stablehlo.select %%g, %%a, %%b : tensor<i1>, tensor<i32>
      %%k = stablehlo.select %%w, %%i, %%j : tensor<i1>, tensor<i32>
      stablehlo.return %%v, %%k : tensor<i32>, tensor<i32>
    }) {dimensions = array<i64: %d>} : (%s, %s, tensor<i32>, tensor<i32>) -> (%s, %s)`, name, v.name, i, low, zero, d, v.typ(), v.typ(), t, t))
	p.values = append(p.values, openValue{name + "#1", "i32", rest})
	p.made++
}

// normalize is a batch normalization over all dimensions but one.
func (p *opens) normalize() {
	v, ok := p.find(func(v openValue) bool { return v.elem == "f32" && len(v.dims) > 1 })
	if !ok {
		return
	}
	d := p.IntN(len(v.dims))
	one := []string{v.dims[d]}
	scale, offset := p.like("f32", one), p.like("f32", one)
	t, name := openType("f32", one), p.name()
	p.lines = append(p.lines, fmt.Sprintf(`%s:3 = "stablehlo.batch_norm_training"(%s, %s, %s) {epsilon = 0.01 : f32, feature_index = %d : i64} : (%s, %s, %s) -> (%s, %s, %s)`,
		name, v.name, scale.name, offset.name, d, v.typ(), t, t, v.typ(), t, t))
	p.values = append(p.values, openValue{name + "#1", "f32", one})
	p.made++
	p.tame(openValue{name + "#0", "f32", v.dims})
}

// cumulate adds up to each element along a dimension, by windows of all before it.
func (p *opens) cumulate() {
	v, ok := p.find(func(v openValue) bool { return v.elem == "i32" && len(v.dims) > 0 })
	if !ok {
		return
	}
	n, d := len(v.dims), p.IntN(len(v.dims))
	zero, one := p.number("i32", 0), p.number("i32", 1)
	before := p.line("stablehlo.subtract %s, %s : tensor<i32>", p.size(v.dims[d]), one)
	var window, ones, padding []string
	for i := range n {
		w, low := one, zero
		if i == d {
			w, low = p.size(v.dims[d]), before
		}
		window, ones, padding = append(window, w), append(ones, one), append(padding, low, zero)
	}
	t, u := fmt.Sprintf("tensor<%dxi32>", n), fmt.Sprintf("tensor<%dx2xi32>", n)
	pads := p.line("stablehlo.reshape %s : (tensor<%dxi32>) -> %s", p.list(padding), 2*n, u)
	k := p.list(ones)
	p.adds = true
	p.emit("i32", v.dims, "stablehlo.custom_call @stablehlo.dynamic_reduce_window(%s, %s, %s, %s, %s, %s, %s) {called_computations = [@add]} : (%s, tensor<i32>, %s, %s, %s, %s, %s) -> %s",
		v.name, zero, p.list(window), k, k, k, pads, v.typ(), t, t, t, t, u, v.typ())
}

// end returns the program: its results are the last values and some others.
func (p *opens) end() OpenProgram {
	results := slices.Clone(p.values[max(len(p.values)-3, len(p.args)):])
	if v := p.values[len(p.args)+p.IntN(len(p.values)-len(p.args))]; p.IntN(2) == 0 {
		results = append(results, v)
	}
	out := OpenProgram{Symbols: p.symbols}
	for _, v := range p.values {
		n := 0
		for _, d := range v.dims {
			if !isNumber(d) {
				n += 1 + strings.Count(d, "*")
			}
		}
		out.Degree = max(out.Degree, n)
	}
	var args, names, types []string
	taken := map[int]bool{} // results that take over an argument
	for _, a := range p.args {
		var dims []string
		var which []int
		for _, d := range a.dims {
			if i := slices.Index(p.symbols, d); i >= 0 {
				dims, which = append(dims, fmt.Sprintf("%q", d)), append(which, i)
				continue
			}
			var n int
			fmt.Sscan(d, &n)
			dims, which = append(dims, `""`), append(which, -1-n)
		}
		arg := fmt.Sprintf("%s: %s", a.name, a.typ())
		var attrs []string
		if !p.loose {
			attrs = append(attrs, fmt.Sprintf("ltc.dim = [%s]", strings.Join(dims, ", ")))
		}
		over := slices.IndexFunc(results, func(v openValue) bool { return v.elem == a.elem && slices.Equal(v.dims, a.dims) })
		if over >= 0 && !taken[over] && p.IntN(2) == 0 {
			taken[over] = true
			attrs = append(attrs, fmt.Sprintf("tf.aliasing_output = %d : i32", over))
		}
		if attrs != nil {
			arg += " {" + strings.Join(attrs, ", ") + "}"
		}
		args, out.Args = append(args, arg), append(out.Args, which)
	}
	for _, v := range results {
		names, types = append(names, v.name), append(types, v.typ())
	}
	out.Text = fmt.Sprintf("func.func public @main(%s) -> (%s) {\n  %s\n  return %s : %s\n}\n",
		strings.Join(args, ", "), strings.Join(types, ", "), strings.Join(p.lines, "\n  "), strings.Join(names, ", "), strings.Join(types, ", "))
	if p.adds {
		out.Text += `func.func private @add(%x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {
  %s = stablehlo.add %x, %y : tensor<i32>
  return %s : tensor<i32>
}
`
	}
	return out
}
