package lazy

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// composite is an op made of others: a row of data and its functions. Programs call
// it by name, so that a backend may recognise it, with the ops it is made of as its
// definition; inline ones are recorded as these ops.
type composite struct {
	row   *ops.Op
	name  string // in programs: ltc.softmax
	op    string // in errors and counters: softmax
	index int    // of the counter of its calls
	body  func(x []*Tensor, a []setting) []*Tensor
	// check is what the row demands beyond dtypes and attributes by themselves; nil if nothing.
	check func(x []*Tensor, a []setting) *breach
	// vjp gives the gradients of the operands for those of the results y, ct: nil
	// where there is none. Without it the body is differentiated.
	vjp func(x, y, ct []*Tensor, a []setting) []*Tensor
}

// setting is the value of an attribute, in the field that its kind uses.
type setting struct {
	int   int // of integers, axes, dtypes and flags
	float float64
	ints  []int
}

// demand is a place in Op.Where, from 1: one of the generated constants.
type demand int

// breach names the demand that a call does not meet.
type breach struct {
	demand demand
	reason string
}

func breaks(d demand, format string, args ...any) *breach {
	return &breach{d, fmt.Sprintf(format, args...)}
}

// all are the results of a function that has one or several.
func all(ts ...*Tensor) []*Tensor { return ts }

// given returns operand i; nil if it has been left out.
func given(x []*Tensor, i int) *Tensor {
	if i < len(x) {
		return x[i]
	}
	return nil
}

// flag is the setting of a bool.
func flag(on bool) int {
	if on {
		return 1
	}
	return 0
}

// composites are those that programs call, by name.
var composites = struct {
	sync.Mutex
	byName map[string]*composite
	names  []string // in the order of their counters
}{byName: map[string]*composite{}}

// define makes a composite known to gradients and counters. It reports whether its
// name was free.
func define(c *composite) bool {
	c.op = c.row.Mnemonic()
	if c.name == "" {
		c.name = "ltc." + c.op
	}
	if c.row.Traits.Has(ops.Inline) {
		return true
	}
	composites.Lock()
	defer composites.Unlock()
	if composites.byName[c.name] != nil {
		return false
	}
	c.index = len(ops.Table) + len(composites.names)
	composites.names = append(composites.names, c.op)
	composites.byName[c.name] = c
	return true
}

// guard returns the trace that the call belongs to, or the poisoned result of a call
// whose operands or attributes are not allowed by themselves. It counts axes from the
// front, and converts operands in their place. Given the first operands alone it checks these.
func (c *composite) guard(a []setting, xs ...*Tensor) (tr *Trace, bad *Tensor) {
	if bad = firstBad(c.op, xs...); bad != nil {
		return nil, bad
	}
	if tr = traceOf(xs...); tr == nil && !c.row.Traits.Has(ops.View) {
		return nil, noTrace(c.op, xs...)
	}
	c.convert(tr, xs)
	if i, reason := shapeinfer.CheckDTypes(c.row, len(xs), func(i int) types.DType { return xs[i].DType() }); reason != "" {
		reason += tr.besideAutocast(reason, len(xs), func(i int) types.DType { return xs[i].DType() })
		return nil, c.refuse(tr, fmt.Sprintf("c%d", i+1), reason, xs...)
	}
	for i := range a {
		if reason := a[i].check(&c.row.Attrs[i], xs[0], c.row.Traits.Has(ops.OfScalars)); reason != "" {
			return nil, c.refuse(tr, c.row.DemandOf(i), reason, xs...)
		}
	}
	if len(xs) > 1 && c.row.Traits.Has(ops.Elementwise) {
		if reason, guard := shapeinfer.CheckShapes(len(xs), func(i int) types.Type { return xs[i].Type() }); reason != "" {
			return nil, c.refuseUnless(guard, tr, "shapes", reason, xs...)
		}
	}
	return tr, nil
}

