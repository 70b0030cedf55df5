package kerneltest

import (
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// place is a random index with the size of a dimension that holds it.
type place struct {
	index kernel.Index
	dim   int64
}

// along returns an index along an axis, each at its own place.
func (g *generator) along(axis int) place {
	n, factor, offset := g.axes[axis].n, int64(1), int64(0)
	switch g.IntN(6) {
	case 0:
		factor, offset = int64(2+g.IntN(2)), int64(g.IntN(3))
	case 1:
		factor, offset = -1, max(n-1, 0)
	case 2:
		offset = int64(g.IntN(4))
	}
	last := max(factor*(n-1), 0) + offset
	return place{kernel.Index{Terms: []kernel.Term{{Axis: axis, Factor: factor}}, Value: kernel.None, Offset: offset}, last + 1}
}

// anywhere returns an index to load from; guarded, it may be outside.
func (g *generator) anywhere() (p place, guarded bool) {
	switch g.IntN(8) {
	case 0:
		offset := int64(g.IntN(3))
		return place{kernel.At(offset), offset + 1 + int64(g.IntN(2))}, false
	case 1: // clamped
		n := int64(1 + g.IntN(9))
		v := g.Op(kernel.Clamp, types.I32, g.Builder.Int(types.I32, 0), g.value(types.I32), g.Builder.Int(types.I32, n-1))
		return place{kernel.ByValue(v), n}, false
	case 2: // whatever a value is
		t := pick(g, []types.DType{types.I32, types.I64, types.U8, types.U32, types.U64})
		p := place{kernel.ByValue(g.value(t)), int64(g.IntN(9))}
		if len(g.axes) > 0 && g.IntN(2) == 0 {
			p.index.Terms = []kernel.Term{{Axis: g.IntN(len(g.axes)), Factor: int64(1 + g.IntN(2))}}
			p.index.Offset = int64(g.IntN(5) - 2)
		}
		return p, true
	}
	if len(g.axes) == 0 {
		return place{kernel.At(0), 1}, false
	}
	p = g.along(g.IntN(len(g.axes)))
	if g.IntN(8) == 0 { // two axes in one
		a, b := g.IntN(len(g.axes)), g.IntN(len(g.axes))
		if a < b {
			x, y := g.axes[a].n, g.axes[b].n
			p.index = kernel.Index{Terms: []kernel.Term{{Axis: a, Factor: max(y, 1)}, {Axis: b, Factor: 1}}, Value: kernel.None}
			p.dim = max(x, 1) * max(y, 1)
		}
	}
	if g.IntN(12) == 0 {
		p.index.Offset -= int64(g.IntN(4))
		return p, true
	}
	return p, false
}

// mostElements bounds the elements of an operand.
const mostElements = 20000

// param adds an operand of dimensions for the places.
func (g *generator) param(t types.DType, places []place, out bool) int {
	a := kernel.Param{Name: fmt.Sprintf("x%d", len(g.Kernel().Params)), DType: t, Out: out}
	unit := g.IntN(len(places) + 1)
	if g.IntN(3) > 0 { // as it mostly is
		unit = len(places) - 1
	}
	for d, p := range places {
		stride := kernel.AnyStride
		if d == unit {
			stride = kernel.UnitStride
		} else if !out && g.IntN(10) == 0 {
			stride = kernel.ZeroStride
		}
		a.Dims, a.Strides = append(a.Dims, g.size(p.dim)), append(a.Strides, stride)
	}
	return g.Param(a)
}

func indices(places []place) []kernel.Index {
	var all []kernel.Index
	for _, p := range places {
		all = append(all, p.index)
	}
	return all
}

func (g *generator) load(t types.DType) kernel.ID {
	var places []place
	guard, elements := false, int64(1)
	for range g.IntN(4) {
		p, guarded := g.anywhere()
		if elements*max(p.dim, 1) > mostElements {
			break
		}
		elements *= max(p.dim, 1)
		places, guard = append(places, p), guard || guarded
	}
	m := &kernel.Access{Index: indices(places), Guard: guard}
	i := kernel.Instr{Op: kernel.Load, Type: t, Mem: m}
	if guard {
		i.Args = []kernel.ID{g.Bits(t, Value(g.Rand, t))}
	}
	m.Param = g.param(t, places, false)
	return g.Emit(i)
}

// store stores to a new operand, or combines with what is there.
func (g *generator) store() {
	if g.IntN(4) == 0 {
		g.scatter()
		return
	}
	var places []place
	elements := int64(1)
	for _, axis := range g.order() {
		p := g.along(axis)
		if elements *= max(p.dim, 1); elements > mostElements {
			p = place{kernel.Along(axis), g.axes[axis].n}
		}
		places = append(places, p)
	}
	t := pick(g, types.RealDTypes())
	m := kernel.Access{Param: g.param(t, places, true), Index: indices(places)}
	if g.IntN(8) == 0 { // in place
		load := m
		g.keep(g.Emit(kernel.Instr{Op: kernel.Load, Type: t, Mem: &load}))
		g.op()
	} else if len(places) > 0 && g.IntN(8) == 0 {
		m.Index[0].Offset -= int64(g.IntN(4))
		m.Guard = true
	}
	g.Emit(kernel.Instr{Op: kernel.Store, Type: t, Args: []kernel.ID{g.value(t)}, Mem: &m})
}

// order returns the axes in random order, often their own.
func (g *generator) order() []int {
	all := make([]int, len(g.axes))
	for a := range all {
		all[a] = a
	}
	if g.IntN(3) == 0 {
		g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return all
}

// scatter combines values at places that are known when they are stored.
func (g *generator) scatter() {
	op, v := g.combined()
	places := []place{{kernel.ByValue(g.value(pick(g, []types.DType{types.I32, types.I64, types.U64}))), int64(g.IntN(12))}}
	if len(g.axes) > 0 && g.IntN(2) == 0 {
		places = append(places, g.along(g.IntN(len(g.axes))))
	}
	m := &kernel.Access{Param: g.param(g.Type(v), places, true), Index: indices(places), Guard: true, Combine: op}
	g.Emit(kernel.Instr{Op: kernel.Store, Type: g.Type(v), Args: []kernel.ID{v}, Mem: m})
}

// storeLocal stores to all of a new local.
func (g *generator) storeLocal() {
	t := pick(g, types.RealDTypes())
	l := kernel.Local{Name: fmt.Sprintf("l%d", len(g.locals)), DType: t}
	kept := local{number: len(g.locals)}
	var index []kernel.Index
	for _, axis := range g.order() {
		if axis < g.outer {
			continue
		}
		e := g.axes[axis]
		at := kernel.Along(axis)
		if g.IntN(4) == 0 {
			at.Terms[0].Factor, at.Offset = -1, max(e.n-1, 0)
		}
		index = append(index, at)
		l.Dims, kept.dims = append(l.Dims, e.axis.Size), append(kept.dims, e.n)
	}
	g.Local(l)
	g.locals = append(g.locals, kept)
	g.StoreLocal(kept.number, g.value(t), index...)
}

// loadLocal loads from a local of an earlier stage; None if there is none.
func (g *generator) loadLocal(t types.DType) kernel.ID {
	for _, l := range g.locals {
		if !l.usable || l.carried || g.Kernel().Locals[l.number].DType != t || slices.Contains(l.dims, 0) {
			continue
		}
		var index []kernel.Index
		for _, n := range l.dims {
			var fits []int
			for a := range g.axes {
				if g.axes[a].n <= n {
					fits = append(fits, a)
				}
			}
			at := kernel.At(g.Int64N(n))
			if len(fits) > 0 {
				a := pick(g, fits)
				if at = kernel.Along(a); g.IntN(3) == 0 {
					at.Offset = g.Int64N(n - g.axes[a].n + 1)
				}
			}
			index = append(index, at)
		}
		return g.LoadLocal(l.number, index...)
	}
	return kernel.None
}
