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

// Point is where code runs: the index along each axis of the stage, as it numbers
// them, and the predicate of what is stored, if any.
type Point struct {
	At     []string
	Stores string
}

// Split returns the indices along axes of point n of them, in row-major order.
func (w *Writer) Split(stage int, axes []int, n string, at []string) {
	for i := len(axes) - 1; i > 0; i-- {
		size := w.Size(w.K.Axis(stage, axes[i]).Size)
		at[axes[i]] = w.Modulo(n, size)
		n = w.Quotient(n, size)
	}
	if len(axes) > 0 {
		at[axes[0]] = n
	}
}

// Point returns one with a place for each axis of a stage.
func (w *Writer) Point(stage int) Point {
	n := len(w.K.Axes) + len(w.K.Stages[stage].Axes)
	at := make([]string, n)
	for a := range at {
		at[a] = "0"
	}
	return Point{At: at}
}

// Extended returns a point of the kernel's axes as one of a stage.
func (w *Writer) Extended(stage int, of Point) Point {
	p := w.Point(stage)
	copy(p.At, of.At[:len(w.K.Axes)])
	p.Stores = of.Stores
	return p
}

// Outer runs body for the points of outer axes, which blocks along z share out.
func (w *Writer) Outer(axes []int, p Point, body func()) {
	if len(axes) == 0 {
		body()
		return
	}
	w.Loop(w.Special("%ctaid.z"), w.Count(0, axes), w.Special("%nctaid.z"), func(n string) {
		w.Split(0, axes, n, p.At)
		body()
	})
}
