package optest

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"ltc/ir/types"
)

func TestArchivesRoundTrip(t *testing.T) {
	all, err := ReadAll("../../../testdata/ops")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, a := range all {
		text, err := os.ReadFile(a.Path)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(string(text), string(a.Bytes())), a.Path)
		require.NotEmpty(t, a.Doc, "%s says nothing about its op", a.Path)
	}
}

func TestMalformedArchives(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no call":      {"-- a.run --\nadd for f32\n=: f32[] 1\n", "want op(operands"},
		"no dtype":     {"-- a.run --\nadd(x)\n=: f32[] 1\n", "want: call for dtypes"},
		"dtype":        {"-- a.run --\nadd(x) for f31\n=: f32[] 1\n", `no dtype "f31"`},
		"own dtype":    {"-- a.run --\nadd(x) for f32\nx: f31[] 1\n=: f32[] 1\n", `no dtype "f31"`},
		"no value":     {"-- a.run --\nadd(x) for f32\nx 1\n=: f32[] 1\n", "want name: [dims]"},
		"dimension":    {"-- a.run --\nadd(x) for f32\nx: [a] 1\n=: f32[] 1\n", "invalid syntax"},
		"tolerance":    {"-- a.run --\nadd(x) for f32 within some ulp\n=: f32[] 1\n", "invalid syntax"},
		"no result":    {"-- a.run --\nadd(x) for f32\nx: [] 1\n", "0 results for 1 dtype"},
		"results":      {"-- a.run --\nadd(x) for f32 f64 i32\n=: [] 1\n=: [] 2\n", "2 results for 3 dtypes"},
		"bad bad call": {"-- bad --\nadd\n", "want op(operands"},
	} {
		path := filepath.Join(t.TempDir(), "add.txtar")
		require.NoError(t, os.WriteFile(path, []byte(c.text), 0o644))
		_, err := Read(path)
		require.ErrorContains(t, err, c.want, name)
	}
	_, err := Operand{Name: "x", Shape: []int{2}, Texts: []string{"1"}}.Tensor(types.F32)
	require.ErrorContains(t, err, "1 element for f32[2]")
	_, err = Operand{Name: "x", Texts: []string{"256"}}.Tensor(types.U8)
	require.ErrorContains(t, err, "out of range")
}

func TestElements(t *testing.T) {
	for _, c := range []struct {
		d        types.DType
		in, want string
	}{
		{types.F32, "0.1", "0.1"}, {types.F64, "0.1", "0.1"}, {types.F16, "0.1", "0.1"}, {types.BF16, "0.1", "0.1"},
		{types.F16, "65520", "inf"}, {types.BF16, "257", "256"}, {types.F32, "16777217", "1.6777216e+07"},
		{types.F32, "nan", "nan"}, {types.F16, "-inf", "-inf"}, {types.F64, "-0", "-0"},
		{types.U8, "255", "255"}, {types.I64, "-9223372036854775808", "-9223372036854775808"},
		{types.U64, "18446744073709551615", "18446744073709551615"}, {types.Bool, "true", "true"},
	} {
		e, err := ParseElem(c.d, c.in)
		require.NoError(t, err)
		require.Equal(t, c.want, FormatElem(c.d, e))
		back := FromBits(c.d, Bits(c.d, e))
		require.Zero(t, Distance(c.d, e, back), "%v %s", c.d, c.in)
	}
	for d, s := range map[types.DType]string{types.U8: "-1", types.I32: "2147483648", types.Bool: "1", types.F32: "x", types.U64: "1.5"} {
		_, err := ParseElem(d, s)
		require.Error(t, err, "%v %s", d, s)
	}
}

func TestDistance(t *testing.T) {
	one := Float(1)
	require.Equal(t, 1.0, Distance(types.F32, one, Float(float64(math.Nextafter32(1, 2)))))
	require.Equal(t, 2.0, Distance(types.F64, Float(math.Nextafter(0, 1)), Float(math.Nextafter(0, -1))))
	require.Equal(t, 1.0, Distance(types.BF16, one, Float(1.0078125)))
	require.Zero(t, Distance(types.F32, Float(math.NaN()), Float(math.NaN())))
	for _, far := range []Elem{Float(math.NaN()), Float(math.Inf(1))} {
		require.True(t, math.IsInf(Distance(types.F32, one, far), 1))
	}
	require.True(t, math.IsInf(Distance(types.I32, Int(1), Int(2)), 1))
	a := &Tensor{Type: types.Of(types.F32, 2), Elems: []Elem{one, one}}
	b := &Tensor{Type: types.Of(types.F32, 2), Elems: []Elem{one, Float(2)}}
	require.Empty(t, Differs(a, a, 0))
	require.Contains(t, Differs(a, b, 4), "element 1 of f32[2] is 1, want 2")
	require.Contains(t, Differs(a, &Tensor{Type: types.Of(types.F64, 2)}, 4), "got f32[2], want f64[2]")
}
