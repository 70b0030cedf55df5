package programs

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A seed stands for one program, and every seed for some.
func TestLarge(t *testing.T) {
	for seed := range uint64(3000) {
		of := func() Program { return Large(rand.New(rand.NewPCG(seed, 4)), 1+int(seed%40), 3000<<(seed%6)) }
		p := of()
		require.Equal(t, p, of())
		require.NotEmpty(t, p.Near)
	}
	p := Large(rand.New(rand.NewPCG(30897, 3)), 4+30897%40, 3000<<(30897%6)) // its first op is a product
	require.NotEmpty(t, p.Text)
}
