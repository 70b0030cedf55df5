package tiles

import (
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/internal/loops"
	"ltc/ir/types"
)

// instr adds the steps of an instruction.
func (b *builder) instr(id kernel.ID) {
	in := &b.k.Instrs[id]
	switch in.Op {
	case kernel.Constant:
		mem := []uint64{uint64(in.Aux)}
		b.keep = append(b.keep, mem)
		b.fixed[id] = unsafe.Pointer(&mem[0])
	case kernel.SizeOf:
		b.place(id)
		b.emit(b.level[id], func(r *run, n int) {
			*(*int64)(r.p[id]) = kernel.Size(in.Aux).Of(r.call.Sizes)
		})
	case kernel.Iota:
		b.iota(id, in)
	case kernel.Load:
		b.load(id, in)
	case kernel.Store:
		b.store(id, in)
	case kernel.Reduce:
		b.reduce(id, in)
	case kernel.Scan:
		b.scan(id, in)
	default:
		b.compute(id, in)
	}
}

// iota writes indices as i64s and converts them.
func (b *builder) iota(id kernel.ID, in *kernel.Instr) {
	axis, k := int(in.Aux), b.convert(types.I64, in.Type)
	b.needsVectors(kernel.Convert, types.I64, in.Type)
	wide := b.varies(id)
	ramp := int(id)
	if in.Type != types.I64 {
		ramp = b.newValue()
		if b.places[ramp].cell = int32(ramp); wide {
			b.places[ramp].cell = -1
			b.keepIn(ramp, b.level[id], id)
		}
	}
	b.place(id)
	b.emit(b.level[id], func(r *run, n int) {
		if !wide {
			n = 1
		}
		first := r.at[axis]
		o := unsafe.Slice((*int64)(r.p[ramp]), n)
		for i := range o {
			o[i] = first + int64(i)
		}
		if ramp != int(id) {
			k(r.p[id], r.p[ramp], n)
		}
	})
}

// compute adds the step of an op on elements.
func (b *builder) compute(id kernel.ID, in *kernel.Instr) {
	wide, level := b.varies(id), b.level[id]
	operands := b.operandsOf(id)
	args := make([]int, len(operands))
	inPlace := in.Op != kernel.Clamp // whose first step would overwrite its last operand
	for i, a := range operands {
		args[i] = b.operand(a, wide)
		inPlace = inPlace && b.k.Instrs[a].Type.Size() == in.Type.Size()
	}
	if inPlace {
		b.release(id)
	}
	b.place(id)
	do := b.elements(id, args, wide)
	if !wide {
		b.emit(level, func(r *run, n int) { do(r, 1) })
		return
	}
	if level == inBody {
		b.weigh(in.Op, b.k.Instrs[in.Args[0]].Type, in.Type)
	}
	if m := b.direct(id); m != nil {
		b.computeInto(id, b.access(m, in.Type), do)
		return
	}
	b.emit(level, do)
}

// computeInto adds the step of an op whose value is all stored: it is computed
// in its place, if neighbours lie beside each other there.
func (b *builder) computeInto(id kernel.ID, a *access, do step) {
	kept := b.newValue()
	b.places[kept] = b.places[id]
	b.emit(inBody, func(r *run, n int) {
		s := &r.accesses[a.number]
		to := a.pointer(s, a.offset(r, s))
		if s.lane == a.size {
			r.p[id] = to
			do(r, n)
			return
		}
		r.p[id] = r.p[kept]
		do(r, n)
		copyLanes(a.size, to, s.lane, r.p[id], a.size, int64(n))
	})
}

// elements returns what computes n elements of an op: one, unless wide is set.
func (b *builder) elements(id kernel.ID, args []int, wide bool) step {
	v := vectored{} // a call of machine code takes longer than one element
	if wide || b.order != nil {
		v = b.vectored
	}
	in, to := &b.k.Instrs[id], int(id)
	from := b.k.Instrs[in.Args[0]].Type
	if p := b.fusedProduct(id); p != kernel.None {
		op, _ := b.fusing(in, p)
		k, x, y, z := b.fuse(op, in.Type), args[0], args[1], args[2]
		return func(r *run, n int) { k(r.p[to], r.p[x], r.p[y], r.p[z], n) }
	}
	if b.inverted(id) {
		return b.byInverse(id, args)
	}
	switch in.Op {
	case kernel.Select:
		k, c, x, y := v.choose(in.Type), args[0], args[1], args[2]
		return func(r *run, n int) { k(r.p[to], r.p[c], r.p[x], r.p[y], n) }
	case kernel.Clamp:
		b.needsVectors(kernel.Maximum, in.Type, in.Type)
		b.needsVectors(kernel.Minimum, in.Type, in.Type)
		lo, hi, l, x, h := v.binary(kernel.Maximum, in.Type, in.Type), v.binary(kernel.Minimum, in.Type, in.Type), args[0], args[1], args[2]
		return func(r *run, n int) {
			lo(r.p[to], r.p[l], r.p[x], n)
			hi(r.p[to], r.p[to], r.p[h], n)
		}
	}
	b.needsVectors(in.Op, from, in.Type)
	if len(args) == 1 {
		k, x := v.unary(in.Op, from, in.Type), args[0]
		return func(r *run, n int) { k(r.p[to], r.p[x], n) }
	}
	k, x, y := v.binary(in.Op, from, in.Type), args[0], args[1]
	return func(r *run, n int) { k(r.p[to], r.p[x], r.p[y], n) }
}

