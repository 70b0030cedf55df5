package train

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A bar begins where the epoch is, ends full, and is removed.
func TestBar(t *testing.T) {
	var out strings.Builder
	b := NewBar(&out, "epoch 1/2", 4, 1)
	b.Add(1, Means{"loss": 1})
	b.Close()
	require.Empty(t, out.String(), "a builder is no terminal")

	b = NewBar(nil, "epoch 1/2", 4, 1)
	b.w = &out
	b.Add(1, Means{"loss": 1, "accuracy": 0.5})
	require.Equal(t, "\repoch 1/2 ["+strings.Repeat("=", 15)+strings.Repeat(" ", 15)+"] 2/4  loss 1.0000 accuracy 0.5000  0s left\x1b[K", out.String())
	out.Reset()
	b.Add(1, Means{"loss": 1}) // too soon to draw again
	require.Empty(t, out.String())
	b.Add(1, Means{"loss": 0.5})
	require.Contains(t, out.String(), "["+strings.Repeat("=", 30)+"] 4/4  loss 0.5000  0s left")
	out.Reset()
	b.Close()
	require.Equal(t, "\r\x1b[K", out.String())
}

// A buffer and the null device are no terminals.
func TestTerminal(t *testing.T) {
	require.False(t, Terminal(nil))
	require.False(t, Terminal(&strings.Builder{}))
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer null.Close()
	require.False(t, Terminal(null))
	if terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err == nil {
		defer terminal.Close()
		require.True(t, Terminal(terminal))
	}
}
