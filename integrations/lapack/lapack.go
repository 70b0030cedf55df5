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
// rounded once. The threads of a run share the matrices of a batch. Gonum uses threads
// besides, for products within a large matrix. Matrices of complex numbers are not among
// what Gonum has. The central type is [problem].
//
// As in LAPACK, info says what went wrong with a matrix, and 0 that nothing did. Elements
// that are no finite numbers are no error: what is computed of them is NaN.
//
// The package imports only ltc/backends, ltc/ir/types, ltc/mlir, ltc/soa, ltc/internal/diag and
// gonum.org/v1/gonum.
package lapack

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

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

// call runs the function for each matrix of a batch. Threads take one after the other.
func (f *function) call(ctx context.Context, c *backends.HostCall) error {
	batch, err := f.batch(c)
	if err != nil {
		return err
	}
	n := batch.Elements()
	threads := c.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	// A thread is worth it for some 100 µs of work.
	const least = 1 << 16
	work := float64(n) * math.Pow(float64(f.elements(c)), 1.5)
	threads = max(1, min(threads, n, int(min(work/least, math.MaxInt32))))
	var next atomic.Int64
	errs := make([]error, threads)
	var others sync.WaitGroup
	for t := 1; t < threads; t++ {
		others.Go(func() { errs[t] = f.guarded(ctx, c, &next, n) })
	}
	errs[0] = f.guarded(ctx, c, &next, n)
	others.Wait()
	return errors.Join(errs...)
}

// guarded is matrices with panics turned into errors, since nobody catches those of a
// goroutine.
func (f *function) guarded(ctx context.Context, c *backends.HostCall, next *atomic.Int64, n int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			next.Store(int64(n)) // the others end, too
			err = fmt.Errorf("Gonum's function panicked: %v", p)
		}
	}()
	return f.matrices(ctx, c, next, n)
}

// batch returns the dimensions of a call's batch.
func (f *function) batch(c *backends.HostCall) (types.Shape, error) {
	if len(c.Args) != len(f.args) || len(c.Results) != len(f.results) {
		return nil, fmt.Errorf("it takes %s and gives %s, not %d and %d", diag.Count(len(f.args), "operand"), diag.Count(len(f.results), "result"), len(c.Args), len(c.Results))
	}
	var batch types.Shape
	for i, v := range slices.Concat(c.Args, c.Results) {
		rank := slices.Concat(f.args, f.results)[i]
		outer := len(v.Type.Shape) - rank
		if outer < 0 {
			return nil, fmt.Errorf("%v has fewer than %s", v.Type, diag.Count(rank, "dimension"))
		}
		if i == 0 {
			batch = v.Type.Shape[:outer]
		}
		if !v.Type.Shape[:outer].Equal(batch) {
			return nil, fmt.Errorf("%v is no batch of %v", v.Type, batch)
		}
		if d := v.Type.DType; d != types.F32 && d != types.F64 && d != types.I32 {
			return nil, fmt.Errorf("elements of %v", d)
		}
	}
	return batch, nil
}

// problem returns memory for a matrix of a call that has a batch.
func (f *function) problem(c *backends.HostCall) *problem {
	p := &problem{attrs: c.Attrs}
	for i, v := range slices.Concat(c.Args, c.Results) {
		rank := slices.Concat(f.args, f.results)[i]
		a := array{shape: v.Type.Shape[len(v.Type.Shape)-rank:]}
		a.data = make([]float64, types.Shape(a.shape).Elements())
		if i < len(f.args) {
			p.args = append(p.args, a)
		} else {
			p.results = append(p.results, a)
		}
	}
	return p
}

// elements is how many the first operand has of a matrix.
func (f *function) elements(c *backends.HostCall) int {
	shape := c.Args[0].Type.Shape
	return shape[len(shape)-f.args[0]:].Elements()
}

// matrices computes the next matrix of a batch of n, until there is none or one fails.
func (f *function) matrices(ctx context.Context, c *backends.HostCall, next *atomic.Int64, n int) error {
	p := f.problem(c)
	for {
		i := int(next.Add(1)) - 1
		if i >= n {
			return nil
		}
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
			next.Store(int64(n)) // the others end, too
			return err
		}
		for k, r := range p.results {
			write(c.Results[k], i*len(r.data), r.data)
		}
	}
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
