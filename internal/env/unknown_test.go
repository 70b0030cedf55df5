package env

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	names := []string{"LTC_SYNC", "LTC_CHECK", "LTC_CACHE", "LTC_MEMORY_CACHE_BYTES", "LTC_TRIM_GRAPH_SIZE"}
	for name, want := range map[string]string{
		"LTC_SNYC": "LTC_SYNC", "LTC_CHEKC": "LTC_CHECK", "LTC_CHECKS": "LTC_CHECK", "LTC_MEMORY_CACHE_SIZE": "LTC_MEMORY_CACHE_BYTES",
		"LTC_TRIM_GRAPHSIZE": "LTC_TRIM_GRAPH_SIZE", "LTC_X": "", "LTC_": "", "LTC_SOMETHING_ELSE": "", "LTC_CAHE": "LTC_CACHE",
	} {
		require.Equal(t, want, nearest(name, names), name)
	}
}

func TestUnknown(t *testing.T) {
	t.Setenv("LTC_CACHEDIR", "x")
	t.Setenv("LTC_EMPTY", "")
	t.Setenv("MY_LTC_CACHE", "x")
	t.Setenv(CacheDir.Name, "x")
	require.Equal(t, []Misnamed{{"LTC_CACHEDIR", "LTC_CACHE_DIR"}}, Unknown())
}
