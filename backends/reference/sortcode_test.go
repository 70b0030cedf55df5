package reference

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/tiles"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// orders are comparators of %a and %b, of type $T.
var orders = map[string]string{
	"less":    "%c = stablehlo.compare LT, %a, %b : ($T, $T) -> tensor<i1>",
	"greater": "%c = stablehlo.compare GT, %a, %b : ($T, $T) -> tensor<i1>",
	"swapped": "%c = stablehlo.compare LT, %b, %a : ($T, $T) -> tensor<i1>",
	"total":   "%c = stablehlo.compare LT, %a, %b, TOTALORDER : ($T, $T) -> tensor<i1>",
	"falling": "%c = stablehlo.compare GT, %a, %b, TOTALORDER : ($T, $T) -> tensor<i1>",
	"argsort": `%l = stablehlo.compare LT, %a, %b : ($T, $T) -> tensor<i1>
    %n = stablehlo.compare EQ, %a, %a : ($T, $T) -> tensor<i1>
    %m = stablehlo.compare NE, %b, %b : ($T, $T) -> tensor<i1>
    %o = stablehlo.and %n, %m : tensor<i1>
    %c = stablehlo.or %l, %o : tensor<i1>`,
	"sort falling": `%l = stablehlo.compare GT, %a, %b : ($T, $T) -> tensor<i1>
    %n = stablehlo.compare EQ, %b, %b : ($T, $T) -> tensor<i1>
    %m = stablehlo.compare NE, %a, %a : ($T, $T) -> tensor<i1>
    %o = stablehlo.and %n, %m : tensor<i1>
    %c = stablehlo.or %l, %o : tensor<i1>`,
	"one NaN of the operand": `%z = stablehlo.constant dense<0.0> : $T
    %q = stablehlo.constant dense<$NAN> : $T
    %1 = stablehlo.compare EQ, %a, %z : ($T, $T) -> tensor<i1>
    %2 = stablehlo.select %1, %z, %a : tensor<i1>, $T
    %3 = stablehlo.compare NE, %a, %a : ($T, $T) -> tensor<i1>
    %4 = stablehlo.select %3, %q, %2 : tensor<i1>, $T
    %5 = stablehlo.compare EQ, %b, %z : ($T, $T) -> tensor<i1>
    %6 = stablehlo.select %5, %z, %b : tensor<i1>, $T
    %7 = stablehlo.compare NE, %b, %b : ($T, $T) -> tensor<i1>
    %8 = stablehlo.select %7, %q, %6 : tensor<i1>, $T
    %c = stablehlo.compare LT, %4, %8, TOTALORDER : ($T, $T) -> tensor<i1>`, // as JAX has it
	"one NaN": `%z = stablehlo.constant dense<0.0> : $T
    %q = stablehlo.constant dense<$NAN> : $T
    %1 = stablehlo.compare EQ, %a, %z : ($T, $T) -> tensor<i1>
    %2 = stablehlo.select %1, %z, %a : tensor<i1>, $T
    %3 = stablehlo.compare NE, %2, %2 : ($T, $T) -> tensor<i1>
    %4 = stablehlo.select %3, %q, %2 : tensor<i1>, $T
    %5 = stablehlo.compare EQ, %b, %z : ($T, $T) -> tensor<i1>
    %6 = stablehlo.select %5, %z, %b : tensor<i1>, $T
    %7 = stablehlo.compare NE, %6, %6 : ($T, $T) -> tensor<i1>
    %8 = stablehlo.select %7, %q, %6 : tensor<i1>, $T
    %c = stablehlo.compare LT, %4, %8, TOTALORDER : ($T, $T) -> tensor<i1>`,
}

