package sorts

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
	"ltc/internal/diag"
	"ltc/ir/types"
)

// Sort is the sort of rows of some operands, all in the order that a comparator says.
// What it says of equal elements is decided by their places, so that the sort is
// stable. A bitonic network (Batcher 1968) compares and exchanges the elements that
// the comparator takes, and their places; the others are fetched at last. Which
// places meet does not depend on what the comparator answers: of one that no order
// has, each row comes out in some order.
//
// In the network each exchange puts the lesser element first. Rows of a power of two,
// sorted, become one of twice the length by exchanges with the mirror image, then at half
// the distance, and so on. Elements that would be behind the end of a row stay there, so
// that exchanges with them are left out, and a row may have any length.
//
// Rows that fit a block's memory are sorted there, in one launch, several short ones
// by one block. Longer ones are sorted in tiles, which are merged: in memory at
// distances of a tile and more, in the block's memory below.
//
// Where only the first few of a row are kept, [Sort.Keep], there is more to leave out:
// see top.go.
//
// Entries have these parameters: the addresses of operands, of results and, for
// longer rows, of i32s in the same shape, for places; then what [Launch.Sizes] of
// [Sort.Launches] says.
type Sort struct {
	Less  *kernel.Kernel // of scalars, to a bool
	Of    []Compared     // by parameter of Less
	Types []types.DType  // of the operands
	// Keep is how many elements of a row the results have, from the first; 0: all.
	// Entries are the same for all numbers but 0.
	Keep int64
}

// Compared is the operand that a parameter of a comparator has an element of, and
// whether that is the second element; of the result the operand is -1.
type Compared struct {
	Operand int
	Second  bool
}

// The entries of a sort.
const (
	wholeRows = iota
	tilesOfRows
	exchanges
)

const (
	sortThreads = 512  // the most of a block that sorts in its memory
	farThreads  = 128  // of one that exchanges elsewhere
	fewSlots    = 1024 // that a block has at least, if there are rows for them
	mostSlots   = 4096
	leastSlots  = 256
	placeBytes  = 4
	// longestSort is how many elements a row may have: places are words.
	longestSort = 1 << 30
)

// keys are the operands that are compared.
func (s *Sort) keys() []int {
	var all []int
	for _, c := range s.Of {
		if c.Operand >= 0 && !slices.Contains(all, c.Operand) {
			all = append(all, c.Operand)
		}
	}
	slices.Sort(all)
	return all
}

// slotBytes is what an element takes in a block's memory, with its place.
func (s *Sort) slotBytes() int {
	n := placeBytes
	for _, i := range s.keys() {
		n += s.Types[i].Size()
	}
	return n
}

// tile is how many elements a block's memory holds: a power of two.
func (s *Sort) tile() int {
	n := mostSlots
	for n*s.slotBytes() > 48<<10 {
		n /= 2
	}
	return n
}

// threads is how many a block has that sorts in its memory: one for each pair of
// elements. Where elements are large these are few, which leaves each more registers.
func (s *Sort) threads() int { return min(sortThreads, s.tile()/2) }

// Check returns an error that wraps [errors.ErrUnsupported] if there are no entries for
// so many rows of n elements.
func (s *Sort) Check(n, rows int64) error {
	switch {
	case s.tile() < leastSlots:
		return s.unsupported("comparing elements of %s", diag.Count(s.slotBytes()-placeBytes, "byte"))
	case n > longestSort:
		return s.unsupported("rows of %s, at most %d", diag.Count(n, "element"), longestSort)
	case s.Keep > 0 && (2*s.Keep > n || 4*s.runs() > int64(s.tile())):
		return s.unsupported("%d of %s kept", s.Keep, diag.Count(n, "element"))
	case rows > math.MaxInt32 || rows*max(asm.Ceil(n, int64(s.tile())), asm.Ceil(n, farThreads)) > math.MaxInt32:
		return s.unsupported("%s of %s: there are not as many blocks", diag.Count(rows, "row"), diag.Count(n, "element"))
	}
	for v := range s.variants() {
		if _, err := s.Entry("k", v); err != nil {
			return err
		}
	}
	return nil
}

// variants is how many entries there are.
func (s *Sort) variants() int {
	if s.Keep > 0 {
		return tilesOfRows + 1
	}
	return exchanges + 1
}

func (s *Sort) unsupported(format string, args ...any) error {
	return fmt.Errorf("ptx: sort %s: %w", fmt.Sprintf(format, args...), errors.ErrUnsupported)
}

// Long reports whether rows of n elements do not fit a block's memory.
func (s *Sort) Long(n int64) bool { return n > int64(s.tile()) }

