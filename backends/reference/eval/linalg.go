package eval

import (
	"math"
	"math/cmplx"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/stablehlo"
)

// Decompositions are computed in f64, or complex<f64>, and rounded once.

type field interface{ float64 | complex128 }

// fieldOps is what differs between real and complex matrices.
type fieldOps[T field] struct {
	conj func(T) T
	root func(T) T // of a number whose imaginary part counts as 0
}

var (
	realOps    = fieldOps[float64]{func(x float64) float64 { return x }, math.Sqrt}
	complexOps = fieldOps[complex128]{cmplx.Conj, func(x complex128) complex128 { return complex(math.Sqrt(real(x)), 0) }}
)

// wide is the type that decompositions of elements of type d are computed in;
// NoType if there are none.
func wide(d loops.DType) loops.DType {
	switch {
	case d.IsComplex():
		return loops.C128
	case d.IsFloat():
		return loops.F64
	}
	return loops.NoType
}

// matrices returns the number of matrices in t, of which the last two
// dimensions are those of a matrix.
func matrices(t tensor) (count, rows, cols int) {
	k := len(t.shape) - 2
	return volume(t.shape[:k]), t.shape[k], t.shape[k+1]
}

// emitWide emits steps that convert operands to the wide type, run on them and
// on the memory of the result as that type, and round the result. The work is
// that of run.
func (b *builder) emitWide(o *site, work int, run func(f *frame, result unsafe.Pointer, in []unsafe.Pointer)) {
	out := o.out[0]
	w := wide(out.dt)
	var in []int
	for _, x := range o.in {
		in = append(in, b.converted(o, x.slot, x.dt, w, x.n))
	}
	sums := b.scratch(o, out.n*w.Size())
	b.emitWork(work, func(f *frame) {
		p := make([]unsafe.Pointer, len(in))
		for i, s := range in {
			p[i] = f.p[s]
		}
		run(f, f.p[sums], p)
	})
	b.emitKernel(loops.Convert(w, out.dt), b.result(o, 0), out.dt.Size(), sums, w.Size(), out.n)
}

// prepareCholesky reads one triangle of each matrix and writes the factor to
// the same one, zeros to the other. Of a matrix that is not positive definite,
// NaNs come out.
func prepareCholesky(b *builder, o *site) error {
	lower := stablehlo.AsCholesky(o.op).Lower()
	count, n, _ := matrices(o.out[0])
	work := loops.Times(o.out[0].n, n)
	switch wide(o.out[0].dt) {
	case loops.F64:
		b.emitWide(o, work, func(f *frame, r unsafe.Pointer, in []unsafe.Pointer) { cholesky(f, r, in[0], count, n, lower, realOps) })
	case loops.C128:
		b.emitWide(o, work, func(f *frame, r unsafe.Pointer, in []unsafe.Pointer) {
			cholesky(f, r, in[0], count, n, lower, complexOps)
		})
	}
	return nil
}

func cholesky[T field](f *frame, result, in unsafe.Pointer, count, n int, lower bool, ops fieldOps[T]) {
	all, from := unsafe.Slice((*T)(result), count*n*n), unsafe.Slice((*T)(in), count*n*n)
	f.clear(result, count*n*n*int(unsafe.Sizeof(all[0])))
	for ; len(all) > 0; all, from = all[n*n:], from[n*n:] {
		// l is computed as if lower; in the upper triangle lies its adjoint.
		at := func(i, j int) int { return i*n + j }
		conj := func(x T) T { return x }
		if !lower {
			at, conj = func(i, j int) int { return j*n + i }, ops.conj
		}
		l := func(i, j int) T { return conj(all[at(i, j)]) }
		for j := range n {
			for i := j; i < n; i++ {
				if f.due(8 * (j + 1)) {
					return
				}
				sum := conj(from[at(i, j)])
				for k := range j {
					sum -= l(i, k) * ops.conj(l(j, k))
				}
				if i == j {
					sum = ops.root(sum)
				} else {
					sum /= l(j, j)
				}
				all[at(i, j)] = conj(sum)
			}
		}
	}
}

// triangular is how triangular_solve reads its matrices.
type triangular struct {
	left, lower, unit, adjoint, transposed bool
	count, rows, cols, n                   int // rows and columns of b; n of a
}

// prepareTriangularSolve solves op(a)·x = b, or x·op(a) = b, by substitution.
func prepareTriangularSolve(b *builder, o *site) error {
	op, x := stablehlo.AsTriangularSolve(o.op), o.in[1]
	t := triangular{left: op.LeftSide(), lower: op.Lower(), unit: op.UnitDiagonal(), adjoint: op.TransposeA() == "ADJOINT"}
	t.transposed = t.adjoint || op.TransposeA() == "TRANSPOSE"
	_, t.n, _ = matrices(o.in[0].tensor)
	t.count, t.rows, t.cols = matrices(x.tensor)
	work := loops.Times(x.n, t.n)
	switch wide(x.dt) {
	case loops.F64:
		b.emitWide(o, work, func(f *frame, r unsafe.Pointer, in []unsafe.Pointer) { solveAll(f, r, in[0], in[1], t, realOps) })
	case loops.C128:
		b.emitWide(o, work, func(f *frame, r unsafe.Pointer, in []unsafe.Pointer) { solveAll(f, r, in[0], in[1], t, complexOps) })
	}
	return nil
}

func solveAll[T field](f *frame, result, as, bs unsafe.Pointer, t triangular, ops fieldOps[T]) {
	size := t.rows * t.cols
	if size == 0 {
		return
	}
	a, x := unsafe.Slice((*T)(as), t.count*t.n*t.n), unsafe.Slice((*T)(result), t.count*size)
	f.copy(result, bs, len(x)*int(unsafe.Sizeof(x[0])))
	entry := func(v T) T { return v }
	if t.adjoint {
		entry = ops.conj
	}
	// x·op(a) = b is op(a)ᵀ·xᵀ = bᵀ: one more transposition.
	system := substitution[T]{n: t.n, row: t.n, col: 1, forward: t.lower, unit: t.unit, entry: entry}
	if t.transposed == t.left {
		system.row, system.col, system.forward = 1, t.n, !t.lower
	}
	systems, apart, step := t.cols, 1, t.cols
	if !t.left {
		systems, apart, step = t.rows, t.cols, 1
	}
	for i := range t.count {
		for k := range systems {
			system.solve(f, a[i*t.n*t.n:][:t.n*t.n], x[i*size+k*apart:], step)
		}
	}
}

// substitution solves a system whose matrix has entry(a[i*row+j*col]) at (i, j).
type substitution[T field] struct {
	n, row, col   int
	forward, unit bool // a is lower triangular; its diagonal counts as 1
	entry         func(T) T
}

// solve replaces a right side, whose elements lie step apart, by the solution.
func (s *substitution[T]) solve(f *frame, a, x []T, step int) {
	for k := range s.n {
		i, lo, hi := k, 0, k
		if !s.forward {
			i = s.n - 1 - k
			lo, hi = i+1, s.n
		}
		if f.due(8 * (hi - lo + 1)) {
			return
		}
		sum := x[i*step]
		for j := lo; j < hi; j++ {
			sum -= s.entry(a[i*s.row+j*s.col]) * x[j*step]
		}
		if !s.unit {
			sum /= s.entry(a[i*s.row+i*s.col])
		}
		x[i*step] = sum
	}
}
