package dims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExpressionsAreCanonical(t *testing.T) {
	b, s, n := Symbol("batch", 1, 512), Symbol("seq", 1, 512), Symbol("n", 0, 1<<31)
	for want, same := range map[string][]int64{
		"batch":                         {b, Add(b, 0), Mul(1, b), Div(Mul(b, s), s), Div(Mul(4, b), 4), Max(b, 1), Min(b, 512)},
		"batch*seq":                     {Mul(b, s), Mul(s, b), Div(Product(b, s, 12), 12)},
		"batch*seq + 2*batch + seq + 2": {Mul(Add(b, 1), Add(s, 2))},
		"batch + 1":                     {Add(1, b), Div(Mul(Add(b, 1), Add(b, 1)), Add(b, 1))},
		"floor(n / 2)":                  {Div(n, 2), Sub(Div(Add(n, 4), 2), 2), Div(Mul(n, 3), 6), Div(Mul(n, b), Mul(2, b))},
		"floor((n + 1) / 2)":            {CeilDiv(n, 2)},
		"n - 2*floor(n / 2)":            {Mod(n, 2), Mod(Add(n, 2), 2)},
		"max(0, n - 3)":                 {Max(Sub(n, 3), 0), Max(0, Sub(n, 3))},
		"min(batch, seq)":               {Min(b, s), Min(s, b)},
		"0":                             {Sub(b, b), Mod(Mul(b, 4), 4), Mod(Mul(b, s), s), Div(Sub(b, 1), 512)},
		"too large":                     {Mul[int64](1<<40, 1<<40), Add[int64](math.MaxInt64, 1), Sub[int64](-Largest, 1), Add(n, tooLarge), Div(n, 0), Div[int64](1, 0)},
	} {
		for i, d := range same {
			require.Equal(t, want, String(d), "%d", i)
			require.Equal(t, same[0], d)
		}
	}
}

func TestBoundsOfExpressions(t *testing.T) {
	b, s := Symbol("batch", 1, 512), Symbol("seq", 2, 100)
	for _, c := range []struct{ d, lo, hi int64 }{
		{7, 7, 7},
		{b, 1, 512},
		{Mul(b, s), 2, 51200},
		{Sub(b, s), -99, 510},
		{Div(Mul(b, 3), 7), 0, 219},
		{Mod(b, 4), 0, 3},
		{Sub(b, Div(b, 3)), 1, 342},
		{Sub(Div(b, 3), Div(b, 2)), -86, 0},
		{Sub(Mul(b, s), Div(b, 3)), -168, 51200},
		{Max(Sub(b, 5), 0), 0, 507},
		{Min(b, s), 1, 100},
		{tooLarge, -Largest, Largest},
	} {
		lo, hi := Bounds(c.d)
		require.Equal(t, [2]int64{c.lo, c.hi}, [2]int64{lo, hi}, String(c.d))
	}
	require.True(t, AtMost(b, Add(b, 1)))
	require.True(t, Less(b, Add(b, s)))
	require.True(t, Differ(Mul(b, 2), Add(b, Add(b, 1))))
	require.Equal(t, Sub(b, Div(b, 3)), Max(Sub(b, Div(b, 3)), 0))
	require.False(t, AtMost(b, s) || AtMost(s, b))
	require.True(t, Divides(Mul(b, 12), 4))
	require.False(t, Divides(b, 4))
	require.Equal(t, int64(256*100), Typical(Mul(b, s)))
}

// What + and * make of names is no size, and every use of it says so.
func TestNamesAreNoNumbers(t *testing.T) {
	a, b := Symbol("a", 0, 9), Symbol("b", 0, 9)
	for _, d := range []int64{a + 1, a * 2, a + b, a / 2, a % 7 * Largest, -a, 3 * (a - b)} {
		if IsExpr(d) {
			require.Error(t, Check(d))
		}
	}
	require.ErrorContains(t, Check(Add(a+1, 2)), "too large")
	require.Empty(t, Symbols(a+1))
	require.NoError(t, Check(a))
	require.NoError(t, Check(12))
	require.ErrorIs(t, Check(Mul[int64](Largest, Largest)), ErrTooLarge)
	require.Equal(t, int64(math.MaxInt64), Add[int64](math.MaxInt64, 0))
	require.False(t, Static([]int64{3, a}))
	require.Equal(t, []int64{b, a}, Symbols(Mul(b, 2), Add(a, b), 7))
	name, lo, hi, ok := SymbolOf(a)
	require.Equal(t, fmt.Sprint("a", int64(0), int64(9), true), fmt.Sprint(name, lo, hi, ok))
	_, _, _, ok = SymbolOf(Add(a, 1))
	require.False(t, ok)
	for i := range 300 {
		n := Symbol(fmt.Sprint("square", i), 0, 9)
		require.Error(t, Check(n*n), "%d of %d", n*n, i)
	}
}

