package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"ltc/bench/measure"
	"ltc/ir/types"
	"ltc/lazy"
)

// program is a workload that is one expression: most are.
type program struct {
	operands []operand
	fn       func(x ...*lazy.Tensor) *lazy.Tensor
	flops    float64      // multiplications and additions that are counted; 0: none
	bytes    float64      // each operand read once and the result written once; 0: not counted
	want     measure.Want // nil: nothing to check the result against
}

// operand is the data of an argument: measure.Gen(seed, dims…) times scale.
type operand struct {
	seed  int
	scale float32     // 0: 1
	dtype types.DType // to which the data are rounded; 0: f32
	dims  []int
}

func random(seed int, dims ...int) operand { return operand{seed: seed, dims: dims} }

func (o operand) times(scale float32) operand { o.scale = scale; return o }

func (o operand) as(d types.DType) operand { o.dtype = d; return o }

// values returns the data, in f32.
func (o operand) values() []float32 {
	v := measure.Gen(o.seed, o.dims...)
	for i := range v {
		if o.scale != 0 {
			v[i] *= o.scale
		}
		if o.dtype == types.BF16 {
			v[i] = types.ToBFloat16(float64(v[i])).Float32()
		}
	}
	return v
}

// tensors puts the operands on the device.
func (p *program) tensors(tr *lazy.Trace, data [][]float32) ([]*lazy.Tensor, error) {
	var xs, rounded []*lazy.Tensor
	for i, o := range p.operands {
		x := lazy.From(tr, data[i], o.dims...)
		if o.dtype != 0 && o.dtype != lazy.F32 {
			x = x.Convert(o.dtype)
			rounded = append(rounded, x)
		}
		xs = append(xs, x)
	}
	if len(rounded) == 0 {
		return xs, nil
	}
	return xs, tr.MarkStep(rounded...)
}

// data returns the values of all operands.
func (p *program) data() [][]float32 {
	var all [][]float32
	for _, o := range p.operands {
		all = append(all, o.values())
	}
	return all
}

// elements is how many elements a tensor has.
func elements(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// moved is the traffic of operands that are read once and a result of so many
// elements, all f32.
func moved(result int, operands ...operand) float64 {
	n := result
	for _, o := range operands {
		n += elements(o.dims)
	}
	return float64(4 * n)
}

// programRules are those of most workloads.
var programRules = measure.Rules{Budget: time.Second, Warm: 3, MinReps: 7, MaxReps: 2000}

// measure checks the result of the first call and times others. A result that
// is wanted again and again is assigned to a variable, and then every step has
// the memory of the one before: this is the figure. The other, Fresh, is of
// results that are new tensors, in memory that the device hands out and gets back
// when they are released.
func (p *program) measure(e *env) (result, error) {
	dev, err := e.open()
	if err != nil {
		return result{}, err
	}
	tr := lazy.NewTrace(dev)
	data := p.data()
	x, err := p.tensors(tr, data)
	if err != nil {
		return result{}, err
	}
	first, of, err := p.first(tr, x, data)
	if err != nil {
		return result{}, err
	}
	out := dev.Variable("out", of.DType, of.Shape...)
	t, err := e.time(programRules, func() error {
		out.Copy_(p.fn(x...))
		if err := tr.MarkStep(); err != nil {
			return err
		}
		return tr.Wait(context.Background())
	})
	if err != nil {
		return result{}, err
	}
	if err := p.check(data, out); err != nil {
		return result{}, err
	}
	if device(e.backend) {
		return p.onDevice(e, tr, t, first, out, x, data)
	}
	fresh, err := e.time(programRules, func() error {
		y := p.fn(x...)
		if err := tr.MarkStep(y); err != nil {
			return err
		}
		err := tr.Wait(context.Background())
		y.Release()
		return err
	})
	if err != nil {
		return result{}, err
	}
	r := figures(t)
	r.Fresh, r.FirstCall, r.PeakRSSMiB = fresh.Median, first.Seconds(), peakRSS()
	r.GFlops, r.GBps = p.flops/t.Median/1e9, p.bytes/t.Median/1e9
	return r, nil
}

// onDevice adds what calls take that are queued one after the other, on which the rates
// are based.
func (p *program) onDevice(e *env, tr *lazy.Trace, t measure.Timing, first time.Duration, out *lazy.Tensor, x []*lazy.Tensor, data [][]float32) (result, error) {
	queued, err := e.queued(t.Median, func() error {
		out.Copy_(p.fn(x...))
		return tr.MarkStep()
	}, func() error { return tr.Wait(context.Background()) })
	if err != nil {
		return result{}, err
	}
	if err := p.check(data, out); err != nil {
		return result{}, fmt.Errorf("after many calls: %w", err)
	}
	r := figures(t)
	r.Queued, r.FirstCall, r.PeakRSSMiB = queued, first.Seconds(), peakRSS()
	r.GFlops, r.GBps = p.flops/queued/1e9, p.bytes/queued/1e9
	return r, nil
}

// in returns the program with operands and result of bf16: there may be one more
// rounding on the way to the result.
func (p *program) in(d types.DType) *program {
	q := *p
	q.operands = nil
	for _, o := range p.operands {
		q.operands = append(q.operands, o.as(d))
	}
	q.bytes = p.bytes * float64(d.Size()) / 4
	if p.want != nil {
		q.want = func(in [][]float32, i int) (float64, float64) {
			value, size := p.want(in, i)
			return value, size + math.Abs(value)*roundedBF16
		}
	}
	return &q
}

// first runs the program for the first time, checks what comes and returns its
// type.
func (p *program) first(tr *lazy.Trace, x []*lazy.Tensor, data [][]float32) (time.Duration, types.Type, error) {
	start := time.Now()
	y := p.fn(x...)
	if err := tr.MarkStep(y); err != nil {
		return 0, types.Type{}, err
	}
	if err := tr.Wait(context.Background()); err != nil {
		return 0, types.Type{}, err
	}
	took := time.Since(start)
	return took, y.Type(), p.check(data, y)
}

// check compares a result with what it should be.
func (p *program) check(data [][]float32, y *lazy.Tensor) error {
	v, err := y.Value()
	if err != nil || p.want == nil {
		return err
	}
	return p.want.Verify(data, v)
}
