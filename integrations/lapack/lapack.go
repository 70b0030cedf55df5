// Package lapack has the functions of LAPACK that JAX calls on a CPU by name, such as
// lapack_sgetrf_ffi, which jax.numpy.linalg.solve, inv and det are exported with. A program
// that runs such an export on any backend imports the package for its effect:
//
//	import _ "ltc/integrations/lapack"
//
// Package linalg is faster with it on the backend cpu: the composites linalg.lu_factor, linalg.eigh
// and linalg.svd, of f32 and f64 with no open size, are Gonum's functions then, and not their bodies.
// Those of eigh and svd are of matrices up to 128 rows or columns: larger ones are compiled better.
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
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
)

// function is one of LAPACK's, for one type of elements. Operands and results have as many
// dimensions as their ranks say, behind those of the batch.
type function struct {
	name          string // without the letter of its type
	args, results []operand
	params        []parameter
	run           func(p *problem) error
	dtype         types.DType // as the letter says
}

// operand is an operand or a result of a function for one matrix.
type operand struct {
	rank  int
	dtype types.DType // of integers, whatever the letter is; else not set
}

var (
	matrix   = operand{rank: 2}
	vector   = operand{rank: 1}
	integers = operand{rank: 1, dtype: types.I32}
	info     = operand{dtype: types.I32}
)

var uplo = parameter{name: "uplo", kind: char, chars: "LU"} // the triangle that is read

var functions = []function{
	{name: "getrf", args: []operand{matrix}, results: []operand{matrix, integers, info}, run: getrf},
	{name: "geqrf", args: []operand{matrix}, results: []operand{matrix, vector}, run: geqrf},
	{name: "geqp3", args: []operand{matrix, integers}, results: []operand{matrix, integers, vector}, run: geqp3},
	{name: "orgqr", args: []operand{matrix, vector}, results: []operand{matrix}, run: orgqr},
	{name: "ormqr", args: []operand{matrix, vector, matrix}, results: []operand{matrix}, params: []parameter{{name: "left", kind: flag}, {name: "transpose", kind: flag}}, run: ormqr},
	{name: "syevd", args: []operand{matrix}, results: []operand{matrix, vector, info}, params: []parameter{{name: "mode", kind: char, chars: "NV"}, uplo}, run: syevd},
	{name: "gesdd", args: []operand{matrix}, results: []operand{matrix, vector, matrix, matrix, info}, params: []parameter{{name: "mode", kind: char, chars: "ASN"}}, run: gesdd},
	{name: "gehrd", args: []operand{matrix}, results: []operand{matrix, vector, info}, params: []parameter{{name: "low", kind: integer}, {name: "high", kind: integer}}, run: gehrd},
	{name: "sytrd", args: []operand{matrix}, results: []operand{matrix, vector, vector, vector, info}, params: []parameter{uplo}, run: sytrd},
	{name: "gtsv", args: []operand{vector, vector, vector, matrix}, results: []operand{vector, vector, vector, matrix, info}, run: gtsv},
}

func init() {
	for _, f := range functions {
		for i, letter := range []string{"s", "d"} {
			of := f
			of.dtype = []types.DType{types.F32, types.F64}[i]
			if err := backends.RegisterHost("lapack_"+letter+f.name+"_ffi", of.call); err != nil {
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

// char returns a parameter that is a character, such as U or L for uplo.
func (p *problem) char(name string) byte { return byte(p.integer(name)) }

// integer returns a parameter that is an integer.
func (p *problem) integer(name string) int64 {
	n, _ := mlir.Int(p.attrs.Get(name))
	return n
}

// flag returns a parameter that is a bool.
func (p *problem) flag(name string) bool { return mlir.Flag(p.attrs.Get(name)) }

// call runs the function for each matrix of a batch. Its errors name the call, with the types
// of its operands.
func (f *function) call(ctx context.Context, c *backends.HostCall) error {
	err := f.all(ctx, c)
	if err == nil || ctx.Err() != nil {
		return err
	}
	args := make([]string, len(c.Args))
	for i, v := range c.Args {
		args[i] = v.Type.String()
	}
	return fmt.Errorf("%s(%s): %w", c.Target, strings.Join(args, ", "), err)
}

// all runs the function for all matrices. Threads take one after the other.
func (f *function) all(ctx context.Context, c *backends.HostCall) error {
	batch, err := f.check(typesOf(c.Args), typesOf(c.Results), c.Attrs)
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
	work := float64(n) * math.Pow(float64(f.size(c)), 1.5)
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
			err = fmt.Errorf("a panic, in Gonum's function or in what prepares its operands: %v\n%s", p, debug.Stack())
		}
	}()
	return f.matrices(ctx, c, next, n)
}

// check returns the dimensions of a call's batch, and checks types and parameters.
func (f *function) check(args, results []types.Type, attrs mlir.Dict) (types.Shape, error) {
	batch, err := f.batch(args, results)
	if err != nil {
		return nil, err
	}
	for i := range f.params {
		if err := f.params[i].check(attrs); err != nil {
			return nil, err
		}
	}
	return batch, nil
}

func typesOf(views []soa.View) []types.Type {
	all := make([]types.Type, len(views))
	for i, v := range views {
		all[i] = v.Type
	}
	return all
}

// batch returns the dimensions of a call's batch, and checks the types of operands and results.
func (f *function) batch(args, results []types.Type) (types.Shape, error) {
	if len(args) != len(f.args) || len(results) != len(f.results) {
		return nil, fmt.Errorf("it takes %s and gives %s, not %d and %d", diag.Count(len(f.args), "operand"), diag.Count(len(f.results), "result"), len(args), len(results))
	}
	var batch types.Shape
	for i, t := range slices.Concat(args, results) {
		of, what, at := slices.Concat(f.args, f.results)[i], "operand", i
		if i >= len(f.args) {
			what, at = "result", i-len(f.args)
		}
		outer := len(t.Shape) - of.rank
		if outer < 0 {
			return nil, fmt.Errorf("%s %d is %v, but should have %s or more", what, at, t, diag.Count(of.rank, "dimension"))
		}
		if i == 0 {
			batch = t.Shape[:outer]
		}
		if !t.Shape[:outer].Equal(batch) {
			return nil, fmt.Errorf("%s %d is %v, which is no batch of %v", what, at, t, batch)
		}
		if should := cmp.Or(of.dtype, f.dtype); t.DType != should {
			return nil, fmt.Errorf("%s %d is %v, but should have elements of %v", what, at, t, should)
		}
	}
	return batch, nil
}

// problem returns memory for a matrix of a call that has a batch.
func (f *function) problem(c *backends.HostCall) *problem {
	p := &problem{attrs: c.Attrs}
	for i, v := range slices.Concat(c.Args, c.Results) {
		rank := slices.Concat(f.args, f.results)[i].rank
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

// size is how many elements the first operand has of a matrix.
func (f *function) size(c *backends.HostCall) int {
	shape := c.Args[0].Type.Shape
	return shape[len(shape)-f.args[0].rank:].Elements()
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
	case types.I64:
		readAs[int64](to, v, first)
	default:
		readAs[int32](to, v, first)
	}
}

func readAs[T int32 | int64 | float32](to []float64, v soa.View, first int) {
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
	case types.I64:
		writeAs[int64](v, first, from)
	default:
		writeAs[int32](v, first, from)
	}
}

func writeAs[T int32 | int64 | float32](v soa.View, first int, from []float64) {
	to := soa.Slice[T](v)[first:][:len(from)]
	for i, x := range from {
		to[i] = T(x)
	}
}
