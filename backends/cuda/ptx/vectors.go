package ptx

import (
	"fmt"
	"slices"
	"strings"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// vectorBytes is the most that an instruction loads or stores for a thread.
const vectorBytes = 16

// mostCostly is how many ops such as exponentials a turn has at most for all of its
// lanes together: more take registers and text, and hide the memory's latency alone.
const mostCostly = 16

// mostSingly is how many elements a stage loads one by one at most for all lanes of a
// turn together, such as those of windows: their addresses and guards take more registers
// than there are.
const mostSingly = 64

// vectorise has each thread of Points, or of a Tensor behind its product, compute lanes
// that lie beside each other along x, if what the kernel stores does. Whether memory is
// aligned for it, the entry finds out.
func (s *Schedule) vectorise() {
	if s.Form != Points && s.Form != Tensor || s.lane() < 0 {
		return
	}
	size, costly := 0, 0
	for id := s.inLanes(); int(id) < len(s.k.Instrs); id++ {
		i := &s.k.Instrs[id]
		if i.Op.Costly() {
			costly++
		}
		if i.Op == kernel.Store && neighbours(s.k, id) == s.lane() {
			size = max(size, i.Type.Size())
		}
	}
	if size == 0 {
		return
	}
	n := min(vectorBytes/size, 8)
	for n*costly > mostCostly {
		n /= 2
	}
	deps := s.k.Dependence()
	for n > 1 && n*s.singly(n, deps) > mostSingly {
		n /= 2
	}
	for id := s.inLanes(); int(id) < len(s.k.Instrs); id++ {
		if i := &s.k.Instrs[id]; n > 1 && i.Op == kernel.Store && s.inVectors(id, n, deps) {
			s.Lanes = n
		}
	}
}

// singly returns how many loads a stage has at most of which each lane, of n, has its own.
func (s *Schedule) singly(n int, deps []kernel.AxisSet) int {
	most := 0
	for _, st := range s.k.Stages {
		of := 0
		for id := max(st.Begin, s.inLanes()); id < st.End; id++ {
			if i := &s.k.Instrs[id]; i.Op == kernel.Load && !i.Mem.Local && deps[id].Has(s.lane()) && !s.inVectors(id, n, deps) {
				of++
			}
		}
		most = max(most, of)
	}
	return most
}

// lane returns the axis along which the lanes of a thread lie: x, or that of rows, or the
// one of a Tensor's two along which neighbours of what is stored lie.
func (s *Schedule) lane() int {
	switch {
	case s.Form == Rows:
		return len(s.k.Axes)
	case s.Form == Tensor && s.lanes(len(s.k.Stages)-1, 0, len(s.k.Axes)) == s.Across:
		return s.Across
	}
	return s.X
}

// inLanes is the first instruction that lanes have: of a Tensor that behind the product.
func (s *Schedule) inLanes() kernel.ID {
	if s.Form == Tensor {
		return s.k.Stages[0].End
	}
	return 0
}

// mostBytes is how many bytes beside each other the lanes of a thread load at most. What
// follows a product often adds f32 to what is stored as bf16, so that two loads are one's.
func (s *Schedule) mostBytes() int {
	if s.Form == Tensor {
		return 2 * vectorBytes
	}
	return vectorBytes
}

// inVectors reports whether a load or store of n neighbours along x may be one
// instruction, if memory is aligned.
func (s *Schedule) inVectors(id kernel.ID, n int, deps []kernel.AxisSet) bool {
	i := &s.k.Instrs[id]
	bytes := n * i.Type.Size()
	x := s.lane()
	if neighbours(s.k, id) != x || i.Mem.Guard || i.Mem.Combine != kernel.Invalid || bytes < 4 || bytes > s.mostBytes() {
		return false
	}
	along := 0
	for d, at := range i.Mem.Index {
		class := s.k.Params[i.Mem.Param].Strides[d]
		moves := len(at.Terms) > 0 || at.Offset != 0 || at.Value != kernel.None
		switch {
		case class == kernel.TableStride, at.Value != kernel.None && deps[at.Value].Has(x): // which may come behind where a strip is loaded
			return false
		case class == kernel.ZeroStride:
			continue
		case slices.ContainsFunc(at.Terms, func(t kernel.Term) bool { return t.Axis == x }):
			if along++; class != kernel.UnitStride || at.Offset%int64(n) != 0 {
				return false
			}
		case class == kernel.UnitStride && moves:
			return false
		}
	}
	return along == 1
}

// vectors writes the loop over points in vectors, and returns where those along x
// begin that are left.
func (w *writer) vectors(p point) (rest string) {
	n := w.s.Lanes
	size := w.size(w.k.Axis(0, w.s.X).Size)
	end := w.Op(asm.Long, "selp.b64", w.Op(asm.Long, "and.b64", size, asm.Number(int64(-n))), "0", w.aligned())
	block, threads := w.Special("%ctaid.x"), w.Special("%ntid.x")
	start := w.Mul(w.Mad(block, threads, w.Special("%tid.x")), asm.Number(int64(n)))
	step := w.Mul(w.Mul(w.Special("%nctaid.x"), threads), asm.Number(int64(n)))
	deps := w.k.Dependence()
	w.Loop(start, end, step, func(i string) {
		lanes := make([]point, n)
		vals := make([][]string, n)
		for l := range lanes {
			lanes[l] = point{at: slices.Clone(p.at), stores: p.stores}
			lanes[l].at[w.s.X] = w.Add(i, asm.Number(int64(l)))
			vals[l] = slices.Clone(w.vals)
		}
		for s := range w.k.Stages {
			for id := w.k.Stages[s].Begin; id < w.k.Stages[s].End && w.Err == nil; id++ {
				w.inLanes(s, id, lanes, vals, deps)
			}
		}
	})
	return end
}

// inLanes writes an instruction for all lanes, once if it is the same for all.
func (w *writer) inLanes(s int, id kernel.ID, lanes []point, vals [][]string, deps []kernel.AxisSet) {
	i := &w.k.Instrs[id]
	once := !deps[id].Has(w.s.lane()) && i.Op != kernel.Store
	for l := range lanes {
		w.vals = vals[l]
		switch {
		case once && l > 0:
			vals[l][id] = vals[0][id]
			continue
		case i.Mem != nil && w.s.inVectors(id, len(lanes), deps):
			if i.Op == kernel.Load && l == 0 {
				w.loadLanes(id, lanes[0], vals)
			} else if i.Op == kernel.Store && l == len(lanes)-1 {
				w.vals = vals[0] // where it is, is the same for all
				w.storeLanes(id, lanes[0], vals)
			}
			continue
		}
		w.instr(&stage{number: s, at: lanes[l]}, id)
	}
}

// aligned returns the predicate that all accesses in vectors are aligned to them at
// their first points.
func (w *writer) aligned() string {
	holds := ""
	multiple := func(v string, of int64) {
		if of > 1 && v != "0" {
			holds = w.Both(holds, w.Op(asm.Predicate, "setp.eq.s64", w.Op(asm.Long, "and.b64", v, asm.Number(of-1)), "0"))
		}
	}
	deps := w.k.Dependence()
	n := int64(w.s.Lanes)
	for id := w.s.inLanes(); int(id) < len(w.k.Instrs); id++ {
		i := &w.k.Instrs[id]
		if i.Mem == nil || !w.s.inVectors(id, w.s.Lanes, deps) {
			continue
		}
		multiple(w.bases[i.Mem.Param], min(n*int64(i.Type.Size()), vectorBytes))
		for d, x := range i.Mem.Index {
			if w.k.Params[i.Mem.Param].Strides[d] == kernel.AnyStride && (len(x.Terms) > 0 || x.Offset != 0 || x.Value != kernel.None) {
				multiple(w.steps[i.Mem.Param][d], n)
			}
		}
	}
	return holds
}

// vector is elements beside each other as an instruction moves them: in registers
// of a class, each of which holds some, as a type of memory.
type vector struct {
	regs []string
	asm.Class
	name string
	each int
	bits int // of an element
}

// newVector returns n elements of a type, in registers that are yet to be named.
func newVector(t types.DType, n int) vector {
	if t.Size() >= 4 {
		name, c := asm.MemoryType(t)
		return vector{make([]string, n), c, name, 1, 8 * t.Size()}
	}
	return vector{make([]string, n*t.Size()/4), asm.Word, "u32", 4 / t.Size(), 8 * t.Size()}
}

// place returns the register of element l, and from which bit on it is there.
func (v *vector) place(l int) (reg *string, shift int) {
	return &v.regs[l/v.each], l % v.each * v.bits
}

// operand returns an instruction's letters and operand.
func (v *vector) operand() (opcode, operand string) {
	if len(v.regs) == 1 {
		return v.name, v.regs[0]
	}
	return fmt.Sprintf("v%d.%s", len(v.regs), v.name), "{" + strings.Join(v.regs, ", ") + "}"
}

func (w *writer) loadLanes(id kernel.ID, at point, vals [][]string) {
	i := &w.k.Instrs[id]
	address, _ := w.operand(i.Mem, at)
	lanes := w.loadVector(i.Type, len(vals), address, "")
	for l := range vals {
		vals[l][id] = w.element(i.Type, &lanes, l)
	}
}

// loadVector reads n elements beside each other, where a guard, if any, holds.
func (w *writer) loadVector(t types.DType, n int, address, guard string) vector {
	v := newVector(t, n)
	for r := range v.regs {
		v.regs[r] = w.Fresh(v.Class)
	}
	for i, part := range v.parts() {
		opcode, operand := part.operand()
		w.Line("%sld.global.%s %s, [%s]", asm.On(guard), opcode, operand, asm.PlusOffset(address, i*vectorBytes))
	}
	return v
}

// parts are what an instruction moves each.
func (v *vector) parts() []vector {
	var all []vector
	for regs := range slices.Chunk(v.regs, vectorBytes*8/max(v.bits*v.each, 32)) {
		part := *v
		part.regs = regs
		all = append(all, part)
	}
	return all
}

// element returns the value of element l of a vector.
func (w *writer) element(t types.DType, of *vector, l int) string {
	reg, shift := of.place(l)
	v := *reg
	if t == types.BF16 { // half of an f32's bits, in the upper half
		if shift == 0 {
			return w.Upper(v)
		}
		return w.Op(asm.Single, "mov.b32", w.Op(asm.Word, "and.b32", v, "-65536"))
	}
	if of.each > 1 {
		if shift > 0 {
			v = w.Op(asm.Word, "shr.u32", v, asm.Number(int64(shift)))
		}
		v = w.Op(asm.Word, "and.b32", v, asm.Number(1<<of.bits-1))
	}
	if of.Class == asm.Word {
		v = w.OfBits(t, v)
	}
	if t.IsInteger() {
		v = w.Rounded(t, v)
	}
	return v
}

func (w *writer) storeLanes(id kernel.ID, at point, vals [][]string) {
	i := &w.k.Instrs[id]
	address, _ := w.operand(i.Mem, at)
	lanes := newVector(i.Type, len(vals))
	for l := range vals {
		v := vals[l][i.Args[0]]
		reg, shift := lanes.place(l)
		switch {
		case i.Type == types.BF16 || i.Type == types.F16: // two at a time
			if shift > 0 {
				*reg = w.Pair(i.Type, w.Exactly(v), w.Exactly(vals[l-1][i.Args[0]]))
			}
			continue
		case lanes.Class == asm.Word:
			v = w.UnsignedBits(i.Type, w.BitsOf(i.Type, v))
		}
		if shift > 0 {
			v = w.Op(asm.Word, "or.b32", *reg, w.Op(asm.Word, "shl.b32", v, asm.Number(int64(shift))))
		}
		*reg = v
	}
	for i, part := range lanes.parts() {
		opcode, operand := part.operand()
		w.Line("%sst.global.%s [%s], %s", asm.On(at.stores), opcode, asm.PlusOffset(address, i*vectorBytes), operand)
	}
}
