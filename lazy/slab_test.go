package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// Small results of steps that run in the background and of reads meanwhile lie
// in different memory.
func TestReadsBesideSteps(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, make([]float32, bigSize))
	var sums, reads []*lazy.Tensor
	for i := range 200 {
		sum := x.AddScalar(float64(i)).Mean()
		require.NoError(t, tr.MarkStep(sum))
		read := lazy.Full(tr, lazy.F32, float64(-i)).Neg()
		value(t, read)
		sums, reads = append(sums, sum), append(reads, read)
	}
	for i := range sums {
		require.Equal(t, float64(i), sums[i].Float())
		require.Equal(t, float64(i), reads[i].Float())
	}
}
