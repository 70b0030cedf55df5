package lazy

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"ltc/ir/dims"
	"ltc/ir/types"
)

func checkNormal(x *Tensor, _, _ int) *breach { return breaksState(x, normalState) }

// computeNormal makes n numbers, each of 32 bits for f32 or of 64 for f64.
func computeNormal(x *Tensor, n, bitsOfEach int) *Tensor {
	f := fixed{bitsOfEach}
	pairs, words := (n+1)/2, f.bits/32
	bits := recordPhilox(x, 2*pairs*words).Reshape(pairs, 2*words)
	word := func(i int) *Tensor { return bits.Select(-1, i).Convert(types.U64) }
	var u, turns *Tensor
	if f.bits == 32 {
		u, turns = odd(word(0), 1, 31), word(1)
	} else {
		u, turns = odd(u64Of(word(0), word(1)), 0, 0), u64Of(word(2), word(3))
	}
	// Box, Muller: A note on the generation of random normal deviates, 1958.
	radius := f.logFloat(f.negLog(u)).MulScalar(2).Sqrt()
	sin, cos := f.sinCos(turns)
	d := types.F64
	if f.bits == 32 {
		d = types.F32
	}
	even, odd := radius.Mul(cos).Convert(d), radius.Mul(sin).Convert(d)
	all := Concatenate(1, even.Unsqueeze(1), odd.Unsqueeze(1)).Reshape(2 * pairs)
	return all.Slice([]int{0}, []int{n}, []int{1})
}

// u64Of returns the u64 elements with the given halves.
func u64Of(lo, hi *Tensor) *Tensor { return hi.ShiftLeft(hi.word(32)).Or(lo) }

// odd moves x up by so many bits, sets the lowest, and moves on: an odd number
// is never 0, the logarithm of which there is none.
func odd(x *Tensor, by, on uint64) *Tensor {
	return x.ShiftLeft(x.word(by)).Or(x.word(1)).ShiftLeft(x.word(on))
}

// Normal records numbers of the normal distribution. They are Box and Muller's and made of
// integers ([fixed]), so that their bits are the same on every backend. That takes for
// granted that division, square root and product of two f64 are rounded to nearest, and
// that an integer which f64 can hold is converted exactly. F32, F16 and BF16 are made of 32
// bits, no further than 6.7 standard deviations from the mean. Their stddev and mean are
// taken as f32, the one product being exact. F64 are made of 64 bits, up to 9.5 standard
// deviations. They are rounded once more for stddev and once for mean; a backend that
// contracts the two may do it at once.
func (r *Random) Normal(tr *Trace, dtype types.DType, mean, stddev float64, dims ...int) *Tensor {
	const op = "normal"
	if !dtype.IsFloat() {
		return refused(tr, op, fmt.Sprintf("there are no normal numbers of %v; draw floating point and convert it", dtype))
	}
	if !(stddev >= 0) || math.IsInf(stddev, 0) || math.IsNaN(mean) || math.IsInf(mean, 0) {
		return refused(tr, op, fmt.Sprintf("mean %v and stddev %v must be finite and stddev not negative", mean, stddev))
	}
	bits := 32
	if dtype == types.F64 {
		bits = 64
	}
	t, bad := r.drawn(tr, op, dtype, dims)
	if bad != nil {
		return bad
	}
	n := t.Elements()
	state := r.state(tr, op, (n+1)/2*2*(bits/32))
	z := recordNormal(state, n, bits).Reshape(t.Shape...)
	if mean != 0 || stddev != 1 {
		if bits == 32 {
			mean, stddev = float64(float32(mean)), float64(float32(stddev))
		}
		z = z.Convert(types.F64).MulScalar(stddev).AddScalar(mean)
	}
	return z.Convert(dtype)
}

// Bernoulli records bools that are true with probability p: u < p, where u is
// what Uniform gives as F32. So p counts in steps of 2^-24, rounded up.
func (r *Random) Bernoulli(tr *Trace, p float64, dims ...int) *Tensor {
	const op = "bernoulli"
	if bad := probability(tr, op, p); bad != nil {
		return bad
	}
	u := r.unit(tr, op, types.F32, dims)
	return u.Less(u.like(p))
}

