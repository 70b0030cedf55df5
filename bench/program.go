package main

import (
	"ltc/ir/types"
	"ltc/lazy"
)

// program is a workload that is one expression: most are.
type program struct {
	operands []operand
	fn       func(x ...*lazy.Tensor) *lazy.Tensor
	flops    float64 // multiplications and additions that are counted; 0: none
	bytes    float64 // each operand read once and the result written once; 0: not counted
	want     want    // nil: nothing to check the result against
}

// operand is the data of an argument: gen(seed, dims…) times scale.
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
	v := gen(o.seed, o.dims...)
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
