package lazy

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/settings"
	"ltc/shapeinfer"
)

// record0 records an op without operands.
func record0(tr *Trace, op ir.Op, attrs ...ir.Attr) *Tensor {
	if !tr.enter() {
		return tr.poisoned(tr.crowded(op.String()))
	}
	defer tr.leave()
	return tr.record(op, nil, attrs)
}

// record1, record2 and record3 record an op of as many operands in the trace
// that these belong to.
func record1(op ir.Op, x *Tensor, attrs ...ir.Attr) *Tensor {
	tr := traceOf(x)
	if tr == nil {
		return noTrace(op.String(), x)
	}
	if !tr.enter() {
		return tr.poisoned(tr.crowded(op.String(), x))
	}
	defer tr.leave()
	var site callsite.Site
	if tr.plain() {
		site = tr.sites.Caller() // here, where fewer frames lie between
	} else {
		site = tr.site()
	}
	in := [1]*ir.Node{tr.operand(x)}
	if in[0] == nil {
		return tr.refuse(op.String(), x)
	}
	if tr.autocast != types.Invalid {
		tr.casted(site, op, in[:])
	}
	if t := tr.again(site, op, in[:], attrs); t != nil {
		return t
	}
	return tr.anew(site, op, append(tr.in[:0], in[:]...), attrs)
}

func record2(op ir.Op, x, y *Tensor, attrs ...ir.Attr) *Tensor {
	tr := traceOfTwo(x, y)
	if tr == nil {
		return noTrace(op.String(), x, y)
	}
	if !tr.enter() {
		return tr.poisoned(tr.crowded(op.String(), x, y))
	}
	defer tr.leave()
	var site callsite.Site
	if tr.plain() {
		site = tr.sites.Caller()
	} else {
		site = tr.site()
	}
	in := [2]*ir.Node{tr.operand(x), tr.operand(y)}
	if in[0] == nil || in[1] == nil {
		return tr.refuse(op.String(), x, y)
	}
	if tr.autocast != types.Invalid {
		tr.casted(site, op, in[:])
	}
	if t := tr.again(site, op, in[:], attrs); t != nil {
		return t
	}
	return tr.anew(site, op, append(tr.in[:0], in[:]...), attrs)
}

func record3(op ir.Op, x, y, z *Tensor, attrs ...ir.Attr) *Tensor {
	return recordN(op, []*Tensor{x, y, z}, attrs...)
}

func recordN(op ir.Op, xs []*Tensor, attrs ...ir.Attr) *Tensor {
	tr := traceOf(xs...)
	if tr == nil {
		return noTrace(op.String(), xs...)
	}
	if !tr.enter() {
		return tr.poisoned(tr.crowded(op.String(), xs...))
	}
	defer tr.leave()
	in := make([]*ir.Node, len(xs))
	for i, x := range xs {
		if in[i] = tr.operand(x); in[i] == nil {
			return tr.refuse(op.String(), xs...)
		}
	}
	return tr.record(op, in, attrs)
}

// recordSeveral2 is recordN for an op with two results.
func recordSeveral2(op ir.Op, xs []*Tensor, attrs ...ir.Attr) (y, z *Tensor) {
	var ys [2]*Tensor
	recordSeveral(op, ys[:], xs, attrs)
	return ys[0], ys[1]
}

// recordSeveral records an op with as many results as there are in ys.
func recordSeveral(op ir.Op, ys, xs []*Tensor, attrs []ir.Attr) {
	tr := traceOf(xs...)
	if tr == nil {
		putAll(ys, noTrace(op.String(), xs...))
		return
	}
	if !tr.enter() {
		putAll(ys, tr.poisoned(tr.crowded(op.String(), xs...)))
		return
	}
	defer tr.leave()
	in := make([]*ir.Node, len(xs))
	for i, x := range xs {
		if in[i] = tr.operand(x); in[i] == nil {
			putAll(ys, tr.refuse(op.String(), xs...))
			return
		}
	}
	tr.b.SetLoc(tr.site())
	tr.tally.Alone(int(op))
	n, err := shapeinfer.Record(tr.b, op, in, attrs, nil)
	tr.results(ys, n, err)
}

