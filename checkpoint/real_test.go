package checkpoint_test

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/checkpoint"
	"ltc/internal/test/inputs"
	"ltc/soa"
)

// published are files of weights, with the sum of some of their tensors.
var published = []struct {
	model, file, format string
	tensors             int
	hashed              func(name string) bool
	sum                 string
}{
	{"efficientnet", "efficientnet-lite0-57934424.pth", checkpoint.Torch, 296, func(string) bool { return true }, "005bdebd355e2b7f8f306bd4d3e0452d87921d44b3e5eb83430a6b076fca9a3e"},
	{"minilm", "model.safetensors", checkpoint.Safetensors, 104, func(string) bool { return true }, "fb73e169ded68dcfd772b2ddb91bdc39dbc4f2ab6da6387c5e6139a7a226c116"},
	{"smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", checkpoint.GGUF, 272, func(n string) bool { return strings.HasPrefix(n, "blk.0.") || !strings.HasPrefix(n, "blk") }, "d691eb8f64a4f1d5958bbe1a5daedd4f3a996e9e289653922665676794e73c6a"},
}

// Files of published weights have the elements that PyTorch 2.15, safetensors 0.8 and gguf-py 0.19
// read: the SHA-256 of names and elements, in the order of the names.
func TestPublishedWeights(t *testing.T) {
	for _, c := range published {
		t.Run(c.model, func(t *testing.T) {
			f := open(t, inputs.File(t, c.model, c.file))
			require.Equal(t, c.format, f.Format)
			require.Len(t, f.Names(), c.tensors)
			h := sha256.New()
			for _, name := range slices.Sorted(slices.Values(f.Names())) {
				if c.hashed(name) {
					h.Write([]byte(name))
					write(t, h, f, name)
				}
			}
			require.Equal(t, c.sum, hex.EncodeToString(h.Sum(nil)))
		})
	}
}

// write writes the elements of a tensor, dequantized.
func write(t *testing.T, h hash.Hash, f *checkpoint.File, name string) {
	x, err := f.Tensor(name)
	require.NoError(t, err)
	dense := soa.Make(x.Type)
	if x.Quantized() {
		require.NoError(t, x.Blocks.Dequantize(soa.Slice[float32](dense)))
	} else {
		v, err := x.View()
		require.NoError(t, err)
		require.NoError(t, soa.Copy(dense, v))
	}
	h.Write(unsafe.Slice((*byte)(dense.Base()), dense.Type.Bytes()))
}

func BenchmarkOpen(b *testing.B) {
	for _, of := range published {
		b.Run(of.model, func(b *testing.B) {
			path := inputs.File(b, of.model, of.file)
			b.ReportAllocs()
			for b.Loop() {
				f, err := checkpoint.Open(path)
				require.NoError(b, err)
				f.Close()
			}
		})
	}
}

// An index with anything in it opens or is refused.
func FuzzIndex(f *testing.F) {
	dir := f.TempDir()
	for _, file := range []string{"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"} {
		require.NoError(f, os.WriteFile(dir+"/"+file, read(f, file), 0o600))
	}
	f.Add(string(read(f, "model.safetensors.index.json")))
	f.Add(`{"weight_map": {"a": "../a"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := dir + "/index.json"
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		if x, err := checkpoint.Open(path); err == nil {
			x.Close()
		}
	})
}
