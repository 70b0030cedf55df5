package reference

import (
	"context"
	"math"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/internal/loops"
	"ltc/internal/halt"
	"ltc/ir/types"
)

// triangularCode is the code of a factor of Cholesky or of a triangular system.
type triangularCode struct {
	kernel.Code // for the sizes of a run
	by          kernel.Preparer
	of          kernel.Triangular
	sizes       [3]int64
}

var _ claimedCode = (*triangularCode)(nil)

// newTriangularCode returns the code of the first compiler that has some, else plain Go.
func newTriangularCode(ctx context.Context, t kernel.Triangular, compilers []kernel.Compiler) (*triangularCode, error) {
	for _, c := range compilers {
		if c, ok := c.(kernel.TriangularCompiler); ok {
			code, err := c.CompileTriangular(ctx, t)
			if err != nil {
				return nil, err
			}
			if code != nil {
				return &triangularCode{by: code, of: t}, nil
			}
		}
	}
	if t.DType == types.F64 {
		return &triangularCode{by: &plainTriangular[float64]{t}, of: t}, nil
	}
	return &triangularCode{by: &plainTriangular[float32]{t}, of: t}, nil
}

func (t *triangularCode) fit(ctx context.Context, w plan.Work, last kernel.Code) (claimedCode, error) {
	c, ok := last.(*triangularCode)
	if !ok {
		c = &triangularCode{by: t.by, of: t.of}
	}
	of := w.(*plan.Triangular)
	c.sizes = of.Sizes()
	c.of.Resize(c.sizes[:])
	if c.of.N > mostRows {
		return nil, tooLarge(c.of.N, mostRows)
	}
	var err error
	c.Code, err = c.by.Prepare(ctx, c.sizes[:], nil, c.Code)
	return c, err
}

// work counts products of elements.
func (t *triangularCode) work() int { return int(min(t.of.Flops(), math.MaxInt32)) }

// plainTriangular runs a step in plain Go: the matrices of a batch one by one.
type plainTriangular[T float32 | float64] struct{ kernel.Triangular }

// Prepare implements [kernel.Preparer].
func (t *plainTriangular[T]) Prepare(_ context.Context, sizes, _ []int64, last kernel.Code) (kernel.Code, error) {
	p, ok := last.(*plainTriangular[T])
	if !ok {
		p = &plainTriangular[T]{t.Triangular}
	}
	p.Resize(sizes)
	return p, nil
}

// Parts gives a thread matrices of which at least so much is to be done.
func (t *plainTriangular[T]) Parts(_ []int64, threads int) int {
	const least = 1 << 16
	return max(1, min(threads, t.Count, int(min(t.Flops()/least, math.MaxInt32))))
}

// Scratch is for a matrix: the factor's transposed if it is lower, or the right sides in
// rows.
func (t *plainTriangular[T]) Scratch([]int64, int) int {
	rows := t.N
	switch {
	case t.Count == 0:
		return 0
	case t.Solve:
		rows = t.Sides
	}
	return loops.Times(loops.Times(t.N, rows), t.DType.Size())
}

// Run factors, or solves, the matrices of a part.
func (t *plainTriangular[T]) Run(c *kernel.Call) error {
	n, size := t.N, t.N*t.N
	if size == 0 || t.Solve && t.Sides == 0 {
		return nil
	}
	from, to := c.Share(int64(t.Count))
	for i := int(from); i < int(to) && !halt.Closed(c.Done); i++ {
		a := elements[T](c.Mem[0], i*size, size)
		if t.Solve {
			each := n * t.Sides
			t.solve(elements[T](c.Mem[2], i*each, each), a, elements[T](c.Mem[1], i*each, each), elements[T](c.Scratch, 0, each), c.Done)
			continue
		}
		t.factor(elements[T](c.Mem[1], i*size, size), a, elements[T](c.Scratch, 0, size), c.Done)
	}
	return nil
}

func elements[T any](p unsafe.Pointer, first, n int) []T {
	return unsafe.Slice((*T)(unsafe.Add(p, first*int(unsafe.Sizeof(*new(T))))), n)
}

// factor writes the factor of a: rows of an upper one are computed, from first to last, and
// a lower one is transposed before and after.
func (t *plainTriangular[T]) factor(to, a, u []T, done <-chan struct{}) {
	n := t.N
	if t.Lower {
		transposeTo(u, a, n, n)
	} else {
		copy(u, a)
	}
	for i := range n {
		if halt.Closed(done) {
			return
		}
		row := u[i*n:][:n]
		clear(row[:i])
		for p := range i {
			subtract(row[i:], u[p*n+i], u[p*n+i:(p+1)*n])
		}
		root := T(math.Sqrt(float64(row[i])))
		row[i] = root
		for j := i + 1; j < n; j++ {
			row[j] /= root
		}
	}
	if t.Lower {
		transposeTo(to, u, n, n)
	} else {
		copy(to, u)
	}
}

// solve writes the solution of a system whose right sides are rows of b, or columns.
func (t *plainTriangular[T]) solve(to, a, b, x []T, done <-chan struct{}) {
	n, m := t.N, t.Sides
	if t.Left {
		copy(x, b)
	} else {
		transposeTo(x, b, m, n)
	}
	row, column := t.Strides()
	forward := t.Forward()
	for k := range n {
		if halt.Closed(done) {
			return
		}
		i, first, last := k, 0, k
		if !forward {
			i = n - 1 - k
			first, last = i+1, n
		}
		here := x[i*m:][:m]
		for j := first; j < last; j++ {
			subtract(here, a[i*row+j*column], x[j*m:][:m])
		}
		if !t.Unit {
			d := a[i*(n+1)]
			for s := range here {
				here[s] /= d
			}
		}
	}
	if t.Left {
		copy(to, x)
	} else {
		transposeTo(to, x, n, m)
	}
}

// subtract takes a multiple of a row from another one.
func subtract[T float32 | float64](from []T, f T, row []T) {
	row = row[:len(from)]
	for i := range from {
		from[i] -= f * row[i]
	}
}

// transposeTo writes a matrix of so many rows and columns, transposed.
func transposeTo[T any](to, from []T, rows, columns int) {
	for i := range rows {
		for j := range columns {
			to[j*rows+i] = from[i*columns+j]
		}
	}
}
