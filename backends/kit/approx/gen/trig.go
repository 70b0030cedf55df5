package main

import (
	"fmt"
	"math/big"

	"ltc/internal/bigfloat"
)

func trigonometry(w *writer) {
	sin := func(x *big.Float) *big.Float { s, _ := bigfloat.SinCos(x); return s }
	cos := func(x *big.Float) *big.Float { _, c := bigfloat.SinCos(x); return c }
	const quarter = 0.7855 // π/4 and some more
	first := map[int]float64{1: 1}
	start := map[int]float64{0: 1, 2: -0.5}
	w.list("Sine64", "sin r = r + r³·(…r²), |r| ≤ π/4", fit{sin, -quarter, quarter, count(3, 2, 6), first, false, nil})
	w.list("Cosine64", "cos r = 1 - r²/2 + r⁴·(…r²), |r| ≤ π/4", fit{cos, -quarter, quarter, count(4, 2, 6), start, false, nil})
	w.list("SineShort64", "sin r = r + r³·(…r²), |r| ≤ π/4, for results in f32", fit{sin, -quarter, quarter, count(3, 2, 4), first, false, nil})
	w.list("CosineShort64", "cos r = 1 - r²/2 + r⁴·(…r²), |r| ≤ π/4, for results in f32", fit{cos, -quarter, quarter, count(4, 2, 4), start, false, nil})

	w.list("Sine32", "sin r = r + r³·(…r²), |r| ≤ π/4", fit{sin, -quarter, quarter, count(3, 2, 3), first, true, nil})
	w.list("Cosine32", "cos r = 1 - r²/2 + r⁴·(…r²), |r| ≤ π/4", fit{cos, -quarter, quarter, count(4, 2, 3), start, true, nil})

	fmt.Fprintf(w, "\n// HalfPi32 adds up to π/2.\nvar HalfPi32 = []float64{")
	left := bigfloat.Pi(400)
	left.SetMantExp(left, -1)
	for range 3 {
		f, _ := left.Float32()
		fmt.Fprintf(w, "%s, ", hex(float64(f)))
		left.Sub(left, num(float64(f)))
	}
	w.WriteString("}\n")

	fmt.Fprintf(w, "\n// HalfPi64 adds up to π/2; products of the first three with integers below\n// 2^20 are exact.\nvar HalfPi64 = []float64{")
	rest := bigfloat.Pi(400)
	rest.SetMantExp(rest, -1)
	for i := range 4 {
		p := new(big.Float).SetPrec(33).SetMode(big.ToZero).Set(rest)
		if i == 3 {
			p.SetPrec(53).SetMode(big.ToNearestEven).Set(rest)
		}
		f, _ := p.Float64()
		fmt.Fprintf(w, "%s, ", hex(f))
		rest.Sub(rest, p)
	}
	w.WriteString("}\n")
	h, l := split(new(big.Float).SetMantExp(bigfloat.Pi(bits), -1))
	fmt.Fprintf(w, "\n// HalfPi + HalfPiRest is π/2.\nconst HalfPi, HalfPiRest = %s, %s\n", hex(h), hex(l))

	// 2/π to 1152 bits, as f64 has exponents up to 1023 and 64 bits more are to
	// be right, behind a word of zeros.
	const words = 20
	x := new(big.Float).SetPrec(64*words+128).Quo(num(2), bigfloat.Pi(64*words+128))
	x.SetMantExp(x, 64*(words-1))
	n, _ := x.Int(nil)
	fmt.Fprintf(w, "\n// TwoOverPi has 2/π in words of 64 bits, the first of which is before the point.\nvar TwoOverPi = []uint64{")
	mask := new(big.Int).SetUint64(1<<64 - 1)
	for i := range words {
		word := new(big.Int).Rsh(n, uint(64*(words-1-i)))
		if i%4 == 0 {
			w.WriteString("\n")
		}
		fmt.Fprintf(w, "%#016x, ", word.And(word, mask).Uint64())
	}
	w.WriteString("}\n")

	atan := bigfloat.Atan
	w.list("Atan64", "arctan u = u + u³·(…u²), |u| ≤ 1/15", fit{atan, -1.0 / 15, 1.0 / 15, count(3, 2, 6), first, false, nil})
	var rows [2][]float64
	for i := range 16 {
		high, low := split(atan(num(float64(min(i, 8)) / 8)))
		rows[0], rows[1] = append(rows[0], high), append(rows[1], low)
	}
	w.table("AtanEighths64", "arctan i/8 as sums, for i up to 8", rows[:])
}

// split returns x as a sum of two floats.
func split(x *big.Float) (high, low float64) {
	high, _ = x.Float64()
	low, _ = new(big.Float).SetPrec(bits).Sub(x, num(high)).Float64()
	return high, low
}
