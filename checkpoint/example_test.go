package checkpoint_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"ltc/checkpoint"
	"ltc/lazy"
	"ltc/soa"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func ExampleOpen() {
	f, err := checkpoint.Open("testdata/nested.pt") // also safetensors, an index of shards, GGUF
	check(err)
	defer f.Close()
	w, err := f.Tensor("model.0.weight")
	check(err)
	fmt.Println(w.Type, f.Metadata["epoch"])
	// Output:
	// f32[2,3] 3
}

// Names of variables are those of the file without the prefix of the model.
func ExampleLoadInto() {
	f, err := checkpoint.Open("testdata/nested.pt")
	check(err)
	defer f.Close()
	dev, err := lazy.Open("cpu")
	check(err)
	variables := map[string]*lazy.Tensor{
		"0.weight": dev.Variable("weight", lazy.F32, 2, 3),
		"0.bias":   dev.Variable("bias", lazy.F32, 2),
	}
	err = checkpoint.LoadInto(maps.All(variables), &f.State, checkpoint.Options{Prefix: "model."})
	fmt.Println(err)
	check(checkpoint.LoadInto(maps.All(variables), &f.State, checkpoint.Options{Prefix: "model.0.", Rename: func(name string) string { return "0." + name }}))
	// Output:
	// load testdata/nested.pt: no variable was changed
	// extra: 5 tensors (AllowExtra ignores them)
	// 	1.weight f32[2], in the file model.1.weight
	// 	1.bias f32[2], in the file model.1.bias
	// 	1.running_mean f32[2], in the file model.1.running_mean
	// 	1.running_var f32[2], in the file model.1.running_var
	// 	1.num_batches_tracked i64[], in the file model.1.num_batches_tracked
}

func ExampleSave() {
	dir, err := os.MkdirTemp("", "checkpoint")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "train.safetensors")

	dev, err := lazy.Open("cpu")
	check(err)
	random := lazy.NewRandom(dev, 7)
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{1, 2})
	variables := map[string]*lazy.Tensor{"w": w}
	state, err := checkpoint.StateOf(maps.All(variables))
	check(err)
	state.Metadata = checkpoint.Metadata{"step": 100, "random": random.State()}
	check(checkpoint.Save(path, state))

	// In the next run of the program:
	metadata, err := checkpoint.Load(path, maps.All(variables), checkpoint.Options{})
	check(err)
	var step int
	check(metadata.Value("step", &step))
	var at lazy.RandomState
	check(metadata.Value("random", &at))
	random.SetState(at)
	fmt.Println(step)
	// Output:
	// 100
}

// Quantized tensors of GGUF are blocks in place, or float32.
func ExampleTensor_quantized() {
	f, err := checkpoint.Open("testdata/blocks.gguf")
	check(err)
	defer f.Close()
	w, err := f.Tensor("Q4_K")
	check(err)
	d := w.Blocks.DType
	fmt.Println(w.Type, d, d.Block(), d.BlockBytes(), w.Blocks.Raw().Type)
	values := soa.Make(w.Type)
	check(w.Blocks.Dequantize(soa.Slice[float32](values)))
	// Output:
	// f32[1,256] Q4_K 256 144 u8[1,144]
}
