package emit

import (
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// Along the vectors of Rows a scan combines lanes by distances of 1, 2, 4 and so
// on, and the result with what all vectors before combine to, which the loop
// carries in all lanes. In Strips that is in memory, an element for each point of
// the strip, and the points of the scanned axis follow one another.

// scans returns the instructions of the stage that scan.
func (b *body) scans() []kernel.ID {
	var all []kernel.ID
	for id := b.begin; id < b.end; id++ {
		if b.k.Instrs[id].Op == kernel.Scan {
			all = append(all, id)
		}
	}
	return all
}

// scanned returns the kind of the stage's axis that scans run along.
func (b *body) scanned() kernel.AxisKind { return b.k.Stages[b.number].Scanned() }

func (b *body) neutral(id kernel.ID, lanes int) vector.Value {
	i := &b.k.Instrs[id]
	with, _ := kernel.AsScan(i.Aux)
	return b.ConstBits(i.Type, lanes, kernel.Neutral(with, i.Type))
}

// ordered reports whether a scan of Rows is one of integers in the order of its floats: a
// maximum or a minimum of these takes some instructions, one of those takes one. SSE2
// compares no integers of 64 bits.
func (b *body) ordered(id kernel.ID) bool {
	i := &b.k.Instrs[id]
	with, _ := kernel.AsScan(i.Aux)
	return (with == kernel.Maximum || with == kernel.Minimum) && (i.Type == types.F32 || i.Type == types.F64 && b.Machine.Level != vector.SSE2)
}

// first returns what a scan of a row begins with.
func (b *body) first(id kernel.ID) vector.Value {
	v := b.neutral(id, b.Lanes)
	if b.ordered(id) {
		with, _ := kernel.AsScan(b.k.Instrs[id].Aux)
		return b.Ordered(v, with == kernel.Maximum)
	}
	return v
}

// carry makes carried, from a loop's values, what scans of a row go on from.
func (b *body) carry(carried []value.Value) {
	for n, id := range b.scans() {
		d := b.k.Instrs[id].Type
		if b.ordered(id) {
			d = vector.OrderedType(d)
		}
		b.carried[id] = vector.Value{V: carried[n], DType: d}
	}
}

// carries puts what scans of a row have come to in the place of a loop's values.
func (b *body) carries(out []value.Value) []value.Value {
	for n, id := range b.scans() {
		out[n] = b.carried[id].V
	}
	return out
}

// scan writes a scan for a variant: a vector of a row, or of a strip.
func (b *body) scan(id kernel.ID, x vector.Value, l vector.Lanes) vector.Value {
	i := &b.k.Instrs[id]
	with, exclusive := kernel.AsScan(i.Aux)
	if p, ok := b.kept[id]; ok {
		p = b.at(p, b.place[b.Vector][0].at)
		before := b.LoadLanes(p, l)
		after := b.binary(with, before, x)
		if b.StoreLanes(p, after, l); exclusive {
			return before
		}
		return after
	}
	if l.Mask != nil {
		x = b.Select(vector.Value{V: l.Mask, DType: types.Bool}, x, b.neutral(id, l.N))
	}
	if !b.ordered(id) {
		return b.scanLanes(id, x, l)
	}
	return b.FromOrdered(b.scanLanes(id, b.Ordered(x, with == kernel.Maximum), l), i.Type)
}

// scanLanes scans a vector of a row.
func (b *body) scanLanes(id kernel.ID, x vector.Value, l vector.Lanes) vector.Value {
	with, exclusive := kernel.AsScan(b.k.Instrs[id].Aux)
	before, reverse := b.carried[id], b.scanned() == kernel.ReverseAxis
	if l.N == 1 {
		before = b.Lane(before, 0)
		after := b.binary(with, before, x)
		if b.carried[id] = b.Splat(after, b.Lanes); exclusive {
			return before
		}
		return after
	}
	prefix, err := b.Prefix(with, x, b.first(id), reverse)
	prefix = checked(prefix, err)
	last := l.N - 1
	if reverse {
		last = 0
	}
	after := b.binary(with, before, prefix)
	b.carried[id] = b.binary(with, before, b.Repeat(prefix, last))
	if exclusive {
		return b.Shift(after, before, 1, reverse)
	}
	return after
}

// iterationAt returns where Unroll vectors are, i points after the first in the order of
// the axis.
func (b *body) iterationAt(i, n value.Value) []place {
	if b.scanned() != kernel.ReverseAxis {
		return b.vectors(i, b.Unroll, b.Lanes)
	}
	all := make([]place, b.Unroll)
	for u := range all {
		all[u] = place{b.sub(n, i), -int64((u + 1) * b.Lanes)}
	}
	return all
}

// restAt returns where a vector, or the points of it that there are, is, i points
// after the first in the order of the axis.
func (b *body) restAt(i, n value.Value, l vector.Lanes) []place {
	if b.scanned() != kernel.ReverseAxis {
		return []place{{i, 0}}
	}
	left := value.Value(b.Index(int64(l.N)))
	if l.Mask != nil {
		left = b.min(b.sub(n, i), left)
	}
	return []place{{b.sub(b.sub(n, i), left), 0}}
}

// firstOf returns the first point of a row of n that vectors begin at, one after
// the other.
func (b *body) firstOf(n value.Value) value.Value {
	if b.scanned() == kernel.ReverseAxis {
		return n
	}
	return b.Index(0)
}

// scanAhead is how many bytes ahead of a scan what it loads is fetched.
const scanAhead = 2 << 10

// fetchScanned brings near what a scan loads some iterations later: its instructions for
// a vector are so many that a processor has few loads under way by itself.
func (b *body) fetchScanned(l vector.Lanes) {
	const line = 64
	kind := b.scanned()
	if kind == kernel.FreeAxis || l.N == 1 {
		return
	}
	for id := b.begin; id < b.end; id++ {
		i := &b.k.Instrs[id]
		if i.Op != kernel.Load || i.Mem.Local || i.Mem.Guard || b.level(id) < b.last() {
			continue
		}
		size := i.Type.Size()
		ahead := int64(scanAhead / size)
		if kind == kernel.ReverseAxis {
			ahead = -ahead
		}
		for v := range b.Unroll {
			if p, how, _, _ := b.address(id, v, b.Unroll, l); how == unit && v*l.N*size%line == 0 {
				b.Prefetch(b.at(p, b.Index(ahead)))
			}
		}
	}
}
