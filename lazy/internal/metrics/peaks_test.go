package metrics

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A watch sees what is run until it ends, and overlaps others.
func TestPeaks(t *testing.T) {
	var p Peaks
	p.Raise(5)
	first := p.Watch()
	p.Raise(3)
	second := p.Watch()
	p.Raise(2)
	require.Equal(t, int64(3), first())
	p.Forget()
	p.Raise(4)
	require.Equal(t, int64(4), second())
	require.Equal(t, int64(3), first())
	require.Equal(t, int64(4), p.Most())
	require.Nil(t, p.watches.Load())
}
