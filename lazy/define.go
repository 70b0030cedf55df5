package lazy

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/shapeinfer"
	"ltc/soa"
)

// Composite is the row of an op made of others, for [Define]: what its calls take,
// and what its documentation says. All calls are checked against it, with the errors
// that this package's own ops have.
type Composite struct {
	Name     string        // in programs, with a namespace that is not ltc: physics.mass
	Doc      string        // what it returns, as a sentence going on from the name
	Operands []ops.Operand // at least one; the last ones may be optional
	Attrs    []ops.Attr    // of the kinds Int, Axis, DType, Real, Extended and Flag; if Inline also Ints and Axes
	Results  []string      // the names of its results; of [DefineAll] alone
	// Where says what Check demands, in words. A demand with the name of an
	// attribute of the kinds Axis, DType, Real and Extended is checked without it; one that is
	// missing there is added.
	Where []ops.Demand
	// Check returns the name of a demand that the operands and attributes do not meet,
	// and the reason; "" if they meet all. Dtypes and attributes by themselves have
	// been checked. It may be nil. An operand left out is nil.
	Check func(x []*Tensor, a Attrs) (demand, reason string)
	// Inline has calls recorded as the ops of the body: programs do not name it, and the
	// gradient is always that of these ops.
	Inline bool
	// Promotes has operands that are Like one another converted to the dtype that they promote
	// to: see [CommonDType]. Without it they are errors.
	Promotes bool
	// Floating has bools and integers given for floating-point operands converted to f32. Without it
	// they are errors.
	Floating bool
	// Wide has operands of 16 bits converted to f32 in a scope of [Trace.Autocast], as losses have them.
	Wide bool
	// Narrow has operands up to f32 converted to the dtype of such a scope, as products have them.
	Narrow bool
}

// Attrs are the attributes of a composite's call by name. The kinds Int and Axis are an
// int, Ints and Axes a []int, Real and Extended a float64 (an int will do), Flag a bool, DType a dtype.
// Functions of composites get each as its kind has it, axes counted from the front.
type Attrs map[string]any

// Int returns the attribute of that name, which is of the kind Int or Axis. Like the
// others it panics for a name that there is not; within a composite's functions that
// is an error of the call.
func (a Attrs) Int(name string) int { return attrOf[int](a, name) }

// Ints returns the attribute of that name, which is of the kind Ints or Axes.
func (a Attrs) Ints(name string) []int { return attrOf[[]int](a, name) }

// Float returns the attribute of that name, which is of the kind Real or Extended.
func (a Attrs) Float(name string) float64 { return attrOf[float64](a, name) }

// Flag returns the attribute of that name, which is of the kind Flag.
func (a Attrs) Flag(name string) bool { return attrOf[bool](a, name) }

// DType returns the attribute of that name, which is of the kind DType.
func (a Attrs) DType(name string) types.DType { return attrOf[types.DType](a, name) }

// attrOf returns an attribute that is a T, or panics with an [*attrError].
func attrOf[T int | []int | float64 | bool | types.DType](a Attrs, name string) T {
	v, ok := a[name]
	if !ok {
		panic(&attrError{fmt.Sprintf("there is no attribute %q%s", name, diag.Meant(name, "attribute", slices.Sorted(maps.Keys(a)))), callsite.Caller()})
	}
	t, ok := v.(T)
	if !ok {
		msg := fmt.Sprintf("attribute %s is %s, not %s", name, typeOf(v), typeOf(t))
		if m := getters[typeOf(v)]; m != "" {
			msg += ": read it with " + m
		}
		panic(&attrError{msg, callsite.Caller()})
	}
	return t
}

// getters are the methods of Attrs by the type that they return.
var getters = map[string]string{"int": "Int", "[]int": "Ints", "float64": "Float", "bool": "Flag", typeOf(types.F32): "DType"}

// attrError is the panic of a read of an attribute that there is not.
type attrError struct {
	reason string
	at     callsite.Site
}

func (e *attrError) Error() string {
	if e.at == 0 {
		return e.reason
	}
	return fmt.Sprintf("%v: %s", e.at, e.reason)
}

// misread calls f and returns what it read wrongly of attributes; nil if nothing. Other
// panics go on.
func misread(f func()) (bad *attrError) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*attrError)
			if !ok {
				panic(r)
			}
			bad = e
		}
	}()
	f()
	return nil
}

