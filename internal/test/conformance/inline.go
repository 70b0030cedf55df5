package conformance

import (
	"fmt"
	"slices"

	"ltc/internal/diag"
	"ltc/mlir"
)

// mostOps is how many ops a test may have once its calls are inlined.
const mostOps = 1 << 20

// walkRegions calls f for every op in the regions of op until f returns false.
func walkRegions(op *mlir.Op, f func(*mlir.Op) bool) {
	(&mlir.Module{Ops: []*mlir.Op{op}}).Walk(func(o *mlir.Op) bool { return o == op || f(o) })
}

// functionsWith returns the functions that have an op for which is returns true, or call
// a function that has.
func functionsWith(m *mlir.Module, is func(*mlir.Op) bool) map[*mlir.Op]bool {
	found := map[*mlir.Op]bool{}
	for more := true; more; {
		more = false
		for _, f := range m.Ops {
			if f.Code != mlir.OpFunc || found[f] {
				continue
			}
			walkRegions(f, func(op *mlir.Op) bool {
				found[f] = is(op) || found[m.Func(op.Callee())]
				return !found[f]
			})
			more = more || found[f]
		}
	}
	return found
}

// reachable returns the functions that the ops of a block name, and those that these
// name in turn.
func reachable(m *mlir.Module, b *mlir.Block) map[*mlir.Op]bool {
	found := map[*mlir.Op]bool{}
	var visit func(op *mlir.Op) bool
	visit = func(op *mlir.Op) bool {
		op.Symbols(func(name string) {
			if f := m.Func(name); f != nil && !found[f] {
				found[f] = true
				walkRegions(f, visit)
			}
		})
		return true
	}
	(&mlir.Module{Ops: b.Ops}).Walk(visit)
	return found
}

// inliner copies the ops of a test. Calls of the functions in inlined become the ops of
// these.
type inliner struct {
	mlir.Cloner
	m       *mlir.Module
	inlined map[*mlir.Op]bool
	running []*mlir.Op // the functions whose ops are being copied
	ops     int
	err     error // the first; what is copied after it is incomplete
}

func newInliner(m *mlir.Module, entry *mlir.Op, inlined map[*mlir.Op]bool) *inliner {
	in := &inliner{m: m, inlined: inlined, running: []*mlir.Op{entry}}
	in.Ops = in.copies
	return in
}

// copies returns copies of ops.
func (in *inliner) copies(ops []*mlir.Op) []*mlir.Op {
	var out []*mlir.Op
	for _, op := range ops {
		if in.ops++; in.ops > mostOps {
			in.fail(op, fmt.Errorf("the test has more than %s with its calls inlined", diag.Count(mostOps, "op")))
		}
		if in.err != nil {
			break
		}
		if f := in.m.Func(op.Callee()); f != nil && in.inlined[f] {
			out = append(out, in.call(op, f)...)
		} else {
			out = append(out, in.Op(op))
		}
	}
	return out
}

// call returns the ops of the function that op calls, with op's operands.
func (in *inliner) call(op, f *mlir.Op) []*mlir.Op {
	b := f.Body()
	switch {
	case slices.Contains(in.running, f):
		in.fail(op, fmt.Errorf("@%s calls itself", f.SymName()))
		return nil
	case b == nil || len(b.Args) != len(op.Operands):
		in.fail(op, fmt.Errorf("@%s cannot be inlined", f.SymName()))
		return nil
	}
	for i, a := range b.Args {
		in.Replace(a, in.Value(op.Operands[i]))
	}
	in.running = append(in.running, f)
	out := in.copies(b.Ops[:len(b.Ops)-1])
	in.running = in.running[:len(in.running)-1]
	for i, v := range b.Ops[len(b.Ops)-1].Operands {
		in.Replace(op.Results[i], in.Value(v))
	}
	return out
}

func (in *inliner) fail(op *mlir.Op, err error) {
	if in.err == nil {
		in.err = at(op, err)
	}
}
