package linalg_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/calls"
	"ltc/ir/ops"
	"ltc/lazy"
	"ltc/linalg"
)

// golden is a case of testdata/torch.txt, which testdata/golden.py writes.
type golden struct {
	name    string
	inputs  [][]int
	results []tensor
	grads   map[int]tensor
}

// tensor is a line of numbers with their shape.
type tensor struct {
	shape  string
	values []float64
}

func dimsOf(t *testing.T, list string) (dims []int) {
	for _, s := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		d, err := strconv.Atoi(s)
		require.NoError(t, err)
		dims = append(dims, d)
	}
	return dims
}

func goldens(t *testing.T) (all []*golden) {
	f, err := os.Open("testdata/torch.txt")
	require.NoError(t, err)
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		line := s.Text()
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "  "):
			g := all[len(all)-1]
			before, list, _ := strings.Cut(line, "]")
			label, shape, _ := strings.Cut(before, "[")
			x := tensor{shape: "[" + shape + "]"}
			for _, v := range strings.Fields(list) {
				n, err := strconv.ParseFloat(v, 64)
				require.NoError(t, err)
				x.values = append(x.values, n)
			}
			if label = strings.TrimSpace(label); label == "" {
				g.results = append(g.results, x)
				continue
			}
			k, err := strconv.Atoi(label[1:])
			require.NoError(t, err)
			g.grads[k] = x
		default:
			name, inputs, _ := strings.Cut(line, ": ")
			g := &golden{name: name, grads: map[int]tensor{}}
			for _, list := range strings.Split(inputs, ";") {
				g.inputs = append(g.inputs, dimsOf(t, list))
			}
			all = append(all, g)
		}
	}
	return all
}

// fill makes numbers from -1 to 1 as golden.py does.
func fill(tr *lazy.Trace, dims []int, k int) *lazy.Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	all := make([]float64, n)
	for i := range all {
		at := uint32(i*7919+k*104729+1) * 2654435761
		at = (at ^ at>>15) * 2246822519
		all[i] = float64(at^at>>13)/(1<<31) - 1
	}
	return lazy.From(tr, all, dims...)
}

func definite(x *lazy.Tensor) *lazy.Tensor {
	return x.MatMul(transposed(x.Conj())).Add(lazy.Eye(x.Trace(), x.DType(), x.Dim(-1), x.Dim(-1)))
}

// singular is a matrix whose last column is the sum of the others.
func singular(x *lazy.Tensor) *lazy.Tensor { return lazy.Concatenate(-1, x, x.SumKeep(-1)) }

func list(ys ...*lazy.Tensor) []*lazy.Tensor { return ys }

// squares squares the moduli of all but one.
func squares(but int, ys ...*lazy.Tensor) []*lazy.Tensor {
	for i, y := range ys {
		if i != but {
			ys[i] = y.Abs().Square()
		}
	}
	return ys
}

// away is x with its diagonal away from 0.
func away(x *lazy.Tensor) *lazy.Tensor {
	return x.Add(lazy.Eye(x.Trace(), x.DType(), 3, 3).MulScalar(2))
}

// inOrder returns the parts of eigenvalues in an order, and the squares of the vectors' moduli.
func inOrder(values, vectors *lazy.Tensor) []*lazy.Tensor {
	order := values.Imag().MulScalar(2).Add(values.Real()).ArgSort(-1) // PyTorch's have none
	values = values.GatherAlong(order, -1)
	ys := list(values.Real(), values.Imag())
	if vectors != nil {
		ys = append(ys, vectors.GatherAlong(order.Unsqueeze(-2).BroadcastTo(vectors.Shape()...), -1).Abs().Square())
	}
	return ys
}

