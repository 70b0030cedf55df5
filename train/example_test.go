package train_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"

	_ "ltc/backends/reference/llvm"
	"ltc/data"
	"ltc/data/digits"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/optim"
	"ltc/optim/amp"
	"ltc/soa"
	"ltc/train"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// newDigits returns a network, and the loop that trains it on the digits.
func newDigits() *train.Loop {
	dev, err := lazy.Open("cpu", lazy.Seed(1))
	check(err)
	net := layers.Sequential{
		&layers.Linear{In: digits.Pixels, Out: 64}, layers.ReLU(), &layers.Linear{In: 64, Out: 10},
	}
	check(module.Build(net, dev))
	table := digits.Load() // or data.ReadCSVFile(path)
	all := data.Arrays{data.Columns[float32](table, 0, digits.Pixels), data.Columns[int32](table, digits.Label, digits.Label+1)}
	kept, held, err := all.Holdout(5)
	check(err)
	return &train.Loop{
		Net:        net,
		Optimizer:  optim.NewAdamW(dev, module.Trainable(net), optim.AdamConfig{LR: 5e-3}),
		Train:      kept.Loader(data.Batches{Size: 64, Seed: 1}),
		Validation: held.Loader(data.Batches{Size: 64, InOrder: true}),
		Epochs:     8,
		Loss: func(x []*lazy.Tensor) train.Values {
			logits := net.Forward(x[0])
			return train.Values{
				"loss":     nn.CrossEntropy(logits, x[1], nn.CrossEntropyOptions{}),
				"accuracy": train.Accuracy(logits, x[1]),
			}
		},
	}
}

func Example() {
	loop := newDigits()
	check(loop.Run(context.Background()))
	last := loop.History[len(loop.History)-1]
	fmt.Println(last.Steps, "steps, accuracy above 0.95:", last.Validation["accuracy"] > 0.95)
	training, validation := loop.Report()
	fmt.Println(training.Compiled, "compile to train,", validation.Compiled, "to validate")
	// Output:
	// 184 steps, accuracy above 0.95: true
	// 1 compile to train, 1 to validate
}

// A run that was interrupted goes on where it was.
func ExampleLoop_checkpoint() {
	dir, err := os.MkdirTemp("", "train")
	check(err)
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())

	loop := newDigits()
	loop.Checkpoint, loop.EverySteps = filepath.Join(dir, "train.safetensors"), 100
	loop.OnStep = func(step int, values train.Means) error {
		if step == 50 {
			cancel() // as signal.NotifyContext does when the program is interrupted
		}
		return nil
	}
	fmt.Println(errors.Is(loop.Run(ctx), context.Canceled), "after", loop.Steps(), "steps")

	again := newDigits() // in the next run of the program
	again.Checkpoint = loop.Checkpoint
	check(again.Run(context.Background()))
	fmt.Println(again.Steps(), "steps")
	// Output:
	// true after 51 steps
	// 184 steps
}

// Products of f16, with losses that are scaled and gradients that are clipped.
func ExampleLoop_scaler() {
	loop := newDigits()
	net := loop.Net.(layers.Sequential)
	loop.Loss = func(x []*lazy.Tensor) train.Values {
		defer x[0].Trace().Autocast(lazy.F16)()
		return train.Values{"loss": nn.CrossEntropy(net.Forward(x[0]), x[1], nn.CrossEntropyOptions{})}
	}
	loop.ClipNorm = 1
	loop.Scaler = amp.NewLossScaler(loop.Optimizer, amp.ScalerConfig{})
	check(loop.Run(context.Background()))
	last := loop.History[len(loop.History)-1]
	fmt.Println(last.Steps, "steps, loss below 0.2:", last.Validation["loss"] < 0.2)
	// Output:
	// 184 steps, loss below 0.2: true
}