// BernoulliOf is Bernoulli with the probabilities that p holds when the program
// runs, which broadcast to dims; a scalar argument may change from step to step.
// Below 0 is as 0, above 1 as 1, NaN as 0. With p of f64 it counts in steps of
// 2^-53.
func (r *Random) BernoulliOf(p *Tensor, dims ...int) *Tensor {
	const op = "bernoulli"
	tr, p := probabilities(op, p, traceOf(p))
	if p.err != nil {
		return p
	}
	if p = p.BroadcastTo(dims...); p.err != nil {
		return p
	}
	return r.unit(tr, op, p.DType(), dims).Less(p)
}

// probability returns a poisoned tensor when p is none.
func probability(tr *Trace, op string, p float64) *Tensor {
	if !(p >= 0 && p <= 1) {
		return refused(tr, op, fmt.Sprintf("probability %v is not between 0 and 1", p))
	}
	return nil
}

// probabilities returns p in the trace, as f32 unless it is f64.
func probabilities(op string, p *Tensor, tr *Trace) (*Trace, *Tensor) {
	if bad := firstBad(op, p); bad != nil {
		return nil, bad
	}
	if tr == nil {
		return nil, noTrace(op, p)
	}
	if !p.DType().IsFloat() {
		return nil, tr.poisoned(opError(tr.site(), op, ErrType, []*Tensor{p}, "probabilities must be floating point, are %v", p.DType()))
	}
	p = tr.Read(p)
	if p.err == nil && p.DType() != types.F64 {
		p = p.Convert(types.F32)
	}
	return tr, p
}

func checkGumbel(x *Tensor, _ int) *breach { return breaksState(x, gumbelState) }

// computeGumbel makes n numbers -ln(-ln u), u of 64 bits.
func computeGumbel(x *Tensor, n int) *Tensor {
	f := fixed{64}
	bits := recordPhilox(x, 2*n).Reshape(n, 2)
	u := u64Of(bits.Select(-1, 0).Convert(types.U64), bits.Select(-1, 1).Convert(types.U64))
	// The inner logarithm counts in 2^-56 and the outer takes it for a multiple
	// of 2^-64: 8 halvings too many.
	inner := f.negLog(odd(u, 0, 0))
	outer := f.negLog(inner.Maximum(inner.word(1)))
	many := outer.word(ln2Bits >> 5) // 8 ln 2 with 56 bits after the point
	negative := outer.Less(many)
	distance := f.logFloat(negative.Where(many.Sub(outer), outer.Sub(many)))
	return negative.Where(distance.Neg(), distance)
}

func checkCategorical(logits, _ *Tensor) *breach {
	if logits.Rank() == 0 || logits.OpenDim(-1) == 0 {
		return breaks(categoricalClasses, "there are no classes to draw from; logits must be [rows…, classes]")
	}
	return nil
}

func computeCategorical(logits, noise *Tensor) *Tensor {
	return logits.Convert(noise.DType()).Add(noise).ArgMax(-1)
}

// drawnWith returns the dtype of the numbers that are drawn for x: f64 if x is, else f32.
func drawnWith(x *Tensor) types.DType {
	if x.DType() == types.F64 {
		return types.F64
	}
	return types.F32
}

// Categorical records, for each row of logits [rows…, classes], the i64 number of a class
// drawn with the probabilities softmax(logits). The class is the place of the largest of
// logits plus numbers of the Gumbel distribution (Gumbel: Statistical theory of extreme
// values, 1954, §9). These are made of 64 bits in integers ([fixed]), and rounded to f64 or
// else f32, in which they are added. Equal logits thus choose equal classes on every
// backend. For probabilities give their Log, which is the backend's own. A class at -Inf is
// not drawn, but if all are, the first is; a row with a NaN gives its place.
func (r *Random) Categorical(logits *Tensor) *Tensor {
	const op = "categorical"
	c := builtins[compositeCategorical]
	tr, bad := c.guard(nil, logits)
	if bad == nil {
		bad = c.meets(tr, checkCategorical(logits, nil), logits)
	}
	if bad != nil {
		return bad
	}
	d := drawnWith(logits)
	t, bad := r.drawn(tr, op, types.F64, logits.OpenShape())
	if bad != nil {
		return bad
	}
	n := t.Elements()
	state := r.state(tr, op, 2*n)
	g := recordGumbel(state, n).Reshape(t.Shape...).Convert(d)
	return recordCategorical(logits, g)
}

