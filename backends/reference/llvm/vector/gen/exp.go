package main

import (
	"fmt"
	"math"
	"math/big"

	"ltc/internal/bigfloat"
)

func exponentials(w *writer) {
	one := map[int]float64{0: 1, 1: 1}
	half := math.Ln2 / 2 * 1.0001
	w.list("exp32", "e^r = 1 + r + r²·(…), |r| ≤ ln 2/2", fit{bigfloat.Exp, -half, half, count(2, 1, 5), one, true})
	w.list("exp64", "e^r = 1 + r + r²·(…), |r| ≤ ln 2/2", fit{bigfloat.Exp, -half, half, count(2, 1, 11), one, false})
	w.list("expNear32", "e^r = 1 + r + r²·(…), |r| ≤ ln 2/32", fit{bigfloat.Exp, -half / 16, half / 16, count(2, 1, 2), one, true})

	fmt.Fprintf(w, "\n// sixteenths32 has 2^(i/16).\nvar sixteenths32 = []float64{")
	for i := range 16 {
		x := new(big.Float).SetPrec(bits).Mul(bigfloat.Ln2(bits), num(float64(i)/16))
		f, _ := bigfloat.Exp(x).Float32()
		fmt.Fprintf(w, "%s, ", hex(float64(f)))
	}
	fmt.Fprintln(w, "}")
}

// count returns n numbers from first on, step apart.
func count(first, step, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = first + i*step
	}
	return all
}
