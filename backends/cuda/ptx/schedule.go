package ptx

import (
	"fmt"
	"strings"

	"ltc/backends/cuda/ptx/gemm"
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
	"ltc/internal/diag"
)

// Form is how threads share out a kernel's points.
type Form uint8

const (
	// Points has a thread for each point of all axes.
	Points Form = iota + 1
	// Rows has a block for each point of the kernel's axes, which it runs through all
	// stages. The block's threads share out the points of a stage and reduce through
	// shuffles and the block's memory, where locals lie too. Where the points of a stage
	// are few, a warp has a point instead, and reduces through shuffles alone.
	Rows
	// Columns has threads for neighbours along an axis of the kernel, which each
	// run through the stages; slices of threads share out a stage's first axis and
	// reduce through the block's memory.
	Columns
	// Tiles is Points with operands whose neighbours lie along another axis:
	// squares of them are transposed in the block's memory.
	Tiles
	// Product is a product of matrices, see [gemm.Schedule].
	Product
)

func (f Form) String() string {
	return [...]string{Points: "points", Rows: "rows", Columns: "columns", Tiles: "tiles", Product: "product"}[f]
}

// Schedule is how a GPU runs a kernel.
type Schedule struct {
	Form    Form
	Threads [2]int // the most threads of a block, along x and y
	// X is the axis along which threads of Points, Columns and Tiles lie; -1 if there is
	// none.
	X int
	// Across is the axis along which the tiled operands' neighbours lie; -1 if there is none.
	Across int
	Outer  []int // the other axes that points are of, outermost first
	// Lanes are the points beside each other that a thread computes in an iteration:
	// one of Points along x, or one of Rows along the row, where memory is aligned for it.
	Lanes body.Lanes
	Tiled []kernel.ID // the loads of Tiles that go through the block's memory
	// Along is, for each stage of Rows, the axis that its threads share out; -1 for
	// stages without axes.
	Along []int
	// InOrder says, for each stage, that its points run one after the other: in Rows
	// by the first thread, in Columns by each.
	InOrder []bool
	// Same has, for each operand, the first that is the same memory, though stages
	// that access one and then the other do so at whichever places; nil: none is.
	// Points of the kernel's axes must not meet there.
	Same []int

	reductions int            // how many values blocks reduce through their memory
	row        kernel.Size    // of the axis that threads of Rows with strips share out
	most       int            // strips of lanes that a thread of Rows keeps in registers
	stripBytes int            // of registers, that it keeps of each
	product    *gemm.Schedule // of Product, which has all else there
	k          *kernel.Kernel
}

// A block's memory.
const (
	slotBytes  = 8  // of a value that is reduced
	columns    = 32 // threads along x of Columns and Tiles
	sliceCount = 8  // of Columns
	tileRows   = 8  // threads along y of Tiles
	tileStride = columns + 1
)

// String prints the schedule with the kernel's names of axes and operands.
func (s *Schedule) String() string {
	if s.product != nil {
		return s.product.String()
	}
	var b strings.Builder
	name := func(stage, axis int) string { return s.k.Axis(stage, axis).Name }
	fmt.Fprintf(&b, "%v of %dx%d threads", s.Form, s.Threads[0], s.Threads[1])
	if s.X >= 0 {
		fmt.Fprintf(&b, ", x %s", name(0, s.X))
	}
	if s.Lanes.N > 1 {
		fmt.Fprintf(&b, " by %d", s.Lanes.N)
	}
	if s.Across >= 0 {
		fmt.Fprintf(&b, ", across %s", name(0, s.Across))
	}
	for i, a := range s.Outer {
		if i == 0 {
			b.WriteString(", blocks")
		}
		b.WriteString(" " + name(0, a))
	}
	for i, id := range s.Tiled {
		if i == 0 {
			b.WriteString(", tiled")
		}
		b.WriteString(" " + s.k.Params[s.k.Instrs[id].Mem.Param].Name)
	}
	for i, a := range s.Along {
		if a >= 0 && !s.InOrder[i] {
			fmt.Fprintf(&b, ", stage %d %s", i, name(i, a))
		}
	}
	for i, is := range s.InOrder {
		if is {
			fmt.Fprintf(&b, ", stage %d in order", i)
		}
	}
	return b.String()
}

