package main

import (
	"fmt"
	"math"

	"ltc/bench/measure"
	"ltc/internal/diag"
	"ltc/soa"
)

//go:generate go run ltc/soa/gen -type Point

// Point is what accessors are generated for.
type Point struct {
	X, Y, Z float32
	Dir     [3]float32
}

// The sides of a loop over elements.
const (
	generated = "v.At(i)"
	ranged    = "range v.All()"
	taken     = "entries of columns"
	takenAll  = "v.Entries().At(i)"
	bySlices  = "slices"
	inStruct  = "slices in a struct"
)

// accessors are loops over generated accessors and over slices, of n elements.
func accessors(n int) []contest {
	ratios := []ratio{{takenAll, bySlices, 1.05}, {taken, bySlices, 1.05}, {ranged, bySlices, 0}, {generated, bySlices, 1.05}, {ranged, inStruct, 0}, {generated, inStruct, 0}}
	of := func(what string, open func(p *points) []side) contest {
		return contest{
			name: fmt.Sprintf("%s of %s", what, diag.Count(n, "element")), threads: 1, ratios: ratios,
			open: func() ([]side, error) {
				p, err := newPoints(n)
				if err != nil {
					return nil, err
				}
				return open(p), nil
			},
		}
	}
	return []contest{
		of("accessors, Σ xy", func(p *points) []side {
			var sum float32
			check := func() error { return near(float64(sum), p.dot()) }
			return []side{
				{name: generated, run: func() error { sum = dotAt(p.view); return nil }, check: check},
				{name: ranged, run: func() error { sum = dotAll(p.view); return nil }, check: check},
				{name: taken, run: func() error { sum = dotEntries(p.view); return nil }, check: check},
				{name: takenAll, run: func() error { sum = dotTaken(p.view); return nil }, check: check},
				{name: bySlices, run: func() error { sum = dot(p.x, p.y); return nil }, check: check},
				{name: inStruct, run: func() error { sum = dotIn(p); return nil }, check: check},
			}
		}),
		of("accessors, z = x²+y²", func(p *points) []side {
			check := func() error { return p.checkNorm() }
			return []side{
				{name: generated, run: func() error { normAt(p.view); return nil }, check: check},
				{name: ranged, run: func() error { normAll(p.view); return nil }, check: check},
				{name: taken, run: func() error { normEntries(p.view); return nil }, check: check},
				{name: takenAll, run: func() error { normTaken(p.view); return nil }, check: check},
				{name: bySlices, run: func() error { square(p.x, p.y, p.z); return nil }, check: check},
				{name: inStruct, run: func() error { squareIn(p); return nil }, check: check},
			}
		}),
		of("accessors, x + dir·dir of vectors", func(p *points) []side {
			check := func() error { return p.checkLength() }
			return []side{
				{name: generated, run: func() error { lengthAt(p.view); return nil }, check: check},
				{name: ranged, run: func() error { lengthAll(p.view); return nil }, check: check},
				{name: taken, run: func() error { lengthEntries(p.view); return nil }, check: check},
				{name: takenAll, run: func() error { lengthTaken(p.view); return nil }, check: check},
				{name: bySlices, run: func() error { length(p.x, p.dir[0], p.dir[1], p.dir[2], p.z); return nil }, check: check},
				{name: inStruct, run: func() error { lengthIn(p); return nil }, check: check},
			}
		}),
	}
}

// points are n of them, and their columns as slices.
type points struct {
	view    *PointView
	x, y, z []float32
	dir     [3][]float32
}

func newPoints(n int) (*points, error) {
	view, err := NewPointView(n)
	if err != nil {
		return nil, err
	}
	p := &points{view: view}
	column := func(c soa.Column) []float32 {
		var s []float32
		if err == nil {
			s, err = soa.Elements[float32](c)
		}
		return s
	}
	c := view.Columns()
	p.x, p.y, p.z = column(c.Col("X")), column(c.Col("Y")), column(c.Col("Z"))
	for r := range p.dir {
		p.dir[r] = column(c.Col("Dir").Component(r))
	}
	for k, s := range [][]float32{p.x, p.y, p.z, p.dir[0], p.dir[1], p.dir[2]} {
		copy(s, measure.Gen(k+1, n))
	}
	return p, err
}

//go:noinline
func dotAt(v *PointView) (s float32) {
	for i := range v.Len() {
		p := v.At(i)
		s += p.X() * p.Y()
	}
	return s
}

//go:noinline
func dotAll(v *PointView) (s float32) {
	for p := range v.All() {
		s += p.X() * p.Y()
	}
	return s
}

