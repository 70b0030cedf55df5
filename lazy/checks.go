package lazy

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"log/slog"
	"strings"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/internal/callsite"
	"ltc/internal/env"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/execution"
	"ltc/lazy/internal/guard"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/opbyop"
	"ltc/lazy/internal/programs"
	"ltc/lower"
	"ltc/soa"
)

// checking is whether the environment variable LTC_CHECK is 1. Then every program is
// checked before it is compiled. Borrowed data must not have changed between the op that
// borrowed it and the run that reads it, and runs that fail must have written nothing.
var checking = env.Checks.On()

var checkSeed = maphash.MakeSeed()

// checksum hashes the elements that a view shows.
func checksum(v soa.View) (uint64, error) {
	dense := soa.New(v.Type.Bytes())
	if err := soa.Copy(dense.View(v.Type), v); err != nil {
		return 0, err
	}
	return maphash.Bytes(checkSeed, dense.Bytes()), nil
}

// borrow remembers what borrowed data is.
func (v *value) borrow() {
	v.borrowed = true
	if checking {
		if sum, err := checksum(v.view); err == nil {
			v.sum = &sum
		}
	}
}

// intact reports whether borrowed data is still what it was.
func (v *value) intact() error {
	if v.sum == nil {
		return nil
	}
	now, err := checksum(v.view)
	if err != nil {
		return fmt.Errorf("%w: borrowed data %v: %w", ErrUsage, v.view.Type, err)
	}
	if now != *v.sum {
		return fmt.Errorf("%w: borrowed data %v was written before the step that reads it had run; use From, which copies", ErrUsage, v.view.Type)
	}
	return nil
}

// donated calls yield with the arguments whose memory the run may write, and their results.
func (f *flight) donated(yield func(v *value, result int)) {
	for i := range f.assigns {
		if a := &f.assigns[i]; !f.own[a.result] {
			yield(f.args[a.arg], a.result)
		}
	}
	for i := range f.donors {
		if o := &f.donors[i]; o.result >= 0 && !f.own[o.result] {
			yield(o.d.v, o.result)
		}
	}
	for i := range f.dests {
		if d := &f.dests[i]; d.past != nil {
			yield(f.args[d.arg], d.result)
		}
	}
}

// donatedSums returns the sums of what the run may write.
func (f *flight) donatedSums() []uint64 {
	var sums []uint64
	f.donated(func(v *value, _ int) {
		sum, _ := checksum(v.view)
		sums = append(sums, sum)
	})
	return sums
}

// checkUnwritten returns err, with which the run has failed, or says that it has written all
// the same. What was donated to it had the sums before.
func (f *flight) checkUnwritten(err error, before []uint64) error {
	if overwrites(err) {
		return err
	}
	written := -1
	f.donated(func(v *value, result int) {
		if sum, _ := checksum(v.view); sum != before[0] {
			written = result
			if result < len(f.call.Results) {
				f.call.Results[result] = soa.View{}
			}
		}
		before = before[1:]
	})
	if written < 0 {
		return err
	}
	return fmt.Errorf("%w: a run that fails must write nothing, and this one has written over what was donated to result %d: %w", border.ErrBroken, written, err)
}

var (
	// ErrIndex: an index or a label chooses what does not exist; see [CheckIndices].
	ErrIndex = guard.ErrIndex
	// ErrNaN: an op made a NaN or an infinity out of finite values; see [CheckNaNs].
	ErrNaN = guard.ErrNaN
)

// CheckIndices says whether a step fails if an index of Gather, ScatterAdd and the like, a
// class of OneHot or a label of CrossEntropy does not exist. Without it a step fails for the
// indices that it has as arguments in the host's memory. With true, or the environment variable
// LTC_CHECK, it fails for all of them: those that the program computes are computed once more
// before each run. With false none is looked at. Nothing has been written when a step fails so.
// Indices within closures of control flow, as [For] takes, are not looked at.
func CheckIndices(on bool) Option { return func(d *Device) { d.checkIndices, d.anyIndex = on, !on } }

