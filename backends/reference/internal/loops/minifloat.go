package loops

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
func miniOf[S uint8 | uint32](d DType) *mini[S] {
	format, _, ok := mlir.MiniFloatOf(d.String())
	if !ok {
		panic("reference: no format of " + d.String())
	}
	m := &mini[S]{MiniFloat: format}
	for i := range m.wide {
		m.wide[i] = float32(format.Value(uint64(i) & (1<<d.Bits() - 1)))
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
func miniKernel1(d DType, k func(o, a []float32)) Loop1 {
	if k == nil {
		return nil
	}
	if d.Size() == 4 {
		return Erase1(miniOf[uint32](d).unary(k))
	}
	return Erase1(miniOf[uint8](d).unary(k))
}

func (m *mini[S]) unary(k func(o, a []float32)) func(o, a []S) {
	return func(o, a []S) {
		c := chunkPool.Get().(*chunks)
		for i := 0; i < len(o); i += Chunk {
			n := min(Chunk, len(o)-i)
			m.widen(c.a[:n], a[i:])
			k(c.o[:n], c.a[:n])
			m.narrow(o[i:i+n], c.o[:n])
		}
		chunkPool.Put(c)
	}
}

func miniKernel2(d DType, k func(o, a, b []float32)) Loop2 {
	if k == nil {
		return nil
	}
	if d.Size() == 4 {
		return Erase2(miniOf[uint32](d).binary(k))
	}
	return Erase2(miniOf[uint8](d).binary(k))
}

func (m *mini[S]) binary(k func(o, a, b []float32)) func(o, a, b []S) {
	return func(o, a, b []S) {
		c := chunkPool.Get().(*chunks)
		for i := 0; i < len(o); i += Chunk {
			n := min(Chunk, len(o)-i)
			m.widen(c.a[:n], a[i:])
			m.widen(c.b[:n], b[i:])
			k(c.o[:n], c.a[:n], c.b[:n])
			m.narrow(o[i:i+n], c.o[:n])
		}
		chunkPool.Put(c)
	}
}

// miniKernel2To is miniKernel2 for a kernel with results of another type.
func miniKernel2To[R any](d DType, k func(o []R, a, b []float32)) Loop2 {
	if k == nil {
		return nil
	}
	if d.Size() == 4 {
		return Erase2(miniBinaryTo(miniOf[uint32](d), k))
	}
	return Erase2(miniBinaryTo(miniOf[uint8](d), k))
}

func miniBinaryTo[S uint8 | uint32, R any](m *mini[S], k func(o []R, a, b []float32)) func(o []R, a, b []S) {
	return func(o []R, a, b []S) {
		c := chunkPool.Get().(*chunks)
		for i := 0; i < len(o); i += Chunk {
			n := min(Chunk, len(o)-i)
			m.widen(c.a[:n], a[i:])
			m.widen(c.b[:n], b[i:])
			k(o[i:i+n], c.a[:n], c.b[:n])
		}
		chunkPool.Put(c)
	}
}

// miniTo converts from a mini type by way of f32, which holds all its values.
func miniTo(from, to DType) Loop1 {
	if from.Size() == 4 {
		return miniOf[uint32](from).to(to)
	}
	return miniOf[uint8](from).to(to)
}

func (m *mini[S]) to(to DType) Loop1 {
	if to == F32 {
		return Erase1(m.widen)
	}
	k, size := convertFrom[float32](to), to.Size()
	return func(o, a unsafe.Pointer, n int) {
		in := unsafe.Slice((*S)(a), n)
		c := chunkPool.Get().(*chunks)
		for i := 0; i < n; i += Chunk {
			l := min(Chunk, n-i)
			m.widen(c.a[:l], in[i:])
			k(unsafe.Add(o, i*size), unsafe.Pointer(&c.a), l)
		}
		chunkPool.Put(c)
	}
}

// toMini rounds once, from f64.
func toMini[F number](d DType) Loop1 {
	if d.Size() == 4 {
		return Erase1(fromNumbers[F](miniOf[uint32](d)))
	}
	return Erase1(fromNumbers[F](miniOf[uint8](d)))
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
func miniFinite(d DType) Loop1 {
	widen := miniTo(d, F32)
	finite := finite[uint32](0x7f800000)
	return func(o, a unsafe.Pointer, n int) {
		c := chunkPool.Get().(*chunks)
		for i := 0; i < n; i += Chunk {
			m := min(Chunk, n-i)
			widen(unsafe.Pointer(&c.a), unsafe.Add(a, i*d.Size()), m)
			finite(unsafe.Slice((*uint8)(unsafe.Add(o, i)), m), bitsOf(c.a[:m]))
		}
		chunkPool.Put(c)
	}
}

func bitsOf(a []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(a))), len(a))
}
