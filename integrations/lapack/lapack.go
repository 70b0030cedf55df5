// Package lapack has the functions of LAPACK that JAX calls on a CPU by name, such as
// lapack_sgetrf_ffi, which jax.numpy.linalg.solve, inv and det are exported with. A program
// that runs such an export on any backend imports the package for its effect:
//
//	import _ "ltc/integrations/lapack"
//
// Factors of Cholesky and triangular systems (potrf, trsm) need no package: backends have
// ops for them.
//
// The functions are Gonum's, in pure Go and f64: operands of f32 are converted, and results
// rounded once. The matrices of a batch are computed one after the other. Matrices of complex
// numbers are not among what Gonum has. The central type is [problem].
//
// As in LAPACK, info says what went wrong with a matrix, and 0 that nothing did. Elements
// that are no finite numbers are no error: what is computed of them is NaN.
//
// The package imports only ltc/backends, ltc/ir/types, ltc/mlir, ltc/soa, ltc/internal/diag and
// gonum.org/v1/gonum.
package lapack

import (
	"context"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
)

// function is one of LAPACK's. Operands and results have as many dimensions as ranks say,
// behind those of the batch.
type function struct {
	name          string // without the letter of its type
	args, results []int  // ranks
	run           func(p *problem) error
}

var functions = []function{
	{"getrf", []int{2}, []int{2, 1, 0}, getrf},
	{"geqrf", []int{2}, []int{2, 1}, geqrf},
	{"geqp3", []int{2, 1}, []int{2, 1, 1}, geqp3},
	{"orgqr", []int{2, 1}, []int{2}, orgqr},
	{"ormqr", []int{2, 1, 2}, []int{2}, ormqr},
	{"syevd", []int{2}, []int{2, 1, 0}, syevd},
	{"gesdd", []int{2}, []int{2, 1, 2, 2, 0}, gesdd},
	{"gehrd", []int{2}, []int{2, 1, 0}, gehrd},
	{"sytrd", []int{2}, []int{2, 1, 1, 1, 0}, sytrd},
	{"gtsv", []int{1, 1, 1, 2}, []int{1, 1, 1, 2, 0}, gtsv},
}

func init() {
	for _, f := range functions {
		for _, letter := range []string{"s", "d"} {
			if err := backends.RegisterHost("lapack_"+letter+f.name+"_ffi", f.call); err != nil {
				panic(err) // a mistake of this list, or another package that has them
			}
		}
	}
}

// array is an operand or a result of one matrix of a batch, in f64: row by row. Results of
// integers are rounded.
type array struct {
	shape []int
	data  []float64
}

// problem is one matrix of a batch.
type problem struct {
	attrs   mlir.Dict
	args    []array // copies, which may be written
	results []array // zeros at first
	memory  []float64
}

// work returns memory of n numbers, whose values are any.
func (p *problem) work(n int) []float64 {
	if len(p.memory) < n {
		p.memory = make([]float64, n)
	}
	return p.memory[:n]
}

// letter returns a parameter that is a character, such as U or L for uplo.
func (p *problem) letter(name string, of string) (byte, error) {
	n, ok := mlir.Int(p.attrs.Get(name))
	if ok {
		for i := range of {
			if n == int64(of[i]) {
				return of[i], nil
			}
		}
	}
	return 0, fmt.Errorf("the parameter %s is %v, but should be the code of a character of %s", name, p.attrs.Get(name), of)
}

// flag returns a parameter that is a bool.
func (p *problem) flag(name string) bool { return mlir.Flag(p.attrs.Get(name)) }

// call runs the function for each matrix of a batch.
func (f *function) call(ctx context.Context, c *backends.HostCall) error {
	if len(c.Args) != len(f.args) || len(c.Results) != len(f.results) {
		return fmt.Errorf("it takes %s and gives %s, not %d and %d", diag.Count(len(f.args), "operand"), diag.Count(len(f.results), "result"), len(c.Args), len(c.Results))
	}
	p := &problem{attrs: c.Attrs}
	var batch types.Shape
	for i, v := range slices.Concat(c.Args, c.Results) {
		rank := slices.Concat(f.args, f.results)[i]
		outer := len(v.Type.Shape) - rank
		if outer < 0 {
			return fmt.Errorf("%v has fewer than %s", v.Type, diag.Count(rank, "dimension"))
		}
		if i == 0 {
			batch = v.Type.Shape[:outer]
		}
		if !v.Type.Shape[:outer].Equal(batch) {
			return fmt.Errorf("%v is no batch of %v", v.Type, batch)
		}
		if d := v.Type.DType; d != types.F32 && d != types.F64 && d != types.I32 {
			return fmt.Errorf("elements of %v", d)
		}
		a := array{shape: v.Type.Shape[outer:]}
		a.data = make([]float64, types.Shape(a.shape).Elements())
		if i < len(f.args) {
			p.args = append(p.args, a)
		} else {
			p.results = append(p.results, a)
		}
	}
	for i := range batch.Elements() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for k, a := range p.args {
			read(a.data, c.Args[k], i*len(a.data))
		}
		for _, r := range p.results {
			clear(r.data)
		}
		if err := f.run(p); err != nil {
			return err
		}
		for k, r := range p.results {
			write(c.Results[k], i*len(r.data), r.data)
		}
	}
	return nil
}

// read reads elements of a view, from one on.
func read(to []float64, v soa.View, first int) {
	switch v.Type.DType {
	case types.F64:
		copy(to, soa.Slice[float64](v)[first:])
	case types.F32:
		readAs[float32](to, v, first)
	default:
		readAs[int32](to, v, first)
	}
}

func readAs[T int32 | float32](to []float64, v soa.View, first int) {
	from := soa.Slice[T](v)[first:][:len(to)]
	for i, x := range from {
		to[i] = float64(x)
	}
}

// write writes elements of a view, from one on.
func write(v soa.View, first int, from []float64) {
	switch v.Type.DType {
	case types.F64:
		copy(soa.Slice[float64](v)[first:], from)
	case types.F32:
		writeAs[float32](v, first, from)
	default:
		writeAs[int32](v, first, from)
	}
}

func writeAs[T int32 | float32](v soa.View, first int, from []float64) {
	to := soa.Slice[T](v)[first:][:len(from)]
	for i, x := range from {
		to[i] = T(x)
	}
}
