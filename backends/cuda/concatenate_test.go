package cuda

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// joined is a concatenation of operands of some lengths along the middle of three
// dimensions.
func joined(outer, inner int, lengths ...int) string {
	var args, names, kinds []string
	sum := 0
	for i, n := range lengths {
		sum += n
		kinds = append(kinds, fmt.Sprintf("tensor<%dx%dx%dxf32>", outer, n, inner))
		names = append(names, fmt.Sprintf("%%a%d", i))
		args = append(args, names[i]+": "+kinds[i])
	}
	result := fmt.Sprintf("tensor<%dx%dx%dxf32>", outer, sum, inner)
	return fmt.Sprintf("func.func public @main(%s) -> %s {\n  %%0 = stablehlo.concatenate %s, dim = 1 : (%s) -> %s\n  return %%0 : %s\n}",
		strings.Join(args, ", "), result, strings.Join(names, ", "), strings.Join(kinds, ", "), result, result)
}

// spaced copies a value to memory of the device in which every step-th place along the
// middle dimension is its own.
func spaced(t *testing.T, b *Backend, v soa.View, step int) soa.View {
	n := v.Type.Shape[1]
	wide := there(t, b, soa.Make(types.Of(types.F32, v.Type.Shape[0], n*step, v.Type.Shape[2])))
	w, err := wide.Slice(1, 0, n*step, step)
	require.NoError(t, err)
	require.NoError(t, soa.Copy(w, v))
	return w
}

// However many operands there are, no entry has more parameters than a driver takes, and
// all is run by kernels, also where operands lie with strides.
func TestConcatenateMany(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{})
	lengths := make([]int, 300)
	for i := range lengths {
		lengths[i] = i % 4 // some are of no element
	}
	text := joined(2, 3, lengths...)
	e := compile(t, b, text, backends.Options{})
	kernels, onHost := e.Compiled()
	require.Zero(t, onHost)
	require.Greater(t, kernels, 1)
	for _, step := range []int{1, 2} {
		var host []soa.View
		c := &backends.Call{}
		for i, n := range lengths {
			v := soa.Make(types.Of(types.F32, 2, n, 3))
			for j := range v.Type.Elements() {
				soa.Slice[float32](v)[j] = float32(100*i + j)
			}
			host, c.Args = append(host, v), append(c.Args, spaced(t, b, v, step))
		}
		require.NoError(t, e.Execute(t.Context(), c))
		require.Equal(t, evaluated(t, text, host...), floats(t, c.Results[0]))
	}
}

// Large operands are copied by many blocks each, and not all by a few, one after the other.
func TestConcatenateLarge(t *testing.T) {
	trials.Sequential(t)
	for _, c := range []struct {
		outer, inner int
		steps        int
		why          string
	}{
		{1, 1 << 15, 3, "one block would be all there is"},
		{4, 1 << 15, 3, "or four"},
		{600, 1 << 14, 1, "there are blocks enough"},
		{1, 8, 1, "there are few elements"},
	} {
		list, err := Listing(t.Context(), backends.NewModule(joined(c.outer, c.inner, 3, 1, 2)), backends.Options{})
		require.NoError(t, err)
		require.Equal(t, c.steps, strings.Count(list, "// step "), c.why)
		for _, of := range regexp.MustCompile(`grid \[(\d+) (\d+) (\d+)\]`).FindAllStringSubmatch(list, -1) {
			blocks := 1
			for _, n := range of[1:] {
				k, err := strconv.Atoi(n)
				require.NoError(t, err)
				blocks *= k
			}
			require.Equal(t, c.steps > 1 || c.outer > 8, blocks > 8, "%s: %s", c.why, of[0])
		}
	}
}
