package vector_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/mlir"
)

// trial is an op on operands of some dtypes.
type trial struct {
	name       string // of the kernel
	op         string
	attributes string
	operands   []types.DType
	result     types.DType
	// off is how many floats the result may be away from the evaluator's.
	off uint64
	// constant, if it is there, is the second operand.
	constant *float64
	body     func(b *vector.Builder, v []vector.Value) (vector.Value, error)
}

// trialsOf returns all that there are for a dtype.
func trialsOf(d types.DType) []trial {
	var all []trial
	for _, op := range kernel.Ops() {
		if !op.Computes() || op == kernel.Convert || op == kernel.BitcastConvert || op == kernel.Select || !vector.Supports(op, d) || beyond(op.String(), d) {
			continue
		}
		operands, result := slices.Repeat([]types.DType{d}, op.Arity()), d
		name, attr := op.String(), ""
		if direction, ok := strings.CutPrefix(name, "compare_"); ok {
			name, attr = "compare", fmt.Sprintf("comparison_direction = #stablehlo<comparison_direction %s>", strings.ToUpper(direction))
		}
		if op.Compares() || op == kernel.IsFinite {
			result = types.Bool
		}
		all = append(all, trial{op.String(), name, attr, operands, result, tolerance(name, d), nil,
			func(b *vector.Builder, v []vector.Value) (vector.Value, error) { return b.Op(op, result, v...) }})
	}
	for _, y := range []float64{0, 1, 2, 3, 5, -1, 0.5, 7, 200} {
		for _, op := range []kernel.Op{kernel.Power, kernel.Divide, kernel.Remainder, kernel.Maximum, kernel.Minimum} {
			if !vector.Supports(op, d) || d == types.Bool || y < 0 && !d.IsSigned() || y != float64(int(y)) && !d.IsFloat() {
				continue
			}
			all = append(all, trial{fmt.Sprint(op, y), op.String(), "", []types.DType{d}, d, tolerance(op.String(), d), &y,
				func(b *vector.Builder, v []vector.Value) (vector.Value, error) {
					return b.Binary(op, v[0], b.Const(d, v[0].Lanes(), y))
				}})
		}
	}
	all = append(all, trial{"select", "select", "", []types.DType{types.Bool, d, d}, d, 0, nil,
		func(b *vector.Builder, v []vector.Value) (vector.Value, error) {
			return b.Select(v[0], v[1], v[2]), nil
		}})
	for _, to := range types.RealDTypes() {
		all = append(all, trial{"convert_" + to.String(), "convert", "", []types.DType{d}, to, 0, nil,
			func(b *vector.Builder, v []vector.Value) (vector.Value, error) { return b.Convert(v[0], to), nil }})
		if d.Size() == to.Size() && d.IsNumber() && to.IsNumber() {
			all = append(all, trial{"bitcast_" + to.String(), "bitcast_convert", "", []types.DType{d}, to, 0, nil,
				func(b *vector.Builder, v []vector.Value) (vector.Value, error) { return b.Bitcast(v[0], to) }})
		}
	}
	return all
}

// exact ops give the evaluator's very bits, but for those of NaN.
var inexact = map[string]bool{
	"cbrt": true, "cosine": true, "erf": true, "exponential": true, "exponential_minus_one": true, "log": true,
	"log_plus_one": true, "logistic": true, "rsqrt": true, "sine": true, "tan": true, "tanh": true, "atan2": true, "power": true,
}

// beyond reports whether op has code for d although StableHLO has no such op.
func beyond(op string, d types.DType) bool {
	return (op == "abs" || op == "sign") && d.IsInteger() && !d.IsSigned()
}

// tolerance is for both: the evaluator's own functions are off by more than ten
// units for f64 in places, and its error function, in f32 too, by some. What
// math functions are off by is measured in accuracy_test.go.
func tolerance(op string, d types.DType) uint64 {
	switch {
	case !inexact[op] || !d.IsFloat():
		return 0
	case d.Size() == 2:
		return 1
	case op == "erf":
		return 8
	case d == types.F64:
		return 16
	}
	return 2
}

// sampled reports whether ordinary runs take a dtype on levels below the processor's: the
// others have much code in common with one of these.
func sampled(d types.DType) bool {
	return trials.Soaking() || slices.Contains([]types.DType{types.Bool, types.U8, types.I32, types.U64, types.F16, types.F32, types.F64}, d)
}

