package kit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/samples"
	"ltc/soa"
)

// Ops for which package simplify writes others are kernels on the backend cpu, and give what
// the evaluator gives of them.

// requireCompiled compares a program on cpu with the evaluator, and requires that nothing of
// it is left to that. Arguments are random; from the second run on some elements are NaNs,
// infinities, zeros and subnormal numbers. Results may differ by most, as [samples.Differ]
// counts. Where most is 0 they have the same bits, but for NaNs, and arguments have large
// numbers too, or any bits: sums that overflow depend on their order.
func requireCompiled(t *testing.T, text string, most float64) {
	t.Helper()
	require.Empty(t, hostSteps(t, text), text)
	programs := onBoth(t, text)
	for seed := range uint64(4) {
		var args []soa.View
		for i, a := range programs[0].Signature().Args {
			v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", seed+uint64(i)))
			require.NoError(t, err)
			if seed > 0 {
				samples.Extreme(v, seed+uint64(i))
			}
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			for k := range a.Type.Elements() {
				switch {
				case !a.Type.DType.IsFloat():
				case most == 0 && seed == 3:
					samples.SetBits(v, k, r.Uint64())
				case most > 0 && math.Abs(samples.Float(v, k)) > 1e30:
					samples.Set(v, k, math.Inf(1))
				}
			}
			args = append(args, v)
		}
		results := resultsOf(t, programs, args)
		for j, want := range results[1] {
			d, err := samples.Differ(results[0][j], want)
			require.NoError(t, err)
			for k := range want.Type.Elements() {
				if most == 0 && (!want.Type.DType.IsFloat() || !math.IsNaN(samples.Float(want, k))) {
					require.Equal(t, samples.Bits(want, k), samples.Bits(results[0][j], k), "seed %d: result %d differs at %d\n%s", seed, j, k, text)
				}
			}
			require.LessOrEqual(t, d.Size, most, "seed %d: result %d differs at %v: %s, want %s\n%s", seed, j, d.At, d.Got, d.Want, text)
		}
	}
}

// onBoth compiles a program for cpu and for the evaluator.
func onBoth(t *testing.T, text string) (programs [2]backends.Executable) {
	t.Helper()
	for i, name := range []string{"cpu", "eval"} {
		b, err := backends.Open(name)
		require.NoError(t, err)
		programs[i], err = b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
	}
	return programs
}

// resultsOf runs programs on the same arguments.
func resultsOf(t *testing.T, programs [2]backends.Executable, args []soa.View) (results [2][]soa.View) {
	t.Helper()
	for i, e := range programs {
		c := &backends.Call{Args: args}
		for _, r := range e.Signature().Results {
			c.Results = append(c.Results, soa.Make(r.Type))
		}
		require.NoError(t, e.Execute(t.Context(), c))
		results[i] = c.Results
	}
	return results
}

// tensorType is the text of a type.
func tensorType(elem string, shape ...int) string {
	var b strings.Builder
	for _, n := range shape {
		fmt.Fprintf(&b, "%dx", n)
	}
	return "tensor<" + b.String() + elem + ">"
}

func TestIndexSelectIsCompiled(t *testing.T) {
	for _, elem := range []string{"f32", "f64", "f16", "bf16", "i1", "i8", "ui16", "i32", "ui64"} {
		for _, index := range []string{"i8", "ui8", "i32", "ui32", "i64", "ui64"} {
			for _, c := range []struct {
				x, i, out  []int
				dim, batch int
			}{
				{[]int{5, 3}, []int{4}, []int{4, 3}, 0, 0},
				{[]int{3, 5, 2}, []int{4, 2}, []int{3, 4, 2, 2}, 1, 0},
				{[]int{3, 2, 5, 2}, []int{3, 4}, []int{3, 2, 4, 2}, 2, 1},
				{[]int{2, 3, 5}, []int{2, 3, 7}, []int{2, 3, 7}, 2, 2},
				{[]int{2, 5}, []int{2}, []int{2}, 1, 1},
				{[]int{5, 3}, nil, []int{3}, 0, 0},
				{[]int{5, 0}, []int{4}, []int{4, 0}, 0, 0},
				{[]int{5, 3}, []int{0}, []int{0, 3}, 0, 0},
				{[]int{0, 3}, []int{0}, []int{0, 3}, 0, 0},
			} {
				x, i, out := tensorType(elem, c.x...), tensorType(index, c.i...), tensorType(elem, c.out...)
				requireCompiled(t, fmt.Sprintf(`func.func @main(%%x: %[1]s, %%i: %[2]s) -> %[3]s {
  %%0 = "stablehlo.torch_index_select"(%%x, %%i) {dim = %[4]d : i64, batch_dims = %[5]d : i64} : (%[1]s, %[2]s) -> %[3]s
  return %%0 : %[3]s
}`, x, i, out, c.dim, c.batch), 0)
			}
		}
	}
}

