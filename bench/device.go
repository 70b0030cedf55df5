package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"ltc/backends"
	"ltc/bench/measure"
	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// forDevices are workloads of the size of GPUs, which are measured where the backend
// has memory of its own; and what dispatch costs where kernels run beside it.
var forDevices = []workload{
	{name: "peak_device_copy", doc: "bytes read and written by a copy of 1 GiB of the device's memory", run: deviceCopy},
	{name: "graph_costs", doc: "s to queue and wait for a graph of kernels made anew; what launches and graphs cost", run: graphCosts},
	{name: "ew_affine_relu_256M", doc: call, program: affineReLU(1 << 28), small: affineReLU(1003)},
	{name: "softmax_16384x4096_bf16", doc: call, program: softmaxRows(16384, 4096).in(lazy.BF16), small: softmaxRows(33, 65).in(lazy.BF16)},
	{name: "layernorm_16384x4096_bf16", doc: call, program: layerNormRows(16384, 4096).in(lazy.BF16), small: layerNormRows(33, 65).in(lazy.BF16)},
	{name: "bf16matmul_4096", doc: call + ", bf16 in and out", program: matMul(4096, lazy.BF16), small: matMul(40, lazy.BF16)},
	{name: "bf16matmul_8192", doc: call + ", bf16 in and out", program: matMul(8192, lazy.BF16), small: matMul(48, lazy.BF16)},
	{name: "attention_16x8192x128_causal", doc: call + " of 16 heads of 128, bf16", program: causalAttention(16, 8192, 128), small: causalAttention(2, 40, 16)},
	{name: "conv3x3_32x28x128_bf16", doc: call + " of 32 images of 28 by 28 by 128, as ResNet-50 has them, and ReLU", program: convolve(32, 28, 128), small: convolve(2, 5, 64)},
	{name: "step100_mix_host", doc: "s until MarkStep returns, to record and mark 25 × {add, mul, relu, matmul}, compiled before", run: stepHost},
}

// convolve is relu(x * w) for windows of 3 by 3, with as many features as before, in
// bf16.
func convolve(batch, side, features int) *program {
	return convolution{batch, side, features, features, 3, 1}.inLayout(channelsLast).relu().in(lazy.BF16)
}

// smaller are programs of [workloads] that tests run on devices that are not there.
var smaller = map[string]*program{
	"encoder_b1_s128": encoder{1, 8, 16, 2, 24}.program(),
	"encoder_b8_s128": encoder{2, 8, 16, 2, 24}.program(),
	"matmul_128":      matMul(20, lazy.F32),
	"conv3_1x64x56":   convolution{1, 5, 16, 16, 3, 1}.program(),
}

// device reports whether a backend's programs run in memory of its own.
func device(backend string) bool {
	name, _, _ := strings.Cut(backend, ":")
	return name == "cuda" || name == "cudasim"
}

// queueRules are those of calls that are queued one after the other.
var queueRules = measure.Rules{Budget: time.Second, Warm: 1, MinReps: 7, MaxReps: 200, Inner: 1}

// queuedFor is how long the calls of a sample take that are queued, and queuedMost how
// many these are at most: what waiting for the last takes is little beside.
const (
	queuedFor  = 20 * time.Millisecond
	queuedMost = 200
)

// queued times calls of which only the last of many is waited for, so that what the
// host does for one goes on beside the one before. One alone takes about so many
// seconds. It gives the median of a call.
func (e *env) queued(alone float64, call, wait func() error) (float64, error) {
	n := int(min(max(queuedFor.Seconds()/max(alone, 1e-7), 1), queuedMost))
	if e.quick {
		n = 2
	}
	t, err := e.time(queueRules, func() error {
		for range n {
			if err := call(); err != nil {
				return err
			}
		}
		return wait()
	})
	return t.Median / float64(n), err
}

