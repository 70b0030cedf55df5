package kittest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/internal/test/programs"
	"ltc/ir/types"
	"ltc/soa"
)

// OpenRun is a run of a program of open sizes.
type OpenRun struct {
	Sizes []int // of the symbols
	Again bool  // a run before had them
	Err   error // of the evaluator
}

// SameSizes compares an executable with the evaluator for random values of n open sizes, of which
// some come again: what they compute, but for sums in another order, and whether they have an
// error. It calls before and after each run.
func SameSizes(t *testing.T, r *rand.Rand, p programs.OpenProgram, e backends.Executable, before func(), after func(OpenRun)) {
	t.Helper()
	text := p.Text
	want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
	if err != nil {
		t.Errorf("%v\n%s", err, text)
		return
	}
	var all [][]int
	for n := range 9 {
		sizes := randomSizes(r, len(p.Symbols), p.Degree)
		if all = append(all, sizes); n >= 6 { // those of an earlier run
			sizes = all[r.IntN(6)]
		}
		args := argsOfSizes(r, e.Signature(), p.Args, sizes)
		a, b := &backends.Call{Args: copies(args)}, &backends.Call{Args: copies(args)}
		before()
		errEval, err := want.Execute(t.Context(), a), e.Execute(t.Context(), b)
		after(OpenRun{sizes, n >= 6, errEval})
		if errEval != nil || err != nil {
			if errEval == nil || err == nil {
				t.Errorf("sizes %v: eval: %v, otherwise: %v\n%s", sizes, errEval, err, text)
			}
			continue
		}
		for j := range a.Results {
			if why := near(dense(t, a.Results[j]), dense(t, b.Results[j])); why != "" {
				t.Errorf("sizes %v: result %d: %s\n%s", sizes, j, why, text)
				return
			}
		}
	}
}

// SameForNumbers compares an executable with the evaluator, as [SameSizes] does, for a program whose
// leading arguments are integers that say its sizes. Each open dimension is one of these numbers, or
// follows from one as the program's rules demand. It reports whether any run has no error.
func SameForNumbers(t *testing.T, text string, e backends.Executable, numbers ...int) bool {
	t.Helper()
	want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
	if err != nil {
		t.Error(err)
		return false
	}
	args := e.Signature().Args
	leading := slices.IndexFunc(args, func(a backends.Arg) bool { return a.Type.DType != types.I64 || a.Type.Rank() > 0 })
	if leading < 0 {
		leading = len(args)
	}
	numbers = numbers[:max(leading, 1)]
	var choices, open []int
	for _, n := range numbers {
		choices = append(choices, n, n+1, 2*n, n*n)
	}
	for _, a := range args {
		for _, d := range a.Type.Shape {
			if d < 0 {
				open = append(open, 0)
			}
		}
	}
	for {
		next := slices.Clone(open)
		r := rand.New(rand.NewPCG(1, 1))
		a, b := &backends.Call{}, &backends.Call{}
		for i, x := range args {
			shape := slices.Clone(x.Type.Shape)
			for d, n := range shape {
				if n < 0 {
					shape[d], next = choices[next[0]], next[1:]
				}
			}
			v := soa.Make(types.Of(x.Type.DType, shape...))
			if fillAny(r, v); i < leading {
				soa.Slice[int64](v)[0] = int64(numbers[i])
			}
			a.Args = append(a.Args, v)
		}
		b.Args = copies(a.Args)
		if want.Execute(t.Context(), a) == nil {
			if err := e.Execute(t.Context(), b); err != nil {
				t.Errorf("numbers %v: %v", numbers, err)
				return false
			}
			for j := range a.Results {
				if why := nearAny(dense(t, a.Results[j]), dense(t, b.Results[j])); why != "" {
					t.Errorf("numbers %v: result %d: %s", numbers, j, why)
				}
			}
			return true
		}
		k := 0
		for ; k < len(open); k++ {
			if open[k]++; open[k] < len(choices) {
				break
			}
			open[k] = 0
		}
		if k == len(open) {
			return false
		}
	}
}

// fillAny is fill for f32, bf16, i32, i64 and bool; other elements stay 0. Integers, which may be
// indices, are small.
func fillAny(r *rand.Rand, v soa.View) {
	switch v.Type.DType {
	case types.F32:
		fill(r, v)
	case types.BF16:
		for i, x := 0, soa.Slice[types.BFloat16](v); i < len(x); i++ {
			x[i] = types.ToBFloat16(r.NormFloat64())
		}
	case types.I32:
		for i, x := 0, soa.Slice[int32](v); i < len(x); i++ {
			x[i] = r.Int32N(3)
		}
	case types.I64:
		for i, x := 0, soa.Slice[int64](v); i < len(x); i++ {
			x[i] = r.Int64N(3)
		}
	case types.Bool:
		for i, x := 0, soa.Slice[bool](v); i < len(x); i++ {
			x[i] = r.IntN(2) == 0
		}
	}
}

