package lazy

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/optest"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy/internal/philox"
)

// bitsOf draws from a fresh stream on a device.
func bitsOf(t *testing.T, device string, seed uint64, words int) []uint32 {
	dev, err := Open(device)
	require.NoError(t, err)
	tr := NewTrace(dev)
	x := NewRandom(dev, seed).Bits(tr, words)
	require.NoError(t, tr.MarkStep(x))
	bits, err := ToSlice[uint32](x)
	require.NoError(t, err)
	return bits
}

// A million draws are the same on every device, for ever: models' results
// depend on them.
func TestRandomBitsAreGolden(t *testing.T) {
	trials.Sequential(t)
	const seed, words = 42, 1_000_000
	const golden = "429cc3f9dbcf4bf692638b5de7fd149f84b5e7ff29831d98abd37dd1c9c34592"
	hash := func(bits []uint32) string {
		b := make([]byte, 0, 4*len(bits))
		for _, w := range bits {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		sum := sha256.Sum256(b)
		return hex.EncodeToString(sum[:])
	}
	host := make([]uint32, 0, words)
	for block := uint64(0); len(host) < words; block++ {
		w := philox.At(seed, block)
		host = append(host, w[:]...)
	}
	require.Equal(t, golden, hash(host))
	for _, device := range []string{"cpu", "eval"} {
		require.Equal(t, golden, hash(bitsOf(t, device, seed, words)), device)
	}
}

func TestRandomStreams(t *testing.T) {
	dev, err := Open("eval")
	require.NoError(t, err)
	tr := NewTrace(dev)
	draw := func(r *Random, words int) []uint32 {
		x := r.Bits(tr, words)
		require.NoError(t, tr.MarkStep(x))
		bits, err := ToSlice[uint32](x)
		require.NoError(t, err)
		return bits
	}
	whole := bitsOf(t, "eval", 7, 16)
	r := NewRandom(dev, 7)
	require.Equal(t, whole[:8], draw(r, 8))
	require.Equal(t, whole[8:], draw(r, 8))
	require.Len(t, tr.Report().Compiles, 1, "where the stream stands is an argument")
	// A draw takes whole blocks of four words.
	r = NewRandom(dev, 7)
	require.Equal(t, whole[:3], draw(r, 3))
	require.Equal(t, whole[4:9], draw(r, 5))
	require.Equal(t, whole[12:13], draw(r, 1))
	require.NotEqual(t, whole[:8], draw(NewRandom(dev, 8), 8))
	require.Empty(t, draw(r, 0))
}

func TestUniform(t *testing.T) {
	trials.Sequential(t)
	const n = 40_000
	dev, err := Open("eval")
	require.NoError(t, err)
	for _, c := range []struct {
		dtype types.DType
		step  float64
	}{{F32, 0x1p-24}, {F64, 0x1p-53}, {F16, 0x1p-11}, {BF16, 0x1p-8}} {
		t.Run(c.dtype.String(), func(t *testing.T) {
			tr := NewTrace(dev)
			x := NewRandom(dev, 1).Uniform(tr, c.dtype, n/4, 4)
			require.Equal(t, types.Of(c.dtype, n/4, 4), x.Type())
			x = x.Convert(F64)
			require.NoError(t, tr.MarkStep(x))
			xs, err := ToSlice[float64](x)
			require.NoError(t, err)
			sum, squares := 0.0, 0.0
			var bins [16]int
			for _, u := range xs {
				require.True(t, u >= 0 && u < 1, "%v", u)
				require.Equal(t, math.Trunc(u/c.step), u/c.step, "%v is no multiple of the step", u)
				sum, squares = sum+u, squares+u*u
				bins[int(16*u)]++
			}
			// Five standard deviations, around means that lie half a step low.
			require.InDelta(t, 0.5-c.step/2, sum/n, 5*math.Sqrt(1.0/12/n))
			require.InDelta(t, 1.0/3-c.step/2, squares/n, 5*math.Sqrt(4.0/45/n))
			for i, k := range bins {
				require.InDelta(t, n/16, k, 5*math.Sqrt(n/16), "bin %d", i)
			}
		})
	}
}

// Initializers draw the numbers that Uniform gives as f64.
func TestHostStreamIsUniform(t *testing.T) {
	dev, err := Open("eval")
	require.NoError(t, err)
	tr := NewTrace(dev)
	x := NewRandom(dev, 99).Uniform(tr, F64, 9)
	require.NoError(t, tr.MarkStep(x))
	want, err := ToSlice[float64](x)
	require.NoError(t, err)
	s := philox.Stream{Key: 99}
	for i := range want {
		require.Equal(t, want[i], s.Uniform(), "number %d", i)
	}
}

func TestInitializers(t *testing.T) {
	const n = 20_000
	draw := func(seed uint64, variable int, f Initializer) []float64 {
		dev, err := Open("eval", Seed(seed))
		require.NoError(t, err)
		for range variable {
			dev.Variable("other", F32, 1)
		}
		v, err := dev.Variable("w", F64, n/4, 4).Init(f).Value()
		require.NoError(t, err)
		x, err := optest.FromView(v)
		require.NoError(t, err)
		xs := make([]float64, n)
		for i, e := range x.Elems {
			xs[i] = e.F
		}
		return xs
	}
	moments := func(xs []float64) (mean, deviation float64) {
		for _, x := range xs {
			mean += x / n
		}
		for _, x := range xs {
			deviation += (x - mean) * (x - mean) / n
		}
		return mean, math.Sqrt(deviation)
	}
	mean, deviation := moments(draw(1, 0, Normal(3, 0.5)))
	require.InDelta(t, 3, mean, 5*0.5/math.Sqrt(n))
	require.InDelta(t, 0.5, deviation, 5*0.5/math.Sqrt(2*n))
	mean, deviation = moments(draw(1, 0, HeNormal()))
	require.InDelta(t, 0, mean, 0.001)
	require.InDelta(t, math.Sqrt(2.0/(n/4)), deviation, 0.001)
	mean, deviation = moments(draw(1, 0, Uniform(-1, 3)))
	require.InDelta(t, 1, mean, 5*4/math.Sqrt(12*n))
	require.InDelta(t, 4/math.Sqrt(12), deviation, 0.05)

	normal := Normal(0, 1)
	require.Equal(t, draw(1, 0, normal), draw(1, 0, normal))
	require.NotEqual(t, draw(1, 0, normal)[:4], draw(2, 0, normal)[:4], "seeds differ")
	require.NotEqual(t, draw(1, 0, normal)[:4], draw(1, 1, normal)[:4], "every variable has its own stream")
	require.Equal(t, 2.5, draw(1, 0, Constant(2.5))[n-1])
}
