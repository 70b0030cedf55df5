package backendtest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/mlir"
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
		{"f32[] 1.0000002", "f32[] 1", 1, "element 0 of f32[]: got 1.000000238418579, want 1, within 1 ulp"},
		{"bf16[2] 1 1.0078125", "bf16[2] 1 1", 1, ""},
		{"f32[] nan", "f32[] inf", 2, "element 0 of f32[]: got NaN, want +Inf, within 2 ulps"},
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

// What is wrong with a backend's list of ops is said in terms of its fields.
func TestCheckUnsupported(t *testing.T) {
	list := func(change func(*backends.UnsupportedError)) error {
		u := &backends.UnsupportedError{Backend: "bare", File: "test.mlir"}
		for i, line := range []int{2, 4, 9} {
			u.Ops = append(u.Ops, backends.UnsupportedOp{
				Op: "stablehlo.custom_call", Pos: mlir.Pos{Line: line, Col: 8}, Line: "%0 = stablehlo.custom_call @f",
				Reason: fmt.Sprintf("no ltc.test.missing%d", i+1),
			})
		}
		change(u)
		return u
	}
	require.NoError(t, checkUnsupported(list(func(*backends.UnsupportedError) {})))
	for want, err := range map[string]error{
		"Compile accepts custom_calls to targets that nobody registered": nil,
		"Compile must return a *backends.UnsupportedError":               errors.ErrUnsupported,
		`File must be Options.Name, "test.mlir"; got "a"`:                list(func(u *backends.UnsupportedError) { u.File = "a" }),
		"Ops must list all 3 custom_calls":                               list(func(u *backends.UnsupportedError) { u.Ops = u.Ops[:1] }),
		`Ops[1].Op must be the op's name, stablehlo.custom_call; got ""`: list(func(u *backends.UnsupportedError) { u.Ops[1].Op = "" }),
		"Ops[2].Pos must be where the op starts (mlir.Op.Pos), in line 9; got 0:0": list(func(u *backends.UnsupportedError) {
			u.Ops[2].Pos = mlir.Pos{}
		}),
		`Ops[0].Line must be line 2 of the text; got ""`: list(func(u *backends.UnsupportedError) { u.Ops[0].Line = "" }),
		`Ops[0].Reason must name what is missing, the custom_call's target ltc.test.missing1; got "unsupported"`: list(func(u *backends.UnsupportedError) {
			u.Ops[0].Reason = "unsupported"
		}),
	} {
		require.ErrorContains(t, checkUnsupported(err), want)
	}
}

// An executable without Bind, which docs/backend.md allows, is unsupported there.
func TestBindMayBeUnsupported(t *testing.T) {
	b := unbound{}
	skipped := false
	t.Run("bind", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		testBind(t, b)
	})
	require.True(t, skipped)
}

type unbound struct{ bare }

func (unbound) Compile(context.Context, backends.Module, backends.Options) (backends.Executable, error) {
	return unboundExecutable{}, nil
}

type unboundExecutable struct{ backends.Executable }

func (unboundExecutable) Bind(context.Context, map[int]soa.View) (backends.Executable, error) {
	return nil, fmt.Errorf("bind: %w", errors.ErrUnsupported)
}

// A run that ignores the end of its context fails its test instead of waiting for ever.
func TestRunWithoutEnd(t *testing.T) {
	defer func(d time.Duration) { patience = d }(patience)
	patience = time.Millisecond
	e := endless{end: make(chan struct{})}
	defer close(e.end)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorContains(t, executeToEnd(e, ctx, &backends.Call{}), "Execute goes on 1ms after its context has ended: ")
}

type endless struct {
	backends.Executable
	end chan struct{}
}

func (e endless) Execute(context.Context, *backends.Call) error {
	<-e.end
	return nil
}