var goldenCalls = map[string]func(x []*lazy.Tensor) []*lazy.Tensor{
	"Cholesky":       func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.Cholesky(definite(x[0]), false)) },
	"Cholesky/upper": func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.Cholesky(definite(x[0]), true)) },
	"CholeskySolve": func(x []*lazy.Tensor) []*lazy.Tensor {
		return list(linalg.CholeskySolve(linalg.Cholesky(definite(x[0]), false), x[1], false))
	},
	"CholeskySolve/upper": func(x []*lazy.Tensor) []*lazy.Tensor {
		return list(linalg.CholeskySolve(linalg.Cholesky(definite(x[0]), true), x[1], true))
	},
	"CholeskyInverse": func(x []*lazy.Tensor) []*lazy.Tensor {
		return list(linalg.CholeskyInverse(linalg.Cholesky(definite(x[0]), false), false))
	},
	"LUFactor": func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.LUFactor(x[0])) },
	"LU":       func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.LU(x[0])) },
	"LUSolve": func(x []*lazy.Tensor) []*lazy.Tensor {
		lu, pivots := linalg.LUFactor(x[0])
		return list(linalg.LUSolve(lu, pivots, x[1]))
	},
	"QR":                 func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.QR(x[0], false)) },
	"QR/complete":        func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.QR(x[0], true)) },
	"Reflect":            func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.Reflect(x[0])) },
	"HouseholderProduct": func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.HouseholderProduct(x[0], x[1])) },
	"Eigh": func(x []*lazy.Tensor) []*lazy.Tensor {
		return squares(0, list(linalg.Eigh(x[0].Add(transposed(x[0].Conj())), false))...)
	},
	"Eigh/triangle": func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.EigvalsH(x[0], false)) },
	"EigvalsH": func(x []*lazy.Tensor) []*lazy.Tensor {
		return list(linalg.EigvalsH(x[0].Add(transposed(x[0].Conj())), true))
	},
	"Eig":     func(x []*lazy.Tensor) []*lazy.Tensor { return inOrder(linalg.Eig(x[0])) },
	"Eigvals": func(x []*lazy.Tensor) []*lazy.Tensor { return inOrder(linalg.Eigvals(x[0]), nil) },
	"SVD":     func(x []*lazy.Tensor) []*lazy.Tensor { return squares(1, list(linalg.SVD(x[0], false))...) },
	"SVDVals": func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.SVDVals(x[0])) },
	"SolveTriangular": func(x []*lazy.Tensor) []*lazy.Tensor {
		return list(linalg.SolveTriangular(away(x[0]), x[1], true, false, false))
	},
	"SolveTriangular/right": func(x []*lazy.Tensor) []*lazy.Tensor {
		return list(linalg.SolveTriangular(away(x[0]), x[1], false, true, true))
	},
	"Solve":           func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.Solve(x[0], x[1], false)) },
	"Solve/right":     func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.Solve(x[0], x[1], true)) },
	"Inv":             func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.Inv(x[0])) },
	"LstSq":           func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.LstSq(x[0], x[1])) },
	"PInv":            func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.PInv(x[0], -1)) },
	"PInv/singular":   func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.PInv(singular(x[0]), -1)) },
	"Det":             func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.Det(x[0])) },
	"Det/singular":    func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.Det(singular(x[0]))) },
	"SlogDet":         func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.SlogDet(x[0])) },
	"LogDet":          func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.LogDet(definite(x[0]))) },
	"LogDet/general":  func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.LogDet(x[0])) },
	"MatrixRank":      func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.MatrixRank(singular(x[0]), -1)) },
	"MatrixPower/3":   func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.MatrixPower(x[0], 3)) },
	"MatrixPower/-2":  func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.MatrixPower(x[0], -2)) },
	"MatrixPower/0":   func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.MatrixPower(x[0], 0)) },
	"MatrixExp":       func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.MatrixExp(x[0])) },
	"MatrixExp/large": func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.MatrixExp(x[0].MulScalar(4))) },
	"MatrixNorm/1":    func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.MatrixNorm(x[0], 1)) },
	"MatrixNorm/-1":   func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.MatrixNorm(x[0], -1)) },
	"MatrixNorm/2":    func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.MatrixNorm(x[0], 2)) },
	"MatrixNorm/-2":   func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.MatrixNorm(x[0], -2)) },
	"MatrixNorm/inf":  func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.MatrixNorm(x[0], math.Inf(1))) },
	"MatrixNorm/-inf": func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.MatrixNorm(x[0], math.Inf(-1))) },
	"FrobeniusNorm":   func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.FrobeniusNorm(x[0])) },
	"NuclearNorm":     func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.NuclearNorm(x[0])) },
	"VectorNorm":      func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.VectorNorm(x[0], 3, 1)) },
	"Cond/2":          func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.Cond(x[0], 2)) },
	"Cond/-2":         func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.Cond(x[0], -2)) },
	"Cond/1":          func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.Cond(x[0], 1)) },
	"MultiDot":        func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.MultiDot(x...)) },
	"AddMM":           func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.AddMM(x[0], x[1], x[2], 0.5, 2)) },
	"Cross":           func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.Cross(x[0], x[1], -1)) },
	"VecDot":          func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.VecDot(x[0], x[1], -1)) },
	"Trace":           func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.Trace(x[0])) },
	"Vander/scalar":   func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.Vander(x[0], 4)) },
	"Vander":          func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.Vander(x[0], 4)) },
	"TensorInv":       func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.TensorInv(x[0], 2)) },
	"TensorSolve":     func(x []*lazy.Tensor) []*lazy.Tensor { return list(linalg.TensorSolve(x[0], x[1])) },
}

// callOf returns the function of a case. The parts of complex numbers are in a last dimension.
func callOf(t *testing.T, g *golden) func(x []*lazy.Tensor) []*lazy.Tensor {
	name, isComplex := strings.CutPrefix(g.name, "complex/")
	call := goldenCalls[name]
	if call == nil {
		call = goldenCalls[strings.Split(name, "/")[0]]
	}
	require.NotNil(t, call, g.name)
	if !isComplex {
		return call
	}
	return func(x []*lazy.Tensor) []*lazy.Tensor {
		zs := make([]*lazy.Tensor, len(x))
		for i, x := range x {
			zs[i] = x.ViewAsComplex()
		}
		ys := call(zs)
		for i, y := range ys {
			if y.DType().IsComplex() {
				ys[i] = y.ViewAsReal()
			}
		}
		return ys
	}
}

