package kit

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/mlir"
	"ltc/stablehlo"
)

//go:generate go test -run=^TestCompiledPage$ . -update

// compiledPage is made from the tables.
const compiledPage = "../../docs/compiled.md"

// programOps returns the ops that stand in programs, sorted: those of StableHLO
// and CHLO that do not end a block.
func programOps() []mlir.Code {
	all := slices.DeleteFunc(slices.Collect(mlir.Codes()), func(code mlir.Code) bool {
		return !strings.HasPrefix(code.String(), "stablehlo.") && !ofCHLO(code) || code.Info().Traits.Has(mlir.Terminator)
	})
	slices.SortFunc(all, func(a, b mlir.Code) int { return strings.Compare(a.String(), b.String()) })
	return all
}

func ofCHLO(code mlir.Code) bool { return strings.HasPrefix(code.String(), "chlo.") }

// fates returns what becomes of an op, as its row says.
func fates(code mlir.Code) []string {
	row := opTable[code]
	same := row.apply != kernel.Invalid
	var all []string
	for _, f := range []struct {
		name string
		is   bool
	}{
		{"elementwise", same},
		{"kernel", row.kernel != nil},
		{"structural", row.structural != nil},
		{"several", row.nodes != nil},
		{"driven", row.driven != ""},
		{"replaced", row.replaced != "" || code.Info().Static != nil || ofCHLO(code) && !same && row.kernel == nil},
		{"left", row.left != nil && row.left.runner == byEvaluator},
		{"claimed", row.left != nil && row.left.runner == byTarget},
		{"refused", row.left != nil && row.left.runner == byNobody},
	} {
		if f.is {
			all = append(all, f.name)
		}
	}
	return all
}

// It is said of every op, once, what becomes of it.
func TestCompiledOps(t *testing.T) {
	for _, code := range programOps() {
		require.Len(t, fates(code), 1, "%s: one field of its row in ops.go is to be set", code)
	}
}

// Each reason that an op can be left for has a row, and each row is a reason.
func TestCompiledReasons(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	used := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f, ok := call.Fun.(*ast.Ident); !ok || f.Name != "leave" {
				return true
			}
			lit, ok := call.Args[0].(*ast.BasicLit)
			require.True(t, ok, "%s: leave takes a literal", file)
			reason, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			used[reason] = true
			return true
		})
	}
	rows := map[string]bool{}
	for _, p := range partly {
		rows[p.reason] = true
	}
	require.Len(t, partly, len(rows), "a reason has two rows")
	require.Equal(t, used, rows, "partly, in left.go, lists what leave is called with")
}

// TestCompiledPage compares docs/compiled.md with the tables that it is made
// from.
func TestCompiledPage(t *testing.T) {
	want := renderCompiled()
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.WriteFile(compiledPage, []byte(want), 0o644))
	}
	got, err := os.ReadFile(compiledPage)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "docs/compiled.md is out of date: run go generate ./backends/kit")
}

func renderCompiled() string {
	by := map[string][]mlir.Code{}
	for _, code := range programOps() {
		for _, fate := range fates(code) {
			by[fate] = append(by[fate], code)
		}
	}
	short := func(code mlir.Code) string { return strings.TrimPrefix(code.String(), "stablehlo.") }
	list := func(fate string) string {
		var names []string
		for _, code := range by[fate] {
			names = append(names, "`"+short(code)+"`")
		}
		return strings.Join(names, ", ")
	}
	var b strings.Builder
	b.WriteString("<!-- Generated from backends/kit/ops.go and left.go by go generate ./backends/kit. -->\n# What is compiled\n\n" +
		"The backend `cpu` makes kernels of a program (package `backends/kit`), which its compilers turn into machine code. " +
		"Whatever is no kernel runs as a step of its own by the evaluator, the backend `eval`: slower, never wrong. " +
		"`plan.Program.HostSteps` lists those of a program with their reasons; executables of `cpu` say by a method `Compiled` how many there are.\n\n" +
		"## Kernels\n\nThe same on every element: " + list("elementwise") + ".\n\nWith indices of their own: " + list("kernel") + ". Sums of floats may be taken in another order than the evaluator's, and start from 0: " +
		"a `reduce` or `reduce_window` of nothing but -0 gives 0 where it is to start from -0.\n\n" +
		"Several kernels together: " + list("several") + ", of any length; what comes of it is within some units in the last place of the largest element.\n\n" +
		"No work at all, they say what a value is: " + list("structural") + ".\n\n" +
		"## Driven by the host\n\n| op | how |\n|---|---|\n")
	for _, code := range by["driven"] {
		fmt.Fprintf(&b, "| `%s` | %s; each region is a program of kernels |\n", short(code), opTable[code].driven)
	}
	b.WriteString("\n## Replaced by other ops\n\nPackage `backends/kit/simplify` writes other ops for these before there are kernels. " +
		"Where it cannot, the evaluator runs them.\n\n| op | becomes |\n|---|---|\n")
	chlo := []string{}
	for _, code := range by["replaced"] {
		static := code.Info().Static
		switch {
		case ofCHLO(code):
			chlo = append(chlo, "`"+code.String()+"`")
		case static != nil:
			fmt.Fprintf(&b, "| `%s` | `%s`, where its sizes are constants |\n", short(code), short(static.Op))
		default:
			fmt.Fprintf(&b, "| `%s` | %s |\n", short(code), opTable[code].replaced)
		}
	}
	fmt.Fprintf(&b, "\nAll of CHLO but `chlo.erf` and `chlo.scan` becomes StableHLO: %s. A `chlo.scan` whose body has other ops than elementwise ones and constants becomes a `while`.\n", strings.Join(chlo, ", "))
	b.WriteString("\n## Code of a target's own\n\nA target may have code for these, which it runs as a step of its own. The evaluator runs them on other targets.\n\n| op | no kernel because | targets that have code |\n|---|---|---|\n")
	for _, code := range by["claimed"] {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", short(code), opTable[code].left.because, opTable[code].left.by)
	}
	b.WriteString("\n## Left to the evaluator\n\n| op | because |\n|---|---|\n")
	for _, code := range by["left"] {
		fmt.Fprintf(&b, "| `%s` | %s |\n", short(code), opTable[code].left.because)
	}
	b.WriteString("\n## Refused\n\nNobody runs these: a program that has one does not compile, but in tests that import `ltc/internal/test/interpreter`.\n\n| op | because |\n|---|---|\n")
	for _, code := range by["refused"] {
		fmt.Fprintf(&b, "| `%s` | %s |\n", short(code), opTable[code].left.because)
	}
	b.WriteString("\n## Left in part\n\n| op | when | the reason that a step gives |\n|---|---|---|\n")
	for _, p := range partly {
		if !p.whole {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", p.ops, p.when, reasonText(p.reason))
		}
	}
	b.WriteString("\n## Programs of which nothing is compiled\n\n| in the program | when | the reason |\n|---|---|---|\n")
	for _, p := range partly {
		if p.whole {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", p.ops, p.when, reasonText(p.reason))
		}
	}
	return b.String()
}

