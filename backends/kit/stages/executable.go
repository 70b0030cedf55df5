package stages

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/exec"
	"ltc/internal/spare"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
)

// Target is what stages are compiled for.
type Target struct {
	Backend backends.Backend
	On      *exec.Machine
	// Whole returns the program as the evaluator runs it. It runs programs without stages, and the
	// calls in which a stage fails: a size that follows from data is larger than the program allows,
	// for instance. Its
	// error has the op's line in the module.
	Whole func(ctx context.Context) (backends.Executable, error)
}

// Executable is a chain of programs.
type Executable struct {
	target  Target
	file    string // of the text, in errors
	sig     *backends.Signature
	stages  []*stage
	execs   []backends.Executable // by stage
	slots   int
	effects bool // an op of the program has effects: no call runs twice
	bound   []soa.View
	whole   *exec.Lazy[backends.Executable]
	runs    *spare.Pool[run]
	grown   *atomic.Int64
}

// Compile returns a program in which sizes follow from data. The error wraps [kit.ErrNotCompiled]
// if no size does, or if a stage cannot be told from the others.
func Compile(ctx context.Context, t Target, m backends.Module, o backends.Options) (*Executable, []backends.Fallback, error) {
	p, stages, err := stagesOf(ctx, m, o)
	if err != nil {
		return nil, nil, err
	}
	e := &Executable{target: t, file: p.File, sig: p.Signature, stages: stages, grown: new(atomic.Int64)}
	p.Module.Walk(func(op *mlir.Op) bool {
		e.effects = e.effects || op.Code.Info().Traits.Has(mlir.Effects)
		return !e.effects
	})
	var left []backends.Fallback
	for _, s := range stages {
		o := o
		o.Compiled = false // all are reported at once
		o.Warn = func(w *backends.FallbackError) {
			for _, f := range w.Ops {
				f.Ordinal = s.ordinal(f.Ordinal)
				f.Line = "" // of the stage's text, unless the op has a location
				left = append(left, f)
			}
		}
		x, err := t.Backend.Compile(ctx, backends.NewModule(s.text), o)
		switch {
		case err == nil:
		case ctx.Err() != nil, errors.Is(err, backends.ErrExhausted):
			return nil, nil, err
		default: // the text of a stage cannot say what that of the module does
			return nil, nil, errors.Join(kit.ErrNotCompiled, err)
		}
		e.execs = append(e.execs, x)
	}
	e.prepare()
	return e, left, nil
}

// CompileFallback compiles a program that the target has not compiled as a whole, for a reason that
// wraps [kit.ErrNotCompiled]. If sizes follow from data it is a chain of stages, else Whole runs it.
// It returns the ops that are left to the evaluator.
func CompileFallback(ctx context.Context, t Target, m backends.Module, o backends.Options, reason error) (backends.Executable, []backends.Fallback, error) {
	x, left, err := Compile(ctx, t, m, o)
	switch {
	case err == nil:
		return x, left, nil
	case !errors.Is(err, kit.ErrNotCompiled):
		return nil, nil, err
	}
	whole, err := t.Whole(ctx)
	return whole, kit.WholeFallback(reason), err
}

// Texts returns the text of each stage of a program in which sizes follow from data. The error wraps
// [kit.ErrNotCompiled] if there are none.
func Texts(ctx context.Context, m backends.Module, o backends.Options) (all []string, err error) {
	_, stages, err := stagesOf(ctx, m, o)
	for _, s := range stages {
		all = append(all, s.text)
	}
	return all, err
}

// stagesOf loads a module and cuts it. The error wraps [kit.ErrNotCompiled] if it has no stages.
func stagesOf(ctx context.Context, m backends.Module, o backends.Options) (*backends.Program, []*stage, error) {
	p, err := backends.LoadOpen(ctx, m, o)
	if err != nil {
		return nil, nil, err
	}
	if err := kit.Inline(ctx, p.Module); err != nil {
		return nil, nil, err
	}
	stages, err := split(p)
	if err == nil && stages == nil {
		err = errors.New("no size follows from data")
	}
	if err != nil {
		return nil, nil, errors.Join(kit.ErrNotCompiled, err)
	}
	return p, stages, nil
}

