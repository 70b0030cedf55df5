package lazy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/internal/modes"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/sched"
	"ltc/shapeinfer"
	"ltc/soa"
)

// AnySize is a dimension of an [Input] that is open: the exported program runs
// for every size of it, from 0 on. All dimensions of AnySize are one size, which texts call n:
// several sizes are of [Dim].
const AnySize = backends.AnySize

// Input is an argument of an exported function.
type Input struct {
	Name string
	Type types.Type // dimensions may be [AnySize] or of [Dim]
}

// openInputs returns inputs with symbols for [AnySize], and the symbols of their sizes.
func openInputs(op string, inputs []Input) (open []Input, symbols []int, err error) {
	open = slices.Clone(inputs)
	for i, in := range inputs {
		if in.Name == "" || slices.ContainsFunc(inputs[:i], func(x Input) bool { return x.Name == in.Name }) {
			return nil, nil, opError(callsite.Caller(), op, ErrUsage, nil, "input %d has the name %q, which must be there and its own", i, in.Name)
		}
		if !in.Type.DType.Valid() {
			return nil, nil, opError(callsite.Caller(), op, ErrUsage, nil, "input %q has no Type, such as types.Of(types.F32, lazy.AnySize, 2)", in.Name)
		}
		shape := slices.Clone(in.Type.Shape)
		for d, n := range shape {
			if n == AnySize {
				shape[d] = Dim(openName, 0, shapeinfer.MostOpen)
			}
		}
		open[i].Type.Shape = shape
		symbols = append(symbols, dims.Symbols(shape...)...)
		if err := checkDims(op, symbols); err != nil { // first: sizes that are negative come of these
			return nil, nil, err
		}
		if err := open[i].Type.CheckSizes(); err != nil {
			return nil, nil, opError(callsite.Caller(), op, ErrType, nil, "input %q: %v", in.Name, err)
		}
	}
	return open, symbols, nil
}

// checkDims returns an error unless each name of a [Dim] has a size, and one pair of bounds.
func checkDims(op string, symbols []int) error {
	by := map[string]int{}
	for _, d := range symbols {
		name, lo, hi, _ := dims.SymbolOf(d)
		other, again := by[name]
		switch {
		case name == "":
			return opError(callsite.Caller(), op, ErrUsage, nil, "a Dim has no name")
		case lo > hi:
			return opError(callsite.Caller(), op, ErrUsage, nil, "Dim(%q) has no size: it is from %d to %d", name, lo, hi)
		case lo < 0:
			return opError(callsite.Caller(), op, ErrUsage, nil, "Dim(%q) is from %d to %d: a size is not negative; give a least of 0 or more", name, lo, hi)
		case again && other != d:
			_, lo2, hi2, _ := dims.SymbolOf(other)
			return opError(callsite.Caller(), op, ErrUsage, nil, "Dim(%q) is from %d to %d, and from %d to %d: it is one size", name, lo2, hi2, lo, hi)
		}
		by[name] = d
	}
	return nil
}

// openName is what texts call the size of AnySize.
const openName = "n"

// Inputs says what the arguments of calls are. A call with other dtypes, or sizes out of bounds, is an
// error. Dimensions of the types may be of [Dim], or [AnySize]: one program is then compiled for all sizes
// within the bounds, at the first call or Warmup. The function sees numbers: it is recorded for some
// sizes within the bounds, and for those of each call. Where these do not tell how a size follows, it is
// recorded for sizes that are open, too ([Dim]). The program is for sizes that all ops allow: two that an op
// needs to be equal, or one that has to be even. A call for whose sizes it records other ops has a
// program of its own. The error wraps [ErrUsage] or [ErrType] if a name, a type or a Dim is bad.
func (f *Function) Inputs(all ...Input) error {
	const op = "inputs"
	if err := f.usable(op, nil); err != nil {
		return err
	}
	if f.takes >= 0 && len(all) != f.takes {
		return opError(callsite.Caller(), op, ErrUsage, nil, "it names %s, and the function takes %d; name each of them once, in their order", diag.Count(len(all), "argument"), f.takes)
	}
	open, symbols, err := openInputs(op, all)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inputs = &inputs{all: open, symbols: symbols, at: callsite.Caller(), state: modes.State(), numbers: len(symbols) == 0 || f.dev.programs.Families == nil}
	return nil
}

