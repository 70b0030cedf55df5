package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/checkpoint"
	"ltc/internal/test/inputs"
	"ltc/lazy"
	"ltc/nn/module"
)

// The variables of ResNet-18 have the names, the order and the shapes of testdata/resnet18.txt, the state_dict of torchvision 0.29.2.
func TestNamesOfTorchvision(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	net := NewResNet(Config{Channels: 3, Classes: 1000, Width: 64, Blocks: depths[18]})
	require.NoError(t, module.Build(net, dev, module.Empty()))
	var got strings.Builder
	for name, v := range module.State(net) {
		fmt.Fprintln(&got, name, v.Shape())
	}
	want, err := os.ReadFile("testdata/resnet18.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

// Weights that PyTorch wrote load as they are and give its logits. pytorch.py -golden wrote the files and printed the logits.
func TestLogitsOfPyTorch(t *testing.T) {
	for _, c := range []struct {
		file   string
		small  bool
		logits []float32
	}{
		{"small.pth", true, []float32{0.069405, -0.242274, -0.074783}},
		{"large.pth", false, []float32{-0.109486, 0.012375, -0.142355}},
	} {
		for _, backend := range []string{"eval", "cpu"} {
			dev, err := lazy.Open(backend)
			require.NoError(t, err)
			net := NewResNet(Config{Channels: 2, Classes: 3, Width: 2, Blocks: depths[10], Small: c.small})
			require.NoError(t, module.Build(net, dev))
			_, err = checkpoint.Load(filepath.Join("testdata", c.file), module.State(net), checkpoint.Options{})
			require.NoError(t, err)
			require.NoError(t, module.Eval(net))
			image := make([]float32, 2*64*64)
			for i := range image {
				image[i] = float32(i%97) / 97
			}
			tr := lazy.NewTrace(dev)
			y := net.Forward(lazy.From(tr, image, 1, 2, 64, 64))
			require.NoError(t, tr.MarkStep(y))
			got, err := lazy.ToSlice[float32](y)
			require.NoError(t, err)
			require.InDeltaSlice(t, c.logits, got, 1e-5, c.file)
		}
	}
}

// canceler cancels a run that prints a text.
type canceler struct {
	text   string
	cancel context.CancelFunc
}

func (c canceler) Write(line []byte) (int, error) {
	if strings.Contains(string(line), c.text) {
		c.cancel()
	}
	return len(line), nil
}

// Easy images are learnt, by one compile for training and one for evaluation, although the last batches are short. A run
// that was interrupted goes on with the same bits.
func TestEasyImages(t *testing.T) {
	dir := t.TempDir()
	inputs.Stripes(t, dir, "train", 160)
	inputs.Stripes(t, dir, "t10k", 600)
	var out bytes.Buffer
	o := options{data: dir, depth: 10, width: 4, images: 150, epochs: 8}
	loop, err := run(t.Context(), o, &out)
	require.NoError(t, err)
	first, last := loop.History[0], loop.History[7]
	require.Less(t, last.Train["loss"], 0.5*first.Train["loss"])
	require.Greater(t, last.Validation["accuracy"], 0.9) // by the running statistics
	training, validation := loop.Report()
	require.EqualValues(t, 1, training.Compiled)
	require.EqualValues(t, 1, validation.Compiled)
	require.EqualValues(t, 8*3, training.Runs)
	require.Regexp(t, `\ntraining: 1 compile, 24 steps; validation: 1 compile, 16 batches; [0-9.]+ MiB copied, as the context can be cancelled\na step takes [0-9.]+ ms \(median\)\n`, out.String())

	o.checkpoint = filepath.Join(dir, "c.safetensors")
	ctx, cancel := context.WithCancel(t.Context())
	_, err = run(ctx, o, canceler{"epoch 5/8", cancel})
	require.ErrorIs(t, err, context.Canceled)
	again, err := run(t.Context(), o, io.Discard)
	require.NoError(t, err)
	training, _ = again.Report()
	require.EqualValues(t, 3*3, training.Runs)
	require.Equal(t, loop.History[7].Validation, again.History[7].Validation)
	require.True(t, bytes.Equal(saved(t, loop.Net), saved(t, again.Net)))

	o.weights, o.checkpoint, o.epochs = o.checkpoint, "", 1 // the network's part of a checkpoint
	further, err := run(t.Context(), o, io.Discard)
	require.NoError(t, err)
	require.Greater(t, further.History[0].Train["accuracy"], first.Train["accuracy"]+0.3)

	o.weights = "testdata/small.pth"
	_, err = run(t.Context(), o, io.Discard)
	require.ErrorContains(t, err, "layer4.0.conv2.weight", "its layers are narrower")
}

// saved returns the variables of a network as a file.
func saved(t *testing.T, net any) []byte {
	state, err := checkpoint.StateOf(module.State(net))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "net.safetensors")
	require.NoError(t, checkpoint.Save(path, state))
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	return file
}

func TestMistakes(t *testing.T) {
	_, err := run(t.Context(), options{data: t.TempDir(), depth: 18, width: 4, images: 1}, io.Discard)
	require.ErrorContains(t, err, "-data is the folder with the files of Fashion-MNIST")
	_, err = run(t.Context(), options{depth: 50, width: 4, images: 1}, io.Discard)
	require.EqualError(t, err, "-depth 50 -width 4 -images 1: want a depth of 10, 18 or 34, and a width and images above 0")
}

// A few hundred images already teach a narrow network more than chance.
func TestFashion(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains on real images")
	}
	loop, err := run(t.Context(), options{data: inputs.File(t, "fashion", ""), depth: 10, width: 8, images: 2000, epochs: 2}, io.Discard)
	require.NoError(t, err)
	require.Greater(t, loop.History[1].Validation["accuracy"], 0.6)
	training, validation := loop.Report()
	require.EqualValues(t, 1, training.Compiled)
	require.EqualValues(t, 1, validation.Compiled)
}