// compiledComplex are the cases of complex numbers that are compiled, too.
var compiledComplex = []string{"complex/Cholesky", "complex/CholeskySolve/upper", "complex/LUFactor", "complex/QR", "complex/Solve", "complex/SlogDet", "complex/Eigh", "complex/Eig", "complex/SVD"}

// What PyTorch computes, and its gradients, on the evaluator and compiled.
func TestGoldens(t *testing.T) {
	all := goldens(t)
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		for _, g := range all {
			if backend == "cpu" && strings.HasPrefix(g.name, "complex/") && !slices.Contains(compiledComplex, g.name) {
				continue // made of the same
			}
			t.Run(backend+g.name, func(t *testing.T) {
				call := callOf(t, g)
				var xs []*lazy.Tensor
				for k, dims := range g.inputs {
					xs = append(xs, fill(tr, dims, k))
				}
				ys := call(xs)
				require.Len(t, ys, len(g.results), g.name)
				var loss *lazy.Tensor
				for i, y := range ys {
					require.NoError(t, y.Err(), g.name)
					require.Equal(t, g.results[i].shape, fmt.Sprint(y.Shape()), g.name)
					if y.DType().IsFloat() {
						part := y.Mul(fill(tr, y.Shape(), 9+i)).Sum()
						if loss == nil {
							loss = part
						} else {
							loss = loss.Add(part)
						}
					}
				}
				roots := ys
				if len(g.grads) > 0 {
					roots = append(roots, lazy.Grad(loss, xs...)...)
				}
				require.NoError(t, tr.MarkStep(roots...), g.name)
				for i, y := range ys {
					near(t, g.results[i].values, values(t, y), backend, g.name, i)
				}
				for k, want := range g.grads {
					near(t, want.values, values(t, roots[len(ys)+k]), backend, g.name, "gradient", k)
				}
			})
		}
	}
}

func near(t *testing.T, want, got []float64, message ...any) {
	t.Helper()
	require.Len(t, got, len(want), message...)
	for i, w := range want {
		if math.IsNaN(w) && math.IsNaN(got[i]) || w == got[i] {
			continue
		}
		require.InDelta(t, w, got[i], 1e-9*max(1, math.Abs(w)), fmt.Sprint(message...))
	}
}

// Each row of the package has a case, by itself or in what is made of it.
func TestGoldensAreComplete(t *testing.T) {
	within := map[string]string{"SolveFactored": "Solve", "DetFactored": "Det", "SlogDetFactored": "SlogDet", "MatrixNormOf": "MatrixNorm/1", "CondOf": "Cond/2", "MatrixPower": "MatrixPower/3"}
	for _, o := range ops.PackageRows("linalg") {
		name := o.Name
		if o.Operands[0].Is == ops.Float8 {
			continue // operands of the cases here are f64: TestScaledMM has its own goldens
		}
		if w := within[name]; w != "" {
			name = w
		}
		require.NotNil(t, goldenCalls[name], o.Name)
	}
	for _, name := range []string{"LUFactor", "Cross", "Inv"} {
		_, err := calls.Find("linalg." + name)
		require.NoError(t, err)
	}
}

// Gradients of second order agree with differences of those of first order.
func TestGradients(t *testing.T) {
	cpu, eval := trace(t, "cpu"), trace(t, "eval")
	for _, g := range goldens(t) {
		tr := cpu
		if strings.HasPrefix(g.name, "complex/") {
			tr = eval // what is compiled is that of their parts
		}
		if len(g.grads) == 0 {
			continue
		}
		call := callOf(t, g)
		var xs []*lazy.Tensor
		for k, dims := range g.inputs {
			xs = append(xs, fill(tr, dims, k))
		}
		weighted := func(xs []*lazy.Tensor) *lazy.Tensor {
			var sum *lazy.Tensor
			for i, y := range call(xs) {
				if !y.DType().IsFloat() {
					continue
				}
				if part := y.Mul(fill(tr, y.Shape(), 9+i)).Sum(); sum == nil {
					sum = part
				} else {
					sum = sum.Add(part)
				}
			}
			return sum
		}
		if name, _, _ := strings.Cut(strings.TrimPrefix(g.name, "complex/"), "/"); name == "Solve" || name == "Inv" || name == "Det" || name == "SlogDet" || name == "Cholesky" || name == "QR" || name == "EigvalsH" {
			require.NoError(t, lazy.GradCheck(func(xs []*lazy.Tensor) *lazy.Tensor { return lazy.Grad(weighted(xs), xs...)[0] }, xs...), "second order of %s", g.name)
		}
	}
}
