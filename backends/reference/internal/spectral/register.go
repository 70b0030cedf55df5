package spectral

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
)

// mostWork bounds the work of a call: the sum of m·n·min(m, n) over its matrices. That is one matrix of 20 rows, or
// 128 matrices of 4. Code for the bodies, which takes a second to compile, is much faster beyond.
const mostWork = 1 << 13

// composite is a composite of package linalg: its results for a matrix of m by n, with its one attribute, and the
// most work of a call that its function takes.
type composite struct {
	name, attr string
	mostWork   int
	results    func(m, n int, set bool) []types.Shape
}

var composites = []composite{
	// The body of eig has a step for each rotation of two rows, which is much slower for matrices of any size.
	{eigName, "", math.MaxInt, func(_, n int, _ bool) []types.Shape { return []types.Shape{{n}, {n, n}} }},
	{"linalg.eigh", "upper", mostWork, func(_, n int, _ bool) []types.Shape { return []types.Shape{{n}, {n, n}} }},
	{"linalg.svd", "full", mostWork, func(m, n int, full bool) []types.Shape {
		k := min(m, n)
		if full {
			return []types.Shape{{m, m}, {k}, {n, n}}
		}
		return []types.Shape{{m, k}, {k}, {k, n}}
	}},
}

const eigName = "linalg.eig"

// Register registers the functions that stand for composites where no other function of the host does.
func Register() error {
	for _, c := range composites {
		err := backends.RegisterHostComposite(backends.Standard(c.name), c.takes, c.run)
		if err != nil {
			return err
		}
	}
	return nil
}

// takes reports whether a call is of few small matrices.
func (c *composite) takes(args, results []types.Type, attrs mlir.Dict) bool {
	if len(args) != 1 || args[0].Rank() < 2 {
		return false
	}
	of, rank := args[0], args[0].Rank()
	switch of.DType {
	case types.F32, types.F64, types.C64, types.C128:
	default:
		return false
	}
	batch, m, n := of.Shape[:rank-2], of.Shape[rank-2], of.Shape[rank-1]
	if k := min(m, n); k > 0 && batch.Elements() > c.mostWork/(m*n*k) || c.name != "linalg.svd" && m != n {
		return false
	}
	want := c.results(m, n, set(attrs, c.attr))
	if len(results) != len(want) {
		return false
	}
	for i, r := range results {
		if r.Rank() < len(batch) || !r.Shape[:len(batch)].Equal(batch) || !r.Shape[len(batch):].Equal(want[i]) {
			return false
		}
	}
	return true
}

// set reports whether an attribute is a number other than 0, or true.
func set(attrs mlir.Dict, name string) bool {
	if name == "" {
		return false
	}
	n, ok := mlir.Int(attrs.Get(name))
	return ok && n != 0 || mlir.Flag(attrs.Get(name))
}

// run decomposes the matrices of a batch. It implements [backends.HostFunc].
func (c *composite) run(ctx context.Context, call *backends.HostCall) error {
	if c.name == eigName {
		return runEig(ctx, call)
	}
	flag := set(call.Attrs, c.attr)
	switch call.Args[0].Type.DType {
	case types.F32:
		return runAs[float32](ctx, c, &reals, call, flag)
	case types.F64:
		return runAs[float64](ctx, c, &reals, call, flag)
	case types.C64:
		return runAs[complex64](ctx, c, &complexes, call, flag)
	}
	return runAs[complex128](ctx, c, &complexes, call, flag)
}

// runAs runs the composite on elements that are E in memory, each matrix on one of the threads.
func runAs[E soa.Element, T element](ctx context.Context, c *composite, f *arithmetic[T], call *backends.HostCall, flag bool) error {
	x := call.Args[0].Type
	m, n := x.Shape[x.Rank()-2], x.Shape[x.Rank()-1]
	count := x.Shape[:x.Rank()-2].Elements()
	from := soa.Slice[E](call.Args[0])
	return each(ctx, call.Threads, count, func(i int) {
		a := newMatrix[T](m, n)
		load(a.data, from[i*m*n:][:m*n])
		if c.name == "linalg.eigh" {
			if flag {
				a = f.adjoint(a)
			}
			values, vectors := f.eigh(a)
			putReals(call.Results[0], i, values)
			put[E](call.Results[1], i, vectors)
			return
		}
		u, s, vt := f.singular(a, flag)
		put[E](call.Results[0], i, u)
		putReals(call.Results[1], i, s)
		put[E](call.Results[2], i, vt)
	})
}

