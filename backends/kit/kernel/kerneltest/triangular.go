package kerneltest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Triangulars returns factors and systems of many sizes and of all forms.
func Triangulars() []kernel.Triangular {
	var all []kernel.Triangular
	for _, d := range []types.DType{types.F32, types.F64} {
		for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 64, 100, 128, 200} {
			for _, lower := range []bool{false, true} {
				all = append(all, kernel.Triangular{DType: d, Lower: lower, Count: 1 + n%3, N: n})
			}
		}
		for _, n := range []int{0, 1, 2, 7, 8, 9, 17, 33, 100} {
			for _, sides := range []int{0, 1, 5, 16, 35} {
				for form := range 16 {
					all = append(all, kernel.Triangular{Solve: true, DType: d, Lower: form&1 != 0, Left: form&2 != 0, Transposed: form&4 != 0, Unit: form&8 != 0, Count: 1 + n%3, N: n, Sides: sides})
				}
			}
		}
	}
	return all
}

// TriangularText returns the program of a step: a factor of %a, or the solution of %a and %b.
func TriangularText(t kernel.Triangular) string {
	a := fmt.Sprintf("tensor<%dx%dx%dx%v>", t.Count, t.N, t.N, t.DType)
	if !t.Solve {
		return fmt.Sprintf("func.func public @main(%%a: %[1]s) -> %[1]s {\n  %%0 = stablehlo.cholesky %%a, lower = %[2]t : %[1]s\n  return %%0 : %[1]s\n}\n", a, t.Lower)
	}
	rows, columns := t.N, t.Sides
	if !t.Left {
		rows, columns = columns, rows
	}
	b := fmt.Sprintf("tensor<%dx%dx%dx%v>", t.Count, rows, columns, t.DType)
	transpose := "NO_TRANSPOSE"
	if t.Transposed {
		transpose = "TRANSPOSE"
	}
	return fmt.Sprintf(`func.func public @main(%%a: %[1]s, %%b: %[2]s) -> %[2]s {
  %%0 = "stablehlo.triangular_solve"(%%a, %%b) <{left_side = %[3]t, lower = %[4]t, unit_diagonal = %[5]t, transpose_a = #stablehlo<transpose %[6]s>}> : (%[1]s, %[2]s) -> %[2]s
  return %%0 : %[2]s
}
`, a, b, t.Left, t.Lower, t.Unit, transpose)
}

// TriangularValues returns operands of a step: matrices far from singular, whose triangle
// that is not to be read holds NaNs, and right sides.
func TriangularValues(t kernel.Triangular) (a, b []float64) {
	r := rand.New(rand.NewPCG(uint64(t.N), uint64(t.Sides)))
	for range t.Count {
		for i := range t.N {
			for j := range t.N {
				switch {
				case i == j && t.Solve && t.Unit:
					a = append(a, math.NaN())
				case i == j:
					a = append(a, 2+r.Float64())
				case i > j == t.Lower:
					a = append(a, (r.Float64()-0.5)/math.Sqrt(float64(t.N)))
				default:
					a = append(a, math.NaN())
				}
			}
		}
	}
	for range t.Count * t.N * t.Sides {
		b = append(b, r.Float64()-0.5)
	}
	return a, b
}
