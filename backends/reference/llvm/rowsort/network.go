package rowsort

import "slices"

// network sorts a block of elements in registers. An element has a number, whose bits say in
// which register and lane it is. First the elements of each lane are sorted, by merges of Batcher.
// The rest is bitonic: level k makes sorted blocks of 2ᵏ elements of two halves, one of which is in
// reverse order. Elements are compared whose numbers differ in one bit, and only of whole
// registers. So a bit of the lane changes places with one of the register before elements are
// compared by it.
type network struct {
	steps []step
	order []int // at the end, where the registers of elements in their order are
}

// step is one of three.
type step struct {
	// pairs are of registers, of which the first gets the lower elements.
	pairs [][2]int
	// exchange: a bit of the register changes places with one of the lane.
	exchange       bool
	register, lane int
	// inverted says which elements are inverted.
	inverted func(register, lane int) bool
}

// newNetwork returns the network for a number of registers and lanes, powers of two. There
// are at least two registers. Elements are in any order at the start.
func newNetwork(registerBits, laneBits int) *network {
	n, l, all := new(network), newLayout(registerBits, laneBits), registerBits+laneBits
	var next []int // the bits by which elements are compared from here on
	for level := registerBits + 1; level <= all; level++ {
		for bit := level - 1; bit >= 0; bit-- {
			next = append(next, bit)
		}
	}
	inverted := n.invert(l, none, registerBits)
	n.steps = append(n.steps, step{pairs: mergesOf(1 << registerBits)})
	for level := registerBits + 1; level <= all; level++ {
		// Blocks with this bit are sorted in reverse. Pairs of registers change places for
		// that, or the elements of these blocks are inverted.
		reverse, pinned := none, none
		switch {
		case level == all:
			inverted = n.invert(l, inverted, none)
		case registerBits > 2 && !l.ofRegister(level):
			n.exchange(l, l.leastNeeded(next, none), l.place[level])
			fallthrough
		case l.ofRegister(level) && registerBits > 1:
			inverted = n.invert(l, inverted, none)
			reverse, pinned = l.place[level], level
		default:
			inverted = n.invert(l, inverted, level)
		}
		next = n.halve(l, level, next, reverse, pinned)
	}
	n.finish(l)
	return n
}

// newMerge returns the network for elements in registers and lanes that ascend and then descend.
func newMerge(registerBits, laneBits int) *network {
	n, l, all := new(network), newLayout(registerBits, laneBits), registerBits+laneBits
	var next []int
	for bit := range all {
		next = append(next, all-1-bit)
		l.place[bit] = (bit + registerBits) % all
	}
	n.halve(l, all, next, none, none)
	n.finish(l)
	return n
}

// halve adds the comparisons of a level. It returns the bits by which elements are compared from
// there on.
func (n *network) halve(l *layout, level int, next []int, reverse, pinned int) []int {
	for bit := level - 1; bit >= 0; bit-- {
		if !l.ofRegister(bit) {
			n.exchange(l, l.leastNeeded(next, pinned), l.place[bit])
		}
		n.compare(1<<l.registers, l.place[bit], reverse)
		next = next[1:]
	}
	return next
}

// finish moves the lowest bits to the lane, and notes where the others are.
func (n *network) finish(l *layout) {
	laneBits := len(l.place) - l.registers
	for lane := range laneBits {
		if l.place[lane] == l.registers+lane {
			continue
		}
		if !l.ofRegister(lane) {
			n.exchange(l, 0, l.place[lane])
		}
		n.exchange(l, l.place[lane], l.registers+lane)
	}
	for r := range 1 << l.registers {
		at := 0
		for bit := range l.registers {
			at |= r >> bit & 1 << l.place[laneBits+bit]
		}
		n.order = append(n.order, at)
	}
}

const none = -1

// exchange adds the exchange of two places of bits.
func (n *network) exchange(l *layout, register, lane int) {
	n.steps = append(n.steps, step{exchange: true, register: register, lane: lane - l.registers})
	l.exchange(register, lane)
}

// invert adds the step after which elements with a bit are inverted instead of those with
// another. It returns the bit.
func (n *network) invert(l *layout, old, bit int) int {
	if at := l.clone(); old != bit {
		n.steps = append(n.steps, step{inverted: func(register, lane int) bool {
			return at.has(old, register, lane) != at.has(bit, register, lane)
		}})
	}
	return bit
}

// compare adds the comparison of all registers that differ in a bit: in reverse where another
// bit is set.
func (n *network) compare(registers, bit, reverse int) {
	var s step
	for r := range registers {
		if r>>bit&1 == 1 {
			continue
		}
		pair := [2]int{r, r | 1<<bit}
		if reverse != none && r>>reverse&1 == 1 {
			pair[0], pair[1] = pair[1], pair[0]
		}
		s.pairs = append(s.pairs, pair)
	}
	n.steps = append(n.steps, s)
}

// mergesOf returns the pairs of Batcher's network of odd-even merges.
func mergesOf(n int) (pairs [][2]int) {
	for size := 1; size < n; size *= 2 {
		for apart := size; apart > 0; apart /= 2 {
			for start := apart % size; start+apart < n; start += 2 * apart {
				for i := start; i < min(start+apart, n-apart); i++ {
					if i/(2*size) == (i+apart)/(2*size) {
						pairs = append(pairs, [2]int{i, i + apart})
					}
				}
			}
		}
	}
	return pairs
}

// layout says where the bits of the numbers of elements are: places of registers are first.
type layout struct {
	place     []int // by bit
	registers int
}

// newLayout has the lowest bits in registers: the first levels need no other.
func newLayout(registers, lanes int) *layout {
	l := &layout{registers: registers}
	for bit := range registers + lanes {
		l.place = append(l.place, bit)
	}
	return l
}

func (l *layout) clone() *layout { return &layout{slices.Clone(l.place), l.registers} }

func (l *layout) ofRegister(bit int) bool { return l.place[bit] < l.registers }

func (l *layout) exchange(x, y int) {
	i, k := slices.Index(l.place, x), slices.Index(l.place, y)
	l.place[i], l.place[k] = y, x
}

// has reports whether the element in a lane of a register has a bit; no element has [none].
func (l *layout) has(bit, register, lane int) bool {
	return bit != none && (lane<<l.registers|register)>>l.place[bit]&1 == 1
}

// leastNeeded returns the place of the register's bit that is compared by last, but for one bit.
func (l *layout) leastNeeded(next []int, pinned int) int {
	best, most := none, none
	for bit := range l.place {
		if bit == pinned || !l.ofRegister(bit) {
			continue
		}
		at := slices.Index(next, bit)
		if at < 0 {
			at = len(next) + bit // high bits are those of the register at the end
		}
		if at > most {
			best, most = l.place[bit], at
		}
	}
	return best
}