// traceOfTwo is traceOf, quick where the operands are in one trace.
func traceOfTwo(x, y *Tensor) *Trace {
	if x != nil && y != nil && x.tr == y.tr {
		return x.tr
	}
	return traceOf(x, y)
}

// traceOf returns the trace that an op on xs belongs to: the one that an operand is bound
// to most, and the first among equals. It returns nil if no operand is in a trace.
func traceOf(xs ...*Tensor) *Trace {
	var tr *Trace
	for _, x := range xs {
		switch {
		case x == nil || x.tr == nil || x.tr == tr:
		case tr == nil:
			tr = x.tr
		default:
			return mostBound(xs).tr
		}
	}
	return tr
}

// mostBound is the operand in a trace that is bound to it most.
func mostBound(xs []*Tensor) (most *Tensor) {
	for _, x := range xs {
		if x != nil && x.tr != nil && (most == nil || x.bound() > most.bound()) {
			most = x
		}
	}
	return most
}

// bound says how much t is bound to its trace. A value is not bound (0): any trace of the
// device can use it. A tensor that was recorded and has no value is bound (2). In between
// are a view of a variable, which may be another in each trace, and what was read in its
// step and has gradients there.
func (t *Tensor) bound() int {
	s := t.storage()
	switch {
	case t.err != nil:
		return 0
	case s.v != nil || s.val != nil && s.node != nil && s.node.Tracked():
		return 1
	case s.val != nil:
		return 0
	}
	return 2
}

func (tr *Trace) record(op ir.Op, in []*ir.Node, attrs []ir.Attr) *Tensor {
	site := tr.site()
	if t := tr.again(site, op, in, attrs); t != nil {
		return t
	}
	return tr.anew(site, op, in, attrs)
}

// again records what an earlier step that is followed recorded here; nil if that is
// something else.
func (tr *Trace) again(site callsite.Site, op ir.Op, in []*ir.Node, attrs []ir.Attr) *Tensor {
	tr.b.SetLoc(site)
	n := tr.b.Again(op, in, attrs)
	if n == nil {
		return nil
	}
	tr.tally.Op(int(op))
	return tr.counted(tr.cut(n))
}

// anew records an op after again has found nothing.
func (tr *Trace) anew(site callsite.Site, op ir.Op, in []*ir.Node, attrs []ir.Attr) *Tensor {
	n, err := tr.infer(op, in, attrs)
	if err != nil {
		return tr.poisoned(tr.typeError(site, err, in))
	}
	if tr.b.Len() > tr.watch {
		tr.grown(site)
	}
	tr.tally.Op(int(op))
	return tr.counted(tr.cut(n))
}

// cut is n as a value without gradients in a scope of [Trace.NoGrad], and n elsewhere.
func (tr *Trace) cut(n *ir.Node) *ir.Node {
	if len(tr.noGrad) == 0 {
		return n
	}
	return tr.stopped(n)
}

// stopped is n as a value without gradients.
func (tr *Trace) stopped(n *ir.Node) *ir.Node {
	if d := n.Type.DType; n.Op == ir.OpStop || !d.Continuous() && !d.IsFloat8() {
		return n
	}
	return tr.node(ir.OpStop, nil, n)
}

