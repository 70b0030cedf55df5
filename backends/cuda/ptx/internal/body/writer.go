package body

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
)

// Writer writes the entry of a kernel.
type Writer struct {
	*asm.Writer
	K      *kernel.Kernel
	Lanes  *Lanes      // that a thread computes together, where memory is aligned
	Steps  [][]string  // the strides of each operand
	Vals   []string    // by ID: the value at the point
	bases  []string    // the address of each operand
	sizes  []string    // the run-time sizes
	wanted []exactness // by ID: how exact it is to be
}

// New begins an entry, for blocks of so many threads along x and y, with the parameters
// that each kernel's has.
func New(name string, k *kernel.Kernel, threads [2]int, lanes *Lanes) *Writer {
	w := &Writer{Writer: asm.New(name, threads), K: k, Lanes: lanes, Vals: make([]string, len(k.Instrs)), wanted: wanted(k)}
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
		w.Steps = append(w.Steps, steps)
	}
	return w
}

// Size returns the number that a size is.
func (w *Writer) Size(s kernel.Size) string {
	if i, ok := s.Sym(); ok {
		return w.sizes[i]
	}
	return asm.Number(int64(s))
}

// Count returns the number of points of axes.
func (w *Writer) Count(stage int, axes []int) string {
	n := "1"
	for _, a := range axes {
		n = w.Mul(n, w.Size(w.K.Axis(stage, a).Size))
	}
	return n
}
