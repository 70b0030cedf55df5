package diag

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"0 operands":      Count(0, "operand"),
		"1 operand":       Count(1, "operand"),
		"2 operands":      Count(uint64(2), "operand"),
		"-1 bytes":        Count(int64(-1), "byte"),
		"1 axis":          Count(1, "axis"),
		"2 spatial axes":  Count(2, "spatial axis"),
		"3 start indices": Count(3, "start index"),
		"4 matrices":      Count(4, "matrix"),
		"2 entries":       Count(2, "entry"),
		"2 keys":          Count(2, "key"),
		"2 arrays":        Count(2, "array"),
		"2 batches":       Count(2, "batch"),
		"2 hashes":        Count(2, "hash"),
		"2 classes":       Count(2, "class"),
		"2 boxes":         Count(2, "box"),
	} {
		require.Equal(t, want, got)
	}
}
