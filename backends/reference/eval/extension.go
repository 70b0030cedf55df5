package eval

import (
	"context"
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
)

// Extension prepares an op that the evaluator does not run itself: what processes
// exchange, and what watches a program. It returns what a run does.
type Extension func(s *Site) (func(r *Run) error, error)

var extensions = map[mlir.Code]Extension{}

// Extend has programs that are compiled from now on run an op by e. Call it from init.
func Extend(op mlir.Code, e Extension) { extensions[op] = e }

// lacks reports whether nobody prepares an op.
func lacks(op mlir.Code) bool {
	row := &opTable[op]
	return row.prepare == nil || row.extends && extensions[op] == nil
}

// Unsupported returns the error of an extension for an op that is right but not
// implemented.
func Unsupported(format string, args ...any) error { return unsupportedf(format, args...) }

// prepareExtension prepares an op that somebody else runs.
func prepareExtension(b *builder, o *site) error {
	s := &Site{Op: o.op, Module: b.Module, In: tensors(o.in), Out: make([]Tensor, len(o.out)), b: b, o: o}
	for i, t := range o.out {
		s.Out[i] = Tensor{t}
	}
	run, err := extensions[o.op.Code](s)
	if err != nil {
		return err
	}
	for i := range o.out {
		b.result(o, i)
	}
	b.emitTry(func(f *frame) error { return run(&Run{f, o}) })
	return nil
}

func tensors(in []operand) []Tensor {
	all := make([]Tensor, len(in))
	for i, x := range in {
		all[i] = Tensor{x.tensor}
	}
	return all
}

// Tensor is the type of a value. Tuples count as what they hold.
type Tensor struct{ of tensor }

// String prints the type as the text has it.
func (t Tensor) String() string { return t.of.String() }

// Element prints the type of elements: f32; of a quantized tensor that of its integers.
func (t Tensor) Element() string { return t.of.dt.String() }

// ElementBytes is the size of an element.
func (t Tensor) ElementBytes() int { return t.of.dt.Size() }

// Shape returns the shape, which is not to be changed.
func (t Tensor) Shape() []int { return t.of.shape }

// Elements is how many there are.
func (t Tensor) Elements() int { return t.of.n }

// Bytes is the size of a value: dense, in row-major order.
func (t Tensor) Bytes() int { return t.of.bytes() }

// Token reports whether it is a token, which has no bytes.
func (t Tensor) Token() bool { return t.of.dt == loops.Token }

// Equal reports whether two types are the same.
func (t Tensor) Equal(o Tensor) bool { return t.of.equal(o.of) }

// Number returns element i of a value as a bool, an int, a uint64, a float64 or a
// complex128.
func (t Tensor) Number(data []byte, i int) (any, error) {
	p := unsafe.Pointer(&data[i*t.of.dt.Size()])
	switch d := t.of.dt; {
	case d == loops.I1:
		return *(*uint8)(p) != 0, nil
	case d == loops.U64:
		return *(*uint64)(p), nil
	case d.IsInt():
		return indexReader(d)(p), nil
	case d.IsFloat():
		var x float64
		loops.Convert(d, loops.F64)(unsafe.Pointer(&x), p, 1)
		return x, nil
	case d == loops.C64:
		return complex128(*(*complex64)(p)), nil
	case d == loops.C128:
		return *(*complex128)(p), nil
	}
	return nil, fmt.Errorf("elements of %v are no numbers", t.of.dt)
}

// Site is an op that an extension prepares.
type Site struct {
	Op      *mlir.Op
	Module  *mlir.Module
	In, Out []Tensor

	b *builder
	o *site
}

// Function is a function of the module, ready to run.
type Function struct {
	Args, Results []Tensor
	c             *code
}

// Name returns its name.
func (f *Function) Name() string { return f.c.name }

// Bytes is the memory that a run of it takes.
func (f *Function) Bytes() int { return f.c.arenaAll }

// Function prepares a function of the module.
func (s *Site) Function(name string) (*Function, error) {
	c, err := s.b.function(name)
	if err != nil {
		return nil, err
	}
	if len(s.b.Lacking) > 0 {
		return nil, unsupportedCallee{}
	}
	f := &Function{c: c}
	for i, t := range c.types {
		if i < len(c.args) {
			f.Args = append(f.Args, Tensor{t})
		} else {
			f.Results = append(f.Results, Tensor{t})
		}
	}
	return f, nil
}

// Run is a run of an op of an extension.
type Run struct {
	f *frame
	o *site
}

// Context is that of the run.
func (r *Run) Context() context.Context { return r.f.ws.ctx }

