package lazy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/execution"
	"ltc/lazy/internal/guard"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/opbyop"
	"ltc/lazy/internal/programs"
	"ltc/lazy/internal/settings"
	"ltc/lower"
	"ltc/soa"
)

// hook is a function given to OnNode.
type hook struct{ f func(NodeInfo) }

// OnNode has f called after every node that the trace makes, within the op that
// makes it. Nodes are ops, those that gradients and broadcasting are made of among
// them, constants, host data, and variables when the step first reads them. An op that
// a step repeats is no new node, and those within closures of control flow, as [For] takes, are
// not of the step. Functions are called in the order of OnNode; f must not
// record in the trace. A panic of f goes through the op, and the step fails with an error
// that says so. remove ends it, at once and also from within f; removing twice does
// nothing.
func (tr *Trace) OnNode(f func(NodeInfo)) (remove func()) {
	tr = tr.some()
	h := &hook{f}
	tr.hooks = append(slices.Clip(tr.hooks), h) // those being called are in the old list
	tr.b.OnNode(tr.nodeMade)
	return func() {
		i := slices.Index(tr.hooks, h)
		if i < 0 {
			return
		}
		h.f = nil
		if tr.hooks = slices.Delete(slices.Clone(tr.hooks), i, i+1); len(tr.hooks) == 0 {
			tr.b.OnNode(nil)
		}
	}
}

// nodeMade calls the hooks for a node. If one does not return, the op that made the
// node is cut short, and the step with it: whoever goes on does not lose a write.
func (tr *Trace) nodeMade(n *ir.Node) {
	info, returned := infoOf(n), false
	defer func() {
		if !returned && tr.bad == nil {
			tr.bad = opError(n.Loc, info.Op, ErrUsage, nil, "a function given to OnNode panicked when the op was recorded, which ended the op or write that made it; record the step again")
		}
	}()
	for _, h := range tr.hooks {
		if h.f != nil {
			h.f(info)
		}
	}
	returned = true
}

// OpByOp makes the device compile and run every op of a program alone, each as a program of
// its own, once for each combination of op, attributes and types. It is slow, and for
// finding which op fails, or gives other numbers than elsewhere. Results are those of the
// whole program as long as the backend computes each op alone as it does among others.
// Failures name the line of the op.
func OpByOp() Option { return func(d *Device) { d.opByOp = true } }

// ObserveOps makes the device run programs op by op, and has f called after each
// op, in the order of the program, on the goroutine that runs it. Two devices
// that are given the same steps can be compared op by op:
// the first difference is where the wrong numbers come from.
func ObserveOps(f func(OpRun)) Option { return func(d *Device) { d.opByOp, d.observer = true, f } }

// OpRun is an op that was run alone.
type OpRun struct {
	Node   NodeInfo
	Index  int      // of the op in its program
	Result soa.View // to be read before the function returns
	Output int      // which result of the op it is: those of an op with several are observed one by one
}

// opsOf returns what runs the ops of g one by one.
func (d *Device) opsOf(ctx context.Context, g *ir.Graph) (programs.Runner, error) {
	p := opbyop.New(g, &d.ops)
	if d.observer != nil {
		p.See = d.observe
	}
	return p, p.Compile(ctx)
}

// opCompiler compiles programs of one op. Their errors name no line: all ops of a kind share one.
type opCompiler struct{ compiler }

func (opCompiler) Located(*ir.Graph) bool { return false }

func (d opCompiler) Compile(ctx context.Context, p *programs.Program) (err error) {
	p.Text = lower.Text(p.Graph, true)
	o := d.options
	if !d.opByOp { // it only looks
		o = d.quietly()
	}
	p.Exec, err = d.withRoom(func() (programs.Runner, error) { return d.compile(ctx, p.Graph, p.Text, o) })
	return err
}

// observe shows a run of an op to the function of [ObserveOps]. A panic of it is an error.
func (d *Device) observe(s opbyop.Step) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &opbyop.Error{Node: s.Node, Doing: "observe", Err: fmt.Errorf("the function given to ObserveOps panicked: %v\n%s", r, debug.Stack())}
		}
	}()
	info := infoOf(s.Node)
	for k, v := range s.Results {
		info.Type = v.Type
		d.observer(OpRun{Node: info, Index: s.Index, Result: v, Output: k})
	}
	return nil
}