// meets returns nil, or the poisoned result of a call that breaks a constraint.
func (c *composite) meets(tr *Trace, b *breach, xs ...*Tensor) (bad *Tensor) {
	if b == nil {
		return nil
	}
	return c.refuse(tr, fmt.Sprintf("c%d", len(c.row.Operands)+int(b.demand)), b.reason, xs...)
}

// refuse returns the poisoned result of a call that breaks the constraint.
func (c *composite) refuse(tr *Trace, constraint, reason string, xs ...*Tensor) *Tensor {
	return c.refuseUnless(nil, tr, constraint, reason, xs...)
}

// refuseUnless is refuse for a constraint that would hold with the guard.
func (c *composite) refuseUnless(guard *dims.Guard, tr *Trace, constraint, reason string, xs ...*Tensor) *Tensor {
	at := xs[0]
	if tr != nil {
		at = &Tensor{tr: tr, dev: tr.dev}
	}
	e := opError(at.callSite(), c.op, ErrType, xs, "%s", reason)
	e.Label, e.guard = c.op+"_"+constraint, guard
	return at.dev.poisoned(tr, e)
}

// read brings operands into the trace that are not in it, for ops to be recorded on them.
func (c *composite) read(tr *Trace, xs []*Tensor) (bad *Tensor) {
	for i, x := range xs {
		if tr.operand(x) == nil {
			return tr.refuse(c.op, xs...)
		}
		if x.tr != tr {
			xs[i] = tr.Read(x)
		}
	}
	return nil
}

// check returns the reason if an attribute's kind refuses the setting. It counts axes
// of x from the front. A scalar has one axis if scalars is set.
func (s *setting) check(a *ops.Attr, x *Tensor, scalars bool) (reason string) {
	switch a.Kind {
	case ops.Axis:
		axis, rank := s.int, x.Rank()
		if scalars {
			rank = max(rank, 1)
		}
		if axis < 0 {
			axis += rank
		}
		if axis < 0 || axis >= rank {
			return shapeinfer.NoAxis(s.int, x.OpenShape())
		}
		s.int = axis
	case ops.Axes:
		s.ints, reason = shapeinfer.CheckAxes(x.Type(), s.ints)
		return reason
	case ops.DType:
		if d := types.DType(s.int); !d.Valid() {
			return fmt.Sprintf("%s is %v, must be one of the dtypes", a.Name, d)
		}
	case ops.Extended:
		if math.IsNaN(s.float) {
			return fmt.Sprintf("%s is NaN, must be a number or an infinity", a.Name)
		}
	case ops.Real:
		if math.IsNaN(s.float) || math.IsInf(s.float, 0) {
			return fmt.Sprintf("%s is %v, must be a finite number", a.Name, s.float)
		}
	}
	return ""
}

// call records the composite by name and returns its one result.
func (c *composite) call(tr *Trace, a []setting, xs []*Tensor) *Tensor {
	var y [1]*Tensor
	c.calls(tr, a, xs, y[:])
	return y[0]
}

// calls records the composite by name and puts its results into ys.
func (c *composite) calls(tr *Trace, a []setting, xs, ys []*Tensor) {
	if !tr.enter() {
		putAll(ys, tr.poisoned(tr.crowded(c.op, xs...)))
		return
	}
	defer tr.leave()
	in := make([]*ir.Node, len(xs))
	for i, x := range xs {
		if in[i] = tr.operand(x); in[i] == nil {
			putAll(ys, tr.refuse(c.op, xs...))
			return
		}
	}
	site := tr.site()
	body, err := tr.dev.body(c, a, in)
	if err != nil {
		putAll(ys, tr.poisoned(opError(site, c.op, ErrType, xs, "%v", err)))
		return
	}
	tr.b.SetLoc(site)
	tr.tally.Alone(c.index)
	n, err := tr.b.Node(ir.OpComposite, in, nil, body)
	tr.results(ys, n, err)
}

// putAll puts y into all of ys.
func putAll(ys []*Tensor, y *Tensor) {
	for i := range ys {
		ys[i] = y
	}
}

// maxBodies bounds how many bodies a device remembers.
const maxBodies = 4096

