package lazy_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// rogue is the evaluator, whose runs and compiles the test changes.
type rogue struct {
	backends.Backend
	compile func()
	spoil   func(c *backends.Call)
}

func (r *rogue) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	if r.compile != nil {
		r.compile()
	}
	e, err := r.Backend.Compile(ctx, m, o)
	return rogueExecutable{e, r}, err
}

type rogueExecutable struct {
	backends.Executable
	r *rogue
}

func (e rogueExecutable) Execute(ctx context.Context, c *backends.Call) error {
	if e.r.spoil == nil {
		return e.Executable.Execute(ctx, c)
	}
	// The variable keeps its memory, so that what is refused has changed nothing.
	for i := range c.Results {
		if c.Results[i].IsZero() {
			c.Results[i] = soa.Make(e.Signature().Results[i].Type)
		}
	}
	err := e.Executable.Execute(ctx, c)
	e.r.spoil(c)
	return err
}

// What a backend does against its contract is an error that names it, and leaves
// variables as they were.
func TestBackendsThatBreakTheirContract(t *testing.T) {
	set := func(i int, change func(v *soa.View)) func(*backends.Call) {
		return func(c *backends.Call) { change(&c.Results[i]) }
	}
	reshape := func(dims ...int) func(v *soa.View) {
		return func(v *soa.View) { *v = soa.Make(types.Of(types.F32, dims...)) }
	}
	for name, c := range map[string]struct {
		spoil func(*backends.Call)
		want  string
	}{
		"no results":        {func(c *backends.Call) { c.Results = nil }, "it gave 0 results of 3"},
		"too few results":   {func(c *backends.Call) { c.Results = c.Results[:2] }, "it gave 2 results of 3"},
		"too many results":  {func(c *backends.Call) { c.Results = append(c.Results, soa.View{}) }, "it gave 4 results of 3"},
		"no view":           {set(0, func(v *soa.View) { *v = soa.View{} }), "it gave no view"},
		"dtype":             {set(0, func(v *soa.View) { *v = soa.Make(types.Of(types.F64, 40, 40)) }), "it gave f64[40,40]"},
		"shape":             {set(0, reshape(40, 41)), "it gave f32[40,41]"},
		"shape of its size": {set(0, reshape(20, 80)), "it gave f32[20,80]"},
		"rank":              {set(0, reshape(1600)), "it gave f32[1600]"},
		"no memory":         {set(0, func(v *soa.View) { *v = soa.View{Type: v.Type, Strides: []int{40, 1}} }), "has no memory"},
		"no strides":        {set(0, func(v *soa.View) { v.Strides = nil }), "has 0 strides"},
		"too many strides":  {set(0, func(v *soa.View) { v.Strides = []int{1600, 40, 1} }), "has 3 strides"},
		"far stride":        {set(0, func(v *soa.View) { v.Strides = []int{1 << 40, 1} }), "leaves its memory"},
		"more than its memory": {set(0, func(v *soa.View) {
			of := *v
			*v = soa.Make(types.Of(types.F32, 4))
			v.Type, v.Strides = of.Type, soa.Dense(of.Type.Shape)
		}), "leaves its memory, of 16 bytes"},
		"stride 0":         {set(0, func(v *soa.View) { v.Strides = []int{0, 1} }), "must be dense"},
		"negative stride":  {set(0, func(v *soa.View) { v.Strides = []int{-40, 1} }), "leaves its memory"},
		"transposed":       {set(0, func(v *soa.View) { v.Strides = []int{1, 40} }), "must be dense"},
		"overlapping rows": {set(0, func(v *soa.View) { v.Strides = []int{1, 1} }), "must be dense"},
		"table of none":    {set(0, func(v *soa.View) { v.Table = nil; v.Table = append(v.Table, nil) }), "has a table"},
		"off its element":  {set(0, func(v *soa.View) { *v = misplaced(v.Type) }), "bytes after a multiple of"},
		"one memory":       {func(c *backends.Call) { c.Results[1] = c.Results[0] }, "results 0 and 1 are in one memory"},
		"overlapping memory": {func(c *backends.Call) {
			b := soa.New(4 * 1700)
			c.Results[0], c.Results[1] = b.ViewAt(0, c.Results[0].Type), b.ViewAt(400, c.Results[1].Type)
		}, "results 0 and 1 are in one memory"},
		"root in variable": {func(c *backends.Call) { c.Results[2] = c.Results[1] }, "results 1 and 2 are in one memory"},
		"an argument's":    {func(c *backends.Call) { c.Results[0] = c.Args[0] }, "is in the memory of argument 0"},
		"released": {set(0, func(v *soa.View) {
			b, err := soa.OffHeap(v.Type.Bytes())
			require.NoError(t, err)
			*v = b.View(v.Type)
			b.Release()
		}), "its memory was released"},
		"arguments gone": {func(c *backends.Call) { c.Args = nil }, "it left 0 arguments of"},
		"panic":          {func(*backends.Call) { panic("mine") }, "panicked in Execute: mine"},
	} {
		for _, threads := range []int{0, 1} {
			t.Run(name, func(t *testing.T) {
				b, err := backends.Open("eval")
				require.NoError(t, err)
				r := &rogue{Backend: b, spoil: c.spoil}
				gates.Store(t.Name(), r)
				t.Cleanup(func() { gates.Delete(t.Name()) })
				dev := open(t, "flaky:"+t.Name(), lazy.Threads(threads))
				tr := lazy.NewTrace(dev)
				w := dev.Variable("w", lazy.F32, 40, 40)
				step := func() (*lazy.Tensor, error) {
					x := tr.Read(w).AddScalar(1)
					y := tr.Read(w).MulScalar(3)
					w.Add_(lazy.Ones(tr, lazy.F32, 40, 40))
					err := tr.MarkStep(x, y)
					if past := tr.Wait(background); err == nil {
						err = past
					}
					return x, err
				}
				_, err = step()
				require.ErrorContains(t, err, c.want)
				require.ErrorContains(t, err, "backend flaky:", "it is named")
				require.Equal(t, float32(0), first(t, w))
				r.spoil = nil
				x, err := step()
				require.NoError(t, err)
				require.Equal(t, float32(1), first(t, x))
				require.Equal(t, float32(1), first(t, w))
			})
		}
	}
}

