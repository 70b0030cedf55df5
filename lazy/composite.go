package lazy

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"ltc/ir"
	"ltc/ir/ops"
)

// composite is an op made of others. Programs call it by name, so that a
// backend may recognise it, with the ops it is made of as its definition.
type composite struct {
	name  string
	index int // of the counter of its calls
	body  func(x []*Tensor, p []ir.Param) *Tensor
	// vjp gives the gradients of the operands for that of the value y, ct: nil
	// where there is none. Without it the body is differentiated.
	vjp func(x []*Tensor, y, ct *Tensor, p []ir.Param) []*Tensor
}

// composites are the definitions by name, filled while packages initialise.
var composites = struct {
	sync.Mutex
	byName map[string]*composite
	names  []string // in the order of their counters
}{byName: map[string]*composite{}}

// define makes a composite known. The order in which files initialise does not
// matter: bodies run when they are first called.
func define(c composite) *composite {
	composites.Lock()
	defer composites.Unlock()
	c.index = len(ops.Table) + len(composites.names)
	composites.names = append(composites.names, c.name[len("ltc."):])
	composites.byName[c.name] = &c
	return &c
}

// call records the composite on xs.
func (c *composite) call(params []ir.Param, xs ...*Tensor) *Tensor {
	mnemonic := c.name[len("ltc."):]
	tr := traceOf(xs...)
	if tr == nil {
		return noTrace(mnemonic, xs...)
	}
	if !tr.enter() {
		return tr.poisoned(tr.crowded(mnemonic, xs...))
	}
	defer tr.leave()
	in := make([]*ir.Node, len(xs))
	for i, x := range xs {
		if in[i] = tr.operand(x); in[i] == nil {
			return tr.refuse(mnemonic, xs...)
		}
	}
	site := tr.site()
	body, err := tr.dev.body(c, params, in)
	if err != nil {
		err := opError(site, mnemonic, ErrType, xs, "%s", err.Reason)
		return tr.poisoned(err)
	}
	tr.b.SetLoc(site)
	tr.tally.alone(c.index)
	return tr.result(tr.b.Node(ir.OpComposite, in, nil, body))
}

// maxBodies bounds how many bodies a device remembers.
const maxBodies = 4096

// body returns the composite's body for operands of the types of in, recorded
// once a device.
func (d *Device) body(c *composite, params []ir.Param, in []*ir.Node) (*ir.Composite, *OpError) {
	h := bodyHash(c, params, in)
	d.mu.Lock()
	for _, b := range d.bodies[h] {
		if b.Name == c.name && slices.Equal(b.Params, params) && sameOperands(b.Graph, in) {
			d.mu.Unlock()
			return b, nil
		}
	}
	d.mu.Unlock()
	tr := newTrace(d)
	tr.gentle = 1   // the call panics
	tr.fixed = true // the body is that of every call: no line of one of them
	xs, nodes := make([]*Tensor, len(in)), make([]*ir.Node, len(in))
	for i, x := range in {
		nodes[i] = tr.b.Parameter(x.Type, "", nil)
		xs[i] = tr.wrap(nodes[i])
	}
	y := c.body(xs, params)
	if y.err != nil {
		return nil, y.err
	}
	b := &ir.Composite{Name: c.name, Params: slices.Clone(params), Graph: &ir.Graph{Name: c.name}}
	tr.b.Capture(b.Graph, nodes, []*ir.Node{y.node}, nil)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.bodies) >= maxBodies {
		clear(d.bodies) // made again when they are asked for
	}
	d.bodies[h] = append(d.bodies[h], b)
	return b, nil
}

func bodyHash(c *composite, params []ir.Param, in []*ir.Node) uint64 {
	h := uint64(len(c.name))
	add := func(v uint64) { h = (h ^ v) * 0x100000001b3 } // FNV-1a by words
	for i := range len(c.name) {
		add(uint64(c.name[i]))
	}
	for _, p := range params {
		add(uint64(p.Int))
		add(math.Float64bits(p.Float))
	}
	for _, x := range in {
		add(uint64(x.Type.DType))
		for _, d := range x.Type.Shape {
			add(uint64(d))
		}
	}
	return h
}

func sameOperands(g *ir.Graph, in []*ir.Node) bool {
	return slices.EqualFunc(g.Params, in, func(a, b *ir.Node) bool { return a.Type.Equal(b.Type) })
}

// vjp is the gradient of composites for autodiff.
func (tr *Trace) vjp(y, n, ct *ir.Node) ([]*ir.Node, bool, error) {
	composites.Lock()
	c := composites.byName[n.Body.Name]
	composites.Unlock()
	if c == nil || c.vjp == nil {
		return nil, false, nil
	}
	defer tr.at(n.Loc)()
	xs := make([]*Tensor, len(n.In))
	for i, x := range n.In {
		xs[i] = tr.wrap(x)
	}
	grads := make([]*ir.Node, len(n.In))
	for i, g := range c.vjp(xs, tr.wrap(y), tr.wrap(ct), n.Body.Params) {
		if g == nil {
			continue
		}
		if g.err != nil {
			return nil, false, fmt.Errorf("gradient of %s: %w", c.name, g.err)
		}
		grads[i] = g.node
	}
	return grads, true, nil
}

func intParam(name string, v int) ir.Param { return ir.Param{Name: name, Int: v} }