// inputs are what a function was said to take.
type inputs struct {
	all     []Input
	symbols []int
	at      callsite.Site // of the call of Inputs
	state   uint64        // in which open is recorded: see package modes

	given      []types.Type // once open is recorded: the types, with the sizes that ops need
	numbers    bool         // there is no program for all sizes
	compiled   atomic.Bool  // there has been one
	everyIndex atomic.Bool  // it looks at all indices that it computes, for each size

	mu    sync.Mutex
	open  *shapeinfer.Open // of the program for all sizes; nil before it is recorded
	being *sampling        // that makes it; nil: none
}

// sampling is the recording of a function for its Inputs.
type sampling struct {
	owner uint64        // its goroutine
	done  chan struct{} // closed at its end
}

// inputsIn returns the inputs of f for recordings in a state of modes; nil if calls take any.
func (f *Function) inputsIn(state uint64) *inputs {
	f.mu.RLock()
	in := f.inputs
	f.mu.RUnlock()
	if in == nil || in.state == state {
		return in
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if in = f.inputs; in.state != state {
		in = &inputs{all: in.all, symbols: in.symbols, at: in.at, state: state, numbers: in.numbers}
		f.inputs = in
	}
	return in
}

// typed returns arguments of the types, without elements, to compile for.
func (in *inputs) typed(d *Device) []*Tensor {
	given := in.given
	if given == nil {
		given = typesOf(in.all)
	}
	v := numbersFor(symbolsOf(given), many, map[int]bool{})
	all := make([]*Tensor, len(given))
	for i, t := range given {
		all[i] = &Tensor{dev: d, val: &value{view: soa.View{Type: v.ofType(t)}}}
	}
	return all
}

// admit returns what is wrong with the arguments of a call.
func (in *inputs) admit(args []*Tensor) error {
	if len(args) != len(in.all) {
		return in.refusal(ErrUsage, args, "Inputs names %s, and the call has %d", diag.Count(len(in.all), "argument"), len(args))
	}
	for i, a := range args {
		want := &in.all[i].Type
		t := a.Type()
		if t.DType != want.DType || len(t.Shape) != len(want.Shape) {
			return in.refusal(ErrType, args, "argument %d is %v, and Inputs has %q as %v", i, t, in.all[i].Name, *want)
		}
		for axis, d := range want.Shape {
			switch n := t.Shape[axis]; {
			case d == n:
			case !dims.IsExpr(d):
				return in.refusal(ErrType, args, "argument %d is %v, and Inputs has %q as %v: axis %d has to be %d", i, t, in.all[i].Name, *want, axis, d)
			default:
				if lo, hi := dims.Bounds(d); n < lo || n > hi {
					return in.refusal(ErrType, args, "argument %d is %v, and Inputs has %q as %v: axis %d has to be from %d to %d", i, t, in.all[i].Name, *want, axis, lo, hi)
				}
				if j, other, differs := in.conflict(args, d, n); differs {
					return in.refusal(ErrType, args, "argument %d is %v and argument %d is %v: %s is one size in Inputs, and here %d and %d", j, args[j].Type(), i, t, dims.String(d), other, n)
				}
			}
		}
	}
	return nil
}

// refusal is the error of a call that [Function.Inputs] does not allow.
func (in *inputs) refusal(kind error, args []*Tensor, format string, more ...any) *OpError {
	return opError(callsite.Caller(), "func", kind, args, format+" (Inputs at %v)", append(more, in.at)...)
}

// conflict returns an argument that has another number than n for the size d.
func (in *inputs) conflict(args []*Tensor, d, n int) (arg, size int, differs bool) {
	for j, a := range args {
		shape := a.OpenShape()
		for axis, e := range in.all[j].Type.Shape {
			if e == d && axis < len(shape) && shape[axis] != n {
				return j, shape[axis], true
			}
		}
	}
	return 0, 0, false
}

// compile compiles the program for all sizes, unless the device has it.
func (in *inputs) compile(ctx context.Context, f *Function) error {
	if in.numbers {
		return nil
	}
	o, err := in.recorded(ctx, f)
	if err != nil || o == nil {
		return err
	}
	if in.compiled.Load() {
		f.dev.programs.Families.Add(o) // which forget when there are many
		return nil
	}
	p, found, err := f.dev.programs.GetOpen(ctx, o)
	if err != nil {
		return fmt.Errorf("func: the program for the open sizes of Inputs: %w; give Inputs numbers instead of Dims, or call the function without Inputs", err)
	}
	if !found {
		f.dev.compiled(p, &f.account, callsite.Caller(), purpose{})
	}
	in.compiled.Store(true)
	return nil
}

// recorded returns the graph of open sizes, which one goroutine records. It is nil for calls that the
// function makes of itself meanwhile: they have programs of numbers.
func (in *inputs) recorded(ctx context.Context, f *Function) (*shapeinfer.Open, error) {
	me := sched.Goroutine()
	for {
		in.mu.Lock()
		r := in.being
		if in.open != nil || r == nil {
			break
		}
		in.mu.Unlock()
		if r.owner == me {
			return nil, nil
		}
		if err := awaitTracing(ctx, r.done, r.owner); err != nil {
			return nil, err
		}
	}
	if in.open != nil {
		defer in.mu.Unlock()
		return in.open, nil
	}
	mine := &sampling{me, make(chan struct{})}
	in.being = mine
	in.mu.Unlock()
	var o *shapeinfer.Open
	defer func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.open, in.being = o, nil
		close(mine.done)
	}()
	o, err := in.record(f)
	if err != nil {
		return nil, fmt.Errorf("func: no program for the open sizes of Inputs: %w; give Inputs numbers instead of Dims, or call the function without Inputs", err)
	}
	return o, nil
}

