package cudnn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/cudnn"
	"ltc/backends/cuda/driver"
	"ltc/backends/cuda/libraries"
	"ltc/internal/cudafake"
)

// Libraries that are of other versions than the one known, for a later CUDA, or lack a
// function, are refused.
func TestVersions(t *testing.T) {
	for _, c := range []struct {
		version, newest int
		without, want   string
	}{
		{90000, 13, "", ""},
		{92600, 14, "", ""},
		{8907, 13, "", "a table is of version 8.9.7, and 9 is known"},
		{100100, 13, "", "a table is of version 10.1.0, and 9 is known"},
		{91002, 12, "", "a table is for CUDA 13, and the driver for CUDA 12: install a newer driver, or an older library"},
		{91002, 13, "cudnnConvolutionForward", "a table is of version 9.10.2 but has no cudnnConvolutionForward"},
		{91002, 13, "cudnnGetVersion", "a table has no cudnnGetVersion"},
	} {
		f := cudafake.New(cudafake.Options{CuDNN: c.version})
		l, err := cudnn.Use(func(name string) uintptr {
			if name == c.without {
				return 0
			}
			return f.Lookup(name)
		}, c.newest)
		if c.want == "" {
			require.NoError(t, err)
			require.Equal(t, "a table", l.Path())
		} else {
			require.ErrorIs(t, err, cudnn.ErrVersion)
			require.ErrorContains(t, err, c.want)
		}
		require.NoError(t, f.Close())
	}
}

// on calls a function with the library on a fake's device, whose context is current.
func on(t *testing.T, f *cudafake.Fake, do func(l *cudnn.Library, q *driver.Stream)) {
	d, err := f.Open()
	require.NoError(t, err)
	dev, err := d.Device(0)
	require.NoError(t, err)
	ctx, err := dev.Retain()
	require.NoError(t, err)
	require.NoError(t, ctx.Enter())
	q, err := ctx.NewStream(0)
	require.NoError(t, err)
	l, err := f.Convolutions()
	require.NoError(t, err)
	do(l, q)
	require.NoError(t, q.Destroy())
	ctx.Leave()
	require.NoError(t, ctx.Release())
}

// plain is a convolution of two images 5x6 with 8 features.
func plain() *cudnn.Problem {
	return &cudnn.Problem{Type: cudnn.F32, Math: cudnn.FMA, Dimensions: 2, Groups: 1,
		X:      cudnn.Images{Images: 2, Features: 8, Size: [3]int32{5, 6}, Apart: 240, Stride: [3]int32{48, 8}},
		Y:      cudnn.Images{Images: 2, Features: 16, Size: [3]int32{5, 6}, Apart: 480, Stride: [3]int32{96, 16}},
		Window: [3]int32{3, 3}, Pad: [3]int32{1, 1}, Stride: [3]int32{1, 1}, Dilation: [3]int32{1, 1}}
}

// Each call that fails says which it was, and leaves nothing behind.
func TestStatuses(t *testing.T) {
	for _, call := range []string{"cudnnCreate", "cudnnCreateTensorDescriptor", "cudnnSetTensorNdDescriptor", "cudnnCreateFilterDescriptor", "cudnnSetFilterNdDescriptor",
		"cudnnCreateConvolutionDescriptor", "cudnnSetConvolutionNdDescriptor", "cudnnSetConvolutionMathType", "cudnnSetConvolutionGroupCount",
		"cudnnGetConvolutionForwardAlgorithm_v7", "cudnnGetConvolutionForwardWorkspaceSize"} {
		f := cudafake.New(cudafake.Options{})
		on(t, f, func(l *cudnn.Library, q *driver.Stream) {
			f.Fail(call, 0, driver.Code(cudnn.AllocFailed))
			h, err := l.Create()
			if err == nil {
				_, err = h.Algorithm(*plain(), 1<<20)
				require.NoError(t, h.Destroy())
			}
			require.ErrorIs(t, err, cudnn.AllocFailed)
			require.ErrorIs(t, err, cudnn.InternalError, "which it is one of")
			require.NotErrorIs(t, err, cudnn.NotSupported)
			var of *libraries.Error
			require.ErrorAs(t, err, &of)
			require.Equal(t, call, of.Call)
		})
		require.NoError(t, f.Close(), call)
	}
	require.EqualError(t, cudnn.Status(99), "status 99")
	require.EqualError(t, &libraries.Error{Library: "cudnn", Call: "f", Status: cudnn.NotSupported + 2}, "cudnn: f: CUDNN_STATUS_NOT_SUPPORTED (3002)")
	require.NotErrorIs(t, cudnn.NotSupported, cudnn.NotSupported+2, "only what is more general")
}