// deviceCopy measures a copy inside a device's memory.
func deviceCopy(e *env) (result, error) {
	b, err := backends.Open(e.backend)
	if err != nil {
		return result{}, err
	}
	m := b.Capabilities().Allocator
	if m == nil {
		return result{}, fmt.Errorf("%s has no memory of its own", e.backend)
	}
	n := 1 << 28
	if e.quick {
		n = 1 << 10
	}
	of := types.Of(types.F32, n)
	from, to := soa.View{}, soa.View{}
	for _, v := range []*soa.View{&from, &to} {
		if *v, err = m.Make(of); err != nil {
			return result{}, err
		}
	}
	host, err := soa.Borrow(measure.Gen(1, n), of)
	if err != nil {
		return result{}, err
	}
	if err := soa.Copy(from, host); err != nil {
		return result{}, err
	}
	t, err := e.time(peakRules, func() error { return soa.Copy(to, from) })
	if err != nil {
		return result{}, err
	}
	want := measure.Elementwise(func(x ...float64) (float64, float64) { return x[0], 0 })
	back := soa.Make(of)
	if err := soa.Copy(back, to); err != nil {
		return result{}, err
	}
	r := figures(t)
	r.GBps = 2 * 4 * float64(n) / t.Min / 1e9
	return r, want.Verify([][]float32{soa.Slice[float32](host)}, back)
}

// stepHost times what a goroutine does for a step until MarkStep has returned: it
// records 100 ops with the nodes of the step before, and marks them. The clock stands
// still while the step is waited for. With one thread MarkStep would wait for the device
// itself; with two another goroutine queues what takes 50 µs or more there, and waits.
func stepHost(e *env) (result, error) {
	const threads = 2
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	two := *e
	two.threads = threads
	s, err := newStepper(&two, mix100)
	e.last = two.last
	if err != nil {
		return result{}, err
	}
	if err := s.checked(); err != nil {
		return result{}, err
	}
	s.tr.Reuse(true)
	spent := time.Duration(0)
	rules := stepRules
	rules.Clock = func() time.Duration { return spent }
	t, err := e.time(rules, func() error {
		start := time.Now()
		s.x = s.fn(s.x, s.y)
		err := s.tr.MarkStep(s.x)
		spent += time.Since(start)
		if err != nil {
			return err
		}
		return s.tr.Wait(context.Background())
	})
	if err != nil {
		return result{}, err
	}
	if n := len(s.tr.Report().Compiles); n > 2 {
		return result{}, fmt.Errorf("%s compiled", diag.Count(n, "program"))
	}
	return figures(t), nil
}

// checked runs a step, and compares it with the same in float64.
func (s *stepper) checked() error {
	if err := s.step(); err != nil {
		return err
	}
	v, err := s.x.Value()
	if err != nil {
		return err
	}
	x, y := mixNumbers()
	for range 25 {
		x = mixed(x, y)
	}
	want := measure.Want(func(_ [][]float32, i int) (float64, float64) { return x[i], 100 * math.Abs(x[i]) })
	return want.Verify(nil, v)
}

// mixed is x → relu((x+y)·y) times y, as matrices of 8 by 8.
func mixed(x, y []float64) []float64 {
	z, out := make([]float64, 64), make([]float64, 64)
	for i := range z {
		z[i] = max((x[i]+y[i])*y[i], 0)
	}
	for i := range out {
		for k := range 8 {
			out[i] += z[i/8*8+k] * y[k*8+i%8]
		}
	}
	return out
}

// causalAttention is of heads with as many queries as keys.
func causalAttention(heads, length, dim int) *program {
	of := func(seed int) operand { return random(seed, heads, length, dim).as(lazy.BF16) }
	pairs := float64(length) * float64(length+1) / 2
	return &program{
		operands: []operand{of(1), of(2), of(3)},
		fn: func(x ...*lazy.Tensor) *lazy.Tensor {
			return x[0].Attention(x[1], x[2], lazy.AttentionOptions{Causal: true})
		},
		flops: 4 * float64(heads*dim) * pairs,
		want: func(in [][]float32, i int) (float64, float64) {
			head := i / (length * dim) * (length * dim)
			query := i % (length * dim) / dim
			q := in[0][head+query*dim:][:dim]
			weights, sum := make([]float64, query+1), 0.0
			for k := range weights {
				score, _ := dot(q, in[1][head+k*dim:], 1)
				weights[k] = math.Exp(score / math.Sqrt(float64(dim)))
				sum += weights[k]
			}
			mean, size := 0.0, 0.0
			for k, w := range weights {
				v := float64(in[2][head+k*dim+i%dim])
				mean, size = mean+w/sum*v, size+w/sum*math.Abs(v)
			}
			return mean, size * roundedBF16 // weights are
		},
	}
}

// roundedBF16 is the size of what is rounded to bf16, for a [measure.Want].
const roundedBF16 = 0x1p-8 / 0x1p-24 / 16