// Autocast opens a scope in the trace, until the function that it returns is called: matrix products, convolutions
// and attention compute in dtype, [BF16] or [F16], whatever dtype up to f32 their operands have. What loses
// too much in 16 bits computes in f32: exponentials, logarithms, powers, sums, softmax, norms of layers and losses.
// Other ops compute in the dtype of their operands, which promote. Conversions are ops of the program: variables
// stay what they are, and so do the dtypes of their gradients. It is torch.autocast.
//
// Scopes nest. They go on beyond MarkStep, and end with the scope or the body of control flow around them. A body
// cannot end a scope that was opened outside of it. Autocast(F32) opens a scope that converts nothing. Ops with a
// product and a bias, nn.Linear and nn.Conv, convert the bias with their other operands: their results are of dtype.
// Other inline composites are converted op by op. Those that are not inline convert only their operands, and their
// bodies are as outside of the scope.
func (tr *Trace) Autocast(dtype types.DType) (end func()) {
	tr = tr.some()
	if dtype != BF16 && dtype != F16 && dtype != F32 {
		tr.fail(opError(tr.site(), "autocast", ErrUsage, nil, "dtype is %v: give it BF16 or F16, or F32 to compute without conversions", dtype))
		return func() {}
	}
	if dtype == F32 {
		dtype = types.Invalid
	}
	s := &typeScope{op: "autocast", outside: tr.autocast, begun: tr.site(), in: tr.closure()}
	tr.casts = append(tr.casts, s)
	tr.autocast = dtype
	return func() { s.end(tr, tr.casts, tr.endCasts) }
}

// underAutocast is what errors add about dtypes that [Trace.Autocast] can have made different; "" if it cannot.
func underAutocast(a, b types.DType) string {
	if a == b || !a.IsFloat() || !b.IsFloat() || a.Size() > 4 || b.Size() > 4 {
		return ""
	}
	return "; in a scope of Autocast products are narrower: convert the result with Convert"
}

// besideAutocast is what the reason that dtypes differ adds in a scope of [Trace.Autocast] that has converted some of n
// operands and not others; "" elsewhere.
func (tr *Trace) besideAutocast(reason string, n int, dtype func(i int) types.DType) string {
	if tr == nil || tr.autocast == types.Invalid || len(tr.casts) == 0 || !strings.HasPrefix(reason, "dtypes differ") {
		return ""
	}
	for i := range n {
		if dtype(i) == tr.autocast {
			return fmt.Sprintf("; the scope of Autocast at %v converts operands of up to f32 to %v", tr.casts[len(tr.casts)-1].begun, tr.autocast)
		}
	}
	return ""
}

// typeScope is an open scope of [Trace.Autocast] or [Trace.NoGrad].
type typeScope struct {
	op      string
	outside types.DType   // what autocast is when it ends
	begun   callsite.Site // the line that opened it
	in      *closure      // the body that opened it; nil if none did
}

// end ends the scope and those in it by endFrom, if it is one of the open ones. In a body outside of which it was
// opened the step fails, and the scope stays open.
func (s *typeScope) end(tr *Trace, open []*typeScope, endFrom func(n int)) {
	n := slices.Index(open, s)
	if c := tr.closure(); n >= 0 && c != nil && c != s.in {
		tr.fail(opError(tr.site(), s.op, ErrUsage, nil, "the scope that was opened at %v is ended in %s of the %s at %v: end it outside, or open another in the body", s.begun, c.What, c.op, c.Site))
		return
	}
	endFrom(n)
}

// endCasts ends all scopes of Autocast but the outermost n; it does nothing if there are no more than n, or n is -1.
func (tr *Trace) endCasts(n int) {
	if 0 <= n && n < len(tr.casts) {
		tr.autocast = tr.casts[n].outside
		tr.casts = tr.casts[:n]
	}
}

// endNoGrads is endCasts for scopes of NoGrad.
func (tr *Trace) endNoGrads(n int) {
	if 0 <= n && n < len(tr.noGrad) {
		tr.noGrad = tr.noGrad[:n]
	}
}

// casted converts the operands of an op in a scope of [Trace.Autocast], in their place.
func (tr *Trace) casted(site callsite.Site, op ir.Op, in []*ir.Node) {
	to := tr.castOf(op.Info().Traits)
	if to == nil {
		return
	}
	tr.b.SetLoc(site)
	for i, x := range in {
		if d := to(x.Type.DType); d != x.Type.DType {
			in[i] = tr.node(ir.OpConvert, tr.b.Attrs(ir.Attr{Int: int64(d)}), x)
		}
	}
}

// product is the dtype that products of d compute in.
func (tr *Trace) product(d types.DType) types.DType {
	if d.IsFloat() && d.Size() <= 4 {
		return tr.autocast
	}
	return d
}

