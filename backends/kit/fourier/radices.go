package fourier

import (
	"cmp"
	"math"
)

// mostRadix is the largest radix of a pass, and mostPrime the largest prime factor of one.
const (
	mostRadix = 16
	mostPrime = 13
)

// Radices returns the radices of the passes of a transform of length n for vectors of some
// lanes: those that take the fewest instructions. It is nil if n has a prime factor that no
// radix has.
func Radices(n, lanes int) []int {
	if n == 1 {
		return []int{1}
	}
	s := search{lanes: lanes, known: map[state]choice{}}
	if math.IsInf(s.passes(state{left: n}).cost, 1) {
		return nil
	}
	var all []int
	for at := (state{left: n}); at.left > 1; {
		r := s.known[at].radix
		all, at = append(all, r), at.behind(r)
	}
	return all
}

// instructionsOf returns about how many instructions on vectors the passes of [Radices] take for
// each element. The result is infinite if n has a prime factor that no radix has.
func instructionsOf(n, lanes int) float64 {
	s := search{lanes: lanes, known: map[state]choice{}}
	return s.passes(state{left: n}).cost
}

// search finds the cheapest passes for vectors of some lanes. It chooses once in each state.
type search struct {
	lanes   int
	known   map[state]choice
	choices int // made
}

// state is all that the cost of the passes that are still to be chosen depends on: what is left
// of the length, and the radix of the first pass, 0 before that.
type state struct{ left, first int }

// behind is the state behind a pass.
func (s state) behind(r int) state { return state{s.left / r, cmp.Or(s.first, r)} }

// choice is the radix of the next pass, and the cost of that pass and all later ones.
type choice struct {
	radix int
	cost  float64
}

// passes chooses the cheapest pass, whatever is cheapest behind it.
func (s *search) passes(at state) choice {
	if at.left == 1 {
		return choice{}
	}
	if c, ok := s.known[at]; ok {
		return c
	}
	s.choices++
	best := choice{cost: math.Inf(1)}
	for r := min(mostRadix, at.left); r > 1; r-- {
		if at.left%r != 0 || !Smooth(r) {
			continue
		}
		if c := s.pass(at, r) + s.passes(at.behind(r)).cost; c < best.cost {
			best = choice{r, c}
		}
	}
	s.known[at] = best
	return best
}

// pass returns the cost of a pass, in instructions on vectors for each element.
func (s *search) pass(at state, r int) float64 {
	along := at.left / r // of the vectors
	if along == 1 {
		along = max(at.first, 1)
	}
	turns := (along + s.lanes - 1) / s.lanes
	return (instructions(r) + 6*float64(r)) / float64(r) * float64(turns*s.lanes) / float64(along)
}

// instructions returns about how many instructions a butterfly takes.
func instructions(n int) float64 {
	switch n {
	case 1:
		return 0
	case 2:
		return 4
	case 4:
		return 16
	}
	r := inner(n)
	if r == 1 {
		half := float64(n / 2)
		return 4*half + 2*half + half*half*4 + 4*half
	}
	m := n / r
	return float64(m)*instructions(r) + float64(r)*instructions(m) + 5*float64((r-1)*(m-1))
}

// Smooth reports whether all prime factors of n are small.
func Smooth(n int) bool {
	for p := 2; p <= mostPrime; p++ {
		for n%p == 0 {
			n /= p
		}
	}
	return n == 1
}
