package types

import "slices"

// Window is a strided array in memory. Axis i has Sizes[i] indices, Strides[i] elements apart.
type Window struct {
	Sizes   Shape
	Strides []int // in elements
	Without int   // an axis that is left out, of which one index counts; -1 is none
	Bytes   int   // of an element
}

// Overlaps reports whether two indices of a window, which has a stride for each axis,
// have one place. An axis can be left out, which then is of one index; -1 is none. The
// answer is exact but for a window that takes very many steps to decide: it counts as
// overlapping.
func Overlaps(sizes Shape, strides []int, but int) bool {
	if sizes.Elements() <= 1 {
		return false
	}
	w := Window{Sizes: sizes, Strides: strides, Without: but, Bytes: 1}
	var few [maxTerms]term
	axes := w.axes(few[:0])
	slices.SortFunc(axes, bySteps)
	nested := true
	for i := range axes {
		if axes[i].step == 0 {
			return true
		}
		nested = nested && axes[i].step > reach(axes[i+1:])
	}
	// Of two indices with one place, one is ahead on the first axis on which they differ. On the
	// axes behind, they differ by -most to most.
	for i := 0; !nested && i < len(axes); i++ {
		var few [maxTerms]term
		first := axes[i]
		terms := append(few[:0], term{first.step, first.most - 1})
		for _, a := range axes[i+1:] {
			terms = append(terms, term{a.step, 2 * a.most})
		}
		if new(search).reaches(terms, first.step*first.most+reach(axes[i+1:])) {
			return true
		}
	}
	return false
}

// Meets reports whether an element of v and one of w share a byte, where the first element of w
// is so many bytes behind that of v. The answer is exact but for windows that take very many
// steps to decide: they count as sharing.
func (v Window) Meets(w Window, distance int) bool {
	if v.Sizes.Elements() == 0 || w.Sizes.Elements() == 0 {
		return false
	}
	low, high := v.extent()
	from, to := w.extent()
	from, to = from+distance, to+distance
	if to < low || high < from {
		return false
	}
	// Indices of v count from its lowest byte, those of w back from its highest.
	var few [maxTerms]term
	terms := w.axes(v.axes(append(few[:0], term{1, v.Bytes - 1}, term{1, w.Bytes - 1})))
	slices.SortFunc(terms, bySteps)
	return new(search).reaches(terms, to-low)
}

// extent returns the lowest and the highest byte of the window.
func (v Window) extent() (low, high int) {
	high = v.Bytes - 1
	for i, d := range v.Sizes {
		if i == v.Without {
			continue
		}
		if reach := (d - 1) * v.Strides[i] * v.Bytes; reach < 0 {
			low += reach
		} else {
			high += reach
		}
	}
	return low, high
}

// axes appends a term for each axis that has several indices.
func (v Window) axes(all []term) []term {
	for i, d := range v.Sizes {
		if d > 1 && i != v.Without {
			all = append(all, term{max(v.Strides[i], -v.Strides[i]) * v.Bytes, d - 1})
		}
	}
	return all
}

// maxTerms is how many terms of a sum need no allocation.
const maxTerms = 18

// term is a multiple of step, from 0 to most times.
type term struct{ step, most int }

func bySteps(a, b term) int { return b.step - a.step }

// reach returns the largest sum of terms.
func reach(terms []term) (n int) {
	for _, t := range terms {
		n += t.step * t.most
	}
	return n
}

// search decides what a sum of terms can be: a bounded linear Diophantine equation, as in NumPy's
// may_share_memory.
type search struct{ steps int }

// maxSteps bounds one search.
const maxSteps = 1 << 16

// reaches reports whether terms, in the order of falling steps, can add up to total. It goes
// through multiples of a step only as far as smaller steps reach into it.
func (s *search) reaches(terms []term, total int) bool {
	rest := reach(terms)
	switch {
	case total < 0 || total > rest:
		return false
	case total == 0 || total == rest || s.steps == maxSteps:
		return true
	}
	s.steps++
	divisor := 0
	for _, t := range terms {
		divisor = gcd(divisor, t.step)
	}
	if total%divisor != 0 {
		return false
	}
	first := terms[0]
	for terms = terms[1:]; len(terms) > 0 && terms[0].step == first.step; terms = terms[1:] {
		first.most += terms[0].most // they add up like one
	}
	rest = reach(terms)
	least, most := max(0, (total-rest+first.step-1)/first.step), min(first.most, total/first.step)
	for n := most; n >= least; n-- {
		if s.reaches(terms, total-n*first.step) {
			return true
		}
	}
	return false
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
