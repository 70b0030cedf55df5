package asm

import (
	"fmt"

	"ltc/ir/types"
)

// Launch is how many blocks of how many threads run an entry, and the bytes of
// memory that each block has.
type Launch struct {
	Variant     int // which of the schedule's entries
	Grid, Block [3]int
	Shared      int
}

// Entry returns the name of the entry that is launched, of those that are written under
// a name.
func (l Launch) Entry(name string) string {
	if l.Variant == 0 {
		return name
	}
	return fmt.Sprint(name, "_", l.Variant)
}

// mostBlocks is how many a grid has at most along an axis, and along x and z together:
// blocks go on to what is left.
const mostBlocks = 4096

// SetGrid sets the grid for so many blocks' work along x, y and z: no blocks, if there is
// nothing to run.
func (l *Launch) SetGrid(x, y, z int64) {
	l.Grid[0] = int(min(x, mostBlocks))
	l.Grid[1] = int(min(y, mostBlocks))
	l.Grid[2] = int(min(z, max(1, mostBlocks/max(1, x))))
	if l.Grid[0]*l.Grid[1]*l.Grid[2] == 0 {
		l.Grid = [3]int{}
	}
}

// MostShared is what the smallest of the GPUs gives a block: sm_86.
const MostShared = 99 << 10

// Map is the layout of an operand, such as a factor of a product, for the tensor map by
// which tiles of it are copied: dimensions from the innermost, whose elements are beside
// each other. Rows of tiles, of 128 bytes, are swizzled; what is outside counts as 0.
type Map struct {
	Operand int
	Type    types.DType
	Sizes   []int64
	Strides []int64 // bytes, of all dimensions but the innermost
	Box     []int
}

// AddDimension adds the next dimension, of n elements so many bytes apart, of which the
// innermost has none. It reports whether tensor maps can describe it.
func (m *Map) AddDimension(n, bytes int64) bool {
	m.Sizes = append(m.Sizes, n)
	if len(m.Sizes) > 1 {
		if n == 1 {
			bytes = MapAlign // nothing is there
		}
		m.Strides = append(m.Strides, bytes)
	}
	return n >= 1 && n < 1<<31 && (len(m.Sizes) == 1 || bytes%MapAlign == 0 && bytes > 0 && bytes < 1<<40)
}

// MapAlign is what the addresses and strides of tensor maps, in bytes, are multiples of.
const MapAlign = 16
