package types

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every value of the 16-bit formats survives the way up and down, and the
// midpoint between two neighbours rounds to the even one.
func TestHalfRoundTrip(t *testing.T) {
	for i := range 1 << 16 {
		h, b := Float16(i), BFloat16(i)
		if f := h.Float32(); f == f {
			require.Equal(t, h, ToFloat16(float64(f)))
		} else {
			g := ToFloat16(float64(f)).Float32()
			require.True(t, g != g)
		}
		if f := b.Float32(); f == f {
			require.Equal(t, b, ToBFloat16(float64(f)))
		} else {
			g := ToBFloat16(float64(f)).Float32()
			require.True(t, g != g)
		}
	}
	for i := range 0x7bff {
		lo, hi := float64(Float16(i).Float32()), float64(Float16(i+1).Float32())
		even := Float16(i + i&1)
		require.Equal(t, even, ToFloat16((lo+hi)/2), i)
		require.Equal(t, Float16(i), ToFloat16(math.Nextafter((lo+hi)/2, 0)), i)
		require.Equal(t, Float16(i+1), ToFloat16(math.Nextafter((lo+hi)/2, 1e9)), i)
	}
	for i := range 0x7f7f {
		lo, hi := float64(BFloat16(i).Float32()), float64(BFloat16(i+1).Float32())
		require.Equal(t, BFloat16(i+i&1), ToBFloat16((lo+hi)/2), i)
		require.Equal(t, BFloat16(i), ToBFloat16(math.Nextafter((lo+hi)/2, 0)), i)
		require.Equal(t, BFloat16(i+1), ToBFloat16(math.Nextafter((lo+hi)/2, 1e39)), i)
	}
	require.Equal(t, Float16(0x7c00), ToFloat16(math.Inf(1)))
	require.Equal(t, BFloat16(0x7f80), ToBFloat16(1e300))
	require.Equal(t, Float16(0x8000), ToFloat16(math.Copysign(0, -1)))
}

func TestParseType(t *testing.T) {
	for _, s := range []string{"f32[]", "bool[0,3]", "bf16[2,3,4]", "u64[1]"} {
		typ, err := ParseType(s)
		require.NoError(t, err)
		require.Equal(t, s, typ.String())
	}
	for _, s := range []string{"", "f32", "f33[]", "f32[", "f32[-1]", "f32[01]", "f32[1,]", "invalid[]",
		"f64[9223372036854775807]", "u8[4294967296,4294967296]"} {
		_, err := ParseType(s)
		require.Error(t, err, s)
	}
}
