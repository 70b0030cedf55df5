package programs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// updates is a program that writes over parts of some tensors.
type updates struct {
	*program
	slots []value // what the tensors are now; former values are among program.values
	at    value   // an i32 that differs from turn to turn
	deep  int     // regions around
	hosts bool    // some ops are the evaluator's
}

// Updates returns the text of a program of about n ops that writes over parts of a few
// tensors. Tensors are arguments, some of them donated, results of ops and loops, and
// values that nested loops carry. Writes are also in branches, in other shapes, and, in a
// quarter of all programs, between ops that are the evaluator's. They come in any order
// with reads of the tensors before and after.
func Updates(r *rand.Rand, n int) string {
	p := &updates{program: &program{Rand: r, most: 4096}, hosts: r.IntN(4) == 0}
	elem := pickOne(r, "f32", "i32", "i32", "i64", "bf16", "ui8", "i1")
	shape := p.shape(3)
	for i := range 2 + r.IntN(2) {
		v := value{fmt.Sprintf("%%a%d", i), elem, shape}
		if r.IntN(3) == 0 { // most of one type, so that they can be exchanged
			v.elem, v.shape = pickOne(r, "f32", "i32", "f64"), p.shape(3)
		}
		if len(v.shape) == 0 {
			v.shape = []int{pickOne(r, 1, 2, 5, 12)}
		}
		p.slots, p.values = append(p.slots, v), append(p.values, v)
		donated := ""
		if r.IntN(2) == 0 {
			donated = fmt.Sprintf(" {tf.aliasing_output = %d : i32}", i)
		}
		p.args = append(p.args, v.name+": "+v.typ()+donated)
	}
	p.at = value{"%at", "i32", nil}
	p.args, p.values = append(p.args, "%at: tensor<i32>"), append(p.values, p.at)
	for len(p.lines) < n {
		p.change()
	}
	outs := slices.Clone(p.slots)
	for range r.IntN(3) {
		outs = append(outs, p.any())
	}
	var names, types []string
	for _, v := range outs {
		names, types = append(names, v.name), append(types, v.typ())
	}
	return p.text(names, types)
}

// change writes an op or a few, most of which change a slot.
func (p *updates) change() {
	switch k := p.IntN(20); {
	case k < 6:
		p.set(p.update)
	case k > 17:
		p.set(p.flat)
	case k > 16 && p.hosts:
		p.set(p.evaluated)
	case k < 7:
		p.set(func(v value) (value, bool) {
			return p.scatters(v, pickOne(p.Rand, "maximum", "minimum", ""))
		})
	case k < 8:
		p.set(func(v value) (value, bool) {
			w := p.like(v.elem, v.shape)
			return p.emit(v.elem, v.shape, "%s %s, %s : %s", pickOne(p.Rand, "maximum", "minimum"), v.name, w.name, v.typ()), true
		})
	case k < 10:
		p.step()
	case k < 11: // an old value again, or that of another slot
		p.set(func(v value) (value, bool) {
			return p.find(func(w value) bool { return w.elem == v.elem && slices.Equal(w.shape, v.shape) })
		})
	case k > 15 || p.deep > 1:
		p.set(p.update)
	case k < 13:
		p.branches()
	default:
		p.turns()
	}
}

// set changes a slot.
func (p *updates) set(to func(v value) (value, bool)) {
	i := p.IntN(len(p.slots))
	if v, ok := to(p.slots[i]); ok {
		p.slots[i] = v
	}
}

// update writes over a part of v what is computed, or what is a part of v or of
// another slot.
func (p *updates) update(v value) (value, bool) {
	part := make([]int, len(v.shape))
	for d, n := range v.shape {
		if part[d] = 1; p.IntN(2) == 0 {
			part[d] = 1 + p.IntN(n)
		}
	}
	places := func() (names, types string) {
		var all, of []string
		for range v.shape {
			s := p.at
			if p.IntN(2) == 0 {
				s = p.like("i32", nil)
			}
			all, of = append(all, s.name), append(of, s.typ())
		}
		return strings.Join(all, ", "), strings.Join(of, ", ")
	}
	from := v
	if p.IntN(2) == 0 {
		from, _ = p.find(func(w value) bool { return w.elem == v.elem && slices.Equal(w.shape, v.shape) })
	}
	u := value{}
	if names, types := places(); from.name != "" && p.IntN(2) == 0 {
		u = p.emit(v.elem, part, "dynamic_slice %s, %s, sizes = %s : (%s, %s) -> %s", from.name, names, list(part), v.typ(), types, tensorText(v.elem, part))
		if p.IntN(2) == 0 {
			u = p.emit(v.elem, part, "%s %s, %s : %s", pickOne(p.Rand, "maximum", "add"), u.name, p.like(v.elem, part).name, u.typ())
		}
	} else {
		u = p.like(v.elem, part)
	}
	names, types := places()
	return p.emit(v.elem, v.shape, "dynamic_update_slice %s, %s, %s : (%s, %s, %s) -> %s", v.name, u.name, names, v.typ(), u.typ(), types, v.typ()), true
}

