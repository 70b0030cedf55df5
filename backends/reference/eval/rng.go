package eval

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
)

// prepareRng draws numbers from a distribution. Every run of a program draws
// the same numbers: they depend on the op's place in the text and on how many
// the run has drawn before.
func prepareRng(b *builder, o *site) error {
	lo, hi, shape, out := o.in[0], o.in[1], o.in[2], o.out[0]
	read, draw := indexReader(shape.dt), drawInts(out)
	switch {
	case stablehlo.AsRNG(o.op).RNGDistribution() == "NORMAL":
		draw = drawFloats(out, normal)
	case out.dt.IsFloat():
		draw = drawFloats(out, uniform)
	}
	r, key := b.result(o, 0), uint64(o.op.Ordinal)
	b.emitTry(func(f *frame) error {
		for i, want := range out.shape {
			if n := read(unsafe.Add(f.p[shape.slot], i*shape.dt.Size())); n != want {
				return fmt.Errorf("shape[%d] is %d, the result's dimension %d", i, n, want)
			}
		}
		draw(f, f.p[r], f.p[lo.slot], f.p[hi.slot], func() uint64 {
			block := philox(key, [2]uint64{f.ws.draws})
			f.ws.draws++
			return uint64(block[1])<<32 | uint64(block[0])
		})
		return nil
	})
	return nil
}

// uniform returns a number from a to below b; a if there is none.
func uniform(a, b float64, bits uint64) float64 {
	return a + float64(bits>>11)*0x1p-53*(b-a)
}

// normal inverts the distribution function.
func normal(mean, deviation float64, bits uint64) float64 {
	u := (float64(bits>>11) + 0.5) * 0x1p-53
	return mean + deviation*math.Sqrt2*math.Erfinv(2*u-1)
}

func drawFloats(out tensor, from func(a, b float64, bits uint64) float64) func(f *frame, to, a, b unsafe.Pointer, next func() uint64) {
	narrow, size := loops.Convert(loops.F64, out.dt), out.dt.Size()
	bounded := from(0, 1, 0) == 0 // uniform
	return func(f *frame, to, pa, pb unsafe.Pointer, next func() uint64) {
		a, b := asFloat(out.dt, pa), asFloat(out.dt, pb)
		for i := range out.n {
			if f.due(stepWork) {
				return
			}
			p := unsafe.Add(to, i*size)
			// What is rounded up to b is drawn again, as often as makes sense.
			for try := 0; ; try++ {
				x := [1]float64{from(a, b, next())}
				if try == 100 {
					x[0] = a
				}
				narrow(p, unsafe.Pointer(&x), 1)
				if !bounded || try == 100 || asFloat(out.dt, p) < b {
					break
				}
			}
		}
	}
}

// asFloat reads an element of any type.
func asFloat(d loops.DType, p unsafe.Pointer) float64 {
	var x [1]float64
	loops.Convert(d, loops.F64)(unsafe.Pointer(&x), p, 1)
	return x[0]
}

// drawInts draws from a to below b, where there are such, else a.
func drawInts(out tensor) func(f *frame, to, a, b unsafe.Pointer, next func() uint64) {
	wide := loops.U64
	if out.dt.IsSigned() {
		wide = loops.I64
	}
	return func(f *frame, to, pa, pb unsafe.Pointer, next func() uint64) {
		var ends [2]int64
		for i, p := range []unsafe.Pointer{pa, pb} {
			loops.Convert(out.dt, wide)(unsafe.Pointer(&ends[i]), p, 1)
		}
		span := uint64(ends[1]) - uint64(ends[0])
		if wide == loops.I64 && ends[0] >= ends[1] || wide == loops.U64 && uint64(ends[0]) >= uint64(ends[1]) {
			span = 1
		}
		for i := range out.n {
			if f.due(stepWork) {
				return
			}
			x := uint64(ends[0]) + next()%span
			bitWriter{to, out}.put(i, x)
		}
	}
}

// rng_bit_generator gives the bits that XLA gives. Its algorithms are those of
// Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (2011). The first
// word of the state is the key, the others are a counter that goes up by the
// number of blocks taken.

// prepareBits fills elements of any type with random bits. The algorithm
// DEFAULT is PHILOX.
func prepareBits(b *builder, o *site) error {
	in, out := o.in[0], o.out[1]
	if in.dt != loops.U64 || len(in.shape) != 1 || !in.tensor.equal(o.out[0]) {
		return fmt.Errorf("state %v with result %v, want one type tensor<…xui64>", in.tensor, o.out[0])
	}
	if !out.dt.IsInt() && !out.dt.IsFloat() || out.dt == loops.TF32 {
		return unsupportedf("elements of type %v", out.dt)
	}
	algorithm, _ := o.op.Attrs.Get("rng_algorithm").(mlir.EnumAttr)
	var run func(f *frame, key uint64, counter []uint64, w bitWriter)
	switch {
	case algorithm.Value == "THREE_FRY" && in.n == 2:
		run = threefryBits
	case (algorithm.Value == "PHILOX" || algorithm.Value == "DEFAULT") && (in.n == 2 || in.n == 3):
		run = philoxBits
	default:
		return fmt.Errorf("rng_algorithm %q with a state of %s: want THREE_FRY with 2, PHILOX or DEFAULT with 2 or 3", algorithm.Value, diag.Count(in.n, "word"))
	}
	state, r := b.result(o, 0), b.result(o, 1)
	b.emit(func(f *frame) {
		words := at[uint64](f, state, in.n)
		copy(words, at[uint64](f, in.slot, in.n))
		run(f, words[0], words[1:], bitWriter{f.p[r], out})
	})
	return nil
}

