package lazy

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/internal/explain"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/sched"
	"ltc/lift"
	"ltc/lower"
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

// Exported is a function as the text of a StableHLO program, and the values that
// its constants have.
type Exported struct {
	Text      string
	Constants map[string]soa.View // by argument (ltc.name); one copy of each
	// Guards says what ops need of open sizes, each with its line: that two are equal, or one a multiple of a
	// number. Runs of other sizes are errors at that line.
	Guards []string
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
		if err := open[i].Type.CheckSizes(); err != nil {
			return nil, nil, opError(callsite.Caller(), op, ErrType, nil, "input %q: %v", in.Name, err)
		}
		symbols = append(symbols, dims.Symbols(shape...)...)
	}
	return open, symbols, checkDims(op, symbols)
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

// Export returns the function as a program that needs neither the function nor its device.
// The text takes the inputs. Its constants are the variables and other tensors that the
// function uses, with the values that these have now. Outputs names the results; there are
// as many names as results, or none. Where inputs have open dimensions the text computes with
// these as expressions: see [Dim] for what the function does with them. The function is recorded
// twice more for numbers in their place, thousands and a few, and must record the same ops. A
// function that assigns variables or draws random numbers cannot be exported.
func (f *Function) Export(inputs []Input, outputs ...string) (*Exported, error) {
	if f == nil || !f.dev.opens() {
		return nil, fmt.Errorf("export: %w: the device given to Func is nil, or the Function is", ErrUsage)
	}
	e := &exporting{f: f, names: make([]string, len(inputs)), outputs: outputs}
	var err error
	if e.inputs, e.symbols, err = openInputs("export", inputs); err != nil {
		return nil, err
	}
	for i, in := range e.inputs {
		e.names[i] = in.Name
	}
	for j, name := range outputs {
		if name == "" || slices.Contains(outputs[:j], name) {
			return nil, opError(callsite.Caller(), "export", ErrUsage, nil, "result %d has the name %q, which must be there and its own", j, name)
		}
	}
	guards, err := e.open()
	if err != nil {
		return nil, err
	}
	if len(e.symbols) > 0 {
		if _, err := e.again(many); err != nil {
			return nil, fmt.Errorf("%w (with %s)", err, e.values.say(e.symbols))
		}
		// A program may need more elements than a few, which its ops then say.
		if recorded, err := e.again(few); err != nil && recorded {
			return nil, fmt.Errorf("%w (with %s)", err, e.values.say(e.symbols))
		}
	}
	return &Exported{Text: e.text, Constants: e.constants, Guards: guards}, nil
}

// open records the function for the symbols, and makes the text. It returns what has to hold of them.
func (e *exporting) open() (guards []string, err error) {
	e.given = typesOf(e.inputs)
	var assumed []assumption
	for range mostAssumed {
		if _, err = e.record(func(d int) int { return d }); err == nil {
			for _, a := range assumed {
				if !a.kept(e.graph) {
					return nil, fmt.Errorf("export: %w; no result uses the op, so that runs would not check the sizes: leave it out, or give dimensions that are one size one name", a.of)
				}
				guards = append(guards, a.text)
			}
			return guards, nil
		}
		a, ok := assume(err)
		if !ok {
			return nil, err
		}
		assumed = append(assumed, a)
		e.given = a.types(e.given)
		e.symbols = symbolsOf(e.given)
	}
	return nil, err
}

// exporting is the work of one export.
type exporting struct {
	f              *Function
	names, outputs []string
	inputs         []Input
	given          []types.Type // of the inputs, with the sizes that ops need
	symbols        []int        // of given
	values         sizesOf      // that it is checked with
	text           string
	constants      map[string]soa.View
	graph          *ir.Graph    // of open sizes
	taken          map[int]bool // the dimensions of its nodes
}

// many, some and few yield numbers that functions are recorded for in place of symbols.
func many(yield func(n int) bool) {
	for n := 4093; n > 0 && yield(n); n -= 2 {
		continue
	}
}

func some(yield func(n int) bool) {
	for n := 130; n < 4093 && yield(n); n += 2 { // even, unlike many
		continue
	}
}

func few(yield func(n int) bool) {
	for n := 3; n < 4093 && yield(n); n++ {
		continue
	}
}