// body returns the composite's body for operands of the types of in, recorded
// once a device.
func (d *Device) body(c *composite, a []setting, in []*ir.Node) (*ir.Composite, error) {
	h := bodyHash(c, a, in)
	d.mu.Lock()
	for _, b := range d.bodies[h] {
		if b.Name == c.name && slices.EqualFunc(b.Params, a, sameParam) && slices.EqualFunc(b.Graph.Params, in, sameType) {
			d.mu.Unlock()
			return b, nil
		}
	}
	d.mu.Unlock()
	tr := newTrace(d)
	tr.gentle = 1 // the call panics
	tr.defines = true
	tr.lines = fixedLine // the body is that of every call: no line of one of them
	xs, nodes := make([]*Tensor, len(in)), make([]*ir.Node, len(in))
	for i, x := range in {
		tr.sizes = tr.sizes || dims.HasExpr(x.Type.Shape...)
		nodes[i] = tr.b.Parameter(x.Type, "", nil)
		xs[i] = tr.wrap(nodes[i])
	}
	b := &ir.Composite{Name: c.name, Params: c.params(a), Graph: &ir.Graph{Name: c.name}}
	ys := c.body(xs, slices.Clone(a)) // else those of each call were on the heap
	if want := max(1, len(c.row.Results)); len(ys) != want {
		return nil, fmt.Errorf("in its definition, the number of results is %d, must be %d: %s", len(ys), want, strings.Join(c.row.Results, ", "))
	}
	results := make([]*ir.Node, len(ys))
	for i, y := range ys {
		if err := tr.isResult(y); err != nil {
			return nil, fmt.Errorf("in its definition, %w", err)
		}
		results[i] = tr.operand(y)
	}
	if tr.b.Capture(b.Graph, nodes, results, nil); len(b.Graph.Params) > len(in) {
		return nil, fmt.Errorf("its definition uses a tensor that is no operand; make it one")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.bodies) >= maxBodies {
		clear(d.bodies) // made again when they are asked for
	}
	d.bodies[h] = append(d.bodies[h], b)
	return b, nil
}

// isResult says why y cannot be what a function of composites has computed in the trace.
func (tr *Trace) isResult(y *Tensor) error {
	switch {
	case y == nil:
		return fmt.Errorf("there is no result")
	case y.err != nil:
		return y.err
	case y.tr != tr || tr.operand(y) == nil:
		return fmt.Errorf("the result is not computed from the operands")
	}
	return nil
}

// params are the settings as programs have them.
func (c *composite) params(a []setting) []ir.Param {
	all := make([]ir.Param, len(a))
	for i, s := range a {
		attr := c.row.Attrs[i]
		all[i] = ir.Param{Name: attr.Name, Int: s.int, Float: s.float, IsFloat: attr.Kind.Float()}
	}
	return all
}

// settingsOf undoes params.
func settingsOf(params []ir.Param) []setting {
	all := make([]setting, len(params))
	for i, p := range params {
		all[i] = setting{int: p.Int, float: p.Float}
	}
	return all
}

func sameParam(p ir.Param, s setting) bool { return p.Int == s.int && p.Float == s.float }
func sameType(a, b *ir.Node) bool          { return a.Type.Equal(b.Type) }

func bodyHash(c *composite, a []setting, in []*ir.Node) uint64 {
	h := uint64(len(c.name))
	add := func(v uint64) { h = (h ^ v) * 0x100000001b3 } // FNV-1a by words
	for i := range len(c.name) {
		add(uint64(c.name[i]))
	}
	for _, s := range a {
		add(uint64(s.int))
		add(math.Float64bits(s.float))
	}
	for _, x := range in {
		add(uint64(x.Type.DType))
		for _, d := range x.Type.Shape {
			add(uint64(d))
		}
	}
	return h
}

