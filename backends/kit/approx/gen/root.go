package main

import (
	"fmt"
	"math"
	"math/big"

	"ltc/internal/bigfloat"
)

func roots(w *writer) {
	w.list("CubeRoot64", "∛m, m from 1 to 8", fit{bigfloat.Cbrt, 1, 8, count(0, 1, 6), nil, false, nil})
}

// powers has what logarithms of twice the precision need: log m = log 1/c +
// log(1+r) with r = m·c-1.
func powers(w *writer) {
	const parts = 128
	r := 0x1.2p-7
	w.list("LogTiny64", "log(1+r) = r - r²/2 + r³·(…), |r| ≤ 1/114", fit{bigfloat.Log1p, -r, r, count(3, 1, 7), map[int]float64{1: 1, 2: -0.5}, false, nil})
	rows := make([][]float64, 3)
	for i := range parts {
		// The middle: 1 is a border.
		m := math.Float64frombits(powerFrom + uint64(i)<<(52-7) + 1<<(52-8))
		c := 1 / m
		if math.Abs(m-1) < 1.0/parts {
			c = 1
		}
		c = math.Round(c*(1<<9)) / (1 << 9)
		l := bigfloat.Log(num(c))
		l.Neg(l)
		// High parts of few bits, so that adding exponents times log 2 is exact.
		high := new(big.Float).SetPrec(bits).Mul(l, num(0x1p42))
		n, _ := high.Int(nil)
		h, _ := new(big.Float).SetPrec(bits).SetMantExp(new(big.Float).SetInt(n), -42).Float64()
		low, _ := new(big.Float).SetPrec(bits).Sub(l, num(h)).Float64()
		rows[0], rows[1], rows[2] = append(rows[0], c), append(rows[1], h), append(rows[2], low)
	}
	w.table("PowerParts", "c, about 1/m, and log 1/c as a sum, by the highest bits of the\n// difference of the bits of m and PowerFrom", rows)
	ln2 := bigfloat.Ln2(bits)
	n, _ := new(big.Float).SetMantExp(ln2, 42).Int(nil)
	h, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(n), -42).Float64()
	low, _ := new(big.Float).SetPrec(bits).Sub(ln2, num(h)).Float64()
	fmt.Fprintf(w, "\n// PowerFrom has the bits of the least m; log 2 is a sum, whose first part has\n// 42 bits behind the point.\nconst (\nPowerFrom = %#x\nPowerLn2High, PowerLn2Low = %s, %s\n)\n", uint64(powerFrom), hex(h), hex(low))
}

// powerFrom is about 0.7.
const powerFrom = 0x3fe6_9000_0000_0000
