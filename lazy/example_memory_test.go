package lazy_test

import (
	"errors"
	"fmt"

	"ltc/lazy"
)

func ExampleTrace_MemoryPlan() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	x := lazy.From(tr, make([]float32, 64*256), 64, 256).Named("x")
	w := lazy.From(tr, make([]float32, 256*256), 256, 256).Named("w")
	y := x.MatMul(w).Tanh().MatMul(w).Sum()
	plan, err := tr.MemoryPlan(y)
	check(err)
	peak := plan.PeakStep()
	fmt.Println(plan.Steps[peak].What, plan.Steps[peak].Line)
	for _, v := range plan.AtPeak() {
		fmt.Println(v.Kind, v)
	}
	// Output:
	// matmul f32 64×256×256 example_memory_test.go:17
	// argument 256.0 KiB of f32[256,256] "w", example_memory_test.go:16
	// argument 64.0 KiB of f32[64,256] "x", example_memory_test.go:15
	// temporary 64.0 KiB of f32[64,256], example_memory_test.go:17
	// temporary 64.0 KiB of f32[64,256], example_memory_test.go:17
	// result 4 B of f32[], example_memory_test.go:17
}

func ExampleMaxBytes() {
	dev, err := lazy.Open("cpu", lazy.MaxBytes(64<<20))
	check(err)
	tr := lazy.NewTrace(dev)
	x := lazy.Ones(tr, lazy.F32, 8, 1<<20) // 32 MiB
	err = tr.MarkStep(x.Exp(), x.Log(), x.Tanh())
	fmt.Println(errors.Is(err, lazy.ErrMemory), tr.Report().Runs)
	// Output: true 0
}
