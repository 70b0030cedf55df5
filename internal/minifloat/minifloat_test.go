package minifloat

import (
	"hash/crc32"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// What ml_dtypes 0.6.0 makes of these numbers.
func TestPowersOfTwoRoundUpAndHaveNoZero(t *testing.T) {
	m, _, _ := Of("f8E8M0FNU")
	for _, c := range []struct {
		f    float64
		want uint64
	}{
		{0, 255}, {math.Copysign(0, -1), 255}, {-1, 255}, {math.Inf(1), 255}, {math.Inf(-1), 255}, {math.NaN(), 255},
		{0x1p-149, 0}, {0x1p-127, 0}, {0x1.7ffffep-127, 0}, {0x1.8p-127, 1}, {1, 127}, {1.5, 128}, {3, 129}, {6, 130},
		{0x1.7ffffep127, 254}, {0x1.8p127, 255},
	} {
		require.Equal(t, c.want, m.Bits(c.f), c.f)
	}
}

// The formats without a NaN make a zero of it, of the other sign.
func TestNaNBecomesZeroWhereThereIsNone(t *testing.T) {
	for _, name := range []string{"f4E2M1FN", "f6E2M3FN", "f6E3M2FN"} {
		m, bits, _ := Of(name)
		require.Equal(t, uint64(1)<<(bits-1), m.Bits(math.NaN()), name)
		require.Equal(t, uint64(0), m.Bits(math.Copysign(math.NaN(), -1)), name)
	}
}

// Every number of a format, every midpoint of two and the numbers of f32 beside
// it are rounded as ml_dtypes 0.6.0 does: the checksums are of its bytes.
func TestNarrowFloatsRoundAsMLDtypes(t *testing.T) {
	for name, want := range roundingSums {
		m, bits, _ := Of(name)
		var got []byte
		round := func(f float64) { got = append(got, byte(m.Bits(float64(float32(f))))) }
		last := math.NaN()
		for code := range uint64(1) << bits {
			v := m.Value(code)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				last = math.NaN()
				continue
			}
			round(v)
			if mid := float32((v + last) / 2); math.Abs(float64(mid)) >= 0x1p-126 { // of less, ml_dtypes rounds subnormal numbers of f32 up
				round(float64(mid))
				round(float64(math.Nextafter32(mid, float32(math.Inf(1)))))
				round(float64(math.Nextafter32(mid, float32(math.Inf(-1)))))
			}
			last = v
		}
		require.Equal(t, want, crc32.ChecksumIEEE(got), name)
	}
}

// roundingSums was made with ml_dtypes, in the order of the test.
var roundingSums = map[string]uint32{
	"f4E2M1FN":      0x3a7d954d,
	"f6E2M3FN":      0x55a45b07,
	"f6E3M2FN":      0x5576f562,
	"f8E3M4":        0xc3f724de,
	"f8E4M3":        0xaefde042,
	"f8E4M3FN":      0x41e88372,
	"f8E4M3FNUZ":    0x215039e8,
	"f8E4M3B11FNUZ": 0x215039e8,
	"f8E5M2":        0x8834ee22,
	"f8E5M2FNUZ":    0x215039e8,
	"f8E8M0FNU":     0xc2260657,
}
