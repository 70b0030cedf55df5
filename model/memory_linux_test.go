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
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/samples"
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

// layers is a network of four matrices, one of which is used twice, of n elements. The
// matrices have elements of type weights, which become those of type values. Bytes are
// scaled by column then.
func layers(n string, side int, values, weights types.DType) string {
	text := `func.func @main(%x: tensor<NxSxV> {ltc.name = "x", ltc.dim = ["n", ""]},
    %wa: tensor<SxSxW> {ltc.constant, ltc.name = "a"}, %wb: tensor<SxSxW> {ltc.constant, ltc.name = "b"},
    %wc: tensor<SxSxW> {ltc.constant, ltc.name = "c"}, %wd: tensor<SxSxW> {ltc.constant, ltc.name = "d"}) -> (tensor<NxSxV> {ltc.name = "y"}) {
  %a = stablehlo.convert %wa : (tensor<SxSxW>) -> tensor<SxSxV>
  %b = stablehlo.convert %wb : (tensor<SxSxW>) -> tensor<SxSxV>
  %c = stablehlo.convert %wc : (tensor<SxSxW>) -> tensor<SxSxV>
  %d = stablehlo.convert %wd : (tensor<SxSxW>) -> tensor<SxSxV>
  %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<NxSxV>, tensor<SxSxV>) -> tensor<NxSxV>
  %1 = stablehlo.tanh %0 : tensor<NxSxV>
  %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0] : (tensor<NxSxV>, tensor<SxSxV>) -> tensor<NxSxV>
  %3 = stablehlo.tanh %2 : tensor<NxSxV>
  %4 = stablehlo.dot_general %3, %b, contracting_dims = [1] x [0] : (tensor<NxSxV>, tensor<SxSxV>) -> tensor<NxSxV>
  %5 = stablehlo.exponential %4 : tensor<NxSxV>
  %6 = stablehlo.dot_general %5, %c, contracting_dims = [1] x [0] : (tensor<NxSxV>, tensor<SxSxV>) -> tensor<NxSxV>
  %7 = stablehlo.dot_general %6, %d, contracting_dims = [1] x [1] : (tensor<NxSxV>, tensor<SxSxV>) -> tensor<NxSxV>
  return %7 : tensor<NxSxV>
}`
	if weights.Size() == 1 {
		text = strings.Replace(text, ") -> (tensor<NxSxV> {", `,
    %s: tensor<SxV> {ltc.constant, ltc.name = "s"}) -> (tensor<NxSxV> {`, 1)
		scales := "  %scales = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<SxV>) -> tensor<SxSxV>\n"
		for _, name := range []string{"a", "b", "c", "d"} {
			scales += strings.ReplaceAll("  %N1 = stablehlo.multiply %N, %scales : tensor<SxSxV>\n", "%N", "%"+name)
			text = strings.ReplaceAll(text, ", %"+name+", contracting", ", %"+name+"1, contracting")
		}
		text = strings.Replace(text, "  %0 =", scales+"  %0 =", 1)
	}
	return strings.NewReplacer("N", n, "S", fmt.Sprint(side), "V", values.String(), "W", weights.String()).Replace(text)
}

// A model takes the constants in one form besides the caller's, of as many bytes,
// whatever sizes and layouts it runs on, and none where nothing packs them.
func TestModelTakesConstantsOnce(t *testing.T) {
	if trials.Race {
		t.Skip("the race detector remembers who wrote each word")
	}
	for _, d := range []struct{ values, weights types.DType }{
		{types.F32, types.F32}, {types.BF16, types.BF16}, {types.F16, types.F16}, {types.F32, types.BF16}, {types.F32, types.I8},
	} {
		t.Run(fmt.Sprintf("%v of %v", d.values, d.weights), func(t *testing.T) {
			if d.weights == types.I8 && os.Getenv("LTC_LIBLLVM") == "none" {
				t.Skip("without libLLVM the evaluator computes scaled matrices, in memory of its own")
			}
			takesConstantsOnce(t, d.values, d.weights)
		})
	}
	if os.Getenv("LTC_LIBLLVM") != "" || os.Getenv("LTC_CPU_LEVEL") != "" {
		return
	}
	for set, which := range map[string]string{"LTC_LIBLLVM=none": "", "LTC_CPU_LEVEL=avx2": "/(^bf16|i8$)", "LTC_CPU_LEVEL=sse2": "/(^f16|i8$)"} {
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$"+which, "-test.v")
		c.Env = append(os.Environ(), set)
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s: %s", set, out)
		t.Logf("%s: %s", set, out)
	}
}

func takesConstantsOnce(t *testing.T, values, weights types.DType) {
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	const most = 96
	side := map[int]int{4: 2560, 2: 3616, 1: 5120}[weights.Size()] // as many bytes, for what else takes memory to be as small a share
	x, y := soa.Make(types.Of(values, most*side)), soa.Make(types.Of(values, most*side))
	matrices := func(side int) (all map[string]soa.View, size int) {
		all = map[string]soa.View{}
		scale := 1 / float64(side)
		if weights.Size() == 1 {
			s := soa.Make(types.Of(values, side))
			for i := range side {
				samples.Set(s, i, scale)
			}
			all["s"], scale = s, 1
		}
		for _, name := range []string{"a", "b", "c", "d"} {
			v := soa.Make(types.Of(weights, side, side))
			const period = 17
			for i := range period {
				samples.Set(v, i, float64(i-8)*scale)
			}
			bytes := unsafe.Slice((*byte)(v.Base()), v.Type.Bytes())
			for n := period * weights.Size(); n < len(bytes); n *= 2 {
				copy(bytes[n:], bytes[:n])
			}
			all[name] = v
			size += v.Type.Bytes()
		}
		return all, size
	}
	// use runs a model of n elements for some sizes, on rows and on columns.
	use := func(n string, side int, constants map[string]soa.View, sizes []int) *model.Model {
		m, err := model.New(t.Context(), cpu, backends.NewModule(layers(n, side, values, weights)), constants)
		require.NoError(t, err)
		for _, n := range sizes {
			for _, strides := range [][]int{{side, 1}, {1, n}} {
				in := soa.At(x.Base(), types.Of(values, n, side))
				in.Strides = strides
				c := &backends.Call{Args: make([]soa.View, 1+len(constants)), Results: []soa.View{soa.At(y.Base(), types.Of(values, n, side))}}
				c.Args[0] = in
				require.NoError(t, m.Executable().Execute(t.Context(), c))
			}
		}
		made, failed := m.Variants()
		require.Equal(t, []int{1, 0}, []int{made, failed})
		return m
	}
	constants, size := matrices(side)
	few, _ := matrices(256)
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
	runtime.KeepAlive(constants)
}