func TestLikeEvaluator(t *testing.T) {
	levels := runnable(t)
	if trials.Few() {
		levels = levels[len(levels)-1:]
	}
	for i, level := range levels {
		for _, d := range types.RealDTypes() {
			between := i > 0 && i < len(levels)-1 // levels that are neither the least nor the processor's
			if between && d != types.F32 && d != types.F64 && d != types.I32 && !trials.Soaking() {
				continue
			}
			if i < len(levels)-1 && !sampled(d) {
				continue
			}
			t.Run(fmt.Sprintf("%v/%v", level, d), func(t *testing.T) {
				m := vector.NewModule(machine(level))
				all := trialsOf(d)
				for _, c := range all {
					for _, lanes := range []int{1, m.Machine.Lanes(types.F32)} {
						kernelOf(m, fmt.Sprint(c.name, ".", lanes), lanes, c.operands, c.result, func(b *vector.Builder, v []vector.Value) vector.Value {
							r, err := c.body(b, v)
							require.NoError(t, err)
							return r
						})
					}
				}
				im := load(t, m)
				defer im.Close()
				for _, c := range all {
					r := rand.New(rand.NewPCG(1, 2))
					var buffers [][]byte
					for i, o := range c.operands {
						buffers = append(buffers, operand(o, i, r))
					}
					operands, all := c.operands, buffers
					if c.constant != nil {
						operands = append(slices.Clone(operands), d)
						all = append(slices.Clone(all), repeated(d, *c.constant))
					}
					want := evaluate(t, program(c.op, elements, c.attributes, c.result, operands...), elements, c.result, operands, all...)
					var alone []byte
					for _, lanes := range []int{1, m.Machine.Lanes(types.F32)} {
						got := make([]byte, len(want))
						call(t, im, fmt.Sprint(c.name, ".", lanes), elements, append(buffers, got)...)
						c.compare(t, lanes, c.off, got, want, buffers)
						if lanes > 1 {
							c.compare(t, lanes, 0, got, alone, buffers)
						}
						alone = got
					}
				}
			})
		}
	}
}

// repeated returns elements that all have the value x.
func repeated(d types.DType, x float64) []byte {
	bits := uint64(int64(x))
	if d.IsFloat() {
		bits = floatBits(d, x)
	}
	out := make([]byte, elements*d.Size())
	for i := range out {
		out[i] = byte(bits >> (8 * (i % d.Size())))
	}
	return out
}

// compare reports the first element that is more than most away.
func (c trial) compare(t *testing.T, lanes int, most uint64, got, want []byte, buffers [][]byte) {
	for i := range elements {
		x, y := at(c.result, got, i), at(c.result, want, i)
		off := uint64(0)
		switch {
		case c.op == "logistic" && c.result == types.F64 && number(c.result, want, i) == 0 && number(c.result, got, i) < 0x1p-1022:
			// The evaluator divides by infinity.
		case c.result.IsFloat() && c.op != "select" && c.op != "bitcast_convert":
			off = apart(c.result, x, y)
		case x != y:
			off = most + 1
		}
		if off > most {
			var in []string
			for k, d := range c.operands {
				in = append(in, fmt.Sprintf("%v (%#x)", number(d, buffers[k], i), at(d, buffers[k], i)))
			}
			t.Errorf("%s with %d lanes, element %d, of %v: %v (%#x), want %v (%#x): off by %d", c.name, lanes, i, in,
				number(c.result, got, i), x, number(c.result, want, i), y, off)
			return
		}
	}
}

// without are elementwise ops of the evaluator that have no vector code for any
// dtype, and why.
var without = map[string]string{
	"complex": "complex numbers", "imag": "complex numbers", "real": "complex numbers",
	"reduce_precision":   "the formats are attributes",
	"uniform_dequantize": "quantized elements", "uniform_quantize": "quantized elements",
	"map": "a region says what it computes",
}

// The table has the ops and dtypes that the evaluator has.
func TestTable(t *testing.T) {
	known := func(op string, d types.DType, operands int) bool {
		result := d
		if op == "is_finite" {
			result = types.Bool
		}
		all := make([]types.DType, operands)
		for i := range all {
			all[i] = d
		}
		_, err := eval.New().Compile(context.Background(), backends.NewModule(program(op, 4, "", result, all...)), backends.Options{})
		return err == nil
	}
	names := []string{"erf"}
	for code := range mlir.Codes() {
		if op, ok := strings.CutPrefix(code.String(), "stablehlo."); ok && code.Info().Traits.Has(mlir.Elementwise) && without[op] == "" {
			names = append(names, op)
		}
	}
	require.Greater(t, len(names), 40)
	for _, op := range names {
		if op == "convert" || op == "compare" || op == "select" || op == "clamp" {
			continue // tried by TestLikeEvaluator: each has its own form
		}
		for _, d := range types.RealDTypes() {
			want := known(op, d, 1) || known(op, d, 2)
			code, scalar := kernel.ParseOp(op)
			require.Equal(t, want || beyond(op, d), scalar && vector.Supports(code, d), "%s of %v", op, d)
		}
	}
}
