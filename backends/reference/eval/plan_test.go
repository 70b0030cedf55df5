package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

const side = 3

// grid is a value of a random program, i32[3,3].
type grid [side * side]int32

func (g grid) transposed() (out grid) {
	for i := range side {
		for j := range side {
			out[j*side+i] = g[i*side+j]
		}
	}
	return out
}

func (g grid) with(o grid, f func(a, b int32) int32) grid {
	for i := range g {
		g[i] = f(g[i], o[i])
	}
	return g
}

// randomProgram writes ops on grids, and does what they do with the values.
type randomProgram struct {
	strings.Builder
	r      *rand.Rand
	values []grid
	names  []string
	next   int
}

const gridType = "tensor<3x3xi32>"

func (p *randomProgram) pick() (string, grid) {
	// Mostly recent values, so that many die early.
	k := len(p.values) - 1 - min(p.r.IntN(4)*p.r.IntN(4), len(p.values)-1)
	return p.names[k], p.values[k]
}

func (p *randomProgram) add(v grid, format string, args ...any) {
	p.next++
	name := fmt.Sprintf("%%v%d", p.next)
	fmt.Fprintf(p, "  %s = %s\n", name, fmt.Sprintf(format, args...))
	p.names, p.values = append(p.names, name), append(p.values, v)
}

func plus(a, b int32) int32  { return a + b }
func minus(a, b int32) int32 { return a - b }

func (p *randomProgram) step() {
	x, a := p.pick()
	y, b := p.pick()
	switch p.r.IntN(8) {
	case 0, 1:
		p.add(a.with(b, plus), "stablehlo.add %s, %s : %s", x, y, gridType)
	case 2, 3:
		p.add(a.with(b, minus), "stablehlo.subtract %s, %s : %s", x, y, gridType)
	case 4:
		p.add(a.transposed(), "stablehlo.transpose %s, dims = [1, 0] : (%s) -> %s", x, gridType, gridType)
	case 5:
		p.add(a.with(b, minus).with(a, plus).transposed(), "call @f(%s, %s) : (%s, %s) -> %s", x, y, gridType, gridType, gridType)
	case 6:
		// The loop adds z, which it takes from outside, and exchanges its values.
		z, c := p.pick()
		n := p.r.IntN(4)
		p.next++
		fmt.Fprintf(p, `  %%n%[1]d = stablehlo.constant dense<%[2]d> : tensor<i32>
  %%o%[1]d = stablehlo.constant dense<1> : tensor<i32>
  %%l%[1]d:3 = stablehlo.while(%%i = %%n%[1]d, %%p = %[3]s, %%q = %[4]s) : tensor<i32>, %[5]s, %[5]s
    cond {
      %%c = stablehlo.compare GE, %%i, %%o%[1]d : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %%c : tensor<i1>
    } do {
      %%j = stablehlo.subtract %%i, %%o%[1]d : tensor<i32>
      %%d = stablehlo.add %%p, %[6]s : %[5]s
      stablehlo.return %%j, %%q, %%d : tensor<i32>, %[5]s, %[5]s
    }
`, p.next, n, x, y, gridType, z)
		u, v := a, b
		for range n {
			u, v = v, u.with(c, plus)
		}
		p.names = append(p.names, fmt.Sprintf("%%l%d#1", p.next), fmt.Sprintf("%%l%d#2", p.next))
		p.values = append(p.values, u, v)
	case 7:
		yes := p.r.IntN(2)
		p.next++
		fmt.Fprintf(p, "  %%b%d = stablehlo.constant dense<%t> : tensor<i1>\n", p.next, yes == 1)
		v := b
		if yes == 1 {
			v = a.with(b, minus).with(b, plus).with(a, plus)
		}
		p.add(v, `"stablehlo.if"(%%b%[1]d) ({
    %%s = stablehlo.subtract %[2]s, %[3]s : %[4]s
    %%t = stablehlo.add %%s, %[3]s : %[4]s
    %%u = stablehlo.add %%t, %[2]s : %[4]s
    stablehlo.return %%u : %[4]s
  }, {
    stablehlo.return %[3]s : %[4]s
  }) : (tensor<i1>) -> %[4]s`, p.next, x, y, gridType)
	}
}

