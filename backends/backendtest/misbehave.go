package backendtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// faultyBackend is a backend that has a fault while on is set.
type faultyBackend struct {
	backends.Backend
	fault *fault
	on    atomic.Bool
}

// fault is a way to break the contract of package backends. Only one of the functions is
// set.
type fault struct {
	name string
	want string // the step's error has this; empty: the step holds all the same
	torn bool   // nobody knows whether what was donated has been written

	result func(*soa.View)            // changes the first result
	call   func(*backends.Call)       // changes the call after a run
	run    func(c *backends.Call)     // is the run
	query  string                     // the method that panics
	make   func(*backends.Executable) // changes what Compile gives
}

// of is the type of results of the program that is run on a faulty backend. The last
// result but one is small: the call has memory for it.
var of, smallOf = types.Of(types.F32, 40, 40), types.Of(types.F32, 2)

const smallResult = 2

// faults are those that package lazy must survive.
var faults = []fault{
	{name: "no results", want: "it gave 0 results of 4", torn: true, call: func(c *backends.Call) { c.Results = nil }},
	{name: "too few results", want: "it gave 3 results of 4", torn: true, call: func(c *backends.Call) { c.Results = c.Results[:3] }},
	{name: "too many results", want: "it gave 5 results of 4", call: func(c *backends.Call) { c.Results = append(c.Results, soa.View{}) }},
	{name: "does nothing", want: "got no view", torn: true, run: func(*backends.Call) {}},
	{name: "no view", want: "result 0: want f32[40,40], got no view", result: func(v *soa.View) { *v = soa.View{} }},
	{name: "dtype", want: "got f64[40,40]", result: func(v *soa.View) { *v = soa.Make(types.Of(types.F64, 40, 40)) }},
	{name: "shape", want: "got f32[40,41]", result: shaped(40, 41)},
	{name: "shape of its size", want: "got f32[20,80]", result: shaped(20, 80)},
	{name: "rank", want: "got f32[1600]", result: shaped(1600)},
	{name: "negative size", want: "got f32[-40,-40]", result: func(v *soa.View) { v.Type = types.Of(types.F32, -40, -40) }},
	{name: "no memory", want: "has no memory", result: func(v *soa.View) { *v = soa.View{Type: of, Strides: []int{40, 1}} }},
	{name: "more than its memory", want: "reaches outside of its memory (16 bytes", result: func(v *soa.View) {
		*v = soa.Make(types.Of(types.F32, 4))
		v.Type, v.Strides = of, soa.Dense(of.Shape)
	}},
	{name: "no strides", want: "has 0 strides", result: strides()},
	{name: "too many strides", want: "has 3 strides", result: strides(1600, 40, 1)},
	{name: "far stride", want: "reaches outside of its memory", result: strides(1<<40, 1)},
	{name: "farthest stride", want: "reaches outside of its memory", result: strides(-1<<63, 1)},
	{name: "negative stride", want: "reaches outside of its memory", result: strides(-40, 1)},
	{name: "stride 0", want: "must be dense", result: strides(0, 1)},
	{name: "transposed", want: "must be dense", result: strides(1, 40)},
	{name: "overlapping rows", want: "must be dense", result: strides(1, 1)},
	{name: "table of none", want: "has a table", result: func(v *soa.View) { v.Table = nil; v.Table = append(v.Table, nil) }},
	{name: "table of rows", want: "must be dense", result: func(v *soa.View) {
		rows := make([]soa.View, 40)
		for i := range rows {
			rows[i] = soa.Make(types.Of(types.F32, 40))
		}
		*v, _ = soa.NewTable(0, rows...)
	}},
	{name: "off its element", want: "starts 1 byte after a multiple of", result: func(v *soa.View) {
		bytes := soa.New(of.Bytes()+8).ViewAt(1, types.Of(types.U8, of.Bytes()))
		*v = soa.At(bytes.Base(), of)
	}},
	{name: "read only", want: "it is read only", result: func(v *soa.View) { *v = soa.Foreign(make([]byte, of.Bytes()), func() {}).View(of) }},
	{name: "released", want: "its memory was released", result: func(v *soa.View) {
		if b, err := soa.OffHeap(of.Bytes()); err == nil {
			*v = b.View(of)
			b.Release()
		}
	}},
	{name: "results in one memory", want: "results 0 and 1 are in one memory", call: func(c *backends.Call) { c.Results[1] = c.Results[0] }},
	{name: "results overlap", want: "results 0 and 1 are in one memory", call: func(c *backends.Call) {
		b := soa.New(of.Bytes() + 400)
		c.Results[0], c.Results[1] = b.ViewAt(0, of), b.ViewAt(400, of)
	}},
	{name: "result in a variable's", want: "results 1 and 3 are in one memory", call: func(c *backends.Call) { c.Results[3] = c.Results[1] }},
	{name: "result in an argument's", want: "is in the memory of argument 0", call: func(c *backends.Call) { c.Results[0] = c.Args[0] }},
	{name: "result not in its memory", want: "result 2 is not in the memory that the call has for it", call: func(c *backends.Call) { c.Results[smallResult] = soa.Make(smallOf) }},
	{name: "memory of its own", want: "result 0 is not in memory that Call.Make gave for this run", result: func(v *soa.View) { *v = soa.Make(of) }},
	{name: "strides of its memory written", want: "must be laid out as the memory that the call has for it", call: func(c *backends.Call) { c.Results[smallResult].Strides[0] = 0 }},
	{name: "strides of its memory replaced", want: "must be laid out as the memory that the call has for it", call: func(c *backends.Call) { c.Results[smallResult].Strides = []int{0} }},
	{name: "shape of an argument written", want: "it changed argument 0", call: func(c *backends.Call) { c.Args[0].Type.Shape[0] = 7 }},
	{name: "strides of an argument written", want: "it changed argument 0", call: func(c *backends.Call) { c.Args[0].Strides[0] = 7 }},
	{name: "no arguments left", want: "it left 0 arguments of", call: func(c *backends.Call) { c.Args = nil }},
	{name: "an argument changed", want: "it changed argument 0", call: func(c *backends.Call) { c.Args[0] = soa.View{} }},
	{name: "arguments exchanged", want: "it changed argument 0", call: func(c *backends.Call) { c.Args[0], c.Args[1] = c.Args[1], c.Args[0] }},
	{name: "panic", want: "panicked in Execute: mine", call: func(*backends.Call) { panic("mine") }},
	{name: "panic of a nil pointer", want: "panicked in Execute: runtime error: invalid memory address", call: func(*backends.Call) { *(*int)(nil) = 1 }},
	{name: "panic of what cannot be printed", want: "panicked in Execute", call: func(*backends.Call) { panic(unprintable{}) }},
	{name: "panic in Compile", want: "panicked in Compile: mine", make: func(*backends.Executable) { panic("mine") }},
	{name: "Compile gives nothing", want: "it gave neither an executable nor an error", make: func(e *backends.Executable) { *e = nil }},
	{name: "panic in ResidentBytes", want: "panicked in ResidentBytes: mine", query: "ResidentBytes"},
	{name: "panic in Grown", want: "panicked in Grown: mine", query: "Grown"},
	{name: "panic in CopiedBytes", query: "CopiedBytes"},
	{name: "panic in WorkspaceBytes", want: "panicked in WorkspaceBytes: mine", query: "WorkspaceBytes"},
	{name: "panic in Signature", query: "Signature"},
	{name: "panic in Devices", query: "Devices"},
	{name: "panic in Profile", query: "Profile"},
	{name: "panic in Artifact", query: "Artifact"},
}

