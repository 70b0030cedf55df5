package reference

import (
	"fmt"
	"math"
	"unsafe"

	"ltc/ir/types"
	"ltc/mlir"
)

func prepareCompare(b *builder, o *site) error {
	if err := o.arity(2, 1); err != nil {
		return err
	}
	if o.in[0].dt != o.in[1].dt || o.out[0].dt != i1 {
		return fmt.Errorf("compares %v with %v into %v", o.in[0].dt, o.in[1].dt, o.out[0].dt)
	}
	if err := o.alike(); err != nil {
		return err
	}
	direction, _ := o.op.Attrs.Get("comparison_direction").(mlir.EnumAttr)
	kind, _ := o.op.Attrs.Get("compare_type").(mlir.EnumAttr)
	k := compareKernel(direction.Value, kind.Value == "TOTALORDER", o.in[0].dt)
	if k == nil {
		return fmt.Errorf("comparison_direction %q is none of EQ, NE, GE, GT, LE, LT", direction.Value)
	}
	b.emit2(o, k)
	return nil
}

func compareKernel(direction string, total bool, d dtype) kernel2 {
	switch d {
	case i1, u8, u2, u4:
		return erase2(compareOrdered[uint8](direction))
	case i8, i2, i4:
		return erase2(compareOrdered[int8](direction))
	case i16:
		return erase2(compareOrdered[int16](direction))
	case i32:
		return erase2(compareOrdered[int32](direction))
	case i64:
		return erase2(compareOrdered[int64](direction))
	case u16:
		return erase2(compareOrdered[uint16](direction))
	case u32:
		return erase2(compareOrdered[uint32](direction))
	case u64:
		return erase2(compareOrdered[uint64](direction))
	case f16:
		return erase2(half2to[types.Float16](compareFloat[float32](direction, total)))
	case bf16:
		return erase2(half2to[types.BFloat16](compareFloat[float32](direction, total)))
	case f32:
		return erase2(compareFloat[float32](direction, total))
	case f64:
		return erase2(compareFloat[float64](direction, total))
	case c64:
		return erase2(compareComplex[complex64](direction))
	case c128:
		return erase2(compareComplex[complex128](direction))
	}
	if d.isMini() {
		return miniKernel2To(d, compareFloat[float32](direction, total))
	}
	return nil
}

func compareFloat[T float](direction string, total bool) func(o []uint8, a, b []T) {
	if !total {
		return compareOrdered[T](direction)
	}
	// -NaN < -infinity < … < -0 < +0 < … < infinity < NaN: the order of the
	// bits once those of negative numbers are reversed.
	keys := compareOrdered[int64](direction)
	if keys == nil {
		return nil
	}
	return func(o []uint8, a, b []T) {
		a, b = a[:len(o)], b[:len(o)]
		for i := range o {
			x, y := [1]int64{totalOrder(a[i])}, [1]int64{totalOrder(b[i])}
			keys(o[i:i+1], x[:], y[:])
		}
	}
}

func totalOrder[T float](x T) int64 {
	var k int64
	if unsafe.Sizeof(x) == 4 {
		k = int64(int32(math.Float32bits(float32(x)))) << 32
	} else {
		k = int64(math.Float64bits(float64(x)))
	}
	if k < 0 {
		return k ^ math.MaxInt64
	}
	return k
}

func compareOrdered[T number](direction string) func(o []uint8, a, b []T) {
	switch direction {
	case "EQ":
		return func(o []uint8, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = bit(a[i] == b[i])
			}
		}
	case "NE":
		return func(o []uint8, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = bit(a[i] != b[i])
			}
		}
	case "GE":
		return func(o []uint8, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = bit(a[i] >= b[i])
			}
		}
	case "GT":
		return func(o []uint8, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = bit(a[i] > b[i])
			}
		}
	case "LE":
		return func(o []uint8, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = bit(a[i] <= b[i])
			}
		}
	case "LT":
		return func(o []uint8, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = bit(a[i] < b[i])
			}
		}
	}
	return nil
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
