package conformance

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
)

// Numbers written next to each other, and the distance of their bits.
func TestDistance(t *testing.T) {
	const far = math.MaxUint64
	for _, c := range []struct {
		elem string
		a, b uint64
		want uint64
	}{
		{"f64", math.Float64bits(1), math.Float64bits(1) + 3, 3},
		{"f64", math.Float64bits(1) + 3, math.Float64bits(1), 3},
		{"f64", math.Float64bits(5e-324), math.Float64bits(-5e-324), 2},
		{"f64", math.Float64bits(0), 1 << 63, 0},
		{"f64", math.Float64bits(math.Inf(1)), math.Float64bits(math.MaxFloat64), far},
		{"f64", math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(1)), 0},
		{"f64", math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(-1)), far},
		{"f64", math.Float64bits(math.NaN()), math.Float64bits(math.NaN()) ^ 1<<63, 0},
		{"f64", math.Float64bits(math.NaN()), math.Float64bits(1), far},
		{"f32", uint64(math.Float32bits(1)), uint64(math.Float32bits(-1)), 2 * 0x3f800000},
		{"f16", 0x3c00, 0x3c05, 5},
		{"f16", 0x7c00, 0x7bff, far}, // infinity
		{"f16", 0x7e00, 0xfe01, 0},   // NaNs
		{"bf16", 0x3f80, 0x3f7f, 1},
		{"bf16", 0x0001, 0x8001, 2},
		{"tf32", 0x1fc00, 0x1fc02, 2},
		{"f8E5M2", 0x3c, 0x3d, 1},
		{"f8E5M2", 0x7c, 0x7b, far},
		{"f8E4M3FN", 0x7e, 0x7d, 1}, // the largest: no infinity
		{"f8E4M3FN", 0x7f, 0xff, 0}, // NaNs
		{"f8E4M3FNUZ", 0x80, 0x00, far},
		{"f8E8M0FNU", 0x81, 0x7f, 2}, // the highest bit is no sign
		{"f6E2M3FN", 0x01, 0x21, 2},
		{"f4E2M1FN", 0x07, 0x05, 2},
		{"i32", 4, 4, 0},
		{"i32", 4, 5, far},
	} {
		e, err := elementOf(elemType(t, c.elem))
		require.NoError(t, err)
		require.Equal(t, c.want, e.distance(c.a, c.b), "%+v", c)
	}
}

func elemType(t *testing.T, name string) mlir.Type {
	return dense(t, "dense<> : tensor<0x"+name+">").Type.Elem
}

func dense(t *testing.T, text string) *mlir.DenseAttr {
	all, err := printedValues([]string{text})
	require.NoError(t, err)
	return all[0]
}

