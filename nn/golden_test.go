package nn_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// golden is a case of testdata/torch.txt: what PyTorch gives for inputs of some formulas.
type golden struct {
	name    string
	inputs  []string // kind and dimensions: f 2,3
	results [][]float64
	shapes  []string
	grads   map[int][]float64
}

// goldens reads testdata/torch.txt, which testdata/golden.py writes.
func goldens(t *testing.T) (all []*golden) {
	f, err := os.Open("testdata/torch.txt")
	require.NoError(t, err)
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "  ["):
			g := all[len(all)-1]
			shape, list, _ := strings.Cut(line[3:], "]")
			g.shapes, g.results = append(g.shapes, "["+shape+"]"), append(g.results, numbers(t, list))
		case strings.HasPrefix(line, "  d"):
			i, err := strconv.Atoi(strings.Fields(line)[0][1:])
			require.NoError(t, err)
			all[len(all)-1].grads[i] = numbers(t, line[4:])
		default:
			name, inputs, ok := strings.Cut(line, ": ")
			require.True(t, ok, line)
			all = append(all, &golden{name: name, inputs: strings.Split(inputs, "; "), grads: map[int][]float64{}})
		}
	}
	return all
}

func numbers(t *testing.T, list string) []float64 {
	vs := []float64{}
	for _, w := range strings.Fields(list) {
		v, err := strconv.ParseFloat(w, 64)
		require.NoError(t, err)
		vs = append(vs, v)
	}
	return vs
}

var ends = []float64{math.Inf(-1), -1000, -6, -3, -1, -0.5, math.Copysign(0, -1), 0, 0.5, 1, 3, 6, 1000, math.Inf(1), math.NaN()}

// fill returns input k, as the function of that name in testdata/golden.py does. Floats are moved
// away from kinks by shift.
func fill(tr *lazy.Trace, input string, k int, shift float64) *lazy.Tensor {
	kind, list, _ := strings.Cut(input, " ")
	dims, n := []int{}, 1
	for _, w := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		d, _ := strconv.Atoi(w)
		dims, n = append(dims, d), n*d
	}
	if kind == "e" {
		return lazy.From(tr, ends)
	}
	floats, ints, bools := make([]float64, n), make([]int64, n), make([]bool, n)
	for i := range n {
		at := (i*7 + 3*k + 5) % 23
		switch kind[0] {
		case 'f':
			floats[i] = float64(at-11)/4 + shift
		case 'u':
			floats[i] = float64(at+1)/25 + shift
		case 'p':
			floats[i] = float64(at+1)/10 + shift
		case 's':
			floats[i] = float64(at%2*2 - 1)
		case 'w':
			floats[i] = float64((i*5+2)%17-6) / 8
		case 'l':
			m, _ := strconv.Atoi(kind[1:])
			ints[i] = int64((i*7 + i/3 + k) % m)
		case 'b':
			bools[i] = at%3 > 0
		}
	}
	switch kind[0] {
	case 'l':
		return shaped(tr, ints, dims)
	case 'b':
		return shaped(tr, bools, dims)
	}
	return shaped(tr, floats, dims)
}

func shaped[T int64 | bool | float64](tr *lazy.Trace, vs []T, dims []int) *lazy.Tensor {
	return lazy.From(tr, vs, len(vs)).Reshape(dims...).Clone()
}

// weighted returns the sum of the results that are floating point times weights.
func weighted(tr *lazy.Trace, ys []*lazy.Tensor) (sum *lazy.Tensor) {
	for _, y := range ys {
		if !y.DType().IsFloat() {
			continue
		}
		list := strings.ReplaceAll(strings.Trim(fmt.Sprint(y.Shape()), "[]"), " ", "")
		s := y.Mul(fill(tr, "w "+list, 0, 0)).Sum()
		if sum == nil {
			sum = s
		} else {
			sum = sum.Add(s)
		}
	}
	return sum
}

// The functions compute what PyTorch computes, and have its gradients.
func TestGoldens(t *testing.T) {
	seen := map[string]bool{}
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		for _, g := range goldens(t) {
			seen[g.name] = true
			f := functions[g.name]
			require.NotNil(t, f, "functions has no %s", g.name)
			var xs, of []*lazy.Tensor
			var at []int
			for k, in := range g.inputs {
				x := fill(tr, in, k, 0)
				xs = append(xs, x)
				if g.grads[k] != nil {
					of, at = append(of, x), append(at, k)
				}
			}
			ys := f(xs)
			roots := ys
			if len(of) > 0 {
				roots = append(roots, lazy.Grad(weighted(tr, ys), of...)...)
			}
			require.NoError(t, tr.MarkStep(roots...), g.name)
			require.Len(t, ys, len(g.results), g.name)
			for i, y := range ys {
				require.Equal(t, g.shapes[i], strings.ReplaceAll(fmt.Sprint(y.Shape()), " ", ""), g.name)
				near(t, g.results[i], values(t, y), "%s, result %d on %s", g.name, i, backend)
			}
			for i, k := range at {
				near(t, g.grads[k], values(t, roots[len(ys)+i]), "%s, gradient %d on %s", g.name, k, backend)
			}
		}
	}
	for name := range functions {
		require.True(t, seen[name], "testdata/torch.txt has no %s", name)
	}
}

// near asserts that numbers are equal but for rounding; NaN equals NaN.
func near(t *testing.T, want, got []float64, format string, args ...any) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf(format+": %d elements, want %d", append(args, len(got), len(want))...)
		return
	}
	for i, w := range want {
		if v := got[i]; w != v && !(math.Abs(w-v) <= 1e-10*max(1, math.Abs(w))) && !(math.IsNaN(w) && math.IsNaN(v)) {
			t.Errorf(format+": element %d is %v, want %v", append(args, i, v, w)...)
		}
	}
}

// Gradients agree with differences along one direction, away from kinks.
func TestGradientsAgainstDifferences(t *testing.T) {
	tr := trace(t, "cpu")
	for _, g := range goldens(t) {
		if len(g.grads) == 0 || strings.HasPrefix(g.inputs[0], "e") || g.name == "GaussianNLLLoss" || g.name == "CosineSimilarity" || g.name == "MaxUnpool/overlap" || g.name == "FakeQuantize" {
			// Ends have no differences; variances and norms are clamped for the value alone, and places count for
			// each window, as in PyTorch. The gradient of FakeQuantize is that of no rounding.
			continue
		}
		const shift, step = 0.0123, 1e-5
		loss := func(shift float64) (*lazy.Tensor, []*lazy.Tensor) {
			var xs, of []*lazy.Tensor
			for k, in := range g.inputs {
				x := fill(tr, in, k, shift)
				xs = append(xs, x)
				if g.grads[k] != nil && in[0] != 'w' {
					of = append(of, x)
				}
			}
			ys := functions[g.name](xs)
			if strings.HasPrefix(g.name, "BatchNormTraining") {
				ys = ys[:1] // others have no gradients
			}
			return weighted(tr, ys), of
		}
		y, of := loss(shift)
		total := number0(tr)
		for _, d := range lazy.Grad(y, of...) {
			total = total.Add(d.Sum())
		}
		above, _ := loss(shift + step)
		below, _ := loss(shift - step)
		slope := above.Sub(below).DivScalar(2 * step)
		require.NoError(t, tr.MarkStep(total, slope), g.name)
		require.InDelta(t, slope.Float(), total.Float(), 2e-6*max(1, math.Abs(slope.Float())), g.name)
	}
}

func number0(tr *lazy.Trace) *lazy.Tensor { return lazy.Const(tr, lazy.F64, 0) }
