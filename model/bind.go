package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/internal/spare"
	"ltc/ir/types"
	"ltc/soa"
)

// Bound is a model with the columns that it reads and writes. Any number of goroutines may run a
// Bound at once, each on a batch of its own. The zero Bound has no model: to run it is an error.
type Bound struct {
	model   *Model
	in, out *soa.Collection
	reads   []binding // by input of the model
	writes  []binding // by result
	runs    *spare.Pool[run]
	err     error // of Bind
}

// binding names the tensor of a collection that an input or a result of the program
// stands for.
type binding struct {
	tensor int  // index in the collection
	flat   bool // the tensor has a last dimension of size 1 that the program's type lacks
}

// keptRuns is the number of idle run structures that a Bound keeps for later runs.
const keptRuns = 4

// run holds the views and the call of one run.
type run struct {
	in, out soa.Collection // the collections' views of the batch
	call    backends.Call
	args    []soa.View
	results []soa.View
}

// Bind connects each input of the model with the tensor of in that has the same name, and each
// result with the tensor of out that has the same name. An input or result without a name gets
// the tensor at the same position. In may have tensors that the model does not read; out must
// have one tensor for each result and no other tensors. A tensor may have a further last
// dimension of size 1: shape (n, 1) fits a value of shape (n). The columns that the model writes
// must not share memory with the columns that it reads. Run returns the errors of Bind, which
// name the tensor and its column.
func (m *Model) Bind(in, out *soa.Collection) *Bound {
	if m == nil || m.exec == nil {
		return &Bound{err: errors.New("model: bind: the Model is the zero value: make a Model with New")}
	}
	b := &Bound{model: m}
	b.runs = spare.New(keptRuns, func() *run {
		return &run{args: make([]soa.View, len(m.sig.Args)), results: make([]soa.View, len(m.sig.Results))}
	})
	if b.err = b.bind(in, out); b.err != nil {
		b.err = fmt.Errorf("model: bind: %w", b.err)
	}
	return b
}

func (b *Bound) bind(in, out *soa.Collection) error {
	if in == nil || out == nil {
		return errors.New("a collection is nil: Bind needs a collection of inputs and a collection of results")
	}
	m := b.model
	b.in, b.out = in.Clone(), out.Clone()
	for k, i := range m.inputs {
		a := &m.sig.Args[i]
		p, err := find(b.in, a.Name, k, a.Type)
		if err != nil {
			return fmt.Errorf("input %d: %w", k, err)
		}
		if a.Alias >= 0 {
			return fmt.Errorf("input %q: the program overwrites it: export a program that does not", a.Name)
		}
		b.reads = append(b.reads, p)
	}
	for j, r := range m.sig.Results {
		p, err := find(b.out, r.Name, j, r.Type)
		if err != nil {
			return fmt.Errorf("result %d: %w", j, err)
		}
		if slices.ContainsFunc(b.writes, func(q binding) bool { return q.tensor == p.tensor }) {
			return fmt.Errorf("result %d: tensor %s is already the tensor of an earlier result", j, b.out.Names()[p.tensor])
		}
		b.writes = append(b.writes, p)
	}
	if n := b.out.Len(); n > len(b.writes) {
		return fmt.Errorf("out has %s, %v, but the program has %s: leave the other tensors out", diag.Count(n, "tensor"), b.out.Names(), diag.Count(len(b.writes), "result"))
	}
	if b.in.Batches() != b.out.Batches() {
		return fmt.Errorf("in has %s, out has %s: AddBatched cuts a tensor into batches, Add gives the whole tensor to each batch", cut(b.in), cut(b.out))
	}
	if err := b.out.Writable(b.in); err != nil {
		return err
	}
	return b.sizes()
}

// cut describes the batches of a collection for an error, as in "8 elements in 2 batches
// of 4", with the name of a tensor.
func cut(c *soa.Collection) string {
	n, at := c.Batches(), 0
	var first soa.Collection
	if n < 1 || c.Batch(0, &first) != nil {
		return fmt.Sprintf("%s in %s", diag.Count(c.Elements(), "element"), diag.Count(n, "batch"))
	}
	for i := range c.Len() { // the first that is cut, or else the first
		if first.Tensor(i).Type.Shape[0] != c.Tensor(i).Type.Shape[0] {
			at = i
			break
		}
	}
	s := fmt.Sprintf("%s in 1 batch", diag.Count(c.Elements(), "element"))
	if n > 1 {
		s = fmt.Sprintf("%s in %s of %d", diag.Count(c.Elements(), "element"), diag.Count(n, "batch"), first.Elements())
	}
	if c.Len() > 0 {
		s += " (" + c.Label(at) + ")"
	}
	return s
}

// sizes returns an error if the sizes of inputs and results contradict each other, as
// far as the backend can tell without a run. It checks the first batch and the last,
// which may be smaller.
func (b *Bound) sizes() error {
	r := b.runs.Get()
	defer b.runs.Put(r)
	for _, batch := range []int{0, b.in.Batches() - 1} {
		if batch < 0 || batch >= b.in.Batches() {
			continue
		}
		if err := r.setBatch(b, batch); err != nil {
			return err
		}
		if err := b.model.exec.CheckSizes(&r.call); err != nil {
			if why := r.whole(b); why != "" {
				return fmt.Errorf("batch %d: %w%s", batch, err, why)
			}
			return fmt.Errorf("batch %d: %w (in has %s, out has %s)", batch, err, cut(b.in), cut(b.out))
		}
	}
	return nil
}