// Multinomial records, for each row of p [rows…, classes], the i64 numbers of n classes that are drawn
// with probabilities in proportion to p. With replacement each is drawn as Categorical does; without it
// they are different ones, and n is at most the number of classes. Classes of probability 0 are drawn after
// all others. A row without a positive element, or with one that is negative, infinite or NaN, is an error of the
// step; where none looks at indices it gives zeros: see [CheckIndices].
func (r *Random) Multinomial(p *Tensor, n int, replacement bool) *Tensor {
	const op = "multinomial"
	if bad := firstBad(op, p); bad != nil {
		return bad
	}
	switch {
	case !p.DType().IsFloat() || p.Rank() == 0 || p.OpenDim(-1) == 0:
		return p.violates(op, "probabilities", fmt.Sprintf("p is %v, must be floating point and have an axis of classes", p.Type()))
	case n < 1 || !replacement && dims.Less(p.OpenDim(-1), n):
		return p.violates(op, "draws", fmt.Sprintf("%d of %s classes are to be drawn; draw at least one, and no more without replacement than there are", n, dims.String(p.OpenDim(-1))))
	}
	return called(op, func() *Tensor {
		drawn := r.classes(op, p.Log(), n, replacement)
		if drawn.err != nil {
			return drawn
		}
		number := func(x *Tensor) *Tensor { return x.Convert(types.I64).SumKeep(-1) }
		none := number(p.GreaterEqualScalar(0).And(p.LessScalar(math.Inf(1))).Not()).Within(0, 0, "number of negative, infinite or NaN probabilities in a row")
		some := number(p.GreaterScalar(0)).Within(1, p.OpenDim(-1), "number of positive probabilities in a row")
		return none.EqualScalar(0).And(some.GreaterScalar(0)).WhereScalar(drawn, 0)
	}, p)
}

// classes draws n classes for each row of logits.
func (r *Random) classes(op string, logits *Tensor, n int, replacement bool) *Tensor {
	if replacement {
		shape := slices.Clone([]int(logits.OpenShape()))
		return r.Categorical(logits.Unsqueeze(-2).BroadcastTo(slices.Insert(shape, len(shape)-1, n)...))
	}
	keys, bad := r.gumbel(op, logits)
	if bad != nil {
		return bad
	}
	_, drawn := keys.TopK(n, -1)
	return drawn
}

// gumbel returns logits plus numbers of the Gumbel distribution.
func (r *Random) gumbel(op string, logits *Tensor) (_, bad *Tensor) {
	tr := traceOf(logits)
	if tr == nil {
		return nil, noTrace(op, logits)
	}
	t, bad := r.drawn(tr, op, types.F64, logits.OpenShape())
	if bad != nil {
		return nil, bad
	}
	g := recordGumbel(r.state(tr, op, 2*t.Elements()), t.Elements()).Reshape(t.Shape...)
	d := drawnWith(logits)
	return logits.Convert(d).Add(g.Convert(d)), nil
}

