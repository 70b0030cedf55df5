package lazy_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
)

// einsum computes an equation with a letter for each axis by its definition.
func einsum(equation string, sizes map[rune]int, xs ...[]float64) []float64 {
	left, right, _ := strings.Cut(equation, "->")
	lists := strings.Split(left, ",")
	letters := []rune(right)
	for _, r := range strings.ReplaceAll(left, ",", "") {
		if !strings.ContainsRune(string(letters), r) {
			letters = append(letters, r)
		}
	}
	at := map[rune]int{}
	place := func(list string) int {
		n := 0
		for _, r := range list {
			n = n*sizes[r] + at[r]
		}
		return n
	}
	count := 1
	for _, r := range right {
		count *= sizes[r]
	}
	out := make([]float64, count)
	var run func(i int)
	run = func(i int) {
		if i < len(letters) {
			for k := range sizes[letters[i]] {
				at[letters[i]] = k
				run(i + 1)
			}
			return
		}
		v := 1.0
		for j, list := range lists {
			v *= xs[j][place(list)]
		}
		out[place(right)] += v
	}
	run(0)
	return out
}

func TestEinsum(t *testing.T) {
	trials.Sequential(t)
	sizes := map[rune]int{'i': 2, 'j': 3, 'k': 4, 'l': 2, 'b': 2, 'h': 3}
	onBoth(t, func(t *testing.T, _ *lazy.Device, tr *lazy.Trace) {
		for equation, given := range map[string]string{
			"ij,jk->ik": "", "ij,jk->ki": "", "bij,bjk->bik": "", "bhik,bhjk->bhij": "", "i,j->ij": "", "ij->ji": "", "ij->": "", "ij->j": "", "ii->i": "", "iji->j": "",
			"i,i->": "", "ij,ij->ij": "", "ij,j,jk->ik": "", "ij,kl->jk": "", "bii,bij->b": "", "ij,jk,kb->bi": "ij,jk,kb", "ji->ij": "ji", "bij,jk->bik": "...ij,jk->...ik",
		} {
			if given == "" {
				given = equation
			}
			left, right, _ := strings.Cut(equation, "->")
			var xs []*lazy.Tensor
			var data [][]float64
			for i, list := range strings.Split(left, ",") {
				var dims []int
				n := 1
				for _, r := range list {
					dims = append(dims, sizes[r])
					n *= sizes[r]
				}
				all := make([]float64, n)
				for k := range all {
					all[k] = float64((k*7+i*5)%11) - 4
				}
				xs, data = append(xs, lazy.From(tr, all, dims...)), append(data, all)
			}
			y := lazy.Einsum(given, xs...)
			require.NoError(t, y.Err(), equation)
			require.Equal(t, len(right), y.Rank(), equation)
			for a, r := range right {
				require.Equal(t, sizes[r], y.Dim(a), equation)
			}
			got, err := lazy.ToSlice[float64](y)
			require.NoError(t, err)
			require.Equal(t, einsum(equation, sizes, data...), got, equation)
		}
		// A dimension of 1 broadcasts, and numbers may be integers or complex.
		x, y := lazy.From(tr, []int32{1, 2, 3}, 1, 3), lazy.From(tr, []int32{1, 2, 3, 4, 5, 6}, 2, 3)
		got, err := lazy.ToSlice[int32](lazy.Einsum("ij,ij->i", x, y))
		require.NoError(t, err)
		require.Equal(t, []int32{14, 32}, got)
		// The sum of a single operand is PyTorch's: i64. A product keeps the dtype.
		sum := lazy.Einsum("ij->i", y)
		require.Equal(t, lazy.I64, sum.DType())
		long, err := lazy.ToSlice[int64](sum)
		require.NoError(t, err)
		require.Equal(t, []int64{6, 15}, long)
		require.Equal(t, lazy.I32, lazy.Einsum("ij->ji", y).DType())
		require.Equal(t, lazy.I64, lazy.Einsum("ij,k->ik", y, y.Select(0, 0)).DType())
		long, err = lazy.ToSlice[int64](lazy.Einsum("ij,k->ik", y, y.Select(0, 0)).Reshape(-1))
		require.NoError(t, err)
		require.Equal(t, []int64{6, 12, 18, 15, 30, 45}, long)
		z := lazy.From(tr, []complex128{1 + 1i, 2})
		require.Equal(t, []complex128{4 + 2i}, complexes(t, lazy.Einsum("i,i->", z, z).Reshape(1)))
	})
}

