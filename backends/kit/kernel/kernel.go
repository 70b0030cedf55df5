// Package kernel is the kernel IR: it says what one pass over memory computes. A kernel
// has no loop order, vector width, threads or tiles: each kind of device chooses them
// in a schedule of its own. The central type is [Kernel].
//
// A kernel is a list of stages that share parallel axes. A stage may have axes of its own. The
// body of a stage is scalar code that runs once for each point of the kernel's axes and the
// stage's axes. The body loads from and stores to operands at indices that are sums of axes or
// computed values. The body reduces values over the stage's axes, or scans them along one axis:
// a scan gives each point the combination of the values up to that point. A recurrence that is
// no scan keeps its value in a local: memory that each point of the kernel's axes has for
// itself. Each point of the stage's axis loads from the local what the previous point has
// stored. Softmax is one kernel of three stages. A matrix product is one kernel of two stages:
// the first stage reduces over k, and the second is the epilogue, which computes with the sums.
//
// Sizes can be run-time arguments: one kernel then serves all sizes. Strides can be
// run-time arguments too: a kernel fixes only the class of each [Stride].
//
// The package imports only ltc/backends/kit/approx, ltc/backends/kit/kernel/ops, ltc/internal/diag,
// ltc/internal/footprint, ltc/ir/dims and ltc/ir/types.
package kernel

import (
	"slices"
	"strconv"

	"ltc/ir/dims"
	"ltc/ir/types"
)

// Kernel is a loop nest over operands in memory.
type Kernel struct {
	Name   string
	Sizes  int     // the number of run-time sizes, named n0, n1, …
	Params []Param // the operands
	Axes   []Axis  // parallel, shared by all stages, outermost first
	Locals []Local // memory that each point of Axes has for itself
	Stages []Stage // run in this order
	// Instrs are the bodies of all stages, in the order of the stages. An ID is an
	// index into Instrs.
	Instrs []Instr
}

// Size is a number of elements. A Size of 0 or more is a literal; -1-i stands for
// run-time size i. Before a kernel has run-time sizes, a literal can be an expression of
// package dims instead.
type Size int64

// Sym returns the run-time size n<i>.
func Sym(i int) Size { return Size(-1 - i) }

// Sym returns the number i of the run-time size that s stands for; false if s is a literal.
func (s Size) Sym() (int, bool) { return int(-1 - s), s < 0 && !dims.IsExpr(s) }

// Of returns the value of s, given the values of the run-time sizes.
func (s Size) Of(sizes []int64) int64 {
	if i, ok := s.Sym(); ok {
		return sizes[i]
	}
	return int64(s)
}

func (s Size) String() string {
	if i, ok := s.Sym(); ok {
		return "n" + strconv.Itoa(i)
	}
	return dims.String(s)
}

// Stride is the class of an operand's stride along a dimension: what a kernel knows of the
// distance, in elements, between neighbouring elements.
type Stride uint8

const (
	AnyStride  Stride = iota // a run-time argument
	UnitStride               // 1
	ZeroStride               // 0: the elements along the dimension are one element in memory
	// TableStride is the stride of a dimension whose elements are anywhere in memory, such as
	// columns with an address each. The dimension's size is the number of columns. An index
	// along such a dimension must be a value that the kernel has loaded from a table: the index
	// has no terms and no offset. The value is the distance, in elements, from the operand's
	// first element to the column. Nothing checks the values of the table: the caller vouches
	// for them.
	TableStride
)

// Param is an operand in memory.
type Param struct {
	Name    string
	DType   types.DType
	Dims    []Size
	Strides []Stride // one per dimension
	// Out says that the kernel stores to the operand. A load from the operand finds what the
	// caller left in its memory, or what an earlier stage has stored.
	Out bool
}

// Axis is a loop of a kernel: its points are the integers from 0 to Size-1.
type Axis struct {
	Name string
	Size Size
	Kind AxisKind
}

// AxisKind says whether the points of an axis have an order. FreeAxis, for parallel axes and for
// the axes of reductions, means that the points have no order.
type AxisKind uint8

const (
	FreeAxis    AxisKind = iota
	ScanAxis             // of a stage that scans: from the first point to the last
	ReverseAxis          // of a stage that scans: from the last point to the first
)

// NewScan returns the value for [Instr].Aux of a [Scan] instruction that combines with the given
// op. An exclusive scan gives each point the combination of the values of the points before it.
// An inclusive scan includes the point's own value.
func NewScan(with Op, exclusive bool) int64 {
	if exclusive {
		return int64(with) | exclusiveScan
	}
	return int64(with)
}

const exclusiveScan = 1 << 8

// AsScan is the inverse of [NewScan].
func AsScan(aux int64) (with Op, exclusive bool) { return Op(aux), aux&exclusiveScan != 0 }

// Scanned returns the kind of the axis along which the stage scans, or FreeAxis if the stage
// does not scan. A stage that scans has one axis of its own.
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

// Carries reports whether stage s carries a value along its scanned axis, in a local that it both
// loads and stores. Each point loads the value that the previous point has stored. The first
// point loads the value that an earlier stage has stored. The points of such a stage run one
// after the other.
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

// carries reports whether a stage along a scanned axis loads the local and stores to an
// element of it that is the same for all points of the axis.
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

// Carried returns, by local, whether a stage carries a value in the local: see [Kernel.Carries].
// The result is nil if no stage carries a value.
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