// atLeastF32 is f32 for narrower floating-point dtypes, and d for others.
func atLeastF32(d types.DType) types.DType {
	if d.IsFloat() && d.Size() < 4 {
		return F32
	}
	return d
}

// castOf returns the dtypes that an op of the traits takes its operands in, in a scope of Autocast; nil if it takes any.
// The bodies of inline composites are converted op by op, after their operands.
func (tr *Trace) castOf(t ops.Traits) func(types.DType) types.DType {
	switch {
	case t.Has(ops.AutocastNarrow):
		return tr.product
	case t.Has(ops.AutocastWide):
		return atLeastF32
	}
	return nil
}

// GraphLimit sets how many nodes a step may have before a warning is logged,
// and at each multiple of it, instead of the environment variable
// LTC_TRIM_GRAPH_SIZE; 0 means never.
//
// The lazy tensor core runs what a step has so far when it grows beyond such a limit. Here
// nothing runs. The values that a step computes, its tensors that go stale and the ops that
// a gradient goes through would depend on the limit. A sync that nobody asked for would
// also hide a MarkStep that is missing.
func GraphLimit(nodes int) Option {
	return func(d *Device) { d.graphLimit = graphLimit(nodes) }
}

func graphLimit(nodes int) int {
	if nodes <= 0 {
		return math.MaxInt
	}
	return nodes
}

// grown is called when the step has more nodes than watch.
func (tr *Trace) grown(at callsite.Site) {
	limit := tr.dev.graphLimit
	if tr.watch += limit; tr.watch < 0 {
		tr.watch = math.MaxInt
	}
	tr.dev.metrics.Add(metrics.TrimGraph, 1)
	if tr.dev.growth.First(at) {
		tr.dev.log(slog.LevelWarn, "a step grows without end", slog.String("at", at.String()), slog.Int("nodes", tr.b.Len()), slog.Int("limit", limit),
			slog.String("do", "call MarkStep at the end of each turn of the loop, or raise GraphLimit or "+settings.GraphLimit.Name))
	}
}

// plain reports whether site is the line of the caller.
func (tr *Trace) plain() bool { return tr.lines == callersLine && len(tr.scopes) == 0 }

// site is the user's line that is being recorded.
func (tr *Trace) site() callsite.Site {
	switch {
	case tr.plain():
		return tr.sites.Caller()
	case tr.lines == fixedLine:
		return tr.fixedSite
	}
	var line callsite.Site
	if tr.lines == callersStack {
		line = callsite.Chain(tr.dev.stacks)
	} else {
		line = tr.sites.Caller()
	}
	if n := len(tr.scopes); n > 0 {
		line = line.In(tr.scopes[n-1].path)
	}
	return line
}

// at makes site give s until the function it returns is called: for ops that
// the library records on behalf of one of the user's.
func (tr *Trace) at(s callsite.Site) func() {
	mode, old := tr.lines, tr.fixedSite
	tr.lines, tr.fixedSite = fixedLine, s
	return func() { tr.lines, tr.fixedSite = mode, old }
}

// operand returns the node of t in the current step, nil when it cannot be
// used there: refuse says why.
func (tr *Trace) operand(t *Tensor) *ir.Node {
	if t == nil {
		return nil
	}
	if t.tr == tr && t.epoch == tr.epoch {
		return t.node // nil when poisoned
	}
	return tr.foreign(t)
}

// foreign is operand for what was not recorded in the current step, or not in the region
// that is open.
func (tr *Trace) foreign(t *Tensor) *ir.Node {
	switch {
	case len(tr.closures) > 0:
		return tr.capture(t)
	case t.err != nil || t.dev != tr.dev:
		return nil
	case t.v != nil:
		return tr.state(t.v).now
	case t.isView():
		return tr.derive(t)
	case t.alias != nil && !t.restore():
		return nil
	case t.val != nil && t.val.gone.Load() != nil:
		return nil
	case t.val != nil:
		return tr.argument(t)
	}
	return nil
}

