package tiles

import (
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// access is a load or store of a tiling.
type access struct {
	*kernel.Access
	number  int // among the tiling's
	dtype   types.DType
	size    int64 // of an element
	stage   int
	vector  int          // the stage's
	axes    []int        // those of its indices' terms
	uniform []indexValue // values of indices that are one for a tile
	varying []indexValue // and those that are one for each element
}

// indexValue is the value of the index of a dimension: where the i64s are.
type indexValue struct{ dim, value int }

// accessState is an access in a launch. All is in bytes, but dims and, for a
// guard, places.
type accessState struct {
	mem     unsafe.Pointer
	origin  int64   // from mem, at the first point of all axes
	lane    int64   // between the elements of a tile
	steps   []int64 // by axis of the access
	strides []int64 // by dimension
	dims    []int64 // by dimension; -1 for one of a table
	places  []int64 // by dimension: the index of a tile's first element
	factors []int64 // by dimension: of the axis that tiles lie along
}

// numbers returns how many numbers the accesses of the tiling take.
func (w *tiling) numbers() int {
	n := 0
	for _, a := range w.accesses {
		n += len(a.axes) + 4*len(a.Index)
	}
	return n
}

// locate works out where the accesses of the tiling are.
func (w *tiling) locate(r *run, locals unsafe.Pointer) {
	rest := r.numbers
	take := func(n int) []int64 {
		s := rest[:n:n]
		rest = rest[n:]
		return s
	}
	for i := range w.accesses {
		a := w.accesses[i]
		s := &r.accesses[i]
		rank := len(a.Index)
		s.steps, s.strides, s.dims, s.places, s.factors = take(len(a.axes)), take(rank), take(rank), take(rank), take(rank)
		if a.Local {
			w.locateLocal(r, a, s, locals)
		} else {
			s.mem, s.lane = r.call.Mem[a.Param], 0
			for d, n := range w.k.Params[a.Param].Dims {
				s.dims[d] = n.Of(r.call.Sizes)
				s.strides[d] = r.strides[a.Param][d] * int64(a.dtype.Size())
				if w.k.Params[a.Param].Strides[d] == kernel.TableStride {
					s.dims[d] = -1
				}
			}
		}
		s.origin = a.Origin(s.strides)
		for j, axis := range a.axes {
			s.steps[j] = a.StrideAlong(axis, s.strides)
		}
		if a.vector >= 0 {
			s.lane += a.StrideAlong(a.vector, s.strides)
			for d := range a.Index {
				s.factors[d] = factorOf(a.Index[d], a.vector)
			}
		} else {
			clear(s.factors)
		}
	}
}

// locateLocal is where a local is: those of a tile's points lie element by
// element.
func (w *tiling) locateLocal(r *run, a *access, s *accessState, locals unsafe.Pointer) {
	points := int64(1)
	if w.vector != ownAxes {
		points = r.tile
	}
	offset := int64(0)
	for l := range a.Param {
		n, _ := w.k.Locals[l].Bytes(r.call.Sizes)
		offset += kernel.Aligned(n) * points
	}
	stride := int64(a.dtype.Size()) * points
	dims := w.k.Locals[a.Param].Dims
	for d := len(dims) - 1; d >= 0; d-- {
		s.dims[d], s.strides[d] = dims[d].Of(r.call.Sizes), stride
		stride *= s.dims[d]
	}
	s.mem, s.lane = unsafe.Add(locals, offset), 0
	if w.vector != ownAxes {
		s.lane = int64(a.dtype.Size())
	}
}

func factorOf(x kernel.Index, axis int) int64 {
	for _, t := range x.Terms {
		if t.Axis == axis {
			return t.Factor
		}
	}
	return 0
}

// offset returns where the first element of a tile is, from s.mem, if it is
// inside.
func (a *access) offset(r *run, s *accessState) int64 {
	at := s.origin
	for j, axis := range a.axes {
		at += r.at[axis] * s.steps[j]
	}
	for _, v := range a.uniform {
		at += *(*int64)(r.p[v.value]) * s.strides[v.dim]
	}
	return at
}

// pointer returns where an access is that is so many bytes from its operand's
// first element. In the columns of a table that may be in memory that Go knows as
// another's, which its checks of pointers cannot know.
//
//go:nocheckptr
func (a *access) pointer(s *accessState, bytes int64) unsafe.Pointer {
	return unsafe.Add(s.mem, bytes)
}

// span returns which of n elements of a tile are inside, as a range that excludes to.
// ok is true if one range holds for the whole tile. Without a guard all elements are
// inside. With a guard, ok is false if an index has a value for each element.
func (a *access) span(r *run, s *accessState, n int64) (from, to int64, ok bool) {
	if len(a.varying) > 0 {
		return 0, 0, false
	}
	if !a.Guard {
		return 0, n, true
	}
	a.first(r, s)
	from, to = 0, n
	for d, at := range s.places {
		f, dim := s.factors[d], min(s.dims[d], 1<<61)
		switch {
		case f == 0 || n == 1:
			if uint64(at) >= uint64(s.dims[d]) {
				return 0, 0, true
			}
		case f != 1 && f != -1 || at > 1<<60 || at < -1<<60:
			return 0, 0, false
		case f == 1:
			from, to = max(from, -at), min(to, dim-at)
		default:
			from, to = max(from, at-dim+1), min(to, at+1)
		}
	}
	return from, max(from, to), true
}

// first sets s.places, without the values that differ in a tile.
func (a *access) first(r *run, s *accessState) {
	for d := range a.Index {
		at := a.Index[d].Offset
		for _, t := range a.Index[d].Terms {
			at += t.Factor * r.at[t.Axis]
		}
		s.places[d] = at
	}
	for _, v := range a.uniform {
		s.places[v.dim] += *(*int64)(r.p[v.value])
	}
}

// place returns where element i of a tile is, after first, and whether that is
// inside. It looks at the values that differ in a tile.
func (a *access) place(r *run, s *accessState, i int64) (int64, bool) {
	at := i * (s.lane - a.laneOfIndices(s))
	for d, p := range s.places {
		p += i * s.factors[d]
		for _, v := range a.varying {
			if v.dim == d {
				p += *(*int64)(unsafe.Add(r.p[v.value], 8*i))
			}
		}
		if s.dims[d] >= 0 && uint64(p) >= uint64(s.dims[d]) {
			return 0, false
		}
		at += p * s.strides[d]
	}
	return at, true
}

// laneOfIndices is the part of s.lane that the indices make: all of it, but for
// a local that each point of a tile has for itself.
func (a *access) laneOfIndices(s *accessState) int64 {
	n := int64(0)
	for d, f := range s.factors {
		n += f * s.strides[d]
	}
	return n
}
