// Package kernel is the kernel IR: what one pass over memory computes, without
// an order, a vector width, threads or tiles, which are a schedule's to choose,
// one for each kind of device. Its central type is [Kernel].
//
// A kernel is a list of stages that share parallel axes. A stage may have axes of its
// own. Its body is scalar code that runs once for each point of the kernel's axes and
// the stage's axes. The body loads from and stores to operands at indices that are sums
// of axes or computed values. It reduces values over the stage's axes, or scans them
// along one axis: a scan gives each point the combination of the values up to that
// point. Along a scanned axis a local can carry a value from each point to the next,
// and any function may have computed that value. Softmax is one kernel of three stages.
// A matrix product is one kernel of two: a stage that reduces over k, and a stage for
// the epilogue.
//
// Sizes are arguments: a kernel is written once for all of them. The same holds
// for strides, of which a kernel knows only the [Stride] class.
//
// imports only ltc/backends/kit/approx, ltc/backends/kit/kernel/ops, ltc/internal/diag and ltc/ir/types.
package kernel

import (
	"fmt"
	"slices"

	"ltc/ir/types"
)

// Kernel is a loop nest over operands in memory.
type Kernel struct {
	Name   string
	Sizes  int     // how many run-time sizes there are: n0, n1, …
	Params []Param // the operands
	Axes   []Axis  // parallel, shared by all stages, outermost first
	Locals []Local // memory of one point of Axes
	Stages []Stage
	// Instrs are the bodies of all stages, one behind the other. An ID is an
	// index into them.
	Instrs []Instr
}

// Size is a number of elements: a literal if not negative, else -1-i for
// run-time size i.
type Size int64

// Sym returns the run-time size n<i>.
func Sym(i int) Size { return Size(-1 - i) }

// Sym returns which run-time size s is; false for a literal.
func (s Size) Sym() (int, bool) { return int(-1 - s), s < 0 }

// Of returns the number that s is, given the run-time sizes.
func (s Size) Of(sizes []int64) int64 {
	if i, ok := s.Sym(); ok {
		return sizes[i]
	}
	return int64(s)
}

func (s Size) String() string {
	if i, ok := s.Sym(); ok {
		return fmt.Sprintf("n%d", i)
	}
	return fmt.Sprint(int64(s))
}

// Stride is what a kernel knows of the distance, in elements, between
// neighbours along a dimension of an operand.
type Stride uint8

const (
	AnyStride  Stride = iota // a run-time argument
	UnitStride               // 1
	ZeroStride               // 0: all along the dimension are one element
	// TableStride is the stride of a dimension whose elements have any place in memory,
	// such as columns with an address each. The index along it is one value alone,
	// which the kernel loads from a table of columns. The value is the distance of the
	// column from the operand's first element, in elements. Nothing bounds the value
	// but the caller's word; the dimension's size is the table's.
	TableStride
)

// Param is an operand in memory.
type Param struct {
	Name    string
	DType   types.DType
	Dims    []Size
	Strides []Stride // one per dimension
	// Out says that the kernel stores to it. What it loads from an Out operand
	// is what the caller left there, or what an earlier stage stored.
	Out bool
}

// Axis is a range of integers from 0.
type Axis struct {
	Name string
	Size Size
	Kind AxisKind
}

// AxisKind says in which order the points of an axis combine. An axis of a stage
// along which values are reduced is free.
type AxisKind uint8

const (
	FreeAxis    AxisKind = iota
	ScanAxis             // scans run along it, from its first point on
	ReverseAxis          // scans run along it, from its last point on
)

// NewScan returns what Aux is of a [Scan] with an op. An exclusive scan's value
// at a point leaves out the point's own.
func NewScan(with Op, exclusive bool) int64 {
	if exclusive {
		return int64(with) | exclusiveScan
	}
	return int64(with)
}

const exclusiveScan = 1 << 8

// AsScan is the inverse of [NewScan].
func AsScan(aux int64) (with Op, exclusive bool) { return Op(aux), aux&exclusiveScan != 0 }

// Scanned returns the kind of the stage's axis along which scans run; FreeAxis
// if there are none. A stage that scans has no other axis.
func (s *Stage) Scanned() AxisKind {
	if len(s.Axes) == 1 {
		return s.Axes[0].Kind
	}
	return FreeAxis
}

// Scans reports whether a stage of the kernel has an axis that is scanned.
func (k *Kernel) Scans() bool {
	for s := range k.Stages {
		if k.Stages[s].Scanned() != FreeAxis {
			return true
		}
	}
	return false
}

// Carries reports whether a stage along a scanned axis loads a local that it stores to.
// Each point loads the value that the previous point in the axis's order has stored;
// the first point loads the value that an earlier stage has stored. Points run one
// after the other then.
func (k *Kernel) Carries(s int) bool {
	st := &k.Stages[s]
	if st.Scanned() == FreeAxis {
		return false
	}
	for l := range k.Locals {
		if k.carries(st, l) {
			return true
		}
	}
	return false
}

// carries reports whether a stage along a scanned axis loads a local that it stores to
// at one place for all points of the axis.
func (k *Kernel) carries(st *Stage, local int) bool {
	loads, stores := false, false
	for i := st.Begin; i < st.End; i++ {
		in := &k.Instrs[i]
		if in.Mem == nil || !in.Mem.Local || in.Mem.Param != local {
			continue
		}
		if in.Op == Load {
			loads = true
		} else {
			stores = stores || !slices.ContainsFunc(in.Mem.Index, func(x Index) bool { return x.keepsApart(len(k.Axes)) })
		}
	}
	return loads && stores
}

