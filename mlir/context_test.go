package mlir

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// However long a token or a list of tokens, scanning it ends with its context.
func TestScanEnds(t *testing.T) {
	done := make(chan struct{})
	close(done)
	literal := "dense<[" + strings.Repeat("1.0, ", bodyBytes) + "1.0]>"
	s := scanner{text: literal, line: 1, done: done}
	require.Equal(t, token{tokBad, contextDone, Pos{1, 1}}, s.next())
	s = scanner{text: literal, line: 1}
	require.Equal(t, token{tokDense, literal, Pos{1, 1}}, s.next())

	s = scanner{text: strings.Repeat("1, ", bodyTokens), line: 1, done: done}
	n := 0
	for s.next().Type != tokBad {
		n++
		require.Less(t, n, bodyTokens)
	}
}

func TestParseContext(t *testing.T) {
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(context.Background())
	m, err := ParseContext(ctx, "a.mlir", constantText(10, false))
	require.NoError(t, err)
	require.Len(t, m.Ops, 1)
	cancel(gone)
	_, err = ParseContext(ctx, "a.mlir", "\n"+constantText(10, false))
	require.ErrorIs(t, err, gone)
	require.EqualError(t, err, "a.mlir: parse ended on line 2: gone")
}