// reasonText is a reason as a reader sees it.
func reasonText(format string) string {
	if format == "%v" {
		return "the type, and what it lacks"
	}
	return strings.NewReplacer("%s", "…", "%d", "2", "%v", "…").Replace(format)
}

// What the kernel IR computes are ops of StableHLO, on each element.
func TestElementwiseOpsAreOfTheTable(t *testing.T) {
	for _, op := range kernel.Ops() {
		if !op.Computes() || strings.HasPrefix(op.String(), "compare_") || op == kernel.Erf {
			continue
		}
		require.NotZero(t, mlir.CodeOf("stablehlo."+op.String()), "%v", op)
	}
}

// Kernels have one op that CHLO names and StableHLO does not.
func TestKernelsHaveErf(t *testing.T) {
	require.Equal(t, map[string]bool{"chlo.erf": true}, kept)
	require.Equal(t, kernel.Erf, opTable[stablehlo.CHLOErf].apply)
}

// refusedTexts are programs of the ops that nobody runs, by name.
var refusedTexts = map[string]string{
	"all_gather":           `"stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>`,
	"all_reduce":           `"stablehlo.all_reduce"(%x) ADDS {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>`,
	"all_to_all":           `"stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>`,
	"collective_broadcast": `"stablehlo.collective_broadcast"(%x) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>`,
	"collective_permute":   `"stablehlo.collective_permute"(%x) {source_target_pairs = dense<> : tensor<0x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>`,
	"collective_reduce":    `"stablehlo.collective_reduce"(%x) ADDS {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>`,
	"cross-replica-sum":    `"stablehlo.cross-replica-sum"(%x) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>`,
	"reduce_scatter":       `"stablehlo.reduce_scatter"(%x) ADDS {scatter_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>`,
	"partition_id":         `"stablehlo.partition_id"() : () -> tensor<ui32>`,
	"replica_id":           `"stablehlo.replica_id"() : () -> tensor<ui32>`,
	"infeed":               `"stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> !stablehlo.token`,
	"outfeed":              `"stablehlo.outfeed"(%x, %t) {outfeed_config = ""} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token`,
	"recv":                 `"stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> !stablehlo.token`,
	"send":                 `"stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token`,
}

// The ops that nobody runs are those whose programs the evaluator refuses.
func TestRefusedOps(t *testing.T) {
	var rows []string
	for _, code := range programOps() {
		if left := opTable[code].left; left != nil && left.runner == byNobody {
			rows = append(rows, strings.TrimPrefix(code.String(), "stablehlo."))
		}
	}
	require.ElementsMatch(t, rows, slices.Collect(maps.Keys(refusedTexts)))
	const adds = `({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  })`
	for name, text := range refusedTexts {
		text = "func.func @main(%x: tensor<2xf32>) {\n  %t = stablehlo.create_token : !stablehlo.token\n  %0 = " + strings.Replace(text, "ADDS", adds, 1) + "\n  return\n}"
		_, err := NewEvaluator().Compile(t.Context(), backends.NewModule(text), backends.Options{})
		require.ErrorIs(t, err, errors.ErrUnsupported, name)
	}
}

// A warning says of an op that no other ops stand for when it is compiled.
func TestReasonsOfReplacedOps(t *testing.T) {
	require.Equal(t, "it is compiled where it becomes integer ops on the numbers of its blocks, where no size is open", why(stablehlo.RNGBitGenerator, noKernel))
	require.Equal(t, noElements, why(stablehlo.RNGBitGenerator, noElements))
	require.Empty(t, why(stablehlo.CustomCall, noKernel))
}
