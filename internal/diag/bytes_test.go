package diag

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBytesHasTheLargestUnit(t *testing.T) {
	for n, want := range map[int]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 3 << 30: "3.0 GiB",
		math.MaxInt: "8.0 EiB", -1: "8.0 EiB",
	} {
		require.Equal(t, want, Bytes(n))
	}
}
