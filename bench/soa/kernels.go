package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"ltc/bench/measure"
	"ltc/lazy"
	"ltc/soa"
)

// kernel is an elementwise program on some columns.
type kernel struct {
	name    string
	columns int
	results []int // columns of each result
	record  func(x *lazy.Tensor) []*lazy.Tensor
	// want returns a row of all results from one of x, and the size of what is
	// rounded on the way.
	want func(x []float64) (y []float64, size float64)
	// loop is the same in plain Go over columns, and records over records.
	loop    func(x, y [][]float32)
	records func(x, y []event)
}

// event is the layout of all columns, as columns and as records.
type event struct{ A, B, C, D, E, F, G, H float32 }

var fields = []string{"A", "B", "C", "D", "E", "F", "G", "H"}

// apart are the fields in an order in which no three neighbours are at equal
// distances: they are gathered by a table.
var apart = []string{"C", "A", "F", "H", "B", "E", "G", "D"}

var kernels = []kernel{
	{
		name: "relu(0.7x+0.1)+x of 3 columns", columns: 3, results: []int{3},
		record: func(x *lazy.Tensor) []*lazy.Tensor {
			return []*lazy.Tensor{x.MulScalar(0.7).AddScalar(0.1).ReLU().Add(x)}
		},
		want: func(x []float64) ([]float64, float64) {
			y := make([]float64, len(x))
			for i := range x {
				y[i] = max(0.7*x[i]+0.1, 0) + x[i]
			}
			return y, 1
		},
		loop: func(x, y [][]float32) {
			for j := range y {
				affine(x[j], y[j])
			}
		},
		records: func(x, y []event) {
			for i := range x {
				p, q := &x[i], &y[i]
				q.A, q.B, q.C = affineOf(p.A), affineOf(p.B), affineOf(p.C)
			}
		},
	},
	{
		name: "√(x²+y²+z²)", columns: 3, results: []int{1},
		record: func(x *lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{x.Mul(x).Sum(1).Sqrt().Unsqueeze(1)} },
		want: func(x []float64) ([]float64, float64) {
			y := math.Sqrt(x[0]*x[0] + x[1]*x[1] + x[2]*x[2])
			return []float64{y}, y
		},
		loop: func(x, y [][]float32) { norm(x[0], x[1], x[2], y[0]) },
		records: func(x, y []event) {
			for i := range x {
				p := &x[i]
				y[i].A = float32(math.Sqrt(float64(p.A*p.A + p.B*p.B + p.C*p.C)))
			}
		},
	},
	{
		name: "xy+z and xz−y, two results", columns: 3, results: []int{1, 1},
		record: func(x *lazy.Tensor) []*lazy.Tensor {
			a, b, c := x.Narrow(1, 0, 1), x.Narrow(1, 1, 1), x.Narrow(1, 2, 1)
			return []*lazy.Tensor{a.Mul(b).Add(c), a.Mul(c).Sub(b)}
		},
		want: func(x []float64) ([]float64, float64) {
			return []float64{x[0]*x[1] + x[2], x[0]*x[2] - x[1]}, 2
		},
		loop: func(x, y [][]float32) { both(x[0], x[1], x[2], y[0], y[1]) },
		records: func(x, y []event) {
			for i := range x {
				p, q := &x[i], &y[i]
				q.A, q.B = p.A*p.B+p.C, p.A*p.C-p.B
			}
		},
	},
	{
		name: "tanh(x) of 6 columns", columns: 6, results: []int{6},
		record: func(x *lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{x.Tanh()} },
		want: func(x []float64) ([]float64, float64) {
			y := make([]float64, len(x))
			for i := range x {
				y[i] = math.Tanh(x[i])
			}
			return y, 1
		},
		loop: func(x, y [][]float32) {
			for j := range y {
				tanh(x[j], y[j])
			}
		},
		records: func(x, y []event) {
			for i := range x {
				p, q := &x[i], &y[i]
				q.A, q.B, q.C, q.D, q.E, q.F = tanhOf(p.A), tanhOf(p.B), tanhOf(p.C), tanhOf(p.D), tanhOf(p.E), tanhOf(p.F)
			}
		},
	},
}

func affineOf(x float32) float32 { return max(0.7*x+0.1, 0) + x }

func tanhOf(x float32) float32 { return float32(math.Tanh(float64(x))) }

//go:noinline
func affine(x, y []float32) {
	for i, x := range x {
		y[i] = affineOf(x)
	}
}

//go:noinline
func tanh(x, y []float32) {
	for i, x := range x {
		y[i] = tanhOf(x)
	}
}

//go:noinline
func norm(x, y, z, to []float32) {
	y, z, to = y[:len(x)], z[:len(x)], to[:len(x)]
	for i := range x {
		to[i] = float32(math.Sqrt(float64(x[i]*x[i] + y[i]*y[i] + z[i]*z[i])))
	}
}

