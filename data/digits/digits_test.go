package digits

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/data"
)

func TestLoad(t *testing.T) {
	table := Load()
	require.Equal(t, 1797, table.Rows)
	require.Equal(t, Label+1, table.Cols)
	require.Equal(t, []float32{0, 0, 5. / 16, 13. / 16, 9. / 16, 1. / 16, 0, 0}, table.Row(0)[:8])
	require.Equal(t, []int32{0, 1, 2, 3}, data.Gather[int32](nil, table, []int{0, 1, 2, 3}, Label, Label+1))
	require.Equal(t, float32(9), slices.Max(table.Column(Label)))
	require.Equal(t, float32(1), slices.Max(data.Gather[float32](nil, table, data.All(table.Rows), 0, Pixels)))

	table.Row(0)[0] = 7 // the caller's own
	require.Zero(t, Load().Row(0)[0])
}
