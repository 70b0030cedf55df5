package llvm

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/native"
)

// Where the system has no room for code, what is kept for programs to come goes.
func TestKeptCodeMakesRoom(t *testing.T) {
	s := &shared{codes: map[string]kernel.Code{"k": nil}}
	times := 0
	full := fmt.Errorf("map: %w", native.ErrExhausted)
	x, err := load(s, func() (int, error) {
		if times++; times == 1 {
			return 0, full
		}
		return 7, nil
	})
	require.NoError(t, err)
	require.Equal(t, 7, x)
	require.Empty(t, s.codes)
	_, err = load(s, func() (int, error) { return 0, full })
	require.ErrorIs(t, err, backends.ErrExhausted)
	require.ErrorIs(t, err, native.ErrExhausted)
}

// A function of products that found no room is loaded when it is asked for again.
func TestUnitsWithoutRoomAreLoadedLater(t *testing.T) {
	full := backends.ErrExhausted
	u := &units{all: map[string]*unit{}, compile: func(context.Context, gemm.Unit) (native.Kernel, error) { return native.Kernel{}, full }}
	_, err := u.get(t.Context(), gemm.Unit{Name: "f"})
	require.ErrorIs(t, err, backends.ErrExhausted)
	full = nil
	_, err = u.get(t.Context(), gemm.Unit{Name: "f"})
	require.NoError(t, err)
}
