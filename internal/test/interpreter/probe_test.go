package interpreter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/soa"
)

// A probe that a loop runs twice, read again with the values it has seen.
const looped = `func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %one = stablehlo.constant dense<1> : tensor<i8>
  %two = stablehlo.constant dense<2> : tensor<i8>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i8>, tensor<2xf32> cond {
    %c = stablehlo.compare LT, %i, %two : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %p = "interpreter.probe"(%v) {probe_id = "v"} : (tensor<2xf32>) -> tensor<2xf32>
    %q = "interpreter.probe"(%i) {probe_id = "i"} : (tensor<i8>) -> tensor<i8>
    %j = stablehlo.add %q, %one : tensor<i8>
    %w = stablehlo.add %p, %p : tensor<2xf32>
    stablehlo.return %j, %w : tensor<i8>, tensor<2xf32>
  }
  "check.expect_serialized_eq"(%zero) {probe_id = "i"} : (tensor<i8>) -> ()
  "check.expect_serialized_eq"(%one) {probe_id = "i", iteration = 1 : ui32} : (tensor<i8>) -> ()
  "check.expect_serialized_eq"(%x) {probe_id = "v"} : (tensor<2xf32>) -> ()
  return %r#1 : tensor<2xf32>
}`

func runProbed(t *testing.T, p *Probes, text string) error {
	t.Helper()
	call := &backends.Call{Args: []soa.View{vec(t, []float32{1, 2}, 2)}}
	err := compile(t, text).Execute(WithProbes(context.Background(), p), call)
	if err == nil {
		require.Equal(t, []float32{4, 8}, soa.Slice[float32](call.Results[0]))
	}
	return err
}

// memory is a sink that keeps values.
type memory []Probed

func (m *memory) Put(id string, v Probed) error {
	if id == "refused" {
		return errors.New("full")
	}
	v.Data, v.Elem = slices.Clone(v.Data), id+" "+v.Elem // found again by it
	*m = append(*m, v)
	return nil
}

func (m *memory) Same(id string, iteration int, v Probed) error {
	v.Elem = id + " " + v.Elem
	for _, x := range *m {
		if x.Elem != v.Elem {
			continue
		}
		if iteration == 0 {
			if !cmp.Equal(x, v) {
				return fmt.Errorf("%v is not %v", v, x)
			}
			return nil
		}
		iteration--
	}
	return fmt.Errorf("no %q", id)
}

func TestProbe(t *testing.T) {
	var m memory
	require.NoError(t, runProbed(t, &Probes{Sink: &m}, looped))
	require.Equal(t, memory{
		{"tensor<2xf32>", "v f32", []int{2}, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}},
		{"tensor<i8>", "i i8", []int{}, []byte{0}},
		{"tensor<2xf32>", "v f32", []int{2}, []byte{0, 0, 0, 0x40, 0, 0, 0x80, 0x40}},
		{"tensor<i8>", "i i8", []int{}, []byte{1}},
	}, m)
}

func TestProbeErrors(t *testing.T) {
	require.ErrorContains(t, runProbed(t, &Probes{}, looped), "nothing keeps what probes see: see WithProbes")
	for _, c := range []struct{ old, new, want string }{
		{`iteration = 1 : ui32`, `iteration = 2 : ui32`, `no "i"`},
		{`iteration = 1 : ui32`, `iteration = 0 : ui32`, `is not`},
		{`(%x) {probe_id = "v"}`, `(%x) {probe_id = "i"}`, `no "i"`},
		{`(%v) {probe_id = "v"}`, `(%v) {probe_id = "refused"}`, "full"},
	} {
		require.ErrorContains(t, runProbed(t, &Probes{Sink: &memory{}}, strings.Replace(looped, c.old, c.new, 1)), c.want)
	}
}

func TestPrint(t *testing.T) {
	text := `func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[[[0, -1], [2, 3]], [[4, 0], [1, 2]]]> : tensor<2x2x2xi64>
  "interpreter.print"(%0) : (tensor<2x2x2xi64>) -> ()
  %1 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  "interpreter.print"(%1) : (tensor<ui64>) -> ()
  %2 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  "interpreter.print"(%2) : (tensor<2xi1>) -> ()
  %3 = stablehlo.constant dense<> : tensor<2x0xi4>
  "interpreter.print"(%3) : (tensor<2x0xi4>) -> ()
  %4 = stablehlo.constant dense<> : tensor<0x2xi8>
  "interpreter.print"(%4) : (tensor<0x2xi8>) -> ()
  %5 = stablehlo.constant dense<(3.14,-1.0)> : tensor<1xcomplex<f32>>
  "interpreter.print"(%5) : (tensor<1xcomplex<f32>>) -> ()
  %6 = stablehlo.constant dense<-3.0> : tensor<f16>
  "interpreter.print"(%6) : (tensor<f16>) -> ()
  %7 = stablehlo.constant dense<4.0> : tensor<2xf32>
  %8 = stablehlo.multiply %x, %7 : tensor<2xf32>
  return %8 : tensor<2xf32>
}`
	var out strings.Builder
	require.NoError(t, runProbed(t, &Probes{Out: &out}, text))
	require.Equal(t, `tensor<2x2x2xi64> {
  [
    [
      [0, -1],
      [2, 3]
    ],
    [
      [4, 0],
      [1, 2]
    ]
  ]
}
tensor<ui64> {18446744073709551615}
tensor<2xi1> {
  [true, false]
}
tensor<2x0xi4> {
  [
    [],
    []
  ]
}
tensor<0x2xi8> {
  []
}
tensor<1xcomplex<f32>> {
  [[3.140000e+00, -1.000000e+00]]
}
tensor<f16> {-3.000000e+00}
`, out.String())
	require.NoError(t, runProbed(t, &Probes{}, text))
}