// named reports whether a node with so many results that has the composite's name has what its
// row says, too: a program that was imported may use the name for another function.
func (c *composite) named(n *ir.Node, results int) bool {
	least := len(c.row.Operands)
	for least > 0 && c.row.Operands[least-1].Optional {
		least--
	}
	same := func(p ir.Param, a ops.Attr) bool { return p.Name == a.Name && p.IsFloat == a.Kind.Float() }
	return len(n.In) >= least && len(n.In) <= len(c.row.Operands) && results == max(1, len(c.row.Results)) &&
		slices.EqualFunc(n.Body.Params, c.row.Attrs, same)
}

// vjp is the gradient of composites for autodiff.
func (tr *Trace) vjp(b *ir.Builder, n *ir.Node, y, ct []*ir.Node, wants func(operand int) bool) ([]*ir.Node, bool, error) {
	c, err := tr.gradientOf(n.Body)
	if err != nil {
		return nil, false, err
	}
	if c == nil || c.vjp == nil || c.name == n.Body.Name && c.row != nil && !c.named(n, len(y)) {
		return nil, false, nil
	}
	if c.name != n.Body.Name {
		return tr.vmappedVJP(b, n, y, ct, wants)
	}
	if c.row != nil {
		for i := range n.In {
			if o := c.row.Operands[min(i, len(c.row.Operands)-1)]; o.Constant && wants(i) { // the last operand may be variadic
				return nil, false, fmt.Errorf("%s at %v has no gradient with respect to %s: give it %[3]s.Stop() if %[3]s is a constant", c.name, n.Loc, o.Name)
			}
		}
	}
	if b != tr.b {
		body := tr.newClosure("gradient", "the body", n.Loc)
		body.B, body.closed = b, true
		tr.open(body)
		defer tr.shut(body)
	}
	defer tr.at(n.Loc)()
	xs := make([]*Tensor, len(n.In))
	for i, x := range n.In {
		xs[i] = tr.wrap(x)
	}
	ys, cts := make([]*Tensor, len(y)), make([]*Tensor, len(y))
	for i := range y {
		ys[i] = tr.wrap(y[i])
		switch d := ys[i].DType(); {
		case ct[i] != nil:
			cts[i] = tr.wrap(ct[i]).conjugate() // see autodiff.Reverse
		case d.Continuous():
			cts[i] = Zeros(tr, d, ys[i].OpenShape()...)
		}
	}
	found := c.vjp(xs, ys, cts, settingsOf(n.Body.Params))
	if len(found) != len(xs) {
		return nil, false, fmt.Errorf("gradient of %s: it gives %s for %s; give nil for one without gradient", c.name, diag.Count(len(found), "tensor"), diag.Count(len(xs), "operand"))
	}
	grads := make([]*ir.Node, len(n.In))
	for i, g := range found {
		if g == nil {
			continue
		}
		if err := tr.isResult(g); err != nil {
			return nil, false, fmt.Errorf("gradient of %s: %w", c.name, err)
		}
		if grads[i] = tr.operand(g.conjugate()); !g.Type().Equal(xs[i].Type()) {
			return nil, false, fmt.Errorf("gradient of %s: operand %d is %v and its gradient %v%s", c.name, i, xs[i].Type(), g.Type(), underAutocast(xs[i].DType(), g.DType()))
		}
	}
	return grads, true, nil
}

// convert converts operands of the composite to the dtypes that it computes in, in their place.
func (c *composite) convert(tr *Trace, xs []*Tensor) {
	of := func(i int) types.Type { return xs[i].Type() }
	if tr != nil && tr.autocast != types.Invalid {
		to := tr.castOf(c.row.Traits)
		if to == nil && slices.ContainsFunc(xs, func(x *Tensor) bool { return x.DType() == F32 }) {
			to = atLeastF32 // the products in its body are converted then
		}
		for i, x := range xs {
			if to == nil {
				break // it takes any
			}
			if d := to(x.DType()); d != x.DType() {
				xs[i] = tr.Read(x).Convert(d)
			}
		}
	}
	if !c.row.Traits.Converts() || tr == nil || tr.dev.strictTypes || agree(c.row, len(xs), func(i int) types.DType { return of(i).DType }) {
		return
	}
	to := make([]types.DType, len(xs))
	if !shapeinfer.Promote(c.row, len(xs), of, to) {
		return
	}
	for i, x := range xs {
		if x.DType() != to[i] {
			xs[i] = tr.Read(x).Convert(to[i])
		}
	}
}

