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
	// Integer has the element types of integers.
	Integer interface {
		~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
	}
	// Float has those of floats that Go computes with.
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

// Erase1 forgets the element type of a kernel; nil stays nil.
func Erase1[T, R any](k func(o []R, a []T)) Loop1 {
	if k == nil {
		return nil
	}
	return func(o, a unsafe.Pointer, n int) {
		k(unsafe.Slice((*R)(o), n), unsafe.Slice((*T)(a), n))
	}
}

// Erase2 is [Erase1] of two operands.
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

// inFloat32 runs a loop of f32 on elements of a narrower type d.
func inFloat32(d DType, k func(o, a []float32)) Loop1 {
	if k == nil {
		return nil
	}
	widen, narrow, size := Convert(d, F32), narrower(d), d.Size()
	return func(o, a unsafe.Pointer, n int) {
		c := chunkPool.Get().(*chunks)
		for i := 0; i < n; i += Chunk {
			m := min(Chunk, n-i)
			widen(unsafe.Pointer(&c.a), unsafe.Add(a, i*size), m)
			k(c.o[:m], c.a[:m])
			narrow(unsafe.Add(o, i*size), unsafe.Pointer(&c.o), m)
		}
		chunkPool.Put(c)
	}
}

func inFloat32x2(d DType, k func(o, a, b []float32)) Loop2 {
	if k == nil {
		return nil
	}
	narrow, size := narrower(d), d.Size()
	return widenPairs(d, func(c *chunks, o unsafe.Pointer, i, n int) {
		k(c.o[:n], c.a[:n], c.b[:n])
		narrow(unsafe.Add(o, i*size), unsafe.Pointer(&c.o), n)
	})
}

// inFloat32To is inFloat32x2 for a loop with results of a byte.
func inFloat32To(d DType, k func(o []uint8, a, b []float32)) Loop2 {
	if k == nil {
		return nil
	}
	return widenPairs(d, func(c *chunks, o unsafe.Pointer, i, n int) {
		k(unsafe.Slice((*uint8)(unsafe.Add(o, i)), n), c.a[:n], c.b[:n])
	})
}

// widenPairs calls do for the n elements from the i-th on of two operands of type d, which
// c.a and c.b have as f32s.
func widenPairs(d DType, do func(c *chunks, o unsafe.Pointer, i, n int)) Loop2 {
	widen, size := Convert(d, F32), d.Size()
	return func(o, a, b unsafe.Pointer, n int) {
		c := chunkPool.Get().(*chunks)
		for i := 0; i < n; i += Chunk {
			m := min(Chunk, n-i)
			widen(unsafe.Pointer(&c.a), unsafe.Add(a, i*size), m)
			widen(unsafe.Pointer(&c.b), unsafe.Add(b, i*size), m)
			do(c, o, i, m)
		}
		chunkPool.Put(c)
	}
}

// ofFloat32 runs a loop, whose results have size bytes, on the f32s that elements of a
// narrower type d are.
func ofFloat32(d DType, k Loop1, size int) Loop1 {
	widen := widener(d)
	return func(o, a unsafe.Pointer, n int) {
		c := chunkPool.Get().(*chunks)
		for i := 0; i < n; i += Chunk {
			m := min(Chunk, n-i)
			widen(unsafe.Pointer(&c.a), unsafe.Add(a, i*d.Size()), m)
			k(unsafe.Add(o, i*size), unsafe.Pointer(&c.a), m)
		}
		chunkPool.Put(c)
	}
}

// widener returns the conversion of a type d narrower than f32, which holds all its values.
func widener(d DType) Loop1 {
	switch d {
	case F16:
		return Erase1(widen[types.Float16])
	case BF16:
		return Erase1(widen[types.BFloat16])
	}
	return widenMini(d)
}

// narrower returns what rounds results of f32 to elements of a narrower type d.
func narrower(d DType) Loop1 {
	switch d {
	case F16:
		return Erase1(narrow[types.Float16])
	case BF16:
		return Erase1(narrow[types.BFloat16])
	}
	return Convert(F32, d)
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
