package mlirtext

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
)

// However long a token or a list of tokens, scanning it ends with its context.
func TestScanningEndsWithItsContext(t *testing.T) {
	done := make(chan struct{})
	close(done)
	literal := "dense<[" + strings.Repeat("1.0, ", bodyBytes) + "1.0]>"
	s := scanner{text: literal, line: 1, done: done}
	require.Equal(t, Token{tokBad, contextDone, mlir.Pos{Line: 1, Col: 1}}, s.next())
	s = scanner{text: literal, line: 1}
	require.Equal(t, Token{DenseToken, literal, mlir.Pos{Line: 1, Col: 1}}, s.next())

	s = scanner{text: strings.Repeat("1, ", bodyTokens), line: 1, done: done}
	n := 0
	for s.next().Type != tokBad {
		n++
		require.Less(t, n, bodyTokens)
	}
}
