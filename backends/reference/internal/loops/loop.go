package loops

import (
	"math"
	"sync"
	"unsafe"

	"ltc/ir/types"
)

// Kernels compute n elements from n elements each of their operands. The
// result may be the memory of an operand: element i is read before it is
// written.
type (
	Loop1 func(o, a unsafe.Pointer, n int)
	Loop2 func(o, a, b unsafe.Pointer, n int)
)

type (
	Integer interface {
		~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
	}
	Float  interface{ ~float32 | ~float64 }
	number interface{ Integer | Float }
	// Numeric has sums and products.
	Numeric interface {
		number | complex64 | complex128
	}
	half interface {
		types.Float16 | types.BFloat16
		Float32() float32
	}
)

// Erase1 and Erase2 forget the element type of a kernel; nil stays nil.
func Erase1[T, R any](k func(o []R, a []T)) Loop1 {
	if k == nil {
		return nil
	}
	return func(o, a unsafe.Pointer, n int) {
		k(unsafe.Slice((*R)(o), n), unsafe.Slice((*T)(a), n))
	}
}

func Erase2[T, R any](k func(o []R, a, b []T)) Loop2 {
	if k == nil {
		return nil
	}
	return func(o, a, b unsafe.Pointer, n int) {
		k(unsafe.Slice((*R)(o), n), unsafe.Slice((*T)(a), n), unsafe.Slice((*T)(b), n))
	}
}

// each1 makes a kernel of a function of one element; for the functions that
// cost much more than the call.
func each1[T any](f func(T) T) func(o, a []T) {
	return func(o, a []T) {
		a = a[:len(o)]
		for i := range o {
			o[i] = f(a[i])
		}
	}
}

func each2[T any](f func(a, b T) T) func(o, a, b []T) {
	return func(o, a, b []T) {
		a, b = a[:len(o)], b[:len(o)]
		for i := range o {
			o[i] = f(a[i], b[i])
		}
	}
}

// inFloat64 makes a kernel of a function of package math.
func inFloat64[T Float](f func(float64) float64) func(o, a []T) {
	return func(o, a []T) {
		a = a[:len(o)]
		for i := range o {
			o[i] = T(f(float64(a[i])))
		}
	}
}

func inFloat64x2[T Float](f func(a, b float64) float64) func(o, a, b []T) {
	return each2(func(a, b T) T { return T(f(float64(a), float64(b))) })
}

// Chunk is how many elements of a 16-bit type are widened at a time.
const Chunk = 512

type chunks struct{ a, b, o [Chunk]float32 }

var chunkPool = sync.Pool{New: func() any { return new(chunks) }}

// half1 and half2 run a kernel of f32 on a 16-bit type.
func half1[H half](k func(o, a []float32)) func(o, a []H) {
	if k == nil {
		return nil
	}
	return func(o, a []H) {
		c := chunkPool.Get().(*chunks)
		for i := 0; i < len(o); i += Chunk {
			n := min(Chunk, len(o)-i)
			widen(c.a[:n], a[i:])
			k(c.o[:n], c.a[:n])
			narrow(o[i:i+n], c.o[:n])
		}
		chunkPool.Put(c)
	}
}

func half2[H half](k func(o, a, b []float32)) func(o, a, b []H) {
	if k == nil {
		return nil
	}
	return func(o, a, b []H) {
		c := chunkPool.Get().(*chunks)
		for i := 0; i < len(o); i += Chunk {
			n := min(Chunk, len(o)-i)
			widen(c.a[:n], a[i:])
			widen(c.b[:n], b[i:])
			k(c.o[:n], c.a[:n], c.b[:n])
			narrow(o[i:i+n], c.o[:n])
		}
		chunkPool.Put(c)
	}
}

// half2to is half2 for a kernel with results of another type.
func half2to[H half, R any](k func(o []R, a, b []float32)) func(o []R, a, b []H) {
	if k == nil {
		return nil
	}
	return func(o []R, a, b []H) {
		c := chunkPool.Get().(*chunks)
		for i := 0; i < len(o); i += Chunk {
			n := min(Chunk, len(o)-i)
			widen(c.a[:n], a[i:])
			widen(c.b[:n], b[i:])
			k(o[i:i+n], c.a[:n], c.b[:n])
		}
		chunkPool.Put(c)
	}
}

func widen[H half](o []float32, a []H) {
	a = a[:len(o)]
	for i := range o {
		o[i] = a[i].Float32()
	}
}

func narrow[H half](o []H, a []float32) {
	switch o := any(o).(type) {
	case []types.BFloat16:
		for i, x := range a {
			b := math.Float32bits(x)
			if x != x {
				o[i] = types.BFloat16(b>>16 | 0x40)
				continue
			}
			o[i] = types.BFloat16((b + 0x7fff + b>>16&1) >> 16)
		}
	case []types.Float16:
		for i, x := range a {
			o[i] = types.ToFloat16(float64(x))
		}
	}
}

// CopyBytes copies n bytes.
func CopyBytes(to, from unsafe.Pointer, n int) {
	copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
}
