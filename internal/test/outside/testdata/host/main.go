// Command host has a backend of its own on package exec: a target in the host's memory, which
// interprets the kernels that package kit makes of a program.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"sync/atomic"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/tiles"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

func init() {
	backends.Register("host", func(string) (backends.Backend, error) { return host{}, nil })
}

type host struct{ backends.NotImplemented }

func (host) Name() string { return "host" }

// machine is the zero Machine: kernels access the host's memory, and there is no queue.
var machine exec.Machine

func (h host) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	p, err := backends.Load(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if err := backends.Unsupported(h.Name(), p.File, p.Lacking); err != nil {
		return nil, err
	}
	prog, err := kit.Compile(ctx, p, kit.Options{})
	if errors.Is(err, kit.ErrNotCompiled) { // the evaluator runs the whole program
		return exec.CompileHosted(ctx, h.Name(), machine, m, o, kit.WholeFallback(err), nil)
	}
	if err != nil {
		return nil, err
	}
	if err := backends.ReportFallbacks(h.Name(), m, o, prog.Fallbacks()); err != nil {
		return nil, err
	}
	return newExecutable(prog)
}

type executable struct {
	exec.Executable[*executable]
}

func newExecutable(prog *plan.Program) (*executable, error) {
	regions, err := exec.MakeRegions(prog, func(step, region int) (backends.Executable, error) {
		return newExecutable(prog.Steps[step].Regions()[region])
	})
	if err != nil {
		return nil, err
	}
	e := new(executable)
	e.Plan = exec.Plan{
		Program: prog, On: &machine, Regions: regions, Copied: new(atomic.Int64),
		Rules: exec.NewResults(prog, len(prog.Steps)-1, false), // any launch may fail; no memory of a device
	}
	e.Vary(e, exec.VariantOptions[*executable]{})
	return e, nil
}

func (e *executable) Artifact() ([]byte, error) { return nil, errors.ErrUnsupported }

func (e *executable) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	if err := backends.CheckBind(e.Signature(), constants); err != nil {
		return nil, err
	}
	bound := make([]soa.View, len(e.Signature().Args))
	copy(bound, e.Bound)
	for i, v := range constants {
		bound[i] = soa.Make(types.Type{DType: v.Type.DType, Shape: slices.Clone(v.Type.Shape)})
		if err := soa.Copy(bound[i], v); err != nil {
			return nil, fmt.Errorf("bind: argument %d: %w", i, err)
		}
	}
	b := *e
	b.Bound = bound
	b.Vary(&b, exec.VariantOptions[*executable]{})
	return &b, nil
}

// Direct says that kernels may write results to the caller's memory: none can fail then.
func (e *executable) Direct(context.Context) bool { return true }

// Run runs a call. A target that is to be fast keeps its runs for later calls.
func (e *executable) Run(ctx context.Context, c *backends.Call) error {
	r := new(run)
	r.Run = exec.NewRun(&e.Plan, r, nil)
	r.arena = soa.Make(types.Of(types.U8, max(r.Program.Arena, 1)))
	for v := range r.Program.Values {
		switch val := &r.Program.Values[v]; val.Kind {
		case plan.Temporary:
			r.Mem[v] = unsafe.Add(r.arena.Base(), val.Offset)
		case plan.Constant:
			r.Mem[v] = unsafe.Pointer(unsafe.SliceData(val.Data))
		}
	}
	return r.Execute(ctx, c, true)
}

// run is a run of a program.
type run struct {
	*exec.Run
	arena soa.View // memory of temporaries
}

var _ exec.Target = (*run)(nil)

func (r *run) Launch(_ context.Context, i int, _ <-chan struct{}) error {
	s := &r.Program.Steps[i]
	l := s.Launch()
	k := r.Program.Kernels[l.Kernel]
	mem := make([]unsafe.Pointer, len(l.Operands))
	for j, o := range l.Operands {
		mem[j] = unsafe.Add(r.Mem[o.Value], int(o.Offset)*k.Params[j].DType.Size())
	}
	if err := kernel.Evaluate(k, l.Sizes, mem, l.Strides, tiles.Scalars{}); err != nil {
		return &backends.RunError{Op: s.Ordinal, Reason: err}
	}
	return nil
}

func (r *run) Make(t types.Type) (soa.View, error) { return soa.Make(t), nil }

func (r *run) Copy(dst, src soa.View) error { return soa.Copy(dst, src) }

func (r *run) Forget() {} // exec.Run drops its own references, and there are no others

func main() {
	dev, err := lazy.Open("host")
	if err != nil {
		log.Fatal(err)
	}
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1, 2, 3, 4}, 2, 2)
	y := x.MatMul(x).Softmax(1)
	fmt.Println(tr.MarkStep(y))
	fmt.Println(lazy.ToSlice[float32](y))
}
