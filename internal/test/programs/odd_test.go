package programs

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Odd programs have what their name says, and a seed stands for one of them.
func TestOdd(t *testing.T) {
	empty, sorts := 0, 0
	for seed := range uint64(1000) {
		of := func() string { return Odd(rand.New(rand.NewPCG(seed, 4)), 3+int(seed%20)).Text }
		text := of()
		require.Equal(t, text, of())
		if strings.Contains(text, "tensor<0x") || strings.Contains(text, "x0x") {
			empty++
		}
		sorts += strings.Count(text, "stablehlo.sort")
	}
	require.Greater(t, empty, 300)
	require.Greater(t, sorts, 300)
}