// Local is memory of one point of the kernel's axes, such as a row of a matrix. A local keeps
// its contents from one stage to the next, and is dense.
type Local struct {
	Name  string
	DType types.DType
	Dims  []Size
}

// Stage is a body that runs over the kernel's axes and axes of its own. At each point of
// the kernel's axes, a stage begins when the previous stage has ended at that point.
type Stage struct {
	Axes       []Axis
	Begin, End ID // the body is Instrs[Begin:End]
}

// ID is an index into [Kernel].Instrs. It names an instruction and the value that the
// instruction computes.
type ID int32

// None stands for no value.
const None ID = -1

// Instr is an instruction. The constants of [Op] say which fields each op uses.
type Instr struct {
	Op   Op
	Type types.DType // of its value; of a store, the type of the element
	Args []ID        // values of this stage, or values of earlier stages that are uniform (see [Kernel.Uniform])
	// Aux depends on the op: the bits of a constant in its lowest bytes, the axis of an
	// iota, a Size, the Op of a reduction, or a result of NewScan.
	Aux int64
	Mem *Access // of a load or store; nil for other ops
}

// Access names the element of an operand or local that an instruction loads or stores.
type Access struct {
	Param int // an index into Params, or into Locals if Local is set
	Local bool
	Index []Index // one per dimension
	// Guard allows indices outside of the operand. A load from such an index gives the value
	// Args[0] of the instruction instead, and a store to such an index does nothing. Without a
	// guard every index must be in range at all points, as [Bounds] proves.
	Guard bool
	// Combine, if not Invalid, is the op by which a store combines the element's old value with
	// the new one, as a scatter does. The order in which values are combined into an element
	// depends on the sizes alone.
	Combine Op
}

// Index is an index along one dimension: Σ axis·factor + value + offset, in i64 that
// wraps. A value of an unsigned type is zero-extended; the bits of a u64 are taken as an
// i64.
type Index struct {
	Terms  []Term // in ascending order of axes; no factor is 0. Indices share terms: they never change
	Value  ID     // an integer; None if the index has no value
	Offset int64
}

// Term is an axis times a factor. The kernel's axes are numbered first, then the stage's own.
type Term struct {
	Axis   int
	Factor int64
}

// Along returns the index that equals an axis.
func Along(axis int) Index { return Index{Terms: []Term{{axis, 1}}, Value: None} }

// At returns a constant index.
func At(offset int64) Index { return Index{Value: None, Offset: offset} }

// ByValue returns the index that equals a value, which has an integer type.
func ByValue(v ID) Index { return Index{Value: v} }

// Plus returns the index plus a constant.
func (i Index) Plus(n int64) Index {
	i.Offset = dims.GoAdd(i.Offset, n)
	return i
}

// IsAxis reports whether i equals the axis, without a factor, value or offset.
func (i Index) IsAxis(axis int) bool {
	return len(i.Terms) == 1 && i.Terms[0] == Term{axis, 1} && i.Value == None && i.Offset == 0
}

// Over returns i with axis a replaced by axes[a]. The result's Value is None, even if i or an
// element of the slice axes has a Value.
func (i Index) Over(axes []Index) Index {
	r := At(i.Offset)
	if len(i.Terms) == 1 && i.Terms[0].Factor == 1 {
		a := axes[i.Terms[0].Axis]
		r.Offset = dims.GoAdd(r.Offset, a.Offset)
		r.Terms = slices.Clip(a.Terms)
		return r
	}
	for _, t := range i.Terms {
		a := axes[t.Axis]
		r.Offset = dims.GoAdd(r.Offset, dims.GoMul(t.Factor, a.Offset))
		for _, u := range a.Terms {
			r.Terms = addTerm(r.Terms, Term{u.Axis, dims.GoMul(u.Factor, t.Factor)})
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
	case dims.GoAdd(terms[at].Factor, t.Factor) == 0:
		return slices.Delete(terms, at, at+1)
	}
	terms[at].Factor = dims.GoAdd(terms[at].Factor, t.Factor)
	return terms
}

// Points returns the number of points of axes, whose sizes must be literals: an expression if
// one of them is.
func Points(axes []Axis) int64 {
	n := int64(1)
	for _, a := range axes {
		n = dims.GoMul(n, int64(a.Size))
	}
	return n
}

// StageOf returns the index of the stage that instruction id belongs to.
func (k *Kernel) StageOf(id ID) int {
	for s := range k.Stages {
		if id < k.Stages[s].End {
			return s
		}
	}
	return len(k.Stages)
}

// Axis returns an axis by its number in stage s: the kernel's axes are numbered first, then the
// axes of the stage.
func (k *Kernel) Axis(s, axis int) Axis {
	if axis < len(k.Axes) {
		return k.Axes[axis]
	}
	return k.Stages[s].Axes[axis-len(k.Axes)]
}

// Uniform reports whether later stages can use a value. Later stages can use a reduction, and
// the values of a stage without axes of its own: each point of the kernel's axes has one such
// value.
func (k *Kernel) Uniform(id ID) bool {
	return k.Instrs[id].Op == Reduce || len(k.Stages[k.StageOf(id)].Axes) == 0
}

// StrideArgs returns the number of run-time strides of the kernel: one for each dimension of
// class [AnyStride]. The strides are in the order of operands and their dimensions.
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

// Outs returns the indices of the operands that the kernel stores to, ascending.
func (k *Kernel) Outs() []int {
	var outs []int
	for i := range k.Params {
		if k.Params[i].Out {
			outs = append(outs, i)
		}
	}
	return outs
}
