package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
)

func TestShare(t *testing.T) {
	for _, c := range []struct {
		n    int64
		ends []int64
	}{
		{7, []int64{7}},
		{7, []int64{3, 5, 7}},
		{6, []int64{3, 6}},
		{2, []int64{1, 2, 2}},
		{0, []int64{0, 0}},
	} {
		next := int64(0)
		for part, end := range c.ends {
			call := kernel.Call{Part: part, Parts: len(c.ends)}
			from, to := call.Share(c.n)
			require.Equal(t, []int64{next, end}, []int64{from, to}, "part %d of %d in %d", part, c.n, len(c.ends))
			next = to
		}
	}
}
