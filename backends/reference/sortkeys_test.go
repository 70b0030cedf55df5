package reference

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// key is one of the keys of a sort: an element type, and one of [orders].
type key struct{ elem, order string }

// ties say how a comparator goes on where a key is equal: in terms of $LESS of the key, of
// the key's equality $EQ, $NE or $LE, and of $REST.
var ties = map[string]string{
	"or":        "%e = $EQ\n    %f = stablehlo.and %e, $REST : tensor<i1>\n    %g = stablehlo.or $LESS, %f : tensor<i1>",
	"or, other": "%e = $EQ\n    %f = stablehlo.and $REST, %e : tensor<i1>\n    %g = stablehlo.or %f, $LESS : tensor<i1>",
	"or equal":  "%e = $LE\n    %f = stablehlo.and %e, $REST : tensor<i1>\n    %g = stablehlo.or $LESS, %f : tensor<i1>",
	"select":    "%e = $EQ\n    %g = stablehlo.select %e, $REST, $LESS : tensor<i1>, tensor<i1>",
	"select NE": "%e = $NE\n    %g = stablehlo.select %e, $LESS, $REST : tensor<i1>, tensor<i1>",
}

var ssaName = regexp.MustCompile(`%(\w+)`)

// lexicographic is a sort by several keys. Operand i is key i; the last two go along: numbers
// that tell places apart, and f64.
func lexicographic(keys []key, tie string, shape []int, dim int) string {
	dims := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "x"), "[]")
	var b strings.Builder
	rest := ""
	for i := len(keys) - 1; i >= 0; i-- {
		k := keys[i]
		body := orders[k.order]
		last := body[strings.LastIndex(body, "%c = "):]
		equal := regexp.MustCompile("LT|GT").ReplaceAllString(strings.TrimPrefix(last, "%c = "), "EQ")
		if i < len(keys)-1 {
			le := "LE"
			if strings.Contains(last, "GT") {
				le = "GE"
			}
			body += "\n    " + strings.NewReplacer("$LESS", "%c", "$EQ", equal, "$NE", strings.Replace(equal, "EQ", "NE", 1), "$LE", strings.Replace(equal, "EQ", le, 1)).Replace(ties[tie])
		}
		body = ssaName.ReplaceAllString(body, fmt.Sprintf("%%v${1}_%d", i))
		nan := map[string]string{"f16": "0x7E00", "bf16": "0x7FC0", "f32": "0x7FC00000", "f64": "0x7FF8000000000000"}[k.elem]
		fmt.Fprintf(&b, "    %s\n", strings.NewReplacer("$REST", rest, "$T", "tensor<"+k.elem+">", "$NAN", nan).Replace(body))
		rest = fmt.Sprintf("%%vg_%d", i)
		if i == len(keys)-1 {
			rest = fmt.Sprintf("%%vc_%d", i)
		}
	}
	args, blocks, names, ts := []string{}, []string{}, []string{}, []string{}
	for i, e := range append(append([]key{}, keys...), key{elem: "i16"}, key{elem: "f64"}) {
		t := "tensor<" + dims + "x" + e.elem + ">"
		ts = append(ts, t)
		names = append(names, fmt.Sprintf("%%x%d", i))
		args = append(args, fmt.Sprintf("%%x%d: %s", i, t))
		blocks = append(blocks, fmt.Sprintf("%%va_%d: tensor<%s>, %%vb_%d: tensor<%s>", i, e.elem, i, e.elem))
	}
	all := strings.Join(ts, ", ")
	results := []string{}
	for i := range ts {
		results = append(results, fmt.Sprintf("%%0#%d", i))
	}
	return fmt.Sprintf(`func.func public @main(%s) -> (%s) {
  %%0:%d = "stablehlo.sort"(%s) ({
  ^bb0(%s):
%s    stablehlo.return %s : tensor<i1>
  }) {dimension = %d : i64, is_stable = true} : (%s) -> (%s)
  return %s : %s
}`, strings.Join(args, ", "), all, len(ts), strings.Join(names, ", "), strings.Join(blocks, ", "), b.String(), rest, dim, all, all, strings.Join(results, ", "), all)
}