// The library is asked once for each shape, and of what it offers only what adds up
// products in one order is taken.
func TestAlgorithms(t *testing.T) {
	f := cudafake.New(cudafake.Options{})
	on(t, f, func(l *cudnn.Library, q *driver.Stream) {
		h, err := l.Create()
		require.NoError(t, err)
		p, other := plain(), plain()
		other.Type, other.Math = cudnn.BF16, cudnn.Tensor
		for range 3 {
			a, err := h.Algorithm(*p, 1<<20)
			require.NoError(t, err)
			require.Positive(t, a.Workspace)
			_, err = h.Algorithm(*other, 1<<20)
			require.NoError(t, err)
			_, err = h.Algorithm(*p, 16)
			require.ErrorIs(t, err, cudnn.NotSupported)
			require.ErrorContains(t, err, "a convolution of 2 images f32 5x6x8 to 5x6x16 by windows 3x3")
		}
		require.EqualValues(t, 3, f.Calls("cudnnGetConvolutionForwardAlgorithm_v7"))
		require.NoError(t, h.Destroy())
	})
	require.NoError(t, f.Close())
}

// What no program may do is refused, and the fake says what it was.
func TestMisuse(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(p *cudnn.Problem, o *cudnn.Operands)
		want string
	}{
		{"rows that overlap", func(p *cudnn.Problem, o *cudnn.Operands) { p.X.Stride[0] = 40 }, `places \[2 8 5 6\] of images lie \[240 1 40 8\] apart`},
		{"results that overlap", func(p *cudnn.Problem, o *cudnn.Operands) { p.Y.Apart = 479 }, `of results \[2 16 5 6\] \[479 1 96 16\]`},
		{"no stride", func(p *cudnn.Problem, o *cudnn.Operands) { p.X.Stride[1] = 0 }, "cudnnSetTensorNdDescriptor: number 3 is 0"},
		{"results", func(p *cudnn.Problem, o *cudnn.Operands) { p.Pad[1] = 0 }, "dimension 1 has 4 results, not 6"},
		{"a window longer than what it goes through", func(p *cudnn.Problem, o *cudnn.Operands) {
			p.Pad[0], p.Dilation[0], p.Stride[0], p.Y.Size[0] = 0, 3, 4, 1
		}, "the window is longer than dimension 0 with what is around it"},
		{"images", func(p *cudnn.Problem, o *cudnn.Operands) { p.Y.Images = 1 }, "2 images, and 1 results"},
		{"groups", func(p *cudnn.Problem, o *cudnn.Operands) { p.Groups = 3 }, "in 3 groups, for 8 to 16"},
		{"padding", func(p *cudnn.Problem, o *cudnn.Operands) { p.Pad[0] = -1 }, "cudnnSetConvolutionNdDescriptor: number 0 is -1"},
		{"align", func(p *cudnn.Problem, o *cudnn.Operands) { o.W += 8 }, "operand 1 at 0x[0-9a-f]+, no multiple of 16"},
		{"besides", func(p *cudnn.Problem, o *cudnn.Operands) { o.Workspace += 16 }, "no multiple of 256"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := cudafake.New(cudafake.Options{})
			on(t, f, func(l *cudnn.Library, q *driver.Stream) {
				h, err := l.Create()
				require.NoError(t, err)
				p, o := plain(), &cudnn.Operands{X: 1 << 20, W: 2 << 20, Y: 3 << 20, Workspace: 5 << 20}
				c.do(p, o)
				a, err := h.Algorithm(*p, 1<<20)
				if err == nil {
					x, bad := h.New(p, a)
					require.NoError(t, bad)
					err = x.Queue(q.Handle(), o)
					require.NoError(t, x.Destroy())
				}
				require.ErrorIs(t, err, cudnn.BadParam)
				require.NoError(t, h.Destroy())
				require.ErrorIs(t, h.Destroy(), cudnn.BadParam, "twice")
			})
			wrong := f.Forgive()
			require.Len(t, wrong, 2)
			require.Regexp(t, c.want, wrong[0].Text)
			require.Equal(t, cudafake.UseAfterFree, wrong[1].Kind)
			require.NoError(t, f.Close())
		})
	}
}