// misplaced returns a view that starts a byte after one of its elements may.
func misplaced(t types.Type) soa.View {
	b := soa.New(t.Bytes() + 8)
	v := b.ViewAt(1, types.Of(types.U8, t.Bytes()))
	return soa.At(v.Base(), t)
}

// A variable that a refused run has written over says so.
func TestVariableOverwrittenByARefusedRun(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	gates.Store(t.Name(), &inPlace{b})
	t.Cleanup(func() { gates.Delete(t.Name()) })
	dev := open(t, "flaky:"+t.Name(), lazy.Threads(1))
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 40, 40)
	x := tr.Read(w).MulScalar(3)
	w.Add_(lazy.Ones(tr, lazy.F32, 40, 40))
	require.ErrorContains(t, tr.MarkStep(x), "its results are refused")
	_, err = w.Value()
	require.ErrorContains(t, err, `variable "w" was overwritten by a run whose results were refused: set it again`)
}

type inPlace struct{ backends.Backend }

func (b *inPlace) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	e, err := b.Backend.Compile(ctx, m, o)
	return inPlaceExecutable{e}, err
}

type inPlaceExecutable struct{ backends.Executable }

func (e inPlaceExecutable) Execute(ctx context.Context, c *backends.Call) error {
	err := e.Executable.Execute(ctx, c)
	c.Results[0] = soa.View{}
	return err
}

// A panic while a backend compiles is an error that names it.
func TestPanicInCompileIsAnError(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	r := &rogue{Backend: b, compile: func() { panic("mine") }}
	gates.Store(t.Name(), r)
	t.Cleanup(func() { gates.Delete(t.Name()) })
	dev := open(t, "flaky:"+t.Name())
	tr := lazy.NewTrace(dev)
	x := lazy.Ones(tr, lazy.F32, 2)
	require.ErrorContains(t, tr.MarkStep(x), "the backend panicked: mine (backend flaky:")
	r.compile = nil
	x = lazy.Ones(tr, lazy.F32, 2)
	require.NoError(t, tr.MarkStep(x))
	require.Equal(t, float32(1), first(t, x))
}

// A hook that panics within a write fails the step that the write is of.
func TestPanicOfANodeHookLosesNoWriteInSilence(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2)
	x := lazy.From(tr, []float32{1, 2})
	for _, op := range []string{"parameter", "add"} {
		remove := tr.OnNode(func(n lazy.NodeInfo) {
			if n.Op == op {
				panic("mine")
			}
		})
		require.PanicsWithValue(t, "mine", func() { w.Add_(x) })
		remove()
		err := tr.MarkStep()
		require.ErrorContains(t, err, "a function given to OnNode panicked when the op was recorded")
		require.ErrorContains(t, err, "border_test.go:")
		require.NoError(t, tr.MarkStep())
		require.Equal(t, float32(0), first(t, w))
	}
	w.Add_(x)
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{1, 2}, floats(t, w))
	require.Zero(t, tr.Report().DonationCopies, "nothing is pinned for good")
}

// A closure that ends its goroutine, as FailNow of package testing does, is a failure
// of its step; what is queued goes on.
func TestClosuresThatEndTheirGoroutine(t *testing.T) {
	dev, g := openGated(t)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, bigSize)
	calls := 0
	tr.AfterStep(func(error) { new(testing.T).SkipNow() })
	tr.AfterStep(func(error) { calls++ })
	add(t, tr, w, 1)
	tr.AfterStep(func(error) { calls++ })
	add(t, tr, w, 1)
	go g.pass(2, nil)
	within(t, func() { require.ErrorContains(t, tr.Wait(background), "step 1: a step closure ended its goroutine") })
	require.Equal(t, 2, calls)
	require.Equal(t, float32(2), first(t, w))
}
