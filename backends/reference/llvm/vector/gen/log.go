package main

import (
	"math/big"

	"ltc/internal/bigfloat"
)

// logarithms: log m = 2·artanh s with s = (m-1)/(m+1), m from √½ to √2.
func logarithms(w *writer) {
	f := func(s *big.Float) *big.Float {
		q := new(big.Float).SetPrec(bits).Sub(num(1), s)
		q.Quo(new(big.Float).SetPrec(bits).Mul(num(2), s), q)
		return bigfloat.Log1p(q)
	}
	const s = 0.17158
	two := map[int]float64{1: 2}
	w.list("artanh32", "2·artanh s = 2s + s³·(…s²), |s| ≤ 3-√8", fit{f, -s, s, count(3, 2, 3), two, true})
	w.list("artanh64", "2·artanh s = 2s + s³·(…s²), |s| ≤ 3-√8", fit{f, -s, s, count(3, 2, 7), two, false})
}
