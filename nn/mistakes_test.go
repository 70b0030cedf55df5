package nn_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/ops"
	"ltc/lazy"
	"ltc/nn"
)

// mistake is a bad call and what its error says.
type mistake struct {
	want string
	y    *lazy.Tensor
}

// A call that breaks a rule is an error with the op, the types, the rule and the line. Each demand
// that a function of the package checks has a case.
func TestMistakes(t *testing.T) {
	tr := trace(t, "cpu")
	labels := map[string]bool{}
	for _, m := range slices.Concat(badActivations(tr)) {
		require.ErrorContains(t, m.y.Err(), m.want)
		require.ErrorContains(t, m.y.Err(), "_test.go:")
		var e *lazy.OpError
		require.True(t, errors.As(m.y.Err(), &e))
		labels[e.Label] = true
	}
	for _, o := range ops.PackageRows("nn") {
		for i, d := range o.Where {
			if label := fmt.Sprintf("%s_c%d", o.Mnemonic(), len(o.Operands)+i+1); !o.Attribute(d.Name) {
				require.True(t, labels[label], "no bad call breaks %s: %s", label, d.Text)
			}
		}
	}
}

// of returns zeros.
func of(tr *lazy.Trace, dims ...int) *lazy.Tensor { return lazy.Zeros(tr, lazy.F32, dims...) }

func badActivations(tr *lazy.Trace) []mistake {
	f, i := of(tr, 3), lazy.Zeros(tr, lazy.I32, 1)
	return []mistake{
		{"nn.silu(i32[1]): x must be floating point, is i32; convert it with Convert (nn.silu_c1)", nn.SiLU(i)},
		{"nn.elu(f32[3]): alpha is NaN, must be a finite number (nn.elu_c2)", nn.ELU(f, math.NaN())},
		{"nn.glu(f32[3]): axis 1 is not one of [3] (nn.glu_c2)", nn.GLU(f, 1)},
		{"nn.glu(f32[3]): the dimension of axis 0 of f32[3] is 3, must be even (nn.glu_c3)", nn.GLU(f, -1)},
		{"nn.celu(f32[3]): alpha is 0, which x is divided by (nn.celu_c3)", nn.CELU(f, 0)},
		{"nn.softplus(f32[3]): beta is 0, which is divided by (nn.softplus_c4)", nn.Softplus(f, 0, 1)},
		{"nn.soft_shrink(f32[3]): lambda is -1, must not be negative (nn.soft_shrink_c3)", nn.SoftShrink(f, -1)},
		{"nn.hard_tanh(f32[3]): low is 2 and high 1: it must be at least low (nn.hard_tanh_c4)", nn.HardTanh(f, 2, 1)},
		{"nn.prelu(f32[2,3], f32[2]): weight must be a scalar or have one axis, of 1 or 3 elements (nn.prelu_c3)", nn.PReLU(of(tr, 2, 3), of(tr, 2))},
		{"nn.rrelu(f32[3], f32[2]): slopes must broadcast to [3] (nn.rrelu_c3)", nn.RReLU(f, of(tr, 2))},
	}
}
