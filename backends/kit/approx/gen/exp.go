package main

import (
	"math"
	"math/big"

	"ltc/internal/bigfloat"
)

func exponentials(w *writer) {
	w.constants("Ln2High", "Ln2Low", bigfloat.Ln2(bits), 16, 32)
	one := map[int]float64{0: 1, 1: 1}
	half := math.Ln2 / 2 * 1.0001
	w.list("Exp32", "e^r = 1 + r + r²·(…), |r| ≤ ln 2/2", fit{bigfloat.Exp, -half, half, count(2, 1, 5), one, true, nil})
	w.list("Exp64", "e^r = 1 + r + r²·(…), |r| ≤ ln 2/2", fit{bigfloat.Exp, -half, half, count(2, 1, 11), one, false, nil})
	w.list("ExpNear32", "e^r = 1 + r + r²·(…), |r| ≤ ln 2/32", fit{bigfloat.Exp, -half / 16, half / 16, count(2, 1, 2), one, true, nil})

	power := func(x *big.Float) *big.Float {
		return bigfloat.Exp(new(big.Float).SetPrec(bits).Mul(x, bigfloat.Ln2(bits)))
	}
	w.list("Exp2BF16", "2^r = 1 + r·(…), |r| ≤ 1/2, for results of 8 bits", fit{power, -0.5, 0.5, count(1, 1, 4), map[int]float64{0: 1}, true, nil})
	w.list("Exp2F16", "2^r = 1 + r·(…), |r| ≤ 1/2, for results of 11 bits", fit{power, -0.5, 0.5, count(1, 1, 5), map[int]float64{0: 1}, true, nil})

	var rows [2][]float64
	for i := range 16 {
		x := new(big.Float).SetPrec(bits).Mul(bigfloat.Ln2(bits), num(float64(i)/16))
		y := bigfloat.Exp(x)
		f, _ := y.Float32()
		rest, _ := y.Sub(y, num(float64(f))).Float32()
		rows[0], rows[1] = append(rows[0], float64(f)), append(rows[1], float64(rest))
	}
	w.table("Sixteenths32", "2^(i/16), and what rounding took from it", rows[:])
}

// count returns n numbers from first on, step apart.
func count(first, step, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = first + i*step
	}
	return all
}
