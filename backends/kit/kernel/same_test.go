package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
)

// What two stages compute is the same where they are over as many points, and load the
// same elements, to which nothing is stored.
func TestSame(t *testing.T) {
	const head = "kernel k(x: f32[n0, n1] strides [*, 1], w: f32[n0, n1] strides [*, 1], out y: f32[n0, n1] strides [*, 1]) {\n  for i < n0\n"
	for _, c := range []struct {
		name, a, b string
		size       string // of the second stage
		want       bool
	}{
		{"loads", "%0 = load x[i, j]", "%2 = load x[i, j]", "n1", true},
		{"loads of two operands", "%0 = load x[i, j]", "%2 = load w[i, j]", "n1", false},
		{"loads at two places", "%0 = load x[i, j]", "%2 = load x[i, -1*j + 7]", "n1", false},
		{"loads of other rows", "%0 = load x[i, j]", "%2 = load x[0, j]", "n1", false},
		{"loads of what is stored to", "%0 = load y[i, j]", "%2 = load y[i, j]", "n1", false},
		{"loads, one of them guarded", "%0 = load x[i, j]", "%7 = constant 1.0 : f32\n %2 = load x[i, j] else %7", "n1", false},
		{"of fewer points", "%0 = load x[i, j]", "%2 = load x[i, j]", "8", false},
		{"ops", "%6 = load x[i, j]\n %0 = tanh %6 : f32", "%7 = load x[i, j]\n %2 = tanh %7 : f32", "n1", true},
		{"two ops", "%6 = load x[i, j]\n %0 = tanh %6 : f32", "%7 = load x[i, j]\n %2 = sqrt %7 : f32", "n1", false},
		{"constants", "%6 = load x[i, j]\n %8 = constant 2.0 : f32\n %0 = multiply %6, %8 : f32",
			"%7 = load x[i, j]\n %9 = constant 2.0 : f32\n %2 = multiply %7, %9 : f32", "n1", true},
		{"two constants", "%6 = load x[i, j]\n %8 = constant 2.0 : f32\n %0 = multiply %6, %8 : f32",
			"%7 = load x[i, j]\n %9 = constant 3.0 : f32\n %2 = multiply %7, %9 : f32", "n1", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := head + "  stage j < n1 {\n" + c.a + "\n%1 = reduce maximum %0\n}\n  stage j < " + c.size + " {\n" + c.b +
				"\n%3 = subtract %2, %1 : f32\nstore y[i, j], %3\n}\n}\n"
			k, err := kernel.Parse(text)
			require.NoError(t, err)
			require.NoError(t, kernel.Verify(k))
			var x, y kernel.ID
			for id := range k.Instrs {
				switch i := &k.Instrs[id]; i.Op {
				case kernel.Reduce:
					x = i.Args[0]
				case kernel.Subtract:
					y = i.Args[0]
				}
			}
			require.Equal(t, c.want, k.Same(x, y))
			require.True(t, k.Same(x, x))
		})
	}
}
