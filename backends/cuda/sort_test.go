package cuda

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
)

// sorting is a program that sorts: body is the comparator of %x0 with %y0, %x1 with
// %y1 and so on, whose result is %r.
type sorting struct {
	shape types.Shape
	dim   int
	types []types.DType
	body  string
}

func (s sorting) String() string { return fmt.Sprintf("%v of %v along %d", s.types, s.shape, s.dim) }

func (s sorting) text() string {
	var names, kinds, scalars []string
	args := make([]string, len(s.types))
	for i, d := range s.types {
		elem := mlir.ElementOf(d).String()
		t := types.Of(d, s.shape...)
		kind := "tensor<"
		for _, n := range t.Shape {
			kind += fmt.Sprint(n, "x")
		}
		names, kinds = append(names, fmt.Sprintf("%%a%d", i)), append(kinds, kind+elem+">")
		args[i] = names[i] + ": " + kinds[i]
		scalars = append(scalars, fmt.Sprintf("%%x%d: tensor<%s>, %%y%d: tensor<%s>", i, elem, i, elem))
	}
	var results []string
	for i := range s.types {
		results = append(results, fmt.Sprintf("%%s#%d", i))
	}
	of := strings.Join(kinds, ", ")
	return fmt.Sprintf(`func.func public @main(%s) -> (%s) {
  %%s:%d = "stablehlo.sort"(%s) ({
  ^bb0(%s):
%s
    stablehlo.return %%r : tensor<i1>
  }) {dimension = %d : i64, is_stable = true} : (%s) -> (%s)
  return %s : %s
}`, strings.Join(args, ", "), of, len(s.types), strings.Join(names, ", "), strings.Join(scalars, ", "), s.body, s.dim, of, of, strings.Join(results, ", "), of)
}

// by compares operand i, floats by their total order.
func by(i int, d types.DType, direction string) string {
	kind := ""
	if d.IsFloat() {
		kind = ", TOTALORDER"
	}
	return fmt.Sprintf("    %%r = stablehlo.compare %s, %%x%d, %%y%d%s : (tensor<%[5]v>, tensor<%[5]v>) -> tensor<i1>", direction, i, i, kind, mlir.ElementOf(d))
}

// lexicographic compares all operands, one where those before are equal.
func lexicographic(all []types.DType, how string) string {
	var b strings.Builder
	for i := range slices.Backward(all) {
		e := mlir.ElementOf(all[i]).String()
		compare := func(name, how string) {
			fmt.Fprintf(&b, "    %%%s%d = stablehlo.compare %s, %%x%d, %%y%d : (tensor<%s>, tensor<%s>) -> tensor<i1>\n", name, i, how, i, i, e, e)
		}
		compare("less", how)
		if i == len(all)-1 {
			fmt.Fprintf(&b, "    %%all%d = stablehlo.or %%less%d, %%less%d : tensor<i1>\n", i, i, i)
			continue
		}
		compare("same", "EQ")
		fmt.Fprintf(&b, "    %%rest%d = stablehlo.and %%same%d, %%all%d : tensor<i1>\n    %%all%d = stablehlo.or %%less%d, %%rest%d : tensor<i1>\n", i, i, i+1, i, i, i)
	}
	return b.String() + "    %r = stablehlo.or %all0, %all0 : tensor<i1>"
}

// args are operands with many equal elements, NaNs, infinities and zeros of either sign.
func (s sorting) args(r *rand.Rand) []soa.View {
	var all []soa.View
	for _, d := range s.types {
		v := soa.Make(types.Of(d, s.shape...))
		b, size := bytesOf(v), d.Size()
		for i := range s.shape.Elements() {
			e := b[i*size:][:size]
			switch n := r.IntN(12); {
			case d == types.Bool:
				e[0] = byte(n % 2)
			case n < 4: // any bits
				for j := range e {
					e[j] = byte(r.Uint32())
				}
			case n < 8: // few of them, of either sign
				e[size-1] = byte(r.IntN(2)<<7 | r.IntN(2)<<6)
			case n < 10 && i > 0:
				copy(e, b[r.IntN(i)*size:][:size])
			default: // of floats infinities and NaNs, of either sign
				e[size-1] = byte(0x7F | r.IntN(2)<<7)
				if size > 1 {
					e[size-2] = byte([]int{0x80, 0xF0, 0x7C, 0xFF}[r.IntN(4)])
				}
			}
		}
		all = append(all, v)
	}
	return all
}

