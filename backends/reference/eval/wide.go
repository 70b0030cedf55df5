package eval

import (
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/backends/reference/internal/numeric"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Decompositions and batch normalization are computed in f64, or complex<f64>, by package numeric,
// and rounded once.

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
		b.emitWide(o, work, func(f *frame, r unsafe.Pointer, in []unsafe.Pointer) {
			factor(f, r, in[0], count, n, lower, numeric.Real)
		})
	case loops.C128:
		b.emitWide(o, work, func(f *frame, r unsafe.Pointer, in []unsafe.Pointer) {
			factor(f, r, in[0], count, n, lower, numeric.Complex)
		})
	}
	return nil
}

// factor clears the result and writes the factors of matrices to it.
func factor[T numeric.Element](f *frame, result, in unsafe.Pointer, count, n int, lower bool, ops numeric.Arithmetic[T]) {
	all := unsafe.Slice((*T)(result), count*n*n)
	f.clear(result, len(all)*int(unsafe.Sizeof(all[0])))
	numeric.Cholesky(&f.ws.Budget, all, unsafe.Slice((*T)(in), len(all)), n, lower, ops)
}

// prepareTriangularSolve solves op(a)·x = b, or x·op(a) = b, by substitution.
func prepareTriangularSolve(b *builder, o *site) error {
	op, x := stablehlo.AsTriangularSolve(o.op), o.in[1]
	t := numeric.Triangular{Left: op.LeftSide(), Lower: op.Lower(), Unit: op.UnitDiagonal(), Adjoint: op.TransposeA() == "ADJOINT"}
	t.Transposed = t.Adjoint || op.TransposeA() == "TRANSPOSE"
	_, t.N, _ = matrices(o.in[0].tensor)
	t.Count, t.Rows, t.Cols = matrices(x.tensor)
	work := loops.Times(x.n, t.N)
	switch wide(x.dt) {
	case loops.F64:
		b.emitWide(o, work, func(f *frame, r unsafe.Pointer, in []unsafe.Pointer) { solve(f, r, in[0], in[1], t, numeric.Real) })
	case loops.C128:
		single := x.dt == loops.C64
		b.emitWide(o, work, func(f *frame, r unsafe.Pointer, in []unsafe.Pointer) {
			solve(f, r, in[0], in[1], t, numeric.Complex)
			finiteOrNaN(unsafe.Slice((*complex128)(r), t.Count*t.Rows*t.Cols), single)
		})
	}
	return nil
}

// finiteOrNaN replaces numbers of which a part is infinite, in f32 if single, or NaN by NaN. Which part of a number that
// is divided by 0 is infinite depends on the order of operations.
func finiteOrNaN(all []complex128, single bool) {
	bounded := func(v float64) bool {
		if single {
			v = float64(float32(v))
		}
		return math.Abs(v) < math.Inf(1)
	}
	for i, z := range all {
		if !bounded(real(z)) || !bounded(imag(z)) {
			all[i] = complex(math.NaN(), math.NaN())
		}
	}
}

func solve[T numeric.Element](f *frame, result, as, bs unsafe.Pointer, t numeric.Triangular, ops numeric.Arithmetic[T]) {
	size := t.Rows * t.Cols
	if size == 0 {
		return
	}
	x := unsafe.Slice((*T)(result), t.Count*size)
	f.copy(result, bs, len(x)*int(unsafe.Sizeof(x[0])))
	numeric.Solve(&f.ws.Budget, x, unsafe.Slice((*T)(as), t.Count*t.N*t.N), t, ops)
}

// prepareBatchNorm handles the three ops: they take an operand, then numbers by
// feature, and batch_norm_grad last a gradient like the operand; they return
// something like the operand first, then numbers by feature.
func prepareBatchNorm(b *builder, o *site) error {
	run := (*numeric.BatchNorm).Gradient
	switch o.op.Code {
	case stablehlo.BatchNormInference:
		run = (*numeric.BatchNorm).Inference
	case stablehlo.BatchNormTraining:
		run = (*numeric.BatchNorm).Training
	}
	n, err := newBatchNorm(o)
	if err != nil {
		return err
	}
	in, out := make([]int, len(o.in)), make([]int, len(o.out))
	for i, x := range o.in {
		in[i] = b.converted(o, x.slot, x.dt, loops.F64, x.n)
	}
	for i, t := range o.out {
		out[i] = b.scratch(o, 8*t.n)
	}
	b.emit(func(f *frame) {
		from, to := make([][]float64, len(in)), make([][]float64, len(out))
		for i, s := range in {
			from[i] = at[float64](f, s, o.in[i].n)
		}
		for i, s := range out {
			to[i] = at[float64](f, s, o.out[i].n)
		}
		own := *n
		own.Budget = &f.ws.Budget
		run(&own, to, from)
	})
	for i, t := range o.out {
		r, s := b.result(o, i), out[i]
		b.emitKernel(loops.Convert(loops.F64, t.dt), r, t.dt.Size(), s, 8, t.n)
	}
	return nil
}

func newBatchNorm(o *site) (*numeric.BatchNorm, error) {
	shape := o.in[0].shape
	feature, _ := mlir.Int(o.op.Attrs.Get("feature_index"))
	epsilon, ok := o.op.Attrs.Get("epsilon").(mlir.FloatAttr)
	if !ok {
		return nil, fmt.Errorf("attribute epsilon: want a number of f32, got %v", o.op.Attrs.Get("epsilon"))
	}
	e, err := strconv.ParseFloat(epsilon.Text, 32)
	if err != nil {
		return nil, fmt.Errorf("attribute epsilon: %s is not a finite number", epsilon.Text)
	}
	return &numeric.BatchNorm{Outer: volume(shape[:feature]), Features: shape[feature], Inner: volume(shape[feature+1:]), Epsilon: e}, nil
}
