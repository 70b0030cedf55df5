package emit

import (
	"slices"

	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

// Narrow strips: matrices of few columns, whose points fill one vector. Sums that stay in
// registers, and are what the next stages begin with, take a third of the time of sums in memory:
// there each sum waits for the store of the one before.

// narrows reports whether the stage has such code besides its own: it sums along one axis, and
// the stages behind it have no axes.
func (b *body) narrows() bool {
	if b.Rows < 2 || len(b.Loops) != 1 || len(b.reduce) == 0 || b.Lanes < 2 || len(b.blocks()) > 0 {
		return false
	}
	for s := b.number + 1; s < len(b.k.Stages); s++ {
		if len(b.s.Stages[s].Loops) > 0 || b.k.Stages[s].Scanned() != kernel.FreeAxis {
			return false
		}
	}
	return !slices.ContainsFunc(b.k.Instrs[b.begin:b.end], func(i kernel.Instr) bool { return i.Op == kernel.Store })
}

// fits returns whether n points, an i64, fill one vector: exactly, where no lanes can be masked.
func (b *body) fits(n value.Value) value.Value {
	if !b.masks() {
		return b.equal(n, b.Index(int64(b.Lanes)))
	}
	return b.less(n, b.Index(int64(b.Lanes)+1))
}

// narrow writes the stages from the given one on as one iteration, for the points from lo to before
// hi, which fit one vector.
func (f *function) narrow(from int, lo, hi value.Value) {
	var iteration []*body
	for s := from; s < len(f.k.Stages); s++ {
		stage := f.s.Stages[s]
		stage.Unroll, stage.Rows = 1, 1
		b := f.bodyOf(stage, s, s+1)
		b.iteration = f.k.Stages[from].Begin
		iteration = append(iteration, b)
	}
	first := iteration[0]
	first.Held, first.all = len(first.reduce), true
	f.beginIteration(iteration)
	l := vector.Lanes{N: first.Lanes}
	if first.masks() {
		l.Mask = f.Mask(first.Lanes, f.sub(hi, lo))
	}
	f.heldIteration(iteration, []place{{lo, 0}}, l, hi)
}
