package programs

import (
	"fmt"
	"slices"
	"strings"
)

// indices are places along some dimensions, many of them outside.
func (p *program) indices(n, of int) value {
	elem := pickOne(p.Rand, "i32", "i32", "i64", "ui8", "ui32", "i8", "i16", "ui16")
	if p.odd {
		elem = pickOne(p.Rand, intElems...)
	}
	return p.like(elem, []int{n, of})
}

// window reduces windows by what gives the same in any order.
func (p *program) window() {
	v, ok := p.find(func(v value) bool { return len(v.shape) > 0 && elements(v.shape) <= p.most/4 })
	if !ok {
		return
	}
	name := pickOne(p.Rand, "maximum", "minimum")
	if isIntElem(v.elem) {
		name = pickOne(p.Rand, "add", "maximum", "minimum")
	}
	p.windows(v, p.constant(v.elem, nil), name)
}

func (p *program) windowSum() {
	v, ok := p.wide()
	if ok && len(v.shape) > 0 && elements(v.shape) <= p.most/4 {
		if w, ok := p.windows(v, p.zero(v.elem), "add"); ok {
			p.nearly(w)
		}
	}
}

func (p *program) windows(v, init value, name string) (value, bool) {
	rank := len(v.shape)
	size, stride, dilation, base := make([]int, rank), make([]int, rank), make([]int, rank), make([]int, rank)
	shape := make([]int, rank)
	var pads []string
	for i, n := range v.shape {
		size[i], stride[i], dilation[i], base[i] = pickOne(p.Rand, 1, 1, 2, 3), 1+p.IntN(2), 1+p.IntN(4)/3, 1+p.IntN(5)/4
		lo, hi := p.IntN(3), p.IntN(3)
		if p.IntN(6) == 0 {
			lo = -p.IntN(2)
		}
		pads = append(pads, list([]int{lo, hi}))
		whole, reach := max((n-1)*base[i]+1, 0)+lo+hi, (size[i]-1)*dilation[i]+1
		if whole < reach {
			return value{}, false
		}
		shape[i] = (whole-reach)/stride[i] + 1
	}
	t := "tensor<" + v.elem + ">"
	n := p.next
	return p.raw(v.elem, shape, `"stablehlo.reduce_window"(%s, %s) <{base_dilations = array<i64: %s>, padding = dense<[%s]> : tensor<%dx2xi64>, window_dilations = array<i64: %s>, window_dimensions = array<i64: %s>, window_strides = array<i64: %s>}> ({
  ^bb0(%%wx%d: %s, %%wy%d: %s):
    %%wz%d = stablehlo.%s %%wx%d, %%wy%d : %s
    stablehlo.return %%wz%d : %s
  }) : (%s, %s) -> %s`, v.name, init.name, bare(base), strings.Join(pads, ", "), rank, bare(dilation), bare(size), bare(stride),
		n, t, n, t, n, name, n, n, t, n, t, v.typ(), init.typ(), tensorText(v.elem, shape)), true
}

// bare is a list without brackets.
func bare(v []int) string { return strings.Trim(list(v), "[]") }

// gatherRows gathers slices at places of some dimensions.
func (p *program) gatherRows() {
	v, ok := p.find(func(v value) bool { return elements(v.shape) > 0 && len(v.shape) > 0 })
	if !ok {
		return
	}
	k := 1 + p.IntN(len(v.shape))
	at := p.Perm(len(v.shape))[:k]
	i := p.indices(pickOne(p.Rand, 1, 3, 17, 64), k)
	part, whole := slices.Clone(v.shape), []int{}
	for _, d := range at {
		part[d] = 1
		if p.IntN(3) == 0 {
			part[d] = 1 + p.IntN(v.shape[d])
		}
	}
	if i.shape[0]*elements(part) > p.most {
		return
	}
	collapsed, offsets := []int{}, []int{}
	out := []int{i.shape[0]}
	for d, n := range part {
		if n == 1 && slices.Contains(at, d) {
			collapsed = append(collapsed, d)
			continue
		}
		offsets, out, whole = append(offsets, len(out)), append(out, n), append(whole, n)
	}
	if p.IntN(4) == 0 { // the rows last
		out = append(whole, i.shape[0])
		for j := range offsets {
			offsets[j] = j
		}
	}
	p.raw(v.elem, out, `"stablehlo.gather"(%s, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = %s, collapsed_slice_dims = %s, start_index_map = %s, index_vector_dim = 1>, slice_sizes = array<i64: %s>}> : (%s, %s) -> %s`,
		v.name, i.name, list(offsets), list(collapsed), list(at), bare(part), v.typ(), i.typ(), tensorText(v.elem, out))
}

// scatterRows puts slices at places, or combines them by what gives the same in
// any order.
func (p *program) scatterRows() {
	v, ok := p.find(func(v value) bool { return elements(v.shape) > 0 && len(v.shape) > 0 })
	if !ok {
		return
	}
	name := pickOne(p.Rand, "maximum", "minimum", "")
	if isIntElem(v.elem) {
		name = pickOne(p.Rand, "add", "maximum", "and", "xor", "")
	}
	p.scatters(v, name)
}

func (p *program) scatterSum() {
	v, ok := p.wide()
	if ok && len(v.shape) > 0 {
		if w, ok := p.scatters(v, "add"); ok {
			p.nearly(w)
		}
	}
}

func (p *program) scatters(v value, name string) (value, bool) {
	k := 1 + p.IntN(len(v.shape))
	at := p.Perm(len(v.shape))[:k]
	i := p.indices(pickOne(p.Rand, 1, 3, 17, 64), k)
	part := slices.Clone(v.shape)
	for _, d := range at {
		if part[d] = 1; p.IntN(3) == 0 {
			part[d] = 1 + p.IntN(v.shape[d])
		}
	}
	inserted, windows := []int{}, []int{}
	shape := []int{i.shape[0]}
	for d, n := range part {
		if n == 1 && slices.Contains(at, d) {
			inserted = append(inserted, d)
			continue
		}
		windows, shape = append(windows, len(shape)), append(shape, n)
	}
	if elements(shape) > p.most {
		return value{}, false
	}
	var u value
	if name == "add" && isFloatElem(v.elem) {
		u = p.floatLike(v.elem, shape)
	} else {
		u = p.like(v.elem, shape)
	}
	t := "tensor<" + v.elem + ">"
	n := p.next
	body := fmt.Sprintf("    %%sz%d = stablehlo.%s %%sx%d, %%sy%d : %s\n    stablehlo.return %%sz%d : %s", n, name, n, n, t, n, t)
	if name == "" {
		body = fmt.Sprintf("    stablehlo.return %%sy%d : %s", n, t)
	}
	return p.raw(v.elem, v.shape, `"stablehlo.scatter"(%s, %s, %s) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = %s, inserted_window_dims = %s, scatter_dims_to_operand_dims = %s, index_vector_dim = 1>}> ({
  ^bb0(%%sx%d: %s, %%sy%d: %s):
%s
  }) : (%s, %s, %s) -> %s`, v.name, i.name, u.name, list(windows), list(inserted), list(at), n, t, n, t, body, v.typ(), i.typ(), u.typ(), v.typ()), true
}
