package body

import (
	"slices"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
)

// VectorBytes is the most that an instruction loads or stores for a thread.
const VectorBytes = 16

// MostCostly is how many ops such as exponentials an iteration has at most for all of its
// lanes together: more take registers and text, and hide the memory's latency alone.
const MostCostly = 16

// mostSingly is how many elements a stage loads one by one at most for all lanes of an
// iteration together, such as those of windows: their addresses and guards take more
// registers than there are.
const mostSingly = 64

// Lanes are points beside each other along an axis that a thread computes together. Whether
// memory is aligned for that, the entry finds out.
type Lanes struct {
	N    int // 0: one
	Axis int
	k    *kernel.Kernel
	from kernel.ID // the first instruction that lanes have
	most int       // how many bytes beside each other they load at most
	deps []kernel.AxisSet
}

// NewLanes returns lanes along an axis, of the instructions from one on, that load at most
// so many bytes beside each other. There is one until N is set.
func NewLanes(k *kernel.Kernel, axis int, from kernel.ID, most int) Lanes {
	return Lanes{Axis: axis, k: k, from: from, most: most, deps: k.Dependence()}
}

// Fill sets how many lanes there are, if what the kernel stores lies beside each other
// along the axis.
func (l *Lanes) Fill() {
	size, costly := 0, 0
	for id := l.from; int(id) < len(l.k.Instrs); id++ {
		i := &l.k.Instrs[id]
		if i.Op.Costly() {
			costly++
		}
		if i.Op == kernel.Store && Neighbours(l.k, id) == l.Axis {
			size = max(size, i.Type.Size())
		}
	}
	if size == 0 {
		return
	}
	n := min(VectorBytes/size, 8)
	for n*costly > MostCostly {
		n /= 2
	}
	for n > 1 && n*l.singly(n) > mostSingly {
		n /= 2
	}
	for id := l.from; int(id) < len(l.k.Instrs); id++ {
		if i := &l.k.Instrs[id]; n > 1 && i.Op == kernel.Store && l.fits(id, n) {
			l.N = n
		}
	}
}

// singly returns how many loads a stage has at most of which each lane, of n, has its own.
func (l *Lanes) singly(n int) int {
	most := 0
	for _, st := range l.k.Stages {
		of := 0
		for id := max(st.Begin, l.from); id < st.End; id++ {
			if i := &l.k.Instrs[id]; i.Op == kernel.Load && !i.Mem.Local && l.Differs(id) && !l.fits(id, n) {
				of++
			}
		}
		most = max(most, of)
	}
	return most
}

// Differs reports whether the value of an instruction is another for each lane.
func (l *Lanes) Differs(id kernel.ID) bool { return l.deps[id].Has(l.Axis) }

// InVector reports whether a load or store of all lanes may be one instruction, if memory
// is aligned.
func (l *Lanes) InVector(id kernel.ID) bool { return l.fits(id, l.N) }

// fits reports the same of n lanes.
func (l *Lanes) fits(id kernel.ID, n int) bool {
	i := &l.k.Instrs[id]
	bytes := n * i.Type.Size()
	if Neighbours(l.k, id) != l.Axis || i.Mem.Guard || i.Mem.Combine != kernel.Invalid || bytes < 4 || bytes > l.most {
		return false
	}
	along := 0
	for d, at := range i.Mem.Index {
		class := l.k.Params[i.Mem.Param].Strides[d]
		moves := len(at.Terms) > 0 || at.Offset != 0 || at.Value != kernel.None
		switch {
		case class == kernel.TableStride, at.Value != kernel.None && l.Differs(at.Value): // which may come behind where a strip is loaded
			return false
		case class == kernel.ZeroStride:
			continue
		case slices.ContainsFunc(at.Terms, func(t kernel.Term) bool { return t.Axis == l.Axis }):
			if along++; class != kernel.UnitStride || at.Offset%int64(n) != 0 {
				return false
			}
		case class == kernel.UnitStride && moves:
			return false
		}
	}
	return along == 1
}

// InLanes writes the stages from one on for all lanes, of which the first is at a point.
// values, if there are any, are those that lanes have of an instruction before.
func (w *Writer) InLanes(stage int, first Point, values []string, of kernel.ID) {
	before := w.Vals
	lanes, vals := make([]Point, w.Lanes.N), make([][]string, w.Lanes.N)
	for l := range lanes {
		lanes[l] = Point{At: slices.Clone(first.At), Stores: first.Stores}
		lanes[l].At[w.Lanes.Axis] = w.Add(first.At[w.Lanes.Axis], asm.Number(int64(l)))
		vals[l] = slices.Clone(before)
		if values != nil {
			vals[l][of] = values[l]
		}
	}
	for s := stage; s < len(w.K.Stages); s++ {
		for id := w.K.Stages[s].Begin; id < w.K.Stages[s].End && w.Err == nil; id++ {
			w.inLanes(s, id, lanes, vals)
		}
	}
	w.Vals = before
}

// inLanes writes an instruction for all lanes, once if it is the same for all.
func (w *Writer) inLanes(s int, id kernel.ID, lanes []Point, vals [][]string) {
	i := &w.K.Instrs[id]
	once := !w.Lanes.Differs(id) && i.Op != kernel.Store
	for l := range lanes {
		w.Vals = vals[l]
		switch {
		case once && l > 0:
			vals[l][id] = vals[0][id]
			continue
		case i.Mem != nil && w.Lanes.InVector(id):
			if i.Op == kernel.Load && l == 0 {
				address, _ := w.Operand(i.Mem, lanes[0])
				v := w.LoadVector(i.Type, address, "")
				for n := range vals {
					vals[n][id] = w.Element(i.Type, &v, n)
				}
			} else if i.Op == kernel.Store && l == len(lanes)-1 {
				w.Vals = vals[0] // where it is, is the same for all
				w.StoreLanes(id, lanes[0], vals)
			}
			continue
		}
		w.Instr(&Stage{Number: s, Point: lanes[l]}, id)
	}
}

// Aligned returns the predicate that all accesses in vectors are aligned to them at
// their first points.
func (w *Writer) Aligned() string {
	holds := ""
	multiple := func(v string, of int64) {
		if of > 1 && v != "0" {
			holds = w.Both(holds, w.Op(asm.Predicate, "setp.eq.s64", w.Op(asm.Long, "and.b64", v, asm.Number(of-1)), "0"))
		}
	}
	n := int64(w.Lanes.N)
	for id := w.Lanes.from; int(id) < len(w.K.Instrs); id++ {
		i := &w.K.Instrs[id]
		if i.Mem == nil || !w.Lanes.InVector(id) {
			continue
		}
		multiple(w.bases[i.Mem.Param], min(n*int64(i.Type.Size()), VectorBytes))
		for d, x := range i.Mem.Index {
			if w.K.Params[i.Mem.Param].Strides[d] == kernel.AnyStride && (len(x.Terms) > 0 || x.Offset != 0 || x.Value != kernel.None) {
				multiple(w.Steps[i.Mem.Param][d], n)
			}
		}
	}
	return holds
}