// einsumText is a program of an einsum; sizes has the size of each letter.
func einsumText(elem, config string, sizes map[rune]int) string {
	of := func(term string) string {
		var shape []int
		for _, c := range term {
			shape = append(shape, sizes[c])
		}
		return tensorType(elem, shape...)
	}
	in, out, _ := strings.Cut(config, "->")
	lhs, rhs, both := strings.Cut(in, ",")
	if !both {
		return fmt.Sprintf(`func.func @main(%%x: %[1]s) -> %[2]s {
  %%0 = "stablehlo.unary_einsum"(%%x) {einsum_config = "%[3]s"} : (%[1]s) -> %[2]s
  return %%0 : %[2]s
}`, of(lhs), of(out), config)
	}
	return fmt.Sprintf(`func.func @main(%%x: %[1]s, %%y: %[2]s) -> %[3]s {
  %%0 = "stablehlo.einsum"(%%x, %%y) {einsum_config = "%[4]s"} : (%[1]s, %[2]s) -> %[3]s
  return %%0 : %[3]s
}`, of(lhs), of(rhs), of(out), config)
}

func TestEinsumsAreCompiled(t *testing.T) {
	configs := []string{
		"ij->ji", "ii->i", "ii->", "ij->", "ijk->kj", "iji->j", "iji->ij", "iii->", "ijij->ji", "->", "i->i",
		"ij,jk->ik", "ii,ij->j", "ij,k->", "ij,k->k", "iji,jk->ik", "ij,kk->ik", "ij,ij->", "i,j->ji", "ij,kj->i", "iij,jkk->ik", ",i->i", ",->",
	}
	for elem, most := range map[string]float64{"f32": 1e-5, "f64": 1e-12, "f16": 2e-3, "bf16": 1e-2, "i8": 0, "ui16": 0, "i32": 0, "ui64": 0} {
		for _, config := range configs {
			for _, sizes := range []map[rune]int{{'i': 3, 'j': 4, 'k': 5}, {'i': 1, 'j': 2, 'k': 1}, {'i': 0, 'j': 2, 'k': 3}, {'i': 3, 'j': 2, 'k': 0}} {
				requireCompiled(t, einsumText(elem, config, sizes), most)
			}
		}
	}
	for _, config := range []string{"ij->ji", "ii->i", "ii->", "ij->j", "ij,k->k"} {
		requireCompiled(t, einsumText("i1", config, map[rune]int{'i': 3, 'j': 4, 'k': 5}), 0)
	}
}

func TestReductionsOfPrecisionAreCompiled(t *testing.T) {
	for elem, full := range map[string][2]int{"f16": {5, 10}, "bf16": {8, 7}, "f32": {8, 23}, "f64": {11, 52}} {
		for exponent := 1; exponent <= full[0]+1; exponent++ {
			for _, mantissa := range []int{0, 1, 2, full[1] / 2, full[1] - 1, full[1], full[1] + 3} {
				x := tensorType(elem, 100)
				requireCompiled(t, fmt.Sprintf("func.func @main(%%x: %[1]s) -> %[1]s {\n  %%0 = stablehlo.reduce_precision %%x, format = e%[2]dm%[3]d : %[1]s\n  return %%0 : %[1]s\n}", x, exponent, mantissa), 0)
			}
		}
	}
}

// The bits are those of the evaluator, and so is the state behind them.
func TestRandomBitsAreCompiled(t *testing.T) {
	for _, algorithm := range []string{"THREE_FRY", "PHILOX", "DEFAULT"} {
		for words := 2; words <= 3; words++ {
			if words == 3 && algorithm == "THREE_FRY" {
				continue
			}
			for _, elem := range []string{"i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64", "f16", "bf16", "f32", "f64"} {
				for _, shape := range [][]int{{}, {1}, {7}, {64}, {3, 5}, {3, 4, 5}, {5, 7, 3}, {2, 1, 3}, {0}, {3, 0}} {
					requireCompiled(t, randomBitsText(algorithm, words, tensorType(elem, shape...)), 0)
				}
			}
		}
	}
}

func randomBitsText(algorithm string, words int, out string) string {
	return fmt.Sprintf(`func.func @main(%%s: tensor<%[1]dxui64>) -> (tensor<%[1]dxui64>, %[2]s) {
  %%0, %%1 = stablehlo.rng_bit_generator %%s, algorithm = %[3]s : (tensor<%[1]dxui64>) -> (tensor<%[1]dxui64>, %[2]s)
  return %%0, %%1 : tensor<%[1]dxui64>, %[2]s
}`, words, out, algorithm)
}

