package checkpoint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/checkpoint"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/model"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/soa"
)

// exported returns a network with a program of its Forward.
func exported(t *testing.T) (*layers.Linear, *lazy.Exported) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	net := &layers.Linear{In: 3, Out: 2}
	require.NoError(t, module.Build(net, dev))
	x, err := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return net.Forward(x) }).
		Export([]lazy.Input{{Name: "x", Type: types.Of(lazy.F32, lazy.AnySize, 3)}}, "y")
	require.NoError(t, err)
	return net, x
}

// A program that was saved has the results of the network, whose variables can be loaded from its constants.
func TestProgramOfNetwork(t *testing.T) {
	net, x := exported(t)
	path := filepath.Join(t.TempDir(), "net.mlir")
	require.NoError(t, checkpoint.SaveProgram(path, x))
	p, err := checkpoint.OpenProgram(path)
	require.NoError(t, err)
	defer p.Close()
	require.Equal(t, x.Text, p.Text)

	b, err := backends.Open("eval")
	require.NoError(t, err)
	m, err := model.New(t.Context(), b, backends.NewModule(p.Text), p.Constants)
	require.NoError(t, err)
	in, err := soa.Borrow([]float32{1, 2, 3, 4, 5, 6}, types.Of(lazy.F32, 2, 3))
	require.NoError(t, err)
	got, err := m.Call(t.Context(), in)
	require.NoError(t, err)

	again := &layers.Linear{In: 3, Out: 2}
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	require.NoError(t, module.Build(again, dev, module.Empty()))
	_, err = checkpoint.Load(strings.TrimSuffix(path, ".mlir")+".safetensors", module.State(again), checkpoint.Options{})
	require.NoError(t, err)
	for _, of := range []*layers.Linear{net, again} {
		tr := lazy.NewTrace(of.Weight.Device())
		y := of.Forward(lazy.From(tr, []float32{1, 2, 3, 4, 5, 6}, 2, 3))
		want, err := lazy.ToSlice[float32](y)
		require.NoError(t, err)
		require.Equal(t, want, soa.Slice[float32](got[0]))
	}
}

func TestProgramsThatAreRefused(t *testing.T) {
	(*checkpoint.Program)(nil).Close()
	new(checkpoint.Program).Close()
	_, x := exported(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "net.mlir")
	require.EqualError(t, checkpoint.SaveProgram("net.txt", x), "save net.txt: the name of a program ends in .mlir")
	require.EqualError(t, checkpoint.SaveProgram("net.mlir", nil), "save net.mlir: there is no program, it is nil")
	_, err := checkpoint.OpenProgram(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, checkpoint.SaveProgram(path, x))

	require.NoError(t, os.WriteFile(path, []byte(x.Text+"\n"), 0o600))
	_, err = checkpoint.OpenProgram(path)
	require.ErrorContains(t, err, "net.safetensors has the constants of another text: save the program again")

	weights := filepath.Join(dir, "net.safetensors")
	require.NoError(t, checkpoint.Save(weights, &checkpoint.State{}))
	_, err = checkpoint.OpenProgram(path)
	require.ErrorContains(t, err, `net.safetensors has no metadata "ltc.program": SaveProgram did not write it; save the program again`)
	require.NoError(t, os.Remove(weights))
	_, err = checkpoint.OpenProgram(path)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A program does not replace a checkpoint of the same name, and replaces an older program.
func TestProgramBesideCheckpoint(t *testing.T) {
	net, x := exported(t)
	dir := t.TempDir()
	state, err := checkpoint.StateOf(module.State(net))
	require.NoError(t, err)
	weights := filepath.Join(dir, "vit.safetensors")
	require.NoError(t, checkpoint.Save(weights, state))
	before, err := os.ReadFile(weights)
	require.NoError(t, err)
	err = checkpoint.SaveProgram(filepath.Join(dir, "vit.mlir"), x)
	require.ErrorContains(t, err, "vit.safetensors, which is no program's: save under another name: there is no value ltc.program")
	after, err := os.ReadFile(weights)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.NoFileExists(t, filepath.Join(dir, "vit.mlir"))

	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.safetensors"), []byte("no tensors"), 0o600))
	require.ErrorContains(t, checkpoint.SaveProgram(filepath.Join(dir, "notes.mlir"), x), "save under another name")
	for range 2 {
		require.NoError(t, checkpoint.SaveProgram(filepath.Join(dir, "net.mlir"), x))
	}
}