// computed returns the tensors that f computes of xs. It returns n poisoned ones if f reads an
// attribute that there is not, or panics behind a bad op: a poisoned tensor has no axes, and f may
// look for some.
func (c *composite) computed(n int, xs []*Tensor, f func() []*Tensor) (ys []*Tensor) {
	if tr := traceOf(xs...); tr != nil {
		before := tr.mistake
		tr.mistake = nil
		defer func() {
			if tr.mistake != nil {
				if r := recover(); r != nil {
					ys = make([]*Tensor, n)
					putAll(ys, tr.poisoned(tr.mistake))
				}
			}
			tr.mistake = cmp.Or(before, tr.mistake) // a body around this one may panic behind it, too
		}()
	}
	bad := misread(func() { ys = f() })
	if bad == nil {
		return ys
	}
	ys = make([]*Tensor, n)
	putAll(ys, traceOf(xs...).poisoned(opError(bad.at, c.op, ErrUsage, xs, "%s", bad.reason)))
	return ys
}

// Callable is a composite that programs can call by name.
type Callable struct {
	c     composite
	fault string // why it cannot be called; "" if it can
}

// Define makes a composite of a row and its mathematics: body computes the result
// with ops of this package. Programs call it as stablehlo.composite with the body as
// its decomposition, so that any backend runs it and one that knows its name may have
// a kernel of its own.
//
// gradient returns the gradients of the operands for that of the result y, ct: nil
// for an operand without one. Without gradient, nil, the body is differentiated.
//
// The functions are called once for many calls, from any goroutine: they must depend
// on nothing but their arguments, and use no tensor but the operands. Call Define
// once, for a variable of a package. A row that cannot be is the error of every call.
func Define(row Composite, body func(x []*Tensor, a Attrs) *Tensor, gradient func(x []*Tensor, y, ct *Tensor, a Attrs) []*Tensor) *Callable {
	var bodies func(x []*Tensor, a Attrs) []*Tensor
	if body != nil {
		bodies = func(x []*Tensor, a Attrs) []*Tensor { return all(body(x, a)) }
	}
	var gradients func(x, y, ct []*Tensor, a Attrs) []*Tensor
	if gradient != nil {
		gradients = func(x, y, ct []*Tensor, a Attrs) []*Tensor { return gradient(x, y[0], ct[0], a) }
	}
	return defined(callsite.Caller(), row, bodies, gradients)
}

// DefineAll is [Define] for a composite with several results, which the row names: body
// returns all of them, in that order. gradient gets in ct the gradient of each result:
// zeros where nothing depends on it, and nil for one that is not floating point.
func DefineAll(row Composite, body func(x []*Tensor, a Attrs) []*Tensor, gradient func(x, y, ct []*Tensor, a Attrs) []*Tensor) *Callable {
	return defined(callsite.Caller(), row, body, gradient)
}

func defined(at callsite.Site, row Composite, body func(x []*Tensor, a Attrs) []*Tensor, gradient func(x, y, ct []*Tensor, a Attrs) []*Tensor) *Callable {
	o := &ops.Op{Name: row.Name, Text: row.Name, Doc: row.Doc, Operands: slices.Clone(row.Operands), Attrs: slices.Clone(row.Attrs), Results: slices.Clone(row.Results), Where: slices.Clone(row.Where)}
	if row.Inline {
		o.Traits |= ops.Inline
	}
	if row.Wide {
		o.Traits |= ops.AutocastWide
	}
	if row.Narrow {
		o.Traits |= ops.AutocastNarrow
	}
	if row.Promotes {
		o.Traits |= ops.Promotes
	}
	if row.Floating {
		o.Traits |= ops.Floating
	}
	for i, a := range o.Attrs {
		if a.Kind.Checked() && o.DemandOf(i) == "" {
			o.Where = append(o.Where, ops.Demand{Name: a.Name, Text: kindDemand(a, o)})
		}
	}
	d := &Callable{c: composite{row: o, name: row.Name}}
	c := &d.c
	c.body = func(x []*Tensor, a []setting) []*Tensor {
		return c.computed(max(1, len(o.Results)), x, func() []*Tensor { return body(x, c.attrs(a)) })
	}
	if gradient != nil {
		c.vjp = func(x, y, ct []*Tensor, a []setting) []*Tensor {
			return c.computed(len(x), x, func() []*Tensor { return gradient(x, y, ct, c.attrs(a)) })
		}
	}
	if row.Check != nil {
		c.check = func(x []*Tensor, a []setting) *breach {
			padded := make([]*Tensor, len(o.Operands))
			copy(padded, x)
			var name, reason string
			if bad := misread(func() { name, reason = row.Check(padded, c.attrs(a)) }); bad != nil {
				return breaks(0, "in its Check, %v", bad)
			}
			if name == "" {
				return nil
			}
			i := slices.IndexFunc(o.Where, func(w ops.Demand) bool { return w.Name == name })
			if i < 0 {
				return breaks(0, "%s; Check named the demand %q, which Where does not have%s", reason, name, diag.Meant(name, "demand", demandNames(o)))
			}
			return &breach{demand(i + 1), reason}
		}
	}
	if why := wrongRow(o); why != "" {
		d.fault = why
	} else if why := idleDemand(o, row.Check != nil); why != "" {
		d.fault = why
	} else if body == nil {
		d.fault = "it has no body"
	} else if row.Inline && gradient != nil {
		d.fault = "it is inline, whose gradient is that of its ops: give none, or do not set Inline"
	} else if !define(c) {
		d.fault = fmt.Sprintf("there is another composite of the name %q", row.Name)
	}
	if c.op = row.Name; d.fault != "" {
		d.fault += fmt.Sprintf(": see its definition at %v", at)
	}
	return d
}