// find returns the tensor of a name, or the tensor at index i if the name is empty. A
// tensor that cannot stand for a value of type want is an error.
func find(c *soa.Collection, name string, i int, want types.Type) (binding, error) {
	names := c.Names()
	if name != "" {
		if i = slices.Index(names, name); i < 0 {
			return binding{}, fmt.Errorf("there is no tensor %q: there are %q", name, names)
		}
	}
	if i >= len(names) {
		return binding{}, fmt.Errorf("got %s, %q", diag.Count(len(names), "tensor"), names)
	}
	flat, err := fits(c.Tensor(i), want)
	if err != nil {
		return binding{}, fmt.Errorf("%s: %w", c.Label(i), err)
	}
	return binding{i, flat}, nil
}

// fits returns an error if a view cannot stand for a value of type want. Flat is set if
// the view has one dimension too many, the last, of size 1.
func fits(v soa.View, want types.Type) (flat bool, err error) {
	if k := v.Type.Rank() - 1; k > 0 && len(want.Shape) == k && len(v.Strides) > k && v.Type.Shape[k] == 1 && v.Table == nil {
		flat, v = true, flattened(v)
	}
	err = backends.Fits(v, want)
	if err != nil && !v.IsZero() && v.Type.DType != want.DType {
		err = fmt.Errorf("%w: a model does not convert: declare the tensor as %v, and Convert it in the function", err, v.Type.DType)
	}
	return flat, err
}

// flattened returns a view without its last dimension, which has size 1.
func flattened(v soa.View) soa.View {
	k := v.Type.Rank() - 1
	v.Type.Shape, v.Strides = v.Type.Shape[:k], v.Strides[:k]
	return v
}

// Run runs the model on one batch of its inputs and writes the same batch of its results. A
// batch is a part of the columns' elements: see soa.Collection.Batch. Batches are numbered from
// 0. Columns that the backend reads and writes in place are not copied. Run allocates nothing
// once a run with the largest number of elements has been made (docs/model.md), and starts no
// thread unless [Threads] allows it. Queue orders the run with other runs on the device. If
// queue is nil, Run returns when the run is done. A nil ctx is [context.Background]. A run that
// fails has written no result.
func (b *Bound) Run(ctx context.Context, queue backends.Queue, batch int) error {
	if b == nil || b.model == nil {
		return b.none()
	}
	if b.err != nil {
		return b.err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if err := b.in.Acquire(); err != nil {
		return fmt.Errorf("model: input %w", err)
	}
	defer b.in.Done()
	if err := b.out.Acquire(); err != nil {
		return fmt.Errorf("model: result %w", err)
	}
	defer b.out.Done()
	r := b.runs.Get()
	defer b.runs.Put(r)
	if err := r.setBatch(b, batch); err != nil {
		return err
	}
	r.call.Queue = queue
	err := b.model.exec.Execute(ctx, &r.call)
	r.call.Queue = nil
	if err != nil {
		return fmt.Errorf("model: batch %d: %w%s", batch, err, r.whole(b))
	}
	return nil
}

// whole explains the error of a run: it names the first tensor whose size differs from
// the batch's where the program takes any size. It returns "" if there is none.
func (r *run) whole(b *Bound) string {
	of := func(c, batch *soa.Collection, p binding, t types.Type) string {
		if len(t.Shape) == 0 || t.Shape[0] != backends.AnySize || batch.Tensor(p.tensor).Type.Shape[0] == batch.Elements() {
			return ""
		}
		if n := c.Tensor(p.tensor).Type.Shape[0]; n != c.Elements() {
			return fmt.Sprintf(" (%s: %s for %s: AddRagged adds values and offsets of two sizes, but a model has one: use AddPadded)", c.Label(p.tensor), diag.Count(n, "row"), diag.Count(c.Elements(), "element"))
		}
		return fmt.Sprintf(" (%s: each batch gets the whole tensor: use AddBatched; it takes a padded tensor as a ViewColumn)", c.Label(p.tensor))
	}
	for k, p := range b.reads {
		if s := of(b.in, &r.in, p, b.model.sig.Args[b.model.inputs[k]].Type); s != "" {
			return s
		}
	}
	for j, p := range b.writes {
		if s := of(b.out, &r.out, p, b.model.sig.Results[j].Type); s != "" {
			return s
		}
	}
	return ""
}

// none is the error of running a Bound that has no model.
func (b *Bound) none() error {
	if b != nil && b.err != nil {
		return b.err
	}
	return errors.New("model: the Bound is the zero value: make a Bound with Model.Bind")
}

// setBatch points the views of the run at the memory of a batch.
func (r *run) setBatch(b *Bound, batch int) error {
	if err := b.in.Batch(batch, &r.in); err != nil {
		return fmt.Errorf("model: input: %w", err)
	}
	if err := b.out.Batch(batch, &r.out); err != nil {
		return fmt.Errorf("model: result: %w", err)
	}
	for k, p := range b.reads {
		r.args[b.model.inputs[k]] = p.view(&r.in)
	}
	for j, p := range b.writes {
		r.results[j] = p.view(&r.out)
	}
	r.call.Args, r.call.Results = r.args, r.results
	return nil
}

// view returns the tensor of a binding in the shape that the program has for it.
func (p binding) view(c *soa.Collection) soa.View {
	v := c.Tensor(p.tensor)
	if p.flat {
		v = flattened(v)
	}
	return v
}