// sorting is a sort of elements and of numbers that tell them apart.
func sorting(elem, order string, shape []int, dim int) string {
	dims := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "x"), "[]")
	nan := map[string]string{"f16": "0x7E00", "bf16": "0x7FC0", "f32": "0x7FC00000", "f64": "0x7FF8000000000000"}[elem]
	return strings.NewReplacer("$T", "tensor<"+elem+">", "$NAN", nan, "$X", "tensor<"+dims+"x"+elem+">", "$I", "tensor<"+dims+"xi16>", "$DIM", fmt.Sprint(dim)).Replace(
		`func.func public @main(%x: $X, %i: $I) -> ($I, $X) {
  %0:2 = "stablehlo.sort"(%i, %x) ({
  ^bb0(%d: tensor<i16>, %e: tensor<i16>, %a: $T, %b: $T):
    ` + orders[order] + `
    stablehlo.return %c : tensor<i1>
  }) {dimension = $DIM : i64, is_stable = true} : ($I, $X) -> ($I, $X)
  return %0#0, %0#1 : $I, $X
}`)
}

// fillSorted fills elements with few numbers, among them zeros of both signs,
// infinities and, if asked for, NaNs of both signs and of several kinds.
func fillSorted(v soa.View, r *rand.Rand, nans bool) {
	b := soa.Slice[uint8](soa.At(v.Base(), types.Of(types.U8, v.Type.Bytes())))
	for i := range b {
		b[i] = uint8(r.Uint32())
		if r.IntN(3) == 0 {
			b[i] = []uint8{0, 0x80, 0xFF, 0x7F, 0xC0}[r.IntN(5)]
		}
	}
	some := func(i, size int) bool {
		x := uint64(0)
		for k := range size {
			x |= uint64(b[i*size+k]) << (8 * k)
		}
		sign, infinity, float := floatBits(v.Type.DType)
		return float && x&^sign > infinity
	}
	size := v.Type.DType.Size()
	for i := range v.Type.Elements() {
		switch few := r.IntN(4); {
		case few == 0: // zero of either sign
			clear(b[i*size : (i+1)*size])
			b[(i+1)*size-1] = uint8(r.IntN(2)) << 7
		case some(i, size) && !nans:
			b[(i+1)*size-1] &= 0x0F
		}
	}
}

// sameResults checks that two executables give the same bits.
func sameResults(t *testing.T, want, got backends.Executable, args []soa.View, what string) {
	c, d := &backends.Call{Args: args}, &backends.Call{Args: args}
	require.NoError(t, want.Execute(t.Context(), c))
	require.NoError(t, got.Execute(t.Context(), d))
	for j := range c.Results {
		require.Equal(t, bytesOf(c.Results[j]), bytesOf(d.Results[j]), what)
	}
}

// Sorts by keys are the evaluator's to the bit, NaNs and zeros included.
func TestSortsByKeys(t *testing.T) {
	trials.Sequential(t)
	r := rand.New(rand.NewPCG(1, 2))
	for order := range orders {
		for _, elem := range []string{"f32", "f64", "bf16", "f16", "i32", "i64", "ui8", "ui32", "i16", "ui64"} {
			float := strings.Contains(elem, "f")
			if !float && order != "less" && order != "greater" && order != "swapped" {
				continue
			}
			for n, shape := range [][]int{{1}, {7, 3}, {2, 40, 3}, {700}, {5, 1100}, {0, 4}, {2600, 2}} {
				dim := []int{0, 0, 1, 0, 1, 1, 0}[n]
				text := sorting(elem, order, shape, dim)
				want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
				require.NoError(t, err, text)
				got, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: 1 + n%3})
				require.NoError(t, err, text)
				kernels, evaluated := got.(*compiled).Compiled()
				require.Equal(t, []int{1, 0}, []int{kernels, evaluated}, text)
				for _, nans := range []bool{false, true} {
					c := &backends.Call{}
					for _, a := range want.Signature().Args {
						v := soa.Make(a.Type)
						fillSorted(v, r, nans)
						c.Args = append(c.Args, v)
					}
					sameResults(t, want, got, c.Args, fmt.Sprintf("%s of %s, %v along %d, NaNs %v", order, elem, shape, dim, nans))
				}
			}
		}
	}
}