func TestEinsumGradient(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x, y := lazy.From(tr, []float64{1, -2, 3, 4, 0.5, 6}, 2, 3), lazy.From(tr, []float64{2, 1, -1, 0.5, 3, 2}, 3, 2)
	require.NoError(t, lazy.GradCheck(func(xs []*lazy.Tensor) *lazy.Tensor { return lazy.Einsum("ij,jk,ij->ki", xs[0], xs[1], xs[0]) }, x, y))
}

func TestEinsumMistakes(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.Zeros(tr, lazy.F32, 2, 3)
	for want, y := range map[string]*lazy.Tensor{
		`einsum(f32[2,3]): the equation "ij,jk->ik": it has letters for 2 operands, and there are 1`:                                                                                   lazy.Einsum("ij,jk->ik", x),
		`einsum(f32[2,3]): the equation "ijk->i": it has 3 letters for operand 0, which is f32[2,3]`:                                                                                   lazy.Einsum("ijk->i", x),
		`einsum(f32[2,3]): the equation "ii->i": 'i' is axis 0 of operand 0, of size 2, and axis 1 of operand 0, of size 3: give them one size, or letters of their own`:               lazy.Einsum("ii->i", x),
		`einsum(f32[2,3], f32[3,2]): the equation "ij,ij->i": 'i' is axis 0 of operand 0, of size 2, and axis 0 of operand 1, of size 3: give them one size, or letters of their own`:  lazy.Einsum("ij,ij->i", x, x.Transpose(1, 0)),
		`einsum(f32[2,3]): the equation "ij->ik": the result has the letter 'k', and no operand has it`:                                                                                lazy.Einsum("ij->ik", x),
		`einsum(f32[2,3]): the equation "ij->ii": the result has the letter 'i' twice`:                                                                                                 lazy.Einsum("ij->ii", x),
		`einsum(f32[2,3], f32[3,2]): the equation "...,...": "..." is axis 0 of operand 0, of size 2, and axis 0 of operand 1, of size 3: give them one size, or letters of their own`: lazy.Einsum("...,...", x, x.Transpose(1, 0)),
		`einsum(f32[2,3]): the equation "i-j": '-' is no letter, comma, -> or ...`:                                                                                                     lazy.Einsum("i-j", x),
		`einsum(f32[2,3]): the equation "i..->i": '.' is no letter, comma, -> or ...`:                                                                                                  lazy.Einsum("i..->i", x),
		`einsum(f32[2,3]): the equation "é->é": 'é' is no letter, comma, -> or ...`:                                                                                                    lazy.Einsum("é->é", x),
		`einsum(f32[2,3]): the equation "i1->i": '1' is no letter, comma, -> or ...`:                                                                                                   lazy.Einsum("i1->i", x),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "einsum_test.go:")
	}
}

// The numbers are PyTorch's.
func TestUniqueAlong(t *testing.T) {
	trials.Sequential(t)
	onBoth(t, func(t *testing.T, _ *lazy.Device, tr *lazy.Trace) {
		x := lazy.From(tr, []float64{3, 1, 2, 3, 1, 2, 0, 9, 3, 1, 2, 3, 1, 5, 2, 9}, 4, 4)
		check := func(axis int, values []float64, inverse, counts []int64) {
			v, i, c := x.UniqueAlong(axis)
			require.NoError(t, tr.MarkStep(v, i, c))
			got, err := lazy.ToSlice[float64](v)
			require.NoError(t, err)
			require.Equal(t, values, got)
			places, err := lazy.ToSlice[int64](i)
			require.NoError(t, err)
			require.Equal(t, inverse, places)
			many, err := lazy.ToSlice[int64](c)
			require.NoError(t, err)
			require.Equal(t, counts, many)
		}
		check(0, []float64{1, 2, 0, 9, 1, 5, 2, 9, 3, 1, 2, 3}, []int64{2, 0, 2, 1}, []int64{1, 1, 2})
		check(-1, []float64{1, 2, 3, 3, 2, 0, 1, 9, 1, 2, 3, 3, 5, 2, 1, 9}, []int64{2, 0, 1, 3}, []int64{1, 1, 1, 1})
		nan := lazy.From(tr, []float64{math.NaN(), 1, math.NaN(), 1}, 2, 2)
		v, _, _ := nan.UniqueAlong(0)
		require.NoError(t, tr.MarkStep(v))
		require.Equal(t, 2, v.Dim(0))
	})
	tr := lazy.NewTrace(open(t, "eval"))
	y, _, _ := lazy.Zeros(tr, lazy.F32, 2, 3).UniqueAlong(2)
	require.ErrorContains(t, y.Err(), "unique_along(f32[2,3]): axis 2 is out of range: a tensor of shape [2,3] has axes 0 and 1")
}
