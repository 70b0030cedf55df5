package stablehlo_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
)

func TestInfo(t *testing.T) {
	for code := range mlir.Codes() {
		static := code.Info().Static
		if static == nil {
			continue
		}
		// What a dynamic op becomes exists and has the attributes that it is given.
		require.NotZero(t, static.Op, code)
		require.Nil(t, static.Op.Info().Static, code)
		require.NotEmpty(t, static.Parts, code)
		for i, p := range static.Parts {
			require.True(t, i == 0 || p.Operand > static.Parts[i-1].Operand, code)
			if p.Attr != "" {
				require.Contains(t, static.Op.Props(), p.Attr, code)
			}
		}
	}
	for code := range mlir.Codes() {
		info := code.Info()
		if name := code.String(); strings.HasPrefix(name, "stablehlo.dynamic_") && !strings.Contains(name, "slice") && !info.Traits.Has(mlir.Expanded) {
			require.NotNil(t, info.Static, "%s: which op is it once its values are known?", name)
		}
	}
	require.Equal(t, 2, mlir.CodeOf("stablehlo.select_and_scatter").Info().Regions)
}

// Those ops are elementwise of which the table's forms would also hold for
// scalars; what has effects has no equal in another place.
func TestTraits(t *testing.T) {
	has := func(name string, u mlir.Traits) bool {
		code := mlir.CodeOf(name)
		require.NotZero(t, code, name)
		return code.Info().Traits.Has(u)
	}
	for _, name := range []string{"stablehlo.add", "stablehlo.tanh", "stablehlo.select", "stablehlo.compare", "stablehlo.clamp", "stablehlo.convert", "chlo.erf"} {
		require.True(t, has(name, mlir.Elementwise), name)
	}
	for _, name := range []string{"stablehlo.constant", "stablehlo.iota", "stablehlo.reshape", "stablehlo.reduce", "stablehlo.bitcast_convert", "chlo.broadcast_add", "chlo.scan"} {
		require.False(t, has(name, mlir.Elementwise), name)
	}
	var effects []string
	for _, name := range sortedNames() {
		if require.False(t, has(name, mlir.Elementwise|mlir.Effects), name); has(name, mlir.Effects) {
			effects = append(effects, name)
		}
	}
	require.Equal(t, []string{
		"check.expect_almost_eq", "check.expect_almost_eq_const", "check.expect_close", "check.expect_eq", "check.expect_eq_const", "check.expect_serialized_eq",
		"interpreter.print", "interpreter.probe", "interpreter.run_parallel",
		"stablehlo.after_all", "stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.all_to_all", "stablehlo.async_done", "stablehlo.async_start",
		"stablehlo.collective_broadcast", "stablehlo.collective_permute", "stablehlo.collective_reduce", "stablehlo.create_token", "stablehlo.cross-replica-sum",
		"stablehlo.custom_call", "stablehlo.infeed", "stablehlo.optimization_barrier", "stablehlo.outfeed", "stablehlo.recv", "stablehlo.reduce_scatter",
		"stablehlo.rng", "stablehlo.send",
	}, effects)
}

// sortedNames returns the names of all ops, sorted.
func sortedNames() []string {
	var all []string
	for code := range mlir.Codes() {
		all = append(all, code.String())
	}
	slices.Sort(all)
	return all
}
