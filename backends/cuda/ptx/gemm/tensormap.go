package gemm

import (
	"slices"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
)

// mapWords is how many parameters of 8 bytes a tensor map is, aligned to half as many.
const mapWords = 128 / 8

// mostDims is how many dimensions a tensor map has at most.
const mostDims = 5

// tensorMap is the layout of a factor that tensor maps can describe: a load whose elements
// are copied as they are.
type tensorMap struct {
	load *kernel.Access
	dims []int // of the operand that the map has, from the innermost
	box  []int // of the tile, along each; 1 if the tile does not go along it
}

// tensorMapOf describes a factor of a tile, whose side along the axis of M or N is of a
// size; false if maps cannot. Along K what is outside must be outside of the operand,
// where it is 0.
func (s *Schedule) tensorMapOf(f *kernel.Factor, axis, size int) (*tensorMap, bool) {
	if f.Load == kernel.None || f.Type != s.element {
		return nil, false
	}
	for _, id := range f.Body { // the load, and that it becomes f32
		if op := s.k.Instrs[id].Op; id != f.Load && (op != kernel.Convert || id != f.Value) {
			return nil, false
		}
	}
	mem := s.k.Instrs[f.Load].Mem
	p := &s.k.Params[mem.Param]
	b := &tensorMap{load: mem}
	of := func(axis int) int { // the one dimension that it goes along, step by step
		at := -1
		for d, x := range mem.Index {
			for _, t := range x.Terms {
				switch {
				case t.Axis != axis:
				case at >= 0 || t.Factor != 1:
					return -1
				default:
					at = d
				}
			}
		}
		return at
	}
	across, along := of(axis), of(s.inner)
	if across < 0 || along < 0 || across == along {
		return nil, false
	}
	if x := &mem.Index[along]; len(x.Terms) != 1 || x.Offset != 0 || p.Dims[along] != s.k.Axis(0, s.inner).Size {
		return nil, false
	}
	unit := slices.Index(p.Strides, kernel.UnitStride)
	if unit != across && unit != along {
		return nil, false
	}
	add := func(d int) {
		n := 1
		switch d {
		case unit:
			n = asm.StripBytes / s.element.Size()
		case across:
			n = size
		case along:
			n = strip(s.element)
		}
		b.dims, b.box = append(b.dims, d), append(b.box, n)
	}
	add(unit)
	for d := len(p.Dims) - 1; d >= 0; d-- {
		switch c := p.Strides[d]; {
		case d == unit, c == kernel.ZeroStride && d != across && d != along:
		case c != kernel.AnyStride:
			return nil, false
		default:
			add(d)
		}
	}
	return b, len(b.dims) <= mostDims
}

// tensorMaps describes both factors for a tile.
func (s *Schedule) tensorMaps(t *tile) (a, b *tensorMap, ok bool) {
	a, okA := s.tensorMapOf(&s.c.A, s.y, t.rows)
	b, okB := s.tensorMapOf(&s.c.B, s.x, t.columns)
	return a, b, okA && okB
}

// MapLaunch returns the launch of the entry that copies factors by tensor maps, in place
// of a launch whose threads copy them. The maps are arguments behind the others. It returns
// false if there is none for such sizes and strides. The addresses of the maps' operands
// must be multiples of [asm.MapAlign].
func (s *Schedule) MapLaunch(l asm.Launch, sizes, strides []int64) (asm.Launch, []asm.Map, bool) {
	if !s.Tensor() || l.Grid[0] == 0 {
		return l, nil, false
	}
	n := slices.IndexFunc(s.tiles, func(t tile) bool {
		return t.maps && s.tiles[l.Variant].flat == 0 && t.rows == s.tiles[l.Variant].rows && t.columns == s.tiles[l.Variant].columns
	})
	if n < 0 || !s.tiles[l.Variant].groups {
		return l, nil, false
	}
	t := &s.tiles[n]
	a, b, _ := s.tensorMaps(t)
	var maps []asm.Map
	for _, x := range []*tensorMap{a, b} {
		m, ok := s.mapOf(x, sizes, strides)
		if !ok {
			return l, nil, false
		}
		maps = append(maps, m)
	}
	l.Variant, l.Shared, l.Block[0] = n, t.shared(), t.threads()
	// A block a multiprocessor, each with tiles one after the other: what is copied for
	// the next one arrives while the last one's sums are stored.
	l.Grid[0] = min(l.Grid[0], s.options.Processors)
	l.Grid[2] = min(l.Grid[2], max(1, s.options.Processors/l.Grid[0]))
	return l, maps, true
}

// mapOf returns the map of a factor.
func (s *Schedule) mapOf(b *tensorMap, sizes, strides []int64) (asm.Map, bool) {
	m := asm.Map{Operand: b.load.Param, Type: s.element, Box: b.box}
	p := &s.k.Params[b.load.Param]
	at := 0 // of the operand's first stride
	for _, q := range s.k.Params[:b.load.Param] {
		at += body.RunTime(q.Strides)
	}
	for i, d := range b.dims {
		bytes := int64(0)
		if i > 0 {
			bytes = strides[at+body.RunTime(p.Strides[:d])] * int64(s.element.Size())
		}
		if !m.AddDimension(p.Dims[d].Of(sizes), bytes) {
			return m, false
		}
	}
	return m, true
}
