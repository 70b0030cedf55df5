package emit

import (
	"fmt"
	"slices"
	"strings"

	"ltc/backends/kit/kernel"
	"ltc/internal/diag"
)

// Form is how a kernel's loops lie.
type Form uint8

const (
	// Points has no axes but the kernel's. Vectors lie along one of them.
	Points Form = iota + 1
	// Rows runs all stages for one point of the kernel's axes, then for the next.
	// Vectors lie along an axis of each stage.
	Rows
	// Strips runs each stage for a strip of points along a kernel's axis, along
	// which vectors lie. What one stage leaves to the next lies in memory, an
	// element for each point of the strip.
	Strips
	// Tiles is Points with operands whose neighbours lie along another axis:
	// squares of them are transposed into memory that is near.
	Tiles
	// Written runs all stages for one vector of points along a kernel's axis, then for the
	// next. Axes of few elements, those of Out and of stages, are written out. Values from
	// one stage to the next are in registers. Elements side by side along one of these
	// axes, [Schedule.Records], are moved at once.
	Written
	// Windows runs all stages for one vector of points along a kernel's axis and Group
	// points along another, Out, which share what they load; then for the next points along
	// Out. The axes of the first stage, a window of few points, are written out. Sums and
	// values from one stage to the next are in registers.
	Windows
)

func (f Form) String() string {
	return [...]string{Points: "points", Rows: "rows", Strips: "strips", Tiles: "tiles", Written: "written", Windows: "windows"}[f]
}

// Schedule is how a CPU runs a kernel.
type Schedule struct {
	Form   Form
	Lanes  int // elements in a vector
	Vector int // the kernel's axis that vectors lie along; -1 for Rows
	// Cut is the kernel's axes, outermost first, whose points parts share out,
	// and for each of these points pieces of the axis Shared: Vector, Across for
	// Tiles, none for Rows, -1.
	Cut    []int
	Shared int
	Piece  int64 // how many points along Shared are shared out as one
	// Serial is the axes that each part runs through in order: stores at
	// different points of them may be to the same place.
	Serial []int
	Stages []Stage
	// Stream is the operands that are stored to past the caches if they are big.
	Stream []int
	// Tiled is the loads of Tiles that are transposed; Across is the axis along
	// which their neighbours lie, -1 for other forms.
	Tiled  []kernel.ID
	Across int
	// Staged is the loads of Strips whose neighbours lie along the axis of their
	// stage, which holds sums: for each iteration they are transposed into memory that is
	// near, before any sum.
	Staged []kernel.ID
	// Blocked is the loads and stores of Strips whose neighbours lie along an axis that
	// their stage carries along: blocks of them are transposed in memory that is near.
	Blocked []kernel.ID
	// Out is the kernel's axes that Written writes out, or the one of Windows. Records is its loads and
	// stores whose neighbours lie along an axis that is written out, and far apart
	// along the vectors: vectors of these are transposed in registers.
	Out     []int
	Group   int // of Windows: points of Out that are worked on at once
	Records []Record
	// Fields is loads of Points from few places that lie side by side, far apart along
	// the vectors: they are loaded at once, and transposed in registers.
	Fields []Fields

	kept   []kernel.ID // what strips keep for later stages
	column int64       // the bytes of that of a point
	tile   int64       // the side of the squares of Tiles
	// per is what a point of the kernel's axes costs besides the points of its
	// stages, and each of those, in ops on vectors.
	per     []float64
	touched []touched
}

// touched says that a stage loads or stores so many elements of an operand at a point.
type touched struct{ param, stage, count int }

// Record is a load or store of all elements along an axis, which lie side by side.
type Record struct {
	ID   kernel.ID
	Axis int // as its stage numbers axes
}

func (s *Schedule) isRecord(id kernel.ID) bool {
	return slices.ContainsFunc(s.Records, func(r Record) bool { return r.ID == id })
}