// RandInt records integers of [low, high), all equally probable but for a relative
// difference of at most 2^-32. It is the upper half of the product of high-low and 64
// random bits, of 128 where high-low exceeds 2^32. (Lemire: Fast random integer generation
// in an interval, 2019, without his rejection, which would need a number of draws that
// depends on their values.) Of n = high-low values and b bits, the relative difference is
// below n/2^b, and 0 where n is a power of two.
func (r *Random) RandInt(tr *Trace, dtype types.DType, low, high int64, dims ...int) *Tensor {
	const op = "randint"
	if !dtype.IsInteger() {
		return refused(tr, op, fmt.Sprintf("there are no random integers of %v; draw an integer dtype and convert it", dtype))
	}
	if low >= high {
		return refused(tr, op, fmt.Sprintf("low %d is not below high %d, and there is no integer to draw", low, high))
	}
	if lo, hi := integerRange(dtype); low < lo || high-1 > hi {
		return refused(tr, op, fmt.Sprintf("[%d, %d) is not within %v, which holds [%d, %d]", low, high, dtype, lo, hi))
	}
	n := uint64(high) - uint64(low)
	if n <= 1<<32 {
		x := r.words64(tr, op, dims...)
		x = high32(high32(x).Mul(x.word(n)).Add(high32(low32(x).Mul(x.word(n)))))
		return shifted(x, dtype, low)
	}
	words := r.words64(tr, op, append(append([]int(nil), dims...), 2)...)
	if words.err != nil {
		return words
	}
	_, carry := product64(words.Select(-1, 0), n)
	lo, hi := product64(words.Select(-1, 1), n)
	sum := lo.Add(carry)
	return shifted(hi.Add(sum.Less(lo).Convert(types.U64)), dtype, low)
}

// integerRange returns the smallest and the largest integer of a dtype, as far
// as int64 goes.
func integerRange(d types.DType) (lo, hi int64) {
	bits := 8 * d.Size()
	if d.IsSigned() {
		return math.MinInt64 >> (64 - bits), math.MaxInt64 >> (64 - bits)
	}
	return 0, math.MaxInt64 >> max(0, 63-bits)
}

// product64 returns the halves of the products of u64 elements and n.
func product64(x *Tensor, n uint64) (lo, hi *Tensor) {
	y := x.word(n)
	x1, x0, y1, y0 := high32(x), low32(x), high32(y), low32(y)
	middle := x1.Mul(y0).Add(high32(x0.Mul(y0)))
	other := x0.Mul(y1).Add(low32(middle))
	return x.Mul(y), x1.Mul(y1).Add(high32(middle)).Add(high32(other))
}

// shifted returns low + x, of u64, as a tensor of dtype, which can hold it. A
// signed sum is made of halves of x that i64 can hold.
func shifted(x *Tensor, dtype types.DType, low int64) *Tensor {
	if dtype.IsSigned() {
		half, bit := x.ShiftRight(x.word(1)).Convert(types.I64), x.And(x.word(1)).Convert(types.I64)
		x = half.Add(half).Add(bit)
	}
	return x.Add(x.word(uint64(low))).Convert(dtype)
}

// Permutation records the numbers 0 to n-1, of i64, in random order: the order that sorts
// as many keys of 64 bits. Equal keys keep their order; there are any with a probability
// below n²/2⁶⁵.
func (r *Random) Permutation(tr *Trace, n int) *Tensor {
	return r.words64(tr, "permutation", n).ArgSort(0)
}

// fixed computes with fractions: an element x of u64 stands for x/2^bits, and
// bits is 32 or 64. It is what logarithms and sines of random numbers are made
// of. StableHLO leaves the accuracy of its own to each implementation, and
// whether a float product and sum are rounded once or twice to each compiler;
// integers leave nothing to anybody. Every result is a sum of series whose terms
// are written out, below 2^-bits and some roundings from the truth.
//
// Floating point comes in where one operation is exact or, as division and
// square root of f64, rounded once as IEEE 754 has it.
type fixed struct{ bits int }

const (
	ln2Bits      = 0xB17217F7D1CF79AC // ln 2 · 2^64
	sqrtHalfBits = 0xB504F333F9DE6484 // √½ · 2^64
	piOver4Bits  = 0xC90FDAA22168C235 // π/4 · 2^64
)

// constant records c/2^64 as a fraction like x.
func (f fixed) constant(x *Tensor, c uint64) *Tensor { return x.word(c >> (64 - f.bits)) }

