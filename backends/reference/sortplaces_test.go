package reference

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/internal/trials"
	"ltc/soa"
)

// placed is the sort of [sorting] whose first operand, of integers, is made by ops in terms
// of $I and of the operand %x.
func placed(made, elem, places, order string, shape []int, dim int) string {
	text := sorting(elem, order, shape, dim)
	head, body, _ := strings.Cut(text, "{\n")
	x, i, _ := strings.Cut(strings.TrimPrefix(head, "func.func public @main("), ", %i: ")
	i, _, _ = strings.Cut(i, ")")
	text = fmt.Sprintf("func.func public @main(%s) -> (%s, %s) {\n  %s\n%s", x, i, strings.TrimPrefix(x, "%x: "), strings.ReplaceAll(made, "$I", i), body)
	return strings.ReplaceAll(text, "xi16", "x"+places)
}

// An operand whose elements are their places in the row is not in memory, unless the
// comparator reads it or its numbers wrap.
func TestSortsOfPlaces(t *testing.T) {
	trials.Sequential(t)
	r := rand.New(rand.NewPCG(1, 7))
	for _, c := range []struct {
		made, places, order string
		read                bool // the operand is in memory
	}{
		{made: "%i = stablehlo.iota dim = $DIM : $I", places: "i32", order: "less"},
		{made: "%i = stablehlo.iota dim = $DIM : $I", places: "i64", order: "total"},
		{made: "%i = stablehlo.iota dim = $DIM : $I", places: "ui16", order: "sort falling"},
		{made: "%i = stablehlo.iota dim = $DIM : $I", places: "i8", order: "argsort"}, // 40 places; 700 wrap
		{made: "%v = stablehlo.iota dim = 0 : tensor<$Nxi32>\n  %i = stablehlo.broadcast_in_dim %v, dims = [$DIM] : (tensor<$Nxi32>) -> $I", places: "i32", order: "greater"},
		{made: "%i = stablehlo.iota dim = $DIM : $I", places: "i32", order: "unequal", read: true},
		{made: "%i = stablehlo.iota dim = $DIM : $I", places: "i32", order: "larger"},
		{made: "%i = stablehlo.iota dim = $OTHER : $I", places: "i32", order: "less", read: true},
		{made: "%i = stablehlo.iota dim = $DIM : $I", places: "f32", order: "less", read: true},
	} {
		for n, shape := range [][]int{{3, 40}, {2, 40, 3}, {2, 700}, {700, 2}} {
			dim := []int{1, 1, 1, 0}[n]
			orders["unequal"] = "%p = stablehlo.compare LT, %a, %b : ($T, $T) -> tensor<i1>\n    %q = stablehlo.compare GT, %d, %e : (tensor<i16>, tensor<i16>) -> tensor<i1>\n    %c = stablehlo.or %p, %q : tensor<i1>"
			orders["larger"] = "%q = stablehlo.abs %a : $T\n    %r = stablehlo.abs %b : $T\n    %c = stablehlo.compare GT, %q, %r : ($T, $T) -> tensor<i1>"
			text := placed(c.made, "f32", c.places, c.order, shape, dim)
			text = strings.NewReplacer("$DIM", fmt.Sprint(dim), "$OTHER", fmt.Sprint((dim+1)%2), "$N", fmt.Sprint(shape[dim]), "tensor<i16>", "tensor<"+c.places+">").Replace(text)
			delete(orders, "unequal")
			delete(orders, "larger")
			for _, keep := range []int{0, 3} {
				if keep > 0 {
					text = firstOf(text, shape, dim, keep)
				}
				want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
				require.NoError(t, err, text)
				got, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: 1 + n%2})
				require.NoError(t, err, text)
				steps := got.(*compiled).Plan.Program.Steps
				sort := steps[len(steps)-1].Work.(*plan.Sort)
				read := c.read || c.places == "i8" && shape[dim] > 128
				require.Equal(t, !read, sort.HasPlaces(), text)
				require.Equal(t, read, len(steps) > 1, "no step makes places: %s", text)
				kept, all := sort.Keep()
				require.Equal(t, keep == 0, all)
				require.True(t, all || kept == keep, "%d", kept)
				x := soa.Make(want.Signature().Args[0].Type)
				fillSorted(x, r, n%2 == 0)
				sameResults(t, want, got, []soa.View{x}, text)
			}
		}
	}
}

// Operands that go along and whose results nothing uses are not sorted; of those that are compared
// the result is not written where places are used alone.
func TestSortsOfUnusedResults(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for _, shape := range [][]int{{3, 40}, {700, 2}} {
		dim := len(shape) - 1 - len(fmt.Sprint(shape[0]))/3
		whole := placed("%i = stablehlo.iota dim = $DIM : $I", "f32", "i32", "argsort", shape, dim)
		whole = strings.NewReplacer("$DIM", fmt.Sprint(dim), "tensor<i16>", "tensor<i32>").Replace(whole)
		carried := strings.NewReplacer("$DIM", fmt.Sprint(dim), "tensor<i16>", "tensor<i32>", "xi16>", "xi32>").Replace(sorting("f32", "total", shape, dim))
		for _, c := range []struct {
			text      string
			result    int
			args      int
			from      []int
			described string
		}{
			{whole, 0, 1, []int{plan.Places}, "the places alone"},
			{whole, 1, 1, []int{0}, "the elements alone, with places"},
			{carried, 1, 1, []int{0}, "the elements alone"},
			{carried, 0, 2, []int{0, 1}, "what goes along alone"},
		} {
			all := regexp.MustCompile(`(?s)-> \(([^,]+), ([^)]+)\) \{(.*)return %0#0, %0#1 : .*`).FindStringSubmatch(c.text)
			typ := all[1+c.result]
			text := strings.Replace(c.text, all[0], fmt.Sprintf("-> %s {%sreturn %%0#%d : %s\n}", typ, all[3], c.result, typ), 1)
			want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err, text)
			got, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: 1})
			require.NoError(t, err, text)
			s := got.(*compiled).Plan.Program.Steps[0].Work.(*plan.Sort)
			require.Equal(t, c.args, len(s.Args), c.described)
			require.Equal(t, c.from, s.From, c.described)
			var args []soa.View
			for _, a := range want.Signature().Args {
				v := soa.Make(a.Type)
				fillSorted(v, r, true)
				args = append(args, v)
			}
			sameResults(t, want, got, args, c.described)
		}
	}
}
