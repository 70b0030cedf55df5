package ptx

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
)

// writer writes the entry of a kernel.
type writer struct {
	*asm.Writer
	k      *kernel.Kernel
	s      *Schedule
	bases  []string    // the address of each operand
	sizes  []string    // the run-time sizes
	steps  [][]string  // the strides of each operand
	vals   []string    // by ID: the value at the point
	warps  bool        // rows are a warp's each, not a block's
	wanted []exactness // by ID: how exact it is to be; nil: all bits
}

func newWriter(name string, k *kernel.Kernel, s *Schedule) *writer {
	w := &writer{Writer: asm.New(name, s.Threads), k: k, s: s, vals: make([]string, len(k.Instrs)), wanted: wanted(k)}
	for range k.Params {
		w.bases = append(w.bases, w.Param())
	}
	for range k.Sizes {
		w.sizes = append(w.sizes, w.Param())
	}
	for p := range k.Params {
		var steps []string
		for _, c := range k.Params[p].Strides {
			switch c {
			case kernel.UnitStride, kernel.TableStride:
				steps = append(steps, "1")
			case kernel.ZeroStride:
				steps = append(steps, "0")
			default:
				steps = append(steps, w.Param())
			}
		}
		w.steps = append(w.steps, steps)
	}
	return w
}

// size returns the number that a size is.
func (w *writer) size(s kernel.Size) string {
	if i, ok := s.Sym(); ok {
		return w.sizes[i]
	}
	return asm.Number(int64(s))
}

// product returns the number of points of axes.
func (w *writer) product(stage int, axes []int) string {
	n := "1"
	for _, a := range axes {
		n = w.Mul(n, w.size(w.k.Axis(stage, a).Size))
	}
	return n
}
