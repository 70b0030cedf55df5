package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	"ltc/lazy"
)

// The kernels of a program are measured when that is asked for, and say which
// line recorded them.
func TestProfile(t *testing.T) {
	record := func(dev *lazy.Device) []lazy.ProgramProfile {
		tr := lazy.NewTrace(dev)
		w := dev.Variable("w", lazy.F32, 3, 4)
		for range 3 {
			x := lazy.From(tr, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
			loss := x.MatMul(w).Tanh().Sum()
			w.Sub_(lazy.Grad(loss, w)[0])
			require.NoError(t, tr.MarkStep(loss))
			_, err := loss.Value()
			require.NoError(t, err)
		}
		return dev.Profile()
	}
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	require.Empty(t, record(dev), "nobody asked")

	for name, open := range map[string]func() (*lazy.Device, error){
		"option":   func() (*lazy.Device, error) { return lazy.Open("cpu", lazy.Profiled()) },
		"variable": func() (*lazy.Device, error) { t.Setenv("LTC_PROFILE", "1"); return lazy.Open("cpu") },
	} {
		t.Run(name, func(t *testing.T) {
			dev, err := open()
			require.NoError(t, err)
			all := record(dev)
			require.Len(t, all, 1)
			p := all[0]
			require.Positive(t, p.Total)
			require.Positive(t, p.Ops)
			s := p.Steps[0]
			require.EqualValues(t, 3, s.Runs)
			require.Contains(t, s.What, "matmul f32")
			require.Regexp(t, `profile_test\.go:\d+ dot_general`, s.Place)
			writes := ""
			for _, s := range p.Steps {
				writes += s.Place
			}
			require.Contains(t, writes, "→ w")
			require.Contains(t, p.String(), "matmul f32")
		})
	}

	dev, err = lazy.Open("eval", lazy.Profiled())
	require.NoError(t, err)
	require.Empty(t, record(dev), "the evaluator does not measure")
}
