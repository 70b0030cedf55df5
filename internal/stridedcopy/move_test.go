package stridedcopy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEqualOrdersAreContiguous(t *testing.T) {
	m := NewMove(4, []int{4, 1, 6, 2}, []int{12, 12, 2, 1}, []int{12, 0, 2, 1})
	require.True(t, m.Contiguous())
	require.False(t, NewMove(4, []int{4, 6}, []int{6, 1}, []int{1, 4}).Contiguous())
}