//go:noinline
func both(x, y, z, a, b []float32) {
	y, z, a, b = y[:len(x)], z[:len(x)], a[:len(x)], b[:len(x)]
	for i := range x {
		a[i], b[i] = x[i]*y[i]+z[i], x[i]*z[i]-y[i]
	}
}

// The sides of a kernel.
const (
	packed     = "packed"
	adjacent   = "adjacent columns"
	gathered   = "gathered columns"
	interlaced = "records of 8"
	overCols   = "Go loop over columns"
	overRecs   = "Go loop over records"
)

func (k kernel) contest(ctx context.Context, n int) contest {
	return contest{
		name: k.name, threads: 1,
		open: func() ([]side, error) { return k.sides(ctx, n) },
		ratios: []ratio{
			{adjacent, packed, 1.15},
			{gathered, packed, 1.15},
			{interlaced, overRecs, 1.15},
			{interlaced, packed, 0},
			{adjacent, overCols, 0},
		},
	}
}

// sides makes data in each layout, and results to it. All take the same memory, one
// for what they read and one for what they write: where memory lies in the machine
// alone makes one program a fifth slower than the same one elsewhere.
func (k kernel) sides(ctx context.Context, n int) ([]side, error) {
	t := kernelTrial{kernel: k, data: make([][]float32, k.columns), x: newMemory(n), y: newMemory(n)}
	for j := range t.data {
		t.data[j] = measure.Gen(j+1, n)
	}
	columns := inColumns(adjacent, fields)
	var all []side
	for _, at := range []layout{inRows, columns, inColumns(gathered, apart), inRecords} {
		s, err := t.inPlace(ctx, at)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	x, y, err := t.slices(columns)
	if err != nil {
		return nil, err
	}
	from, to := t.x.events(n), t.y.events(n)
	for _, s := range []struct {
		name string
		at   layout
		run  func()
	}{
		{overCols, columns, func() { k.loop(x, y) }},
		{overRecs, inRecords, func() { k.records(from, to) }},
	} {
		_, out, fill, err := t.places(s.at)
		if err != nil {
			return nil, err
		}
		all = append(all, side{
			name: s.name, fill: fill,
			run:   func() error { s.run(); return nil },
			check: func() error { return k.verify(t.data, out) },
		})
	}
	return all, nil
}

// kernelTrial is a kernel on data, with memory for what it reads and writes.
type kernelTrial struct {
	kernel
	data [][]float32
	x, y memory
}

// places are what the kernel reads and writes in a layout. fill puts the data there,
// and takes away what is where results will be.
func (t *kernelTrial) places(at layout) (in, out *soa.Collection, fill func() error, err error) {
	n := len(t.data[0])
	from, to := at(t.x, n, t.columns), at(t.y, n, t.results...)
	in, out = soa.NewCollection(n), soa.NewCollection(n)
	err = in.Add("x", from.tensors[0]...)
	for j, columns := range to.tensors {
		if err == nil {
			err = out.Add(fmt.Sprint("y", j), columns...)
		}
	}
	return in, out, func() error {
		clear(t.y)
		return from.fill(t.data)
	}, err
}

// inPlace is the compiled program on memory of a layout, to results in it.
func (t *kernelTrial) inPlace(ctx context.Context, at layout) (side, error) {
	in, out, fill, err := t.places(at)
	if err != nil {
		return side{}, err
	}
	program := func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor { return t.record(x[0]) }
	s, err := inPlace(ctx, at(t.x, len(t.data[0])).name, program, in, out, 1)
	s.fill, s.check = fill, func() error { return t.verify(t.data, out) }
	return s, err
}

// slices are the columns that the kernel reads and writes.
func (t *kernelTrial) slices(at layout) (x, y [][]float32, err error) {
	n := len(t.data[0])
	of := func(p place) (all [][]float32) {
		for _, c := range slices.Concat(p.tensors...) {
			var one []float32
			if err == nil {
				one, err = soa.Elements[float32](c)
			}
			all = append(all, one)
		}
		return all
	}
	x, y = of(at(t.x, n, t.columns)), of(at(t.y, n, t.results...))
	return x, y, err
}

// verify compares results, one after the other, with what they should be.
func (k kernel) verify(data [][]float32, out *soa.Collection) error {
	first := 0
	for r, name := range out.Names() {
		y := out.Tensor(r)
		width := y.Type.Shape[1]
		want := func(in [][]float32, i int) (float64, float64) {
			x := make([]float64, len(in))
			for j := range x {
				x[j] = float64(in[j][i/width])
			}
			y, size := k.want(x)
			return y[first+i%width], size
		}
		if err := measure.Want(want).Verify(data, y); err != nil {
			return fmt.Errorf("result %s: %w", name, err)
		}
		first += width
	}
	return nil
}