// run runs the program on a device, by its kernels alone, and by the evaluator.
func (s sorting) run(t *testing.T, b *Backend, args []soa.View) (got, want []soa.View) {
	t.Helper()
	e := compile(t, b, s.text(), backends.Options{})
	kernels, evaluated := e.Compiled()
	require.Equal(t, []int{1, 0}, []int{kernels, evaluated}, "%v", e.Program())
	oracle, err := eval.New().Compile(t.Context(), backends.NewModule(s.text()), backends.Options{})
	require.NoError(t, err)
	c, o := &backends.Call{Args: args}, &backends.Call{Args: args}
	require.NoError(t, e.Execute(t.Context(), c))
	require.NoError(t, oracle.Execute(t.Context(), o))
	return c.Results, o.Results
}

func (s sorting) same(t *testing.T, b *Backend, args []soa.View) {
	t.Helper()
	got, want := s.run(t, b, args)
	for i := range got {
		require.Equal(t, bytesOf(want[i]), bytesOf(got[i]), "result %d of %s", i, s.text())
	}
}

// Rows that fit a block's memory, of all lengths, types and places of the dimension.
func TestSort(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{})
	r := rand.New(rand.NewPCG(1, 2))
	var all []sorting
	for _, n := range []int{0, 1, 2, 3, 4, 5, 31, 33, 64, 100, 1025} {
		all = append(all, sorting{types.Shape{n}, 0, []types.DType{types.F32}, by(0, types.F32, "LT")})
	}
	for _, d := range []types.DType{types.Bool, types.I8, types.U8, types.I16, types.U16, types.I32, types.U32, types.I64, types.U64, types.F16, types.BF16, types.F32, types.F64} {
		all = append(all,
			sorting{types.Shape{3, 41}, 1, []types.DType{d, types.I32}, by(0, d, "GT")},
			sorting{types.Shape{9, 2, 3}, 0, []types.DType{types.I32, d}, by(1, d, "GT")})
	}
	for _, s := range append(all,
		sorting{types.Shape{2, 700, 3}, 1, []types.DType{types.BF16, types.U8, types.F64}, by(0, types.BF16, "LT")},
		sorting{types.Shape{0, 5}, 1, []types.DType{types.F32}, by(0, types.F32, "LT")},
		sorting{types.Shape{5, 0}, 0, []types.DType{types.F32}, by(0, types.F32, "LT")},
		sorting{types.Shape{4, 50}, 1, []types.DType{types.I8, types.U16, types.I64}, lexicographic([]types.DType{types.I8, types.U16, types.I64}, "GT")},
		sorting{types.Shape{1, 2}, 1, []types.DType{types.I8, types.I32}, lexicographic([]types.DType{types.I8, types.I32}, "GT")},
		sorting{types.Shape{3, 2}, 1, []types.DType{types.I16, types.I64, types.U8}, lexicographic([]types.DType{types.I16, types.I64, types.U8}, "LT")},
		sorting{types.Shape{7, 5}, 1, []types.DType{types.I32}, "    %r = stablehlo.constant dense<false> : tensor<i1>"},
	) {
		t.Run(s.String(), func(t *testing.T) { s.same(t, b, s.args(r)) })
	}
}

// wide are so many keys that a tile of them is 256 elements, by which rows of some
// hundred are sorted as rows of many thousand otherwise are.
func wide(shape types.Shape, dim int, payload types.DType) sorting {
	all := slices.Repeat([]types.DType{types.I64}, 12)
	s := sorting{shape: shape, dim: dim, types: append(slices.Clone(all), payload)}
	s.body = lexicographic(all, "LT")
	return s
}

// Rows that no block's memory holds are sorted by several launches.
func TestSortLongRows(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{})
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range trials.First([]sorting{
		wide(types.Shape{257}, 0, types.I8),
		wide(types.Shape{2, 300, 2}, 1, types.BF16),
		wide(types.Shape{1030}, 0, types.F64),
		wide(types.Shape{512, 2}, 0, types.U16),
		{types.Shape{5000}, 0, []types.DType{types.F32, types.I32}, by(0, types.F32, "GT")},
	}) {
		t.Run(s.String(), func(t *testing.T) { s.same(t, b, s.args(r)) })
	}
}

