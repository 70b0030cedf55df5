package exported

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/samples"
	"ltc/lazy"
	"ltc/soa"
)

// imported returns a program's results in a trace, and its arguments there.
func imported(t *testing.T, tr *lazy.Trace, name string) (args, results []*lazy.Tensor) {
	f, err := lazy.Import(name+".mlir", text(t, name))
	require.NoError(t, err)
	for _, v := range arrays(t, name+".in.npz", "arr_") {
		args = append(args, lazy.FromView(tr, v))
	}
	return args, f.CallAll(args...)
}

func trace(t *testing.T, backend string) *lazy.Trace {
	dev, err := lazy.Open(backend)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return lazy.NewTrace(dev)
}

func requireClose(t *testing.T, got []*lazy.Tensor, want []soa.View) {
	require.Len(t, got, len(want))
	for i, y := range got {
		v, err := y.Value()
		require.NoError(t, err)
		d, err := samples.Differ(v, want[i])
		require.NoError(t, err, "result %d", i)
		require.LessOrEqual(t, d.Size, tolerance, "result %d: %+v", i, d)
	}
}

// Imported programs give what JAX has computed.
func TestImported(t *testing.T) {
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			for _, backend := range []string{"eval", "cpu"} {
				tr := trace(t, backend)
				_, results := imported(t, tr, name)
				require.NoError(t, tr.MarkStep(results...))
				requireClose(t, results, arrays(t, name+".out.npz", "out"))
			}
		})
	}
}

// The gradients of an imported loss are those that JAX has computed: its programs give the loss
// and then the gradients of the first arguments.
func TestGradientsOfImported(t *testing.T) {
	for _, name := range []string{"convnet_grad", "embedding_grad", "lstm_grad"} {
		t.Run(name, func(t *testing.T) {
			tr := trace(t, "cpu")
			args, results := imported(t, tr, name)
			want := arrays(t, name+".out.npz", "out")
			grads := lazy.Grad(results[0], args[:len(want)-1]...)
			require.NoError(t, tr.MarkStep(grads...))
			requireClose(t, grads, want[1:])
		})
	}
}
