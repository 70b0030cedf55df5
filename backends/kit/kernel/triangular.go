package kernel

import (
	"context"
	"fmt"

	"ltc/ir/types"
)

// Triangular is a step that factors symmetric matrices, or solves systems whose matrices are
// triangular: of each of a batch of dense matrices of f32 or f64.
//
// A factor of Cholesky is lower triangular, A = L·Lᵀ, or upper, A = Uᵀ·U. Its code reads the
// triangle that it writes, and zeros the other one. Where a pivot is not positive, NaNs come
// out, or infinities: nothing fails. Code of a factor has the operands A and the result.
//
// A system is op(A)·X = B, or X·op(A) = B. Its code reads one triangle of A. It has the
// operands A, B and X.
type Triangular struct {
	Solve bool // a system, else a factor
	DType types.DType
	Lower bool // the triangle of A that there is
	// Of systems: A is at the left of X, it is transposed, and its diagonal counts as 1.
	Left, Transposed, Unit bool
	// Count matrices A are of N rows and columns. Of systems, B has Sides columns with A at
	// the left, else Sides rows.
	Count, N, Sides int
}

// TriangularCompiler is a [Compiler] that has code for [Triangular] steps.
type TriangularCompiler interface {
	Compiler
	// CompileTriangular returns the code of a step; nil if there is none for its elements,
	// or nothing to make it with. The code is prepared for [Triangular.Sizes] before it runs.
	CompileTriangular(ctx context.Context, t Triangular) (Preparer, error)
}

// Sizes returns Count, N and Sides.
func (t *Triangular) Sizes() [3]int64 { return [3]int64{int64(t.Count), int64(t.N), int64(t.Sides)} }

// Resize sets what Sizes returns.
func (t *Triangular) Resize(sizes []int64) {
	t.Count, t.N, t.Sides = int(sizes[0]), int(sizes[1]), int(sizes[2])
}

// Forward reports whether the elements of X that are known first are those of index 0.
func (t *Triangular) Forward() bool { return t.Lower == (t.Transposed != t.Left) }

// Strides are what lies between rows, and between columns, of the matrix M of M·X = B or
// M·Xᵀ = Bᵀ, in elements of A.
func (t *Triangular) Strides() (row, column int) {
	if t.Transposed != t.Left {
		return t.N, 1
	}
	return 1, t.N
}

// Flops is how many products and sums a step takes.
func (t *Triangular) Flops() float64 {
	n := float64(t.N)
	if t.Solve {
		return float64(t.Count) * n * n * float64(t.Sides)
	}
	return float64(t.Count) * n * n * n / 3
}

// String says what the step does.
func (t *Triangular) String() string {
	triangle := "upper"
	if t.Lower {
		triangle = "lower"
	}
	if !t.Solve {
		return "cholesky " + triangle
	}
	s := fmt.Sprintf("triangular solve %s", triangle)
	if t.Transposed {
		s += " transposed"
	}
	if t.Unit {
		s += " unit"
	}
	if !t.Left {
		s += " at the right"
	}
	return s
}
