package backends

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

type chip struct{ NotImplemented }

func TestMistakesInRegistrationNameTheLine(t *testing.T) {
	var device string
	Register("test-chip", func(d string) (Backend, error) { device = d; return chip{}, nil })
	b, err := Open("test-chip:3")
	require.NoError(t, err)
	require.Equal(t, "3", device)
	require.Contains(t, Names(), "test-chip")
	_, err = b.Compile(context.Background(), NewModule("module {}"), Options{})
	require.ErrorIs(t, err, errors.ErrUnsupported)

	_, err = Open("test-other")
	require.ErrorIs(t, err, ErrUnknown)
	require.ErrorContains(t, err, `unknown backend "test-other": registered are`)

	Register("test-broken", func(string) (Backend, error) { return nil, errors.New("no such chip") })
	_, err = Open("test-broken")
	require.EqualError(t, err, `open backend "test-broken": no such chip`)

	Register("test-nil", nil)
	_, err = Open("test-nil")
	require.ErrorContains(t, err, `backend "test-nil" is registered at `)
	require.ErrorContains(t, err, "with a nil function: give Register a function that opens the backend")

	Register("test-nothing", func(string) (Backend, error) { return nil, nil })
	_, err = Open("test-nothing")
	require.ErrorContains(t, err, `open backend "test-nothing": the function registered at `)
	require.ErrorContains(t, err, "returned neither a backend nor an error")

	Register("test-twice", func(string) (Backend, error) { return chip{}, nil })
	Register("test-twice", func(string) (Backend, error) { return chip{}, nil })
	_, err = Open("test-twice")
	require.ErrorContains(t, err, `backend "test-twice" is registered twice: at `)
	require.ErrorContains(t, err, "backends_test.go:")
}

func TestUnsupportedError(t *testing.T) {
	err := &UnsupportedError{Backend: "chip", File: "m.mlir", Ops: []UnsupportedOp{
		{Op: "stablehlo.fft", Line: "  %0 = stablehlo.fft %a", Reason: "not an op of this backend"},
		{Op: "stablehlo.sort", Reason: "elements of type i4"},
	}}
	err.Ops[0].Pos.Line, err.Ops[0].Pos.Col = 2, 8
	require.EqualError(t, err, "backend chip cannot run 2 of the program's ops:\n"+
		"m.mlir:2:8: stablehlo.fft: not an op of this backend\n  %0 = stablehlo.fft %a\n"+
		"m.mlir:0:0: stablehlo.sort: elements of type i4")
	require.ErrorIs(t, err, errors.ErrUnsupported)
}

func TestHostFunctionsThatPanicReturnTheirLine(t *testing.T) {
	mine := func(context.Context, *HostCall) error { panic("mine") }
	require.NoError(t, RegisterHost("test.panics", mine))
	require.ErrorContains(t, RegisterHost("test.panics", mine), `host function "test.panics" is registered twice: at backends_test.go:`)
	err := Host("test.panics")(t.Context(), nil)
	require.Regexp(t, `^the function registered at backends_test\.go:\d+ panicked at backends_test\.go:\d+: mine\n`, err.Error())
}