// record returns the graph of open sizes that the function records for the inputs, with what its ops need of
// them.
func (in *inputs) record(f *Function) (o *shapeinfer.Open, err error) {
	every := false
	in.given, _, err = assuming(typesOf(in.all), func(given []types.Type, _ []assumption) (refused, err error) {
		if o, refused, err = f.openGraph(given, lookAtNeeded); err == nil {
			return nil, nil
		}
		if o, refused, err = f.openGraph(given, lookAtNone); err != nil {
			return refused, err
		}
		// Some sizes show that indices are in range, and others do not: a program that looks at them for all
		// sizes. Without one, sizes that do not have programs of their own.
		if all, _, failed := f.openGraph(given, lookAtAll); failed == nil {
			o, every = all, true
		}
		return nil, nil
	})
	in.everyIndex.Store(every)
	return o, err
}

// looking says at which indices the programs of calls look; in may be nil.
func (in *inputs) looking() looking {
	if in != nil && in.everyIndex.Load() {
		return lookAtAll
	}
	return lookAtNeeded
}

// mostAssumed is how many assumptions about the sizes of a function are made.
const mostAssumed = 8

// assuming has try record a function for arguments of the given types. Where an op needs two of the sizes to
// be equal, or one to be a multiple of a number, which try returns as refused, it is recorded for such sizes.
func assuming(given []types.Type, try func(given []types.Type, assumed []assumption) (refused, err error)) (now []types.Type, assumed []assumption, err error) {
	for range mostAssumed {
		var refused error
		if refused, err = try(given, assumed); err == nil {
			return given, assumed, nil
		}
		a, ok := assume(refused)
		if !ok {
			break
		}
		assumed, given = append(assumed, a), a.types(given)
	}
	return nil, nil, err
}

