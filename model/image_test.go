package model_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/model"
	"ltc/soa"
)

// A model of images takes them as a column of NCHW, whole and in batches, dense and not,
// and gives images.
func TestImagesAreColumns(t *testing.T) {
	for _, name := range []string{"cpu", "eval"} {
		ctx := context.Background()
		dev, err := lazy.Open("cpu")
		require.NoError(t, err)
		kernel := dev.Variable("kernel", types.F32, 2, 3, 1, 1).Init(lazy.Constant(1))
		f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Conv(kernel, lazy.ConvOptions{}) })
		x, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 3, 4, 5)}}, "y")
		require.NoError(t, err)
		backend, err := backends.Open(name)
		require.NoError(t, err)
		m, err := model.New(ctx, backend, backends.NewModule(x.Text), x.Constants)
		require.NoError(t, err)

		for _, n := range []int{1, 5} {
			pixels := make([]float32, n*3*4*5)
			for i := range pixels {
				pixels[i] = float32(i % 17)
			}
			dense, err := soa.Borrow(pixels, types.Of(types.F32, n, 3, 4, 5))
			require.NoError(t, err)
			last, err := soa.Strided(pixels, types.Of(types.F32, n, 3, 4, 5), 0, []int{60, 1, 15, 3}) // NHWC in memory
			require.NoError(t, err)
			for _, images := range []soa.View{dense, last} {
				want := make([]float32, 0, n*2*4*5)
				at := func(i, c, h, w int) float32 {
					return pixels[i*images.Strides[0]+c*images.Strides[1]+h*images.Strides[2]+w*images.Strides[3]]
				}
				for i := range n * 2 * 4 * 5 {
					b, h, w := i/40, i/5%4, i%5
					want = append(want, at(b, 0, h, w)+at(b, 1, h, w)+at(b, 2, h, w))
				}
				got := make([]float32, n*2*4*5)
				result, err := soa.Borrow(got, types.Of(types.F32, n, 2, 4, 5))
				require.NoError(t, err)
				in, out := soa.NewCollection(n), soa.NewCollection(n)
				require.NoError(t, in.AddBatched("x", 2, soa.ViewColumn("x", images)))
				require.NoError(t, out.AddBatched("y", 2, soa.ViewColumn("y", result)))
				b := m.Bind(in, out)
				for batch := range in.Batches() {
					require.NoError(t, b.Run(ctx, nil, batch))
				}
				require.Equal(t, want, got, name)

				clear(got)
				in, out = soa.NewCollection(n), soa.NewCollection(n)
				require.NoError(t, in.Add("x", soa.ViewColumn("x", images)))
				require.NoError(t, out.Add("y", soa.ViewColumn("y", result)))
				require.NoError(t, m.Bind(in, out).Run(ctx, nil, 0))
				require.Equal(t, want, got, name)
			}
		}
	}
}
