package toytarget

import (
	"context"
	"errors"
	"fmt"
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
	"ltc/soa"
)

// Device is the backend.
type Device struct {
	backends.NotImplemented
	memory  *memory
	machine exec.Machine
	// Fault, if set, is called with the name of each method of the target as that begins,
	// which fails with what it returns. It may panic, or wait for the context.
	Fault func(ctx context.Context, method string) error
}

var _ backends.Backend = (*Device)(nil)

// New returns a device with no memory in use.
func New() *Device {
	m := &memory{blocks: map[uintptr][]uint64{}}
	return &Device{memory: m, machine: exec.Machine{Memory: m, Space: soa.OfRemote(m, 0, 0)}}
}

// Name returns "toy".
func (d *Device) Name() string { return "toy" }

// Capabilities are memory of its own.
func (d *Device) Capabilities() backends.Capabilities {
	return backends.Capabilities{Allocator: d.memory}
}

// fault is called as a method begins.
func (d *Device) fault(ctx context.Context, method string) error {
	if d.Fault == nil {
		return nil
	}
	return d.Fault(ctx, method)
}

// Compile makes kernels of the program. One that leaves sizes open, or that no kernel can be
// made of, is the evaluator's.
func (d *Device) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	p, err := backends.LoadOpen(ctx, m, o)
	if err != nil {
		return nil, err
	}
	var prog *plan.Program
	switch {
	case len(p.Lacking) > 0:
		return d.evaluated(ctx, m, o, nil)
	case p.Signature.Open():
		err = errors.Join(kit.ErrNotCompiled, errors.New("a size is open"))
	default:
		prog, err = kit.Compile(ctx, p, kit.Options{Check: true})
	}
	if errors.Is(err, kit.ErrNotCompiled) {
		return d.evaluated(ctx, m, o, kit.WholeFallback(err))
	}
	if err != nil {
		return nil, err
	}
	if err := backends.ReportFallbacks(d.Name(), m, o, prog.Fallbacks()); err != nil {
		return nil, err
	}
	return d.program(prog)
}

// evaluated has the evaluator run a program.
func (d *Device) evaluated(ctx context.Context, m backends.Module, o backends.Options, why []backends.Fallback) (backends.Executable, error) {
	x, err := exec.CompileHosted(ctx, d.Name(), d.machine, m, o, why, nil)
	if err != nil {
		return nil, err
	}
	return x, nil
}

// program returns what runs a program.
func (d *Device) program(prog *plan.Program) (*executable, error) {
	regions, err := exec.MakeRegions(prog, func(step, r int) (backends.Executable, error) {
		return d.program(prog.Steps[step].Regions()[r])
	})
	if err != nil {
		return nil, err
	}
	e := &executable{dev: d, constants: make([]soa.View, len(prog.Values))}
	e.Plan = exec.Plan{
		Program: prog, On: &d.machine, Regions: regions, Copied: new(atomic.Int64),
		Rules:  exec.NewResults(prog, len(prog.Steps)-1, true), // any launch may fail; kernels access the device's memory
		Fenced: true,
	}
	e.Vary(e, exec.VariantOptions[*executable]{})
	for v := range prog.Values {
		if val := &prog.Values[v]; val.Kind == plan.Constant {
			c, err := d.memory.Make(types.Of(types.U8, len(val.Data)))
			if err == nil {
				err = d.memory.Write(uintptr(c.Base()), val.Data)
			}
			if err != nil {
				return nil, err
			}
			e.constants[v] = c
		}
	}
	return e, nil
}

// executable is a program on the device.
type executable struct {
	exec.Executable[*executable]
	dev       *Device
	constants []soa.View // by value
}

// Artifact returns an error: programs are not saved.
func (e *executable) Artifact() ([]byte, error) {
	return nil, fmt.Errorf("artifact: %w", errors.ErrUnsupported)
}

// WorkspaceBytes is [backends.Sized].
func (e *executable) WorkspaceBytes() int { return e.Plan.Program.Arena }

// Bind copies constants to the device.
func (e *executable) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := backends.CheckBind(e.Signature(), constants); err != nil {
		return nil, err
	}
	b := *e
	b.Bound = make([]soa.View, len(e.Signature().Args))
	copy(b.Bound, e.Bound)
	for i, v := range constants {
		there, err := e.dev.memory.Make(types.Type{DType: v.Type.DType, Shape: slices.Clone(v.Type.Shape)})
		if err == nil {
			err = soa.Copy(there, v)
		}
		if err != nil {
			return nil, fmt.Errorf("bind: argument %d: %w", i, err)
		}
		b.Bound[i] = there
	}
	b.Vary(&b, exec.VariantOptions[*executable]{})
	return &b, nil
}

// Direct reports that results are written where they belong as soon as nothing can fail.
func (e *executable) Direct(context.Context) bool { return true }

