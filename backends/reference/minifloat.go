package reference

import (
	"math"
	"unsafe"

	"ltc/mlir"
)

// Floats of fewer than 16 bits, and tf32, are computed in f32 and rounded
// after each op. f32 has more than twice the bits of any of them and two more,
// so that a sum, product, quotient or root rounded to it and then to them is
// what one rounding would give.

// mini is such a format. S is how its elements lie in memory.
type mini[S uint8 | uint32] struct {
	mlir.MiniFloat
	wide [256]float32 // values, by bits; not of tf32
}

// miniOf returns the format of d, whose elements must have the size of S.
func miniOf[S uint8 | uint32](d dtype) *mini[S] {
	format, _, ok := mlir.MiniFloatOf(d.String())
	if !ok {
		panic("reference: no format of " + d.String())
	}
	m := &mini[S]{MiniFloat: format}
	for i := range m.wide {
		m.wide[i] = float32(format.Value(uint64(i) & (1<<d.bits() - 1)))
	}
	return m
}

func (m *mini[S]) widen(o []float32, a []S) {
	a = a[:len(o)]
	if unsafe.Sizeof(S(0)) == 4 {
		for i := range o {
			o[i] = math.Float32frombits(uint32(a[i]) << 13)
		}
		return
	}
	for i := range o {
		o[i] = m.wide[uint8(a[i])]
	}
}

func (m *mini[S]) narrow(o []S, a []float32) {
	o = o[:len(a)]
	for i := range a {
		o[i] = S(m.Bits(forRounding(a[i])))
	}
}

// miniKernel1 and miniKernel2 run a kernel of f32 on a mini type.
func miniKernel1(d dtype, k func(o, a []float32)) kernel1 {
	if k == nil {
		return nil
	}
	if d.size() == 4 {
		return erase1(miniOf[uint32](d).unary(k))
	}
	return erase1(miniOf[uint8](d).unary(k))
}

func (m *mini[S]) unary(k func(o, a []float32)) func(o, a []S) {
	return func(o, a []S) {
		c := chunkPool.Get().(*chunks)
		for i := 0; i < len(o); i += chunk {
			n := min(chunk, len(o)-i)
			m.widen(c.a[:n], a[i:])
			k(c.o[:n], c.a[:n])
			m.narrow(o[i:i+n], c.o[:n])
		}
		chunkPool.Put(c)
	}
}

func miniKernel2(d dtype, k func(o, a, b []float32)) kernel2 {
	if k == nil {
		return nil
	}
	if d.size() == 4 {
		return erase2(miniOf[uint32](d).binary(k))
	}
	return erase2(miniOf[uint8](d).binary(k))
}

func (m *mini[S]) binary(k func(o, a, b []float32)) func(o, a, b []S) {
	return func(o, a, b []S) {
		c := chunkPool.Get().(*chunks)
		for i := 0; i < len(o); i += chunk {
			n := min(chunk, len(o)-i)
			m.widen(c.a[:n], a[i:])
			m.widen(c.b[:n], b[i:])
			k(c.o[:n], c.a[:n], c.b[:n])
			m.narrow(o[i:i+n], c.o[:n])
		}
		chunkPool.Put(c)
	}
}

// miniKernel2To is miniKernel2 for a kernel with results of another type.
func miniKernel2To[R any](d dtype, k func(o []R, a, b []float32)) kernel2 {
	if k == nil {
		return nil
	}
	if d.size() == 4 {
		return erase2(miniBinaryTo(miniOf[uint32](d), k))
	}
	return erase2(miniBinaryTo(miniOf[uint8](d), k))
}

func miniBinaryTo[S uint8 | uint32, R any](m *mini[S], k func(o []R, a, b []float32)) func(o []R, a, b []S) {
	return func(o []R, a, b []S) {
		c := chunkPool.Get().(*chunks)
		for i := 0; i < len(o); i += chunk {
			n := min(chunk, len(o)-i)
			m.widen(c.a[:n], a[i:])
			m.widen(c.b[:n], b[i:])
			k(o[i:i+n], c.a[:n], c.b[:n])
		}
		chunkPool.Put(c)
	}
}

// miniTo converts from a mini type by way of f32, which holds all its values.
func miniTo(from, to dtype) kernel1 {
	if from.size() == 4 {
		return miniOf[uint32](from).to(to)
	}
	return miniOf[uint8](from).to(to)
}

func (m *mini[S]) to(to dtype) kernel1 {
	if to == f32 {
		return erase1(m.widen)
	}
	k, size := convertFrom[float32](to), to.size()
	return func(o, a unsafe.Pointer, n int) {
		in := unsafe.Slice((*S)(a), n)
		c := chunkPool.Get().(*chunks)
		for i := 0; i < n; i += chunk {
			l := min(chunk, n-i)
			m.widen(c.a[:l], in[i:])
			k(unsafe.Add(o, i*size), unsafe.Pointer(&c.a), l)
		}
		chunkPool.Put(c)
	}
}

// toMini rounds once, from f64.
func toMini[F number](d dtype) kernel1 {
	if d.size() == 4 {
		return erase1(fromNumbers[F](miniOf[uint32](d)))
	}
	return erase1(fromNumbers[F](miniOf[uint8](d)))
}

func fromNumbers[F number, S uint8 | uint32](m *mini[S]) func(o []S, a []F) {
	return func(o []S, a []F) {
		a = a[:len(o)]
		for i := range o {
			o[i] = S(m.Bits(forRounding(a[i])))
		}
	}
}

// miniFinite reports which elements are neither infinite nor NaN.
func miniFinite(d dtype) kernel1 {
	widen := miniTo(d, f32)
	finite := finite[uint32](0x7f800000)
	return func(o, a unsafe.Pointer, n int) {
		c := chunkPool.Get().(*chunks)
		for i := 0; i < n; i += chunk {
			m := min(chunk, n-i)
			widen(unsafe.Pointer(&c.a), unsafe.Add(a, i*d.size()), m)
			finite(unsafe.Slice((*uint8)(unsafe.Add(o, i)), m), bitsOf(c.a[:m]))
		}
		chunkPool.Put(c)
	}
}