// Of a comparator that no order has each row comes out in some order, whatever it
// says, and no element twice.
func TestSortWithoutOrder(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{})
	r := rand.New(rand.NewPCG(5, 6))
	const always = "    %r = stablehlo.constant dense<true> : tensor<i1>"
	long := wide(types.Shape{600}, 0, types.I32)
	all := strings.TrimSuffix(long.body, "%r = stablehlo.or %all0, %all0 : tensor<i1>")
	long.body = all + "%ne = stablehlo.compare NE, %x1, %y1 : (tensor<i64>, tensor<i64>) -> tensor<i1>\n    %r = stablehlo.xor %all0, %ne : tensor<i1>"
	long.types[12] = types.I32
	for _, s := range []sorting{
		{types.Shape{100}, 0, []types.DType{types.I32}, always},
		{types.Shape{77}, 0, []types.DType{types.I32}, by(0, types.I32, "NE")},
		{types.Shape{300}, 0, []types.DType{types.F16, types.I32}, "    %r = stablehlo.compare GE, %x0, %y0 : (tensor<f16>, tensor<f16>) -> tensor<i1>"},
		long,
	} {
		t.Run(s.String(), func(t *testing.T) {
			args := s.args(r)
			places := soa.Slice[int32](args[len(args)-1])
			for i := range places {
				places[i] = int32(i)
			}
			got, _ := s.run(t, b, args)
			now := slices.Clone(soa.Slice[int32](got[len(got)-1]))
			slices.Sort(now)
			require.Equal(t, places, now)
		})
	}
}

// Random sorts.
func TestRandomSorts(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{})
	kinds := []types.DType{types.I8, types.U8, types.I16, types.I32, types.U32, types.I64, types.U64, types.F16, types.BF16, types.F32, types.F64}
	for seed := range uint64(trials.Soak(trials.Of(60), 3000)) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := sorting{shape: make(types.Shape, 1+r.IntN(3))}
		for d := range s.shape {
			s.shape[d] = 1 + r.IntN(6)
		}
		s.dim = r.IntN(len(s.shape))
		s.shape[s.dim] = r.IntN(90)
		for range 1 + r.IntN(3) {
			s.types = append(s.types, kinds[r.IntN(len(kinds))])
		}
		direction := []string{"LT", "GT"}[r.IntN(2)]
		if slices.ContainsFunc(s.types, types.DType.IsFloat) || r.IntN(2) == 0 {
			i := r.IntN(len(s.types))
			s.body = by(i, s.types[i], direction)
		} else {
			s.body = lexicographic(s.types, direction)
		}
		s.same(t, b, s.args(r))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// selecting is a program that keeps the first k elements of each row of a sort.
type selecting struct {
	sorting
	k int
}

func (s selecting) String() string { return fmt.Sprintf("%d of %v", s.k, s.sorting) }

func (s selecting) text() string {
	text := s.sorting.text()
	at := strings.LastIndex(text, "  return")
	var slices, names, kinds strings.Builder
	for i, d := range s.types {
		kept := slicesOf(s.shape, s.dim, s.k)
		var ranges []string
		for _, n := range kept {
			ranges = append(ranges, fmt.Sprint("0:", n))
		}
		comma := ""
		if i > 0 {
			comma = ", "
		}
		fmt.Fprintf(&slices, "  %%k%d = stablehlo.slice %%s#%d [%s] : (%s) -> %s\n", i, i, strings.Join(ranges, ", "), mlirOf(d, s.shape...), mlirOf(d, kept...))
		fmt.Fprintf(&names, "%s%%k%d", comma, i)
		fmt.Fprintf(&kinds, "%s%s", comma, mlirOf(d, kept...))
	}
	begin, end := strings.Index(text, "-> (")+len("-> ("), strings.Index(text, ") {\n")
	return text[:begin] + kinds.String() + text[end:at] + slices.String() + "  return " + names.String() + " : " + kinds.String() + "\n}"
}

// slicesOf is a shape of which one dimension has another size.
func slicesOf(shape types.Shape, dim, n int) types.Shape {
	kept := slices.Clone(shape)
	kept[dim] = n
	return kept
}