// Places returns how many places launches hand on to one another for so many rows of n
// elements: in one list, or in two by turns; none if there is one launch.
func (s *Sort) Places(n, rows int64) []int64 {
	switch {
	case s.Keep > 0:
		return s.topPlaces(n, rows)
	case s.Long(n):
		return []int64{n * rows}
	}
	return nil
}

func (s *Sort) String() string {
	if s.Keep > 0 {
		return fmt.Sprintf("first %d of a sort of %v by %d of them, tiles of at most %d", s.Keep, s.Types, len(s.keys()), s.tile())
	}
	return fmt.Sprintf("sort of %v by %d of them, tiles of %d", s.Types, len(s.keys()), s.tile())
}

// Launch is one of the launches of a sort, with the numbers that it takes.
type Launch struct {
	asm.Launch
	Sizes []int64
}

// Launches returns the launches, one after the other, for rows of n elements that are
// so far apart; one of no blocks, if there is nothing to sort.
func (s *Sort) Launches(n, apart, rows int64) []Launch {
	if s.Keep > 0 {
		return s.topLaunches(n, apart, rows)
	}
	if n*rows == 0 {
		return []Launch{{Sizes: make([]int64, 5)}}
	}
	if !s.Long(n) {
		return []Launch{s.whole(n, apart, rows)}
	}
	p := int64(s.tile())
	all := []Launch{s.tiles(n, apart, rows, 1, 1, true, false)}
	pairs := int64(asm.NextPower(int(n))) / 2
	for d := p; d <= pairs; d *= 2 {
		mask := 2*d - 1
		for at := d; at >= p; at /= 2 {
			all = append(all, Launch{
				Launch: asm.Launch{Variant: exchanges, Grid: [3]int{int(asm.Ceil(rows*pairs, farThreads)), 1, 1}, Block: [3]int{farThreads, 1, 1}},
				Sizes:  []int64{n, apart, rows, pairs, at, mask},
			})
			mask = at / 2
		}
		all = append(all, s.tiles(n, apart, rows, p/2, p/2, false, d == pairs))
	}
	return all
}

// whole is the launch that sorts rows which fit a block's memory.
func (s *Sort) whole(n, apart, rows int64) Launch {
	p := int64(max(asm.NextPower(int(n)), 2))
	slots := p * min(max(1, min(fewSlots, int64(s.tile()))/p), rows)
	l := asm.Launch{Variant: wholeRows, Grid: [3]int{int(asm.Ceil(rows*p, slots)), 1, 1}, Shared: int(slots) * s.slotBytes()}
	l.Block = [3]int{int(min(int64(s.threads()), asm.RoundUp(asm.Ceil(slots, 2), 32))), 1, 1}
	return Launch{l, []int64{n, apart, rows, int64(asm.Log2(int(p))), slots}}
}

// tiles is a launch for the tiles of longer rows, that sorts them from a distance on.
func (s *Sort) tiles(n, apart, rows, distance, mask int64, first, last bool) Launch {
	p := s.tile()
	per := asm.Ceil(n, int64(p))
	flag := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}
	return Launch{
		asm.Launch{Variant: tilesOfRows, Grid: [3]int{int(rows * per), 1, 1}, Block: [3]int{s.threads(), 1, 1}, Shared: p * s.slotBytes()},
		[]int64{n, apart, rows, per, distance, mask, flag(first), flag(last)},
	}
}

// Entry returns the text of an entry, by the number that a launch has.
func (s *Sort) Entry(name string, variant int) (string, error) {
	if s.tile() < leastSlots {
		return "", s.Check(0, 0)
	}
	threads := s.threads()
	if variant == exchanges {
		threads = farThreads
	}
	m := &sorter{Writer: asm.New(name, [2]int{threads, 1}), s: s}
	for range s.Types {
		m.ins = append(m.ins, m.Param())
	}
	for range s.Types {
		m.outs = append(m.outs, m.Param())
	}
	if variant != wholeRows {
		m.places = m.Param()
	}
	switch {
	case s.Keep > 0:
		m.topTiles(variant == wholeRows)
	case variant == exchanges:
		m.rowSizes()
		m.exchangeFar()
	default:
		m.rowSizes()
		m.sortTiles(variant == wholeRows)
	}
	if n := m.Params; n > asm.MostParameters {
		return "", s.unsupported("%s: %s, of which an entry has at most %d", diag.Count(len(s.Types), "operand"), diag.Count(n, "parameter"), asm.MostParameters)
	}
	return m.Text(), m.Err
}
