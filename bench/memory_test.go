package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// What a program needs besides its arguments is known before it runs, to 5 %:
// all that its first run makes is what the plan says, be it on one thread or on
// several.
func TestPlannedMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for name, record := range map[string]recorded{
		"ew_gelu":          geluOf(1 << 19).forward,
		"softmax":          softmaxRows(1024, 512).forward,
		"softmax_grad":     softmaxRows(1024, 512).backward,
		"layernorm_grad":   layerNormRows(1024, 512).backward,
		"sum0":             sumColumns(1024, 1024).forward,
		"transpose":        transposed(1024, 1024).forward,
		"matmul":           matMul(384, lazy.F32).forward,
		"matmul_grad":      matMul(384, lazy.F32).backward,
		"bf16matmul":       matMul(384, lazy.BF16).forward,
		"linear_gelu":      linearGELU(256, 256, 1024).forward,
		"linear_gelu_grad": linearGELU(256, 256, 1024).backward,
		"encoder":          encoder{1, 128, 384, 12, 1536}.program().forward,
		"conv":             convolution{1, 28, 64, 64, 3, 1}.program().forward,
		"conv_grad":        convolution{1, 28, 64, 64, 3, 1}.program().backward,
		"train_mlp":        mlpOf(64, 784, 512, 256, 10),
		"train_cnn":        measuredCNN.step,
	} {
		for _, threads := range []int{1, 3} {
			t.Run(name, func(t *testing.T) {
				text := textOf(t, record)
				planned, made := memoryOf(t, text, threads)
				t.Logf("%d threads: planned %s, made %s", threads, diag.Bytes(int64(planned)), diag.Bytes(int64(made)))
				// Beside it, some pages of what is small: pointers, calls.
				require.InDelta(t, planned, made, 0.05*float64(planned)+32<<10)
			})
		}
	}
}

// The same holds of programs that others have exported. Set LTC_PROGRAMS to a directory
// to examine those in it.
func TestPlannedMemoryOfExports(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	files, err := filepath.Glob("../testdata/exported/*.mlir")
	require.NoError(t, err)
	if dir := os.Getenv("LTC_PROGRAMS"); dir != "" {
		files, err = filepath.Glob(filepath.Join(dir, "*.mlir"))
		require.NoError(t, err)
	}
	require.NotEmpty(t, files)
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			planned, made := memoryOf(t, string(text), 1)
			t.Logf("planned %s, made %s", diag.Bytes(int64(planned)), diag.Bytes(int64(made)))
			// Beside it, the pointers and records of calls and loops.
			require.InDelta(t, planned, made, 0.05*float64(planned)+192<<10)
		})
	}
}

func (c cnn) step(_ *testing.T, dev *lazy.Device) (*lazy.Trace, []*lazy.Tensor) {
	m := c.trainer(dev)
	m.record()
	return m.tr, []*lazy.Tensor{m.loss}
}

func mlpOf(batch int, widths ...int) recorded {
	return func(_ *testing.T, dev *lazy.Device) (*lazy.Trace, []*lazy.Tensor) {
		m := newMLP(dev, batch, widths...)
		m.record()
		return m.tr, []*lazy.Tensor{m.loss}
	}
}

func textOf(t *testing.T, record recorded) string {
	t.Helper()
	dev, err := lazy.Open("null")
	require.NoError(t, err)
	tr, roots := record(t, dev)
	text, err := tr.Dump(lazy.FormatStableHLO, roots...)
	require.NoError(t, err)
	return text
}

// memoryOf returns the bytes that a program's plan says and those that its first
// run asks for. Nothing of them is given back before its end.
func memoryOf(t *testing.T, text string, threads int) (planned, made int) {
	t.Helper()
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	e, err := cpu.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: threads})
	require.NoError(t, err)
	require.Implements(t, (*backends.Sized)(nil), e)
	planned = e.(backends.Sized).WorkspaceBytes()
	sig, c := e.Signature(), &backends.Call{}
	for _, a := range sig.Args {
		c.Args = append(c.Args, soa.Make(a.Type))
	}
	for _, r := range sig.Results {
		if r.Alias < 0 {
			planned += r.Type.Bytes()
		}
	}
	c.Alloc = func(t types.Type) soa.View { return soa.Make(t) }
	c.Results = make([]soa.View, len(sig.Results))
	if tiered, ok := e.(backends.Tiered); ok { // what compiles kernels takes memory as well
		require.NoError(t, tiered.Finish(t.Context()))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, e.Execute(context.Background(), c))
	runtime.ReadMemStats(&after)
	return planned, int(after.TotalAlloc - before.TotalAlloc)
}