// each calls f with the numbers of so many matrices, on several threads, until ctx ends.
func each(ctx context.Context, most, count int, f func(i int)) error {
	var next atomic.Int64
	var threads sync.WaitGroup
	for range max(1, min(most, count)) {
		threads.Go(func() {
			for i := int(next.Add(1)) - 1; i < count && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	threads.Wait()
	return ctx.Err()
}

// runEig finds the eigenvalues and eigenvectors of the matrices of a batch.
func runEig(ctx context.Context, call *backends.HostCall) error {
	x := call.Args[0].Type
	n := x.Shape[x.Rank()-1]
	count := x.Shape[:x.Rank()-2].Elements()
	return each(ctx, call.Threads, count, func(i int) {
		a := newMatrix[complex128](n, n)
		loadComplex(a.data, call.Args[0], i*n*n)
		values, vectors := eig(ctx, a, !x.DType.IsComplex())
		list := matrix[complex128]{1, n, values}
		if call.Results[0].Type.DType == types.C64 {
			put[complex64](call.Results[0], i, list)
			put[complex64](call.Results[1], i, vectors)
		} else {
			put[complex128](call.Results[0], i, list)
			put[complex128](call.Results[1], i, vectors)
		}
	})
}

// loadComplex converts elements of an operand, from one on, to complex numbers.
func loadComplex(to []complex128, from soa.View, first int) {
	reals := make([]float64, len(to))
	switch from.Type.DType {
	case types.F32:
		load(reals, soa.Slice[float32](from)[first:][:len(to)])
	case types.F64:
		load(reals, soa.Slice[float64](from)[first:][:len(to)])
	case types.C64:
		load(to, soa.Slice[complex64](from)[first:][:len(to)])
		return
	default:
		load(to, soa.Slice[complex128](from)[first:][:len(to)])
		return
	}
	for i, x := range reals {
		to[i] = complex(x, 0)
	}
}

// singular is svd of a matrix of any form.
func (f *arithmetic[T]) singular(a matrix[T], full bool) (u matrix[T], s []float64, vt matrix[T]) {
	if a.rows < a.columns {
		u, s, vt = f.svd(f.adjoint(a), full)
		return f.adjoint(vt), s, f.adjoint(u)
	}
	return f.svd(a, full)
}

// load converts elements of memory.
func load[T element, E soa.Element](to []T, from []E) {
	switch from := any(from).(type) {
	case []float32:
		for k, v := range from {
			any(to).([]float64)[k] = float64(v)
		}
	case []float64:
		copy(any(to).([]float64), from)
	case []complex64:
		for k, v := range from {
			any(to).([]complex128)[k] = complex128(v)
		}
	case []complex128:
		copy(any(to).([]complex128), from)
	}
}

// put writes matrix i of a result.
func put[E soa.Element, T element](to soa.View, i int, a matrix[T]) {
	size := len(a.data)
	switch out := any(soa.Slice[E](to)).(type) {
	case []float32:
		for k, v := range any(a.data).([]float64) {
			out[i*size+k] = float32(v)
		}
	case []float64:
		copy(out[i*size:], any(a.data).([]float64))
	case []complex64:
		for k, v := range any(a.data).([]complex128) {
			out[i*size+k] = complex64(v)
		}
	case []complex128:
		copy(out[i*size:], any(a.data).([]complex128))
	}
}

// putReals writes row i of a result.
func putReals(to soa.View, i int, all []float64) {
	if to.Type.DType == types.F64 {
		copy(soa.Slice[float64](to)[i*len(all):], all)
		return
	}
	for k, v := range all {
		soa.Slice[float32](to)[i*len(all)+k] = float32(v)
	}
}