// firstOf is the program of sorting, with the first elements alone of each row.
func firstOf(text string, shape []int, dim, keep int) string {
	kept, whole := slices.Clone(shape), []string{}
	kept[dim] = keep
	for _, n := range kept {
		whole = append(whole, fmt.Sprintf("0:%d", n))
	}
	dims := func(s []int) string {
		return "<" + strings.Trim(strings.ReplaceAll(fmt.Sprint(s), " ", "x"), "[]") + "x"
	}
	all := regexp.MustCompile(`return %0#0, %0#1 : (\S+), (\S+)`).FindStringSubmatch(text)
	few := []string{strings.Replace(all[1], dims(shape), dims(kept), 1), strings.Replace(all[2], dims(shape), dims(kept), 1)}
	slice := func(r int) string {
		return fmt.Sprintf("%%f%d = stablehlo.slice %%0#%d [%s] : (%s) -> %s\n  ", r, r, strings.Join(whole, ", "), all[1+r], few[r])
	}
	text = strings.Replace(text, "-> ("+all[1]+", "+all[2]+") {\n", "-> ("+few[0]+", "+few[1]+") {\n", 1)
	return strings.Replace(text, all[0], slice(0)+slice(1)+"return %f0, %f1 : "+few[0]+", "+few[1], 1)
}

// anotherCompiler compiles kernels as package tiles does, and is a compiler for which sorts
// have kernels.
type anotherCompiler struct{ tiles.Compiler }

// Where the first elements of rows are used alone, they are found without a sort of all.
func TestFirstOfSortsByKeys(t *testing.T) {
	trials.Sequential(t)
	r := rand.New(rand.NewPCG(1, 4))
	for order := range orders {
		for _, elem := range []string{"f32", "f64", "bf16", "i32", "ui8", "ui64"} {
			if !strings.Contains(elem, "f") && order != "less" && order != "greater" && order != "swapped" {
				continue
			}
			for n, shape := range [][]int{{7, 3}, {2, 40, 3}, {700}, {5, 1100}, {2600, 2}, {2, 3000}, {15, 2200}} {
				dim, keep := []int{0, 1, 0, 1, 0, 1, 1}[n], []int{5, 5, 1, 100, 10, 300, 34}[n]
				text := firstOf(sorting(elem, order, shape, dim), shape, dim, keep)
				want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
				require.NoError(t, err, text)
				p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
				require.NoError(t, err)
				got, err := compileKernels(t.Context(), p, backends.Options{Threads: 1 + n%3}, []kernel.Compiler{tiles.Compiler{}})
				require.NoError(t, err, text)
				other, err := compileKernels(t.Context(), p, backends.Options{Threads: 1 + n%2}, []kernel.Compiler{anotherCompiler{}, tiles.Compiler{}})
				require.NoError(t, err, text)
				kept, all := got.(*compiled).Plan.Program.Steps[0].Work.(*plan.Sort).Keep()
				require.Equal(t, keep, kept)
				require.False(t, all)
				blocks := other.(*compiled).steps[0].code.(*sortCode).blocks
				require.Equal(t, []bool{n == 2 || n == 4 || n > 5, n > 5}, []bool{blocks != nil, blocks != nil && blocks.compiled}, text)
				for fill := range 4 {
					if n > 5 && fill > 0 {
						break // with NaNs is enough
					}
					c := &backends.Call{}
					for _, a := range want.Signature().Args {
						v := soa.Make(a.Type)
						switch fillSorted(v, r, fill == 0); fill {
						case 2: // the same anywhere
							clear(bytesOf(v))
						case 3: // each comes before all others, if they are to descend, or behind
							b := bytesOf(v)
							clear(b)
							size := v.Type.DType.Size()
							for i := range len(b) / size {
								e := b[i*size : (i+1)*size]
								e[size-1] = uint8(i >> 8 & 0x7F)
								if size > 1 {
									e[size-1], e[size-2] = uint8(i>>8), uint8(i)
								}
							}
						}
						c.Args = append(c.Args, v)
					}
					what := fmt.Sprintf("%s of %s, %v along %d, fill %d", order, elem, shape, dim, fill)
					sameResults(t, want, got, c.Args, what)
					sameResults(t, want, other, c.Args, what+", kernels")
				}
			}
		}
	}
}