// State is where extensions keep what a run has in common; nil at first.
func (r *Run) State() *any { return r.f.ws.shared() }

// shared returns what a run shares with those of functions and single ops in it.
func (ws *workspace) shared() *any {
	if ws.state == nil {
		ws.state = new(any)
	}
	return ws.state
}

// In returns the memory of an operand, which is only to be read.
func (r *Run) In(i int) []byte { return r.memory(r.o.in[i].slot, r.o.in[i].tensor) }

// Out returns the memory of a result.
func (r *Run) Out(i int) []byte { return r.memory(r.o.res[i], r.o.out[i]) }

func (r *Run) memory(slot int, t tensor) []byte {
	return unsafe.Slice((*byte)(r.f.p[slot]), t.bytes())
}

// Call runs a function on memory of its arguments and results. It may be called by
// several goroutines, with a state each.
func (f *Function) Call(ctx context.Context, state *any, args, results [][]byte) error {
	ws := newWorkspace(f.c)
	ws.ctx, ws.Done, ws.state = ctx, ctx.Done(), state
	for i, s := range f.c.args {
		ws.frames[0].p[s] = unsafe.Pointer(unsafe.SliceData(args[i]))
	}
	for i, s := range f.c.results {
		ws.frames[0].p[s] = unsafe.Pointer(unsafe.SliceData(results[i]))
	}
	return ws.frames[0].exec(f.c.steps)
}

// Combiner makes one value of several, element by element, by what an op's region
// computes of two, each converted to the type that the region takes.
type Combiner struct {
	in      []tensor
	to      tensor        // an element of the results
	convert []loops.Loop1 // by operand; nil where the type is the region's
	apply   func(f *frame, acc, x unsafe.Pointer, n int) error
}

// Combiner reads the op's region, for the first n operands and results. Without one it
// takes the op named.
func (s *Site) Combiner(n int, without mlir.Code) (*Combiner, error) {
	b, o := s.b, s.o
	c := &Combiner{to: o.out[0].element()}
	to := c.to
	for i, x := range o.in[:n] {
		if o.out[i].dt != to.dt {
			return nil, fmt.Errorf("results of %v and %v", to.dt, o.out[i].dt)
		}
		var k loops.Loop1
		if x.dt != to.dt {
			k = loops.Convert(x.dt, to.dt)
		}
		c.in, c.convert = append(c.in, x.tensor), append(c.convert, k)
	}
	if len(o.op.Regions) == 0 {
		return c, c.direct(without)
	}
	if len(o.op.Regions) == 1 {
		if op, mirrored := simpleBody(o.op.Regions[0]); !mirrored && c.direct(op) == nil {
			return c, nil
		}
	}
	args := []int{b.pointer(o), b.pointer(o)}
	body, err := b.region(o, 0, args, []tensor{to, to})
	if err != nil {
		return nil, err
	}
	store, err := b.storing(o, body, []tensor{to})
	if err != nil {
		return nil, err
	}
	size := to.dt.Size()
	c.apply = func(f *frame, acc, x unsafe.Pointer, n int) error {
		for i := range n {
			f.p[args[0]], f.p[args[1]] = unsafe.Add(acc, i*size), unsafe.Add(x, i*size)
			if err := f.exec(body.steps); err != nil {
				return err
			}
			store(f, args)
		}
		return nil
	}
	return c, nil
}

// direct combines by an op's kernel.
func (c *Combiner) direct(op mlir.Code) error {
	k := loops.Binary(op, c.to.dt)
	if k == nil {
		return unsupportedf("elements of type %v", c.to.dt)
	}
	c.apply = func(_ *frame, acc, x unsafe.Pointer, n int) error {
		k(acc, acc, x, n)
		return nil
	}
	return nil
}

// Combine makes one of values of operand i, in their order. It has the type of the
// result's elements.
func (c *Combiner) Combine(r *Run, i int, values [][]byte) ([]byte, error) {
	n := c.in[i].n
	size := n * c.to.dt.Size()
	var acc []byte
	for _, v := range values {
		if c.convert[i] != nil {
			to := make([]byte, size)
			c.convert[i](unsafe.Pointer(unsafe.SliceData(to)), unsafe.Pointer(unsafe.SliceData(v)), n)
			v = to
		}
		if acc == nil {
			acc = slices.Clone(v)
			continue
		}
		if err := c.apply(r.f, unsafe.Pointer(unsafe.SliceData(acc)), unsafe.Pointer(unsafe.SliceData(v)), n); err != nil {
			return nil, err
		}
	}
	return acc, nil
}
