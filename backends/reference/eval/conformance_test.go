package eval

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/backendtest"
)

// The evaluator supports every program of the suite and passes.
func TestConformance(t *testing.T) {
	for _, g := range backendtest.Run(t, func(device string) (backends.Backend, error) { return open(device) }).Groups {
		require.Positive(t, g.Passed, g.Name)
		require.Zero(t, g.Unsupported, g.Name)
	}
}
