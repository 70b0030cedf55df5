package mlir

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInfo(t *testing.T) {
	names := OpNames()
	for _, name := range names {
		info, ok := Info(name)
		require.True(t, ok)
		if info.Static == nil {
			continue
		}
		// What a dynamic op becomes exists and has the attributes that it is given.
		require.Contains(t, names, info.Static.Op, name)
		require.Nil(t, opDefs[info.Static.Op].static, name)
		require.NotEmpty(t, info.Static.Parts, name)
		for i, p := range info.Static.Parts {
			require.True(t, i == 0 || p.Operand > info.Static.Parts[i-1].Operand, name)
			if p.Attr != "" {
				require.Contains(t, opDefs[info.Static.Op].props, p.Attr, name)
			}
		}
	}
	for _, name := range names {
		info, _ := Info(name)
		if strings.HasPrefix(name, "stablehlo.dynamic_") && !strings.Contains(name, "slice") && !info.Traits.Has(Expanded) {
			require.NotNil(t, info.Static, "%s: which op is it once its values are known?", name)
		}
	}
	if info, _ := Info("stablehlo.select_and_scatter"); info.Regions != 2 {
		t.Errorf("select_and_scatter has %d regions", info.Regions)
	}
	_, ok := Info("test.none")
	require.False(t, ok)
}

// Those ops are elementwise of which the table's forms would also hold for
// scalars; what has effects has no equal in another place.
func TestTraits(t *testing.T) {
	has := func(name string, u Traits) bool {
		info, ok := Info(name)
		require.True(t, ok, name)
		return info.Traits.Has(u)
	}
	for _, name := range []string{"stablehlo.add", "stablehlo.tanh", "stablehlo.select", "stablehlo.compare", "stablehlo.clamp", "stablehlo.convert", "chlo.erf"} {
		require.True(t, has(name, Elementwise), name)
	}
	for _, name := range []string{"stablehlo.constant", "stablehlo.iota", "stablehlo.reshape", "stablehlo.reduce", "stablehlo.bitcast_convert", "chlo.broadcast_add", "chlo.scan"} {
		require.False(t, has(name, Elementwise), name)
	}
	var effects []string
	for _, name := range OpNames() {
		if require.False(t, has(name, Elementwise|Effects), name); has(name, Effects) {
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
