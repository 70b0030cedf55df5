package model_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/model"
	"ltc/soa"
)

// status returns a line of /proc/self/status, in bytes.
func status(t *testing.T, name string) int {
	text, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			require.NoError(t, err)
			return kib << 10
		}
	}
	t.Skip("the system does not say " + name)
	return 0
}

// layers is a network of four matrices, one of which is used twice, of n elements.
func layers(n string, side int) string {
	return strings.NewReplacer("N", n, "S", fmt.Sprint(side)).Replace(`func.func @main(%x: tensor<NxSxf32> {ltc.name = "x", ltc.dim = ["n", ""]},
    %a: tensor<SxSxf32> {ltc.constant, ltc.name = "a"}, %b: tensor<SxSxf32> {ltc.constant, ltc.name = "b"},
    %c: tensor<SxSxf32> {ltc.constant, ltc.name = "c"}, %d: tensor<SxSxf32> {ltc.constant, ltc.name = "d"}) -> (tensor<NxSxf32> {ltc.name = "y"}) {
  %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<NxSxf32>, tensor<SxSxf32>) -> tensor<NxSxf32>
  %1 = stablehlo.tanh %0 : tensor<NxSxf32>
  %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0] : (tensor<NxSxf32>, tensor<SxSxf32>) -> tensor<NxSxf32>
  %3 = stablehlo.tanh %2 : tensor<NxSxf32>
  %4 = stablehlo.dot_general %3, %b, contracting_dims = [1] x [0] : (tensor<NxSxf32>, tensor<SxSxf32>) -> tensor<NxSxf32>
  %5 = stablehlo.exponential %4 : tensor<NxSxf32>
  %6 = stablehlo.dot_general %5, %c, contracting_dims = [1] x [0] : (tensor<NxSxf32>, tensor<SxSxf32>) -> tensor<NxSxf32>
  %7 = stablehlo.dot_general %6, %d, contracting_dims = [1] x [1] : (tensor<NxSxf32>, tensor<SxSxf32>) -> tensor<NxSxf32>
  return %7 : tensor<NxSxf32>
}`)
}

// A model takes the constants in one form besides the caller's, whatever sizes and
// layouts it runs on, and none where nothing packs them.
func TestModelTakesConstantsOnce(t *testing.T) {
	if trials.Race {
		t.Skip("the race detector remembers who wrote each word")
	}
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	const side, most = 2560, 96
	x, y := soa.Make(types.Of(types.F32, most*side)), soa.Make(types.Of(types.F32, most*side))
	weights := func(side int) (all map[string]soa.View, size int) {
		all = map[string]soa.View{}
		for _, name := range []string{"a", "b", "c", "d"} {
			v := soa.Make(types.Of(types.F32, side, side))
			for i, x := 0, soa.Slice[float32](v); i < len(x); i++ {
				x[i] = float32(i%17-8) / float32(side)
			}
			all[name] = v
			size += v.Type.Bytes()
		}
		return all, size
	}
	// use runs a model of n elements for some sizes, on rows and on columns.
	use := func(n string, side int, constants map[string]soa.View, sizes []int) *model.Model {
		m, err := model.New(t.Context(), cpu, backends.NewModule(layers(n, side)), constants)
		require.NoError(t, err)
		for _, n := range sizes {
			for _, strides := range [][]int{{side, 1}, {1, n}} {
				in := soa.At(x.Base(), types.Of(types.F32, n, side))
				in.Strides = strides
				c := &backends.Call{Args: make([]soa.View, 5), Results: []soa.View{soa.At(y.Base(), types.Of(types.F32, n, side))}}
				c.Args[0] = in
				require.NoError(t, m.Executable().Execute(t.Context(), c))
			}
		}
		made, failed := m.Variants()
		require.Equal(t, []int{1, 0}, []int{made, failed})
		return m
	}
	constants, size := weights(side)
	few, _ := weights(256)
	for n, sizes := range map[string][]int{fmt.Sprint(most): {most}, "?": {1, 3, most, 5}} {
		use(n, 256, few, sizes) // what is compiled is there then
		debug.FreeOSMemory()
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // forgets the peak until now
			t.Skip(err)
		}
		before := status(t, "VmHWM")
		m := use(n, side, constants, sizes)
		took := status(t, "VmHWM") - before
		t.Logf("%s elements: %.2f times the constants", n, float64(took)/float64(size))
		require.Less(t, took, size*13/10, "%s elements: %.2f times the constants", n, float64(took)/float64(size))
		runtime.KeepAlive(m)
	}
	runtime.KeepAlive([]soa.View{x, y})
	if os.Getenv("LTC_LIBLLVM") == "" {
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		c.Env = append(os.Environ(), "LTC_LIBLLVM=none")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "without libLLVM: %s", out)
		t.Logf("without libLLVM: %s", out)
	}
}