// one is the largest fraction.
func (f fixed) one() uint64 { return math.MaxUint64 >> (64 - f.bits) }

// mul returns the product of two fractions, at most three units too small.
func (f fixed) mul(x, y *Tensor) *Tensor {
	if f.bits == 32 {
		return high32(x.Mul(y))
	}
	x1, x0, y1, y0 := high32(x), low32(x), high32(y), low32(y)
	return x1.Mul(y1).Add(high32(x1.Mul(y0))).Add(high32(x0.Mul(y1)))
}

// logFraction is the number of fraction bits of what negLog returns.
func (f fixed) logFraction() int {
	if f.bits == 32 {
		return 32
	}
	return 56
}

// negLog returns -ln(n/2^64) for n > 0, as u64 with logFraction bits after the
// point. With h halvings of the exponent, n/2^64 = x √½^h and x in (√½, 1):
// -ln x = 2 atanh((1-x)/(1+x)), and atanh s = s + s³/3 + s⁵/5 + … .
func (f fixed) negLog(n *Tensor) *Tensor {
	zeros := n.CountLeadingZeros()
	x := n.ShiftLeft(zeros)
	mantissa := 52 // 1+x must be exact in f64
	terms := 12
	if f.bits == 32 {
		x, mantissa, terms = high32(x), 32, 6
	}
	small := x.Less(f.constant(x, sqrtHalfBits))
	scaled := f.mul(x, f.constant(x, sqrtHalfBits))
	x = small.Where(scaled.Add(scaled), x)
	if f.bits == 64 {
		x = x.ShiftRight(x.word(uint64(64 - mantissa)))
	}
	one := x.word(1 << mantissa)
	s := one.Sub(x).Convert(types.F64).Div(one.Add(x).Convert(types.F64))
	s = s.MulScalar(math.Ldexp(1, f.bits)).Convert(types.U64)
	q := f.mul(s, s)
	sum := f.constant(q, math.MaxUint64/uint64(2*terms-1))
	for k := terms - 2; k > 0; k-- {
		sum = f.mul(sum, q).Add(f.constant(q, math.MaxUint64/uint64(2*k+1)))
	}
	atanh := s.Add(f.mul(f.mul(sum, q), s))
	halvings := zeros.Add(zeros).Add(small.Convert(types.U64))
	const halfLn2 = ln2Bits >> 1
	if f.bits == 32 {
		return halvings.Mul(x.word(halfLn2 >> 32)).Add(atanh.Add(atanh))
	}
	return halvings.Mul(x.word(halfLn2 >> 8)).Add(atanh.ShiftRight(x.word(7)))
}

// logFloat converts what negLog returns to f64, rounded once.
func (f fixed) logFloat(x *Tensor) *Tensor {
	unit := math.Ldexp(1, -f.logFraction())
	if f.bits == 32 {
		return x.Convert(types.F64).MulScalar(unit)
	}
	return high32(x).Convert(types.F64).MulScalar(unit * 0x1p32).Add(low32(x).Convert(types.F64).MulScalar(unit))
}

// sinCos returns sine and cosine, in f64, of x turns: by the powers of π/4 y in
// each eighth of a turn, y being how far x is from the nearest axis.
func (f fixed) sinCos(x *Tensor) (sin, cos *Tensor) {
	octant := x.ShiftRight(x.word(uint64(f.bits - 3)))
	is := func(x *Tensor, bit uint64) *Tensor { return x.And(x.word(bit)).NotEqual(x.word(0)) }
	y := x.ShiftLeft(x.word(3)).And(x.word(f.one()))
	y = is(octant, 1).Where(y.Xor(y.word(f.one())), y)
	q := f.mul(y, y)
	c := powersOfPiOver4()
	last := 22
	if f.bits == 32 {
		last = 12
	}
	series := func(first, last int) *Tensor {
		sum := f.constant(q, c[last])
		for k := last - 2; k >= first; k -= 2 {
			sum = f.constant(q, c[k]).Sub(f.mul(sum, q))
		}
		return sum
	}
	s := f.float(f.mul(series(1, last-1), y))
	k := f.float(f.mul(series(2, last), q).Xor(q.word(f.one()))) // 1 - …
	swap := is(octant.Add(octant.word(1)), 2)
	sin, cos = swap.Where(k, s), swap.Where(s, k)
	return is(octant, 4).Where(sin.Neg(), sin), is(octant.Add(octant.word(2)), 4).Where(cos.Neg(), cos)
}