// indexed says that an argument of a step has indices of an op, below a bound.
type indexed struct {
	arg, bound int
	op         string
	operands   []types.Type
	at         callsite.Site
}

// indexedBy returns the arguments of a step that are indices, unless its guard looks at them.
func (d *Device) indexedBy(g *ir.Graph) (all []indexed) {
	if d.anyIndex || d.checkIndices {
		return nil
	}
	for _, n := range g.Nodes {
		var axis ir.Attr
		switch n.Op {
		case ir.OpGather:
			axis = n.Attrs[ir.GatherAxis]
		case ir.OpScatter:
			axis = n.Attrs[ir.ScatterAxis]
		default:
			continue
		}
		index, info := sameElements(n.In[1]), infoOf(n)
		bound := n.In[0].Type.Shape[axis.Int]
		if index.Op != ir.OpParameter || dims.IsExpr(bound) {
			continue
		}
		if op, ok := n.Value.(ir.Called); ok {
			info.Op = string(op)
		}
		all = append(all, indexed{int(index.Attrs[ir.ParameterIndex].Int), bound, info.Op, info.Operands, n.Loc})
	}
	return all
}

// sameElements returns what n takes all its elements from, one by one and in some order.
func sameElements(n *ir.Node) *ir.Node {
	for n.Op == ir.OpReshape || n.Op == ir.OpTranspose || n.Op == ir.OpBroadcast {
		n = n.In[0]
	}
	return n
}

// lookAtIndices returns the error of an argument that has an index which does not exist.
func (f *flight) lookAtIndices() error {
	for i := range f.indices {
		x := &f.indices[i]
		v := f.args[x.arg].view
		if v.IsZero() || v.Remote() != nil {
			continue
		}
		v, err := memory.OnHost(v)
		if err != nil {
			return err
		}
		if reason := guard.Beyond(v, x.bound); reason != "" {
			e := &OpError{Op: x.op, Operands: x.operands, Reason: reason, Err: ErrIndex}
			e.at(x.at)
			return e
		}
	}
	return nil
}

// CheckNaNs stops at the first op that makes a NaN or an infinity out of finite values,
// with an error that names its line, as the environment variable LTC_CHECK_NANS does.
// Before each run of a program its ops run one by one: slow. What the program computes is
// what it computes without, and nothing has been written when a step fails so. Within a branch
// or a loop the error names the op of the closure, and the iteration, counted from 0.
func CheckNaNs(on bool) Option { return func(d *Device) { d.checkNaNs = on } }

// guarded reports whether runs of g are looked at beforehand, so that its lines matter.
func (d *Device) guarded(g *ir.Graph) bool {
	return d.checkNaNs || d.checkIndices && guard.Indexed(g)
}

// quietly are the options of programs that only look at another, which has said what is
// to be said.
func (d *Device) quietly() backends.Options {
	o := d.options
	o.Compiled, o.Profile, o.Warn = false, false, func(*backends.FallbackError) {}
	return o
}

// guardHost is the device of its guards.
type guardHost struct{ *Device }

func (d guardHost) Part(ctx context.Context, g *ir.Graph) (programs.Runner, error) {
	text := lower.Text(g, true)
	x, err := d.compile(ctx, g, text, d.quietly())
	if err != nil {
		return nil, err
	}
	return &part{x, text}, nil
}

// part runs a program that looks at the data of another, and has a text of its own.
type part struct {
	programs.Runner
	text string
}

// Execute runs the part. An error is a *partError.
func (p *part) Execute(ctx context.Context, c *backends.Call) error {
	if err := p.Runner.Execute(ctx, c); err != nil {
		return &partError{p.text, err}
	}
	return nil
}

// partError is the failure of a part, whose ops are those of its text.
type partError struct {
	text string
	err  error
}

func (e *partError) Error() string { return e.err.Error() }

func (e *partError) Unwrap() error { return e.err }

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
		e := nodeError(f.Node, f.Kind, f.Reason)
		e.Op = cmp.Or(f.Op, e.Op)
		if f.Operands != nil {
			e.Operands = f.Operands
		}
		return e
	}
	return err
}