func kindDemand(a ops.Attr, o *ops.Op) string {
	switch {
	case a.Kind == ops.Axis && len(o.Operands) > 0:
		return a.Name + " is one of the axes of " + o.Operands[0].Name
	case a.Kind == ops.Axes && len(o.Operands) > 0:
		return a.Name + " are some of the axes of " + o.Operands[0].Name
	case a.Kind == ops.DType:
		return a.Name + " is valid"
	}
	if a.Kind == ops.Extended {
		return a.Name + " is no NaN"
	}
	return a.Name + " is finite"
}

// demandNames are the names of a row's demands.
func demandNames(o *ops.Op) []string {
	var names []string
	for _, w := range o.Where {
		names = append(names, w.Name)
	}
	return names
}

// idleDemand returns why a demand of a row would never be checked; "" if all are.
func idleDemand(o *ops.Op, hasCheck bool) string {
	if hasCheck {
		return ""
	}
	for _, w := range o.Where {
		if !o.Attribute(w.Name) {
			return fmt.Sprintf("nothing checks the demand %q of Where: write Check, or name an attribute of the kinds Axis, DType and Real%s", w.Name, diag.Meant(w.Name, "attribute", checkedAttrs(o)))
		}
	}
	return ""
}

// checkedAttrs are the attributes that their kind checks.
func checkedAttrs(o *ops.Op) []string {
	var names []string
	for _, a := range o.Attrs {
		if a.Kind.Checked() {
			names = append(names, a.Name)
		}
	}
	return names
}

var compositeName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+$`)

// wrongRow returns why a row cannot be one of a composite; "" if it can.
func wrongRow(o *ops.Op) string {
	if !compositeName.MatchString(o.Name) || strings.HasPrefix(o.Name, "ltc.") {
		return fmt.Sprintf("the name %q must be words of letters, digits and _ with points between, the first of them not ltc", o.Name)
	}
	if len(o.Operands) == 0 {
		return "it has no operands"
	}
	names := map[string]bool{}
	for i, p := range o.Operands {
		switch {
		case p.Name == "" || names[p.Name]:
			return fmt.Sprintf("operand %d must have a name of its own", i)
		case p.Like != "" && !names[p.Like]:
			return fmt.Sprintf("operand %s is like %q, which is no operand before it", p.Name, p.Like)
		case p.Variadic:
			return fmt.Sprintf("operand %s is variadic, which those of composites cannot be", p.Name)
		case p.Optional && i < len(o.Operands)-1 && !o.Operands[i+1].Optional:
			return fmt.Sprintf("operand %s is optional, which only the last can be", p.Name)
		case p.Optional && i == 0:
			return fmt.Sprintf("operand %s is optional and the only one", p.Name)
		}
		names[p.Name] = true
	}
	for i, r := range o.Results {
		if r == "" || slices.Contains(o.Results[:i], r) {
			return fmt.Sprintf("result %d must have a name of its own", i)
		}
	}
	for i, a := range o.Attrs {
		if a.Name == "" || slices.ContainsFunc(o.Attrs[:i], func(b ops.Attr) bool { return a.Name == b.Name }) {
			return fmt.Sprintf("attribute %d must have a name of its own", i)
		}
		switch a.Kind {
		case ops.Int, ops.Axis, ops.DType, ops.Real, ops.Extended, ops.Flag:
		case ops.Ints, ops.Axes:
			if !o.Traits.Has(ops.Inline) {
				return fmt.Sprintf("attribute %s is a list, which only inline composites can have: set Inline", a.Name)
			}
		default:
			return fmt.Sprintf("attribute %s is of a kind that composites of other modules cannot have", a.Name)
		}
	}
	return ""
}