// Stage is how a stage runs. Points and Tiles have one for all of the kernel's.
type Stage struct {
	Vector int   // the axis that vectors lie along, as the stage numbers them; -1: there is none
	Loops  []int // its other axes, outermost first
	Lanes  int   // as the schedule's; 1: its points run one by one
	Unroll int   // vectors that are worked on at once
	Rows   int   // iterations of the innermost of Loops that are worked on at once
	// Paced reads operands that are larger than the caches one vector an iteration, into the same
	// Unroll sums. Loads of several vectors run ahead of what the processor fetches by
	// itself, and make a pass over memory slower. With vectors of half a line of the cache
	// and less it is the other way round.
	Paced bool
	// Abreast is how many rows the first stage of Rows works on at once where operands
	// are larger than the caches; 0: one.
	Abreast int
	// Beside says that it does so for operands of any size: the rows' elements lie near
	// each other.
	Beside bool
	// Ahead is the loads of Rows from operands that an earlier stage has brought near:
	// the same of the next row is fetched beside them.
	Ahead []kernel.ID
	// Held is how many sums, of all vectors that are worked on at once, a stage of Strips
	// keeps in registers. Its loops run anew for each so many of its reductions, for one
	// iteration along the strip after the other. With 0 sums are in memory, and the strip is the
	// innermost loop.
	Held int
	// Whole says that the axis of a stage of Rows along which vectors lie is Unroll vectors long:
	// an iteration of the innermost of Loops has all of them, and no elements remain.
	Whole bool
	// Along says that a stage of Strips, which has no axes, runs in the iterations of the
	// stage before it, whose values are in registers.
	Along bool
}

// piece is how many points along the vectors are shared out as one.
const (
	pointsPiece = 1024
	stripsPiece = 64
)

// Of prints the schedule of a kernel, with its names of axes and operands.
func (s *Schedule) Of(k *kernel.Kernel) string {
	var b strings.Builder
	name := func(stage, axis int) string { return k.Axis(stage, axis).Name }
	fmt.Fprintf(&b, "%v", s.Form)
	for _, a := range s.Cut {
		fmt.Fprintf(&b, " cut %s", name(0, a))
	}
	if s.Shared >= 0 {
		fmt.Fprintf(&b, " cut %s/%d", name(0, s.Shared), s.Piece)
	}
	for _, a := range s.Serial {
		fmt.Fprintf(&b, " serial %s", name(0, a))
	}
	for _, p := range s.Stream {
		fmt.Fprintf(&b, " stream %s", k.Params[p].Name)
	}
	for _, id := range s.Tiled {
		fmt.Fprintf(&b, " tile %s along %s", k.Params[k.Instrs[id].Mem.Param].Name, name(0, s.Across))
	}
	if s.Group > 0 {
		fmt.Fprintf(&b, " %s at once", diag.Count(s.Group, "point"))
	}
	for _, id := range s.Staged {
		fmt.Fprintf(&b, " stage %s", k.Params[k.Instrs[id].Mem.Param].Name)
	}
	for _, id := range s.Blocked {
		fmt.Fprintf(&b, " block %s", k.Params[k.Instrs[id].Mem.Param].Name)
	}
	for _, r := range s.Records {
		fmt.Fprintf(&b, " records of %s along %s", k.Params[k.Instrs[r.ID].Mem.Param].Name, name(k.StageOf(r.ID), r.Axis))
	}
	for _, f := range s.Fields {
		of := k.Instrs[f.IDs[0]].Mem
		var in string
		if of.Local {
			in = k.Locals[of.Param].Name
		} else {
			in = k.Params[of.Param].Name
		}
		fmt.Fprintf(&b, " %s of %s", diag.Count(len(f.IDs), "field"), in)
	}
	b.WriteByte('\n')
	for i, t := range s.Stages {
		fmt.Fprintf(&b, "stage %d:", i)
		for _, a := range t.Loops {
			fmt.Fprintf(&b, " %s", name(i, a))
		}
		if t.Rows > 1 {
			fmt.Fprintf(&b, "x%d", t.Rows)
		}
		switch {
		case t.Vector < 0:
			b.WriteString(" scalar")
		case t.Lanes == 1:
			fmt.Fprintf(&b, " %s one by one", name(i, t.Vector))
		default:
			fmt.Fprintf(&b, " %s by %dx%d", name(i, t.Vector), t.Unroll, t.Lanes)
			if t.Whole {
				b.WriteString(" whole")
			}
			if t.Paced {
				b.WriteString(" paced")
			}
			if t.Abreast > 0 {
				fmt.Fprintf(&b, " %s abreast", diag.Count(t.Abreast, "row"))
			}
			for _, id := range t.Ahead {
				fmt.Fprintf(&b, " fetching %s", k.Params[k.Instrs[id].Mem.Param].Name)
			}
			if t.Held > 0 {
				fmt.Fprintf(&b, " holding %d", t.Held)
			}
			if t.Along {
				b.WriteString(" along")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