func shaped(dims ...int) func(*soa.View) {
	return func(v *soa.View) { *v = soa.Make(types.Of(types.F32, dims...)) }
}

func strides(s ...int) func(*soa.View) { return func(v *soa.View) { v.Strides = s } }

type unprintable struct{}

func (unprintable) String() string { panic("within") }

func (r *faultyBackend) panics(method string) {
	if r.fault.query == method && r.on.Load() {
		panic("mine")
	}
}

func (r *faultyBackend) Devices() []backends.Device {
	r.panics("Devices")
	return r.Backend.Devices()
}

func (r *faultyBackend) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	e, err := r.Backend.Compile(ctx, m, o)
	if err != nil {
		return nil, err
	}
	x := backends.Executable(&faultyExecutable{e, r, e.Signature()})
	if r.fault.make != nil && r.on.Load() {
		r.fault.make(&x)
	}
	return x, nil
}

type faultyExecutable struct {
	backends.Executable
	r   *faultyBackend
	sig *backends.Signature
}

func (x *faultyExecutable) Signature() *backends.Signature {
	x.r.panics("Signature")
	return x.sig
}

func (x *faultyExecutable) Artifact() ([]byte, error) {
	x.r.panics("Artifact")
	return x.Executable.Artifact()
}

func (x *faultyExecutable) CopiedBytes() int64 {
	x.r.panics("CopiedBytes")
	return 0
}