// float converts fractions to f64, exactly but for bits below the 53rd.
func (f fixed) float(x *Tensor) *Tensor {
	if f.bits == 32 {
		return x.Convert(types.F64).MulScalar(0x1p-32)
	}
	return x.ShiftRight(x.word(11)).Convert(types.F64).MulScalar(0x1p-53)
}

// powersOfPiOver4 returns (π/4)^n/n! · 2^64 for n up to 22; that for 0 is not used.
func powersOfPiOver4() (c [23]uint64) {
	c[1] = piOver4Bits
	for n := 2; n < len(c); n++ {
		hi, _ := bits.Mul64(c[n-1], piOver4Bits)
		c[n] = hi / uint64(n)
	}
	return c
}

func checkDropout(x, u, p *Tensor) *breach {
	if !u.OpenShape().Equal(x.OpenShape()) || p.Rank() != 0 {
		return breaks(dropoutU, "u must be of shape %v as x is, and p a scalar", x.OpenShape())
	}
	return nil
}

// computeDropout takes u and p of f64 if x is, else of f32, in which the product is made.
func computeDropout(x, u, p *Tensor) *Tensor {
	rest := p.like(1).Sub(p)
	// Where p is 1 nothing is left to divide.
	scale := p.like(1).Div(rest.Greater(p.like(0)).Where(rest, p.like(1)))
	kept := x.Convert(u.DType()).Mul(scale)
	return u.GreaterEqual(p).Where(kept, kept.like(0)).Convert(x.DType())
}

// gradDropout: it is linear in x. The numbers have no gradient, and p counts as a constant.
func gradDropout(_, u, p, _, ct *Tensor) []*Tensor {
	return []*Tensor{computeDropout(ct, u, p), nil, nil}
}

// Dropout records x with each element replaced by 0 with probability p, in steps
// of 2^-24 (2^-53 for an x of f64), and the others divided by 1-p. Gradients go
// through the elements left. With p = 0 the result is x, with p = 1 all zeros;
// the stream goes on as for any p.
func (r *Random) Dropout(x *Tensor, p float64) *Tensor {
	const op = "dropout"
	if bad := firstBad(op, x); bad != nil {
		return bad
	}
	tr := traceOf(x)
	if tr == nil {
		return noTrace(op, x)
	}
	if bad := probability(tr, op, p); bad != nil {
		return bad
	}
	return r.dropout(tr, op, x, Full(tr, types.F64, p))
}

// DropoutOf is Dropout with the probability that the scalar p holds when the
// program runs, so that it may change without compiling anything. Below 0 is as
// 0, above 1 as 1, and NaN drops everything. p has no gradient.
func (r *Random) DropoutOf(x, p *Tensor) *Tensor {
	const op = "dropout"
	if bad := firstBad(op, x, p); bad != nil {
		return bad
	}
	tr, q := probabilities(op, p, traceOf(x, p))
	if q.err != nil {
		return q
	}
	if q.Rank() != 0 {
		return tr.poisoned(opError(tr.site(), op, ErrType, []*Tensor{x, p}, "p must be a scalar"))
	}
	return r.dropout(tr, op, x, q.Maximum(q.like(0)))
}

func (r *Random) dropout(tr *Trace, op string, x, p *Tensor) *Tensor {
	x = tr.Read(x)
	if _, bad := builtins[compositeDropout].guard(nil, x); bad != nil {
		return bad
	}
	d := drawnWith(x)
	return recordDropout(x, r.unit(tr, op, d, x.OpenShape()), p.Convert(d))
}
