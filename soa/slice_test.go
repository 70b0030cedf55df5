package soa_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

// layer is a type of the caller's.
type layer uint16

// misuses returns what Slice, With, Borrow and Strided say of Ts as elements of t.
func misuses[T soa.Element](t types.Type) (all []string) {
	v := soa.Make(t)
	for _, use := range []func(){
		func() { soa.Slice[T](v) },
		func() { soa.With(v, func([]T) {}) },
	} {
		func() {
			defer func() {
				r, _ := recover().(string)
				all = append(all, r)
			}()
			use()
		}()
	}
	_, err := soa.Borrow(make([]T, t.Elements()), t)
	all = append(all, message(err))
	_, err = soa.Strided(make([]T, t.Elements()), t, 0, []int{1})
	return append(all, message(err))
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Elements are those of the Go type that holds the dtype, of which another of the same
// size would read garbage; bits are those of any.
func TestSliceHolds(t *testing.T) {
	for _, c := range []struct {
		dtype types.DType
		uses  func(types.Type) []string
		want  string // "": they are held
	}{
		{types.F32, misuses[float32], ""},
		{types.U16, misuses[layer], ""},
		{types.BF16, misuses[types.BFloat16], ""},
		{types.Bool, misuses[bool], ""},
		{types.F8E4M3FN, misuses[types.Float8E4M3FN], ""},
		{types.F8E5M2, misuses[types.Float8E5M2], ""},
		{types.F8E5M2, misuses[types.Float8E4M3FN], "types.Float8E4M3FN does not hold elements of f8E5M2"},
		{types.F8E5M2, misuses[uint8], "uint8 does not hold elements of f8E5M2"},
		{types.I32, misuses[float32], "float32 does not hold elements of i32"},
		{types.F16, misuses[types.BFloat16], "types.BFloat16 does not hold elements of f16"},
		{types.U8, misuses[bool], "bool does not hold elements of u8"},
		{types.I32, misuses[uint32], "uint32 does not hold elements of i32"},
		{types.F64, misuses[float32], "float32 does not hold elements of f64"},
	} {
		v := soa.Make(types.Of(c.dtype, 3))
		for i, got := range c.uses(v.Type) {
			want := c.want
			if want != "" && i < 2 {
				want = "soa: slice of " + v.Type.String() + ": " + want
			}
			require.Equal(t, want, got, "%v, use %d", c.dtype, i)
		}
	}
	v := soa.Make(types.Of(types.F32, 3))
	soa.Slice[float32](v)[1] = 1
	require.Equal(t, []uint32{0, 0x3f800000, 0}, soa.Bits[uint32](v))
	require.Panics(t, func() { soa.Bits[uint16](v) })
	require.Zero(t, testing.AllocsPerRun(10, func() { soa.Slice[float32](v)[0] = 2 }))
}
