package lapack

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/lapack"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/mlir"
)

// composite is a composite of package linalg. Its operand is a matrix of m by n.
type composite struct {
	function
	// most is how large the smaller dimension may be: bodies that are compiled are faster beyond.
	most int
	// shapes returns the shapes of the results for one matrix. Flag says that the only parameter, an
	// integer as in all composites of ours, is not 0.
	shapes func(m, n int, flag bool) []types.Shape
}

// rotated is the most of decompositions whose vectors Gonum rotates column by column, which lie
// apart in memory.
const rotated = 128

var rows = operand{rank: 1, dtype: types.I64} // numbers of rows

var composites = []composite{
	{function{name: "lu_factor", results: []operand{matrix, integers, rows}, run: luFactor}, math.MaxInt, func(m, n int, _ bool) []types.Shape {
		return []types.Shape{{m, n}, {min(m, n)}, {m}}
	}},
	{function{name: "eigh", results: []operand{vector, matrix}, params: []parameter{{name: "upper", kind: integer}}, run: eigh}, rotated, func(_, n int, _ bool) []types.Shape {
		return []types.Shape{{n}, {n, n}}
	}},
	{function{name: "svd", results: []operand{matrix, vector, matrix}, params: []parameter{{name: "full", kind: integer}}, run: svd}, rotated, func(m, n int, full bool) []types.Shape {
		k := min(m, n)
		if full {
			return []types.Shape{{m, m}, {k}, {n, n}}
		}
		return []types.Shape{{m, k}, {k}, {k, n}}
	}},
}

func init() {
	for _, c := range composites {
		c.args = []operand{matrix}
		narrow := c
		c.dtype, narrow.dtype = types.F64, types.F32
		of := map[types.DType]*composite{types.F64: &c, types.F32: &narrow}
		err := backends.RegisterHostComposite("linalg."+c.name, func(args, results []types.Type, attrs mlir.Dict) bool {
			if len(args) == 0 {
				return false
			}
			of := of[args[0].DType]
			return of != nil && of.takes(args, results, attrs)
		}, func(ctx context.Context, call *backends.HostCall) error {
			return of[call.Args[0].Type.DType].call(ctx, call)
		})
		if err != nil {
			panic(err) // a mistake of the list, or another package that has them
		}
	}
}

// takes reports whether the function computes a composite of these types.
func (c *composite) takes(args, results []types.Type, attrs mlir.Dict) bool {
	batch, err := c.check(args, results, attrs)
	if err != nil {
		return false
	}
	shape := args[0].Shape[len(batch):]
	if min(shape[0], shape[1]) > c.most || c.name == "eigh" && shape[0] != shape[1] {
		return false
	}
	set := false
	if len(c.params) > 0 {
		n, _ := mlir.Int(attrs.Get(c.params[0].name))
		set = n != 0
	}
	for i, want := range c.shapes(shape[0], shape[1], set) {
		if !results[i].Shape[len(batch):].Equal(want) {
			return false
		}
	}
	return true
}

// luFactor is that of linalg: factors, rows that were swapped, from 1, and the order of rows.
func luFactor(p *problem) error {
	a, _ := p.result(0, 0)
	m, n, stride := a.matrix()
	swapped, order := p.results[1].data, p.results[2].data
	for i := range order {
		order[i] = float64(i)
	}
	if len(swapped) == 0 {
		return nil
	}
	pivots := make([]int, len(swapped))
	if a.finite() {
		impl.Dgetrf(m, n, a.data, stride, pivots)
	} else {
		eliminate(a, pivots)
	}
	for i, at := range pivots {
		swapped[i] = float64(at + 1)
		order[i], order[at] = order[at], order[i]
	}
	return nil
}

// eliminate factors a matrix that has NaNs or infinities, which Gonum's function drops where it
// multiplies them by zero. A NaN is the largest element of its column.
func eliminate(a array, pivots []int) {
	m, n, _ := a.matrix()
	row := func(i int) []float64 { return a.data[i*n:][:n] }
	for k := range pivots {
		best := k
		for i := k + 1; i < m && !math.IsNaN(row(best)[k]); i++ {
			if x := math.Abs(row(i)[k]); x > math.Abs(row(best)[k]) || math.IsNaN(x) {
				best = i
			}
		}
		pivots[k] = best
		for j := range n {
			row(k)[j], row(best)[j] = row(best)[j], row(k)[j]
		}
		pivot := row(k)
		for i := k + 1; i < m; i++ {
			if pivot[k] != 0 {
				row(i)[k] /= pivot[k]
			}
			for j := k + 1; j < n; j++ {
				row(i)[j] -= row(i)[k] * pivot[j]
			}
		}
	}
}

// eigh returns the eigenvalues, rising, and the eigenvectors as columns. Both are NaN where the
// triangle that is read has NaNs or infinities.
func eigh(p *problem) error {
	a, values, vectors := p.args[0], p.results[0], p.results[1]
	n, stride, err := a.square()
	if err != nil || n == 0 {
		return err
	}
	upper := p.integer("upper") != 0
	for i := range n { // the lower triangle has what is read
		for j := range i {
			if upper {
				a.data[i*n+j] = a.data[j*n+i]
			}
			a.data[j*n+i] = 0
		}
	}
	ok := a.finite()
	if ok {
		p.optimal(func(work []float64, size int) {
			ok = impl.Dsyev(lapack.EVCompute, 'L', n, a.data, stride, values.data, work, size)
		})
	}
	copy(vectors.data, a.data)
	if !ok {
		spoil(p.results)
	}
	return nil
}

// svd returns U, the singular values, falling, and the transpose of V. All are NaN where the
// matrix has NaNs or infinities.
func svd(p *problem) error {
	a, u, s, vt := p.args[0], p.results[0], p.results[1], p.results[2]
	m, n, stride := a.matrix()
	if min(m, n) == 0 {
		for _, x := range []array{u, vt} { // of a full one
			for i := range min(x.shape[0], x.shape[1]) {
				x.data[i*x.shape[1]+i] = 1
			}
		}
		return nil
	}
	job, ok := lapack.SVDStore, a.finite()
	if p.integer("full") != 0 {
		job = lapack.SVDAll
	}
	if ok {
		p.optimal(func(work []float64, size int) {
			ok = impl.Dgesvd(job, job, m, n, a.data, stride, s.data, u.data, u.shape[1], vt.data, n, work, size)
		})
	}
	if !ok {
		spoil(p.results)
	}
	return nil
}

// spoil makes all results NaN.
func spoil(results []array) {
	for _, r := range results {
		copy(r.data, slices.Repeat([]float64{math.NaN()}, len(r.data)))
	}
}