func TestEvaluator(t *testing.T) {
	b, s := Symbol("batch", 1, 512), Symbol("seq", 1, 512)
	ds := []int64{7, b, Mul(b, s), CeilDiv(Mul(b, s), 64), Div(s, b), Max(Sub(b, s), 0), Mod(b, 4)}
	e, err := NewEvaluator([]int64{s, b}, ds)
	require.NoError(t, err)
	r := e.Registers()
	require.NoError(t, e.Eval(r, []int64{100, 10}))
	var got []int64
	for i := range ds {
		got = append(got, e.Of(r, i))
	}
	require.Equal(t, []int64{7, 10, 1000, 16, 10, 0, 2}, got)
	require.EqualError(t, e.Eval(r, []int64{100, 513}), "batch is 513: it can be 1 to 512")
	require.Zero(t, testing.AllocsPerRun(10, func() { _ = e.Eval(r, []int64{100, 10}) }))

	n, m := Symbol("n", 0, 1<<50), Symbol("m", 0, 1<<50)
	e, err = NewEvaluator([]int64{n, m}, []int64{Mul(n, m), Div(n, m)})
	require.NoError(t, err)
	require.ErrorIs(t, e.Eval(e.Registers(), []int64{1 << 40, 1 << 40}), ErrTooLarge)
	require.EqualError(t, e.Eval(e.Registers(), []int64{1, 0}), "floor(n / m): the divisor is 0")
	_, err = NewEvaluator([]int64{n}, []int64{m})
	require.EqualError(t, err, "dims: the symbol m has no value: it is none of the list")
	_, err = NewEvaluator(nil, []int64{tooLarge})
	require.ErrorIs(t, err, ErrTooLarge)
}

// random returns a random expression over symbols, and what it is for their values.
func random(r *rand.Rand, symbols, values []int64, depth int) (d, value int64) {
	if depth == 0 || r.IntN(6) == 0 {
		if i := r.IntN(len(symbols) + 2); i < len(symbols) {
			return symbols[i], values[i]
		}
		n := int64(r.IntN(6))
		return n, n
	}
	a, x := random(r, symbols, values, depth-1)
	b, y := random(r, symbols, values, depth-1)
	switch r.IntN(8) {
	case 0, 1:
		return Add(a, b), x + y
	case 2:
		return Sub(a, b), x - y
	case 3, 4:
		return Mul(a, b), x * y
	case 5:
		b, y = Max(b, 1), max(y, 1)
		return Div(a, b), floorDiv(x, y)
	case 6:
		return Min(a, b), min(x, y)
	}
	return Max(a, b), max(x, y)
}

func FuzzExpressions(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		symbols := []int64{Symbol("x", 1, 40), Symbol("y", 0, 9), Symbol("z", 2, 1000)}
		values := []int64{1 + r.Int64N(40), r.Int64N(10), 2 + r.Int64N(999)}
		var ds, want []int64
		for range 8 {
			d, value := random(r, symbols, values, 4)
			if d == tooLarge {
				continue
			}
			lo, hi := Bounds(d)
			if value < lo || value > hi {
				t.Errorf("%s is %d for %v, outside %d to %d", String(d), value, values, lo, hi)
			}
			ds, want = append(ds, d), append(want, value)
		}
		e, err := NewEvaluator(symbols, ds)
		require.NoError(t, err)
		regs := e.Registers()
		require.NoError(t, e.Eval(regs, values))
		for i := range ds {
			require.Equal(t, want[i], e.Of(regs, i), "%s for %v", String(ds[i]), values)
		}
		for i := range ds {
			for k := range ds {
				if AtMost(ds[i], ds[k]) && want[i] > want[k] {
					t.Errorf("%s is not at most %s for %v", String(ds[i]), String(ds[k]), values)
				}
			}
		}
	})
}

func BenchmarkEval(b *testing.B) {
	x, y := Symbol("batch", 1, 512), Symbol("seq", 1, 512)
	var ds []int64
	for i := range int64(100) {
		ds = append(ds, Product(x, y, 12), Mul(x, i), Mul(y, 64), CeilDiv(Mul(x, y), 64), Add(y, i%8))
	}
	e, err := NewEvaluator([]int64{x, y}, ds)
	require.NoError(b, err)
	r := e.Registers()
	for b.Loop() {
		_ = e.Eval(r, []int64{8, 128})
	}
}

func TestSubstitute(t *testing.T) {
	b, s := Symbol("batch", 1, 512), Symbol("seq", 1, 512)
	require.Equal(t, "floor(seq / 2) + max(2*seq, 8)", String(Substitute(Add(Max(Mul(2, b), 8), Div(b, 2)), b, s)))
	require.Equal(t, int64(18), Substitute(Add(Max(Mul(2, b), 8), Div(b, 4)), b, 8))
	require.Equal(t, s, Substitute(s, b, 8))
}

func TestFold(t *testing.T) {
	b, s := Symbol("batch", 1, 512), Symbol("seq", 1, 512)
	d := Add(Sub(Product(b, s, 3), Max(CeilDiv(s, 4), b)), 7)
	names := [...]string{"+", "*", "/", "min", "max"}
	text := Fold(d, String[int64], func(op Op, x, y string) string { return "(" + x + " " + names[op] + " " + y + ")" })
	require.Equal(t, "((((3 * batch) * seq) + (-1 * (batch max ((seq + 3) / 4)))) + 7)", text)
	require.Equal(t, "12", Fold(12, String[int64], nil))
}