// bitWriter writes words to the elements of a tensor.
type bitWriter struct {
	p unsafe.Pointer
	t tensor
}

// narrow reports whether an element takes no more than a word of 32 bits.
func (w bitWriter) narrow() bool { return w.t.dt.Size() < 8 }

// put32 sets element i to the lowest bits of a word.
func (w bitWriter) put32(i int, x uint32) {
	switch w.t.dt.Size() {
	case 1:
		unused := 8 - w.t.dt.Bits()
		v := uint8(x) << unused
		if w.t.dt.IsSigned() {
			v = uint8(int8(v) >> unused)
		} else {
			v >>= unused
		}
		*(*uint8)(unsafe.Add(w.p, i)) = v
	case 2:
		*(*uint16)(unsafe.Add(w.p, 2*i)) = uint16(x)
	case 4:
		*(*uint32)(unsafe.Add(w.p, 4*i)) = x
	}
}

// put sets element i to as many bits as it has.
func (w bitWriter) put(i int, x uint64) {
	if w.narrow() {
		w.put32(i, uint32(x))
	} else {
		w.put64(i, x)
	}
}

func (w bitWriter) put64(i int, x uint64) { *(*uint64)(unsafe.Add(w.p, 8*i)) = x }

// threefryBits takes a block of two words for each element of 64 bits. Of
// narrower elements, a block gives two neighbours along one dimension: the
// first whose size is even, or else the first of the longest.
func threefryBits(f *frame, key uint64, counter []uint64, w bitWriter) {
	shape := w.t.shape
	if !w.narrow() {
		for i := range w.t.n {
			if f.due(stepWork / 4) {
				return
			}
			lo, hi := threefry(key, counter[0]+uint64(i))
			w.put64(i, uint64(hi)<<32|uint64(lo))
		}
		counter[0] += uint64(w.t.n)
		return
	}
	if len(shape) == 0 {
		shape = []int{1}
	}
	split := 0
	for i, n := range shape {
		if n%2 == 0 {
			split = i
			break
		}
		if n > shape[split] {
			split = i
		}
	}
	half := append([]int(nil), shape...)
	half[split] = (shape[split] + 1) / 2
	step := soa.Dense(shape)
	_ = eachIndex(half, func(i int, at []int) error {
		if err := f.stop(stepWork / 4); err != nil {
			return err
		}
		lo, hi := threefry(key, counter[0]+uint64(i))
		to := at[split] * step[split]
		for d, x := range at {
			to += x * step[d]
		}
		w.put32(to, lo)
		if 2*at[split]+1 < shape[split] {
			w.put32(to+step[split], hi)
		}
		return nil
	})
	counter[0] += uint64(volume(half))
}

// threefry is Threefry-2x32 with 20 rounds.
func threefry(key, counter uint64) (uint32, uint32) {
	k := [3]uint32{uint32(key), uint32(key >> 32), 0}
	k[2] = k[0] ^ k[1] ^ 0x1BD11BDA
	x, y := uint32(counter)+k[0], uint32(counter>>32)+k[1]
	rotations := [2][4]int{{13, 15, 26, 6}, {17, 29, 16, 24}}
	for i := range 5 {
		for _, r := range rotations[i%2] {
			x += y
			y = bits.RotateLeft32(y, r) ^ x
		}
		x += k[(i+1)%3]
		y += k[(i+2)%3] + uint32(i+1)
	}
	return x, y
}

// philoxBits takes blocks of four words, for the elements in order. Where the
// state holds only the lower half of the counter, the upper is the key.
func philoxBits(f *frame, key uint64, counter []uint64, w bitWriter) {
	c := [2]uint64{counter[0], key}
	if len(counter) > 1 {
		c[1] = counter[1]
	}
	next := func() [4]uint32 {
		block := philox(key, c)
		var carry uint64
		c[0], carry = bits.Add64(c[0], 1, 0)
		c[1] += carry
		return block
	}
	n := w.t.n
	for i := 0; i < n; {
		if f.due(stepWork / 4) {
			return
		}
		block := next()
		if !w.narrow() {
			for k := 0; k < 4 && i < n; k += 2 {
				w.put64(i, uint64(block[k+1])<<32|uint64(block[k]))
				i++
			}
			continue
		}
		for k := 0; k < 4 && i < n; k++ {
			w.put32(i, block[k])
			i++
		}
	}
	copy(counter, c[:])
}

// philox is Philox-4x32 with 10 rounds.
func philox(key uint64, counter [2]uint64) [4]uint32 {
	k0, k1 := uint32(key), uint32(key>>32)
	x := [4]uint32{uint32(counter[0]), uint32(counter[0] >> 32), uint32(counter[1]), uint32(counter[1] >> 32)}
	for range 10 {
		hi0, lo0 := bits.Mul32(0xD2511F53, x[0])
		hi1, lo1 := bits.Mul32(0xCD9E8D57, x[2])
		x = [4]uint32{hi1 ^ x[1] ^ k0, lo1, hi0 ^ x[3] ^ k1, lo0}
		k0 += 0x9E3779B9
		k1 += 0xBB67AE85
	}
	return x
}