//go:noinline
func dot(x, y []float32) (s float32) {
	for i := range x {
		s += x[i] * y[i]
	}
	return s
}

//go:noinline
func dotEntries(v *PointView) (s float32) {
	x, y := v.XEntries(), v.YEntries()
	for i := range x.Len() {
		s += x.At(i) * y.At(i)
	}
	return s
}

//go:noinline
func dotTaken(v *PointView) (s float32) {
	points := v.Entries()
	for i := range points.Len() {
		p := points.At(i)
		s += p.X() * p.Y()
	}
	return s
}

//go:noinline
func dotIn(p *points) (s float32) {
	for i := range p.x {
		s += p.x[i] * p.y[i]
	}
	return s
}

//go:noinline
func normAt(v *PointView) {
	for i := range v.Len() {
		p := v.At(i)
		x, y := p.X(), p.Y()
		p.SetZ(x*x + y*y)
	}
}

//go:noinline
func normAll(v *PointView) {
	for p := range v.All() {
		x, y := p.X(), p.Y()
		p.SetZ(x*x + y*y)
	}
}

//go:noinline
func square(x, y, z []float32) {
	for i := range x {
		z[i] = x[i]*x[i] + y[i]*y[i]
	}
}

//go:noinline
func normEntries(v *PointView) {
	x, y, z := v.XEntries(), v.YEntries(), v.ZEntries()
	for i := range x.Len() {
		z.Set(i, x.At(i)*x.At(i)+y.At(i)*y.At(i))
	}
}

//go:noinline
func normTaken(v *PointView) {
	points := v.Entries()
	for i := range points.Len() {
		p := points.At(i)
		p.SetZ(p.X()*p.X() + p.Y()*p.Y())
	}
}

//go:noinline
func squareIn(p *points) {
	for i := range p.x {
		p.z[i] = p.x[i]*p.x[i] + p.y[i]*p.y[i]
	}
}

//go:noinline
func lengthAt(v *PointView) {
	for i := range v.Len() {
		p := v.At(i)
		a, b, c := p.Dir(0), p.Dir(1), p.Dir(2)
		p.SetZ(p.X() + a*a + b*b + c*c)
	}
}

//go:noinline
func lengthAll(v *PointView) {
	for p := range v.All() {
		a, b, c := p.Dir(0), p.Dir(1), p.Dir(2)
		p.SetZ(p.X() + a*a + b*b + c*c)
	}
}

//go:noinline
func length(x, a, b, c, z []float32) {
	for i := range x {
		z[i] = x[i] + a[i]*a[i] + b[i]*b[i] + c[i]*c[i]
	}
}

//go:noinline
func lengthEntries(v *PointView) {
	x, z := v.XEntries(), v.ZEntries()
	a, b, c := v.DirEntries(0), v.DirEntries(1), v.DirEntries(2)
	for i := range x.Len() {
		z.Set(i, x.At(i)+a.At(i)*a.At(i)+b.At(i)*b.At(i)+c.At(i)*c.At(i))
	}
}

//go:noinline
func lengthTaken(v *PointView) {
	points := v.Entries()
	for i := range points.Len() {
		p := points.At(i)
		p.SetZ(p.X() + p.Dir(0)*p.Dir(0) + p.Dir(1)*p.Dir(1) + p.Dir(2)*p.Dir(2))
	}
}

//go:noinline
func lengthIn(p *points) {
	a, b, c := &p.dir[0], &p.dir[1], &p.dir[2]
	for i := range p.x {
		p.z[i] = p.x[i] + (*a)[i]*(*a)[i] + (*b)[i]*(*b)[i] + (*c)[i]*(*c)[i]
	}
}

func (p *points) dot() (sum float64) {
	for i := range p.x {
		sum += float64(p.x[i]) * float64(p.y[i])
	}
	return sum
}

func (p *points) checkNorm() error {
	for i := range p.z {
		x, y := float64(p.x[i]), float64(p.y[i])
		if err := near(float64(p.z[i]), x*x+y*y); err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
	}
	clear(p.z) // the next side's turn
	return nil
}

func (p *points) checkLength() error {
	for i := range p.z {
		want := float64(p.x[i])
		for _, d := range p.dir {
			want += float64(d[i]) * float64(d[i])
		}
		if err := near(float64(p.z[i]), want); err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
	}
	clear(p.z)
	return nil
}

// near reports a result that is not what it should be.
func near(got, want float64) error {
	if !(math.Abs(got-want) <= 1e-3*(1+math.Abs(want))) {
		return fmt.Errorf("wrong result: %v, want %v", got, want)
	}
	return nil
}