// prepare numbers the slots, and makes the pool of runs and the whole program, which is compiled when
// a call needs it.
func (e *Executable) prepare() {
	e.slots = len(e.sig.Args)
	for _, s := range e.stages {
		e.slots += len(s.results)
	}
	for _, x := range each[interface{ CountIn(*atomic.Int64) }](e) {
		x.CountIn(e.grown)
	}
	e.whole = exec.NewLazy(func(ctx context.Context) (backends.Executable, error) {
		x, err := e.target.Whole(ctx)
		if err != nil || e.bound == nil {
			return x, err
		}
		return x.Bind(ctx, exec.Constants(e.bound))
	})
	e.runs = spare.New(1, e.newRun)
}

// ordinal returns the ordinal in the module of an op of the stage.
func (s *stage) ordinal(op int) int {
	if op < 0 || op >= len(s.ordinals) {
		return -1
	}
	return s.ordinals[op]
}

// run is the memory of one call.
type run struct {
	env    []soa.View // by slot
	calls  []backends.Call
	roots  [][]soa.View  // by stage, in the host's memory
	shapes [][]soa.View  // by stage, the views of shape arguments
	memory []*soa.Buffer // of the values that stages pass on, the first used ones taken
	used   int
}

func (e *Executable) newRun() *run {
	r := &run{env: make([]soa.View, e.slots), calls: make([]backends.Call, len(e.stages)), roots: make([][]soa.View, len(e.stages)), shapes: make([][]soa.View, len(e.stages))}
	for k, s := range e.stages {
		sig := e.execs[k].Signature()
		r.calls[k].Args = make([]soa.View, len(s.args)+len(s.shapeArgs))
		r.calls[k].Results = make([]soa.View, len(sig.Results))
		for i := range s.roots { // the first results
			r.roots[k] = append(r.roots[k], soa.Make(sig.Results[i].Type))
		}
		for _, t := range s.shapeArgs {
			v, err := soa.Strided(make([]bool, 1), types.Type{DType: types.Bool, Shape: ones(t.rank)}, 0, make([]int, t.rank))
			if err != nil {
				panic(fmt.Sprintf("stages: %v", err))
			}
			r.shapes[k] = append(r.shapes[k], v)
		}
	}
	return r
}

func ones(n int) types.Shape {
	s := make(types.Shape, n)
	for i := range s {
		s[i] = 1
	}
	return s
}

// alloc returns memory of the run for a value that stages pass on.
func (r *run) alloc(t types.Type) soa.View {
	n := max(t.Bytes(), 1)
	if r.used == len(r.memory) {
		r.memory = append(r.memory, nil)
	}
	m := &r.memory[r.used]
	r.used++
	if *m == nil || len((*m).Bytes()) < n || len((*m).Bytes()) > 4*n+1<<12 {
		*m = soa.New(n)
	}
	return (*m).View(t)
}

// Signature returns the types of the module.
func (e *Executable) Signature() *backends.Signature { return e.sig }

// Artifact returns an error: the stages are programs of their own.
func (e *Executable) Artifact() ([]byte, error) {
	return nil, fmt.Errorf("artifact: a program in which sizes follow from data has none: %w", errors.ErrUnsupported)
}

// Bind fixes constants, as [backends.Executable] has it.
func (e *Executable) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	if err := backends.CheckBind(e.sig, constants); err != nil {
		return nil, err
	}
	n := *e
	n.bound, n.execs, n.grown = make([]soa.View, len(e.sig.Args)), nil, new(atomic.Int64)
	copy(n.bound, e.bound)
	for i, v := range constants {
		n.bound[i] = v
	}
	for k, s := range e.stages {
		of := map[int]soa.View{}
		for i, slot := range s.args {
			if v, ok := constants[slot]; ok && slot < len(e.sig.Args) {
				of[i] = v
			}
		}
		x, err := e.execs[k].Bind(ctx, of)
		if err != nil {
			return nil, err
		}
		n.execs = append(n.execs, x)
	}
	n.prepare()
	return &n, nil
}

// Execute runs the stages, one after the other.
func (e *Executable) Execute(ctx context.Context, c *backends.Call) error {
	if err := e.target.On.Admit(ctx, c, e.sig, e.bound); err != nil {
		return err
	}
	r := e.runs.Get()
	retry, err := e.run(ctx, c, r)
	clear(r.env)
	for k := range r.calls {
		clear(r.calls[k].Args)
		clear(r.calls[k].Results)
	}
	e.runs.Put(r)
	if !retry {
		return err
	}
	x, lacks := e.whole.Get(ctx)
	if lacks != nil {
		return errors.Join(err, lacks)
	}
	return x.Execute(ctx, c)
}

// errSize is the error of a root that is no size.
var errSize = errors.New("execute: a size that follows from data is negative")

