package body

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
