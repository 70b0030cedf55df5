package main

import (
	"context"
	"fmt"
	"math"

	"ltc/internal/measure"
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

// sides makes data in each layout, and results to it.
func (k kernel) sides(ctx context.Context, n int) ([]side, error) {
	data := make([][]float32, k.columns)
	for j := range data {
		data[j] = measure.Gen(j+1, n)
	}
	var all []side
	for _, at := range []layout{inRows, inColumns(adjacent, fields), inColumns(gathered, apart), inRecords} {
		s, err := k.inPlace(ctx, n, data, at)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	records, err := k.plainRecords(data)
	return append(all, k.plainColumns(data), records), err
}

// inPlace is the compiled program on memory of a layout, to results in it.
func (k kernel) inPlace(ctx context.Context, n int, data [][]float32, at layout) (side, error) {
	from, to := at(n, k.columns), at(n, k.results...)
	if err := from.fill(data); err != nil {
		return side{}, err
	}
	in, out := soa.NewCollection(n), soa.NewCollection(n)
	if err := in.Add("x", from.tensors[0]...); err != nil {
		return side{}, err
	}
	for j, columns := range to.tensors {
		if err := out.Add(fmt.Sprint("y", j), columns...); err != nil {
			return side{}, err
		}
	}
	program := func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor { return k.record(x[0]) }
	s, err := inPlace(ctx, from.name, program, in, out, 1)
	s.check = func() error { return k.verify(data, out) }
	return s, err
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

// plainColumns is the loop over columns.
func (k kernel) plainColumns(data [][]float32) side {
	y, out := make([][]float32, 0), soa.NewCollection(len(data[0]))
	for _, width := range k.results {
		for range width {
			y = append(y, make([]float32, len(data[0])))
		}
	}
	return side{
		name: overCols,
		run:  func() error { k.loop(data, y); return nil },
		check: func() error {
			if err := out.Add("y", columnsOf(y)...); err != nil {
				return err
			}
			return k.verify(data, out)
		},
	}
}

// plainRecords is the loop over records.
func (k kernel) plainRecords(data [][]float32) (side, error) {
	n := len(data[0])
	x, y := make([]event, n), make([]event, n)
	out := soa.NewCollection(n)
	for j, columns := range recordsOf(y, k.results...).tensors {
		if err := out.Add(fmt.Sprint("y", j), columns...); err != nil {
			return side{}, err
		}
	}
	return side{
		name:  overRecs,
		run:   func() error { k.records(x, y); return nil },
		check: func() error { return k.verify(data, out) },
	}, recordsOf(x, k.columns).fill(data)
}
