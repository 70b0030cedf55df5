// Package kittest compiles texts to kernels and compares what these compute with the
// evaluator. Its central functions are [Compile] and [Same].
//
// The package imports only ltc/backends, ltc/backends/kit, ltc/backends/kit/fuse,
// ltc/backends/kit/kernel, ltc/backends/kit/plan, ltc/backends/reference/eval,
// ltc/backends/reference/tiles, ltc/internal/samples, ltc/internal/test/programs, ltc/ir/types,
// ltc/soa and testify.
package kittest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/tiles"
	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/soa"
)

// Evaluate runs a program by the kernels' evaluator.
func Evaluate(t *testing.T, p *plan.Program, args []soa.View) []soa.View {
	t.Helper()
	arena := soa.Make(types.Type{DType: types.U8, Shape: types.Shape{max(p.Arena, 1)}})
	mem := make([]unsafe.Pointer, len(p.Values))
	results := make([]soa.View, len(p.Results))
	for v := range p.Values {
		val := &p.Values[v]
		switch val.Kind {
		case plan.Temporary:
			mem[v] = unsafe.Add(arena.Base(), val.Offset)
		case plan.Argument:
			mem[v] = args[val.Index].Base()
		case plan.Constant:
			mem[v] = unsafe.Pointer(unsafe.SliceData(val.Data))
		case plan.Result:
			results[val.Index] = soa.Make(p.Signature.Results[val.Index].Type)
			mem[v] = results[val.Index].Base()
		}
	}
	for s := range p.Steps {
		st := &p.Steps[s]
		view := func(v plan.ValueID, t types.Type) soa.View { return soa.At(mem[v], t) }
		l := st.Launch()
		if st.Regions() != nil {
			evaluateRegions(t, p, st, view)
			continue
		}
		if h := st.Host(); h != nil {
			c := &backends.Call{}
			for _, a := range h.Args {
				c.Args = append(c.Args, view(a.Value, a.Type))
			}
			for _, v := range h.Outs {
				c.Results = append(c.Results, view(v, p.Values[v].Type))
			}
			require.NoError(t, h.Run.Execute(context.Background(), c))
			continue
		}
		k := p.Kernels[l.Kernel]
		ptrs := make([]unsafe.Pointer, len(l.Operands))
		for i, o := range l.Operands {
			ptrs[i] = unsafe.Add(mem[o.Value], o.Offset*int64(k.Params[i].DType.Size()))
		}
		require.NoError(t, kernel.Evaluate(k, l.Sizes, ptrs, l.Strides, tiles.Scalars{}), "step %d: %v", s, k)
	}
	return results
}

// evaluateRegions runs a loop or a branch.
func evaluateRegions(t *testing.T, p *plan.Program, s *plan.Step, view func(plan.ValueID, types.Type) soa.View) {
	t.Helper()
	views := func(list []plan.HostArg) (all []soa.View) {
		for _, a := range list {
			all = append(all, view(a.Value, a.Type))
		}
		return all
	}
	var last []soa.View
	var outs []plan.ValueID
	if l, ok := s.Work.(*plan.Loop); ok {
		carried, captured := views(l.Init), views(l.Captured)
		for soa.Slice[bool](Evaluate(t, l.Cond, slices.Concat(carried, captured))[0])[0] {
			carried = Evaluate(t, l.Body, slices.Concat(carried, captured))
		}
		last, outs = carried, l.Outs
	} else {
		b, chosen := s.Work.(*plan.Branch), 0
		if index := view(b.Index.Value, b.Index.Type); index.Type.DType == types.Bool && !soa.Slice[bool](index)[0] {
			chosen = 1
		} else if index.Type.DType != types.Bool {
			if chosen = int(soa.Slice[int32](index)[0]); chosen < 0 || chosen >= len(b.Branches) {
				chosen = len(b.Branches) - 1
			}
		}
		last, outs = Evaluate(t, b.Branches[chosen], views(b.Captured)), b.Outs
	}
	for i, v := range outs {
		require.NoError(t, soa.Copy(view(v, p.Values[v].Type), last[i]))
	}
}

// Compile compiles a module to kernels that pass their checks.
func Compile(t *testing.T, text string) *plan.Program {
	t.Helper()
	return CompileFor(t, text, fuse.Options{})
}

// CompileFor makes kernels of a text for the target that options are of.
func CompileFor(t *testing.T, text string, o fuse.Options) *plan.Program {
	t.Helper()
	l, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	p, err := kit.Compile(t.Context(), l, kit.Options{Eval: eval.New(), Check: true, Fuse: o})
	require.NoError(t, err)
	for _, k := range p.Kernels {
		require.NoError(t, kernel.Verify(k), "%v", k)
	}
	return p
}

// Same compares a module run as kernels with the evaluator.
func Same(t *testing.T, text string) *plan.Program {
	t.Helper()
	return SameAs(t, text, Compile(t, text))
}

// SameAs requires that what a text was made computes what it says.
func SameAs(t *testing.T, text string, p *plan.Program) *plan.Program {
	t.Helper()
	return SameWithin(t, text, p, 1e-4)
}

// SameWithin is SameAs, but for differences of the given size.
func SameWithin(t *testing.T, text string, p *plan.Program, most float64) *plan.Program {
	t.Helper()
	exe, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	args := make([]soa.View, len(p.Signature.Args))
	for i, a := range p.Signature.Args {
		args[i], err = samples.Make(a.Type, fmt.Sprintf("rand:%d", i+1))
		require.NoError(t, err)
	}
	got := Evaluate(t, p, args)
	c := &backends.Call{Args: args}
	require.NoError(t, exe.Execute(t.Context(), c))
	for j, want := range c.Results {
		d, err := samples.Differ(got[j], want)
		require.NoError(t, err)
		require.LessOrEqual(t, d.Size, most, "result %d differs at %v: %s, want %s\n%v", j, d.At, d.Got, d.Want, p)
	}
	return p
}
