package reference

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/tiles"
	"ltc/ir/types"
	"ltc/soa"
)

// Products with quantized matrices are steps, and give in plain Go what the evaluator does.
func TestBlockDotSteps(t *testing.T) {
	for i, of := range kerneltest.BlockDots() {
		operands := blockDotOperands(t, of)
		want, got := onBoth(t, kerneltest.BlockDotText(of), backends.Options{Threads: 1 + i%2}, func(*backends.Signature) []soa.View { return operands })
		most := 0.0
		for _, x := range floats(want[0]) {
			most = max(most, math.Abs(x))
		}
		require.InDeltaSlice(t, soa.Slice[float32](want[0]), soa.Slice[float32](got[0]), 1e-5*most, "%+v", of)
	}
}

// A composite of this name is a step if its operands are those of a product; else its body runs.
func TestBlockDotClaim(t *testing.T) {
	of := kernel.BlockDot{Rows: 2, Groups: 3, Blocks: 4, Bits: 4, Offset: -8}
	text := kerneltest.BlockDotText(of)
	for name, c := range map[string]struct {
		text    string
		claimed bool
	}{
		"product":           {text, true},
		"another name":      {strings.ReplaceAll(text, kernel.BlockDotName, "quantized.dots"), false},
		"another attribute": {strings.ReplaceAll(text, "offset =", "offsets ="), false},
		"another offset":    {strings.ReplaceAll(text, "offset = -8", "offset = 1000"), false},
	} {
		p, err := backends.Load(t.Context(), backends.NewModule(c.text), backends.Options{})
		require.NoError(t, err, name)
		e, err := compileKernels(t.Context(), p, backends.Options{}, []kernel.Compiler{tiles.Compiler{}})
		require.NoError(t, err, name)
		claimed := 0
		for i := range e.(*compiled).steps {
			if _, ok := e.(*compiled).steps[i].bound.(*blockDotCode); ok {
				claimed++
			}
		}
		require.Equal(t, c.claimed, claimed == 1, name)
	}
}

// blockDotOperands returns operands of a step as its code has them.
func blockDotOperands(t testing.TB, of kernel.BlockDot) []soa.View {
	t.Helper()
	x, blocks := kerneltest.BlockDotOperands(of)
	return []soa.View{
		borrowed(t, x, types.F32, of.Rows, of.Blocks, kernel.BlockDotCodes),
		borrowed(t, blocks, types.U32, of.Groups, of.Blocks, of.Size()),
	}
}

func borrowed[T soa.Element](t testing.TB, elements []T, d types.DType, shape ...int) soa.View {
	t.Helper()
	v, err := soa.Borrow(elements, types.Of(d, shape...))
	require.NoError(t, err)
	return v
}