// flat changes v in one dimension, or the other way round what it is made of.
func (p *updates) flat(v value) (value, bool) {
	reshape := func(v value, shape []int) value {
		return p.emit(v.elem, shape, "reshape %s : (%s) -> %s", v.name, v.typ(), tensorText(v.elem, shape))
	}
	w, _ := p.update(reshape(v, []int{elements(v.shape)}))
	if p.IntN(2) == 0 {
		w, _ = p.update(w)
	}
	return reshape(w, v.shape), true
}

// evaluated has the rows of v, some of them written over by others, from an op that is the
// evaluator's: a scatter of several values.
func (p *updates) evaluated(v value) (value, bool) {
	i := p.like("i32", v.shape[:1])
	n := p.next
	p.next++
	name := fmt.Sprintf("%%%d", n)
	var window []string
	for d := range v.shape[1:] {
		window = append(window, fmt.Sprint(d+1))
	}
	one := value{elem: v.elem}.typ()
	p.lines = append(p.lines, fmt.Sprintf(`  %[1]s:2 = "stablehlo.scatter"(%[2]s, %[2]s, %[3]s, %[2]s, %[2]s) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [%[4]s], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%%sa%[8]d: %[5]s, %%sb%[8]d: %[5]s, %%sc%[8]d: %[5]s, %%sd%[8]d: %[5]s):
    stablehlo.return %%sc%[8]d, %%sd%[8]d : %[5]s, %[5]s
  }) : (%[6]s, %[6]s, %[7]s, %[6]s, %[6]s) -> (%[6]s, %[6]s)`, name, v.name, i.name, strings.Join(window, ", "), one, v.typ(), i.typ(), n))
	w := value{name + "#0", v.elem, slices.Clone(v.shape)}
	if elements(w.shape) <= p.most {
		p.values = append(p.values, w)
	}
	return w, true
}

// within writes a few changes in a region, which begins with the slots given, and
// returns its lines and the slots that it leaves.
func (p *updates) within(slots []value, at value) (lines string, left []value) {
	outer, values, before, was := p.lines, slices.Clone(p.values), p.slots, p.at
	p.lines, p.slots, p.at, p.deep = nil, slices.Clone(slots), at, p.deep+1
	p.values = append(p.values, at)
	p.values = append(p.values, slots...)
	for range 1 + p.IntN(4) {
		p.change()
	}
	lines, left = strings.Join(p.lines, "\n"), p.slots
	p.lines, p.values, p.slots, p.at, p.deep = outer, values, before, was, p.deep-1
	return lines, left
}

// branches writes an if that changes the slots.
func (p *updates) branches() {
	c := p.like("i1", nil)
	var regions []string
	for range 2 {
		lines, left := p.within(p.slots, p.at)
		names, types := namesOf(left)
		regions = append(regions, fmt.Sprintf("{\n%s\n  stablehlo.return %s : %s\n  }", lines, names, types))
	}
	_, types := namesOf(p.slots)
	r := fmt.Sprintf("%%%d", p.next)
	p.next++
	p.lines = append(p.lines, fmt.Sprintf("  %s:%d = \"stablehlo.if\"(%s) (%s) : (tensor<i1>) -> (%s)", r, len(p.slots), c.name, strings.Join(regions, ", "), types))
	p.give(r, p.slots, 0)
}

// turns writes a while that carries the slots, in any order, up to four times.
func (p *updates) turns() {
	id := p.next
	p.next++
	start := p.emit("i32", nil, "constant dense<%d> : tensor<i32>", p.IntN(3)-1)
	inner := make([]value, len(p.slots))
	carried := []string{fmt.Sprintf("%%i%d = %s", id, start.name)}
	for i, v := range p.slots {
		inner[i] = value{fmt.Sprintf("%%w%d_%d", id, i), v.elem, v.shape}
		carried = append(carried, inner[i].name+" = "+v.name)
	}
	lines, left := p.within(inner, value{fmt.Sprintf("%%i%d", id), "i32", nil})
	names, types := namesOf(left)
	r := fmt.Sprintf("%%r%d", id)
	p.lines = append(p.lines, strings.ReplaceAll(fmt.Sprintf(`  %s:%d = stablehlo.while(%s) : tensor<i32>, %s
  cond {
    %%nID = stablehlo.constant dense<%d> : tensor<i32>
    %%cID = stablehlo.compare LT, %%iID, %%nID : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %%cID : tensor<i1>
  } do {
    %%oneID = stablehlo.constant dense<1> : tensor<i32>
    %%tID = stablehlo.add %%iID, %%oneID : tensor<i32>
%s
    stablehlo.return %%tID, %s : tensor<i32>, %s
  }`, r, 1+len(left), strings.Join(carried, ", "), types, p.IntN(4), lines, names, types), "ID", fmt.Sprint(id)))
	p.give(r, p.slots, 1)
}

// give makes the results of an op the slots, and values, from the given one on.
func (p *updates) give(r string, slots []value, from int) {
	now := make([]value, len(slots))
	for i, v := range slots {
		now[i] = value{fmt.Sprintf("%s#%d", r, from+i), v.elem, v.shape}
	}
	p.slots, p.values = now, append(p.values, now...)
}

func namesOf(all []value) (names, types string) {
	var n, t []string
	for _, v := range all {
		n, t = append(n, v.name), append(t, v.typ())
	}
	return strings.Join(n, ", "), strings.Join(t, ", ")
}
