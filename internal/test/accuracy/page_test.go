package accuracy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A machine without AVX-512 writes the page, too.
func TestKept(t *testing.T) {
	said := "head\n| `erf` | 1.24 | 1.64 | 1.72 | old words |\n| `tan` | 0.51 | 0.52 | 0.53 | x |\n"
	text := "head\n| `erf` | 0.00 | 1.60 | 1.80 | new words |\n| `new` | 0.00 | 0.50 | 0.50 | y |\n| `tan` | 0.50 | 0.00 | 0.54 | x |\n"
	require.Equal(t, "head\n| `erf` | 1.24 | 1.60 | 1.80 | new words |\n| `new` | 0.00 | 0.50 | 0.50 | y |\n| `tan` | 0.50 | 0.52 | 0.54 | x |\n", kept(text, said))
}