// Call records the composite on operands and returns its result, of several the
// first. Optional operands may be left out.
func (d *Callable) Call(a Attrs, xs ...*Tensor) *Tensor {
	var y [1]*Tensor
	if len(d.c.row.Results) > 1 {
		return d.CallAll(a, xs...)[0]
	}
	d.calls(a, xs, y[:])
	return y[0]
}

// CallAll is Call for all results, which are as many for a bad call.
func (d *Callable) CallAll(a Attrs, xs ...*Tensor) []*Tensor {
	ys := make([]*Tensor, max(1, len(d.c.row.Results)))
	d.calls(a, xs, ys)
	return ys
}

func (d *Callable) calls(a Attrs, xs, ys []*Tensor) {
	if axis, ok := a["axis"].(int); ok && len(xs) > 0 && xs[0].isScalar(axis) && d.c.row.AxisOfScalar() {
		given := make([]*Tensor, len(xs))
		for i, x := range xs {
			given[i] = x.ofOneAxis()
		}
		d.calls(a, given, ys)
		for i, y := range ys {
			ys[i] = y.scalar()
		}
		return
	}
	settings, bad := d.settings(a, xs)
	var tr *Trace
	if bad == nil {
		tr, bad = d.c.guard(settings, xs...)
	}
	if bad == nil && d.c.check != nil {
		bad = d.c.meets(tr, d.c.check(xs, settings), xs...)
	}
	if bad != nil {
		putAll(ys, bad)
		return
	}
	if !d.c.row.Traits.Has(ops.Inline) {
		d.c.calls(tr, settings, xs, ys)
		return
	}
	xs = slices.Clone(xs) // reads of variables take their places
	if bad := d.c.read(tr, xs); bad != nil {
		putAll(ys, bad)
		return
	}
	var all []*Tensor
	tr.recorded(d.c.op, func() *Tensor {
		all = d.c.body(xs, settings)
		return nil
	}, xs...)
	n := copy(ys, all)
	for i, y := range ys[:n] {
		if y != nil {
			ys[i] = y.ofCall(d.c.op, xs...)
		}
	}
	if n < len(ys) {
		putAll(ys, tr.poisoned(opError(tr.site(), d.c.op, ErrUsage, xs, "in its definition, the number of results is %d, must be %d", n, len(ys))))
	}
}

// Call_ writes what Call gives into the first operand, and returns that.
func (d *Callable) Call_(a Attrs, xs ...*Tensor) *Tensor {
	y := d.Call(a, xs...)
	if len(xs) == 0 {
		return y
	}
	return xs[0].writeNamed(d.c.op+"_", y)
}

// RecordAs records the call op on xs that is made of what record does: for functions of packages that stand before ops
// of other names. Errors of these ops name the call and its operands, as errors of methods do; they keep their labels.
// An operand that is left out is nil. It returns what record returns; if record is nil, one poisoned tensor.
func RecordAs(op string, record func() []*Tensor, xs ...*Tensor) []*Tensor {
	given := slices.DeleteFunc(slices.Clone(xs), func(x *Tensor) bool { return x == nil })
	if record == nil {
		if bad := firstBad(op, given...); bad != nil {
			return []*Tensor{bad}
		}
		e := opError(callsite.Caller(), op, ErrUsage, given, "the function that records it is nil")
		if tr := traceOf(given...); tr != nil {
			return []*Tensor{tr.poisoned(e)}
		}
		return []*Tensor{{err: e}}
	}
	if firstBad(op, given...) != nil {
		return record() // its error is another call's
	}
	var ys []*Tensor
	if tr := traceOf(given...); tr == nil {
		ys = record()
	} else {
		defer tr.at(tr.site())() // the line of all ops
		tr.recorded(op, func() *Tensor {
			ys = record()
			return nil
		}, given...)
	}
	for i, y := range ys {
		if y == nil {
			continue
		}
		ys[i] = y.ofCall(op, given...)
	}
	return ys
}

