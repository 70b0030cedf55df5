package main

import (
	"math"
	"math/big"

	"ltc/internal/bigfloat"
)

// logarithms: log m = 2·artanh s with s = (m-1)/(m+1), m from √½ to √2; and of
// f32, log m = log 1/c + log(1+r) with r = m·c-1, c from a table.
func logarithms(w *writer) {
	w.list("LogNear32", "log(1+r) = r + r²·(…), -1/31 ≤ r ≤ 1/16",
		fit{bigfloat.Log1p, -1.0 / 31, 1.0 / 16, count(2, 1, 4), map[int]float64{1: 1}, true, nil})
	inverses, logs := inverses32()
	w.table("Inverses32", "c, about 1/m, and log 1/c, by the 4 highest bits of the\n// fraction of m, from 3/4 to 3/2", [][]float64{inverses, logs})
	f := func(s *big.Float) *big.Float {
		q := new(big.Float).SetPrec(bits).Sub(num(1), s)
		q.Quo(new(big.Float).SetPrec(bits).Mul(num(2), s), q)
		return bigfloat.Log1p(q)
	}
	const s = 0.17158
	two := map[int]float64{1: 2}
	w.list("Artanh32", "2·artanh s = 2s + s³·(…s²), |s| ≤ 3-√8", fit{f, -s, s, count(3, 2, 3), two, true, nil})
	w.list("Artanh64", "2·artanh s = 2s + s³·(…s²), |s| ≤ 3-√8", fit{f, -s, s, count(3, 2, 7), two, false, nil})
}

// inverses32 returns, of the f32s around 1/m for the middle m of each interval,
// those whose logarithm is close to an f32 (Gal's method), so that rounding it
// costs nothing. Next to 1, c is 1.
func inverses32() (inverses, logs []float64) {
	for i := range 16 {
		m := 1 + (float64(i)+0.5)/16
		if i >= 8 {
			m /= 2
		}
		if i == 0 || i == 15 {
			inverses, logs = append(inverses, 1), append(logs, 0)
			continue
		}
		best, least := 0.0, math.Inf(1)
		c := float32(1 / m)
		for range 2000 {
			c = math.Nextafter32(c, 2)
			l := -math.Log(float64(c))
			f := float64(float32(l))
			if off := math.Abs(l-f) / math.Abs(l); off < least {
				best, least = float64(c), off
			}
		}
		l := bigfloat.Log(num(best))
		f, _ := l.Neg(l).Float32()
		inverses, logs = append(inverses, best), append(logs, float64(f))
	}
	return inverses, logs
}
