package fourier

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
	s := search{lanes: float64(lanes)}
	s.passes(n, nil, 0)
	return s.best
}

type search struct {
	lanes float64
	best  []int
	least float64
}

// passes tries all radices of what is left of a length, behind some that cost so much.
func (s *search) passes(left int, so []int, cost float64) {
	switch {
	case s.best != nil && cost >= s.least:
		return
	case left == 1:
		s.best, s.least = append([]int(nil), so...), cost
		return
	}
	for r := min(mostRadix, left); r > 1; r-- {
		if left%r != 0 || !Smooth(r) {
			continue
		}
		along := left / r // of the vectors
		if along == 1 && len(so) > 0 {
			along = so[0]
		}
		turns := float64((along + int(s.lanes) - 1) / int(s.lanes))
		// For each element of the transform, in instructions on vectors.
		c := cost + (instructions(r)+6*float64(r))/float64(r)*turns*s.lanes/float64(along)
		s.passes(left/r, append(so, r), c)
	}
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