// openGraph returns the graph of open sizes that the function records for arguments of the types. It is what
// graphs for some numbers in place of the symbols have in common, else the graph that is recorded for the
// symbols. Refused is why that cannot be recorded, if it was tried.
func (f *Function) openGraph(given []types.Type, look looking) (o *shapeinfer.Open, refused, err error) {
	symbols := symbolsOf(given)
	var samples []*ir.Graph
	taken := map[int]bool{} // the types' own numbers: a graph has one constant for sizes that are equal
	for _, t := range given {
		for _, d := range t.Shape {
			taken[d] = !dims.IsExpr(d)
		}
	}
	for _, from := range []iter.Seq[int]{many, few, some} {
		v := numbersFor(symbols, from, taken)
		g, failed := f.graphOf(v.ofTypes(given), false, look)
		if failed == nil {
			samples = append(samples, g)
		} else {
			err = fmt.Errorf("%w (with %s)", failed, v.say(symbols)) // a program may need more elements than a few
		}
		for _, n := range v {
			taken[n] = true
		}
	}
	if len(samples) > 1 {
		if o, err = shapeinfer.Generalize(samples, given...); err == nil {
			if g := f.remainderSample(symbols, given, 1, taken, look); g != nil && !o.Fits(g) {
				o = cmp.Or(f.otherRemainder(given, samples, samples, taken, look), o)
			}
			return o, nil, nil
		}
	}
	if f.unshared(given, samples, taken, look) {
		if o, err = shapeinfer.Generalize(samples, given...); err == nil {
			return o, nil, nil
		}
	}
	base := samples
	if full := f.largestSamples(given, samples, taken, look); full != nil {
		base = full
		if o, failed := shapeinfer.Generalize(full, given...); failed == nil && fitAll(o, samples) {
			return o, nil, nil
		}
	}
	if o, refused = f.symbolic(given, samples, look); o != nil {
		return o, nil, nil
	}
	if o = f.otherRemainder(given, base, samples, taken, look); o != nil {
		return o, nil, nil
	}
	if errors.Is(err, shapeinfer.ErrNoExpression) {
		err = fmt.Errorf("%w; there, compute a size from x.Dim(i) by SizeAdd, SizeSub, SizeMul, SizeDiv, SizeMin and SizeMax instead of operators of Go, and a number from x.Size(i)", err)
	}
	return nil, refused, err
}

// unshared replaces samples that have fewer constants than another, and the same ops otherwise: a size is
// also a number of the function there, and one constant is both. It reports whether it replaced any. The others
// are recorded for numbers that no sample has taken.
func (f *Function) unshared(given []types.Type, samples []*ir.Graph, taken map[int]bool, look looking) (replaced bool) {
	if len(samples) < 2 {
		return false
	}
	symbols := symbolsOf(given)
	most := slices.MaxFunc(samples, func(a, b *ir.Graph) int { return constantsIn(a) - constantsIn(b) })
	fewer := func(g *ir.Graph) bool {
		return constantsIn(g) < constantsIn(most) && slices.Equal(opsBesideConstants(g, nil), opsBesideConstants(most, nil))
	}
	for i := range samples {
		for _, from := range []iter.Seq[int]{some, few, many} {
			if !fewer(samples[i]) {
				break
			}
			v := numbersFor(symbols, from, taken)
			g, err := f.graphOf(v.ofTypes(given), false, look)
			if err != nil {
				break
			}
			samples[i], replaced = g, true
			for _, n := range v {
				taken[n] = true
			}
		}
	}
	return replaced
}

// maxSamples is how many further numbers a function is recorded for to find those that leave out no op.
const maxSamples = 12