// Carried returns, by local, whether a stage carries values in it ([Kernel.Carries]);
// nil if there is none.
func (k *Kernel) Carried() []bool {
	var all []bool
	for s := range k.Stages {
		if k.Stages[s].Scanned() == FreeAxis {
			continue
		}
		for l := range k.Locals {
			if k.carries(&k.Stages[s], l) {
				if all == nil {
					all = make([]bool, len(k.Locals))
				}
				all[l] = true
			}
		}
	}
	return all
}

// Local is memory that a point of the kernel's axes has for itself, from one
// stage to the next: a row of a matrix. It is dense.
type Local struct {
	Name  string
	DType types.DType
	Dims  []Size
}

// Stage is a body with the axes that it runs over besides the kernel's. A stage
// begins when the one before it has ended for its point of the kernel's axes.
type Stage struct {
	Axes       []Axis
	Begin, End ID // its instructions
}

// ID is a value, or the instruction that makes it.
type ID int32

// None is no value.
const None ID = -1

// Instr is an instruction. The columns that an [Op] uses are said there.
type Instr struct {
	Op   Op
	Type types.DType // of its value; of what is stored
	Args []ID        // values: of this stage, or uniform ones of earlier stages
	// Aux is a constant's bits, in the bytes of its type from the lowest;
	// an iota's axis; a size; a reduction's Op; what NewScan returns.
	Aux int64
	Mem *Access // of a load or store
}

// Access is a place in an operand or local.
type Access struct {
	Param int // an index of Params; of Locals, when Local is set
	Local bool
	Index []Index // one per dimension
	// Guard makes an access outside of the operand do nothing: a load gives
	// its argument instead, a store does not store. Without it indices are in
	// range for all points, which [Bounds] shows.
	Guard bool
	// Combine, if not Invalid, makes a store combine what is there with the
	// value (a scatter), in an order that depends on nothing but the sizes.
	Combine Op
}

// Index is a place along one dimension: Σ axis·factor + value + offset, modulo
// 2^64 as an i64 has it. Values of unsigned types are not negative, but those of
// u64 are taken modulo 2^64 too.
type Index struct {
	Terms  []Term // by axis, ascending; no factor is 0
	Value  ID     // an integer; None if there is none
	Offset int64
}

// Term is an axis times a factor. Axes of the kernel come first, then the
// stage's own.
type Term struct {
	Axis   int
	Factor int64
}

// Along returns the index that is an axis.
func Along(axis int) Index { return Index{Terms: []Term{{axis, 1}}, Value: None} }

// At returns the index that is a constant.
func At(offset int64) Index { return Index{Value: None, Offset: offset} }

// ByValue returns the index that is a value.
func ByValue(v ID) Index { return Index{Value: v} }

// IsAxis reports whether i is just the axis.
func (i Index) IsAxis(axis int) bool {
	return len(i.Terms) == 1 && i.Terms[0] == Term{axis, 1} && i.Value == None && i.Offset == 0
}

// Over returns i with other indices in the place of axes. What values they have is left out.
func (i Index) Over(axes []Index) Index {
	r := At(i.Offset)
	for _, t := range i.Terms {
		a := axes[t.Axis]
		r.Offset += t.Factor * a.Offset
		for _, u := range a.Terms {
			r.Terms = addTerm(r.Terms, Term{u.Axis, u.Factor * t.Factor})
		}
	}
	return r
}

// addTerm adds a term to a sum.
func addTerm(terms []Term, t Term) []Term {
	at, found := slices.BinarySearchFunc(terms, t.Axis, func(u Term, axis int) int { return u.Axis - axis })
	switch {
	case !found:
		return slices.Insert(terms, at, t)
	case terms[at].Factor+t.Factor == 0:
		return slices.Delete(terms, at, at+1)
	}
	terms[at].Factor += t.Factor
	return terms
}

// Points returns how many points axes of literal sizes have.
func Points(axes []Axis) int64 {
	n := int64(1)
	for _, a := range axes {
		n *= int64(a.Size)
	}
	return n
}

// StageOf returns the index of the stage whose instruction id is.
func (k *Kernel) StageOf(id ID) int {
	for s := range k.Stages {
		if id < k.Stages[s].End {
			return s
		}
	}
	return len(k.Stages)
}

// Axis returns an axis as stage s numbers them.
func (k *Kernel) Axis(s, axis int) Axis {
	if axis < len(k.Axes) {
		return k.Axes[axis]
	}
	return k.Stages[s].Axes[axis-len(k.Axes)]
}

// Uniform reports whether later stages can use a value: it is one for each
// point of the kernel's axes.
func (k *Kernel) Uniform(id ID) bool {
	return k.Instrs[id].Op == Reduce || len(k.Stages[k.StageOf(id)].Axes) == 0
}

// StrideArgs returns how many run-time strides the kernel takes: one for each
// dimension of class [AnyStride], by operand and dimension.
func (k *Kernel) StrideArgs() int {
	n := 0
	for i := range k.Params {
		for _, s := range k.Params[i].Strides {
			if s == AnyStride {
				n++
			}
		}
	}
	return n
}

// Outs returns the operands that the kernel stores to.
func (k *Kernel) Outs() []int {
	var outs []int
	for i := range k.Params {
		if k.Params[i].Out {
			outs = append(outs, i)
		}
	}
	return outs
}
