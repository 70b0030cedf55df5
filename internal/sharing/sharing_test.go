package sharing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

func TestDisjoint(t *testing.T) {
	all := soa.Make(types.Of(types.F32, 6, 2))
	part := func(start, limit int) soa.View {
		v, err := all.Slice(0, start, limit, 1)
		require.NoError(t, err)
		return v
	}
	for _, c := range []struct {
		name string
		v, w soa.View
		want bool
	}{
		{"side by side", part(0, 3), part(3, 6), true},
		{"the other way round", part(3, 6), part(0, 3), true},
		{"a row in common", part(0, 4), part(3, 6), false},
		{"one in the other", part(0, 6), part(2, 3), false},
		{"other memory", part(0, 6), soa.Make(types.Of(types.F32, 6, 2)), true},
	} {
		require.Equal(t, c.want, Disjoint(&c.v, &c.w), c.name)
	}
	columns, err := all.Slice(1, 0, 1, 1)
	require.NoError(t, err)
	other := soa.Make(types.Of(types.F32, 6, 1))
	require.False(t, Disjoint(&columns, &other), "nothing is said of views that are not dense")
}