// What becomes an rng_bit_generator once its sizes are known is compiled like one, and so is
// one in a loop.
func TestRandomBitsOfConstantSizesAreCompiled(t *testing.T) {
	requireCompiled(t, `func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<5x3xui32>) {
  %n = stablehlo.constant dense<[5, 3]> : tensor<2xi32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%s, %n) {api_version = 2 : i32, rng_algorithm = #stablehlo<rng_algorithm DEFAULT>} : (tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<5x3xui32>)
  return %0#0, %0#1 : tensor<2xui64>, tensor<5x3xui32>
}`, 0)
	requireCompiled(t, `func.func @main(%s: tensor<3xui64>) -> (tensor<3xui64>, tensor<9xui32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %x = stablehlo.constant dense<0> : tensor<9xui32>
  %r:3 = stablehlo.while(%i = %zero, %t = %s, %y = %x) : tensor<i32>, tensor<3xui64>, tensor<9xui32> cond {
    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %0, %1 = stablehlo.rng_bit_generator %t, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<9xui32>)
    %2 = stablehlo.xor %1, %y : tensor<9xui32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %0, %2 : tensor<i32>, tensor<3xui64>, tensor<9xui32>
  }
  return %r#1, %r#2 : tensor<3xui64>, tensor<9xui32>
}`, 0)
}

// normText is a program of a batch normalization of tensors of a shape.
func normText(op, elem string, shape []int, feature int, epsilon string) string {
	x, f := tensorType(elem, shape...), tensorType(elem, shape[feature])
	form := map[string]struct{ in, out string }{
		"inference": {"xffff", "x"}, "training": {"xff", "xff"}, "grad": {"xfffx", "xff"},
	}[op]
	types := func(form string) (all []string) {
		for _, c := range form {
			all = append(all, map[rune]string{'x': x, 'f': f}[c])
		}
		return all
	}
	in, out := types(form.in), types(form.out)
	var args, names, results []string
	for i, t := range in {
		names, args = append(names, fmt.Sprintf("%%a%d", i)), append(args, fmt.Sprintf("%%a%d: %s", i, t))
	}
	for i := range out {
		results = append(results, fmt.Sprintf("%%r%d", i))
	}
	join := func(s []string) string { return strings.Join(s, ", ") }
	return fmt.Sprintf(`func.func @main(%s) -> (%s) {
  %s = "stablehlo.batch_norm_%s"(%s) {epsilon = %s : f32, feature_index = %d : i64} : (%s) -> (%s)
  return %s : %s
}`, join(args), join(out), join(results), op, join(names), epsilon, feature, join(in), join(out), join(results), join(out))
}

func TestBatchNormalizationIsCompiled(t *testing.T) {
	for elem, most := range map[string]float64{"f32": 1e-5, "f64": 1e-13, "f16": 1e-3, "bf16": 8e-3} {
		for _, op := range []string{"inference", "training", "grad"} {
			for _, c := range []struct {
				shape   []int
				feature int
			}{{[]int{4, 3, 5}, 1}, {[]int{7, 16}, 1}, {[]int{3, 40, 2, 2}, 0}, {[]int{9, 1}, 1}, {[]int{5}, 0}, {[]int{0, 3}, 1}, {[]int{4, 0}, 1}, {[]int{2, 3, 0}, 1}} {
				requireCompiled(t, normText(op, elem, c.shape, c.feature, "1.0e-3"), most)
			}
		}
	}
}

// Numbers that are large for their differences keep their variance.
func TestVarianceOfLargeNumbers(t *testing.T) {
	text := strings.NewReplacer("(%a0:", "(%y:", ") {\n", ") {\n  %c = stablehlo.constant dense<1.0e4> : tensor<64x3x20xf32>\n  %a0 = stablehlo.add %y, %c : tensor<64x3x20xf32>\n").
		Replace(normText("training", "f32", []int{64, 3, 20}, 1, "0.0"))
	requireCompiled(t, text, 1e-5)
}

// A program runs in one go: what is started is done where it is awaited.
func TestAsyncSlicesAreCompiled(t *testing.T) {
	requireCompiled(t, `func.func @main(%a: tensor<6x5xf32>, %i: tensor<i32>) -> tensor<3x5xf32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.async_start"(%a, %i, %z) ({
  ^bb0(%x: tensor<6x5xf32>, %j: tensor<i32>, %k: tensor<i32>):
    %r = stablehlo.dynamic_slice %x, %j, %k, sizes = [3, 5] : (tensor<6x5xf32>, tensor<i32>, tensor<i32>) -> tensor<3x5xf32>
    stablehlo.return %r : tensor<3x5xf32>
  }) : (tensor<6x5xf32>, tensor<i32>, tensor<i32>) -> !stablehlo.future<tensor<3x5xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<3x5xf32>>) -> tensor<3x5xf32>
  %2 = stablehlo.negate %1 : tensor<3x5xf32>
  return %2 : tensor<3x5xf32>
}`, 0)
}