// lexicographicArgs are arguments of such a sort, with few values of each key; the NaNs that
// are asked for, and numbers that tell places apart.
func lexicographicArgs(e backends.Executable, r *rand.Rand, keys int, nans bool) []soa.View {
	var args []soa.View
	for i, a := range e.Signature().Args {
		v := soa.Make(a.Type)
		fillSorted(v, r, nans)
		b, size, n := bytesOf(v), a.Type.DType.Size(), a.Type.Elements()
		for p := range n {
			few := r.IntN(min(n, 6))
			switch {
			case i >= keys:
				b[p*size], b[p*size+1] = uint8(p), uint8(p>>8)
			case a.Type.DType == types.Bool:
				b[p] = uint8(r.IntN(2))
			case r.IntN(8) > 0:
				copy(b[p*size:(p+1)*size], b[few*size:(few+1)*size])
			}
		}
		args = append(args, v)
	}
	return args
}

var manyKeys = [][]key{
	{{"i32", "less"}, {"f32", "one NaN of the operand"}},
	{{"f32", "one NaN"}, {"i32", "less"}},
	{{"f32", "one NaN of the operand"}, {"i32", "less"}, {"f32", "one NaN of the operand"}},
	{{"i32", "greater"}, {"i32", "less"}, {"i32", "swapped"}},
	{{"f64", "one NaN"}, {"i64", "greater"}},
	{{"i1", "less"}, {"bf16", "one NaN of the operand"}},
	{{"ui8", "swapped"}, {"i1", "greater"}, {"f16", "total"}},
	{{"bf16", "falling"}, {"f16", "total"}},
	{{"f32", "total"}, {"f64", "falling"}},
	{{"i16", "less"}, {"i16", "greater"}, {"ui16", "less"}, {"ui8", "less"}},
	{{"i64", "less"}, {"ui64", "greater"}, {"f64", "one NaN"}, {"i32", "less"}},
	{{"f32", "less"}, {"i32", "greater"}},
	{{"ui32", "less"}, {"f32", "greater"}},
	{{"i8", "less"}, {"f64", "swapped"}, {"ui64", "less"}},
	{{"i32", "less"}, {"f32", "argsort"}},
	{{"i32", "less"}, {"f32", "less"}, {"f32", "sort falling"}},
}

// Sorts by several keys are the evaluator's to the bit, NaNs and zeros included.
func TestSortsBySeveralKeys(t *testing.T) {
	trials.Sequential(t)
	r := rand.New(rand.NewPCG(1, 5))
	for m, keys := range manyKeys {
		for tie := range ties {
			for n, shape := range [][]int{{1}, {7, 3}, {2, 40, 3}, {5, 1100}, {0, 4}, {1600, 2}} {
				dim := []int{0, 0, 1, 1, 1, 0}[n]
				if n > 2 && len(tie)%2 == m%2 {
					continue // long rows are much alike
				}
				text := lexicographic(keys, tie, shape, dim)
				want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
				require.NoError(t, err, text)
				got, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: 1 + n%3})
				require.NoError(t, err, text)
				kernels, evaluated := got.(*compiled).Compiled()
				require.Equal(t, []int{1, 0}, []int{kernels, evaluated}, text)
				for _, nans := range []bool{false, true} {
					sameResults(t, want, got, lexicographicArgs(want, r, len(keys), nans), fmt.Sprintf("%v by %s, %v along %d, NaNs %v", keys, tie, shape, dim, nans))
				}
			}
		}
	}
}

// Keys of full range take a word each, those of few values share one.
func TestKeysAreJoined(t *testing.T) {
	code := &sortCode{sortBase: new(sortBase), sortRows: sortRows{n: 3, apart: 1}}
	mem := [][]uint64{{1 << 63, 0, 1}, {9, 7, 8}, {0, 1<<62 - 1, 5}, {4, 4, 4}}
	for i := range mem {
		code.orders = append(code.orders, sortOrder{operand: i, t: types.U64})
		code.sizes = append(code.sizes, 8)
	}
	w, ordered := code.join(make([]uint64, 12), pointersOf(mem), 0)
	require.True(t, ordered)
	require.Equal(t, []keyWord{{[]uint64{2 << 62, 1<<62 - 1, 1<<62 + 5}, 64}, {mem[0], 64}}, w.words[:w.n])
}

