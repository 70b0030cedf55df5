package cuda

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/internal/env"
	"ltc/internal/test/cudafake"
	"ltc/lazy"
	"ltc/optim"
)

var registered atomic.Int64

// openLazy opens a device of package lazy on a fake's.
func openLazy(t *testing.T, o cudafake.Options, options ...lazy.Option) (*lazy.Device, *Backend, *cudafake.Fake) {
	b, f := backend(t, o)
	return lazily(t, b, options...), b, f
}

// lazily opens a device of package lazy on a backend.
func lazily(t testing.TB, b backends.Backend, options ...lazy.Option) *lazy.Device {
	name := fmt.Sprintf("cudafake%d", registered.Add(1))
	backends.Register(name, func(string) (backends.Backend, error) { return b, nil })
	d, err := lazy.Open(name, options...)
	require.NoError(t, err)
	return d
}

// network is a perceptron of one hidden layer, and how many rows it learns from at once.
type network struct {
	rows, in, hidden, out int
	scale                 float64 // of the first weights
}

// train trains a network on numbers that repeat and returns the losses.
func (n network) train(t *testing.T, dev *lazy.Device, steps int) []float64 {
	tr := lazy.NewTrace(dev)
	w1 := dev.Variable("w1", lazy.F32, n.in, n.hidden).Init(lazy.Normal(0, n.scale))
	b1 := dev.Variable("b1", lazy.F32, n.hidden)
	w2 := dev.Variable("w2", lazy.F32, n.hidden, n.out).Init(lazy.Normal(0, n.scale))
	lr := tr.Scalar("lr", 0.5)
	var losses []float64
	for step := range steps {
		x, y := make([]float32, n.rows*n.in), make([]int32, n.rows)
		for i := range x {
			x[i] = float32((i*7+step)%11)/11 - 0.5
		}
		for i := range y {
			y[i] = int32((i + step) % n.out)
		}
		loss := lazy.From(tr, x, n.rows, n.in).MatMul(w1).Add(b1).ReLU().MatMul(w2).CrossEntropy(lazy.From(tr, y, n.rows))
		g := lazy.Grad(loss, w1, b1, w2)
		w1.Sub_(g[0].Mul(lr))
		b1.Sub_(g[1].Mul(lr))
		w2.Sub_(g[2].Mul(lr))
		require.NoError(t, tr.MarkStep(loss))
		losses = append(losses, loss.Float())
	}
	return losses
}

var smallNetwork = network{rows: 8, in: 4, hidden: 16, out: 3, scale: 0.5}

// A training step runs on the device, its weights stay there, and it learns what the
// evaluator does.
func TestTrain(t *testing.T) {
	cpu, err := lazy.Open("eval")
	require.NoError(t, err)
	want := smallNetwork.train(t, cpu, 6)
	for seed := range uint64(3) {
		dev, b, _ := openLazy(t, cudafake.Options{Seed: seed}, lazy.Profiled())
		got := smallNetwork.train(t, dev, 6)
		require.InDeltaSlice(t, want, got, 1e-5)
		for _, p := range dev.Profile() {
			for _, s := range p.Steps {
				require.True(t, s.Kernel, "%s is run by the host", s.What)
			}
		}
		u, err := b.dev.Usage()
		require.NoError(t, err)
		require.Positive(t, u.Live)
	}
}

// Host data that several steps read is copied to the device by the first and the second,
// whether a tensor or a variable has it, and also where a function has captured it.
// Borrowed data, which may be others by the next step, each step copies.
func TestHostDataStays(t *testing.T) {
	const n, once = 1 << 16, 4 << 16 // elements, and their bytes
	dev, _, _ := openLazy(t, cudafake.Options{Seed: 1})
	tr := lazy.NewTrace(dev)
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(i)
	}
	from, borrowed := lazy.From(tr, data), lazy.Borrow(tr, data)
	variable := dev.Variable("v", lazy.F32, n)
	lazy.SetValues(variable, data)
	weights := lazy.From(dev, data)
	function := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Add(weights) })
	step := func(x *lazy.Tensor) func() *lazy.Tensor {
		return func() *lazy.Tensor {
			y := tr.Read(x).Add(x)
			require.NoError(t, tr.MarkStep(y))
			return y
		}
	}
	for _, c := range []struct {
		name   string
		run    func() *lazy.Tensor
		copied []float64 // bytes, of each run
	}{
		{"from", step(from), []float64{once, 0, 0}},
		{"variable", step(variable), []float64{once, 0, 0}},
		{"borrowed", step(borrowed), []float64{once, once, once}},
		{"function", func() *lazy.Tensor {
			y, err := function.Call(t.Context(), from)
			require.NoError(t, err)
			return y
		}, []float64{once, 0, 0}},
	} {
		for i, want := range c.copied {
			before := copiedBytes(dev)
			y := c.run()
			got, err := lazy.ToSlice[float32](y)
			require.NoError(t, err)
			require.Equal(t, float32(2*(n-1)), got[n-1])
			require.Equal(t, want, copiedBytes(dev)-before, "%s, run %d", c.name, i)
		}
	}
}