// again records the function for numbers in place of symbols: of their bounds, and if there are
// some none that is made of other dimensions. It returns whether the function could be recorded,
// and what is wrong with what was.
func (e *exporting) again(from iter.Seq[int]) (recorded bool, err error) {
	e.values = numbersFor(e.symbols, from, e.taken)
	return e.record(e.values.of)
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
			n = hi
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

// record records the function for inputs whose dimensions are what size says. The first time
// it makes the text, then it compares.
func (e *exporting) record(size func(d int) int) (recorded bool, err error) {
	f := e.f
	t := &traced{owner: sched.Goroutine(), open: len(e.symbols) > 0 && e.graph == nil, anySize: len(e.symbols) > 0, ready: make(chan struct{})}
	for _, given := range e.given {
		typ := types.Type{DType: given.DType, Shape: slices.Clone(given.Shape)}
		for d := range typ.Shape {
			typ.Shape[d] = size(typ.Shape[d])
		}
		t.types = append(t.types, typ)
	}
	if t.open {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("export: the function panics for sizes that are open: %v: compute with them by SizeAdd, SizeMul and Size", r)
			}
		}()
	}
	err = f.record(t, e.names, func(g *ir.Graph) error {
		recorded = true
		if len(t.assigns) > 0 {
			return fmt.Errorf("export: %w: the function assigns %q; return the new value instead", ErrUsage, t.assigns[0].v.name)
		}
		if len(e.outputs) > 0 && len(e.outputs) != t.results {
			return fmt.Errorf("export: %w: %s for %s", ErrUsage, diag.Count(len(e.outputs), "name"), diag.Count(t.results, "result"))
		}
		if len(e.symbols) > 0 {
			if err := onlyOpen(g); err != nil {
				return fmt.Errorf("export: %w: %w; give the inputs numbers instead of Dims", ErrUsage, err)
			}
		}
		marks, constants, err := e.parameters(t, g)
		if err != nil {
			return err
		}
		if e.graph != nil {
			return e.compare(g)
		}
		e.constants, e.graph, e.taken = constants, g.Clone(), map[int]bool{}
		for _, n := range g.Nodes {
			for _, d := range n.Type.Shape {
				e.taken[d] = true
			}
		}
		if e.text, err = lower.Export(g, marks, e.outputs); err != nil {
			return fmt.Errorf("export: %w", err)
		}
		return nil
	})
	return recorded, err
}

// compare returns how the function records other ops for numbers than for open sizes.
func (e *exporting) compare(g *ir.Graph) error {
	of, err := shapeinfer.Instantiate(e.graph, e.values.of)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if ir.Equal(of, g) {
		return nil
	}
	d := explain.Compare(explain.Of(of), explain.Of(g)).Difference()
	at := d.Now
	if at == 0 {
		at = d.Was
	}
	return fmt.Errorf("export: %v: for a number the function records another program than for a size that is open: %s; pass sizes on as they are, and compute with them by SizeAdd, SizeMul and Size", at, d.What)
}

// parameters returns what is said of the parameters of g, and the values of constants.
func (e *exporting) parameters(t *traced, g *ir.Graph) (marks []lower.Mark, constants map[string]soa.View, err error) {
	marks, constants = make([]lower.Mark, len(t.params)), map[string]soa.View{}
	for i, p := range t.params {
		if p.arg >= 0 {
			marks[i].Name, marks[i].Shape = e.names[p.arg], e.inputs[p.arg].Type.Shape
			continue
		}
		if p.draw != nil {
			return nil, nil, fmt.Errorf("export: %w: the function draws random numbers; take them as an input instead", ErrUsage)
		}
		name := unusedName(g.Params[i].ParamName(), e.names, constants)
		marks[i] = lower.Mark{Name: name, Constant: true}
		held := &Tensor{dev: e.f.dev, v: p.v, val: p.value}
		v, err := held.data(context.Background(), SyncValue)
		if err != nil {
			return nil, nil, err
		}
		was, known := e.constants[name]
		dense, same := v.view, true
		if !known || !dense.IsDense() || dense.Remote() != nil {
			dense, err = memory.Dense(v.view)
		}
		if known && err == nil { // compared where it is
			same = sameBytes(was, dense)
			dense = was
		}
		v.unpin()
		if err != nil {
			return nil, nil, fmt.Errorf("export: %q: %w", name, err)
		}
		if !same {
			return nil, nil, fmt.Errorf("export: the constant %q has other values for a number than for a size that is open: compute it from Size, or make it an input", name)
		}
		constants[name] = dense
	}
	return marks, constants, nil
}

// sameBytes reports whether dense views of one type have the same elements, as they
// lie in memory; views of different types count as the same.
func sameBytes(a, b soa.View) bool {
	n := a.Type.Bytes()
	same := !a.Type.Equal(b.Type) || n == 0 || bytes.Equal(unsafe.Slice((*byte)(a.Base()), n), unsafe.Slice((*byte)(b.Base()), n))
	runtime.KeepAlive(a) // they may be mapped
	runtime.KeepAlive(b)
	return same
}

// unusedName returns name, or one that begins with it and that nothing else has.
func unusedName(name string, inputs []string, constants map[string]soa.View) string {
	if name == "" {
		name = "constant"
	}
	for k, base := 1, name; ; k++ {
		if _, taken := constants[name]; !taken && !slices.Contains(inputs, name) {
			return name
		}
		name = fmt.Sprintf("%s_%d", base, k)
	}
}

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
