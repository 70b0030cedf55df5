package cuda

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// picks is attention whose queries and keys have one feature each that is not 0. A query
// gives the mean of the values of the keys that have its feature, or of all that it sees,
// if none of them does. These are sums of small integers times 1, exact on any GPU.
type picks struct {
	elements              types.DType
	heads, groups         int
	queries, keys         int
	features, valueLength int
	causal                bool
	// mask is of bool, which hides some keys of each batch, or of numbers, which adds -∞
	// to their scores; Invalid: there is none.
	mask types.DType
}

func (p *picks) text() string {
	d := p.elements
	q, k := fmt.Sprintf("tensor<2x%dx%dx%dx%v>", p.heads, p.queries, p.features, d), fmt.Sprintf("tensor<2x%dx%dx%dx%v>", p.groups, p.keys, p.features, d)
	v, y := fmt.Sprintf("tensor<2x%dx%dx%dx%v>", p.groups, p.keys, p.valueLength, d), fmt.Sprintf("tensor<2x%dx%dx%dx%v>", p.heads, p.queries, p.valueLength, d)
	causal := map[bool]int{true: 1}[p.causal]
	arg, wide, all := "", "", ""
	if p.mask != types.Invalid {
		d := map[types.DType]string{types.Bool: "i1", types.F32: "f32", types.BF16: "bf16", types.F16: "f16"}[p.mask]
		arg = fmt.Sprintf(", %%m: tensor<2x%dx%s>", p.keys, d)
		scores := fmt.Sprintf("tensor<2x%dx%dx%dx%s>", p.heads, p.queries, p.keys, d)
		wide = fmt.Sprintf("\n    %%1 = stablehlo.broadcast_in_dim %%m, dims = [0, 3] : (tensor<2x%dx%s>) -> %s", p.keys, d, scores)
		all = ", " + scores
	}
	used, in := map[bool]string{true: ", %1"}[all != ""], map[bool]string{true: ", %m: " + strings.TrimPrefix(all, ", ")}[all != ""]
	return fmt.Sprintf(`module {
  func.func public @main(%%q: %[1]s, %%k: %[2]s, %%v: %[3]s%[6]s) -> %[4]s {%[7]s
    %%0 = stablehlo.composite "ltc.attention" %%q, %%k, %%v%[8]s {composite_attributes = {causal = %[5]d : i64, scale = 1.250000e-01 : f64}, decomposition = @d} : (%[1]s, %[2]s, %[3]s%[9]s) -> %[4]s
    return %%0 : %[4]s
  }
  func.func private @d(%%q: %[1]s, %%k: %[2]s, %%v: %[3]s%[10]s) -> %[4]s {
    %%0 = stablehlo.constant dense<1.000000e+00> : %[4]s
    return %%0 : %[4]s
  }
}`, q, k, v, y, causal, arg, wide, used, all, in)
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

// hidden reports whether the mask hides a key of a batch.
func (p *picks) hidden(batch, j int) bool { return p.mask != types.Invalid && (j+batch)%5 == 2 }

// hides is the mask.
func (p *picks) hides() soa.View {
	v := soa.Make(types.Of(p.mask, 2, p.keys))
	bits := v
	bits.Type = types.Of(map[int]types.DType{1: types.U8, 2: types.U16, 4: types.U32}[p.mask.Size()], 2, p.keys)
	for at := range 2 * p.keys {
		hidden := p.hidden(at/p.keys, at%p.keys)
		switch p.mask.Size() {
		case 1:
			soa.Slice[uint8](bits)[at] = map[bool]uint8{false: 1}[hidden]
		case 2:
			soa.Slice[uint16](bits)[at] = map[bool]uint16{true: p.round(math.Inf(-1))}[hidden]
		default:
			soa.Slice[uint32](bits)[at] = map[bool]uint32{true: math.Float32bits(float32(math.Inf(-1)))}[hidden]
		}
	}
	return v
}

func (p *picks) args() []soa.View {
	one := func(x, feature int) float64 {
		if x == feature {
			return 64
		}
		return 0
	}
	args := []soa.View{
		p.view(p.heads, p.queries, p.features, func(n, i, x int) float64 { return one(x, p.feature(n, i)) }),
		p.view(p.groups, p.keys, p.features, func(n, j, x int) float64 { return one(x, j%p.features) }),
		p.view(p.groups, p.keys, p.valueLength, p.value),
	}
	if p.mask != types.Invalid {
		args = append(args, p.hides())
	}
	return args
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
				if p.hidden(n/p.heads, j) {
					continue
				}
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
// reads, and else, or where keys are cut into parts, to warps. Results are exact, wherever
// operands are.
func TestAttentionBoxes(t *testing.T) {
	trials.Sequential(t)
	b := hopper(t)
	for _, c := range trials.First([]struct {
		picks
		boxed bool
		off   int // bytes from where memory begins
	}{
		{picks{types.BF16, 1, 1, 200, 328, 128, 128, true, types.Invalid}, true, 0},
		{picks{types.F16, 2, 1, 130, 130, 64, 64, true, types.Invalid}, true, 16},
		{picks{types.BF16, 2, 1, 7, 300, 64, 128, false, types.Invalid}, true, 0},
		{picks{types.F16, 1, 1, 129, 70, 96, 40, false, types.Invalid}, true, 0},
		{picks{types.BF16, 2, 1, 70, 70, 128, 128, true, types.Invalid}, true, 8},
		{picks{types.BF16, 2, 1, 70, 200, 64, 64, true, types.Bool}, true, 0},
		{picks{types.F16, 1, 1, 130, 129, 64, 128, false, types.F32}, true, 0},
		{picks{types.BF16, 2, 2, 9, 150, 128, 64, false, types.BF16}, true, 8},
		{picks{types.BF16, 2, 1, 1, 1100, 64, 64, true, types.Invalid}, false, 0},
		{picks{types.F16, 2, 2, 2, 1200, 32, 40, true, types.Bool}, false, 8},
		{picks{types.BF16, 1, 1, 40, 70, 20, 64, false, types.Invalid}, false, 0},
		{picks{types.BF16, 1, 1, 40, 70, 160, 64, false, types.Invalid}, false, 0},
	}) {
		t.Run(fmt.Sprintf("%v/%d of %d/%dx%d of %d and %d/%v at %d mask %v", c.elements, c.heads, c.groups, c.queries, c.keys, c.features, c.valueLength, c.causal, c.off, c.mask), func(t *testing.T) {
			e := compile(t, b, c.text(), backends.Options{})
			require.Len(t, e.steps, 1)
			require.Equal(t, c.boxed, e.steps[0].byMaps != nil)
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
				require.Equal(t, c.off%16 == 0, r.launches[0] == r.byMaps[0].launch)
			}
		})
	}
}
