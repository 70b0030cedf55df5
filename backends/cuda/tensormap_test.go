package cuda

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// layered is products of batches of matrices of small integers, with what a layer of a
// network has behind it, so many that all multiprocessors have tiles of the largest size.
type layered struct {
	elements             types.DType
	x, w                 string // how factors lie: "K" if along it, else "rows"
	batch                int
	rows, columns, depth int
}

func (l *layered) shape(factor string, side int) []int {
	if factor == "K" {
		return []int{l.batch, side, l.depth}
	}
	return []int{l.batch, l.depth, side}
}

func (l *layered) types() (x, w, b, y types.Type) {
	return types.Of(l.elements, l.shape(l.x, l.rows)...), types.Of(l.elements, l.shape(l.w, l.columns)...), types.Of(types.F32, l.columns), types.Of(types.F32, l.batch, l.rows, l.columns)
}

func (l *layered) text() string {
	x, w, b, y := l.types()
	mlir := func(t types.Type) string {
		s := "tensor<"
		for _, n := range t.Shape {
			s += fmt.Sprintf("%dx", n)
		}
		return s + t.DType.String() + ">"
	}
	at := map[string]int{"K": 2, "rows": 1}
	return fmt.Sprintf(`func.func public @main(%%x: %[1]s, %%w: %[2]s, %%b: %[3]s, %%r: %[4]s) -> %[4]s {
  %%0 = stablehlo.dot_general %%x, %%w, batching_dims = [0] x [0], contracting_dims = [%[5]d] x [%[6]d] : (%[1]s, %[2]s) -> %[4]s
  %%1 = stablehlo.broadcast_in_dim %%b, dims = [2] : (%[3]s) -> %[4]s
  %%2 = stablehlo.add %%0, %%1 : %[4]s
  %%z = stablehlo.constant dense<0.0> : %[4]s
  %%3 = stablehlo.maximum %%2, %%z : %[4]s
  %%4 = stablehlo.add %%3, %%r : %[4]s
  return %%4 : %[4]s
}`, mlir(x), mlir(w), mlir(b), mlir(y), at[l.x], at[l.w])
}

// args returns arguments of small integers, and what the program makes of them.
func (l *layered) args() (args []soa.View, want []float32) {
	r := rand.New(rand.NewPCG(1, 2))
	tx, tw, tb, ty := l.types()
	var numbers [][]int32
	for _, t := range []types.Type{tx, tw, tb, ty} {
		v := soa.Make(t)
		all := make([]int32, t.Elements())
		for i := range all {
			all[i] = int32(r.IntN(7) - 3)
			switch t.DType {
			case types.F32:
				soa.Slice[float32](v)[i] = float32(all[i])
			case types.BF16:
				soa.Slice[types.BFloat16](v)[i] = types.ToBFloat16(float64(all[i]))
			case types.F16:
				soa.Slice[types.Float16](v)[i] = types.ToFloat16(float64(all[i]))
			}
		}
		args, numbers = append(args, v), append(numbers, all)
	}
	at := func(factor string, side, n, i, k int) int {
		if factor == "K" {
			return (n*side+i)*l.depth + k
		}
		return (n*l.depth+k)*side + i
	}
	for n := range l.batch {
		for i := range l.rows {
			for j := range l.columns {
				sum := numbers[2][j]
				for k := range l.depth {
					sum += numbers[0][at(l.x, l.rows, n, i, k)] * numbers[1][at(l.w, l.columns, n, j, k)]
				}
				want = append(want, float32(max(sum, 0)+numbers[3][(n*l.rows+i)*l.columns+j]))
			}
		}
	}
	return args, want
}

// moved returns a copy of a view, on the device, whose memory begins some bytes behind
// where memory does.
func moved(t *testing.T, b *Backend, v soa.View, bytes int) soa.View {
	to, err := b.Make(types.Of(types.U8, v.Type.Bytes()+256))
	require.NoError(t, err)
	t.Cleanup(func() { runtime.KeepAlive(to) })
	w := b.dev.view(driver.Ptr(uintptr(to.Base())+uintptr(bytes)), v.Type)
	require.NoError(t, soa.Copy(w, v))
	return w
}

// Large products are left to warpgroups on GPUs of sm_90a, which boxes of the factors
// are copied for where sizes, strides and addresses allow it: all compute the same
// bits, of integers.
func TestLargeProducts(t *testing.T) {
	trials.Sequential(t)
	b := hopper(t)
	batch := (b.dev.Properties().Multiprocessors + 3) / 4 // of four tiles each
	for _, c := range trials.First([]struct {
		layered
		boxed bool
		off   int // bytes from where memory begins
	}{
		{layered{types.BF16, "K", "rows", batch, 136, 264, 72}, true, 0},
		{layered{types.BF16, "K", "K", batch, 200, 264, 136}, true, 0},
		{layered{types.F16, "rows", "rows", batch, 136, 512, 40}, true, 16},
		{layered{types.F16, "rows", "K", 2 * batch, 136, 128, 200}, true, 0},
		{layered{types.BF16, "K", "rows", batch, 136, 264, 72}, true, 8},
		{layered{types.BF16, "K", "rows", batch, 136, 264, 70}, false, 0},
	}) {
		t.Run(fmt.Sprintf("%v/%s %s/%d of %dx%dx%d at %d", c.elements, c.x, c.w, c.batch, c.rows, c.columns, c.depth, c.off), func(t *testing.T) {
			e := compile(t, b, c.text(), backends.Options{})
			s := e.steps[len(e.steps)-1]
			require.Contains(t, e.of.text(), "wgmma.mma_async")
			require.Equal(t, c.boxed, s.byMaps != nil)
			args, want := c.args()
			for i, a := range args {
				args[i] = moved(t, b, a, c.off)
			}
			call := &backends.Call{Args: args}
			require.NoError(t, e.Execute(t.Context(), call))
			require.Equal(t, want, soa.Slice[float32](call.Results[0]))

			// What has moved is found where it is.
			call.Args[0] = moved(t, b, call.Args[0], 48+c.off)
			call.Results = nil
			require.NoError(t, e.Execute(t.Context(), call))
			require.Equal(t, want, soa.Slice[float32](call.Results[0]))
			if r := e.take(b.dev.home); c.boxed {
				used := r.byMaps[len(e.steps)-1].maps[0].layout.Address != 0
				require.Equal(t, c.off%16 == 0, used)
			}
		})
	}
}

