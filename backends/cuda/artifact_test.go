package cuda

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// An artifact runs where its machine code does, which nobody compiles; on later GPUs the
// driver compiles its PTX; and it is refused where neither runs, of other programs and of
// other options.
func TestArtifact(t *testing.T) {
	trials.Sequential(t)
	aboutFake(t) // GPUs of several kinds
	large := `func.func public @main(%a: tensor<4096x64xbf16>, %b: tensor<64x4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4096x64xbf16>, tensor<64x4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}`
	loop := `func.func public @main(%n: tensor<i32>, %x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<?x3xf32>
    cond {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %c = stablehlo.compare GT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.subtract %i, %one : tensor<i32>
      %w = stablehlo.add %v, %v : tensor<?x3xf32>
      stablehlo.return %j, %w : tensor<i32>, tensor<?x3xf32>
    }
  return %0#1 : tensor<?x3xf32>
}`
	type gpu struct{ major, minor int }
	for _, c := range []struct {
		name, text string
		made, on   gpu
		cubin      bool // what the driver gets
		refused    string
	}{
		{"the same", update, gpu{9, 0}, gpu{9, 0}, true, ""},
		{"of the generation", update, gpu{8, 0}, gpu{8, 6}, true, ""},
		{"an older one of it", update, gpu{8, 6}, gpu{8, 0}, false, ""},
		{"another generation", update, gpu{8, 0}, gpu{9, 0}, false, ""},
		{"all sizes, and a loop", loop, gpu{9, 0}, gpu{9, 0}, true, ""},
		{"sm_90a alone", large, gpu{9, 0}, gpu{9, 0}, false, ""}, // its text is compiled
		{"sm_90a elsewhere", large, gpu{9, 0}, gpu{8, 0}, false, "cuda:0: load: the artifact does not fit: it is for sm_90a, and the GPU is an sm_80: compile the program on it"},
		{"kernels of sm_80 for sm_90a", large, gpu{8, 0}, gpu{9, 0}, false, "of a GPU for which other kernels are made"},
		{"another program", strings.Replace(update, "subtract", "add", 1), gpu{9, 0}, gpu{9, 0}, false, "it is of another program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.text
			if c.name == "another program" {
				text = update
			}
			made, _ := backend(t, cudafake.Options{Major: c.made.major, Minor: c.made.minor})
			x, err := made.Compile(t.Context(), backends.NewModule(c.text), backends.Options{})
			require.NoError(t, err)
			data, err := x.Artifact()
			require.NoError(t, err)

			b, _ := backend(t, cudafake.Options{Major: c.on.major, Minor: c.on.minor, NoJIT: c.cubin})
			y, err := b.Load(t.Context(), backends.NewModule(text), backends.Options{}, data)
			if c.refused != "" {
				require.ErrorIs(t, err, backends.ErrArtifact)
				require.ErrorContains(t, err, c.refused)
				return
			}
			require.NoError(t, err)
			if c.text == update {
				w := f32s(t, 1, 2, 3)
				lr, err := soa.Borrow([]float32{2}, types.Of(types.F32))
				require.NoError(t, err)
				require.NoError(t, y.Execute(context.Background(), &backends.Call{Args: []soa.View{w, f32s(t, 1, 0, 1), lr}}))
				require.NotEqual(t, []float32{1, 2, 3}, floats(t, w))
			}
		})
	}
	b, f := backend(t, cudafake.Options{})
	x, err := b.Compile(t.Context(), backends.NewModule(update), backends.Options{})
	require.NoError(t, err)
	data, err := x.Artifact()
	require.NoError(t, err)
	f.Fail("cuModuleLoadDataEx", 0, driver.InvalidImage) // as of machine code of a later driver's
	_, err = b.Load(t.Context(), backends.NewModule(update), backends.Options{}, data)
	require.NoError(t, err)
	f.Fail("cuLinkComplete", 0, driver.NotSupported) // then there is PTX alone
	data, err = x.Artifact()
	require.NoError(t, err)
	require.Empty(t, readArtifact(data).cubin)
	_, err = b.Load(t.Context(), backends.NewModule(update), backends.Options{}, data)
	require.NoError(t, err)
}

// What is for sm_90a is kept as text alone, whatever else the program has: the driver's
// linker would make code of it in which warpgroups wait for every product.
func TestArtifactOfWarpgroupsIsText(t *testing.T) {
	trials.Sequential(t)
	for text, machine := range map[string]bool{update: true, strings.NewReplacer("M", "4096", "K", "64").Replace(`func.func public @main(%a: tensor<MxKxbf16>, %b: tensor<KxMxbf16>, %c: tensor<3xf32>) -> (tensor<MxMxbf16>, tensor<3xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<MxKxbf16>, tensor<KxMxbf16>) -> tensor<MxMxbf16>
  %1 = stablehlo.add %c, %c : tensor<3xf32>
  return %0, %1 : tensor<MxMxbf16>, tensor<3xf32>
}`): false} {
		b, _ := backend(t, cudafake.Options{Major: 9})
		x, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
		data, err := x.Artifact()
		require.NoError(t, err)
		a := readArtifact(data)
		require.NotEmpty(t, a.ptx)
		require.Equal(t, machine, len(a.cubin) > 0)
	}
}

// An artifact of which a bit is another, in machine code, too, which a GPU would run, is
// refused, and so is one that is cut short, or of sizes that it has not.
func TestArtifactNotWhole(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{})
	x, err := b.Compile(t.Context(), backends.NewModule(update), backends.Options{})
	require.NoError(t, err)
	data, err := x.Artifact()
	require.NoError(t, err)
	require.NotEmpty(t, readArtifact(data).cubin)
	for i := range data {
		for _, bit := range []byte{1, 0x20} {
			data[i] ^= bit
			require.Nil(t, readArtifact(data), "byte %d", i)
			data[i] ^= bit
		}
	}
	data[len(data)-1] ^= 1
	_, err = b.Load(t.Context(), backends.NewModule(update), backends.Options{}, data)
	require.ErrorIs(t, err, backends.ErrArtifact)
	require.EqualError(t, err, "cuda:0: load: the artifact does not fit: it is none of this backend's and version, or not as it was made")
	data[len(data)-1] ^= 1
	_, err = b.Load(t.Context(), backends.NewModule(update), backends.Options{}, data)
	require.NoError(t, err)
	for _, cut := range [][]byte{
		nil, data[:10], data[:len(data)-1], append(slices.Clone(data), 0),
		[]byte("ltc cuda artifact 2: ptx -3, cubin 3 of sm_90, sha256 00\n"),
		[]byte("ltc cuda artifact 2: ptx 9223372036854775807, cubin 1 of sm_90, sha256 00\n"),
	} {
		require.Nil(t, readArtifact(cut))
	}
}