// Doc returns the documentation in Markdown: what the composite returns, its attributes,
// and its constraints by their labels.
func (d *Callable) Doc() string { return d.c.row.Markdown("##") }

// settings are attributes in the row's order, or the poisoned result of a call with
// others, or with another number of operands.
func (d *Callable) settings(a Attrs, xs []*Tensor) ([]setting, *Tensor) {
	if d.fault != "" {
		return nil, d.refuse(xs, d.fault)
	}
	row := d.c.row
	most := len(row.Operands)
	least := most
	for least > 0 && row.Operands[least-1].Optional {
		least--
	}
	if len(xs) < least || len(xs) > most {
		return nil, d.refuse(xs, fmt.Sprintf("the number of operands is %d, must be %d", len(xs), most))
	}
	if why := unknownAttr(a, row); why != "" {
		return nil, d.refuse(xs, why)
	}
	all := make([]setting, len(row.Attrs))
	for i, attr := range row.Attrs {
		v, ok := a[attr.Name]
		if !ok {
			return nil, d.refuse(xs, fmt.Sprintf("attribute %s (%v) is missing", attr.Name, attr.Kind))
		}
		if !all[i].set(attr.Kind, v) {
			return nil, d.refuse(xs, fmt.Sprintf("attribute %s is %s, must be %s", attr.Name, typeOf(v), goTypes[attr.Kind]))
		}
	}
	return all, nil
}

