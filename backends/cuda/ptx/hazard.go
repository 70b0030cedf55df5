package ptx

import "ltc/backends/kit/kernel"

// barriers says where the threads of a block have to wait for each other: between
// accesses of different threads to the same memory of which one writes. What a
// stage with axes accesses at one of its points is one thread's; of a stage
// without, all threads load and the first stores. What combines atomically waits for
// what does otherwise, not for its like. An operand that is stored to may be the
// memory of another of its kind which the same points load from before; which ones
// are one memory besides, [Schedule.Same] says.
type barriers struct {
	before map[kernel.ID]bool
	loop   bool // at the end of each row
}

// memory is an operand, a local, or what reductions of a stage have.
type memory struct {
	number int
	of     byte
}

type hazard struct {
	k      *kernel.Kernel
	same   []int
	b      *barriers
	done   map[memory][3]bool // how memory was accessed since the last barrier
	loaded map[int]bool       // operands, since then and in the row
}

// how memory is accessed.
type how uint8

const (
	loads how = iota
	stores
	combines // atomically
)

// hazards runs through two rows, so that what one leaves to the next shows.
func hazards(k *kernel.Kernel, same []int) *barriers {
	h := &hazard{k: k, same: same, b: &barriers{before: map[kernel.ID]bool{}}}
	h.barrier()
	h.row(func(id kernel.ID) { h.b.before[id] = true })
	h.row(func(id kernel.ID) {
		if !h.b.before[id] {
			h.b.loop = true
		}
	})
	return h.b
}

func (h *hazard) barrier() {
	h.done, h.loaded = map[memory][3]bool{}, map[int]bool{}
}

func (h *hazard) row(conflict func(id kernel.ID)) {
	h.loaded = map[int]bool{}
	for s := range h.k.Stages {
		st := &h.k.Stages[s]
		if len(st.Axes) > 0 {
			h.stage(s, conflict)
			continue
		}
		for id := st.Begin; id < st.End; id++ {
			if m, by, ok := h.access(id); ok {
				if h.conflicts(m, by) {
					conflict(id)
					h.barrier()
				}
				h.note(m, by)
			}
		}
	}
}

// stage is a stage with axes, between which and what comes before it a barrier may
// be. Its reductions have one of their own, behind what each thread writes.
func (h *hazard) stage(s int, conflict func(id kernel.ID)) {
	st := &h.k.Stages[s]
	reduces, hit := false, false
	for id := st.Begin; id < st.End; id++ {
		if h.k.Instrs[id].Op == kernel.Reduce {
			reduces = true
		} else if m, by, ok := h.access(id); ok {
			hit = hit || h.conflicts(m, by)
		}
	}
	slots := memory{s, 'r'}
	if hit = hit || reduces && h.conflicts(slots, stores); hit {
		conflict(st.Begin)
		h.barrier()
	}
	for id := st.Begin; id < st.End; id++ {
		if m, by, ok := h.access(id); ok {
			h.note(m, by)
		}
	}
	if reduces {
		h.barrier()
		h.note(slots, loads)
	}
}

// access returns which memory that threads share an instruction accesses.
func (h *hazard) access(id kernel.ID) (m memory, by how, ok bool) {
	i := &h.k.Instrs[id]
	switch {
	case i.Mem == nil:
		return memory{}, loads, false
	case i.Mem.Combine != kernel.Invalid:
		by = combines
	case i.Op == kernel.Store:
		by = stores
	}
	if i.Mem.Local {
		return memory{i.Mem.Param, 'l'}, by, true
	}
	p := i.Mem.Param
	if h.same != nil {
		p = h.same[p]
	}
	return memory{p, 'p'}, by, true
}

func (h *hazard) conflicts(m memory, by how) bool {
	if by == stores && m.of == 'p' {
		for p := range h.loaded {
			a, b := &h.k.Params[p], &h.k.Params[m.number]
			if p != m.number && a.DType == b.DType && len(a.Dims) == len(b.Dims) {
				return true
			}
		}
	}
	for other, done := range h.done[m] {
		if done && (how(other) != by || by == stores) {
			return true
		}
	}
	return false
}

func (h *hazard) note(m memory, by how) {
	done := h.done[m]
	done[by] = true
	h.done[m] = done
	if by == loads && m.of == 'p' {
		h.loaded[m.number] = true
	}
}