// CheckIndices says whether a step fails if an index of Gather, ScatterAdd and the like, a
// class of OneHot or a label of CrossEntropy does not exist. Numbers that [Tensor.Within] bounds count as
// indices. With false no index is looked at.
// Without the option a step fails for all of them. But on a device with memory of its own it fails only
// for arguments in the host's memory. With true, or the environment variable LTC_CHECK, also such a
// device looks at all indices: a run then waits in its midst until they are on the host.
//
// Indices that are arguments are looked at before the run, those that the program computes by a call of
// the host in its midst. Those within closures of control flow, as [For] takes, are looked at when the
// branch or loop has ended. The error has the op, its line, the index and the range: in a loop those of the
// first index that is out of range, with its iteration. Indices that are in range whatever the arguments
// are, such as those of ArgMax and TopK and the number of an iteration, cost nothing.
// Variables are as they were before the step, and its tensors have the error.
//
// In a step that assigns variables, indices within closures may depend on integers that are arguments, such as the tokens
// that a text begins with, its position, and the number of iterations. Whether they are in range is found
// out from these before the run. Where it cannot be, as where the place of a token that is no index may not
// be read, the program runs twice: first without writing. Where some sizes show
// that indices are in range and others do not, a function with open [Function.Inputs] looks at them for all sizes.
func CheckIndices(on bool) Option { return func(d *Device) { d.checkIndices, d.anyIndex = on, !on } }

// looking says at which of the indices that it computes a program looks.
type looking uint32

const (
	lookAtNeeded looking = iota // those that its sizes do not show to be in range
	lookAtAll                   // also those that its sizes show to be in range
	lookAtNone
)

// looksAt returns what the indices in g are to be, and the program of g that looks at those that it
// computes.
func (d *Device) looksAt(g *ir.Graph, l looking) (all guard.Indices, program *ir.Graph) {
	if d.anyIndex {
		return all, g
	}
	remote := d.memory.Remote != nil
	// A device with memory of its own has arguments there, which its programs look at.
	return guard.IndicesOf(g, l == lookAtNone || !remote || !d.checkIndices, l != lookAtNone && (!remote || d.checkIndices), l == lookAtAll)
}

// indexError is the error of an index that does not exist.
func indexError(x *guard.Index, reason string) *OpError {
	e := &OpError{Op: x.Op, Operands: x.Operands, Reason: reason, Err: ErrIndex}
	e.at(x.At)
	return e
}

// indexError is the error of an index that the program has computed.
func (f *flight) indexError(out *guard.OutOfRange) *OpError {
	x := &f.indices.All[out.Index]
	return indexError(x, x.Reason(out))
}

// lookAtIndices returns the error of an argument that has an index which does not exist. Where arguments
// leave that open, a rehearsal of the program decides.
func (f *flight) lookAtIndices() error {
	for i := range f.indices.All {
		x := &f.indices.All[i]
		arg, ok := x.Argument()
		if !ok {
			continue
		}
		if v := f.call.Args[arg]; !v.IsZero() && v.Remote() == nil {
			reason, err := x.Look(v)
			if err != nil {
				return err
			}
			if reason != "" {
				return indexError(x, reason)
			}
		}
	}
	a := f.indices.Assumed
	if a == nil {
		return nil
	}
	if holds, err := a.Holds(f.call.Args, f.dev.checkIndices); holds || err != nil {
		return err
	}
	return f.rehearse(a)
}

// rehearse runs the program, without writing over its arguments, for the indices that arguments may have out
// of range. Elements of arguments at places that the program does not read, as behind the end of a text, may
// be anything. Later runs of the program pay for a rehearsal each while that is so.
func (f *flight) rehearse(a *guard.Assumed) error {
	p := a.Compiled.Load()
	if p == nil {
		var err error
		if p, err = f.rehearsal(a.Rehearsal()); err != nil {
			return err
		}
		a.Compiled.Store(p)
	}
	f.dev.programs.Used(p)
	err := p.Exec.Execute(f.ctx, &backends.Call{Args: slices.Clone(f.call.Args)})
	if out, ok := errors.AsType[*guard.OutOfRange](err); ok {
		return f.indexError(out)
	}
	if err != nil {
		return atLine(p, err)
	}
	return nil
}