// unknownAttr returns why a call's attributes are not all of the row; "" if they are.
func unknownAttr(a Attrs, row *ops.Op) string {
	known := 0
	for _, attr := range row.Attrs {
		if _, ok := a[attr.Name]; ok {
			known++
		}
	}
	if known == len(a) {
		return ""
	}
	var names []string
	for _, attr := range row.Attrs {
		names = append(names, attr.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !slices.Contains(names, name) {
			return fmt.Sprintf("there is no attribute %q%s", name, diag.Meant(name, "attribute", names))
		}
	}
	return ""
}

// refuse is the poisoned result of a call that is not allowed.
func (d *Callable) refuse(xs []*Tensor, why string) *Tensor {
	if bad := firstBad(d.c.op, xs...); bad != nil {
		return bad
	}
	e := opError(callsite.Caller(), d.c.op, ErrUsage, xs, "%s", why)
	if tr := traceOf(xs...); tr != nil {
		return tr.poisoned(e)
	}
	return &Tensor{err: e}
}

// goTypes are what calls give for attributes.
var goTypes = map[ops.AttrKind]string{ops.Int: "int", ops.Axis: "int", ops.Ints: "[]int", ops.Axes: "[]int", ops.Real: "float64 or int", ops.Extended: "float64 or int", ops.Flag: "bool", ops.DType: "lazy dtype"}

func typeOf(v any) string {
	if v == nil {
		return "nil"
	}
	return fmt.Sprintf("%T", v)
}

// set takes what a user gave for an attribute; false if it is of another type.
func (s *setting) set(k ops.AttrKind, v any) (ok bool) {
	switch v := v.(type) {
	case int:
		if k.Float() {
			s.float = float64(v)
		} else {
			s.int = v
		}
		return k == ops.Int || k == ops.Axis || k.Float()
	case float64:
		s.float = v
		return k.Float()
	case bool:
		s.int = flag(v)
		return k == ops.Flag
	case []int:
		s.ints = v
		return k == ops.Ints || k == ops.Axes
	case types.DType:
		s.int = int(v)
		return k == ops.DType
	}
	return false
}

// attrs are the settings as functions of other modules get them.
func (c *composite) attrs(all []setting) Attrs {
	a := make(Attrs, len(all))
	for i, s := range all {
		switch attr := c.row.Attrs[i]; attr.Kind {
		case ops.Real, ops.Extended:
			a[attr.Name] = s.float
		case ops.Flag:
			a[attr.Name] = s.int != 0
		case ops.DType:
			a[attr.Name] = types.DType(s.int)
		case ops.Ints, ops.Axes:
			a[attr.Name] = s.ints
		default:
			a[attr.Name] = s.int
		}
	}
	return a
}

// HostOp describes a Go function on values as an op, for [Host].
type HostOp struct {
	// Name is the op's in programs and errors, with a namespace that is not ltc: physics.fit.
	// Programs have a custom_call of this name.
	Name     string
	Doc      string        // what it returns, as a sentence going on from the name
	Operands []ops.Operand // at least one
	Results  []string      // their names; one result needs none
	// Types returns the types of the results for operands of the types in, or an error that
	// says what is wrong with these. It depends on nothing else.
	Types func(in []types.Type) ([]types.Type, error)
	// Run computes the results. Operands and results are dense, and valid until it returns;
	// in is not to be written, and out has undefined contents at first. It is called from any
	// goroutine. An error, or a panic, is that of the step, with the line of the call.
	Run func(ctx context.Context, in, out []soa.View) error
	// Gradient returns the gradients of the operands for those of the results y, ct, as that
	// of [DefineAll] does. Without it, nil, gradients through the op are an error.
	Gradient func(x, y, ct []*Tensor) []*Tensor
}

// Host makes an op of a Go function. Programs call it by name, on any backend, as a step of
// the program on the host: what the function reads and writes is copied from and to a device
// with memory of its own. The text of a program alone does not have the function: who runs it
// elsewhere registers one of the name ([backends.RegisterHost]).
//
// Call Host once, for a variable of a package. An op that cannot be is the error of every call.
// Sizes of its operands are numbers: with an open size a call is an error.
func Host(h HostOp) *Callable {
	at := callsite.Caller()
	row := Composite{Name: h.Name, Doc: h.Doc, Operands: h.Operands, Results: h.Results, Check: h.check, Where: []ops.Demand{{Name: "types", Text: "the function takes operands of these types"}}}
	var gradient func(x, y, ct []*Tensor, _ Attrs) []*Tensor
	if h.Gradient != nil {
		gradient = func(x, y, ct []*Tensor, _ Attrs) []*Tensor { return h.Gradient(x, y, ct) }
	}
	d := defined(at, row, h.body, gradient)
	switch {
	case d.fault != "":
	case h.Types == nil || h.Run == nil:
		d.fault = fmt.Sprintf("it needs both Types and Run: see its definition at %v", at)
	default:
		err := backends.RegisterHost(h.Name, func(ctx context.Context, c *backends.HostCall) error { return h.Run(ctx, c.Args, c.Results) })
		if err != nil {
			d.fault = fmt.Sprintf("%v: see its definition at %v", err, at)
		}
	}
	return d
}

// check returns what is wrong with a call.
func (h *HostOp) check(x []*Tensor, _ Attrs) (demand, reason string) {
	x = slices.DeleteFunc(slices.Clone(x), func(t *Tensor) bool { return t == nil }) // left out
	for i, t := range x {
		if dims.HasExpr(t.OpenShape()...) {
			return "types", fmt.Sprintf("operand %d is %v, whose sizes must be numbers", i, t.Type())
		}
	}
	out, err := h.Types(operandTypes(x))
	if err != nil {
		return "types", err.Error()
	}
	if want := max(1, len(h.Results)); len(out) != want {
		return "types", fmt.Sprintf("its Types gives %s, must give %d", diag.Count(len(out), "result"), want)
	}
	for i, t := range out {
		if err := t.Check(); err != nil {
			return "types", fmt.Sprintf("its Types gives result %d as %v: %v", i, t, err)
		}
	}
	return "", ""
}

// body records the call.
func (h *HostOp) body(x []*Tensor, _ Attrs) []*Tensor {
	tr := x[0].tr
	ys := make([]*Tensor, max(1, len(h.Results)))
	out, err := h.Types(operandTypes(x))
	if err != nil {
		putAll(ys, tr.poisoned(opError(tr.site(), h.Name, ErrType, x, "%v", err)))
		return ys
	}
	in := make([]*ir.Node, len(x))
	for i, t := range x {
		in[i] = tr.operand(t)
	}
	n, err := shapeinfer.Record(tr.b, ir.OpHostCall, in, []ir.Attr{ir.HostCallName: {Str: h.Name}, ir.HostCallResults: {Str: ir.HostResultsText(out)}, ir.HostCallEffect: {}}, nil)
	tr.results(ys, n, err)
	return ys
}

func operandTypes(x []*Tensor) []types.Type {
	all := make([]types.Type, len(x))
	for i, t := range x {
		all[i] = t.Type()
		all[i].Shape = slices.Clone(all[i].Shape) // the function may write it
	}
	return all
}
