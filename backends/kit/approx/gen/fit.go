package main

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// bits is the precision in which is fitted.
const bits = 192

func num(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }

// fit is a polynomial Σ c·x^k wanted for a function on an interval, with an
// error that is small in relation to the function, or to what unit returns.
type fit struct {
	f      func(*big.Float) *big.Float
	lo, hi float64
	powers []int           // ascending; those whose coefficients are looked for
	fixed  map[int]float64 // coefficients that are given, to which theirs are added
	single bool            // round the coefficients to f32, else f64
	// unit is what an error is measured by, nil for the function itself.
	unit func(x, want *big.Float) *big.Float
}

// units returns what errors at x are measured by.
func (p fit) units(x, want *big.Float) *big.Float {
	if p.unit == nil {
		return want
	}
	return p.unit(x, want).SetPrec(bits)
}

// solve returns the coefficients by power, and the largest relative error of the
// polynomial. The coefficients are rounded one after the other, from the lowest power
// on; after each, the others are fitted anew to the remaining error. The largest error
// is computed exactly, in units of 2^-24 or 2^-53.
func (p fit) solve() (map[int]float64, float64) {
	points := p.points()
	want, rest := make([]*big.Float, len(points)), make([]*big.Float, len(points))
	for i, x := range points {
		want[i] = p.f(x)
	}
	for i, x := range points {
		want[i].SetPrec(bits)
		rest[i] = new(big.Float).SetPrec(bits).Sub(want[i], eval(p.fixed, x))
	}
	c := map[int]float64{}
	var weights []float64
	for i, k := range p.powers {
		var free []*big.Float
		free, weights = p.leastDeviation(points, want, rest, c, p.powers[i:], weights)
		v, _ := free[0].Float64()
		if p.single {
			f, _ := free[0].Float32()
			v = float64(f)
		}
		c[k] = v
	}
	worst := 0.0
	for i, x := range points {
		got := eval(c, x)
		worst = max(worst, math.Abs(relative(got.Add(got, eval(p.fixed, x)), want[i], p.units(x, want[i]))))
	}
	if p.single {
		return c, worst * 0x1p24
	}
	return c, worst * 0x1p53
}

// points returns where the function is looked at: Chebyshev's, which lie
// closest at the ends.
func (p fit) points() []*big.Float {
	n := 4*len(p.powers) + 16
	var all []*big.Float
	for i := range n {
		at := math.Cos(math.Pi * (float64(i) + 0.5) / float64(n))
		x := (p.lo+p.hi)/2 + (p.hi-p.lo)/2*at
		if x != 0 {
			all = append(all, num(x))
		}
	}
	return all
}

// relative returns got - want in units.
func relative(got, want, unit *big.Float) float64 {
	d := new(big.Float).SetPrec(bits).Sub(got, want)
	if unit.Sign() != 0 {
		d.Quo(d, unit)
	}
	r, _ := d.Float64()
	return r
}

func eval(c map[int]float64, x *big.Float) *big.Float {
	sum := num(0)
	for k, v := range c {
		sum.Add(sum, new(big.Float).SetPrec(bits).Mul(num(v), power(x, k)))
	}
	return sum
}

func power(x *big.Float, k int) *big.Float {
	r := num(1)
	for range k {
		r.Mul(r, x)
	}
	return r
}

// leastDeviation returns the coefficients of the given powers that, with those
// in c, come close to the smallest largest relative error: least squares with
// weights that are raised where the error is large (Lawson's algorithm). It
// returns the weights, which serve for the next powers.
func (p fit) leastDeviation(points, want, rest []*big.Float, c map[int]float64, powers []int, weights []float64) ([]*big.Float, []float64) {
	n := len(powers)
	basis := make([][]*big.Float, len(points)) // in relation to the function
	left := make([]*big.Float, len(points))
	for i, x := range points {
		left[i] = new(big.Float).SetPrec(bits).Sub(rest[i], eval(c, x))
		unit := p.units(x, want[i])
		left[i].Quo(left[i], unit)
		basis[i] = make([]*big.Float, n)
		for j, k := range powers {
			basis[i][j] = power(x, k)
			basis[i][j].Quo(basis[i][j], unit)
		}
	}
	if weights != nil {
		return leastSquares(basis, left, weights), weights
	}
	weights = make([]float64, len(points))
	for i := range weights {
		weights[i] = 1
	}
	var best []*big.Float
	var used []float64
	least := math.Inf(1)
	for range 12 {
		s := leastSquares(basis, left, weights)
		worst, sum := 0.0, 0.0
		errs := make([]float64, len(points))
		for i := range points {
			e := new(big.Float).SetPrec(bits).Set(left[i])
			for j := range s {
				e.Sub(e, new(big.Float).SetPrec(bits).Mul(s[j], basis[i][j]))
			}
			f, _ := e.Float64()
			errs[i] = math.Abs(f)
			worst = max(worst, errs[i])
		}
		if worst < least {
			best, used, least = s, slices.Clone(weights), worst
		}
		if worst == 0 {
			break
		}
		for i := range weights {
			weights[i] *= errs[i]/worst + 1e-6
			sum += weights[i]
		}
		for i := range weights {
			weights[i] /= sum
		}
	}
	return best, used
}

// leastSquares solves the normal equations by elimination.
func leastSquares(basis [][]*big.Float, left []*big.Float, weights []float64) []*big.Float {
	n := len(basis[0])
	a := make([][]*big.Float, n)
	for j := range a {
		a[j] = make([]*big.Float, n+1)
		for k := range a[j] {
			a[j][k] = num(0)
		}
	}
	t := num(0)
	for i, row := range basis {
		w := num(weights[i])
		for j := range n {
			wb := new(big.Float).SetPrec(bits).Mul(w, row[j])
			for k := range n {
				a[j][k].Add(a[j][k], t.Mul(wb, row[k]))
			}
			a[j][n].Add(a[j][n], t.Mul(wb, left[i]))
		}
	}
	for j := range n {
		pivot := j
		for i := j + 1; i < n; i++ {
			if new(big.Float).Abs(a[i][j]).Cmp(new(big.Float).Abs(a[pivot][j])) > 0 {
				pivot = i
			}
		}
		a[j], a[pivot] = a[pivot], a[j]
		for i := j + 1; i < n; i++ {
			f := new(big.Float).SetPrec(bits).Quo(a[i][j], a[j][j])
			for k := j; k <= n; k++ {
				a[i][k].Sub(a[i][k], t.Mul(f, a[j][k]))
			}
		}
	}
	x := make([]*big.Float, n)
	for j := n - 1; j >= 0; j-- {
		x[j] = new(big.Float).SetPrec(bits).Set(a[j][n])
		for k := j + 1; k < n; k++ {
			x[j].Sub(x[j], t.Mul(a[j][k], x[k]))
		}
		x[j].Quo(x[j], a[j][j])
	}
	return x
}

func hex(v float64) string { return fmt.Sprintf("%x", v) }