// rehearsal returns the program of g: of all sizes if that of the step is.
func (f *flight) rehearsal(g *ir.Graph) (*programs.Program, error) {
	if f.program.Open == nil {
		return f.dev.programs.GetStatic(f.ctx, g)
	}
	p, _, err := f.dev.programs.Get(f.ctx, g, f.Site)
	return p, err
}

// CheckNaNs stops at the first op that makes a NaN or an infinity out of finite values,
// with an error that names its line, as the environment variable LTC_CHECK_NANS does.
// Before each run of a program its ops run one by one: slow. What the program computes is
// what it computes without, and nothing has been written when a step fails so. Within a branch
// or a loop the error names the op of the closure, and the iteration, counted from 0.
func CheckNaNs(on bool) Option { return func(d *Device) { d.checkNaNs = on } }

// quietly are the options of programs that only look at another, which has said what is
// to be said.
func (d *Device) quietly() backends.Options {
	o := d.options
	o.Compiled, o.Profile, o.Warn = false, false, func(*backends.FallbackError) {}
	return o
}

// guardHost is the device of its guards.
type guardHost struct{ *Device }

// HasNaN warns of an argument that has NaNs, once for each line.
func (d guardHost) HasNaN(p *ir.Node, first string) {
	if d.nanArguments.First(argumentLine{p.Loc, p.ParamName()}) {
		d.log(slog.LevelWarn, fmt.Sprintf("argument %s has NaNs", strings.TrimSpace(p.ParamName()+" "+p.Type.String())),
			slog.String("at", p.Loc.String()), slog.String("first", first),
			slog.String("do", "look at what the argument is made of: the ops of this program did not make these NaNs"))
	}
}

// argumentLine is an argument of a program and the line that recorded it.
type argumentLine struct {
	at   callsite.Site
	name string
}

// placed makes an error of an op out of one that a guard, an op that runs alone, or a lack of memory
// says of a node.
func placed(err error) error {
	switch f := err.(type) {
	case *opbyop.Error:
		return nodeError(f.Node, f.Err, f.Error())
	case *execution.Shortage:
		return nodeError(f.Node, ErrMemory, f.Error())
	case *guard.Fault:
		return nodeError(f.Node, f.Kind, f.Reason)
	}
	return err
}

// NodeInfo describes an op of a program.
type NodeInfo struct {
	Op       string // mnemonic; a composite's name without ltc.
	Type     types.Type
	Operands []types.Type
	Site     string // the line that recorded it, file:line
	Scope    string // see Trace.Scope
}

func infoOf(n *ir.Node) NodeInfo {
	info := NodeInfo{Op: nodeName(n), Type: n.Type, Site: n.Loc.String(), Scope: n.Loc.Scope()}
	for _, x := range n.In {
		info.Operands = append(info.Operands, x.Type)
	}
	return info
}

// nodeName returns the mnemonic of a node's op; a composite's name without ltc.
func nodeName(n *ir.Node) string {
	if n.Op == ir.OpComposite {
		return strings.TrimPrefix(n.Body.Name, "ltc.")
	}
	return n.Op.String()
}

// Format is a text form of programs.
type Format int

// The formats.
const (
	FormatIR        Format = settings.FormatIR        // the text form of the IR, which ltc-dump reads
	FormatDot       Format = settings.FormatDot       // a drawing, for Graphviz
	FormatStableHLO Format = settings.FormatStableHLO // the StableHLO module that the backend gets
)

func (f Format) text(g *ir.Graph) string {
	switch f {
	case FormatDot:
		return g.Dot()
	case FormatStableHLO:
		return lower.Text(g, true)
	}
	return g.String()
}

// Dump returns the program that MarkStep with the same roots would run, in one
// of its text forms. Nothing is compiled or run, and the step goes on.
func (tr *Trace) Dump(f Format, roots ...*Tensor) (text string, err error) {
	if f < 0 || int(f) >= len(settings.Formats) {
		return "", fmt.Errorf("dump: %w: there is no format %d", ErrUsage, f)
	}
	err = tr.preview(roots, func(g *ir.Graph) { text = f.text(g) })
	return text, err
}