// largestSamples returns as many samples as there are, for numbers of which none leaves out an op. For others an op
// returns its operand as it is, such as a slice of all elements, or a broadcast to one. It returns nil if there are
// not enough, or if the samples have as many ops.
func (f *Function) largestSamples(given []types.Type, samples []*ir.Graph, taken map[int]bool, look looking) (full []*ir.Graph) {
	most := 0
	add := func(g *ir.Graph) {
		switch n := g.NodeCount(); {
		case n > most:
			most, full = n, []*ir.Graph{g}
		case n == most:
			full = append(full, g)
		}
	}
	for _, g := range samples {
		add(g)
	}
	if len(full) == len(samples) {
		return nil
	}
	symbols := symbolsOf(given)
	for range maxSamples {
		v := numbersFor(symbols, few, taken)
		for _, n := range v {
			taken[n] = true
		}
		if g, err := f.graphOf(v.ofTypes(given), false, look); err == nil {
			add(g)
		}
		if len(full) == len(samples) {
			return full
		}
	}
	return nil
}

// otherRemainder returns what base and one more sample have in common, of which all samples are instances; nil if
// there is none. A size rounded up to a multiple, as the words of a draw are, is another expression as well where all
// samples leave the same remainders: each of those of 4 is tried.
func (f *Function) otherRemainder(given []types.Type, base, samples []*ir.Graph, taken map[int]bool, look looking) *shapeinfer.Open {
	if len(base) < 2 || len(base) == shapeinfer.MostSamples {
		return nil
	}
	symbols := symbolsOf(given)
	for _, remainder := range [...]int{1, 3, 2, 0} {
		g := f.remainderSample(symbols, given, remainder, taken, look)
		if g == nil {
			continue
		}
		if o, err := shapeinfer.Generalize(append(slices.Clip(base), g), given...); err == nil && fitAll(o, samples) {
			return o
		}
	}
	return nil
}

// remainderSample returns the graph of the function for small numbers that divided by 4 leave the remainder, if the
// bounds have some; nil if it cannot be recorded.
func (f *Function) remainderSample(symbols []int, given []types.Type, remainder int, taken map[int]bool, look looking) *ir.Graph {
	first := 4 + remainder
	if remainder == 0 {
		first = 8 // of 4 an op may be left out
	}
	g, err := f.graphOf(numbersFor(symbols, counting(first, 4), taken).ofTypes(given), false, look)
	if err != nil {
		return nil
	}
	return g
}

// fitAll reports whether all samples are instances of o.
func fitAll(o *shapeinfer.Open, samples []*ir.Graph) bool {
	return !slices.ContainsFunc(samples, func(s *ir.Graph) bool { return !o.Fits(s) })
}

// constantsIn counts the constants of a graph and of the bodies of its ops.
func constantsIn(g *ir.Graph) (count int) {
	for _, n := range g.Nodes {
		if n.Op == ir.OpConstant {
			count++
		}
		if n.Body != nil {
			count += constantsIn(n.Body.Graph)
		}
	}
	return count
}

// opsBesideConstants appends the other ops, in order.
func opsBesideConstants(g *ir.Graph, all []ir.Op) []ir.Op {
	for _, n := range g.Nodes {
		if n.Op != ir.OpConstant {
			all = append(all, n.Op)
		}
		if n.Body != nil {
			all = opsBesideConstants(n.Body.Graph, all)
		}
	}
	return all
}

// symbolic returns the graph that the function records for the types, whose sizes are symbols. There is
// none without samples, or if one of these is no instance of it: the function took a name for a number.
func (f *Function) symbolic(given []types.Type, samples []*ir.Graph, look looking) (*shapeinfer.Open, error) {
	g, err := f.graphOf(given, true, look)
	if err == nil {
		err = onlyOpen(g)
	}
	if err != nil {
		return nil, err
	}
	o, err := shapeinfer.OpenGraph(g)
	if err != nil {
		return nil, err
	}
	if len(samples) == 0 || !fitAll(o, samples) {
		return nil, errors.New("func: for a number the function records another program than for a size that is open")
	}
	return o, nil
}

