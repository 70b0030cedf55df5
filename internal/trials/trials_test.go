package trials

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSoak(t *testing.T) {
	t.Setenv("LTC_SOAK", "")
	require.False(t, Soaking())
	require.Equal(t, Of(60), Soak(60, 100_000))
	for part, want := range map[string]int{"1": 100_000, "0.1": 10_000, "1e-9": 1, "2": 200_000} {
		t.Setenv("LTC_SOAK", part)
		require.True(t, Soaking())
		require.Equal(t, want, Soak(60, 100_000), part)
	}
	for _, part := range []string{"0", "-1", "yes", "NaN", "Inf"} {
		t.Setenv("LTC_SOAK", part)
		require.Panics(t, func() { Soak(60, 100_000) }, part)
	}
}

func TestOf(t *testing.T) {
	short := flag.Lookup("test.short")
	before := short.Value.String()
	t.Cleanup(func() { require.NoError(t, flag.Set(short.Name, before)) })

	require.NoError(t, flag.Set(short.Name, "true"))
	require.True(t, Few())
	require.Equal(t, []int{6, 1, 1}, []int{Of(60), Of(19), Of(3)})
	require.Equal(t, []int{7}, First([]int{7, 8, 9}))
	require.Empty(t, First([]int(nil)))

	require.NoError(t, flag.Set(short.Name, "false"))
	require.Equal(t, Race, Few())
	if !Race {
		require.Equal(t, []int{60, 19, 3}, []int{Of(60), Of(19), Of(3)})
		require.Equal(t, []int{7, 8, 9}, First([]int{7, 8, 9}))
	}
}
