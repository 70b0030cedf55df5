package lazy

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"unsafe"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/internal/explain"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/sched"
	"ltc/lower"
	"ltc/shapeinfer"
	"ltc/soa"
)

// Exported is a function as the text of a StableHLO program, and the values that
// its constants have.
type Exported struct {
	Text      string
	Constants map[string]soa.View // by argument (ltc.name); one copy of each
	// Guards says what ops need of open sizes, each with its line: that two are equal, one a multiple of a
	// number, or one at most another. Runs of other sizes are errors at that line.
	Guards []string
}

// Export returns the function as a program that needs neither the function nor its device.
// The text takes the inputs. Its constants are the variables and other tensors that the
// function uses, with the values that these have now. Outputs names the results; there are
// as many names as results, or none. Where inputs have open dimensions the text computes with
// these as expressions: see [Dim] for what the function does with them. The function is recorded
// twice more for numbers in their place, thousands and a few, and must record the same ops. A
// function that assigns variables or draws random numbers cannot be exported: call module.Eval of
// a network before.
func (f *Function) Export(inputs []Input, outputs ...string) (*Exported, error) {
	if f == nil || !f.dev.opens() {
		return nil, fmt.Errorf("export: %w: the device given to Func is nil, or the Function is", ErrUsage)
	}
	e := &exporting{f: f, names: make([]string, len(inputs)), outputs: outputs}
	var err error
	if e.inputs, _, err = openInputs("export", inputs); err != nil {
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

// exporting is the work of one export.
type exporting struct {
	f              *Function
	names, outputs []string
	inputs         []Input
	given          []types.Type // of the inputs, with the sizes that ops need
	symbols        []int        // of given
	assumed        []assumption // that make them of inputs
	values         sizesOf      // that it is checked with
	text           string
	constants      map[string]soa.View
	ranges         []lower.Guard
	graph          *ir.Graph    // of open sizes
	taken          map[int]bool // the dimensions of its nodes
}

// open records the function for the symbols, and makes the text. It returns what has to hold of them.
func (e *exporting) open() (guards []string, err error) {
	_, assumed, err := assuming(typesOf(e.inputs), func(given []types.Type, assumed []assumption) (refused, err error) {
		e.given, e.symbols, e.assumed = given, symbolsOf(given), assumed
		_, err = e.record(func(d int) int { return d })
		return err, err
	})
	if err != nil {
		return nil, err
	}
	for _, a := range assumed {
		guards = append(guards, a.text)
	}
	for _, r := range e.ranges {
		guards = append(guards, fmt.Sprintf("%s:%d: %s", r.File, r.Line, r.What))
	}
	return guards, nil
}

// rangesOf appends to all what the ops of a graph need of the range of open sizes, each once, at their lines. Those
// of a composite's body are needs of the composite.
func (e *exporting) rangesOf(g *ir.Graph, composite *ir.Node, all []lower.Guard) []lower.Guard {
	for _, n := range g.Nodes {
		at := n
		if composite != nil {
			at = composite
		}
		for _, r := range shapeinfer.Ranges(n) {
			if slices.ContainsFunc(all, func(h lower.Guard) bool { return h.Size() == r.Size() }) ||
				slices.ContainsFunc(dims.Symbols(r.A, r.B), func(s int64) bool { return !slices.Contains(e.symbols, int(s)) }) {
				continue
			}
			file, line := at.Loc.Position()
			all = append(all, lower.Guard{Guard: r, What: fmt.Sprintf("%s: %v", nodeName(at), r), File: file, Line: line, Scope: at.Loc.Scope()})
		}
		within := composite
		if n.Op == ir.OpComposite && composite == nil {
			within = n
		}
		for _, body := range n.Body.Graphs() {
			all = e.rangesOf(body, within, all)
		}
	}
	return all
}

// guards returns what the text asserts: the assumptions, each of the sizes that those before it leave, and ranges.
func (e *exporting) guards(t *traced, g *ir.Graph) []lower.Guard {
	all := make([]lower.Guard, len(e.assumed))
	given := typesOf(e.inputs)
	for k, a := range e.assumed {
		shapes := make([]types.Shape, len(t.params))
		for i, p := range t.params {
			if shapes[i] = g.Params[i].Type.Shape; p.arg >= 0 {
				shapes[i] = given[p.arg].Shape
			}
		}
		all[k] = lower.Guard{Guard: a.holds, Shapes: shapes, What: a.what(), File: a.of.File, Line: a.of.Line, Scope: a.of.Scope}
		given = a.types(given)
	}
	return append(all, e.ranges...)
}

// again records the function for numbers in place of symbols: of their bounds, and if there are
// some none that is made of other dimensions. It returns whether the function could be recorded,
// and what is wrong with what was.
func (e *exporting) again(from iter.Seq[int]) (recorded bool, err error) {
	e.values = numbersFor(e.symbols, from, e.taken)
	return e.record(e.values.of)
}

// record records the function for inputs whose dimensions are what size says. The first time
// it makes the text, then it compares.
func (e *exporting) record(size func(d int) int) (recorded bool, err error) {
	f := e.f
	t := &traced{owner: sched.Goroutine(), export: true, open: len(e.symbols) > 0 && e.graph == nil, anySize: len(e.symbols) > 0, ready: make(chan struct{})}
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
			return fmt.Errorf("export: %w: the function assigns %q; for a network call module.Eval(net) before Export: in training its batch norms assign their statistics; elsewhere return the new value instead", ErrUsage, t.assigns[0].v.name)
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
		e.ranges = e.rangesOf(g, nil, nil)
		if e.text, err = lower.Export(g, marks, e.guards(t, g), e.outputs); err != nil {
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
			return nil, nil, fmt.Errorf("export: %w: %s", ErrUsage, exportDraws)
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
