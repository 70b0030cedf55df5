package cublaslt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/cublaslt"
	"ltc/backends/cuda/driver"
	"ltc/backends/cuda/libraries"
	"ltc/internal/test/cudafake"
)

// Libraries that are of other versions than those known, or lack a function, are refused.
func TestVersions(t *testing.T) {
	for _, c := range []struct {
		version, newest int
		without, want   string
	}{
		{130100, 13, "", ""},
		{120803, 12, "", ""},
		{120803, 13, "", ""},
		{110601, 13, "", "a table is of version 11.6.1, and those from 12 to 13 are known"},
		{140000, 14, "", "a table is of version 14.0.0, and those from 12 to 13 are known"},
		{130100, 12, "", "a table is of version 13.1.0, and the driver is for CUDA 12: install a newer driver, or an older library"},
		{130100, 13, "cublasLtMatmul", "a table is of version 13.1.0 but has no cublasLtMatmul"},
		{130100, 13, "cublasLtGetVersion", "a table has no cublasLtGetVersion"},
	} {
		f := cudafake.New(cudafake.Options{CuBLASLt: c.version})
		l, err := cublaslt.Use(func(name string) uintptr {
			if name == c.without {
				return 0
			}
			return f.Lookup(name)
		}, c.newest)
		if c.want == "" {
			require.NoError(t, err)
			require.Equal(t, "a table", l.Path())
		} else {
			require.ErrorIs(t, err, cublaslt.ErrVersion)
			require.ErrorContains(t, err, c.want)
		}
		require.NoError(t, f.Close())
	}
}

// on calls a function with the library on a fake's device, whose context is current.
func on(t *testing.T, f *cudafake.Fake, do func(l *cublaslt.Library, q *driver.Stream)) {
	d, err := f.Open()
	require.NoError(t, err)
	dev, err := d.Device(0)
	require.NoError(t, err)
	ctx, err := dev.Retain()
	require.NoError(t, err)
	require.NoError(t, ctx.Enter())
	q, err := ctx.NewStream(0)
	require.NoError(t, err)
	l, err := f.Products()
	require.NoError(t, err)
	do(l, q)
	require.NoError(t, q.Destroy())
	ctx.Leave()
	require.NoError(t, ctx.Release())
}

var square = cublaslt.Matrix{Type: cublaslt.F32, Rows: 4, Columns: 4, Stride: 4}

func plain() *cublaslt.Problem {
	return &cublaslt.Problem{A: square, B: square, D: square, Products: 1, Compute: cublaslt.ComputeF32, Epilogue: cublaslt.Plain, Align: 16}
}

// Each call that fails says which it was, and leaves nothing behind.
func TestStatuses(t *testing.T) {
	for _, call := range []string{"cublasLtCreate", "cublasLtMatmulDescCreate", "cublasLtMatmulDescSetAttribute", "cublasLtMatrixLayoutCreate", "cublasLtMatrixLayoutSetAttribute",
		"cublasLtMatmulPreferenceCreate", "cublasLtMatmulPreferenceSetAttribute", "cublasLtMatmulAlgoGetHeuristic"} {
		f := cudafake.New(cudafake.Options{})
		on(t, f, func(l *cublaslt.Library, q *driver.Stream) {
			f.Fail(call, 0, driver.Code(cublaslt.AllocFailed))
			h, err := l.Create()
			if err == nil {
				p := plain()
				p.Products, p.A.Apart, p.B.Apart, p.D.Apart = 2, 16, 16, 16
				_, err = h.Algorithm(*p, 1<<20)
				require.NoError(t, h.Destroy())
			}
			require.ErrorIs(t, err, cublaslt.AllocFailed)
			var of *libraries.Error
			require.ErrorAs(t, err, &of)
			require.Equal(t, call, of.Call)
		})
		require.NoError(t, f.Close(), call)
	}
	require.EqualError(t, cublaslt.Status(99), "status 99")
	require.EqualError(t, &libraries.Error{Library: "cublasLt", Call: "f", Status: cublaslt.NotSupported}, "cublasLt: f: CUBLAS_STATUS_NOT_SUPPORTED (15)")
}

