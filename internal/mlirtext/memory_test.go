package mlirtext_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// allocated is all that Parse allocates for the text, garbage included: what it
// holds at once is no more.
func allocated(t *testing.T, text string) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := stablehlo.Parse("memory.mlir", text)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	runtime.KeepAlive(m)
	return after.TotalAlloc - before.TotalAlloc
}

func TestReadingTakesLittleMemory(t *testing.T) {
	for name, text := range map[string]string{"pretty": benchText(), "generic": genericText()} {
		require.LessOrEqual(t, allocated(t, text), uint64(benchLines*1024), name)
	}
	const n = 1 << 20
	for _, hexadecimal := range []bool{false, true} {
		require.LessOrEqual(t, allocated(t, constantText(n, hexadecimal)), uint64(4*n*3/2))
	}
}

// Lists have no limit. Tuple types alone take a million.
func TestListsHaveNoLimit(t *testing.T) {
	if trials.Few() {
		t.Skip("texts of megabytes")
	}
	const n = 1_000_001
	parse := func(open, close string) mlir.Attribute {
		m, err := stablehlo.Parse("long.mlir", arrayText(n, open, close))
		require.NoError(t, err)
		return m.Ops[0].Attrs.Get("a")
	}
	list := parse("[", "]").(mlir.ArrayAttr)
	require.Len(t, list, n)
	require.Equal(t, mlir.I64Attr((n-1)*7919), list[n-1])
	array := parse("array<i64: ", ">").(mlir.DenseArrayAttr)
	require.Len(t, array.Ints, n)
	require.EqualValues(t, (n-1)*7919, array.Ints[n-1])
	require.Len(t, parse("#t.s<x = [", "]>").(mlir.StructAttr).Fields.Get("x"), n)
	_, err := stablehlo.Parse("long.mlir", `"t.o"() : () -> tuple<`+strings.Repeat("i1, ", n)+"i1>")
	require.ErrorContains(t, err, ": error: the length of a list here is at most 1000000")
}

// A constant of a terabyte, or of more than there is memory, costs nothing.
func TestHugeConstantsCostNothing(t *testing.T) {
	for _, c := range []struct{ text, err string }{
		{"%0 = stablehlo.constant dense<1.0> : tensor<1000000x1000000xf32>", ""},
		{`%0 = stablehlo.constant dense<"0x0000803F"> : tensor<1000000x1000000xf32>`, ""},
		{"%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<1000000000000xf32>", "the list has 2 elements but dimension 0"},
		{"%0 = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1000000000000xf32>", "the list has 1 element but dimension 1"},
		{`%0 = stablehlo.constant dense<"0x0000803F0000803F"> : tensor<1000000000000xf32>`, "the string has 8 bytes"},
		{`%0 = stablehlo.constant dense<> : tensor<1000000000000xf32>`, "dense<> has no elements"},
		{"%0 = stablehlo.constant dense<true> : tensor<9223372036854775807xi1>", ""},
		{"%0 = stablehlo.constant dense<true> : tensor<9223372036854775807x2xi1>", "does not fit 64 bits"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := stablehlo.Parse("huge.mlir", c.text)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20), c.text)
		if c.err != "" {
			require.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		data, splat, err := m.Ops[0].Attrs.Get("value").(*mlir.DenseAttr).Decode()
		require.NoError(t, err)
		require.True(t, splat)
		require.LessOrEqual(t, len(data), 4)
		requireStable(t, m)
	}
}

// Work is linear in the length of lists, aliases, regions and nesting. Twenty times the
// text takes at most forty times the allocations, and sixty times the memory, in which
// lists that grow leave their smaller selves behind. Both are counted, for time depends on
// the other load of the machine.
func TestAllocationsAreLinearInTheText(t *testing.T) {
	many := func(s string) func(n int) string {
		return func(n int) string { return strings.Repeat(s, n) }
	}
	numbered := func(format string) func(n int) string {
		return func(n int) string {
			var b strings.Builder
			for i := range n {
				b.WriteString(strings.ReplaceAll(format, "$", strconv.Itoa(i)))
			}
			return b.String()
		}
	}
	for name, text := range map[string]func(n int) string{
		"list":    func(n int) string { return `"t.o"() {a = [` + many("1, ")(n) + `1]} : () -> ()` },
		"dict":    func(n int) string { return `"t.o"() {a = {` + numbered("a$ = 1, ")(n) + `z}} : () -> ()` },
		"attrs":   func(n int) string { return `"t.o"() {` + numbered("a$ = 1, ")(n) + `z} : () -> ()` },
		"array":   func(n int) string { return `"t.o"() {a = array<i64: ` + many("1, ")(n) + `1>} : () -> ()` },
		"struct":  func(n int) string { return `"t.o"() {a = #t.s<` + numbered("a$ = 1, ")(n) + `z = 1>} : () -> ()` },
		"aliases": func(n int) string { return numbered("#a$ = $ : i64\n")(n) + `"t.o"() {a = #a0} : () -> ()` },
		"late":    func(n int) string { return `"t.o"() {a = #a0} : () -> () ` + numbered("#a$ = $ : i64 ")(n) },
		"regions": func(n int) string { return `"t.o"() (` + many("{}, ")(n) + `{}) : () -> ()` },
		"blocks": func(n int) string {
			return `"t.o"() ({` + numbered("^a$: \"t.br\"()[^a$] : () -> ()\n")(n) + `}) : () -> ()`
		},
		"operands": func(n int) string {
			return "%0 = \"t.o\"() : () -> i1\n\"t.p\"(" + many("%0, ")(n) + "%0) : (" + many("i1, ")(n) + "i1) -> ()"
		},
		"errors":   func(n int) string { return many("\"t.o\"(%x) : (i1) -> ()\n")(n) },
		"open":     func(n int) string { return many("module {\n")(min(n, 190)) + many("\"t.o\"() : () -> ()\n")(n) },
		"comments": func(n int) string { return many("// comment\n")(n) },
	} {
		// What is quadratic takes 400 times as much.
		short, long := workOn(text(1000)), workOn(text(20_000))
		require.LessOrEqual(t, long.bytes, 60*max(short.bytes, 64<<10), name)
		require.LessOrEqual(t, long.allocations, 40*max(short.allocations, 500), name)
	}
}

type work struct{ bytes, allocations uint64 }

// workOn is what reading, verifying and printing a text takes.
func workOn(text string) work {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := stablehlo.Parse("linear.mlir", text)
	if err != nil {
		_ = err.Error()
	} else {
		_ = verify.Module(m)
		mlir.Print(m)
	}
	runtime.ReadMemStats(&after)
	return work{after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs}
}
