package eval

import (
	"slices"
	"unsafe"

	"ltc/mlir"
)

// code is a function made ready to run. It is immutable and shared by all of
// its callers and by all runs.
type code struct {
	name    string
	types   []tensor // of args, then of results
	slots   []slot
	args    []int // slots of the arguments; their memory is the caller's
	results []int // slots of the results, all different, none an argument or constant
	steps   []step

	// What one run takes: of this function, and with all that it calls.
	arena, arenaAll int
	slotsAll, depth int
	lastFallible    int // position of the last op that can fail; -1 if none
}

func (c *code) fallible() bool { return c.lastFallible >= 0 }

// firstStep returns the index of the first step at or after a position.
func (c *code) firstStep(pos int) int {
	i, _ := slices.BinarySearchFunc(c.steps, pos, func(s step, pos int) int { return s.pos - pos })
	return i
}

// slot is the home of one or several values that share memory. At run time it
// is an index into frame.p.
type slot struct {
	bytes     int
	kind      slotKind
	result    bool   // of the function
	def, last int    // positions between which the memory is in use
	reuse     []int  // slots whose memory the defining step may write over
	offset    int    // in the frame's arena
	constant  []byte // of a constant
	splat     bool   // a constant that repeats one element; see splat.go
}

type slotKind uint8

const (
	planned  slotKind = iota // memory in the arena
	external                 // whoever runs the code sets the pointer
	constant
)

// step is a prepared op or a part of one. Exactly one of do and try is set.
type step struct {
	do   func(*frame)
	try  func(*frame) error
	op   *mlir.Op // in the text
	work int      // about how many elements it computes; see cancel.go
	pos  int      // in the function; see builder.pos
}

// block is a region of one block, run in the frame of the code it stands in.
type block struct {
	steps   []step
	args    []int
	results []int
	types   []tensor // of results
}

func (b *block) fallible() bool {
	return slices.ContainsFunc(b.steps, func(s step) bool { return s.try != nil })
}

// include accounts for callee, which runs while c's own frame is alive.
func (c *code) include(callee *code) {
	// Until layout adds c's own share, the All fields hold the largest callee's.
	c.arenaAll = max(c.arenaAll, callee.arenaAll)
	c.slotsAll = max(c.slotsAll, callee.slotsAll)
	c.depth = max(c.depth, callee.depth)
}

// bind sets the pointers of the slots that do not change from run to run.
func (c *code) bind(f *frame) {
	for i := range c.slots {
		switch s := &c.slots[i]; s.kind {
		case planned:
			f.p[i] = unsafe.Add(f.arena, s.offset)
		case constant:
			f.p[i] = unsafe.Pointer(unsafe.SliceData(s.constant))
		}
	}
}