// run runs the stages. If retry is true, a stage failed before it wrote to memory of the caller, and
// the whole program can say which op fails.
func (e *Executable) run(ctx context.Context, c *backends.Call, r *run) (retry bool, err error) {
	r.used = 0
	copy(r.env, c.Args)
	for k, s := range e.stages {
		call, last := &r.calls[k], s.results == nil
		call.Queue = c.Queue
		for i, slot := range s.args {
			call.Args[i] = r.env[slot]
		}
		for i, t := range s.shapeArgs {
			v := r.shapes[k][i]
			if !readSizes(v.Type.Shape, r.env[t.slot]) {
				return !e.effects, errSize
			}
			call.Args[len(s.args)+i] = v
		}
		if last {
			call.Alloc, call.Resident = c.Alloc, c.Resident
			e.give(c, call, k)
		} else {
			call.Alloc, call.Resident = r.alloc, true
			copy(call.Results, r.roots[k])
			for i, j := range s.given {
				switch {
				case j < 0 || !c.Results[j].IsZero():
				case e.target.On.Memory == nil || !c.Resident:
					call.Results[i] = c.Make(e.sig.Results[j].Type)
				default: // on the device; where the host runs the stage, in memory that is the caller's
					call.Alloc = c.Make
				}
			}
		}
		if err := e.execs[k].Execute(ctx, call); err != nil {
			if ctx.Err() != nil || errors.Is(err, backends.ErrWritten) || e.effects {
				return false, s.placed(err)
			}
			return true, s.placed(err)
		}
		if last {
			return false, e.deliver(ctx, c, r)
		}
		for i, slot := range s.results {
			r.env[slot] = call.Results[i]
		}
		if err := e.exceeded(s, r.roots[k]); err != nil {
			return false, err
		}
	}
	return false, nil
}

// exceeded returns the error of an integer of a root that is more than its size can be.
func (e *Executable) exceeded(s *stage, roots []soa.View) error {
	for _, l := range s.limits {
		if n := integer(&roots[l.root], l.at); n > l.most {
			return &backends.RunError{Op: l.op.Ordinal, At: fmt.Sprintf("%s:%d: %s", e.file, l.op.Pos.Line, l.op.Name()), Reason: &backends.BoundError{Size: n, Bound: l.most}}
		}
	}
	return nil
}

// integer returns an element of a dense view of integers.
func integer(v *soa.View, at int) int64 {
	if v.Type.DType.Size() == 4 {
		return int64(int32(soa.Bits[uint32](*v)[at]))
	}
	return int64(soa.Bits[uint64](*v)[at])
}

// give sets where the last stage writes results.
func (e *Executable) give(c, call *backends.Call, k int) {
	sig := e.execs[k].Signature()
	for i, j := range e.stages[k].given {
		call.Results[i] = c.Results[j]
		if a := e.sig.Results[j].Alias; a >= 0 && call.Results[i].IsZero() && sig.Results[i].Alias < 0 {
			call.Results[i] = c.Args[a]
		}
	}
}

// deliver gives the caller the results of all stages. What an earlier stage made of a result that
// has memory of the caller is copied there now: nothing fails any more.
func (e *Executable) deliver(ctx context.Context, c *backends.Call, r *run) error {
	for k, s := range e.stages {
		for i, j := range s.given {
			if j < 0 {
				continue
			}
			from := r.calls[k].Results[i]
			if s.results == nil || c.Results[j].IsZero() {
				c.Results[j] = from
				continue
			}
			if c.Queue != nil {
				if err := c.Queue.Wait(ctx); err != nil {
					return errors.Join(backends.ErrWritten, err)
				}
			}
			if err := soa.Copy(c.Results[j], from); err != nil {
				return errors.Join(backends.ErrWritten, err)
			}
		}
	}
	return nil
}

// readSizes sets a shape to the integers of a root; false if one is negative.
func readSizes(shape types.Shape, root soa.View) bool {
	for i := range shape {
		n := integer(&root, i)
		if n < 0 {
			return false
		}
		shape[i] = int(n)
	}
	return true
}

// placed gives an error of a stage the op of the module.
func (s *stage) placed(err error) error {
	if re, ok := errors.AsType[*backends.RunError](err); ok {
		return &backends.RunError{Op: s.ordinal(re.Op), At: re.At, Reason: re.Reason}
	}
	return err
}

// CheckSizes implements [backends.Sizing]: what data tells is not known before the run.
func (e *Executable) CheckSizes(c *backends.Call) error {
	return backends.CheckCallOn(e.sig, c, e.bound, e.target.On.Memory)
}