// Program returns the latest program that MarkStep has run, in one of its text forms; "" before
// the first step that had anything to compute.
func (tr *Trace) Program(f Format) string {
	if tr == nil || tr.stepped == nil || f < 0 || int(f) >= len(settings.Formats) {
		return ""
	}
	return f.text(tr.stepped.Graph)
}

// Program returns the program of the combination of types that the function was traced for
// latest, by a call or by Warmup, in one of its text forms; "" before the first.
func (f *Function) Program(form Format) string {
	if f == nil || form < 0 || int(form) >= len(settings.Formats) {
		return ""
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	for _, t := range slices.Backward(f.signatures) {
		select {
		case <-t.ready:
			if t.err == nil {
				return form.text(t.program.Graph)
			}
		default: // another goroutine traces it
		}
	}
	return ""
}

// Parameter is an argument of a program.
type Parameter struct {
	Name  string // of a variable or as Named gave it; arg0, arg1, … by position without one
	Named bool
	Type  types.Type
	Alias int // the result that takes over its memory; -1 if none
}

// Parameters returns the arguments of the latest program that the trace's
// MarkStep ran, in their order in its text.
func (tr *Trace) Parameters() []Parameter {
	if tr == nil || tr.stepped == nil {
		return nil
	}
	g := tr.stepped.Graph
	all := make([]Parameter, len(g.Params))
	taken := map[string]bool{}
	for i, p := range g.Params {
		all[i] = Parameter{Name: p.ParamName(), Named: p.ParamName() != "", Type: p.Type, Alias: -1}
		taken[all[i].Name] = true
	}
	for i := range all {
		if all[i].Named {
			continue
		}
		name := "arg" + strconv.Itoa(i)
		for taken[name] { // somebody's own
			name += "_"
		}
		all[i].Name, taken[name] = name, true
	}
	for i, p := range g.Alias {
		if p >= 0 {
			all[p].Alias = i
		}
	}
	return all
}

// GraphHash returns the structural hash of the program that MarkStep with the same roots
// would run. It is equal for programs that differ in no more than the names of variables
// and arguments, the lines that recorded them and the values of arguments. f(a, b) and
// f(a, a) are different programs. The hash holds within this version of the library, and
// is no proof that two programs are equal.
func (tr *Trace) GraphHash(roots ...*Tensor) (hash uint64, err error) {
	err = tr.preview(roots, func(g *ir.Graph) { hash = g.Hash() })
	return hash, err
}

// preview captures what MarkStep with the same roots would run.
func (tr *Trace) preview(roots []*Tensor, look func(*ir.Graph)) error {
	return tr.rehearse("dump", false, roots, func(tr *Trace, r *run) error {
		tr.b.Capture(&r.graph, nil, r.results, r.alias)
		look(&r.graph)
		return nil
	})
}

// captured counts, and writes to a file if that is asked for, a program that is
// about to be looked up or compiled.
func (d *Device) captured(g *ir.Graph) {
	d.metrics.Sample(metrics.GraphSize, float64(len(g.Nodes)))
	if d.dumps != nil {
		d.dump(g)
	}
}

// dumps is a file to which programs are appended.
type dumps struct {
	file   string
	format Format

	written diag.Seen[uint64] // hashes of those that are there
}

// dumping keeps records of devices and goroutines apart.
var dumping sync.Mutex

// openDumps returns an error when the file cannot be written.
func openDumps(file string, format Format) (*dumps, error) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &dumps{file: file, format: format}, f.Close()
}

// dump appends the record of a program, in the lazy tensor core's form, with the line
// whose MarkStep, read or Call asks for it, unless the device has written an equal one.
func (d *Device) dump(g *ir.Graph) {
	hash := g.Hash()
	if !d.dumps.written.First(hash) {
		return
	}
	record := fmt.Sprintf("[ScheduleSyncTensorsGraph]\n  %s\nHashes: (%016x)\n\n## BEGIN_GRAPH\n%s\n## END_GRAPH\n\n", callsite.Caller(), hash, d.dumps.format.text(g))
	dumping.Lock()
	defer dumping.Unlock()
	f, err := os.OpenFile(d.dumps.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(record)
		if closed := f.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		d.log(slog.LevelWarn, "program not written", slog.String("file", d.dumps.file), slog.Any("error", err))
	}
}