// argument returns the parameter node of t's value, one a step.
func (tr *Trace) argument(t *Tensor) *ir.Node {
	v := t.val
	if tr.latest.v == v {
		return tr.latest.n
	}
	n := tr.arguments.Of(v)
	if n == nil {
		if at := t.loc; at != 0 {
			tr.b.SetLoc(at)
		} else {
			tr.b.SetLoc(tr.site())
		}
		n = tr.b.Parameter(v.typ(), v.name, v)
		tr.arguments.Put(v, n)
		v.pins.Add(1) // its own trace may donate it
		tr.pinned = append(tr.pinned, v)
	}
	tr.latest.v, tr.latest.n = v, n
	return n
}

// refuse returns the poisoned result of an op with an operand that cannot be
// used: the first operand's error, or a new one.
func (tr *Trace) refuse(op string, xs ...*Tensor) *Tensor { return tr.poisoned(tr.refusal(op, xs...)) }

// refusal is the error of refuse.
func (tr *Trace) refusal(op string, xs ...*Tensor) *OpError {
	for i, x := range xs {
		if x == nil {
			continue
		}
		if err := x.fault(tr.site, op, i, xs); err != nil { // also of a view of what was released
			return err
		}
	}
	for i, x := range xs {
		if tr.operand(x) == nil {
			return tr.whyNot(op, i, xs)
		}
	}
	panic("lazy: refuse without a reason")
}

// whyNot says why operand i cannot be used in the current step.
func (tr *Trace) whyNot(op string, i int, xs []*Tensor) *OpError {
	site, x := tr.site(), xs[i]
	if x == nil || x.dev == nil {
		return nilOperand(site, op, i, xs)
	}
	if why := sameDevice(tr.dev, x.dev); why != "" {
		return opError(site, op, ErrPlacement, xs, "the operands are on two devices: %s", why)
	}
	if err := tr.whyNotInClosure(op, i, xs); err != nil {
		return err
	}
	if err := tr.whyNotShared(op, i, xs); err != nil {
		return err
	}
	if x.tr != tr {
		return opError(site, op, ErrPlacement, xs,
			"%s was recorded at %v in another trace and has no value yet; give it to that trace's MarkStep first", nounOf(i, xs), x.node.Loc)
	}
	return opError(site, op, ErrStale, xs,
		"%s, the %v recorded at %v, is of an earlier step and its value was not kept%s; give it to MarkStep as a root, Keep it, or turn on Trace.LiveRoots",
		nounOf(i, xs), x.node.Op, x.node.Loc, x.writtenInto())
}

// nounOf is what messages call operand i.
func nounOf(i int, xs []*Tensor) string {
	if len(xs) == 1 {
		return "the tensor"
	}
	return "operand " + strconv.Itoa(i)
}

func nilOperand(at callsite.Site, op string, i int, xs []*Tensor) *OpError {
	return opError(at, op, ErrUsage, xs, "operand %d is nil or the zero Tensor, which is none", i)
}

// firstBad returns a poisoned tensor when one of the operands is poisoned or nil, and
// else nil.
func firstBad(op string, xs ...*Tensor) *Tensor {
	for i, x := range xs {
		if x == nil || x.dev == nil && x.err == nil {
			err := nilOperand(callsite.Caller(), op, i, xs)
			if tr := traceOf(xs...); tr != nil {
				return tr.poisoned(err)
			}
			return &Tensor{err: err}
		}
		switch {
		case x.err == nil:
		case x.err.releases():
			return &Tensor{dev: x.dev, tr: x.tr, err: x.fault(x.callSite, op, i, xs)}
		default:
			return x
		}
	}
	return nil
}

// noTrace returns the poisoned result of an op none of whose operands is in a
// trace.
func noTrace(op string, xs ...*Tensor) *Tensor {
	if t := firstBad(op, xs...); t != nil {
		return t
	}
	return xs[0].dev.poisoned(nil, opError(callsite.Caller(), op, ErrPlacement, xs,
		"none of the operands belongs to a trace; bring one in with Trace.Read"))
}

// StrictTypes makes it an error that operands of an op have different dtypes, or are integers
// where floating point is asked for. Ops compute in the dtype of their operands: sums of i32 are
// i32, and [Tensor.Div] of integers rounds towards 0. Without it operands are converted, as
// PyTorch does: see [CommonDType].
func StrictTypes() Option { return func(d *Device) { d.strictTypes = true } }

