package kit_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/tiles"
	"ltc/internal/samples"
	"ltc/internal/test/golden"
	"ltc/ir/types"
	"ltc/soa"
)

// evaluate runs a program by the kernels' evaluator.
func evaluate(t *testing.T, p *plan.Program, args []soa.View) []soa.View {
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
		for soa.Slice[bool](evaluate(t, l.Cond, slices.Concat(carried, captured))[0])[0] {
			carried = evaluate(t, l.Body, slices.Concat(carried, captured))
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
		last, outs = evaluate(t, b.Branches[chosen], views(b.Captured)), b.Outs
	}
	for i, v := range outs {
		require.NoError(t, soa.Copy(view(v, p.Values[v].Type), last[i]))
	}
}

// compile compiles a module to kernels that pass their checks.
func compile(t *testing.T, text string) *plan.Program {
	t.Helper()
	return compileFor(t, text, kit.Options{})
}

// compileFor makes kernels of a text for the target that options tell of.
func compileFor(t *testing.T, text string, o kit.Options) *plan.Program {
	t.Helper()
	l, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	o.Eval, o.Check = eval.New(), true
	p, err := kit.Compile(t.Context(), l, o)
	require.NoError(t, err)
	for _, k := range p.Kernels {
		require.NoError(t, kernel.Verify(k), "%v", k)
	}
	return p
}

// TestWorkloads compares what the programs of the benchmark compute as kernels
// with what the evaluator does.
func TestWorkloads(t *testing.T) {
	for _, file := range golden.Files(t, "testdata/workloads/*.mlir") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".mlir"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			same(t, string(text))
		})
	}
}

// same compares a module run as kernels with the evaluator.
func same(t *testing.T, text string) *plan.Program {
	t.Helper()
	return sameAs(t, text, compile(t, text))
}

// sameAs requires that what a text was made computes what it says.
func sameAs(t *testing.T, text string, p *plan.Program) *plan.Program {
	t.Helper()
	return sameWithin(t, text, p, 1e-4)
}

// sameWithin is sameAs, but for differences of the given size.
func sameWithin(t *testing.T, text string, p *plan.Program, most float64) *plan.Program {
	t.Helper()
	exe, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	args := make([]soa.View, len(p.Signature.Args))
	for i, a := range p.Signature.Args {
		args[i], err = samples.Make(a.Type, fmt.Sprintf("rand:%d", i+1))
		require.NoError(t, err)
	}
	got := evaluate(t, p, args)
	c := &backends.Call{Args: args}
	require.NoError(t, exe.Execute(t.Context(), c))
	for j, want := range c.Results {
		d, err := samples.Differ(got[j], want)
		require.NoError(t, err)
		require.LessOrEqual(t, d.Size, most, "result %d differs at %v: %s, want %s\n%v", j, d.At, d.Got, d.Want, p)
	}
	return p
}

// What a loop starts from can be a constant that repeats one element: the loop
// is given all of them, and gives them back when it does not turn.
func TestSplatsForTheHost(t *testing.T) {
	same(t, `func.func @main(%i: tensor<i32>) -> tensor<3x4xi32> {
  %n = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.maximum %i, %n : tensor<i32>
  %1 = stablehlo.constant dense<-1> : tensor<3x4xi32>
  %2:2 = stablehlo.while(%j = %0, %x = %1) : tensor<i32>, tensor<3x4xi32>
    cond {
      %c = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %3 = stablehlo.add %j, %n : tensor<i32>
      %4 = stablehlo.add %x, %x : tensor<3x4xi32>
      stablehlo.return %3, %4 : tensor<i32>, tensor<3x4xi32>
    }
  return %2#1 : tensor<3x4xi32>
}`)
}
