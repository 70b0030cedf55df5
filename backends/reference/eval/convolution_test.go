package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// convCase is a convolution of one spatial dimension, with lhs [batch,
// position, feature], rhs [position, input feature, output feature].
type convCase struct {
	batch, size, features            int
	kernel, cin, cout                int
	stride, base, dilation           int
	low, high                        int
	featureGroups, batchGroups, outs int
	reversed                         bool
}

func randomConv(r *rand.Rand) convCase {
	c := convCase{
		size: 1 + r.IntN(7), kernel: 1 + r.IntN(3), cin: 1 + r.IntN(3), stride: 1 + r.IntN(2), base: 1 + r.IntN(2), dilation: 1 + r.IntN(2),
		low: r.IntN(4) - 1, high: r.IntN(4) - 1, featureGroups: 1, batchGroups: 1, reversed: r.IntN(2) == 0,
	}
	switch r.IntN(4) {
	case 0:
		c.featureGroups = 1 + r.IntN(3)
	case 1:
		c.batchGroups = 1 + r.IntN(3)
	case 2: // each window one position
		c.kernel, c.stride, c.base, c.low, c.high = 1, 1, 1, 0, 0
	}
	groups := c.featureGroups * c.batchGroups
	c.cout = groups * (1 + r.IntN(3))
	if r.IntN(4) == 0 {
		c.cin, c.cout = 1, groups
	}
	c.batch, c.features = c.batchGroups*(1+r.IntN(2)), c.cin*c.featureGroups
	padded := (c.size-1)*c.base + 1 + c.low + c.high
	if window := (c.kernel-1)*c.dilation + 1; window <= padded {
		c.outs = (padded-window)/c.stride + 1
	}
	return c
}

func (c convCase) text() string {
	return fmt.Sprintf(`func.func public @main(%%a: tensor<%dx%dx%dxf32>, %%b: tensor<%dx%dx%dxf32>) -> tensor<OUTxf32> {
  %%0 = "stablehlo.convolution"(%%a, %%b) <{window_strides = array<i64: %d>, lhs_dilation = array<i64: %d>, rhs_dilation = array<i64: %d>,
    padding = dense<[[%d, %d]]> : tensor<1x2xi64>, window_reversal = array<i1: %t>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = %d : i64, batch_group_count = %d : i64}> : (tensor<%[1]dx%[2]dx%[3]dxf32>, tensor<%[4]dx%[5]dx%[6]dxf32>) -> tensor<OUTxf32>
  return %%0 : tensor<OUTxf32>
}`, c.batch, c.size, c.features, c.kernel, c.cin, c.cout, c.stride, c.base, c.dilation, c.low, c.high, c.reversed, c.featureGroups, c.batchGroups)
}

// naive follows the specification's words: pad, slice, reverse, multiply, add.
func (c convCase) naive(lhs, rhs []float32) []float32 {
	images, groups := c.batch/c.batchGroups, c.featureGroups*c.batchGroups
	out := make([]float32, images*c.outs*c.cout)
	for n := range images {
		for p := range c.outs {
			for o := range c.cout {
				g, sum := o/(c.cout/groups), float32(0)
				image, feature := n, g*c.cin
				if c.batchGroups > 1 {
					image, feature = g*images+n, 0
				}
				for k := range c.kernel {
					at := p*c.stride + k*c.dilation - c.low
					if at < 0 || at%c.base != 0 || at/c.base >= c.size {
						continue
					}
					tap := k
					if c.reversed {
						tap = c.kernel - 1 - k
					}
					for i := range c.cin {
						sum += lhs[(image*c.size+at/c.base)*c.features+feature+i] * rhs[(tap*c.cin+i)*c.cout+o]
					}
				}
				out[(n*c.outs+p)*c.cout+o] = sum
			}
		}
	}
	return out
}

// Random convolutions of small integers, which f32 adds exactly, against loops.
func TestConvolutionNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		c := randomConv(r)
		lhs, rhs := make([]float32, c.batch*c.size*c.features), make([]float32, c.kernel*c.cin*c.cout)
		for _, s := range [][]float32{lhs, rhs} {
			for i := range s {
				s[i] = float32(r.IntN(9) - 4)
			}
		}
		shape := []int{c.batch / c.batchGroups, c.outs, c.cout}
		text := strings.ReplaceAll(c.text(), "OUT", fmt.Sprintf("%dx%dx%d", shape[0], shape[1], shape[2]))
		e := compile(t, text)
		call := &backends.Call{
			Args:    []soa.View{vec(t, lhs, c.batch, c.size, c.features), vec(t, rhs, c.kernel, c.cin, c.cout)},
			Results: []soa.View{soa.Make(types.Of(types.F32, shape...))},
		}
		require.NoError(t, e.Execute(context.Background(), call))
		require.Equal(t, c.naive(lhs, rhs), soa.Slice[float32](call.Results[0]), text)
	}
}