// The library is asked once for each shape.
func TestAlgorithms(t *testing.T) {
	f := cudafake.New(cudafake.Options{})
	on(t, f, func(l *cublaslt.Library, q *driver.Stream) {
		h, err := l.Create()
		require.NoError(t, err)
		p, other := plain(), plain()
		other.TransA = true
		for range 3 {
			a, err := h.Algorithm(*p, 1<<20)
			require.NoError(t, err)
			require.Positive(t, a.Workspace)
			_, err = h.Algorithm(*other, 1<<20)
			require.NoError(t, err)
			_, err = h.Algorithm(*p, 0)
			require.ErrorIs(t, err, cublaslt.NotSupported)
		}
		require.EqualValues(t, 3, f.Calls("cublasLtMatmulAlgoGetHeuristic"))
		require.NoError(t, h.Destroy())
	})
	require.NoError(t, f.Close())
}

// What no program may do is refused, and the fake says what it was.
func TestMisuse(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(p *cublaslt.Problem, o *cublaslt.Operands)
		want string
	}{
		{"rows", func(p *cublaslt.Problem, o *cublaslt.Operands) { p.B.Rows = 5 }, "columns of matrix 1 are 4 elements apart and have 5|matrix 1 has 5 rows"},
		{"stride", func(p *cublaslt.Problem, o *cublaslt.Operands) { p.A.Stride = 3 }, "columns of matrix 0 are 3 elements apart and have 4"},
		{"apart", func(p *cublaslt.Problem, o *cublaslt.Operands) { p.Products = 2 }, "matrices 2 are 0 elements apart"},
		{"align", func(p *cublaslt.Problem, o *cublaslt.Operands) { o.A += 8 }, "matrix 0 at 0x[0-9a-f]+, no multiple of 16"},
		{"besides", func(p *cublaslt.Problem, o *cublaslt.Operands) { o.Workspace += 16 }, "no multiple of 256"},
		{"bias", func(p *cublaslt.Problem, o *cublaslt.Operands) { p.Epilogue, o.Bias = cublaslt.Bias, 0 }, "no bias"},
		{"bias's address", func(p *cublaslt.Problem, o *cublaslt.Operands) { p.Epilogue, o.Bias = cublaslt.Bias, o.Bias+4 }, "a bias at 0x[0-9a-f]+, no multiple of 16"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := cudafake.New(cudafake.Options{})
			on(t, f, func(l *cublaslt.Library, q *driver.Stream) {
				h, err := l.Create()
				require.NoError(t, err)
				p, o := plain(), &cublaslt.Operands{A: 1 << 20, B: 2 << 20, D: 3 << 20, Bias: 4 << 20, Workspace: 5 << 20}
				c.do(p, o)
				a, err := h.Algorithm(*p, 1<<20)
				if err == nil {
					x, bad := h.New(p, a)
					require.NoError(t, bad)
					err = x.Queue(q.Handle(), o)
					require.NoError(t, x.Destroy())
				}
				require.ErrorIs(t, err, cublaslt.InvalidValue)
				require.NoError(t, h.Destroy())
				require.ErrorIs(t, h.Destroy(), cublaslt.InvalidValue, "twice")
			})
			wrong := f.Forgive()
			require.Len(t, wrong, 2)
			require.Regexp(t, c.want, wrong[0].Text)
			require.Equal(t, cudafake.UseAfterFree, wrong[1].Kind)
			require.NoError(t, f.Close())
		})
	}
	// An algorithm for another shape is none.
	f := cudafake.New(cudafake.Options{})
	on(t, f, func(l *cublaslt.Library, q *driver.Stream) {
		h, err := l.Create()
		require.NoError(t, err)
		a, err := h.Algorithm(*plain(), 1<<20)
		require.NoError(t, err)
		p := plain()
		p.TransB = true
		x, err := h.New(p, a)
		require.NoError(t, err)
		require.ErrorIs(t, x.Queue(q.Handle(), &cublaslt.Operands{A: 1 << 20, B: 2 << 20, D: 3 << 20, Workspace: 5 << 20}), cublaslt.InvalidValue)
		require.NoError(t, errorsOf(x.Destroy(), h.Destroy()))
	})
	require.Contains(t, f.Forgive()[0].Text, "an algorithm for another shape")
	require.NoError(t, f.Close())
}

func errorsOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}