// graphOf returns the graph that the function records for arguments of the types, whose sizes may be
// expressions if open is set. A panic at these is an error: Go code cannot know what they are.
func (f *Function) graphOf(given []types.Type, open bool, look looking) (g *ir.Graph, err error) {
	t := &traced{owner: sched.Goroutine(), types: given, open: open, ready: make(chan struct{})}
	if open {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("func: the function panics for sizes that are open: %v", r)
			}
		}()
	}
	err = f.record(t, f.names(len(given)), func(recorded *ir.Graph) error {
		if look != lookAtNone {
			_, recorded = f.dev.looksAt(recorded, look)
		}
		g = recorded.Clone()
		return nil
	})
	return g, err
}

// typesOf returns the types of inputs.
func typesOf(inputs []Input) []types.Type {
	all := make([]types.Type, len(inputs))
	for i, in := range inputs {
		all[i] = in.Type
	}
	return all
}

// symbolsOf returns the symbols of sizes, of which some may be there several times.
func symbolsOf(all []types.Type) (symbols []int) {
	for _, t := range all {
		symbols = append(symbols, dims.Symbols(t.Shape...)...)
	}
	return symbols
}

// many, some and few yield numbers that functions are recorded for in place of symbols. Some are even, unlike
// many.
var many, some, few = counting(mostRecorded, -2), counting(130, 2), counting(3, 1)

// mostRecorded is the largest of these numbers.
const mostRecorded = 4093

// counting yields the numbers up to mostRecorded from first on, by steps.
func counting(first, by int) iter.Seq[int] {
	return func(yield func(n int) bool) {
		for n := first; n > 0 && n <= mostRecorded && yield(n); n += by {
			continue
		}
	}
}

// sizesOf are numbers in place of symbols.
type sizesOf map[int]int

// numbersFor chooses numbers in place of symbols: of their bounds, and if there are some none that is
// made of taken ones.
func numbersFor(symbols []int, from iter.Seq[int], taken map[int]bool) sizesOf {
	values := sizesOf{}
	taken = maps.Clone(taken)
	for _, s := range symbols {
		if _, done := values[s]; done {
			continue
		}
		lo, hi := dims.Bounds(s)
		made := func(n int) bool { return taken[n-1] || taken[n] || taken[n+1] || taken[2*n] || taken[3*n] }
		n, found := numberIn(from, lo, hi, func(n int) bool { return !made(n) && !values.near(n) })
		if !found {
			n, found = numberIn(from, lo, hi, func(n int) bool { return !made(n) })
		}
		if !found {
			n, found = numberIn(from, lo, hi, func(n int) bool { return !taken[n] })
		}
		if !found {
			for n = hi; n > lo && taken[n]; n-- {
				continue
			}
			if taken[n] {
				n = hi
			}
		}
		values[s] = n
		taken[values[s]] = true
	}
	return values
}

// numberIn returns the first number from bounds that is good.
func numberIn(from iter.Seq[int], lo, hi int, good func(n int) bool) (number int, found bool) {
	for n := range from {
		if n >= lo && n <= hi && good(n) {
			return n, true
		}
	}
	return 0, false
}

// near reports whether n differs from one of the numbers by less than an eighth: half of each of two such
// numbers is about one of them.
func (v sizesOf) near(n int) bool {
	for _, m := range v {
		if 8*max(n-m, m-n) < m {
			return true
		}
	}
	return false
}

// of is what a size is for the numbers.
func (v sizesOf) of(d int) int {
	return dims.Replace(d, func(symbol int) int { return v[symbol] })
}