// Launch is the grid and the block that an entry is run by.
type Launch = asm.Launch

// Map is the layout of an operand for the tensor map by which tiles of it are copied.
type Map = asm.Map

// MapAlign is what the addresses and strides of tensor maps, in bytes, are multiples of.
const MapAlign = asm.MapAlign

// Hopper reports whether the entry that a launch takes is for GPUs of sm_90a alone.
func (s *Schedule) Hopper(l Launch) bool {
	return s.product != nil && s.product.Hopper(l)
}

// Variants is how many entries the schedule has.
func (s *Schedule) Variants() int {
	switch {
	case s.product != nil:
		return s.product.Variants()
	case s.Form == Rows && s.most > 0 && s.Same == nil:
		return 1 + s.ofBlocks() + s.ofWarps()
	}
	return 1
}

// mostOfWarps is how many bytes the rows of a block's warps have of its memory.
const mostOfWarps = 32 << 10

// MapLaunch returns the launch of the entry of a product that copies factors by tensor maps,
// see [gemm.Schedule.MapLaunch].
func (s *Schedule) MapLaunch(l Launch, sizes, strides []int64) (Launch, []Map, bool) {
	if s.product == nil {
		return l, nil, false
	}
	return s.product.MapLaunch(l, sizes, strides)
}

// Launch returns the launch for run-time sizes; of no blocks, if there is nothing
// to run. What does not fit a block's memory is an error that wraps
// [errors.ErrUnsupported].
func (s *Schedule) Launch(sizes []int64) (Launch, error) {
	if s.product != nil {
		return s.product.Launch(sizes), nil
	}
	l := Launch{Block: [3]int{s.Threads[0], s.Threads[1], 1}}
	of := func(axis int) int64 {
		if axis < 0 {
			return 1
		}
		return s.k.Axis(0, axis).Size.Of(sizes)
	}
	n := int64(1)
	for _, a := range s.Outer {
		n *= of(a)
	}
	x, y := of(s.X), of(s.Across)
	switch s.Form {
	case Points:
		x = asm.Ceil(x, int64(max(s.Lanes.N, 1)))
		l.Block[0] = int(min(int64(s.Threads[0]), asm.RoundUp(max(x, 1), 32)))
		x = asm.Ceil(x, int64(l.Block[0]))
	case Rows:
		widest := int64(0)
		for i, a := range s.Along {
			if a >= 0 {
				widest = max(widest, s.k.Axis(i, a).Size.Of(sizes))
			}
		}
		l.Shared = s.reductions * asm.WarpSlots * slotBytes
		locals, ok := kernel.LocalBytes(s.k, sizes)
		if !ok || locals > asm.MostShared-int64(l.Shared) {
			return l, asm.Unsupported(s.k, "locals of %s: a block's memory has %d", diag.Count(locals, "byte"), asm.MostShared)
		}
		var atOnce int
		l.Variant, l.Block[0], atOnce = s.rowLaunch(n, widest, locals)
		l.Shared += atOnce * int(locals)
		x, n = asm.Ceil(n, int64(atOnce)), 1
	case Columns:
		x = asm.Ceil(x, columns)
		if s.Threads[1] > 1 {
			l.Shared = s.reductions * columns * sliceCount * slotBytes
		}
	case Tiles:
		x, y = asm.Ceil(x, columns), asm.Ceil(y, columns)
		l.Shared = len(s.Tiled) * columns * tileStride * slotBytes
	}
	l.SetGrid(x, y, n)
	return l, nil
}