// The first few elements of rows are those of a sort, by as few kernels. Rows have all
// lengths, some in one block and some in several, and run along any dimension. They have
// equal elements, NaNs, and comparators of several operands.
func TestTop(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{})
	r := rand.New(rand.NewPCG(7, 8))
	f32, u8 := []types.DType{types.F32, types.I32}, []types.DType{types.U8, types.I64}
	for _, s := range []selecting{
		{sorting{types.Shape{2}, 0, f32, by(0, types.F32, "GT")}, 1},
		{sorting{types.Shape{9, 33}, 1, f32, by(0, types.F32, "GT")}, 1},
		{sorting{types.Shape{70, 3, 5}, 0, f32, by(0, types.F32, "GT")}, 5},
		{sorting{types.Shape{5, 300}, 1, u8, by(0, types.U8, "LT")}, 64},
		{sorting{types.Shape{2, 257}, 1, []types.DType{types.BF16, types.F64}, by(0, types.BF16, "GT")}, 128},
		{sorting{types.Shape{3, 100}, 1, []types.DType{types.I8, types.U16, types.I64}, lexicographic([]types.DType{types.I8, types.U16, types.I64}, "GT")}, 17},
		{sorting{types.Shape{2, 5000}, 1, f32, by(0, types.F32, "GT")}, 40},
		{sorting{types.Shape{9001, 2}, 0, []types.DType{types.F16}, by(0, types.F16, "LT")}, 3},
		{sorting{types.Shape{1, 17000}, 1, u8, by(0, types.U8, "GT")}, 200},
	} {
		t.Run(s.String(), func(t *testing.T) {
			e := compile(t, b, s.text(), backends.Options{})
			kernels, evaluated := e.Compiled()
			require.Equal(t, []int{1, 0}, []int{kernels, evaluated}, "%v", e.Program())
			kept, all := e.Program().Steps[0].Work.(*plan.Sort).Keep()
			require.Equal(t, s.k, kept)
			require.False(t, all)
			args := s.args(r)
			want := results(t, s.text(), args...)
			c := &backends.Call{Args: args}
			require.NoError(t, e.Execute(t.Context(), c))
			for i := range want {
				require.Equal(t, bytesOf(want[i]), bytesOf(c.Results[i]), "result %d", i)
			}
		})
	}
}

// The listing says of each sort how many elements it keeps, also where all have one
// entry.
func TestListingOfTops(t *testing.T) {
	trials.Sequential(t)
	got, err := Listing(t.Context(), backends.NewModule(`func.func public @main(%a: tensor<6x70xf32>, %b: tensor<6x70xf32>) -> (tensor<6x4xf32>, tensor<6x4xi32>, tensor<6x9xf32>, tensor<6x9xi32>) {
  %0:2 = chlo.top_k(%a, k = 4) : tensor<6x70xf32> -> (tensor<6x4xf32>, tensor<6x4xi32>)
  %1:2 = chlo.top_k(%b, k = 9) : tensor<6x70xf32> -> (tensor<6x9xf32>, tensor<6x9xi32>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<6x4xf32>, tensor<6x4xi32>, tensor<6x9xf32>, tensor<6x9xi32>
}`), backends.Options{})
	require.NoError(t, err)
	var tops []string
	for line := range strings.Lines(got) {
		if _, top, is := strings.Cut(line, ": first "); is {
			tops = append(tops, top[:1])
		}
	}
	require.Equal(t, []string{"4", "9"}, tops)
}

// The largest of each row, with their indices, and a sort over what a donated argument
// has are kernels alone; so is one in a loop.
func TestSortPrograms(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{})
	for name, text := range map[string]string{
		"top k": `func.func public @main(%a: tensor<6x70xf32>) -> (tensor<6x4xf32>, tensor<6x4xi32>) {
  %0:2 = chlo.top_k(%a, k = 4) : tensor<6x70xf32> -> (tensor<6x4xf32>, tensor<6x4xi32>)
  return %0#0, %0#1 : tensor<6x4xf32>, tensor<6x4xi32>
}`,
		"donated": `func.func public @main(%a: tensor<6x70xf32> {tf.aliasing_output = 0 : i32}) -> tensor<6x70xf32> {
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<6x70xf32>) -> tensor<6x70xf32>
  return %0 : tensor<6x70xf32>
}`,
		"of what is computed": `func.func public @main(%a: tensor<6x70xf32>) -> tensor<6xf32> {
  %m = stablehlo.multiply %a, %a : tensor<6x70xf32>
  %0 = "stablehlo.sort"(%m) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %u = stablehlo.logistic %x : tensor<f32>
    %v = stablehlo.logistic %y : tensor<f32>
    %c = stablehlo.compare LT, %v, %u, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<6x70xf32>) -> tensor<6x70xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.slice %0 [0:6, 0:3] : (tensor<6x70xf32>) -> tensor<6x3xf32>
  %1 = stablehlo.reduce(%n init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}`,
	} {
		t.Run(name, func(t *testing.T) {
			x := soa.Make(types.Of(types.F32, 6, 70))
			for i := range soa.Slice[float32](x) {
				soa.Slice[float32](x)[i] = float32(i*37%101) - 50
			}
			e := compile(t, b, text, backends.Options{})
			require.Empty(t, e.Program().HostSteps())
			want := results(t, text, x)
			c := &backends.Call{Args: []soa.View{x}}
			require.NoError(t, e.Execute(t.Context(), c))
			for i := range want {
				require.Equal(t, bytesOf(want[i]), bytesOf(c.Results[i]))
			}
		})
	}
}