// The search for the first elements of a row ends when the run is given up, before it has
// found as many as are kept.
func TestFirstOfSortEndsWithTheRun(t *testing.T) {
	shape, keep := []int{9000}, 1000
	e, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(firstOf(sorting("f32", "less", shape, 0), shape, 0, keep)), backends.Options{Threads: 1})
	require.NoError(t, err)
	code := e.(*compiled).steps[0].code.(*sortCode)
	row := soa.Make(types.Of(types.F32, shape...))
	done := make(chan struct{})
	close(done)
	scratch := soa.Make(types.Of(types.U8, code.Scratch(nil, 1)))
	w := code.workspace(scratch.Base())
	ordered, err := code.first(code.finder(&kernel.Call{Scratch: scratch.Base(), Done: done}), &w, row.Base(), code.n)
	require.NoError(t, err)
	require.True(t, ordered)
	require.Equal(t, make([]uint64, keep), w.places[:keep], "none is found")
}

// otherOrders are comparators that are no order of keys; some are no order.
var otherOrders = []string{
	"%c = stablehlo.compare LE, %a, %b : ($T, $T) -> tensor<i1>",
	"%q = stablehlo.abs %a : $T\n    %c = stablehlo.compare LT, %q, %b : ($T, $T) -> tensor<i1>",
	"%q = stablehlo.abs %a : $T\n    %r = stablehlo.abs %b : $T\n    %c = stablehlo.compare LT, %q, %r : ($T, $T) -> tensor<i1>",
	"%c = stablehlo.compare LT, %a, %a : ($T, $T) -> tensor<i1>",
	"%c = stablehlo.compare LT, %d, %a : ($T, $T) -> tensor<i1>",
	"%c = stablehlo.constant dense<true> : tensor<i1>",
	strings.ReplaceAll(orders["one NaN"], "$NAN", "0.0"), // and -0 is 0
	strings.Replace(orders["argsort"], "LT", "GT", 1),    // NaNs last while numbers fall
	strings.ReplaceAll(ownOrder, "$U", "tensor<ui32>"),
}

// What is compared otherwise is merged.
func TestOtherSortsAreMerged(t *testing.T) {
	for _, less := range otherOrders {
		require.IsType(t, &mergeCode{}, codeOfSort(t, otherSorting(less, []int{30}, 0)), less)
	}
	require.IsType(t, &sortCode{}, codeOfSort(t, otherSorting(strings.ReplaceAll(ownOrder, "$U", "tensor<i32>"), []int{30}, 0)))
}

// ownOrder is the total order of f32 by their bits as numbers of type $U, if that is
// signed.
const ownOrder = `%m = stablehlo.constant dense<0x7FFFFFFF> : $U
    %n = stablehlo.constant dense<31> : $U
    %1 = stablehlo.bitcast_convert %a : ($T) -> $U
    %2 = stablehlo.shift_right_arithmetic %1, %n : $U
    %3 = stablehlo.and %2, %m : $U
    %4 = stablehlo.xor %1, %3 : $U
    %5 = stablehlo.bitcast_convert %b : ($T) -> $U
    %6 = stablehlo.shift_right_arithmetic %5, %n : $U
    %7 = stablehlo.and %6, %m : $U
    %8 = stablehlo.xor %5, %7 : $U
    %c = stablehlo.compare LT, %4, %8 : ($U, $U) -> tensor<i1>`

