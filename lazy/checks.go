package lazy

import (
	"fmt"
	"hash/maphash"
	"log/slog"
	"strings"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/internal/callsite"
	"ltc/internal/env"
	"ltc/ir"
	"ltc/lazy/internal/execution"
	"ltc/lazy/internal/guard"
	"ltc/lazy/internal/opbyop"
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
// class of OneHot or a label of CrossEntropy does not exist. With false no index is looked at.
// Without the option a step fails for all of them. But on a device with memory of its own it fails only
// for arguments in the host's memory. With true, or the environment variable LTC_CHECK, also such a
// device looks at all indices: a run then waits in its midst until they are on the host.
//
// Indices that are arguments are looked at before the run, those that the program computes by a call of
// the host in its midst. Those within closures of control flow, as [For] takes, are looked at when the
// branch or loop has ended. Indices that are in range whatever the arguments are, such as those of ArgMax and TopK and
// the number of an iteration, cost nothing. The error has the op, its line, the index and the range.
// Variables are as they were before the step, and its tensors have the error. Indices that a function
// with open [Function.Inputs] computes are not looked at. Nor are, in a step that assigns variables, those
// that a loop begins with as elements of an argument, such as the tokens of a text that it goes on with.
func CheckIndices(on bool) Option { return func(d *Device) { d.checkIndices, d.anyIndex = on, !on } }

// looksAt returns what the indices in g are to be, and the program of g that looks at those that it
// computes. That has no sizes that are open: with open set only arguments are looked at.
func (d *Device) looksAt(g *ir.Graph, open bool) (all []guard.Index, program *ir.Graph) {
	if d.anyIndex {
		return nil, g
	}
	remote := d.memory.Remote != nil
	// A device with memory of its own has arguments there, which its programs look at.
	return guard.Indices(g, open || !remote || !d.checkIndices, !open && (!remote || d.checkIndices))
}

// indexError is the error of an index that does not exist.
func indexError(x *guard.Index, reason string) *OpError {
	e := &OpError{Op: x.Op, Operands: x.Operands, Reason: reason, Err: ErrIndex}
	e.at(x.At)
	return e
}

// lookAtIndices returns the error of an argument that has an index which does not exist.
func (f *flight) lookAtIndices() error {
	for i := range f.indices {
		x := &f.indices[i]
		arg, ok := x.Argument()
		if !ok {
			continue
		}
		if v := f.args[arg].view; !v.IsZero() && v.Remote() == nil {
			reason, err := x.Look(v)
			if err != nil {
				return err
			}
			if reason != "" {
				return indexError(x, reason)
			}
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