// Random programs with random donations compute the same whatever memory the
// plan reuses, run after run.
func TestPlanOfRandomPrograms(t *testing.T) {
	for seed := range 400 {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		p := &randomProgram{r: r}
		args, outs := 1+r.IntN(3), 1+r.IntN(4)
		var params []string
		donated := r.Perm(max(args, outs))
		for i := range args {
			var g grid
			for k := range g {
				g[k] = int32(r.IntN(100))
			}
			name := fmt.Sprintf("%%a%d", i)
			p.names, p.values = append(p.names, name), append(p.values, g)
			if donated[i] < outs && r.IntN(2) == 0 {
				name += ": " + gridType + fmt.Sprintf(" {tf.aliasing_output = %d : i32}", donated[i])
			} else {
				name += ": " + gridType
			}
			params = append(params, name)
		}
		inputs := slices.Clone(p.values)
		for range 1 + r.IntN(25) {
			p.step()
		}
		var names, kinds []string
		var want []grid
		for range outs {
			n, v := p.pick()
			names, kinds, want = append(names, n), append(kinds, gridType), append(want, v)
		}
		all := strings.Join(kinds, ", ")
		text := fmt.Sprintf("func.func public @main(%s) -> (%s) {\n%s  return %s : %s\n}\n%s", strings.Join(params, ", "), all, p, strings.Join(names, ", "), all,
			strings.ReplaceAll(`func.func private @f(%x: $, %y: $) -> $ {
  %0 = stablehlo.subtract %x, %y : $
  %1 = stablehlo.add %0, %x : $
  %2 = stablehlo.transpose %1, dims = [1, 0] : ($) -> $
  return %2 : $
}
`, "$", gridType))
		e := compile(t, text)
		for range 2 {
			c := &backends.Call{}
			for _, g := range inputs {
				v, err := soa.Borrow(slices.Clone(g[:]), types.Of(types.I32, side, side))
				require.NoError(t, err)
				c.Args = append(c.Args, v)
			}
			require.NoError(t, e.Execute(context.Background(), c))
			for j, w := range want {
				require.Equal(t, w[:], soa.Slice[int32](c.Results[j]), "seed %d, result %d of\n%s", seed, j, text)
			}
			for i, g := range inputs {
				if e.Signature().Args[i].Alias < 0 {
					require.Equal(t, g[:], soa.Slice[int32](c.Args[i]), "seed %d: argument %d was written by\n%s", seed, i, text)
				}
			}
		}
	}
}

// What the condition of a loop takes from outside, and nothing else does, keeps
// its memory while the body runs.
func TestBoundOfALoop(t *testing.T) {
	e := compile(t, `func.func @main(%a: tensor<4xi32>, %n: tensor<i32>) -> tensor<4xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %bound = stablehlo.add %n, %one : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<4xi32> cond {
    %c = stablehlo.compare LT, %i, %bound : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.add %x, %x : tensor<4xi32>
    stablehlo.return %next, %y : tensor<i32>, tensor<4xi32>
  }
  return %r#1 : tensor<4xi32>
}`)
	a, err := soa.Borrow([]int32{1, 2, 3, 4}, types.Of(types.I32, 4))
	require.NoError(t, err)
	n, err := soa.Borrow([]int32{3}, types.Of(types.I32))
	require.NoError(t, err)
	c := &backends.Call{Args: []soa.View{a, n}}
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, []int32{16, 32, 48, 64}, soa.Slice[int32](c.Results[0]))
}

// Updates of a tensor without elements go nowhere, whatever dimension has none.
func TestScatterIntoNothing(t *testing.T) {
	e := compile(t, `func.func @main(%a: tensor<0x4xi32>, %i: tensor<1x1xi32>, %u: tensor<1x4xi32>, %b: tensor<64xi32>) -> (tensor<0x4xi32>, tensor<64xi32>) {
  %c = stablehlo.add %b, %b : tensor<64xi32>
  %r = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %y : tensor<i32>
  }) : (tensor<0x4xi32>, tensor<1x1xi32>, tensor<1x4xi32>) -> tensor<0x4xi32>
  return %r, %c : tensor<0x4xi32>, tensor<64xi32>
}`)
	at := func(s []int32, dims ...int) soa.View {
		v, err := soa.Borrow(s, types.Of(types.I32, dims...))
		require.NoError(t, err)
		return v
	}
	beyond := []int32{1, 2, 3, 4, 5, 6, 7, 8}
	c := &backends.Call{
		Args:    []soa.View{at(nil, 0, 4), at([]int32{0}, 1, 1), at([]int32{90, 91, 92, 93}, 1, 4), at(make([]int32, 64), 64)},
		Results: []soa.View{at(beyond[:0], 0, 4), {}},
	}
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, []int32{1, 2, 3, 4, 5, 6, 7, 8}, beyond)
	require.Equal(t, make([]int32, 64), soa.Slice[int32](c.Results[1]))
}
