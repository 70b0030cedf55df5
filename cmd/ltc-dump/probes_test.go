package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/interpreter"
	"ltc/internal/trials"
	"ltc/soa"
	"ltc/soa/npy"
)

const probing = `func.func @main(%x: tensor<2xf32>) {
  %0 = "interpreter.probe"(%x) {probe_id = "v"} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  %2 = "interpreter.probe"(%1) {probe_id = "v"} : (tensor<2xf32>) -> tensor<2xf32>
  "interpreter.print"(%2) : (tensor<2xf32>) -> ()
  "check.expect_serialized_eq"(%1) {probe_id = "v", iteration = 1 : ui32} : (tensor<2xf32>) -> ()
  return
}
`

// What probes see lies in files, which NumPy reads.
func TestProbes(t *testing.T) {
	trials.Sequential(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "p.mlir")
	require.NoError(t, os.WriteFile(file, []byte(probing), 0o644))
	out, status := output("run", file, "-input", "iota", "-probes", dir)
	require.Zero(t, status, out)
	require.Equal(t, "tensor<2xf32> {\n  [0.000000e+00, 2.000000e+00]\n}\n", out)
	index, err := os.ReadFile(filepath.Join(dir, "index.csv"))
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll("v,tensor<2xf32>,DIR/probe1.npy\nv,tensor<2xf32>,DIR/probe2.npy\n", "DIR", dir), string(index))
	v, err := npy.ReadFile(filepath.Join(dir, "probe2.npy"))
	require.NoError(t, err)
	require.Equal(t, []float32{0, 2}, soa.Slice[float32](v))

	out, status = output("run", file, "-input", "iota", "-probes", filepath.Join(dir, "none"))
	require.Equal(t, 1, status)
	require.Contains(t, out, "no such file or directory")
}

func TestProbesDiffer(t *testing.T) {
	trials.Sequential(t)
	p := &probes{dir: t.TempDir()}
	v := interpreter.Probed{Type: "tensor<f8E4M3>", Elem: "f8E4M3", Data: []byte{1}}
	require.NoError(t, p.Put("a", v))
	require.NoError(t, p.Same("a", 0, v))
	require.ErrorContains(t, p.Same("a", 1, v), `index.csv has no such record of probe "a"`)
	require.ErrorContains(t, p.Same("b", 0, v), `no such record of probe "b"`)
	other := v
	other.Data = []byte{2}
	require.ErrorContains(t, p.Same("a", 0, other), `what probe "a" saw, is not the operand`)
	other = v
	other.Type = "tensor<1xf8E4M3>"
	require.ErrorContains(t, p.Same("a", 0, other), `probe "a" saw tensor<f8E4M3>, the operand is tensor<1xf8E4M3>`)
}
