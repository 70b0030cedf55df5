package explain

// mostEdits is how many ops may be new or gone between programs of whose ops the fewest are
// left over by an alignment. Programs that differ in more are aligned as far as each run of
// ops that are new or gone is short, and is followed by some that are the same.
const (
	mostEdits = 64
	mostRun   = 32  // ops of both programs
	follow    = 8   // ops
	mostRuns  = 256 // of a pair of programs
)

// align returns for each op of a the op of b that corresponds to it, -1 if none does. Ops
// correspond in order, and have the same label. The algorithm is that of Myers, "An O(ND)
// difference algorithm and its variations", 1986.
func align(a, b []Op) []int32 {
	mate := make([]int32, len(a))
	for i := range mate {
		mate[i] = -1
	}
	begin := 0
	for begin < len(a) && begin < len(b) && a[begin].Label == b[begin].Label {
		mate[begin] = int32(begin)
		begin++
	}
	x, y := len(a), len(b)
	for x > begin && y > begin && a[x-1].Label == b[y-1].Label {
		x--
		y--
		mate[x] = int32(y)
	}
	if !middle(a[begin:x], b[begin:y], begin, mate) {
		greedy(a[:x], b[:y], begin, mate)
	}
	slide(a, b, mate)
	return mate
}

// greedy aligns what lies between the common beginning, which is as long as begin, and the
// common end, before which a and b end. After each run of ops that do not correspond, the next
// ones that do are taken.
func greedy(a, b []Op, begin int, mate []int32) {
	i, j := begin, begin
	for range mostRuns {
		k, l, ok := resume(a[i:], b[j:])
		if !ok {
			return
		}
		for i, j = i+k, j+l; i < len(a) && j < len(b) && a[i].Label == b[j].Label; i, j = i+1, j+1 {
			mate[i] = int32(j)
		}
	}
}

// resume returns how many ops of a and b to leave out, as few as may be in all, so that
// the next ones correspond.
func resume(a, b []Op) (k, l int, ok bool) {
	for run := 1; run <= mostRun; run++ {
		for k := range min(run, len(a)) + 1 {
			if l := run - k; l <= len(b) && same(a[k:], b[l:]) {
				return k, l, true
			}
		}
	}
	return 0, 0, false
}

// same reports whether the next ops of both have the same labels.
func same(a, b []Op) bool {
	if len(a) < follow || len(b) < follow {
		return false
	}
	for i := range follow {
		if a[i].Label != b[i].Label {
			return false
		}
	}
	return true
}

// middle aligns what lies between the common beginning and the common end, from index begin on,
// so that the fewest ops are left over, and reports whether these are few.
func middle(a, b []Op, begin int, mate []int32) bool {
	most := min(len(a)+len(b), mostEdits)
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return false
	}
	// reach[k] is how far into a the path on diagonal k (index in a less that in b) comes.
	reach := make([]int32, 2*most+2)
	at := func(k int) *int32 { return &reach[k+most] }
	var trace [][]int32
	for d := 0; d <= most; d++ {
		trace = append(trace, append([]int32(nil), reach[max(most-d, 0):min(most+d+1, len(reach))]...))
		for k := -d; k <= d; k += 2 {
			x := 0
			if d > 0 {
				if down := k == -d || k != d && *at(k - 1) < *at(k + 1); down {
					x = int(*at(k + 1))
				} else {
					x = int(*at(k - 1)) + 1
				}
			}
			for x < len(a) && x-k < len(b) && x-k >= 0 && a[x].Label == b[x-k].Label {
				x++
			}
			*at(k) = int32(x)
			if x >= len(a) && x-k >= len(b) {
				back(trace, len(a), len(b), begin, mate)
				return true
			}
		}
	}
	return false
}

// back notes the pairs on the path that ends at x of a and y of b. trace[d] has the reach
// of diagonals from -d on before the paths got edit d.
func back(trace [][]int32, x, y, begin int, mate []int32) {
	for d := len(trace) - 1; d >= 0; d-- {
		k, before := x-y, 0
		was := func(k int) int { return int(trace[d][k+d]) }
		if d > 0 {
			prev := k - 1
			if k == -d || k != d && was(k-1) < was(k+1) {
				prev = k + 1
			}
			before = was(prev)
			down := prev == k+1
			start := before
			if !down {
				start++
			}
			for x > start {
				x--
				y--
				mate[begin+x] = int32(begin + y)
			}
			x, y = before, before-prev
			continue
		}
		for x > 0 && y > 0 {
			x--
			y--
			mate[begin+x] = int32(begin + y)
		}
	}
}

// mostSlides is how far a run of ops that only one program has is moved.
const mostSlides = 64

// slide moves each run of ops that one program has, and the other has not, among ops of the
// same labels, to where most of the others keep their lines, types and attributes.
func slide(a, b []Op, mate []int32) {
	inverse := make([]int32, len(b))
	for j := range inverse {
		inverse[j] = -1
	}
	for i, j := range mate {
		if j >= 0 {
			inverse[j] = int32(i)
		}
	}
	slideOne(a, b, mate, inverse)
	slideOne(b, a, inverse, mate)
}

// slideOne slides the runs of y.
func slideOne(x, y []Op, ofX, ofY []int32) {
	for j := 0; j < len(y); j++ {
		if ofY[j] >= 0 {
			continue
		}
		end := j
		for end < len(y) && ofY[end] < 0 {
			end++
		}
		// A run may move by one where the op before it may take the place of its last.
		best, score, most := 0, 0, 0
		for s := 1; s <= mostSlides && j-s >= 0; s++ {
			i := ofY[j-s]
			if i < 0 || y[j-s].Label != y[end-s].Label {
				break
			}
			if score += likeness(&x[i], &y[end-s]) - likeness(&x[i], &y[j-s]); score > most {
				best, most = s, score
			}
		}
		for s := 1; s <= best; s++ {
			i := ofY[j-s]
			ofY[j-s], ofY[end-s], ofX[i] = -1, i, int32(end-s)
		}
		j = end
	}
}

func likeness(x, y *Op) (n int) {
	if x.At == y.At {
		n += 4
	}
	if x.Attrs == y.Attrs && x.Role == y.Role {
		n += 2
	}
	if x.Type == y.Type {
		n++
	}
	return n
}
