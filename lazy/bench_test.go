package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/null"
	"ltc/lazy"
)

func mix(x, y *lazy.Tensor) *lazy.Tensor {
	return x.Add(y).Mul(y).ReLU().MatMul(y)
}

func recordMix(b *testing.B, steps int) (*lazy.Trace, func() *lazy.Tensor) {
	dev, err := lazy.Open("null")
	require.NoError(b, err)
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, make([]float32, 64), 8, 8)
	y := lazy.From(tr, make([]float32, 64), 8, 8)
	return tr, func() *lazy.Tensor {
		z := x
		for range steps {
			z = mix(z, y)
		}
		return z
	}
}

// Recording 1000 ops, an op: x+y, x*y, relu, x@y.
func BenchmarkRecordMix(b *testing.B) {
	tr, record := recordMix(b, 250)
	tr.Reuse(false)
	b.ReportAllocs()
	for b.Loop() {
		record()
		b.StopTimer()
		require.NoError(b, tr.MarkStep())
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/record")
}

// A step of 100 ops on a backend that runs nothing: what the library costs.
func BenchmarkStep100(b *testing.B) {
	tr, record := recordMix(b, 25)
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, tr.MarkStep(record()))
	}
}

// https://github.com/pytorch/xla/issues/5280: tracing took longer than running.
// Recording an op allocates its handle; a step that an earlier one has recorded
// already allocates nothing for each op.
func TestRecordingAllocatesOneHandle(t *testing.T) {
	for name, c := range map[string]struct {
		reuse bool
		want  float64 // an op
	}{"first": {false, 1.1}, "again": {true, 0.05}} {
		t.Run(name, func(t *testing.T) {
			dev, err := lazy.Open("null", lazy.Threads(1))
			require.NoError(t, err)
			tr := lazy.NewTrace(dev)
			tr.Reuse(c.reuse)
			x := lazy.From(tr, make([]float32, 64), 8, 8)
			perStep := testing.AllocsPerRun(100, func() {
				z := x
				for range 25 {
					z = mix(z, x)
				}
				_ = tr.MarkStep()
			})
			require.LessOrEqual(t, perStep/100, c.want)
		})
	}
}
