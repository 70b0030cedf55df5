package vars_test

import (
	"encoding/json"
	"expvar"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/null"
	"ltc/lazy"
	"ltc/lazy/vars"
)

func TestExpvarShowsMetrics(t *testing.T) {
	a, err := lazy.Open("null")
	require.NoError(t, err)
	b, err := lazy.Open("null")
	require.NoError(t, err)
	first, second := vars.Publish(a), vars.Publish(b)
	require.Equal(t, "ltc.null", first)
	require.Equal(t, "ltc.null#2", second, "names are unique")
	require.Equal(t, first, vars.Publish(a), "publishing again does not panic")

	lazy.From(lazy.NewTrace(b), []float32{1}).Exp()
	counters := func(name string) map[string]int64 {
		var m struct{ Counters map[string]int64 }
		require.NoError(t, json.Unmarshal([]byte(expvar.Get(name).String()), &m))
		return m.Counters
	}
	require.NotContains(t, counters(first), "lazy::exp")
	require.Equal(t, int64(1), counters(second)["lazy::exp"])
}
