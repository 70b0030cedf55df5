package ptx

import (
	"math/bits"
	"slices"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Limits of what a thread keeps of a row.
const (
	mostHeld = 64 // registers, of all that its stages load along the row and hand on
	// mostUnrolled is how many ops such as exponentials the text of an entry has.
	mostUnrolled = 64
	// mostOfLane is how many strips a lane has of a row that is a warp's.
	mostOfLane = 4
	// fewHeld is up to how many registers a thread keeps of a row where residentRows blocks
	// are to share a multiprocessor. What they compute with finds room beside these then, if
	// the kernel has at most fewInstrs instructions.
	fewHeld, fewInstrs, residentRows = 24, 40, 4
	// busy is how many warps with a row each are to be shared out among blocks before a
	// block has two of them.
	busy = 512
)

// strips has each thread of Rows take lanes beside each other along the row, which it loads
// and stores at once. The thread keeps in registers what stages load and hand on, so that
// each element comes from memory once. How many strips a thread has is an entry's, of which
// [Schedule.Launch] takes the one for the row's length. Whether memory is aligned, the
// entry finds out.
func (s *Schedule) strips() {
	along := len(s.k.Axes)
	var ok bool
	if s.row, ok = s.rowSize(); !ok || slices.Contains(s.InOrder, true) || s.k.Scans() || body.LoadsOut(s.k) {
		return
	}
	widest, costly := 0, 0
	for id := range s.k.Instrs {
		i := &s.k.Instrs[id]
		switch {
		case i.Op.Costly():
			if len(s.k.Stages[s.k.StageOf(kernel.ID(id))].Axes) > 0 {
				costly++
			}
		case i.Mem == nil:
		case i.Mem.Guard || i.Mem.Combine != kernel.Invalid:
			return
		case i.Mem.Local:
			if len(i.Mem.Index) != 1 || !i.Mem.Index[0].IsAxis(along) {
				return
			}
		case body.Neighbours(s.k, kernel.ID(id)) == along:
			widest = max(widest, i.Type.Size())
		}
	}
	if widest == 0 || body.VectorBytes/widest < 2 {
		return
	}
	lanes := body.NewLanes(s.k, along, 0, body.VectorBytes)
	lanes.N = min(body.VectorBytes/widest, 8)
	bytes, some := 0, false
	for id := range s.k.Instrs {
		if i := &s.k.Instrs[id]; i.Mem != nil && lanes.InVector(kernel.ID(id)) {
			some = true
			if i.Op == kernel.Load && !s.loadedBefore(kernel.ID(id)) {
				bytes += i.Type.Size()
			}
		}
	}
	for l := range s.k.Locals {
		bytes += max(s.k.Locals[l].DType.Size(), 4)
	}
	if !some {
		return
	}
	for s.most = 16; s.most > 0 && (s.most*lanes.N*bytes > 4*mostHeld || s.most*lanes.N*costly > mostUnrolled); {
		s.most /= 2
	}
	if s.most > 0 {
		s.Lanes, s.stripBytes = lanes, lanes.N*bytes
	}
}

// rowSize returns the size of the axis that all stages with axes run along, and that all
// locals have: a thread has the same places in each. It returns false if there is none.
func (s *Schedule) rowSize() (kernel.Size, bool) {
	var row []kernel.Size
	for i := range s.k.Stages {
		switch axes := s.k.Stages[i].Axes; len(axes) {
		case 0:
		case 1:
			row = append(row, axes[0].Size)
		default:
			return 0, false
		}
	}
	for l := range s.k.Locals {
		if len(s.k.Locals[l].Dims) != 1 {
			return 0, false
		}
		row = append(row, s.k.Locals[l].Dims[0])
	}
	if row = slices.Compact(row); len(row) != 1 {
		return 0, false
	}
	return row[0], true
}

// loadedBefore reports whether an earlier instruction loads from the same place.
func (s *Schedule) loadedBefore(id kernel.ID) bool {
	m := s.k.Instrs[id].Mem
	return slices.ContainsFunc(s.k.Instrs[:id], func(i kernel.Instr) bool {
		return i.Op == kernel.Load && !i.Mem.Local && i.Mem.Param == m.Param && slices.EqualFunc(i.Mem.Index, m.Index, func(a, b kernel.Index) bool {
			return slices.Equal(a.Terms, b.Terms) && a.Offset == b.Offset && a.Value == kernel.None && b.Value == kernel.None
		})
	})
}

// ofBlocks is how many entries there are for rows that are a block's, of 1, 2, 4 …
// strips a thread, and ofWarps how many follow for those that are a warp's.
func (s *Schedule) ofBlocks() int { return bits.Len(uint(s.most)) }
func (s *Schedule) ofWarps() int  { return bits.Len(uint(min(s.most, mostOfLane))) }

// stripsOf returns how many strips a thread has in an entry, and whether a row is a
// warp's there; 0: rows are not cut so.
func (s *Schedule) stripsOf(variant int) (strips int, warp bool) {
	switch {
	case s.Form != Rows || variant == 0:
		return 0, false
	case variant > s.ofBlocks():
		return 1 << (variant - 1 - s.ofBlocks()), true
	}
	return 1 << (variant - 1), false
}

// rowLaunch returns the entry for so many rows of a length, the threads of its blocks, and
// how many rows a block has at a time. Each row has so many bytes of the block's memory.
// The length alone says in which order a row is summed.
func (s *Schedule) rowLaunch(rows, length, bytes int64) (variant, threads, atOnce int) {
	if s.most > 0 && s.Same == nil && length > 0 {
		strips := asm.Ceil(length, int64(s.Lanes.N))
		for w := range s.ofWarps() {
			if asm.Ceil(strips, 1<<w) <= 32 {
				n := min(asm.Ceil(rows, busy), int64(s.Threads[0]/32))
				for n > 1 && n*bytes > mostOfWarps {
					n--
				}
				return 1 + s.ofBlocks() + w, int(32 * max(n, 1)), int(max(n, 1))
			}
		}
		for v := range s.ofBlocks() {
			if n := asm.Ceil(strips, 1<<v); n <= int64(s.Threads[0]) {
				return 1 + v, int(asm.RoundUp(n, 32)), 1
			}
		}
	}
	return 0, int(min(int64(s.Threads[0]), asm.RoundUp(max(length, 1), 32))), 1
}

// inStrips writes the rows of an entry whose threads have strips: in registers, where
// memory is aligned for it and the row has no remainder; else by elements, in the same
// order.
func (w *writer) inStrips(strips int) {
	if strips*w.s.stripBytes <= 4*fewHeld && len(w.K.Instrs) <= fewInstrs {
		w.Resident = residentRows
	}
	size := w.Size(w.s.row)
	whole := w.Op(asm.Predicate, "setp.eq.s64", w.Op(asm.Long, "and.b64", size, asm.Number(int64(w.Lanes.N-1))), "0")
	aligned := w.Both(whole, w.Aligned())
	w.When(aligned, func() {
		h := newStrips(w, strips, size)
		w.eachRow(func(r row) { h.raw, h.row = map[place]body.Vector{}, r }, h.stage)
	})
	w.When(w.Op(asm.Predicate, "not.pred", aligned), func() { w.eachRow(func(row) {}, w.byElements) })
}

// byElements runs a stage's body for the elements of each of a thread's strips.
func (w *writer) byElements(st *body.Stage) {
	lanes := asm.Number(int64(w.Lanes.N))
	size := w.Size(w.s.row)
	thread, of := w.inRow()
	w.Loop(w.Mul(thread, lanes), size, w.Mul(of, lanes), func(from string) {
		w.Loop(from, w.Op(asm.Long, "min.s64", w.Add(from, lanes), size), "1", func(i string) {
			st.At[len(w.K.Axes)] = i
			w.Body(st)
		})
	})
}

// place is what a vector was loaded from: the register of the address.
type place struct {
	address string
	t       types.DType
}

// rowStrips is what a thread has of a row.
type rowStrips struct {
	w      *writer
	first  []string              // the index of each strip's first lane
	inside []string              // the predicate that the row has the strip
	raw    map[place]body.Vector // as loaded
	row    row
	loads  [][]body.Vector // by instruction and strip
	locals [][][]string    // by local, strip and lane
}

func newStrips(w *writer, n int, size string) *rowStrips {
	h := &rowStrips{w: w, loads: make([][]body.Vector, len(w.K.Instrs)), locals: make([][][]string, len(w.K.Locals))}
	thread, of := w.inRow()
	first, step := w.Mul(thread, asm.Number(int64(w.Lanes.N))), w.Mul(of, asm.Number(int64(w.Lanes.N)))
	for range n {
		h.first = append(h.first, first)
		h.inside = append(h.inside, w.Op(asm.Predicate, "setp.lt.s64", first, size))
		first = w.Add(first, step)
	}
	for l := range h.locals {
		h.locals[l] = make([][]string, n)
	}
	return h
}

// stage runs a stage's body: what is the same along the row once, then all loads, so
// that they are on their way together, then strip by strip what is computed.
func (h *rowStrips) stage(st *body.Stage) {
	w, k := h.w, h.w.K
	begin, end := k.Stages[st.Number].Begin, k.Stages[st.Number].End
	for id := begin; id < end; id++ {
		if h.once(id) {
			w.Instr(st, id)
		}
	}
	for c := range h.first {
		for id := begin; id < end; id++ {
			if i := &k.Instrs[id]; i.Op == kernel.Load && h.vector(id) {
				h.load(id, c, st.Point)
			}
		}
	}
	h.prefetch(st)
	base := w.Vals
	for c := range h.first {
		w.When(h.inside[c], func() { h.strip(st, c, base) })
	}
	w.Vals = base
}

// prefetch has what the stage loads of the next row on its way to the GPU's cache, while
// this row is computed: without it memory has nothing to do meanwhile.
func (h *rowStrips) prefetch(st *body.Stage) {
	w, k := h.w, h.w.K
	if len(k.Axes) != 1 { // the point of the next row takes divisions
		return
	}
	next := ""
	for id := k.Stages[st.Number].Begin; id < k.Stages[st.Number].End; id++ {
		i := &k.Instrs[id]
		if i.Op != kernel.Load || !h.vector(id) || !ofRow(i.Mem) || h.w.s.loadedBefore(id) {
			continue
		}
		if next == "" {
			next = w.Add(h.row.number, h.row.step)
		}
		some := w.Op(asm.Predicate, "setp.lt.s64", next, h.row.rows)
		for c := range h.first {
			at := h.at(st.Point, c, 0)
			at.At[0] = next
			address, _ := w.Operand(i.Mem, at)
			w.Line("@%s prefetch.global.L2 [%s]", w.Both(some, h.inside[c]), address)
		}
	}
}

// ofRow reports whether what is loaded is another for each row.
func ofRow(m *kernel.Access) bool {
	return slices.ContainsFunc(m.Index, func(i kernel.Index) bool {
		return i.Value == kernel.None && slices.ContainsFunc(i.Terms, func(t kernel.Term) bool { return t.Axis == 0 })
	})
}

// once reports whether an instruction has one value all along the row.
func (h *rowStrips) once(id kernel.ID) bool {
	op := h.w.K.Instrs[id].Op
	return op != kernel.Store && op != kernel.Reduce && !h.w.Lanes.Differs(id)
}

// vector reports whether a load or store of all lanes is one instruction.
func (h *rowStrips) vector(id kernel.ID) bool {
	return !h.w.K.Instrs[id].Mem.Local && h.w.Lanes.InVector(id)
}

// at returns the point of a lane.
func (h *rowStrips) at(of body.Point, strip, lane int) body.Point {
	p := body.Point{At: slices.Clone(of.At), Stores: of.Stores}
	p.At[h.w.Lanes.Axis] = h.w.Add(h.first[strip], asm.Number(int64(lane)))
	return p
}

// load has a strip on its way to registers, if it is not there.
func (h *rowStrips) load(id kernel.ID, strip int, of body.Point) {
	w, i := h.w, &h.w.K.Instrs[id]
	address, _ := w.Operand(i.Mem, h.at(of, strip, 0))
	v, ok := h.raw[place{address, i.Type}]
	if !ok {
		v = w.LoadVector(i.Type, address, h.inside[strip])
		h.raw[place{address, i.Type}] = v
	}
	if h.loads[id] == nil {
		h.loads[id] = make([]body.Vector, len(h.first))
	}
	h.loads[id][strip] = v
}

// strip writes what a stage does with a strip. base has what is the same for all.
func (h *rowStrips) strip(st *body.Stage, c int, base []string) {
	w, k := h.w, h.w.K
	lanes := make([]body.Stage, w.Lanes.N)
	vals := make([][]string, w.Lanes.N)
	for l := range lanes {
		lanes[l] = body.Stage{Number: st.Number, Point: h.at(st.Point, c, l), Totals: st.Totals}
		vals[l] = slices.Clone(base)
	}
	for id := k.Stages[st.Number].Begin; id < k.Stages[st.Number].End && w.Err == nil; id++ {
		i := &k.Instrs[id]
		switch {
		case h.once(id):
			continue
		case i.Mem != nil && i.Mem.Local:
			h.local(i, id, c, vals)
			continue
		case i.Mem != nil && h.vector(id) && i.Op == kernel.Load:
			for l := range vals {
				vals[l][id] = w.Element(i.Type, &h.loads[id][c], l)
			}
			continue
		case i.Mem != nil && h.vector(id):
			w.Vals = base
			w.StoreLanes(id, lanes[0].Point, vals)
			continue
		}
		for l := range lanes {
			w.Vals = vals[l]
			w.Instr(&lanes[l], id)
		}
	}
}

// local keeps a strip of a local, or gives it back.
func (h *rowStrips) local(i *kernel.Instr, id kernel.ID, c int, vals [][]string) {
	if i.Op == kernel.Load {
		for l := range vals {
			vals[l][id] = h.locals[i.Mem.Param][c][l]
		}
		return
	}
	kept := make([]string, len(vals))
	for l := range vals {
		kept[l] = vals[l][i.Args[0]]
	}
	h.locals[i.Mem.Param][c] = kept
}
