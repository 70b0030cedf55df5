package metrics_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy/internal/metrics"
)

func TestMetricsArePrintedInTheirUnits(t *testing.T) {
	for _, c := range []struct {
		kind  metrics.Kind
		value float64
		want  string
	}{
		{metrics.Time, 1401746001, "01s401ms746.001us"},
		{metrics.Time, 0, "000.000us"},
		{metrics.Time, 999_999.9, "001ms000.000us"}, // rounded up to the next unit
		{metrics.Time, 5_000_000, "005ms000.000us"},
		{metrics.Time, 93_784e9 + 5e6 + 6007, "01d02h03m04s005ms006.007us"},
		{metrics.Time, -1500, "-001.500us"},
		{metrics.Bytes, 1.55 * (1 << 30), "1.55GB"},
		{metrics.Bytes, 12, "12.00B"},
		{metrics.Bytes, 1 << 62, "4096.00PB"},
		{metrics.Value, 12, "12.00"},
	} {
		require.Equal(t, c.want, c.kind.Format(c.value))
	}
}
