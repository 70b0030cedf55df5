package tiles

import (
	"slices"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/internal/loops"
	"ltc/ir/types"
)

// access adds one to the tiling.
func (b *builder) access(m *kernel.Access, t types.DType) *access {
	a := &access{Access: m, dtype: t, size: int64(t.Size()), stage: b.st.number, vector: b.st.vector, number: len(b.accesses)}
	for d, x := range m.Index {
		for _, term := range x.Terms {
			if !slices.Contains(a.axes, term.Axis) {
				a.axes = append(a.axes, term.Axis)
			}
		}
		if x.Value == kernel.None {
			continue
		}
		v := indexValue{d, b.asI64(x.Value)}
		if b.varies(x.Value) {
			a.varying = append(a.varying, v)
		} else {
			a.uniform = append(a.uniform, v)
		}
	}
	b.accesses = append(b.accesses, a)
	return a
}

// load adds the step of a load. Elements that are neighbours are not copied,
// where nothing is stored before their last use.
func (b *builder) load(id kernel.ID, in *kernel.Instr) {
	wide := b.varies(id)
	a, other := b.access(in.Mem, in.Type), 0
	if a.Guard {
		other = b.operand(in.Args[0], wide)
	}
	if wide && !a.Guard && len(a.varying) == 0 {
		if m := b.direct(id); m != nil {
			b.move(a, b.access(m, in.Type))
			return
		}
	}
	b.place(id)
	if !wide {
		b.emit(b.level[id], func(r *run, n int) { a.load(r, r.p[id], r.p[other], 1) })
		return
	}
	if a.Guard || len(a.varying) > 0 || !b.viewable(id) {
		b.emit(b.level[id], func(r *run, n int) { a.load(r, r.p[id], r.p[other], int64(n)) })
		return
	}
	kept := b.newValue() // where p finds the slot again after a tile that was not copied
	b.places[kept] = b.places[id]
	b.emit(b.level[id], func(r *run, n int) {
		s := &r.accesses[a.number]
		if s.lane == a.size {
			r.p[id] = a.pointer(s, a.offset(r, s))
			return
		}
		r.p[id] = r.p[kept]
		copyLanes(a.size, r.p[id], a.size, a.pointer(s, a.offset(r, s)), s.lane, int64(n))
	})
}

// move adds the step of a load and the store of what was loaded.
func (b *builder) move(from, to *access) {
	b.emit(inBody, func(r *run, n int) {
		f, t := &r.accesses[from.number], &r.accesses[to.number]
		copyLanes(to.size, to.pointer(t, to.offset(r, t)), t.lane, from.pointer(f, from.offset(r, f)), f.lane, int64(n))
	})
}

// viewable reports whether the memory that a load reads stays as it is until
// the last use of its value.
func (b *builder) viewable(id kernel.ID) bool {
	if b.later[id] {
		return false
	}
	for i := id + 1; i < b.lastUse[id]; i++ {
		if b.k.Instrs[i].Op == kernel.Store {
			return false
		}
	}
	return true
}

// load reads n elements of a tile; other has what stands for those outside.
func (a *access) load(r *run, to, other unsafe.Pointer, n int64) {
	s := &r.accesses[a.number]
	if from, end, ok := a.span(r, s, n); ok {
		if from > 0 || end < n {
			loops.CopyBytes(to, other, int(n*a.size))
		}
		if from < end {
			copyLanes(a.size, unsafe.Add(to, from*a.size), a.size, a.pointer(s, a.offset(r, s)+from*s.lane), s.lane, end-from)
		}
		return
	}
	if a.Guard {
		loops.CopyBytes(to, other, int(n*a.size))
	}
	a.first(r, s)
	for i := range n {
		if at, inside := a.place(r, s, i); inside {
			copyElement(a.size, unsafe.Add(to, i*a.size), a.pointer(s, at))
		}
	}
}

