package backendtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

type bare struct{ backends.NotImplemented }

func (bare) Name() string { return "bare" }

func TestValuesDiffer(t *testing.T) {
	parse := func(s string) soa.View {
		v, err := parseValue(s)
		require.NoError(t, err)
		return v
	}
	for _, c := range []struct {
		got, want string
		ulps      int64
		diff      string
	}{
		{"f32[2] 1 nan", "f32[2] 1 nan", 0, ""},
		{"f32[] 0", "f32[] -0", 0, "element 0 of f32[]: got 0, want -0"},
		{"f32[] 0", "f32[] -0", 1, ""},
		{"f32[] 1.0000001", "f32[] 1", 1, ""},
		{"f32[] 1.0000002", "f32[] 1", 1, "element 0 of f32[]: got 1.000000238418579, want 1"},
		{"bf16[2] 1 1.0078125", "bf16[2] 1 1", 1, ""},
		{"f32[] nan", "f32[] inf", 2, "element 0 of f32[]: got NaN, want +Inf"},
		{"i32[2] 1 -1", "i32[2] 1 1", 9, "element 1 of i32[2]: got -1, want 1"},
		{"u64[] 18446744073709551615", "u64[] 0", 0, "element 0 of u64[]: got 18446744073709551615, want 0"},
		{"bool[] 1", "bool[] 0", 0, "element 0 of bool[]: got true, want false"},
		{"f32[1] 1", "f32[] 1", 0, "got f32[1], want f32[]"},
	} {
		require.Equal(t, c.diff, difference(parse(c.got), parse(c.want), c.ulps), c.got)
	}
	for _, s := range []string{"", "f32", "f32[2] 1 2 3", "u8[] 256", "i32[] x", "f32[2]"} {
		_, err := parseValue(s)
		require.Error(t, err, s)
	}
}

// A backend that implements nothing scores unsupported, not failed.
func TestBareBackendScoresUnsupported(t *testing.T) {
	contract = []contractTest{{"strided_arguments", testStrided}}
	r := Run(t, func(string) (backends.Backend, error) { return bare{}, nil })
	require.Equal(t, "bare", r.Backend)
	for _, g := range r.Groups {
		require.Zero(t, g.Passed, g.Name)
		require.Zero(t, g.Failed, g.Name)
		require.Positive(t, g.Unsupported, g.Name)
	}
	require.Contains(t, r.String(), "contract        0 passed, 0 failed, 1 unsupported")
}

// Gaps between the elements of a strided result are watched.
func TestSparse(t *testing.T) {
	v, intact := sparse(t, types.Of(types.F32, 2, 3))
	require.Equal(t, []int{-6, -2}, v.Strides)
	require.NoError(t, soa.Copy(v, f32s(t, []float32{1, 2, 3, 4, 5, 6}, 2, 3)))
	require.Equal(t, []float32{1, 2, 3, 4, 5, 6}, floats(v))
	require.True(t, intact())
	one, err := v.Slice(1, 0, 1, 1)
	require.NoError(t, err)
	one.Strides[0]--
	require.NoError(t, soa.Copy(one, f32s(t, []float32{0, 0}, 2, 1)))
	require.False(t, intact())
}