func (x *faultyExecutable) ResidentBytes() int {
	x.r.panics("ResidentBytes")
	return 1
}

func (x *faultyExecutable) Grown() *atomic.Int64 {
	x.r.panics("Grown")
	return nil
}

func (x *faultyExecutable) WorkspaceBytes() int {
	x.r.panics("WorkspaceBytes")
	return 0
}

func (x *faultyExecutable) Profile() []backends.StepProfile {
	x.r.panics("Profile")
	return nil
}

func (x *faultyExecutable) Execute(ctx context.Context, c *backends.Call) error {
	f := x.r.fault
	if !x.r.on.Load() || f.run == nil && f.result == nil && f.call == nil {
		return x.Executable.Execute(ctx, c)
	}
	if f.run != nil {
		f.run(c)
		return nil
	}
	// The variable keeps its memory: what is refused has changed nothing.
	for i := range c.Results {
		if c.Results[i].IsZero() {
			c.Results[i] = c.Make(x.sig.Results[i].Type)
		}
	}
	if err := x.Executable.Execute(ctx, c); err != nil {
		return err
	}
	if f.result != nil {
		f.result(&c.Results[0])
	} else {
		f.call(c)
	}
	return nil
}

// faultyBackends are those that lazy can open, by the name of their device.
var faultyBackends sync.Map // of *faultyBackend

func init() { backends.Register(faultyName, openFaulty) }

const faultyName = "backendtest"

func openFaulty(device string) (backends.Backend, error) {
	v, ok := faultyBackends.Load(device)
	if !ok {
		return nil, fmt.Errorf("there is no %s", device)
	}
	r := v.(*faultyBackend)
	return r, nil
}

// Misbehave has package lazy run programs on b with one fault after the other. Each is
// the step's error, which names the backend, and leaves variables as they were.
func Misbehave(t *testing.T, b backends.Backend) {
	for i := range faults {
		new(Group).run(t, faults[i].name, func(t *testing.T) { faults[i].test(t, b) })
	}
}

func (f *fault) test(t *testing.T, b backends.Backend) {
	for _, threads := range []int{0, 1} {
		f.step(t, b, threads)
	}
}

func (f *fault) step(t *testing.T, b backends.Backend, threads int) {
	device := fmt.Sprintf("%s/%d", t.Name(), threads)
	r := &faultyBackend{Backend: b, fault: f}
	faultyBackends.Store(device, r)
	defer faultyBackends.Delete(device)
	dev, err := lazy.Open(faultyName+":"+device, lazy.Threads(threads), lazy.MemoryLimit(1<<30), lazy.Profiled(), lazy.Logger(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	defer func() { require.NoError(t, dev.Close()) }()
	tr := lazy.NewTrace(dev)
	v := dev.Variable("v", lazy.F32, of.Shape...)
	one, two := make([]float32, of.Elements()), []float32{1, 2}
	for i := range one {
		one[i] = 1
	}
	step := func() (*lazy.Tensor, error) {
		x := lazy.From(tr, one, of.Shape...)
		small := lazy.From(tr, two)
		y, z, s := x.Add(v), x.Mul(v), small.Add(small)
		v.Add_(x)
		err := tr.MarkStep(y, z, s)
		if past := tr.Wait(context.Background()); err == nil {
			err = past
		}
		return y, err
	}
	first := func(x *lazy.Tensor) float32 {
		all, err := lazy.ToSlice[float32](x)
		require.NoError(t, err)
		return all[0]
	}

	r.on.Store(true)
	dev.Devices()
	dev.Profile()
	_, err = step()
	if errors.Is(err, errors.ErrUnsupported) {
		skip(t, err)
	}
	dev.Profile()
	steps := float32(0)
	switch {
	case f.want == "":
		require.NoError(t, err)
		steps++
	case f.torn:
		require.ErrorContains(t, err, f.want)
		_, err = lazy.ToSlice[float32](v)
		require.ErrorContains(t, err, `variable "v" may have been written over`)
		require.NoError(t, v.Init(lazy.Constant(0)).Err())
	default:
		require.ErrorContains(t, err, f.want)
		require.ErrorContains(t, err, "backend "+faultyName+":", "it is named")
	}
	require.Equal(t, steps, first(v), "the variable is as before")
	r.on.Store(false)
	y, err := step()
	require.NoError(t, err)
	require.Equal(t, steps+1, first(y))
	require.Equal(t, steps+1, first(v))
}