// store adds the step of a store.
func (b *builder) store(id kernel.ID, in *kernel.Instr) {
	if b.written[id] {
		return // by the step that computes the value
	}
	a, x := b.access(in.Mem, in.Type), b.operand(in.Args[0], b.st.vector >= 0)
	var k loops.Loop2
	if a.Combine != kernel.Invalid {
		k = loops.Binary(codes[a.Combine], loops.Of(in.Type))
	}
	wide := b.st.vector >= 0
	b.emit(inBody, func(r *run, n int) {
		if !wide {
			n = 1
		}
		a.store(r, r.p[x], int64(n), k)
	})
}

// store writes n elements of a tile one after the other, combined with what is
// there if k is not nil.
func (a *access) store(r *run, x unsafe.Pointer, n int64, k loops.Loop2) {
	s := &r.accesses[a.number]
	if from, end, ok := a.span(r, s, n); ok {
		if from >= end {
			return
		}
		to, x := a.pointer(s, a.offset(r, s)+from*s.lane), unsafe.Add(x, from*a.size)
		switch n := end - from; {
		case k == nil:
			copyLanes(a.size, to, s.lane, x, a.size, n)
		case s.lane == a.size:
			k(to, to, x, int(n))
		default:
			for i := range n {
				to := unsafe.Add(to, i*s.lane)
				k(to, to, unsafe.Add(x, i*a.size), 1)
			}
		}
		return
	}
	a.first(r, s)
	for i := range n {
		at, inside := a.place(r, s, i)
		if !inside {
			continue
		}
		to, x := a.pointer(s, at), unsafe.Add(x, i*a.size)
		if k == nil {
			copyElement(a.size, to, x)
		} else {
			k(to, to, x, 1)
		}
	}
}

// direct returns the store that writes the value of an instruction to where
// nothing else happens in between, so that it can be computed in its place; nil
// if there is none.
func (b *builder) direct(id kernel.ID) *kernel.Access {
	next := b.lastUse[id]
	if b.level[id] != inBody || b.later[id] || next == id || b.k.Instrs[next].Op != kernel.Store {
		return nil
	}
	for i := id + 1; i < next; i++ {
		if in := &b.k.Instrs[i]; in.Op != kernel.Constant {
			return nil
		}
	}
	m := b.k.Instrs[next].Mem
	if m.Guard || m.Combine != kernel.Invalid || slices.ContainsFunc(m.Index, func(x kernel.Index) bool { return x.Value != kernel.None }) {
		return nil
	}
	b.written[next] = true
	return m
}

// copyLanes copies n elements of a size, whose distances are given in bytes.
func copyLanes(size int64, to unsafe.Pointer, toStep int64, from unsafe.Pointer, fromStep, n int64) {
	switch {
	case toStep == size && fromStep == size:
		loops.CopyBytes(to, from, int(n*size))
	case size == 1:
		copyApart[uint8](to, toStep, from, fromStep, n)
	case size == 2:
		copyApart[uint16](to, toStep, from, fromStep, n)
	case size == 4:
		copyApart[uint32](to, toStep, from, fromStep, n)
	default:
		copyApart[uint64](to, toStep, from, fromStep, n)
	}
}

func copyApart[T any](to unsafe.Pointer, toStep int64, from unsafe.Pointer, fromStep, n int64) {
	x, y := int64(0), int64(0)
	for range n {
		*(*T)(unsafe.Add(to, x)) = *(*T)(unsafe.Add(from, y))
		x, y = x+toStep, y+fromStep
	}
}

func copyElement(size int64, to, from unsafe.Pointer) {
	switch size {
	case 1:
		*(*uint8)(to) = *(*uint8)(from)
	case 2:
		*(*uint16)(to) = *(*uint16)(from)
	case 4:
		*(*uint32)(to) = *(*uint32)(from)
	default:
		*(*uint64)(to) = *(*uint64)(from)
	}
}