// What each rule takes for the same, and how it says what is not.
func TestCompare(t *testing.T) {
	eq := rule{kind: exactly}
	bits := rule{kind: bitwise}
	near := rule{kind: approximately, abs: 1e-3}
	ulp := func(low, high uint64) rule { return rule{kind: ulps, min: low, max: high} }
	for _, c := range []struct {
		rule             rule
		actual, expected string
		want             string
	}{
		{eq, "dense<[1, 2]> : tensor<2xi32>", "dense<[1, 2]> : tensor<2xi32>", ""},
		{eq, "dense<1> : tensor<2x2xi4>", "dense<[[1, 1], [1, -8]]> : tensor<2x2xi4>", "[1, 1]: expected -8, actual 1 (1 of 4 elements)"},
		{eq, "dense<[9223372036854775807]> : tensor<1xi64>", "dense<[9223372036854775806]> : tensor<1xi64>", "[0]: expected 9223372036854775806, actual 9223372036854775807 (1 of 1 element)"},
		{eq, "dense<18446744073709551615> : tensor<ui64>", "dense<0> : tensor<ui64>", "[]: expected 0, actual 18446744073709551615 (1 of 1 element)"},
		{eq, "dense<[true, false]> : tensor<2xi1>", "dense<true> : tensor<2xi1>", "[1]: expected true, actual false (1 of 2 elements)"},
		{eq, "dense<-0.0> : tensor<f32>", "dense<0.0> : tensor<f32>", ""},
		{eq, "dense<0x7FC00000> : tensor<f32>", "dense<0x7FC00000> : tensor<f32>", "[]: expected NaN, actual NaN (1 of 1 element)"},
		{eq, "dense<> : tensor<0x3xf32>", "dense<> : tensor<0x3xf32>", ""},
		{bits, "dense<-0.0> : tensor<f32>", "dense<0.0> : tensor<f32>", "[]: expected 0, actual -0 (1 of 1 element)"},
		{bits, "dense<0x7FC00000> : tensor<f32>", "dense<0x7FC00000> : tensor<f32>", ""},
		{near, "dense<[1.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<3xf64>", "dense<[1.0009, 0x7FF0000000000000, 0x7FF8000000000001]> : tensor<3xf64>", ""},
		{near, "dense<[1.0, 2.0]> : tensor<2xf64>", "dense<[1.0, 2.0011]> : tensor<2xf64>", "[1]: expected 2.0011, actual 2, which may differ by 0.001 (1 of 2 elements)"},
		{near, "dense<0x7FF0000000000000> : tensor<f64>", "dense<1.0> : tensor<f64>", "[]: expected 1, actual +Inf, which may differ by 0.001 (1 of 1 element)"},
		{near, "dense<0x7FF8000000000000> : tensor<f64>", "dense<1.0> : tensor<f64>", "[]: expected 1, actual NaN, which may differ by 0.001 (1 of 1 element)"},
		{near, "dense<(1.0, 2.0)> : tensor<complex<f32>>", "dense<(1.0, 3.0)> : tensor<complex<f32>>", "[]: expected (1, 3), actual (1, 2), which may differ by 0.001 (1 of 1 element)"},
		{near, "dense<1> : tensor<i32>", "dense<2> : tensor<i32>", "[]: expected 2, actual 1, which may differ by 0.001 (1 of 1 element)"},
		{ulp(0, 3), "dense<1.0> : tensor<f32>", "dense<0x3F800003> : tensor<f32>", ""},
		{ulp(0, 3), "dense<1.0> : tensor<f32>", "dense<0x3F800004> : tensor<f32>", "[]: expected 1.0000005, actual 1; up to 4 ulps apart, 0 to 3 are allowed (1 of 1 element)"},
		{ulp(0, 3), "dense<0x7F800000> : tensor<f32>", "dense<1.0> : tensor<f32>", "[]: expected 1, actual +Inf; up to infinitely many ulps apart, 0 to 3 are allowed (1 of 1 element)"},
		{ulp(2, 3), "dense<(1.0, 1.0)> : tensor<complex<f32>>", "dense<(1.0, 0x3F800002)> : tensor<complex<f32>>", ""},
		{ulp(2, 3), "dense<(1.0, 1.0)> : tensor<complex<f32>>", "dense<(1.0, 0x3F800001)> : tensor<complex<f32>>", "[]: expected (1, 1.0000001), actual (1, 1); up to 1 ulps apart, 2 to 3 are allowed (1 of 1 element)"},
		{ulp(math.MaxUint64, math.MaxUint64), "dense<0x7F800000> : tensor<f32>", "dense<1.0> : tensor<f32>", ""},
	} {
		name := fmt.Sprintf("%+v of %s and %s", c.rule, c.actual, c.expected)
		require.Equal(t, c.want, c.rule.compare(value(t, c.actual), value(t, c.expected)), name)
	}
}

func value(t *testing.T, text string) tensor {
	a := dense(t, text)
	data, splat, err := a.Decode()
	require.NoError(t, err)
	v, err := newTensor(a.Type, data, splat)
	require.NoError(t, err)
	return v
}