// Moving averages of the parameters, which serve the evaluation at the end.
func ExampleLoop_averages() {
	loop := newDigits()
	params := loop.Optimizer.Params()
	dev := params[0].Device()

	loop.Average = optim.NewEMA(dev, params, 0.9)
	check(loop.Run(context.Background()))
	tr := lazy.NewTrace(dev)
	check(loop.Average.Swap(tr)) // the network has the averages; a second Swap gives back what was trained
	check(tr.MarkStep())
	found, err := loop.Evaluate(context.Background(), loop.Validation)
	check(err)

	trained := loop.History[len(loop.History)-1].Validation
	fmt.Println(found["accuracy"] > 0.95, found["loss"] != trained["loss"])
	// Output:
	// true true
}

func ExampleEarlyStop() {
	loop := newDigits()
	loop.Epochs, loop.LR = 50, optim.Constant(0)
	loop.Stop = train.EarlyStop{Metric: "accuracy", Maximize: true, Patience: 2}
	check(loop.Run(context.Background()))
	fmt.Println(len(loop.History), "epochs")
	// Output:
	// 3 epochs
}

// A loop of one's own calls the parts.
func ExampleLoop_Step() {
	ctx := context.Background()
	loop := newDigits()
	for loop.Steps() < 40 {
		for batch, err := range loop.Train.Rest() {
			check(err)
			values, err := loop.Step(ctx, batch)
			check(err)
			if loop.Steps() == 40 {
				fmt.Println(values["loss"] < 1)
				break
			}
		}
	}
	found, err := loop.Evaluate(ctx, loop.Validation)
	check(err)
	fmt.Println(found["accuracy"] > 0.8, loop.Train.Position())
	// Output:
	// true
	// true {1 17}
}

// Two workers load and change images while the loop trains.
func ExampleLoop_augmented() {
	pixels, err := data.ArrayOf(make([]uint8, 10*28*28), 10, 28, 28)
	check(err)
	labels, err := data.ArrayOf(make([]int32, 10))
	check(err)
	images := data.Arrays{pixels, labels}
	loader := data.Map(images.Loader(data.Batches{Size: 4, Seed: 1}), func(b data.Batch, x data.Arrays) (data.Arrays, error) {
		changed, err := data.ApplyTransforms(x[0], b, data.RandomCrop(28, 28, 2), data.Flip(0.5), data.Normalize([]float32{0.5}, []float32{0.25}))
		return data.Arrays{changed, x[1]}, err
	})
	loader.Workers = 2
	for batch, err := range loader.Rest() {
		check(err)
		fmt.Println(batch[0].Type, batch[1].Type, soa.Slice[float32](batch[0])[0])
	}
	// Output:
	// f32[4,1,28,28] i32[4] -2
	// f32[4,1,28,28] i32[4] -2
	// f32[2,1,28,28] i32[2] -2
}

// Images in files, in a folder for each class.
func Example_folder() {
	dir, err := os.MkdirTemp("", "images")
	check(err)
	defer os.RemoveAll(dir)
	for _, name := range []string{"dark/a.png", "dark/b.png", "light/a.png", "light/b.png"} {
		img := image.NewGray(image.Rect(0, 0, 12, 12))
		if filepath.Dir(name) == "light" {
			draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
		}
		var file bytes.Buffer
		check(png.Encode(&file, img))
		check(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		check(os.WriteFile(filepath.Join(dir, name), file.Bytes(), 0o644))
	}
	images, classes := data.ImageFolder(dir, 1, data.Batches{Size: 2, Seed: 1}, data.Resize(8, 8))
	images.Workers = 2
	kept, validation := images.Holdout(4)
	training := data.Map(kept, func(b data.Batch, x data.Arrays) (data.Arrays, error) {
		flipped, err := data.ApplyTransforms(x[0], b, data.Flip(0.5))
		return data.Arrays{flipped, x[1]}, err
	})
	for batch, err := range training.Rest() {
		check(err)
		fmt.Println(batch[0].Type, batch[1].Type)
	}
	fmt.Println(classes, validation.Rows)
	// Output:
	// f32[2,1,8,8] i32[2]
	// f32[1,1,8,8] i32[1]
	// [dark light] 1
}
