package cuda_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"ltc/backends"
	"ltc/backends/cuda"
	_ "ltc/backends/cuda/cudasim" // for machines without a GPU
	"ltc/backends/cuda/driver"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/model"
	"ltc/soa"
)

// The examples are the snippets of docs/cuda.md.

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// where names the device that programs run on: the first GPU, or a simulated GPU
// on a machine without one.
func where() string {
	if _, err := cuda.Open(0); err != nil { // err says what is missing
		return "cudasim"
	}
	return "cuda:0"
}

func Example_train() {
	dev, err := lazy.Open(where()) // "cuda:0"; "cuda:1" is the next GPU
	check(err)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2, 2) // in the GPU's memory from the first step on
	lr := tr.Scalar("lr", 0.5)
	x := lazy.From(tr, []float32{1, 0, 0, 1, 2, 0}, 3, 2)
	y := lazy.From(tr, []int32{0, 1, 0})
	for range 3 {
		loss := x.MatMul(w).CrossEntropy(y)
		w.Sub_(lazy.Grad(loss, w)[0].Mul(lr))
		check(tr.MarkStep(loss))           // queues the step
		fmt.Printf("%.3f\n", loss.Float()) // waits for it
	}

	// From any goroutine, compiled once for each size.
	predict := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.MatMul(w).ArgMax(-1) })
	classes, err := predict.Call(context.Background(), lazy.From(dev, []float32{3, 1, 1, 3}, 2, 2))
	check(err)
	fmt.Println(lazy.ToSlice[int64](classes))
	// Output:
	// 0.693
	// 0.467
	// 0.366
	// [0 1] <nil>
}

func Example_copies() {
	gpu, err := lazy.Open(where())
	check(err)
	cpu, err := lazy.Open("eval") // or "cpu"
	check(err)

	x := lazy.From(cpu, []float32{1, 2, 3, 4})
	there := x.To(gpu, lazy.Async()) // returns at once; a read waits for the copy
	tr := lazy.NewTrace(gpu)
	y := tr.Read(there).Mul(tr.Scalar("two", 2))
	check(tr.MarkStep(y))
	back := y.To(cpu, lazy.As(lazy.F64)) // converted where it arrives
	fmt.Println(lazy.ToSlice[float64](back))
	fmt.Println(lazy.ToSlice[float32](y)) // copies to Go's memory
	// Output:
	// [2 4 6 8] <nil>
	// [2 4 6 8] <nil>
}

// Particle is an element of an array of structures.
type Particle struct{ X, Y, R float32 }

// radius exports x·x of rows of two, for any number of rows.
func radius(dev *lazy.Device) *lazy.Exported {
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Mul(x).Sum(1) })
	x, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 2)}}, "r")
	check(err)
	return x
}

func Example_model() {
	ctx := context.Background()
	dev, err := lazy.Open(where())
	check(err)
	x := radius(dev) // the text of x·x, for any number of rows of two
	b, err := backends.Open(where())
	check(err)
	m, err := model.New(ctx, b, backends.NewModule(x.Text), x.Constants) // constants are copied to the GPU once
	check(err)

	particles := soa.Of[Particle](3)
	for i := range 3 {
		particles.At(i).Store(Particle{X: float32(i), Y: 1})
	}
	in, out := soa.NewCollection(3), soa.NewCollection(3)
	check(in.AddBatched("x", 3, particles.Col("X"), particles.Col("Y")))
	check(out.AddBatched("r", 3, particles.Col("R")))
	check(m.Bind(in, out).Run(ctx, nil, 0)) // copies the columns there and the result back
	fmt.Println(m.CopiedBytes(), "bytes")
	for i := range 3 {
		fmt.Print(particles.At(i).Load().R, " ")
	}
	// Output:
	// 36 bytes
	// 1 2 5
}

func Example_queues() {
	ctx := context.Background()
	dev, err := lazy.Open(where())
	check(err)
	x := radius(dev)
	b, err := backends.Open(where())
	check(err)
	m, err := model.New(ctx, b, backends.NewModule(x.Text), x.Constants)
	check(err)

	// Values in the GPU's memory: runs read and write them in place.
	gpu := b.(interface{ Device() *cuda.Device }).Device()
	from, err := gpu.Make(types.Of(types.F32, 2, 2))
	check(err)
	to, err := gpu.Make(types.Of(types.F32, 2))
	check(err)
	host := soa.Make(from.Type)
	copy(soa.Slice[float32](host), []float32{3, 4, 5, 12})
	check(soa.Copy(from, host)) // to the GPU
	in, out := soa.NewCollection(2), soa.NewCollection(2)
	check(in.AddBatched("x", 2, soa.ViewColumn("x", from)))
	check(out.AddBatched("r", 2, soa.ViewColumn("r", to)))

	q, err := gpu.NewQueue()
	check(err)
	bound := m.Bind(in, out)
	for range 3 {
		check(bound.Run(ctx, q, 0)) // returns when it is queued
	}
	check(q.Wait(ctx)) // with the first error of what was queued
	r := soa.Make(to.Type)
	check(soa.Copy(r, to)) // from the GPU
	fmt.Println(soa.Slice[float32](r))
	check(q.Close())
	// Output:
	// [25 169]
}

func Example_memory() {
	dev, err := lazy.Open(where())
	check(err)
	b, err := backends.Open(where())
	check(err)
	gpu := b.(interface{ Device() *cuda.Device }).Device() // cuda.Open(0) is the same
	before, err := gpu.Usage()
	check(err)
	gpu.Limit(before.Live + before.Kept + 64<<10) // 64 KiB more
	defer gpu.Limit(before.Limit)

	tr := lazy.NewTrace(dev)
	v := dev.Variable("v", lazy.F32, 1<<15) // 128 KiB
	v.Add_(tr.Scalar("one", 1))
	err = tr.MarkStep()
	if err == nil { // it was queued
		err = tr.Wait(context.Background())
	}
	var short *cuda.MemoryError
	fmt.Println(errors.Is(err, lazy.ErrMemory), errors.As(err, &short), errors.Is(err, driver.OutOfMemory))
	fmt.Println(short.Asked>>10, "KiB")

	gpu.Limit(before.Limit)
	v.Add_(tr.Scalar("one", 1)) // all goes on, and v is as it was before the failure
	sum := tr.Read(v).Sum()
	check(tr.MarkStep(sum))
	fmt.Println(sum.Float())
	check(gpu.Trim()) // gives back what is kept for later runs
	after, err := gpu.Usage()
	check(err)
	fmt.Println(after.Live >= 128<<10, after.Kept)
	// Output:
	// true true true
	// 128 KiB
	// 32768
	// true 0
}

func Example_artifact() {
	ctx := context.Background()
	dev, err := lazy.Open(where())
	check(err)
	program := backends.NewModule(radius(dev).Text)
	b, err := backends.Open(where())
	check(err)
	compiled, err := b.Compile(ctx, program, backends.Options{})
	check(err)
	artifact, err := compiled.Artifact() // bytes, to be kept beside the text
	check(err)

	_, err = b.Capabilities().Loader.Load(ctx, program, backends.Options{}, artifact) // the driver compiles nothing
	fmt.Println(err)
	artifact[len(artifact)-1]++
	_, err = b.Capabilities().Loader.Load(ctx, program, backends.Options{}, artifact)
	fmt.Println(errors.Is(err, backends.ErrArtifact)) // compile it anew
	// Output:
	// <nil>
	// true
}