// otherSorting is [sorting] of f32 by a comparator of %a and %b, or of %d and %e as floats.
func otherSorting(less string, shape []int, dim int) string {
	if strings.Contains(less, "%d") {
		less = "%h = stablehlo.convert %d : (tensor<i16>) -> $T\n    " + strings.ReplaceAll(less, "%d", "%h")
	}
	orders["other"] = less
	defer delete(orders, "other")
	return sorting("f32", "other", shape, dim)
}

// codeOfSort returns the code of a program that is a sort.
func codeOfSort(t *testing.T, text string) kernel.Code {
	e, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err, text)
	kernels, evaluated := e.(*compiled).Compiled()
	require.Equal(t, []int{1, 0}, []int{kernels, evaluated}, text)
	return e.(*compiled).steps[0].code
}

// sortedCall is a call of a sort, on numbers of a seed, with memory for its results.
func sortedCall(e backends.Executable, seed uint64) *backends.Call {
	c := &backends.Call{}
	for _, a := range e.Signature().Args {
		v := soa.Make(a.Type)
		fillSorted(v, rand.New(rand.NewPCG(1, seed)), false)
		c.Args = append(c.Args, v)
	}
	for _, r := range e.Signature().Results {
		c.Results = append(c.Results, soa.Make(r.Type))
	}
	return c
}

// Long sorts allocate nothing, and end soon when they are given up.
func TestSortsAllocateNothingAndEnd(t *testing.T) {
	e, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(sorting("f32", "less", []int{3, 5000}, 1)), backends.Options{Threads: 1})
	require.NoError(t, err)
	c := sortedCall(e, 3)
	require.NoError(t, e.Execute(t.Context(), c))
	require.Zero(t, trials.Allocs(10, func() { require.NoError(t, e.Execute(t.Context(), c)) }))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, e.Execute(ctx, c), context.Canceled)

	x := e.(*compiled)
	l, code := x.launcher(), x.steps[0].code
	clear(bytesOf(c.Results[0]))
	require.NoError(t, code.Run(&kernel.Call{Parts: 1, Done: ctx.Done(), Scratch: l.scratch.Base(),
		Mem: []unsafe.Pointer{c.Args[1].Base(), c.Args[0].Base(), c.Results[0].Base(), c.Results[1].Base()}}))
	require.Equal(t, make([]uint8, c.Results[0].Type.Bytes()), bytesOf(c.Results[0]), "no row is sorted any more")
	keys := []uint64{}
	for i := range uint64(2 * fewSorted) {
		keys = append(keys, (1000-i%1000)<<32|i)
	}
	require.Equal(t, slices.Clone(keys), sortPacked(keys, make([]uint64, len(keys)), ctx.Done()), "nor the rest of one")
}

func bytesOf(v soa.View) []uint8 {
	return soa.Slice[uint8](soa.At(v.Base(), types.Of(types.U8, v.Type.Bytes())))
}

// BenchmarkSortByKeys sorts 2¹⁸ numbers, of which each has a place that goes along.
func BenchmarkSortByKeys(b *testing.B) {
	text := sorting("f32", "argsort", []int{1 << 18}, 0)
	for name, of := range map[string]backends.Backend{"keys": asKernels{eval.New()}, "evaluator": eval.New()} {
		b.Run(name, func(b *testing.B) {
			e, err := of.Compile(b.Context(), backends.NewModule(text), backends.Options{Threads: 1})
			require.NoError(b, err)
			c := &backends.Call{}
			for _, a := range e.Signature().Args {
				v := soa.Make(a.Type)
				fillSorted(v, rand.New(rand.NewPCG(1, 3)), false)
				c.Args = append(c.Args, v)
			}
			for _, r := range e.Signature().Results {
				c.Results = append(c.Results, soa.Make(r.Type))
			}
			for b.Loop() {
				require.NoError(b, e.Execute(b.Context(), c))
			}
		})
	}
}