// copiedBytes is what all runs of a device have copied between the host and it.
func copiedBytes(dev *lazy.Device) float64 {
	for _, m := range dev.Metrics().Metrics {
		if m.Name == "CopiedBytes" {
			return m.Accumulator
		}
	}
	return 0
}

// Steps are queued one after the other: nobody waits for the device before a result is
// read, small ones included, or the trace is waited for.
func TestStepsAreQueued(t *testing.T) {
	aboutFake(t)
	dev, _, f := openLazy(t, cudafake.Options{Seed: 1})
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1, 2, 3})
	v := dev.Variable("v", lazy.F32, 3)
	var sum *lazy.Tensor
	step := func() {
		v.Add_(tr.Read(x))
		sum = tr.Read(v).Sum()
		require.NoError(t, tr.MarkStep(sum))
	}
	for range 4 { // compiled, the arguments there, and a graph
		step()
	}
	require.NoError(t, tr.Wait(t.Context()))
	waits := func() int64 { return f.Calls("cuStreamSynchronize") + f.Calls("cuEventSynchronize") }
	before := waits()
	for range 6 {
		step()
	}
	if !env.Checks.On() { // which waits for each kernel
		require.Equal(t, before, waits())
	}
	require.Equal(t, 60.0, sum.Float())
	require.Less(t, before, waits())
}

// A device that is lost while steps are queued is an error of whoever waits for them or
// reads what they have made, and of the next step.
func TestLostBehindSteps(t *testing.T) {
	aboutFake(t)
	for _, waits := range []bool{true, false} {
		dev, _, f := openLazy(t, cudafake.Options{Seed: 1}, lazy.Threads(1))
		tr := lazy.NewTrace(dev)
		x := lazy.From(tr, []float32{1, 2, 3})
		y := x.Add(x)
		require.NoError(t, tr.MarkStep(y))
		require.NoError(t, tr.Wait(t.Context()))
		f.FailQueued(0, driver.IllegalAddress)
		z := y.Mul(y)
		err := tr.MarkStep(z)
		if !env.Checks.On() { // which waits for each kernel
			require.NoError(t, err)
			if err = nil; waits {
				err = tr.Wait(t.Context())
			}
		}
		if waits || env.Checks.On() {
			require.ErrorIs(t, err, driver.IllegalAddress)
		}
		_, err = z.Value()
		require.ErrorIs(t, err, driver.IllegalAddress)
		var gone *driver.LostError
		require.ErrorAs(t, tr.MarkStep(y.Add(y)), &gone)
	}
}

// A step that updates 200 parameters of 10 to 1,000 elements launches one graph, not a kernel for each.
func TestUpdateIsOneLaunch(t *testing.T) {
	dev, _, f := openLazy(t, cudafake.Options{Seed: 2})
	var params []*lazy.Tensor
	for i := range 200 {
		params = append(params, dev.Variable(fmt.Sprintf("w%d", i), lazy.F32, 10+i*990/199))
	}
	o := optim.NewAdamW(dev, params, optim.AdamConfig{})
	tr := lazy.NewTrace(dev)
	grads := make([]*lazy.Tensor, len(params))
	var kernels, graphs int64
	for range 4 { // launches one by one at first
		kernels, graphs = f.Calls("cuLaunchKernel"), f.Calls("cuGraphLaunch")
		for i, w := range params {
			grads[i] = lazy.Full(tr, lazy.F32, 0.5, w.Shape()...)
		}
		require.NoError(t, o.StepGrads(grads))
		require.NoError(t, tr.MarkStep())
		require.NoError(t, tr.Wait(t.Context()))
	}
	require.Zero(t, f.Calls("cuLaunchKernel")-kernels)
	require.EqualValues(t, 1, f.Calls("cuGraphLaunch")-graphs)
}
