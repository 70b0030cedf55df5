package native

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A chain calls kernels until one leaves zero in the byte that its link tests, and returns when
// its time has ended. Then it goes on with the link that follows.
func TestChain(t *testing.T) {
	im := loadTest(t, "kernels")
	affine := kernel(t, im, "affine")
	type args struct {
		n    int64
		x, y *float32
	}
	for _, budget := range []int64{1, 3, 1000} {
		x, y := []float32{0.1, 2, 3, 4}, make([]float32, 4)
		there, back := args{4, &x[0], &y[0]}, args{4, &y[0], &x[0]}
		more := (*bool)(unsafe.Pointer(&x[0])) // of infinity it is zero
		links := make([]Link, 2)
		links[0].Set(affine, unsafe.Pointer(&there), 1, nil, &links[1])
		links[1].Set(affine, unsafe.Pointer(&back), 1, more, &links[0])
		c := &Chain{At: &links[0]}

		wantX, wantY := []float32{0.1, 2, 3, 4}, make([]float32, 4)
		wantThere, wantBack := args{4, &wantX[0], &wantY[0]}, args{4, &wantY[0], &wantX[0]}
		calls := int64(0)
		for left := byte(1); left != 0; left = *(*byte)(unsafe.Pointer(&wantX[0])) {
			require.Zero(t, affine.Call(unsafe.Pointer(&wantThere)))
			require.Zero(t, affine.Call(unsafe.Pointer(&wantBack)))
			calls += 2
		}
		require.Greater(t, calls, int64(2))

		for done := int64(0); ; {
			ended, status := c.Run(budget)
			require.Zero(t, status)
			if ended {
				require.Less(t, calls-done, budget+1)
				break
			}
			require.Equal(t, &links[(done+budget)%2], c.At)
			done += budget
		}
		require.Equal(t, &links[1], c.At)
		require.Equal(t, wantX, x)
		require.Equal(t, wantY, y)
	}
}

// A chain ends after a link that nothing follows, and with the status of a kernel that fails.
func TestChainEnds(t *testing.T) {
	im := loadTest(t, "kernels")
	status := kernel(t, im, "status")
	words := []int64{0, 0, -5}
	links := make([]Link, 3)
	for i := range links {
		links[i].Set(status, unsafe.Pointer(&words[i]), 1, nil, nil)
	}
	c := &Chain{At: &links[0]}
	ended, code := c.Run(100)
	require.True(t, ended)
	require.Zero(t, code)
	require.Equal(t, &links[0], c.At)

	links[0].next, links[1].next = &links[1], &links[2]
	ended, code = c.Run(100)
	require.False(t, ended)
	require.EqualValues(t, -5, code)
	require.Equal(t, &links[2], c.At)

	c.At = &links[0]
	require.Zero(t, testing.AllocsPerRun(10, func() {
		c.At = &links[0]
		c.Run(1)
	}))
	im.Close()
	require.PanicsWithValue(t, "native: kernel called after its image was closed", func() { links[0].Set(status, nil, 1, nil, nil) })
}