// reduce adds the steps that begin a reduction and that add a tile to it.
func (b *builder) reduce(id kernel.ID, in *kernel.Instr) {
	if b.order != nil && b.k.Sums(id) && b.st.vector >= len(b.k.Axes) {
		b.sum(id, in)
		return
	}
	t := loops.Of(in.Type)
	op := kernel.Op(in.Aux)
	b.needsVectors(op, in.Type, in.Type)
	wide := b.varies(id)
	k, start := b.binary(op, in.Type, in.Type), b.constant(t, kernel.Neutral(op, in.Type), 1)
	fill := b.fill(in.Type)
	if b.places[id].cell = int32(id); wide {
		b.places[id].cell = -1
		b.keepIn(int(id), inShared, 0)
	}
	b.st.begin = append(b.st.begin, func(r *run, n int) {
		if !wide {
			n = 1
		}
		fill(r.p[id], r.p[start], n)
	})
	if b.st.vector < len(b.k.Axes) { // tiles lie across what is reduced
		if p := b.fusedProduct(id); p != kernel.None {
			m := b.k.Instrs[p].Args
			fuse, x, y := b.fuse(kernel.Add, in.Type), b.operand(m[0], wide), b.operand(m[1], wide)
			b.emit(inBody, func(r *run, n int) {
				if !wide {
					n = 1
				}
				fuse(r.p[id], r.p[x], r.p[y], r.p[id], n)
			})
			return
		}
		x := b.operand(in.Args[0], wide)
		b.emit(inBody, func(r *run, n int) {
			if !wide {
				n = 1
			}
			k(r.p[id], r.p[id], r.p[x], n)
		})
		return
	}
	x, size := b.operand(in.Args[0], true), in.Type.Size()
	fold := b.fold(op, in.Type)
	if fold == nil {
		one := vectored{}.binary(op, in.Type, in.Type)
		fold = func(acc, a unsafe.Pointer, n int) {
			for i := range n {
				one(acc, acc, unsafe.Add(a, i*size), 1)
			}
		}
	}
	b.emit(inBody, func(r *run, n int) { fold(r.p[id], r.p[x], n) })
}

// scan adds the steps that begin a scan and that carry it on by a tile.
func (b *builder) scan(id kernel.ID, in *kernel.Instr) {
	t, size := loops.Of(in.Type), in.Type.Size()
	op, exclusive := kernel.AsScan(in.Aux)
	k, one := b.binary(op, in.Type, in.Type), vectored{}.binary(op, in.Type, in.Type)
	start, fill, move := b.constant(t, kernel.Neutral(op, in.Type), 1), b.fill(in.Type), copyElements(size)
	wide := b.varies(id)
	x := b.operand(in.Args[0], wide)
	b.place(id)
	sum := b.newValue() // what all tiles before combine to
	across := b.st.vector < len(b.k.Axes) && wide
	if across {
		b.keepIn(sum, inShared, 0)
	} else {
		b.places[sum].cell = int32(sum)
	}
	b.st.begin = append(b.st.begin, func(r *run, n int) {
		if !across {
			n = 1
		}
		fill(r.p[sum], r.p[start], n)
	})
	if across || !wide { // a tile is of points that are scanned each by itself, or of one
		b.emit(inBody, func(r *run, n int) {
			if !wide {
				n = 1
			}
			if exclusive {
				move(r.p[id], r.p[sum], n)
			}
			if k(r.p[sum], r.p[sum], r.p[x], n); !exclusive {
				move(r.p[id], r.p[sum], n)
			}
		})
		return
	}
	step, reverse := size, b.st.reverse
	if reverse {
		step = -size
	}
	b.emit(inBody, func(r *run, n int) {
		at := 0
		if reverse {
			at = (n - 1) * size
		}
		for range n {
			y := unsafe.Add(r.p[id], at)
			v := unsafe.Add(r.p[x], at)
			if exclusive {
				// The operand may lie where the value goes.
				var next uint64
				one(unsafe.Pointer(&next), r.p[sum], v, 1)
				move(y, r.p[sum], 1)
				move(r.p[sum], unsafe.Pointer(&next), 1)
			} else {
				one(y, r.p[sum], v, 1)
				move(r.p[sum], y, 1)
			}
			at += step
		}
	})
}

// copyElements returns what copies n elements of a size.
func copyElements(size int) func(to, from unsafe.Pointer, n int) {
	return func(to, from unsafe.Pointer, n int) {
		copy(unsafe.Slice((*byte)(to), n*size), unsafe.Slice((*byte)(from), n*size))
	}
}