// ofType is the type for the numbers.
func (v sizesOf) ofType(t types.Type) types.Type {
	t.Shape = slices.Clone(t.Shape)
	for axis, d := range t.Shape {
		t.Shape[axis] = v.of(d)
	}
	return t
}

// ofTypes are the types for the numbers.
func (v sizesOf) ofTypes(all []types.Type) []types.Type {
	all = slices.Clone(all)
	for i, t := range all {
		all[i] = v.ofType(t)
	}
	return all
}

// say names the numbers in place of symbols are.
func (v sizesOf) say(symbols []int) string {
	var all []string
	for _, s := range symbols {
		if t := fmt.Sprintf("%d for %s", v[s], dims.String(s)); !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return strings.Join(all, " and ")
}

// assumption is what an op needs of open sizes that they need not be: two are to be equal, or one a
// multiple of a number.
type assumption struct {
	now   map[int]int // by symbol, the size in its place
	holds dims.Guard  // of symbols: now is true
	text  string      // the line, the op and the rule
	of    *OpError    // of the op without it
}

// assume returns the assumption under which an op that failed would not; false if there is none.
func assume(failed error) (a assumption, ok bool) {
	e, ok := errors.AsType[*OpError](failed)
	if !ok || e.guard == nil {
		return a, false
	}
	for _, find := range []func(dims.Guard) (map[int]int, dims.Guard){assumeEqual, assumeMultiple} {
		if a.now, a.holds = find(*e.guard); a.now != nil {
			a.of, a.text = e, fmt.Sprintf("%s:%d: %s: %v", e.File, e.Line, e.Op, *e.guard)
			return a, true
		}
	}
	return a, false
}

// what says the op, its rule, and what symbols have to be for it.
func (a assumption) what() string {
	s := fmt.Sprintf("%s: %v", a.of.Op, *a.of.guard)
	if a.holds != *a.of.guard {
		s += fmt.Sprintf(": %v", a.holds)
	}
	return s
}

// assumeEqual has a symbol be another, or a number times it, whose bounds are those of both.
func assumeEqual(g dims.Guard) (now map[int]int, holds dims.Guard) {
	if g.Rule != dims.Equal {
		return nil, holds
	}
	for _, sides := range [...][2]int64{{g.A, g.B}, {g.B, g.A}} {
		by, s, ok := dims.Scaled(sides[0])
		if !ok || !dims.Divides(sides[1], by) {
			continue
		}
		times, t, ok := dims.Scaled(dims.Div(sides[1], by))
		if !ok || s == t {
			continue
		}
		_, least, most, _ := dims.SymbolOf(s)
		name, lo, hi, _ := dims.SymbolOf(t)
		if lo, hi = max(lo, dims.CeilDiv(least, times)), min(hi, dims.Div(most, times)); lo >= hi {
			continue
		}
		both := dims.Symbol(name, lo, hi)
		now = map[int]int{int(s): int(dims.Mul(times, both)), int(t): int(both)}
		return now, dims.Guard{Rule: dims.Equal, A: s, B: dims.Mul(times, t)}
	}
	return nil, holds
}

// assumeMultiple has a symbol be a number times another.
func assumeMultiple(g dims.Guard) (now map[int]int, holds dims.Guard) {
	s, to, ok := g.Multiple(func(int64) bool { return true })
	if !ok {
		return nil, holds
	}
	by, _, _ := dims.Scaled(to)
	return map[int]int{int(s): int(to)}, dims.Guard{Rule: dims.Multiple, A: s, B: by}
}

// types returns types with the sizes that are assumed.
func (a assumption) types(given []types.Type) []types.Type {
	all := slices.Clone(given)
	for i := range all {
		all[i].Shape = slices.Clone(all[i].Shape)
		for axis, d := range all[i].Shape {
			all[i].Shape[axis] = dims.Replace(d, func(s int) int {
				if now, ok := a.now[s]; ok {
					return now
				}
				return s
			})
		}
	}
	return all
}
