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
		if dynamic := strings.HasPrefix(name, "stablehlo.dynamic_") && !strings.Contains(name, "slice"); dynamic {
			require.NotNil(t, info.Static, "%s: which op is it once its values are known?", name)
		}
	}
	if info, _ := Info("stablehlo.select_and_scatter"); info.Regions != 2 {
		t.Errorf("select_and_scatter has %d regions", info.Regions)
	}
	_, ok := Info("test.none")
	require.False(t, ok)
}
