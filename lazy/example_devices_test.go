package lazy_test

import (
	"context"
	"errors"
	"fmt"

	"ltc/lazy"
)

func ExampleTensor_To() {
	a, err := lazy.Open("cpu")
	check(err)
	b, err := lazy.Open("eval")
	check(err)

	w := lazy.SetValues(a.Variable("w", lazy.F32, 2), []float32{1.5, 2.5})
	copied := w.To(b, lazy.As(lazy.F64)) // with lazy.Async() it returns at once
	fmt.Println(copied.Device(), copied.Type())
	fmt.Println(lazy.ToSlice[float64](copied))

	tr := lazy.NewTrace(b)
	mixed := tr.Read(copied).Convert(lazy.F32).Add(w)
	fmt.Println(errors.Is(mixed.Err(), lazy.ErrPlacement))
	// Output:
	// eval f64[2]
	// [1.5 2.5] <nil>
	// true
}

func ExampleUseDevice() {
	dev, err := lazy.Open("eval:0")
	check(err)

	func() {
		defer lazy.UseDevice(dev)()
		d, err := lazy.Default()
		check(err)
		fmt.Println(d == dev)
	}()

	ctx := lazy.WithDevice(context.Background(), dev) // for a goroutine of its own
	d, err := lazy.DeviceFrom(ctx)
	check(err)
	fmt.Println(d == dev)
	// Output:
	// true
	// true
}

func ExampleMemoryLimit() {
	dev, err := lazy.Open("cpu", lazy.MemoryLimit(1<<20))
	check(err)

	x := lazy.From(dev, make([]float32, 1<<20)) // 4 MiB
	fmt.Println(errors.Is(x.Err(), lazy.ErrMemory))
	y := lazy.From(dev, make([]float32, 1<<17))
	s := dev.MemoryStats()
	fmt.Println(s.Live>>10, "KiB of", s.Limit>>10)
	y.Release()
	_, err = y.Value()
	fmt.Println(errors.Is(err, lazy.ErrReleased))
	// Output:
	// true
	// 512 KiB of 1024
	// true
}

func ExampleDevice_LiveTensors() {
	dev, err := lazy.Open("cpu", lazy.TrackLive())
	check(err)
	tr := lazy.NewTrace(dev)

	var history []*lazy.Tensor // a leak
	for range 5 {
		x := lazy.Ones(tr, lazy.F32, 100)
		loss := x.Mul(x).Sum()
		check(tr.MarkStep(loss))
		history = append(history, loss)
	}
	for _, l := range dev.LiveTensors().Lines {
		fmt.Println(l.Kind, l.Count, l.Bytes, "bytes")
	}
	fmt.Println(history[4].Float())
	// Output:
	// result 5 20 bytes
	// 100
}

func ExampleAsync() {
	a, err := lazy.Open("cpu")
	check(err)
	b, err := lazy.Open("eval")
	check(err)
	first, second := lazy.NewTrace(a), lazy.NewTrace(b)
	x := lazy.From(first, []float32{1, 2}).MulScalar(2)
	check(first.MarkStep(x))
	y := second.Read(x.To(b, lazy.Async())).Neg()
	check(second.MarkStep(y))
	fmt.Println(lazy.ToSlice[float32](y))
	fmt.Println(first.Report().Syncs(), "implicit syncs")
	// Output:
	// [-2 -4] <nil>
	// 0 implicit syncs
}

func ExampleMarkSteps() {
	ctx := context.Background()
	a, err := lazy.Open("cpu")
	check(err)
	b, err := lazy.Open("eval")
	check(err)
	first, second := lazy.NewTrace(a), lazy.NewTrace(b)
	x := lazy.From(first, []float32{1, 2}).MulScalar(2)
	y := lazy.From(second, []float32{3, 4}).Neg()
	check(lazy.MarkSteps(ctx, x, y))
	fmt.Println(lazy.ToSlice[float32](x))
	fmt.Println(lazy.ToSlice[float32](y))
	// Output:
	// [2 4] <nil>
	// [-3 -4] <nil>
}
