package execution

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/ir"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/programs"
	"ltc/shapeinfer"
	"ltc/soa"
)

// fake is a backend and its only executable. A run does nothing.
type fake struct {
	backends.Backend
	backends.Executable
	workspace int
	runs      atomic.Int64
	copied    atomic.Int64
	mute      bool // CopiedBytes panics
}

func (f *fake) Name() string                        { return "fake" }
func (f *fake) Capabilities() backends.Capabilities { return backends.Capabilities{} }
func (f *fake) WorkspaceBytes() int                 { return f.workspace }
func (f *fake) Compile(context.Context, backends.Module, backends.Options) (backends.Executable, error) {
	return f, nil
}

func (f *fake) Execute(context.Context, *backends.Call) error {
	f.runs.Add(1)
	return nil
}

func (f *fake) CopiedBytes() int64 {
	if f.mute {
		panic("the backend is broken")
	}
	return f.copied.Load()
}

func parse(t *testing.T, dim string) *ir.Graph {
	t.Helper()
	g, err := ir.Parse("test.ir", `graph "g" {
  %0 = parameter {index = 0, name = "x"} : f32[`+dim+`]
  %1 = mul %0, %0 : f32[`+dim+`]
  return %1
}
`)
	require.NoError(t, err)
	return g
}

// executable returns what runs p by f within a limit of memory.
func executable(t *testing.T, f *fake, p *programs.Program, d Device) *Executable {
	t.Helper()
	if d.Memory == nil {
		d.Memory = &memory.Memory{}
	}
	d.Memory.Start(false)
	whole, err := border.Of(f, "fake").Compile(t.Context(), backends.NewModule(""), backends.Options{}, &backends.Signature{})
	require.NoError(t, err)
	e, err := New(d, p, whole)
	require.NoError(t, err)
	return e
}

// A run that the limit of memory does not allow does not begin, and its error has the node of
// the largest value.
func TestShortage(t *testing.T) {
	g := parse(t, "262144")
	f := &fake{workspace: 1 << 10}
	e := executable(t, f, &programs.Program{Graph: g}, Device{Memory: &memory.Memory{Limit: 1 << 20}})
	require.Equal(t, int64(2<<20+1<<10), e.Peak)
	err := e.Execute(t.Context(), &backends.Call{Args: []soa.View{soa.Make(g.Params[0].Type)}, Results: make([]soa.View, 1)})
	var short *Shortage
	require.ErrorAs(t, err, &short)
	require.Same(t, g.Results[0], short.Node)
	require.ErrorIs(t, err, soa.ErrMemory)
	require.EqualError(t, err, "out of memory: not enough memory: the step takes 1.0 MiB (results 1.0 MiB, workspace 1.0 KiB), "+
		"the most for this f32[262144] of 1.0 MiB, values that are in use 0 B of the device's limit of 1.0 MiB")
	require.Zero(t, f.runs.Load(), "a run has begun")
}

// What a run of open sizes takes is told by its call; that of other programs is the peak.
func TestTook(t *testing.T) {
	two, three := parse(t, "2"), parse(t, "3")
	open, err := shapeinfer.Generalize([]*ir.Graph{two, three})
	require.NoError(t, err)
	e := executable(t, &fake{workspace: 100}, &programs.Program{Graph: open.Graph, Open: open}, Device{})
	require.Zero(t, e.Peak)
	for _, g := range []*ir.Graph{two, three} {
		typ := g.Params[0].Type
		bytes, told := e.Took(&backends.Call{Args: []soa.View{soa.Make(typ)}, Results: []soa.View{soa.Make(typ)}})
		require.True(t, told)
		require.Equal(t, int64(100+2*typ.Bytes()), bytes)
	}
	e = executable(t, &fake{workspace: 100}, &programs.Program{Graph: two}, Device{})
	require.Equal(t, int64(100+2*8), e.Peak)
	_, told := e.Took(&backends.Call{})
	require.False(t, told)
}

// Bytes that goroutines have copied are told to one of them each.
func TestCopied(t *testing.T) {
	const goroutines, runs = 8, 2000
	f := &fake{}
	e := executable(t, f, &programs.Program{Graph: parse(t, "2")}, Device{})
	var told atomic.Int64
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for range runs {
				f.copied.Add(64)
				told.Add(e.Copied())
			}
		})
	}
	all.Wait()
	require.Equal(t, int64(goroutines*runs*64), told.Load())
	require.Zero(t, e.Copied())
}

// A backend that fails to tell what it has copied is warned of once.
func TestCopiedWarnsOnce(t *testing.T) {
	warned := 0
	f := &fake{mute: true}
	e := executable(t, f, &programs.Program{Graph: parse(t, "2")}, Device{Warn: func(string, error) { warned++ }})
	for range 3 {
		require.Zero(t, e.Copied())
	}
	require.Equal(t, 1, warned)
}
