package kit_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/internal/test/kittest"
	"ltc/ir/types"
	"ltc/soa"
)

// searches are bodies of reductions of an f32 and an i32 that have a kernel.
var searches = map[string]string{
	"least index": `
      %gt = stablehlo.compare DIR, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %an = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %bn = stablehlo.compare NE, %b, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nb = stablehlo.not %bn : tensor<i1>
      %w = stablehlo.and %an, %nb : tensor<i1>
      %wins = stablehlo.or %gt, %w : tensor<i1>
      %nn = stablehlo.and %an, %bn : tensor<i1>
      %ties = stablehlo.or %eq, %nn : tensor<i1>
      %lt = stablehlo.compare LT, %ai, %bi : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %ties, %lt : tensor<i1>
      %p = stablehlo.or %wins, %t : tensor<i1>
      %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
      %i = stablehlo.select %p, %ai, %bi : tensor<i1>, tensor<i32>`,
	"first NaN": `
      %gt = stablehlo.compare DIR, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %an = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %wins = stablehlo.or %gt, %an : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %ai, %bi : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %eq, %lt : tensor<i1>
      %p = stablehlo.or %wins, %t : tensor<i1>
      %v = stablehlo.select %wins, %a, %b : tensor<i1>, tensor<f32>
      %i = stablehlo.select %p, %ai, %bi : tensor<i1>, tensor<i32>`,
	"first": `
      %ge = stablehlo.compare DIRE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %an = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %p = stablehlo.or %ge, %an : tensor<i1>
      %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
      %i = stablehlo.select %p, %ai, %bi : tensor<i1>, tensor<i32>`,
	"minimum of indices": `
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %ge = stablehlo.compare DIRE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %an = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %p = stablehlo.or %ge, %an : tensor<i1>
      %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
      %j = stablehlo.minimum %ai, %bi : tensor<i32>
      %k = stablehlo.select %p, %ai, %bi : tensor<i1>, tensor<i32>
      %i = stablehlo.select %eq, %j, %k : tensor<i1>, tensor<i32>`,
}

// searchText is a program that searches rows of 5 from an initial pair on, the
// indices counted or given.
func searchText(body, direction, init, index, indices string) string {
	body = strings.NewReplacer("DIRE", direction[:1]+"E", "DIR", direction).Replace(body)
	arg, iota := "", "%idx = stablehlo.iota dim = 1 : tensor<7x5xi32>"
	if indices == "given" {
		arg, iota = ", %idx: tensor<7x5xi32>", ""
	}
	return fmt.Sprintf(`func.func @main(%%x: tensor<7x5xf32>%s) -> tensor<7xi32> {
    %s
    %%init = stablehlo.constant dense<%s> : tensor<f32>
    %%zero = stablehlo.constant dense<%s> : tensor<i32>
    %%r:2 = stablehlo.reduce(%%x init: %%init), (%%idx init: %%zero) across dimensions = [1] : (tensor<7x5xf32>, tensor<7x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<7xf32>, tensor<7xi32>)
     reducer(%%a: tensor<f32>, %%b: tensor<f32>) (%%ai: tensor<i32>, %%bi: tensor<i32>)  {%s
      stablehlo.return %%v, %%i : tensor<f32>, tensor<i32>
    }
    return %%r#1 : tensor<7xi32>
  }`, arg, iota, init, index, body)
}

// Searches for extremes find what the evaluator does among ties, zeros of
// either sign, infinities and NaNs, whatever they begin with.
func TestArgExtremes(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	negative := float32(math.Copysign(0, -1))
	rows := []float32{
		3, 1, 3, 2, 0,
		1, nan, 7, nan, inf,
		-inf, -inf, -inf, -inf, -inf,
		0, negative, 0, negative, 0,
		negative, 0, -1, 1, 1,
		nan, nan, nan, nan, nan,
		inf, 1, inf, -inf, nan,
	}
	x := soa.Make(types.Type{DType: types.F32, Shape: types.Shape{7, 5}})
	copy(unsafe.Slice((*float32)(x.Base()), len(rows)), rows)
	idx := soa.Make(types.Type{DType: types.I32, Shape: types.Shape{7, 5}})
	for i := range rows {
		unsafe.Slice((*int32)(idx.Base()), len(rows))[i] = int32(i * 7 % 11)
	}
	for name, body := range searches {
		for _, direction := range []string{"GT", "LT"} {
			for _, init := range []string{"0xFF800000", "0x7F800000", "0.0", "0x7FC00000"} {
				for _, index := range []string{"0", "3", "-2", "9"} {
					for _, indices := range []string{"counted", "given"} {
						if indices == "given" && name != "least index" {
							continue
						}
						t.Run(fmt.Sprint(name, direction, init, index, indices), func(t *testing.T) {
							text := searchText(body, direction, init, index, indices)
							args := []soa.View{x, idx}
							if indices == "counted" {
								args = args[:1]
							}
							p := kittest.Compile(t, text)
							require.Empty(t, p.HostSteps())
							exe, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
							require.NoError(t, err)
							c := &backends.Call{Args: args}
							require.NoError(t, exe.Execute(t.Context(), c))
							got := kittest.Evaluate(t, p, args)[0]
							require.Equal(t, unsafe.Slice((*int32)(c.Results[0].Base()), 7), unsafe.Slice((*int32)(got.Base()), 7), "%v", p)
						})
					}
				}
			}
		}
	}
}

// Bodies whose result depends on the order, or that search for something else,
// have no kernel.
func TestNoArgExtremes(t *testing.T) {
	const last = `
      %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %an = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %p = stablehlo.or %gt, %an : tensor<i1>
      %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
      %i = stablehlo.select %p, %ai, %bi : tensor<i1>, tensor<i32>`
	for name, c := range map[string]struct{ body, indices, want string }{
		"NaN is lost":       {strings.Replace(searches["first"], "%p = stablehlo.or %ge, %an", "%p = stablehlo.or %ge, %ge", 1), "counted", "it reduces several values at once"},
		"last of ties":      {last, "counted", "it reduces several values at once"},
		"sum of indices":    {strings.Replace(searches["first"], "%i = stablehlo.select %p, %ai, %bi : tensor<i1>, tensor<i32>", "%i = stablehlo.add %ai, %bi : tensor<i32>", 1), "counted", "it reduces several values at once"},
		"the other index":   {strings.Replace(searches["first"], "%ai, %bi", "%bi, %ai", 1), "counted", "it reduces several values at once"},
		"indices not known": {searches["first"], "given", "the indices that it searches may be in any order"},
	} {
		t.Run(name, func(t *testing.T) {
			p := kittest.Compile(t, searchText(c.body, "GT", "0xFF800000", "0", c.indices))
			require.Len(t, p.HostSteps(), 1)
			require.Equal(t, c.want, p.HostSteps()[0].Reason)
		})
	}
}
