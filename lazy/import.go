package lazy

import (
	"fmt"
	"slices"
	"sync"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lift"
	"ltc/soa"
)

// Imported is a StableHLO program as a function of tensors: [Import] makes one. Its ops are
// recorded in the step that calls it, among the step's own, so that gradients go through it
// and kernels join with what is around. It may be used from any goroutine.
type Imported struct {
	f         *lift.Function
	mu        sync.Mutex
	constants map[*Device]map[*byte]*Tensor // of many values, by where these begin
}

// Import reads a StableHLO text, as JAX, PyTorch and [Function.Export] write it: main, or its
// one public function. Errors name the text as name, and the first op that tensors have no
// ops for: random bits, calls of LAPACK and open sizes are such. Package
// model runs those texts, too, but as programs of their own and without gradients.
//
// A loop that counts to a constant becomes a [Scan], which has a gradient; another one a
// [While], which has none.
func Import(name, text string) (*Imported, error) {
	f, err := lift.Read(name, text)
	if err != nil {
		return nil, fmt.Errorf("lazy: import: %w", err)
	}
	if len(f.In) == 0 {
		return nil, fmt.Errorf("lazy: import %s: %s has no arguments, which say in which trace it is recorded; run it with package model", name, f.Name)
	}
	return &Imported{f: f, constants: map[*Device]map[*byte]*Tensor{}}, nil
}

// Inputs returns the types of the arguments, in their order.
func (f *Imported) Inputs() []types.Type { return slices.Clone(f.f.In) }

// Outputs returns the types of the results.
func (f *Imported) Outputs() []types.Type { return slices.Clone(f.f.Out) }

// Call records the program on arguments of the types Inputs, and returns its result, of
// several the first. At least one argument must be in a trace.
func (f *Imported) Call(xs ...*Tensor) *Tensor {
	ys := f.CallAll(xs...)
	if len(ys) == 0 {
		return nil
	}
	return ys[0]
}

// CallAll is Call for all results, which are as many for a bad call.
func (f *Imported) CallAll(xs ...*Tensor) []*Tensor {
	ys := make([]*Tensor, len(f.f.Out))
	if bad := f.record(xs, ys); bad != nil {
		putAll(ys, bad)
	}
	return ys
}

// record records a call and puts its results into ys. It returns the poisoned result of a bad call.
func (f *Imported) record(xs, ys []*Tensor) (bad *Tensor) {
	op := "import " + f.f.Name
	if bad := firstBad(op, xs...); bad != nil {
		return bad
	}
	tr := traceOf(xs...)
	if tr == nil {
		return noTrace(op, xs...)
	}
	if !tr.enter() {
		return tr.poisoned(tr.crowded(op, xs...))
	}
	defer tr.leave()
	site := tr.site()
	if why := f.mismatch(xs); why != "" {
		return tr.poisoned(opError(site, op, ErrType, xs, "%s", why))
	}
	args := make([]*ir.Node, len(xs))
	for i, x := range xs {
		if args[i] = tr.operand(x); args[i] == nil {
			return tr.refuse(op, xs...)
		}
	}
	tr.b.SetLoc(site)
	results, err := f.f.Record(tr.b, args, func(t types.Type, data []byte) (*ir.Node, error) {
		n := tr.operand(f.constant(tr.dev, t, data))
		if n == nil {
			return nil, fmt.Errorf("the device of the trace is closed")
		}
		return n, nil
	})
	if err != nil {
		return tr.poisoned(opError(site, op, ErrType, xs, "%v", err))
	}
	for i, n := range results {
		ys[i] = tr.wrap(n)
	}
	return nil
}

// mismatch returns why arguments are not those of the program; "" if they are.
func (f *Imported) mismatch(xs []*Tensor) string {
	if len(xs) != len(f.f.In) {
		return fmt.Sprintf("the program has %s, the call has %d", diag.Count(len(f.f.In), "argument"), len(xs))
	}
	for i, x := range xs {
		if !x.Type().Equal(f.f.In[i]) {
			return fmt.Sprintf("argument %d is %v, must be %v", i, x.Type(), f.f.In[i])
		}
	}
	return ""
}

// constant returns the tensor that holds a constant on a device, which is made once.
func (f *Imported) constant(d *Device, t types.Type, data []byte) *Tensor {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.constants[d]
	if all == nil {
		all = map[*byte]*Tensor{}
		f.constants[d] = all
	}
	x := all[&data[0]]
	if x == nil {
		b := soa.New(len(data)) // data may lie at any address
		copy(b.Bytes(), data)
		x = FromView(d, b.View(t))
		all[&data[0]] = x
	}
	return x
}
