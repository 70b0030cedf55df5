package ptx

import "ltc/backends/kit/kernel"

// barriers says where the threads of a block have to wait for each other: between
// accesses of different threads to the same memory of which one writes. What a
// stage with axes accesses at one of its points is one thread's; of a stage
// without, all threads load and the first stores. An operand that is stored to may
// be the memory of another of its kind which the same points load from before.
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
	k             *kernel.Kernel
	b             *barriers
	reads, writes map[memory]bool // since the last barrier
	loaded        map[int]bool    // operands, since then and in the row
}

// hazards runs through two rows, so that what one leaves to the next shows.
func hazards(k *kernel.Kernel) *barriers {
	h := &hazard{k: k, b: &barriers{before: map[kernel.ID]bool{}}}
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
	h.reads, h.writes, h.loaded = map[memory]bool{}, map[memory]bool{}, map[int]bool{}
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
			if m, stores, ok := h.access(id); ok {
				if h.conflicts(m, stores) {
					conflict(id)
					h.barrier()
				}
				h.note(m, stores)
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
		} else if m, stores, ok := h.access(id); ok {
			hit = hit || h.conflicts(m, stores)
		}
	}
	slots := memory{s, 'r'}
	if hit = hit || reduces && h.conflicts(slots, true); hit {
		conflict(st.Begin)
		h.barrier()
	}
	for id := st.Begin; id < st.End; id++ {
		if m, stores, ok := h.access(id); ok {
			h.note(m, stores)
		}
	}
	if reduces {
		h.barrier()
		h.note(slots, false)
	}
}

// access returns which memory an instruction accesses that threads share; not what
// is combined with atomically.
func (h *hazard) access(id kernel.ID) (m memory, stores, ok bool) {
	i := &h.k.Instrs[id]
	switch {
	case i.Mem == nil, i.Mem.Combine != kernel.Invalid:
		return memory{}, false, false
	case i.Mem.Local:
		return memory{i.Mem.Param, 'l'}, i.Op == kernel.Store, true
	}
	return memory{i.Mem.Param, 'p'}, i.Op == kernel.Store, true
}

func (h *hazard) conflicts(m memory, stores bool) bool {
	if stores && m.of == 'p' {
		for p := range h.loaded {
			a, b := &h.k.Params[p], &h.k.Params[m.number]
			if p != m.number && a.DType == b.DType && len(a.Dims) == len(b.Dims) {
				return true
			}
		}
	}
	return h.writes[m] || stores && h.reads[m]
}

func (h *hazard) note(m memory, stores bool) {
	switch {
	case stores:
		h.writes[m] = true
	default:
		h.reads[m] = true
		if m.of == 'p' {
			h.loaded[m.number] = true
		}
	}
}