// Run runs a call that was admitted.
func (e *executable) Run(ctx context.Context, c *backends.Call) error {
	r := &run{of: e, ctx: ctx}
	r.Run = exec.NewRun(&e.Plan, r, nil)
	return r.Execute(ctx, c, true)
}

// run is a run of a program: the [exec.Device].
type run struct {
	*exec.Run
	of   *executable
	ctx  context.Context
	held []soa.View // memory of the run
	down []download
}

// download is a result that is copied to where it belongs in the end.
type download struct{ to, from soa.View }

var _ exec.Device = (*run)(nil)

// fault is called as a method begins.
func (r *run) fault(method string) error { return r.of.dev.fault(r.ctx, method) }

// Make returns memory of the device.
func (r *run) Make(t types.Type) (soa.View, error) {
	if err := r.fault("Make"); err != nil {
		return soa.View{}, err
	}
	return r.of.dev.memory.Make(t)
}

// place has a value in memory of the run.
func (r *run) place(v plan.ValueID, t types.Type) (soa.View, error) {
	mem, err := r.of.dev.memory.Make(t)
	if err != nil {
		return mem, err
	}
	r.held = append(r.held, mem)
	r.Mem[v] = mem.Base()
	return mem, nil
}

// Upload copies an argument to the device.
func (r *run) Upload(i int, v *soa.View) error {
	if err := r.fault("Upload"); err != nil {
		return err
	}
	there, err := r.place(r.Program.Args[i], v.Type)
	if err != nil {
		return err
	}
	r.Copied.Add(int64(v.Type.Bytes()))
	return soa.Copy(there, *v)
}

// Download has a result copied from the device in the end.
func (r *run) Download(j int, v *soa.View, _ bool) error {
	if err := r.fault("Download"); err != nil {
		return err
	}
	from, err := r.place(r.Program.Results[j], v.Type)
	r.down = append(r.down, download{*v, from})
	return err
}

// Begin places temporaries and constants.
func (r *run) Begin() error {
	if err := r.fault("Begin"); err != nil {
		return err
	}
	arena, err := r.of.dev.memory.Make(types.Of(types.U8, r.Program.Arena))
	if err != nil {
		return err
	}
	r.held = append(r.held, arena)
	for v := range r.Program.Values {
		switch val := &r.Program.Values[v]; val.Kind {
		case plan.Temporary:
			r.Mem[v] = unsafe.Add(arena.Base(), val.Offset)
		case plan.Constant:
			r.Mem[v] = r.of.constants[v].Base()
		}
	}
	return nil
}

// Launch interprets a kernel.
func (r *run) Launch(ctx context.Context, i int, _ <-chan struct{}) error {
	s := &r.Program.Steps[i]
	err := r.fault("Launch")
	if err == nil {
		err = r.launch(s.Launch())
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return &backends.RunError{Op: s.Ordinal, Reason: err}
}

func (r *run) launch(l *plan.Launch) error {
	k := r.Program.Kernels[l.Kernel]
	mem := make([]unsafe.Pointer, len(l.Operands))
	for j, o := range l.Operands {
		at := uintptr(r.Mem[o.Value]) + uintptr(o.Offset)*uintptr(k.Params[j].DType.Size())
		var err error
		if mem[j], err = r.of.dev.memory.host(at, 0); err != nil {
			return fmt.Errorf("operand %d: %w", j, err)
		}
	}
	return kernel.Evaluate(k, l.Sizes, mem, l.Strides, tiles.Scalars{})
}

// Fence returns at once: nothing is queued.
func (r *run) Fence() error { return r.fault("Fence") }

// Yield does nothing: nobody else uses the device's queue.
func (r *run) Yield(int) error { return r.fault("Yield") }

// Fetch copies a value to the host.
func (r *run) Fetch(dst soa.View, _, _ int, v plan.ValueID) error {
	if err := r.fault("Fetch"); err != nil {
		return err
	}
	return soa.Copy(dst, r.View(v, dst.Type))
}

// Store copies a value from the host.
func (r *run) Store(v plan.ValueID, src soa.View) error {
	if err := r.fault("Store"); err != nil {
		return err
	}
	return soa.Copy(r.View(v, src.Type), src)
}

// Copy copies between values, or one to the host.
func (r *run) Copy(dst, src soa.View) error {
	if err := r.fault("Copy"); err != nil {
		return err
	}
	return soa.Copy(dst, src)
}

// End copies results to where they belong. It looks for a fault first: then nothing is
// written.
func (r *run) End(bool) error {
	if err := r.fault("End"); err != nil {
		return err
	}
	for i := range r.down {
		if err := soa.Copy(r.down[i].to, r.down[i].from); err != nil {
			return err
		}
	}
	return nil
}

// Release gives the memory of the run back.
func (r *run) Release(*backends.Call, bool) error {
	err := r.fault("Release")
	r.held = nil
	return err
}

// Forget drops the caller's memory.
func (r *run) Forget() { r.down = nil }
