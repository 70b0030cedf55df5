package eval

import (
	"fmt"
	"math"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
)

// prepareRng draws numbers from a distribution. Every run of a program draws
// the same numbers: they depend on the op's place in the text and on how many
// the run has drawn before.
func prepareRng(b *builder, o *site) error {
	if err := o.arity(3, 1); err != nil {
		return err
	}
	lo, hi, shape, out := o.in[0], o.in[1], o.in[2], o.out[0]
	if !lo.tensor.equal(out.element()) || !hi.tensor.equal(out.element()) {
		return fmt.Errorf("parameters %v and %v, want scalars %v", lo.tensor, hi.tensor, out.element())
	}
	read := indexReader(shape.dt)
	if read == nil || len(shape.shape) != 1 || shape.n != len(out.shape) {
		return fmt.Errorf("shape is %v for a result of rank %d", shape.tensor, len(out.shape))
	}
	distribution, _ := o.op.Attrs.Get("rng_distribution").(mlir.EnumAttr)
	draw, err := drawing(distribution.Value, out)
	if err != nil {
		return err
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

// drawing returns what fills out, given its parameters and a source of bits.
func drawing(distribution string, out tensor) (func(f *frame, to, a, b unsafe.Pointer, next func() uint64), error) {
	switch {
	case distribution == "UNIFORM" && out.dt.IsFloat():
		return drawFloats(out, uniform), nil
	case distribution == "UNIFORM" && (out.dt.IsInt() || out.dt == loops.I1):
		return drawInts(out), nil
	case distribution == "NORMAL" && out.dt.IsFloat():
		return drawFloats(out, normal), nil
	case distribution == "NORMAL" || distribution == "UNIFORM":
		return nil, fmt.Errorf("rng_distribution %s of elements of %v", distribution, out.dt)
	}
	return nil, fmt.Errorf("rng_distribution %q is none of UNIFORM, NORMAL", distribution)
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
				if out.dt == loops.F64 {
					*(*float64)(p) = x[0]
				} else {
					narrow(p, unsafe.Pointer(&x), 1)
				}
				if !bounded || try == 100 || asFloat(out.dt, p) < b {
					break
				}
			}
		}
	}
}

// asFloat reads an element of any type.
func asFloat(d loops.DType, p unsafe.Pointer) float64 {
	if d == loops.F64 {
		return *(*float64)(p)
	}
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
			if out.dt == wide {
				ends[i] = *(*int64)(p)
			} else {
				loops.Convert(out.dt, wide)(unsafe.Pointer(&ends[i]), p, 1)
			}
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
