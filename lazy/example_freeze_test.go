package lazy_test

import (
	"context"
	"errors"
	"fmt"

	"ltc/lazy"
)

func ExampleDevice_Freeze() {
	ctx := context.Background()
	dev, err := lazy.Open("cpu", lazy.StaticShapes()) // else the second size serves all
	check(err)
	score := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Tanh().Sum() })
	batch := func(n int) *lazy.Tensor { return lazy.From(dev, make([]float32, n)) }

	for _, n := range []int{1, 8} { // the sizes that requests are padded to
		check(score.Warmup(ctx, batch(n)))
	}
	dev.Freeze(true) // requests are served from here on

	y, err := score.Call(ctx, batch(8))
	check(err)
	fmt.Println(y.Float())
	_, err = score.Call(ctx, batch(5))
	fmt.Println(errors.Is(err, lazy.ErrFrozen))
	// Output:
	// 0
	// true
}