// In a graph, too, kernels take what tensor maps reach by these, and else not; where the
// driver makes none, a word is said and threads copy.
func TestLargeProductsInGraphs(t *testing.T) {
	trials.Sequential(t)
	if trials.Few() {
		t.Skip("the interpreter takes long for many large products")
	}
	b := hopper(t)
	batch := b.dev.Properties().Multiprocessors
	square := types.Of(types.BF16, batch, 72, 72)
	text := "func.func public @main(%v0: tensor<#>) -> tensor<#> {\n"
	for i := range 4 {
		text += fmt.Sprintf("  %%v%d = stablehlo.dot_general %%v%d, %%v0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<#>, tensor<#>) -> tensor<#>\n", i+1, i)
	}
	text = strings.ReplaceAll(text+"  return %v4 : tensor<#>\n}", "#", fmt.Sprintf("%dx72x72xbf16", batch))
	x := soa.Make(square) // a permutation of rows and signs
	want := make([]types.BFloat16, square.Elements())
	for n := range batch {
		for i := range 72 {
			soa.Slice[types.BFloat16](x)[(n*72+i)*72+(i*5+n)%72] = types.ToBFloat16(float64(1 - 2*(i%2)))
			sign, at := 1, i
			for range 5 {
				sign, at = sign*(1-2*(at%2)), (at*5+n)%72
			}
			want[(n*72+i)*72+at] = types.ToBFloat16(float64(sign))
		}
	}
	for _, fails := range []bool{false, true} {
		if fails && onGPU {
			break // about a fake
		}
		all, f := devices(t, cudafake.Options{Seed: 6})
		b := On(all[0])
		e := compile(t, b, text, backends.Options{})
		if fails {
			f.Fail("cuTensorMapEncodeTiled", 0, driver.NotSupported)
		}
		y, err := b.Make(square)
		require.NoError(t, err)
		places := []soa.View{moved(t, b, x, 0), moved(t, b, x, 2)}
		runs := []int{0, 0, 1, 1}
		if fails {
			runs = runs[:2]
		}
		for _, at := range runs {
			v := places[at]
			require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: []soa.View{v}, Results: []soa.View{y}}))
			got := soa.Make(square)
			require.NoError(t, soa.Copy(got, y))
			require.Equal(t, want, soa.Slice[types.BFloat16](got))
			r := e.take(b.dev.home)
			boxed := 0
			for i, l := range r.launches {
				if r.byMaps[i] != nil && l == r.byMaps[i].launch {
					boxed++
				}
			}
			e.give(r)
			if at == 0 && !fails {
				require.Equal(t, 4, boxed)
			} else {
				require.Less(t, boxed, 4)
			}
		}
		require.Positive(t, e.Launches().Graphs)
	}
}

// A program of all sizes takes tensor maps for those whose strides allow it, and maps
// are of the size that runs.
func TestLargeProductsOfOpenSizes(t *testing.T) {
	trials.Sequential(t)
	b := hopper(t)
	columns := 128 * b.dev.Properties().Multiprocessors
	text := strings.ReplaceAll(`func.func public @main(%x: tensor<72x?xbf16>, %w: tensor<72x#xbf16>) -> tensor<?x#xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0] : (tensor<72x?xbf16>, tensor<72x#xbf16>) -> tensor<?x#xf32>
  return %0 : tensor<?x#xf32>
}`, "#", fmt.Sprint(columns))
	e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	require.IsType(t, &openExecutable{}, e)
	for _, c := range trials.First([]struct {
		rows  int
		boxed bool
	}{{72, true}, {16, false}, {140, false}, {136, true}}) {
		l := layered{types.BF16, "rows", "rows", 1, c.rows, columns, 72}
		args, _ := l.args()
		x, w, _, _ := l.types()
		want := make([]float32, c.rows*columns)
		left, right := soa.Slice[types.BFloat16](args[0]), soa.Slice[types.BFloat16](args[1])
		for k := range 72 {
			for i := range c.rows {
				factor := left[k*c.rows+i].Float32()
				for j, x := range right[k*columns:][:columns] {
					want[i*columns+j] += factor * x.Float32()
				}
			}
		}
		for i, v := range []types.Type{x, w} {
			args[i], err = soa.Borrow(soa.Slice[types.BFloat16](args[i]), types.Of(types.BF16, v.Shape[1:]...))
			require.NoError(t, err)
		}
		call := &backends.Call{Args: args[:2]}
		require.NoError(t, e.Execute(t.Context(), call))
		require.Equal(t, want, soa.Slice[float32](call.Results[0]), "%d rows", c.rows)
		on, err := e.(*openExecutable).Dense().at(t.Context(), []int64{int64(c.rows)})
		require.NoError(t, err)
		require.Equal(t, c.boxed, on.steps[len(on.steps)-1].byMaps != nil, "%d rows", c.rows)
	}
}