// nearAny is near for any dtype: others than f32 are to have the same bits.
func nearAny(want, got soa.View) string {
	if want.Type.DType == types.F32 || !want.Type.Equal(got.Type) {
		return near(want, got)
	}
	if n := want.Type.Bytes(); n > 0 && !bytes.Equal(unsafe.Slice((*byte)(want.Base()), n), unsafe.Slice((*byte)(got.Base()), n)) {
		return fmt.Sprintf("bits of %v differ", want.Type)
	}
	return ""
}

// copies returns the same views in memory of their own: programs may write over arguments.
func copies(views []soa.View) []soa.View {
	all := slices.Clone(views)
	for i, v := range views {
		n := v.Type.Bytes()
		own := soa.Make(types.Of(types.U8, max(n, 1)))
		if n > 0 {
			copy(soa.Slice[uint8](own), unsafe.Slice((*uint8)(v.Base()), n))
		}
		all[i] = soa.At(own.Base(), v.Type)
		all[i].Strides = v.Strides
	}
	return all
}

// randomSizes are mostly small, and some are 0; few are large, for values of some elements to the
// power of degree.
func randomSizes(r *rand.Rand, n, degree int) []int {
	most := int(math.Pow(100_000, 1/float64(max(degree, 1))))
	sizes := make([]int, n)
	for i := range sizes {
		switch r.IntN(8) {
		case 0:
			sizes[i] = r.IntN(3)
		case 2:
			sizes[i] = 0
		case 1:
			sizes[i] = 1 + r.IntN(min(max(most, 9), 2000))
		default:
			sizes[i] = 1 + r.IntN(9)
		}
	}
	return sizes
}

func argsOfSizes(r *rand.Rand, s *backends.Signature, which [][]int, sizes []int) []soa.View {
	var args []soa.View
	for i, a := range s.Args {
		shape := make([]int, len(which[i]))
		for d, s := range which[i] {
			if shape[d] = -1 - s; s >= 0 {
				shape[d] = sizes[s]
			}
		}
		v := soa.Make(types.Of(a.Type.DType, shape...))
		if r.IntN(4) == 0 && len(shape) > 1 { // another layout
			v.Strides = slices.Clone(v.Strides)
			apart := 1
			for _, d := range r.Perm(len(shape)) {
				v.Strides[d], apart = apart, apart*shape[d]
			}
		}
		fill(r, v)
		args = append(args, v)
	}
	return args
}

// fill sets all elements of memory, which is dense but for the order of dimensions.
func fill(r *rand.Rand, v soa.View) {
	dense := soa.At(v.Base(), types.Of(v.Type.DType, v.Type.Elements()))
	if v.Type.DType == types.F32 {
		x := soa.Slice[float32](dense)
		for k := range x {
			x[k] = float32(r.NormFloat64())
		}
		return
	}
	x := soa.Slice[int32](dense)
	for k := range x {
		x[k] = int32(r.IntN(21) - 10)
	}
}

// dense returns a view, or a copy of it that is dense: results may be in the memory of arguments.
func dense(t *testing.T, v soa.View) soa.View {
	if v.IsDense() {
		return v
	}
	d := soa.Make(v.Type)
	if err := soa.Copy(d, v); err != nil {
		t.Fatal(err)
	}
	return d
}

// near says how a result differs from another by more than sums in another order do; "" if it
// does not.
func near(want, got soa.View) string {
	if want.Type.DType != got.Type.DType || !slices.Equal(want.Type.Shape, got.Type.Shape) {
		return fmt.Sprintf("%v and %v", want.Type, got.Type)
	}
	if want.Type.DType != types.F32 {
		x, y := soa.Slice[int32](want), soa.Slice[int32](got)
		for i := range x {
			if x[i] != y[i] {
				return fmt.Sprintf("element %d is %d and %d", i, x[i], y[i])
			}
		}
		return ""
	}
	x, y := soa.Slice[float32](want), soa.Slice[float32](got)
	for i := range x {
		a, b := float64(x[i]), float64(y[i])
		if a != b && !(math.IsNaN(a) && math.IsNaN(b)) && !(math.Abs(a-b) <= 1e-3*max(1, math.Abs(a))) {
			return fmt.Sprintf("element %d is %v and %v", i, a, b)
		}
	}
	return ""
}
