package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/model"
)

// A model with tiers can be waited for.
func TestTiers(t *testing.T) {
	const program = `func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %r = stablehlo.tanh %x : tensor<5xf32>
  return %r : tensor<5xf32>
}`
	var told backends.Options
	model.Tiers()(&told)
	require.True(t, told.Tiers)
	m, err := model.New(t.Context(), backend(t, "cpu"), backends.NewModule(program), nil, model.Tiers())
	require.NoError(t, err)
	waits, ok := m.Executable().(backends.Tiered)
	require.True(t, ok, "%T", m.Executable())
	require.NoError(t, waits.Finish(t.Context()))
}