// What does not go on where a key is equal is merged.
func TestOtherSortsBySeveralKeysAreMerged(t *testing.T) {
	two := []key{{"i32", "less"}, {"i32", "less"}}
	for what, c := range map[string]struct {
		keys     []key
		tie      string
		old, new string
	}{
		"a NaN is last, and not equal to another": {[]key{{"f32", "argsort"}, {"i32", "less"}}, "or", "", ""},
		"and is or":                {two, "or", "stablehlo.and", "stablehlo.or"},
		"equal is not":             {two, "or", "compare EQ", "compare NE"},
		"equal is less":            {two, "or", "compare EQ", "compare LT"},
		"or equal is of the other": {two, "or equal", "compare LE", "compare GE"},
		"select by less":           {two, "select", "compare EQ", "compare LE"},
		"another operand is equal": {two, "or", "compare EQ, %va_0, %vb_0", "compare EQ, %va_1, %vb_1"},
		"elements of two operands": {two, "or", "compare EQ, %va_0, %vb_0", "compare EQ, %va_0, %vb_1"},
		"other equality":           {[]key{{"f32", "total"}, {"i32", "less"}}, "or", "compare EQ, %va_0, %vb_0, TOTALORDER", "compare EQ, %va_0, %vb_0"},
		"too many keys":            {make([]key, mostOrders+1), "or", "", ""},
	} {
		for i := range c.keys {
			if c.keys[i] == (key{}) {
				c.keys[i] = key{"i8", "less"}
			}
		}
		text := lexicographic(c.keys, c.tie, []int{30}, 0)
		if c.old != "" {
			require.Contains(t, text, c.old)
		}
		require.IsType(t, &mergeCode{}, codeOfSort(t, strings.Replace(text, c.old, c.new, 1)), what)
	}
}

// Sorts by several keys allocate nothing.
func TestSortsBySeveralKeysAllocateNothing(t *testing.T) {
	e, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(lexicographic(manyKeys[10], "or", []int{2, 2000}, 1)), backends.Options{Threads: 1})
	require.NoError(t, err)
	require.IsType(t, &plan.Sort{}, e.(*compiled).Plan.Program.Steps[0].Work)
	c := &backends.Call{Args: lexicographicArgs(e, rand.New(rand.NewPCG(1, 6)), 4, false)}
	for _, r := range e.Signature().Results {
		c.Results = append(c.Results, soa.Make(r.Type))
	}
	require.NoError(t, e.Execute(t.Context(), c))
	require.Zero(t, trials.Allocs(10, func() { require.NoError(t, e.Execute(t.Context(), c)) }))
}

func TestSortBySeveralKeysEndsWithTheRun(t *testing.T) {
	code := &sortCode{sortRows: sortRows{n: 2 * fewSorted, apart: 1, rows: 1, sizes: []int{8, 8}}, sortBase: &sortBase{orders: []sortOrder{{t: types.U64}, {operand: 1, t: types.U64}}}}
	falling := make([]uint64, code.n)
	for i := range falling {
		falling[i] = uint64(code.n-i) << 40
	}
	scratch := make([]uint64, code.Scratch(nil, 1)/8)
	w := code.workspace(pointersOf([][]uint64{scratch})[0])
	words, ordered := code.join(w.keys, pointersOf([][]uint64{falling, falling}), 0)
	require.True(t, ordered)
	done := make(chan struct{})
	close(done)
	for i, p := range w.sort(words, nil, done) {
		require.EqualValues(t, i, p, "places stay in the row, unsorted")
	}
	for i, p := range w.sort(words, nil, nil) {
		require.EqualValues(t, code.n-1-i, p)
	}
}

func pointersOf(rows [][]uint64) []unsafe.Pointer {
	var mem []unsafe.Pointer
	for _, r := range rows {
		mem = append(mem, unsafe.Pointer(unsafe.SliceData(r)))
	}
	return mem
}
