//go:build goexperiment.simd

package loops

import (
	"simd/archsimd"
	"unsafe"

	"ltc/mlir"
	"ltc/stablehlo"
)

// The loops over f32s on vectors of 8. They give the bits of the plain ones,
// lane by lane: products are rounded before they are added.

// vectorLanes is how many f32s a vector has. Wider ones would need AVX-512.
const vectorLanes = 8

// hasVectors reports whether the CPU at hand runs them.
func hasVectors() bool { return archsimd.X86.AVX2() }

// lanes returns as many whole vectors as s has.
func lanes(s []float32) [][vectorLanes]float32 {
	return unsafe.Slice((*[vectorLanes]float32)(unsafe.Pointer(unsafe.SliceData(s))), len(s)/vectorLanes)
}

// vectorBinary returns the loop of an op over the whole vectors of o, which
// returns how many elements it did; nil if there is none.
func vectorBinary(op mlir.Code) func(o, a, b []float32) int {
	if !hasVectors() {
		return nil
	}
	switch op {
	case stablehlo.Add:
		return func(o, a, b []float32) int {
			x, y, z := lanes(a), lanes(b), lanes(o)
			x, y = x[:len(z)], y[:len(z)]
			for i := range z {
				archsimd.LoadFloat32x8(&x[i]).Add(archsimd.LoadFloat32x8(&y[i])).Store(&z[i])
			}
			archsimd.ClearAVXUpperBits()
			return len(z) * vectorLanes
		}
	case stablehlo.Subtract:
		return func(o, a, b []float32) int {
			x, y, z := lanes(a), lanes(b), lanes(o)
			x, y = x[:len(z)], y[:len(z)]
			for i := range z {
				archsimd.LoadFloat32x8(&x[i]).Sub(archsimd.LoadFloat32x8(&y[i])).Store(&z[i])
			}
			archsimd.ClearAVXUpperBits()
			return len(z) * vectorLanes
		}
	case stablehlo.Multiply:
		return func(o, a, b []float32) int {
			x, y, z := lanes(a), lanes(b), lanes(o)
			x, y = x[:len(z)], y[:len(z)]
			for i := range z {
				archsimd.LoadFloat32x8(&x[i]).Mul(archsimd.LoadFloat32x8(&y[i])).Store(&z[i])
			}
			archsimd.ClearAVXUpperBits()
			return len(z) * vectorLanes
		}
	case stablehlo.Divide:
		return func(o, a, b []float32) int {
			x, y, z := lanes(a), lanes(b), lanes(o)
			x, y = x[:len(z)], y[:len(z)]
			for i := range z {
				archsimd.LoadFloat32x8(&x[i]).Div(archsimd.LoadFloat32x8(&y[i])).Store(&z[i])
			}
			archsimd.ClearAVXUpperBits()
			return len(z) * vectorLanes
		}
	case stablehlo.Maximum:
		return func(o, a, b []float32) int {
			x, y, z := lanes(a), lanes(b), lanes(o)
			x, y = x[:len(z)], y[:len(z)]
			for i := range z {
				v, w := archsimd.LoadFloat32x8(&x[i]), archsimd.LoadFloat32x8(&y[i])
				extreme(v, w, v.Max(w), v.AsInt32x8().And(w.AsInt32x8())).Store(&z[i])
			}
			archsimd.ClearAVXUpperBits()
			return len(z) * vectorLanes
		}
	case stablehlo.Minimum:
		return func(o, a, b []float32) int {
			x, y, z := lanes(a), lanes(b), lanes(o)
			x, y = x[:len(z)], y[:len(z)]
			for i := range z {
				v, w := archsimd.LoadFloat32x8(&x[i]), archsimd.LoadFloat32x8(&y[i])
				extreme(v, w, v.Min(w), v.AsInt32x8().Or(w.AsInt32x8())).Store(&z[i])
			}
			archsimd.ClearAVXUpperBits()
			return len(z) * vectorLanes
		}
	}
	return nil
}

// extreme returns what the instruction for a maximum or a minimum gives, which is
// either operand where they are equal, as 0 and -0 are, or one is NaN: there it
// returns equal, and NaN.
func extreme(v, w, one archsimd.Float32x8, equal archsimd.Int32x8) archsimd.Float32x8 {
	r := equal.AsFloat32x8().Merge(one, v.Equal(w))
	return v.Add(w).Merge(r, v.IsNaN().Or(w.IsNaN()))
}

// vectorRows adds four rows of b to two rows of c, as axpy4x2 does, and returns
// how many columns it did: whole vectors.
func vectorRows(c0, c1, b0, b1, b2, b3 []float32, f [8]float32) int {
	r0, r1, v0, v1, v2, v3 := lanes(c0), lanes(c1), lanes(b0), lanes(b1), lanes(b2), lanes(b3)
	n := len(r0)
	r1, v0, v1, v2, v3 = r1[:n], v0[:n], v1[:n], v2[:n], v3[:n]
	x0, x1, x2, x3 := archsimd.BroadcastFloat32x8(f[0]), archsimd.BroadcastFloat32x8(f[1]), archsimd.BroadcastFloat32x8(f[2]), archsimd.BroadcastFloat32x8(f[3])
	y0, y1, y2, y3 := archsimd.BroadcastFloat32x8(f[4]), archsimd.BroadcastFloat32x8(f[5]), archsimd.BroadcastFloat32x8(f[6]), archsimd.BroadcastFloat32x8(f[7])
	for j := range r0 {
		s, t := archsimd.LoadFloat32x8(&r0[j]), archsimd.LoadFloat32x8(&r1[j])
		v := archsimd.LoadFloat32x8(&v0[j])
		s, t = s.Add(x0.Mul(v)), t.Add(y0.Mul(v))
		v = archsimd.LoadFloat32x8(&v1[j])
		s, t = s.Add(x1.Mul(v)), t.Add(y1.Mul(v))
		v = archsimd.LoadFloat32x8(&v2[j])
		s, t = s.Add(x2.Mul(v)), t.Add(y2.Mul(v))
		v = archsimd.LoadFloat32x8(&v3[j])
		s, t = s.Add(x3.Mul(v)), t.Add(y3.Mul(v))
		s.Store(&r0[j])
		t.Store(&r1[j])
	}
	archsimd.ClearAVXUpperBits()
	return n * vectorLanes
}