// CommonDType returns the dtype to which tensors promote: the one in which elementwise ops on
// them compute, as result_type of PyTorch has it. That is the largest dtype of the tensors with
// axes; of the categories bool, integers, floating point and complex the last that there is counts. A
// scalar counts only if its category comes after those of all tensors with axes. f16 and bf16
// promote to f32, u8 and i8 to i16. It returns an invalid dtype if there is none: u16, u32 and
// u64 promote with floating point alone.
//
// Results of functions such as [Tensor.Exp] and [Tensor.Div] are f32 for bools and integers, and
// those of [Tensor.Sum] and its kin i64. Add, Mul, Maximum and Minimum of bools are bool. In-place
// ops compute in the common dtype, and convert to that of the receiver: an integer receiver takes no
// floating-point result. A number of Go, as in [Tensor.AddScalar], has the dtype of the tensor.
func CommonDType(xs ...*Tensor) types.DType {
	for _, x := range xs {
		if x == nil || x.err != nil || x.dev == nil {
			return types.Invalid
		}
	}
	return shapeinfer.CommonDType(len(xs), func(i int) types.Type { return xs[i].Type() })
}

// infer records an op on operands that are converted to the dtypes it computes in.
func (tr *Trace) infer(op ir.Op, in []*ir.Node, attrs []ir.Attr) (*ir.Node, error) {
	row := op.Info()
	if !row.Traits.Converts() || floatsAlike(in) || tr.exact || tr.dev.strictTypes || agree(row, len(in), func(i int) types.DType { return in[i].Type.DType }) {
		return shapeinfer.Record(tr.b, op, in, attrs, nil)
	}
	if row.Traits.Has(ops.Whole) && in[0].Type.DType.IsInteger() {
		return in[0], nil
	}
	var few [4]types.DType
	to := few[:]
	if len(in) > len(few) {
		to = make([]types.DType, len(in))
	}
	if !shapeinfer.Promote(row, len(in), func(i int) types.Type { return in[i].Type }, to) {
		return shapeinfer.Record(tr.b, op, in, attrs, nil)
	}
	converted := make([]*ir.Node, len(in))
	bools := row.Traits.Has(ops.Logic)
	for i, x := range in {
		bools = bools && x.Type.DType == types.Bool
		if converted[i] = x; x.Type.DType != to[i] {
			converted[i] = tr.node(ir.OpConvert, tr.b.Attrs(ir.Attr{Int: int64(to[i])}), x)
		}
	}
	n, err := shapeinfer.Record(tr.b, op, converted, attrs, nil)
	if err == nil && bools {
		return tr.node(ir.OpConvert, tr.b.Attrs(ir.Attr{Int: int64(types.Bool)}), n), nil
	}
	if broken, ok := errors.AsType[*shapeinfer.Error](err); ok {
		for i, x := range in {
			broken.Operands[i] = x.Type
		}
	}
	return n, err
}

// floatsAlike reports whether all operands have one floating-point dtype, which no row converts.
func floatsAlike(in []*ir.Node) bool {
	for _, x := range in {
		if d := x.Type.DType; d != in[0].Type.DType || !d.IsFloat() {
			return false
		}
	}
	return true
}

// agree reports whether operands that are like one another have one dtype, which needs no
// conversion. It is quick, and may be false where there is none.
func agree(row *ops.Op, n int, dtype func(i int) types.DType) bool {
	last := len(row.Operands) - 1
	for i := range n {
		d := dtype(i)
		if row.Traits&(ops.Floating|ops.Widening|ops.Whole) != 0 && !d.Continuous() || d == types.Bool && row.Traits.Has(ops.Logic) {
			return false
		}
		if i == 0 {
			continue
		}
		like, before := row.Operands[min(i, last)].Like, &row.Operands[min(i-1, last)]
		if like != "" && (d != dtype(i-1) || before.Name != like && before.Like != like) {
			return false
		}
	}
	return true
}
