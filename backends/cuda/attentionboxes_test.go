package cuda

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// picks is attention whose queries and keys have one feature each that is not 0, so that
// a query gives the mean of the values of the keys that have its feature, or of all that
// it sees, if none of them does: sums of small integers times 1, exact on any GPU.
type picks struct {
	elements              types.DType
	heads, groups         int
	queries, keys         int
	features, valueLength int
	causal                bool
}

func (p *picks) text() string {
	d := p.elements
	q, k := fmt.Sprintf("tensor<2x%dx%dx%dx%v>", p.heads, p.queries, p.features, d), fmt.Sprintf("tensor<2x%dx%dx%dx%v>", p.groups, p.keys, p.features, d)
	v, y := fmt.Sprintf("tensor<2x%dx%dx%dx%v>", p.groups, p.keys, p.valueLength, d), fmt.Sprintf("tensor<2x%dx%dx%dx%v>", p.heads, p.queries, p.valueLength, d)
	causal := map[bool]int{true: 1}[p.causal]
	return fmt.Sprintf(`module {
  func.func public @main(%%q: %[1]s, %%k: %[2]s, %%v: %[3]s) -> %[4]s {
    %%0 = stablehlo.composite "ltc.attention" %%q, %%k, %%v {composite_attributes = {causal = %[5]d : i64, scale = 1.250000e-01 : f64}, decomposition = @d} : (%[1]s, %[2]s, %[3]s) -> %[4]s
    return %%0 : %[4]s
  }
  func.func private @d(%%q: %[1]s, %%k: %[2]s, %%v: %[3]s) -> %[4]s {
    %%0 = stablehlo.constant dense<1.000000e+00> : %[4]s
    return %%0 : %[4]s
  }
}`, q, k, v, y, causal)
}

func (p *picks) round(x float64) uint16 {
	if p.elements == types.F16 {
		return uint16(types.ToFloat16(x))
	}
	return uint16(types.ToBFloat16(x))
}

// view makes a view of bits that f gives.
func (p *picks) view(heads, rows, features int, f func(n, i, x int) float64) soa.View {
	v := soa.Make(types.Of(types.U16, 2, heads, rows, features))
	all := soa.Slice[uint16](v)
	for at := range all {
		all[at] = p.round(f(at/(rows*features), at/features%rows, at%features))
	}
	v.Type = types.Of(p.elements, 2, heads, rows, features)
	return v
}

// feature is which one a query of a head has.
func (p *picks) feature(n, i int) int { return (i*5 + n + 3) % p.features }

func (p *picks) value(n, j, x int) float64 { return float64((j*7+x*3+n)%15 - 7) }

func (p *picks) args() []soa.View {
	one := func(x, feature int) float64 {
		if x == feature {
			return 64
		}
		return 0
	}
	return []soa.View{
		p.view(p.heads, p.queries, p.features, func(n, i, x int) float64 { return one(x, p.feature(n, i)) }),
		p.view(p.groups, p.keys, p.features, func(n, j, x int) float64 { return one(x, j%p.features) }),
		p.view(p.groups, p.keys, p.valueLength, p.value),
	}
}

func (p *picks) want() []uint16 {
	var all []uint16
	for n := range 2 * p.heads {
		group := n / (p.heads / p.groups)
		for i := range p.queries {
			seen, own, some := p.keys, []int(nil), []int(nil)
			if p.causal {
				seen = i + p.keys - p.queries + 1
			}
			for j := range seen {
				some = append(some, j)
				if j%p.features == p.feature(n, i) {
					own = append(own, j)
				}
			}
			if len(own) == 0 {
				own = some
			}
			for x := range p.valueLength {
				sum := 0.0
				for _, j := range own {
					sum += p.value(group, j, x)
				}
				all = append(all, p.round(float64(float32(sum)*(1/float32(len(own))))))
			}
		}
	}
	return all
}

// On GPUs of sm_90a attention is left to warpgroups where tensor maps reach what it
// reads, and else to warps. Results are exact, wherever operands are.
func TestAttentionBoxes(t *testing.T) {
	b := hopper(t)
	for _, c := range trials.First([]struct {
		picks
		boxed bool
		off   int // bytes from where memory begins
	}{
		{picks{types.BF16, 1, 1, 200, 328, 128, 128, true}, true, 0},
		{picks{types.F16, 2, 1, 130, 130, 64, 64, true}, true, 16},
		{picks{types.BF16, 2, 1, 7, 300, 64, 128, false}, true, 0},
		{picks{types.F16, 1, 1, 129, 70, 96, 40, false}, true, 0},
		{picks{types.BF16, 2, 1, 70, 70, 128, 128, true}, true, 8},
		{picks{types.BF16, 1, 1, 40, 70, 20, 64, false}, false, 0},
		{picks{types.BF16, 1, 1, 40, 70, 160, 64, false}, false, 0},
	}) {
		t.Run(fmt.Sprintf("%v/%d of %d/%dx%d of %d and %d/%v at %d", c.elements, c.heads, c.groups, c.queries, c.keys, c.features, c.valueLength, c.causal, c.off), func(t *testing.T) {
			e := compile(t, b, c.text(), backends.Options{})
			require.Len(t, e.steps, 1)
			require.Equal(t, c.boxed, e.steps[0].boxed != nil)
			args := c.args()
			for i, a := range args {
				args[i] = moved(t, b, a, c.off)
			}
			result := moved(t, b, soa.Make(types.Of(c.elements, 2, c.heads, c.queries, c.valueLength)), c.off/4)
			got := soa.Make(types.Of(c.elements, 2, c.heads, c.queries, c.valueLength))
			require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: args, Results: []soa.View{result}}))
			require.NoError(t, soa.Copy(got, result))
			got.Type = types.Of(types.U16, got.Type.Shape...)
			require.Equal(t, c.want(), soa.Slice[uint16](got))
			r := e.take(b.dev.home)
			defer e.give(r)
			if c.boxed {
				require.Equal(t, c.off%16 == 0, r.launches[0] == r.boxed[0].launch)
			}
		})
	}
}
